r"""``lem:rateUCB``: the confidence sets of the rates, and its printed proof.

**What fails.**  The proof takes the law of :math:`N^{k,+}` *given* :math:`T^k` as Poisson.  It is not: a
pair that is visited at most once per episode has count 1 whenever its time in the episode is below
:math:`H`.  The bound ``eq:rate-bound-2``, conditional on :math:`T^k = T`, is then false
(:func:`~proofs_checks.checks.rates.certain_miss`).  Nor are holding times independent across episodes, since
policies depend on the past (:func:`~proofs_checks.checks.rates.dependence`).

The repair is in :mod:`proofs_checks.confidence.rates_repaired`.
"""

from __future__ import annotations

from fractions import Fraction

from proofs_checks.checks.common import PROOF
from proofs_checks.checks.crossing import covered
from proofs_checks.checks.rates import certain_miss, conditional_law, counted_twice, dependence
from proofs_checks.derivations import unions
from proofs_checks.derivations.setting import ANY
from verify.claims import Domain, Remark, Section

_SIZES = ("S >= 1", "A >= 1", "K >= 1", "0 < d < 1")

section = Section(
    checks=PROOF,
    expected="proved",
    setting=ANY,
    symbols={"l": "λ", "m": "λmax", "d": "δ", "L": "L(δ)", "q": "λ/λmax"},
)

section.step(
    "lem:rateUCB/beta-bound",
    "β = √(λmax L/T) < λmax for T > L/λmax. With T = wL/λmax, w > 1. (Otherwise β = λmax, eq:beta-k.)",
    says="sqrt(m*L/(w*L/m)) < m",
    domain=("m > 0", "L > 0", "w > 1"),
    uses="eq:beta-k",
    mutant=Domain.of("m > 0", "L > 0", "w > 1/2"),
)

section.claim(
    "lem:rateUCB",
    "P(|λ - λ̂_k| <= β_k for all x, a, k) >= 1 - δ, on the whole domain. (The printed proof rests on a "
    "conditional law that is false. Checked here: crossing probabilities, which no policy can exceed, in "
    "examples.)",
    uses="lem:rateUCB/unseen lem:rateUCB/short eq:rate-bound-2 lem:rateUCB/union",
    checks=covered(),
    expected="tested",
    latex=r"\mathbb P(|\lambda-\hat\lambda_k| \le \beta_k\ \text{for all}\ x,a,k) \ge 1-\delta",
    mutant=covered(Fraction(1, 4)),  # a quarter of the radius
    finding=Remark(
        "proof",
        "The printed proof fails, the statement stands with the same radius wherever λmax (K-1) H <= 25^K "
        "L(δ), for every policy.",
        details="Beyond (horizons exponential in K) it is open; there the bound of thm:CT-UCB is trivial, "
        "so that the theorem does not need it.",
        repair="lem:rateUCB/repaired",
    ),
)

section.step(
    "lem:rateUCB/unseen",
    "If T = 0 then λ̂ = 0 and |λ - λ̂| <= β = λmax.",
    says="Abs(l - 0) <= sqrt(m*L/Max(0, L/m))",
    domain=("l > 0", "m > 0", "l <= m", "L > 0"),
    uses="eq:rate-est/unseen eq:beta-k",
    mutant="Abs(l - 0) <= sqrt(m*L/Max(0, 2*L/m))",
)

section.step(
    "lem:rateUCB/conditional-poisson",
    "Given v_i(x,a), the count n_i(x,a) is Poisson with mean λ v_i. (States 0, 1, 2 with 0 -> 1 -> 2 -> 1 "
    "-> ..., started in 0: given v < H the count is 1, surely.)",
    checks=conditional_law(),
    expected="refuted",
    latex=r"n_i(x,a) \mid v_i(x,a) \sim \mathrm{Poisson}(\lambda(x,a)v_i(x,a))",
    mutant=conditional_law(returning=True),
    finding=Remark(
        "proof",
        "Given the time spent at a pair in an episode the count is not Poisson: if the pair is "
        "visited at most once per episode, the count is 1 whenever the time is below H.",
        repair="lem:rateUCB/martingale",
    ),
)

section.step(
    "lem:rateUCB/independent",
    "The holding times at a pair are independent across episodes, so that N⁺ given T is Poisson. (Two "
    "episodes of CT-UCBVI that start in state 0, where two actions are alike; the second plays the first of "
    "them again only if the first holding time was cut off by H.)",
    uses="lem:rateUCB/conditional-poisson",
    checks=dependence(),
    expected="refuted",
    latex=r"N^{k,+}(x,a) \mid T^k(x,a) \sim \mathrm{Poisson}(\lambda(x,a)T^k(x,a))",
    mutant=dependence(learns=False),
    finding=Remark(
        "proof",
        "Holding times at a pair are not independent across episodes, because policies depend on the past, "
        "those of CT-UCBVI too.",
        repair="lem:rateUCB/martingale",
    ),
)

section.step(
    "eq:rate-bound-1",
    "Truncation at λmax costs nothing (the display has a factor 2): where it changes the estimate, n = "
    "N⁺/T >= λmax, it moves it towards λ <= λmax, (λmax - λ)² <= (n - λ)².",
    elementary=True,
    says="(m - l)**2 <= (n - l)**2",
    domain=("l > 0", "m > 0", "n >= 0", "l <= m", "m <= n"),
    symbols={"n": "N⁺/T"},
    latex=r"|\min\{N^+/T,\lambda_{\max}\}-\lambda| \le |N^+/T-\lambda| \quad (\lambda \le \lambda_{\max})",
    mutant=Domain.of("l > 0", "m > 0", "n >= 0", "m <= n"),
    finding=Remark(
        "constant",
        "True, but the factor 2 is wasted: the truncation is a projection and moves the estimate towards λ.",
        details="It pays for the factor 2 that lem:poisson lacks.",
    ),
)

section.step(
    "eq:rate-bound-1/equality",
    "The first equality of the display: its two events N⁺/T <= λmax and N⁺/T >= λmax share N⁺/T = λmax, "
    "which is counted twice where it has positive probability (given T, for integer λmax T); '<=' is meant.",
    checks=counted_twice(),
    expected="refuted",
    mutant=counted_twice(101),  # the true equality
    finding=Remark(
        "erratum",
        "The first '=' counts N⁺/T = λmax twice; '<=' is all that is used.",
        repair="eq:rate-bound-1",
    ),
)

section.step(
    "lem:rateUCB/exponent",
    "For T >= L/λmax the exponent (βT)²/(2(λT + βT)) is at least L/4; with λmax T = Lw², w >= 1, and "
    "λ = θλmax it is L w²/(2(θw² + w)).",
    says="L*w**2/(2*(q*w**2 + w)) >= L/4",
    domain=("0 < q <= 1", "w >= 1", "L > 0"),
    symbols={"w": "√(λmax T/L)"},
    latex=r"\frac{(\beta T)^2}{2(\lambda T + \beta T)} \ge \frac{L(\delta)}4"
    r"\quad (T > L(\delta)/\lambda_{\max})",
    mutant="L*w**2/(2*(q*w**2 + w)) >= L/3",
)

section.step(
    "lem:rateUCB/radius",
    "exp(-L(δ)/4) = δ/(2SAK) with L(δ) = 4 ln(2SAK/δ).",
    says="exp(-4*log(2*S*A*K/d)/4) == d/(2*S*A*K)",
    domain=Domain.of(*_SIZES, integers="S A K"),
    mutant="exp(-4*log(2*S*A*K/d)/2) == d/(2*S*A*K)",
)

section.step(
    "eq:rate-bound-2",
    "P(|λ̂_k - λ| > β_k | T^k = T) <= δ/(SAK) for every T. (Three states, K = 60, δ = 1/2, λmax = 1, H = "
    "106, a pair visited once per episode with rate 1/100: given T = 105 the count is 59 and the set "
    "misses λ, surely.)",
    uses="lem:poisson lem:rateUCB/conditional-poisson lem:rateUCB/independent eq:rate-bound-1 "
    "lem:rateUCB/exponent lem:rateUCB/radius",
    checks=certain_miss(),
    expected="refuted",
    latex=r"\mathbb P(|\hat\lambda_k-\lambda| > \beta_k \mid T^k = T) \le \delta/(SAK)",
    mutant=certain_miss(Fraction(3000)),
    finding=Remark(
        "proof",
        "The conditional bound given T is false: there are models and T for which the set misses λ with "
        "conditional probability 1.",
        details="Only a bound that is uniform in time can be had.",
        repair="lem:rateUCB/repaired",
    ),
)

section.step(
    "lem:rateUCB/short",
    "For T <= L/λmax the bound holds surely: λ̂ = aλmax and λ = bλmax with a in [0, 1], b in (0, 1], so "
    "|λ̂ - λ| <= λmax = β (squared below).",
    elementary=True,
    says="(m*a - m*b)**2 <= m**2",
    domain=("0 <= a <= 1", "0 < b <= 1", "m > 0"),
    symbols={"a": "λ̂/λmax", "b": "λ/λmax"},
    uses="eq:beta-k",
    mutant="(m*a - m*b)**2 <= (m/2)**2",
)

section.step(
    "lem:rateUCB/union",
    "The probability that one of SAK sets misses is at most δ, if each misses with probability at most "
    "δ/(SAK).",
    says="S*A*K*(d/(S*A*K)) == d",
    domain=Domain.of(*_SIZES, integers="S A K"),
    theorem=unions.UNION,
    derivation=unions.union_of_sets,
    mutant="2*S*A*K*(d/(S*A*K)) == d",
)
