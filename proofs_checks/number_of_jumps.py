r"""The number of jumps of an episode (``eq:term1-3``), as printed and without the growth in :math:`K`.

:math:`J^k(H)`, the number of jumps of episode :math:`k`, is at most a Poisson variable :math:`Z` of mean
:math:`v = \lambda_{\max}H`, and the paper bounds the mean of the largest of :math:`K` of them by

.. math:: E\max_k Z_k \le \inf_s \frac{\ln K + v(e^s-1)}s \le \frac{(v+1)\ln K}{\ln(\ln K+1)} .

(A path without any observed jump shows why the counts must be tied to the jumps: ``eq:sumK``.)

The maximum is not needed.  The root is concave, so

.. math:: E\sum_m (\#\{l : J^l > m\})^{1/2} \le \sqrt K \sum_m P(Z > m)^{1/2},

and by Chernoff :math:`P(Z > m) \le e^{-s(m+1-c)}` with :math:`c = v(e^s-1)/s`.  The :math:`\lfloor
c\rfloor` first roots are at most 1, the others a geometric series; with :math:`t = \lfloor c\rfloor + 1 - c
\in (0, 1]` and :math:`q = e^{-s/2}`

.. math:: \sum_m P(Z>m)^{1/2} \le c - 1 + t + \frac{q^t}{1-q}
          \le c + \frac q{1-q} = \frac{v(e^s-1)}s + \frac1{e^{s/2}-1} .

At :math:`s = 1` this is :math:`(e-1)v + 1.55`; it takes the place of :math:`(v+1)\ln K/\ln(\ln K+1)`.  With
:math:`e^{s/2} = 1+h` and :math:`h = 1/\sqrt v` it is at most :math:`v + 2\sqrt v + \frac14`, where the
leading constant is 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import comb

from flint import arb

from proofs_checks.lem_poisson import weight
from proofs_checks.variants import changed
from verify.claims import Claim, Domain, Effort, Kind, claim, limit
from verify.provers.balls import precision, rational
from verify.provers.computed import Case, Computed, Outcome
from verify.provers.proof import Proof
from verify.provers.search import Search

_BITS = 128
_PROOF = (Proof(), Search(examples=(60, 2000)))


def quiet(seen: int = 0) -> Computed:
    """The sum over k for K episodes in each of which ``seen`` jumps are observed, against K."""

    def compute(effort: Effort) -> Outcome:
        cases = []
        for episodes in range(1, effort.scaled(10, 100)):
            with precision(_BITS):
                total = sum((1 / arb(max(1, seen * k)).sqrt() for k in range(episodes)), arb(0))
            cases.append(Case(f"K = {episodes}", total, arb(episodes), ">="))
        return Outcome(cases)

    return Computed(compute, "episodes")


PATH = claim(
    "eq:sumK",
    "On a path with t_1 > H in all K episodes, which has positive probability, every count N is 0, and the "
    "sum over k of 1/√max(1, N) is K.",
    says="K/sqrt(Max(1, N)) == K",
    domain=Domain.of("K >= 1", "0 <= N <= 0", integers="K N"),
    source="eq:sumK",
    checks=(quiet(), *_PROOF),
    argued="that such a path is possible, and the sum of K equal terms",
    expected="tested",
)


COUPLING = claim(
    "prop:proberror/coupling",
    "J^k(H) <= Z^k(H) almost surely for independent Poisson processes Z^k of rate λmax. True for the right "
    "Z^k, which the paper does not name: e = λτ is standard exponential and independent of the past, "
    "whatever the policy; let Z^k have the gaps e/λmax, which are at most τ = e/λ (λmax = λ + d). So J^k(H) "
    "is finite almost surely, and the supremum over episodes and m a maximum.",
    says="e/(rate + d) <= e/rate",
    domain=Domain.of("e >= 0", "rate > 0", "d >= 0"),
    source="prop:proberror",
    kind=Kind.STEP,
    checks=_PROOF,
    argued="that the λτ are independent standard exponentials, whatever the policy, and that sums of "
    "smaller gaps are smaller",
    expected="assumed",
    latex=r"\tau = e/\lambda \ge e/\lambda_{\max},\quad e \sim \exp(1)\ \text{i.i.d.}",
)

TANGENT = claim(
    "eq:term1-3/tangent",
    "y <= e^y - 1 for every real y. (Put in: y = s max Z - c, where e^y <= Σ exp(sZ_k - c).)",
    says="y <= exp(y) - 1",
    domain=Domain.of(reals="y"),
    source="eq:term1-3",
    kind=Kind.STEP,
    checks=_PROOF,
    expected="proved",
)


def largest(mean: Fraction, count: int) -> arb:
    """The mean of the largest of independent Poisson variables: Σ_m 1 - P(Z <= m)^K, and what is left out.

    ``1 - (1 - q)^K <= Kq``, and beyond twice the mean the tails q fall faster than by halves.
    """
    with precision(_BITS):
        exact = arb(rational(mean))
        below, total, m = weight(exact, 0), arb(0), 0
        while m < 2 * mean + 4 or not (1 - below) * count < arb(2) ** -60:
            total += 1 - below**count
            m += 1
            below += weight(exact, m)
        return total + (2 * count * (1 - below)).union(arb(0))


def longest_of(factor: Fraction = Fraction(1)) -> Computed:
    """E max of K Poisson(v) variables, exactly, against the bound (times ``factor``)."""

    def compute(effort: Effort) -> Outcome:
        counts = (2, 3, 10, 100, 10**6)
        return Outcome([_longest_case(v, k, factor) for v in _means(effort) for k in counts])

    return Computed(compute, "exact means")


def _means(effort: Effort) -> list[Fraction]:
    return [Fraction(n, 10) for n in range(1, effort.scaled(41, 401), 13)]


def _longest_case(mean: Fraction, count: int, factor: Fraction) -> Case:
    with precision(_BITS):
        k = arb(count).log()
        bound = arb(rational(factor * (mean + 1))) * k / (1 + k).log()
    return Case(f"K = {count}, v = {mean}", largest(mean, count), bound)


MAXIMUM = claim(
    "eq:term1-3",
    "E max of K Poisson(v) variables <= (v + 1) ln K/ln(ln K + 1) for K >= 2: the bound (ln K + v(e^s - "
    "1))/s at s = ln(ln K + 1), with k = ln K.",
    says="(k + v*(exp(log(1 + k)) - 1))/log(1 + k) == (v + 1)*k/log(1 + k)",
    domain=Domain.of("k > 0", "v > 0"),
    source="eq:term1-3",
    uses=("eq:term1-3/tangent", "prop:proberror/coupling", "lem:poisson/tilted"),
    checks=(longest_of(), Proof()),
    argued="that E max Z <= (ln K + v(e^s - 1))/s, by y <= e^y - 1, the union over k and the moment "
    "generating function",
    expected="tested",
    latex=r"\mathbb E\max_{k\le K} Z^k(H) \le \frac{(\lambda_{\max}H+1)\ln K}{\ln(\ln K+1)}",
)

SINGLE = claim(
    "eq:term1-3/K=1",
    "The denominator ln(ln K + 1) is positive for every K >= 1.",
    says="log(log(K) + 1) > 0",
    domain=Domain.of("K >= 1", integers="K"),
    source="eq:term1-3",
    kind=Kind.STEP,
    checks=(Search(examples=(60, 2000)), Proof()),
    expected="refuted",
)

SINGLE_REPAIRED = claim(
    "eq:term1-3/K=1/repaired",
    "Read at K = 1 as its limit, ln K/ln(ln K + 1) is 1 (k = ln K), and the bound E Z = v <= v + 1 holds.",
    says=limit("k/log(1 + k)", "k", "0", "1", Domain.of("k > 0")),
    domain=Domain.of("k > 0"),
    source="eq:term1-3",
    kind=Kind.REPAIR,
    checks=Proof(),
    expected="proved",
)

OPTIMAL = claim(
    "eq:term1-3/sharp",
    "For the s with ln K = v + v e^s (s - 1), that is s = 1 + W((ln K - v)/(ev)) with Lambert's W, the "
    "bound (ln K + v(e^s - 1))/s of E max Z_k is v e^s.",
    says="((v + v*exp(s)*(s - 1)) + v*(exp(s) - 1))/s == v*exp(s)",
    domain=Domain.of("v > 0", "s > 0"),
    source="eq:term1-3",
    kind=Kind.REPAIR,
    uses="eq:term1-3/tangent",
    checks=_PROOF,
    expected="proved",
)


def mean_roots(factor: Fraction = Fraction(1)) -> Computed:
    """E √#{l : Z^l > m} for K independent Poisson variables against √(K P(Z > m)), times ``factor``."""

    def compute(effort: Effort) -> Outcome:
        cases = []
        for mean, count, m in product(_means(effort), (1, 2, 10), (0, 1, 4)):
            with precision(_BITS):
                exact = arb(rational(mean))
                p = 1 - sum((weight(exact, j) for j in range(m + 1)), arb(0))
                law = (comb(count, j) * p**j * (1 - p) ** (count - j) for j in range(count + 1))
                left = sum((q * arb(j).sqrt() for j, q in enumerate(law)), arb(0))
                right = rational(factor) * (count * p).sqrt()
            cases.append(Case(f"K = {count}, v = {mean}, m = {m}", left, right))
        return Outcome(cases, method="binomial laws in balls")

    return Computed(compute, "exact means")


CONCAVE = claim(
    "eq:JM-eq/sharp",
    "E Σ_m √#{l : J^l > m} <= √K Σ_m √P(Z > m): the root lies below its tangents (Jensen), and #{l : J^l > "
    "m} has mean at most K P(Z > m) by the coupling.",
    says="sqrt(x) <= sqrt(c) + (x - c)/(2*sqrt(c))",
    domain=Domain.of("x >= 0", "c > 0"),
    source="eq:JM-eq",
    kind=Kind.REPAIR,
    uses="prop:proberror/coupling",
    checks=(mean_roots(), *_PROOF),
    argued="the mean of the tangent, the sum over m, and the coupling",
    expected="tested",
    latex=r"\mathbb E\sum_m\bigl(\#\{l: J^l>m\}\bigr)^{1/2} \le \sqrt K\sum_m\mathbb P(Z>m)^{1/2}",
)


def roots(mean: Fraction) -> arb:
    """Σ_m √P(Z > m) for Z Poisson: a finite sum, and a geometric series for the rest."""
    with precision(_BITS):
        exact = arb(rational(mean))
        below, total, m = weight(exact, 0), arb(0), 0
        while m < 4 * mean + 4 or not 1 - below < arb(2) ** -80:
            total += (1 - below).nonnegative_part().sqrt()
            m += 1
            below += weight(exact, m)
        return total + (2 * (1 - below).nonnegative_part().sqrt()).union(
            arb(0)
        )  # each tail < 1/4 of the one before


def levels(constant: Fraction = Fraction(1)) -> Computed:
    """Σ_m √P(Z > m), exactly, against (e - 1)v + ``constant``/(√e - 1)."""

    def compute(effort: Effort) -> Outcome:
        cases = []
        for mean in [Fraction(1, 100), Fraction(1, 4), *_means(effort)]:
            with precision(_BITS):
                e = arb(1).exp()
                bound = (e - 1) * arb(rational(mean)) + arb(rational(constant)) / (e.sqrt() - 1)
            cases.append(Case(f"v = {mean}", roots(mean), bound))
        return Outcome(cases)

    return Computed(compute, "exact sums")


LEVELS = claim(
    "eq:term1-3/levels",
    "Σ_m √P(Z > m) <= v(e^s - 1)/s + 1/(e^{s/2} - 1) for Z Poisson(v) and every s > 0; at s = 1, (e - 1)v + "
    "1.55. From Chernoff's bound, with q = e^{-s/2} and t in (0, 1] the distance from v(e^s - 1)/s to the "
    "next integer above it.",
    says="t - 1 + q**t/(1 - q) <= q/(1 - q)",
    domain=Domain.of("0 < t <= 1", "0 < q < 1"),
    source="eq:term1-3",
    kind=Kind.REPAIR,
    uses="lem:poisson/tilted",
    checks=(levels(), *_PROOF),
    argued="Chernoff's bound, and the sum of its roots as a geometric series",
    expected="tested",
    latex=r"\sum_m\mathbb P(Z>m)^{1/2} \le \frac{v(e^s-1)}s + \frac1{e^{s/2}-1}",
)


def leading(less: Fraction = Fraction(0)) -> Computed:
    """Σ_m √P(Z > m), exactly, against v + (2 - ``less``)√v + 1/4 - ``less``/4."""

    def compute(effort: Effort) -> Outcome:
        cases = []
        for mean in [Fraction(1, 100), Fraction(1, 4), Fraction(25), *_means(effort)]:
            with precision(_BITS):
                v = arb(rational(mean))
                bound = v + rational(2 - less) * v.sqrt() + rational((1 - less) / 4)
            cases.append(Case(f"v = {mean}", roots(mean), bound))
        return Outcome(cases)

    return Computed(compute, "exact sums")


LEADING = claim(
    "eq:term1-3/levels/leading",
    "Σ_m √P(Z > m) <= v + 2√v + 1/4 for Z Poisson(v): eq:term1-3/levels with e^{s/2} = 1 + h, where (e^s - "
    "1)/s = (2h + h²)/(2 ln(1 + h)) <= 1 + h + h²/4, at h = 1/√v.",
    says="(2*h + h**2)/(2*log(1 + h)) <= 1 + h + h**2/4",
    domain=Domain.of("h > 0"),
    source="eq:term1-3",
    kind=Kind.REPAIR,
    uses="eq:term1-3/levels",
    checks=(leading(), *_PROOF),
    argued="that v(1 + h + h²/4) + 1/h = v + 2√v + 1/4 at h = 1/√v",
    expected="tested",
    latex=r"\sum_m\mathbb P(Z>m)^{1/2} \le v+2\sqrt v+\tfrac14",
)

CLAIMS = (PATH, COUPLING, TANGENT, MAXIMUM, SINGLE, SINGLE_REPAIRED, OPTIMAL, CONCAVE, LEVELS, LEADING)

MUTANTS: Mapping[str, Claim] = {
    "eq:sumK": replace(PATH, checks=(quiet(seen=1),)),
    "prop:proberror/coupling": changed(COUPLING, domain=Domain.of("e >= 0", "rate > 0", "d > -rate")),
    "eq:term1-3/tangent": changed(TANGENT, "y <= (exp(y) - 1)/2"),
    "eq:term1-3": replace(  # the one without v + 1, and exact means to match
        changed(MAXIMUM, "(k + v*(exp(log(1 + k)) - 1))/log(1 + k) == v*k/log(1 + k)"),
        checks=(longest_of(Fraction(1, 2)), Proof()),
    ),
    "eq:term1-3/K=1": changed(SINGLE, domain=Domain.of("K >= 2", integers="K")),
    "eq:term1-3/K=1/repaired": replace(
        SINGLE_REPAIRED, says=limit("k/log(1 + k)", "k", "0", "1/2", Domain.of("k > 0"))
    ),
    "eq:term1-3/sharp": changed(OPTIMAL, "((v + v*exp(s)*s) + v*(exp(s) - 1))/s == v*exp(s)"),
    "eq:JM-eq/sharp": replace(CONCAVE, checks=(mean_roots(Fraction(1, 2)),)),
    "eq:term1-3/levels": replace(
        changed(LEVELS, "t - 1 + q**t/(1 - q) <= q"), checks=(levels(Fraction(1, 10)), *_PROOF)
    ),
    "eq:term1-3/levels/leading": replace(
        changed(LEADING, "(2*h + h**2)/(2*log(1 + h)) <= 1 + h"), checks=(leading(Fraction(3, 2)), *_PROOF)
    ),
}

FINDINGS: Mapping[str, Mapping[str, str]] = {
    "eq:term1-3/K=1": {
        "breaks": "notation",
        "summary": "For K = 1 the factor ln K/ln(ln K + 1) of eq:term1-3, prop:proberror, prop:rateerror "
        "and thm:CT-UCB is 0/0. Its limit is 1, and with this reading all of them hold for K = 1.",
        "repair": "eq:term1-3/K=1/repaired",
    },
    "eq:term1-3": {
        "breaks": "constant",
        "summary": "True, but the maximum over the episodes is not needed: by concavity of the root the "
        "factor (v + 1) ln K/ln(ln K + 1) can be replaced by (e - 1)v + 1.55 with v = λmax H, which does "
        "not grow with K and is smaller for every K >= 6; also by v + 2√v + 1/4 (eq:term1-3/levels/leading).",
        "repair": "eq:term1-3/levels",
    },
    "prop:proberror/coupling": {
        "breaks": "notation",
        "summary": "The Poisson processes that bound the numbers of jumps almost surely are not named. The "
        "gaps λτ/λmax make them, also when policies depend on the past.",
        "repair": "",
    },
}
