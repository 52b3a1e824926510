"""Where the bound of ``thm:CT-UCB`` is lost: its proof, measured on the learner's own episodes.

``tally_runs`` plays a study and adds up what the proof adds up, ``chain`` makes the rows of it and ``draw``
the picture.
"""

from ctucbvi.losses.chain import Chain, Link, LinkKind
from ctucbvi.losses.figure import draw
from ctucbvi.losses.links import Sizes, chain
from ctucbvi.losses.runs import TalliedRun, tally_runs
from ctucbvi.losses.tally import Sums, Tally

__all__ = [
    "Chain",
    "Link",
    "LinkKind",
    "Sizes",
    "Sums",
    "TalliedRun",
    "Tally",
    "chain",
    "draw",
    "tally_runs",
]
