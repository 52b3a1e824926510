"""What rests on what: a claim is never stronger than the weakest claim it uses.

The *transitive* verdict of a claim is the weakest of its own and those of everything it uses,
directly or not.  A proof that uses a refuted claim is still a correct implication, which its own
verdict says; that nothing follows from it is what the transitive verdict says.

A claim that was not checked has no verdict (``None``), and nor has anything that rests on it.

What is derived rests on facts of settings, its own and those of everything that it uses (:mod:`rests`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from verify.claims import Claim, ClaimSet, Verdict, weakest
from verify.paper import NO_PAPER, Paper
from verify.running.rests import Rests, transitive_rests

UNCHECKED = "not checked"
COLOURS = {
    Verdict.PROVED: "#8fd19e",
    Verdict.PROVED_ON_BOX: "#9bdcd8",
    Verdict.SUPPORTED: "#a9cdf5",
    Verdict.TESTED: "#f7eb9c",
    Verdict.ASSUMED: "#d9c8f0",
    Verdict.UNDECIDED: "#fdbf7c",
    Verdict.REFUTED: "#f28e8e",
    None: "#ffffff",
}


def transitive_verdicts(
    claims: ClaimSet, verdicts: Mapping[str, Verdict], labels: Iterable[str] | None = None
) -> dict[str, Verdict | None]:
    """The transitive verdict of the labels (of all claims by default)."""
    found: dict[str, Verdict | None] = {}
    for label in claims.order:
        links = [verdicts.get(label), *(found[used] for used in claims[label].uses)]
        known = [verdict for verdict in links if verdict is not None]
        found[label] = weakest(known) if len(known) == len(links) else None
    return found if labels is None else {label: found[label] for label in labels}


@dataclass(frozen=True)
class Graph:
    """Some claims, closed under use, with the verdicts that are known."""

    claims: tuple[Claim, ...]  # in the order in which they are written
    own: Mapping[str, Verdict]
    transitive: Mapping[str, Verdict | None]
    rests: Mapping[str, Rests]  # transitive too
    paper: Paper = NO_PAPER  # numbers its parts

    @staticmethod
    def of(
        claims: ClaimSet,
        verdicts: Mapping[str, Verdict],
        labels: Iterable[str] | None = None,
        rests: Mapping[str, Mapping[str, Iterable[str]]] = MappingProxyType({}),
    ) -> Graph:
        """The graph of the labels and all that they rest on; of all claims by default.

        ``rests``: the facts that derivations take, by label and kind.
        """
        every = [claim.label for claim in claims]
        chosen = set(claims.closure(every if labels is None else labels))
        shown = tuple(claim for claim in claims if claim.label in chosen)
        known = {label: verdict for label, verdict in verdicts.items() if label in chosen}
        transitive = transitive_verdicts(claims, verdicts)
        below = transitive_rests(claims, rests, transitive)
        return Graph(shown, known, {c.label: transitive[c.label] for c in shown}, below)

    @property
    def roots(self) -> list[Claim]:
        """The claims that no other one uses."""
        used = {label for claim in self.claims for label in claim.uses}
        return [claim for claim in self.claims if claim.label not in used]

    @property
    def assumed(self) -> list[str]:
        """What is taken from elsewhere."""
        return [claim.label for claim in self.claims if self.own.get(claim.label) is Verdict.ASSUMED]

    def verdict_text(self, label: str) -> str:
        """``proved``, or ``proved, rests on refuted``."""
        own, below = self.own.get(label), self.transitive[label]
        if own is None:
            return UNCHECKED
        rest = "" if below is own else f", rests on {below or UNCHECKED}"
        return f"{own}{rest}{self._resting(label)}"

    def transitive_text(self, label: str) -> str:
        """``proved``, or ``proved (1 law, 3 definitions)``."""
        return f"{self.transitive[label]}{self._resting(label)}"

    def _resting(self, label: str) -> str:
        below, short = self.transitive[label], self.rests[label].short()
        return f" ({short})" if short and below is not None and below.holds else ""

    def resting(self, labels: Iterable[str]) -> Rests:
        """What several claims rest on together."""
        every = [self.rests[label] for label in labels]
        return Rests.of((fact for one in every for fact in (*one.taken, *one.proved)), self.transitive)


def text_tree(graph: Graph) -> str:
    """Each root with what it uses below it; what was shown before is not shown again."""
    table = {claim.label: claim for claim in graph.claims}
    shown: set[str] = set()

    def lines(label: str, first: str, rest: str) -> Iterator[str]:
        claim, again = table[label], label in shown
        shown.add(label)
        more = "  (above)" if again and claim.uses else ""
        yield f"{first}{graph.paper.named(label)}  [{graph.verdict_text(label)}]{more}"
        for i, used in enumerate(() if again else claim.uses):
            last = i + 1 == len(claim.uses)
            yield from lines(used, rest + ("└─ " if last else "├─ "), rest + ("   " if last else "│  "))

    return "\n".join(line for root in graph.roots for line in lines(root.label, "", ""))


def dot(graph: Graph) -> str:
    """For Graphviz: filled by the own verdict, framed by the transitive one."""
    rows = ["digraph claims {", "  rankdir=LR;", '  node [shape=box, style="filled,rounded", penwidth=2];']
    for claim in graph.claims:
        own, below = graph.own.get(claim.label), graph.transitive[claim.label]
        text = _quoted(f"{graph.paper.named(claim.label)}\n{graph.verdict_text(claim.label)}")
        colours = f'fillcolor="{COLOURS[own]}", color="{edge_colour(below)}"'
        rows.append(
            f"  {_quoted(claim.label)} [label={text}, {colours}, tooltip={_quoted(claim.statement)}];"
        )
    for claim in graph.claims:
        rows.extend(f"  {_quoted(claim.label)} -> {_quoted(used)};" for used in claim.uses)
    return "\n".join([*rows, "}"])


def edge_colour(verdict: Verdict | None) -> str:
    """A darker shade of the verdict's colour, for frames."""
    colour = COLOURS[verdict]
    return "#" + "".join(f"{int(colour[i : i + 2], 16) * 6 // 10:02x}" for i in (1, 3, 5))


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
