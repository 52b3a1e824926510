r"""What a learner has seen, and what it estimates from it, in exact fractions.

An episode is a sequence of visits :math:`(x_n, a_n, \tau_n, x_{n+1})`.  The holding time of the last
one may be cut off by the horizon, :math:`\tau_n = H - t_n`, and then the next state is not
observed.  Up to episode :math:`k-1` (``eq:Timek`` to ``eq:rate-est``):

* :math:`T^k(x,a)` adds up all holding times at :math:`(x,a)`, those cut off included;
* :math:`N^k(x,a,y)` counts the observed jumps to :math:`y`, and :math:`N^{k,+}(x,a)` all observed jumps
  from :math:`(x,a)`; a visit that was cut off is in neither;

.. math:: \hat p_k(y|x,a) = \frac{N^k(x,a,y)}{\max\{1, N^{k,+}(x,a)\}}, \qquad
          \hat\lambda_k(x,a) = \min\Bigl\{\frac{N^{k,+}(x,a)}{T^k(x,a)}, \lambda_{\max}\Bigr\},

both 0 for a pair that was never seen, or seen and never left.  With a known
:math:`\lambda_{\min}` (the paper's remark) :math:`\hat\lambda_k` is raised to it, for every pair.

Holding times are whatever exact numbers they are: a double that was drawn counts as the rational
it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING

from ctucbvi.errors import InputError
from ctucbvi.numbers import shown

if TYPE_CHECKING:
    from ctucbvi.learning.settings import Settings
    from ctucbvi.model import CTMDP


@dataclass(frozen=True, slots=True)
class Visit:
    """One stay: ``action`` is chosen on entering ``state`` and held for ``holding``."""

    state: str
    action: str
    holding: Fraction  # ≥ 0
    to: str | None  # the next state; None: cut off by the horizon


@dataclass(frozen=True, slots=True)
class Episode:
    """The visits of one episode, whose holding times add up to the horizon."""

    visits: tuple[Visit, ...]

    @classmethod
    def of(
        cls,
        model: CTMDP,
        jumps: Iterable[tuple[str, str, Fraction | float, str]],
        last: tuple[str, str] | None,
    ) -> Episode:
        """The episode with these observed ``jumps`` and the ``last`` pair, held until the horizon."""
        visits = [Visit(x, a, Fraction(tau), y) for x, a, tau, y in jumps]
        rest = model.horizon - sum((v.holding for v in visits), Fraction(0))
        if last is not None:
            visits.append(Visit(*last, rest, None))
        episode = cls(tuple(visits))
        episode.check(model)
        return episode

    def check(self, model: CTMDP, where: str = "episode") -> None:
        """Refuse what cannot be an episode of ``model``."""
        offered = {(row.state, row.action) for row in model.transitions}
        if not self.visits:
            raise InputError(f"{where}: no visits; an episode has at least one")
        for i, visit in enumerate(self.visits):
            here = f"{where}, visit {i + 1}"
            if (visit.state, visit.action) not in offered:
                raise InputError(f"{here}: {model.name!r} has no {visit.action!r} in state {visit.state!r}")
            if visit.holding < 0:
                raise InputError(f"{here}: holding time {shown(visit.holding)} is negative or beyond H")
            if visit.to is not None and visit.to not in model.states:
                raise InputError(f"{here}: jumps to {visit.to!r}, which is not a state")
            after = self.visits[i + 1].state if i + 1 < len(self.visits) else visit.to
            if after != visit.to:
                raise InputError(f"{here}: jumps to {visit.to!r}, but the next visit is at {after!r}")
        total = sum((visit.holding for visit in self.visits), Fraction(0))
        if total != model.horizon:
            raise InputError(
                f"{where}: holding times add up to {shown(total)}, not to the horizon {shown(model.horizon)}"
            )


@dataclass(frozen=True, slots=True)
class Statistics:
    """T, N and N⁺ of every pair, in the order of ``model.transitions``."""

    model: CTMDP
    episodes: int  # how many are in it: at the start of episode k, k − 1
    time: tuple[Fraction, ...]  # T(x,a), one per pair
    jumps: tuple[tuple[int, ...], ...]  # N(x,a,y), one row per pair, one column per state
    n_plus: tuple[int, ...]  # N⁺(x,a), one per pair

    @classmethod
    def empty(cls, model: CTMDP) -> Statistics:
        """Those before the first episode."""
        pairs = len(model.transitions)
        return cls(model, 0, (Fraction(0),) * pairs, ((0,) * len(model.states),) * pairs, (0,) * pairs)

    def after(self, episode: Episode) -> Statistics:
        """The statistics with one more episode."""
        row = {(r.state, r.action): i for i, r in enumerate(self.model.transitions)}
        column = {x: i for i, x in enumerate(self.model.states)}
        time, n_plus = list(self.time), list(self.n_plus)
        jumps = {i: list(self.jumps[i]) for i in {row[v.state, v.action] for v in episode.visits}}
        for visit in episode.visits:
            pair = row[visit.state, visit.action]
            time[pair] += visit.holding
            if visit.to is not None:
                n_plus[pair] += 1
                jumps[pair][column[visit.to]] += 1
        rows = tuple(tuple(jumps[i]) if i in jumps else old for i, old in enumerate(self.jumps))
        return replace(self, episodes=self.episodes + 1, time=tuple(time), jumps=rows, n_plus=tuple(n_plus))

    def probability(self, pair: int) -> tuple[Fraction, ...]:
        r""":math:`\hat p(\cdot|x,a)` (``eq:empirical-P``), one number per state."""
        return tuple(Fraction(count, max(1, self.n_plus[pair])) for count in self.jumps[pair])

    def rate(self, pair: int, settings: Settings) -> Fraction:
        r""":math:`\hat\lambda(x,a)` (``eq:rate-est``)."""
        n_plus, time = self.n_plus[pair], self.time[pair]
        if n_plus == 0:
            found = Fraction(0)
        else:  # jumps that took no time at all are infinitely fast
            found = settings.lambda_max if time == 0 else min(n_plus / time, settings.lambda_max)
        return found if settings.lambda_min is None else max(found, settings.lambda_min)

    def rates(self, settings: Settings) -> tuple[Fraction, ...]:
        r""":math:`\hat\lambda` of all pairs."""
        return tuple(self.rate(pair, settings) for pair in range(len(self.n_plus)))


def jump_distance(model: CTMDP, pair: int, estimate: Sequence[Fraction]) -> Fraction:
    r""":math:`\|p(\cdot|x,a) - \hat p(\cdot|x,a)\|_1` (the left side of ``eq:CI-p``)."""
    true = dict(model.transitions[pair].to)
    return sum(
        (abs(true.get(y, Fraction(0)) - q) for y, q in zip(model.states, estimate, strict=True)), Fraction(0)
    )
