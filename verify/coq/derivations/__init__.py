"""Derivations for Coq: a section with the setting, a lemma for each step, the theorem of the claim.

From the bottom up: ``words`` (the language in Coq), ``rings``, ``reciprocals``, ``indicators``, ``sums`` and
``same`` (that a term is its normal form), ``steps``, ``logic`` and ``numbers`` (a tactic for each rule),
``files``.  The rules are the lemmas of ``Derivations.v``.  Conclusions are those that the checker computes;
Coq decides.
"""
