r"""The defects of a paper as an erratum in LaTeX, which its authors can take over.

Each defect has its place, what the paper says, what is wrong, what follows, the witness and the proposed
text.  Texts are plain words with formulas between dollar signs; what is plain is escaped, and letters and
signs that LaTeX does not know as they are (:math:`\delta`, :math:`\le`) are written as it knows them.  What
is proposed is LaTeX already.  The file needs the class ``article``, ``amsmath`` and ``amssymb``; it has no
date, so that it changes only when what it says does.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence

from verify.claims import SEVERITIES, Defect
from verify.paper import Paper
from verify.running.runs import Run
from verify.running.wording import witness_text

_HEADS = {
    "statement": "Statements",
    "proof": "Proofs",
    "constant": "Constants",
    "remark": "Remarks",
    "erratum": "Errata",
}
_GREEK = {
    chr(code): name.rpartition(" ")[2].lower().replace("lamda", "lambda")
    for code in range(0x3B1, 0x3CA)
    if "FINAL" not in (name := unicodedata.name(chr(code)))
}
_SIGNS = {
    **{letter: rf"\{name}" for letter, name in _GREEK.items()},
    "Δ": r"\Delta", "Λ": r"\Lambda", "Σ": r"\Sigma", "Γ": r"\Gamma", "Π": r"\Pi", "≤": r"\le", "≥": r"\ge",
    "√": r"\surd", "∞": r"\infty", "∫": r"\int", "‖": r"\|", "·": r"\cdot", "→": r"\to", "≠": r"\ne",
    "−": "-", "±": r"\pm", "𝒢": r"\mathcal G", "𝕄": r"\mathbb M", "⌈": r"\lceil", "⌉": r"\rceil",
    "⌊": r"\lfloor", "⌋": r"\rfloor", "∧": r"\wedge", "∨": r"\vee", "∈": r"\in", "⁺": "{}^+", "⁻": "{}^-",
    "₀": "_0", "₁": "_1", "₂": "_2", "²": "{}^2", "³": "{}^3", "ⁿ": "{}^n", "—": "\\text{---}",
}  # fmt: skip
_ESCAPED = {c: "\\" + c for c in "#$%&_{}"} | {
    "\\": r"\textbackslash{}", "^": r"\^{}", "~": r"\~{}", "<": "$<$", ">": "$>$", "|": "$|$",
    "…": r"\ldots{}", "–": "--", "“": "``", "”": "''", "’": "'", "‘": "`",
}  # fmt: skip
_ACCENTS = {"\u0302": "hat", "\u0303": "tilde", "\u0304": "bar"}  # after the letter
_HEAD = r"""\documentclass[11pt]{article}
\usepackage[T1]{fontenc}
\usepackage{amsmath,amssymb}
\usepackage[margin=2.6cm]{geometry}
\setlength{\parindent}{0pt}
\setlength{\parskip}{4pt plus 2pt}
\emergencystretch=3em
\begin{document}
"""


def errata_tex(run: Run, defects: Sequence[Defect], paper: Paper) -> str:
    """The whole file, gravest first."""
    return _HEAD + "\n".join([*_title(paper), *_body(run, defects, paper), r"\end{document}"]) + "\n"


def _title(paper: Paper) -> Iterator[str]:
    title = plain(paper.title) or "the paper"
    yield from (r"\begin{center}", rf"{{\Large\bfseries Erratum: {title}}}\\[6pt]")
    if paper.authors:
        yield plain(", ".join(paper.authors)) + r"\\"
    if paper.published:
        yield plain(paper.published)
    yield from (r"\end{center}", "")


def _body(run: Run, defects: Sequence[Defect], paper: Paper) -> Iterator[str]:
    for severity in SEVERITIES:
        some = [defect for defect in defects if defect.severity == severity]
        if some:
            yield from (rf"\section*{{{_HEADS[severity]}}}", "")
        for defect in some:
            yield from (_short if severity == SEVERITIES[-1] else _whole)(run, defect, paper)


def _whole(run: Run, defect: Defect, paper: Paper) -> Iterator[str]:
    yield from _heading(defect, paper)
    for head, text in (
        ("The paper", defect.says),
        ("What is wrong", defect.wrong),
        ("Consequence", defect.consequence),
        ("In its favour", defect.reading),
    ):
        if text:
            yield from (rf"\emph{{{head}.}} {tex(paper.readable(text))}", "")
    verdicts = {label: result.verdict for label, result in run.results.items()}
    label = defect.shown(verdicts)
    witness = run.results[label].witness if label in run.results else None
    if witness is not None:
        yield from (rf"\emph{{Witness}} ({_place(label, paper)}): {plain(witness_text(witness))}.", "")
    if defect.proposed:
        yield from (r"\emph{Proposed:}", defect.proposed, "")


def _short(run: Run, defect: Defect, paper: Paper) -> Iterator[str]:
    del run
    yield from _heading(defect, paper)
    read = f" {defect.proposed}" if defect.proposed else ""
    yield from (rf"{tex(paper.readable(defect.wrong))} \emph{{Read:}}{read}", "")


def _heading(defect: Defect, paper: Paper) -> Iterator[str]:
    places = ", ".join(dict.fromkeys(_place(label, paper) for label in defect.claims))
    yield rf"\paragraph{{{plain(defect.title)}.}} ({places})\par"


def _place(label: str, paper: Paper) -> str:
    return plain(paper.number(label)).replace(" ", "~") or rf"\texttt{{{plain(label)}}}"


def tex(text: str) -> str:
    """A text whose formulas stand between dollar signs."""
    parts = text.split("$")
    return "".join(f"${part}$" if i % 2 else plain(part) for i, part in enumerate(parts))


def plain(text: str) -> str:
    """A text without formulas: everything is shown as it is."""
    found: list[str] = []
    for c in unicodedata.normalize("NFC", text):
        if c in _ACCENTS and found:
            found[-1] = rf"$\{_ACCENTS[c]}{{{found[-1].strip('$')}}}$"
        else:
            found.append(f"${_SIGNS[c]}$" if c in _SIGNS else _ESCAPED.get(c, c))
    return re.sub(r"(?<!\\)\$\$", "", "".join(found))  # signs that follow each other are one formula
