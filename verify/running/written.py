"""A run as one written document: a fresh process reads it before anything is printed; ``--json`` prints it.

A *row* says what is claimed, what was found, and what shows it: one proof for each thing that is said.
Settings are written once, under their names.

A verdict is *unexpected* if it differs from the recorded one, also when it is stronger; if nothing
is recorded, when the claim does not hold; and always when a check failed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from verify.claims import DERIVATION, Claim, ClaimSet, Verdict
from verify.claims.texts import describe
from verify.paper import NO_PAPER, Paper
from verify.running.engine import ERROR_BUDGET, proof_of_formula, random_checks
from verify.running.fingerprints import versions
from verify.running.graph import Graph
from verify.running.results import Result

if TYPE_CHECKING:
    from verify.running.runs import Run

_OF_CODE = ("check", "complete", "cases", "box", "method")
_SHOWN = ("certificate", "certificates", "point")  # evidence that stands elsewhere in a row


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
    if result.verdict.holds or not ("rejected" in evidence or evidence.get("check") == DERIVATION):
        return ""
    return f": {evidence.get('why') or '; '.join(evidence.get('rejected', ['no reason is given']))}"


def document(run: Run) -> dict[str, Any]:
    """The whole run as data."""
    graph, settings = graph_of(run), dict[str, Any]()
    claims = [_row(run, label, result, graph, settings) for label, result in run.results.items()]
    return {
        "claims": claims,
        "settings": settings,
        "summary": _summary(run, graph),
        "profile": run.effort.profile,
        "seed": run.effort.seed,
        "versions": versions(),
    }


def _row(run: Run, label: str, result: Result, graph: Graph, settings: dict[str, Any]) -> dict[str, Any]:
    claim = run.claims[label]
    expected = claim.expects(run.effort.profile)
    proof = _proof(claim, result, settings)
    told = {k: v for k, v in result.evidence.items() if k not in _SHOWN and not _is_derivation(k, v)}
    return {
        **describe(claim),
        "point": result.evidence.get("point") if "formula" in proof else None,
        "verdict": str(result.verdict),
        "transitive": str(graph.transitive[label]),
        "rests": graph.rests[label].data(),
        "expected": None if expected is None else str(expected),
        "evidence": told,
        "proof": proof or None,
        "witness": result.witness,
        "slack": result.slack,
        "seconds": result.seconds,
    }


def _is_derivation(key: str, value: Any) -> bool:
    """Of a theorem, and not the lines that tell the proof of a formula."""
    return key == "derivation" and isinstance(value, Mapping)


def _proof(claim: Claim, result: Result, settings: dict[str, Any]) -> dict[str, Any]:
    """One proof for each thing that the claim says and that is said to be proved, as far as there is one."""
    evidence, found = result.evidence, dict[str, Any]()
    proved = result.verdict in (Verdict.PROVED, Verdict.PROVED_ON_BOX)
    said = claim.says is not None and (proved or evidence.get("formula") == str(Verdict.PROVED))
    if said and (formula := proof_of_formula(claim, evidence)) is not None:
        found["formula"] = formula
    derivation = evidence.get("derivation")
    if claim.theorem and proved and isinstance(derivation, Mapping):
        data = derivation["setting"]
        same = settings.setdefault(data["name"], data) == data
        named = {**derivation, "setting": data["name"] if same else data}  # another one is refused
        found["theorem"] = {"by": DERIVATION, "derivation": named}
    if proved and claim.says is None and not claim.theorem:
        told = {key: evidence[key] for key in _OF_CODE if key in evidence}
        found["code"] = {"complete": False, "cases": 0, **told}
    return found


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


def elementary(run: Run) -> int:
    """How many of the proved claims say themselves that there is little to prove."""
    proved = [label for label, result in run.results.items() if result.verdict is Verdict.PROVED]
    return sum(run.claims[label].elementary for label in proved)
