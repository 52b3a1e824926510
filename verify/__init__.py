"""A checking engine for claims, and the command line.

>>> from verify import Domain, claim
>>> bernoulli = claim("tangent", "the exponential is above its tangent", says="1 + x <= exp(x)",
...                   domain=Domain.of(reals="x"))

It knows nothing about any paper; claims come from elsewhere (``ctucbvi verify --claims FILE.py``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from verify.claims import Claim, Domain, Effort, Finding, Kind, Verdict, claim, decreasing, increasing, limit
    from verify.provers.box import Box
    from verify.provers.computed import Assumed, Case, Computed, Outcome
    from verify.provers.search import Search
    from verify.provers.statistical import Statistical
    from verify.provers.symbolic import Symbolic

# Loaded when asked for: the command line must not pay for SymPy to answer --help.
_HOMES = {
    **dict.fromkeys(
        ("Claim", "Domain", "Effort", "Finding", "Kind", "Verdict", "claim", "decreasing", "increasing", "limit"),
        "verify.claims",
    ),
    "Box": "verify.provers.box",
    **dict.fromkeys(("Assumed", "Case", "Computed", "Outcome"), "verify.provers.computed"),
    "Search": "verify.provers.search",
    "Statistical": "verify.provers.statistical",
    "Symbolic": "verify.provers.symbolic",
}

__all__ = [
    "Assumed",
    "Box",
    "Case",
    "Claim",
    "Computed",
    "Domain",
    "Effort",
    "Finding",
    "Kind",
    "Outcome",
    "Search",
    "Statistical",
    "Symbolic",
    "Verdict",
    "claim",
    "decreasing",
    "increasing",
    "limit",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'verify' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
