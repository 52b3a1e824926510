r"""A third opinion: programs by others, asked the same question.

The exact planner and the second opinion share this package's model and its authors.  A peer
shares neither; what is ours is the translation of the question.  Peers are optional;
:func:`available` says which can be used, and why not.

``stormpy``
    Maximal (or minimal) time-bounded reachability on a Markov automaton, for *reachability problems*: all
    rewards 0, terminal reward 1 on absorbing goal states and 0 elsewhere.  A Markovian state
    waits for an exponential time; a probabilistic state chooses at once.  The two problems
    are two automata.

    *committed*: :math:`x` is probabilistic and chooses :math:`(x,a)`, which is Markovian with
    rate :math:`\lambda(x,a)` and jumps by :math:`p(\cdot\mid x,a)`.

    *adjustable*: with :math:`\Lambda = \max\lambda`, :math:`x` is Markovian with rate
    :math:`\Lambda` and leads to a probabilistic copy that chooses :math:`a` only then and jumps
    by :math:`P_a = (1-\lambda/\Lambda)\,\delta_x + (\lambda/\Lambda)\,p`.  From
    :math:`v(x,t) = \int_0^t \Lambda e^{-\Lambda s} \max_a (P_a v)(x,t-s)\,ds` follows
    :math:`v' = \Lambda\max_a (P_a v - v) = \max_a \lambda\,(pv - v)`, the HJB system.

    The error stated is the absolute :math:`\varepsilon` that the method Unif+ was asked for;
    Storm computes in doubles and does not count its rounding.  Two things are avoided on
    purpose because they give wrong answers: the default *relative* precision of the
    time-bounded engine (hence ``--timebounded:absolute``), and ``R=?[I=t]`` on Markov chains
    in sound mode, which can return the value at :math:`2t`.

``quantecon``
    Backward induction for a discrete problem of :math:`N` steps :math:`h = H/N`, with
    transition :math:`I + hA_a`, reward :math:`h\,r_a` and terminal reward :math:`g`, where
    :math:`A_a = \lambda(p - I)`: Euler's method for the *adjustable* problem, any rewards.  Its
    result :math:`v_N` is off by :math:`O(h)`, so that the extrapolation
    :math:`E_N = 2v_N - v_{N/2}` is off by :math:`O(h^2)`.  :math:`N` is doubled until the error
    stated, :math:`\max_x|E_N - E_{N/2}| + h^2\Lambda M`, is small.  The second term is for
    changes of action, which fall between two steps at random, so that the difference may be
    small by chance: with :math:`M = \max_x|v'(x,0)|`, which bounds :math:`|v'|` at all times
    because the HJB flow does not expand, :math:`|v''| \le 2\Lambda M`, and a change disturbs one
    step by a small multiple of :math:`h^2\Lambda M`.  All this is an estimate, not a bound.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import subprocess
import sys
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from ctucbvi.errors import InputError, UndecidedError
from ctucbvi.model import CTMDP, Pair, Semantics
from ctucbvi.numbers import count, positive, shown

if TYPE_CHECKING:
    from numpy.typing import NDArray

Row = tuple[tuple[int, Fraction], ...]

# What must work for a peer to be usable.
_IMPORTS = {
    "stormpy": "import stormpy; stormpy.developer",
    "quantecon": "from quantecon.markov.ddp import DiscreteDP, backward_induction",
}
_MOST_STEPS = 2**18  # of the discretisation; quantecon keeps all of them in memory

# Reads {drn, objective, horizon, epsilon, states} from stdin and writes the values of the first states.
# A process of its own, because Storm takes its settings once per process.
_WORKER = """
import json, pathlib, sys, tempfile
import stormpy
task = json.load(sys.stdin)
with tempfile.TemporaryDirectory() as folder:
    file = pathlib.Path(folder) / "model.drn"
    file.write_text(task["drn"])
    model = stormpy.build_model_from_drn(str(file))
stormpy.developer.set_from_exploded_string([
    "--timebounded:precision", repr(task["epsilon"]), "--timebounded:absolute",
    "--timebounded:mamethod", "unifplus",
])
environment = stormpy.developer.EnvironmentBuilder.build_environment()
wanted = stormpy.parse_property('P%s=? [F<=%r "goal"]' % (task["objective"], task["horizon"]))
result = stormpy.model_checking(model, wanted, only_initial_states=False, environment=environment)
print(json.dumps([result.get_value(x) for x in range(task["states"])]))
"""


class PeerUnsuitableError(InputError):
    """The peer cannot be asked this question: its language has no words for the model."""


class PeerMissingError(RuntimeError):
    """The peer is not installed."""


class PeerFailedError(RuntimeError):
    """The peer was asked and broke down."""


@dataclass(frozen=True, slots=True)
class Opinion:
    """What a peer says about the optimal value at the full horizon."""

    peer: str
    values: dict[str, float]  # by state, in the model's order
    stated_error: float  # the peer's own, absolute, for every value; see the module's text


@dataclass(frozen=True, slots=True)
class _Node:
    """A state of a Markov automaton: Markovian with its rate, or probabilistic with rate 0."""

    rate: Fraction
    choices: tuple[Row, ...]


def available() -> dict[str, str | None]:
    """For each peer, ``None`` if it can be used here, else the reason why not."""
    return {peer: _absence(peer) or _defect(peer) for peer in _IMPORTS}


def third_opinion(
    model: CTMDP,
    semantics: Semantics | str,
    *,
    peer: str,
    epsilon: float = 1e-6,
    timeout: float | None = None,
) -> Opinion:
    """Ask ``peer`` for the optimal values at the full horizon, to ``epsilon``.

    :class:`PeerUnsuitableError` says why the model or the semantics is beyond the peer,
    :class:`PeerMissingError` that it is not installed.  :class:`UndecidedError` means that it
    did not get to ``epsilon``: stormpy within ``timeout`` seconds, quantecon within the largest
    number of steps.
    """
    if peer not in _ASK:
        raise InputError(f"peer {peer!r} is unknown; choose from: {', '.join(_ASK)}")
    return _ASK[peer](model, Semantics(semantics), float(positive(epsilon, "epsilon")), timeout)


def goals(model: CTMDP) -> frozenset[str]:
    """The goal states of a reachability problem; :class:`PeerUnsuitableError` if it is not one."""
    for row in model.transitions:
        if row.terminal is not None or row.choice:
            what = "for choosing it" if row.choice else "at the end if it is held"
            raise PeerUnsuitableError(
                f"transition of state {row.state!r}, action {row.action!r}: a reward {what}; "
                "a reachability problem rewards states only"
            )
    for x, g in zip(model.states, model.terminal, strict=True):
        if g not in (0, 1):
            raise PeerUnsuitableError(
                f"terminal: {g} at {x!r}; a reachability problem has 1 on its goals, else 0"
            )
    found = frozenset(x for x, g in zip(model.states, model.terminal, strict=True) if g == 1)
    if not found:
        raise PeerUnsuitableError("terminal: no state has 1; a reachability problem has a goal")
    for row in model.transitions:
        where = f"transition of state {row.state!r}, action {row.action!r}"
        if row.gain != 0:
            raise PeerUnsuitableError(f"{where}: reward {shown(row.gain)}; a reachability problem has none")
        if row.state in found and row.rate > 0 and row.to != ((row.state, Fraction(1)),):
            raise PeerUnsuitableError(f"{where}: leaves a goal state; a goal must be absorbing, with rate 0")
    return found


def automaton(model: CTMDP, semantics: Semantics | str) -> str:
    """The Markov automaton of a reachability problem, in Storm's explicit format (DRN).

    The model's states come first, in the model's order.
    """
    goal = goals(model)
    build = _committed if Semantics(semantics) is Semantics.COMMITTED else _adjustable
    nodes = build(model, frozenset(model.state_index(x) for x in goal))
    first = model.start[0][0]  # values of all states are asked for
    lines = ["@type: Markov Automaton", "@parameters", "", "@reward_models", "", "@nr_states"]
    lines += [str(len(nodes)), "@nr_choices", str(sum(len(n.choices) for n in nodes)), "@model"]
    for i, node in enumerate(nodes):
        name = model.states[i] if i < len(model.states) else None
        labels = (" init" if name == first else "") + (" goal" if name in goal else "")
        lines.append(f"state {i} !{_double(node.rate)!r}{labels}")
        for n, row in enumerate(node.choices):
            lines.append(f"\taction {n}")
            lines += [f"\t\t{y} : {_double(q)!r}" for y, q in sorted(row)]
    return "\n".join(lines) + "\n"


def discretised(
    model: CTMDP, steps: int
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.intp], NDArray[np.intp]]:
    """Rewards, transition rows, states and actions of the pairs in the problem of ``steps`` steps.

    An error if ``steps`` is so small that a probability would be negative.
    """
    h = model.horizon / count(steps, "steps", max(1, ceil(model.max_rate * model.horizon)))
    rows = np.zeros((len(model.pairs), len(model.states)))
    for i, pair in enumerate(model.pairs):
        for y, q in _lazy(pair, h):
            rows[i, y] = _double(q)
    rewards = np.array([_double(h * pair.reward) for pair in model.pairs])
    states = np.array([pair.state for pair in model.pairs], dtype=np.intp)
    actions = np.array([pair.action for pair in model.pairs], dtype=np.intp)
    return rewards, rows, states, actions


def _lazy(pair: Pair, h: Fraction) -> Row:
    """The row ``(1 - hλ) δ_x + hλ p``: with ``h = 1/Λ`` uniformisation, with ``h = H/N`` one step."""
    jump = h * pair.rate
    row = {y: jump * p for y, p in pair.to}
    row[pair.state] = row.get(pair.state, Fraction(0)) + 1 - jump
    return tuple((y, q) for y, q in row.items() if q != 0)


def _double(number: Fraction) -> float:
    """The nearest double; a rate that became 0 or infinite would pose another problem."""
    try:
        nearest = float(number)
    except OverflowError:
        nearest = 0.0
    if nearest == 0 and number != 0:
        raise PeerUnsuitableError(f"{shown(number)} is outside the range of doubles; choose another unit")
    return nearest


def _stay(place: int) -> _Node:
    """A state that is never left: any rate with a jump back says so."""
    return _Node(Fraction(1), (((place, Fraction(1)),),))


def _committed(model: CTMDP, goal: frozenset[int]) -> list[_Node]:
    """Choose at once, then wait: the states, then the pairs."""
    pairs = [p for p in model.pairs if p.state not in goal]
    first, one = len(model.states), Fraction(1)
    nodes = [
        _stay(x)
        if x in goal
        else _Node(Fraction(0), tuple(((first + n, one),) for n, pair in enumerate(pairs) if pair.state == x))
        for x in range(first)
    ]
    return nodes + [
        _Node(pair.rate, (pair.to,)) if pair.rate > 0 else _stay(first + n) for n, pair in enumerate(pairs)
    ]


def _adjustable(model: CTMDP, goal: frozenset[int]) -> list[_Node]:
    """Wait at the common rate, then choose: the states, then their probabilistic copies."""
    pairs = [p for p in model.pairs if p.state not in goal]
    rate = max((p.rate for p in pairs), default=Fraction(0)) or Fraction(1)
    inner = [x for x in range(len(model.states)) if x not in goal]
    copy = {x: len(model.states) + n for n, x in enumerate(inner)}
    nodes = [
        _stay(x) if x in goal else _Node(rate, (((copy[x], Fraction(1)),),)) for x in range(len(model.states))
    ]
    return nodes + [
        _Node(Fraction(0), tuple(_lazy(p, 1 / rate) for p in pairs if p.state == x)) for x in inner
    ]


def _absence(peer: str) -> str | None:
    """The reason if ``peer`` is not installed.  Cheap: nothing is imported."""
    if importlib.util.find_spec(peer) is None:
        return f"{peer} is not installed; install the extra: pip install 'ctucbvi[peers]'"
    return None


def _defect(peer: str) -> str | None:
    """The reason if what is installed cannot be used; tried in a process of its own."""
    run = subprocess.run([sys.executable, "-c", _IMPORTS[peer]], capture_output=True, text=True, check=False)
    return None if run.returncode == 0 else f"{peer} cannot be used ({_last_line(run.stderr)}); reinstall it"


def _require(peer: str) -> None:
    reason = _absence(peer)
    if reason is not None:
        raise PeerMissingError(reason)


def _last_line(text: str) -> str:
    return (text.strip().splitlines() or ["no message"])[-1]


def _ask_stormpy(model: CTMDP, semantics: Semantics, epsilon: float, timeout: float | None) -> Opinion:
    drn = automaton(model, semantics)
    _require("stormpy")
    task = {"drn": drn, "states": len(model.states), "objective": str(model.objective)}
    values = _storm({**task, "horizon": _double(model.horizon), "epsilon": epsilon}, timeout)
    return Opinion("stormpy", dict(zip(model.states, values, strict=True)), epsilon)


def _storm(task: dict[str, Any], timeout: float | None) -> list[float]:
    """The best probabilities of the first ``states`` states of an automaton."""
    try:
        run = subprocess.run(
            [sys.executable, "-c", _WORKER],
            input=json.dumps(task),
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise UndecidedError(f"stormpy gave no result at {task['epsilon']:g} within {timeout} s") from error
    if run.returncode != 0:
        raise PeerFailedError(f"stormpy failed: {_last_line(run.stderr)}")
    return [float(v) for v in json.loads(run.stdout.splitlines()[-1])]


def _ask_quantecon(model: CTMDP, semantics: Semantics, epsilon: float, _timeout: float | None) -> Opinion:
    if semantics is Semantics.COMMITTED:
        raise PeerUnsuitableError(
            "semantics: quantecon chooses anew at every step and cannot commit; ask for 'adjustable'"
        )
    _require("quantecon")
    values, error = extrapolated(model.plain(semantics=semantics), epsilon, _quantecon)
    named = zip(model.states, values, strict=True)
    return Opinion("quantecon", {x: model.objective.turned(float(v)) for x, v in named}, error)


def extrapolated(
    model: CTMDP, epsilon: float, induct: Callable[[CTMDP, int], NDArray[np.float64]]
) -> tuple[NDArray[np.float64], float]:
    """The extrapolated values and the error stated for them; ``induct`` solves the discrete problem."""
    steps = max(64, ceil(2 * model.max_rate * model.horizon))
    rounding = 2.0**-50 * _double(model.value_scale)
    disturbance = _double(model.horizon**2 * model.max_rate * _steepest(model))
    plain: list[NDArray[np.float64]] = []
    values: list[NDArray[np.float64]] = []
    while steps <= _MOST_STEPS:
        plain.append(induct(model, steps))
        if len(plain) > 1:
            values.append(2 * plain[-1] - plain[-2])
        if len(values) > 1:
            gap = float(abs(values[-1] - values[-2]).max())
            error = gap + disturbance / steps**2 + steps * rounding
            if error <= epsilon:
                return values[-1], error
        steps *= 2
    raise UndecidedError(
        f"no discretisation with at most {_MOST_STEPS} steps reached {epsilon:g}; ask for a larger epsilon"
    )


def _steepest(model: CTMDP) -> Fraction:
    """``max |v'(x,0)|`` over the states, from the HJB system at ``v = g``."""
    g = model.ends
    slopes: dict[int, Fraction] = {}
    for p in model.pairs:
        slope = p.reward + p.rate * sum((q * (g[y] - g[p.state]) for y, q in p.to), Fraction(0))
        slopes[p.state] = max(slope, slopes.get(p.state, slope))
    return max(map(abs, slopes.values()))


def _quantecon(model: CTMDP, steps: int) -> NDArray[np.float64]:
    """Backward induction by quantecon."""
    ddp: Any = importlib.import_module("quantecon.markov.ddp")
    rewards, rows, states, actions = discretised(model, steps)
    with warnings.catch_warnings():
        # It warns that no discounting rules out an infinite horizon, which is not asked for.
        warnings.filterwarnings("ignore", message=".*disabled with beta=1")
        problem = ddp.DiscreteDP(rewards, rows, 1.0, states, actions)
    terminal = [_double(g) for g in model.ends]
    first: NDArray[np.float64] = ddp.backward_induction(problem, steps, terminal)[0][0]
    return first


_ASK: Mapping[str, Callable[[CTMDP, Semantics, float, float | None], Opinion]] = MappingProxyType(
    {"stormpy": _ask_stormpy, "quantecon": _ask_quantecon}
)
