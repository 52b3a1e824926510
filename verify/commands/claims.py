"""``claims``: what is claimed, what rests on what, and what is taken for granted; nothing is checked."""

from __future__ import annotations

import argparse
import json
import sys
import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from verify.claims import Claim, ClaimError, ClaimSet, Effort
from verify.claims.texts import describe, finding_text, mutant_text, symbol_text
from verify.kernel.theorems import document
from verify.running.derivations import Granted, all_granted, step_lines, theorem_of
from verify.running.drawing import svg
from verify.running.graph import Graph, dot, text_tree
from verify.running.loading import load_claims
from verify.running.report import graph_of_results
from verify.running.runs import known_results, matching
from verify.source import Source


def run(options: argparse.Namespace) -> int:
    """List, print one, or draw."""
    if sum((options.axioms, options.derivation, options.graph is not None)) > 1:
        raise ClaimError("--axioms, --derivation and --graph are three answers; ask for one of them")
    if options.graph == "-" and options.json:
        raise ClaimError("--graph - prints a text; leave out --json, or name a file")
    source: Source = options.source.at(options.claims)
    claims = load_claims(source)
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
        print(json.dumps({"claims": [_facts(claims, claims[label]) for label in labels]}, indent=2))
    elif options.graph is None:
        one = options.label in claims
        print(
            _in_full(claims, claims[options.label]) if one else _listing([claims[label] for label in labels])
        )
    return 0


# --- statements ------------------------------------------------------------------------------


def _listing(claims: Sequence[Claim]) -> str:
    parts = []
    for claim in claims:
        parts.append(f"{claim.label}  ({claim.kind}{f', {claim.source}' if claim.source else ''})")
        parts.append(textwrap.indent(textwrap.fill(claim.statement, 90), "    "))
    return "\n".join([*parts, "", f"{len(claims)} claims"])


def _in_full(claims: ClaimSet, claim: Claim) -> str:
    """Everything a reader needs to audit the statement."""
    facts = _facts(claims, claim)
    expected = ", ".join(f"{verdict} ({profile})" for profile, verdict in facts["expected"].items())
    lines = {
        "kind": facts["kind"],
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
        "finding": facts["finding"],
        "module": facts["module"],
    }
    return "\n".join([claim.label, *(f"  {name + ':':<11}{text}" for name, text in lines.items() if text)])


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
    """The axioms of the labels and of all they rest on, and the other facts."""
    known = known_results(source, claims, profile=options.profile, seed=options.seed)
    axioms, facts, words = all_granted(claims, labels, Effort(options.profile), known)
    if options.json:
        rows = {"axioms": list(map(vars, axioms)), "facts": list(map(vars, facts)), "in_words": words}
        print(json.dumps(rows, indent=2))
        return 0
    print(*_granted_lines("axioms", axioms), *_granted_lines("other facts of the setting", facts), sep="\n")
    if words:
        print(f"cited or argued in words: {', '.join(words)}")
    return 0


def _granted_lines(title: str, rows: Sequence[Granted]) -> Iterator[str]:
    yield f"{title}: {len(rows) or 'none'}"
    for one in rows:
        yield f"  {one.name} ({one.setting}, {one.kind}): {one.says}"
        yield textwrap.indent(textwrap.fill(f"{one.why}; used by {', '.join(one.used_by)}", 90), " " * 6)


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
    graph = graph_of_results(claims, known, labels)
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
