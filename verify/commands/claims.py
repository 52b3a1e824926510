"""``ctucbvi claims``: what is claimed, and what rests on what; nothing is checked."""

from __future__ import annotations

import argparse
import json
import sys
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from argparse import _SubParsersAction
    from collections.abc import Sequence

    from verify.claims import Claim, ClaimSet
    from verify.running.graph import Graph
    from verify.running.loading import Source

_DESCRIPTION = """\
List the claims, or print one in full.  --graph writes what rests on what, coloured by the
verdicts that ctucbvi verify has found; claims it has not checked yet are shown as such.
"""

_EPILOG = """examples:
  ctucbvi claims
  ctucbvi claims lem:poisson
  ctucbvi claims --graph graph.svg
  ctucbvi claims --claims mine.py --graph -
"""


def add(subparsers: _SubParsersAction[argparse.ArgumentParser]) -> None:
    """Describe the arguments."""
    parser = subparsers.add_parser(
        "claims",
        help="list the claims, print one in full, or draw what rests on what",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "label",
        nargs="?",
        metavar="LABEL",
        help="print this claim in full, or list the matching ones ('lem:*')",
    )
    parser.add_argument(
        "--graph",
        metavar="FILE",
        help="write the graph, of LABEL or of all: .svg, .dot, .txt, or - for a tree",
    )
    parser.add_argument("--claims", metavar="FILE.py", help="claims of your own, instead of the paper's")
    parser.add_argument(
        "--profile", choices=("quick", "thorough"), default="quick", help="of the verdicts (default quick)"
    )
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="of the verdicts (default 0)")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """List, print one, or draw."""
    from verify.claims import ClaimError
    from verify.running.loading import Source, load_claims
    from verify.running.runs import matching

    if options.graph == "-" and options.json:
        raise ClaimError("--graph - prints a text; leave out --json, or name a file")
    source = Source.of(options.claims)
    claims = load_claims(source)
    labels = [claim.label for claim in claims] if options.label is None else matching(claims, [options.label])
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
    from verify.running.report import symbol_text

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
    from verify.running.report import describe, finding_text, mutant_text

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


# --- the graph -------------------------------------------------------------------------------


def _write_graph(options: argparse.Namespace, source: Source, claims: ClaimSet, labels: list[str]) -> None:
    from verify.claims import ClaimError
    from verify.running.graph import Graph
    from verify.running.runs import known_results

    ending = ".txt" if options.graph == "-" else Path(options.graph).suffix.lower()
    if ending not in (".svg", ".dot", ".txt"):
        raise ClaimError(f"--graph {options.graph}: end the name in .svg, .dot or .txt, or write -")
    known = known_results(source, claims, profile=options.profile, seed=options.seed)
    verdicts = {label: result.verdict for label, result in known.items()}
    graph = Graph.of(claims, verdicts, labels)
    text = _drawn(graph, ending)
    if options.graph == "-":
        print(text, end="")
    else:
        try:
            Path(options.graph).write_text(text, encoding="utf-8")
        except OSError as error:
            raise ClaimError(f"--graph {options.graph}: cannot be written: {error.strerror}") from None
    if missing := len(graph.claims) - len(graph.own):
        hint = f"{missing} of {len(graph.claims)} claims are not checked; run ctucbvi verify"
        print(f"ctucbvi: {hint}", file=sys.stderr)


def _drawn(graph: Graph, ending: str) -> str:
    from verify.running.drawing import svg
    from verify.running.graph import dot, text_tree

    return svg(graph) if ending == ".svg" else (dot(graph) if ending == ".dot" else text_tree(graph)) + "\n"
