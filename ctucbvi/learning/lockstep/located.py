r"""One episode of a learner with a bonus beside its located counterpart in doubles."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import inf

from ctucbvi.learning.estimated import layer, layered
from ctucbvi.learning.exact.learner import ExactLearner, ExactPlan
from ctucbvi.learning.fast.located import LocatedLearner, LocatedPlan
from ctucbvi.learning.lockstep.records import Differences, farthest
from ctucbvi.numbers import UNIT
from ctucbvi.numeric.certificate import Certificate, certify

_ROUNDINGS = 64  # more than twice as many as the bonus needs, each of them UNIT to first order
_LARGEST_ERROR = Fraction(1, 10**6)  # of the horizon: a proof of less would explain too much
_TIMES = 2  # remaining times at which values are compared, per state


class LocatedRound:
    """The comparison of one episode."""

    def __init__(self, exact: ExactLearner, fast: LocatedLearner) -> None:
        plan = exact.plan()
        assert isinstance(plan, ExactPlan)  # of a learner with a bonus
        self.exact, self.fast, self.plan = exact, fast, plan
        self.differences = Differences(exact.episode)
        self.quick = self._planned()
        self._estimates()
        self._bonuses()
        horizon = exact.model.horizon
        # Two different models need no proof that their values are close.
        self.certificate = None if self.differences.found else proof(self.plan, self.quick)
        bound = inf if self.certificate is None else self.certificate.bound
        self.error = _proved(bound) + self.plan.excess * horizon
        self._iterations()
        if self.certificate is not None:
            self._values(self.certificate)
        if self.error > _LARGEST_ERROR * horizon:
            self.differences.note("error", "all values", "", "", self.error, _LARGEST_ERROR * horizon)

    def _planned(self) -> LocatedPlan:
        """The fast side's plan; it is a new one if the exact side's is, whatever the fast side would do."""
        again, (said, gap) = self.plan.episode == self.exact.episode, self.fast.due()
        if again != said:
            pairs = range(len(self.fast.time))
            allowed = max(2 * self.fast.time_error(k) for k in pairs) + _ROUNDINGS * Fraction(UNIT)
            words = {True: "made", False: "kept"}
            self.differences.note(
                "plan", "all pairs", words[said], words[again], gap, allowed, explained=gap <= allowed
            )
        return self.fast.plan(again)

    def choose(self, state: str, remaining: Fraction) -> str:
        """The exact side's choice, compared with the fast side's."""
        chosen, other = self.exact.choose(state, remaining), self.fast.choose(state, remaining)
        if chosen != other:
            gap = farthest(self.exact.plan().lead(state, chosen, other, remaining))
            stopped_alike = self.plan.iterations == self.quick.iterations
            allowed = 2 * self.error + self._rounding() if stopped_alike else _proved(inf)
            where = f"{state}@{float(remaining):.17g}"
            self.differences.note("action", where, other, chosen, gap, allowed, explained=gap <= allowed)
        return chosen

    def _rounding(self) -> Fraction:
        """What the rounding of a remaining time to a double can change in a value."""
        model = self.plan.estimated
        steepest = max(abs(row.reward) for row in model.transitions) + 2 * model.max_rate * model.horizon
        return 16 * Fraction(UNIT) * model.horizon * steepest

    def _estimates(self) -> None:
        seen, fast = self.exact.statistics, self.fast
        for k, row in enumerate(seen.model.transitions):
            where = f"{row.state}/{row.action}"
            counts = (fast.n_plus[k], tuple(fast.jumps[k])), (seen.n_plus[k], seen.jumps[k])
            if counts[0] != counts[1]:
                self.differences.note("estimate", f"{where} N", str(counts[0]), str(counts[1]))
            relative = fast.time_error(k)
            self.differences.compare(
                "estimate", f"{where} T", fast.time[k], seen.time[k], seen.time[k] * relative
            )
            rate = self.plan.statistics.rate(k, fast.settings)
            allowed = rate * (2 * relative + 4 * Fraction(UNIT))
            self.differences.compare("estimate", f"{where} rate", self.quick.rates[k], rate, allowed)

    def _bonuses(self) -> None:
        log = Fraction(max(self.fast.radii.jump_constant, 1e-300))  # a logarithm near 0 is rounded coarsely
        for k, row in enumerate(self.plan.statistics.model.transitions):
            true = self.plan.bonus[k]
            rounding = _ROUNDINGS * Fraction(UNIT) * (1 + 1 / log)
            allowed = true.upper * (self.fast.time_error(k) + rounding) + true.radius
            if self.plan.settings.bonus == "sharp":
                allowed = self._sharp_error(3 * self.fast.time_error(k) + rounding) + true.radius
            self.differences.compare(
                "bonus", f"{row.state}/{row.action}", self.quick.bonus[k], true.mid, allowed
            )

    def _sharp_error(self, relative: Fraction) -> Fraction:
        r"""The error of the sharp bonus if those of the rate and of both radii are at most ``relative``.

        The arguments :math:`z \le v = \lambda_{\max}H` of :math:`\varphi` are off by :math:`2ve`, and
        :math:`\ln\varphi(z)` by half of that, as :math:`|\varphi'| \le \varphi/2`; quotients are at most
        :math:`1/\varphi(v) \le 1 + v`.  So the part of the rate is off by at most :math:`2v(1+v)e`, that of
        the jumps by :math:`(1+v)e + v(1+v)e`, and the larger of two sums by no more than one of them: less
        than :math:`4(1+v)^2e`.
        """
        load = self.plan.settings.lambda_max * self.plan.statistics.model.horizon
        return 4 * (1 + load) ** 2 * relative

    def _iterations(self) -> None:
        mine, other = self.plan.iterations, self.quick.iterations
        if mine == other:
            return
        low, high = self.quick.distances[min(mine, other) - 1]
        blur = 2 * self.error
        near, far = Fraction(low) - blur, Fraction(high) + blur
        touching = near <= self.plan.epsilon.upper and self.plan.epsilon.lower <= far
        gap = abs(Fraction((low + high) / 2) - self.plan.epsilon.mid)
        self.differences.note(
            "iterations", f"n = {min(mine, other)}", str(other), str(mine), gap, blur, explained=touching
        )

    def _values(self, certificate: Certificate) -> None:
        plan, levels = self.plan, self.quick.levels
        if plan.iterations > levels:
            return  # the fast side stopped long before, which is listed already
        places = range(*layer(plan.estimated, levels, plan.iterations).indices(10**9))
        for place, state in zip(places, plan.estimated.states, strict=True):
            name = certificate.solution.model.states[place]
            for i in range(1, _TIMES + 1):
                t = plan.estimated.horizon * i / _TIMES
                fast, true = certificate.value(name, t), plan.value(state, t)
                if not fast.overlaps(true):
                    gap = abs(fast.mid - true.mid)
                    where = f"{state}@{float(t):.6g}"
                    self.differences.note(
                        "value", where, repr(float(fast.mid)), repr(float(true.mid)), gap, fast.radius
                    )


def proof(plan: ExactPlan, quick: LocatedPlan) -> Certificate:
    """A proof of how close the fast side's polynomials are to the iterates of the exact side's model."""
    return certify(replace(quick.solution, model=layered(plan.estimated, quick.levels)))


def _proved(bound: float) -> Fraction:
    return Fraction(10**9) if bound == inf else Fraction(bound)
