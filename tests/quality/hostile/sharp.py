"""Sharp inequalities, made false by a little.

``SHARP`` lists true inequalities that hold with equality at a known point of their domain. Added to the
smaller side, put into a factor or an exponent, a number from 10^-3 to 10^-40 makes each false, at that
point. Then it is disguised by steps that change neither truth nor falsity: the same term added to both
sides, a positive factor, a change of variable, a parameter, a kink.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

from tests.quality.hostile.claims import Hostile, NotFalseError, number, put
from tests.quality.hostile.truth import UndefinedError

EXPONENTS = (3, 4, 6, 8, 9, 12, 15, 16, 18, 20, 25, 30, 35, 40)
Ends = tuple[Fraction | None, Fraction | None, bool, bool]  # lower, upper, lower open, upper open


def ends(text: str) -> Ends:
    """``"[0, 1)"``, with ``oo`` for an infinite end."""
    low, high = text[1:-1].split(",")
    return (
        None if "oo" in low else Fraction(low.strip()),
        None if "oo" in high else Fraction(high.strip()),
        text[0] == "(",
        text[-1] == ")",
    )


def written(name: str, r: Ends) -> str:
    """The range as a comparison."""
    low, high, open_low, open_high = r
    left = "" if low is None else f"{number(low)} {'<' if open_low else '<='} "
    right = "" if high is None else f" {'<' if open_high else '<='} {number(high)}"
    return f"{left}{name}{right}"


@dataclass(frozen=True)
class Sharp:
    """``small <= large`` on the ranges, with equality at ``contact``."""

    small: str
    large: str
    ranges: dict[str, Ends]
    contact: dict[str, Fraction]
    given: tuple[str, ...] = ()
    integers: str = ""
    positive: bool = False  # both sides, on the whole domain

    def hostile(self, family: str, relation: str = "<=", false: bool = True) -> Hostile:
        """As a claim."""
        says = f"{self.small} {relation} {self.large}"
        domain = (*(written(n, r) for n, r in self.ranges.items()), *self.given)
        bare = " ".join(n for n, r in self.ranges.items() if r[0] is None and r[1] is None)
        kept = tuple(text for text in domain if not text.isidentifier())
        return Hostile(family, says, kept, (self.contact,) if false else (), self.integers, reals=bare)


def S(  # noqa: N802 - an entry of the table
    says: str, ranges: str, contact: str, given: str = "", integers: str = "", positive: bool = False
) -> Sharp:
    """``S("1 + x <= exp(x)", "x [0, oo)", "x=0")``."""
    small, large = says.split(" <= ")
    area = {part.split(maxsplit=1)[0]: ends(part.split(maxsplit=1)[1]) for part in ranges.split("; ")}
    at = {part.split("=")[0]: Fraction(part.split("=")[1]) for part in contact.split()}
    return Sharp(small, large, area, at, tuple(given.split("; ")) if given else (), integers, positive)


SHARP = [
    S("1 + x <= exp(x)", "x [-1, oo)", "x=0"),
    S("1 + x <= exp(x)", "x (-oo, oo)", "x=0"),
    S("E*x <= exp(x)", "x [0, oo)", "x=1"),
    S("1 + x + x**2/2 <= exp(x)", "x [0, oo)", "x=0", positive=True),
    S("log(x) <= x - 1", "x (0, oo)", "x=1"),
    S("1 - 1/x <= log(x)", "x (0, oo)", "x=1"),
    S("log(1 + x) <= x", "x (-1, oo)", "x=0"),
    S("log(x) <= (x - 1)/sqrt(x)", "x [1, oo)", "x=1"),
    S("2*(x - 1)/(x + 1) <= log(x)", "x [1, oo)", "x=1"),
    S("x/(1 + x) <= log(1 + x)", "x [0, oo)", "x=0"),
    S("2*sqrt(x) <= 1 + x", "x [0, oo)", "x=1"),
    S("x**(1/3) <= (2 + x)/3", "x [0, oo)", "x=1"),
    S("x**(2/3) <= (1 + 2*x)/3", "x [0, 20]", "x=1"),
    S("x*exp(1 - x) <= 1", "x [0, oo)", "x=1"),
    S("x**2*exp(2 - 2*x) <= 1", "x [0, oo)", "x=1"),
    S("4*x*(1 - x) <= 1", "x [0, 1]", "x=1/2"),
    S("27*x**2*(1 - x) <= 4", "x [0, 1]", "x=2/3"),
    S("x*(1 - log(x)) <= 1", "x (0, oo)", "x=1"),
    S("2 <= x + 1/x", "x (0, oo)", "x=1", positive=True),
    S("1 <= cosh(x)", "x (-oo, oo)", "x=0", positive=True),
    S("1 + x**2/2 <= cosh(x)", "x [-5, 5]", "x=0", positive=True),
    S("tanh(x) <= x", "x [0, oo)", "x=0"),
    S("x <= sinh(x)", "x [0, oo)", "x=0"),
    S("atan(x) <= x", "x [0, oo)", "x=0"),
    S("sin(x) <= x", "x [0, 10]", "x=0"),
    S("1 - x**2/2 <= cos(x)", "x [-6, 6]", "x=0"),
    S("Abs(x) <= (1 + x**2)/2", "x (-oo, oo)", "x=-1"),
    S("Min(x, 2 - x) <= 1", "x (-oo, oo)", "x=1"),
    S("1 <= Max(x, 2 - x)", "x [-3, 3]", "x=1", positive=True),
    S("Max(x, 1) <= Max(x, 1/x)", "x (0, oo)", "x=1", positive=True),
    S("5*x - 4 <= x**5", "x [0, oo)", "x=1"),
    S("0 <= (x**2 - 2)**2 - x**4 + 4*x**2 - 4 + (x - 3)**2", "x [0, 10]", "x=3"),
    S("x - 1 <= x*log(x)", "x (0, oo)", "x=1"),
    S("x <= x**x", "x [1/2, 3]", "x=1", positive=True),
    # two variables and more
    S("2*x*y <= x**2 + y**2", "x (-oo, oo); y (-oo, oo)", "x=2 y=2"),
    S("2*sqrt(x*y) <= x + y", "x (0, oo); y (0, oo)", "x=3 y=3"),
    S("x*y <= x**2/2 + y**2/2", "x [0, 5]; y [0, 5]", "x=5 y=5"),
    S("x*y <= x**3/3 + 2*y**(3/2)/3", "x [0, 4]; y [0, 16]", "x=1 y=1"),
    S("exp((x + y)/2) <= (exp(x) + exp(y))/2", "x [-3, 3]; y [-3, 3]", "x=1 y=1", positive=True),
    S("x*y <= exp(x) + y*log(y) - y", "x [0, 5]; y (0, 9]", "x=0 y=1"),
    S("y*(1 + log(x/y)) <= x", "x (0, oo); y (0, oo)", "x=2 y=2"),
    S("1 + a*x <= (1 + x)**a", "x [0, oo); a [1, 4]", "x=0 a=3", positive=True),
    S("(1 + x)**a <= 1 + a*x", "x [0, oo); a [0, 1]", "x=0 a=1/2", positive=True),
    S("x**a <= 1 + a*(x - 1)", "x (0, oo); a [1/4, 3/4]", "x=1 a=1/2"),
    S("x**a*y**(1 - a) <= a*x + (1 - a)*y", "x (0, 9]; y (0, 9]; a [1/4, 3/4]", "x=4 y=4 a=1/2"),
    S("exp(-a*x) <= 1 - a*x + a**2*x**2/2", "a [0, 5]; x [0, 5]", "a=0 x=1"),
    S("1 - exp(-a*x) <= a*x", "a (0, oo); x [0, oo)", "a=1 x=0"),
    S("x/(1 + a*x) <= x", "a [0, oo); x [0, oo)", "a=0 x=5"),
    S("Max(x, y) <= Abs(x) + Abs(y)", "x [-2, 2]; y [-2, 2]", "x=1 y=0"),
    S("Abs(x + y) <= Abs(x) + Abs(y)", "x [-9, 9]; y [-9, 9]", "x=2 y=3"),
    S("Max(x, y) + Min(x, y) <= x + y", "x (-oo, oo); y (-oo, oo)", "x=2 y=3"),
    S("Abs(x - z) <= Abs(x - y) + Abs(y - z)", "x [-2, 2]; y [-2, 2]; z [-2, 2]", "x=0 y=1 z=2"),
    S("x*y + y*z + z*x <= x**2 + y**2 + z**2", "x [-4, 4]; y [-4, 4]; z [-4, 4]", "x=1 y=1 z=1"),
    S("(a*c + b*d)**2 <= (a**2 + b**2)*(c**2 + d**2)", "a [0, 3]; b [0, 3]; c [0, 3]; d [0, 3]",
      "a=1 b=2 c=1 d=2"),
    S("3*x*y*z <= x**3 + y**3 + z**3", "x [0, 4]; y [0, 4]; z [0, 4]", "x=2 y=2 z=2"),
    S("log((x + y)/2) <= x + y - log(2) - 1 + log(2) - (x + y)/2", "x (0, 5]; y (0, 5]", "x=1 y=1"),
    # hypotheses that are needed
    S("x <= y", "x [0, 9]; y [0, 9]", "x=3 y=3", "x <= y"),
    S("exp(x) <= exp(y)", "x [0, oo); y [0, oo)", "x=1 y=1", "x <= y", positive=True),
    S("exp(-x) - exp(-y) <= y - x", "x [0, oo); y [0, oo)", "x=2 y=2", "x <= y"),
    S("x*y <= 1/4", "x [0, 1]; y [0, 1]", "x=1/2 y=1/2", "x + y <= 1"),
    S("x*y*z <= 1", "x [0, 3]; y [0, 3]; z [0, 3]", "x=1 y=1 z=1", "x + y + z <= 3"),
    S("1/2 <= x**2 + y**2", "x [0, 1]; y [0, 1]", "x=1/2 y=1/2", "x + y == 1"),
    S("2 <= x + y", "x (0, oo); y (0, oo)", "x=1 y=1", "x*y >= 1"),
    S("log(x) + log(y) <= 0", "x (0, oo); y (0, oo)", "x=1 y=1", "x + y <= 2"),
    S("sqrt(x) - sqrt(y) <= sqrt(x - y)", "x [0, 9]; y [0, 9]", "x=4 y=4", "y <= x"),
    # integers
    S("n**2 <= 2**n", "n [4, oo)", "n=4", integers="n", positive=True),
    S("n <= 2**(n - 1)", "n [1, oo)", "n=2", integers="n", positive=True),
    S("1 + n*x <= (1 + x)**n", "n [1, 9]; x [0, oo)", "n=1 x=4", integers="n", positive=True),
    S("5*n - 6 <= n**2", "n (-oo, oo)", "n=3", integers="n"),
    S("n*m <= n**2 - n*m + m**2", "n [0, oo); m [0, oo)", "n=7 m=7", integers="n m"),
    S("2*n + 1 <= 3**n", "n [0, 30]", "n=1", integers="n", positive=True),
    S("n <= n**2", "n (-oo, oo)", "n=1", integers="n"),
]  # fmt: skip

_TERMS = (
    "x",
    "x**2",
    "exp(-x**2)",
    "log(2 + x**2)",
    "sqrt(1 + x**2)",
    "Abs(x - 1/3)",
    "Max(x, 1/7)",
    "atan(x)",
)
_FACTORS = (
    "(1 + x**2)",
    "exp(x)",
    "exp(-x)",
    "10**300",
    "1/10**300",
    "(2 + Abs(x))",
    "1/(1 + x**2)",
    "(1 + exp(x))",
)


def perturbed(rng: random.Random, base: Sharp) -> tuple[str, Sharp, str]:
    """How, the false statement, and its relation."""
    eps, x = f"1/10**{rng.choice(EXPONENTS)}", sorted(base.contact)[-1]
    at = base.contact[x]
    ways: list[tuple[str, Sharp, str]] = [
        ("added", replace(base, small=f"{base.small} + {eps}"), "<="),
        ("bump", replace(base, small=f"{base.small} + {eps}*exp(-({x} - {number(at)})**2)"), "<="),
        (
            "narrow bump",
            replace(base, small=f"{base.small} + {eps}*exp(-10**8*({x} - {number(at)})**2)"),
            "<=",
        ),
        ("subtracted", replace(base, large=f"{base.large} - {eps}/(1 + {x}**2)"), "<="),
        ("hat", replace(base, small=f"{base.small} + Max(0, {eps} - Abs({x} - {number(at)}))"), "<="),
        ("strict", base, "<"),
    ]
    if base.positive:
        ways += [
            ("factor", replace(base, small=f"(1 + {eps})*({base.small})"), "<="),
            ("quotient", replace(base, large=f"({base.large})/(1 + {eps})"), "<="),
            (
                "logarithms",
                replace(base, small=f"log({base.small}) + {eps}", large=f"log({base.large})"),
                "<=",
            ),
            ("roots", replace(base, small=f"sqrt({base.small}) + {eps}", large=f"sqrt({base.large})"), "<="),
        ]
    return rng.choice(ways)


def _affine(rng: random.Random, of: Sharp) -> Sharp:
    """x = k*u + m, with the ranges and the contact moved along."""
    x = rng.choice(sorted(set(of.ranges) - set(of.integers.split())) or [""])
    if not x:
        return of
    k = Fraction(rng.choice((2, 3, 5, -1, -2, 10**6, 10**150)), rng.choice((1, 3, 7)))
    m = Fraction(rng.choice((0, 0, 1, -2, 5)), rng.choice((1, 3)))
    low, high, open_low, open_high = of.ranges[x]
    moved = [None if e is None else (e - m) / k for e in (low, high)]
    r: Ends = (moved[0], moved[1], open_low, open_high)
    if k < 0:
        r = (moved[1], moved[0], open_high, open_low)
    what = {x: f"{number(k)}*{x} + {number(m)}" if m else f"{number(k)}*{x}"}
    return replace(
        of, small=put(of.small, what), large=put(of.large, what), given=tuple(put(g, what) for g in of.given),
        ranges={**of.ranges, x: r}, contact={**of.contact, x: (of.contact[x] - m) / k},
    )  # fmt: skip


def _reciprocal(rng: random.Random, of: Sharp) -> Sharp:
    """x = 1/u where x > 0."""
    able = [
        x
        for x, r in of.ranges.items()
        if r[0] is not None and r[0] >= 0 and (r[2] or r[0] > 0) and of.contact[x] > 0
    ]
    able = [x for x in able if x not in of.integers.split()]
    if not able:
        return of
    x = rng.choice(sorted(able))
    low, high, open_low, open_high = of.ranges[x]
    r: Ends = (
        1 / high if high else Fraction(0),
        1 / low if low else None,
        open_high if high else True,
        open_low,
    )
    what = {x: f"1/{x}"}
    return replace(
        of, small=put(of.small, what), large=put(of.large, what), given=tuple(put(g, what) for g in of.given),
        ranges={**of.ranges, x: r}, contact={**of.contact, x: 1 / of.contact[x]},
    )  # fmt: skip


def _same_term(rng: random.Random, of: Sharp) -> Sharp:
    term = put(rng.choice(_TERMS), {"x": rng.choice(sorted(of.ranges))})
    return replace(of, small=f"{of.small} + {term}", large=f"{of.large} + {term}", positive=False)


def _factor(rng: random.Random, of: Sharp) -> Sharp:
    factor = put(rng.choice(_FACTORS), {"x": rng.choice(sorted(of.ranges))})
    return replace(of, small=f"({of.small})*{factor}", large=f"({of.large})*{factor}")


def _parameter(rng: random.Random, of: Sharp) -> Sharp:
    """A new variable p > 0 as a factor or, where both sides are positive, an exponent."""
    if "p" in of.ranges:
        return of
    r = ends(rng.choice(("(0, oo)", "[1, 2]", "(0, 1]", "[1, oo)")))
    wrap = (
        "({})**p" if of.positive and rng.random() < 0.6 else rng.choice(("p*({})", "({})/p", "({})*exp(-p)"))
    )
    return replace(
        of, small=wrap.format(of.small), large=wrap.format(of.large),
        ranges={**of.ranges, "p": r}, contact={**of.contact, "p": Fraction(1)},
    )  # fmt: skip


def _kink(rng: random.Random, of: Sharp) -> Sharp:
    """small <= Max(large, small - 1), and Max(small, large - 1) <= large, say the same."""
    if rng.random() < 0.5:
        return replace(of, large=f"Max({of.large}, {of.small} - 1)", positive=False)
    return replace(of, small=f"Max({of.small}, {of.large} - 1)", positive=False)


def _exponential(rng: random.Random, of: Sharp) -> Sharp:
    return replace(of, small=f"exp({of.small})", large=f"exp({of.large})", positive=True)


def _difference(rng: random.Random, of: Sharp) -> Sharp:
    return replace(of, small="0", large=f"{of.large} - ({of.small})", positive=False)


DISGUISES: tuple[Callable[[random.Random, Sharp], Sharp], ...] = (
    _affine,
    _reciprocal,
    _same_term,
    _factor,
    _parameter,
    _kink,
    _exponential,
    _difference,
)


def disguised(rng: random.Random, of: Sharp, most: int = 2) -> Sharp:
    """After some of the steps that keep truth and falsity."""
    for step in rng.choices(DISGUISES, k=rng.randint(0, most)):
        of = step(rng, of)
    return of


def false_claims(rng: random.Random) -> Iterator[Hostile]:
    """Without end."""
    while True:
        base = rng.choice(SHARP)
        how, wrong, relation = perturbed(rng, base)
        try:
            yield disguised(rng, wrong).hostile(f"sharp, {how}", relation).require_false()
        except (NotFalseError, UndefinedError):
            continue  # a strict one whose equality is no longer exact, or a number too large to compute


def true_claims(rng: random.Random) -> Iterator[Hostile]:
    """The same ones, not perturbed."""
    while True:
        yield disguised(rng, rng.choice(SHARP), most=1).hostile("sharp", false=False)
