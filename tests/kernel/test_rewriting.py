"""Equals for equals: an equation between states has no first side, one between numbers has."""

from __future__ import annotations

import pytest

from verify.kernel.authoring import Derivation
from verify.kernel.language import Setting
from verify.kernel.terms import KernelError, Symbol

D = Derivation(
    Setting.of("equals", "State", {"State": "x y z", "Real": "s t u"}, [Symbol("f", ("State",), "Real")], {})
)


@pytest.mark.parametrize(
    ("have", "template", "want"), [("x", "f(z) == f(x)", "y"), ("y", "f(z) == f(y)", "x")]
)
def test_states_are_replaced_in_either_direction(have, template, want):
    moved = D.rewrite(D.assume("x == y"), D.linear(f"f({have}) == f({have})"), "z", template)
    assert moved.says is D.formula(f"f({want}) == f({have})")


def test_numbers_are_replaced_from_left_to_right():
    with pytest.raises(KernelError, match="rewrite: the template gives"):
        D.rewrite(D.assume("s == t"), D.linear("t == t"), "u", "u == t")
