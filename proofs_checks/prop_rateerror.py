r"""``prop:rateerror``: the sum of the errors of the rates; its printed proof, and a proof that works.

**What fails.** The printed proof compares :math:`N^{k,+}` and :math:`T^k` through the law of :math:`N`
*given* :math:`T`, taken as Poisson (see ``lem:rateUCB/conditional-poisson``).  Its conclusion
``eq:cond-exp``, one decision at a time, is false for policies that look at the data: let two states take
turns, with forty actions of rate 1 in each, play each action for one episode of length 1, and then the one
with the most jumps out of the first state (:func:`best_of`).

**What works.** By ``lem:rateUCB/martingale`` with :math:`\zeta = \ln 2`, :math:`2^N e^{-\lambda T}` is a
martingale over the visits of a pair, for all policies.  With :math:`u = \lambda_{\max}T`, :math:`N >
2\max\{u, L\}` implies :math:`N\ln 2 - \lambda T \ge (2\ln2-1)L`, so by Ville's inequality and a union over
the pairs the event

.. math:: F = \{N^{k,+}(x,a) \le 2\max\{\lambda_{\max}T^k(x,a), L\}\ \text{for all}\ x,a,k\}

fails with probability at most :math:`SA\,x^{8\ln2-4}`, :math:`x = \delta/(2SAK)`.  On :math:`F` the two
sums compare path by path with the paper's :math:`\sqrt{2\lambda_{\max}}`.  Off :math:`F` each decision
weighs at most :math:`H\sqrt{\lambda_{\max}/L}`, an episode has :math:`J+1 \le Z+1` of them, :math:`E(Z+1)^2
= (v+1)^2 + v \le \frac54(v+1)^2`, and by Cauchy–Schwarz the rest is at most
:math:`\sqrt{2\lambda_{\max}}\,H\sqrt{SAK}(v+1)` times

.. math:: \sqrt{5/4}\,\sqrt K\,\frac{x^{4\ln2-2}}{\sqrt{2L}} \le
          \frac{\sqrt{5/8}\,x^{4\ln2-5/2}}{\sqrt{8\ln(1/x)}} \le \frac13 \qquad (K \le 1/(2x),\ x \le 1/2).

With the constant 2 of ``prop:proberror/sharp`` the sum has the constant :math:`2 + \frac13`, below the
printed 3.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

from flint import arb

from proofs_checks import adaptive_counts
from proofs_checks.lem_poisson import weight
from proofs_checks.variants import changed
from verify.claims import Claim, Domain, Effort, Kind, claim
from verify.provers.balls import precision, rational
from verify.provers.computed import Case, Computed, Outcome
from verify.provers.proof import Proof
from verify.provers.search import Search

_BITS = 128
_SOURCE = "prop:rateerror"
_PROOF = (Proof(), Search(examples=(60, 2000)))


# --- the printed proof ------------------------------------------------------------------------


def mean_inverse_roots(factor: Fraction = Fraction(1)) -> Search:
    """(E N)^(-1/2) against E N^(-1/2), times ``factor``, for N uniform on a list of numbers."""
    from hypothesis import strategies

    def sides(numbers: list[int]) -> tuple[arb, arb]:
        with precision(_BITS):
            mean = sum((1 / arb(n).sqrt() for n in numbers), arb(0)) / len(numbers)
            left = 1 / arb(rational(Fraction(sum(numbers), len(numbers)))).sqrt()
            return left, rational(factor) * mean + arb(2) ** -40  # equal if the numbers are

    numbers = strategies.lists(strategies.integers(1, 50), min_size=1, max_size=8)
    return Search((150, 2000), numbers, sides, title="uniform laws")


JENSEN = claim(
    "prop:rateerror/jensen",
    "E[N^(-1/2)] >= (E N)^(-1/2) for positive N: x^(-1/2) lies above its tangent at c = E N, and the "
    "tangent has mean c^(-1/2).",
    says="x**(-1/2) >= c**(-1/2) - (x - c)/(2*c**(3/2))",
    domain=Domain.of("x > 0", "c > 0"),
    source=_SOURCE,
    kind=Kind.STEP,
    checks=(mean_inverse_roots(), *_PROOF),
    argued="the mean of the tangent",
    expected="tested",
    latex=r"\mathbb E N^{-1/2} \ge (\mathbb E N)^{-1/2}",
)


def mean_of_larger(shift: int = 0) -> Computed:
    """E max(N, 1) for N Poisson, a finite sum with its remainder, against exp(-μ) + μ (+ ``shift``)."""

    def compute(effort: Effort) -> Outcome:
        cases = []
        for mean in [Fraction(n, 10) for n in range(1, effort.scaled(40, 200), 13)]:
            with precision(_BITS):
                exact = arb(rational(mean))
                last = int(2 * mean) + 60  # beyond it the terms j w_j fall by halves at least
                total = sum((max(j, 1) * weight(exact, j) for j in range(last)), arb(0))
                total += (2 * last * weight(exact, last)).union(arb(0))
                error = total - (-exact).exp() - exact - shift
            cases.append(Case(f"μ = {mean}: |difference|", abs(error), Fraction(1, 10**12)))
        return Outcome(cases)

    return Computed(compute, "exact sums")


MEAN = claim(
    "prop:rateerror/mean",
    "E max(N, 1) = exp(-μ) + μ for N Poisson(μ): max(n, 1) = n for n >= 1, and n = 0 adds P(N = 0) = "
    "exp(-μ).",
    says="Max(n, 1) == n",
    domain=Domain.of("n >= 1", integers="n"),
    source=_SOURCE,
    kind=Kind.STEP,
    checks=(mean_of_larger(), *_PROOF),
    argued="the sum over n, with E N = μ",
    expected="tested",
    latex=r"\mathbb E\max\{N,1\} = e^{-\mu}+\mu",
)

ELEMENTARY = claim(
    "prop:rateerror/elementary",
    "exp(-t) + t <= 2 max(t, 1) for every t >= 0.",
    says="exp(-t) + t <= 2*Max(t, 1)",
    domain=Domain.of("t >= 0"),
    source=_SOURCE,
    kind=Kind.STEP,
    checks=(Proof(), Search(examples=(60, 2000))),
    expected="proved",
)

RATE = claim(
    "prop:rateerror/rate",
    "max(λT, 1) <= λmax max(T, 1/λmax) = max(λmax T, 1), the maximum M of u = λmax T and 1; λ = qλmax.",
    says="q*u <= M",
    domain=Domain.of("0 < q <= 1", "u >= 0", "M >= 1", "u <= M"),
    source=_SOURCE,
    kind=Kind.STEP,
    checks=_PROOF,
    expected="proved",
    latex=r"\max\{\lambda T,1\} \le \lambda_{\max}\max\{T,1/\lambda_{\max}\}",
)


def best_of(actions: int = 40) -> Computed:
    """E max(1, N)^{-1/2} for the action with the most jumps, each played for one episode, against 1/√2.

    Two states take turns: N = ⌈J/2⌉ jumps leave the first one, J Poisson(1), so that N <= n iff J <= 2n.
    """

    def compute(effort: Effort) -> Outcome:
        del effort
        with precision(_BITS):
            below = total = arb(0)
            law = arb(0)
            for n in range(20):
                law += weight(arb(1), 2 * n) + (weight(arb(1), 2 * n - 1) if n else 0)
                total += (law**actions - below) / arb(max(1, n)).sqrt()
                below = law**actions
            total += (1 - below).nonnegative_part().union(arb(0))
            right = arb(rational(Fraction(1, 2))).sqrt()
        again = (
            "from math import exp, factorial, sqrt; F = lambda n: sum(exp(-1)/factorial(j) for j in "
            "range(2*n "
            f"+ 1)); print(sum((F(n)**{actions} - F(n - 1)**{actions})/sqrt(max(1, n)) "
            "for n in range(20)) < sqrt(1/2))"
        )
        text = f"two states, {actions} actions, λ = λmax = H = 1, k = {actions + 1}, m = 0"
        return Outcome([Case(text, total, right, ">=", line=again)])

    return Computed(compute, "best of several actions")


COMPARED = claim(
    "eq:cond-exp",
    "For every k and m, E[(H - t_m)^+/√max(N, 1)] >= E[(H - t_m)^+/√max(T, 1/λmax)]/√(2λmax), for policies "
    "that depend on past data. (Two states that take turns, forty actions of rate 1 = λmax in each, H = 1; "
    "episodes 1 to 40 play one action each, episode 41 the one with the most jumps out of the first state. "
    "There T <= 1 = 1/λmax, and at k = 41, m = 0: 0.699 < 0.707.)",
    source="eq:cond-exp",
    uses=(
        "lem:rateUCB/independent",
        "prop:rateerror/jensen",
        "prop:rateerror/mean",
        "prop:rateerror/elementary",
        "prop:rateerror/rate",
    ),
    checks=best_of(),
    expected="refuted",
    latex=r"\mathbb E\frac{(H-t_m)^+}{\sqrt{\max\{N,1\}}} \ge \frac1{\sqrt{2\lambda_{\max}}}"
    r"\mathbb E\frac{(H-t_m)^+}{\sqrt{\max\{T,1/\lambda_{\max}\}}}",
)


def one_state(factor: Fraction = Fraction(1)) -> Computed:
    """One state with a self-loop: T^k = (k-1)H surely, and Σ_m (H - t_m)^+ has mean H + λH²/2; δ = 1/10."""

    def compute(effort: Effort) -> Outcome:
        del effort
        grid = [(v, h, k) for v in (1, 4) for h in (1, 3) for k in (2, 20, 400)]
        return Outcome([_one_state_case(Fraction(v), Fraction(h), k, factor) for v, h, k in grid])

    return Computed(compute, "one state, exactly")


def _one_state_case(mean: Fraction, horizon: Fraction, episodes: int, factor: Fraction) -> Case:
    rate = mean / horizon
    with precision(_BITS):
        floor = 4 * arb(20 * episodes).log() / arb(rational(rate))
        inverse = sum((1 / arb(rational(k * horizon)).max(floor).sqrt() for k in range(episodes)), arb(0))
        left = arb(rational(horizon + rate * horizon**2 / 2)) * inverse
        k = arb(episodes).log()
        size = arb(rational(3 * factor * (horizon + 1 / rate) * (mean + 1)))
        right = (2 * arb(rational(rate)) * episodes).sqrt() * size * k / (1 + k).log()
    return Case(f"S = A = 1, K = {episodes}, λH = {mean}, H = {horizon}, δ = 1/10", left, right)


PROPOSITION = claim(
    "prop:rateerror",
    "E Σ_k Σ_m (H - t_m)^+/√max(T, L/λmax) <= √(2λmax) times the bound of prop:proberror, for 0 < δ < 1 "
    "(then L > 1). (The printed proof rests on eq:cond-exp. Checked here: examples with one state, exactly, "
    "among them learners that choose by their data.)",
    source=_SOURCE,
    uses=("eq:cond-exp", "prop:proberror", "prop:rateerror/L"),
    checks=(one_state(), adaptive_counts.rate_errors()),
    expected="tested",
    latex=r"\mathbb E\sum_{k,m}\frac{(H-t_m^k)^+}{\sqrt{\max\{T^k,L/\lambda_{\max}\}}} \le"
    r"\sqrt{2\lambda_{\max}}\cdot3\Bigl(H+\frac1{\lambda_{\min}}\Bigr)\sqrt{SAK}"
    r"\,\frac{(\lambda_{\max}H+1)\ln K}{\ln(\ln K+1)}",
)


LONGER = claim(
    "prop:rateerror/L",
    "1/√max(T, L/λmax) <= 1/√max(T, 1/λmax) as L > 1: M = max(T, L/λmax) >= n = max(T, 1/λmax); squared.",
    says="1/M <= 1/n",
    domain=Domain.of("n > 0", "M > 0", "n <= M"),
    source=_SOURCE,
    kind=Kind.STEP,
    uses="thm:CT-UCB/L/repaired",
    checks=_PROOF,
    expected="proved",
)

# --- the repair -------------------------------------------------------------------------------

THRESHOLD = claim(
    "prop:rateerror/threshold",
    "If N >= 2M with M = max(u, L), u = λmax T, then the logarithm of 2^N exp(-λT) is at least (2 ln 2 - "
    "1)L; λ = θλmax.",
    says="2*log(2)*M - q*u >= (2*log(2) - 1)*L",
    domain=Domain.of("u >= 0", "L > 0", "0 < q <= 1", "M > 0", "L <= M", "u <= M"),
    source=_SOURCE,
    kind=Kind.REPAIR,
    checks=_PROOF,
    expected="proved",
)

EVENT = claim(
    "prop:rateerror/event",
    "P(F^c) <= SA exp(-(2 ln 2 - 1)L(δ)) <= δ/(2K), F the event that N <= 2 max(λmax T, L) for all pairs "
    "and episodes.",
    says="n*exp(-(2*log(2) - 1)*(4*log(2*n*K/d))) <= d/(2*K)",
    domain=Domain.of("n >= 1", "K >= 1", "0 < d < 1", integers="n K"),
    source=_SOURCE,
    kind=Kind.REPAIR,
    uses=("lem:rateUCB/martingale", "lem:rateUCB/ville", "prop:rateerror/threshold"),
    checks=_PROOF,
    argued="that 2^N exp(-λT) is a martingale whatever the policies, Ville's inequality, and the "
    "union over the pairs",
    expected="assumed",
    latex=r"\mathbb P(F^c) \le SA\,e^{-(2\ln2-1)L(\delta)} \le \delta/(2K)",
)

PATHWISE = claim(
    "prop:rateerror/pathwise",
    "On F, 1/√max(T, L/λmax) <= √(2λmax)/√max(N, 1): with M = max(T, L/λmax), n = max(N, 1) is at most "
    "2λmax M, since 2L >= 1.",
    says="1/sqrt(M) <= sqrt(2*r)/sqrt(n)",
    domain=Domain.of("M > 0", "r > 0", "n >= 1", "n <= 2*r*M"),
    source=_SOURCE,
    kind=Kind.REPAIR,
    checks=_PROOF,
    expected="proved",
)

MOMENT = claim(
    "prop:rateerror/moment",
    "(v + 1)² + v, which is E(Z + 1)² for Z Poisson(v), is at most 5/4 (v + 1)² for v > 0.",
    says="(v + 1)**2 + v <= 5/4*(v + 1)**2",
    domain=Domain.of("v > 0"),
    source=_SOURCE,
    kind=Kind.REPAIR,
    checks=_PROOF,
    expected="proved",
)

COMPLEMENT = claim(
    "prop:rateerror/complement",
    "Off F the sum has mean at most 1/3 of √(2λmax) H √(SAK)(λmax H + 1): by Cauchy-Schwarz, with x = "
    "δ/(2SAK) <= 1/2, K <= 1/(2x) and L = 4 ln(1/x).",
    says="sqrt(5/8)*x**(4*log(2) - 5/2)/sqrt(8*log(1/x)) <= 1/3",
    domain=Domain.of("0 < x <= 1/2"),
    source=_SOURCE,
    kind=Kind.REPAIR,
    uses=("prop:rateerror/event", "prop:rateerror/moment", "prop:proberror/coupling"),
    checks=_PROOF,
    argued="Cauchy–Schwarz, with the second moments of the numbers of decisions",
    expected="assumed",
    latex=r"\mathbb E\,1_{F^c}\sum_{k,m}\frac{(H-t_m^k)^+}{\sqrt{\max\{T^k,L/\lambda_{\max}\}}} \le"
    r"\tfrac13\sqrt{2\lambda_{\max}}\,H\sqrt{SAK}(\lambda_{\max}H+1)",
)

REPAIRED = claim(
    "prop:rateerror/repaired",
    "prop:rateerror holds as printed, for every policy and all parameters: with D = (λmax H + 1) ln K/ln(ln "
    "K + 1), D = (e - 1)λmax H + 1/(√e - 1) or D = Σ_m √P(Z > m), all at least v = λmax H, the sum is at "
    "most √(2λmax)√(SAK) times 2(H + 1/λmin)D + H(v + 1)/3 <= (7/3)(H + 1/λmin)D; g = 1/λmin >= H/v.",
    says="2*(H + g)*D + H*(v + 1)/3 <= 7/3*(H + g)*D",
    domain=Domain.of("H > 0", "g > 0", "v > 0", "H <= g*v", "v <= D"),
    source=_SOURCE,
    kind=Kind.REPAIR,
    uses=("prop:rateerror/pathwise", "prop:rateerror/complement", "prop:proberror/sharp"),
    checks=(one_state(Fraction(7, 9)), adaptive_counts.rate_errors(Fraction(7, 9)), *_PROOF),
    argued="the split at F, and the comparison of the sums on it",
    expected="tested",
    latex=r"\mathbb E\sum_{k,m}\frac{(H-t_m^k)^+}{\sqrt{\max\{T^k,L/\lambda_{\max}\}}} \le"
    r"\tfrac73\sqrt{2\lambda_{\max}}\Bigl(H+\frac1{\lambda_{\min}}\Bigr)\sqrt{SAK}\,D",
)

CLAIMS = (
    JENSEN, MEAN, ELEMENTARY, RATE, COMPARED, LONGER, PROPOSITION, THRESHOLD, EVENT, PATHWISE, MOMENT,
    COMPLEMENT, REPAIRED,
)  # fmt: skip

MUTANTS: Mapping[str, Claim] = {
    "prop:rateerror/jensen": replace(JENSEN, checks=(mean_inverse_roots(Fraction(9, 10)),)),
    "prop:rateerror/mean": replace(MEAN, checks=(mean_of_larger(1), *_PROOF)),
    "prop:rateerror/elementary": changed(ELEMENTARY, "exp(-t) + t <= Max(t, 1)"),
    "prop:rateerror/rate": changed(RATE, domain=Domain.of("0 < q <= 2", "u >= 0", "M >= 1", "u <= M")),
    "eq:cond-exp": replace(COMPARED, checks=(best_of(1),)),  # no choice by the data: must not be refuted
    "prop:rateerror/L": changed(LONGER, domain=Domain.of("n > 0", "M > 0", "n <= 2*M")),
    "prop:rateerror": replace(PROPOSITION, checks=(adaptive_counts.rate_errors(Fraction(1, 100)),)),
    "prop:rateerror/threshold": changed(THRESHOLD, "2*log(2)*M - q*u >= 2*log(2)*L"),
    "prop:rateerror/event": changed(EVENT, "n*exp(-(2*log(2) - 1)*(2*log(2*n*K/d))) <= d/(2*K)"),
    "prop:rateerror/pathwise": changed(PATHWISE, "1/sqrt(M) <= sqrt(r)/sqrt(n)"),
    "prop:rateerror/moment": changed(MOMENT, "(v + 1)**2 + v <= 6/5*(v + 1)**2"),
    "prop:rateerror/complement": changed(COMPLEMENT, "sqrt(5/8)*x**(4*log(2) - 5/2)/sqrt(8*log(1/x)) <= 1/4"),
    "prop:rateerror/repaired": changed(
        REPAIRED, domain=Domain.of("H > 0", "g > 0", "v > 0", "H <= g*v", "v <= 2*D")
    ),
}

FINDINGS: Mapping[str, Mapping[str, str]] = {
    "eq:cond-exp": {
        "breaks": "proof",
        "summary": "N given T is not Poisson, and for policies that depend on the data the comparison of "
        "the two means is false, one decision at a time: forty equal actions, then the one with the most "
        "jumps, give 0.699 < 0.707.",
        "repair": "prop:rateerror/pathwise",
    },
    "prop:rateerror": {
        "breaks": "proof",
        "summary": "The printed proof fails with eq:cond-exp. The statement stands as printed, for every "
        "policy and all parameters, by one use of Ville's inequality and a comparison path by path; the "
        "constant is 7/3 for 3, and the growing factor can be Σ_m √P(Z > m).",
        "repair": "prop:rateerror/repaired",
    },
}
