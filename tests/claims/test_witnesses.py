"""Every counterexample re-checks in a fresh process, from its JSON alone."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import asdict
from fractions import Fraction

import pytest

from proofs_checks import SOURCE
from verify.claims import Effort, Verdict
from verify.running.engine import run_claim
from verify.running.loading import load_claims

CLAIMS = load_claims(SOURCE)
REFUTED = [one for one in CLAIMS if one.expects("quick") is Verdict.REFUTED]


def rechecked(folder, witness):
    file = folder / "witness.json"
    file.write_text(json.dumps(witness), encoding="utf-8")
    return subprocess.run(
        [sys.executable, "-m", "verify.recheck", str(file)],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


@pytest.mark.parametrize("claim", REFUTED, ids=lambda one: one.label)
def test_every_witness_re_checks_in_a_fresh_process(claim, tmp_path):
    found = run_claim(claim, Effort(error=Fraction(1, 10**8)))
    assert found.verdict is Verdict.REFUTED, asdict(found)
    done = rechecked(tmp_path, found.witness)
    assert (done.returncode, done.stdout.strip()) == (
        0,
        "1 proofs and witnesses re-checked, 0 complaints",
    ), done.stdout + done.stderr


def test_a_wrong_witness_does_not_re_check(tmp_path):
    """The same check on a witness that is none: a point where the relation holds, and a line that says no."""
    point = {"relation": "x <= 1", "domain": ["x >= 0"], "integers": [], "point": {"x": "1/2"}}
    for witness in (point, {"case": "one", "line": "print(1 > 2)"}):
        assert rechecked(tmp_path, witness).returncode == 1
