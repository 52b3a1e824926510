r"""The smallest bonus (constant in time) that the proof of optimism gives: ``bonus="sharp"`` of the learners.

With :math:`w(\lambda) = \int_0^te^{-\lambda s}ds`, :math:`F = 1-e^{-\lambda s}` and hats for the estimates,
the step of ``eq:diff`` is, after integration by parts,

.. math:: \mathcal T^{a,k}\hat V_n - \mathcal T^aV^*_n \ge b\,w(\hat\lambda) - \Bigl\{r\,[w(\lambda)
          - w(\hat\lambda)] + \int_0^t\sum_y(Fp - \hat F\hat p)(s,y)\,\partial_tV^*_n(y,t-s)\,ds\Bigr\},

and :math:`0 \le \partial_tV^*_n \le 1`: a value rises by at most what can be earned in the time that is
added.

**The cost.**  :math:`(Fp-\hat F\hat p)^+ \le \min(F,\hat F)(p-\hat p)^+ + (F-\hat F)^+p`, and
:math:`\sum_y(p-\hat p)^+ \le \alpha'/2`, :math:`\alpha' = \min\{\alpha,2\}`.  (A pair that was never left has
an empty row, with the sum 1, but :math:`\hat F = 0`; where a known :math:`\lambda_{\min}` makes
:math:`\hat F > 0`, :math:`\alpha' = 2`.)  As :math:`\int_0^tF = t-w(\lambda)`, the braces are at most

.. math:: r\,[w(\lambda)-w(\hat\lambda)] + \frac{\alpha'}2\,(t-w(\lambda)) \quad(\lambda\le\hat\lambda),
          \qquad (1-r)[w(\hat\lambda)-w(\lambda)] + \frac{\alpha'}2\,(t-w(\hat\lambda))
          \quad(\lambda\ge\hat\lambda).

**The ends.**  On :math:`\mathcal G`, :math:`\lambda` lies between the ends :math:`\underline\lambda` and
:math:`\bar\lambda` of its confidence interval.  Both costs are linear in :math:`w(\lambda)`: the first is
largest at :math:`\underline\lambda` or, where :math:`r < \alpha'/2`, at :math:`\hat\lambda`, and there it is
not more than the second, which is largest at :math:`\bar\lambda`.

So the bonus need only be, for every :math:`t`, the larger of the two costs at the ends divided by
:math:`w(\hat\lambda)`.  The quotients increase in :math:`t`, and :math:`t = H` gives the bonus of
:mod:`ctucbvi.learning.sharp`.

**It is attained**: if :math:`\lambda = \underline\lambda`, the jumps go to a state that earns 1 with
probability :math:`\alpha'/2`, else and by the estimate always to a worthless one; or if :math:`\lambda =
\bar\lambda`, all jumps go to a state that earns 1, and by the estimate all but :math:`\alpha'/2`
(:func:`~proofs_checks.checks.sharper_bonus.doubted`).
"""

from __future__ import annotations

from fractions import Fraction

from proofs_checks.checks.common import PROOF
from proofs_checks.checks.model_error import HALF, ONE, ZERO
from proofs_checks.checks.sharper_bonus import (
    corners,
    cost,
    iterates,
    quotients,
    sizes,
    slopes,
    steps,
    values,
)
from proofs_checks.derivations import losses, sharp_bonus, sharp_optimism
from proofs_checks.derivations.setting import ANY, POSITIVE
from proofs_checks.derivations.slopes import SLOPE, slope
from verify.claims import Section

_ALMOST = Fraction(99, 100)

section = Section(
    checks=PROOF, expected="proved", setting=ANY, symbols={"l": "λ", "al": "α", "be": "β", "h": "H"}
)

section.repair(
    "lem:optimism/sharp/slope",
    "V*_n(x,t+h) <= V*_n(x,t) + h: T^a u(x,t) = r w(t) + ∫_0^t λ exp(-λs) u(t-s) ds has the slope r "
    "exp(-λt) + ∫_0^t λ exp(-λs) u'(t-s) ds, which is at most r e + (1 - e) <= 1, e = exp(-λt), if u rises "
    "from 0 by at most 1 per unit of time; the maximum keeps it.",
    says="r*exp(-l*t) + (1 - exp(-l*t)) <= 1",
    domain=("l >= 0", "t >= 0", "0 <= r <= 1"),
    uses="lem:optimism/value-bound",
    theorem=SLOPE,
    derivation=slope,
    checks=(slopes(), *PROOF),
    mutant=slopes(HALF),
)

section.repair(
    "lem:optimism/sharp/cost",
    "T^a u - T^{a,k} u without the bonus is at most r[w(λ) - w(λ̂)] + (t - w(λ))α'/2 where λ <= λ̂, and "
    "(1-r)[w(λ̂) - w(λ)] + (t - w(λ̂))α'/2 where λ >= λ̂, α' = min(α, 2), if p̂ is a probability wherever "
    "λ̂ > 0, as the printed estimators are, and u rises from 0 by at most 1 per unit of time, as V*_n does. "
    "By parts it is r[w(λ) - w(λ̂)] + ∫ Σ_y (Fp - Gp̂) u' ds with F = 1 - exp(-λs), G = 1 - exp(-λ̂s) and 0 "
    "<= u' <= 1. Here, for one y and q = p̂: Fp - Gq <= F(p - q) where F <= G; otherwise Fp - Gq = G(p - q) "
    "+ (F - G)p. The positive parts of p - q add up to α'/2 at most (or G = 0), and ∫F = t - w(λ).",
    says="F*p - G*q <= F*(p - q)",
    domain=("F >= 0", "G >= F", "p >= 0", "q >= 0"),
    symbols={"p": "p(y)", "q": "p̂(y)"},
    uses="eq:error2/halved lem:optimism/opposite/by-parts",
    checks=(cost(), *PROOF),
    setting=POSITIVE,
    theorem=sharp_bonus.COST,
    derivation=sharp_bonus.cost,
    mutant=cost(_ALMOST),
)

section.repair(
    "lem:optimism/sharp/ends",
    "The ends of the confidence interval decide: for λ in it the cost of lem:optimism/sharp/cost is at most "
    "the larger of those at λ̲ = max(λ̂ - β, 0) and λ̄ = min(λ̂ + β, λmax). For λ <= λ̂ it is linear in "
    "w(λ), between the cost at λ̲ and (t - w(λ̂))α'/2, which is not more than the cost at λ̄; for λ >= λ̂ "
    "it decreases in w(λ).",
    theorem=sharp_optimism.ENDS,
    derivation=sharp_optimism.ends_decide,
)

section.repair(
    "lem:optimism/sharp/time",
    "The costs at λ̲ and λ̄ divided by w(λ̂,t) are not more than at t = H, for 0 <= λ̲ <= λ̂ <= λ̄: costs "
    "and w(λ̂) are integrals from 0 to t, and the quotients of the integrands, r(exp((λ̂-λ̲)s) - 1) + "
    "(exp(λ̂s) - exp((λ̂-λ̲)s))α'/2 and (1-r)(1 - exp((λ̂-λ̄)s)) + (exp(λ̂s) - 1)α'/2, increase. Here the "
    "derivative of the first, m = λ̂, d = λ̂ - λ̲, x = exp(ms), y = exp(ds), a = α'/2; the second has "
    "increasing terms only.",
    says="r*d*y + a*(m*x - d*y) >= 0",
    domain=("r >= 0", "a >= 0", "d >= 0", "m >= d", "y >= 0", "x >= y"),
    symbols={"a": "α'/2", "m": "λ̂", "d": "λ̂ - λ̲"},
    checks=(quotients(), *PROOF),
    theorem=sharp_bonus.TIME,
    derivation=sharp_bonus.time,
    mutant=quotients(forward=False),
)

section.repair(
    "lem:optimism/sharp/size",
    "The sharp bonus is at most half of eq:bonus-k: the costs at the two ends, for t = H, are at most "
    "C(H²β + Hα)/2 times w(λ̂,H), as w(λ̲) - w(λ̂) and w(λ̂) - w(λ̄) are at most H²β/2, r and 1 - r at most "
    "1, min(α, 2) <= α, and 1/w(λ̂) <= C.",
    uses="lem:optimism/bonus",
    theorem=sharp_optimism.SIZE,
    derivation=sharp_optimism.size,
    checks=sizes(),
    mutant=sizes(Fraction(1, 20)),
)

section.repair(
    "lem:optimism/sharp/exact",
    "The sharp bonus b = max of the costs at the two ends for t = H, divided by w(λ̂,H) > 0, is not "
    "negative, is enough for lem:optimism/sharp, and is at most C(H²β + Hα)/2.",
    uses="lem:optimism/sharp/size",
    theorem=sharp_optimism.EXACT,
    derivation=sharp_optimism.exact,
    checks=(),
)

section.repair(
    "lem:optimism/sharp",
    "lem:optimism holds with the sharp bonus (or more) and ε λmax t <= ε λmax H for ε exp(λmax H), if p̂ is "
    "a probability wherever λ̂ > 0, as the printed estimators are: b w(λ̂,t) is at least what rate and "
    "jumps cost together, for every t <= H. The bonus is b w(λ̂,H) = max of the costs of "
    "lem:optimism/sharp/cost at t = H for λ̲ = max(λ̂ - β, 0) and λ̄ = min(λ̂ + β, λmax) in the place of λ; "
    "between the ends they are linear in w(λ) (lem:optimism/sharp/ends).",
    uses="eq:Qa/monotone eq:error-vi/load lem:optimism/rising/values lem:optimism/sharp/cost "
    "lem:optimism/sharp/slope lem:optimism/sharp/time lem:optimism/value-bound "
    "lem:optimism/value-bound/iterates",
    checks=(iterates(), values(), corners()),
    setting=POSITIVE,
    theorem=sharp_optimism.SHARP,
    derivation=sharp_optimism.sharp,
    mutant=corners(_ALMOST),
)

section.repair(
    "lem:optimism/sharp/needed",
    "The sharp bonus is attained: 99 % of it are too little for a state that is left at the rate λ̲ for one "
    "that earns 1, with probability α/2, and otherwise, or always as it seems, for a worthless one; and for "
    "a state that is left at the rate λ̄ always for the good one, and as it seems with probability 1 - α/2 "
    "(H from 1/100 to 3, β from 1/100 to 1, α from 0 to 2; rewards 1 and 3/4 in the first case, 0 and 1/4 "
    "in the second).",
    checks=corners(_ALMOST, ">"),
    expected="tested",
    mutant=corners(ONE, ">"),
)

section.repair(
    "lem:v-v-continuoustime/sharp",
    "With the sharp bonus b (or more) V* - V^π <= Σ_m E[(b + (α + uβ)/2)u] + ε λmax t, u = (t - t_m)⁺, for "
    "t <= H, if p̂ is a probability wherever λ̂ > 0, as the printed estimators are: "
    "lem:v-v-continuoustime/halved/step asks nothing of the bonus but b >= 0. (As b is at most half of the "
    "printed one, so is the bound: lem:optimism/sharp/size.)",
    uses="eq:mono lem:optimism/sharp lem:v-v-continuoustime/halved/step lem:v-v-continuoustime/summed",
    setting=POSITIVE,
    theorem=losses.SHARP_LOSS,
    derivation=losses.sharp_loss,
    checks=steps(),
    mutant=steps(ZERO),
)
