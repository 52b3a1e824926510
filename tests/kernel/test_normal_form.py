"""The normal form changes no value: texts as they are written against what the kernel makes of them."""

from __future__ import annotations

from random import Random

import pytest

from tests.kernel import texts
from tests.kernel.numbers import Undecided, equal
from tests.kernel.texts import SETTING, Writer
from tests.kernel.worlds import assignments
from verify.kernel.language import show
from verify.kernel.terms import KernelError, fresh, renamed, substitute


def differs(seed: int) -> str | None:
    """One text; "" if it could not be compared, what differs otherwise, None if nothing does."""
    rng = Random(seed)
    writer = Writer(rng)
    scope = writer.scope()
    text = writer.real(rng.choice([3, 3, 4]), scope)
    try:
        term = SETTING.term(text)
    except KernelError:
        return ""
    if {x.parts[0] for x in term.free} - {*scope, "a"}:
        return f"{seed}: {text} has a new variable"
    shown = show(term)
    if SETTING.term(shown) is not term:
        return f"{seed}: {shown} is read as {show(SETTING.term(shown))}"
    for x in term.free:
        new = fresh(x.sort)
        if renamed(term, x, new) is not substitute(term, {x: new}):
            return f"{seed}: {shown} depends on how {show(x)} is called"
    compared = False
    place = texts.world(rng)
    for env in assignments(place, sorted({*scope, "a"}), 2):
        for w in place.outcomes:
            try:
                written, normal = place.value(text, env, w), place.value(shown, env, w)
            except Undecided:
                continue
            if equal(written, normal) is False:
                return f"{seed}: {text} = {written}, but {shown} = {normal} at {w}, {env}"
            compared = True
    return None if compared else ""


def compare(seeds: range) -> int:
    """The number of texts that were compared; complains about the first that differs."""
    count = 0
    for seed in seeds:
        found = differs(seed)
        assert not found, found
        count += found is None
    return count


def test_the_normal_form_has_the_same_value():
    assert compare(range(900)) > 800


@pytest.mark.thorough
def test_the_normal_form_has_the_same_value_often():
    assert compare(range(10_000, 60_000)) > 40_000
