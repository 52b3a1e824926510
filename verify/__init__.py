"""A checking engine for claims, and its command line.

>>> from verify import Domain, claim
>>> bernoulli = claim("tangent", "the exponential is above its tangent", says="1 + x <= exp(x)",
...                   domain=Domain.of(reals="x"))

It knows nothing about any paper; claims come from elsewhere (``python -m verify verify --claims FILE.py``).
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from verify.claims import (
        Claim,
        Defect,
        Domain,
        Effort,
        Finding,
        Kind,
        Mutant,
        Remark,
        Section,
        Verdict,
        claim,
        decreasing,
        increasing,
        limit,
    )
    from verify.kernel.authoring import Derivation
    from verify.kernel.language import Fact, Setting
    from verify.kernel.terms import Symbol
    from verify.kernel.theorems import Theorem
    from verify.paper import Paper
    from verify.provers.computed import Assumed, Case, Computed, Outcome
    from verify.provers.proof import Proof
    from verify.provers.search import Search
    from verify.provers.statistical import Statistical

# Loaded when asked for: the command line must not pay for SymPy to answer --help.
_HOMES = {
    "verify.claims": "Claim Defect Domain Effort Finding Kind Mutant Remark Section Verdict "
    "claim decreasing increasing limit",
    "verify.kernel.authoring": "Derivation",
    "verify.kernel.language": "Fact Setting",
    "verify.kernel.terms": "Symbol",
    "verify.kernel.theorems": "Theorem",
    "verify.paper": "Paper",
    "verify.provers.computed": "Assumed Case Computed Outcome",
    "verify.provers.proof": "Proof",
    "verify.provers.search": "Search",
    "verify.provers.statistical": "Statistical",
}

__all__ = [
    "Assumed",
    "Case",
    "Claim",
    "Computed",
    "Defect",
    "Derivation",
    "Domain",
    "Effort",
    "Fact",
    "Finding",
    "Kind",
    "Mutant",
    "Outcome",
    "Paper",
    "Proof",
    "Remark",
    "Search",
    "Section",
    "Setting",
    "Statistical",
    "Symbol",
    "Theorem",
    "Verdict",
    "claim",
    "decreasing",
    "increasing",
    "limit",
]


def __getattr__(name: str) -> Any:
    for home, names in _HOMES.items():
        if name in names.split():
            return getattr(import_module(home), name)
    raise AttributeError(f"module 'verify' has no attribute {name!r}")
