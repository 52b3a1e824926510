"""What is known about the paper in five sentences, each with the verdicts that it rests on.

A sentence is printed as it is only if these verdicts are what it says; otherwise it is printed with the ones
that are not.  What it all rests on is read off the verdicts.
"""

from __future__ import annotations

from dataclasses import dataclass

from verify.report import Graph

PROVED, REFUTED = "proved", "refuted"


@dataclass(frozen=True)
class Sentence:
    """A text, and which claims it says to be proved, with all they rest on, or to be refuted."""

    text: str
    proved: tuple[str, ...] = ()
    refuted: tuple[str, ...] = ()

    def told(self, graph: Graph) -> str:
        """The text; with what is not so, if something is not."""
        found = {label: (str(graph.transitive.get(label)), PROVED) for label in self.proved}
        found |= {label: (str(graph.own.get(label)), REFUTED) for label in self.refuted}
        off = [f"{label} is {verdict}" for label, (verdict, wanted) in found.items() if verdict != wanted]
        return self.text if not off else f"Not established by this run ({', '.join(off)}): {self.text}"


_UPPER, _LOWER = "thm:CT-UCB/repaired", "thm:lowerbound"
_SHARPER = ("thm:CT-UCB/half", "thm:CT-UCB/lump-sum", "thm:CT-UCB/optimistic", "thm:lowerbound/every-size")

_SENTENCES = (
    Sentence(
        "[Theorem 1](thm:CT-UCB), the upper bound, stands [as printed](thm:CT-UCB/repaired), with all its "
        "constants, once its $\\delta$ and its domain are said: $\\delta=1/(2KH)$ and $2SAKH\\ge1$; for "
        "[other $\\delta$](thm:CT-UCB/any-delta) it is false.",
        proved=(_UPPER,),
        refuted=("thm:CT-UCB", "thm:CT-UCB/any-delta"),
    ),
    Sentence(
        "Its printed proof has gaps: in continuous time [Lemma 3](lem:CI-p), on the jump probabilities, "
        "fails, and so does the [comparison of counts with times](prop:rateerror/conditional) in the proof "
        "of [Proposition 2](prop:rateerror); for each there is a repair that is proved, and with the repairs "
        "the proof goes through.",
        proved=("lem:CI-p/uniform", "prop:rateerror/pathwise", "prop:rateerror", _UPPER),
        refuted=("lem:CI-p", "prop:rateerror/conditional"),
    ),
    Sentence(
        "[Theorem 2](thm:lowerbound), the lower bound, is true as stated, but not by its proof, which takes "
        "the [reward and the choice of an action for independent](thm:lowerbound/reward); a repaired proof "
        "gives [1/7](thm:lowerbound/repaired) in the place of $1/(12\\sqrt2)$.",
        proved=(_LOWER, "thm:lowerbound/repaired"),
        refuted=("thm:lowerbound/reward",),
    ),
)
_LAST = Sentence(
    "More is true: from $K=101$ on the same algorithm has [less than half](thm:CT-UCB/half) of the printed "
    "bound (for $SAH\\ge1$, $KH>1$), with the bonus as [a lump sum](thm:CT-UCB/lump-sum) the factor $CH+1$ "
    "disappears, a learner that plays [the best model in its confidence sets](thm:CT-UCB/optimistic) needs "
    "no $\\lambda_{\\min}$ at all, and the lower bound holds for [every $S\\ge6$](thm:lowerbound/every-size) "
    "and $A\\ge2$.",
    proved=_SHARPER,
)


def sentences(graph: Graph) -> tuple[str, ...]:
    """The five, as far as the verdicts bear them out."""
    known = {claim.label for claim in graph.claims}
    labels = [label for label in (_UPPER, _LOWER, *_SHARPER) if label in known]
    rests = (
        f"All of this is derived step by step and accepted by a second, independent checker; it rests on "
        f"{graph.resting(labels).short()}. All of that stands at the end of this page."
    )
    return (*(one.told(graph) for one in _SENTENCES), rests, _LAST.told(graph))
