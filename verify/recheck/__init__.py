"""A second, small checker of what the provers wrote down: ``python -m verify.recheck FILE.json [LABEL ...]``.

It reads a certificate in the language of ``docs/proofs.md``, a witness, or the whole document of
``ctucbvi verify --json``, and shares no code with the provers.  From the bottom up: ``intervals`` (rational
ends, open or closed), ``functions`` (mpmath with guard bits), ``series`` (power series of intervals over a
box, which also decide where an expression is continuous or smooth), ``reading`` (its own parser),
``identities`` (SymPy, cross-checked at points), ``goals`` and ``rules`` (the language), ``documents``.
What it cannot decide it complains about; it never accepts.
"""

from verify.recheck.documents import recheck

__all__ = ["recheck"]
