r"""The confidence sets of the optimistic learner: for all numbers of jumps and all times at once.

For a pair, :math:`N` observed jumps, :math:`M(y)` of them to :math:`y`, in time :math:`T`, as they were when
the episode began.

**Rates.**  For tilts :math:`\zeta_m`, :math:`m < J`, and :math:`l = \ln(2SAJ/\delta)` all of

.. math:: \zeta_m N - l \le (e^{\zeta_m}-1)\lambda T, \qquad (1-e^{-\zeta_m})\lambda T \le \zeta_m N + l

hold at every decision with probability at least :math:`1-\delta`:
:math:`e^{\pm\zeta N - \lambda(e^{\pm\zeta}-1)T}` are martingales.  With :math:`\zeta_m = 2^{1-m}` two rates
of the set differ by at most :math:`3(\sqrt{\lambda l/T} + l/T)`, the smaller one under the root: a Bernstein
bound, and no unit of time is in a logarithm.  Since the equation of the learner has slopes in [0, 1], a rate
:math:`\tilde\lambda` meets differences :math:`|d| \le \min\{t, 1/\tilde\lambda\}` only, and another rate of
the set costs at most :math:`3(\sqrt{lt/T} + lt/T)` per unit of time, in which there is no rate any more.

**Jumps.**  A bet on the next state by Laplace's rule of succession seldom wins much against the true row, so
:math:`N\,\mathrm{KL}(\hat p\|p) \le \ln(SA/\delta) + \ln\binom{N+S-1}{S-1}` at every decision, with
probability at least :math:`1-\delta`.  Beside it the :math:`\ell^1` sets of tilts, whose radius is at most
:math:`\tfrac32\sqrt{l/N}`, :math:`l = S\ln 2 + \ln(SAJ/\delta)`.

Whatever the learner does, and rates may be 0.
"""

from __future__ import annotations

from fractions import Fraction

from proofs_checks.checks import succession as draws
from proofs_checks.checks import tilts as boundaries
from proofs_checks.checks.common import PROOF
from proofs_checks.derivations import jump_tilts, laplace, pinsker, tilt_widths, tilts
from proofs_checks.derivations.setting import ANY, POLICIES
from verify.claims import Domain, Section

_SIZES = ("S >= 1", "A >= 1", "J >= 1", "0 < d < 1")

section = Section(checks=PROOF, expected="proved", setting=ANY, symbols={"d": "δ"})

# --- rates ------------------------------------------------------------------------------------------

section.repair(
    "lem:rateUCB/tilts",
    "For all real tilts ζ_m, m < J, and l = ln(2SAJ/δ): with probability at least 1 - δ all of ζN - l <= "
    "(e^ζ - 1)λT and (1 - e^(-ζ))λT <= ζN + l hold for all pairs, at every decision of every episode, N "
    "and T as they were when it began, whatever the learner does: 2SAJ e^(-l) = δ.",
    says="2*S*A*J*exp(-log(2*S*A*J/d)) == d",
    domain=Domain.of(*_SIZES, integers="S A J"),
    uses="lem:rateUCB/martingale lem:rateUCB/frozen",
    theorem=tilts.TILTS,
    derivation=tilts.tilts,
    checks=(boundaries.outside(), *PROOF),
    latex=r"\mathbb P(\zeta_m N - l \le (e^{\zeta_m}-1)\lambda T,\ (1-e^{-\zeta_m})\lambda T \le"
    r"\zeta_m N + l\ \text{for all}\ m, x, a, k) \ge 1-\delta",
    mutant=boundaries.outside(Fraction(9, 10)),  # 90 % of l
)

section.repair(
    "lem:rateUCB/tilts/best",
    "What is at most e^ζ - 1 + 2w²/(1 - e^(-ζ)) for all tilts ζ = 2^(1-m), m < J, is at most 3(w + w²), if "
    "w >= 2^(1-J) + 4^(1-J), J >= 1.",
    theorem=tilt_widths.BEST,
    derivation=tilt_widths.best,
    checks=boundaries.best_tilt(),
    latex=r"\min_{m<J}\ e^{\zeta_m} - 1 + \frac{2w^2}{1-e^{-\zeta_m}} \le 3(w+w^2), \quad"
    r"w \ge 2^{1-J}+4^{1-J}",
    mutant=boundaries.best_tilt(Fraction(29, 10)),
)

section.repair(
    "lem:rateUCB/tilts/width",
    "With the tilts ζ = 2^(1-m), m < J, l > 0 and T > 0: if ζN - l <= (e^ζ - 1)uT and (1 - e^(-ζ))vT <= ζN "
    "+ l for all of them, and 0 <= uT <= 4^(J-2) l, then v - u <= 3(√(ul/T) + l/T). So the set [u, v] is "
    "so narrow (and so near are any two of its rates, the smaller one in the place of u).",
    uses="lem:rateUCB/tilts/best",
    theorem=tilt_widths.WIDTH,
    derivation=tilt_widths.widths,
    checks=boundaries.wide(),
    latex=r"v - u \le 3\left(\sqrt{ul/T} + l/T\right)",
    mutant=boundaries.wide(Fraction(5, 2)),
)

section.repair(
    "lem:rateUCB/tilts/cost",
    "For two rates λ, λ' of the set with λT, λ'T <= 4^(J-2) l: if |d| <= h and λ'|d| <= 1, then |(λ' - "
    "λ)d| <= 3(√(lh/T) + lh/T). (d is pV - Q of the learner's equation, whose slopes are in [0, 1]; h the "
    "remaining time.)",
    uses="lem:rateUCB/tilts/width",
    theorem=tilt_widths.COST,
    derivation=tilt_widths.costs,
    checks=boundaries.dear(),
    latex=r"|(\tilde\lambda-\lambda)d| \le 3\left(\sqrt{lh/T} + lh/T\right)",
    mutant=boundaries.dear(Fraction(2)),
)

section.repair(
    "lem:rateUCB/tilts/enough",
    "J >= 2 tilts with 4^J >= 16 K λmax H are enough: λmax T <= 4^(J-2) l for all pairs, at every decision "
    "of the first K episodes.",
    theorem=tilt_widths.ENOUGH,
    derivation=tilt_widths.enough,
    says="1 <= log(2*S*A*J/d)",
    domain=Domain.of("S >= 1", "A >= 1", "J >= 2", "0 < d < 1", integers="S A J"),
    mutant=Domain.of("S >= 1", "A >= 1", "J >= 1", "0 < d < 1", integers="S A J"),
)

# --- jumps: Kullback and Leibler ----------------------------------------------------------------------

section.repair(
    "lem:CI-p/kl/bet",
    "A jump to y that is seen multiplies W by (M(y) + 1)/((N + S) p(y)), a factor of mean at most 1, given "
    "all that came before, whatever the learner does (a jump of probability 0 does not count).",
    theorem=laplace.BET,
    derivation=laplace.bet,
    checks=draws.laplace_factor(),
    latex=r"\mathbb E\,\frac{M(y)+1}{(N+S)\,p(y)} \le 1",
    mutant=draws.laplace_factor(1),
)

section.repair(
    "lem:CI-p/kl/rises",
    "a ln(1 + 1/a) rises: a ln(1 + 1/a) <= (a + b) ln(1 + 1/(a + b)) for a >= 1, b >= 0.",
    says="a*log(1 + 1/a) <= (a + b)*log(1 + 1/(a + b))",
    domain=("a >= 1", "b >= 0"),
    mutant="a*log(1 + 2/a) <= (a + b)*log(1 + 1/(a + b))",
)

section.repair(
    "lem:CI-p/kl/entropy",
    "A multinomial coefficient is at most e to the entropy: N!/Π M(y)! <= Π (N/M(y))^M(y), of the counts "
    "of a run when an episode began (logarithms, with ln m! = Σ_{j<=m} ln j, and 0 ln 0 = 0).",
    uses="lem:CI-p/kl/rises",
    theorem=laplace.ENTROPY,
    derivation=laplace.entropy,
    checks=draws.multinomial(),
    latex=r"\ln N! - N\ln N \le \sum_y \ln M(y)! - M(y)\ln M(y)",
    mutant=draws.multinomial(2),
)

section.repair(
    "lem:CI-p/kl/impossible",
    "A jump of probability 0 is never seen: P(M(y) >= 1 at some decision) = 0 if p(y) = 0.",
    theorem=laplace.IMPOSSIBLE,
    derivation=laplace.impossible,
)

section.repair(
    "lem:CI-p/kl",
    "With probability at least 1 - δ, N KL(p̂‖p) <= ln(SA/δ) + ln C(N+S-1, S-1), and p(y) > 0 where M(y) "
    ">= 1, for all pairs at every decision of every episode, N, M and p̂ = M/N as they were when it began, "
    "whatever the learner does. (N KL(p̂‖p) = Σ M(y) ln(M(y)/(N p(y))), and ln C(N+S-1, S-1) = Σ_{l<N} "
    "ln((S+l)/(l+1)).) For a pair W reaches SA/δ with probability at most δ/(SA).",
    says="S*A*exp(-log(S*A/d)) == d",
    domain=Domain.of("S >= 1", "A >= 1", "0 < d < 1", integers="S A"),
    uses="lem:CI-p/kl/bet lem:CI-p/kl/entropy lem:CI-p/kl/impossible lem:rateUCB/frozen",
    theorem=laplace.KL,
    derivation=laplace.kl,
    checks=(draws.divergences(), *PROOF),
    latex=r"\mathbb P(N\,\mathrm{KL}(\hat p\|p) \le \ln(SA/\delta) + \ln\tbinom{N+S-1}{S-1}"
    r"\ \text{for all}\ x, a, k) \ge 1-\delta",
    mutant=draws.divergences(price=False),  # as if N were known beforehand
)

section.repair(
    "lem:CI-p/kl/price",
    "What all numbers N of jumps at once cost: ln C(N+S-1, S-1) <= (S - 1) ln(N + 1), factor by factor: "
    "ln((S+l)/(l+1)) <= (S - 1)(ln(l+2) - ln(l+1)).",
    says="log((S + l)/(l + 1)) <= (S - 1)*(log(l + 2) - log(l + 1))",
    domain=Domain.of("S >= 1", "l >= 0", integers="S l"),
    theorem=pinsker.PRICE,
    derivation=pinsker.price,
    latex=r"\ln\tbinom{N+S-1}{S-1} \le (S-1)\ln(N+1)",
    mutant="log((S + l)/(l + 1)) <= (S - 1)*(log(l + 2) - log(l + 1))/2",
)

section.repair(
    "lem:CI-p/kl/binomial",
    "ln C(n+S-1, S-1) = Σ_{l<n} ln((S+l)/(l+1)) = Σ_{1<=j<S} ln(1 + n/j), which is defined for real n: a "
    "summand of the right side grows with n by ln(n + 1 + j) - ln(n + j).",
    says="log(1 + (n + 1)/j) - log(1 + n/j) == log(n + 1 + j) - log(n + j)",
    domain=("n >= 0", "j >= 1"),
    theorem=pinsker.BINOMIAL,
    derivation=pinsker.binomials,
    latex=r"\ln\tbinom{n+S-1}{S-1} = \sum_{j=1}^{S-1}\ln(1+n/j)",
    mutant="log(1 + (n + 1)/j) - log(1 + n/j) == log(n + 1 + j) - log(n + 1)",
)

section.repair(
    "lem:CI-p/kl/pinsker",
    "‖p̂ - q‖₁ <= √(2b/N) for every probability vector q with N KL(p̂‖q) <= b that has q(y) > 0 where M(y) "
    ">= 1, N >= 1 (Pinsker): termwise from 3(x - 1)² <= (4 + 2x)(x ln x - x + 1), x = p̂(y)/q(y).",
    says="3*(x - 1)**2 <= (4 + 2*x)*(x*log(x) - x + 1)",
    domain="x > 0",
    setting=POLICIES,
    theorem=pinsker.PINSKER,
    derivation=pinsker.pinsker,
    latex=r"\|\hat p-q\|_1 \le \sqrt{2\,\mathrm{KL}(\hat p\|q)}",
    mutant="4*(x - 1)**2 <= (4 + 2*x)*(x*log(x) - x + 1)",
)

section.repair(
    "lem:CI-p/kl/balls",
    "With probability at least 1 - δ, ‖p̂ - p‖₁ <= √(2[ln(SA/δ) + ln C(N+S-1, S-1)]/N) for all pairs with "
    "N >= 1, at every decision of every episode.",
    setting=POLICIES,
    uses="lem:CI-p/kl lem:CI-p/kl/pinsker",
    theorem=pinsker.BALLS,
    derivation=pinsker.balls,
    checks=draws.pinsker_balls(),
    mutant=draws.pinsker_balls(price=False),
)

# --- jumps: tilts -------------------------------------------------------------------------------------

section.repair(
    "lem:CI-p/tilts",
    "For all tilts ζ_m > 0, m < J, and l = S ln 2 + ln(SAJ/δ): with probability at least 1 - δ, ‖p̂ - p‖₁ "
    "<= 2(l/(ζN) + ζ/8) for all of them and all pairs with N >= 1, at every decision of every episode, "
    "whatever the learner does: 2^S SAJ e^(-l) = δ.",
    says="2**S*S*A*J*exp(-(S*log(2) + log(S*A*J/d))) == d",
    domain=Domain.of(*_SIZES, integers="S A J"),
    setting=POLICIES,
    uses="lem:CI-p/subsets lem:CI-p/supermartingale lem:rateUCB/frozen",
    theorem=jump_tilts.TILTS,
    derivation=jump_tilts.tilts,
    checks=(draws.far_off(), *PROOF),
    latex=r"\mathbb P(\|\hat p-p\|_1 \le 2(l/(\zeta_m N) + \zeta_m/8)\ "
    r"\text{for all}\ m, x, a, k) \ge 1-\delta",
    mutant=draws.far_off(Fraction(3, 4)),
)

section.repair(
    "lem:CI-p/tilts/radius",
    "With the tilts ζ = 2^(2-m), m < J, J >= 1, what is at most 2 and at most 2(l/(ζN) + ζ/8) for all of "
    "them is at most max{3/2 √(l/N), 3/2^J}, for all l, N > 0.",
    theorem=jump_tilts.RADIUS,
    derivation=jump_tilts.radii,
    checks=draws.least_radius(),
    latex=r"\min\{2, \min_{m<J} 2(l/(\zeta_m N)+\zeta_m/8)\} \le \max\{\tfrac32\sqrt{l/N}, 3\cdot2^{-J}\}",
    mutant=draws.least_radius(Fraction(7, 5)),
)
