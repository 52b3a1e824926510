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

**Where the iteration stopped** the same holds, time by time.  Let :math:`\phi_j(t)` be the largest change of
the :math:`j`-th further iteration at remaining time :math:`t`, and :math:`N_t` Poisson of mean
:math:`\lambda_{\max}t`.  If :math:`\phi_j(t) \le \epsilon P(N_t \ge j)`, which rises in :math:`t`, then

.. math:: \phi_{j+1}(t) \le \epsilon\int_0^t\hat\lambda e^{-\hat\lambda s}P(N_{t-s}\ge j)\,ds
          \le \epsilon\int_0^t\lambda_{\max}e^{-\lambda_{\max}s}P(N_{t-s}\ge j)\,ds
          = \epsilon P(N_t \ge j+1),

and all of them together move the value by at most :math:`\epsilon\sum_{j\ge1}P(N_H\ge j) =
\epsilon\lambda_{\max}H`, where the paper has :math:`\epsilon e^{\lambda_{\max}H}`.

**A maximum** of functions is at most :math:`m` iff each is: that is why it is non-expansive.  **A minimum**
:math:`\min\{t,y\}` is :math:`st + (1-s)y` with :math:`s` 0 or 1; the inequalities hold for every :math:`s` in
[0,1].
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
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
    from hypothesis.strategies import SearchStrategy

    from ctucbvi.model import CTMDP

NOISE = Fraction(1, 2**40)  # equal norms are told from unequal ones by this much
BITS = 128


def contracted(share: Fraction = Fraction(1), model: CTMDP | None = None) -> Search:
    """``T^{a,k}`` on two functions in closed form: their distance after, against ``share``·ρ times before.

    The estimates lie around the rows of random models, or of this one.
    """
    from hypothesis import strategies as st

    from ctucbvi.exact.exppoly import ExpPoly
    from ctucbvi.exact.iteration import commit
    from proofs_checks.perturbed import Place, places

    one, line = ExpPoly.constant(1), ExpPoly.monomial(1, 1)
    shapes = (
        *(one, ExpPoly.zero()) * 3,  # whose difference is contracted least
        line,
        ExpPoly.monomial(1, 1, 1),
        one - ExpPoly.monomial(1, 0, 3),
        line * line,
    )
    # A constant stands for its value on (0, H]; what happens at 0 alone does not enter the integral.
    shape = st.sampled_from(shapes)

    @st.composite
    def given(draw: Any) -> tuple[Place, list[Any], list[Any]]:
        place = draw(places(model=model))
        count = range(len(place.case.model.states))
        alike = draw(st.booleans())  # one function in all states: then nothing averages out
        u, v = ([draw(shape)] * len(count) if alike else [draw(shape) for _ in count] for _ in range(2))
        return place, u, v

    def sides(example: tuple[Place, list[Any], list[Any]]) -> tuple[Any, Any]:
        place, u, v = example
        case, horizon = place.case, place.case.model.horizon
        pair = case.believed(place.pair)
        before = max((f - g).sup_norm(0, horizon).lower for f, g in zip(u, v, strict=True))
        ahead = [sum((f[y] * p for y, p in pair.to), ExpPoly.zero()) for f in (u, v)]
        after = commit(pair, ahead[0], fmpq(0)) - commit(pair, ahead[1], fmpq(0))
        with precision(BITS):
            factor = 1 - (-arb(rational(case.load))).exp()
            right = arb(rational(share * before)) * factor + arb(rational(NOISE))
        return after.sup_norm(0, horizon, NOISE / 4).upper, right

    return Search(examples=(200, 2000), given=given(), sides=sides, title="functions in closed form")


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


def _drawn(model: CTMDP | None) -> SearchStrategy[CTMDP]:
    """Random models and the paper's, or this one."""
    from hypothesis import strategies as st

    return st.just(model) if model else st.one_of(st.just(paper_example()), class_models())


def contracted_iterates(
    *, truncate: bool, share: Fraction = Fraction(1), model: CTMDP | None = None
) -> Search:
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

    given = st.tuples(_drawn(model), st.integers(1, 2))
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
        with precision(4 * BITS):  # tails are differences from 1
            for z in (Fraction(1, 10), Fraction(1), Fraction(7), Fraction(20)):
                ball = arb(rational(z))
                factor = 1 - (-ball).exp()
                for n in range(2, effort.scaled(12, 60)):
                    tail = 1 - sum((weight(ball, j) for j in range(n)), arb(0))
                    cases.append(Case(f"λmax H = {z}, n = {n}", tail, factor ** (n + power), "<="))
        return Outcome(cases, method="finite sums in balls of 512 bits")

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


Factor = Callable[[arb], arb]  # of ε, as a function of λmax H


def stopped_error(
    factor: Factor = arb.exp, share: Fraction = Fraction(1), model: CTMDP | None = None
) -> Search:
    """‖V̂_∞ - V̂_n‖ where alg:VI stopped, at several times, against a share of ε·``factor``(λmax H)."""
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
            load = arb(rational(model.max_rate * model.horizon))
            return worst, arb(rational(share * epsilon)) * factor(load)

    shares = st.sampled_from([Fraction(1, 2), Fraction(1, 10), Fraction(1, 50)])
    given = st.tuples(_drawn(model), shares)
    return Search(examples=(15, 150), given=given, sides=sides, title="where it stopped")


def long_horizon(share: Fraction = Fraction(1)) -> Computed:
    """‖V̂_∞ - V̂_1‖ = H - w, w = (1 - exp(-λH))/λ, for one state, r = 1; ‖V̂_1 - 0‖ = w < ε = 1/λ stops it.

    The error is 1 - 1/(λH) of ελH: on long horizons no smaller factor will do.
    """

    def compute(effort: Effort) -> Outcome:
        from ctucbvi import algorithm2, solve
        from ctucbvi.model import CTMDP, Transition

        cases = []
        for load in (Fraction(2), Fraction(20))[: effort.scaled(2, 2)]:
            row = Transition("x", "a", load, Fraction(1), (("x", Fraction(1)),))
            model = CTMDP("alone", ("x",), ("a",), Fraction(1), "x", (row,), (Fraction(0),))
            stopped = algorithm2(model, 1 / load).value.value("x", 1)
            error = solve(model, truncate=True, resolve_policy=False).value("x", 1) - stopped
            again = f"from math import exp; print(1 - (1 - exp(-{load}))/{load} > {share})"
            cases.append(Case(f"one state, λ = {load}, H = r = 1, ε = {1 / load}", error, share, line=again))
        return Outcome(cases, method="certified values")

    return Computed(compute, "long horizons")


ERROR_VI = claim(
    "eq:error-vi",
    "‖V̂_∞ - V̂_n‖ <= ε exp(λmax H) if ‖V̂_n - V̂_{n-1}‖ <= ε: the distance d of V̂_n from the fixed point "
    "is at most ρ times that of V̂_{n-1}, which is at most d + ε; with E0 = exp(λmax H), ρ = 1 - 1/E0.",
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
    checks=(stopped_error(arb.expm1), *PROOF),
    argued="that the map contracts and V̂_∞ is its fixed point, so that d <= ρ(d + ε)",
    expected="tested",
)


def poisson_steps(jump: Any = 1) -> Computed:
    """Both identities for all j, by G(z,t) = Σ_{j>=0} z^j P(N_t >= j) = (1 - z exp(λt(z-1)))/(1-z)."""
    z = sympy.Symbol("z", positive=True)

    def tails(t: Any) -> Any:
        return 1 - z * sympy.exp(RATE * t * (z - 1))  # (1-z) G

    def step() -> Any:
        density = sympy.powsimp(sympy.expand(RATE * sympy.exp(-RATE * ELAPSED) * tails(TIME - ELAPSED)))
        return jump * z * sympy.integrate(sympy.expand(density), (ELAPSED, 0, TIME)) - tails(TIME) + (1 - z)

    def together() -> Any:
        return sympy.limit(tails(TIME) / (1 - z) - 1, z, 1) - RATE * TIME

    return vanishes(
        "generating functions",
        ("z ∫ λ exp(-λs) G(z, t-s) ds over [0, t] = G(z, t) - 1", step),
        ("G(z, t) - 1 -> λt as z -> 1", together),
    )


POISSON_STEP = claim(
    "eq:error-vi/load/poisson",
    "∫_0^t λ exp(-λs) P(N_{t-s} >= j) ds = P(N_t >= j + 1) for every j >= 0, N_t Poisson of mean λt, and "
    "Σ_{j>=1} P(N_t >= j) = λt.",
    source="eq:error-vi",
    kind=Kind.REPAIR,
    checks=poisson_steps(),
    expected="proved",
    latex=r"\int_0^t\lambda e^{-\lambda s}\mathbb P(N_{t-s}\ge j)\,ds = \mathbb P(N_t\ge j+1),\quad"
    r"\sum_{j\ge1}\mathbb P(N_t\ge j) = \lambda t",
)

ERROR_VI_LOAD = claim(
    "eq:error-vi/load",
    "‖V̂_∞ - V̂_n‖ <= ε λmax H if ‖V̂_n - V̂_{n-1}‖ <= ε: the j-th further iteration moves the value at "
    "remaining time t by at most ε P(N_t >= j), N_t Poisson of mean λmax t. By induction: this bound "
    "rises in t, so a rate λ̂ <= λmax moves no more than λmax, 1 - exp(-λ̂u) <= 1 - exp(-λmax u); maximum and "
    "minimum move no more. On long horizons the factor is the best: one state, r = 1, ε = 1/λ has 1 - 1/(λH) "
    "of it.",
    says="1 - exp(-l*u) <= 1 - exp(-m*u)",
    domain=Domain.of("u >= 0", "l >= 0", "l <= m"),
    source="eq:error-vi",
    kind=Kind.REPAIR,
    uses=("eq:error-vi/load/poisson", "lem:optimism/contraction-truncated", "eq:mono"),
    checks=(stopped_error(lambda load: load), long_horizon(), *PROOF),
    argued="the induction over the further iterations, with ∫ λ exp(-λs) f(t-s) ds = ∫ (1 - exp(-λ(t-u))) "
    "df(u) for an f that rises from 0, and the sum over them",
    expected="tested",
    latex=r"\|\hat V^k_\infty - \hat V^k_{n_k}\|_\infty \le \epsilon_k\lambda_{\max}H",
)

CLAIMS = (
    CONTRACTION, CONTRACTION_MAX, CONTRACTION_TRUNCATED, ATTAINED, SUPERLINEAR, ERROR_VI, ERROR_VI_SHARPER,
    POISSON_STEP, ERROR_VI_LOAD,
)  # fmt: skip

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
    "eq:error-vi/load/poisson": replace(POISSON_STEP, checks=(poisson_steps(jump=2),)),
    "eq:error-vi/load": replace(ERROR_VI_LOAD, checks=(long_horizon(Fraction(9, 10)),)),
}

FINDINGS: Mapping[str, Mapping[str, str]] = {
    "eq:error-vi": {
        "breaks": "constant",
        "summary": "True, and exponentially too large: the value moves by at most ε λmax H after the "
        "iteration has stopped, because j further iterations need j jumps. So lem:optimism, "
        "lem:v-v-continuoustime and thm:CT-UCB hold with Σ ε_k λmax H for Σ ε_k exp(λmax H), and the "
        "corollary with ε_k = k^(-α)/(λmax H).",
        "repair": "eq:error-vi/load",
    },
}
