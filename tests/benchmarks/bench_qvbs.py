"""Families of the quantitative verification benchmark set: solved and proved, against Storm's Unif+.

Times are those of the processor, ours with the proof.  That Storm has no answer in its time is a result.
"""

from __future__ import annotations

from time import process_time

from ctucbvi import CTMDP
from ctucbvi.modelfile.drn import parse_drn
from ctucbvi.numeric import certify, solve_numeric
from tests.benchmarks import storm_peer
from tests.benchmarks.qvbs import PUBLISHED, Family, bitcoin, dpm, ftwc, jobs, polling, stream
from verify.tables import table


def compare(family: Family, epsilon: float, limit: float) -> tuple[str, ...]:
    """One row."""
    text, states = family.drn()
    model = parse_drn(
        text,
        horizon=family.horizon,
        goal="goal",
        objective=family.objective,
        rationalize="1e-9",
        name=family.name,
    )
    proof = certify(solve_numeric(model, tolerance=epsilon))
    value = float(proof.value(model.initial).mid)
    assert proof.bound <= epsilon
    low, high = PUBLISHED.get(family.name, (0.0, 1.0))
    assert low - proof.bound <= value <= high + proof.bound, family.name
    ours = min(_seconds(model, epsilon) for _ in range(9))
    first = (family.name, f"{states} / {len(model.states)}", f"{value:.10f} ± {proof.bound:.0e}")
    try:
        found, theirs = storm_peer.check(text, float(family.horizon), epsilon, family.objective, limit=limit)
    except TimeoutError:
        return (
            *first, "", f"{ours * 1e3:.2f} ms", f"more than {limit:g} s", f"more than {limit / ours:.0f}"
        )  # fmt: skip
    assert abs(found - value) <= epsilon + proof.bound, family.name
    times = f"{ours * 1e3:.2f} ms", f"{theirs * 1e3:.2f} ms"
    return (*first, f"{found:.10f}", *times, f"{theirs / ours:.1f}")


def _seconds(model: CTMDP, epsilon: float) -> float:
    """Seconds of the processor to solve and prove."""
    began = process_time()
    certify(solve_numeric(model, tolerance=epsilon))
    return process_time() - began


def against_storm(epsilon: float = 1e-8, limit: float = 60.0) -> None:
    """All families, at an absolute error of 1e-8."""
    try:
        storm_peer.require()
    except storm_peer.PeerMissingError as missing:
        print(f"Storm left out: {missing}\n")
        return
    families = (jobs(10, 3), stream(100), polling(3, 3), ftwc(4), bitcoin(20, 6), dpm(2, 2))
    rows = [compare(family, epsilon, limit) for family in families]
    print(f"Markov automata, error at most {epsilon:g}; states of the automaton / of the committed problem")
    head = ("family", "states", "value, proved", "Storm Unif+", "solve + certify", "Storm", "ratio")
    print(table(head, rows), end="\n\n")


def main() -> None:
    """Print the table."""
    against_storm()


if __name__ == "__main__":
    main()
