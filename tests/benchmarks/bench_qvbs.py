"""Families of the quantitative verification benchmark set: solved and proved, against Storm's Unif+.

Times are those of the processor, ours with the proof: of a solution at all remaining times, and of what Storm
is asked for, the values at the horizon.  That Storm has no answer in its time is a result.

Six families are written from their descriptions (:mod:`tests.benchmarks.qvbs`); the automata among
stormpy's examples are asked for probabilities within a time.  With ``QVBS=DIR``, a copy of the set's folder
``benchmarks/ma``, the published files are taken as well: every property that asks for a probability within a
time, of automata with at most 20,000 states as the set's indices count them.  Storm builds such an automaton
in exact rationals; both tools are then given the same one.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from importlib.util import find_spec
from pathlib import Path
from time import process_time
from typing import Any

from ctucbvi import CTMDP, InputError
from ctucbvi.modelfile.drn import parse_drn
from ctucbvi.numeric import Certificate, certify, solve_certified, solve_numeric
from ctucbvi.prism import built
from tests.benchmarks import storm_peer
from tests.benchmarks.qvbs import PUBLISHED, Family, bitcoin, dpm, ftwc, jobs, polling, stream
from tests.benchmarks.turns import ratios
from verify.streams import writing
from verify.tables import table

_HEAD = ("family", "states", "value, proved", "Storm Unif+", "all times", "horizon", "Storm", "ratios")
_MOST = 20_000  # states of a published automaton
_EXAMPLES = (
    ("simple", "Pmax=? [F<=1 s=4]"),
    ("simple", "Pmin=? [F<=1 s=3]"),
    ("ctmc", "P=? [F<=2 s=3]"),
    ("hybrid_states", "Pmax=? [F<=2 s=3]"),
    ("hybrid_states", "Pmin=? [F<=2 s>2]"),
    ("stream2", 'Pmax=? [F<=2 "done"]'),
    ("stream2", 'Pmin=? [F<=2 "done"]'),
)


def compare(
    text: str,
    model: CTMDP,
    epsilon: float,
    limit: float,
    published: tuple[float, float] = (0.0, 1.0),
) -> tuple[str, ...]:
    """One row: the automaton as Storm is given it, and the same as a model of ours."""
    states = text.count("\nstate ")
    proof = certify(solve_numeric(model, tolerance=epsilon))
    value = float(proof.value(model.initial).mid)
    assert proof.bound <= epsilon
    low, high = published
    assert low - proof.bound <= value <= high + proof.bound, model.name
    turns = [[_seconds(ask, model, epsilon) for _ in range(9)] for ask in (_all_times, _horizon)]
    ours = [min(taken) for taken in turns]
    first = (model.name, f"{states} / {len(model.states)}", f"{value:.10f} ± {proof.bound:.0e}")
    try:
        found, theirs = storm_peer.check(text, float(model.horizon), epsilon, model.objective, limit=limit)
    except TimeoutError:
        least = f"more than {limit / max(ours):.0f}"
        return (*first, "", *(f"{t * 1e3:.2f} ms" for t in ours), f"more than {limit:g} s", least)
    assert abs(found - value) <= epsilon + proof.bound, model.name
    times = (f"{t * 1e3:.2f} ms" for t in (*ours, theirs))
    return (*first, f"{found:.10f}", *times, " / ".join(ratios([theirs] * 9, taken) for taken in turns))


def described(family: Family) -> tuple[str, CTMDP]:
    """A family from its description."""
    text = family.drn()[0]
    options = {"goal": "goal", "objective": family.objective, "rationalize": "1e-9", "name": family.name}
    return text, parse_drn(text, horizon=family.horizon, **options)


def questions(folder: Path) -> Iterator[tuple[Path, str, str]]:
    """File, constants and name of every property of a published automaton that has a bound on time."""
    for index in sorted(folder.glob("*/index.json")):
        for entry in json.loads(index.read_text("utf-8-sig"), parse_int=str)["files"]:
            file = index.parent / entry["file"]
            sets = [s for s in entry["open-parameter-values"] if _states(s) <= _MOST]
            if not sets or not file.is_file():
                continue
            properties = json.loads(file.read_text("utf-8-sig"), parse_int=str).get("properties", [])
            timed = [p["name"] for p in properties if "time-bounds" in json.dumps(p)]
            for chosen in sets:
                constants = ",".join(f"{v['name']}={v['value']}" for v in chosen.get("values", []))
                yield from ((file, constants, name) for name in timed)


def _states(found: Mapping[str, Any]) -> int:
    """How many states the automaton has with these parameters, as the smallest published count says."""
    return min((int(count["number"]) for count in found.get("states", [])), default=_MOST + 1)


def published(folder: Path, epsilon: float = 1e-8, limit: float = 60.0) -> None:
    """The table for the published files."""
    asked = []
    for file, constants, name in questions(folder):
        shown = " ".join(filter(None, (file.stem, constants.replace("TIME_BOUND", "T"), name)))
        asked.append((shown, file, constants, name))
    of_files("published Markov automata", asked, epsilon, limit)


def examples(epsilon: float = 1e-8, limit: float = 60.0) -> None:
    """The table for the automata among stormpy's examples."""
    folder = Path(find_spec("stormpy").origin).parent / "examples" / "files" / "ma"
    asked = [(f"{name} {text}", folder / f"{name}.ma", "", text) for name, text in _EXAMPLES]
    of_files("Storm's example automata", asked, epsilon, limit)


def of_files(title: str, asked: list[tuple[str, Path, str, str]], epsilon: float, limit: float) -> None:
    """A table for name, file, constants and property; what is not read is listed with the reason."""
    rows, refused = [], []
    for shown, file, constants, name in asked:
        print(f"  {shown}", file=sys.stderr)
        try:
            text, options = built(file, file.name, constants, name, 600)
            if "avoid" in options:
                raise InputError("reachability only is asked of Storm here")
            model = parse_drn(text, name=shown, **options)
        except InputError as error:
            refused.append(f"{shown}: {error}")
            continue
        decimals = re.sub(r"\d+/\d+", lambda found: repr(float(Fraction(found[0]))), text)
        decimals = decimals.replace("@value_type: rational", "@value_type: double").replace(
            "asked-goal", "goal"
        )
        try:
            rows.append(compare(decimals, model, epsilon, limit))
        except RuntimeError as error:  # Storm's own
            refused.append(f"{shown}: {error}")
    print(f"{title}, error at most {epsilon:g}; states as above")
    print(table(_HEAD, rows))
    print("\n".join(["not compared:", *refused] if refused else []), end="\n\n")


def _all_times(model: CTMDP, epsilon: float) -> Certificate:
    """The values at all remaining times."""
    return certify(solve_numeric(model, tolerance=epsilon))


def _horizon(model: CTMDP, epsilon: float) -> Certificate:
    """The values at the horizon, and the policy."""
    return solve_certified(model, tolerance=epsilon, at=(model.horizon,))


def _seconds(ask: Callable[[CTMDP, float], Certificate], model: CTMDP, epsilon: float) -> float:
    """Seconds of the processor to solve and prove."""
    began = process_time()
    ask(model, epsilon)
    return process_time() - began


def against_storm(epsilon: float = 1e-8, limit: float = 60.0) -> None:
    """All families, at an absolute error of 1e-8."""
    families = (jobs(10, 3), stream(100), polling(3, 3), ftwc(4), bitcoin(20, 6), dpm(2, 2))
    rows = [compare(*described(f), epsilon, limit, PUBLISHED.get(f.name, (0.0, 1.0))) for f in families]
    print(f"Markov automata, error at most {epsilon:g}; states of the automaton / of the committed problem")
    print(table(_HEAD, rows), end="\n\n")


@writing("python -m tests.benchmarks.bench_qvbs")
def main() -> None:
    """Print the tables."""
    try:
        storm_peer.require()
    except storm_peer.PeerMissingError as missing:
        print(f"Storm left out: {missing}\n")
        return
    against_storm()
    examples()
    if "QVBS" in os.environ:
        published(Path(os.environ["QVBS"]))
    else:
        print("published automata: name a copy of the set's folder benchmarks/ma as QVBS=DIR\n")


if __name__ == "__main__":
    main()
