"""The box prover: enclosures, branch and bound, and the rules for what enclosures cannot show.

``left <= right`` becomes the goal ``right - left >= 0`` on the domain, or on a smaller box that is
asked for.  The verdict is ``proved`` if boxes and tails cover the whole domain, ``proved-on-box`` if the box
is smaller, ``refuted`` if a point was met where the relation certainly fails, else ``undecided`` with the
box that could not be closed.  Every proof is a tree in the language of ``docs/proofs.md``.

A domain whose hypotheses exclude every point proves anything; that is reported as undecided, since whoever
wrote the claim meant something else.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import Any

import sympy

from verify.claims import (
    Claim,
    ClaimError,
    Domain,
    Effort,
    Finding,
    Monotone,
    Range,
    Relation,
    Verdict,
)
from verify.provers.box.leaves import ALL_ORDERS, Work, by_range, impossible
from verify.provers.box.places import simple_numbers
from verify.provers.box.rules import smooth, without
from verify.provers.box.search import BranchAndBound, inner_point
from verify.provers.box.tactics import Prover
from verify.provers.expressions import unwieldy
from verify.provers.goals import Goal, Node, certificate

_BOXES = (4_000, 40_000)  # quick, thorough
NOTHING = "no point of the domain satisfies its hypotheses: the claim says nothing"
_SUSPECTS = 60  # points at which a failure is looked into


@dataclass(frozen=True)
class Box:
    """Prove an inequality on its domain, or on the part of it that ``on`` names."""

    on: tuple[str, ...] | None = None  # comparisons that give the box; the whole domain by default
    boxes: tuple[int, int] | None = None  # the budget, quick and thorough

    @property
    def name(self) -> str:
        """For reports."""
        return "box"

    @property
    def random(self) -> bool:
        """Nothing is left to chance."""
        return False

    @property
    def of_formula(self) -> bool:
        """Whether it looks at the claim's formula."""
        return True

    def run(self, claim: Claim, effort: Effort) -> Finding:
        """Prove, refute, or say where it failed."""
        stated = _relation(claim)
        if stated is None:
            return Finding(self.name, Verdict.UNDECIDED, {"reason": "not an inequality between formulas"})
        area = claim.domain if self.on is None else part_of(claim.domain, self.on)
        goal = Goal.of(stated, area)
        if isinstance(claim.says, Monotone):
            goal = without(goal, claim.says.variable)  # a line in that variable may leave a hypothesis
        node, statistics = prove_box(goal, budget=effort.scaled(*(self.boxes or _BOXES)))
        facts = {k: v for k, v in statistics.items() if k not in ("suspects", "worst")}
        if node is None:
            return self._open(claim, area, facts, statistics)
        if vacuous(node):
            return Finding(self.name, Verdict.UNDECIDED, {**facts, "reason": NOTHING})
        whole = area.ranges == claim.domain.ranges
        verdict = Verdict.PROVED if whole else Verdict.PROVED_ON_BOX
        proof = certificate(claim.label, stated, claim.domain, area, node)
        return Finding(self.name, verdict, {**facts, "box": _texts(area.ranges), "certificate": proof})

    def _open(
        self, claim: Claim, area: Domain, facts: Mapping[str, Any], statistics: Mapping[str, Any]
    ) -> Finding:
        worst = statistics["worst"] if _part(statistics["worst"], area.ranges) else area.ranges
        if isinstance(claim.says, Relation):
            from verify.provers.witness import confirmed  # loads the searches, which few need

            for point in _complete([*statistics["suspects"], *_corners(worst)], area):
                witness = confirmed(claim.says, claim.domain, point)
                if witness is not None:
                    return Finding(self.name, Verdict.REFUTED, dict(facts), witness)
        return Finding(self.name, Verdict.UNDECIDED, {**facts, "worst": _texts(worst)})


def prove_box(
    goal: Goal, *, budget: int, orders: tuple[int, ...] = ALL_ORDERS, tactics: bool = True
) -> tuple[Node | None, dict[str, Any]]:
    """A proof, and what it took; without ``tactics`` only branch and bound, with these orders."""
    work = Work(budget, orders)
    prover = Prover(work)
    if unwieldy(goal.expression):
        node = by_range(goal) or _plainly(goal, work, budget)
    else:
        node = prover.solve(goal) if tactics else BranchAndBound(goal, work, budget).run()
    statistics = {
        "boxes": work.boxes,
        "goals": prover.goals,
        "bits": work.bits,
        "rules": {} if node is None else dict(sorted(Counter(rules_of(node)).items())),
        "worst": work.worst,
        "suspects": work.suspects,
    }
    return node, statistics


def _plainly(goal: Goal, work: Work, budget: int) -> Node | None:
    """Branch and bound with enclosures only, which needs no derivative from the computer algebra."""
    if any(goal.ranges[name].integer for name in goal.variables):
        return None
    return BranchAndBound(goal, work, budget).run()


def rules_of(node: Node) -> Iterator[str]:
    """The rules of a proof tree, with the order of each Taylor form."""
    yield f"{node['by']} {node['order']}" if node["by"] == "taylor" else node["by"]
    for child in node.values():
        for part in child if isinstance(child, list) else [child]:
            if isinstance(part, dict) and "by" in part:
                yield from rules_of(part)


def _relation(claim: Claim) -> Relation | None:
    """The inequality to prove: the claim's own, or the sign of the slope of a smooth function."""
    says = claim.says
    if isinstance(says, Monotone):
        if unwieldy(says.function):
            return None
        everything = Goal(says.function, False, claim.domain.ranges, (), claim.domain.symbols)
        return says.slope(claim.domain) if smooth(everything) else None
    return says if isinstance(says, Relation) and says.relation != "==" else None


def part_of(domain: Domain, comparisons: Iterable[str]) -> Domain:
    """The domain narrowed by comparisons of single variables with numbers."""
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
    # The symbols of the claim's formula are those of its own domain.
    narrowed = replace(domain, ranges=ranges)
    narrowed.__dict__["symbols"] = domain.symbols
    return narrowed


def nothing_in(domain: Domain) -> bool:
    """Whether the ranges and hypotheses are seen to exclude every point: then even -1 >= 0 has a proof."""
    goal = Goal(sympy.Integer(-1), False, domain.ranges, domain.given, domain.symbols)
    return any(r.empty for r in domain.ranges.values()) or impossible(goal, Work(1)) is not None


def vacuous(node: Node) -> bool:
    """Whether a proof only shows that the hypotheses exclude every point."""
    match node["by"]:
        case "empty":
            return True
        case "split":
            return all(vacuous(part) for part in node["parts"])
        case "cases":
            parts = [*node["parts"], *([node["tail"]] if node["tail"] else [])]
            return all(vacuous(part) for part in parts)
        case "rewrite" | "multiply" | "reciprocal" | "logarithm":
            return vacuous(node["proof"])
    return False


def _texts(ranges: Mapping[str, Range]) -> list[str]:
    return [r.text(name) for name, r in sorted(ranges.items())]


def _part(inner: Mapping[str, Range] | None, outer: Mapping[str, Range]) -> bool:
    """Whether a box is a part of the domain (and not of a face or of a transformed one)."""
    return inner is not None and all(
        name in inner and inner[name].within(replace(r, integer=inner[name].integer))
        for name, r in outer.items()
    )


def _corners(ranges: Mapping[str, Range]) -> list[dict[str, Fraction]]:
    """Corners of a box, and simple points near it: where a relation fails on the edge only."""
    choices = []
    for _, r in sorted(ranges.items()):
        ends = [end for end in (r.lower, r.upper) if end is not None]
        choices.append(
            list(dict.fromkeys([*ends, *(simple_numbers(r) if r.bounded else [])])) or [Fraction(0)]
        )
    points = product(*choices)
    return [
        dict(zip(sorted(ranges), point, strict=True))
        for point, _ in zip(points, range(_SUSPECTS), strict=False)
    ]


def _complete(points: Iterable[Mapping[str, Fraction]], area: Domain) -> list[dict[str, Fraction]]:
    """The points inside the box, with a value for every variable, each once."""
    found: list[dict[str, Fraction]] = []
    for point in points:
        rest = {name: _any(r) for name, r in area.ranges.items() if name not in point}
        whole = {name: {**rest, **point}[name] for name in area.ranges}
        if area.contains(whole) and whole not in found:
            found.append(whole)
    return found[:_SUSPECTS]


def _any(r: Range) -> Fraction:
    point = inner_point(r, Fraction(1, 2))
    return point if not r.integer else Fraction(-(-point // 1))
