"""Coq as the judge: it takes what every rule writes, and no theorem that says something false.

One process of ``coqtop`` reads many theorems, so that the libraries are loaded once; after each it is asked
whether the theorem is there.
"""

from __future__ import annotations

import ast
import random
import re
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.quality.hostile.forging import failure, mutated
from tests.unit.test_coq_export import claim, plain
from tests.unit.test_recheck import ACCEPTED
from verify.coq.__main__ import main
from verify.coq.export import HEAD, Stated, theorem
from verify.coq.folders import LIBRARIES, library, write_folder
from verify.coq.judging import judge
from verify.coq.text import NotExportedError
from verify.recheck.intervals import UnknownError

pytestmark = pytest.mark.skipif(shutil.which("coqc") is None, reason="coqc is not installed")

NOT_EXPORTED = (
    "hessian",
    "rewrite",
    "rewrite, log1pr",
    "identity",
    "monotone, limit",
    "monotone, strict by its slope",
)
FORGED = [  # false, where and each with the proof of something true beside it
    ("taylor", "log(1 + x) <= x - x**2/2 + x**3/4", {"x": 0.1}),
    ("monotone", "1 + x <= exp(x) - 1/1000", {"x": 0}),
    ("monotone", "1 + x < exp(x)", {"x": 0}),
    ("given", "x + 2 <= y + 1", {"x": 0, "y": 0}),
    ("contact", "1 + x + x**2/2 <= exp(x)", {"x": -1}),
    ("multiply", "x + 1/100 <= x**2", {"x": 1}),
    ("sum", "1 < x**2 + exp(x)", {"x": 0}),
    ("split", "log(1 + x) <= x - x**2/2 + x**3/5", {"x": 0.5}),
    ("logarithm", "3*x**5 <= exp(x)", {"x": 1}),
    ("cases", "n**2 + 1 <= 2**n", {"n": 4}),
    ("reciprocal", "2/x <= 1/2 + 1/x**2", {"x": 1}),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """With the library, compiled."""
    place = tmp_path_factory.mktemp("coq")
    for name in LIBRARIES:
        (place / f"{name}.v").write_text(library(name), encoding="utf-8")
        subprocess.run(["coqc", "-q", "-w", "none", "-R", ".", "Verify", f"{name}.v"], cwd=place, check=True)
    return place


def accepted(texts: Iterable[str], folder: Path, seconds: int) -> list[bool]:
    """Whether Coq takes each theorem, which is called ``t0``, ``t1``, ..."""
    bodies = [text.partition("Open Scope R_scope.\n")[2].partition("Print Assumptions")[0] for text in texts]
    source = [HEAD, f"Set Default Timeout {seconds}."]
    for k, body in enumerate(bodies):
        source += [body.replace("Lemma defined", f"Lemma defined{k}"), "Abort All.", f"Check t{k}."]
    command = ["coqtop", "-q", "-quiet", "-w", "none", "-R", ".", "Verify"]
    done = subprocess.run(
        command, cwd=folder, input="\n".join(source), capture_output=True, text=True, check=False
    )
    return [re.search(rf"^t{k}$", done.stdout, re.MULTILINE) is not None for k in range(len(bodies))]


def text_of(data: dict, k: int) -> str:
    said = Stated(data["relation"], tuple(data["domain"]), tuple(data["integers"]))
    return theorem(f"t{k}", said, data["proof"]).text


@pytest.mark.timeout(1200)
def test_every_rule_is_accepted(folder):
    names = [name for name in ACCEPTED if name not in NOT_EXPORTED]
    found = accepted([text_of(ACCEPTED[name], k) for k, name in enumerate(names)], folder, 200)
    assert [name for name, one in zip(names, found, strict=True) if not one] == []


@pytest.mark.timeout(1200)
def test_no_false_theorem_is_accepted_whatever_its_proof(folder):
    for _, false, at in FORGED:
        assert not plain(ast.parse(false, mode="eval").body, at)
    forged = [{**ACCEPTED[name], "relation": false} for name, false, _ in FORGED]
    texts = [text_of(data, k) for k, data in enumerate(forged)]
    texts.append(text_of(ACCEPTED["given"], len(FORGED)))  # the last is true: Coq was there to the end
    assert accepted(texts, folder, 20) == [False] * len(FORGED) + [True]


@pytest.mark.thorough
@pytest.mark.timeout(7200)
def test_no_mutated_certificate_makes_a_false_theorem(folder):
    rng, pool, texts = random.Random(18), list(ACCEPTED.values()), list[str]()
    while len(texts) < 60:
        _, data = mutated(rng, pool)
        try:
            if failure(data, rng) is not None:
                texts.append(text_of(data, len(texts)))
        except (
            NotExportedError,
            UnknownError,
            ValueError,
            TypeError,
            KeyError,
            AttributeError,
            ArithmeticError,
        ):
            continue
    texts.append(text_of(ACCEPTED["given"], len(texts)))
    assert accepted(texts, folder, 20) == [False] * (len(texts) - 1) + [True]


@pytest.mark.timeout(600)
def test_the_judge_reads_axioms_and_remembers(tmp_path, capsys):
    claims = [
        claim("good", "0 <= x", ["0 <= x"], {"by": "range"}),
        claim("wrong", "1 <= x", ["0 <= x"], {"by": "range"}),
        claim("smuggled", "1 <= x", ["0 <= x"], {"by": "range"}),
    ]
    write_folder(claims, tmp_path)
    smuggled = tmp_path / "smuggled.v"
    text = smuggled.read_text(encoding="utf-8")
    smuggled.write_text(text.replace("  range.\nQed.", "Admitted."), encoding="utf-8")
    assert main([str(tmp_path), "--workers", "2"]) == 1
    told = capsys.readouterr().out
    assert "accepted 1, rejected 2, not exported 0" in told
    assert "rejected      smuggled: rests on smuggled" in told
    assert "rejected      wrong: line " in told
    assert [one.known for one in judge(tmp_path, 100, 1)] == [True, False, False]
