r"""``lem:error-model``: what wrong rates and jump probabilities cost in one application of the operator.

For :math:`0 \le f(y,u) \le u`, with :math:`g = \lambda e^{-\lambda s}`, :math:`m = \sum_y p(y) f(y,t-s)` and
hats for the estimates, the integrands differ by

.. math:: \hat g\hat m - g m = (\hat g - g)\,\hat m + g\,(\hat m - m), \qquad
          |\hat g-g| \le |\hat\lambda-\lambda| \le \beta, \quad \hat m \le t-s, \quad
          |\hat m-m| \le (t-s)\alpha,

and integrating over :math:`[0,t]` gives :math:`t^2\beta/2 + \alpha(t-w)`,
:math:`w = (1-e^{-\lambda t})/\lambda`.  Each line is a formula that is proved for all values; the whole is
derived from them, and tested on models besides, with the estimates on the boundary of the confidence set.

The proof says :math:`\sum_y\hat p = 1` and needs only :math:`\le 1`.  It also gives more than it says, twice.
Where :math:`\hat p` is a probability the jump term is at most *half* of what is printed
(:math:`\sum_y (f - u/2)(\hat p - p)`).  Where it is not, because the pair was never left,
:math:`\hat\lambda = 0` as well, and the rate term bounds the whole: :math:`\alpha` is not needed at all.
"""

from __future__ import annotations

from fractions import Fraction

from proofs_checks.checks.common import PROOF, WAIT
from proofs_checks.checks.model_error import HALF, ONE, ZERO, operator_error, row_error
from proofs_checks.checks.perturbed import EVERY, PRINTED, UNSEEN
from proofs_checks.derivations import halved_error, model_error
from proofs_checks.derivations.setting import ANY
from verify.claims import Domain, Mutant, Remark, Section

SPLIT_DOMAIN = ("gh >= 0", "g >= 0", "0 <= mh", "mh <= u", "m >= 0", "d >= 0", "e >= 0")
_THIRD = Fraction(1, 3)

section = Section(
    checks=PROOF,
    expected="proved",
    setting=ANY,
    symbols={"l": "λ", "al": "α", "be": "β", "gh": "ĝ", "mh": "m̂"},
)

section.step(
    "eq:model-error",
    "|∫ĝm̂ ds - ∫gm ds| <= ∫|ĝ - g|(t - s) ds + ∫g|m̂ - m| ds over [0,t]: ĝm̂ - gm <= |ĝ - g| u + g |m̂ - "
    "m| for all g, ĝ, m >= 0 and 0 <= m̂ <= u, here for d >= ĝ - g and e >= m̂ - m; u = t - s bounds m̂ = Σ "
    "p̂ f because f <= t - s and Σ p̂ <= 1 (a row of zeros does as well).",
    says="gh*mh - g*m <= d*u + g*e",
    domain=(*SPLIT_DOMAIN, "gh - g <= d", "mh - m <= e"),
    source="lem:error-model",
    checks=(operator_error(HALF, ONE), *PROOF),
    theorem=model_error.SPLIT,
    derivation=model_error.model_error,
    mutant=Mutant(says="gh*mh - g*m <= d*u", checks=PROOF),
)

section.step(
    "eq:model-error/below",
    "The same bound for gm - ĝm̂, with d >= g - ĝ and e >= m - m̂: so it holds for the absolute value.",
    says="g*m - gh*mh <= d*u + g*e",
    domain=(*SPLIT_DOMAIN, "g - gh <= d", "m - mh <= e"),
    symbols={"u": "t - s"},
    source="lem:error-model",
    mutant="g*m - gh*mh <= d*mh/2 + g*e",
)

section.step(
    "lem:error-model/lipschitz",
    "The derivative (1 - z) exp(-z), z = λs >= 0, of λ exp(-λs) in λ is at most 1 in modulus (squared "
    "below): the Lipschitz constant one.",
    says="((1 - z)*exp(-z))**2 <= 1",
    domain="z >= 0",
    symbols={"z": "λs"},
    latex=r"|(1-\lambda s)e^{-\lambda s}| \le 1",
    mutant="((1 - z)*exp(-z))**2 <= 3/4",
)

section.step(
    "eq:error1",
    "The rate term ∫|ĝ - g|(t - s) ds is at most t²β/2: by the Lipschitz bound its integrand is at most (t - "
    "s)|λ̂ - λ| <= (t - s)β, which integrates to t²β/2.",
    source="lem:error-model",
    uses="lem:error-model/lipschitz",
    checks=operator_error(HALF, ONE),
    theorem=model_error.RATE_TERM,
    derivation=model_error.error1,
    latex=r"\int_0^t|\hat\lambda e^{-\hat\lambda s}-\lambda e^{-\lambda s}|(t-s)\,ds \le \tfrac{t^2}2\beta",
    mutant=operator_error(_THIRD, ONE),
)

section.step(
    "eq:error2",
    "The jump term: |Σ_y f(y)(p̂(y) - p(y))| <= u ‖p̂ - p‖₁ for 0 <= f <= u, because each term is at most "
    "u |p̂(y) - p(y)|.",
    says="Abs(f*(q - p)) <= u*Abs(q - p)",
    domain=("f >= 0", "f <= u", "q >= 0", "p >= 0"),
    symbols={"p": "p(y)", "q": "p̂(y)"},
    source="lem:error-model",
    checks=(row_error(ONE, EVERY), *PROOF),
    theorem=model_error.JUMP_TERM,
    derivation=model_error.error2,
    latex=r"\bigl|\sum_y f(y,t-s)[\hat p(y)-p(y)]\bigr| \le (t-s)\,\alpha",
    mutant=row_error(HALF, UNSEEN),  # half is too little for a row of zeros
    finding=Remark(
        "constant",
        "True, and twice too large wherever p̂ is a probability.",
        details="Where it is not (a pair that was never left) the rate is estimated as 0 too and the bound "
        "holds without α, so that lem:CI-p is not needed for N⁺ = 0. With lem:optimism/halved the bonus, "
        "and with it the bound of thm:CT-UCB, can be halved.",
        repair="lem:error-model/halved",
    ),
)

section.step(
    "lem:error-model/jump-integral",
    "∫_0^t λ exp(-λs)(t - s) ds = t - w <= t, with w = (1 - exp(-λt))/λ (not said in the paper, and needed "
    "to combine the three displays).",
    elementary=True,
    says=f"t - {WAIT} <= t",
    domain=("l >= 0", "t >= 0"),
    uses="lem:error-model/jump-integral/value",
    mutant=f"t - {WAIT} <= t/2",
)

section.step(
    "lem:error-model/jump-integral/value",
    "The primitive exp(-λs)/λ - (t - s) exp(-λs) of λ exp(-λs)(t - s) grows by t - (1 - exp(-λt))/λ from "
    "s = 0 to s = t, for λ > 0.",
    says=f"exp(-l*t)/l - (1/l - t) == t - {WAIT}",
    domain=("l > 0", "t >= 0"),
    mutant=f"exp(-l*t)/l - 1/l == t - {WAIT}",
)

section.claim(
    "lem:error-model",
    "For every function with 0 <= f(x,s) <= s on [0,t], on 𝒢, the two expectations differ by at most t²β/2 "
    "+ α(t - w), w = ∫_0^t exp(-λs) ds, which is at most t²β/2 + tα, for every t >= 0, every λ̂ in [0, "
    "λmax] and all rows p̂ >= 0 with sum at most 1.",
    uses="eq:model-error eq:error1 eq:error2",
    checks=operator_error(HALF, ONE),
    theorem=model_error.ERROR,
    derivation=model_error.error_model,
    latex=r"\Bigl|\sum_y\int_0^t\hat\lambda e^{-\hat\lambda s}f(y,t-s)\hat p(y)ds"
    r"-\sum_y\int_0^t\lambda e^{-\lambda s}f(y,t-s)p(y)ds\Bigr| \le \tfrac{t^2}2\beta + t\alpha",
    mutant=operator_error(_THIRD, ONE),
)

# --- what the proof gives beyond the lemma ----------------------------------------------------

section.repair(
    "eq:error2/halved",
    "Where p̂ is a probability, |Σ_y f(y)(p̂(y) - p(y))| <= (u/2) ‖p̂ - p‖₁: the sum does not change when "
    "u/2 is taken from f, and (f - u/2) d <= (u/2) e for e = |d|.",
    says="(f - u/2)*d <= u/2*e",
    domain=Domain.of("f >= 0", "f <= u", "u >= 0", "d <= e", "-d <= e", "e >= 0", reals="d"),
    checks=(row_error(HALF, ("up", "down")), *PROOF),
    theorem=halved_error.HALF_JUMP,
    derivation=halved_error.error2_halved,
    mutant=row_error(_THIRD, ("up", "down")),
)

section.repair(
    "lem:error-model/jump-integral/short",
    "∫_0^t λ exp(-λs)(t - s) ds = t - w is also at most λt²/2: the jump term is at most α min(t, λt²/2).",
    says=f"t - {WAIT} <= l*t**2/2",
    domain=("l >= 0", "t >= 0"),
    source="lem:error-model/jump-integral",
    uses="lem:error-model/jump-integral/value",
    mutant=f"t - {WAIT} <= l*t**2/3",
)

section.repair(
    "lem:error-model/unseen",
    "Where λ̂ = 0, as for a pair that was never left, the error is at most t²β/2, without α: it is Σ∫ λ "
    "exp(-λs) f p ds <= ∫ λ(t - s) ds = λt²/2, and λ = |λ - λ̂| <= β. So the L1 bound is not needed where N⁺ "
    "= 0.",
    checks=operator_error(HALF, ZERO, UNSEEN),
    theorem=halved_error.UNSEEN,
    derivation=halved_error.unseen,
    mutant=operator_error(_THIRD, ZERO, UNSEEN),
)

section.repair(
    "eq:model-error/estimated",
    "ĝm̂ - gm = (ĝ - g)m + ĝ(m̂ - m): the split the other way round, with the estimated rate in the second "
    "term.",
    elementary=True,
    says="gh*mh - g*m == (gh - g)*m + gh*(mh - m)",
    domain=("gh >= 0", "g >= 0", "mh >= 0", "m >= 0"),
    source="lem:error-model",
    mutant="gh*mh - g*m == (gh - g)*m + g*(mh - m)",
)

section.repair(
    "lem:error-model/halved",
    "The error is at most t²β/2 + (t - w)α/2, w = ∫_0^t exp(-λ̂s) ds, if p̂ is a probability wherever λ̂ > "
    "0, as the printed estimators are: with the estimated rate in the jump term (eq:model-error/estimated), "
    "which vanishes where λ̂ = 0. This is at most t²β/2 + tα/2.",
    uses="eq:error1 eq:error2/halved",
    checks=operator_error(HALF, HALF, PRINTED, waited=True),
    theorem=halved_error.HALVED,
    derivation=halved_error.halved,
    mutant=operator_error(HALF, Fraction(1, 20), PRINTED, waited=True),
)
