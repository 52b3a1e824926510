"""What is made of a model is kept as long as there is the model."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar
from weakref import ref

from ctucbvi.model.ctmdp import CTMDP

Found = TypeVar("Found")


def while_it_lives(make: Callable[[CTMDP], Found]) -> Callable[[CTMDP], Found]:
    """Keep what is made of a model as long as there is the model, since neither can change.

    What is kept must not hold the model, which would live for ever.
    """
    kept: dict[int, tuple[ref[CTMDP], Found]] = {}

    def of(model: CTMDP) -> Found:
        key = id(model)  # an equal model has the same numbers, but to compare all of them takes long
        known = kept.get(key)
        if known is None or known[0]() is not model:
            known = kept[key] = ref(model, lambda _: kept.pop(key, None)), make(model)
        return known[1]

    return of
