r"""Storm's explicit format (DRN): continuous-time chains and Markov automata, read line by line.

A text becomes nodes here, and the nodes a model in :mod:`ctucbvi.modelfile.automata`.  DRN has no horizon.
Parameters, deadlocks and other types of models are refused, with the line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ctucbvi.errors import InputError, ModelError
from ctucbvi.model import CTMDP, Number, choices
from ctucbvi.model.rationals import Reader
from ctucbvi.modelfile.automata import CHAIN, Automaton, Node, Offer, Translation
from ctucbvi.modelfile.reader import one_line

if TYPE_CHECKING:
    from os import PathLike

_KINDS = (CHAIN, "Markov Automaton")
_STATE = re.compile(r"state\s+(\d{1,9})(?:\s+!(\S+))?(?:\s+\[([^\]]*)\])?((?:\s.*)?)")
_ACTION = re.compile(r"action\s+(\S+)(?:\s+\[([^\]]*)\])?")
_JUMP = re.compile(r"(\d{1,9})\s*:\s*(\S+)")
_LABEL = re.compile(r'"([^"]*)"|(\S+)')


def load_drn(path: str | PathLike[str], **options: Any) -> CTMDP:
    """Read the model in the DRN file ``path``; options as for :func:`parse_drn`."""
    where = one_line(str(path))
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"{where}: cannot be read ({one_line(str(reason))}); name a readable file") from None
    return parse_drn(text, where=where, **{"name": Path(path).stem, **options})


def parse_drn(
    text: str,
    *,
    horizon: Number,
    reward: str | None = None,
    goal: str | None = None,
    avoid: str | None = None,
    objective: str = "max",
    rationalize: Number | None = None,
    name: str = "drn",
    where: str = "drn",
) -> CTMDP:
    """Read the model that a DRN text describes.

    ``reward`` names one of its reward models (if there is one only, and no goal, it is taken).  ``goal`` is a
    label: what is earned is then 1 if such a state is reached within the horizon, and no state with the label
    ``avoid`` before.  ``rationalize`` as in :meth:`CTMDP.from_arrays`, for decimals, of which Storm prints
    six or ten digits: 1e-5 makes a third 1/3.
    """
    found = _read(text, one_line(where))
    if goal is not None and reward is not None:
        raise InputError(f"{found.where}: a goal and a reward model are two problems; name one of them")
    if avoid is not None and goal is None:
        raise InputError(f"{found.where}: what is to be avoided on the way needs a goal; name one")
    column = _column(found, reward, goal)
    labels = {label for node in found.nodes for label in node.labels}
    for label in (goal, avoid):
        if label is not None and label not in labels:
            raise InputError(f"{found.where}: no state has the label {label!r}; {choices(sorted(labels))}")
    return Translation(found, column, goal, avoid, Reader(rationalize)).model(horizon, objective, name)


def _column(found: Automaton, reward: str | None, goal: str | None) -> int | None:
    """The place of the reward model that counts, if any."""
    if reward is None and (goal is not None or not found.rewards):
        return None
    if reward is None and len(found.rewards) == 1:
        return 0
    if reward not in found.rewards:
        known = f"; {choices(found.rewards)}" if found.rewards else "; there is none"
        asked = (
            "several reward models, and none is named" if reward is None else f"no reward model {reward!r}"
        )
        raise InputError(f"{found.where}: {asked}{known}")
    return found.rewards.index(reward)


# --- from characters to nodes -----------------------------------------------------------------


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Numbered lines without comments, but for those that say what a state stands for."""
    for number, line in enumerate(text.split("\n"), start=1):
        stripped = line.strip()
        if not stripped.startswith("//") or stripped.startswith("//["):
            yield number, stripped


def _read(text: str, where: str) -> Automaton:
    head: dict[str, tuple[int, str]] = {}
    lines = _lines(text)
    key = ""
    for number, line in lines:
        if line == "@model":
            break
        if line.startswith("//"):
            continue
        if line.startswith("@"):
            key, _, rest = line.partition(":")
            head[key] = number, rest.strip()
        elif key and line:
            head[key] = number, f"{head[key][1]} {line}".strip()
        elif line:
            raise ModelError(f"{where}: line {number}: {line[:40]!r} before any key; begin with @type:")
    else:
        raise ModelError(f"{where}: there is no line @model; write Storm's explicit format (DRN)")
    at, kind = head.get("@type", (1, ""))
    if kind not in _KINDS:
        raise ModelError(
            f"{where}: line {at}: @type {kind!r} has no holding times; choose from: {', '.join(_KINDS)}"
        )
    for name in ("@parameters", "@placeholders"):
        if head.get(name, (0, ""))[1]:
            raise ModelError(
                f"{where}: line {head[name][0]}: parameters have no values; instantiate them first"
            )
    found = Automaton(where, kind, tuple(head.get("@reward_models", (0, ""))[1].split()), [])
    for number, line in lines:
        if line:
            _take(found, number, line)
    _check_counts(found, head)
    return found


def _take(found: Automaton, number: int, line: str) -> None:
    """One line of the model."""
    nodes = found.nodes
    if line.startswith("//"):
        if nodes and not nodes[-1].choices:
            nodes[-1].name = "".join(line[3:].removesuffix("]").split())
    elif at := _STATE.fullmatch(line):
        if int(at[1]) != len(nodes):
            found.fail(number, f"state {at[1]}, but state {len(nodes)} is next; number them from 0")
        labels = frozenset(a or b for a, b in _LABEL.findall(at[4]))
        nodes.append(Node(number, at[2], _rewards(found, number, at[3]), labels))
    elif (at := _ACTION.fullmatch(line)) and nodes:
        nodes[-1].choices.append(Offer(number, at[1], _rewards(found, number, at[2])))
    elif (at := _JUMP.fullmatch(line)) and nodes and nodes[-1].choices:
        row, target = nodes[-1].choices[-1].row, int(at[1])
        if target in row:
            found.fail(number, f"state {target} is a target twice; add the numbers up")
        row[target] = at[2]
    else:
        found.fail(
            number, f"{one_line(line[:40])!r} is no state, action or jump; write 'TARGET : PROBABILITY'"
        )


def _rewards(found: Automaton, number: int, text: str | None) -> list[str]:
    given = [] if text is None else [part.strip() for part in text.split(",")]
    if given and len(given) != len(found.rewards):
        found.fail(
            number, f"{len(given)} rewards, but {len(found.rewards)} reward models; write one for each"
        )
    return given


def _check_counts(found: Automaton, head: dict[str, tuple[int, str]]) -> None:
    sizes = {"@nr_states": len(found.nodes), "@nr_choices": sum(len(n.choices) for n in found.nodes)}
    for key, size in sizes.items():
        at, given = head.get(key, (0, str(size)))
        if given != str(size):
            found.fail(
                at, f"{key} is {given[:20]!r}, but there are {size}; the file is cut off, or miscounted"
            )
    for i, node in enumerate(found.nodes):
        if not node.choices:
            found.fail(
                node.line, f"state {i} has no action: a deadlock; let it jump to itself if it is never left"
            )
        for choice in node.choices:
            wrong = [y for y in choice.row if y >= len(found.nodes)]
            if wrong or not choice.row:
                what = f"jumps to state {wrong[0]}, which is not there" if wrong else "leads nowhere"
                found.fail(choice.line, f"action {choice.name} of state {i} {what}; correct its targets")
