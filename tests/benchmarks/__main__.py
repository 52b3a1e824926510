"""``make bench``: times as ratios against other tools, each pair measured side by side in this run."""

from __future__ import annotations

from tests.benchmarks import (
    bench_cluster,
    bench_constants,
    bench_exact,
    bench_learner,
    bench_numeric,
    bench_provers,
    bench_qvbs,
    bench_start,
)
from tests.benchmarks.corpus.__main__ import main as corpus
from verify.streams import writing


@writing("python -m tests.benchmarks")
def main() -> None:
    """All of it."""
    bench_start.main()
    bench_exact.main()
    bench_numeric.main()
    bench_qvbs.main()
    bench_provers.main()
    bench_learner.main()
    bench_constants.main()
    bench_cluster.main()
    corpus([])  # last: it takes longest, and goes on where it was interrupted


if __name__ == "__main__":
    main()
