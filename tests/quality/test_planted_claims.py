"""The provers can say no: planted false claims are never proved; hard true ones are, and re-check."""

from __future__ import annotations

import pytest

from tests.quality.planted_claims import BEYOND, FALSE, TRUE
from verify.claims import Effort, Relation, Verdict, combined
from verify.provers.proof import Proof
from verify.provers.search import Search
from verify.recheck import recheck

PROOFS = (Verdict.PROVED, Verdict.PROVED_ON_BOX)
QUICK = Proof(goals=60, boxes=(300, 300))  # more do not make a false claim true; see the thorough test


def test_there_are_enough_of_them():
    assert len(FALSE) >= 40
    assert len(TRUE) >= 40
    assert len({p.name for p in FALSE + TRUE}) == len(FALSE) + len(TRUE)


SLOW = {"pinsker-constant"}  # a tenth of a minute and more


@pytest.mark.parametrize(
    "planted",
    [pytest.param(p, marks=[pytest.mark.thorough] if p.name in SLOW else []) for p in FALSE],
    ids=lambda p: p.name,
)
def test_a_false_claim_is_never_proved_by_any_prover(planted):
    claim = planted.claim()
    found = [check.run(claim, Effort()) for check in (Search(), QUICK)]
    assert not [f for f in found if f.verdict in PROOFS]
    assert combined(found).verdict is Verdict.REFUTED
    assert recheck(dict(combined(found).witness or {})) == []


@pytest.mark.thorough
@pytest.mark.parametrize("planted", FALSE, ids=lambda p: p.name)
def test_a_false_claim_is_not_proved_with_more_effort_either(planted):
    assert Proof(boxes=(3000, 3000)).run(planted.claim(), Effort()).verdict not in PROOFS


@pytest.mark.parametrize("planted", TRUE, ids=lambda p: p.name)
def test_a_true_claim_is_proved_and_the_proof_rechecks(planted):
    claim = planted.claim()
    found = Proof().run(claim, Effort())
    assert found.verdict in PROOFS
    if isinstance(claim.says, Relation) and claim.says.relation != "==":
        assert recheck(found.evidence["certificate"]) == []


@pytest.mark.thorough
@pytest.mark.parametrize("planted", BEYOND, ids=lambda p: p.name)
def test_what_is_out_of_reach_is_not_refuted(planted):
    found = [check.run(planted.claim(), Effort()) for check in (Search(), Proof())]
    assert combined(found).verdict in (Verdict.TESTED, *PROOFS)
