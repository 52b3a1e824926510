r"""The contraction in the proof of ``lem:optimism``, and ``eq:error-vi``: how fast value iteration converges.

The operator of an estimated model, :math:`\mathcal T^{a,k}`, has a rate :math:`\hat\lambda \in
[0,\lambda_{\max}]` and a row :math:`\hat p` that sums to *at most* 1: a pair that was never left has the
empty row, although the paper's argument says :math:`\sum_y \hat p = 1`. Nothing changes: with :math:`w =
\|u - v\|`,

.. math:: |\mathcal T^{a,k}u - \mathcal T^{a,k}v|
          \le w \int_0^t \hat\lambda e^{-\hat\lambda s}ds \sum_y \hat p(y)
          \le w\,(1 - e^{-\lambda_{\max}H}) = \varrho\, w .

**The coefficient is attained** in one step, by :math:`u - v = 1` on :math:`(0,H]`, where the rate is
:math:`\lambda_{\max}` and the row sums to 1. **It is not the speed of the iteration**: :math:`n` steps
contract by :math:`P(\mathrm{Poisson}(\lambda_{\max}H) \ge n) \le \varrho^n`, faster than any power, and
:math:`\|V^* - V_n\| \le \mathbb E(H - \Gamma_n)^+` with :math:`\Gamma_n` the time of the n-th jump at full
rate.

**Where the iteration stopped** the same holds, time by time.  Let :math:`\phi_j(t)` be the largest change of
the :math:`j`-th further iteration at remaining time :math:`t`, and :math:`N_t` Poisson of mean
:math:`\lambda_{\max}t`.  If :math:`\phi_j(t) \le \epsilon P(N_t \ge j)`, which rises in :math:`t`, then

.. math:: \phi_{j+1}(t) \le \epsilon\int_0^t\hat\lambda e^{-\hat\lambda s}P(N_{t-s}\ge j)\,ds
          \le \epsilon\int_0^t\lambda_{\max}e^{-\lambda_{\max}s}P(N_{t-s}\ge j)\,ds
          = \epsilon P(N_t \ge j+1),

and all of them together move the value by at most :math:`\epsilon\sum_{j\ge1}P(N_H\ge j) =
\epsilon\lambda_{\max}H`, where the paper has :math:`\epsilon e^{\lambda_{\max}H}`.

**A maximum** of functions is at most :math:`m` iff each is: that is why it is non-expansive.  **A minimum**
:math:`\min\{t,y\}` is :math:`st + (1-s)y` with :math:`s` 0 or 1; the inequalities hold for every :math:`s` in
[0,1].
"""

from __future__ import annotations

from fractions import Fraction

import sympy
from flint import arb

from proofs_checks.checks.common import PROOF
from proofs_checks.checks.contraction import (
    coefficient_attained,
    contracted,
    contracted_iterates,
    long_horizon,
    poisson_steps,
    several_steps,
    stopped_error,
)
from proofs_checks.derivations import iterations, operators, powers
from proofs_checks.derivations.setting import ANY
from verify.claims import Domain, Remark, Section

section = Section(checks=PROOF, expected="proved", setting=ANY)

section.step(
    "lem:optimism/contraction",
    "‖T^{a,k}u - T^{a,k}v‖ <= (1 - exp(-λmax H)) ‖u - v‖ on [0,H], for rates in [0,λmax] and rows p̂ >= 0 "
    "that sum to at most 1: with w the distance, p <= 1 the sum of the row p̂, z = λmax H and zf = λ̂t.",
    says="w*p*(1 - exp(-z*f)) <= w*(1 - exp(-z))",
    domain=("w >= 0", "0 <= p <= 1", "0 <= f <= 1", "z > 0"),
    symbols={"w": "‖u - v‖", "p": "Σ_y p̂(y|x,a)", "z": "λmax H", "f": "λ̂t/(λmax H)"},
    theorem=operators.CONTRACTION,
    derivation=operators.contraction,
    checks=(contracted(), *PROOF),
    mutant=contracted(Fraction(9, 10)),
)

section.step(
    "lem:optimism/contraction-max",
    "The maximum over actions contracts alike: if every T^a u = a is within e of T^a v = c, and m is the "
    "maximum of all c, then a <= m + e, so the maximum of all a is at most m + e; and the other way round.",
    says="a <= m + e",
    domain=Domain.of("e >= 0", "a <= c + e", "c <= m", reals="a c m"),
    uses="lem:optimism/contraction",
    theorem=operators.CONTRACTION_MAX,
    derivation=operators.contraction_max,
    checks=(contracted_iterates(truncate=False), *PROOF),
    mutant=contracted_iterates(truncate=False, share=Fraction(1, 50)),
)

section.step(
    "lem:optimism/contraction-truncated",
    "The truncated map contracts alike: if x <= y + e then u = min{t,x} <= min{t,y} + e. (The paper says "
    "it of min{H,·}; the map is min{t,·}.)",
    says="u <= s*t + (1 - s)*y + e",
    domain=Domain.of("0 <= s <= 1", "e >= 0", "u <= t", "u <= x", "x <= y + e", reals="u t x y"),
    symbols={"s": "any weight in [0, 1]"},
    uses="lem:optimism/contraction-max",
    theorem=operators.CONTRACTION_CUT,
    derivation=operators.contraction_cut,
    checks=(contracted_iterates(truncate=True), *PROOF),
    mutant="u <= s*t + (1 - s)*y",
)

section.step(
    "lem:optimism/attained",
    "The coefficient cannot be lowered: u = 1 on (0,H] and v = 0 are in 𝕄 and at distance 1, and for a "
    "pair with rate λmax and a full row T^a u - T^a v at t = H is 1 - exp(-λmax H).",
    checks=coefficient_attained(),
    mutant=coefficient_attained(sympy.Rational(1, 2)),  # at half the rate
)

section.repair(
    "lem:optimism/contraction-superlinear",
    "n steps contract by P(Poisson(λmax t) >= n) at remaining time t <= H, which is at most ρⁿ: n holding "
    "times add up to at most H only if each is at most H. (By induction: the bound rises in t, so that a "
    "rate λ̂ <= λmax moves no more than λmax.)",
    uses="lem:optimism/opposite/by-parts",
    theorem=powers.POWERS,
    derivation=powers.powers,
    checks=several_steps(),
    mutant=several_steps(power=8),
)

section.step(
    "eq:error-vi",
    "‖V̂_∞ - V̂_n‖ <= ε exp(λmax H) if ‖V̂_n - V̂_{n-1}‖ <= ε, V̂_∞ the limit of the iteration. (In the "
    "paper: the distance d of V̂_n from the fixed point is at most ρ times that of V̂_{n-1}, which is at "
    "most d + ε; with E0 = exp(λmax H), ρ = 1 - 1/E0. Here: it follows from eq:error-vi/load.)",
    says="d <= e*E0",
    domain=("E0 >= 1", "d >= 0", "e >= 0", "d <= (1 - 1/E0)*(d + e)"),
    symbols={"e": "ε", "E0": "exp(λmax H)", "d": "‖V̂_∞ - V̂_n‖"},
    uses="eq:error-vi/load",
    theorem=iterations.ERROR,
    derivation=iterations.error,
    checks=(stopped_error(), *PROOF),
    latex=r"\|\hat V^k_\infty - \hat V^k_{n_k}\|_\infty \le \epsilon_k e^{\lambda_{\max}H}",
    mutant="d <= e*E0/2",
    finding=Remark(
        "constant",
        "True, and exponentially too large: the value moves by at most ε λmax H after the iteration has "
        "stopped, because j further iterations need j jumps.",
        details="So lem:optimism, lem:v-v-continuoustime and thm:CT-UCB hold with Σ ε_k λmax H for Σ ε_k "
        "exp(λmax H), and the corollary with ε_k = k^(-α)/(λmax H).",
        repair="eq:error-vi/load",
    ),
)

section.repair(
    "eq:error-vi/sharper",
    "The same argument gives ε (exp(λmax H) - 1), which is λmax H ε in the first order where λmax H is "
    "small.",
    says="d <= e*(E0 - 1)",
    domain=("E0 >= 1", "d >= 0", "e >= 0", "d <= (1 - 1/E0)*(d + e)"),
    symbols={"e": "ε", "E0": "exp(λmax H)", "d": "‖V̂_∞ - V̂_n‖"},
    uses="eq:error-vi/load",
    theorem=iterations.SHARPER,
    derivation=iterations.sharper,
    checks=(stopped_error(arb.expm1), *PROOF),
    mutant="d <= e*(E0 - 2)",
)

section.repair(
    "eq:error-vi/load/poisson",
    "∫_0^t λ exp(-λs) P(N_{t-s} >= j) ds = P(N_t >= j + 1) for every j >= 0, N_t Poisson of mean λt, and "
    "Σ_{j>=1} P(N_t >= j) = λt.",
    checks=poisson_steps(),
    latex=r"\int_0^t\lambda e^{-\lambda s}\mathbb P(N_{t-s}\ge j)\,ds = \mathbb P(N_t\ge j+1),\quad"
    r"\sum_{j\ge1}\mathbb P(N_t\ge j) = \lambda t",
    mutant=poisson_steps(jump=2),
)

section.repair(
    "eq:error-vi/load",
    "V̂_n <= V̂_∞ <= V̂_n + ε λmax t at remaining time t <= H if ‖V̂_n - V̂_{n-1}‖ <= ε, and no iterate is "
    "larger: if V̂_m <= V̂_n + ε λmax t then the next one, too, as with W = ∫exp(-λ̂s)ds over [0,t] T^a "
    "V̂_m <= T^a V̂_{n-1} + ε λ̂ W + ε λmax (t - W), and λ̂ <= λmax; maximum and minimum move no more. (The "
    "j-th further iteration moves the value by at most ε P(N_t >= j), N_t Poisson of mean λmax t.) On long "
    "horizons the factor is the best: one state, r = 1, ε = 1/λ has 1 - 1/(λH) of it.",
    says="l*w + m*(t - w) <= m*t",
    domain=("w >= 0", "l >= 0", "l <= m", "t >= w"),
    symbols={"l": "λ̂", "m": "λmax", "w": "W"},
    uses="eq:mono",
    theorem=iterations.LOAD,
    derivation=iterations.load,
    checks=(stopped_error(lambda load: load), long_horizon(), *PROOF),
    latex=r"\|\hat V^k_\infty - \hat V^k_{n_k}\|_\infty \le \epsilon_k\lambda_{\max}H",
    mutant=long_horizon(Fraction(9, 10)),
)
