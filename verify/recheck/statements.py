"""What a claim of a document says, and whether a certificate or a witness is about that.

A formula is compared as it is read, so ``x > 1`` and ``1 < x`` are the same.  That a function f is monotone
in a variable is shown by certificates for the sign of its slope: f is taken apart into sums, maxima, minima
and multiples until each part is differentiable inside the range and a certificate is for its slope.  It is
refuted at two points, by a witness over one more variable; a limit is refuted by a certificate that f stays
away from the value next to the end.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, floor
from typing import Any

from verify.recheck.derivatives import derivative
from verify.recheck.germs import limit
from verify.recheck.goals import Obligation
from verify.recheck.identities import require_same, same, slope_of, without_kinks
from verify.recheck.intervals import INF, Interval, UnknownError, point
from verify.recheck.putting import generic, poles, samples
from verify.recheck.reading import (
    Hypothesis,
    domain_of,
    names_in,
    rational,
    read,
    relation_of,
    tree_of,
)
from verify.recheck.series import Box, Series, require_no_jump
from verify.recheck.terms import Term, number, put, split_coefficient, variable
from verify.recheck.witnesses import require_defined


@dataclass(frozen=True)
class Area:
    """Ranges, hypotheses and integers of a domain."""

    ranges: Box
    given: frozenset[Hypothesis]
    integers: frozenset[str]

    @staticmethod
    def of(texts: Iterable[Any], integers: Iterable[str], names: Iterable[str]) -> Area:
        """Read it; the names are the variables there are besides those in the texts."""
        texts, integers = list(texts), frozenset(integers)
        every = set(names).union(integers, *map(names_in, map(tree_of, texts)))
        ranges, given = domain_of(texts, every)
        require_no_jump((h[0] for h in given), ranges)
        return Area(ranges, frozenset(given), integers)


@dataclass(frozen=True)
class Statement:
    """The formula of a claim (or nothing), and where it is said to hold."""

    says: str = ""  # the relation itself, or words
    monotone: tuple[str, str, int] | None = None  # the function, the variable and the direction
    limit: tuple[str, str, str, str] | None = None  # the function, its limit, the variable and where it goes
    texts: tuple[str, ...] = ()
    integers: tuple[str, ...] = ()
    names: tuple[str, ...] = ()  # variables without bounds, and integers

    @staticmethod
    def of(claim: Mapping[str, Any]) -> Statement:
        """As a document writes it: from its data; its words have to be the ones that the data make."""
        match claim.get("formula"):
            case {"relation": str(says)}:
                found = Statement(says)
            case {"monotone": str(f), "in": str(x), "increasing": bool(up)}:
                words = f"{f} is non-{'decreasing' if up else 'increasing'} in {x}"
                found = Statement(words, monotone=(f, x, 1 if up else -1))
            case {"limit": str(f), "to": str(value), "in": str(x), "towards": str(end)}:
                found = Statement(f"{f} -> {value} as {x} -> {end}", limit=(f, value, x, end))
            case None if claim.get("says") is None:
                return Statement()
            case _:
                raise UnknownError("the formula is none that a document has")
        texts, integers, reals = (tuple(claim["area"][key]) for key in ("conditions", "integers", "reals"))
        domain = [*texts, *(f"{name} real" for name in reals), *(f"{name} integer" for name in integers)]
        if claim.get("says", found.says) != found.says or claim.get("domain", domain) != domain:
            raise UnknownError(f"the words of the claim do not say {found.says} on {domain}")
        return replace(found, texts=texts, integers=integers, names=(*integers, *reals))

    @property
    def along(self) -> str:
        """The variable along which a hypothesis need not hold."""
        return self.monotone[1] if self.monotone else ""

    def area(self, names: Iterable[str] = ()) -> Area:
        """Where it is said to hold."""
        return Area.of(self.texts, self.integers, {*self.names, *names})

    def require_domain(self, data: Mapping[str, Any], what: str = "certificate") -> None:
        """Complain about a domain that is not the claim's; a slope needs fewer hypotheses."""
        if not self.says:
            return
        own = self.area()
        other = Area.of(data.get("domain", ()), data.get("integers", ()), own.ranges)
        given = other.given <= own.given if self.monotone else other.given == own.given
        if other.ranges != own.ranges or other.integers != own.integers or not given:
            raise UnknownError(f"the {what} is for another domain than the claim")

    def require_meaning(self) -> None:
        """Complain unless the formula, as it stands, is seen to be defined at some point of its ranges."""
        ranges = self.area().ranges
        if self.limit or self.monotone:
            texts = self.limit[:2] if self.limit else self.monotone[:1] if self.monotone else ()
            formulas = [read(text, ranges, fold=False) for text in texts]
        else:
            left, _, right = relation_of(self.says, ranges, fold=False)
            formulas = [left, right]
        for at in (*samples(ranges), *samples(ranges, near=True)):
            whole = {n: point(_whole(x.low, ranges[n])) if n in self.integers else x for n, x in at.items()}
            try:
                require_defined(formulas, whole)
            except UnknownError:
                continue
            return
        raise UnknownError(f"{self.says} is not seen to be defined anywhere")

    def require_by_itself(self) -> None:
        """Complain unless it is an identity, or a limit, and seen to hold without any certificate."""
        area = self.area()
        if self.monotone or (not self.limit and relation_of(self.says, area.ranges)[1] != "=="):
            raise UnknownError("proved without a certificate")
        self.require_meaning()
        if self.limit:
            function, value, name, end = self.limit
            if name not in area.ranges or any(name in gap.names for gap, _ in area.given):
                raise UnknownError(f"a hypothesis ties {name} to the other variables, or it is none")
            f, v = (read(text, area.ranges) for text in (function, value))
            others = {n: x for n, x in area.ranges.items() if n != name}
            lower = _is_lower(end, area.ranges[name])
            require_same(limit(f, name, lower, area.ranges), v, others, f"the limit as {name} -> {end}")
            return
        left, _, right = relation_of(self.says, area.ranges)
        require_no_jump((left, right), area.ranges)
        put_in = _solved(area)
        for t in (t for side in (left, right) for t in poles(side) if t.names & set(put_in)):
            if not generic(put(t, put_in), area.ranges):
                raise UnknownError(f"{t} is not seen to be defined where the equations hold")
        require_same(put(left, put_in), put(right, put_in), area.ranges, "the identity")

    def require_shown(self, relations: list[Any]) -> None:
        """Complain unless these relations, on the claim's domain, are what it says."""
        if not self.says:
            return
        if self.limit:
            raise UnknownError("a certificate shows no limit")
        self.require_meaning()
        names = self.area().ranges
        if not self.monotone:
            for text in relations:
                self._require_relation(text, names, "certificate")
            return
        function, name, sign = self.monotone
        slopes = []
        for text in relations:
            left, relation, right = relation_of(text, names)
            if relation == "==" or left != 0:
                raise UnknownError(f"the certificate is for {text!r}, which is no sign of a slope")
            slopes.append(right)
        if name not in names or name in self.integers:
            raise UnknownError(f"{name!r} is not a real variable of the claim")
        goal = Obligation(
            read(function, names), False, names, tuple(self.area().given), frozenset(self.integers)
        )
        if not _follows(goal, name, sign, slopes):
            raise UnknownError(f"the certificates are not seen to show that {self.says}")

    def _require_relation(self, text: Any, names: Iterable[str], what: str) -> None:
        if text != self.says and relation_of(text, names) != relation_of(self.says, names):
            raise UnknownError(f"the {what} is for {text!r}, the claim says {self.says!r}")

    def require_about(self, data: Mapping[str, Any], what: str) -> None:
        """Complain about another relation than the claim's, or another domain."""
        self.require_domain(data, what)
        self._require_relation(data.get("relation"), self.area().ranges, what)

    def refuted_by(self, data: Mapping[str, Any]) -> Mapping[str, Any]:
        """The witness, with the claim's own words: what folds to the same may be defined at more points.

        Complains about a witness against another relation, or on another domain.
        """
        if self.monotone:
            self._require_two_points(data)
        elif self.says:
            self.require_about(data, "witness")
            return {**data, "relation": self.says, "domain": [*self.texts, *self.names]}
        return data

    def _require_two_points(self, data: Mapping[str, Any]) -> None:
        assert self.monotone
        function, name, sign = self.monotone
        own = self.area()
        other = Area.of(data.get("domain", ()), data.get("integers", ()), own.ranges)
        second = next((n for n in other.ranges if n not in own.ranges), "")
        move = {name: variable(second)}
        f = read(function, own.ranges)
        moved = {(put(h[0], move), h[1]) for h in own.given}
        given = own.given | moved | {(variable(second) - variable(name), "<")}
        ranges = {**own.ranges, second: own.ranges.get(name)}
        if other.ranges != ranges or other.integers != own.integers or other.given != given:
            raise UnknownError("the witness is for another domain than two points of the claim's")
        low, high = (f, put(f, move)) if sign > 0 else (put(f, move), f)
        left, relation, right = relation_of(data.get("relation"), other.ranges)
        if relation != "<=":
            raise UnknownError("the witness is for another relation than the claim")
        require_same(left, low, other.ranges, "the left side of the witness")
        require_same(right, high, other.ranges, "the right side of the witness")
        _, hypotheses = domain_of(self.texts, own.ranges, fold=False)
        formulas = [read(function, own.ranges, fold=False), *(gap for gap, _ in hypotheses)]
        at = {str(n): point(rational(text)) for n, text in data["point"].items()}
        require_defined(formulas, at)
        require_defined(formulas, {**at, name: at[second]})

    def require_away(self, data: Mapping[str, Any]) -> None:
        """Complain unless the relation of the witness keeps the function away from the claimed limit."""
        if self.limit is None:
            raise UnknownError("the witness has no point")
        function, value, name, end = self.limit
        own = self.area()
        if own.given or own.integers:
            raise UnknownError("a limit under hypotheses is not seen to fail")
        near = Area.of(data.get("domain", ()), (), {name})
        at = {n: rational(text) for n, text in dict(data.get("parameters", {})).items()}
        outside = any(n not in own.ranges or x not in own.ranges[n] for n, x in at.items())
        if outside or set(near.ranges) != {name} or set(at) != set(own.ranges) - {name} or near.given:
            raise UnknownError("the witness is for other variables than the claim")
        if not _beside(near.ranges[name], own.ranges[name], end):
            raise UnknownError(f"the range of the witness is not next to {name} -> {end}")
        here = {n: number(x) for n, x in at.items()}
        gap = put(read(function, own.ranges) - read(value, own.ranges), here)
        left, relation, right = relation_of(data.get("relation"), near.ranges)
        above = left.value is not None and left.value > 0
        below = right.value is not None and right.value < 0
        if relation == "==" or not (above or below):
            raise UnknownError("the relation does not keep the function away from the value")
        require_same(right if above else left, gap, near.ranges, "the distance from the limit")


def _whole(x: Fraction, r: Interval) -> Fraction:
    """A whole number near x, in the range if one is."""
    return Fraction(next((n for n in (floor(x), ceil(x)) if Fraction(n) in r), floor(x)))


def _is_lower(end: str, x: Interval) -> bool:
    """Which end of the range it is."""
    ends = {"-oo": -INF, "oo": INF}
    at = ends[end] if end in ends else rational(end)
    if at not in (x.low, x.high) or x.single:
        raise UnknownError(f"{end} is not an end of the range")
    return bool(at == x.low)


def _solved(area: Area) -> dict[str, Term]:
    """Variables in the terms of others, by equations that are linear in them with a number in front."""
    found: dict[str, Term] = {}
    for gap, relation in sorted(area.given, key=str):
        gap = put(gap, found)
        for name in sorted(gap.names) if relation == "==" else ():
            steep = derivative(gap, name).value
            if steep:
                value = variable(name) - gap / steep
                found = {n: put(t, {name: value}) for n, t in found.items()} | {name: value}
                break
    return found


def _beside(near: Interval, whole: Interval, end: str) -> bool:
    """Whether the range reaches the end, inside the whole range."""
    if end in ("oo", "-oo"):
        reached = near.high == INF if end == "oo" else near.low == -INF
    else:
        target: Fraction = rational(end)
        reached = target in (near.low, near.high) and target in (whole.low, whole.high)
    return bool(reached and not near.single and near.inner().within(whole))


def _follows(goal: Obligation, name: str, sign: int, slopes: list[Term]) -> bool:
    """Whether sign * f does not decrease along the variable, if the slopes are >= 0."""
    f = goal.f
    if name not in f.names:
        return True
    if _smooth(goal, name) and any(same(sign * slope_of(f, name), s, goal.box) for s in slopes):
        return True
    if f.is_product:
        c, rest = split_coefficient(f)
        return c != 1 and _follows(goal.about(rest), name, sign if c > 0 else -sign, slopes)
    if f.is_sum or f.op in ("Max", "Min"):
        return all(_follows(goal.about(part), name, sign, slopes) for part in f.args)
    return False


def _smooth(goal: Obligation, name: str) -> bool:
    """Whether f is seen to be differentiable along the variable, inside its range."""
    for f in (goal.f, without_kinks(goal.f, goal.box)):
        for box in goal.ground(name, goal.box[name].inner()):
            try:
                Series(box, name, 1).of(f)
            except UnknownError:
                continue
            return True
    return False
