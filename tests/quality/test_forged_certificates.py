"""Mutated certificates for the checker alone: what it accepts is true, and it neither raises nor dies."""

from __future__ import annotations

import json
import random
import subprocess
import sys

import pytest

from tests.quality.hostile.forging import failure, mutated
from tests.unit.test_recheck import ACCEPTED
from verify.recheck import recheck

QUICK, MORE = 1, 4  # processes of 500 mutations
THOROUGH = 100  # processes of 1,000


def lines_of(seed: int, count: int, claims: int) -> list[dict]:
    """What the fuzzer prints, without what it only looked at; a process that died is a finding."""
    command = [sys.executable, "-m", "tests.quality.hostile.fuzzing", str(seed), str(count), str(claims)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    if done.returncode:
        return [{"died": done.returncode, "of": lines[-1] if lines else done.stderr[-2000:]}]
    return [line for line in lines if "next" not in line]


def assert_sound(seed: int, count: int, claims: int) -> None:
    *findings, last = lines_of(seed, count, claims)
    assert findings == []
    assert last["counts"]["mutations"] == count
    assert last["counts"]["accepted"] >= count // 50  # else the mutations are too coarse to try anything


@pytest.mark.parametrize(
    "seed", [*range(QUICK), *(pytest.param(k, marks=pytest.mark.thorough) for k in range(QUICK, MORE))]
)
def test_an_accepted_certificate_is_true(seed):
    assert_sound(seed, 500, 3)


@pytest.mark.thorough
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("seed", range(1000, 1000 + THOROUGH))
def test_an_accepted_certificate_is_true_in_a_hundred_thousand(seed):
    assert_sound(seed, 1000, 40)


def test_the_certificates_to_begin_with_are_true():
    rng = random.Random(0)
    assert [name for name, data in ACCEPTED.items() if failure(data, rng)] == []


@pytest.mark.parametrize(
    ("relation", "domain"),
    [
        ("exp(x) <= 1 + x + 1/10**9", ["x >= 0"]),
        ("x*exp(-x) <= 3678/10000", ["x >= 0"]),  # fails near 1 only
        ("x**2 + y**2 >= 1/10**6", ["-1 <= x <= 1", "-1 <= y <= 1"]),
        ("x < 10**40", ["x >= 0"]),
        ("x <= y", ["x >= 0", "y >= 0", "x <= y + 1/10**9"]),
        ("n**2 >= 2", ["n >= 1"]),
        ("(x - 1/3)**2 > 0", ["0 <= x <= 1"]),
    ],
)
def test_a_false_certificate_is_seen_to_be_false(relation, domain):
    data = {
        "relation": relation,
        "domain": domain,
        "box": domain,
        "integers": ["n"] if "n" in relation else [],
    }
    assert failure(data, random.Random(1)) is not None


def test_a_checker_that_believes_everything_is_caught():
    """Among mutations taken for accepted there are false ones, so the hunt can fail."""
    rng, pool = random.Random(3), list(ACCEPTED.values())
    every = [mutated(rng, pool)[1] for _ in range(60)]
    assert sum(bool(data) and failure(data, rng) is not None for data in every) >= 3


def test_mutations_are_mutations():
    rng, pool = random.Random(4), [data for data in ACCEPTED.values() if recheck(data) == []]
    assert sum(mutated(rng, pool)[1] in pool for _ in range(100)) < 30
