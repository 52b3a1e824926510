"""Provers: each returns the strongest verdict it can honestly give, with its evidence."""

from __future__ import annotations

from verify.claims.assertions import Assertion
from verify.claims.claim import Check


def standard_checks(says: Assertion) -> tuple[Check, ...]:
    """The checks of a claim that has a formula and names none: search, then symbolic, then box."""
    from verify.provers.box import Box  # the package is imported by its own parts
    from verify.provers.search import Search  # likewise
    from verify.provers.symbolic import Symbolic  # likewise

    del says
    return (Search(), Symbolic(), Box())
