r"""The bonus as a lump sum of the remaining time: the factor :math:`CH+1` of the regret bound disappears.

Write :math:`w(\lambda,t) = \int_0^te^{-\lambda s}ds` and hats for the estimates.  With the estimated rate in
the jump term (``eq:model-error/estimated``) one step of ``lem:optimism`` without a bonus is

.. math:: \mathcal T^{a,k}V^*_n - \mathcal T^aV^*_n = \Bigl\{r[w(\hat\lambda,t)-w(\lambda,t)]
          + \int(\hat g-g)m\Bigr\} + \int\hat g(\hat m-m),

where the braces hold two terms of opposite signs, each at most :math:`\min(t^2\beta/2, t)`, and the last term
is at most :math:`(t-w(\hat\lambda,t))\min(\alpha,2)/2`.  So what has to be made up for is at most

.. math:: B(t) = \min(t^2\beta/2,\,t) + (t-w(\hat\lambda,t))\min(\alpha,2)/2 .

A constant bonus that makes up for it is :math:`B(H)/w(\hat\lambda,H)`, and is paid at every decision, also
late in the episode, where :math:`B` is small (a smaller constant one is in
:mod:`proofs_checks.optimism.sharper_bonus`).
Add :math:`B(t)` itself to :math:`\mathcal T^{a,k}` instead.  Optimism is proved as before, and one step of
``lem:v-v-continuoustime`` costs

.. math:: \hat V - \mathcal T^a\hat V \le 2B(t) \le t^2\beta + (t-w)\alpha \le
          t\,\bigl(H\beta + (1-1/\kappa)\alpha\bigr), \qquad \kappa = \frac v{1-e^{-v}},\ v = \lambda_{\max}H,

where the printed bonus has :math:`(b+\alpha+t\beta)t \le t(CH+1)(H\beta+\alpha)`.  What it makes of the
theorem is in :mod:`proofs_checks.regret.smaller_bonus`.
"""

from __future__ import annotations

from fractions import Fraction

from proofs_checks.checks.common import PROOF
from proofs_checks.checks.lump_sum import WHOLE, Parts, corners, costs, dear, made_up
from proofs_checks.derivations import losses, lump_sum
from proofs_checks.derivations.setting import ANY
from verify.claims import Domain, Section

_LESS = Fraction(98, 100)

section = Section(checks=PROOF, expected="proved", setting=ANY, symbols={"al": "α", "be": "β"})

section.repair(
    "lem:optimism/lump-sum",
    "On 𝒢, if p̂ is a probability wherever λ̂ > 0, as the printed estimators are, T^{a,k}V + B >= T^aV for "
    "V = V*_n, where T^{a,k} has no bonus and B(t) = min(t²β/2, t) + (t - w(λ̂,t)) min(α, 2)/2: so V*_n <= "
    "V̂_n if B(t) is added in the place of the bonus, and lem:optimism holds with ε λmax t <= ε λmax H. The "
    "two errors of the rate have opposite signs and are at most t²β/2 and at most t in size; the row's "
    "error (f - u/2)d, |d| <= e, is at most (u/2)e.",
    says="(f - u/2)*d <= u/2*e",
    domain=Domain.of("f >= 0", "f <= u", "u >= 0", "d <= e", "-d <= e", "e >= 0", reals="d"),
    uses="eq:Qa/monotone lem:optimism/halved/step lem:optimism/rising/values lem:optimism/value-bound "
    "lem:optimism/value-bound/iterates",
    checks=(made_up(), corners(), *PROOF),
    theorem=lump_sum.OPTIMISM,
    derivation=lump_sum.optimism,
    latex=r"B(t) = \min\bigl(\tfrac{t^2}2\beta, t\bigr)"
    r" + \bigl(t-\tfrac{1-e^{-\hat\lambda t}}{\hat\lambda}\bigr)\tfrac{\min(\alpha,2)}2",
    mutant=corners(Parts(jump=_LESS)),
)

section.repair(
    "lem:optimism/lump-sum/needed",
    "Neither part of B can be lowered by a constant factor, the other radius being 0: with 98% of both "
    "parts the step T^aV <= T^{a,k}V + B fails, on short horizons for the rate (a state that earns 1 "
    "until it is left for a worthless one, or the reverse), on every horizon for the jumps "
    "(from a state always to one that earns 1 for ever, while the estimate sends α/2 to a worthless one).",
    checks=corners(Parts(_LESS, _LESS), ">"),
    expected="tested",
    mutant=corners(WHOLE, ">"),
)

section.repair(
    "lem:v-v-continuoustime/lump-sum/step",
    "With the lump sum B in the place of the bonus one step costs V̂ - T^aV̂ <= 2B(t) <= t²β + (t - "
    "w(λ̂,t))α, and at most t(Hβ + (1 - 1/κ)α), κ = v/(1 - exp(-v)), v = λmax H, for the greedy a and t <= "
    "H: V̂ rises and is at most t, so its errors are at most B; and w(λ̂,t)/t >= 1/κ.",
    uses="eq:Qa/monotone lem:optimism/halved/step",
    checks=(costs(), dear()),
    theorem=lump_sum.STEP,
    derivation=lump_sum.step,
    mutant=dear(Fraction(19, 10)),
)

section.repair(
    "lem:v-v-continuoustime/lump-sum",
    "With the lump sum B in the place of the bonus V* - V^π <= Σ_m E 2B((t - t_m)⁺) + ε λmax t for t <= H. "
    "One step costs at most 2B(t), which is at most t²β + t(1 - x)α <= t(Hβ + (1 - y)α), x = w(λ̂,t)/t >= y "
    "= 1/κ (lem:v-v-continuoustime/lump-sum/step). (Tested for other rising V̂ <= t than those of the "
    "iteration with B.)",
    says="t**2*be + t*(1 - x)*al <= t*(H*be + (1 - y)*al)",
    domain=("t >= 0", "t <= H", "be >= 0", "al >= 0", "x >= 0", "y > 0", "y <= x", "x <= 1"),
    symbols={"x": "w(λ̂,t)/t", "y": "1/κ"},
    uses="eq:Qa/monotone lem:optimism/lump-sum lem:v-v-continuoustime/lump-sum/step "
    "lem:v-v-continuoustime/summed",
    checks=(costs(), dear(), *PROOF),
    theorem=losses.LUMP_LOSS,
    derivation=losses.lump_loss,
    latex=r"V^*(x_0,H)-V^{\pi_k}(x_0,H) \le \sum_{m\ge0}\mathbb E\,2B((H-t_m)^+) + \epsilon_k\lambda_{\max}H",
    mutant=dear(Fraction(19, 10)),
)
