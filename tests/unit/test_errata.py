"""The erratum in LaTeX: whole, escaped, and with nothing that LaTeX does not know."""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest

from proofs_checks import SOURCE
from verify.claims import ClaimSet, Defect, Effort, Verdict, claim
from verify.paper import Paper
from verify.running.errata import errata_tex, plain, tex
from verify.running.loading import load_claims, load_commentary
from verify.running.results import Result
from verify.running.runs import Run

PAPER = Paper("On 5 % & more", ("A_B",), numbers={"lem:a": "Lemma 2"})
DEFECTS = [
    Defect("grave", "δ ≥ 0 is missing", "statement", ("lem:a", "b_c"), "For $x<1$ & lem:a.", "Not 100 %.",
           "None.", proposed=r"\[ x\le1 \]", reading="Usual."),
    Defect("slip", "A slip", "erratum", ("b_c",), "One.", "It is #2.", "None.", proposed="Read $2$."),
]  # fmt: skip


def run_of(claims, verdict="refuted"):
    witness = {"case": "λ̂ = 1_2", "left": "3", "line": "print(True)"} if verdict == "refuted" else None
    results = {one.label: Result(one.label, Verdict(verdict), witness=witness) for one in claims}
    return Run(claims, Effort(), results, 0)


@pytest.fixture
def text():
    claims = ClaimSet(claim(label, label, says="1 <= 2") for label in ("lem:a", "b_c"))
    return errata_tex(run_of(claims), DEFECTS, PAPER)


def test_letters_and_signs():
    assert plain("δ λ̂ p̂ ε₁ ≤ 5 %, a_b {c}") == (
        r"$\delta$ $\hat{\lambda}$ $\hat{p}$ $\varepsilon_1$ $\le$ 5 \%, a\_b \{c\}".replace(
            "varepsilon", "epsilon"
        )
    )
    assert tex("a < $x<1$ & b") == r"a $<$ $x<1$ \& b"
    assert plain("a^b~c|d…") == r"a\^{}b\~{}c$|$d\ldots{}"


def test_the_gravest_first_and_errata_last_and_short(text):
    assert re.findall(r"section\*\{(\w+)\}", text) == ["Statements", "Errata"]
    grave, small = text.split(r"\section*{Errata}")
    assert r"\paragraph{$\delta$ $\ge$ 0 is missing.} (Lemma~2, \texttt{b\_c})" in grave
    assert r"\emph{The paper.} For $x<1$ \& Lemma 2." in grave
    assert r"\emph{In its favour.} Usual." in grave
    assert r"\emph{Witness} (Lemma~2): case $\hat{\lambda}$ = 1\_2, left 3." in grave
    assert "\\emph{Proposed:}\n\\[ x\\le1 \\]" in grave
    assert r"It is \#2. \emph{Read:} Read $2$." in small
    assert "Consequence" not in small
    assert r"Erratum: On 5 \% \& more" in grave


def unknown(text):
    """The characters that plain LaTeX cannot be trusted with."""
    return sorted({c for c in text if ord(c) > 126})


def test_the_erratum_of_the_paper_is_plain_latex():
    """With every claim refuted, so that as many witnesses as possible are in it."""
    said = load_commentary(SOURCE)
    text = errata_tex(run_of(load_claims(SOURCE)), said.defects, said.paper)
    assert unknown(text) == []
    assert len(re.findall(r"\\paragraph\{", text)) == len(said.defects)
    assert "lem:" not in re.sub(r"\\texttt\{.*?\}", "", text).replace("lem:CI-p/", "")
    assert unknown("a∮") == ["∮"]


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no LaTeX here")
def test_it_compiles(text, tmp_path):
    said = load_commentary(SOURCE)
    whole = errata_tex(run_of(load_claims(SOURCE)), said.defects, said.paper)
    for name, content in (("own", text), ("whole", whole), ("bad", text.replace(r"\[ x", r"\[ \nonsense x"))):
        (tmp_path / f"{name}.tex").write_text(content, encoding="utf-8")
        command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", f"{name}.tex"]
        done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
        assert (done.returncode == 0) == (name != "bad"), done.stdout[-2000:]
