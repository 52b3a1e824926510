"""What the owner of the claims adds to the page: sentences on top, the graph's first nodes, panels.

A source names a module that has ``supplement(graph)``; the graph has the verdicts, so that a sentence says
what was found and not what was hoped for.  Without one the page has neither, and shows everything else.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import Any

from verify.running.graph import Graph
from verify.source import Source


@dataclass(frozen=True)
class Panel:
    """A section of the page with a program of its own.

    The script calls ``Report.panel(name, show)``; ``show(place, data, tools)`` fills its place in the page.
    """

    name: str  # of its place in the page: a word
    title: str
    menu: str  # a word
    data: Any  # plain JSON data
    script: str  # JavaScript
    style: str = ""  # CSS


@dataclass(frozen=True)
class Supplement:
    """What is added; a label in a sentence becomes a link to its claim."""

    sentences: tuple[str, ...] = ()  # what is known, in a few of them
    printed: tuple[str, ...] = ()  # labels: the graph of the paper as it is printed starts with these
    repaired: tuple[str, ...] = ()  # and with these as it is repaired
    panels: tuple[Panel, ...] = ()
    package: str = ""  # whose version stands on the page


def supplement_of(source: Source, graph: Graph) -> Supplement:
    """What the source adds, if it names a module for that."""
    if not source.supplement:
        return Supplement()
    found: Supplement = importlib.import_module(source.supplement).supplement(graph)
    return found
