"""Running checks: loading claims, on all cores, with a memory; the graph and the reports."""

from verify.running.cache import Cache
from verify.running.engine import ERROR_BUDGET, effort_for, run_claim
from verify.running.graph import Graph, transitive_verdicts
from verify.running.loading import load_claims
from verify.running.report import text_report
from verify.running.results import Result
from verify.running.runs import Run, known_results, run_claims, select
from verify.running.written import document, unexpected
from verify.source import Source

__all__ = [
    "ERROR_BUDGET",
    "Cache",
    "Graph",
    "Result",
    "Run",
    "Source",
    "document",
    "effort_for",
    "known_results",
    "load_claims",
    "run_claim",
    "run_claims",
    "select",
    "text_report",
    "transitive_verdicts",
    "unexpected",
]
