r"""The chain from the regret to the bound of ``thm:CT-UCB/optimistic``, from the sums of every run.

With the sums of :mod:`ctucbvi.losses.optimistic_tally`, :math:`W = fH + H^2/2`, :math:`q = f + H` and
:math:`w, w'` the prices of rates (:class:`~ctucbvi.losses.optimistic_tally.Rates`), rates go

.. math:: \sum\int c \to w\sum\frac{f\tau+A}{\sqrt{\max\{eT,1\}}} + w'\sum\frac A{\max\{eT,1\}}
          \to \sum_{x,a}\Bigl[wW + 2w\sqrt{\tfrac qe(fT+A)} + w'\bigl(\tfrac{H^2}2 + \tfrac He(1 +
          \ln(1+\tfrac eHA))\bigr)\Bigr]

.. math:: \to SA\,wW + 2w\sqrt{\tfrac qe SAKW} + w'SA\bigl(\tfrac{H^2}2 + \tfrac He(1 +
          \ln(1+\tfrac{eKH}{2SA}))\bigr) ,

where :math:`\sum(fT+A) = KW` on every path, and rows, with :math:`g(n) = 2(S\ln2 + \ln(SAn(n+1)/\delta))`,
:math:`M = 1 + Kv/(SA)`, :math:`a^2 = g(M)`, :math:`c^2 = SAa^2/(Kv H/2)` and :math:`J_M` the most jumps of an
episode,

.. math:: \sum\alpha Z \to \sum_{x,a}\bigl[2\sqrt{H g(N)Z} + \sqrt{g(1)}HJ_M\bigr]
          \to 2\sqrt{H\sum g(N)\sum Z} + \ldots

.. math:: \to \sqrt H\Bigl[c\sum Z + \frac1c\Bigl(SAa^2 + 2\bigl(\tfrac1M+\tfrac1{M+1}\bigr)\bigl(\sum N -
          Kv\bigr)\Bigr)\Bigr] + \ldots \to \sqrt2H\sqrt{SAKv}\,a + SAH\sqrt{g(1)}J_M ,

the last as :math:`E\sum N \le Kv` and :math:`E\sum Z \le KvH/2`; at last :math:`J` for :math:`J_M`, and
:math:`2\delta KH` for the event that a set misses the model.

The bound is that of the theorem for the :math:`\delta` that was played with.  It is about the exact solution
of the optimistic equation: the first two links also carry what the grid costs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING, Any

import numpy as np

from ctucbvi.bounds.arithmetics import DOUBLES
from ctucbvi.bounds.formulas import mean_maximum_sharp
from ctucbvi.bounds.parameters import Parameters
from ctucbvi.bounds.versions import OPTIMISTIC_DELTA, POISSON_DELTA, Version
from ctucbvi.errors import InputError
from ctucbvi.learning.fast.episodes import N_PLUS
from ctucbvi.learning.fast.optimistic import set_constants
from ctucbvi.losses.chain import Chain, Link, LinkKind, gaps, regret
from ctucbvi.losses.optimistic_tally import (
    AREA,
    LEFT,
    LOG,
    LONGEST,
    OUTSIDE,
    RATES,
    ROOT,
    ROWS,
    TIME,
    VALUE,
    OptimisticSums,
    Rates,
)
from ctucbvi.study.bound import regret_bound

if TYPE_CHECKING:
    from ctucbvi.losses.runs import TalliedRun
    from ctucbvi.study.plan import Study

Parts = Mapping[str, tuple[float, ...]]  # by name, one number per run
_RATES, _ROWS, _LOG = "rates on time", "rows on jumps", "rates, by a logarithm"
_LATE_RATES, _LATE_ROWS = "rates known late", "rows known late"


@dataclass(frozen=True)
class OptimisticSizes:
    """The numbers of the proof that the data do not change."""

    rates: Rates
    log_jumps: float  # ln(2^S SA/δ)
    pairs: int  # SA
    episodes: int  # K
    horizon: float  # H
    jumps: float  # Kv, v = λmax H
    largest: float  # J, at least the mean of the most jumps of an episode
    bound: float
    outside: float  # 2δKH

    @classmethod
    def of(cls, study: Study) -> OptimisticSizes:
        """Those of a study; refused where there is no theorem."""
        model, settings = study.model, study.settings
        if settings.replan:
            raise InputError(
                "replan: the sums are those of the learner that plans before every episode; leave it out"
            )
        if missing := regret_bound(model, settings, [settings.episodes]).missing:
            raise InputError(f"{model.name}: there is no bound to reach: {missing}")
        if settings.jumps != "l1":
            raise InputError(f"jumps: the proof for {settings.jumps} is not drawn; write l1, or leave it out")
        told = {"lambda_max": settings.lambda_max, "delta": settings.delta}
        p = Parameters.of_model(model, episodes=settings.episodes, **told)
        return cls(
            Rates.of(study),
            set_constants(model, settings, 1).log_jumps,
            p.states * p.actions,
            p.episodes,
            float(p.horizon),
            float(p.episodes * p.load),
            mean_maximum_sharp(p, DOUBLES),
            _version(study).bound(p, DOUBLES),
            float(2 * settings.delta * p.episodes * p.horizon),
        )

    def level(self, n: Any) -> Any:
        """g(n), of a number or an array."""
        return 2 * (self.log_jumps + np.log(n * (n + 1.0)))

    @property
    def whole(self) -> float:
        """W: what an episode has of fτ + A."""
        return (self.rates.flat + self.horizon / 2) * self.horizon

    @property
    def root_price(self) -> float:
        """2w√(q/e)."""
        return 2 * self.rates.root_weight * math.sqrt((self.rates.flat + self.horizon) / self.rates.scale)

    @property
    def late_rates(self) -> float:
        """What a pair costs because its time is known when an episode begins: wW + w'H²/2."""
        return self.rates.root_weight * self.whole + self.rates.log_weight * self.horizon**2 / 2

    @property
    def late_rows(self) -> float:
        """The same for its jumps, for every jump of the longest episode: √g(1) H."""
        return math.sqrt(self.level(1)) * self.horizon

    def by_logarithm(self, area: Any) -> Any:
        """w'(H/e)(1 + ln(1 + eA/H)), of a number or an array."""
        unit = self.horizon / self.rates.scale
        return self.rates.log_weight * unit * (1 + np.log1p(area / unit))


def optimistic_chain(study: Study, runs: Sequence[TalliedRun[OptimisticSums]]) -> Chain:
    """The chain of complete runs."""
    sizes, sums = OptimisticSizes.of(study), [run.sums for run in runs]
    states = [run.state for run in runs]
    rows = (
        regret(study, states),
        Link(
            "optimistic value", "lem:optimism/equation", LinkKind.EVENT,
            "V̂ of the best model in the sets for V*: at least V* while the model is in all of them",
            gaps(states, [s.total[VALUE] for s in sums]),
        ),
        *_paid(sizes, sums),
        *_counted(sizes, sums),
        Link(
            "bound", _version(study).label, LinkKind.NUMBER,
            "with 2δKH for sets that miss the model"
            + ("" if sizes.rates.log_weight == 0 else ", and 3 + log2(K(1 + v))/2 for the number of tilts"),
            (sizes.bound,) * len(runs), {"sets that miss the model": sizes.outside},
        ),
    )  # fmt: skip
    return Chain(
        study,
        rows,
        stopping=None,
        outside=sizes.outside,
        trivial=sizes.episodes * sizes.horizon,
        left_radii=tuple(int(s.clock[OUTSIDE]) for s in sums),
    )


def _version(study: Study) -> Version:
    """The theorem about the learner of ``study``."""
    return OPTIMISTIC_DELTA if study.settings.rates == "paper" else POISSON_DELTA


def _link(name: str, label: str, kind: LinkKind, says: str, parts: Parts) -> Link:
    """A row that is the sum of its parts."""
    values = tuple(map(sum, zip(*parts.values(), strict=True)))
    return Link(name, label, kind, says, values, {part: fmean(each) for part, each in parts.items()})


def _each(sums: Sequence[OptimisticSums], value: Callable[[OptimisticSums], float]) -> tuple[float, ...]:
    return tuple(float(value(s)) for s in sums)


def _paid(sizes: OptimisticSizes, sums: Sequence[OptimisticSums]) -> tuple[Link, ...]:
    """What is paid at the decisions: as the sets are, and by their sizes."""
    rates, rows = sizes.rates, _each(sums, lambda s: s.total[ROWS])
    paper = rates.log_weight == 0
    prices = {_RATES: _each(sums, lambda s: rates.root_weight * s.total[ROOT])}
    if not paper:
        prices[_LOG] = _each(sums, lambda s: rates.log_weight * s.total[LOG])
    width = "(λ̄ - λ̲)t" if paper else "min{(λ̄ - λ̲)t, 3√(lt/T) + 3lt/T}"
    return (
        _link(
            "payments", "lem:v-v-continuoustime/equation", LinkKind.MEAN,
            f"for V̂ - V^π at every decision {width} integrated over the time spent, t the remaining time, "
            "and α times what remains after a jump that is seen",
            {_RATES: _each(sums, lambda s: s.total[RATES]), _ROWS: rows},
        ),
        _link(
            "prices for widths", "eq:beta-k" if paper else "lem:rateUCB/tilts/cost", LinkKind.PATH,
            "2β = 2λmax/√max(eT, 1), e = λmax/L, for the width of the rates" if paper else
            "√(3λmax/(4H)) (H + t)/√max(eT, 1) + λmax t/max(eT, 1), e = λmax/(3l), for that price",
            {**prices, _ROWS: rows},
        ),
    )  # fmt: skip


def _counted(sizes: OptimisticSizes, sums: Sequence[OptimisticSums]) -> tuple[Link, ...]:
    """Counting: pigeon-hole, Cauchy-Schwarz, and numbers for what is random."""
    rates, pairs, root = sizes.rates, sizes.pairs, math.sqrt(sizes.horizon)
    mean = 1 + sizes.jumps / pairs  # M
    left, level = sizes.jumps * sizes.horizon / 2, float(sizes.level(mean))  # KvH/2, a²
    balance = math.sqrt(pairs * level / left)  # c

    def same(value: float) -> tuple[float, ...]:
        return (float(value),) * len(sums)

    def clock(s: OptimisticSums) -> Any:
        return rates.flat * s.own[TIME] + s.own[AREA]

    def levels(s: OptimisticSums) -> Any:
        return sizes.level(np.maximum(1, s.counts[N_PLUS]))

    def all_levels(s: OptimisticSums) -> float:
        """Σ g(N) over SA pairs: those that the model does not have saw no jump."""
        return float(levels(s).sum() + (pairs - s.counts.shape[1]) * sizes.level(1))

    def on_the_tangent(s: OptimisticSums) -> float:
        steep = 2 * (1 / mean + 1 / (mean + 1)) * (float(s.counts[N_PLUS].sum()) - sizes.jumps)
        return root * float(balance * s.own[LEFT].sum() + (pairs * level + steep) / balance)

    logarithm = rates.log_weight > 0
    pigeon: Parts = {
        _RATES: _each(sums, lambda s: sizes.root_price * np.sqrt(clock(s)).sum()),
        **({_LOG: _each(sums, lambda s: sizes.by_logarithm(s.own[AREA]).sum())} if logarithm else {}),
        _LATE_RATES: _each(sums, lambda s: s.counts.shape[1] * sizes.late_rates),
        _ROWS: _each(sums, lambda s: 2 * root * np.sqrt(levels(s) * s.own[LEFT]).sum()),
        _LATE_ROWS: _each(sums, lambda s: s.counts.shape[1] * sizes.late_rows * s.clock[LONGEST]),
    }
    area = sizes.episodes * sizes.horizon**2 / (2 * pairs)
    schwarz: Parts = {
        _RATES: same(sizes.root_price * math.sqrt(pairs * sizes.episodes * sizes.whole)),
        **({_LOG: same(pairs * sizes.by_logarithm(area))} if logarithm else {}),
        _LATE_RATES: same(pairs * sizes.late_rates),
        _ROWS: _each(sums, lambda s: 2 * root * math.sqrt(all_levels(s) * s.own[LEFT].sum())),
        _LATE_ROWS: _each(sums, lambda s: pairs * sizes.late_rows * s.clock[LONGEST]),
    }
    tangent = {**schwarz, _ROWS: _each(sums, on_the_tangent)}
    means = {**tangent, _ROWS: same(2 * root * math.sqrt(left * pairs * level))}
    longest = {**means, _LATE_ROWS: same(pairs * sizes.late_rows * sizes.largest)}
    return (
        _link(
            "pigeon-hole", "prop:proberror/pigeon-hole/late", LinkKind.PATH,
            "what each pair pays at most for the time and the jumps it has in the end, with what it pays "
            "more as these are known when an episode begins: for one horizon, and for the jumps of the "
            "longest episode",
            pigeon,
        ),
        _link(
            "Cauchy-Schwarz", "prop:rateerror/times", LinkKind.PATH,
            "one root for the sum of the roots over the pairs; their times add up to KH",
            schwarz,
        ),
        _link(
            "tangent", "lem:CI-p/uniform/tangent", LinkKind.PATH,
            "2√(xy) at most cx + y/c with a fixed c, and the logarithm in α below its tangent at "
            "M = 1 + Kv/(SA)",
            tangent,
        ),
        _link(
            "means for jumps", "prop:proberror/rows", LinkKind.MEAN,
            "Kv for the number of jumps and KvH/2 for what remains after them",
            means,
        ),
        _link(
            "longest episode", "eq:term1-3/tilted", LinkKind.MEAN,
            "the bound J on its mean for the number of jumps of the longest episode",
            longest,
        ),
    )  # fmt: skip
