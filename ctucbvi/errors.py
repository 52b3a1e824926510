"""Errors that are meant to be read.

Everything a caller can do wrong raises an :class:`InputError`: one line that says
what is wrong, where, and what to write instead.  The command line prints that line
and exits with status 2.
"""

from typing import Any

from verify.errors import UserError


class InputError(UserError):
    """Bad input: the message is one line naming the place and the remedy."""


class ModelError(InputError):
    """A model that is not a CTMDP: a negative rate, a row that does not sum to 1, ..."""


class PolicyError(InputError):
    """A policy that does not fit its model: a gap in time, an action not on offer, ..."""


class UndecidedError(Exception):
    """The budget ran out before the answer was known; which is not the same as "no".

    ``known`` is what is proved all the same (of a planner: a solution with wide enclosures), or None.
    """

    def __init__(self, message: str, known: Any = None) -> None:
        super().__init__(message)
        self.known = known
