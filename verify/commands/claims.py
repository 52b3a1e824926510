"""``claims``: what is claimed, what earlier runs found, what rests on what; nothing is checked."""

from __future__ import annotations

import argparse
import json
import sys
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from verify.claims import Claim, ClaimError, ClaimSet, Effort, Verdict
from verify.claims.texts import describe, finding_text, mutant_text, symbol_text
from verify.console import refuse
from verify.kernel.language import KINDS
from verify.kernel.theorems import document
from verify.paper import Paper
from verify.running.derivations import Granted, all_granted, step_lines, theorem_of
from verify.running.drawing import svg
from verify.running.graph import UNCHECKED, Graph, dot, text_tree
from verify.running.loading import Commentary, load_claims, load_commentary, load_paper, suite_names
from verify.running.report import slack_text
from verify.running.rests import Rests
from verify.running.results import Result
from verify.running.runs import known_results, matching
from verify.running.wording import LONG, evidence_text, recheck_line, witness_text
from verify.running.written import graph_of_results
from verify.source import Source
from verify.tables import width


def run(options: argparse.Namespace) -> int:
    """List, print one, or draw."""
    if sum((options.axioms, options.derivation, options.graph is not None)) > 1:
        raise ClaimError("--axioms, --derivation and --graph are three answers; ask for one of them")
    if options.graph == "-" and options.json:
        raise ClaimError("--graph - prints a text; leave out --json, or name a file")
    source = _asked(options)
    claims = load_claims(source)
    _settle(options, claims)
    paper = load_paper(source)
    labels = [claim.label for claim in claims]
    if options.label is not None:
        labels = matching(source, claims, [options.label])
    if options.axioms:
        return _print_granted(options, source, claims, labels)
    if options.derivation:
        return _print_derivation(options, claims)
    if options.graph is not None:
        _write_graph(options, source, claims, labels)
    if options.json:
        rows = [{**_facts(claims, claims[label]), "number": paper.number(label)} for label in labels]
        if options.label in claims:
            rows[0].update(_found(options, source, claims).data())
        print(json.dumps({"claims": rows}, indent=2))
    elif options.graph is None and options.label in claims:
        print(_in_full(claims, claims[options.label], _found(options, source, claims)))
    elif options.graph is None:
        print(_listing([claims[label] for label in labels], paper))
    return 0


def _asked(options: argparse.Namespace) -> Source:
    """Where the claims come from: a label of a property suite is looked up there."""
    source: Source = options.source.at(options.claims)
    suite = (options.label or "").partition("/")[0]
    return replace(source, suites=(suite,)) if suite in suite_names(source) else source


def _settle(options: argparse.Namespace, claims: ClaimSet) -> None:
    """Refuse ``--profile`` and ``--seed`` where no verdict is printed; else fill them in."""
    if options.derivation:
        refuse(options, "a derivation has none", "--seed")
    elif not (options.axioms or options.graph is not None or options.label in claims):
        refuse(options, "a list has no verdicts", "--profile", "--seed")
    options.profile, options.seed = options.profile or "quick", options.seed or 0


# --- statements ------------------------------------------------------------------------------


def _listing(claims: Sequence[Claim], paper: Paper) -> str:
    parts = []
    for claim in claims:
        place = paper.number(claim.label) or paper.named(claim.source)
        parts.append(f"{claim.label}  ({claim.kind}{f', {place}' if place else ''})")
        parts.append(textwrap.indent(textwrap.fill(claim.statement, width(94) - 4), "    "))
    return "\n".join([*parts, "", f"{len(claims)} claims"])


def _in_full(claims: ClaimSet, claim: Claim, found: _Found) -> str:
    """Everything a reader needs to audit the statement, and what is known about it."""
    facts = _facts(claims, claim)
    expected = ", ".join(f"{verdict} ({profile})" for profile, verdict in facts["expected"].items())
    lines = {
        "kind": facts["kind"],
        "paper": found.said.paper.number(claim.label),
        "source": facts["source"],
        "statement": facts["statement"],
        "says": facts["says"],
        "domain": ", ".join(facts["domain"]),
        "where": symbol_text(claim),
        "latex": facts["latex"],
        "theorem": facts["theorem"],
        "setting": facts["setting"],
        "uses": ", ".join(facts["uses"]),
        "used by": ", ".join(facts["used_by"]),
        "rests on": ", ".join(facts["rests_on"]),
        "checks": ", ".join(facts["checks"]),
        "mutant": facts["mutant"],
        "expected": expected,
        "module": facts["module"],
        **found.lines(),
    }
    return "\n".join([claim.label, *(f"  {name + ':':<11}{text}" for name, text in lines.items() if text)])


@dataclass(frozen=True)
class _Found:
    """What earlier runs found out about a claim, and what its author says about that."""

    claim: Claim
    said: Commentary
    results: Mapping[str, Result]  # of the claim, of what it rests on, and of its repair, if they are known
    graph: Graph
    command: str  # that would check it

    @property
    def result(self) -> Result | None:
        return self.results.get(self.claim.label)

    @property
    def repair(self) -> str:
        defect, remark = self.said.defect_of(self.claim.label), self.said.remarks.get(self.claim.label)
        return (remark.repair if remark else "") or (defect.repair if defect else "")

    def lines(self) -> dict[str, str]:
        """For people."""
        defect, result = self.said.defect_of(self.claim.label), self.result
        told = {"finding": finding_text(self.claim)}
        if defect is not None:
            told["defect"] = f"{defect.name} ({defect.severity}): {defect.title}"
            told["in favour"] = self.said.paper.readable(defect.reading)
        if self.repair:
            told["repair"] = f"{self.said.paper.named(self.repair)}  [{self._verdict(self.repair)}]"
        if result is None:
            return {"verdict": f"{UNCHECKED}; run {self.command}", **told}
        witness = result.witness or {}
        return {
            "verdict": self._verdict(self.claim.label),
            **told,
            "witness": witness_text(witness),
            "re-check": recheck_line(witness),
            "slack": "" if result.slack is None else slack_text(result.slack),
            "evidence": evidence_text(result.evidence),
        }

    def _verdict(self, label: str) -> str:
        return self.graph.verdict_text(label) if label in self.graph.transitive else UNCHECKED

    def data(self) -> dict[str, Any]:
        """For programs; nothing where nothing is known."""
        defect, result = self.said.defect_of(self.claim.label), self.result
        told: dict[str, Any] = {} if defect is None else {"defect": vars(defect)}
        if result is None:
            return told
        transitive = self.graph.transitive[self.claim.label]
        found = {
            "verdict": str(result.verdict),
            "transitive": None if transitive is None else str(transitive),
            "witness": result.witness,
            "slack": result.slack,
            "evidence": {k: v for k, v in result.evidence.items() if k not in LONG},
        }
        return {**told, **found}


def _found(options: argparse.Namespace, source: Source, claims: ClaimSet) -> _Found:
    said = load_commentary(source)
    command = f"{source.command} verify {source.suites[0] if source.suites else options.label}"
    mine = _Found(claims[options.label], said, {}, Graph.of(claims, {}, ()), command)
    labels = claims.closure([label for label in (options.label, mine.repair) if label in claims])
    known = known_results(source, claims, labels, profile=options.profile, seed=options.seed)
    return replace(mine, results=known, graph=graph_of_results(claims, known, labels, said.paper))


def _facts(claims: ClaimSet, claim: Claim) -> dict[str, Any]:
    return {
        **describe(claim),
        "used_by": [other.label for other in claims if claim.label in other.uses],
        "rests_on": [label for label in claims.closure([claim.label]) if label != claim.label],
        "checks": [check.name for check in claim.checks],
        "mutant": mutant_text(claim),
        "finding": finding_text(claim),
        "expected": {profile: str(verdict) for profile, verdict in claim.expected.items()},
        "module": claim.module,
    }


# --- derivations -----------------------------------------------------------------------------


def _print_granted(options: argparse.Namespace, source: Source, claims: ClaimSet, labels: list[str]) -> int:
    """What the labels and all they rest on take for granted, by kind."""
    known = known_results(source, claims, profile=options.profile, seed=options.seed)
    facts, words = all_granted(claims, labels, Effort(options.profile), known)
    verdicts = graph_of_results(claims, known, claims.order).transitive
    rests = Rests.of((one.rest for one in facts), verdicts)
    if options.json:
        print(
            json.dumps({"rests": rests.data(), "facts": list(map(vars, facts)), "in_words": words}, indent=2)
        )
        return 0
    subject = labels[0] if len(labels) == 1 else f"what is derived here ({len(labels)} claims)"
    print(textwrap.fill(f"{subject} {rests.sentence()}.", width(96)))
    for kind in KINDS:
        print(*_granted_lines(kind, [one for one in facts if one.kind == kind], verdicts), sep="\n")
    if words:
        print(f"cited or argued in words: {', '.join(words)}")
    return 0


def _granted_lines(
    kind: str, rows: Sequence[Granted], verdicts: Mapping[str, Verdict | None]
) -> Iterator[str]:
    yield f"{kind}: {len(rows) or 'none'}"
    for one in rows:
        yield f"  {one.name} ({one.setting}): {one.says}"
        links = {"that there is one": one.claim, "that it is what it is called": one.means}
        said = ((what, link, verdicts.get(link) or UNCHECKED) for what, link in links.items() if link)
        by = "".join(f"; {what} is claim {link}: {verdict}" for what, link, verdict in said)
        text = f"{one.why}{by}; used by {', '.join(one.used_by)}"
        yield textwrap.indent(textwrap.fill(text, width(96) - 6), " " * 6)


def _print_derivation(options: argparse.Namespace, claims: ClaimSet) -> int:
    """The steps, or the derivation as the checker reads it."""
    if options.label not in claims:
        raise ClaimError("--derivation is of one claim; write its label")
    claim = claims[options.label]
    theorem = theorem_of(claim, Effort(options.profile))
    if options.json:
        print(json.dumps(document(theorem, claim.label, claim.theorem), indent=2))
    else:
        print(f"{claim.label}: {claim.theorem}", *step_lines(theorem), sep="\n")
    return 0


# --- the graph -------------------------------------------------------------------------------


def _write_graph(options: argparse.Namespace, source: Source, claims: ClaimSet, labels: list[str]) -> None:
    ending = ".txt" if options.graph == "-" else Path(options.graph).suffix.lower()
    if ending not in (".svg", ".dot", ".txt"):
        raise ClaimError(f"--graph {options.graph}: end the name in .svg, .dot or .txt, or write -")
    known = known_results(source, claims, profile=options.profile, seed=options.seed)
    graph = graph_of_results(claims, known, labels, load_paper(source))
    text = _drawn(graph, ending)
    if options.graph == "-":
        print(text, end="")
    else:
        try:
            Path(options.graph).write_text(text, encoding="utf-8")
        except OSError as error:
            raise ClaimError(f"--graph {options.graph}: cannot be written: {error.strerror}") from None
    if missing := len(graph.claims) - len(graph.own):
        hint = f"{missing} of {len(graph.claims)} claims are not checked; run {source.command} verify"
        print(f"{source.command}: {hint}", file=sys.stderr)


def _drawn(graph: Graph, ending: str) -> str:
    return svg(graph) if ending == ".svg" else (dot(graph) if ending == ".dot" else text_tree(graph)) + "\n"
