r"""Storm as a peer: time-bounded reachability by Unif+ on a Markov automaton.

A reachability problem (no rewards, terminal reward 1 on absorbing goal states) under the
*committed* semantics is the automaton in which state :math:`x` chooses an action at once
(a probabilistic state) and moves to :math:`(x,a)`, a Markovian state with exit rate
:math:`\lambda(x,a)` that jumps to :math:`y` with probability :math:`p(y\mid x,a)`.  Storm
computes the maximal probability of reaching a goal within the horizon, to an absolute
:math:`\varepsilon` and in doubles.

Storm's default precision is relative, which its time-bounded engine does not honour on
every model; the absolute one is asked for here.  Storm takes its settings once per process,
so every check runs in a fresh one; that one needs stormpy only, and may belong to another
environment than the caller's.  Its times and its limit are seconds of the processor: how busy the machine
is decides nothing.

How long Unif+ takes depends on the model more than on its size.  On the random models used
here, where the optimal action never changes it mostly needs well under a millisecond; where
it switches, milliseconds at 1e-6 and up to seconds at 1e-8.  A benchmark must say which kind
it measures.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ctucbvi.errors import ModelError
from ctucbvi.model import Semantics
from verify.streams import writing

if TYPE_CHECKING:
    from ctucbvi.model import CTMDP


# Reads {drn, horizon, epsilon, objective, limit} from stdin and writes {value, seconds of the processor}.  A
# quick check is repeated and the best time taken, so that the peer does not pay for warming up.  What the
# process has used before the first check does not count for the limit.  The clock is the thread's, in which
# Storm computes: under a limit that of the process advances in ticks of milliseconds.
_WORKER = """
import json, pathlib, resource, sys, tempfile, time
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
if task["limit"]:
    most = int(time.process_time() + task["limit"]) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (most, resource.RLIM_INFINITY))
times = []
while len(times) < 5 and sum(times) < 0.5:
    start = time.thread_time()
    result = stormpy.model_checking(model, wanted, only_initial_states=True, environment=environment)
    times.append(time.thread_time() - start)
print(json.dumps({"value": result.get_value(model.initial_states[0]), "seconds": min(times)}))
"""


_EXACT = 1.0  # seconds: where there is a limit, the clock moves in steps of milliseconds


class PeerMissingError(RuntimeError):
    """The peer is not installed, or too old to be asked."""


def require(python: str = sys.executable) -> None:
    """Raise :class:`PeerMissingError`, with the reason, unless ``python`` has stormpy 2.0 or later."""
    try:
        run = subprocess.run(
            [python, "-c", "import stormpy; stormpy.developer"], capture_output=True, text=True, check=False
        )
    except OSError as error:
        raise PeerMissingError(f"{python} cannot be run ({error}); name a Python interpreter") from error
    if run.returncode != 0:
        reason = (run.stderr.strip().splitlines() or ["no message"])[-1]
        raise PeerMissingError(f"stormpy cannot be used ({reason}); install stormpy 2.0 or later")


def goals(model: CTMDP) -> frozenset[str]:
    """Return the goal states; an error if the model is not a reachability problem."""
    found = frozenset(x for x, g in zip(model.states, model.terminal, strict=True) if g == 1)
    if not found or any(g not in (0, 1) for g in model.terminal):
        raise ModelError("terminal: a reachability problem has 1 on its goal states and 0 elsewhere")
    for row in model.transitions:
        where = f"transition of state {row.state!r}, action {row.action!r}"
        if row.reward != 0:
            raise ModelError(f"{where}: reward {row.reward}; a reachability problem has none")
        if row.state in found and row.rate > 0 and row.to != ((row.state, 1),):
            raise ModelError(f"{where}: a goal state must be absorbing; write rate 0")
    return found


def automaton(model: CTMDP) -> str:
    """Write the Markov automaton in Storm's explicit format (DRN).

    States come first, in the model's order, then the pairs.  A pair with rate 0 stays for
    ever: any rate with a jump back to itself says the same.
    """
    goal, first = goals(model), len(model.states)
    pairs = [(i, p) for i, p in enumerate(model.pairs) if model.states[p.state] not in goal]
    place = {i: first + n for n, (i, _) in enumerate(pairs)}
    choices = len(goal) + 2 * len(pairs)
    lines = list[str]()
    for x, name in enumerate(model.states):
        labels = (" init" if name == model.initial else "") + (" goal" if name in goal else "")
        if name in goal:
            lines += [f"state {x} !1{labels}", "\taction 0", f"\t\t{x} : 1"]
            continue
        lines.append(f"state {x} !0{labels}")
        for n, i in enumerate(i for i, p in pairs if p.state == x):
            lines += [f"\taction {n}", f"\t\t{place[i]} : 1"]
    for i, p in pairs:
        rate, row = (p.rate, p.to) if p.rate > 0 else (1, ((place[i], 1),))
        lines += [f"state {place[i]} !{float(rate)!r}", "\taction 0"]
        lines += [f"\t\t{y} : {float(q)!r}" for y, q in sorted(row)]
    return explicit(first + len(pairs), choices, lines)


def explicit(states: int, choices: int, lines: Sequence[str]) -> str:
    """A Markov automaton in Storm's explicit format: its head, and what is said of its states."""
    head = ["@type: Markov Automaton", "@parameters", "", "@reward_models", "", "@nr_states", str(states)]
    return "\n".join([*head, "@nr_choices", str(choices), "@model", *lines]) + "\n"


def solve(
    model: CTMDP, epsilon: float, *, python: str = sys.executable, limit: float | None = None
) -> tuple[float, float]:
    """Return the value of the initial state and the seconds that model checking alone took.

    ``python`` is the interpreter that has stormpy; :class:`TimeoutError` after ``limit`` seconds of the
    processor.
    """
    return check(automaton(model), float(model.horizon), epsilon, python=python, limit=limit)


def check(
    drn: str,
    horizon: float,
    epsilon: float,
    objective: str = "max",
    *,
    python: str = sys.executable,
    limit: float | None = None,
) -> tuple[float, float]:
    """The same for an automaton in Storm's explicit format, with its goal states labelled."""
    require(python)
    task = {"drn": drn, "horizon": horizon, "epsilon": float(epsilon), "objective": objective}
    value, seconds = _asked(python, {**task, "limit": limit})
    if limit and seconds < _EXACT:
        return _asked(python, {**task, "limit": None})
    return value, seconds


def _asked(python: str, task: dict[str, Any]) -> tuple[float, float]:
    """What a fresh process says."""
    run = subprocess.run(
        [python, "-c", _WORKER], input=json.dumps(task), capture_output=True, text=True, check=False
    )
    if task["limit"] and -run.returncode == signal.SIGXCPU:
        raise TimeoutError(f"Storm Unif+: more than {task['limit']:g} s of the processor, and no result")
    if run.returncode != 0:
        raise RuntimeError(f"stormpy failed: {(run.stderr.strip().splitlines() or ['no message'])[-1]}")
    answer = json.loads(run.stdout.splitlines()[-1])
    return float(answer["value"]), float(answer["seconds"])


@writing("python -m tests.benchmarks.storm_peer")
def main() -> int:
    """Compare with the second opinion on random models, and time two precisions.

    The interpreter that has stormpy may be given as the only argument.  The status is 1 if a
    value is off by more than its precision, or if the comparison would not have noticed the
    wrong semantics on any model.
    """
    from ctucbvi import second_opinion
    from tests.benchmarks.random_models import random_reachability

    python = sys.argv[1] if len(sys.argv) > 1 else sys.executable
    off, told_apart = 0, 0
    for seed in range(12):
        model = random_reachability(4, 3, seed)
        opinion = second_opinion.solve(model, digits=15)
        truth, mutant = (
            float(o.value(model.initial).mid)
            for o in (opinion, second_opinion.solve(model, Semantics.ADJUSTABLE, digits=15))
        )
        for epsilon in (1e-6, 1e-8):
            value, seconds = solve(model, epsilon, python=python)
            off += abs(value - truth) > epsilon
            told_apart += abs(value - mutant) > epsilon
            print(
                f"seed {seed:2}  switches {len(opinion.switches)}  ε {epsilon:g}  {value:.10f}  "
                f"error {value - truth:+.1e}  {seconds * 1000:.2f} ms"
            )
    print(f"{off} values off by more than ε; {told_apart} of 24 comparisons tell the semantics apart")
    return int(off > 0 or told_apart == 0)


if __name__ == "__main__":
    sys.exit(main())
