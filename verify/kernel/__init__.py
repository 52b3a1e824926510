"""A kernel in the LCF style: theorems that only its rules can make, and derivations that others can check.

``numbers`` (sorts, symbols, numbers in normal form), ``formulas``, ``terms`` (both, with binders and
substitution), ``operators`` (sums, integrals and means in normal form), ``levels`` and ``measure`` (what is
bounded, what is known when), ``language`` (settings and texts), ``theorems`` (the rules of logic),
``goals`` (the inequalities of the provers), ``calculus`` (the rules about numbers and operators).  These
are trusted, and only these; ``authoring`` and ``multipliers`` make their use short.  docs/derivations.md says
what everything means, and why each rule is sound.
"""
