"""The check ``Proof``: a proof for the whole domain, or a part of it, found by a goal-directed search.

An inequality ``left <= right`` becomes the goal ``right - left >= 0``; a rule of the proof language
(``docs/proofs.md``) reduces it to simpler goals, or closes it (``rules``).  The verdict is ``proved`` for
the whole domain, ``proved-on-box`` for the smaller box that was asked for, ``refuted`` if a point was met
where the relation certainly fails, else ``undecided`` with the box that could not be closed.  An identity
is derived by a chain of rewritings, a monotonicity by the sign of the slope, a limit as its module says.

A domain whose hypotheses exclude every point proves anything; that is reported as undecided, since whoever
wrote the claim meant something else.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import chain, islice, product
from random import Random
from typing import Any

import sympy

from verify.claims import (
    Claim,
    ClaimError,
    Domain,
    Effort,
    Finding,
    LimitOf,
    Monotone,
    Range,
    Relation,
    Verdict,
)
from verify.provers import witness
from verify.provers.feasible import point_of, simple_points
from verify.provers.gauge import Gauge
from verify.provers.goals import Goal, Node, certificate
from verify.provers.meter import metered
from verify.provers.points import points, samples
from verify.provers.proof.boxes import simple_numbers
from verify.provers.proof.derivation import derivation_lines, rules_of
from verify.provers.proof.identities import derivation
from verify.provers.proof.leaves import Work, impossible
from verify.provers.proof.limits import proved_limit, refuted_limit
from verify.provers.proof.monotone import slopes
from verify.provers.proof.nearby import at_turns, below_zero
from verify.provers.proof.rules import DEPTH, GOALS, price_of, prove

Box = Mapping[str, Range]

NOTHING = "no point of the domain satisfies its hypotheses: the claim says nothing"
_SUSPECTS = 60  # points at which a failure is looked into
_DRAWN = 100  # points that fit the hypotheses
_REFUTING = (2_000_000, 20_000_000)  # what looking for points where it fails may cost; quick and thorough


@dataclass(frozen=True)
class Proof:
    """Prove a claim on its domain, or an inequality on the part of it that ``on`` names."""

    on: tuple[str, ...] | None = None  # comparisons that give the box; the whole domain by default
    depth: int = DEPTH
    goals: int = GOALS  # that one search may try; twice as many in a thorough run
    boxes: tuple[int, int] = (4_000, 40_000)  # quick and thorough; none: only what needs no box

    @property
    def name(self) -> str:
        """For reports."""
        return "proof"

    @property
    def random(self) -> bool:
        """It cannot be wrong by bad luck."""
        return False

    @property
    def of_formula(self) -> bool:
        """Whether it looks at the claim's formula."""
        return True

    def run(self, claim: Claim, effort: Effort) -> Finding:
        """Decide the claim's formula."""
        says, domain = claim.says, claim.domain
        if says is not None and nothing_in(domain):
            return _undecided(NOTHING)
        box = domain.ranges if self.on is None else part_of(domain, self.on)
        work = Work(effort.scaled(*self.boxes))
        search = _Attempt(claim, box, self.depth, effort.scaled(self.goals, 2 * self.goals), work)
        with metered(price_of(search.goals, work) + effort.scaled(*_REFUTING)):
            return search.decided(says)
        return search.open()  # the meter is empty


def _undecided(why: str, **more: Any) -> Finding:
    return Finding(Proof().name, Verdict.UNDECIDED, {"why": why, **more})


@dataclass(frozen=True)
class _Attempt:
    """One claim, on a part of its domain, with what may be spent on it."""

    claim: Claim
    box: Box
    depth: int
    goals: int
    work: Work

    def decided(self, says: Any) -> Finding:
        """By what kind of formula it is."""
        if isinstance(says, Relation):
            return self.identity(says) if says.relation == "==" else self.relation(says)
        if isinstance(says, Monotone):
            return self.monotone(says)
        if isinstance(says, LimitOf):
            return self.limit(says)
        return _undecided("the claim has no formula")

    def _prove(self, goal: Goal) -> Node | None:
        return prove(goal, self.depth, self.goals, self.work)

    def _goal(self, expression: Any, *, strict: bool = False) -> Goal:
        domain = self.claim.domain
        return Goal(expression, strict, self.box, domain.given, domain.symbols)

    def _proved(self, goals: list[Goal], nodes: list[Node], **more: Any) -> Finding:
        """A proof for each of the goals: one certificate, or several."""
        whole = self.box == self.claim.domain.ranges
        proofs = [self._certificate(goal, node) for goal, node in zip(goals, nodes, strict=True)]
        evidence = {
            **more,
            "derivation": list(chain.from_iterable(map(derivation_lines, nodes, goals))),
            "rules": dict(sorted(Counter(rule for node in nodes for rule in rules_of(node)).items())),
            "boxes": self.work.looked_at,
            **({} if whole else {"box": _texts(self.box)}),
            **({"certificate": proofs[0]} if len(proofs) == 1 else {"certificates": proofs}),
        }
        return Finding(Proof().name, Verdict.PROVED if whole else Verdict.PROVED_ON_BOX, evidence)

    def _certificate(self, goal: Goal, node: Node) -> dict[str, Any]:
        says = self.claim.says
        stated = says if isinstance(says, Relation) else Relation(sympy.Integer(0), "<=", goal.expression)
        return certificate(self.claim.label, stated, self.claim.domain, self.box, node)

    def relation(self, says: Relation) -> Finding:
        """An inequality."""
        domain = self.claim.domain
        goal = self._goal(says.gap, strict=says.strict)
        tried = points(dict(self.box), domain.given)
        simple = islice(simple_points(self.box, domain.given), _SUSPECTS)
        first = chain(tried, _drawn(says, domain), simple, at_turns(goal))
        if (found := refuted(says, domain, first)) is not None:
            return found
        node = self._prove(goal)
        if node is None:
            suspects = [*_corners(self.work.worst or self.box), *self.work.suspects]  # the last ones count
            whole = _complete(suspects, self.box)
            return (
                refuted(says, domain, whole)
                or refuted(says, domain, below_zero(goal, whole, self.work.worst or {}))
                or self.open()
            )
        known = tried or point_of(self.box, domain.given)
        if vacuous(node) or (not known and self._prove(goal.about(sympy.Integer(-1)))):
            return _undecided(NOTHING)
        return self._proved([goal], [node])

    def open(self) -> Finding:
        """What is said where nothing was found."""
        spent = f"no proof within {self.goals} goals and {self.work.budget} boxes"
        inner = self.work.worst or {}  # a part of the box, and not of a face or of a transformed one
        part = all(n in inner and inner[n].within(replace(r, integer=False)) for n, r in self.box.items())
        return _undecided(spent, boxes=self.work.looked_at, worst=_texts(inner if part else self.box))

    def identity(self, says: Relation) -> Finding:
        """A chain of rewritings from the difference to 0."""
        domain = self.claim.domain
        if (found := refuted(says, domain, points(dict(domain.ranges), domain.given))) is not None:
            return found
        steps = derivation(says.left - says.right, domain)
        if steps is None:
            return _undecided("no chain of rewritings from the difference to 0")
        lines = [f"{step['by']}: {step['expression']}" for step in steps]
        return Finding(Proof().name, Verdict.PROVED, {"derivation": lines, "chain": steps})

    def monotone(self, says: Monotone) -> Finding:
        """The sign of the slope."""
        relation, wide = witness.as_relation(says, self.claim.domain)
        part = {n: self.box.get(n, self.box[says.variable]) for n in wide.ranges}
        if (found := refuted(relation, wide, points(part, wide.given))) is not None:
            return found
        goals = slopes(says, self._goal(says.function))
        if goals is None:
            return _undecided("the function may have a kink or a pole")
        nodes: list[Node] = []
        for goal in goals:
            node = self._prove(goal)
            if node is None:
                return _undecided(f"no proof of 0 <= {goal.expression}")
            nodes.append(node)
        reason = "the slope has one sign, and the function is differentiable inside the range"
        if len(goals) != 1:
            reason = "a sum, maximum or minimum of parts, and each has a slope of one sign"
        return self._proved(goals, nodes, reason=reason)

    def limit(self, says: LimitOf) -> Finding:
        """A limit, or a proof that the function stays away from it."""
        domain = self.claim.domain
        evidence = proved_limit(says, domain)
        if evidence is not None:
            return Finding(Proof().name, Verdict.PROVED, evidence)
        away = refuted_limit(says, domain, self.claim.label, lambda goal: prove(goal, self.depth, self.goals))
        if away is None:
            return _undecided("no argument for this limit, nor against it")
        return Finding(
            Proof().name, Verdict.REFUTED, {"why": "stays away from the value next to the end"}, away
        )


def _drawn(says: Relation, domain: Domain) -> Iterator[dict[str, Fraction]]:
    """Points at which the relation seems to fail, where hypotheses make points of the box useless.

    What is false is seldom proved at length: a proof by many hypotheses is dear, and a few points are not.
    """
    if not domain.given:
        return
    gauge = Gauge.of(says, domain)
    sampler, generator = gauge.sampler(), Random(_DRAWN)
    for _ in range(_DRAWN):
        point = sampler.point(generator.randrange)
        if gauge.slack(point) <= 0:
            yield point


def refuted(relation: Relation, domain: Domain, tried: Iterable[Mapping[str, Fraction]]) -> Finding | None:
    """By a confirmed witness among the points; ``None`` if there is none."""
    found = (witness.confirmed(relation, domain, point) for point in tried)
    first = next((one for one in found if one is not None), None)
    why = {"why": "fails at an exact point"}
    return None if first is None else Finding(Proof().name, Verdict.REFUTED, why, first)


def part_of(domain: Domain, comparisons: Iterable[str]) -> Box:
    """The ranges of the domain narrowed by comparisons of single variables with numbers."""
    box = Domain.of(*comparisons)
    if box.given:
        raise ClaimError(f"box: {box.given[0].text()!r} does not compare one variable with a number")
    ranges = dict(domain.ranges)
    for name, r in box.ranges.items():
        if name not in ranges:
            raise ClaimError(f"box: {name!r} is not a variable of the domain {', '.join(ranges)}")
        if r.lower is not None:
            ranges[name] = ranges[name].narrowed(">" if r.lower_open else ">=", r.lower)
        if r.upper is not None:
            ranges[name] = ranges[name].narrowed("<" if r.upper_open else "<=", r.upper)
        if ranges[name].empty:
            raise ClaimError(f"box: nothing of the domain satisfies {r.text(name)!r}")
    return ranges


def nothing_in(domain: Domain) -> bool:
    """Whether the ranges and hypotheses are seen to exclude every point: then even -1 >= 0 has a proof."""
    goal = Goal(sympy.Integer(-1), False, domain.ranges, domain.given, domain.symbols)
    return any(r.empty for r in domain.ranges.values()) or impossible(goal) is not None


def vacuous(node: Node) -> bool:
    """Whether a proof only shows that the hypotheses exclude every point."""
    parts = [part for part in (node.get("proof"), node.get("tail"), *node.get("parts", ())) if part]
    return node["by"] == "empty" or (bool(parts) and all(map(vacuous, parts)))


def _texts(ranges: Box) -> list[str]:
    return [r.text(name) for name, r in sorted(ranges.items())]


def _corners(box: Box) -> Iterable[dict[str, Fraction]]:
    """Corners, and simple points near it: where a relation fails on the edge only."""
    near = {name: simple_numbers(r) if r.bounded else [] for name, r in box.items()}
    choices = [[end for end in (r.lower, r.upper, *near[name]) if end is not None] for name, r in box.items()]
    return (dict(zip(box, at, strict=True)) for at in islice(product(*choices), _SUSPECTS))


def _complete(tried: Iterable[Mapping[str, Fraction]], box: Box) -> list[dict[str, Fraction]]:
    """The points inside the box, with a value for every variable, each once."""
    found: list[dict[str, Fraction]] = []
    for point in tried:
        whole = {name: point.get(name, (samples(r) or [Fraction(0)])[-1]) for name, r in box.items()}
        if all(whole[name] in r for name, r in box.items()) and whole not in found:
            found.append(whole)
    return found[-_SUSPECTS:]
