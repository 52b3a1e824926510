"""What a run found, for people (a table, messages) and for programs (one JSON document).

A verdict is *unexpected* if it differs from the recorded one, also when it is stronger; if nothing
is recorded, when the claim does not hold; and always when a check failed.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from verify.claims import DERIVATION, SEVERITIES, Claim, ClaimError, ClaimSet, Verdict
from verify.claims.texts import describe
from verify.paper import NO_PAPER, Paper
from verify.running.engine import ERROR_BUDGET, random_checks
from verify.running.fingerprints import versions
from verify.running.graph import Graph
from verify.running.results import Result
from verify.running.runs import Run
from verify.tables import table

_INLINE = 20_000  # bytes of a certificate that is shown as a whole


def graph_of(run: Run) -> Graph:
    """The graph of the claims that were run, with their verdicts."""
    return graph_of_results(run.claims, run.results, run.results)


def graph_of_results(
    claims: ClaimSet, results: Mapping[str, Result], labels: Iterable[str], paper: Paper = NO_PAPER
) -> Graph:
    """The graph of the labels, with the verdicts, and what they rest on as far as that is known."""
    verdicts = {label: result.verdict for label, result in results.items()}
    rests = {label: result.evidence.get("rests", {}) for label, result in results.items()}
    return replace(Graph.of(claims, verdicts, labels, rests), paper=paper)


def unexpected(run: Run) -> dict[str, str]:
    """By label, what is not as it should be."""
    found = {}
    for label, result in run.results.items():
        expected = run.claims[label].expects(run.effort.profile)
        if result.error is not None:
            found[label] = result.error
        elif expected is not None and result.verdict is not expected:
            found[label] = f"expected {expected}, found {result.verdict}{_why(result)}"
        elif expected is None and not result.verdict.holds:
            found[label] = f"nothing expected, found {result.verdict}{_why(result)}"
    return found


def _why(result: Result) -> str:
    """Why a derivation does not show its theorem, or trials decide nothing: a line its author waits for."""
    evidence = result.evidence
    if result.verdict is Verdict.UNDECIDED and "planned" in evidence:
        found = f"P between {evidence['lower']} and {evidence['upper']} after {evidence['trials']} trials"
        least = evidence.get("needed") or 0
        more = f"at least {least}" if evidence["trials"] < least else "more of them"
        return f": {evidence['claimed']} is claimed, {found}; it takes {more}"
    if evidence.get("check") != DERIVATION or result.verdict.holds:
        return ""
    return f": {evidence.get('why') or '; '.join(evidence.get('rejected', ['no reason is given']))}"


# --- for people ------------------------------------------------------------------------------


def text_report(run: Run, paper: Paper = NO_PAPER, *, examples: bool = False) -> str:
    """The final table and a summary, with the numbers of the paper where they are known.

    ``examples``: with a column that says how many the checks looked at.
    """
    graph = graph_of(run)
    rows = [_row(run.claims[label], result, graph, run) for label, result in run.results.items()]
    head = ["label", "kind", "verdict", "transitive", "expected", "slack", "seconds"]
    numbers = [paper.number(label) for label in run.results]
    if any(numbers):
        head.insert(1, "paper")
        for row, number in zip(rows, numbers, strict=True):
            row.insert(1, number or "-")
    if examples:
        head.insert(-1, "examples")
        for row, result in zip(rows, run.results.values(), strict=True):
            row.insert(-1, examples_text(result.evidence))
    parts = [table(head, rows), "", _counts(run)]
    if count := random_checks(run.claims):
        parts.append(
            f"error budget: {float(ERROR_BUDGET):g} for the whole run, shared by {count} random "
            f"{'check' if count == 1 else 'checks'}"
        )
    if graph.assumed:
        parts.append(f"assumed, cited or argued in words: {', '.join(graph.assumed)}")
    return "\n".join(parts)


def _row(claim: Claim, result: Result, graph: Graph, run: Run) -> list[str]:
    expected = claim.expects(run.effort.profile)
    return [
        claim.label,
        str(claim.kind),
        str(result.verdict) + (" (failed)" if result.error else ""),
        graph.transitive_text(claim.label),
        "-" if expected is None else str(expected),
        slack_text(result.slack),
        f"{result.seconds:.2f}",
    ]


def examples_text(evidence: Mapping[str, Any]) -> str:
    """What the check that decided has looked at."""
    if "planned" in evidence:
        done, planned = evidence["trials"], evidence["planned"][-1]
        return f"{done} trials" if done == planned else f"{done} of {planned} trials"
    if "examples" not in evidence:
        return "all (proof)" if evidence.get("certificate") is not None else "-"
    open_ = evidence.get("undecided", {}).get("count", 0)
    done = evidence["examples"] + open_
    doubt = f", {open_} undecided" if open_ else ""
    if "cases" in evidence:
        every = evidence["cases"]
        return (f"all {every} cases" if done == every else f"{done} of {every} cases") + doubt
    return f"{done}{doubt}"


def slack_text(slack: Mapping[str, Any] | None) -> str:
    """The tightest ratio of the two sides, or their smallest difference where a ratio means nothing."""
    if not slack or not ("ratio" in slack or "difference" in slack):
        return "-"
    word, number = ("", slack["ratio"]) if "ratio" in slack else ("gap ", slack["difference"])
    try:
        return f"{word}{float(number):.4g}"
    except (TypeError, ValueError):
        return f"{word}{number}"


def _counts(run: Run) -> str:
    wrong = len(unexpected(run))
    verdict = "all as expected" if not wrong else f"{wrong} NOT AS EXPECTED"
    return f"{len(run.results)} claims ({run.effort.profile}): {counts_text(run)}; {verdict}"


def counts_text(run: Run) -> str:
    """How many claims have which verdict; of the proved ones, how many are true at a glance; slips apart."""
    counts = Counter(result.verdict for result in run.results.values())
    few = elementary(run)
    slips = _errata(run)
    apart = {
        Verdict.PROVED: f" (of which {few} elementary)" if few else "",
        Verdict.REFUTED: f" (errata: {slips})" if slips else "",
    }
    return ", ".join(f"{counts[v]} {v}{apart.get(v, '')}" for v in Verdict if counts[v])


def elementary(run: Run) -> int:
    """How many of the proved claims say themselves that there is little to prove."""
    proved = [label for label, result in run.results.items() if result.verdict is Verdict.PROVED]
    return sum(run.claims[label].elementary for label in proved)


def _errata(run: Run) -> int:
    """How many of the refuted claims are slips by their own finding."""
    refuted = [run.claims[label] for label, r in run.results.items() if r.verdict is Verdict.REFUTED]
    return sum(one.finding is not None and one.finding.breaks == SEVERITIES[-1] for one in refuted)


def told_apart(run: Run) -> dict[str, bool]:
    """Of a run of mutants: whether the checks tell each from its claim.

    The mutant of a claim that holds must not hold, that of another must not be refuted.
    """
    found = {}
    for label, result in run.results.items():
        expected = run.claims[label].expects(run.effort.profile)
        held = expected is None or expected.holds  # none for this profile: it is meant to hold
        changed = not result.verdict.holds if held else result.verdict is not Verdict.REFUTED
        found[label] = changed and result.error is None
    return found


def mutants_report(run: Run) -> str:
    """The table of a run of mutants."""
    rows = []
    for label, told in told_apart(run).items():
        expected, result = run.claims[label].expects(run.effort.profile), run.results[label]
        rows.append(
            [label, "-" if expected is None else str(expected), str(result.verdict), "yes" if told else "NO"]
        )
    count = sum(row[-1] == "yes" for row in rows)
    end = f"{len(rows)} mutants ({run.effort.profile}): {count} told from their claims"
    return "\n".join([table(("label", "expected", "mutant", "told apart"), rows), "", end])


# --- for programs ----------------------------------------------------------------------------


def document(run: Run, files: Mapping[str, str] | None = None) -> dict[str, Any]:
    """The whole run as data; ``files`` says which certificates were written where."""
    graph = graph_of(run)
    claims = []
    for label, result in run.results.items():
        claim = run.claims[label]
        expected = claim.expects(run.effort.profile)
        found = {
            "verdict": str(result.verdict),
            "transitive": str(graph.transitive[label]),
            "rests": graph.rests[label].data(),
            "expected": None if expected is None else str(expected),
            "evidence": _evidence(result, (files or {}).get(label)),
            "witness": result.witness,
            "slack": result.slack,
            "seconds": result.seconds,
        }
        claims.append({**describe(claim), **found})
    return {
        "claims": claims,
        "summary": _summary(run, graph),
        "profile": run.effort.profile,
        "seed": run.effort.seed,
        "versions": versions(),
    }


def _summary(run: Run, graph: Graph) -> dict[str, Any]:
    own = Counter(str(result.verdict) for result in run.results.values())
    below = Counter(str(verdict) for verdict in graph.transitive.values())
    return {
        "total": len(run.results),
        "verdicts": {str(v): own[v] for v in Verdict},
        "elementary": elementary(run),
        "transitive": {str(v): below[v] for v in Verdict},
        "unexpected": [_complaint(run, label, text) for label, text in unexpected(run).items()],
        "assumed": graph.assumed,
        "error_budget": {
            "total": str(ERROR_BUDGET),
            "random_checks": random_checks(run.claims),
            "each": str(run.effort.error),
        },
    }


def _complaint(run: Run, label: str, message: str) -> dict[str, Any]:
    expected = run.claims[label].expects(run.effort.profile)
    return {
        "label": label,
        "expected": None if expected is None else str(expected),
        "verdict": str(run.results[label].verdict),
        "message": message,
    }


def _evidence(result: Result, file: str | None) -> dict[str, Any]:
    """The evidence, with a long certificate replaced by what identifies it."""
    certificate = result.evidence.get("certificate")
    text = "" if certificate is None else certificate_text(certificate)
    if len(text) < _INLINE:
        return dict(result.evidence)
    digest = hashlib.sha256(text.encode()).hexdigest()
    return {**result.evidence, "certificate": {"nodes": _nodes(certificate), "sha256": digest, "file": file}}


def certificate_text(certificate: Any) -> str:
    """What is written to a file, and what the digest is of."""
    return json.dumps(certificate) + "\n"


def _nodes(tree: Any) -> int:
    """How many steps a proof has."""
    children = tree.values() if isinstance(tree, dict) else tree if isinstance(tree, list) else ()
    return int(isinstance(tree, dict) and "by" in tree) + sum(map(_nodes, children))


# --- certificates as files -------------------------------------------------------------------


def write_certificates(run: Run, folder: str) -> dict[str, str]:
    """Write every certificate, derivation and witness to its own file; the certificate's file by label."""
    place, files = Path(folder), {}
    try:
        place.mkdir(parents=True, exist_ok=True)
        for label, name in _file_names(run.claims):
            if (result := run.results.get(label)) is None:
                continue
            kept = {
                "": result.evidence.get("certificate"),
                ".derivation": result.evidence.get("derivation") if "rests" in result.evidence else None,
                ".witness": result.witness,
            }
            for ending, data in kept.items():
                if data is not None:
                    (place / f"{name}{ending}.json").write_text(certificate_text(data), encoding="utf-8")
            if kept[""] is not None:
                files[label] = str(place / f"{name}.json")
    except OSError as error:
        raise ClaimError(f"--certificates {folder}: cannot be written: {error.strerror}") from None
    return files


def _file_names(claims: Any) -> Iterator[tuple[str, str]]:
    """A name without special characters for each label, all of them different (whatever the case)."""
    taken: set[str] = set()
    for claim in claims:
        name = safe = re.sub(r"[^A-Za-z0-9_.-]", "_", claim.label).lstrip(".") or "_"
        number = 1
        while name.lower() in taken:
            number += 1
            name = f"{safe}-{number}"
        taken.add(name.lower())
        yield claim.label, name
