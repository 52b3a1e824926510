r"""``eq:hjb-pde``: the HJB equation, and the problem it describes.

A policy of the paper chooses an action when a state is entered and holds it until the next jump. The value
of that problem is the fixed point :math:`V = GV` of ``eq:Qa``. The HJB equation describes another problem,
in which the action may change at any time. By hand: a state with the actions :math:`a` (rate 2, reward 1)
and :math:`b` (rate 1/2, reward 1/2), both leading to where nothing is earned. Holding gives :math:`V^* =
\max\{(1-e^{-2t})/2,\ 1-e^{-t/2}\}`. At :math:`t = 1` the first is larger, so :math:`\partial V^* = e^{-2} <
0.14`, while the right side of the HJB equation is at least :math:`\tfrac12 - \tfrac12 V^* > 0.28`. On the
paper's example, too, the values differ.

**The policy.** The solution :math:`v` of the HJB equation is at least :math:`V^*`, and :math:`\tfrac12 -
\tfrac12 v > 1 - 2v` for :math:`v > \tfrac13`. So at :math:`t = 1` its right side is maximised by :math:`b`,
which, held, earns :math:`1 - e^{-1/2} < 0.394`; :math:`a` earns :math:`V^* > 0.432`.

**When they agree.** Let :math:`v` solve the HJB equation and :math:`Q_a` be the value of holding :math:`a`
and earning :math:`v` after the jump. :math:`D_a = v - Q_a` satisfies :math:`D_a' + \lambda_a D_a = g_a`,
with :math:`g_a \ge 0` what :math:`a` lacks to the maximum. So :math:`v \ge Gv`, hence :math:`v \ge V^*`;
and :math:`v = Gv` at time :math:`H` means that some :math:`g_a` vanishes on all of :math:`[0,H]`. Therefore
:math:`V^* = v` if and only if in every state one action attains the maximum of the HJB equation at all
times.
"""

from __future__ import annotations

from fractions import Fraction

from proofs_checks.checks.common import PROOF
from proofs_checks.checks.hjb import constant_maximisers, exceeds, greedy_policies, hjb_residual, two_values
from proofs_checks.checks.optimality import ADJUSTABLE, COMMITTED, attained, dominated
from proofs_checks.derivations import adjustable, changing
from proofs_checks.derivations.setting import ANY
from verify.claims import Domain, Remark, Section

section = Section(checks=PROOF, expected="proved", setting=ANY, symbols={"l": "λ", "q": "Q"})

section.claim(
    "eq:hjb-pde",
    "V*, the supremum over policies that choose an action when a state is entered, solves the HJB "
    "equation: its slope is the maximum over actions of r - λV* + λΣpV*.",
    checks=hjb_residual("two-speeds", "machine-repair"),
    expected="refuted",
    latex=r"\partial_t V^* = \sup_a\,[r - \lambda V^* + \lambda\textstyle\sum_z V^*(z,t)p(z\mid x,a)]",
    mutant=hjb_residual("one-speed"),  # one action: true
    finding=Remark(
        "remark",
        "V*, as defined by policies that choose at jumps, does not satisfy the HJB equation, which "
        "describes the problem with actions that may change at any time.",
        details="By hand, with rates 2 and 1/2 and rewards 1 and 1/2: at t = 1 the slope of V* is exp(-2) < "
        "0.14 and the right side at least 0.28. Neither theorem uses the equation.",
        repair="eq:hjb-pde/repaired",
    ),
)

section.repair(
    "eq:hjb-pde/repaired",
    "The HJB equation describes the problem in which the action may change at any time: its bounded "
    "solution on [0,H] is at least the value of every such policy, w with w(x,t+h) - w(x,t) the integral of "
    "r - λw + λΣpw with its actions, and the policy that maximises its right side attains it.",
    theorem=changing.CHANGING,
    derivation=changing.changing,
    checks=(dominated(ADJUSTABLE), attained(ADJUSTABLE)),
    mutant=dominated(ADJUSTABLE, by=COMMITTED),
)

section.claim(
    "eq:hjb-pde/equivalent",
    "V = GV and the HJB equation are equivalent: they have the same solution.",
    checks=two_values("machine-repair", "two-speeds"),
    expected="refuted",
    mutant=two_values("one-speed"),  # one action: true
    finding=Remark(
        "remark",
        "The two optimality conditions have different solutions on the paper's own example: 0.64106 (V = "
        "GV) against 0.64485 (HJB) for state 0 at H = 1.",
        details="Regret measured against the second would grow linearly for a learner that plays optimally. "
        "They agree exactly where the best action of the HJB equation never changes.",
        repair="eq:hjb-pde/equivalent/repaired",
    ),
)

section.repair(
    "eq:hjb-pde/equivalent/repaired",
    "The fixed point of G and the solution of the HJB equation agree on [0,H] if and only if in every "
    "state one action attains the maximum of the HJB equation at all remaining times up to H.",
    uses="eq:hjb-pde/dominates eq:hjb-pde/lag",
    checks=constant_maximisers(),
    expected="tested",
    mutant=constant_maximisers(known=False),
)

section.claim(
    "eq:hjb-pde/policy",
    "The policy that maximises the right side of the HJB equation, played when a state is entered, is "
    "optimal: it earns V*.",
    checks=greedy_policies(("two-speeds", Fraction(1)), ("machine-repair", Fraction(1))),
    expected="refuted",
    mutant=greedy_policies(("one-speed", Fraction(1))),  # true
    finding=Remark(
        "remark",
        "Solving the HJB equation and maximising its right side gives the best policy of the problem with "
        "actions that may change at any time.",
        details="Played at jumps it is not optimal: with rates 2 and 1/2 and rewards 1 and 1/2 it takes the "
        "second action at remaining time 1 and earns 0.393, the first earns 0.432. On the paper's own "
        "example it loses 0.0039 in every episode.",
        repair="eq:Qa/verification",
    ),
)

section.repair(
    "eq:hjb-pde/lag",
    "With v the solution of the HJB equation, Q' = r - λQ + λw the value of holding an action (w = Σ_z "
    "v(z)p(z)), and g >= 0 what the action lacks to the maximum, v' = r - λv + λw + g: the difference D = "
    "v - Q has D' + λD = g.",
    elementary=True,
    says="(r - l*v + l*w + g) - (r - l*q + l*w) + l*(v - q) == g",
    domain=Domain.of("l > 0", "g >= 0", reals="r v q w"),
    mutant="(r - l*v + l*w + g) - (r - l*q + l*w) - l*(v - q) == g",
)

section.repair(
    "eq:hjb-pde/dominates",
    "V* <= v always, v a bounded solution of the HJB equation on [0,H] (v(x,t+h) - v(x,t) is the integral "
    "of its right side): holding an action until the next jump earns at most what may be earned by changing "
    "it at any time. (With q the value of holding a, q(t+h) <= q(t) + h(r - λq(t) + λm(t)) + O(h²), m the "
    "mean of V* over the next state, and q <= V*: V* satisfies the equation as an inequality.)",
    uses="eq:Qa/optimality lem:optimism/rising/values lem:optimism/sharp/slope lem:optimism/value-bound "
    "lem:optimism/value-bound/iterates",
    theorem=adjustable.DOMINATES,
    derivation=adjustable.dominates,
    checks=exceeds(),
    mutant=exceeds(ADJUSTABLE, COMMITTED),
)
