"""The bounds over 200 numbers of episodes up to 10^14, against the same formula in mpmath.

One sweep evaluates the versions of the upper bound, the lower bounds and their conditions in balls at every
value, and finds a certified threshold for each version; mpmath evaluates the printed bound alone, to 15
digits and without any enclosure.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from time import perf_counter
from typing import Any

import mpmath

from ctucbvi import bundled_model
from ctucbvi.bounds import (
    BALLS,
    VERSIONS,
    Parameters,
    SweepRange,
    check,
    document,
    expected_maximum,
    power_sum,
    sweep,
)
from ctucbvi.bounds.poisson_tails import root_sum
from ctucbvi.exact.precision import precision
from verify.streams import writing
from verify.tables import table


def printed(p: Parameters, episodes: int) -> Any:
    """eq:regret-bound for accuracies 1/√k, plainly."""
    k, h, top = mpmath.mpf(episodes), mpmath.mpf(float(p.horizon)), mpmath.mpf(float(p.lambda_max))
    v, pairs = top * h, p.states * p.actions * k
    log, half = mpmath.log(2 * pairs * h), mpmath.mpf(1) / 2
    main = 3 * (max(top / (1 - mpmath.exp(-v)), 1) * h + 1) * mpmath.sqrt(pairs) * (h + 1 / mpmath.mpf(2))
    main *= (v + 1) * mpmath.log(k) / mpmath.log(mpmath.log(k) + 1)
    main *= mpmath.sqrt(2 * p.states + 6 * log) + 4 * v * mpmath.sqrt(log)
    return main + mpmath.exp(v) * (mpmath.zeta(half) - mpmath.zeta(half, k + 1)) + 1


def _printed_in_balls(p: Parameters) -> Any:
    assert check(VERSIONS[0].conditions, p).hold
    with precision(65):  # the sums of the sweep are remembered for 64
        return VERSIONS[0].bound(p, BALLS)


def timed(run: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds, and the answer."""
    began = perf_counter()
    answer = run()
    return perf_counter() - began, answer


@writing("python -m tests.benchmarks.bench_constants")
def main() -> None:
    """Print the times of the sweep, and of single constants."""
    p = Parameters.of_model(bundled_model("machine-repair"), episodes=10**7, delta="1/20")
    over = SweepRange.parse("K=2..1e14:200")
    document(p)  # imports, and the caches that a first call fills
    ours, found = timed(lambda: sweep(p, over))
    alone, _ = timed(lambda: [_printed_in_balls(p.at("K", k)) for k in over.values])
    theirs, values = timed(lambda: [printed(p, int(k)) for k in over.values])
    for mine, other in zip(found.bounds["printed"], values, strict=True):
        assert mine is not None
        assert abs(mine / other - 1) < 1e-12
    rows = [
        ("ctucbvi sweep", f"{ours:.3f} s", "1"),
        ("ctucbvi, the printed bound alone", f"{alone:.3f} s", f"{alone / ours:.2f}"),
        ("mpmath, the printed bound alone", f"{theirs:.3f} s", f"{theirs / ours:.2f}"),
    ]
    print(f"\nbounds at {len(over.values)} numbers of episodes up to 10^14")
    print(table(("", "time", "ratio"), rows))
    rows = []
    with precision(128):
        for name, run in (
            ("sum of 1/sqrt(k) up to 10^15", lambda: power_sum(Fraction(1, 2), 10**15 + 1)),
            ("largest of 10^15 Poisson(7)", lambda: expected_maximum(Fraction(7), 10**15 + 1)),
            ("largest of 10^15 Poisson(10^6)", lambda: expected_maximum(Fraction(10**6), 10**15 + 1)),
            ("roots of the tails of Poisson(7)", lambda: root_sum(Fraction(7))),
            ("roots of the tails of Poisson(10^6)", lambda: root_sum(Fraction(10**6))),
        ):
            seconds, ball = timed(run)
            rows.append((name, ball.str(15, radius=False), f"{1000 * seconds:.2f} ms"))
    print(table(("38 digits of", "", "time"), rows))


if __name__ == "__main__":
    main()
