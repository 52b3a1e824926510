"""Loading claims: the modules of a package, found by discovery, or one file of somebody else's.

A module that holds a :class:`~verify.claims.Section`, or ``CLAIMS``, a sequence of claims, is a module of
claims; any other is a helper.  A file must have claims, and is run as ``python FILE.py`` would run it: what
stands beside it can be imported.  A package may name its modules in ``ORDER``; the others come after them,
in alphabetical order.

What the authors say about a claim is its ``finding``, or stands under its label in ``FINDINGS``; what they
say is wrong with the paper, by root cause, stands in ``DEFECTS``, and what the paper is in ``PAPER``.

A module may also have ``SUITES``: by name, a function that makes claims about something of the user's (the
name of a file, or ``None``) with a given number of examples (``None``: as many as the checks like).
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import pkgutil
import sys
import traceback
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import ModuleType
from typing import Any

from verify.claims import Claim, ClaimError, ClaimSet, Defect, Remark, Section, fitting
from verify.paper import NO_PAPER, Paper
from verify.reading import deferring
from verify.running.inputs import Seen, watching
from verify.source import Source

_MODULE = "claims_of_file"  # the name a claims file runs under


@dataclass(frozen=True)
class Commentary:
    """What the authors say beside the claims: about single ones, by root cause, and about the paper."""

    remarks: Mapping[str, Remark] = field(default_factory=dict)  # by label
    defects: Sequence[Defect] = ()  # gravest first
    paper: Paper = NO_PAPER

    def defect_of(self, label: str) -> Defect | None:
        """The defect that a claim belongs to."""
        return next((one for one in self.defects if label in one.claims), None)


def load_commentary(source: Source) -> Commentary:
    """All of it; there are no defects of suites and of mutants."""
    modules = _modules_of(source)
    defects = [] if source.suites or source.mutants else _defects(modules, source)
    return Commentary(_remarks(modules, source), defects, _paper(modules))


def load_claims(source: Source, places: Mapping[str, str] | None = None) -> ClaimSet:
    """All claims of the source, which must fit together; whatever they print goes to stderr.

    Where it is known which are wanted, and in which modules they are, nothing else is loaded.
    """
    modules = _modules_of(source, None if places is None else dict.fromkeys(places.values()))
    if source.suites:
        return ClaimSet(_claims_of_suites(modules, source))
    every = [claim for module in modules for claim in _claims_of(module, source)]
    if places is not None:
        every = [claim for claim in every if claim.label in places]
    if not every:
        raise ClaimError(f"{source}: no claims found; write CLAIMS = [claim(...), ...]")
    if not source.mutants:
        return ClaimSet(every)
    mutants = ClaimSet(replace(one.mutant.applied(one), uses=()) for one in every if one.mutant)
    if not len(mutants):
        raise ClaimError(f"{source}: no mutants found; write claim(..., mutant='...')")
    return mutants


def load_remarks(source: Source) -> dict[str, Remark]:
    """What the authors of the claims say about them."""
    return _remarks(_modules_of(source), source)


def load_defects(source: Source) -> list[Defect]:
    """What is wrong with the paper, by root cause and gravest first; it must fit the claims."""
    return _defects(_modules_of(source), source)


def load_paper(source: Source) -> Paper:
    """What the claims are about; a paper without a title or numbers if they do not say."""
    return _paper(_modules_of(source))


def suite_names(source: Source) -> list[str]:
    """The property suites of the source."""
    return sorted(name for module in _modules_of(source) for name in getattr(module, "SUITES", {}))


def _modules_of(source: Source, names: Iterable[str] | None = None) -> list[ModuleType]:
    """The file, or the modules of the package: all, or these."""
    with contextlib.redirect_stdout(sys.stderr):
        if source.file:
            return [_run_file(Path(source.file), source)]
        with deferring():
            return list(_modules(source.package)) if names is None else list(map(_module, names))


def _claims_of_suites(modules: Sequence[ModuleType], source: Source) -> Iterator[Claim]:
    for module in modules:
        for name, build in getattr(module, "SUITES", {}).items():
            if name in source.suites:
                where = str(source) if source.file else module.__name__
                yield from (c.found_in(where) for c in build(source.subject, source.examples))


def _remark(label: str, remark: Any, where: str) -> Remark:
    try:
        return Remark(**remark)
    except (TypeError, ClaimError) as error:
        raise ClaimError(f"{where}: FINDINGS[{label!r}]: {error}") from None


def _remarks(modules: Sequence[ModuleType], source: Source) -> dict[str, Remark]:
    every = () if source.suites else (one for module in modules for one in _claims_of(module, source))
    found = {one.label: one.finding for one in every if one.finding is not None}
    for module in modules:
        for label, remark in getattr(module, "FINDINGS", {}).items():
            found[label] = _remark(label, remark, module.__name__)
    return found


def _defects(modules: Sequence[ModuleType], source: Source) -> list[Defect]:
    found: list[Defect] = []
    for module in modules:
        where = str(source) if source.file else module.__name__
        for i, defect in enumerate(getattr(module, "DEFECTS", ())):
            if not isinstance(defect, Defect):
                raise ClaimError(f"{where}: DEFECTS[{i}] is a {type(defect).__name__}; write Defect(...)")
            found.append(defect)
    if not found:
        return []
    return fitting(found, ClaimSet(one for module in modules for one in _claims_of(module, source)))


def _paper(modules: Sequence[ModuleType]) -> Paper:
    found = (getattr(module, "PAPER", None) for module in modules)
    return next((paper for paper in found if isinstance(paper, Paper)), NO_PAPER)


def _claims_of(module: ModuleType, source: Source) -> Iterator[Claim]:
    where = str(source) if source.file else module.__name__
    sections = [thing for thing in vars(module).values() if isinstance(thing, Section)]
    made = [claim for section in sections for claim in section.claims]
    yield from (claim.found_in(where) for claim in made)
    found = getattr(module, "CLAIMS", None)
    if found is None and (made or not source.file):
        return
    if not isinstance(found, Sequence):
        what = "no CLAIMS" if found is None else f"CLAIMS that is a {type(found).__name__}"
        raise ClaimError(f"{where}: has {what}; write CLAIMS = [claim(...), ...]")
    for i, claim in enumerate(found):
        if not isinstance(claim, Claim):
            raise ClaimError(f"{where}: CLAIMS[{i}] is a {type(claim).__name__}; write claim(...)")
        if not any(claim is one for one in made):
            yield claim.found_in(where)


# --- a package -------------------------------------------------------------------------------


def _module(name: str) -> ModuleType:
    spec = importlib.util.find_spec(name)
    if spec is None:
        raise ClaimError(f"package {name!r} is not installed; name a file with --claims FILE.py")
    try:
        return importlib.import_module(name)
    except (Exception, SystemExit) as error:
        raise ClaimError(_blame(error, Path(spec.origin or name), name)) from None


def _modules(name: str) -> Iterator[ModuleType]:
    """The package and all its modules, in its own order or in alphabetical order."""
    module = _module(name)
    yield module
    found = [info.name for info in pkgutil.iter_modules(getattr(module, "__path__", ()))]
    if found:
        first = [inner for inner in getattr(module, "ORDER", ()) if inner in found]
        for inner in dict.fromkeys([*first, *found]):
            yield from _modules(f"{name}.{inner}")


# --- a file ----------------------------------------------------------------------------------

_read: list[Seen] = []  # of the last file: what it read when it was run
_loaded: dict[str, set[str]] = {}  # folder of the last file: the modules that came from there


def read_at_load() -> Seen | None:
    """What the file of claims read when it was run, if there is one."""
    return _read[-1] if _read else None


def _run_file(path: Path, source: Source) -> ModuleType:
    if path.suffix != ".py" or not path.is_file():
        fault = "no such file" if not path.exists() else "is not a Python file"
        raise ClaimError(f"--claims {path}: {fault}; write a file like mine.py")
    _forget_last_file()
    module = ModuleType(_MODULE)
    module.__file__ = str(path)
    before = set(sys.modules)
    sys.modules[_MODULE] = module  # dataclasses look their module up
    sys.path.insert(0, str(path.parent))
    written, sys.dont_write_bytecode = sys.dont_write_bytecode, True  # no litter in a user's folder
    try:
        with watching(source) as seen:
            _read[:] = [seen]
            exec(compile(path.read_bytes(), str(path), "exec"), module.__dict__)
    except (Exception, SystemExit) as error:
        raise ClaimError(_blame(error, path, path.name)) from None
    finally:
        sys.dont_write_bytecode = written
        _loaded[str(path.parent)] = {
            name for name in set(sys.modules) - before if _is_in(sys.modules[name], path.parent)
        }
    return module


def _forget_last_file() -> None:
    """Another file may have helpers of the same names, and the same one may have changed."""
    for folder, names in _loaded.items():
        if folder in sys.path:
            sys.path.remove(folder)
        for name in names:
            sys.modules.pop(name, None)
    _loaded.clear()


def _is_in(module: ModuleType, folder: Path) -> bool:
    file = getattr(module, "__file__", None)
    return file is not None and Path(file).is_relative_to(folder)


def _blame(error: BaseException, path: Path, name: str) -> str:
    """One line: what the file is called, the line in it, and what went wrong there."""
    if isinstance(error, SyntaxError):
        return f"{Path(error.filename or path).name}, line {error.lineno}: {error.msg}"
    lines = [
        frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)
    ]
    text = " ".join(str(error).split())
    what = text if isinstance(error, ClaimError) else f"{type(error).__name__}: {text}"
    return f"{name}, line {lines[-1]}: {what}" if lines else f"{name}: {what}"
