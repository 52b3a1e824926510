r"""``thm:CT-UCB`` for the optimistic learner: neither :math:`1/\lambda_{\min}` nor :math:`CH + 1`.

The rates of a pair are those within :math:`\beta` of :math:`\hat\lambda`, cut to :math:`[0,
\lambda_{\max}]`, with the paper's :math:`\beta = \sqrt{\lambda_{\max}L/\max\{T,L/\lambda_{\max}\}}`; the
rows are those within the radius of ``lem:CI-p/uniform`` of :math:`\hat p`, all of them where no jump was
seen.  Rates may be 0.  With :math:`v = \lambda_{\max}H`

.. math:: Regret \le \sqrt2\,H\sqrt{SAKv}\,(a + 2\sqrt L) + SAH\,(a_1\,\mathbb EJ_M + v) + H ,

:math:`a^2 = 2[S\ln2 + \ln(SA\,M(M+1)/\delta)]` at :math:`M = 1 + Kv/(SA)`, :math:`a_1` the same at 1,
:math:`\delta = 1/(2K)`. For machine repair that is less than :math:`KH` from :math:`K = 5\cdot10^4` on, and
:math:`2.4\cdot10^5` at :math:`K = 10^6`, where the printed bound is :math:`1.35\cdot10^9`.

**Poisson tails.**  Two rates of the set of ``lem:rateUCB/tilts`` differ by at most :math:`3(\sqrt{\lambda
l/T} + l/T)`, the smaller one under the root, and the slopes of :math:`\hat Q` are in [0, 1], so that
:math:`\tilde\lambda` meets differences :math:`|d| \le \min\{t, 1/\tilde\lambda\}` only: no rate is left in
the price :math:`3(\sqrt{lt/T} + lt/T)`. The term :math:`2\sqrt2\,H\sqrt{SAKv L}` becomes
:math:`3\sqrt3\,H\sqrt{SAKl}`; for machine repair the bound says something from :math:`K = 1.3\cdot10^4` on,
and is :math:`1.2\cdot10^5` at :math:`K = 10^6`.

**Other rows.**  Of the rows the proof uses their radius only. With the Kullback-Leibler sets of
``lem:CI-p/kl`` Pinsker's inequality gives :math:`a^2 = 2[\ln(SA/\delta) + \ln\binom{M+S-1}{S-1}]`, less than
before for two or three states; with the radius of ``lem:CI-p/tilts`` there is no logarithm of N, :math:`a^2 =
\tfrac94[S\ln2 + \ln(SAJ/\delta) + \tfrac14]`.

All of them are for learners that plan before every episode, and follow from those that may keep their plans
(:mod:`proofs_checks.optimistic.lazy`), with :math:`\eta = 0`.
"""

from __future__ import annotations

from functools import partial

from proofs_checks.checks.common import PROOF
from proofs_checks.derivations import optimistic_poisson as poisson
from proofs_checks.derivations import optimistic_sets as sets
from proofs_checks.derivations import optimistic_theorem as derived
from proofs_checks.derivations.optimistic_assembly import eager
from proofs_checks.derivations.optimistic_row_sets import Divergences, Tilts, Uniform
from proofs_checks.derivations.setting_optimistic import (
    EQUATION,
    OPTIMISTIC,
    OPTIMISTIC_KL,
    OPTIMISTIC_TILTED,
    PLANS,
    POISSON,
    POISSON_KL,
    POISSON_TILTED,
)
from verify.claims import Domain, Section

UNIFORM, KL, TILTS = Uniform(), Divergences(), Tilts()
EAGER = ""  # no factor: every episode is planned

section = Section(checks=PROOF, expected="proved", setting=EQUATION)

section.repair(
    "eq:error1/equation",
    "What a wrong rate gains: (λ̃ - λ)(p̃V̂ - Q̂) <= wt where both rates are in an interval of width w: for "
    "λ̃ - λ = pw and p̃V̂ - Q̂ = qt with p, q between -1 and 1.",
    says="p*w*(q*t) <= w*t",
    domain=("w >= 0", "t >= 0", "-1 <= p <= 1", "-1 <= q <= 1"),
    uses="lem:optimism/equation/bounds",
    theorem=sets.WIDE,
    derivation=sets.wide,
    latex=r"(\tilde\lambda-\lambda)(\tilde p\hat V-\hat Q) \le w\,t",
    mutant="p*w*(q*t) <= w*t/2",
)

section.repair(
    "eq:error2/equation",
    "What a wrong row gains: (p̃ - p)V̂ <= αt where p̃ and p are within α of p̂, for then m = |p̃(y) - p(y)| has "
    "the sum 2α at most, and z(V̂ - t/2) <= mt/2 for z = p̃(y) - p(y), v = V̂(y) in [0, t]; and wherever α >= "
    "min{1, S - 1} (as the rows before a jump was seen).",
    says="z*(v - t/2) <= m*t/2",
    domain=Domain.of("v >= 0", "v <= t", "z <= m", "-z <= m", reals="z m"),
    setting=PLANS,
    uses="lem:optimism/equation/bounds",
    theorem=sets.INSIDE,
    derivation=sets.inside,
    latex=r"(\tilde p-p)\hat V \le \alpha t",
    mutant="z*(v - t/2) <= m*t/4",
)

section.repair(
    "thm:CT-UCB/optimistic",
    "The optimistic learner plans exactly with the rates within β of λ̂ in [0, λmax] (or from a lower "
    "bound of the rates on, if it is told one and does not raise λ̂ to it) and the rows within the radius "
    "of lem:CI-p/uniform, for δ, of p̂, or all rows where no jump was seen. For every K >= 1, H > 0, "
    "δ in (0, 1), rates in [0, λmax] (0 included) and h > 0, its regret is at most √2 H √(SAKv)(a + 2√L) "
    "+ SA H (a1 (ln K + v(e^h - 1))/h + v) + 2δKH, and with δ = 1/(2K) the last term is H. Here "
    "v = λmax H, L = 4 ln(2SAK/δ), a² = 2[S ln 2 + ln(SA M(M+1)/δ)] with M = 1 + Kv/(SA), "
    "a1² = 2[S ln 2 + ln(2SA/δ)]. The rates contribute 2λmax(2√(HL/λmax)√(SAKH²/2)) and v, with r = λmax, "
    "n = SA.",
    says="2*r*(2*sqrt(H*L/r)*sqrt(n*K*H**2/2)) == sqrt(2)*H*sqrt(n*K*r*H)*(2*sqrt(L))",
    domain=("r > 0", "L > 0", "n > 0", "K > 0", "H > 0"),
    symbols={"r": "λmax"},
    setting=OPTIMISTIC,
    uses="thm:CT-UCB/optimistic/lazy",
    theorem=derived.theorem(UNIFORM, EAGER),
    derivation=partial(eager, label="thm:CT-UCB/optimistic/lazy"),
    latex=r"Regret \le \sqrt2H\sqrt{SAKv}\,(a+2\sqrt L)+SAH\,(a_1\mathbb EJ_M+v)+2\delta KH",
    mutant="2*r*(2*sqrt(H*L/r)*sqrt(n*K*H**2/2)) == sqrt(2)*H*sqrt(n*K*r*H)*sqrt(L)",
)

section.repair(
    "thm:CT-UCB/optimistic/poisson",
    "With the rate sets of lem:rateUCB/tilts for the tilts 2^(1-m), m < J, J >= 2, 4^J >= 16Kv (any "
    "interval in [0, λmax] where no rate is left) in the place of the paper's: for every K >= 1, H > 0, δ "
    "in (0, 1), rates in [0, λmax] (0 included) and h > 0, the regret is at most √2 H √(SAKv) a + 3√3 H "
    "√(SAKl) + SA H (a1 (ln K + v(e^h - 1))/h + v/2 + (3√3/4)√v + 3l(1 + ln(1 + Kv/(6lSA)))) + 2δKH, l = "
    "ln(2SAJ/δ), v, a, a1 as in thm:CT-UCB/optimistic; with δ = 1/(2K) the last term is H. The rates cost "
    "H√(SAK) now, without √v: a wrong rate has the price 3√(lt/T) + 3lt/T, as the slopes of Q̂ are in [0, "
    "1], and 3√(lt/T) <= (√3/2)√(λmax/H)(t + H)/√(λmax T/(3l)), with r = λmax.",
    says="3*sqrt(l*t/T) <= sqrt(3)/2*sqrt(r/H)/sqrt(r/(3*l)*T)*(t + H)",
    domain=("l > 0", "t >= 0", "T > 0", "r > 0", "H > 0"),
    symbols={"r": "λmax"},
    setting=POISSON,
    uses="thm:CT-UCB/optimistic/poisson/lazy",
    theorem=poisson.theorem(UNIFORM, EAGER),
    derivation=partial(eager, label="thm:CT-UCB/optimistic/poisson/lazy"),
    latex=r"Regret \le \sqrt2H\sqrt{SAKv}\,a+3\sqrt3H\sqrt{SAKl}+SAH\,(\ldots)+2\delta KH",
    mutant="3*sqrt(l*t/T) <= sqrt(3)/4*sqrt(r/H)/sqrt(r/(3*l)*T)*(t + H)",
)

section.repair(
    "thm:CT-UCB/optimistic/kl",
    "The optimistic learner with the rates of thm:CT-UCB/optimistic and the rows of the sets of lem:CI-p/kl, "
    "KL(p̂‖p̃) <= [ln(SA/δ) + ln C(N+S-1, S-1)]/N, or all rows where no jump was seen: the same bound with "
    "a² = 2[ln(SA/δ) + ln C(M+S-1, S-1)], M = 1 + Kv/(SA), and a1² = 2 ln(S²A/δ), where C(M+S-1, S-1) is the "
    "product of 1 + M/j, 1 <= j < S.",
    setting=OPTIMISTIC_KL,
    uses="thm:CT-UCB/optimistic/kl/lazy",
    theorem=derived.theorem(KL, EAGER),
    derivation=partial(eager, label="thm:CT-UCB/optimistic/kl/lazy"),
    latex=r"Regret \le \sqrt2H\sqrt{SAKv}\,(a+2\sqrt L)+SAH\,(a_1\mathbb EJ_M+v)+2\delta KH",
)

section.repair(
    "thm:CT-UCB/optimistic/kl-poisson",
    "The same rows with the rates of lem:rateUCB/tilts: the bound of thm:CT-UCB/optimistic/poisson with the "
    "a and a1 of thm:CT-UCB/optimistic/kl.",
    setting=POISSON_KL,
    uses="thm:CT-UCB/optimistic/kl-poisson/lazy",
    theorem=poisson.theorem(KL, EAGER),
    derivation=partial(eager, label="thm:CT-UCB/optimistic/kl-poisson/lazy"),
    latex=r"Regret \le \sqrt2H\sqrt{SAKv}\,a+3\sqrt3H\sqrt{SAKl}+SAH\,(\ldots)+2\delta KH",
)

section.repair(
    "thm:CT-UCB/optimistic/tilts",
    "The optimistic learner with the rates of thm:CT-UCB/optimistic and the rows within max{(3/2)√(l/N), "
    "3/2^J} of p̂, l = S ln 2 + ln(SAJ/δ), J >= 1, 4^J >= 16K(1 + v), or all rows where no jump was seen: the "
    "same bound with a² = (9/4)(l + 1/4) and a1² = (9/4)(l + 4/4^J).",
    setting=OPTIMISTIC_TILTED,
    uses="thm:CT-UCB/optimistic/tilts/lazy",
    theorem=derived.theorem(TILTS, EAGER),
    derivation=partial(eager, label="thm:CT-UCB/optimistic/tilts/lazy"),
    latex=r"Regret \le \sqrt2H\sqrt{SAKv}\,(a+2\sqrt L)+SAH\,(a_1\mathbb EJ_M+v)+2\delta KH",
)

section.repair(
    "thm:CT-UCB/optimistic/tilts-poisson",
    "The same rows with the rates of lem:rateUCB/tilts: the bound of thm:CT-UCB/optimistic/poisson with the "
    "a and a1 of thm:CT-UCB/optimistic/tilts.",
    setting=POISSON_TILTED,
    uses="thm:CT-UCB/optimistic/tilts-poisson/lazy",
    theorem=poisson.theorem(TILTS, EAGER),
    derivation=partial(eager, label="thm:CT-UCB/optimistic/tilts-poisson/lazy"),
    latex=r"Regret \le \sqrt2H\sqrt{SAKv}\,a+3\sqrt3H\sqrt{SAKl}+SAH\,(\ldots)+2\delta KH",
)
