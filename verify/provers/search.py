"""Search for a counterexample: refuted if one is found and confirmed, else tested.

A claim with a formula is searched in three steps, all of them on exact points (:mod:`sampling`):
a seeded sweep, Hypothesis with ``target`` on the negated slack (:mod:`gauge`), and a descent from the best
points of both.  The first point whose slack is negative is made as simple as possible while it still
violates the claim (:mod:`simplest`) and then confirmed with certainty (:mod:`witness`); what is not confirmed
does not refute.  A monotone function is searched as a relation between two points.

A claim without a formula brings a Hypothesis strategy and a function that computes both sides (or says
whether the claim holds) for an example; the harness compares, and Hypothesis shrinks the example.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import chain
from typing import Any

from verify.claims import Claim, ClaimError, Domain, Effort, Finding, Monotone, Relation, Verdict
from verify.progress import working
from verify.provers import comparison
from verify.provers.examples import Found, run_examples, seed_of
from verify.provers.gauge import Gauge, descended
from verify.provers.meter import SpentError, metered, spend
from verify.provers.sampling import Sampler
from verify.provers.simplest import complexity, simpler
from verify.provers.slack import Tightest, point_text
from verify.provers.witness import Point, admissible, as_relation, confirmed, violated

_STARTS = 6  # descents from the best points, and as many from points at random
_ROUNDS = 60
_TIGHT = 1e-12  # slacks below this count as equal
_SHARE = 1e-9  # of the slack, that a simpler point may cost
_POINT = 7000  # what may be spent, for each example that is asked for
_LOOK = 300  # what a point costs, besides the values there
_SIMPLER = 1_000_000  # and to make one simple
_SHOWN = 400  # characters of an example in a report


@dataclass(frozen=True)
class Search:
    """No counterexample among so many examples, or one.

    For a claim without a formula give ``given`` (a Hypothesis strategy, or a sequence of all the cases there
    are, the simplest first) and either ``sides(example)``, the
    two sides of ``relation`` as exact numbers or enclosures, or ``holds(example)``: True or False; either
    may answer ``None`` for undecided.  ``line(example)`` writes one line of Python that prints True for a
    violation; from the two sides a line that compares them is made up.
    """

    examples: tuple[int, int] | None = None  # quick, thorough
    given: Any = None
    sides: Callable[[Any], tuple[Any, Any] | None] | None = None
    holds: Callable[[Any], bool | None] | None = None
    relation: str = "<="
    line: Callable[[Any], str] | None = None
    title: str = ""

    def __post_init__(self) -> None:
        if (self.given is None) != (self.sides is None and self.holds is None):
            raise ClaimError("search: give a strategy together with sides=... or holds=...")
        if self.sides is not None and self.holds is not None:
            raise ClaimError("search: give either sides=... or holds=..., not both")
        if self.holds is not None and self.line is None:
            raise ClaimError("search: holds=... needs line=..., so that a violation can be checked again")

    @property
    def name(self) -> str:
        """``search``, with its title if it has one."""
        return f"search ({self.title})" if self.title else "search"

    @property
    def random(self) -> bool:
        """No: the examples are seeded, and a refutation is certain."""
        return False

    @property
    def of_formula(self) -> bool:
        """Whether it looks at the claim's formula."""
        return self.given is None

    def run(self, claim: Claim, effort: Effort) -> Finding:
        """Search with the examples of the profile."""
        count = effort.scaled(*(self.examples or (400, 4000)))
        seed = seed_of(effort.seed, claim.label, self.name)
        if self.given is not None:
            return _ExampleSearch(self, claim.label, seed, count).run()
        match claim.says:
            case Relation() as relation:
                return _PointSearch(self.name, relation, claim.domain, seed, count).run()
            case Monotone() as monotone:
                relation, domain = as_relation(monotone, claim.domain)
                pair = (monotone.variable, next(n for n in domain.ranges if n not in claim.domain.ranges))
                return _PointSearch(self.name, relation, domain, seed, count, pair).run()
        reason = "a limit is decided by no finite number of points" if claim.says else "there is no formula"
        return Finding(self.name, Verdict.UNDECIDED, {"reason": reason})


@dataclass
class _PointSearch:
    """One search for a point where a relation fails."""

    name: str
    relation: Relation
    domain: Domain
    seed: int
    count: int
    pair: tuple[str, str] | None = None
    seen: dict[tuple[Fraction, ...], float] = field(default_factory=dict)  # slack of each point
    outside: int = 0  # points that miss a hypothesis
    undefined: int = 0
    suspect: dict[str, Fraction] | None = None  # confirmed violation, not yet simple

    def __post_init__(self) -> None:
        self.gauge = Gauge.of(self.relation, self.domain, self.pair)
        self.sampler = self.gauge.sampler()

    def run(self) -> Finding:
        """The three steps; each ends the search when it finds a violation."""
        try:
            with metered(_POINT * self.count):
                for step in (self._sweep, self._targeted, self._descents):
                    step()
        except Found:
            return self._refuted()
        verdict = Verdict.TESTED if self.seen else Verdict.UNDECIDED
        return Finding(self.name, verdict, self._evidence())

    def _sweep(self) -> None:
        generator = random.Random(self.seed)
        for point in chain(self.sampler.corners(self.count // 4), self._first_integers()):
            self.look(point)
        for _ in range(self.count):
            self.look(self.sampler.point(generator.randrange))

    def _first_integers(self) -> list[dict[str, Fraction]]:
        """Integers one after the other from the end of their range, the other variables drawn."""
        generator = random.Random(self.seed)
        points = []
        for name in self.domain.integers:
            r = self.domain.ranges[name]
            end = r.lower if r.lower is not None else r.upper
            start, turn = (0, 1) if end is None else (int(end), 1 if r.lower is not None else -1)
            for k in range(-1, self.count // 2):
                value = Fraction(start + turn * k)
                if value in r:
                    fixed = Sampler(_at(self.domain, name, value), self.sampler.landmarks)
                    points.append(fixed.point(generator.randrange))
        return points

    def _targeted(self) -> None:
        from hypothesis import strategies, target  # slow to load, and many claims need no examples

        @strategies.composite
        def points(draw: Any) -> dict[str, Fraction]:
            return self.sampler.point(lambda n: draw(strategies.integers(0, n - 1)))

        def body(point: dict[str, Fraction]) -> None:
            try:
                slack = self.look(point)
            except SpentError:  # Hypothesis would look for a simpler example that costs too much
                raise Found from None
            if slack is not None and abs(slack) < float("inf"):
                target(-slack, label="slack")

        if run_examples(points(), body, seed=self.seed, examples=self.count) and self.suspect is not None:
            raise Found

    def _descents(self) -> None:
        best = sorted(self.seen, key=self._order)
        others = best[_STARTS:]
        more = random.Random(self.seed).sample(others, min(_STARTS, len(others)))
        for values in [*best[:_STARTS], *more]:
            start = dict(zip(self.domain.ranges, values, strict=True))
            descended(self._slack, start, self.domain, _ROUNDS)

    def _order(self, values: tuple[Fraction, ...]) -> tuple[float, list[tuple[int, int, int]]]:
        """The tightest first, and among those that are all but tight the simplest."""
        return max(self.seen[values], _TIGHT), [complexity(value) for value in values]

    def _slack(self, point: Point) -> float:
        slack = self.look(dict(point))
        return float("inf") if slack is None else slack

    def look(self, point: dict[str, Fraction]) -> float | None:
        """The slack at a point of the domain; ends the search if the relation certainly fails there."""
        key = tuple(point.values())
        if key in self.seen:
            return self.seen[key]
        spend(_LOOK)
        if not admissible(self.domain, point):
            self.outside += 1
            return None
        slack = self.gauge.slack(point)
        if slack != slack:
            self.undefined += 1
            return None
        if (slack < 0 or (slack == 0 and self.relation.strict)) and self._fails(point):
            self.suspect = point
            raise Found
        self.seen[key] = slack
        return slack

    def _fails(self, point: dict[str, Fraction]) -> bool:
        return violated(self.relation, self.domain, point)

    def _refuted(self) -> Finding:
        assert self.suspect is not None
        simple = self.suspect
        with metered(_SIMPLER):
            simple = simpler(simple, self.domain, self._fails, self.sampler.fitted)
        witness = confirmed(self.relation, self.domain, simple)
        return Finding(self.name, Verdict.REFUTED, self._evidence(found=True), witness=witness)

    def _evidence(self, found: bool = False) -> dict[str, Any]:
        evidence: dict[str, Any] = {
            "examples": len(self.seen) + found,
            "asked": self.count,
            "seed": self.seed,
        }
        if self.outside:
            evidence["outside the hypotheses"] = self.outside
        if self.undefined:
            evidence["not defined"] = self.undefined
        if self.seen and not found:
            evidence["smallest slack"] = self._tightest()
        return evidence

    def _tightest(self) -> dict[str, Any]:
        """The smallest slack met, at a point as simple as it can be without losing it."""
        values = min(self.seen, key=self._order)
        point = dict(zip(self.domain.ranges, values, strict=True))
        enough = max(self.seen[values] * (1 + _SHARE), _TIGHT)

        def as_tight(other: dict[str, Fraction]) -> bool:
            return admissible(self.domain, other) and self.gauge.slack(other) <= enough

        with metered(_SIMPLER):
            point = simpler(point, self.domain, as_tight, self.sampler.fitted)
        return {"value": self.gauge.slack(point), "at": point_text(point)}


def _at(domain: Domain, name: str, value: Fraction) -> Domain:
    r = domain.ranges[name]
    one = type(r)(value, value, lower_open=False, upper_open=False, integer=r.integer)
    return Domain({**domain.ranges, name: one}, domain.given)


@dataclass
class _ExampleSearch:
    """One search by code: Hypothesis makes the examples, the harness compares the two sides."""

    check: Search
    label: str
    seed: int
    count: int
    decided: int = 0
    undecided: list[str] = field(default_factory=list)
    failure: dict[str, Any] | None = None
    tightest: Tightest = field(default_factory=Tightest)

    def run(self) -> Finding:
        """Refuted by the simplest example that fails; tested if most comparisons were decided."""
        given, few = self.check.given, isinstance(self.check.given, Sequence)
        if few:
            self.count = min(self.count, len(given))
            found = self._enumerated(given[: self.count])
        else:
            found = run_examples(given, self._look, seed=self.seed, examples=self.count, shrink=True)
        evidence: dict[str, Any] = {"examples": self.decided, "asked": self.count, "seed": self.seed}
        if few:
            evidence["cases"] = len(given)
        if self.undecided:
            evidence["undecided"] = {"count": len(self.undecided), "first": self.undecided[0]}
        if found:
            return Finding(self.check.name, Verdict.REFUTED, evidence, witness=self.failure)
        enough = self.decided > len(self.undecided)
        verdict = Verdict.TESTED if enough else Verdict.UNDECIDED
        return Finding(self.check.name, verdict, evidence, slack=self.tightest.report() if enough else None)

    def _enumerated(self, cases: Sequence[Any]) -> bool:
        """Look at one case after the other; whether one fails."""
        try:
            for case in cases:
                self._look(case)
        except Found:
            return True
        return False

    def _look(self, example: Any) -> None:
        working((self.decided + len(self.undecided)) / max(1, self.count))
        verdict, sides = self._decide(example)
        if verdict is False:
            self.failure = {"example": repr(example), **sides}
            if self.check.line is not None:
                self.failure["line"] = self.check.line(example)
            raise Found
        if self.failure is None:  # afterwards Hypothesis only makes the failure simpler
            self.decided += verdict is True
            self.undecided += [repr(example)] if verdict is None else []

    def _decide(self, example: Any) -> tuple[bool | None, dict[str, Any]]:
        if self.check.holds is not None:
            answer = self.check.holds(example)
            if answer not in (True, False, None):
                raise ClaimError(
                    f"claim {self.label}: holds({example!r}) is {answer!r}, not True, False or None"
                )
            return (None if answer is None else bool(answer)), {}
        assert self.check.sides is not None
        found = self.check.sides(example)
        if found is None:
            return None, {}
        left, right = found
        answer = comparison.holds(left, self.check.relation, right)
        if answer is not False:
            if not isinstance(self.check.given, Sequence):
                _aim(left, right, self.check.relation)
            if answer and comparison.holds(left, "==", 0) is False:  # 0 <= 0 says nothing about slack
                self.tightest.see(left, self.check.relation, right, {"example": _short(example)})
            return answer, {}
        shown = {
            "left": comparison.text(left),
            "comparison": self.check.relation,
            "right": comparison.text(right),
        }
        again = comparison.line(left, self.check.relation, right)
        return False, {**shown, "line": again} if again else shown


def _short(example: Any) -> str:
    text = repr(example)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 3]}..."


def _aim(left: Any, right: Any, relation: str) -> None:
    """Tell Hypothesis how far the example is from failing."""
    from hypothesis import target  # slow to load, and many claims need no examples

    slack = comparison.relative_gap(left, right)
    slack = -slack if relation in (">=", ">") else -abs(slack) if relation == "==" else slack
    if abs(slack) < float("inf"):
        target(-slack, label="slack")
