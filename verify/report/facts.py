"""What the page shows, as plain data: the paper, the claims with what was found, defects, what is granted.

Everything that a run found is here once, cut to what a reader can use: a certificate is shown by its size and
its rules, a derivation by its first steps and their number, and beside it is the command that prints it all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from verify.claims import SEVERITIES, Claim, Defect, Verdict, gravest_first
from verify.claims.texts import describe, finding_text, mutant_text
from verify.paper import Paper
from verify.report.evidence import checks_of, derivation_of, slack_of, witness_of
from verify.report.supplement import Supplement
from verify.running.derivations import all_granted
from verify.running.fingerprints import versions
from verify.running.graph import Graph
from verify.running.loading import Commentary
from verify.running.report import counts_text
from verify.running.runs import Run
from verify.running.wording import recheck_line
from verify.running.written import graph_of, unexpected
from verify.source import Source

_WORDS = {
    "statement": "breaks a statement",
    "proof": "breaks a proof",
    "constant": "a constant",
    "remark": "a remark",
    "erratum": "an erratum",
}
_MAIN = ("theorem", "lemma", "proposition", "corollary")  # what a paper calls its main statements
_FIRST = 12  # nodes of a graph for which nobody has named any


@dataclass(frozen=True)
class Reported:
    """What a page is about: a run, and what people say about it."""

    source: Source
    run: Run
    said: Commentary
    supplement: Supplement
    date: str
    errata: str = ""  # as LaTeX; empty if there are none

    @property
    def paper(self) -> Paper:
        """What the claims are about."""
        return self.said.paper


def facts(subject: Reported) -> dict[str, Any]:
    """All data of the page but its panels'."""
    run, graph = subject.run, graph_of(subject.run)
    granted, words = all_granted(run.claims, run.results, run.effort, run.results)
    return {
        "title": subject.paper.title or f"What is known about the claims of {subject.source}",
        "about": _about(subject),
        "numbers": dict(subject.paper.numbers),
        "sentences": list(subject.supplement.sentences) or _plain_sentences(run, graph),
        "severities": [{"name": name, "words": _WORDS[name]} for name in SEVERITIES],
        "verdicts": [str(verdict) for verdict in Verdict],
        "defects": [_defect(subject, graph, one) for one in defects_of(subject)],
        "claims": [_claim(subject, graph, label) for label in run.results],
        "graph": _first_nodes(subject),
        "granted": {
            "sentence": f"What is derived {graph.resting(run.results).sentence()}.",
            "facts": [asdict(one) for one in granted],
            "words": [{"label": label, "why": _in_words(run.claims[label])} for label in words],
        },
        "errata": subject.errata,
    }


def _about(subject: Reported) -> dict[str, Any]:
    paper, source, run = subject.paper, subject.source, subject.run
    try:
        tool = f"{subject.supplement.package} {version(subject.supplement.package)}"
    except (PackageNotFoundError, ValueError):
        tool = source.command
    return {
        "authors": list(paper.authors),
        "published": paper.published,
        "link": paper.link if paper.link.startswith(("https://", "http://")) else "",
        "claims": str(source),
        "tool": tool,
        "command": source.command,
        "file": source.file and str(source),
        "profile": run.effort.profile,
        "seed": run.effort.seed,
        "date": subject.date,
        "counts": counts_text(run),
        "total": len(run.results),
        "unexpected": unexpected(run),
        "versions": versions(),
    }


def _plain_sentences(run: Run, graph: Graph) -> list[str]:
    """For claims without words of their own: how many there are, what fails, what it all rests on."""
    failed = [label for label, result in run.results.items() if result.verdict is Verdict.REFUTED]
    shaken = [x for x in run.results if run.results[x].verdict.holds and not _holds(graph.transitive[x])]
    rests = graph.resting(run.results)
    held = sum(result.verdict.holds for result in run.results.values())
    found = [f"Of {len(run.results)} claims {held} hold, as far as their own checks go."]
    if failed:
        found.append(f"Refuted, with a witness that anybody can check again: {_listed(failed)}.")
    if shaken:
        found.append(f"Themselves in order, but resting on something that is not: {_listed(shaken)}.")
    if rests:
        found.append(f"What is derived {rests.sentence()}.")
    return found


def _holds(verdict: Verdict | None) -> bool:
    return verdict is not None and verdict.holds


def _listed(words: Sequence[str], most: int = 8) -> str:
    rest = f" and {len(words) - most} more" if len(words) > most else ""
    return ", ".join(words[:most]) + rest


# --- defects -----------------------------------------------------------------------------------


def defects_of(subject: Reported) -> list[Defect]:
    """The defects as their authors tell them; where nobody does, one for each claim that does not hold."""
    if subject.said.defects:
        return [one for one in subject.said.defects if any(x in subject.run.results for x in one.claims)]
    run, found = subject.run, []
    for number, (label, result) in enumerate(run.results.items()):
        remark = subject.said.remarks.get(label)
        if result.verdict.holds and remark is None:
            continue
        claim = run.claims[label]
        grade = remark.breaks if remark else "statement" if claim.kind == "statement" else "proof"
        found.append(
            Defect(
                name=f"claim-{number}",
                title=remark.summary if remark else f"{label} is {result.verdict}",
                severity=grade,
                claims=(label,),
                says=claim.statement.strip() or label,
                wrong=remark.text() if remark else f"The checks say {result.verdict}.",
                consequence=_used_by(run, label),
                repair=remark.repair if remark else "",
            )
        )
    return gravest_first(found)


def _used_by(run: Run, label: str) -> str:
    users = [other for other in run.results if label in run.claims[other].uses]
    return f"Used by {_listed(users)}." if users else "No other claim uses it."


def _defect(subject: Reported, graph: Graph, one: Defect) -> dict[str, Any]:
    run = subject.run
    shown = one.shown(graph.own)
    result = run.results.get(shown)
    repair = one.repair if one.repair in run.results else ""
    return {
        **asdict(one),
        "repair": repair,
        "claims": [label for label in one.claims if label in run.results],
        "where": [{"label": label, "number": numbered(subject.paper, label)} for label in one.claims],
        "witness": None if result is None or result.witness is None else witness_of(result.witness),
        "witnessed": shown,
        "command": _recheck(subject, shown),
    }


def _recheck(subject: Reported, label: str) -> str:
    """The line that checks the witness again, if there is one."""
    result = subject.run.results.get(label)
    return "" if result is None or result.witness is None else recheck_line(result.witness)


# --- claims --------------------------------------------------------------------------------------


def _claim(subject: Reported, graph: Graph, label: str) -> dict[str, Any]:
    run, claim, result = subject.run, subject.run.claims[label], subject.run.results[label]
    expected = claim.expects(run.effort.profile)
    data = describe(claim)
    for key in ("formula", "area"):
        del data[key]
    return {
        **data,
        "number": numbered(subject.paper, label),
        "section": _section(claim, subject.source),
        "argued": claim.argued,
        "verdict": str(result.verdict),
        "transitive": str(graph.transitive[label]),
        "rests": graph.rests[label].short(),
        "expected": None if expected is None else str(expected),
        "error": result.error,
        "checker": str(result.evidence.get("check", "none")),
        "checks": checks_of(claim, result),
        "slack": slack_of(result),
        "witness": None if result.witness is None else witness_of(result.witness),
        "command": _recheck(subject, label),
        "derivation": derivation_of(result),
        "mutant": mutant_text(claim),
        "finding": finding_text(claim),
    }


def numbered(paper: Paper, label: str) -> str:
    """``Lemma 3`` for ``lem:x``, ``Lemma 3/repaired`` for ``lem:x/repaired``; nothing if it has no number."""
    part = label
    while part not in paper.numbers and "/" in part:
        part = part.rpartition("/")[0]
    return paper.numbers[part] + label[len(part) :] if part in paper.numbers else ""


def _section(claim: Claim, source: Source) -> str:
    """The part of the package that the claim is filed in, or the file."""
    inner = claim.module.removeprefix(f"{source.package}.") if source.package else claim.module
    return inner.partition(".")[0] if not source.file else inner


def _in_words(claim: Claim) -> str:
    if claim.argued:
        return claim.argued
    return f"cited: {claim.source}" if claim.source else "cited"


# --- the graph -----------------------------------------------------------------------------------


def _first_nodes(subject: Reported) -> dict[str, list[str]]:
    """With which claims the graph starts, of the paper as it is printed and as it is repaired."""
    known = subject.run.results
    printed = [x for x in subject.supplement.printed if x in known] or _main(subject)
    repaired = [x for x in subject.supplement.repaired if x in known]
    if not repaired:
        repairs = {x: r.repair for x, r in subject.said.remarks.items() if r.repair in known}
        repaired = [x if known[x].verdict.holds else repairs.get(x, x) for x in printed]
    return {"printed": printed, "repaired": list(dict.fromkeys(repaired))}


def _main(subject: Reported) -> list[str]:
    """What the paper calls a theorem or a lemma; else the claims that most rests on, or that rest on most."""
    numbers, known = subject.paper.numbers, subject.run.results
    named = [label for label in known if numbers.get(label, "").lower().startswith(_MAIN)]
    if named:
        return named
    claims = subject.run.claims
    users: Counter[str] = Counter(used for label in known for used in claims[label].uses)
    weight = {label: len(claims.closure([label])) + users[label] for label in known}
    heaviest = set(sorted(known, key=lambda label: -weight[label])[:_FIRST])
    return [label for label in known if label in heaviest]
