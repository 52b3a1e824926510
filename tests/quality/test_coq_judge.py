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
from collections import Counter
from collections.abc import Iterable
from itertools import chain, repeat
from pathlib import Path

import pytest

from tests.quality.coq_certificates import MORE, TRUE, forgeries
from tests.quality.hostile.forging import failure, mutated
from tests.quality.test_polynomial_mutants import on_ranges
from tests.unit.test_coq_export import claim, plain
from tests.unit.test_recheck import ACCEPTED
from verify.coq.__main__ import main
from verify.coq.export import HEAD, Stated, theorem
from verify.coq.folders import LIBRARIES, library, write_folder
from verify.coq.judging import judge
from verify.coq.nodes import used
from verify.coq.text import NotExportedError
from verify.recheck import recheck
from verify.recheck.intervals import UnknownError

pytestmark = pytest.mark.skipif(shutil.which("coqc") is None, reason="coqc is not installed")

NOT_EXPORTED = (
    "rewrite",
    "rewrite, log1pr",
    "identity",
    "monotone, limit",
    "monotone, strict by its slope",
)
MALFORMED = (ValueError, TypeError, KeyError, AttributeError, ArithmeticError)  # no certificate at all
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
    """Whether Coq takes each theorem, which is called ``t0``, ``t1``, ..., and what follows from it."""
    bodies = [text.partition("Open Scope R_scope.\n")[2].partition("Print Assumptions")[0] for text in texts]
    source = [HEAD, f"Set Default Timeout {seconds}."]
    last = [re.findall(r"^Theorem (\w+)", body, re.MULTILINE)[-1] for body in bodies]
    for k, body in enumerate(bodies):
        source += [body.replace("Lemma defined", f"Lemma defined{k}"), "Abort All.", f"Check {last[k]}."]
    said = coqtop(source, folder)
    return [re.search(rf"^{name}$", said, re.MULTILINE) is not None for name in last]


def coqtop(source: list[str], folder: Path) -> str:
    """What Coq answers, one line after the other."""
    command = ["coqtop", "-q", "-quiet", "-w", "none", "-R", ".", "Verify"]
    done = subprocess.run(
        command, cwd=folder, input="\n".join(source), capture_output=True, text=True, check=False
    )
    return done.stdout


def text_of(data: dict, k: int) -> str:
    said = Stated(data["relation"], tuple(data["domain"]), tuple(data["integers"]))
    return theorem(f"t{k}", said, data["proof"]).text


def statements(forged: Iterable[dict], count: int) -> list[str]:
    """As theorems, those that have a counterpart in Coq at all."""
    texts: list[str] = []
    for data in forged:
        try:
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
        if len(texts) == count:
            break
    return texts


def none_accepted(texts: list[str], folder: Path) -> bool:
    """Whether Coq takes none of them; one that is true comes last: Coq was there to the end."""
    true = text_of(ACCEPTED["given"], len(texts))
    return accepted([*texts, true], folder, 20) == [False] * len(texts) + [True]


@pytest.mark.timeout(1200)
def test_every_rule_is_accepted(folder):
    certificates = {name: data for name, data in ACCEPTED.items() if name not in NOT_EXPORTED} | TRUE
    texts = [text_of(data, k) for k, data in enumerate(certificates.values())]
    found = accepted(texts, folder, 200)
    assert [name for name, one in zip(certificates, found, strict=True) if not one] == []


def test_every_one_of_the_last_rules_is_there_ten_times():
    counts = Counter(rule for data in TRUE.values() for rule in set(used(data["proof"])))
    rules = ("combine", "bernstein", "increasing", "known", "signs", "compose")
    assert all(counts[rule] >= 10 for rule in rules), counts
    assert all(recheck(data) == [] for data in MORE.values())


@pytest.mark.timeout(1200)
def test_no_false_theorem_is_accepted_whatever_its_proof(folder):
    for _, false, at in FORGED:
        assert not plain(ast.parse(false, mode="eval").body, at)
    forged = [{**ACCEPTED[name], "relation": false} for name, false, _ in FORGED]
    assert none_accepted(statements(chain(forged, forgeries(random.Random(18))), len(FORGED) + 12), folder)


@pytest.mark.thorough
@pytest.mark.timeout(3600)
def test_no_false_theorem_is_accepted_by_the_last_rules(folder):
    assert none_accepted(statements(forgeries(random.Random(19)), 200), folder)


@pytest.mark.timeout(600)
@pytest.mark.parametrize("count", [150, pytest.param(2000, marks=pytest.mark.thorough)])
def test_coq_computes_the_signs_that_the_checker_computes(folder, count):
    rng, wanted, source = random.Random(7), list[bool](), [HEAD]
    while len(wanted) < count:
        data, _ = on_ranges(rng)
        for text in statements([data], 1):
            parts = re.search(r"on_parts (\d)%nat (.*)\n *(.*\]) \[.*\]\n *\((.*)\)\.", text)
            assert parts is not None
            n, polynomials, box, walk = parts.groups()
            source.append(f"Eval vm_compute in (@walked {n} {polynomials} {box} ({walk})).")
            wanted.append(recheck(data) == [])
    done = coqtop(source, folder)
    found = [word == "true" for word in re.findall(r"= (true|false)", done)]
    assert found == wanted
    assert 10 < sum(wanted) < count - 10


WRONG = [  # a condition that is taken out of a library, and the proof of its lemma is none any more
    ("Boxes", "(0 <=? c)%Z", "true"),
    ("Boxes", "| Within _ _ false true => [Low]", "| Within _ _ false true => [Between]"),
    ("Boxes", "Above lo o => Within lo c o false", "Above lo o => Within lo c o true"),
    ("Rules", "s * f = r -> 0 <= s -> 0 <= r -> s <> 0 -> 0 <= f", "s * f = r -> 0 <= s -> 0 <= r -> 0 <= f"),
    (
        "Rules",
        "Lemma concave : 0 <= f a -> 0 <= f b -> (forall t, a < t < b -> 0 <= - ddf t)",
        "Lemma concave : 0 <= f a -> 0 <= f b -> (forall t, a < t < b -> 0 <= ddf t)",
    ),
    ("Rules", "b ^ 2 <= a * c -> 0 <= a * u ^ 2", "b <= a * c -> 0 <= a * u ^ 2"),
    ("Rules", "Way (fun p => 0 <= f p) ->", "Way (fun p => -1 <= f p) ->"),
    ("Rules", "u < v -> u ^ S (n + n) < v ^ S (n + n)", "u < v -> u ^ (n + n) < v ^ (n + n)"),
]


@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    ("library_name", "right", "wrong"),
    [WRONG[0], *(pytest.param(*w, marks=pytest.mark.thorough) for w in WRONG[1:])],
)
def test_coq_takes_no_wrong_library(folder, library_name, right, wrong):
    text = library(library_name)
    assert right in text
    (folder / "Wrong.v").write_text(text.replace(right, wrong), encoding="utf-8")
    command = ["coqc", "-q", "-w", "none", "-R", ".", "Verify", "Wrong.v"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "Error" in done.stderr


@pytest.mark.thorough
@pytest.mark.timeout(7200)
def test_no_mutated_certificate_makes_a_false_theorem(folder):
    rng, pool = random.Random(18), list(ACCEPTED.values())
    mutations = (mutated(rng, pool)[1] for _ in repeat(None))
    assert none_accepted(statements((data for data in mutations if failure(data, rng)), 60), folder)


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
