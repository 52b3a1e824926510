"""Compiled kernels, kept on disk until the sources change, wherever numba keeps them.

Numba looks only at the file of the function that it compiled, not at those of the functions that were
compiled into it, so that a user who upgrades would go on with old ones.  Here each file of compiled code
has the :func:`~ctucbvi.sources.digest` it was made from in its name, so that processes with other sources
never take it for theirs, whoever of them writes last; what has another one is removed from the folder.

**Parts.**  Numba optimises a function and makes it machine code, and links it into each caller, where all of
that is done again: most of the time it takes to compile goes into code that nobody calls on its own.  Here a
kernel that others call is a *part*: what its source says, in LLVM's language, and no more.  Who links it in
optimises it.  Machine code is made of a part when somebody calls it who is not compiled (:class:`Kernel`).
Both are kept on disk.  The functions of numba that kernels call (``max``, ``np.empty``) are parts like them,
which numba is told by a target of its own (:class:`_Parts`); these are not kept but in who calls them.

A kernel that others call with a number written out, ``stage(0, ...)``, would be compiled for that very
number, and again for each other one.  Here the type alone counts: LLVM sees the number where it inlines.

Numba tells functions of one name apart (the operators of :mod:`ctucbvi.abreast`, say) by counting all that it
compiles, from 1 in each process; and where code of several processes is linked, the first function of a name
stands for all of them.  Here every process counts from a number of its own, drawn from so many that two do
not meet.  (What was compiled before is compiled again for kernels, whose flags are others.)

Numba lets a function that it compiles within another have the other's ``fastmath`` and ``forceinline``, and
whoever calls it next gets it with these.  Here a kernel has what it says of itself, whoever comes first, and
nobody has ``forceinline`` from others, for which numba's own functions would be compiled once more.

Numba compiles one function at a time.  Kernels that do not call each other may be compiled in two processes
(:func:`beside`), which both keep what they have made.

Kernels copy arrays into others by loops: for ``one[:] = other`` numba compiles strings, too, those of the
message that shapes differ, which takes longer than most kernels.
"""

from __future__ import annotations

import contextlib
import gc
import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator
from copy import copy
from functools import cache, partial
from hashlib import sha256
from itertools import count
from pathlib import Path
from secrets import randbits
from subprocess import DEVNULL, PIPE
from typing import Any

from llvmlite.binding import parse_bitcode
from numba import njit, types
from numba.core import compiler, typing
from numba.core.bytecode import FunctionIdentity
from numba.core.caching import CompileResultCacheImpl, FunctionCache, IndexDataCacheFile, NullCache
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler_lock import global_compiler_lock
from numba.core.environment import Environment
from numba.core.registry import CPUDispatcher
from numba.core.runtime import rtsys
from numba.core.target_extension import CPU, dispatcher_registry, jit_registry, target_registry

from ctucbvi.sources import digest

_MADE_OF = digest()[:16]  # when it is imported: sources may change before somebody compiles
_DIGEST = sha256().digest_size
_PATIENCE = 60.0  # seconds, with a process that compiles
# Not by sys.stdin, which would be locked at the end of a process that is done, and end it by a signal.
_END_WITH_PARENT = (
    "import os, sys, threading; "
    "threading.Thread(target=lambda: (os.read(0, 1), os._exit(1)), daemon=True).start()"
)


def _count_from_anywhere() -> None:
    FunctionIdentity._unique_ids = count(randbits(96) << 32)


_count_from_anywhere()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_count_from_anywhere)


def compiled(**options: Any) -> Callable[[Any], Any]:
    """:func:`numba.njit` with its results kept on disk."""

    def decorated(function: Any) -> Any:
        if options.get("inline") == "always":  # then it is compiled within others only
            return njit(**options)(function)
        own = {"nopython": True, "fastmath": False, **options}
        kernel = Kernel(function, targetoptions=own)
        if (folder := kernel.stats.cache_path) is not None:
            _drop_stale(Path(folder))  # before any is loaded: that happens when one is called
        return kernel

    return decorated


class _Linked(CPUDispatcher):  # type: ignore[misc] # numba has no types
    """A function that numba compiles as a part of others."""

    def __init__(self, py_func: Any, *args: Any, **options: Any) -> None:
        super().__init__(py_func, *args, **options)
        self.parts: dict[tuple[Any, ...], Any] = {}  # by the types of the arguments

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """How others find the part for the types of their arguments."""
        signature, kinds = self._compiler.fold_argument_types(args, kws)
        self._part(tuple(kinds))
        name, found = self.py_func.__name__, [part.signature for part in self.parts.values()]
        return typing.make_concrete_template(name, key=name, signatures=found), signature, kinds, {}

    def get_overload(self, sig: tuple[Any, ...]) -> Any:
        """What stands for the part in the code of others."""
        return self.parts[tuple(sig)].entry_point

    def _part(self, kinds: tuple[Any, ...]) -> Any:
        with global_compiler_lock:
            if kinds not in self.parts:
                part = self._made(kinds)._replace(entry_point=object())  # any name will do
                self.targetctx.insert_user_function(part.entry_point, part.fndesc, [part.library])
                self.parts[kinds] = part
            return self.parts[kinds]

    def _made(self, kinds: tuple[Any, ...]) -> Any:
        """The part, from the source."""
        flags, library = _Flags(), _Part(self.targetctx.codegen(), self.py_func.__qualname__)
        self.targetdescr.options.parse_as_flags(flags, {**self.targetoptions, "forceinline": False})
        flags.no_compile = flags.no_cpython_wrapper = flags.no_cfunc_wrapper = True
        flags.kind = str(flags)
        flags.forceinline = self.targetoptions.get("forceinline", False)  # which makes no other kind
        where = self.typingctx, self.targetctx.subtarget(target=_Parts)
        return compiler.compile_extra(*where, self.py_func, kinds, None, flags, {}, library=library)


class _Parts(CPU):  # type: ignore[misc] # numba has no types
    """What kernels are compiled for: the functions of numba that they call are parts, too."""


target_registry["parts of kernels"] = _Parts
dispatcher_registry[_Parts] = CPUDispatcher
jit_registry[_Parts] = lambda **options: partial(_Linked, targetoptions={"nopython": True, **options})


class Kernel(_Linked):
    """A function that numba compiles: as a part of others, and for those who are not compiled."""

    def __init__(self, py_func: Any, *args: Any, **options: Any) -> None:
        super().__init__(py_func, *args, **options)
        self._kept_parts = _keeping(_PartCache, py_func)
        self._cache = _keeping(_MachineCodeCache, py_func)
        self._compiler._compile_core = self._machine_code

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """The part is the same one, whatever values the arguments have."""
        named = {name: types.unliteral(kind) for name, kind in dict(kws).items()}
        return super().get_call_template(tuple(map(types.unliteral, args)), named)

    @property
    def waits(self) -> bool:
        """Whether it could be kept on disk, and machine code of it is not yet, for any arguments."""
        return not isinstance(self._cache, NullCache) and not self.kept

    @property
    def kept(self) -> bool:
        """Whether machine code of it is on disk, for some arguments."""
        return not isinstance(self._cache, NullCache) and bool(self._cache._cache_file._load_index())

    def _made(self, kinds: tuple[Any, ...]) -> Any:
        """The part, from the disk if it is kept there."""
        part = self._kept_parts.load_overload(kinds, self.targetctx)
        if part is None:
            part = super()._made(kinds)
            self._kept_parts.save_overload(kinds, part)
        return part

    def _machine_code(self, kinds: Any, _: Any) -> Any:
        """The part, optimised with all that it links in, behind a door for the interpreter.

        The door has objects of its own (the class of a tuple that is given out): those of the part are kept
        with everybody who links it in, and were perhaps kept before there was a door.
        """
        with _no_collections():
            part = self._part(tuple(kinds))
            door = copy(part.fndesc)
            door.env_name += ".door"
            environment = Environment.from_fndesc(door)
            context = self.targetctx.subtarget(enable_nrt=True)  # else arrays are not handed out
            library = context.codegen().create_library(part.library.name)
            library.enable_object_caching()
            library.add_linking_library(part.library)
            context.create_cpython_wrapper(library, door, environment, part.call_helper)
            entry = context.get_executable(library, door, environment)
            found = part._replace(entry_point=entry, library=library, fndesc=door, environment=environment)
            for linked in found._find_referenced_environments():
                context.codegen().set_env(linked.env_name, linked)
            return found


@contextlib.contextmanager
def beside(kernel: Kernel, program: str) -> Iterator[None]:
    """Let another process run ``program``, which compiles ``kernel``, while something else is compiled here.

    Where it is kept already, or cannot be, where there is one core, or where no process can be started, there
    is none.  Whatever becomes of it, what it has not kept in the end is compiled here when it is called.
    It ends when this process does, however that goes: it waits for the end of what this one may write to it.
    """
    other = None
    if sys.executable and kernel.waits and _cores() > 1:
        found = f"{_END_WITH_PARENT}; sys.path[:] = {sys.path!r}; {program}"  # the same sources as here
        with contextlib.suppress(OSError):
            other = subprocess.Popen(
                [sys.executable, "-I", "-c", found], stdin=PIPE, stdout=DEVNULL, stderr=DEVNULL
            )
    try:
        yield
        if other is not None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                other.wait(_PATIENCE)
    finally:
        if other is not None:
            other.kill()
            other.communicate()


def _cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextlib.contextmanager
def _no_collections() -> Iterator[None]:
    """Garbage is not looked for meanwhile: numba makes millions of objects, and throws few away."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


class _Flags(compiler.Flags):  # type: ignore[misc] # numba has no types
    """Flags that are compared by name: numba compares them each time it looks for the type of a sum."""

    __slots__ = ("kind",)

    def __init__(self, copy_from: Any = None) -> None:
        super().__init__(copy_from)
        self.kind = getattr(copy_from, "kind", "")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Flags) and self.kind == other.kind

    def __hash__(self) -> int:
        return hash(self.kind)


class _Part(JITCodeLibrary):  # type: ignore[misc] # numba has no types
    """The code of a part, with that of the parts which it calls; never run."""

    def _optimize_final_module(self) -> None:
        """Whoever links it in does."""

    def _finalize_final_module(self) -> None:
        """Nor is it made machine code."""
        self._finalize_dynamic_globals()
        self._finalized = True

    def serialize_using_object_code(self) -> tuple[str, bytes]:
        """What is kept of it."""
        return self.name, self._get_module_for_linking().as_bitcode()


class _CacheImpl(CompileResultCacheImpl):  # type: ignore[misc] # numba has no types
    """How machine code is kept on disk."""

    def get_filename_base(self, fullname: str, abiflags: str) -> str:
        """A name that other sources do not have."""
        return f"{super().get_filename_base(fullname, abiflags)}.{_MADE_OF}"


class _PartCacheImpl(_CacheImpl):
    """How parts are kept on disk."""

    def get_filename_base(self, fullname: str, abiflags: str) -> str:
        """Beside the machine code of the same kernel."""
        return f"part-{super().get_filename_base(fullname, abiflags)}"

    def rebuild(self, target_context: Any, payload: Any) -> Any:
        """The part that was reduced to ``payload``."""
        (name, code), description, environment, signature, *_ = payload
        library = _Part(target_context.codegen(), name)
        library._final_module = parse_bitcode(code)
        library._finalize_final_module()
        return compiler.compile_result(
            target_context=target_context,
            library=library,
            fndesc=description,
            environment=environment,
            signature=signature,
            objectmode=False,
            lifted=(),
            reload_init=[],
        )


def _keeping(kind: type[_Cache], function: Any) -> Any:
    """How a kernel is kept; not at all where there is no folder that could be written to."""
    try:
        return kind(function)
    except RuntimeError:
        return NullCache()


class _Files(IndexDataCacheFile):  # type: ignore[misc] # numba has no types
    """Files that are damaged are as good as none: what would run as it stands has its digest before it."""

    def _load_index(self) -> Any:
        try:
            return super()._load_index()
        except Exception:  # whatever comes of what is not a pickle
            return {}

    def _save_data(self, name: str, data: Any) -> None:
        content = self._dump(data)
        with self._open_for_write(self._data_path(name)) as file:
            file.write(sha256(content).digest() + content)

    def _load_data(self, name: str) -> Any:
        content = Path(self._data_path(name)).read_bytes()
        told, content = content[:_DIGEST], content[_DIGEST:]
        if sha256(content).digest() != told:
            raise OSError("damaged")  # as if it had been removed
        try:
            return pickle.loads(content)
        except Exception as error:  # made by another version of something
            raise OSError("damaged") from error


class _Cache(FunctionCache):  # type: ignore[misc] # numba has no types
    _impl_class = _CacheImpl

    def __init__(self, py_func: Any) -> None:
        super().__init__(py_func)
        made_of = self._impl.locator.get_source_stamp()
        self._cache_file = _Files(self._cache_path, self._impl.filename_base, source_stamp=made_of)

    def _load_overload(self, sig: Any, target_context: Any) -> Any:
        """What is kept, if it is what is asked for: two who keep something at once may mix up the files."""
        found = super()._load_overload(sig, target_context)
        return found if found is not None and tuple(found.signature.args) == tuple(sig) else None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep it; where that cannot be done, it is compiled again next time."""
        with contextlib.suppress(OSError):
            super().save_overload(sig, data)


class _MachineCodeCache(_Cache):
    """Machine code, loaded without all that numba needs to compile, such as SciPy where it is installed."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """What is kept for these types of arguments, or None."""
        rtsys.initialize(target_context)
        with self._guard_against_spurious_io_errors():
            return self._load_overload(sig, target_context)


class _PartCache(_Cache):
    _impl_class = _PartCacheImpl


@cache
def _drop_stale(folder: Path) -> None:
    """Remove the kernels of other sources; where that cannot be done, nothing is."""
    with contextlib.suppress(OSError):
        for kernel in folder.glob("*.nb[ci]*"):  # also what somebody was writing who was killed
            if _MADE_OF not in kernel.name:
                kernel.unlink(missing_ok=True)
