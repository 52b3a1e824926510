"""A module of the package with a mistake in its text, for as long as a test looks at it.

Functions keep their identity and get other code, so that whoever imported them makes the mistake, too; plain
numbers of the module are replaced where it looks them up.  Compiled functions of the module are interpreted
meanwhile, when the module itself calls them.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import pytest


@contextmanager
def planted(module: ModuleType, old: str, new: str) -> Iterator[None]:
    """``module`` with ``new`` in the place of ``old``, which stands there once."""
    path = str(module.__file__)
    text = Path(path).read_text(encoding="utf-8")
    assert text.count(old) == 1, f"{path}: {old!r} is there {text.count(old)} times"
    wrong = ModuleType(module.__name__)
    wrong.__dict__.update(__file__=path, __package__=module.__package__)
    exec(compile(text.replace(old, new), path, "exec"), wrong.__dict__)
    mine, theirs = dict(_functions(module)), dict(_functions(wrong))
    before, changes = {}, 0
    with pytest.MonkeyPatch.context() as patch:
        for name, other in vars(wrong).items():
            thing = vars(module).get(name)
            if hasattr(thing, "py_func"):
                patch.setattr(module, name, thing.py_func)
            elif type(thing) in (int, float, str, tuple, Fraction) and thing != other:
                patch.setattr(module, name, other)
                changes += 1
        try:
            for name, function in mine.items():
                if _words(function.__code__) != _words(theirs[name].__code__):
                    before[name] = function.__code__
                    function.__code__ = theirs[name].__code__
                    changes += 1
            assert changes, "the mistake is in no function and no number"
            yield
        finally:
            for name, code in before.items():
                mine[name].__code__ = code


def _words(code: Any) -> tuple[object, ...]:
    """What code does, wherever its lines are."""
    inner = tuple(_words(c) if inspect.iscode(c) else (type(c), c) for c in code.co_consts)
    return code.co_code, code.co_names, code.co_varnames, code.co_freevars, inner


def _functions(module: ModuleType) -> Iterator[tuple[str, FunctionType]]:
    for name, thing in vars(module).items():
        if getattr(thing, "__module__", None) != module.__name__:
            continue
        if inspect.isclass(thing):
            for place, member in vars(thing).items():
                for i, function in enumerate(_inside(member)):
                    yield f"{name}.{place}.{i}", function
        else:
            for i, function in enumerate(_inside(thing)):
                yield f"{name}.{i}", function


def _inside(thing: Any) -> Iterator[FunctionType]:
    if isinstance(thing, property):
        yield from (one for one in (thing.fget, thing.fset) if isinstance(one, FunctionType))
    elif isinstance(thing, cached_property):
        thing = thing.func
    elif isinstance(thing, classmethod | staticmethod):
        thing = thing.__func__
    thing = getattr(thing, "py_func", inspect.unwrap(thing) if callable(thing) else thing)
    if isinstance(thing, FunctionType):
        yield thing
