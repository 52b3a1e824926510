r"""What the text says about the number of transitions and about the initial state.

The number of jumps in an episode has mean at most :math:`\lambda_{\max}H`, so it is finite; it is at least
:math:`m` if :math:`m` holding times are at most :math:`H/m` each, so it is unbounded; and a window of length
:math:`\varepsilon` sees a jump with probability at most :math:`\lambda_{\max}\varepsilon`, so that no time is
a jump time with positive probability.  It is not a Poisson process if rates differ: with the rate
:math:`\lambda` before the first jump and :math:`m > \lambda` after it,

.. math:: P(J = 1) = \int_0^H \lambda e^{-\lambda s}e^{-m(H-s)}ds
          = \lambda He^{-\lambda H}\,\frac{1-e^{-x}}{x}, \qquad x = (m-\lambda)H > 0,

less than the :math:`\lambda He^{-\lambda H}` of the Poisson law with the same :math:`P(J = 0) = e^{-\lambda
H}`.

*The initial state.* Every step of the upper bound is about one episode from its initial state, or about sums
over episodes in which initial states do not occur; so initial states that are drawn change nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import sympy
from flint import arb

from proofs_checks.optimality_equation import paper_example
from proofs_checks.perturbed import mistaken, places
from proofs_checks.perturbed_values import Shares, regret
from proofs_checks.setting import ELAPSED, PROOF, RATE, TIME, class_models
from proofs_checks.variants import changed, vanishes
from verify.claims import Claim, Domain, Effort, Kind, claim
from verify.provers.balls import precision
from verify.provers.comparison import enclosing
from verify.provers.computed import Case, Computed, Outcome
from verify.provers.search import Search

if TYPE_CHECKING:
    from ctucbvi.model import CTMDP
    from proofs_checks.perturbed import Perturbed, Place

BITS = 128
SOURCE = "sec:episodicRL"


def _counting(model: CTMDP) -> CTMDP:
    """The model with the rates as rewards: values are expected numbers of jumps."""
    return replace(model, transitions=tuple(replace(row, reward=row.rate) for row in model.transitions))


# --- the number of transitions -----------------------------------------------------------------


def tails(share: Fraction = Fraction(1)) -> Computed:
    """``P(N >= m)`` for N Poisson with mean λmax H, which no episode exceeds, against ``share``·λmax H/m."""

    def compute(effort: Effort) -> Outcome:
        from ctucbvi.exact.iteration_bounds import poisson_at_least

        cases = []
        for mean in (Fraction(1, 10), Fraction(2), Fraction(7)):
            for m in range(1, effort.scaled(20, 60)):
                with precision(BITS):
                    tail = poisson_at_least(mean, m)(1)
                cases.append(Case(f"λmax H = {mean}, m = {m}", tail, share * mean / m, "<="))
        return Outcome(cases, method="closed form in balls of 128 bits")

    return Computed(compute, "tails")


FINITE = claim(
    "remark:homogeneous/finite",
    "There are only finitely many jumps in an episode, with probability 1: p = P(at least m jumps) "
    "satisfies mp <= j <= λmax H (j the expected number), so it tends to 0 as m grows.",
    says="p <= j/m",
    domain=Domain.of("m >= 1", "j >= 0", "0 <= p <= 1", "m*p <= j", integers="m"),
    source=SOURCE,
    uses="eq:FH-control-discrete/steps",
    checks=(tails(), *PROOF),
    argued="Markov's inequality, and the limit m -> ∞",
    expected="tested",
)


def windows(share: Fraction = Fraction(1)) -> Search:
    """Jumps expected in a window, under a policy that does not look at the time, against ``share``·λmax e."""
    from hypothesis import strategies as st

    from ctucbvi import Policy, evaluate

    def sides(example: tuple[CTMDP, Fraction, Fraction]) -> tuple[Any, Any]:
        model, start, length = example
        counting = _counting(model)
        held = Policy.of(counting, {x: model.actions_of(x)[0] for x in model.states})
        first, last = model.horizon * start, model.horizon * (start + length)
        value = evaluate(held)
        seen = [value.value(x, last) - value.value(x, first) for x in model.states]
        bound = share * model.max_rate * (last - first)
        return max(seen, key=lambda jumps: jumps.mid), bound + Fraction(1, 2**30)

    models = st.one_of(st.just(paper_example()), class_models())
    parts = st.sampled_from([Fraction(1, 2), Fraction(1, 100), Fraction(1, 10**6)])
    given = st.tuples(models, st.sampled_from([Fraction(0), Fraction(1, 3), Fraction(1, 2)]), parts)
    return Search(examples=(40, 400), given=given, sides=sides, title="windows")


NO_ATOM = claim(
    "remark:homogeneous/no-atom",
    "For almost every t (indeed for every t > 0) no transition occurs exactly at time t: a window of length "
    "e has a jump with probability at most 1 - exp(-λe) <= λe, λ = λmax, which tends to 0.",
    says="1 - exp(-l*e) <= l*e",
    domain=Domain.of("l > 0", "e >= 0"),
    source=SOURCE,
    checks=(windows(), *PROOF),
    argued="that the time to the next jump is exponential with a rate of at most λmax, whatever was before",
    expected="tested",
)

UNBOUNDED = claim(
    "sec:introduction/unbounded",
    "The number of transitions of an episode is unbounded: it is at least m if m holding times are at most "
    "H/m each, with probability at least (1 - exp(-λmin H/m))^m > 0.",
    says="0 < (1 - exp(-l*H/m))**m",
    domain=Domain.of("l > 0", "H > 0", "m >= 1", integers="m"),
    source="sec:introduction",
    checks=PROOF,
    argued="that each holding time has a rate of at least λmin, whatever was before",
    expected="assumed",
)


def one_jump(rate_after: Any) -> Computed:
    """P(J = 1) with rate λ before the first jump and another after it, against the formula of the module."""
    more = sympy.Symbol("m", positive=True)

    def difference() -> Any:
        density = RATE * sympy.exp(-RATE * ELAPSED - rate_after(more) * (TIME - ELAPSED))
        found = sympy.integrate(density, (ELAPSED, 0, TIME))
        x = more * TIME
        return found - RATE * TIME * sympy.exp(-RATE * TIME) * (1 - sympy.exp(-x)) / x

    return vanishes("P(J = 1)", ("P(J = 1) = λH exp(-λH) (1 - exp(-x))/x", difference))


ONE_JUMP = claim(
    "sec:introduction/one-jump",
    "With rate λ before the first jump and λ + m after it, P(J = 1) = λH exp(-λH)(1 - exp(-x))/x, x = mH, "
    "for all λ, m, H > 0.",
    source="sec:introduction",
    kind=Kind.STEP,
    checks=one_jump(lambda more: RATE + more),
    expected="proved",
)
NOT_POISSON = claim(
    "sec:introduction/not-poisson",
    "The transitions are no Poisson process in general: with different rates before and after the first "
    "jump, P(J = 0) = exp(-λH) and P(J = 1) = λH exp(-λH)(1 - exp(-x))/x, x > 0, less than λH exp(-λH).",
    says="1 - exp(-x) < x",
    domain="x > 0",
    source="sec:introduction",
    uses="sec:introduction/one-jump",
    checks=PROOF,
    argued="that a Poisson law is fixed by P(J = 0)",
    expected="assumed",
)

# --- the initial state -------------------------------------------------------------------------


def _drawn(case: Perturbed, epsilon: Fraction, shares: Shares) -> tuple[arb, arb]:
    """Regret of an episode and its bound in the mean over an initial state that is drawn evenly."""
    both = [regret(case, x, epsilon, shares) for x in case.model.states]
    with precision(BITS):
        left, right = (sum((enclosing(pair[i]) for pair in both), arb(0)) / len(both) for i in (0, 1))
    return left, right


def drawn_starts(shares: Shares) -> Search:
    """The bound of one episode on drawn models, from a drawn state."""

    def sides(place: Place) -> tuple[arb, arb]:
        return _drawn(place.case, place.case.model.horizon / 10**place.steps, shares)

    return Search(examples=(10, 300), given=places(), sides=sides, title="drawn initial states")


def mistaken_starts(shares: Shares) -> Computed:
    """The same where a better action is missed."""

    def cases(effort: Effort) -> Iterator[Case]:
        for beta in (Fraction(1, 10), Fraction(1), Fraction(3))[: effort.scaled(2, 3)]:
            sides = _drawn(mistaken(Fraction(1), beta), Fraction(1, 1000), shares)
            yield Case(f"λ = 1, β = {beta}, an initial state drawn evenly", *sides)

    return Computed(lambda effort: Outcome(cases(effort), method="certified values"), "a missed action")


INITIAL = claim(
    "sec:episodicRL/initial-distribution",
    "The results extend to initial states drawn from a fixed distribution: the bound of one episode holds "
    "from every state, so in the mean over states, w the probability of one with regret u <= s, 1 - w that "
    "of the others with v <= z. The sums of prop:proberror and prop:rateerror, and the lower bound, which "
    "has one initial state, do not change.",
    says="w*u + (1 - w)*v <= w*s + (1 - w)*z",
    domain=Domain.of("0 <= w <= 1", "u <= s", "v <= z", reals="u v s z"),
    source=SOURCE,
    uses=("lem:v-v-continuoustime", "prop:proberror", "thm:lowerbound"),
    checks=(drawn_starts(Shares()), mistaken_starts(Shares()), *PROOF),
    argued="that counts, times and numbers of jumps are bounded whatever the initial states are",
    expected="tested",
)

CLAIMS = (FINITE, NO_ATOM, UNBOUNDED, ONE_JUMP, NOT_POISSON, INITIAL)

_NONE = Fraction(0)
MUTANTS: Mapping[str, Claim] = {
    "remark:homogeneous/finite": replace(FINITE, checks=(tails(Fraction(1, 4)),)),
    "remark:homogeneous/no-atom": replace(NO_ATOM, checks=(windows(Fraction(1, 2)),)),
    "sec:introduction/unbounded": changed(UNBOUNDED, "1/2 < (1 - exp(-l*H/m))**m"),
    "sec:introduction/one-jump": replace(ONE_JUMP, checks=(one_jump(lambda more: RATE + 2 * more),)),
    "sec:introduction/not-poisson": changed(NOT_POISSON, domain=Domain.of("x >= 0")),
    "sec:episodicRL/initial-distribution": replace(
        INITIAL, checks=(mistaken_starts(Shares(_NONE, _NONE, _NONE)),)
    ),
}

FINDINGS: Mapping[str, Mapping[str, str]] = {}
