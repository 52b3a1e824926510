"""Each planted mistake is found by the evaluation that passes without it."""

from __future__ import annotations

import pytest

from tests.kernel.applications import search
from tests.kernel.boundedness import huge
from tests.kernel.mutants import PLANTED, plant
from tests.kernel.test_normal_form import differs
from verify.kernel import measure

TRIES = 6_000


@pytest.fixture(autouse=True)
def nothing_is_remembered():
    measure.floor.cache_clear()
    yield
    measure.floor.cache_clear()


# One of two is quick: a mistake takes half a second until it is found.
IN_TURN = [pytest.param(p, marks=[pytest.mark.thorough] * (i % 2)) for i, p in enumerate(PLANTED)]


@pytest.mark.parametrize("planted", IN_TURN, ids=lambda p: p.mistake.replace(" ", "-"))
def test_a_planted_mistake_is_found(planted, monkeypatch):
    plant(monkeypatch, planted)
    match planted.found_by:
        case "normal form":
            assert any(differs(seed) for seed in range(TRIES))
        case "tame":
            assert any(huge(seed) for seed in range(TRIES))
        case rule:
            _, found = search(rule, 0, TRIES, TRIES)
            assert found
