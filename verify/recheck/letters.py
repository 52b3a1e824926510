"""Letters that Python reads as others: ``ϵ`` as ``ε``, ``ℓ`` as ``l``, ``ﬁ`` as ``fi``.

Python's parser brings every name into its normal form NFKC.  What looks like two variables is one then, and
what a person reads is not what is proved; so a formula or a name that is not its own normal form is refused,
by whoever reads it: claims, domains, the kernel, the checker.
"""

from __future__ import annotations

import unicodedata


def normal(text: str) -> bool:
    """Whether Python reads the text as it is written.

    >>> normal("λ*ε <= 1"), normal("λ*ϵ <= 1")
    (True, False)
    """
    return text.isascii() or unicodedata.is_normalized("NFKC", text)


def foreign(text: str) -> str:
    """What is wrong with a text that is not: the first letter that is read as another one."""
    for letter in text:
        if (read := unicodedata.normalize("NFKC", letter)) != letter:
            return f"{letter!r} is read as {read!r}; write that, or another letter"
    return f"letters that belong together are written apart; write {unicodedata.normalize('NFKC', text)!r}"
