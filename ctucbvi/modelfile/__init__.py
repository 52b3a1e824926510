"""Model files: TOML, JSON and arrays (:mod:`ctucbvi.modelfile.binary`), read exactly and never evaluated.

A file lists the states, the actions and one ``transition`` per state and action on offer:

.. code-block:: toml

    name = "machine-repair"
    horizon = "1"
    initial = "operating"               # or { operating = "2/3", repair = "1/3" }: by chance
    states = ["operating", "repair"]
    actions = ["slow", "fast"]
    objective = "max"                   # optional; "min": rewards are costs
    terminal = { operating = "0" }      # optional, 0 for a state that is left out
    discount = "1/10"                   # optional: what is earned after a time s counts exp(-s/10)
    goal = ["..."]                      # optional: the value is the probability to be there in time
    avoid = ["..."]                     # optional: without meeting one of these before
    source = "..."                      # optional
    shows = "..."                       # optional

    [[transition]]
    state = "operating"
    action = "slow"
    rate = "3"
    reward = "17/20"
    to = { repair = "1" }               # may be left out where the rate is 0
    lump = { repair = "-1/2" }          # optional, earned at the jump: by target, or one number for all
    choice = "-1/4"                     # optional, earned at once when the action is chosen
    terminal = "1/2"                    # optional, earned at the end if it is held then, and not the state's

JSON has the same keys, with ``transition`` a list of objects.  A number is a string
(``"17/20"``, ``"0.85"``, ``"1e-6"``) or stands bare; a bare ``0.85`` is 17/20, because the
parsers hand over its characters and no double is ever formed.

A number is one whose reduced fraction fits into ``LONGEST`` characters.  The rule is the
same for reading and for writing, so whatever has been read can be written and read back
as an equal model.

Everything that is wrong with a file raises an :class:`~ctucbvi.errors.InputError` whose one
line begins with the file, names the place and says what to write instead.
"""

from __future__ import annotations

import gc
import json
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from ctucbvi.disk import replace_file
from ctucbvi.errors import InputError
from ctucbvi.modelfile.reader import one_line, parse_json, parse_toml, read_model
from ctucbvi.modelfile.writer import LONGEST, document_of, toml_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from os import PathLike

    from ctucbvi.model import CTMDP

__all__ = ["LONGEST", "Format", "dump_model", "load_model", "one_line", "parse_model", "save_model"]

_LONG = 100_000  # characters of a text, about a thousand transitions
ENDINGS = (".toml", ".json", ".npz")
_LISTED = ".toml, .json or .npz"
Format = Literal["toml", "json"]
FOREIGN = (".drn", ".prism", ".pm", ".sm", ".ma", ".jani")  # of Storm and PRISM: see drn, and ctucbvi.prism


def load_model(path: str | PathLike[str]) -> CTMDP:
    """Read the model in ``path``, a ``.toml``, ``.json`` or ``.npz`` file."""
    where = one_line(str(path))
    try:
        data = Path(path).read_bytes()
    except FileNotFoundError:
        raise InputError(f"{where}: no such file; check the path") from None
    except IsADirectoryError:
        raise InputError(f"{where}: this is a directory; name a {_LISTED} file in it") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"{where}: cannot be read ({one_line(str(reason))}); name a readable file") from None
    if Path(path).suffix.lower() in FOREIGN:
        first = "make a model file of it first: ctucbvi models FILE --horizon H > mine.toml"
        raise InputError(f"{where}: {first}")
    kind = _format_of(path, where)
    if kind == "npz":
        from ctucbvi.modelfile.binary import model_of_binary  # NumPy, for large models only

        return model_of_binary(data, where)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(f"{where}: line {line}: not UTF-8 text; save the file as UTF-8") from None
    return parse_model(text, format=kind, where=where)


def parse_model(text: str, *, format: Format = "toml", where: str = "model") -> CTMDP:  # noqa: A002 -- the word users expect
    """Read the model that ``text`` describes; ``where`` opens the message if it describes none."""
    where = one_line(where)
    parsers: dict[str, Callable[[str, str], object]] = {"toml": parse_toml, "json": parse_json}
    if format not in parsers:
        raise InputError(f"{where}: format {format!r} is unknown; write 'toml' or 'json'")
    with _uncollected():
        if len(text) > _LONG:
            from ctucbvi.modelfile.bulk import model_in_bulk  # NumPy, for long files only

            if (model := model_in_bulk(text, format)) is not None:
                return model
        return read_model(parsers[format](text, where), where)


@contextmanager
def _uncollected() -> Iterator[None]:
    """No search for cycles meanwhile: there are none, and looking through a million objects takes long."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


def dump_model(model: CTMDP, *, format: Format = "toml") -> str:  # noqa: A002 -- the word users expect
    """Write ``model`` as the text of a file; reading it gives back an equal model."""
    if format not in ("toml", "json"):
        raise InputError(f"format {format!r} is unknown; write 'toml' or 'json'")
    document = document_of(model)
    if format == "json":
        return json.dumps(document, ensure_ascii=False, indent=2) + "\n"
    return toml_text(document)


def save_model(model: CTMDP, path: str | PathLike[str]) -> None:
    """Write ``model`` to ``path``, a ``.toml`` or ``.json`` file, or ``.npz`` if it is a large one.

    What was there stays whole until the new file is.
    """
    where = one_line(str(path))
    kind = _format_of(path, where)
    if kind == "npz":
        from ctucbvi.modelfile.binary import binary_of  # likewise

        data = binary_of(model)
    else:
        data = dump_model(model, format=kind).encode()
    try:
        replace_file(Path(path), data)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(
            f"{where}: cannot be written ({one_line(str(reason))}); name a file that can"
        ) from None


def _format_of(path: str | PathLike[str], where: str) -> Format | Literal["npz"]:
    formats: dict[str, Format | Literal["npz"]] = {".toml": "toml", ".json": "json", ".npz": "npz"}
    if (found := formats.get(Path(path).suffix.lower())) is not None:
        return found
    raise InputError(f"{where}: its name does not tell the format; end it in {_LISTED}")
