r"""``alg:VI``: its printed loop, that it stops, and how fast it converges.

Faster than any linear rate, and never in finitely many steps.  The error of :math:`V_n` is at most
:math:`e_n = \mathbb E(H-\Gamma_n)^+ = \mathbb E(N-n)^+/\lambda`, :math:`\Gamma_n` the time of the n-th jump
at the rate :math:`\lambda = \lambda_{\max}` and :math:`N` Poisson with mean :math:`\mu = \lambda H`; with
reward 1 and this rate everywhere it is :math:`e_n`.  The weights of :math:`N` satisfy :math:`p_{j+1} =
p_j\mu/(j+1)`, so that :math:`e_{n+1} \le \frac{\mu}{n+2}e_n`: the paper's :math:`\varrho^n`, :math:`\varrho
= 1 - e^{-\lambda_{\max}H}`, is a bound and not the rate.  And :math:`e_n > 0`.
"""

from __future__ import annotations

from fractions import Fraction

from proofs_checks.checks.common import PROOF
from proofs_checks.checks.value_iteration import falling_tails, indices, never_there, ratios, rounds_needed
from proofs_checks.derivations import evaluations, iterations, unfinished
from proofs_checks.derivations.setting import ANY, POSITIVE
from verify.claims import Domain, Remark, Section

section = Section(checks=PROOF, expected="proved", setting=ANY)

section.claim(
    "alg:VI/indices",
    "The iteration of alg:VI is well defined as printed: n is raised from 0 to 1, V_2 is computed from "
    "V_1, and so on.",
    checks=indices(looks_back=False),
    expected="refuted",
    mutant=indices(looks_back=True),  # the repaired loop
    finding=Remark(
        "erratum",
        "n is raised before V_{n+1} is computed from V_n, so the first round reads V_1, which nothing has "
        "defined, and V_0 is never used.",
        details="What is meant is V_n from V_{n-1}.",
        repair="alg:VI/indices/repaired",
    ),
)

section.repair(
    "alg:VI/indices/repaired",
    "With V_n = min{t, max_a T^a V_{n-1}} after raising n, every function that is read has been computed: "
    "V_0 has, and V_n has after a round in which V_{n-1} had.",
    theorem=iterations.INDICES,
    derivation=iterations.indices,
    checks=indices(looks_back=True),
    mutant=indices(looks_back=False),
)

section.claim(
    "alg:VI/stops",
    "The iteration stops: ‖V_{n+1} - V_n‖ <= ρⁿH, and with ρ = exp(-c) this is at most ε = H exp(-g) as "
    "soon as cn >= g, that is after at most ln(H/ε)/(-ln ρ) + 2 rounds, for every ε > 0; so not every n "
    "misses ε (with λmax H = 7 and ε = H/10 that is 2525; 4 suffice).",
    says="exp(-c*n) <= exp(-g)",
    domain=Domain.of("c > 0", "n >= 1", "g <= c*n", integers="n", reals="g"),
    symbols={"c": "-ln ρ", "g": "ln(H/ε)"},
    uses="eq:mono lem:optimism/contraction-truncated",
    theorem=iterations.STOPS,
    derivation=iterations.stops,
    checks=(rounds_needed(), *PROOF),
    mutant=rounds_needed(extra=100),
)

section.claim(
    "alg:VI/infinite",
    "In general V*_n < V* for every n, so that value iteration takes infinitely many iterations: with "
    "reward 1 V* = t, and the difference, E(t - Γ_n)⁺, is at least t/2 times a lower bound of the "
    "probability that n holding times are at most t/(2n + 2) each.",
    says="0 < t/2*(1 - exp(-l*t/(2*n)))**n",
    domain=Domain.of("t > 0", "l > 0", "n >= 1", integers="n"),
    symbols={"l": "λ"},
    uses="eq:Qa/optimality lem:optimism/value-bound",
    setting=POSITIVE,
    theorem=unfinished.UNFINISHED,
    derivation=unfinished.unfinished,
    checks=(never_there(), *PROOF),
    mutant=never_there(reward=0),  # nothing to earn: V_0 = V*
)

section.claim(
    "alg:VI/linear-rate",
    "Value iteration converges asymptotically with the linear rate ρ = 1 - exp(-λmax H), in the usual sense "
    "of a bound: what a round changes is at most ρ times what the round before did, ‖V_{n+1} - V_n‖ <= ρⁿH "
    "on [0,H]. (Computed: the errors for reward 1 and λmax = H = 1. For the iteration without truncation "
    "the error itself is eq:Qa/iteration. It is no exact rate: alg:VI/linear-rate/repaired.)",
    uses="eq:mono lem:optimism/contraction-truncated",
    theorem=iterations.LINEAR,
    derivation=iterations.linear,
    checks=ratios(Fraction(1)),
    mutant=ratios(Fraction(1, 2)),
    finding=Remark(
        "constant",
        "True as the bound that the proofs use, and far from what happens: the error falls faster than any "
        "linear rate.",
        details="With reward 1 and λmax = H = 1 it falls by the factors 0.368, 0.282, 0.225, 0.186, ..., "
        "and ρ = 0.632.",
        repair="alg:VI/linear-rate/repaired",
    ),
)

section.repair(
    "alg:VI/linear-rate/repaired",
    "Convergence is faster than any linear rate: V* <= V_n + κⁿ H exp(θt) with κ = λmax/(λmax + θ), for "
    "every θ > 0; and so for the modified iteration. (The error of V_n is at most e_n = E(H - Γ_n)⁺ = E(N - "
    "n)⁺/λmax, N Poisson with mean μ = λmax H, as computed here, and e_{n+1} <= μ/(n + 2) e_n: the weights "
    "p_j of N have p_{j+1} = p_j μ/(j + 1), and the formula, summed over j > n, says it.)",
    says="(i + 1)*(p*mu/(n + i + 2)) <= mu/(n + 2)*((i + 1)*p)",
    domain=("n >= 0", "i >= 0", "0 <= p <= 1", "mu >= 0"),
    symbols={"mu": "μ", "p": "p_j", "i": "j - n - 1"},
    uses="eq:mono lem:optimism/value-bound/iterates",
    theorem=evaluations.FASTER,
    derivation=evaluations.faster,
    checks=(falling_tails(), *PROOF),
    mutant=falling_tails(later=4),
)
