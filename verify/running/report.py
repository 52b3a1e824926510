"""What a run found, for people: a table and its sums; and its proofs as files."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from verify.claims import SEVERITIES, Claim, ClaimError, Verdict
from verify.paper import NO_PAPER, Paper
from verify.running.engine import ERROR_BUDGET, random_checks
from verify.running.graph import Graph
from verify.running.results import Result
from verify.running.runs import Run
from verify.running.written import elementary, graph_of, unexpected
from verify.tables import table


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
    parts += proved_lines(run)
    return "\n".join(parts)


def proved_lines(run: Run) -> list[str]:
    """What a fresh process has accepted, and how much of that in earlier runs."""
    if not run.tally:
        return []
    kept = f"{run.accepted} of them, and of the refuted, kept from earlier runs; --recheck keeps none"
    return [f"{run.tally}{f' ({kept})' if run.accepted else ''}"]


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


# --- proofs as files -------------------------------------------------------------------------


def write_certificates(run: Run, folder: str) -> None:
    """Write every certificate, derivation and witness to its own file."""
    place = Path(folder)
    try:
        place.mkdir(parents=True, exist_ok=True)
        for label, name in _file_names(run.claims):
            if (result := run.results.get(label)) is None:
                continue
            derivation = result.evidence.get("derivation")
            kept = {
                "": result.evidence.get("certificate"),
                ".derivation": derivation if isinstance(derivation, Mapping) else None,  # else lines about it
                ".witness": result.witness,
            }
            for ending, data in kept.items():
                if data is not None:
                    (place / f"{name}{ending}.json").write_text(json.dumps(data) + "\n", encoding="utf-8")
    except OSError as error:
        raise ClaimError(f"--certificates {folder}: cannot be written: {error.strerror}") from None


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
