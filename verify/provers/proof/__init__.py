"""One prover: ``check`` says what it proves, and its other modules how.

From the bottom up: ``leaves`` (one box), ``state`` (of a search, and what rules share), ``algebra``,
``rewriting``, ``calculus`` and ``boxes`` (the rules), ``rules`` (their order), ``identities``, ``ends``,
``limits`` and ``monotone`` (other claims), ``derivation`` (a proof in words).
"""

from verify.provers.proof.check import Proof
from verify.provers.proof.rules import prove

__all__ = ["Proof", "prove"]
