"""Letters that Python reads as others: ``ϵ`` as ``ε``, ``ℓ`` as ``l``, ``ﬁ`` as ``fi``.

Python's parser brings every name into its normal form NFKC.  What looks like two variables is one then, and
what a person reads is not what is proved; so a formula or a name that is not its own normal form is refused,
by whoever reads it: claims, domains, the kernel, the checker.
"""

from __future__ import annotations

import keyword
import unicodedata

_SPACES = "\n\t"
_UNSEEN = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")  # control, format, surrogates, nothing yet, line ends


def normal(text: str) -> bool:
    """Whether Python reads the text as a person does: no look-alikes, nothing unseen, and no comments.

    >>> normal("λ*ε <= 1"), normal("λ*ϵ <= 1"), normal("x <= 1 # of course")
    (True, False, False)
    """
    plain = text.isascii() or unicodedata.is_normalized("NFKC", text)
    return plain and "#" not in text and not any(map(_unseen, text))


def _unseen(letter: str) -> bool:
    return letter not in _SPACES and unicodedata.category(letter) in _UNSEEN


def name(text: str) -> bool:
    """Whether it is a name, and read as it is written."""
    return text.isidentifier() and not keyword.iskeyword(text) and normal(text)


def foreign(text: str) -> str:
    """What is wrong with a text that is not: the first letter that is read as another one."""
    for letter in text:
        if letter == "#":
            return "has a comment; leave out what stands after #"
        if _unseen(letter):
            return f"has a character that is not seen, {letter!r}; leave it out"
        if (read := unicodedata.normalize("NFKC", letter)) != letter:
            return f"{letter!r} is read as {read!r}; write that, or another letter"
    return f"letters that belong together are written apart; write {unicodedata.normalize('NFKC', text)!r}"
