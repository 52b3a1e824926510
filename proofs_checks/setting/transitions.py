r"""What the text says about the number of transitions and about the initial state.

The number of jumps in an episode has mean at most :math:`\lambda_{\max}H`, so it is finite; it is at least
:math:`m` if :math:`m` holding times are at most :math:`H/m` each, so it is unbounded; and a window of length
:math:`\varepsilon` sees a jump with probability at most :math:`\lambda_{\max}\varepsilon`, so that no time is
a jump time with positive probability.  It is not a Poisson process if rates differ: with the rate
:math:`\lambda` before the first jump and :math:`m > \lambda` after it,

.. math:: P(J = 1) = \int_0^H \lambda e^{-\lambda s}e^{-m(H-s)}ds
          = \lambda He^{-\lambda H}\,\frac{1-e^{-x}}{x}, \qquad x = (m-\lambda)H > 0,

less than the :math:`\lambda He^{-\lambda H}` of the Poisson law with the same :math:`P(J = 0) = e^{-\lambda
H}`.

*The initial state.* Every step of the upper bound is about one episode from its initial state, or about sums
over episodes in which initial states do not occur; so nothing has to be said of them, and the setting of the
derivations says nothing (:mod:`proofs_checks.derivations.setting`).
"""

from __future__ import annotations

from fractions import Fraction

from proofs_checks.checks.common import PROOF
from proofs_checks.checks.perturbed_values import Shares
from proofs_checks.checks.setting import RATE
from proofs_checks.checks.transitions import drawn_starts, mistaken_starts, one_jump, tails, windows
from proofs_checks.derivations import printed_bound, transitions, two_rates
from proofs_checks.derivations.setting import ANY, PAPER, POSITIVE
from verify.claims import Domain, Section

_NONE = Fraction(0)

section = Section(checks=PROOF, expected="proved", setting=ANY)

# --- the number of transitions ----------------------------------------------------------------

section.claim(
    "remark:homogeneous/finite",
    "There are only finitely many jumps in an episode, with probability 1: p = P(at least m jumps) "
    "satisfies mp <= j <= λmax H (j the expected number), so it tends to 0 as m grows, and that all "
    "sojourns end with a jump has probability 0.",
    says="p <= j/m",
    domain=Domain.of("m >= 1", "j >= 0", "0 <= p <= 1", "m*p <= j", integers="m"),
    source="sec:episodicRL",
    uses="eq:FH-control-discrete/steps",
    theorem=transitions.FINITE,
    derivation=transitions.finite,
    checks=(tails(), *PROOF),
    mutant=tails(Fraction(1, 4)),
)

section.claim(
    "remark:homogeneous/no-atom",
    "For every t > 0 no transition of the whole run occurs with exactly the time t remaining, with "
    "probability 1: the sojourn of a decision ends with a jump in a given window of length e with "
    "probability at most 1 - exp(-λe) <= λe, λ = λmax, whatever was before, which tends to 0.",
    says="1 - exp(-l*e) <= l*e",
    domain=("l > 0", "e >= 0"),
    symbols={"l": "λmax"},
    source="sec:episodicRL",
    theorem=transitions.NO_ATOM,
    derivation=transitions.no_atom,
    checks=(windows(), *PROOF),
    mutant=windows(Fraction(1, 2)),
)

section.claim(
    "sec:introduction/unbounded",
    "The number of transitions of an episode is unbounded: it is at least m if m holding times are at most "
    "H/m each, with probability at least (1 - exp(-λmin H/m))^m > 0.",
    says="0 < (1 - exp(-l*H/m))**m",
    domain=Domain.of("l > 0", "H > 0", "m >= 1", integers="m"),
    symbols={"l": "λmin"},
    setting=POSITIVE,
    theorem=transitions.UNBOUNDED,
    derivation=transitions.unbounded,
    mutant="1/2 < (1 - exp(-l*H/m))**m",
)

section.step(
    "sec:introduction/one-jump",
    "With rate λ before the first jump and λ + m after it, P(J = 1) = λH exp(-λH)(1 - exp(-x))/x, x = mH, "
    "for all λ, m, H > 0.",
    checks=one_jump(lambda more: RATE + more),
    mutant=one_jump(lambda more: RATE + 2 * more),
)

section.claim(
    "sec:introduction/not-poisson",
    "The transitions are no Poisson process in general: with the rate λ in the initial state, which is left "
    "for good, and a larger one in all others, P(J = 0) = exp(-λH) and P(J = 1) = λH exp(-λH)(1 - "
    "exp(-x))/x (sec:introduction/one-jump), x > 0, less than λH exp(-λH); so that no Poisson law has both.",
    says="1 - exp(-x) < x",
    domain="x > 0",
    setting=POSITIVE,
    theorem=two_rates.TWO_RATES,
    derivation=two_rates.two_rates,
    mutant=Domain.of("x >= 0"),
)

# --- the initial state ------------------------------------------------------------------------

section.claim(
    "sec:episodicRL/initial-distribution",
    "The results extend to initial states drawn from a fixed distribution, and to any others, also if they "
    "are chosen by what was seen before: E Σ_k [V*(x_0^k,H) - V^{π^k}(x_0^k,H)] has the bound of "
    "thm:CT-UCB/repaired: nothing that is derived about runs says in which state an episode begins. (The "
    "bound of one episode holds from every state, so in the mean over states, w the probability of one with "
    "regret u <= s, 1 - w that of the others with v <= z. The lower bound has one initial state.)",
    says="w*u + (1 - w)*v <= w*s + (1 - w)*z",
    domain=Domain.of("0 <= w <= 1", "u <= s", "v <= z", reals="u v s z"),
    uses="thm:CT-UCB/repaired",
    setting=PAPER,
    theorem=printed_bound.REPAIRED,
    derivation=lambda d: d.lemma("thm:CT-UCB/repaired"),
    checks=(drawn_starts(Shares()), mistaken_starts(Shares()), *PROOF),
    mutant=mistaken_starts(Shares(_NONE, _NONE, _NONE)),
)
