r"""``lem:CI-p``: the :math:`L_1` confidence sets of the jump probabilities.

Write :math:`\Lambda = S\ln 2 + \ln(SAHK^2/\delta)`, so that :math:`\alpha_k = \sqrt{2\Lambda/\max\{1,N\}}`.

**What fails.**  (1) With no data :math:`\|p-\hat p\|_1 = 1`, and :math:`\alpha_k \ge 1` only if
:math:`2^S SAHK^2 \ge \sqrt e\,\delta`; in the first episode no pair has data.  (2) The radius comes from
discrete time, where a pair is seen at most :math:`HK` times.  Here :math:`N` has no bound, and :math:`H`
under the logarithm carries a unit: measuring time in other units (:math:`H/c`, :math:`c\lambda`) changes
the radius and not the data. With short horizons and fast rates the sets miss, also where (1) is no problem
(:func:`short_and_fast`).

**What works.**  Next states are drawn independently of holding times, so the first :math:`n` observed
jumps from a pair are independent draws from :math:`p`, whatever the policies.  For :math:`n` draws, with
:math:`d = \hat p - p`, :math:`\|d\|_1 = 2\max_B d(B)`, and each of the :math:`2^S-2` sets :math:`B` costs
:math:`e^{-2n(\epsilon/2)^2}` (Hoeffding).  The union is over the values :math:`n` of :math:`N` (and over
:math:`k` no more):

* for :math:`n \le HK^2` it costs :math:`(1-2^{1-S})\delta`, and if :math:`e^2\lambda_{\max}(K-1) \le K^2`
  more jumps than :math:`HK^2` have probability at most :math:`e^{-HK^2}`: ``lem:CI-p/repaired``;
* with :math:`n(n+1)`, :math:`n = \max\{1,N\}`, in the place of :math:`HK^2` it holds everywhere, since
  :math:`\sum_n 1/(n(n+1)) = 1`: ``lem:CI-p/uniform``.  That radius is smaller than the paper's while
  :math:`n(n+1) < HK^2`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from math import comb

from flint import arb

from proofs_checks.lem_poisson import weight
from proofs_checks.variants import changed
from verify.claims import Claim, Domain, Effort, Kind, claim
from verify.provers.balls import precision, rational
from verify.provers.computed import Case, Computed, Outcome
from verify.provers.proof import Proof
from verify.provers.search import Search

_BITS = 128
_SOURCE = "lem:CI-p"
_PROOF = (Proof(), Search(examples=(60, 2000)))
_SIZES = ("S >= 1", "A >= 1", "K >= 1", "H > 0", "0 < d < 1")
_PAPER = "S*log(2) + log(S*A*H*K**2/d)"  # Λ


def bracket(states: int, actions: int, episodes: int, horizon: Fraction, delta: Fraction) -> arb:
    """Λ at the precision that is set."""
    return arb(rational(2**states * states * actions * horizon * episodes**2 / delta)).log()


# --- no data ----------------------------------------------------------------------------------

_SMALL = (  # S, A, K, H, δ
    (2, 1, 1, Fraction(3, 80), Fraction(1, 4)),
    (2, 2, 10, Fraction(1), Fraction(1, 20)),
    (2, 1, 1, Fraction(3, 10), Fraction(1, 4)),
)


def without_data(*, region: bool = False) -> Computed:
    """‖p - 0‖² = 1 against α² = 2Λ; with ``region`` only where 2^S SAHK² >= 2δ, which is above √e δ."""

    def compute(effort: Effort) -> Outcome:
        del effort
        cases = []
        for states, actions, episodes, horizon, delta in _SMALL:
            ratio = 2**states * states * actions * horizon * episodes**2 / delta
            if ratio >= 2 or not region:
                with precision(_BITS):
                    right = 2 * bracket(states, actions, episodes, horizon, delta)
                text = f"S={states}, A={actions}, K={episodes}, H={horizon}, δ={delta}"
                again = f"from math import log; print(1 > 2*log({ratio.numerator}/{ratio.denominator}))"
                cases.append(Case(text, 1, right, line=again))
        return Outcome(cases)

    return Computed(compute, "first episode")


UNSEEN = claim(
    "lem:CI-p/unseen",
    "If N = 0 then ‖p - p̂‖₁ = 1 <= α = √(2Λ), for all S, A, K >= 1, H > 0, 0 < δ < 1.",
    says=f"1 <= 2*({_PAPER})",
    domain=Domain.of(*_SIZES, integers="S A K"),
    source=_SOURCE,
    kind=Kind.STEP,
    checks=without_data(),
    expected="refuted",
    latex=r"1 \le \sqrt{2[S\ln2+\ln(SAHK^2/\delta)]}",
)

UNSEEN_REPAIRED = claim(
    "lem:CI-p/unseen/repaired",
    "If 2^S SAHK² >= √e δ then ‖p - p̂‖₁ = 1 <= α when N = 0; with 2^S SAHK²/δ = √e (1 + z), z >= 0.",
    says="1 <= sqrt(2*log(exp(1/2)*(1 + z)))",
    domain=Domain.of("z >= 0"),
    source=_SOURCE,
    kind=Kind.REPAIR,
    checks=_PROOF,
    expected="proved",
    latex=r"2^S SAHK^2 \ge \sqrt e\,\delta \implies \alpha_k \ge 1\ \text{for}\ N = 0",
)


# --- the union over the values of N -----------------------------------------------------------


def visits(mean: Fraction, n: int) -> arb:
    """P(N = n) in an episode from state 0 of 0 -> {1, 2} -> 0, one rate, λH = ``mean``: N = ⌈J/2⌉."""
    exact = arb(rational(mean))
    return weight(exact, 0) if n == 0 else weight(exact, 2 * n - 1) + weight(exact, 2 * n)


def more_than(episodes: int = 2, *, rare: bool = False) -> Computed:
    """P(more than K² jumps in K - 1 episodes), H = 1, all rates 1, against 0 or, if ``rare``, exp(-K²)."""

    def compute(effort: Effort) -> Outcome:
        del effort
        limit, mean = episodes**2, Fraction(episodes - 1)
        with precision(_BITS * 4):
            exact = arb(rational(mean))
            tail = 1 - sum((weight(exact, j) for j in range(limit + 1)), arb(0))
            bound = (-arb(limit)).exp() if rare else arb(0)
        again = f"from mpmath import gammainc; print(gammainc({limit + 1}, 0, {mean}, regularized=True) > 0)"
        text = f"K = {episodes}, H = 1, one state, rate 1: P(N > HK² = {limit})"
        return Outcome([Case(text, tail, bound, line=again)])

    return Computed(compute, "exact law")


UNION = claim(
    "lem:CI-p/union",
    "N takes at most HK values per episode (HK² altogether), so that the union over them gives δ: a "
    "reconstruction, since the paper gives no proof but cites one for discrete time, and the only count that "
    "yields the HK² of the radius. (In continuous time N has no bound: P(N > HK²) > 0 always.)",
    source=_SOURCE,
    kind=Kind.STEP,
    checks=more_than(),
    expected="refuted",
    latex=r"\mathbb P(N^{K,+} > HK^2) = 0",
)

UNION_REPAIRED = claim(
    "lem:CI-p/union/repaired",
    "What Weissman's inequality leaves for all pairs and n = 1, ..., M with M <= HK² adds up to at most "
    "(1 - 2^(1-S)) δ: SA·M·(2^S - 2) e^(-Λ) + 2^(1-S) δ <= δ.",
    says=f"S*A*n*(2**S - 2)*exp(-({_PAPER})) + 2**(1 - S)*d <= d",
    domain=Domain.of(*_SIZES, "n >= 1", "n <= H*K**2", integers="S A K n"),
    source=_SOURCE,
    kind=Kind.REPAIR,
    uses="lem:CI-p/weissman",
    checks=_PROOF,
    expected="proved",
)

COUNTS = claim(
    "lem:CI-p/counts",
    "If m = HK² >= e²u, u = λmax (K-1) H, more than m jumps have probability at most e^(-m): all jumps of "
    "K - 1 episodes are dominated by a Poisson variable with mean u, and with m = u e^(2+y), y >= 0, "
    "-m(ln(m/u) - 1) - u <= -m.",
    says="-u*exp(2 + y)*(log(u*exp(2 + y)/u) - 1) - u <= -u*exp(2 + y)",
    domain=Domain.of("u > 0", "y >= 0"),
    source=_SOURCE,
    kind=Kind.REPAIR,
    uses=("lem:poisson/chernoff", "prop:proberror/coupling"),
    checks=(more_than(8, rare=True), more_than(20, rare=True), *_PROOF),
    argued="that all jumps together are dominated by a Poisson variable, and Chernoff's bound for it",
    expected="tested",
)


# --- the lemma --------------------------------------------------------------------------------


def short_and_fast(
    horizon: Fraction = Fraction(1, 480), draws: int = 12, *, uniform: bool = False, sets: int = 1
) -> Computed:
    """P(miss at k = 2) against ``sets``·δ, δ = 1/10.

    S = 3, A = 1, K = 2, from state 0 to 1 or 2 evenly and back, all rates 4/H.
    ``uniform``: with n(n + 1), n = max{1, N}, in the place of HK² in the radius.
    """

    def compute(effort: Effort) -> Outcome:
        del effort
        delta = Fraction(1, 10)
        with precision(_BITS):
            missed, seen = arb(0), arb(0)
            for n in range(draws + 1):
                here, steps = visits(Fraction(4), n), Fraction(max(1, n) * (max(1, n) + 1), 4)
                level = 2 * bracket(3, 1, 2, steps if uniform else horizon, delta)
                seen += here
                for b in range(n + 1):
                    square = (2 * abs(Fraction(b, n) - Fraction(1, 2))) ** 2 if n else Fraction(1)
                    if arb(rational(square * max(1, n))) > level:  # certain, so the sum is a lower bound
                        missed += here * arb(rational(Fraction(comb(n, b), 2**n)))
            total = missed + arb(0).union(1 - seen)
        again = (  # two or three jumps are seen, and all lead to the same state
            "from math import exp, log; print(2*log(2) >= 1 and 2*log(2)/2 < 1 and exp(-4)*((4**3/6 + "
            "4**4/24)/2 "
            f"+ (4**5/120 + 4**6/720)/4) > {sets}/10)"
        )
        text = f"H = {horizon}, λ = {4 / horizon}: P(miss)"
        return Outcome([Case(text, total, sets * delta, line=again)])

    return Computed(compute, "exact law")


STATEMENT = claim(
    "lem:CI-p",
    "P(‖p - p̂_k‖₁ <= α_k for all x, a, k) >= 1 - δ, for all S, A, K >= 1, H > 0, 0 < δ < 1 and rates in "
    "(0, λmax]. (False with S = 3, A = 1, K = 2, δ = 1/10, H = 1/480, rates 1920, where α = √(2 ln 2) >= "
    "1 without data: two jumps are seen from state 0 and lead to the same state with probability 0.195, "
    "and then ‖p - p̂‖₁ = 1 > α.)",
    source=_SOURCE,
    uses=("lem:CI-p/unseen", "lem:CI-p/weissman", "lem:CI-p/union"),
    checks=short_and_fast(),
    expected="refuted",
    latex=r"\mathbb P(\|p-\hat p_k\|_1 \le \alpha_k\ \text{for all}\ x,a,k) \ge 1-\delta",
)

REPAIRED = claim(
    "lem:CI-p/repaired",
    "The lemma holds with the paper's radius if 2^S SAHK² >= √e δ, e² λmax (K-1) <= K² and HK² >= "
    "ln(2^(S-1)/δ): (1 - 2^(1-S)) δ + e^(-HK²) <= δ, with HK² = (S-1) ln 2 - ln δ + y, y >= 0.",
    says="(1 - 2**(1 - S))*d + exp(-((S - 1)*log(2) - log(d) + y)) <= d",
    domain=Domain.of("S >= 1", "0 < d < 1", "y >= 0", integers="S"),
    source=_SOURCE,
    kind=Kind.REPAIR,
    uses=(
        "lem:CI-p/unseen/repaired",
        "lem:CI-p/union/repaired",
        "lem:CI-p/counts",
        "sec:episodicRL/joint-law",
    ),
    checks=(short_and_fast(Fraction(8)), *_PROOF),
    argued="that observed jumps are independent draws, and the union of the three events",
    expected="tested",
)

UNIFORM = claim(
    "lem:CI-p/uniform",
    "With n(n+1), n = max{1, N}, in the place of HK² in α the lemma holds on the whole domain: the draws "
    "n of all pairs cost at most δ/(n(n+1)) = δ/n - δ/(n+1), which adds up to δ.",
    says="S*A*(2**S - 2)*exp(-n*(2*(S*log(2) + log(S*A*n*(n + 1)/d))/n)/2) <= d/n - d/(n + 1)",
    domain=Domain.of("S >= 1", "A >= 1", "n >= 1", "0 < d < 1", integers="S A n"),
    source=_SOURCE,
    kind=Kind.REPAIR,
    uses=("lem:CI-p/weissman", "lem:CI-p/uniform-unseen", "sec:episodicRL/joint-law"),
    checks=(short_and_fast(uniform=True), *_PROOF),
    argued="that observed jumps are independent draws, and the union over pairs and n",
    expected="tested",
    latex=r"\tilde\alpha_k = \sqrt{2[S\ln2+\ln(SAn(n+1)/\delta)]/n},\ n = \max\{1,N^{k,+}\}",
)

UNIFORM_UNSEEN = claim(
    "lem:CI-p/uniform-unseen",
    "That radius is at least 1 without data: 2[S ln 2 + ln(2SA/δ)] >= 1.",
    says="1 <= 2*(S*log(2) + log(2*S*A/d))",
    domain=Domain.of("S >= 1", "A >= 1", "0 < d < 1", integers="S A"),
    source=_SOURCE,
    kind=Kind.REPAIR,
    checks=_PROOF,
    expected="proved",
)

CLAIMS = (
    STATEMENT, UNSEEN, UNION, UNSEEN_REPAIRED, UNION_REPAIRED, COUNTS, REPAIRED, UNIFORM, UNIFORM_UNSEEN,
)  # fmt: skip

MUTANTS: Mapping[str, Claim] = {
    # of the refuted ones: correct variants
    "lem:CI-p": replace(STATEMENT, checks=(short_and_fast(Fraction(1)),)),  # time in units of the horizon
    "lem:CI-p/unseen": replace(UNSEEN, checks=(without_data(region=True),)),
    "lem:CI-p/union": replace(UNION, checks=(more_than(8, rare=True),)),  # e²·7 <= 8²
    # of the others: wrong ones
    "lem:CI-p/unseen/repaired": changed(UNSEEN_REPAIRED, "1 <= sqrt(2*log(exp(2/5)*(1 + z)))"),
    "lem:CI-p/union/repaired": changed(
        UNION_REPAIRED, f"S*A*K*n*(2**S - 2)*exp(-({_PAPER})) + 2**(1 - S)*d <= d"
    ),
    "lem:CI-p/counts": changed(COUNTS, domain=Domain.of("u > 0", "y >= -1")),
    "lem:CI-p/repaired": changed(REPAIRED, domain=Domain.of("S >= 1", "0 < d < 1", "y >= -1", integers="S")),
    "lem:CI-p/uniform": changed(
        UNIFORM, "S*A*(2**S - 2)*exp(-n*(2*(S*log(2) + log(S*A*n/d))/n)/2) <= d/n - d/(n + 1)"
    ),
    "lem:CI-p/uniform-unseen": changed(UNIFORM_UNSEEN, "2 <= 2*(S*log(2) + log(S*A/d))"),
}

FINDINGS: Mapping[str, Mapping[str, str]] = {
    "lem:CI-p": {
        "breaks": "statement",
        "summary": "The radius contains HK², a number of steps in discrete time; in continuous time it "
        "depends on the unit of time while the data do not. For short horizons and fast rates "
        "the sets miss far more often than δ. It stands where 2^S SAHK² >= √e δ, e² λmax (K-1) <= K² and HK² "
        ">= ln(2^(S-1)/δ) (lem:CI-p/repaired), and everywhere with n(n+1), n = max{1, N}, in the place of "
        "HK² (lem:CI-p/uniform). thm:CT-UCB survives: where the sets are wrong its bound is trivial.",
        "repair": "lem:CI-p/uniform",
    },
    "lem:CI-p/unseen": {
        "breaks": "proof",
        "summary": "Without data ‖p - p̂‖₁ = 1, and α < 1 (or no real number) where 2^S SAHK² < √e δ: the "
        "sets then miss in the first episode, surely. S = 2, A = K = 1, H = 3/80, δ = 1/4: α = "
        "0.604. Removable: the footnote on unseen pairs is right in substance, the proofs do not need the "
        "L1 bound where N = 0 (lem:error-model/unseen), so that 𝒢 may leave these pairs out.",
        "repair": "lem:CI-p/unseen/repaired",
    },
    "lem:CI-p/union": {
        "breaks": "proof",
        "summary": "The paper cites the lemma from discrete time. The union that its radius comes from does "
        "not carry over: N is not bounded by HK² (nor HK) in continuous time. It is bounded so with "
        "probability 1 - exp(-HK²) if e² λmax (K-1) <= K².",
        "repair": "lem:CI-p/union/repaired",
    },
}
