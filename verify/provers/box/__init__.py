"""The box prover; ``check`` says what it proves, and its other modules how.

From the bottom up: ``leaves`` (one box), ``rules`` (where an expression vanishes), ``rewriting`` (equal
forms), ``search`` (branch and bound), ``places`` (where to look for zeros), ``tactics`` (all around it).
"""

from verify.provers.box.check import Box, part_of, prove_box, vacuous

__all__ = ["Box", "part_of", "prove_box", "vacuous"]
