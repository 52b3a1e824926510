"""Where the bound of a theorem is lost: its proof, measured on the learner's own episodes.

``tally_runs`` plays a study and adds up what the proof adds up, ``chain`` makes the rows of it for
``thm:CT-UCB``, ``optimistic_chain`` for ``thm:CT-UCB/optimistic``, and ``draw`` the picture.
"""

from ctucbvi.losses.chain import Chain, Link, LinkKind
from ctucbvi.losses.figure import draw
from ctucbvi.losses.links import Sizes, chain
from ctucbvi.losses.optimistic_links import OptimisticSizes, optimistic_chain
from ctucbvi.losses.optimistic_tally import OptimisticSums, OptimisticTally
from ctucbvi.losses.runs import TalliedRun, tally_of, tally_runs
from ctucbvi.losses.tally import Sums, Tally

__all__ = [
    "Chain",
    "Link",
    "LinkKind",
    "OptimisticSizes",
    "OptimisticSums",
    "OptimisticTally",
    "Sizes",
    "Sums",
    "TalliedRun",
    "Tally",
    "chain",
    "draw",
    "optimistic_chain",
    "tally_of",
    "tally_runs",
]
