r"""How fast value iteration converges: faster than any linear rate, and never in finitely many steps.

The error of :math:`V_n` is at most :math:`e_n = \mathbb E(H-\Gamma_n)^+ = \mathbb E(N-n)^+/\lambda`,
:math:`\Gamma_n` the time of the n-th jump at the rate :math:`\lambda = \lambda_{\max}` and :math:`N` Poisson
with mean :math:`\mu = \lambda H`; with reward 1 and this rate everywhere it is :math:`e_n`.  The weights of
:math:`N` satisfy :math:`p_{j+1} = p_j\mu/(j+1)`, so that :math:`e_{n+1} \le \frac{\mu}{n+2}e_n`: the paper's
:math:`\varrho^n`, :math:`\varrho = 1 - e^{-\lambda_{\max}H}`, is a bound and not the rate.  And :math:`e_n >
0`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

from flint import arb

from proofs_checks.setting import PROOF
from verify.claims import Claim, Domain, Effort, Kind, claim
from verify.provers.balls import precision, rational
from verify.provers.comparison import enclosing
from verify.provers.computed import Case, Computed, Outcome

BITS = 128
RATE_LINE = "from math import exp; print((3*exp(-1) - 1)/exp(-1) < (1 - exp(-1))/2)"


def ratios(share: Fraction) -> Computed:
    """The errors of V_n for reward 1 and rate 1 on [0, 1], against ``share``·ρ times those before."""

    def compute(effort: Effort) -> Outcome:
        del effort
        from ctucbvi import ValueIteration
        from ctucbvi.model import CTMDP, Transition

        rows = [Transition.of(x, "a", rate=1, reward=1, to={y: 1}) for x, y in ("xy", "yx")]
        iterates = ValueIteration(CTMDP.of("turns", horizon=1, initial="x", transitions=rows), bits=BITS)
        with precision(BITS):
            errors = [1 - enclosing(iterates[n].value("x", 1)) for n in range(7)]
            rho = 1 - (-arb(1)).exp()
            cases = [
                Case(f"the error of V_{n + 1} over that of V_{n}",
                     errors[n + 1] / errors[n], rational(share) * rho, ">=", line=RATE_LINE)
                for n in range(1, 6)
            ]  # fmt: skip
        return Outcome(cases, method="iterates in closed form")

    return Computed(compute, "ratios")


LINEAR_RATE = claim(
    "alg:VI/linear-rate",
    "Value iteration converges asymptotically with the linear rate ρ = 1 - exp(-λmax H), read as: its "
    "errors fall like ρⁿ, from one iteration to the next by a factor near ρ. Reward 1, λmax = H = 1: by at "
    "least ρ/2. (As an upper bound ρⁿH is right: eq:Qa/iteration.)",
    source="alg:VI",
    checks=ratios(Fraction(1, 2)),
    expected="refuted",
)


def falling_tails(later: int = 2) -> Computed:
    """``E(H - Γ_{n+1})⁺`` against ``λH/(n + later)`` times ``E(H - Γ_n)⁺``, by closed forms."""

    def compute(effort: Effort) -> Outcome:
        from ctucbvi.exact.iteration_bounds import poisson_at_least

        cases = []
        for mean in (Fraction(1, 10), Fraction(1), Fraction(7)):
            with precision(BITS):
                rest = [
                    arb(rational(mean)) * poisson_at_least(mean, n)(1) - n * poisson_at_least(mean, n + 1)(1)
                    for n in range(effort.scaled(12, 40))
                ]
            for n, (now, then) in enumerate(pairwise(rest)):
                with precision(BITS):
                    bound = rational(mean / (n + later)) * now
                cases.append(Case(f"λH = {mean}, n = {n}", then, bound, "<="))
        return Outcome(cases, method="closed forms in balls of 128 bits")

    return Computed(compute, "tails")


SUPERLINEAR = claim(
    "alg:VI/linear-rate/repaired",
    "The error of V_n is at most e_n = E(H - Γ_n)⁺ = E(N - n)⁺/λmax, N Poisson with mean μ = λmax H, and "
    "e_{n+1} <= μ/(n + 2) e_n: convergence is faster than any linear rate. The weights p_j of N have "
    "p_{j+1} = p_j μ/(j + 1), and the formula, summed over j > n, says it. The same holds for the modified "
    "iteration, since V̂_∞ <= t and λ̂ <= λmax.",
    says="(j - n)*(p*mu/(j + 1)) <= mu/(n + 2)*((j - n)*p)",
    domain=Domain.of("n >= 0", "j >= n + 1", "0 <= p <= 1", "mu >= 0", integers="n j"),
    source="alg:VI",
    kind=Kind.REPAIR,
    uses="eq:Qa/iteration",
    checks=(falling_tails(), *PROOF),
    argued="the sum over j, and the modified iteration",
    expected="tested",
)


def never_there(rounds: tuple[int, int] = (12, 60), reward: int = 1) -> Computed:
    """``V* - V_n = r E(1 - Γ_n)⁺`` for the reward r and the rate 1 on [0, 1]."""

    def compute(effort: Effort) -> Outcome:
        from ctucbvi.exact.iteration_bounds import poisson_at_least

        cases = []
        for n in range(1, effort.scaled(*rounds)):
            with precision(4 * BITS):
                rest = poisson_at_least(Fraction(1), n)(1) - n * poisson_at_least(Fraction(1), n + 1)(1)
            cases.append(Case(f"reward {reward}: V* - V_{n} at t = 1", reward * rest, 0, ">"))
        return Outcome(cases, method="closed forms in balls of 512 bits")

    return Computed(compute, "errors")


INFINITE = claim(
    "alg:VI/infinite",
    "In general V*_n < V* for every n, so that value iteration takes infinitely many iterations: with "
    "reward 1 the difference is E(t - Γ_n)⁺, at least t/2 times the probability that n holding times are at "
    "most t/(2n) each.",
    says="0 < t/2*(1 - exp(-l*t/(2*n)))**n",
    domain=Domain.of("t > 0", "l > 0", "n >= 1", integers="n"),
    source="alg:VI",
    checks=(never_there(), *PROOF),
    argued="that the difference is E(t - Γ_n)⁺",
    expected="tested",
)

CLAIMS = (LINEAR_RATE, SUPERLINEAR, INFINITE)

MUTANTS: Mapping[str, Claim] = {
    "alg:VI/linear-rate": replace(LINEAR_RATE, checks=(ratios(Fraction(1, 10)),)),  # true so far
    "alg:VI/linear-rate/repaired": replace(SUPERLINEAR, checks=(falling_tails(later=4),)),
    "alg:VI/infinite": replace(INFINITE, checks=(never_there(reward=0),)),  # nothing to earn: V_0 = V*
}

FINDINGS: Mapping[str, Mapping[str, str]] = {
    "alg:VI/linear-rate": {
        "breaks": "remark",
        "summary": "ρⁿ bounds the error and is no asymptotic rate: the error falls faster than any linear "
        "rate. With reward 1 and λmax = H = 1 it falls by the factors 0.368, 0.282, 0.225, 0.186, ..., and "
        "ρ = 0.632. The bound is what the proofs use.",
        "repair": "alg:VI/linear-rate/repaired",
    },
}
