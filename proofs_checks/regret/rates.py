r"""``prop:rateerror``: the sum of the errors of the rates; its printed proof, and a proof that works.

**What fails.** The printed proof compares :math:`N^{k,+}` and :math:`T^k` through the law of :math:`N`
*given* :math:`T`, taken as Poisson (see ``lem:rateUCB/conditional-poisson``).  Its conclusion
``eq:cond-exp``, one decision at a time, is false for policies that look at the data: let two states take
turns, with forty actions of rate 1 in each, play each action for one episode of length 1, and then the one
with the most jumps out of the first state (:func:`~proofs_checks.checks.rate_errors.best_of`).

**What works.** By ``lem:rateUCB/martingale`` with :math:`\zeta = \ln 2`, :math:`2^N e^{-\lambda T}` is a
martingale over the visits of a pair, for all policies.  Call a pair *odd* in an episode if :math:`N^{k,+} \ge
2\max\{\lambda_{\max}T^k, L\}`; then :math:`N\ln 2 - \lambda T \ge (2\ln2-1)L`, so by Ville's inequality and a
union over the pairs some pair is ever odd with probability at most

.. math:: SA\,e^{-(2\ln2-1)L} \le \frac\delta{2K} .

Where a pair is not odd, the two sums compare term by term with the paper's :math:`\sqrt{2\lambda_{\max}}`.  A
decision at an odd one weighs at most :math:`H\sqrt{\lambda_{\max}/L}`; whether a pair is odd is known when
the episode begins, and an episode has at most :math:`1 + \lambda_{\max}H` decisions in the mean, whatever is
known when it begins (``prop:rateerror/decisions``).  So they cost at most
:math:`H\sqrt{\lambda_{\max}/L}\,(\lambda_{\max}H+1)\,\delta/2`, at most a third of
:math:`\sqrt{2\lambda_{\max}}\,H\sqrt{SAK}(\lambda_{\max}H+1)`; no second moments are needed.

With the constant 2 of ``prop:proberror/sharp`` the sum has the constant :math:`2 + \frac13`, below the
printed 3.
"""

from __future__ import annotations

from fractions import Fraction

from proofs_checks.checks import adaptive_counts
from proofs_checks.checks.common import PROOF
from proofs_checks.checks.rate_errors import best_of, mean_inverse_roots, mean_of_larger, one_state
from proofs_checks.checks.rates import few_hours
from proofs_checks.derivations import comparisons, potentials, printed_rates, seen_rates
from proofs_checks.derivations import rates as derived
from proofs_checks.derivations.setting import ANY, LEARNS, POLICIES
from verify.claims import Domain, Remark, Section

section = Section(
    checks=PROOF,
    expected="proved",
    setting=ANY,
    symbols={"d": "δ", "L": "L(δ)", "r": "λmax", "q": "λ/λmax", "v": "λmax H"},
)

# --- the printed proof ------------------------------------------------------------------------

section.step(
    "prop:rateerror/jensen",
    "E[N^(-1/2)] >= (E N)^(-1/2) for N = max{1, ·} of a count: x^(-1/2) lies above its tangent at c = E "
    "N, and the tangent has mean c^(-1/2).",
    says="x**(-1/2) >= c**(-1/2) - (x - c)/(2*c**(3/2))",
    domain=("x > 0", "c > 0"),
    theorem=printed_rates.JENSEN,
    derivation=printed_rates.jensen,
    checks=(mean_inverse_roots(), *PROOF),
    latex=r"\mathbb E N^{-1/2} \ge (\mathbb E N)^{-1/2}",
    mutant=mean_inverse_roots(Fraction(9, 10)),
)

section.step(
    "prop:rateerror/mean",
    "E max(N, 1) = exp(-μ) + μ for N Poisson(μ), whose probabilities have q_0 = exp(-μ), (n + 1) q_{n+1} "
    "= μ q_n and the sum 1: max(n, 1) = n for n >= 1, and n = 0 adds P(N = 0) = exp(-μ).",
    says="Max(n, 1) == n",
    domain=Domain.of("n >= 1", integers="n"),
    theorem=printed_rates.LARGER_MEAN,
    derivation=printed_rates.larger_mean,
    checks=(mean_of_larger(), *PROOF),
    latex=r"\mathbb E\max\{N,1\} = e^{-\mu}+\mu",
    mutant=(mean_of_larger(1), *PROOF),
)

section.step(
    "prop:rateerror/elementary",
    "exp(-t) + t <= 2 max(t, 1) for every t >= 0.",
    says="exp(-t) + t <= 2*Max(t, 1)",
    domain="t >= 0",
    mutant="exp(-t) + t <= Max(t, 1)",
)

section.step(
    "prop:rateerror/rate",
    "max(λT, 1) <= λmax max(T, 1/λmax), T what is known of the pair when an episode of a run begins.",
    theorem=comparisons.RATE,
    derivation=comparisons.rate,
    latex=r"\max\{\lambda T,1\} \le \lambda_{\max}\max\{T,1/\lambda_{\max}\}",
)

section.step(
    "prop:rateerror/conditional",
    "Given T, E[1/√max(N⁺, 1)] >= 1/√(2λmax max(T, 1/λmax)), the display before eq:cond-exp. (Three states, "
    "one action, so that CT-UCBVI has no choice, a pair that is visited once per episode, λ = λmax = 1, H = "
    "3, k = 6: given T = 2 the count is 5, surely, and 1/√5 = 0.447 < 1/2.)",
    uses="lem:rateUCB/independent prop:rateerror/jensen prop:rateerror/mean prop:rateerror/elementary "
    "prop:rateerror/rate",
    checks=few_hours(),
    expected="refuted",
    latex=r"\mathbb E[\max\{N^{k,+},1\}^{-1/2}\mid T^k] \ge"
    r"(2\lambda_{\max}\max\{T^k,1/\lambda_{\max}\})^{-1/2}",
    mutant=few_hours(Fraction(5)),  # more time than visits
    finding=Remark(
        "proof",
        "The conditional inequality is false where a pair is visited once per episode and all visits were "
        "short, for CT-UCBVI as for every learner.",
        repair="prop:rateerror/pathwise",
    ),
)

section.claim(
    "eq:cond-exp",
    "For every k and m, E[(H - t_m)^+/√max(N⁺, 1)] >= E[(H - t_m)^+/√max(T, 1/λmax)]/√(2λmax), for policies "
    "that depend on past data. (Two states that take turns, forty actions of rate 1 = λmax in each, H = 1; "
    "episodes 1 to 40 play one action each, episode 41 the one with the most jumps out of the first state. "
    "There T <= 1 = 1/λmax, and at k = 41, m = 0: 0.699 < 0.707.)",
    uses="prop:rateerror/conditional",
    checks=best_of(),
    expected="refuted",
    latex=r"\mathbb E\frac{(H-t_m)^+}{\sqrt{\max\{N^+,1\}}} \ge \frac1{\sqrt{2\lambda_{\max}}}"
    r"\mathbb E\frac{(H-t_m)^+}{\sqrt{\max\{T,1/\lambda_{\max}\}}}",
    mutant=best_of(1),  # no choice by the data: must not be refuted
    finding=Remark(
        "proof",
        "N⁺ given T is not Poisson, and for policies that depend on the data the comparison of "
        "the two means is false, one decision at a time: forty equal actions, then the one with the most "
        "jumps, give 0.699 < 0.707.",
        details="That learner is not CT-UCBVI, for which no counterexample to this mean is known; the "
        "argument fails for CT-UCBVI, too (prop:rateerror/conditional).",
        repair="prop:rateerror/pathwise",
    ),
)

section.step(
    "prop:rateerror/L",
    "1/√max(T, L/λmax) <= 1/√max(T, 1/λmax) as L > 1, T the time in a pair before an episode of a run.",
    uses="thm:CT-UCB/L/repaired",
    theorem=comparisons.LEVEL,
    derivation=comparisons.level,
)

section.claim(
    "prop:rateerror",
    "E Σ_k Σ_m (H - t_m)^+/√max(T, L/λmax) <= √(2λmax) times the bound of prop:proberror, for 0 < δ < 1 "
    "(then L > 1; the theorem has β = √(λmax L)/√max(T, L/λmax), and so √(λmax L) on both sides). (The "
    "printed proof rests on eq:cond-exp; this is by prop:rateerror/repaired.)",
    uses="prop:rateerror/repaired thm:CT-UCB/log-factor",
    setting=LEARNS,
    theorem=derived.PRINTED,
    derivation=derived.printed,
    checks=(one_state(), adaptive_counts.rate_errors()),
    latex=r"\mathbb E\sum_{k,m}\frac{(H-t_m^k)^+}{\sqrt{\max\{T^k,L/\lambda_{\max}\}}} \le"
    r"\sqrt{2\lambda_{\max}}\cdot3\Bigl(H+\frac1{\lambda_{\min}}\Bigr)\sqrt{SAK}"
    r"\,\frac{(\lambda_{\max}H+1)\ln K}{\ln(\ln K+1)}",
    mutant=adaptive_counts.rate_errors(Fraction(1, 100)),
    finding=Remark(
        "proof",
        "The printed proof fails with eq:cond-exp.",
        details="The statement stands as printed, for every policy and all parameters, by one use of "
        "Ville's inequality and a comparison path by path; the constant is 7/3 for 3, and the growing "
        "factor can be Σ_m √P(Z > m).",
        repair="prop:rateerror/repaired",
    ),
)

# --- the repair -------------------------------------------------------------------------------

section.repair(
    "prop:rateerror/decisions",
    "What stays during an episode, g >= 0, is seen by at most 1 + λmax H decisions of it in the mean: E Σ g "
    "<= (1 + λmax H) E Σ g over first decisions, by the potential g(1 + λmax u), u the remaining time.",
    theorem=potentials.DECISIONS,
    derivation=potentials.decisions,
    checks=(),
)

section.repair(
    "prop:rateerror/jumps",
    "What stays during an episode, g >= 0, is seen by at most λmax H jumps of it in the mean: E Σ g 1{jump} "
    "<= λmax H E Σ g over first decisions, by the potential gλmax u.",
    theorem=potentials.JUMPS,
    derivation=potentials.jumps,
    checks=(),
)

section.repair(
    "prop:rateerror/episodes",
    "Each of the first K episodes begins once: a sum of g(k) >= 0 over the first decisions of episodes k < "
    "K, as many as were seen, is at most Σ_{k<K} g(k).",
    theorem=potentials.EPISODES,
    derivation=potentials.episodes,
    checks=(),
)

section.repair(
    "prop:rateerror/event",
    "P(F^c) <= SA exp(-(2 ln 2 - 1)L(δ)) <= δ/(2K), F the event that N⁺ < 2 max(λmax T, L) for all pairs "
    "and episodes; for one pair without the factor SA.",
    says="n*exp(-(2*log(2) - 1)*(4*log(2*n*K/d))) <= d/(2*K)",
    domain=Domain.of("n >= 1", "K >= 1", "0 < d < 1", integers="n K"),
    symbols={"n": "SA"},
    uses="lem:rateUCB/martingale lem:rateUCB/frozen",
    theorem=derived.EVENT,
    derivation=derived.rare,
    latex=r"\mathbb P(F^c) \le SA\,e^{-(2\ln2-1)L(\delta)} \le \delta/(2K)",
    mutant="n*exp(-(2*log(2) - 1)*(2*log(2*n*K/d))) <= d/(2*K)",
)

section.repair(
    "prop:rateerror/pathwise",
    "At each decision √(λmax L)/√max(T, L/λmax), which is β, is at most √(λmax L)√(2λmax)/√max(N⁺, 1), or"
    " λmax if the pair is odd, N⁺ >= 2 max(λmax T, L): with M = max(T, L/λmax), n = max(N⁺, 1) is at most"
    " 2λmax M where it is not, since 2L >= 1.",
    says="1/sqrt(M) <= sqrt(2*r)/sqrt(n)",
    domain=("M > 0", "r > 0", "n >= 1", "n <= 2*r*M"),
    setting=POLICIES,
    theorem=derived.PATHWISE,
    derivation=derived.seen_by_jumps,
    mutant="1/sqrt(M) <= sqrt(r)/sqrt(n)",
)

section.repair(
    "prop:rateerror/complement",
    "Decisions at odd pairs cost at most E Σ_k Σ_m (H - t_m)⁺ λmax 1{odd} <= λmax H(λmax H + 1) δ/2, "
    "which is at most a third of √(λmax L)√(2λmax) H(λmax H + 1) = λmax √(2L) H(λmax H + 1): whether a "
    "pair is odd is known when the episode begins.",
    says="d/2 <= sqrt(2*L)/3",
    domain=("0 < d < 1", "L >= 2"),
    mutant="d/2 <= sqrt(2*L)/5",
    uses="prop:rateerror/event prop:rateerror/decisions prop:rateerror/episodes",
    theorem=derived.COMPLEMENT,
    derivation=derived.complement,
)

section.repair(
    "prop:rateerror/repaired",
    "prop:rateerror holds as printed, for every policy and all parameters: with D = (λmax H + 1) ln "
    "K/ln(ln K + 1), or D = Σ_m √P(Z > m), Z Poisson of mean v = λmax H (any D that is at "
    "least all partial sums: g in the derived formula), both at least v, the sum is at most √(2λmax)√(SAK) "
    "times 2(H + 1/λmin)D + H(v + 1)/3 <= (7/3)(H + 1/λmin)D; w = 1/λmin >= H/v.",
    says="2*(H + w)*D + H*(v + 1)/3 <= 7/3*(H + w)*D",
    domain=("H > 0", "w > 0", "v > 0", "H <= w*v", "v <= D"),
    symbols={"w": "1/λmin"},
    uses="prop:rateerror/pathwise prop:rateerror/complement prop:proberror/sharp eq:term1-3/levels/mean "
    "thm:CT-UCB/log-factor thm:CT-UCB/whole/enough",
    setting=LEARNS,
    theorem=derived.REPAIRED,
    derivation=derived.rate_errors,
    checks=(one_state(Fraction(7, 9)), adaptive_counts.rate_errors(Fraction(7, 9)), *PROOF),
    latex=r"\mathbb E\sum_{k,m}\frac{(H-t_m^k)^+}{\sqrt{\max\{T^k,L/\lambda_{\max}\}}} \le"
    r"\tfrac73\sqrt{2\lambda_{\max}}\Bigl(H+\frac1{\lambda_{\min}}\Bigr)\sqrt{SAK}\,D",
    mutant=Domain.of("H > 0", "w > 0", "v > 0", "H <= w*v", "v <= 2*D"),
)

section.repair(
    "prop:rateerror/seen",
    "Where a jump is seen: with the same D, E Σ_k Σ_m β 1{t_{m+1} <= H} is at most (7/3)√(λmax L)√(2λmax)"
    "√(SAK) D. Odd pairs cost λmax v δ/2 at most, v = λmax H, and v <= D.",
    uses="prop:rateerror/pathwise prop:rateerror/event prop:rateerror/jumps prop:rateerror/episodes "
    "prop:proberror/seen eq:term1-3/levels/mean thm:CT-UCB/log-factor",
    setting=POLICIES,
    theorem=seen_rates.SEEN_ERRORS,
    derivation=seen_rates.seen_rate_errors,
    checks=(),
)
