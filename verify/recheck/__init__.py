"""A second, small checker of what the provers wrote down: ``python -m verify.recheck FILE.json [LABEL ...]``.

It reads a certificate in the language of ``docs/proofs.md``, a derivation in that of
``docs/derivations.md``, a witness, or the whole document of ``verify --json``; it shares no code with the
provers, and no library that decides anything. From the bottom up: ``intervals`` (rational ends, open or
closed), ``terms``, ``derivatives``, ``quotients``, ``roots`` (Sturm), ``functions`` (mpmath with guard
bits), ``series`` (power series of intervals over a box, which also decide where a formula is continuous or
smooth), ``putting`` (values put in, and what they may not cancel), ``reading`` (its own parser),
``algebra`` and ``identities`` (the normal form), ``germs`` (limits), ``goals``, ``rules`` and
``certificates`` (the language), ``magnitudes``, ``witnesses``, ``statements``, ``derivations`` (a package)
and ``documents``. What it cannot decide it complains about; it never accepts.
"""

from verify.recheck.documents import recheck

__all__ = ["recheck"]
