"""When formulas are read: at once, or when somebody asks for them.

To read a formula is to make SymPy expressions, or terms of the kernel, of a text, which is slow.  Whoever
writes a claim is to hear of a mistake at once, with the line; but of a package of hundreds of claims a
command needs a few.  So inside :func:`deferring` claims and settings keep the words of their author, and
read them when a field is first asked for that needs it; a mistake is found then, and says where it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from typing import Any, TypeVar

_Class = TypeVar("_Class", bound=type)
_deferring = ContextVar("deferring", default=False)


@contextmanager
def deferring() -> Iterator[None]:
    """Claims and settings that are made inside are read later."""
    before = _deferring.set(True)
    try:
        yield
    finally:
        _deferring.reset(before)


class Later(partial[Any]):
    """A value that is not computed yet; called, it is."""


def now_or_later(function: Callable[..., Any], *arguments: Any) -> Any:
    """What the function gives; inside :func:`deferring`, what a field of :func:`lazily` takes for that."""
    later = Later(function, *arguments)
    return later if _deferring.get() else later()


def lazily(*names: str) -> Callable[[_Class], _Class]:
    """A dataclass whose fields of these names may be given as :class:`Later`; they never look like it."""

    def changed(kind: _Class) -> _Class:
        for name in names:
            setattr(kind, name, _Field(name))
        return kind

    return changed


def is_read(thing: Any, name: str) -> bool:
    """Whether the value of the field is there already."""
    return not isinstance(vars(thing)[name], Later)


class _Field:
    """Puts the value in the place of what computes it."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, thing: Any, kind: type | None = None) -> Any:
        if thing is None:
            return self
        try:
            value = vars(thing)[self._name]
        except KeyError:
            raise AttributeError(f"{type(thing).__name__} has no {self._name} yet") from None
        if isinstance(value, Later):
            value = vars(thing)[self._name] = value()
        return value

    def __set__(self, thing: Any, value: Any) -> None:
        vars(thing)[self._name] = value
