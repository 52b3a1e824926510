r"""Counts that are known late, and what is paid with them.

The learner knows the jumps and the time of a pair as they were when the episode began.  They lag behind
what was seen by at most what one episode has, and the pigeon-hole sum has the constant 2, with a remainder:

.. math:: \sum_n g_nz_n \le v\,q + 2w\sqrt{Z},\qquad g_n \le v,\quad g_n\sqrt{(Z_{n+1}-q)^+} \le w .

What is paid is the time that remains: for rates integrated over the time spent, :math:`H^2/2` in an
episode, for rows what is left after a jump, at most :math:`\lambda_{\max}H^2/2` in the mean.  A factor
:math:`1/\sqrt2` against H for each.
"""

from __future__ import annotations

from fractions import Fraction

from proofs_checks.checks.common import PROOF
from proofs_checks.checks.counting import late
from proofs_checks.derivations import longest, optimistic_rows, optimistic_times
from proofs_checks.derivations import optimistic_counts as counts
from proofs_checks.derivations import optimistic_kept as kept
from proofs_checks.derivations import optimistic_levels as levels
from proofs_checks.derivations.setting import ANY
from verify.claims import Domain, Section

section = Section(checks=PROOF, expected="proved", setting=ANY, symbols={"d": "δ", "r": "λmax"})

section.repair(
    "prop:proberror/pigeon-hole/late",
    "For increments z >= 0 with the sums Z, q >= 0, and prices 0 <= g <= v with g_n √max(Z_{n+1} - q, 0) <= "
    "w: Σ g_n z_n <= vq + 2w√Z. The first q cost at most v each, and after that g(y² - x²) <= 2w(y - x) "
    "for x <= y, gy <= w.",
    says="g*(y**2 - x**2) <= 2*w*(y - x)",
    domain=("g >= 0", "x >= 0", "y >= x", "g*y <= w"),
    theorem=counts.LATE,
    derivation=counts.late,
    checks=(late(), *PROOF),
    latex=r"\sum_n g_nz_n \le vq+2w\sqrt{Z_m}",
    mutant=late(Fraction(3, 2)),
)

section.repair(
    "prop:proberror/pigeon-hole/late-log",
    "For increments z >= 0 with the sums Z, q >= 0, w > 0, and prices 0 <= g <= 1 with g_n (Z_{n+1} - q) <= "
    "w: Σ g_n z_n <= q + w(1 + ln(1 + Z/w)). The first q + w cost at most 1 each, and after that y - x <= "
    "y(ln y - ln x).",
    says="y - x <= y*(log(y) - log(x))",
    domain=("x > 0", "y > 0"),
    theorem=counts.LATE_LOG,
    derivation=counts.late_log,
    latex=r"\sum_n g_nz_n \le q+w\,(1+\ln(1+Z_m/w))",
    mutant="y - x <= y*(log(y) - log(x))/2",
)

section.repair(
    "prop:rateerror/times",
    "On every path, for every e > 0, over the decisions of the first K episodes: Σ z/√max(eT⁺, 1) <= "
    "2√(c/e)√(SAKq) + SAq for z = τ, c = 1, q = H, for z = uτ - τ²/2, c = H, q = H²/2, and for z = Hτ + uτ "
    "- τ²/2, c = 2H, q = 3H²/2. (τ is the time spent, uτ - τ²/2 the time left integrated over it, at most "
    "cτ; T⁺ the time in the pair before the episode.) The second bound is H√(2nKH/e) + nH²/2, n = SA.",
    says="2*sqrt(H/e)*sqrt(n*K*H**2/2) == H*sqrt(2*n*K*H/e)",
    domain=("H > 0", "e > 0", "n > 0", "K > 0"),
    symbols={"n": "SA"},
    uses="prop:proberror/pigeon-hole/late prop:proberror/cauchy-schwarz",
    theorem=optimistic_times.TIMES,
    derivation=optimistic_times.times,
    latex=r"\sum\frac{u\tau-\tau^2/2}{\sqrt{\max\{eT^+,1\}}} \le H\sqrt{2SAKH/e}+\tfrac12SAH^2",
    mutant="2*sqrt(H/e)*sqrt(n*K*H**2/2) == H*sqrt(n*K*H/e)",
)

section.repair(
    "prop:rateerror/times/log",
    "On every path, for every e > 0, over the decisions of the first K episodes: Σ (uτ - τ²/2)/max(eT⁺, 1) "
    "<= SA H (H/2 + (1 + ln(1 + eKH/(2SA)))/e). (The logarithm is below its tangents: with z = eZ/H, Z "
    "what the pair has of the sum, and M the mean of 1 + z.)",
    says="log(1 + z) <= log(M) + (1 + z - M)/M",
    domain=("z >= 0", "M > 0"),
    uses="prop:proberror/pigeon-hole/late-log",
    theorem=optimistic_times.TIMES_LOG,
    derivation=optimistic_times.times_log,
    latex=r"\sum\frac{u\tau-\tau^2/2}{\max\{eT^+,1\}} \le SAH\Bigl(\frac H2+\frac1e\Bigl(1+"
    r"\ln\Bigl(1+\frac{eKH}{2SA}\Bigr)\Bigr)\Bigr)",
    mutant="log(1 + z) <= log(M) + (1 + z - M)/(2*M)",
)

section.repair(
    "lem:CI-p/uniform/falls",
    "The radius of lem:CI-p/uniform is largest for n = 1: g(n)/n <= g(1) for g(n) = 2[S ln 2 + ln(SA "
    "n(n+1)/δ)], as ln(n(n+1)/2) <= 2 ln 2 (n - 1) <= (n - 1) g(1)/2.",
    says="log(n*(n + 1)/2) <= 2*log(2)*(n - 1)",
    domain=Domain.of("n >= 1", integers="n"),
    mutant="log(n*(n + 1)/2) <= log(2)*(n - 1)",
)

section.repair(
    "lem:CI-p/uniform/tangent",
    "g(n) = 2[S ln 2 + ln(SA n(n+1)/δ)] lies below its tangents: g(n) <= g(M) + 2(n - M)(1/M + 1/(M + 1)).",
    says="2*(S*log(2) + log(S*A*n*(n + 1)/d)) <= 2*(S*log(2) + log(S*A*M*(M + 1)/d)) + "
    "2*(n - M)*(1/M + 1/(M + 1))",
    domain=Domain.of("S >= 1", "A >= 1", "n >= 1", "M >= 1", "0 < d", "d < 1", integers="S A n"),
    mutant="2*(S*log(2) + log(S*A*n*(n + 1)/d)) <= 2*(S*log(2) + log(S*A*M*(M + 1)/d)) + (n - M)/M",
)

section.repair(
    "eq:term1-3/tilted",
    "The mean of the largest number of jumps of K episodes is at most (ln K + v(e^h - 1))/h, v = λmax H, "
    "for every h > 0. (eq:term1-3 is the case h = ln(ln K + 1).)",
    uses="eq:term1-3/tangent prop:proberror/coupling",
    theorem=longest.TILTED,
    derivation=longest.tilted_mean,
    latex=r"\mathbb E J_M \le \frac{\ln K + v(e^h-1)}h",
)

section.repair(
    "prop:proberror/rows/falling",
    "For every function g > 0 of whole numbers n >= 1 that rises, with g(n) <= n g(1) and g(n) <= a² + w(n - "
    "M), M = 1 + Kv/(SA), v = λmax H and some w >= 0: with radii α = √(g(N⁺)/N⁺), E Σ α 1{jump}(u - τ) <= √2 "
    "H √(SAKv) a + SA H √g(1) E J_M over the decisions of the first K episodes. With n = SA, the best c in "
    "√H(c λmax K H²/2 + SA a²/c) gives 2√H √(λmax K H²/2) √(SA) a.",
    says="2*sqrt(H)*sqrt(r*K*H**2/2)*sqrt(n) == sqrt(2)*H*sqrt(n*K*r*H)",
    domain=("H > 0", "K > 0", "r > 0", "n > 0"),
    uses="prop:proberror/pigeon-hole/late",
    theorem=optimistic_rows.FALLING,
    derivation=optimistic_rows.falling,
    latex=r"\mathbb E\sum\alpha\,1_{jump}(u-\tau) \le \sqrt2H\sqrt{SAKv}\,a + SAH\,\sqrt{g(1)}\,\mathbb EJ_M",
    mutant="2*sqrt(H)*sqrt(r*K*H**2/2)*sqrt(n) == H*sqrt(n*K*r*H)",
)

section.repair(
    "prop:proberror/rows/kept",
    "Radii √(g(N')/N') by a number N' of jumps that lags behind, N' <= N <= cN' for a c >= 1, g as in "
    "prop:proberror/rows/falling: they are at most α = √(min{c g(N), N g(1)}/N), and with N = max{1, N⁺}, E "
    "Σ α 1{jump}(u - τ) <= √2 H √(SAKv) √c a + SA H √g(1) E J_M. (g rises, x = g(N') <= y = g(N); and the "
    "minimum is a level as well.)",
    says="x*n <= c*y*i",
    domain=("0 <= x", "x <= y", "i >= 1", "c >= 1", "0 <= n", "n <= c*i"),
    symbols={"n": "N", "i": "N'"},
    uses="prop:proberror/rows/falling",
    theorem=kept.KEPT,
    derivation=kept.kept,
    latex=r"\mathbb E\sum\alpha\,1_{jump}(u-\tau) \le \sqrt2H\sqrt{SAKv}\,\sqrt c\,a + "
    r"SAH\,\sqrt{g(1)}\,\mathbb EJ_M",
    mutant="x*n <= y*i",
)

section.repair(
    "prop:proberror/rows",
    "E Σ α 1{jump}(u - τ) <= √2 H √(SAKv) √c a + SA H a1 E J_M over the decisions of the first K episodes, "
    "for every c >= 1 and α = √(min{c g(N), N g(1)}/N), N = max{1, N⁺}: at least the radius of "
    "lem:CI-p/uniform by N' jumps, N' <= N <= cN'. Here v = λmax H, a² = g(1 + Kv/(SA)), a1² = g(1), g(n) = "
    "2[S ln 2 + ln(SA n(n+1)/δ)].",
    uses="prop:proberror/rows/kept lem:CI-p/uniform/tangent lem:CI-p/uniform/falls",
    theorem=levels.UNIFORM.says,
    derivation=levels.UNIFORM.rows,
    latex=r"\mathbb E\sum\alpha\,1_{jump}(u-\tau) \le \sqrt2H\sqrt{SAKv}\,\sqrt c\,a + SAH\,a_1\mathbb EJ_M",
)

section.repair(
    "lem:CI-p/kl/falls",
    "ln(1 + n/l) <= n ln(1 + 1/l) (Bernoulli), so that the radius √(2[ln(SA/δ) + ln C(n+S-1, S-1)]/n) is "
    "largest for n = 1.",
    says="log(1 + n/l) <= n*log(1 + 1/l)",
    domain=Domain.of("n >= 1", "l >= 1", integers="n l"),
    mutant="log(1 + n/l) <= n*log(1 + 1/l)/2",
)

section.repair(
    "lem:CI-p/kl/tangent",
    "ln(1 + n/l) lies below its tangents: ln(1 + n/l) <= ln(1 + M/l) + (n - M)/(l + M).",
    says="log(1 + n/l) <= log(1 + M/l) + (n - M)/(l + M)",
    domain=Domain.of("n >= 1", "l >= 1", "M >= 1", integers="n l"),
    mutant="log(1 + n/l) <= log(1 + M/l) + (n - M)/(2*l + M)",
)

section.repair(
    "prop:proberror/rows/kl",
    "The same for the radius that Pinsker's inequality gives the sets of lem:CI-p/kl: g(n) = 2[ln(SA/δ) + ln "
    "C(n+S-1, S-1)], ln C(n+S-1, S-1) = Σ_{1<=j<S} ln(1 + n/j), a² = g(1 + Kv/(SA)), a1² = g(1).",
    uses="prop:proberror/rows/kept lem:CI-p/kl/tangent lem:CI-p/kl/falls",
    theorem=levels.KL.says,
    derivation=levels.KL.rows,
    latex=r"\mathbb E\sum\alpha\,1_{jump}(u-\tau) \le \sqrt2H\sqrt{SAKv}\,\sqrt c\,a + SAH\,a_1\mathbb EJ_M",
)

section.repair(
    "prop:proberror/rows/tilts",
    "The same for the radius of lem:CI-p/tilts/radius, J >= 1 tilts with 4^J >= 16K(1 + v) and l = S ln 2 + "
    "ln(SAJ/δ): g(n) = (9/4)(l + 4n/4^J), a² = (9/4)(l + 1/4), a1² = g(1).",
    uses="prop:proberror/rows/kept",
    theorem=levels.tilted("k").says,
    derivation=levels.tilted("k").rows,
    latex=r"\mathbb E\sum\alpha\,1_{jump}(u-\tau) \le \sqrt2H\sqrt{SAKv}\,\sqrt c\,a + SAH\,a_1\mathbb EJ_M",
)
