r"""``thm:CT-UCB`` wherever its bound is a real number, and with the constants it really has.

:mod:`proofs_checks.regret.repaired` proves it for :math:`SAH \ge 1`.  What fails for shorter horizons is
``lem:CI-p/repaired`` (:math:`HK^2` may be smaller than the number of jumps), and the printed constants are
smaller than those of the proof.  Neither matters.  Let :math:`n = SA`, :math:`y = KH`, :math:`v =
\lambda_{\max}H`, :math:`nH < 1` and :math:`y > 1` (for :math:`y \le 1` the last term of the bound suffices).

* *Few episodes*: the bound exceeds :math:`KH` for :math:`K \le 72S^2A(v+1)^2` and for :math:`K \le 3547`.
* *The jump sets*: a miss after :math:`m` jumps means :math:`S_m(B) - mp(B) > \sqrt{m\Lambda/2}` for a set
  :math:`B`, :math:`\Lambda = S\ln2 + \ln(2nKy^2)`, and :math:`e^{\zeta(S_m-mp)-m\zeta^2/8}` is a
  supermartingale (``lem:CI-p/hoeffding``).  On a peel :math:`m \in [m_0, \sigma^2m_0]` the choice
  :math:`\zeta = \frac{4\sqrt2}{1+\sigma}\sqrt{\Lambda/m_0}` gives the exponent
  :math:`\frac{4\sigma}{(1+\sigma)^2}\Lambda`, which is at least :math:`\Lambda - 1` for :math:`\sigma = 1 +
  2/\sqrt\Lambda`.  At most :math:`1 + \frac14(\sqrt\Lambda + 1)\ln M` peels cover :math:`m \le M`, so the
  misses cost :math:`n2^SJe^{1-\Lambda} = eJ/(2Ky^2)`.
* With :math:`M = 8K^2` and the rate sets, :math:`KH\,P(\mathcal G^c) \le 1` for :math:`K \ge 40`.
* *The constants*: :math:`\frac{\ln K}{\ln(\ln K+1)}` makes up for the factor by which the printed roots are
  too small, for :math:`K > 3547`.

**The constants it has.**  With :math:`D = \sum_m\sqrt{P(Z>m)}`, :math:`Z` Poisson of mean :math:`v`, which is
at most :math:`v\frac{e^s-1}s + \frac1{e^{s/2}-1}` for any :math:`s > 0`, at :math:`s = 1` :math:`(e-1)v +
1.55` (``eq:term1-3/levels/poisson``), for all :math:`KH > \frac12`

.. math:: \mathrm{Regret} \le (CH+1)\sqrt{SAK}\Bigl(H+\frac1{\lambda_{\min}}\Bigr)D
          \Bigl(2\sqrt{2S\ln2+2\ln(2SAK^3H^2)} + \tfrac73\cdot2\sqrt2\,v\sqrt{\ln(4SAK^2H)}\Bigr)
          + \sum_k\epsilon_kv + 1 .
"""

from __future__ import annotations

from proofs_checks.checks.common import PROOF
from proofs_checks.checks.jumps import coins
from proofs_checks.derivations import every_horizon as derived
from proofs_checks.derivations import peels, printed_bound, short_horizon
from proofs_checks.derivations.setting import ANY, LEARNS, PAPER, POLICIES, POSITIVE
from verify.claims import Domain, Section

section = Section(
    checks=PROOF,
    expected="proved",
    setting=POLICIES,
    symbols={"v": "λmax H", "k": "ln K", "n": "SA", "y": "KH", "r": "λmax"},
)

# --- the jump sets, peel by peel --------------------------------------------------------------

section.repair(
    "lem:CI-p/peel",
    "With m = x²m_0 jumps, 1 <= x <= σ = x + d, and ζ = 4√2/(1+σ) √(Λ/m_0), the exponent ζ√(mΛ/2) - mζ²/8 is "
    "Λ(4x/(1+σ) - 4x²/(1+σ)²), at least 4σ/(1+σ)² Λ.",
    says="4*x/(1 + x + d) - 4*x**2/(1 + x + d)**2 >= 4*(x + d)/(1 + x + d)**2",
    domain=("x >= 1", "d >= 0"),
    symbols={"x": "√(m/m_0)", "d": "σ - x"},
    mutant=Domain.of("x >= 1/2", "d >= 0"),
)

section.repair(
    "lem:CI-p/peel/exponent",
    "4σ/(1+σ)² Λ >= Λ - 1 for σ = 1 + 2/√Λ; with w = √Λ.",
    says="w**2*(4*(1 + 2/w)/(2 + 2/w)**2) >= w**2 - 1",
    domain="w > 0",
    symbols={"w": "√Λ"},
    mutant="w**2*(4*(1 + 2/w)/(2 + 2/w)**2) >= w**2 - 1/2",
)

section.repair(
    "lem:CI-p/peel/number",
    "1/(2 ln σ) <= (√Λ + 1)/4 for σ = 1 + 2/√Λ, w = √Λ: so 1 + (√Λ + 1) ln M/4 peels cover 1, ..., M.",
    says="1/(2*log(1 + 2/w)) <= (w + 1)/4",
    domain="w > 0",
    symbols={"w": "√Λ"},
    mutant="1/(2*log(1 + 2/w)) <= w/4",
)

section.repair(
    "lem:CI-p/peeled",
    "With radius √(2Λ/m) the jump sets of a pair miss for some number m <= M of jumps with probability at "
    "most 2^S J e^(1-Λ), J = 1 + (√Λ + 1) ln M/4, whatever the policies.",
    uses="lem:CI-p/peel/number lem:CI-p/subsets lem:CI-p/supermartingale lem:rateUCB/frozen",
    theorem=peels.PEELED,
    derivation=peels.peeled,
    checks=coins(),
    latex=r"\mathbb P(\exists m\le M: \|p-\hat p\|_1 > \sqrt{2\Lambda/m}) \le 2^SJe^{1-\Lambda},"
    r"\quad J = 1+\tfrac14(\sqrt\Lambda+1)\ln M",
    mutant=coins(speed=2),
)

section.repair(
    "lem:CI-p/peeled/sets",
    "With Λ = S ln 2 + ln(SAHK²/δ) > 0 the jump sets of all pairs and decisions of K episodes cover with "
    "probability at least 1 - SA 2^S J e^(1-Λ) - e^(-M), J = 1 + (√Λ + 1) ln M/4, if 2^S SAHK² >= √e δ and M "
    ">= max(1, e² λmax (K-1) H): more than M jumps are rare, and without data α >= 1.",
    uses="lem:CI-p/peeled lem:CI-p/counts",
    theorem=short_horizon.PEELED_SETS,
    derivation=short_horizon.peeled_sets,
    checks=(),
)

# --- few episodes -----------------------------------------------------------------------------

section.repair(
    "thm:CT-UCB/whole/few-episodes",
    "If K <= 72 S²A(v + 1)² then KH <= 6√2 S√(AK) H(v + 1), which the printed bound exceeds for 2SAKH >= 1: "
    "its roots are at least √(2S); with q = √K, a = √A.",
    says="q**2*H <= 6*sqrt(2)*S*a*q*H*(v + 1)",
    domain=Domain.of(
        "q >= 1", "H > 0", "S >= 1", "a >= 1", "v > 0", "q <= sqrt(72)*S*a*(v + 1)", integers="S"
    ),
    symbols={"q": "√K", "a": "√A"},
    uses="eq:regret-bound/real/repaired thm:CT-UCB/bonus-factor thm:CT-UCB/log-factor "
    "thm:CT-UCB/whole/enough",
    setting=POSITIVE,
    theorem=printed_bound.FEW_EPISODES,
    derivation=printed_bound.few_theorem,
    mutant="q**2*H <= 8*S*a*q*H*(v + 1)",
)

section.repair(
    "thm:CT-UCB/whole/rates",
    "(H + 1/λmin)(v + 1) >= H(1 + 1/v)(v + 1) >= 4H.",
    says="(1 + 1/v)*(v + 1) >= 4",
    domain="v > 0",
    mutant="(1 + 1/v)*(v + 1) >= 5",
)

section.repair(
    "thm:CT-UCB/whole/few-episodes/any",
    "If K <= 3547 and KH > 1 then KH <= 3·2·4H√(SAK)√(2 + 6 ln 2), which the printed bound exceeds.",
    says="K <= 24*sqrt(2 + 6*log(2))*sqrt(K)",
    domain="1 <= K <= 3547",
    uses="thm:CT-UCB/bonus-factor thm:CT-UCB/log-factor thm:CT-UCB/whole/rates",
    setting=POSITIVE,
    theorem=printed_bound.FIRST_EPISODES,
    derivation=printed_bound.first_theorem,
    mutant=Domain.of("1 <= K <= 3548"),
)

# --- the event 𝒢 ------------------------------------------------------------------------------

section.repair(
    "thm:CT-UCB/whole/jumps",
    "e² vK <= 8K² for v = λmax H <= K: more than 8K² jumps have probability at most exp(-8K²).",
    says="exp(2)*v*K <= 8*K**2",
    domain=Domain.of("v > 0", "v <= K", "K >= 1", integers="K"),
    uses="lem:CI-p/counts",
    setting=ANY,
    theorem=short_horizon.SELDOM,
    derivation=short_horizon.seldom,
    mutant="exp(2)*v*K <= 7*K**2",
)

section.repair(
    "thm:CT-UCB/whole/radicand",
    "Λ <= S ln 2 + ln(2K³) <= 5/2 √K for SAH < 1, K >= 23 and S <= 3/7 √K; with s = √K.",
    says="3/7*s*log(2) + log(2) + 6*log(s) <= 5/2*s",
    domain="s >= 479/100",
    symbols={"s": "√K"},
    uses="thm:CT-UCB/whole/radicand/short",
    mutant=Domain.of("s >= 4"),
)

section.repair(
    "thm:CT-UCB/whole/radicand/short",
    "For SAH = nh <= 1, and so h = H <= 1, the argument 2SAK(KH)² of the logarithm in Λ = S ln 2 + "
    "ln(2SAK(KH)²) is at most 2K³.",
    says="2*n*K*(K*h)**2 <= 2*K**3",
    domain=("n >= 1", "K >= 1", "h > 0", "n*h <= 1", "h <= 1"),
    symbols={"h": "H"},
    mutant="2*n*K*(K*h)**2 <= K**3",
)

section.repair(
    "thm:CT-UCB/whole/cost",
    "eJ + 1/100 <= K for K >= 40 (and SAH <= 1), with J = 1 + (√Λ + 1) ln(8K²)/4, √Λ <= 8/5 K^(1/4); with"
    " r = K^(1/4).",
    says="E*(1 + (8/5*r + 1)*(log(8) + 8*log(r))/4) + 1/100 <= r**4",
    domain="r >= 5/2",
    symbols={"r": "K^(1/4)"},
    uses="thm:CT-UCB/whole/radicand",
    mutant=Domain.of("r >= 3/2"),
)

section.repair(
    "thm:CT-UCB/whole/rest",
    "2K·K exp(-8K²) <= 1/100.",
    says="2*K**2*exp(-8*K**2) <= 1/100",
    domain=Domain.of("K >= 1", integers="K"),
    mutant="2*K**2*exp(-2*K**2) <= 1/100",
)

section.repair(
    "thm:CT-UCB/whole/event",
    "KH P(𝒢^c) <= 1 for SAH <= 1 < KH, K >= 40 and K > 11/2 S²A(v + 1)², δ = 1/(2KH): the jump sets cost "
    "eJ/(2Ky²), y = KH, J their number of peels, the rate sets with K peels δ = 1/(2y), more than 8K² "
    "jumps exp(-8K²), and y times their sum is at most (eJ + K)/(2K) + K exp(-8K²), as 1 < y <= K.",
    says="y*(E*J/(2*K*y**2) + 1/(2*y) + e) <= (E*J + K)/(2*K) + K*e",
    domain=("y >= 1", "K >= 1", "y <= K", "J >= 0", "e >= 0"),
    symbols={"e": "exp(-8K²)", "J": "the number of peels"},
    uses="lem:CI-p/peeled/sets lem:rateUCB/repaired thm:CT-UCB/peels thm:CT-UCB/whole/cost "
    "thm:CT-UCB/whole/jumps thm:CT-UCB/whole/radicand thm:CT-UCB/whole/radicand/short thm:CT-UCB/whole/rest",
    theorem=short_horizon.SHORT_EVENT,
    derivation=short_horizon.short_event,
    latex=r"SAH \le 1 < KH,\ K \ge 40,\ K > \tfrac{11}2S^2A(v+1)^2"
    r" \implies KH\,\mathbb P(\mathcal G^c) \le 1",
    mutant=Domain.of("y > 0", "K >= 1", "y <= K", "J >= 0", "e >= 0"),
)

# --- the printed constants --------------------------------------------------------------------

section.repair(
    "thm:CT-UCB/whole/first-root",
    "2S ln 2 + 2 ln(2nKy²) <= 2S + 6 ln(2ny) + 2 ln K for y = KH >= 1, n = SA: by so much is the first "
    "printed root too small.",
    says="2*S*log(2) + 2*log(2*n*K*y**2) <= 2*S + 6*log(2*n*y) + 2*log(K)",
    domain=Domain.of("S >= 1", "n >= 1", "K >= 1", "y >= 1", integers="S n K"),
    mutant="2*S*log(2) + 2*log(2*n*K*y**2) <= 2*S + 6*log(2*n*y) + log(K)",
)

section.repair(
    "thm:CT-UCB/whole/first-factor",
    "3f >= 2(e - 1)√(1 + 2 ln K/(2 + 6 ln 2)) for K >= 3548, f = ln K/ln(ln K + 1), k = ln K: the factor 3f "
    "makes up for it.",
    says="k/log(1 + k) >= 2*(E - 1)/3*sqrt(1 + 2*k/(2 + 6*log(2)))",
    domain="k >= 817/100",
    uses="thm:CT-UCB/whole/first-root",
    mutant="k/log(1 + k) >= 2*(E - 1)*sqrt(1 + 2*k/(2 + 6*log(2)))",
)

section.repair(
    "thm:CT-UCB/whole/second-factor",
    "12f√ln(2ny) >= (7/3)(e - 1) 2√2 √ln(4nKy) for K >= 3548, ny >= 1: the quotient of the logarithms is at "
    "most 1 + ln(2K)/ln 2.",
    says="k >= 7*sqrt(2)/18*(E - 1)*sqrt(2 + k/log(2))*log(1 + k)",
    domain="k >= 817/100",
    mutant=Domain.of("k >= 6"),
)

section.repair(
    "thm:CT-UCB/whole/levels",
    "(e - 1)v + 1/(√e - 1) <= (e - 1)(v + 1).",
    says="(E - 1)*v + 1/(exp(1/2) - 1) <= (E - 1)*(v + 1)",
    domain="v > 0",
    mutant="(E - 1)*v + 1/(exp(1/2) - 1) <= (E - 1)*v + 3/2",
)

section.repair(
    "thm:CT-UCB/whole/enough",
    "(H + 1/λmin)D >= H(v + 1) for every D >= v, in particular for D = Σ_m √P(Z > m) >= Σ_m P(Z > m) = v; "
    "with w = 1/λmin >= H/v.",
    says="H*(v + 1) <= (H + w)*D",
    domain=("H > 0", "w > 0", "v > 0", "H <= w*v", "v <= D"),
    symbols={"w": "1/λmin"},
    mutant="H*(v + 2) <= (H + w)*D",
)

# --- the theorem ------------------------------------------------------------------------------

section.repair(
    "thm:CT-UCB/repaired",
    "Wherever the right-hand side of eq:regret-bound is a real number, 2SAKH >= 1 (ln K/ln(ln K + 1) read as "
    "1 for K = 1), CT-UCBVI with δ = 1/(2KH) (any δ if KH <= 1/2) satisfies it as printed, for all 0 < λmin "
    "<= λmax. For SAH >= 1 this is thm:CT-UCB/long. For SAH < 1 < KH and many episodes the sharp constants, "
    "with X = (CH + 1)√(SAK)(H + 1/λmin), are at most X(e - 1)(v + 1)(2a + (7/3)b), and 2(e - 1)a <= 3fa', "
    "(7/3)(e - 1)b <= 3fb' with the printed roots a', b'.",
    says="X*q*w*(2*a + 7/3*b) <= 3*X*w*f*(c + d)",
    domain=(
        "X > 0",
        "q > 0",
        "w > 1",
        "f > 0",
        "a >= 0",
        "b >= 0",
        "c >= 0",
        "d >= 0",
        "2*q*a <= 3*f*c",
        "7/3*q*b <= 3*f*d",
    ),
    symbols={"q": "e - 1", "w": "v + 1", "f": "ln K/ln(ln K + 1)", "c": "a'", "d": "b'"},
    uses="thm:CT-UCB/long thm:CT-UCB/sharp thm:CT-UCB/whole/few-episodes/any eq:FH-control2/bounds "
    "eq:term1-3/levels/poisson prop:rateerror/episodes thm:CT-UCB/bonus-factor thm:CT-UCB/log-factor "
    "thm:CT-UCB/whole/first-factor thm:CT-UCB/whole/first-root thm:CT-UCB/whole/levels "
    "thm:CT-UCB/whole/second-factor",
    setting=PAPER,
    theorem=printed_bound.REPAIRED,
    derivation=printed_bound.repaired,
    latex=r"2SAKH \ge 1 \implies \text{eq:regret-bound as printed, with}\ \delta = 1/(2KH)",
    mutant="X*q*w*(2*a + 7/3*b) <= 2*X*w*f*(c + d)",
)

section.repair(
    "thm:CT-UCB/any-learner",
    "Let a learner with the paper's estimates and radii play one policy π per episode, and have one value "
    "V̂ <= t per episode; and where the estimates were right whenever an episode began let V* <= V̂ + eε_k "
    "λmax H and V̂ <= T^πV̂ + (α + Hβ)(cu + wp) at a decision with remaining time u, at which a jump is "
    "seen with probability p, c >= 1, w, e >= 0. For δ = 1/(2KH) and KH > 1/2 its regret is at most ((H + "
    "1/λmin)c + w)√(SAK) D (2a + (7/3) λmax H √(2L)) + e Σ ε_k λmax H + 1, D, a and L as in "
    "thm:CT-UCB/sharp. For KH <= 1 the last term suffices, and the first for few episodes.",
    uses="thm:CT-UCB/main/any-learner thm:CT-UCB/lump-sum/few-episodes "
    "thm:CT-UCB/lump-sum/few-episodes/any thm:CT-UCB/lump-sum/tail thm:CT-UCB/peels thm:CT-UCB/whole/enough "
    "thm:CT-UCB/whole/event eq:FH-control2/bounds eq:G/repaired eq:term1-3/levels/mean "
    "prop:rateerror/episodes",
    setting=LEARNS,
    theorem=derived.ANY_SHARP,
    derivation=derived.any_sharp,
    checks=(),
)

section.repair(
    "thm:CT-UCB/sharp",
    "For all KH > 1/2 and δ = 1/(2KH) the regret is at most (CH + 1)√(SAK)(H + 1/λmin) D (2a + (7/3) λmax"
    " H √(2L)) + Σ ε_k λmax H + 1 with D = Σ_m √P(Z > m), Z Poisson of mean v = λmax H, a = √(2S ln 2 + 2 "
    "ln(2SAK³H²)), L = 4 ln(4SAK²H): thm:CT-UCB/any-learner with c = CH + 1, that is eq:r2 with "
    "prop:proberror/sharp and prop:rateerror/repaired, X = (H + 1/λmin)√(SAK)D. Any D that is at least all "
    "partial sums of Σ_m √P(Z > m) will do: g in the formula.",
    says="(C*H + 1)*a*(2*X) + (C*H**2 + H)*sqrt(r*L)*(7/3*sqrt(2*r)*X) "
    "== (C*H + 1)*X*(2*a + 7/3*r*H*sqrt(2*L))",
    domain=("C >= 1", "H > 0", "X > 0", "a > 0", "r > 0", "L > 0"),
    uses="thm:CT-UCB/any-learner lem:v-v-continuoustime/learner",
    setting=PAPER,
    theorem=derived.SHARP,
    derivation=derived.sharp,
    latex=r"\mathrm{Regret} \le (CH+1)\sqrt{SAK}\Bigl(H+\frac1{\lambda_{\min}}\Bigr)D"
    r"\Bigl(2\sqrt{2S\ln2+2\ln(2SAK^3H^2)}+\tfrac{14\sqrt2}3\lambda_{\max}H\sqrt{\ln(4SAK^2H)}\Bigr)"
    r"+\sum_k\epsilon_k\lambda_{\max}H+1,\quad D=\sum_m\mathbb P(Z>m)^{1/2}",
    mutant="(C*H + 1)*a*(2*X) + (C*H**2 + H)*sqrt(r*L)*(7/3*sqrt(2*r)*X) == "
    "(C*H + 1)*X*(2*a + 2*r*H*sqrt(2*L))",
)
