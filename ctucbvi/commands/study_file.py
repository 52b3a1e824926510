"""A file that describes many configurations: what ``ctucbvi regret`` would be told, with lists for a grid.

Every ``[[grid]]`` of the file is a table of keys; what stands above all of them holds for each, and a file
without any is one grid.  A key with a list is an axis, and a grid has a configuration for every combination
of the entries of its axes.  Names of files are meant from where the file is.

Whatever is wrong is one line with the file, the line in it, and the key.
"""

from __future__ import annotations

import re
from argparse import Namespace
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from inspect import signature
from itertools import product
from pathlib import Path
from typing import Any

from ctucbvi import CTMDP, InputError, find_model
from ctucbvi.commands.learner_options import rescaled, told
from ctucbvi.learning import Settings, initial_distribution
from ctucbvi.library import BUILDERS
from ctucbvi.modelfile.reader import parse_toml
from ctucbvi.study import Study, contestant, enough_cells, guest, name_of
from ctucbvi.study.learners import settings_of
from verify.console import did_you_mean

_WHOLE = ("episodes", "runs", "seed", "steps")
_TOLD = ("delta", "epsilon", "lambda-max", "lambda-min", "bonus", "rates", "jumps", "replan")
_PLACE = ("model", "parameters", "horizon", "rescale", "initial", "learner")
KEYS = (*_PLACE, *_WHOLE, *_TOLD)
_RUNS = 30  # unless the file says otherwise
MOST = 100_000  # configurations

Place = Callable[[str], str]  # of a key: the file and the line


@dataclass(frozen=True)
class Configuration:
    """One point of a grid: what is told, as it was written, and where."""

    told: Mapping[str, Any]  # key by key; parameters as "parameters.capacity"
    place: str  # the file and the line of the grid
    folder: Path  # from which files are meant
    lines: Mapping[str, str]  # of the keys that stand above all grids: the file and the line of each

    @property
    def runs(self) -> int:
        """How many are asked for."""
        return int(self.told.get("runs", _RUNS))

    @contextmanager
    def placed(self) -> Iterator[None]:
        """What is wrong with this configuration is said with its place."""
        try:
            yield
        except InputError as error:
            axes = ", ".join(f"{key} = {value}" for key, value in self.told.items())
            raise InputError(f"{self._blamed(str(error))}: {_as_keys(str(error))} ({axes})") from None

    def _blamed(self, message: str) -> str:
        """The place of what a message is about: it begins with the key, or with what stands there."""
        for key, value in self.told.items():
            head, _, name = key.partition(".")
            words = [f"state {x!r}" for x in value] if isinstance(value, dict) else [str(value)]
            words += [str(self.folder / value)] if isinstance(value, str) else []  # a file
            begins = "|".join(
                re.escape(word) for word in (head, head.replace("-", "_"), name, *words) if word
            )
            if re.match(rf"(--)?({begins})(?!\w)", message):
                return self.lines.get(head, self.place)
        return self.place

    def study(self) -> Study:
        """As ``ctucbvi regret`` would make it; a learner in a file has the cells that the paper's has."""
        model, steps, seed = self._model(), self.told.get("steps"), self.told.get("seed", 0)
        options = Namespace(**{key.replace("-", "_"): self.told.get(key) for key in _TOLD})
        settings = Settings.for_model(model, episodes=self.told["episodes"], **told(options))
        name, file = str(self.told.get("learner", name_of(settings))), None
        if name.endswith(".py"):
            name, file = name_of(settings), str(self.folder / name)
        player = contestant(name) if steps is None else contestant(name, steps)
        initial = tuple(initial_distribution(model, self.told.get("initial")).items())
        study = Study(model, settings_of(name, settings), seed, (player,), initial)
        if steps is None:
            player = replace(player, steps=enough_cells(study, player))
        return replace(study, contestants=(player if file is None else guest(file, player.steps),))

    def _model(self) -> CTMDP:
        name = str(self.told["model"])
        start = "parameters."
        given = {key.removeprefix(start): value for key, value in self.told.items() if key.startswith(start)}
        if name not in BUILDERS:
            if given:
                raise InputError(
                    f"parameters: model {name!r} is no bundled one, and has none; leave them out"
                )
            file = self.folder / name
            found = find_model(str(file) if file.exists() else name)
        else:
            found = _built(name, given)
        if "horizon" in self.told:
            found = found.with_horizon(self.told["horizon"])
        return rescaled(found, self.told.get("rescale"))


def _as_keys(message: str) -> str:
    """A message about options of ``ctucbvi regret``, in the words of a file."""
    message = re.sub(r"--([a-z-]+)=(\S+?)(?=[;,:)]?(\s|$))", r'\1 = "\2"', message)
    return re.sub(rf"--({'|'.join(KEYS)})\b", r"\1", message)


def _built(name: str, given: Mapping[str, Any]) -> CTMDP:
    build = BUILDERS[name]
    known = [key for key in signature(build).parameters if key != "horizon"]
    for key in given:
        if key not in known:
            hint = did_you_mean(key, known) or f"; it has {', '.join(known) or 'none'}"
            raise InputError(f"parameters: model {name!r} has no {key!r}{hint}")
    return build(**given)


def read_study(path: str) -> list[Configuration]:
    """The configurations of the file, in its order."""
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "not UTF-8 text"
        raise InputError(f"{path}: cannot be read ({reason}); name a TOML file") from None
    document: Any = parse_toml(text, path)
    lines = _Lines(path, text)
    shared = {key: value for key, value in document.items() if key != "grid"}
    grids = document.get("grid", [{}])
    if not isinstance(grids, list) or not all(isinstance(grid, dict) for grid in grids):
        raise InputError(f"{lines.place(0, 'grid')}: grid is a table of its own; write [[grid]]")
    found: list[Configuration] = []
    for number, grid in enumerate(grids, start=1):
        place = partial(lines.place, number)
        above = {key: lines.place(0, key) for key in shared if key not in grid}
        for point in _points({**shared, **grid}, place):
            found.append(Configuration(point, place("grid"), Path(path).parent, above))
            if len(found) > MOST:
                raise InputError(f"{place('grid')}: more than {MOST} configurations; write shorter lists")
    return found


def _points(grid: Mapping[str, Any], place: Place) -> Iterator[dict[str, Any]]:
    """All combinations of the entries of the lists, the last axis first."""
    flat: dict[str, Any] = {}
    for key, value in grid.items():
        if key not in KEYS:
            hint = did_you_mean(key, KEYS) or f"; the known keys are {', '.join(KEYS)}"
            raise InputError(f"{place(key)}: unknown key {key!r}{hint}")
        if key == "parameters":
            if not isinstance(value, dict):
                raise InputError(f"{place(key)}: parameters: write a table, like {{ capacity = [3, 6] }}")
            flat.update({f"parameters.{name}": inner for name, inner in value.items()})
        else:
            flat[key] = value
    for key in ("model", "episodes"):
        if key not in flat:
            raise InputError(f"{place('grid')}: the key {key!r} is missing; add it")
    if "learner" in flat and (both := [key for key in ("bonus", "rates", "jumps") if key in flat]):
        raise InputError(f"{place(both[0])}: {both[0]}: the learner says that already; leave one out")
    axes = [[_entry(key, one, place) for one in _listed(key, value, place)] for key, value in flat.items()]
    for values in product(*axes):
        yield dict(zip(flat, values, strict=True))


def _listed(key: str, value: Any, place: Place) -> Sequence[Any]:
    if value == []:
        raise InputError(f"{place(key)}: {key}: the list is empty; write at least one entry")
    return value if isinstance(value, list) else [value]


def _entry(key: str, value: Any, place: Place) -> Any:
    """One value of a key: a whole number, a text or a number, or a table of weights."""
    where = f"{place(key.partition('.')[0])}: {key}"
    if key == "initial":
        if not isinstance(value, dict) or not value:
            raise InputError(f'{where}: write a table, like {{ operating = "1/2", repair = "1/2" }}')
        return value
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise InputError(f"{where}: {value} is neither a number nor a text; write one of these")
    least = 0 if key == "seed" else 1
    if key in _WHOLE and (type(value) is not int or not least <= value < 10**18):
        raise InputError(f"{where}: {value} is not a whole number from {least}; write for example 1000")
    return value


class _Lines:
    """Where keys stand: the file and the line."""

    def __init__(self, path: str, text: str) -> None:
        self._path, self._lines = path, text.splitlines()
        heads = [i for i, line in enumerate(self._lines) if re.match(r"\s*\[\[\s*grid\s*\]\]", line)]
        self._starts = [0, *heads, len(self._lines)]

    def place(self, number: int, key: str) -> str:
        """The place of a key of the ``number``-th grid, or of the grid; what is shared stands above all."""
        inside = range(*self._starts[number : number + 2]) if number + 1 < len(self._starts) else range(0)
        above = range(self._starts[1])
        pattern = re.compile(rf"""\s*(\[[ \w."'-]*)?["']?{re.escape(key)}["']?\s*[.=\]]""")
        found = (i for i in (*inside, *above) if pattern.match(self._lines[i]))
        line = inside.start if key == "grid" and inside else next(found, 0)
        return f"{self._path}: line {line + 1}"
