r"""The rows of the chain (:mod:`ctucbvi.losses.chain`), computed from the sums of every run.

The final constants are those of ``eq:regret-bound``, which are for :math:`\delta = 1/(2KH)`: with another
:math:`\delta` the last link but one compares two different choices, and the theorem does not speak of the
learner that was played.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING

import numpy as np

from ctucbvi.bounds.poisson_tails import expected_maximum
from ctucbvi.bounds.sums import power_sum
from ctucbvi.errors import InputError
from ctucbvi.learning import DOUBLES, Constants, constants
from ctucbvi.losses.chain import Chain, Link, LinkKind, gaps, regret
from ctucbvi.losses.tally import (
    ALPHA,
    BETA,
    BONUS,
    JUMP,
    OUTSIDE,
    OWN,
    PAID,
    RATE,
    SEEN,
    SLOW,
    TRUE,
    VALUE,
    Sums,
)
from ctucbvi.study.bound import regret_bound

if TYPE_CHECKING:
    from ctucbvi.losses.runs import TalliedRun
    from ctucbvi.study.plan import Study

PIGEON = 3.0  # the constant of Lemma 19 of Jaksch et al. in the printed proof


@dataclass(frozen=True)
class Sizes:
    """The numbers of the proof that the data do not change."""

    radii: Constants[float]
    pairs: int  # SA
    episodes: int  # K
    load: float  # v = λmax H
    lambda_max: float  # λmax
    spread: float  # D = H + 1/λmin
    bound: float  # the right-hand side of eq:regret-bound
    stopping: float  # Σ ε_k e^{λmax H}
    outside: float  # 2δKH
    largest: float  # the expected largest of K Poisson variables of mean v

    @classmethod
    def of(cls, study: Study) -> Sizes:
        """Those of a study; refused where the theorem has no number."""
        model, settings = study.model, study.settings
        if settings.bonus != "paper" or settings.replan or settings.lambda_min is not None:
            raise InputError(
                f"{model.name}: the sums are those of the learner with the bonus of the paper that knows no "
                "lambda_min and plans before every episode; leave bonus, lambda_min and replan out"
            )
        bound = regret_bound(model, settings, [settings.episodes])
        (total,) = bound.values
        if total is None:
            raise InputError(f"{model.name}: there is no bound to reach: {bound.missing}")
        horizon, lambda_min = float(model.horizon), float(min(row.rate for row in model.transitions))
        load = float(settings.lambda_max * model.horizon)
        accuracies = power_sum(settings.epsilon.exponent, settings.episodes)
        accuracies *= settings.epsilon.scale(settings.lambda_max * model.horizon, DOUBLES)
        return cls(
            constants(model, settings, DOUBLES),
            len(model.states) * len(model.actions),
            settings.episodes,
            load,
            float(settings.lambda_max),
            horizon + 1 / lambda_min,
            total,
            math.exp(load) * float(accuracies),
            2 * float(settings.delta) * settings.episodes * horizon,
            float(expected_maximum(settings.lambda_max * model.horizon, settings.episodes)),
        )

    @property
    def jump_weight(self) -> float:
        """What u/√N costs through the jumps: (CH + 1)√J."""
        return (self.radii.factor * self.radii.horizon + 1) * math.sqrt(self.radii.jump_constant)

    @property
    def rate_weight(self) -> float:
        """What u/√max(T, L/λmax) costs: (CH² + H)√(λmax L)."""
        horizon = self.radii.horizon
        return (self.radii.factor * horizon + 1) * horizon * math.sqrt(self.radii.rate_constant)

    @property
    def weight(self) -> float:
        """c: what u/√N costs once rates are compared with counts."""
        return self.jump_weight + self.rate_weight * math.sqrt(2 * self.lambda_max)


def chain(study: Study, runs: Sequence[TalliedRun[Sums]], *, pigeon: float = PIGEON) -> Chain:
    """The chain of complete runs."""
    sizes, sums = Sizes.of(study), [run.sums for run in runs]
    rows = (
        *_measured(study, runs, sums, sizes),
        *_weighted(sizes, sums),
        *_counted(sizes, sums, pigeon),
        *_printed(sizes, len(runs), pigeon),
    )
    return Chain(
        study,
        rows,
        stopping=sizes.stopping,
        outside=sizes.outside,
        trivial=sizes.episodes * sizes.radii.horizon,
        left_radii=tuple(int(s.clock[OUTSIDE]) for s in sums),
        crowd=tuple(float(s.crowd[0]) for s in sums),
    )


def _each(sums: Sequence[Sums], value: Callable[[Sums], float]) -> tuple[float, ...]:
    return tuple(float(value(s)) for s in sums)


def _part(sums: Sequence[Sums], place: int, weight: float = 1.0) -> float:
    return weight * fmean(float(s.total[place]) for s in sums)


def _measured(
    study: Study, runs: Sequence[TalliedRun[Sums]], sums: Sequence[Sums], sizes: Sizes
) -> tuple[Link, ...]:
    """The regret, the optimistic gap, and what ``lem:v-v-continuoustime`` puts for it."""
    return (
        regret(study, [run.state for run in runs]),
        Link(
            "optimistic value", "lem:optimism", LinkKind.EVENT,
            "the computed value V̂ for V*: at least V*, up to the stopping term, while all estimates are "
            "within their radii",
            gaps([run.state for run in runs], [s.total[VALUE] for s in sums]), extra=sizes.stopping,
        ),
        Link(
            "bonus and radii", "lem:v-v-continuoustime", LinkKind.MEAN,
            "bonus and radii at every decision, (b + α + uβ)u, for V̂ - V^π; the cut-off of V̂ at the "
            "remaining time is lost here",
            _each(sums, lambda s: s.total[BONUS] + s.total[ALPHA] + s.total[BETA]),
            {
                "bonus as paid, b∫exp(-λ̂s)ds": _part(sums, PAID),
                "bonus beyond that, up to b u": _part(sums, BONUS) - _part(sums, PAID),
                "α u": _part(sums, ALPHA),
                "β u²": _part(sums, BETA),
            },
        ),
    )  # fmt: skip


def _weighted(sizes: Sizes, sums: Sequence[Sums]) -> tuple[Link, ...]:
    """The sums over decisions, from both radii to observed jumps."""
    jump, rate, weight, spread = sizes.jump_weight, sizes.rate_weight, sizes.weight, sizes.spread
    through = rate * math.sqrt(2 * sizes.lambda_max)

    def spread_over(place: int) -> tuple[float, ...]:
        return _each(sums, lambda s: weight * spread * s.total[place])

    return (
        Link(
            "horizon for remaining time", "eq:r2", LinkKind.PATH,
            "uβu at most Hβu, and the bonus written out",
            _each(sums, lambda s: jump * s.total[JUMP] + rate * s.total[RATE]),
            {"jumps": _part(sums, JUMP, jump), "rates": _part(sums, RATE, rate)},
        ),
        Link(
            "counts for times", "prop:rateerror", LinkKind.EVENT,
            "√(2λmax/max(1, N)) for 1/√max(T, L/λmax): on every path where N <= 2 max(λmax T, L)",
            _each(sums, lambda s: weight * s.total[JUMP]),
            {"jumps": _part(sums, JUMP, jump), "rates": _part(sums, JUMP, through)},
        ),
        Link(
            "chance for remaining time", "eq:CS1", LinkKind.PATH,
            "(H + 1/λmin)(1 - exp(-λmin u)) for the remaining time u", spread_over(SLOW),
        ),
        Link(
            "own rate for λmin", "prop:proberror/conditional", LinkKind.PATH,
            "1 - exp(-λu), the chance that the jump is observed, for 1 - exp(-λmin u)", spread_over(TRUE),
        ),
        Link(
            "observed for likely jumps", "eq:CS2", LinkKind.MEAN,
            "the observed jump for its chance: equal in expectation", spread_over(SEEN),
        ),
        Link(
            "m-th jumps alone", "eq:CS3", LinkKind.PATH,
            "the count N_m of m-th jumps alone for N", spread_over(OWN),
        ),
    )  # fmt: skip


def _counted(sizes: Sizes, sums: Sequence[Sums], pigeon: float) -> tuple[Link, ...]:
    """Counting: pigeon-hole, Cauchy-Schwarz and the longest episode."""
    scale = pigeon * sizes.weight * sizes.spread
    return (
        Link(
            "pigeon-hole", "prop:proberror/pigeon-hole", LinkKind.PATH,
            f"{pigeon:g}√N_m for the sum of 1/√max(1, N_m) over the episodes, for each m and pair",
            _each(sums, lambda s: scale * np.sqrt(s.own).sum()),
        ),
        Link(
            "Cauchy-Schwarz", "prop:proberror/cauchy-schwarz", LinkKind.PATH,
            "√(SA Σ N_m) for Σ √N_m over the pairs",
            _each(sums, lambda s: scale * np.sqrt(sizes.pairs * s.own.sum(axis=1)).sum()),
        ),
        Link(
            "longest episode", "eq:JM-eq", LinkKind.PATH,
            "K for the number of episodes with an m-th jump, m up to the most jumps of an episode, J_M",
            _each(sums, lambda s: scale * math.sqrt(sizes.pairs * sizes.episodes) * most_jumps(s)),
            {"J_M": fmean(most_jumps(s) for s in sums)},
        ),
    )  # fmt: skip


def _printed(sizes: Sizes, runs: int, pigeon: float) -> tuple[Link, ...]:
    """What no longer depends on the data."""
    scale = pigeon * sizes.weight * sizes.spread * math.sqrt(sizes.pairs * sizes.episodes)
    largest, logarithm = sizes.largest, math.log(sizes.episodes)
    bounded = (sizes.load + 1) * logarithm / math.log1p(logarithm)
    apart = sizes.stopping + 1

    def same(value: float) -> tuple[float, ...]:
        return (value,) * runs

    return (
        Link(
            "Poisson maximum", "eq:term1-3", LinkKind.MEAN,
            "the expected largest of K Poisson variables of mean λmax H for J_M",
            same(scale * largest), {"E max Z": largest},
        ),
        Link(
            "bound on the maximum", "eq:term1-3", LinkKind.NUMBER,
            "(λmax H + 1) ln K/ln(ln K + 1) for it", same(scale * bounded), {"its bound": bounded},
        ),
        Link(
            "printed constants", "thm:CT-UCB", LinkKind.NUMBER,
            "√(2S + 6 ln(2SAKH)) + 4λmax H √ln(2SAKH) for the constants of the radii at δ = 1/(2KH)",
            same(sizes.bound - apart),
        ),
        Link(
            "bound", "eq:regret-bound", LinkKind.NUMBER, "with the terms that stand apart",
            same(sizes.bound), {"Σ ε_k exp(λmax H)": sizes.stopping, "estimates outside their radii": 1.0},
        ),
    )  # fmt: skip


def most_jumps(sums: Sums) -> int:
    """J_M: the most observed jumps of an episode."""
    return int(np.count_nonzero(sums.own.sum(axis=1)))
