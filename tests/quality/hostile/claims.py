"""A claim with known truth, and the points at which a generator looks for its falsity.

A false claim carries the points that show it: one for a relation, two of one line for a monotonicity; a limit
carries a sequence of points on which the function stays away from the value.  The points are checked by
:mod:`truth` when the claim is made, so a claim that is called false is false.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from tests.quality.hostile.truth import (
    BlurredError,
    UndefinedError,
    comparisons,
    holds,
    inside,
    names_in,
    sign,
    value,
)
from verify.claims import Claim, Domain, claim, decreasing, increasing, limit

Place = Mapping[str, Fraction]


class NotFalseError(AssertionError):
    """The points of a claim do not show that it is false: the generator is wrong."""


@dataclass(frozen=True)
class Hostile:
    """What is said, where, and (if it is false) the points that show it."""

    family: str
    says: str  # a comparison, or the function of a monotonicity or limit
    domain: tuple[str, ...]
    witness: tuple[Place, ...] = ()  # none: the claim is true
    integers: str = ""
    kind: str = "relation"  # or increasing, decreasing, limit
    variable: str = "x"  # of a monotonicity or limit
    towards: str = ""
    value: str = ""
    reals: str = field(default="")

    @property
    def false(self) -> bool:
        """Whether it is false; otherwise it is true."""
        return bool(self.witness)

    def claim(self, **more: Any) -> Claim:
        """As the engine takes it; a formula it refuses raises a ClaimError."""
        area = Domain.of(*self.domain, integers=self.integers, reals=self.reals)
        says: Any = self.says
        if self.kind == "limit":
            says = limit(self.says, self.variable, self.towards, self.value, area)
        elif self.kind != "relation":
            says = (increasing if self.kind == "increasing" else decreasing)(self.says, self.variable, area)
        return claim("hostile", self.family, says=says, domain=area, **more)

    def text(self) -> str:
        """For a reader."""
        says = {
            "relation": self.says,
            "limit": f"{self.says} -> {self.value} as {self.variable} -> {self.towards}",
        }.get(self.kind, f"{self.says} is {self.kind} in {self.variable}")
        whole = f" ({self.integers} integer)" if self.integers else ""
        return f"[{self.family}] {says} on {', '.join(self.domain)}{whole}"

    def require_false(self) -> Hostile:
        """Itself, if the points show that it is false."""
        whole = self.integers.split()
        if not self.witness or not all(inside(self.domain, whole, at) for at in self.witness):
            raise NotFalseError(f"{self.text()}: a point is not in the domain: {self.witness}")
        if self.kind == "relation":
            shown = any(holds(self.says, at) is False for at in self.witness)
        elif self.kind == "limit":
            shown = _stays_away(self)
        else:
            shown = _turns(self)
        if not shown:
            raise NotFalseError(f"{self.text()}: not seen to fail at {self.witness}")
        return self


def _turns(of: Hostile) -> bool:
    """Whether the function moves the wrong way between the two points, which differ in one variable."""
    low, high = of.witness
    same = all(low[name] == high[name] for name in low if name != of.variable)
    if not same or not low[of.variable] < high[of.variable]:
        return False
    there = {**low, "_other": high[of.variable]}
    moved = re.sub(rf"\b{of.variable}\b", "_other", of.says)
    return sign(of.says, moved, there) == (-1 if of.kind == "increasing" else 1)


def _stays_away(of: Hostile) -> bool:
    """Whether the distance to the value does not shrink along the points, which go to the end."""
    gaps: list[Fraction] = []
    for at in of.witness:
        try:
            gaps.append(abs(middle(f"{of.says} - ({of.value})", at)))
        except (UndefinedError, BlurredError):
            return False
    return len(gaps) >= 3 and gaps[-1] > 0 and all(gap * 100 >= max(gaps) * 99 for gap in gaps[-3:])


def middle(text: str, at: Place, digits: int = 120) -> Fraction:
    """A fraction next to the value."""
    found = value(text, at, digits)
    if isinstance(found, Fraction):
        return found
    sign_bit, mantissa, exponent, _ = ((found.low + found.high) / 2)._mpf_
    if abs(exponent) > 10**5:
        raise UndefinedError("too large")
    return Fraction(-int(mantissa) if sign_bit else int(mantissa)) * Fraction(2) ** exponent


def number(x: Fraction | int) -> str:
    """As a claim writes it; powers of ten shortly."""
    x = Fraction(x)
    if x < 0:
        return f"(-{number(-x)})"
    top, bottom = _integer(x.numerator), _integer(x.denominator)
    return top if x.denominator == 1 else f"({top}/{bottom})" if x.denominator < 10**6 else f"{top}/{bottom}"


def _integer(n: int) -> str:
    digits = str(n)
    rest = digits.rstrip("0")
    zeros = len(digits) - len(rest)
    if zeros < 6:
        return digits
    return f"10**{zeros}" if rest == "1" else f"({rest}*10**{zeros})"


def put(text: str, what: Mapping[str, str]) -> str:
    """The text with expressions in place of names."""
    pattern = r"\b(" + "|".join(map(re.escape, what)) + r")\b"
    return re.sub(pattern, lambda m: f"({what[m[1]]})", text) if what else text


def ranges(domain: Iterable[str]) -> dict[str, list[Any]]:
    """lower, upper, lower open, upper open, by name; None is infinite."""
    found: dict[str, list[Any]] = {}
    for text in domain:
        for name in names_in(text):
            found.setdefault(name, [None, None, True, True])
        for left, relation, right in () if text.isidentifier() else comparisons(text):
            if left.isidentifier() and not names_in(right):
                name, bound, way = left, right, relation
            elif right.isidentifier() and not names_in(left):
                name, bound, way = right, left, relation.translate(str.maketrans("<>", "><"))
            else:
                continue
            end = Fraction(value(bound, {}))
            low, high = found[name][:2]
            if way[0] in "<=" and (high is None or end <= high):
                found[name][1::2] = [end, way == "<"]
            if way[0] in ">=" and (low is None or end >= low):
                found[name][0::2] = [end, way == ">"]
    return found


def places(rng: random.Random, low: Any, high: Any, open_low: bool, open_high: bool) -> Iterator[Fraction]:
    """Points of a range, from the plain to the far: ends, next to ends, simple ones, huge and tiny ones."""
    if low is not None and not open_low:
        yield low
    if high is not None and not open_high:
        yield high
    span = high - low if low is not None and high is not None else Fraction(1)
    base = low if low is not None else high if high is not None else Fraction(0)
    way = -1 if low is None and high is not None else 1
    if low is None or high is None:
        for k in (0, 1, 2, 3, 5, 8, 12, 20, 50, 101, 308, 400, 1000):
            yield base + way * Fraction(10) ** k
            if low is None and high is None:
                yield -(Fraction(10) ** k)
        yield base + way * Fraction(rng.randint(1, 10**6), 1000)
    if low is None and high is None:
        yield Fraction(0)
    for k in (1, 2, 3, 6, 10, 16, 25, 41, 300):
        step = span / Fraction(10) ** k
        if low is not None:
            yield low + step
        if high is not None:
            yield high - step
    if low is not None and high is not None:
        yield (low + high) / 2
        for _ in range(4):
            yield low + span * Fraction(rng.randint(1, 9999), 10**4)


def inner(rng: random.Random, bounds: list[Any]) -> list[Fraction]:
    """The points of :func:`places` that are in the range."""
    low, high, open_low, open_high = bounds
    return [
        x
        for x in places(rng, low, high, open_low, open_high)
        if (low is None or x > low or (x == low and not open_low))
        and (high is None or x < high or (x == high and not open_high))
    ]


def candidates(
    rng: random.Random, domain: Iterable[str], integers: Iterable[str], count: int
) -> Iterator[dict[str, Fraction]]:
    """Points of the domain, the hypotheses included: mixtures of special values, some with equal ones."""
    area, whole = ranges(domain), set(integers)
    texts = tuple(domain)
    values = {
        name: sorted({Fraction(round(x)) for x in inner(rng, b)}, key=lambda n: (abs(n), n))
        if name in whole
        else inner(rng, b)
        for name, b in area.items()
    }
    equations = [
        pair for text in texts if not text.isidentifier() for pair in comparisons(text) if pair[1] == "=="
    ]
    names = sorted(area)
    for turn in range(count):
        at = {
            n: values[n][turn] if len(names) == 1 and turn < len(values[n]) else rng.choice(values[n])
            for n in names
            if values[n]
        }
        if len(names) > 1 and rng.random() < 0.3:
            one, other = rng.sample(names, 2)
            at[one] = at.get(other, Fraction(0))
        for left, _, right in equations:
            for name, formula in ((left, right), (right, left)):
                if name.isidentifier() and name in at:
                    try:
                        solved = value(formula, at)
                    except (UndefinedError, BlurredError):
                        continue
                    if isinstance(solved, Fraction):
                        at[name] = solved
        if len(at) == len(names) and inside(texts, whole, at):
            yield at


def search(
    rng: random.Random, says: str, domain: Iterable[str], integers: str = "", count: int = 60
) -> dict[str, Fraction] | None:
    """A point at which the comparison fails for certain, if one is met."""
    texts = tuple(domain)
    for at in candidates(rng, texts, integers.split(), count):
        if holds(says, at) is False:
            return at
    return None
