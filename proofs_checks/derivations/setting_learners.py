r"""The settings of further learners with a bonus: the sharp one, and those that keep their plans.

``SHARPENED`` is CT-UCBVI with the bonus of ``lem:optimism/sharp``, the smallest one that is constant in time.
Its iteration stops at :math:`\epsilon_k/(\lambda_{\max}H)`, which is what ``eps`` stands for there.

``KEPT`` is a learner with the paper's estimates and radii that keeps its plans (:mod:`setting_plans`); what
it has at decision n (bonus, iterates, policy) is made of the data of decision ``pl(n)``.  ``LAZY…`` are the
learners with a bonus, or a lump sum, that do so.
"""

from __future__ import annotations

from proofs_checks.derivations.setting import (
    ITERATION,
    LEARNER,
    LEARNS,
    RAISED_RATE,
    bonus_facts,
    halved_facts,
    lump_facts,
    raised_facts,
)
from proofs_checks.derivations.setting_plans import FACTS, KEPT_EPISODES, KEPT_TIME, STAYS, SYMBOLS
from proofs_checks.derivations.sharp_bonus import REACH, faster, slower
from proofs_checks.derivations.sharp_optimism import HIGH, LOW
from verify.kernel.language import Fact

_PLAN = "pl(n)"


def sharp_facts(plan: str = "n") -> dict[str, Fact]:
    """The sharp bonus and alg:VI with it."""
    costs = f"Max({slower(LOW, 'H', REACH)}, {faster(HIGH, 'H', REACH)})"
    bonus = f"bo(n, x, a) == ({costs})/Int(s, H, exp(-glam(x, a)*s))"
    for generic, own in (("glam(", "lh("), ("gbe(", "be("), ("gal(", "al(")):
        bonus = bonus.replace(generic, f"{own}{plan}, ")
    return {**bonus_facts(plan), "bo": Fact(bonus, "the bonus of lem:optimism/sharp")}


SHARPENED = LEARNS.extended("sharp bonus", LEARNER, sharp_facts())

KEPT = LEARNS.extended("plans kept", SYMBOLS, {**FACTS, **KEPT_TIME, **STAYS})

_ITERATES = KEPT.extended("plans kept, iterating", [], KEPT_EPISODES)

LAZY_PAPER = _ITERATES.extended("paper, plans kept", LEARNER, bonus_facts(_PLAN))
LAZY_HALVED = _ITERATES.extended("half of the bonus, plans kept", LEARNER, halved_facts(_PLAN))
LAZY_SHARPENED = _ITERATES.extended("sharp bonus, plans kept", LEARNER, sharp_facts(_PLAN))
LAZY_LUMP = _ITERATES.extended("lump sum, plans kept", ITERATION, lump_facts(_PLAN))
LAZY_RAISED = _ITERATES.extended("known least rate, plans kept", [RAISED_RATE, *LEARNER], raised_facts(_PLAN))
