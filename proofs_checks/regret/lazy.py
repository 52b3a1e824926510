r"""CT-UCBVI and its variants, planning less often: before an episode if their data have grown enough.

With :math:`\eta \ge 0` a lazy learner keeps its estimates, radii, :math:`\hat V` and policy while no pair has
more than :math:`1+\eta` times the jumps of the last plan, counted from 1 on, or :math:`1+\eta` times its
time, counted from :math:`T_0 = L/\lambda_{\max}` on, and the number of the episode is at most :math:`1+\eta`
times that of the plan; wherever one of them is larger it plans again.  So :math:`N \le
(1+\eta)\max\{1,N'\}`, :math:`T \le (1+\eta)\max\{T',T_0\}` and :math:`k \le (1+\eta)k'`.  The estimates are
right at all times, so those of the last plan are, and a radius by :math:`N' \ge N/(1+\eta)` jumps is at most
:math:`\sqrt{1+\eta}` times that by N.  That is a factor of what a decision costs, hence one of the
pigeon-hole:

.. math:: \mathrm{Regret} \le \sqrt{1+\eta}\,\Bigl(\Bigl(H+\frac1{\lambda_{\min}}\Bigr)c+w\Bigr)\sqrt{SAK}\,D
          \Bigl(2a+\tfrac73\lambda_{\max}H\sqrt{2L}\Bigr) + v\sum_k\epsilon_k\lambda_{\max}H + 1,

where v bounds by how much accuracies fall while k grows by :math:`1+\eta`: :math:`v = (1+\eta)^\alpha` for
:math:`\epsilon_k = k^{-\alpha}`.  With :math:`\eta = 0` and v = 1 these are the theorems of the learners that
plan before every episode; a learner that plans more often than the rule says has these facts too.
"""

from __future__ import annotations

from functools import partial

from proofs_checks.checks.common import PROOF
from proofs_checks.derivations import lazy as derived
from proofs_checks.derivations import learners
from proofs_checks.derivations.setting_learners import (
    KEPT,
    LAZY_HALVED,
    LAZY_LUMP,
    LAZY_PAPER,
    LAZY_RAISED,
    LAZY_SHARPENED,
)
from verify.claims import Section

_KEPT = partial(learners.learner_theorem, at="pl(n)")
_MODEL = "eq:empirical-P/model"
_STOPS, _VALUES = "alg:VI/stops", "lem:optimism/value-bound/iterates"
_ANY = "thm:CT-UCB/any-learner/lazy"
_LATEX = (
    r"\mathrm{Regret} \le \sqrt{1+\eta}\,%s\sqrt{SAK}\,D\Bigl(2a+\tfrac73\lambda_{\max}H\sqrt{2L}\Bigr)"
    r"+v\sum_k\epsilon_k%s+1"
)
_LOAD = r"\lambda_{\max}H"

section = Section(checks=PROOF, expected="proved", symbols={"b": "1 + η"})

section.repair(
    "thm:CT-UCB/any-learner/lazy",
    "Let a learner be as in thm:CT-UCB/any-learner, but plan again before an episode wherever (and perhaps "
    "not only where) a pair has more than 1 + η times the jumps, counted from 1, or more than 1 + η times "
    "the time, counted from L/λmax, that it had at the last plan, η >= 0. Where the estimates of the plan "
    "are right let V* <= V̂ + ε λmax H and V̂ <= T^πV̂ + (α + Hβ)(cu + wp), α, β and ε those of the plan, "
    "and let this ε be at most v times that of the episode. For δ = 1/(2KH) and KH > 1/2 its regret is at "
    "most √(1 + η)((H + 1/λmin)c + w)√(SAK) D (2a + (7/3) λmax H √(2L)) + v Σ ε_k λmax H + 1. The radius "
    "√(x/m) by the jumps or the time of the plan, m >= n/b, b = 1 + η, is at most √b times that by n.",
    says="sqrt(x/m) <= sqrt(b)*sqrt(x/n)",
    domain=("x > 0", "b >= 1", "m > 0", "n > 0", "n <= b*m"),
    uses="thm:CT-UCB/any-learner",
    setting=KEPT,
    theorem=derived.ANY_LAZY,
    derivation=derived.any_lazy,
    latex=_LATEX % (r"\Bigl(\Bigl(H+\frac1{\lambda_{\min}}\Bigr)c+w\Bigr)", _LOAD),
    mutant="sqrt(x/m) <= sqrt(x/n)",
)

section.repair(
    "lem:v-v-continuoustime/learner/lazy",
    "CT-UCBVI that keeps its plans is a learner as in thm:CT-UCB/any-learner/lazy, with c = CH + 1: the V̂ "
    "of its plan stays within an episode, and lem:v-v-continuoustime/learner holds with the estimates of "
    "the plan.",
    uses=f"lem:v-v-continuoustime/step lem:optimism/induction eq:error-vi/load {_MODEL} {_STOPS} {_VALUES}",
    setting=LAZY_PAPER,
    theorem=_KEPT("C*H + 1"),
    derivation=learners.paper,
    checks=(),
)

section.repair(
    "thm:CT-UCB/sharp/lazy",
    "For CT-UCBVI that plans again wherever (and perhaps not only where) the jumps or the time of a pair, or "
    "the number of the episode, are more than 1 + η times those of the last plan, as in "
    "thm:CT-UCB/any-learner/lazy, the "
    "bound of thm:CT-UCB/sharp holds with the factor √(1 + η) before the main term and v before Σ ε_k λmax "
    "H, where ε_i <= vε_k for i <= k <= (1 + η)i.",
    uses=f"{_ANY} lem:v-v-continuoustime/learner/lazy thm:CT-UCB/bonus-factor",
    setting=LAZY_PAPER,
    theorem=derived.PAPER,
    derivation=derived.paper,
    latex=_LATEX % (r"(CH+1)\Bigl(H+\frac1{\lambda_{\min}}\Bigr)", _LOAD),
    checks=(),
)

section.repair(
    "thm:CT-UCB/halved/learner/lazy",
    "With half of the bonus, and plans that are kept, it is one with c = ½(CH + 1).",
    uses=f"lem:v-v-continuoustime/halved/step lem:optimism/halved {_MODEL} {_STOPS}",
    setting=LAZY_HALVED,
    theorem=_KEPT(learners.HALF),
    derivation=learners.halved,
    checks=(),
)

section.repair(
    "thm:CT-UCB/halved/lazy",
    "With half of the bonus, and plans that are kept, the bound of thm:CT-UCB/halved holds with the "
    "factors √(1 + η) and v of thm:CT-UCB/sharp/lazy.",
    uses=f"{_ANY} thm:CT-UCB/halved/learner/lazy thm:CT-UCB/bonus-factor",
    setting=LAZY_HALVED,
    theorem=derived.HALVED,
    derivation=partial(derived.half, learner="thm:CT-UCB/halved/learner/lazy"),
    latex=_LATEX % (r"\tfrac12(CH+1)\Bigl(H+\frac1{\lambda_{\min}}\Bigr)", _LOAD),
    checks=(),
)

section.repair(
    "thm:CT-UCB/sharp-bonus/learner/lazy",
    "With the sharp bonus, and plans that are kept, it is one with c = ½(CH + 1).",
    uses=f"lem:v-v-continuoustime/halved/step lem:optimism/sharp lem:optimism/sharp/exact {_MODEL} {_STOPS}",
    setting=LAZY_SHARPENED,
    theorem=_KEPT(learners.HALF),
    derivation=learners.sharp,
    checks=(),
)

section.repair(
    "thm:CT-UCB/sharp-bonus/lazy",
    "With the sharp bonus, and plans that are kept, the bound of thm:CT-UCB/sharp-bonus holds with the "
    "factors √(1 + η) and v of thm:CT-UCB/sharp/lazy, the second before Σ ε_k.",
    uses=f"{_ANY} thm:CT-UCB/sharp-bonus/learner/lazy thm:CT-UCB/bonus-factor",
    setting=LAZY_SHARPENED,
    theorem=derived.HALVED,
    derivation=partial(derived.half, learner="thm:CT-UCB/sharp-bonus/learner/lazy"),
    latex=_LATEX % (r"\tfrac12(CH+1)\Bigl(H+\frac1{\lambda_{\min}}\Bigr)", ""),
    checks=(),
)

section.repair(
    "thm:CT-UCB/lump-sum/learner/lazy",
    "With the lump sum, and plans that are kept, it is one with c = 1.",
    uses=f"lem:v-v-continuoustime/lump-sum/step lem:optimism/lump-sum {_MODEL} {_STOPS}/lump-sum",
    setting=LAZY_LUMP,
    theorem=_KEPT("1"),
    derivation=learners.lump,
    checks=(),
)

section.repair(
    "thm:CT-UCB/lump-sum/lazy",
    "With the lump sum, and plans that are kept, the bound of thm:CT-UCB/lump-sum holds with the factors "
    "√(1 + η) and v of thm:CT-UCB/sharp/lazy.",
    uses=f"{_ANY} thm:CT-UCB/lump-sum/learner/lazy",
    setting=LAZY_LUMP,
    theorem=derived.LUMP,
    derivation=derived.lump,
    latex=_LATEX % (r"\Bigl(H+\frac1{\lambda_{\min}}\Bigr)", _LOAD),
    checks=(),
)

section.repair(
    "remark:lambda-min/learner/lazy",
    "With rates of at least a known λmin, and plans that are kept, it is one with c = 1 and w = CH/λmin.",
    uses="remark:lambda-min/step lem:optimism/induction eq:error-vi/load prop:proberror/conditional "
    f"{_MODEL} {_STOPS} {_VALUES}",
    setting=LAZY_RAISED,
    theorem=_KEPT("1", learners.SEEN),
    derivation=learners.with_known_rate,
    checks=(),
)

section.repair(
    "remark:lambda-min/regret/lazy",
    "With rates of at least a known λmin, and plans that are kept, the bound of remark:lambda-min/regret "
    "holds with the factors √(1 + η) and v of thm:CT-UCB/sharp/lazy.",
    uses=f"{_ANY} remark:lambda-min/learner/lazy",
    setting=LAZY_RAISED,
    theorem=derived.RAISED,
    derivation=derived.with_known_rate,
    latex=_LATEX % (r"\Bigl(H+\frac{1+CH}{\lambda_{\min}}\Bigr)", _LOAD),
    checks=(),
)
