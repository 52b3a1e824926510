r"""What a program prints arrives, or the program says why not: for every command and every ``__main__``.

Around all that a program does::

    with writing("python -m verify.recheck"):
        ...

what is printed can be printed, whatever the terminal's encoding is (a λ that it does not have becomes
``\u03bb``, which is what JSON and TOML write), and what cannot be written ends the program: with one line on
stderr and status 2 where the disk is full or the output is closed, in silence where the reader has gone away
(``... | head``), which is no error.  What nobody can be told on stderr is not an error either.

Nothing of ours is imported here, so that the independent checker may be run in the same way.
"""

from __future__ import annotations

import codecs
import errno
import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, TextIO

_UNWRITTEN = 2  # the exit status
_ESCAPED = "escaped-for-people-and-programs"


class _UnwrittenError(Exception):
    """Standard output does not take it.  No ``OSError``, which somebody may expect of a file and catch."""

    def __init__(self, error: OSError) -> None:
        super().__init__(error.strerror or str(error))
        self.reader_left = isinstance(error, BrokenPipeError) or error.errno == errno.EPIPE


class _Stream(io.TextIOWrapper):
    """Another way to write to what is below a standard stream."""

    def __init__(self, below: io.TextIOWrapper) -> None:
        self._below = below
        super().__init__(
            below.buffer,
            encoding=below.encoding,
            errors=_ESCAPED,
            line_buffering=below.line_buffering,
            write_through=below.write_through,
        )

    def isatty(self) -> bool:
        """As the stream says."""
        return self._below.isatty()

    def failed(self, error: OSError) -> None:
        """Something could not be written."""
        raise _UnwrittenError(error) from None

    def write(self, text: str) -> int:
        """Write, or tell why not."""
        try:
            return super().write(text)
        except OSError as error:
            self.failed(error)
            return len(text)

    def flush(self) -> None:
        """Write what is waiting, or tell why not."""
        try:
            super().flush()
        except OSError as error:
            self.failed(error)

    def close(self) -> None:
        """Nothing: what is below stays open when this one is forgotten."""


class _Messages(_Stream):
    """The same for messages; those that cannot be written are lost."""

    def failed(self, error: OSError) -> None:
        """Nobody can be told."""


def _escaped(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    found = error.object[error.start : error.end]
    return "".join(f"\\u{ord(c):04x}" if ord(c) < 1 << 16 else f"\\U{ord(c):08x}" for c in found), error.end


codecs.register_error(_ESCAPED, _escaped)


@contextmanager
def writing(name: str) -> Iterator[None]:
    """All of the program ``name``."""
    given = sys.stdout, sys.stderr
    out, messages = _over(given[0], _Stream), _over(given[1], _Messages)
    sys.stdout, sys.stderr = out, messages or io.StringIO()  # print would take stdout
    try:
        if out is None:
            _say(name, "is closed; write > /dev/null if it is not wanted")
            raise SystemExit(_UNWRITTEN)
        try:
            yield
        finally:
            out.flush()
    except _UnwrittenError as error:
        _give_up(given[0])
        if error.reader_left:
            raise SystemExit(0) from None
        _say(name, f"cannot be written: {error}")
        raise SystemExit(_UNWRITTEN) from None
    finally:
        sys.stderr.flush()
        sys.stdout, sys.stderr = given


def _over(stream: Any, kind: type[_Stream]) -> Any:
    """The stream in another way; itself where it is none of bytes (somebody's ``StringIO``)."""
    if not isinstance(stream, io.TextIOWrapper) or isinstance(stream, _Stream):
        return stream
    with suppress(OSError):  # which is told when something is printed
        stream.flush()
    return kind(stream)


def _give_up(stream: TextIO) -> None:
    """Let what waits to be written go nowhere, or it would be tried once more at the end."""
    with suppress(OSError, ValueError):  # it may be no file
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


def _say(name: str, what: str) -> None:
    print(f"{name}: standard output {what}", file=sys.stderr)
