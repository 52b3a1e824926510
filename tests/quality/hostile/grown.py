"""Random formulas with a bound that is a little too small.

A formula over a random domain is evaluated at the special points of :mod:`claims`; the largest value v found
makes ``formula <= v - |v|*10^-k`` false at that point: an end, a corner, a point far out or inside.  As
the bound is close to the largest value there is, the claim is true nearly everywhere.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from fractions import Fraction

from tests.quality.hostile.claims import Hostile, NotFalseError, candidates, middle, number
from tests.quality.hostile.truth import BlurredError, UndefinedError, holds

_RANGES = ("[0, 1]", "[-1, 1]", "(0, 1]", "[1, 3]", "[0, oo)", "[1, oo)", "(0, oo)", "[-2, 5]", "[1/3, 7/2)")
_UNARY = (
    "exp(-({}))", "exp({})", "log(1 + Abs({}))", "sqrt(1 + ({})**2)", "Abs({})", "tanh({})", "atan({})",
    "1/(1 + ({})**2)", "1/(1 + Abs({}))", "({})**2", "({})**3", "-({})", "sin({})", "exp(-({})**2)",
    "sqrt(Abs({}))", "log(2 + ({})**2)", "({})/(1 + Abs({}))", "cosh({})", "Abs({})**(1/3)", "1/cosh({})",
)  # fmt: skip
_BINARY = (
    "({} + {})", "({} - {})", "({}*{})", "Max({}, {})", "Min({}, {})", "({}/(1 + Abs({})))",
    "(({})/(2 + ({})**2))", "((1 + Abs({}))**tanh({}))",
)  # fmt: skip


def _range(text: str, name: str) -> str:
    low, high = (end.strip() for end in text[1:-1].split(","))
    left = f"{low} {'<' if text[0] == '(' else '<='} "
    return f"{left}{name}" if high == "oo" else f"{left}{name} {'<' if text[-1] == ')' else '<='} {high}"


def _formula(rng: random.Random, names: list[str], size: int) -> str:
    if size <= 1:
        return rng.choice(
            [*names, *names, *names, str(rng.randint(1, 5)), number(Fraction(rng.randint(1, 9), 7))]
        )
    if rng.random() < 0.45:
        template = rng.choice(_UNARY)
        part = _formula(rng, names, size - 1)
        return template.replace("{}", part)
    cut = rng.randint(1, size - 1)
    first, second = _formula(rng, names, cut), _formula(rng, names, size - cut)
    template = rng.choice(_BINARY)
    head, *tail = template.split("{}")
    return (
        head
        + first
        + "".join(piece + (second if k == 0 and len(tail) > 1 else "") for k, piece in enumerate(tail))
        if len(tail) == 2
        else template.format(first, second)
    )


def _grown(rng: random.Random) -> Hostile | None:
    names = list("xyz"[: rng.choice((1, 1, 1, 2, 2, 3))])
    domain = tuple(_range(rng.choice(_RANGES), name) for name in names)
    formula = _formula(rng, names, rng.randint(2, 6))
    if not any(name in formula for name in names):
        return None
    best: tuple[Fraction, dict[str, Fraction]] | None = None
    for at in candidates(rng, domain, (), 40):
        try:
            found = middle(formula, at)
        except (UndefinedError, BlurredError):
            continue
        if best is None or found > best[0]:
            best = found, at
    if best is None or best[0] > 10**30 or best[0] == 0:
        return None
    k = rng.choice((3, 6, 9, 12, 15, 20, 30, 40))
    bound = best[0] - abs(best[0]) / 10**k
    scale = 10 ** (k + 3)
    bound = (
        Fraction(int(bound * scale) - (bound < 0), scale)
        if abs(bound) > Fraction(1, 100)
        else bound.limit_denominator(10**60)
    )
    says = f"{formula} <= {number(bound)}" if rng.random() < 0.8 else f"{number(-bound)} <= -({formula})"
    if holds(says, best[1]) is not False:
        return None
    return Hostile("grown", says, domain, (best[1],)).require_false()


def false_claims(rng: random.Random) -> Iterator[Hostile]:
    """Without end."""
    while True:
        try:
            if (found := _grown(rng)) is not None:
                yield found
        except (NotFalseError, UndefinedError):
            continue


def true_claims(rng: random.Random) -> Iterator[Hostile]:
    """Bounds that hold whatever the formula is."""
    shapes = (
        "-1 <= tanh({})", "Abs({}) >= {}", "1/(1 + ({})**2) <= 1", "Min({}, 1) <= 1", "0 <= exp({})",
        "{} <= sqrt(1 + ({})**2)",
    )  # fmt: skip
    while True:
        names = list("xyz"[: rng.choice((1, 1, 2))])
        domain = tuple(_range(rng.choice(_RANGES), name) for name in names)
        formula = _formula(rng, names, rng.randint(1, 3))
        yield Hostile("grown", rng.choice(shapes).replace("{}", formula), domain)
