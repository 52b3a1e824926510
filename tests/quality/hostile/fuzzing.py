"""The checker alone against mutated certificates: ``python -m tests.quality.hostile.fuzzing SEED COUNT``.

The certificates to begin with are those of the checker's own examples and those the provers write now
for some true claims, so they follow the language as it changes. It runs in a process of its own: a
checker that dies on hostile input is a finding too. One JSON object per line: each false certificate
that is accepted, each exception, and at the end the counts.
"""

from __future__ import annotations

import copy
import json
import random
import sys
from dataclasses import replace
from itertools import islice
from typing import Any

from tests.quality.hostile.forging import failure, mutated
from tests.quality.hostile.making import TRUE, hostile
from tests.quality.hostile.running import PatienceError, patience, ran
from tests.quality.planted_claims import TRUE as PLANTED
from tests.unit.test_recheck import ACCEPTED
from verify import Effort, Proof
from verify.recheck import recheck
from verify.running.engine import run_claim
from verify.streams import writing

_LONGEST = 8_000  # characters of a certificate that is worth mutating
_SECONDS = 0.5  # of the processor, for each certificate and each evaluation
_SOON = (Proof(goals=20, boxes=(60, 60)),)


def certificates(claims: int) -> list[Any]:
    """Accepted ones: the examples of the checker's tests, and proofs of so many true claims of each kind."""
    found = [copy.deepcopy(data) for data in ACCEPTED.values()]
    for planted in PLANTED[:claims]:
        try:
            with patience(_SECONDS):
                found += _of(dict(run_claim(replace(planted.claim(), checks=_SOON), Effort()).evidence))
        except PatienceError:
            continue
    for of in islice(hostile(TRUE, 7), claims):
        found += _of(ran(of, _SOON, _SECONDS).evidence)
    return [data for data in found if len(json.dumps(data)) < _LONGEST and accepted(data)]


def _of(evidence: dict[str, Any]) -> list[Any]:
    every = [evidence.get("certificate"), *evidence.get("certificates", ())]
    return [data for data in every if isinstance(data, dict) and "proof" in data]


def accepted(data: Any) -> bool:
    """Whether the checker has no complaint; what takes too long is not accepted."""
    try:
        with patience(_SECONDS):
            return recheck(data) == []
    except PatienceError:
        return False


def statement(data: Any) -> str:
    """What is claimed, to look at it only once."""
    return json.dumps([data.get(key) for key in ("relation", "domain", "box", "integers")])


def fuzz(seed: int, count: int, claims: int = 40) -> None:
    """Print what is found."""
    pool, rng = certificates(claims), random.Random(seed)
    known = {statement(data) for data in pool}
    counts = {
        "certificates": len(pool),
        "mutations": 0,
        "accepted": 0,
        "statements": 0,
        "false": 0,
        "raised": 0,
    }
    for _ in range(count):
        how, data = mutated(rng, pool)
        counts["mutations"] += 1
        print(json.dumps({"next": data}), flush=True)  # the last one is what a dead checker died of
        try:
            good = accepted(data)
        except Exception as error:  # whatever it is: the checker promises complaints, not exceptions
            counts["raised"] += 1
            print(json.dumps({"raised": repr(error)[:300], "how": how, "certificate": data}), flush=True)
            continue
        counts["accepted"] += good
        if not good or "relation" not in data or statement(data) in known:
            continue
        known.add(statement(data))
        counts["statements"] += 1
        try:
            with patience(_SECONDS):
                at = failure(data, rng)
        except PatienceError:
            continue
        if at is not None:
            counts["false"] += 1
            point = {name: str(x) for name, x in at.items()}
            print(json.dumps({"false": point, "how": how, "certificate": data}), flush=True)
    print(json.dumps({"counts": counts}), flush=True)


if __name__ == "__main__":
    with writing("python -m tests.quality.hostile.fuzzing"):
        fuzz(*map(int, sys.argv[1:]))
