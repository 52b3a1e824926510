r"""The number of jumps of an episode (``eq:term1-3``), as printed and without the growth in :math:`K`.

:math:`J^k(H)`, the number of jumps of episode :math:`k`, is at most a Poisson variable :math:`Z` of mean
:math:`v = \lambda_{\max}H`, and the paper bounds the mean of the largest of :math:`K` of them by

.. math:: E\max_k Z_k \le \inf_s \frac{\ln K + v(e^s-1)}s \le \frac{(v+1)\ln K}{\ln(\ln K+1)} .

(A path without any observed jump shows why the counts must be tied to the jumps: ``eq:sumK``.)

The maximum is not needed.  The root is concave, so

.. math:: E\sum_m (\#\{l : J^l > m\})^{1/2} \le \sqrt K \sum_m P(Z > m)^{1/2},

whose last factor is the :math:`D` of the theorems; :math:`D \ge \sum_m P(Z > m) = v`.  By Chernoff
:math:`P(Z > m) \le e^{-s(m+1-c)}` with :math:`c = v(e^s-1)/s`.  The :math:`\lfloor c\rfloor` first roots are
at most 1, the others a geometric series; with :math:`t = \lfloor c\rfloor + 1 - c \in (0, 1]` and :math:`q =
e^{-s/2}`

.. math:: \sum_m P(Z>m)^{1/2} \le c - 1 + t + \frac{q^t}{1-q}
          \le c + \frac q{1-q} = \frac{v(e^s-1)}s + \frac1{e^{s/2}-1} .

At :math:`s = 1` this is :math:`(e-1)v + 1.55`; it takes the place of :math:`(v+1)\ln K/\ln(\ln K+1)`.  With
:math:`e^{s/2} = 1+h` and :math:`h = 1/\sqrt v` it is at most :math:`v + 2\sqrt v + \frac14`, where the
leading constant is 1.
"""

from __future__ import annotations

from fractions import Fraction

from proofs_checks.checks.common import PROOF, PROVER, REFUTATION
from proofs_checks.checks.number_of_jumps import leading, levels, longest_of, mean_roots
from proofs_checks.checks.number_of_jumps import quiet as quiet_paths
from proofs_checks.derivations import levels as levels_of
from proofs_checks.derivations import longest, poisson_levels, quiet, tail_series
from proofs_checks.derivations import number_of_jumps as derived
from proofs_checks.derivations.setting import ANY
from verify.claims import Domain, Mutant, Remark, Section, limit

section = Section(
    checks=PROOF,
    expected="proved",
    setting=ANY,
    symbols={"v": "λmax H", "k": "ln K", "N": "N⁺", "rate": "λ"},
)

section.claim(
    "eq:sumK",
    "On a path without a jump in K decisions (t_1 > H in all K episodes), which has probability at least "
    "exp(-λmax H K), every count N⁺ is 0, and the sum over k of 1/√max(1, N⁺) is K.",
    says="K/sqrt(Max(1, N)) == K",
    domain=Domain.of("K >= 1", "0 <= N <= 0", integers="K N"),
    theorem=quiet.QUIET,
    derivation=quiet.quiet,
    checks=(quiet_paths(), *PROOF),
    mutant=quiet_paths(seen=1),
)

section.step(
    "prop:proberror/coupling",
    "E Σ_k exp(hJ^k) <= K exp(cH), over the first K episodes, as far as they were seen, for every h >= 0 "
    "and c >= λmax(e^h - 1), whatever the policies: exponential moments are at most those of a Poisson "
    "variable. With the tails (prop:proberror/levels) this is what is used of the paper's coupling, J^k(H) "
    "<= Z^k(H) almost surely for independent Poisson processes Z^k of rate λmax, which it does not name. "
    "(With e = λτ, standard exponential whatever was before, the Z^k with gaps e/λmax do; the formula is "
    "that these are at most τ = e/λ, λmax = λ + d. No such process is needed for the moments and tails.)",
    says="e/(rate + d) <= e/rate",
    domain=("e >= 0", "rate > 0", "d >= 0"),
    symbols={"d": "λmax - λ", "e": "λτ"},
    theorem=derived.MOMENTS,
    derivation=derived.moments,
    latex=r"\tau = e/\lambda \ge e/\lambda_{\max},\quad e \sim \exp(1)\ \text{i.i.d.}",
    mutant=Domain.of("e >= 0", "rate > 0", "d > -rate"),
    finding=Remark(
        "erratum",
        "The Poisson processes that bound the numbers of jumps almost surely are not named.",
        details="The gaps λτ/λmax make them, also when policies depend on the past.",
    ),
)

section.repair(
    "prop:proberror/levels",
    "#{l : J^l > m}, how many of the first K episodes have more than m jumps, as far as they were seen, has "
    "mean at most K P(Z > m), Z Poisson of mean v = λmax H, whatever the policies: with n jumps seen and u "
    "left an episode has more than m with probability at most P(Poisson(λmax u) > m - n), as ∫ λ e^{-λs} "
    "P(Poisson(λmax(u - s)) >= j) ds <= P(Poisson(λmax u) >= j + 1) for λ <= λmax.",
    uses="lem:optimism/opposite/by-parts",
    theorem=poisson_levels.TAILS,
    derivation=poisson_levels.levels,
    checks=(),
)

section.step(
    "eq:term1-3/tangent",
    "y <= e^y - 1 for every real y. (Put in: y = s max Z - c, where e^y <= Σ exp(sZ_k - c).)",
    says="y <= exp(y) - 1",
    domain=Domain.of(reals="y"),
    mutant="y <= (exp(y) - 1)/2",
)

section.claim(
    "eq:term1-3",
    "The mean of the largest number J_M of jumps of K episodes is at most (v + 1) ln K/ln(ln K + 1), v = "
    "λmax H, read as v + 1 for K = 1: the bound (ln K + v(e^s - 1))/s at s = ln(ln K + 1), with k = ln K.",
    says="(k + v*(exp(log(1 + k)) - 1))/log(1 + k) == (v + 1)*k/log(1 + k)",
    domain=("k > 0", "v > 0"),
    uses="eq:term1-3/tangent prop:proberror/coupling prop:rateerror/decisions prop:rateerror/episodes",
    theorem=longest.LONGEST,
    derivation=longest.longest,
    checks=(longest_of(), PROVER),
    latex=r"\mathbb E\max_{k\le K} Z^k(H) \le \frac{(\lambda_{\max}H+1)\ln K}{\ln(\ln K+1)}",
    mutant=Mutant(
        says="(k + v*(exp(log(1 + k)) - 1))/log(1 + k) == v*k/log(1 + k)",
        checks=(longest_of(Fraction(1, 2)), PROVER),
    ),  # the one without v + 1, and exact means to match
    finding=Remark(
        "constant",
        "True, but the maximum over the episodes is not needed: by concavity of the root the "
        "factor (v + 1) ln K/ln(ln K + 1) can be replaced by (e - 1)v + 1.55 with v = λmax H, which does "
        "not grow with K and is smaller for every K >= 6; also by v + 2√v + 1/4 (eq:term1-3/levels/poisson).",
        repair="eq:term1-3/levels/poisson",
    ),
)

section.step(
    "eq:term1-3/K=1",
    "The denominator ln(ln K + 1) is positive for every K >= 1.",
    says="log(log(K) + 1) > 0",
    domain=Domain.of("K >= 1", integers="K"),
    checks=REFUTATION,
    expected="refuted",
    mutant=Domain.of("K >= 2", integers="K"),
    finding=Remark(
        "erratum",
        "For K = 1 the factor ln K/ln(ln K + 1) of eq:term1-3, prop:proberror, prop:rateerror and "
        "thm:CT-UCB is 0/0.",
        details="Its limit is 1, and with this reading all of them hold for K = 1.",
        repair="eq:term1-3/K=1/repaired",
    ),
)

section.repair(
    "eq:term1-3/K=1/repaired",
    "Read at K = 1 as its limit, ln K/ln(ln K + 1) is 1 (k = ln K), and the bound E Z = v <= v + 1 holds.",
    says=limit("k/log(1 + k)", "k", "0", "1", Domain.of("k > 0")),
    domain="k > 0",
    checks=PROVER,
    mutant=limit("k/log(1 + k)", "k", "0", "1/2", Domain.of("k > 0")),
)

section.repair(
    "eq:term1-3/sharp",
    "For the s with ln K = v + v e^s (s - 1), that is s = 1 + W((ln K - v)/(ev)) with Lambert's W, the "
    "bound (ln K + v(e^s - 1))/s of E max Z_k is v e^s.",
    says="((v + v*exp(s)*(s - 1)) + v*(exp(s) - 1))/s == v*exp(s)",
    domain=("v > 0", "s > 0"),
    uses="eq:term1-3/tangent",
    mutant="((v + v*exp(s)*s) + v*(exp(s) - 1))/s == v*exp(s)",
)

section.repair(
    "eq:JM-eq/sharp",
    "E Σ_m √#{l : J^l > m} <= √K Σ_m √P(Z > m), Z Poisson of mean v = λmax H, summed over as many m as one "
    "likes: the root lies below its tangents (Jensen), and #{l : J^l > m} has mean at most K P(Z > m).",
    says="sqrt(x) <= sqrt(c) + (x - c)/(2*sqrt(c))",
    domain=("x >= 0", "c > 0"),
    symbols={"x": "#{l : J^l > m}", "c": "K P(Z > m)"},
    uses="prop:proberror/levels",
    theorem=levels_of.ROOTS,
    derivation=levels_of.mean_roots,
    checks=(mean_roots(), *PROOF),
    latex=r"\mathbb E\sum_m\bigl(\#\{l: J^l>m\}\bigr)^{1/2} \le \sqrt K\sum_m\mathbb P(Z>m)^{1/2}",
    mutant=mean_roots(Fraction(1, 2)),
)

section.repair(
    "eq:term1-3/levels",
    "Σ_m min{1, exp(u - d(m+1))} <= u/d + 1/(e^d - 1) for u >= 0 and d > 0; with u = v(e^s - 1)/2 and d ="
    " s/2, where the summands are Chernoff's bounds of √P(Z > m), Z Poisson(v), it is v(e^s - 1)/s + "
    "1/(e^{s/2} - 1), at s = 1 (e - 1)v + 1.55. (With q = e^{-s/2} and t in (0, 1] the distance from "
    "v(e^s - 1)/s to the next integer above it.)",
    says="t - 1 + q**t/(1 - q) <= q/(1 - q)",
    domain=("0 < t <= 1", "0 < q < 1"),
    symbols={"q": "e^{-s/2}"},
    theorem=levels_of.SERIES,
    derivation=levels_of.series,
    latex=r"\sum_m\min\{1,e^{(v(e^s-1)-s(m+1))/2}\} \le \frac{v(e^s-1)}s + \frac1{e^{s/2}-1}",
    mutant="t - 1 + q**t/(1 - q) <= q",
)

section.repair(
    "eq:term1-3/levels/leading",
    "The same series is at most v + 2√v + 1/4 for e^{s/2} = 1 + h at h = 1/√v, where (e^s - 1)/s = (2h + "
    "h²)/(2 ln(1 + h)) <= 1 + h + h²/4.",
    says="(2*h + h**2)/(2*log(1 + h)) <= 1 + h + h**2/4",
    domain="h > 0",
    uses="eq:term1-3/levels",
    theorem=levels_of.LEADING,
    derivation=levels_of.leading,
    latex=r"\sum_m\min\{1,e^{(v((1+h)^2-1)-2(m+1)\ln(1+h))/2}\} \le v+2\sqrt v+\tfrac14,\quad h=1/\sqrt v",
    mutant="(2*h + h**2)/(2*log(1 + h)) <= 1 + h",
)

section.repair(
    "eq:term1-3/levels/poisson",
    "Σ_m √P(Z > m), Z Poisson of mean v = λmax H, is at most v(e^s - 1)/s + 1/(e^{s/2} - 1) for every s > 0, "
    "and at most v + 2√v + 1/4: P(Z > m) <= min{1, exp(v(e^s - 1) - s(m+1))} (Chernoff).",
    uses="eq:term1-3/levels eq:term1-3/levels/leading",
    theorem=tail_series.SERIES,
    derivation=tail_series.series,
    checks=(levels(), leading()),
    latex=r"\sum_m\mathbb P(Z>m)^{1/2} \le \frac{v(e^s-1)}s+\frac1{e^{s/2}-1},\quad"
    r"\sum_m\mathbb P(Z>m)^{1/2} \le v+2\sqrt v+\tfrac14",
    mutant=(levels(Fraction(1, 10)), leading(Fraction(3, 2))),
)

section.repair(
    "eq:term1-3/levels/mean",
    "D >= v = λmax H for every D that is at least Σ_{m<k} √P(Z > m) for each k, Z Poisson of mean v: a root "
    "of a probability is at least the probability, and Σ_m P(Z > m) = v (as v - Σ_{m<k} P(Z > m) <= v P(Z "
    ">= k), and k P(Z >= k) stays bounded).",
    theorem=tail_series.MEAN,
    derivation=tail_series.mean,
    checks=(),
)
