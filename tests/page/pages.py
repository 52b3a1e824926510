"""Pages for the tests: a small paper with everything in it, and a large one; nothing is checked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from verify import Claim, Defect, Effort, Fact, Finding, Paper, Remark, Setting, Symbol, Verdict, claim
from verify.claims import ClaimSet, gravest_first
from verify.paper import NO_PAPER
from verify.report import Panel, Supplement, page
from verify.report.facts import Reported, facts
from verify.running.loading import Commentary
from verify.running.results import Result
from verify.running.runs import Run
from verify.source import Source


@dataclass(frozen=True)
class Never:
    """A check that nobody runs."""

    name: str = "computed (by hand)"
    random: bool = False
    of_formula: bool = False

    def run(self, claim: Claim, effort: Effort) -> Finding:
        raise AssertionError("nothing is run here")


SOURCE = Source(package="mine", command="check", whose="mine")
TIMES = Setting.of(
    "times",
    "",
    {"Nat": "n"},
    [Symbol("T", ("Nat",), "Real", known="_1")],
    {
        "duration": Fact("0 <= T(n)", "a duration is not negative", "model"),
        "short": Fact("E(T(n)) <= 1", "the mean is short: Somebody, Theorem 1", "law"),
    },
)
DERIVED = {"theorem": "0 <= E(T(n))", "derivation": lambda d: d, "setting": TIMES}
STEPS = [{"rule": "fact", "name": "short"}, *({"rule": "assume", "formula": f"{i} <= n"} for i in range(60))]
KEPT = {
    "derivation": {"steps": STEPS},
    "rests": {"law": ["short"], "model": ["duration"]},
    "check": "derivation",
}
WITNESS = {
    "point": {"d": "1/2"}, "left": "1", "right": "0.885801294358845486662199660571", "relation": "1 <= d",
    "domain": ["0 < d"], "integers": [],
}  # fmt: skip
PROPOSED = r"""\begin{lemma}\label{lem:a}
For all $x>0$ and \emph{every} $n$ with $\text{pair $j$ visited}$,
\begin{align*} a &\le b, \\ b &\le c. \end{align*}
\begin{itemize}\item first \item second, see Theorem~\ref{thm:main}\end{itemize}
\end{lemma}"""


def made(label: str, verdict: str = "proved", uses: str = "", **more) -> tuple[Claim, Result]:
    """A claim, and what was found about it."""
    evidence = more.pop("evidence", {"check": "computed (by hand)", "cases": 3})
    witness, slack = more.pop("witness", None), more.pop("slack", None)
    fields = {"uses": uses, "expected": verdict, **more}
    if not more.keys() & {"says", "theorem"}:
        fields["checks"] = [Never()]
    statement = fields.pop("statement", f"what {label} says, in words")
    one = claim(label, statement, **fields)
    return one, Result(label, Verdict(verdict), evidence, witness, slack)


def small() -> list[tuple[Claim, Result]]:
    """Two theorems, two lemmas, steps below them, one of which fails; repairs beside them."""
    search = {
        "check": "search", "verdict": "tested",
        "evidence": {"examples": 398, "asked": 400, "seed": 7},
    }  # fmt: skip
    formula = {"says": "d <= exp(d)", "domain": "0 < d < 1", "symbols": {"d": "δ"}}
    return [
        made("thm:main", "proved", "lem:a lem:b lem:z", latex=r"\sup_x f(x) \le \frac{1}{\delta}"),
        made("thm:other", "proved", "lem:b"),
        made("lem:a", "proved", "lem:a/step lem:a/other"),
        made("lem:a/step", "refuted", "lem:a/deep", kind="step", witness=WITNESS, **formula,
             finding=Remark("proof", "The step fails.", "lem:a/repaired"), mutant="d <= 2*exp(d)"),
        made("lem:a/other", "tested", kind="step"),
        made("lem:a/deep", kind="step", **formula,
             evidence={"check": "proof", "derivation": ["x >= 0: its range"], "certificate": {"by": "range"},
                       "rules": {"range": 1}, "boxes": 3, "rechecked": True, "others": [search]},
             slack={"ratio": "0.731", "at": {"d": "1/2"}}),
        made("lem:b", evidence=KEPT, **DERIVED),
        made("lem:a/repaired", "proved", "lem:a/deep", kind="repair"),
        made("thm:main/repaired", "proved", "lem:a/repaired lem:b", kind="repair"),
        made("lem:z", "proved", "lem:z/deep"),  # another way to the step that fails, and a longer one
        made("lem:z/deep", "proved", "lem:a/step", kind="step"),
        made("cited", "assumed", kind="cited", source="A Book", checks=[]),
    ]  # fmt: skip


PAPER = Paper(
    "On regret & <bounds>",
    ("A. Author", "B. Writer"),
    "A Journal 3 (2024)",
    "https://example.org/paper",
    {"thm:main": "Theorem 1", "thm:other": "Theorem 2", "lem:a": "Lemma 1", "lem:b": "Lemma 2"},
)
DEFECTS = (
    Defect("a-step", "A step fails at $d = 1/2$", "proof", ("lem:a/step",), "For every $d$ it holds.",
           "It does not; see lem:a/repaired.", "thm:main rests on it.", "lem:a/repaired", PROPOSED,
           "For $d \\ge 1$ it is right."),
    Defect("a-statement", "A statement is too strong", "statement", ("thm:main",), "All of it.", "Not all.",
           "None."),
    Defect("a-slip", "A sign", "erratum", ("lem:a/other",), "Plus.", "Minus.", "None."),
)  # fmt: skip
SCRIPT = 'Report.panel("own", (place, data, { h }) => place.append(h("p.own", {}, data.words)));'
SUPPLEMENT = Supplement(
    ("[Theorem 1](thm:main) rests on lem:a/step.", "The other stands: thm:other."),
    repaired=("thm:main/repaired", "thm:other", "lem:a", "lem:b"),
    panels=(Panel("own", "A panel", "Own", {"words": "from the tenant"}, SCRIPT),),
)


def written(
    folder: Path,
    found: Iterable[tuple[Claim, Result]],
    *,
    paper: Paper = NO_PAPER,
    defects: Sequence[Defect] = (),
    supplement: Supplement = SUPPLEMENT,
    errata: str = "",
) -> Path:
    """A page about these claims and results, as a file."""
    pairs = list(found)
    claims = ClaimSet(one for one, _ in pairs)
    run = Run(claims, Effort(), {result.label: result for _, result in pairs}, 0)
    remarks = {one.label: one.finding for one, _ in pairs if one.finding is not None}
    said = Commentary(remarks, defects, paper)
    subject = Reported(SOURCE, run, said, supplement, "1 January 2026", errata)
    file = folder / "index.html"
    file.write_text(page(facts(subject), supplement.panels), encoding="utf-8")
    return file


def small_page(folder: Path) -> Path:
    """The small paper."""
    errata = "\\documentclass{article}\n"
    return written(folder, small(), paper=PAPER, defects=gravest_first(DEFECTS), errata=errata)


def large(count: int = 500) -> list[tuple[Claim, Result]]:
    """Many claims, each on a few before it."""
    verdicts = ("proved", "proved", "tested", "supported", "refuted", "undecided")
    found = []
    for i in range(count):
        uses = " ".join(f"lem:{j}" for j in sorted({i // 2, i // 3}) if j < i)
        found.append(made(f"lem:{i}", verdicts[i % 6], uses, statement=f"Claim {i} says that {i * i} is so."))
    return found
