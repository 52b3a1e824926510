"""Derivations re-checked: the language and the rules of ``docs/derivations.md``, with code of its own.

From the bottom up: ``trees`` (terms without names of bound variables), ``languages``, ``reading`` (settings,
texts), ``polynomials``, ``sight`` (what is seen from the form: known, tame, floors), ``putting``
(substitution), ``canon`` (the normal form), ``workbench``, ``logic``, ``analysis``, ``elementary`` (the
rules), ``checking``, and ``references`` (lemmas and proved relations of a document).
"""

from verify.recheck.derivations.checking import check_derivation

__all__ = ["check_derivation"]
