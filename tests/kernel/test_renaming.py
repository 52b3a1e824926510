"""Renaming a variable gives what putting the new one in gives, without taking binders apart."""

from __future__ import annotations

import pytest

from proofs_checks.derivations.setting import PAPER
from verify.kernel import terms


@pytest.mark.parametrize("name", PAPER.facts)
def test_renamed_is_substituted(name):
    formula = PAPER.facts[name].formula
    for x in formula.free:
        new = terms.fresh(x.sort)
        assert terms.renamed(formula, x, new) is terms.substitute(formula, {x: new})
