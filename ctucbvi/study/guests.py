"""Learners from files: ``class Learner`` in a Python file, as a contestant beside CT-UCBVI.

The file is part of the study: its digest stands in the identity, so that what was played by another file is
refused.  Its text travels with the work, so that workers and clusters need no copy of it.

Whatever goes wrong in it is one line that names the file and the line.  Between two blocks the learner's
attributes are kept with :mod:`pickle`; what is read back may be plain data, arrays, generators and the
file's own classes, and of nothing else, since a folder of results may come from anywhere.
"""

from __future__ import annotations

import io
import pickle
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from hashlib import sha256
from pathlib import Path
from traceback import extract_tb
from types import ModuleType
from typing import Any

from ctucbvi.errors import InputError, UndecidedError
from ctucbvi.learning.fast.compiled import CompiledLearner
from ctucbvi.learning.fast.guest import GuestLearner
from ctucbvi.learning.protocol import AnswerError
from ctucbvi.numbers import count
from ctucbvi.study.plan import Contestant, RunPlace

_NAME = "Learner"
_PLAIN = {
    "builtins": "int float complex bool str bytes bytearray list tuple dict set frozenset range slice object",
    "collections": "deque defaultdict Counter OrderedDict",
    "fractions": "Fraction",
    "decimal": "Decimal",
    "random": "Random",
    "copyreg": "_reconstructor",
    "numpy": "ndarray dtype",
    "numpy._core.multiarray": "_reconstruct scalar",
    "numpy._core.numeric": "_frombuffer",
    "numpy.core.multiarray": "_reconstruct scalar",
    "numpy.random._pickle": "__generator_ctor __bit_generator_ctor __randomstate_ctor",
    "numpy.random._pcg64": "PCG64 PCG64DXSM",
    "numpy.random._mt19937": "MT19937",
    "numpy.random._philox": "Philox",
    "numpy.random._sfc64": "SFC64",
    "numpy.random.bit_generator": "SeedSequence __pyx_unpickle_SeedSequence",
    "ctucbvi.learning.protocol": "LearningTask",
    "ctucbvi.learning.settings": "Settings Schedule",
    "ctucbvi.learning.statistics": "Visit Episode",
}


@dataclass(frozen=True)
class LearnerFile:
    """A file with a learner; makes or resumes one, here or in another process."""

    path: str
    source: str

    @classmethod
    def read(cls, path: str) -> LearnerFile:
        """The file as it is now."""
        try:
            return cls(path, Path(path).read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or "not UTF-8 text"
            raise InputError(f"{path}: cannot be read ({reason}); name a Python file") from None

    @property
    def digest(self) -> str:
        """Of the text."""
        return sha256(self.source.encode()).hexdigest()

    def load(self) -> type:
        """The class ``Learner`` of the file, which is run once per process."""
        name = f"_learner_{self.digest}"
        if name not in sys.modules:
            module = ModuleType(name)
            module.__file__ = self.path
            sys.modules[name] = module
            try:
                with self.guard():
                    exec(compile(self.source, self.path, "exec"), module.__dict__)
            except InputError:
                del sys.modules[name]
                raise
        found = getattr(sys.modules[name], _NAME, None)
        if not isinstance(found, type):
            raise InputError(f"{self.path}: no learner in it; define a class {_NAME}")
        for method in ("begin", "observe"):
            if not callable(getattr(found, method, None)):
                raise InputError(f"{self.path}: class {_NAME} has no method {method}; write it")
        return found

    @contextmanager
    def guard(self) -> Iterator[None]:
        """Around what is done by the file: what goes wrong there is one line with its place."""
        try:
            yield
        except AnswerError as error:
            code: Any = getattr(getattr(error.who, "__func__", error.who), "__code__", None)
            mine = getattr(code, "co_filename", None) == self.path
            raise InputError(self._said(code.co_firstlineno if mine else None, str(error))) from None
        except UndecidedError:  # of the exact learner that looks on
            raise
        except InputError as error:  # about what the file says, or what it is told
            named = str(error).startswith(f"{self.path}: ")
            raise InputError(str(error) if named else f"{self.path}: {error}") from None
        except (Exception, SystemExit) as error:
            lines = [f.lineno for f in extract_tb(error.__traceback__) if f.filename == self.path]
            number, words = lines[-1] if lines else None, str(error)
            if isinstance(error, SyntaxError):
                number, words = error.lineno, error.msg
            raise InputError(self._said(number, f"{type(error).__name__}: {words}")) from None

    def _said(self, line: int | None, words: str) -> str:
        place = "" if line is None else f"line {line}: "
        return f"{self.path}: {place}{' '.join(words.split())[:300].removesuffix(':')}"

    def __call__(self, place: RunPlace, steps: int, snapshot: bytes | None) -> CompiledLearner:
        """A new learner, or the one that ``snapshot`` was taken of."""
        settings = replace(place.settings, replan=Fraction(0))  # the guest's own business
        learner = GuestLearner(
            place.model,
            settings,
            make=self.load(),
            guard=self.guard,
            keep=self._kept,
            fetch=self._fetched,
            seed=place.seed,
            run=place.run,
            steps=steps,
            initial=dict(place.initial),
        )
        if snapshot is not None:
            learner.restore(snapshot)
        return learner

    def _kept(self, learner: Any) -> bytes:
        try:
            kept = pickle.dumps(learner, protocol=5)
            self._fetched(kept)  # now, and not only when it is needed
        except (pickle.PicklingError, TypeError, AttributeError, RecursionError) as error:
            said = f"its learner cannot be kept: {error}; have plain data and arrays as attributes"
            raise pickle.PicklingError(said) from None
        return kept

    def _fetched(self, kept: bytes) -> Any:
        return _KeptLearner(kept, self.load()).load()


class _KeptLearner(pickle.Unpickler):
    """Reads back plain data, and the classes of one file."""

    def __init__(self, kept: bytes, learner: type) -> None:
        super().__init__(io.BytesIO(kept))
        self._module = learner.__module__

    def find_class(self, module: str, name: str) -> Any:
        """What may be there; of what the file imports, which a dotted name would reach, nothing."""
        if name in _PLAIN.get(module, "").split():
            return super().find_class(module, name)
        if module == self._module:
            found = super().find_class(module, name)
            if isinstance(found, type) and found.__module__ == module:
                return found
        raise pickle.PicklingError(f"{module}.{name} is no plain data")


def guest(path: str, steps: int) -> Contestant:
    """The learner in the file at ``path``, its policies on a grid of ``steps`` cells."""
    count(steps, "steps", 1, 10**6)
    file = LearnerFile.read(path)
    asked = hasattr(file.load(), "act")
    judged = (("judged_by", "earnings"),) if asked else ()
    options = (("learner_sha256", file.digest), *judged)
    return Contestant(Path(path).name, file, steps, options=options, asked=asked, foreign=True)
