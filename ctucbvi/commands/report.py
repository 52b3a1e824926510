"""What the page about the paper has besides that of anybody's claims: five sentences and three pictures.

The sentences are made from verdicts: where one of those is not what a sentence is about, the sentence says
so.  The pictures are panels (:mod:`verify.report`): the bounds, whose formulas go to the page as trees
(:mod:`ctucbvi.bounds.trees`); the regret that was measured, and where the bound is lost, both from the
studies that are kept in the package.
"""

from __future__ import annotations

from ctucbvi.commands.report_bounds import bounds_panel
from ctucbvi.commands.report_studies import losses_panel, studies_panel
from ctucbvi.commands.report_words import sentences
from verify.report import Graph, Supplement

PRINTED = (
    "thm:CT-UCB",
    "thm:lowerbound",
    "lem:rateUCB",
    "lem:poisson",
    "lem:CI-p",
    "lem:error-model",
    "lem:optimism",
    "lem:v-v-continuoustime",
    "prop:proberror",
    "prop:rateerror",
    "eq:regret-b1",
    "eq:regret-lowerbound2",
)
REPAIRED = (
    "thm:CT-UCB/repaired",
    "thm:CT-UCB/sharp",
    "thm:CT-UCB/lump-sum",
    "thm:CT-UCB/optimistic",
    "thm:CT-UCB/optimistic/poisson",
    "thm:lowerbound/repaired",
    "thm:lowerbound/every-size",
    "lem:rateUCB/repaired",
    "lem:poisson/repaired",
    "lem:CI-p/uniform",
    "lem:error-model",
    "lem:optimism",
    "lem:v-v-continuoustime",
    "prop:proberror",
    "prop:rateerror/repaired",
)


def supplement(graph: Graph) -> Supplement:
    """All of it."""
    panels = (losses_panel(), bounds_panel(), studies_panel())
    return Supplement(sentences(graph), PRINTED, REPAIRED, panels, "ctucbvi")
