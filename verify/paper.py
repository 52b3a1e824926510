r"""The paper that claims are about: what it is called, and what it calls its own parts.

An author writes ``\label{lem:poisson}`` and a reader sees "Lemma 2".  A claim is filed under the label; the
number is what a person finds on the page.  Light on purpose, like :mod:`verify.source`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Paper:
    """A paper and the numbers of its parts."""

    title: str
    authors: tuple[str, ...] = ()
    published: str = ""  # where, in one line
    link: str = ""
    numbers: Mapping[str, str] = field(default_factory=dict)  # "lem:poisson": "Lemma 2"

    def number(self, label: str) -> str:
        """What is printed where the label stands; of a claim, that of the part it is filed under.

        >>> Paper("On x", numbers={"lem:x": "Lemma 3"}).number("lem:x/repaired")
        'Lemma 3'

        Nothing for a label that is not known.
        """
        while label not in self.numbers and "/" in label:
            label = label.rpartition("/")[0]
        return self.numbers.get(label, "")

    def named(self, label: str) -> str:
        """``Lemma 3 (lem:x)``, ``lem:x/repaired (of Lemma 3)``, or the label alone."""
        number = self.number(label)
        if label in self.numbers:
            return f"{number} ({label})"
        return f"{label} (of {number})" if number else label

    def readable(self, text: str) -> str:
        """A text with the labels of the paper replaced by their numbers.

        >>> Paper("On x", numbers={"lem:x": "Lemma 3"}).readable("see lem:x, not lem:x/repaired")
        'see Lemma 3, not lem:x/repaired'
        """
        return re.sub(r"\b[a-z]+:[\w/=-]*\w", lambda found: self.numbers.get(found[0], found[0]), text)


NO_PAPER = Paper("")  # claims that are about no paper in particular
