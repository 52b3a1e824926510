"""The symbolic prover; ``check`` says what it proves, and its other modules how.

From the bottom up: ``search`` (the state of a search, and what rules share), ``algebra`` and ``calculus``
(the rules), ``identities``, ``monotone`` and ``limits`` (other claims), ``derivation`` (a proof in words).
"""

from verify.provers.symbolic.check import Symbolic, prove

__all__ = ["Symbolic", "prove"]
