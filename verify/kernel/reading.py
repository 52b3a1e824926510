"""Python's syntax of a text, for all that the kernel reads."""

from __future__ import annotations

import ast

from verify.kernel.numbers import KernelError
from verify.recheck.letters import foreign, normal


def tree_of(text: str) -> ast.expr:
    """The syntax of one expression; nothing is run, and no letter stands for another."""
    if not normal(text):
        raise KernelError(f"{text!r}: {foreign(text)}")
    try:
        return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        raise KernelError(f"{text!r} is not a formula") from None
