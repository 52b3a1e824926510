r"""The contraction in the proof of ``lem:optimism``, and ``eq:error-vi``: how fast value iteration converges.

The operator of an estimated model, :math:`\mathcal T^{a,k}`, has a rate :math:`\hat\lambda \in
[0,\lambda_{\max}]` and a row :math:`\hat p` that sums to *at most* 1: a pair that was never left has the
empty row, although the paper's argument says :math:`\sum_y \hat p = 1`. Nothing changes: with :math:`w =
\|u - v\|`,

.. math:: |\mathcal T^{a,k}u - \mathcal T^{a,k}v|
          \le w \int_0^t \hat\lambda e^{-\hat\lambda s}ds \sum_y \hat p(y)
          \le w\,(1 - e^{-\lambda_{\max}H}) = \varrho\, w .

**The coefficient is attained** in one step, by :math:`u - v = 1` on :math:`(0,H]`, where the rate is
:math:`\lambda_{\max}` and the row sums to 1. **It is not the speed of the iteration**: :math:`n` steps
contract by :math:`P(\mathrm{Poisson}(\lambda_{\max}H) \ge n) \le \varrho^n`, faster than any power, and
:math:`\|V^* - V_n\| \le \mathbb E(H - \Gamma_n)^+` with :math:`\Gamma_n` the time of the n-th jump at full
rate.

**A maximum** of functions is at most :math:`m` iff each is: that is why it is non-expansive.  **A minimum**
:math:`\min\{t,y\}` is :math:`st + (1-s)y` with :math:`s` 0 or 1; the inequalities hold for every :math:`s` in
[0,1].
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import sympy
from flint import arb, fmpq

from proofs_checks.lem_poisson import weight
from proofs_checks.optimality_equation import paper_example
from proofs_checks.setting import ELAPSED, PROOF, RATE, TIME, class_models
from proofs_checks.variants import changed, vanishes
from verify.claims import Claim, Domain, Effort, Kind, claim
from verify.provers.balls import precision, rational
from verify.provers.computed import Case, Computed, Outcome
from verify.provers.search import Search

if TYPE_CHECKING:
    from ctucbvi.model import CTMDP

NOISE = Fraction(1, 2**40)  # equal norms are told from unequal ones by this much
BITS = 128


def contracted(share: Fraction = Fraction(1)) -> Search:
    """``T^{a,k}`` on two functions in closed form: their distance after, against ``share``·ρ times before."""
    from hypothesis import strategies as st

    from ctucbvi.exact.exppoly import ExpPoly
    from ctucbvi.exact.iteration import commit
    from ctucbvi.model import Pair

    one, line = ExpPoly.constant(1), ExpPoly.monomial(1, 1)
    shapes = (
        one,
        line,
        ExpPoly.monomial(1, 1, 1),
        one - ExpPoly.monomial(1, 0, 3),
        line * line,
        ExpPoly.zero(),
    )
    # A constant stands for its value on (0, H]; what happens at 0 alone does not enter the integral.
    function = st.sampled_from(shapes)
    row = st.sampled_from(
        [(Fraction(1), Fraction(0)), (Fraction(1, 2), Fraction(1, 2)), (Fraction(1, 3), Fraction(0))]
    )
    rate = st.sampled_from([Fraction(1), Fraction(0), Fraction(1, 2)])  # as a share of λmax

    def sides(example: Any) -> tuple[Any, Any]:
        (u0, u1, v0, v1), (p, q), part, horizon = example
        pair = Pair(0, 0, 3 * part, Fraction(1, 2), ())
        after = commit(pair, u0 * p + u1 * q, fmpq(0)) - commit(pair, v0 * p + v1 * q, fmpq(0))
        before = max((u0 - v0).sup_norm(0, horizon).lower, (u1 - v1).sup_norm(0, horizon).lower)
        with precision(BITS):
            factor = 1 - (-arb(rational(3 * horizon))).exp()
            right = arb(rational(share * before)) * factor + arb(rational(NOISE))
        return after.sup_norm(0, horizon, NOISE / 4).upper, right

    four = st.tuples(function, function, function, function)
    horizons = st.sampled_from([Fraction(1), Fraction(1, 3), Fraction(4)])
    given = st.tuples(four, row, rate, horizons)
    return Search(examples=(60, 1000), given=given, sides=sides, title="functions in closed form")


CONTRACTION = claim(
    "lem:optimism/contraction",
    "‖T^{a,k}u - T^{a,k}v‖ <= (1 - exp(-λmax H)) ‖u - v‖ for u, v in 𝕄: with w the distance, p <= 1 the "
    "sum of the row p̂, z = λmax H and zf = λ̂t.",
    says="w*p*(1 - exp(-z*f)) <= w*(1 - exp(-z))",
    domain=Domain.of("w >= 0", "0 <= p <= 1", "0 <= f <= 1", "z > 0"),
    source="lem:optimism",
    kind=Kind.STEP,
    checks=(contracted(), *PROOF),
    argued="that the modulus of an integral is at most the integral of the modulus",
    expected="tested",
)


def contracted_iterates(*, truncate: bool, share: Fraction = Fraction(1)) -> Search:
    """‖V_{n+1} - V_n‖ against ``share``·ρ‖V_n - V_{n-1}‖: the map with its maximum, and with its minimum."""
    from hypothesis import strategies as st

    from ctucbvi import ValueIteration

    def sides(example: tuple[CTMDP, int]) -> tuple[Any, Any]:
        model, n = example
        model = model.with_rewards(3) if truncate else model  # with a bonus, so that min{t, ·} matters
        iterates = ValueIteration(model, truncate=truncate, bits=64)
        after, before = iterates[n + 1].distance(iterates[n]), iterates[n].distance(iterates[n - 1])
        with precision(BITS):
            factor = 1 - (-arb(rational(model.max_rate * model.horizon))).exp()
            right = arb(rational(share * before.upper)) * factor + arb(rational(NOISE * model.horizon))
        return after.lower, right

    given = st.tuples(st.one_of(st.just(paper_example()), class_models()), st.integers(1, 2))
    return Search(examples=(15, 150), given=given, sides=sides, title="iterates")


CONTRACTION_MAX = claim(
    "lem:optimism/contraction-max",
    "The maximum over actions contracts alike: if every T^a u = a is within e of T^a v = c, and m is the "
    "maximum of all c, then a <= m + e, so the maximum of all a is at most m + e; and the other way round.",
    says="a <= m + e",
    domain=Domain.of("e >= 0", "a <= c + e", "c <= m", reals="a c m"),
    source="lem:optimism",
    kind=Kind.STEP,
    uses="lem:optimism/contraction",
    checks=(contracted_iterates(truncate=False), *PROOF),
    argued="that the inequality for every action is one for the maximum, in every state and at every time",
    expected="tested",
)

CONTRACTION_TRUNCATED = claim(
    "lem:optimism/contraction-truncated",
    "The truncated map contracts alike: if x <= y + e then u = min{t,x} <= min{t,y} + e. (The paper says "
    "it of min{H,·}; the map is min{t,·}.)",
    says="u <= s*t + (1 - s)*y + e",
    domain=Domain.of("0 <= s <= 1", "e >= 0", "u <= t", "u <= x", "x <= y + e", reals="u t x y"),
    source="lem:optimism",
    kind=Kind.STEP,
    uses="lem:optimism/contraction-max",
    checks=(contracted_iterates(truncate=True), *PROOF),
    argued="that min{t,y} is the case s = 1 or s = 0, and the inequality holds in every state and at "
    "every time",
    expected="tested",
)


def _attained(slower: Any = 1) -> Computed:
    density = slower * RATE * sympy.exp(-slower * RATE * ELAPSED)
    return vanishes(
        "integrated",
        (
            "∫ λmax exp(-λmax s)·1 ds over [0, H] = (1 - exp(-λmax H))·1",
            lambda: sympy.integrate(density, (ELAPSED, 0, TIME)) - (1 - sympy.exp(-RATE * TIME)),
        ),
    )


ATTAINED = claim(
    "lem:optimism/attained",
    "The coefficient cannot be lowered: u = 1 on (0,H] and v = 0 are in 𝕄 and at distance 1, and for a "
    "pair with rate λmax and a full row T^a u - T^a v at t = H is 1 - exp(-λmax H).",
    source="lem:optimism",
    kind=Kind.STEP,
    checks=_attained(),
    expected="proved",
)


def several_steps(power: int = 0) -> Computed:
    """P(Poisson(z) >= n), what n steps with u - v = 1 leave, against ρ^(n + ``power``)."""

    def compute(effort: Effort) -> Outcome:
        cases = []
        with precision(BITS):
            for z in (Fraction(1, 10), Fraction(1), Fraction(7), Fraction(20)):
                ball = arb(rational(z))
                factor = 1 - (-ball).exp()
                for n in range(2, effort.scaled(12, 60)):
                    tail = 1 - sum((weight(ball, j) for j in range(n)), arb(0))
                    cases.append(Case(f"λmax H = {z}, n = {n}", tail, factor ** (n + power), "<="))
        return Outcome(cases, method="finite sums in balls of 128 bits")

    return Computed(compute, "Poisson tails")


SUPERLINEAR = claim(
    "lem:optimism/contraction-superlinear",
    "n steps contract by P(Poisson(λmax H) >= n), which is at most ρⁿ: n holding times add up to at most H "
    "only if each is at most H.",
    source="lem:optimism",
    kind=Kind.REPAIR,
    uses="lem:optimism/contraction",
    checks=several_steps(),
    expected="tested",
)


def stopped_error(less: int = 0, share: Fraction = Fraction(1)) -> Search:
    """‖V̂_∞ - V̂_n‖ where alg:VI stopped, at several times, against a share of ε(exp(λmax H) - ``less``)."""
    from hypothesis import strategies as st

    from ctucbvi import algorithm2, solve

    def sides(example: tuple[CTMDP, Fraction]) -> tuple[Any, Any]:
        model, part = example
        model = model.with_rewards(3)  # with a bonus, so that min{t, ·} matters
        epsilon = model.horizon * part
        stopped = algorithm2(model, epsilon).value
        limit = solve(model, truncate=True, resolve_policy=False)
        times = [model.horizon * Fraction(i, 4) for i in range(1, 5)]
        worst = max(limit.value(x, t).lower - stopped.value(x, t).upper for x in model.states for t in times)
        with precision(BITS):
            growth = arb(rational(model.max_rate * model.horizon)).exp()
            return worst, arb(rational(share * epsilon)) * (growth - less)

    shares = st.sampled_from([Fraction(1, 2), Fraction(1, 10), Fraction(1, 50)])
    given = st.tuples(st.one_of(st.just(paper_example()), class_models()), shares)
    return Search(examples=(15, 150), given=given, sides=sides, title="where it stopped")


ERROR_VI = claim(
    "eq:error-vi",
    "‖V̂_∞ - V̂_n‖ <= ε exp(λmax H) if ‖V̂_n - V̂_{n-1}‖ <= ε: the distance d of V̂_n from the fixed point is "
    "at most ρ times that of V̂_{n-1}, which is at most d + ε; with E0 = exp(λmax H), ρ = 1 - 1/E0.",
    says="d <= e*E0",
    domain=Domain.of("E0 >= 1", "d >= 0", "e >= 0", "d <= (1 - 1/E0)*(d + e)"),
    source="eq:error-vi",
    kind=Kind.STEP,
    uses=("lem:optimism/contraction-truncated", "eq:mono"),
    checks=(stopped_error(), *PROOF),
    argued="that the map contracts and V̂_∞ is its fixed point, so that d <= ρ(d + ε)",
    expected="tested",
    latex=r"\|\hat V^k_\infty - \hat V^k_{n_k}\|_\infty \le \epsilon_k e^{\lambda_{\max}H}",
)

ERROR_VI_SHARPER = claim(
    "eq:error-vi/sharper",
    "The same argument gives ε (exp(λmax H) - 1), which is λmax H ε in the first order where λmax H is "
    "small.",
    says="d <= e*(E0 - 1)",
    domain=Domain.of("E0 >= 1", "d >= 0", "e >= 0", "d <= (1 - 1/E0)*(d + e)"),
    source="eq:error-vi",
    kind=Kind.REPAIR,
    uses=("lem:optimism/contraction-truncated", "eq:mono"),
    checks=(stopped_error(less=1), *PROOF),
    argued="that the map contracts and V̂_∞ is its fixed point, so that d <= ρ(d + ε)",
    expected="tested",
)

CLAIMS = (
    CONTRACTION,
    CONTRACTION_MAX,
    CONTRACTION_TRUNCATED,
    ATTAINED,
    SUPERLINEAR,
    ERROR_VI,
    ERROR_VI_SHARPER,
)

MUTANTS: Mapping[str, Claim] = {
    "lem:optimism/contraction": replace(CONTRACTION, checks=(contracted(Fraction(9, 10)),)),
    "lem:optimism/contraction-max": replace(
        CONTRACTION_MAX, checks=(contracted_iterates(truncate=False, share=Fraction(1, 50)),)
    ),
    "lem:optimism/contraction-truncated": changed(CONTRACTION_TRUNCATED, "u <= s*t + (1 - s)*y"),
    "lem:optimism/attained": replace(ATTAINED, checks=(_attained(sympy.Rational(1, 2)),)),  # at half the rate
    "lem:optimism/contraction-superlinear": replace(SUPERLINEAR, checks=(several_steps(power=8),)),
    "eq:error-vi": changed(ERROR_VI, "d <= e*E0/2"),
    "eq:error-vi/sharper": changed(ERROR_VI_SHARPER, "d <= e*(E0 - 2)"),
}
