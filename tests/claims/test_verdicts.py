"""What is expected to be proved is proved, by the provers alone and with proofs that the checker accepts."""

from __future__ import annotations

import pytest

from tests.claims.proofs import PROVED, found, in_turn


@pytest.mark.parametrize("label", in_turn(PROVED, 6))
def test_it_is_proved(label):
    result = found(label)
    assert (result.verdict, result.error) == ("proved", None)


def test_there_are_many():
    assert len(PROVED) > 120
