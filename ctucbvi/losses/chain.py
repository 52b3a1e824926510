r"""From the measured regret to the bound of ``thm:CT-UCB``, inequality by inequality.

The proof of ``thm:CT-UCB`` is a chain: the regret is at most a sum along the learner's own episodes, that sum
is at most a simpler one, and so on down to the printed constants.  Every sum is measured on the episodes
played (:mod:`ctucbvi.losses.tally`), so that each inequality has a *factor*: its right side over its left
side, here.  The product of all factors is the bound over the regret.

With :math:`C` of ``eq:bonus-k``, :math:`J = 2[S\ln2 + \ln(SAHK^2/\delta)]` and
:math:`c = (CH+1)\sqrt J + (CH^2+H)\sqrt{\lambda_{\max}L}\sqrt{2\lambda_{\max}}`,
the rows (:mod:`ctucbvi.losses.links`) are

.. math:: \sum_k(V^*-V^{\pi_k}) \;\to\; \sum_k(\hat V-V^{\pi_k}) \;\to\; \sum (b+\alpha+u\beta)u
          \;\to\; \sum\bigl((CH+1)\alpha+(CH^2+H)\beta\bigr)u \;\to\; c\sum\frac u{\sqrt N}

.. math:: \to\; cD\sum\frac{1-e^{-\lambda_{\min}u}}{\sqrt N} \;\to\; cD\sum\frac{1-e^{-\lambda u}}{\sqrt N}
          \;\to\; cD\sum\frac{1\{t_{m+1}\le H\}}{\sqrt N} \;\to\; cD\sum\frac{1\{t_{m+1}\le H\}}{\sqrt{N_m}}

.. math:: \to\; 3cD\sum_{m,x,a}\sqrt{N_m} \;\to\; 3cD\sum_m\sqrt{SA\,n_m} \;\to\; 3cD\sqrt{SAK}\,J_M
          \;\to\; 3cD\sqrt{SAK}\,E\max_k Z_k \;\to\; 3cD\sqrt{SAK}\frac{(v+1)\ln K}{\ln(\ln K+1)}

(:math:`D = H + 1/\lambda_{\min}`, :math:`N` for :math:`\max\{1,N^{k,+}\}`, :math:`n_m` the number of episodes
with more than :math:`m` jumps, :math:`J_M` the most jumps of an episode, :math:`Z_k` Poisson of mean
:math:`v = \lambda_{\max}H`), then the printed constants, and at last the two terms that stand apart all
along: :math:`\sum_k\epsilon_k e^{\lambda_{\max}H}` for stopping early and :math:`2\delta KH` for the event
that an estimate leaves its radii.

Not every step is an inequality on every path, and each link says what it is: on every path; on every path of
an event; between expectations, so that single runs, and means of few runs, may have a factor below 1; or
between numbers.  A factor below 1 is reported as it is.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from itertools import pairwise
from statistics import fmean, stdev
from typing import Any

from ctucbvi.study.evaluation import UNITS
from ctucbvi.study.optimum import optimal_value
from ctucbvi.study.plan import Study
from ctucbvi.study.result import short
from ctucbvi.study.shards import RunState

_ROUNDING = 1e-9  # relative: far above what adding up in doubles costs
FORMAT = "ctucbvi losses 1"


class LinkKind(Enum):
    """In what sense the right side is at least the left one."""

    PATH = "on every path"
    EVENT = "on every path of an event"
    MEAN = "in expectation"
    NUMBER = "between numbers"


@dataclass(frozen=True)
class Link:
    """One row of the chain: a quantity that is at least the one of the row before."""

    name: str
    label: str  # the paper's
    kind: LinkKind
    says: str  # what is put for what, compared with the row before
    values: tuple[float, ...]  # one per run
    parts: dict[str, float] = field(default_factory=dict)  # means of what it is the sum of
    extra: float = 0.0  # what the paper adds to the right side and the row leaves out

    @property
    def mean(self) -> float:
        """The mean over runs."""
        return fmean(self.values)

    @property
    def standard_error(self) -> float | None:
        """Of the mean; None for a single run."""
        return stdev(self.values) / math.sqrt(len(self.values)) if len(self.values) > 1 else None

    def held(self, before: Link) -> tuple[bool, ...]:
        """Whether the inequality held, run by run."""
        return tuple(
            left <= (right + self.extra) * (1 + _ROUNDING)
            for left, right in zip(before.values, self.values, strict=True)
        )


@dataclass(frozen=True)
class Chain:
    """The whole chain of a study."""

    study: Study
    links: tuple[Link, ...]  # the first is the regret
    stopping: float | None  # Σ_k ε_k e^{λmax H}; None: nothing is iterated
    outside: float  # 2δKH
    trivial: float  # KH
    left_radii: tuple[int, ...]  # episodes, run by run, that began with an estimate outside its radii
    crowd: tuple[float, ...] = ()  # largest max(1, N)/(2 max(λmax T, L)), run by run, where it is compared

    @property
    def factors(self) -> tuple[float, ...]:
        """The mean of each row over that of the row before; one fewer than there are rows."""
        means = [link.mean for link in self.links]
        return tuple(b / a if a > 0 else math.inf for a, b in pairwise(means))

    def broken(self) -> tuple[Link, ...]:
        """The links that hold on every path, and did not."""
        return tuple(b for a, b in pairwise(self.links) if b.kind is LinkKind.PATH and not all(b.held(a)))

    def to_json(self) -> dict[str, Any]:
        """The chain as a JSON object."""
        rows = [_row(self.links[0], None, None)]
        for (before, link), factor in zip(pairwise(self.links), self.factors, strict=True):
            rows.append(_row(link, sum(link.held(before)), factor))
        first = self.study.identity(self.study.contestants[0])
        stopping = {} if self.stopping is None else {"stopping": short(self.stopping)}
        crowd = {"largest_crowd": short(max(self.crowd))} if self.crowd else {}
        names = ("model", "model_sha256", "settings", "seed", "initial", "steps")
        return {
            "format": FORMAT,
            **{name: first[name] for name in names},
            "runs": len(self.left_radii),
            "links": rows,
            "apart": {**stopping, "outside": short(self.outside)},
            "trivial": short(self.trivial),
            "episodes_outside_radii": list(self.left_radii),
            **crowd,
            "versions": first["versions"],
        }


def regret(study: Study, runs: Sequence[RunState]) -> Link:
    """The first row: what the runs of ``study`` lost."""
    best = study.settings.episodes * optimal_value(study).mid
    lost = tuple(float(best - run.earned * UNITS) for run in runs)
    return Link("regret", "eq:regret", LinkKind.NUMBER, "Σ_k V*(x0,H) - V^{π_k}(x0,H), as it was", lost)


def gaps(runs: Sequence[RunState], values: Sequence[float]) -> tuple[float, ...]:
    """What the values that the learner computed, summed, exceed those of its policies by, run by run."""
    return tuple(float(value) - float(run.earned * UNITS) for run, value in zip(runs, values, strict=True))


def _row(link: Link, held: int | None, factor: float | None) -> dict[str, Any]:
    return {
        "name": link.name,
        "label": link.label,
        "kind": None if held is None else link.kind.value,
        "says": link.says,
        "value": short(link.mean),
        "standard_error": None if link.standard_error is None else short(link.standard_error),
        "factor": None if factor is None else short(factor),
        "held_in_runs": held,
        "parts": {name: short(part) for name, part in link.parts.items()},
    }
