r"""Is it CT-UCBVI?  Somebody else's learner against the exact one, episode by episode.

The exact learner follows the episodes that were played, whoever chose the actions, so that each episode is
compared with what CT-UCBVI would do *after the same history*: a first mistake does not make mistakes of all
that follows.  Compared are, in this order, so that the first difference is a cause and not an effect:

* whether a plan was made (lazy learners), and :math:`T, N^+, N, \hat\lambda, \hat p` of the plan in force;
* the confidence sets of the optimistic learner or the bonus of the others, :math:`n_k` and the values, where
  they are reported (:mod:`ctucbvi.learning.reports`);
* every action.

A number may be off by the ``tolerance`` times the larger of its unit and itself; the unit of times and values
is :math:`H`, that of rates :math:`\lambda_{\max}`, of all others 1.  Sets are compared as what they hold: an
l1 radius of 2 or more is that of all probability vectors.  Another action than the exact learner's is
explained if the two are proved equally good (a tie; the exact learner takes the first in the model's order),
if it stays undecided which is better, or if at most the tolerance times the horizon is lost.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from ctucbvi.enclosure import Enclosure
from ctucbvi.errors import InputError
from ctucbvi.exact.precision import enclosure
from ctucbvi.learning.exact.learner import ExactLearner, ExactPlan
from ctucbvi.learning.exact.optimistic import OptimisticPlan
from ctucbvi.learning.lockstep.records import Difference, Differences
from ctucbvi.learning.protocol import EpisodeWorld, OnlineLearner, chooser
from ctucbvi.learning.reports import Report, Said

if TYPE_CHECKING:
    from ctucbvi.learning import Episode, Settings
    from ctucbvi.learning.exact.plan import CertifiedPlan
    from ctucbvi.model import CTMDP

TOLERANCE = Fraction(1, 10**9)
_KINDS = ("estimate", "set", "bonus")  # about pairs, causes before effects
_SET = ("low", "high", "radius")
_DIAMETER = Fraction(2)  # no two probability vectors are farther apart in l1


@dataclass(frozen=True, slots=True)
class CheckedEpisode:
    """One episode, compared."""

    episode: int  # its number
    drawn: Episode
    compared: Counter[str]  # how many of which quantity
    differences: tuple[Difference, ...]

    @property
    def unexplained(self) -> tuple[Difference, ...]:
        """The differences that nothing excuses."""
        return tuple(d for d in self.differences if not d.explained)


class Checker:
    """The exact learner, following somebody else's; see the module's text."""

    def __init__(self, model: CTMDP, settings: Settings, *, tolerance: Fraction = TOLERANCE) -> None:
        self.exact, self.tolerance = ExactLearner(model, settings), tolerance

    def check(self, episode: Episode, report: Report) -> CheckedEpisode:
        """Compare the next episode, then take it into account."""
        number, plan = self.exact.episode, self.exact.plan()
        found = _Findings(number, self.tolerance)
        if report.planned is not None:
            found.same("plan", "all pairs", report.planned, plan.episode == number)
        for said in sorted(report.pairs, key=lambda one: _KINDS.index(_kind(one.what))):
            found.pair(plan, said)
        if report.iterations is not None:
            if plan.iterations is None:
                raise InputError(f"episode {number}: the optimistic learner iterates nothing; leave it out")
            found.same("iterations", "n_k", report.iterations, plan.iterations)
        for state, t, value in report.values:
            found.near(
                "value", f"{state}@{float(t):.6g}", value, plan.value(state, t), self.exact.model.horizon
            )
        remaining = self.exact.model.horizon
        for visit in episode.visits:
            found.act(self.exact, (visit.state, remaining, visit.action))
            remaining -= visit.holding
        self.exact.observe(episode)
        return CheckedEpisode(number, episode, found.compared, tuple(found.differences.found))

    def follow(self, episodes: Iterable[tuple[Episode, Report]]) -> Iterator[CheckedEpisode]:
        """Compare one recorded episode after the other."""
        for episode, report in episodes:
            yield self.check(episode, report)

    def play(self, learner: OnlineLearner, world: EpisodeWorld, episodes: int) -> Iterator[CheckedEpisode]:
        """Let ``learner`` play in ``world``, and compare each episode; it begins with the first."""
        model, report = self.exact.model, getattr(learner, "report", dict)
        for number in range(1, episodes + 1):
            policy = learner.begin(number)
            said = Report.of(model, report())
            yield self.check(world.episode(chooser(model, learner, policy), learner.observe), said)


class _Findings:
    """What is compared in one episode, and how."""

    def __init__(self, episode: int, tolerance: Fraction) -> None:
        self.differences, self.tolerance = Differences(episode), tolerance
        self.compared: Counter[str] = Counter()

    def same(self, kind: str, where: str, theirs: object, true: object) -> None:
        """Compare what is equal or not."""
        self.compared[kind] += 1
        if theirs != true:
            self.differences.note(kind, where, str(theirs), str(true))

    def pair(self, plan: CertifiedPlan, said: Said) -> None:
        """Compare a number about a pair."""
        row, kind = plan.statistics.model.transitions[said.pair], _kind(said.what)
        of = "" if kind == "bonus" else f" {said.what}"
        to = "" if said.to is None else f" to {said.to}"
        where, theirs, true = f"{row.state}/{row.action}{of}{to}", said.number, _true(plan, said)
        if said.what == "radius" and plan.settings.jumps == "l1":
            theirs, true = _within(theirs), _all_within(true)
        if theirs is None or true is None:
            self.same(kind, where, _radius(theirs), _radius(None if true is None else true.mid))
        else:
            self.near(kind, where, theirs, true, _unit(plan, said.what))

    def near(self, kind: str, where: str, theirs: Fraction, true: Enclosure, unit: Fraction) -> None:
        """Compare a number with an enclosure of the exact one."""
        self.compared[kind] += 1
        gap = max(true.lower - theirs, theirs - true.upper, Fraction(0))
        allowed = self.tolerance * max(unit, abs(true.mid))
        if gap > allowed:
            yours, exact = f"{float(theirs):.12g}", f"{float(true.mid):.12g}"
            self.differences.note(kind, where, yours, exact, gap, allowed)

    def act(self, exact: ExactLearner, visit: tuple[str, Fraction, str]) -> None:
        """Compare an action."""
        self.compared["action"] += 1
        self.differences.depart(exact, visit, self.tolerance * exact.model.horizon, "action")


def _kind(what: str) -> str:
    """Which of _KINDS a number about a pair is of."""
    return what if what == "bonus" else "set" if what in _SET else "estimate"


def _unit(plan: CertifiedPlan, what: str) -> Fraction:
    """What a number is measured by; see the module's text."""
    units = {"time": plan.statistics.model.horizon}
    return units.get(what, plan.settings.lambda_max if what in ("rate", "low", "high") else Fraction(1))


def _within(radius: Fraction | None) -> Fraction:
    """An l1 radius up to which vectors differ; None: all are meant."""
    return _DIAMETER if radius is None else min(radius, _DIAMETER)


def _all_within(radius: Enclosure | None) -> Enclosure:
    """The same of an enclosure."""
    if radius is None:
        return Enclosure(_DIAMETER, _DIAMETER)
    return Enclosure(_within(radius.lower), _within(radius.upper))


def _radius(number: Fraction | None) -> str:
    return "all vectors" if number is None else f"{float(number):.12g}"


def _true(plan: CertifiedPlan, said: Said) -> Enclosure | None:
    """What the exact learner has for a number about a pair; None: a radius that holds all vectors."""
    if said.what == "bonus":
        if not isinstance(plan, ExactPlan):
            raise InputError(f"episode {plan.episode}: the optimistic learner has no bonus; leave it out")
        return plan.bonus[said.pair]
    if said.what in _SET:
        if not isinstance(plan, OptimisticPlan):
            raise InputError(
                f"episode {plan.episode}: {said.what}: sets are the optimistic learner's; leave it out, or "
                "add --bonus optimistic"
            )
        end = getattr(plan.sets[said.pair], said.what)
        return None if end is None else enclosure(end)
    seen, column = plan.statistics, 0 if said.to is None else plan.statistics.model.state_index(said.to)
    found: dict[str, Callable[[], Fraction]] = {
        "time": lambda: seen.time[said.pair],
        "n_plus": lambda: Fraction(seen.n_plus[said.pair]),
        "rate": lambda: seen.rate(said.pair, plan.settings),
        "jumps": lambda: Fraction(seen.jumps[said.pair][column]),
        "probability": lambda: seen.probability(said.pair)[column],
    }
    number = found[said.what]()
    return Enclosure(number, number)
