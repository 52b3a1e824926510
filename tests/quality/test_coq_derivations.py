"""Coq as the judge of derivations: it takes what every rule writes, and none of the forged ones.

Derivations are drawn at random (``tests.kernel.applications``: every rule, on random theorems), and so are
terms, each to be shown equal to its normal form.  A forgery gets past the checker, which is broken for that
on purpose; what is written then says something false, and Coq has to see it.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.derivation_files import derivation, same, step
from tests.kernel.applications import Prover
from tests.kernel.texts import SETTING, Writer
from verify.coq.derivations.files import DerivationFile, KnownTheorems
from verify.coq.folders import library, write_folder
from verify.coq.judging import judge, lines
from verify.coq.text import NotExportedError
from verify.kernel import theorems
from verify.kernel.language import show
from verify.kernel.terms import KernelError
from verify.recheck.derivations import canon, checking, logic, workbench
from verify.recheck.intervals import UnknownError

pytestmark = pytest.mark.skipif(shutil.which("coqc") is None, reason="coqc is not installed")

Document = Mapping[str, Any]
RULES = {
    *("assume", "discharge", "mp", "cut", "generalize", "specialize", "both", "part", "cases", "absurd"),
    *("substitute", "rewrite", "induction", "combine", "monotone", "exchange", "most", "least", "archimedes"),
    *("holds", "fails", "whole", "known"),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """With the library, compiled."""
    place = tmp_path_factory.mktemp("coq")
    (place / "Derivations.v").write_text(library("Derivations"), encoding="utf-8")
    assert not _complaint(place, "Derivations")
    return place


def _complaint(folder: Path, name: str) -> str:
    command = ["coqc", "-q", "-w", "none", "-R", ".", "Verify", f"{name}.v"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    return done.stderr if done.returncode else ""


def _written(document: Document) -> str:
    return DerivationFile(document, KnownTheorems()).written("shown", str(document["theorem"]), "").text


def _together(documents: list[Document]) -> str:
    """Many derivations in one file, each a module: the libraries are loaded once."""
    files = [_written(document) for document in documents]
    head, bodies = files[0].partition("Section")[0], [f.partition("Section")[2] for f in files]
    found = [re.sub(r"Print Assumptions .*", "", body) for body in bodies]
    return head + "".join(f"Module M{k}.\nSection{body}End M{k}.\n" for k, body in enumerate(found))


def random_terms(seeds: range) -> Iterator[Document]:
    """That a term is itself, as it is written and in normal form."""
    for seed in seeds:
        rng = Random(seed)
        writer = Writer(rng)
        text = writer.real(3, writer.scope())
        steps = [same(f"{text} == {text}")]
        yield derivation(steps[0]["goal"], *steps, setting=SETTING.data())


def random_derivations(seeds: range) -> Iterator[Document]:
    """A dozen rules one after the other; what is given in the end is discharged."""
    for seed in seeds:
        prover = Prover(Random(seed))
        rules = sorted(name for name in dir(prover) if name.startswith("rule_") and "pointwise" not in name)
        for _ in range(12):
            try:
                theorem = getattr(prover, prover.rng.choice(rules))()
            except (KernelError, IndexError):
                continue
            prover.pool.append(theorem)
            for given in sorted(theorem.given, key=show):
                theorem = theorems.discharge(given, theorem)
            yield theorems.document(theorem, "x", show(theorem.says))


def exported(documents: Iterator[Document]) -> list[Document]:
    """Those without E, Int, Sup and Sure, and that the checker takes."""
    found = []
    for document in documents:
        try:
            _written(document)
        except (NotExportedError, UnknownError):
            continue
        found.append(document)
    return found


def _accepted(folder: Path, documents: list[Document]) -> None:
    (folder / "drawn.v").write_text(_together(documents), encoding="utf-8")
    assert _complaint(folder, "drawn") == ""


def test_random_terms_are_equal_to_their_normal_forms(folder):
    documents = exported(random_terms(range(60)))
    assert len(documents) >= 15
    _accepted(folder, documents)


def test_random_derivations_are_accepted(folder):
    documents = exported(random_derivations(range(5)))
    assert len(documents) >= 15
    _accepted(folder, documents)


def test_an_induction_about_what_does_not_occur_is_accepted(folder):
    document, *_ = exported(random_derivations(range(1_276, 1_277)))
    assert "induction" in {step["rule"] for step in document["steps"]}
    assert "revert m" in _written(document)  # which is no variable of the theorem
    _accepted(folder, [document])


@pytest.mark.thorough
def test_many_random_terms_and_derivations_are_accepted(folder):
    _accepted(folder, exported(random_terms(range(1_000, 2_500))))
    documents = exported(random_derivations(range(1_000, 1_300)))
    assert {s["rule"] for d in documents for s in d["steps"]} >= RULES
    _accepted(folder, documents)


# ---------------------------------------------------------------- forged


def test_another_theorem_than_the_derived_one_is_rejected(folder):
    assert _complaint_about(folder, derivation("0 < p(x)", step("fact", name="positive")))
    assert not _complaint_about(folder, derivation("0 <= p(x)", step("fact", name="positive")))


def _complaint_about(folder: Path, document: Document) -> str:
    (folder / "forged.v").write_text(_written(document), encoding="utf-8")
    return _complaint(folder, "forged")


def test_a_fact_that_is_missing_is_missed(folder):
    text = _written(derivation("0 <= p(x)", step("fact", name="positive")))
    (folder / "forged.v").write_text(re.sub(r"Hypothesis fact_positive.*\n", "", text), encoding="utf-8")
    assert "fact_positive" in _complaint(folder, "forged")


def test_a_wrong_step_is_rejected(folder, monkeypatch):
    """By a checker for which what is given of one state is given of all."""
    steps = [step("assume", formula="0 <= p(x)"), step("generalize", 0, variable="x")]
    steps.append(step("discharge", 1, formula="0 <= p(x)"))
    document = derivation("Imp(0 <= p(x), All(x, 0 <= p(x)))", *steps)
    with pytest.raises(UnknownError, match="x is free"):
        _written(document)
    monkeypatch.setattr(logic, "not_free", lambda *_: None)
    assert _complaint_about(folder, document)


def test_a_wrong_identity_is_rejected(folder, monkeypatch):
    """By a checker for which the sum over y of Ind(y == z) u(y) is twice u(z)."""
    claim = "SumOver(y, Ind(y == z)*p(y)) == p(z) + p(z)"
    document = derivation(claim, same(claim))
    with pytest.raises(UnknownError, match="differ"):
        _written(document)
    right = canon.Canon._picked

    def wrong(self, inside, y):
        picked = right(self, inside, y)
        return {m: 2 * c for m, c in picked.items()} if any(a.op == "Ind" for a, _ in inside) else picked

    monkeypatch.setattr(canon.Canon, "_picked", wrong)
    assert _complaint_about(folder, document)


def test_an_induction_that_shows_what_it_assumes_is_rejected(folder, monkeypatch):
    """By a checker for which any two premises will do."""
    start, go_on = same("0 <= 0"), step("assume", formula="0 <= a(n)")
    steps = [start, go_on, step("substitute", 1, variable="n", term="n + 1")]
    steps += [step("induction", 0, 2, variable="n", formula="0 <= a(n)")]
    document = derivation("0 <= a(n)", *steps)

    def wrong(one: workbench.RuleStep) -> workbench.Judgement:
        return workbench.Judgement(frozenset(), one.normal(one.formula()))

    with pytest.raises(UnknownError):
        _written(document)
    monkeypatch.setitem(checking._RULES, "induction", (wrong, 2))
    assert _complaint_about(folder, document)


# ---------------------------------------------------------------- folders


def test_a_folder_has_derivations_that_need_each_other(tmp_path):
    lemma = derivation("0 <= p(x)", step("fact", name="positive"), label="lem:low")
    cites = step("lemma", label="lem:low", formula="0 <= p(x)")
    double = step("combine", 0, goal="0 <= 2*p(x)", multipliers=["2"])
    theorem = derivation("0 <= 2*p(x)", cites, double, label="thm:twice")
    classical = derivation("0 <= 0", same("0 <= 0"), step("cases", 0, 0, formula="0 <= c"), label="thm:cases")
    mean = derivation("0 <= E(W)", step("assume", formula="0 <= E(W)"), label="thm:mean")
    claims = [
        {"label": d["label"], "verdict": "proved", "theorem": d["theorem"], "evidence": {"derivation": d}}
        for d in (theorem, lemma, classical, mean)
    ]
    index = write_folder(claims, tmp_path)
    assert index["derivations"] == {
        "lem:low": "lem_low",
        "thm:twice": "thm_twice",
        "thm:cases": "thm_cases",
    }
    assert index["needs"] == {"thm_twice": ["lem_low"]}
    assert index["derivations not exported"] == {"thm:mean": "with E"}
    (tmp_path / "Rules.v").write_text("", encoding="utf-8")  # not needed here, and slow
    verdicts = judge(tmp_path, 60, 2)
    assert [one.why for one in verdicts] == [""] * 3
    assert "derivations: accepted 3, rejected 0, not exported 1" in list(lines(verdicts, tmp_path))
    assert all(one.known for one in judge(tmp_path, 60, 2))


def test_a_lemma_that_is_not_there_is_a_hypothesis():
    cites = step("lemma", label="lem:low", formula="0 <= p(x)")
    written = DerivationFile(derivation("0 <= p(x)", cites), KnownTheorems()).written(
        "shown", "0 <= p(x)", ""
    )
    assert written.hypotheses == ("lem:low",)
    assert "Hypothesis claim_lem_low : forall (x : State), 0 <= p x." in written.text


def test_a_fact_about_bounded_functions_is_not_exported():
    setting = {**derivation("")["setting"], "facts": {"b": {"kind": "model", "says": "F(s) <= 1", "why": ""}}}
    document = derivation("F(s) <= 1", step("fact", name="b"), setting=setting)
    with pytest.raises(NotExportedError, match="bounded functions of a real number"):
        _written(document)
