"""What a result depends on, as one number: equal keys promise equal results.

A key is the SHA-256 of the claim's data, the effort, the versions of the packages that compute, and
the text of every module of ours that can take part: the module that defines the claim, the engine,
and what these import, directly or not.  Imports are read from the syntax tree, those inside
functions included, so nothing is executed to find them.  "Ours" is this package, that of the claims, those
that the source of the claims names, whatever stands beside a user's file, and the other folders from which
Python imports, but for its own library and installed packages.

What else a check reads (a module imported by a computed name, a data file) is noticed while it runs, and
then its result is not kept (:mod:`verify.running.inputs`).
"""

from __future__ import annotations

import ast
import contextlib
import hashlib
import importlib.util
import json
import os
import platform
import re
import sys
import sysconfig
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import lru_cache, partial
from importlib.metadata import PackageNotFoundError, packages_distributions, version
from numbers import Number
from pathlib import Path
from types import CodeType, FunctionType, MethodType
from typing import Any

import numpy

from verify.claims import Claim, Effort
from verify.claims.texts import describe
from verify.source import Source

PACKAGES = ("sympy", "python-flint", "mpmath", "numpy", "hypothesis", "numba")
_SETTLED = 2 * 10**9  # nanoseconds, after which a file that is written again has another time
_INSTALLED = ("site-packages", "dist-packages")
_ENGINE = "verify.running.engine"
_WORD = re.compile(rb"\bimport\b")
_IMPORT = re.compile(
    rb"^[ \t]*(?:import[ \t]|from[ \t]+[\w.]+[ \t]+import\b)(?:[ \t]*\([^)]*\))?[^\n\r]*", re.MULTILINE
)
_CONTINUED, _QUOTE = re.compile(rb"\\[\n\r]"), re.compile(rb"[\"'\\]")
_CODING = re.compile(rb".*(?:\n|\r).*coding|.*coding")  # in the first two lines
_DEEPEST = 20  # data inside of data
_ADDRESS: Any = object.__repr__  # says the class and the address, and nothing else


Mark = tuple[int, int, int]  # time, size and number of a file


@lru_cache(maxsize=1)
def versions() -> dict[str, str]:
    """The versions of Python and of the packages that compute."""
    found = {"python": platform.python_version()}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:  # pragma: no cover - all of them are requirements
            found[name] = "absent"
    return found


@lru_cache(maxsize=1000)
def _version(module: str) -> str | None:
    """Of what is installed and has this module; nothing if it is not installed."""
    for name in (module, *_distributions().get(module, ())):
        with contextlib.suppress(PackageNotFoundError, ValueError):
            return version(name)
    return None


@lru_cache(maxsize=1)
def _distributions() -> Mapping[str, list[str]]:
    return packages_distributions()


class Fingerprints:
    """The keys of the claims of one source; every file is read once, when it is first needed."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._ours = ("verify", *source.code, *filter(None, [source.package]))
        self._roots = list(dict.fromkeys(_roots(self._ours)))
        self._searched = list(_searched())
        self._read: dict[str, tuple[str, tuple[str, ...]] | None] = {}  # by name: digest, imports
        self._summed: dict[tuple[str, ...], str] = {}  # by where one begins: the digest of all of it
        self._listed: dict[Path, frozenset[str]] = {}  # by folder: what is in it
        self._marks: dict[Path, Mark | None] = {}  # of all that was read and listed, from before that

    @property
    def current(self) -> bool:
        """Whether no file or folder has changed since it was read, as far as its marks tell for certain."""
        return all(mark is not None and mark == _mark(path) for path, mark in self._marks.items())

    @property
    def files(self) -> list[Path]:
        """All files whose text is in a key that was made."""
        return [path for path in self._marks if path.suffix == ".py"]

    def key(self, claim: Claim, effort: Effort) -> str:
        """The key of the claim's result, from the claim as it was loaded.

        A check that has run may look different: a deferred strategy of Hypothesis does.
        """
        s = self._source
        parts = {
            "claim": _claim_data(claim),
            "globals": self._globals(claim),
            "effort": [effort.profile, effort.seed, str(effort.error)],
            "run": [s.mutants, s.suites, s.subject, s.examples, sys.flags.optimize],
            "sources": self._sum(claim),
            "versions": {**versions(), **self._installed()},
        }
        return _digest(parts)

    def ground(self, claim: Claim) -> str:
        """What may change under a running check: the text of the modules, what the claim says, globals."""
        return _digest([_texts(claim), self._sum(claim), self._globals(claim)])

    def _installed(self) -> dict[str, str]:
        """The versions of the installed packages that the user's file and what is beside it import."""
        if self._source.folder is None:
            return {}
        every = {name.split(".")[0] for _, names in filter(None, self._read.values()) for name in names}
        others = every - set(sys.stdlib_module_names) - set(self._ours)
        return {name: found for name in sorted(others) if (found := _version(name)) is not None}

    def _globals(self, claim: Claim) -> Any:
        """The data that the user's checks find under global names: a file may have computed them, or a check.

        Of a package they are in its text, or made anew in each process that runs its checks.
        """
        if self._source.folder is None:
            return None
        found: dict[str, Any] = {}
        waiting: list[Any] = [*claim.checks]
        if claim.derivation is not None:
            waiting.append(claim.derivation)
        seen: set[int] = set()
        while waiting:
            thing = waiting.pop()
            if id(thing) in seen:
                continue
            seen.add(id(thing))
            waiting += _inner(thing)
            if isinstance(thing, FunctionType) and self._is_users(thing):
                for name in sorted(_names(thing.__code__)):
                    value = thing.__globals__.get(name)
                    if isinstance(value, FunctionType | type | partial):
                        waiting.append(value)
                    elif (data := _data(value)) is not None:
                        found[f"{thing.__module__}.{name}"] = data
        return sorted(found.items())

    def _is_users(self, function: FunctionType) -> bool:
        file = Path(function.__code__.co_filename)
        return self._source.folder is not None and file.is_relative_to(self._source.folder)

    def read(self, claims: Iterable[Claim]) -> None:
        """Read all that takes part in checking these claims now, and not when it is asked for."""
        for claim in claims:
            self._sum(claim)

    def _sum(self, claim: Claim) -> str:
        """All sources of a claim as one number; many claims have the same ones."""
        start = self._start(claim)
        if start not in self._summed:
            self._summed[start] = _digest(self.sources(*start))
        return self._summed[start]

    def sources_of(self, claim: Claim) -> dict[str, str]:
        """The digest of each of our modules that can take part in checking the claim."""
        return self.sources(*self._start(claim))

    def beside(self, *claims: Claim) -> dict[str, bytes]:
        """The user's file and what stands beside it and takes part, by the places in that folder."""
        folder = self._source.folder
        if folder is None:
            return {}
        names = {name for claim in claims for name in self.sources_of(claim)}
        others = (name for name in names if name.split(".")[0] not in self._ours)
        files = [path for name in others if (path := self._find(name)) and path.is_relative_to(folder)]
        return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}

    def _start(self, claim: Claim) -> tuple[str, str]:
        return "" if self._source.file else claim.module, _ENGINE

    def sources(self, *modules: str) -> dict[str, str]:
        """The digest of each of our modules that these import, and of these; "" is the user's file."""
        found: dict[str, str] = {}
        seen, waiting = set(modules), list(modules)
        while waiting:
            name = waiting.pop()
            if name not in self._read:
                self._read[name] = self._facts(name)
            if (facts := self._read[name]) is not None:
                found[name], imported = facts
                waiting.extend(set(imported) - seen)
                seen.update(imported)
        return found

    def _facts(self, name: str) -> tuple[str, tuple[str, ...]] | None:
        """The digest of a module and what it imports; nothing if it is not ours."""
        path = self._find(name)
        if path is None:
            return None
        self._marks[path] = _mark(path)
        text = path.read_bytes()
        package = name if path.name == "__init__.py" else name.rpartition(".")[0]
        return hashlib.sha256(text).hexdigest(), _imports(text, package)

    def _find(self, name: str) -> Path | None:
        """The file of a module of ours, or nothing."""
        if not name:
            return Path(self._source.file)
        *above, last = name.split(".")
        roots = [] if self._source.folder is None else [self._source.folder]
        if name.split(".")[0] in self._ours:
            roots.extend(self._roots)
        roots.extend(self._searched)
        files = (file for root in dict.fromkeys(roots) for file in self._files(root.joinpath(*above), last))
        return next((file for file in files if file.is_file()), None)

    def _files(self, folder: Path, name: str) -> Iterator[Path]:
        """Where the module is if it is in the folder; most names are of something else than a module."""
        if folder not in self._listed:
            self._marks[folder] = _mark(folder)
            try:
                self._listed[folder] = frozenset(os.listdir(folder))
            except OSError:
                self._listed[folder] = frozenset()
        if name in self._listed[folder]:
            yield folder / name / "__init__.py"
        if f"{name}.py" in self._listed[folder]:
            yield folder / f"{name}.py"


def _data(value: Any, depth: int = 0) -> Any:
    """Numbers, texts and what is made of them; other things may look different once they are used."""
    if isinstance(value, bool | int | float | complex | str | bytes | Number):
        return repr(value)
    if isinstance(value, numpy.ndarray):
        return [value.shape, str(value.dtype), hashlib.sha256(value.tobytes()).hexdigest()]
    if isinstance(value, Mapping | list | tuple | set | frozenset) and depth < _DEEPEST:
        every = value.items() if isinstance(value, Mapping) else value
        parts = [_data(item, depth + 1) for item in every]
        return sorted(parts, key=repr) if isinstance(value, Mapping | set | frozenset) else parts
    return None


def _inner(thing: Any) -> list[Any]:
    """Functions, and what may hold some, inside of a check."""
    if isinstance(thing, partial):
        return [thing.func, *thing.args, *thing.keywords.values()]
    if isinstance(thing, MethodType):
        return [thing.__func__, thing.__self__]
    if isinstance(thing, FunctionType):
        return [*_cells(thing), getattr(thing, "__wrapped__", None)]
    if isinstance(thing, list | tuple):
        return list(thing)
    if isinstance(thing, type):
        return [value for value in vars(thing).values() if isinstance(value, FunctionType)]
    if is_dataclass(thing) or hasattr(thing, "run"):
        return [type(thing), *vars(thing).values()] if hasattr(thing, "__dict__") else [type(thing)]
    return []


def _names(code: CodeType) -> set[str]:
    """All names that the code asks for, and the functions inside it."""
    inner = (one for one in code.co_consts if isinstance(one, CodeType))
    return set(code.co_names).union(*map(_names, inner))


def _mark(path: Path) -> Mark | None:
    """What changes with a file; ``None`` if it has just been written: it may be again, within a tick."""
    try:
        found = os.stat(path)
    except OSError:
        return 0, 0, 0  # not there
    settled = time.time_ns() - found.st_mtime_ns > _SETTLED
    return (found.st_mtime_ns, found.st_size, found.st_ino) if settled else None


def _searched() -> Iterator[Path]:
    """The folders of Python's search path that hold neither its library nor installed packages."""
    paths = sysconfig.get_paths()
    installed = {Path(paths[key]).resolve() for key in ("stdlib", "platstdlib", "purelib", "platlib")}
    for entry in dict.fromkeys(sys.path):
        place = Path(entry).resolve()
        above = {place, *place.parents}
        inside = not installed.isdisjoint(above) or any(p.name in _INSTALLED for p in above)
        if place.is_dir() and not inside:
            yield place


def _roots(packages: tuple[str, ...]) -> Iterator[Path]:
    """The folders in which these packages are."""
    for name in packages:
        spec = importlib.util.find_spec(name)
        for place in (spec and spec.submodule_search_locations) or ():
            yield Path(place).parent


def _import_statements(text: bytes) -> Iterator[ast.AST]:
    """The nodes of a syntax tree with all imports of ``text``, and perhaps some of a text in quotes.

    A whole tree is slow to build.  Where every word ``import`` is in a statement that begins a line, and
    these can be read by themselves, without a quote that would hide one, the tree of these has them all.
    """
    found = [line.strip() for line in _IMPORT.findall(text)]
    lines = b"\n".join(found)
    plain = not (_CODING.match(text) or _CONTINUED.search(text) or _QUOTE.search(lines))
    if plain and len(_WORD.findall(lines)) == len(_WORD.findall(text)):
        with contextlib.suppress(SyntaxError, ValueError):
            return ast.walk(ast.parse(lines))
    try:
        return ast.walk(ast.parse(text))
    except (SyntaxError, ValueError):  # it cannot be imported either
        return iter(())


@lru_cache(maxsize=2000)
def _imports(text: bytes, package: str) -> tuple[str, ...]:
    """The names that importing ``text`` may import: modules, their packages, and names in them."""
    names: set[str] = set()
    for node in _import_statements(text):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            names.add(base)
            names.update(f"{base}.{alias.name}" for alias in node.names)
    every = {name[:i] for name in names for i in range(1, len(name) + 1) if name[i : i + 1] in (".", "")}
    return tuple(sorted(every))


def _digest(parts: Any) -> str:
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def _claim_data(claim: Claim) -> Any:
    """What the checks can see of a claim, and they themselves."""
    return [_texts(claim), canonical(claim.checks), _derivation_data(claim)]


def _texts(claim: Claim) -> Any:
    """What a claim says; what is expected has no influence and is left out."""
    says = None if claim.says is None else [type(claim.says).__name__, claim.says.text()]
    names = {name: r.text(name) for name, r in claim.domain.ranges.items()}
    texts = [claim.label, claim.statement, claim.source, str(claim.kind), claim.latex, claim.argued]
    domain = [names, claim.domain.texts(), claim.domain.integers]
    return [texts, says, domain, list(claim.uses)]


def _derivation_data(claim: Claim) -> Any:
    """What a derivation starts from: its setting, and what the claims say that it uses."""
    if claim.derivation is None or claim.setting is None:
        return None
    others = [] if claim.among is None else [describe(claim.among[label]) for label in claim.uses]
    return [claim.theorem, canonical(claim.derivation), claim.setting.data(), others]


def canonical(thing: Any, above: tuple[int, ...] = ()) -> Any:
    """Data that is equal for equal things in every process: no addresses, no order of sets."""
    if thing is None or isinstance(thing, str | int | float):
        return thing if not isinstance(thing, Enum) else [_name(type(thing)), thing.value]
    if id(thing) in above:
        return "above"
    inner = partial(canonical, above=(*above, id(thing)))
    if isinstance(thing, Mapping):
        return sorted(([inner(key), inner(value)] for key, value in thing.items()), key=repr)
    if isinstance(thing, set | frozenset):
        return sorted((inner(item) for item in thing), key=repr)
    if isinstance(thing, list | tuple):
        return [inner(item) for item in thing]
    if isinstance(thing, type):
        return _name(thing)
    if isinstance(thing, FunctionType):
        given = [inner(_cells(thing)), inner(thing.__defaults__), inner(thing.__kwdefaults__)]
        return [_name(thing), _code(thing.__code__), *given, _data(vars(thing))]
    if isinstance(thing, partial):
        return [inner(thing.func), inner(thing.args), inner(thing.keywords)]
    if is_dataclass(thing):
        return [_name(type(thing)), *([f.name, inner(getattr(thing, f.name))] for f in fields(thing))]
    if isinstance(thing, MethodType):
        return [inner(thing.__func__), inner(thing.__self__)]
    if callable(thing) and hasattr(thing, "__qualname__"):  # compiled, or around another one
        return [_name(thing), inner(getattr(thing, "__wrapped__", None))]
    if isinstance(thing, numpy.ndarray):
        return _data(thing)
    return [_name(type(thing)), _data(getattr(thing, "__dict__", None)) if _bare(thing) else repr(thing)]


def _bare(thing: Any) -> bool:
    return type(thing).__repr__ is _ADDRESS


def _code(code: CodeType) -> list[Any]:
    """What a function does, wherever it stands: two of one name may be two."""
    inner = [_code(c) if isinstance(c, CodeType) else _constant(c) for c in code.co_consts]
    return [code.co_code.hex(), list(code.co_names), inner]


def _constant(value: Any) -> Any:
    return sorted(map(repr, value)) if isinstance(value, frozenset) else repr(value)


def _cells(function: FunctionType) -> list[Any]:
    """The values that a function has taken along from where it was defined."""
    values = []
    for cell in function.__closure__ or ():
        with contextlib.suppress(ValueError):  # not assigned yet
            values.append(cell.cell_contents)
    return values


def _name(thing: Any) -> str:
    return f"{thing.__module__}.{thing.__qualname__}"
