"""The textbook facts that a derivation may use: their exact words and their symbols.

An axiom is ``{"says": formula, "symbols": [...]}``; its variables are numbered ones (``Nat_0``, ``Real_1``),
and its symbols are generic: they stand for every function of their kind.  A derivation that words one
differently is not believed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

AXIOMS: Mapping[str, Mapping[str, Any]] = {}
