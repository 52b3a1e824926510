r"""Models to try things on, each with its source and a sentence on what it shows.

``bundled_models()`` gives all of them by name and ``bundled_model(name)`` one; the builder
functions make others of the same families.  All numbers are rational, all rewards are rates per unit of
time, and costs are negative rewards.

The families, with :math:`t` the remaining time:

machine repair
    two states and two speeds; the example of Gao and Zhou, and its raw form.
lower-bound trees
    the hard instances of ``thm:lowerbound``; their value has a closed form.
queue, maintenance, epidemic
    control problems in which an investment (serving faster, repairing early, treating) pays
    only if enough time remains, so that the optimal action changes with :math:`t`.
reachability
    no running reward, one terminal reward: the largest probability of being in a goal at
    time :math:`H`, with a fast and risky way and a slow and safe one.
"""

from __future__ import annotations

import os.path
from difflib import get_close_matches
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from ctucbvi.errors import InputError
from ctucbvi.library.control import maintenance, queue, reachability, sis_epidemic
from ctucbvi.library.paper import lower_bound_tree, machine_repair, machine_repair_raw
from ctucbvi.modelfile import ENDINGS, FOREIGN, load_model

if TYPE_CHECKING:
    from collections.abc import Callable

    from ctucbvi.model import CTMDP

__all__ = [
    "BUILDERS",
    "BUNDLED",
    "bundled",
    "bundled_model",
    "bundled_models",
    "find_model",
    "lower_bound_tree",
    "machine_repair",
    "machine_repair_raw",
    "maintenance",
    "queue",
    "reachability",
    "sis_epidemic",
]

BUILDERS: dict[str, Callable[..., CTMDP]] = {
    "machine-repair": machine_repair,
    "machine-repair-raw": machine_repair_raw,
    "lower-bound-tree": partial(lower_bound_tree, rate=2),
    "queue": queue,
    "maintenance": maintenance,
    "sis": sis_epidemic,
    "reachability": reachability,
}

BUNDLED = tuple(BUILDERS)  # the names, without building anything


@cache
def _built(name: str) -> CTMDP:
    return BUILDERS[name]()


def bundled_models() -> dict[str, CTMDP]:
    """Return all bundled models, by name."""
    return {name: _built(name) for name in BUNDLED}


bundled = bundled_models  # the short name


def bundled_model(name: str) -> CTMDP:
    """Return the bundled model called ``name``."""
    if name not in BUILDERS:
        raise InputError(f"model {name!r} is not bundled; {_nearest(name)}")
    return _built(name)


def find_model(name: str) -> CTMDP:
    """Return the bundled model called ``name``, or read it from the file of that name."""
    if name in BUILDERS:
        return _built(name)
    path = Path(name)
    # "queue.toml" and "models/queue" are meant as files, whether they exist or not.
    known = path.suffix.lower() in (*ENDINGS, *FOREIGN)
    if known or len(path.parts) > 1 or os.path.exists(name):
        return load_model(name)
    raise InputError(f"model {name!r} is neither bundled nor a .toml, .json or .npz file; {_nearest(name)}")


def _nearest(name: str) -> str:
    near = get_close_matches(str(name), BUNDLED, n=2)
    return f"did you mean {' or '.join(map(repr, near))}?" if near else f"choose from: {', '.join(BUNDLED)}"
