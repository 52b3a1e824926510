r"""``sec:episodicRL``: the model, its rates, the rescaling of rewards, the space of functions, the clock.

Three findings.  *Self-jumps*: either they are excluded, as "another state" and :math:`q(x\mid x,a) =
-\lambda` with rows that sum to 0 say, and then :math:`q` and :math:`(\lambda,p)` do determine each other,
but the absorbing states of the lower bound, with a positive rate, are outside the class.  Or they are
allowed, and then :math:`\sum_z q(z\mid x,a) = -\lambda p(x\mid x,a)`; and with :math:`q(x\mid x,a)` minus
the sum of the others, :math:`q` no longer determines :math:`(\lambda, p)`: rate 1 with a self-jump of
probability 1/2 and rate 1/2 without one have the same :math:`q`.  They are different problems, since a
self-jump is a decision epoch.  The proofs of the upper bound hold in both readings, and the lower bound,
with two more states, too (``thm:lowerbound/no-self-jumps``).  *The space* :math:`\mathbb M` of non-negative
functions is closed under sums but not under differences: a complete metric space, which is all that the
fixed-point argument needs, and not a Banach space.

*The clock.* The paper lets a policy choose :math:`a_n = \pi(x_n, (H - t_n)^+)` also in :math:`V^\pi(x,t)`
with :math:`t < H`.  There :math:`t - t_n` remains, not :math:`H - t_n`, and :math:`V^\pi = \mathcal T^\pi
V^\pi` fails. By hand: two states that take turns at rate 1, :math:`H = 1`, action :math:`a` earns 1 and
:math:`b` nothing, and :math:`\pi` takes :math:`a` while more than 1/2 remains.  At :math:`t = 2/5` every
decision is made with :math:`H - t_n \ge 3/5`, so :math:`V^\pi(x,2/5) = 2/5`; but :math:`\mathcal T^\pi` takes
:math:`b` there and gives :math:`\int_0^{2/5}e^{-s}(2/5-s)ds = e^{-2/5}-3/5 < 0.08`.  With :math:`a_n =
\pi(x_n, (t - t_n)^+)` it holds, and all proofs mean this.  :math:`V^*`, a supremum for each :math:`t`, is the
same in both readings.

The bounds :math:`0 \le V \le t` and the rescaling are statements about one step of the operator
:math:`\mathcal T^a`; its integrals are :math:`\int_0^t e^{-\lambda s}ds = (1-e^{-\lambda t})/\lambda` and
:math:`\int_0^t \lambda e^{-\lambda s}(t-s)\,ds = t - (1-e^{-\lambda t})/\lambda`.
"""

from __future__ import annotations

from fractions import Fraction

import sympy

from proofs_checks.checks.common import PROOF, REFUTATION
from proofs_checks.checks.policies import clocks
from proofs_checks.checks.setting import (
    RATE,
    TIME,
    affine,
    bounded,
    closed_under,
    joint_law,
    limits,
    rates_recovered,
    rescaled_values,
    uniformised,
)
from proofs_checks.derivations import chains, earnings, functions, optimality, rescaling
from proofs_checks.derivations.setting import ANY, POLICIES, POSITIVE
from verify.claims import Domain, Mutant, Remark, Section

_RATES = Domain.of("l > 0", "0 <= p <= 1")

section = Section(
    checks=PROOF,
    expected="proved",
    setting=ANY,
    symbols={"l": "λ", "p": "p(x|x,a)", "y": "p(y|x,a)", "r": "r(x,a)"},
)

section.claim(
    "sec:episodicRL/joint-law",
    "The holding time is at most t and the next state is y with probability (1 - exp(-λt)) p(y|x,a): the "
    "density λ exp(-λs) p(y|x,a) integrated over [0, t], for all λ, t > 0; at every decision of a run, for "
    "t up to the remaining time.",
    theorem=chains.JOINT,
    derivation=chains.joint,
    checks=joint_law(),
    latex=r"P(\tau \le t, Y = y) = (1-e^{-\lambda(x,a)t})\,p(y\mid x,a)",
    mutant=joint_law(sympy.exp(-RATE * TIME)),
)

section.claim(
    "eq:M/rates",
    "With q(y|x,a) = λp(y|x,a) for y ≠ x and q(x|x,a) = -λ the rates sum to 0, also if self-jumps are "
    "allowed: λ(1 - p) - λ = 0, p = p(x|x,a) being any probability. (If they are excluded, p = 0, it holds.)",
    says="l*(1 - p) - l == 0",
    domain=_RATES,
    checks=REFUTATION,
    expected="refuted",
    latex=r"\textstyle\sum_{z} q(z\mid x,a) = 0",
    mutant="l*(1 - p) - l*(1 - p) == 0",  # true: must not be refuted
    finding=Remark(
        "erratum",
        "Either self-jumps are excluded, and this holds: then the absorbing states of the lower bound, "
        "whose rate must be at least λmin > 0, are not in the class (thm:lowerbound/instances).",
        details="Or they are allowed, and the rates sum to -λ p(x|x,a). The text excludes them where it "
        "defines the model; its lower bound needs them or two more states (thm:lowerbound/no-self-jumps).",
        repair="eq:M/rates/repaired",
    ),
)

section.repair(
    "eq:M/rates/repaired",
    "With q(x|x,a) = -λ(1 - p(x|x,a)) the rates sum to 0: λ(1 - p) for the other states together, whatever "
    "the self-loop p. The printed form is the case p(x|x,a) = 0.",
    elementary=True,
    says="l*y + l*(1 - p - y) - l*(1 - p) == 0",
    domain=("l > 0", "0 <= p <= 1", "0 <= y <= 1", "p + y <= 1"),
    theorem=chains.ROWS,
    derivation=chains.rows,
    mutant="l*y + l*(1 - p - y) - l == 0",
)

section.claim(
    "eq:M/equivalent",
    "The transition rates q, with rows that sum to 0, and (λ, p) determine each other, also if self-jumps "
    "are allowed: λ is the sum of the rates to the other states. (If they are excluded it holds.)",
    uses="eq:M/rates",
    checks=rates_recovered((Fraction(0), Fraction(1, 2))),
    expected="refuted",
    mutant=rates_recovered((Fraction(0),)),  # without self-loops: true
    finding=Remark(
        "erratum",
        "Either self-jumps are excluded, and this holds; or they are allowed, and rates q whose rows sum to "
        "0 do not determine (λ, p): λ = 1 with p(x|x,a) = 1/2 and λ = 1/2 without a self-jump have the same "
        "q.",
        details="A self-jump is a decision epoch, so the two are different problems. (With q(x|x,a) = -λ as "
        "printed (λ, p) can be read off, but then the rows do not sum to 0.)",
        repair="eq:M/equivalent/repaired",
    ),
)

section.repair(
    "eq:M/equivalent/repaired",
    "Without self-loops, p(x|x,a) = 0, and with λ > 0, q determines (λ, p): λ is the sum of q(y|x,a) over "
    "y ≠ x, and p(y|x,a) = q(y|x,a)/λ (y is the probability of one state, 1 - y that of all the others).",
    says="l*y/(l*y + l*(1 - y)) == y",
    domain=("l > 0", "0 <= y <= 1"),
    setting=POSITIVE,
    theorem=chains.DETERMINED,
    derivation=chains.determined,
    mutant="l*y/(l*y + 2*l*(1 - y)) == y",
)

section.repair(
    "eq:M/uniformised",
    "A self-jump is a decision, so that rates may not be made equal by self-jumps: if machine repair is "
    "uniformised, every pair jumping at the rate λmax = 7 and to its own state with probability 1 - λ/λmax, "
    "q is the same, and the optimal value of state 0 at H = 1 is 0.642890 instead of 0.641056: more by at "
    "least 9/5000. (Where actions may change at any time it is 0.644850 in both.)",
    checks=uniformised(),
    mutant=uniformised(loops=False),
)

section.step(
    "eq:assume/rescaling/shift",
    "A constant c added to the reward rate adds ct to T^a, if the function it is applied to has cs added: "
    "c∫exp(-λs)ds + ∫λexp(-λs)c(t - s)ds = ct, for all λ, t, c > 0.",
    checks=affine(),
    latex=r"c\int_0^t e^{-\lambda s}ds + \int_0^t \lambda e^{-\lambda s}c(t-s)\,ds = ct",
    mutant=affine(sympy.Rational(1, 2)),  # half the mass is lost
)

section.claim(
    "eq:assume/rescaling",
    "Rewards in [0,1] are no restriction: with r' = (r - m)/(M - m), m and M the smallest and the largest "
    "reward, every policy has the value V' = (V - mt)/(M - m) on [0,H] (if M = m every policy earns mt), so "
    "that regret is divided by M - m: (M - m)V' + mt solves V = T^π V with the rewards r = m + (M - m)r', "
    "and only V does.",
    theorem=rescaling.RESCALED,
    derivation=rescaling.rescaled,
    checks=rescaled_values(),
    latex=r"V'^\pi(x,t) = (V^\pi(x,t) - mt)/(M-m)",
    mutant=rescaled_values(Fraction(2)),
)

section.claim(
    "sec:episodicRL/banach",
    "𝕄, the bounded measurable functions u >= 0 with u(·,0) = 0, is a Banach space: with u it contains "
    "every real multiple of u.",
    checks=closed_under((Fraction(2), Fraction(-1))),
    expected="refuted",
    mutant=closed_under((Fraction(2), Fraction(1, 2))),  # a cone
    finding=Remark(
        "erratum",
        "Non-negative functions are no vector space, so 𝕄 is no Banach space, and sup u without absolute "
        "values is no norm of a difference.",
        details="A complete metric space is all that the contraction argument needs.",
        repair="sec:episodicRL/banach/repaired",
    ),
)

section.repair(
    "sec:episodicRL/banach/repaired",
    "𝕄 is closed in the distance sup|u - v| among the bounded measurable functions: a function within e of "
    "an element of 𝕄 is at least -e everywhere, and within e of 0 at t = 0; so one that is within every e = "
    "1/n is in 𝕄. (So it is a complete metric space, as the bounded measurable functions are.)",
    says="-e <= u",
    domain=Domain.of("e > 0", "v >= 0", "v - u <= e", "u - v <= e", reals="u"),
    theorem=functions.CLOSED,
    derivation=functions.closed,
    checks=(limits(), *PROOF),
    mutant="0 <= u",
)

section.step(
    "eq:FH-control/clock",
    "V^π of eq:FH-control, with the actions a_n = π(x_n, (H - t_n)⁺) as printed, satisfies V^π = T^π V^π at "
    "every remaining time t <= H.",
    checks=clocks(printed=True),
    expected="refuted",
    latex=r"a_n = \pi(x_n,(H-t_n)^+) \implies V^\pi(x,t) = \mathcal T^\pi V^\pi(x,t)",
    mutant=clocks(printed=False),  # true: must not be refuted
    finding=Remark(
        "erratum",
        "In V^π(x,t) with t < H the action is read off at H - t_n, although only t - t_n remains.",
        details="As written V^π = T^π V^π, which eq:Vpik and sec:simulation use for t < H, fails: two "
        "states that take turns at rate 1, H = 1, reward 1 while more than 1/2 remains and 0 after: "
        "V^π(x,2/5) = 2/5 and T^π V^π(x,2/5) = exp(-2/5) - 3/5 = 0.07. Read a_n = π(x_n, (t - t_n)⁺); V* "
        "and the regret, at t = H, are not affected.",
        repair="eq:FH-control/clock/repaired",
    ),
)

section.repair(
    "eq:FH-control/clock/repaired",
    "With a_n = π(x_n, (t - t_n)⁺) in V^π(x,t), V^π = T^π V^π holds at every remaining time t that an "
    "episode can have, and V^π(x,t) is what is earned in the mean from x on with t remaining (in m "
    "sojourns: up to ρᵐH). This is what eq:Vpik, the verification of eq:Qa and the evaluation of policies "
    "mean; at t = H the readings agree.",
    uses="eq:Vpik",
    setting=POLICIES,
    theorem=earnings.CLOCK,
    derivation=earnings.clock,
    checks=clocks(printed=False),
    latex=r"a_n = \pi(x_n,(t-t_n)^+) \implies V^\pi(x,t) = \mathcal T^\pi V^\pi(x,t)",
    mutant=clocks(printed=True),
)

section.claim(
    "eq:FH-control2/bounds",
    "0 <= V^π(x,t) <= V*(x,t) <= t for every policy: T^π u <= Gu, and if u(·,s) is in [0,s] then so is T^a "
    "u, as r(1 - exp(-λt))/λ + ∫λexp(-λs)(t - s)ds <= t, so that all iterates are, and their limits.",
    says="r*(1 - exp(-l*t))/l + t - (1 - exp(-l*t))/l <= t",
    domain=("l > 0", "t >= 0", "0 <= r <= 1"),
    uses="eq:Qa/monotone lem:optimism/value-bound",
    theorem=optimality.BOUNDS,
    derivation=optimality.bounds,
    checks=(bounded(), *PROOF),
    latex=r"0 \le V^\pi(x,t) \le V^*(x,t) \le t",
    mutant=Mutant(
        says="r*(1 - exp(-l*t))/l + t - (1 - exp(-l*t))/l <= t", domain=("l > 0", "t >= 0", "r >= 0")
    ),
)
