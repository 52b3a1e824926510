r"""How many workers a study can use: a simulation of the queue with costs that were measured here.

A study is :math:`n` chains of blocks, one for each run of each configuration; a block cannot begin before the
one before it has come back.  A block passes two servers, each of which does one thing at a time: whoever gave
the command (hands out, receives, writes it down; threads wait for the disk: :math:`c` seconds a block) and
dask's scheduler (:math:`s` seconds); then it waits for one of :math:`W` workers, is played, and travels
(:math:`l` seconds there and back).  Whatever the order, with :math:`d` the lengths of the blocks,

.. math:: T \ge \max\Bigl\{\frac{\sum d}{W},\ \max_{\text{chain}} \sum (d + c + s + l),\
          n_{\text{blocks}} \max\{c, s\}\Bigr\}.

The efficiency is :math:`\sum d/(WT)`.  Lengths of blocks are those of learners that were played here, in
processor time: a million episodes, and the rest of a run at the pace of their last quarter, cut into blocks
as the driver cuts them.  :math:`c`, :math:`s` and :math:`l` come from a cluster of this machine, with blocks
that carry what real ones carry and play nothing.  Whether the simulation is right is seen on the same cluster
with blocks that sleep.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from concurrent.futures import FIRST_COMPLETED, wait
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import count, cycle, islice
from pathlib import Path
from random import Random
from statistics import median
from tempfile import TemporaryDirectory
from time import monotonic, process_time, sleep

from ctucbvi import bundled_model
from ctucbvi.learning import Settings, rescaling
from ctucbvi.study import RunState, Study, contestant
from ctucbvi.study.blocks import Block, Done, work
from ctucbvi.study.driver import SECONDS
from ctucbvi.study.plan import made_by
from ctucbvi.study.shards import Folder
from tests.clusters import Cluster, local_cluster
from verify.clusters import connected
from verify.streams import writing
from verify.tables import table

LEARNERS = ("ct-ucbvi", "sharp", "optimistic", "optimistic-poisson")
MODELS = ("machine-repair", "maintenance", "queue")
_UNKNOWN = 1e9  # seconds: runs of which nothing is known come first
QUARTER = 250_000  # episodes
ENOUGH = 0.8  # of efficiency
WORKERS = (1, 10, 30, 100, 200, 300, 400, 500, 700, 1000, 1500, 2000, 3000)
Chain = Sequence[float]  # the lengths of its blocks


@dataclass(frozen=True)
class Costs:
    """Seconds per block, beside what is played."""

    client: float
    scheduler: float
    travel: float


# --- the simulation --------------------------------------------------------------------------


def simulated(
    chains: Sequence[Chain], workers: int, costs: Costs, guesses: Sequence[float] | None = None
) -> float:
    """When the last block is back.

    The first blocks come first, in the order of the ``guesses`` (None: as they are listed); then the run with
    the most work ahead.
    """
    told = [0.0] * len(chains) if guesses is None else guesses
    ahead = [_UNKNOWN * (1 + guess) for guess in told]  # as the driver sees it
    place = [0] * len(chains)
    ticket = count()
    events: list[tuple[float, int, str, int]] = []  # when, the how manieth, what happens, to which chain
    waiting: list[tuple[float, int, int]] = []  # for a worker
    free, now = workers, 0.0
    client = scheduler = 0.0  # from when on each is free

    def at(when: float, what: str, chain: int) -> None:
        heappush(events, (when, next(ticket), what, chain))

    def asked(chain: int) -> None:
        """A block passes both servers and gets to the workers."""
        nonlocal client, scheduler
        client = max(client, now) + costs.client
        scheduler = max(scheduler, client) + costs.scheduler
        at(scheduler + costs.travel / 2, "there", chain)

    for chain in sorted(range(len(chains)), key=lambda i: -ahead[i]):
        asked(chain)
    while events:
        now, number, what, chain = heappop(events)
        if what == "there":
            heappush(waiting, (-ahead[chain], number, chain))
        elif what == "played":
            free += 1
            at(now + costs.travel / 2, "back", chain)
        else:
            place[chain] += 1
            ahead[chain] = sum(chains[chain][place[chain] :])
            if place[chain] < len(chains[chain]):
                asked(chain)
        while free and waiting:
            *_, chain = heappop(waiting)
            free -= 1
            at(now + chains[chain][place[chain]], "played", chain)
    return now


def bounds(chains: Sequence[Chain], workers: int, costs: Costs) -> dict[str, float]:
    """What no order can beat, by its reason."""
    each = costs.client + costs.scheduler + costs.travel
    blocks = sum(map(len, chains))
    return {
        "the work itself": sum(map(sum, chains)) / workers,
        "the longest run": max(sum(chain) + each * len(chain) for chain in chains),
        "who hands out the blocks": blocks * costs.client,
        "the scheduler": blocks * costs.scheduler,
    }


def most_workers(chains: Sequence[Chain], costs: Costs, guesses: Sequence[float]) -> int:
    """How many workers are used to 80 %: doubled until they are not, then halved in between, to 1 %."""
    total = sum(map(sum, chains))

    def enough(workers: int) -> bool:
        return total / (workers * simulated(chains, workers, costs, guesses)) >= ENOUGH

    low, high = 1, 2
    while enough(high):
        low, high = high, 2 * high
    while high - low > max(1, low // 100):
        middle = (low + high) // 2
        low, high = (middle, high) if enough(middle) else (low, middle)
    return low


# --- what is measured ------------------------------------------------------------------------


def measured_chains() -> dict[str, Chain]:
    """One run of each learner on each model: processor seconds of the quarters of a million episodes."""
    found = {}
    for model_name in MODELS:
        model = bundled_model(model_name)
        model = model.with_rewards(*rescaling(model))
        for name in LEARNERS:
            settings = Settings.for_model(model, episodes=4 * QUARTER, replan="1/100")
            study = Study(model, settings, 1, (contestant(name),))
            work(Block(study, name, 1, RunState(), 1))  # compiles
            state, lengths = RunState(), []
            for part in range(1, 5):
                began = process_time()
                state = work(Block(study, name, 0, state, part * QUARTER)).state
                lengths.append(process_time() - began)
            found[f"{model_name}, {name}"] = lengths
    return found


def cut(quarters: Chain, episodes: int, seconds: float) -> Chain:
    """A run of so many episodes in blocks, each of which ends after so many seconds."""
    whole, last = divmod(sum(quarters) + quarters[-1] * (episodes / QUARTER - len(quarters)), seconds)
    return [*[seconds] * int(whole), last]


def guess_of(name: str) -> float:
    """What the driver goes by before it knows more of such a run: pairs, times the same episodes for all."""
    return float(len(bundled_model(name.partition(",")[0]).transitions))


def echo(task: Block) -> Done:
    """What a worker does with a block that has no episodes."""
    return Done(task.name, task.run, task.state, made_by())


def nap(seconds: float) -> None:
    """A block that needs a worker, and no processor."""
    sleep(seconds)


def _seconds_of(process: int) -> float:
    """The processor seconds of another process."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Spent:
    """The processor time of the two servers since it was made."""

    def __init__(self, cluster: Cluster) -> None:
        self._scheduler = cluster.scheduler.pid
        self._begun = process_time(), _seconds_of(self._scheduler)

    def per_block(self, blocks: int) -> Costs:
        """What a block took; how long it was on the way is not seen."""
        mine, theirs = process_time() - self._begun[0], _seconds_of(self._scheduler) - self._begun[1]
        return Costs(mine / blocks, theirs / blocks, 0.0)


def measured_costs(cluster: Cluster, folder: Path, tasks: int = 1000) -> tuple[Costs, float]:
    """Of blocks, many at a time; on the way, one at a time; and how long a save takes, with the disk."""
    model = bundled_model("queue")
    model = model.with_rewards(*rescaling(model))
    study = Study(model, Settings.for_model(model, episodes=1000), 1, (contestant("optimistic"),))
    state = work(Block(study, "optimistic", 0, RunState(), 1000)).state
    block = Block(study, "optimistic", 0, state, 1000)
    with connected(cluster.address) as client:
        executor = client.get_executor(pure=False)
        alone = []
        for _ in range(70):
            began = monotonic()
            executor.submit(echo, block).result()
            alone.append(monotonic() - began)
        spent = Spent(cluster)
        running = {executor.submit(echo, block) for _ in range(min(tasks, 200))}
        sent = len(running)
        while running:  # as the driver does it
            finished, running = wait(running, return_when=FIRST_COMPLETED)
            for future in finished:
                future.result()
                if sent < tasks:
                    running.add(executor.submit(echo, block))
                    sent += 1
        found = spent.per_block(tasks)
    files, saves, before = Folder(study, folder).open(), [], process_time()
    for _ in range(51):  # mostly waits for the disk, which threads do
        began = monotonic()
        files.save("optimistic", 0, state)
        saves.append(monotonic() - began)
    saving = (process_time() - before) / len(saves)
    travel = max(0.0, min(alone) - found.client - found.scheduler)
    return Costs(found.client + saving, found.scheduler, travel), median(saves)


def napped(cluster: Cluster, chains: Sequence[Chain]) -> tuple[float, Costs]:
    """The time that a real cluster takes for these chains, played by sleeping, and what these blocks cost."""
    with connected(cluster.address) as client:
        executor = client.get_executor(pure=False)
        executor.submit(nap, 0.0).result()
        ahead = [sum(chain) for chain in chains]
        place = [0] * len(chains)

        def submit(i: int) -> object:
            return executor.submit(nap, chains[i][place[i]], priority=ahead[i])

        began, spent = monotonic(), Spent(cluster)
        running = {submit(i): i for i in sorted(range(len(chains)), key=lambda i: -ahead[i])}
        while running:
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                i = running.pop(future)
                future.result()
                ahead[i] -= chains[i][place[i]]
                place[i] += 1
                if place[i] < len(chains[i]):
                    running[submit(i)] = i
        return monotonic() - began, spent.per_block(sum(map(len, chains)))


# --- the report ------------------------------------------------------------------------------


def report(
    chains: Sequence[Chain], costs: Costs, guesses: Sequence[float], workers: Sequence[int] = WORKERS
) -> None:
    """Time and efficiency by the number of workers, and where it ends."""
    total, rows = sum(map(sum, chains)), []
    for many in workers:
        seconds = simulated(chains, many, costs, guesses)
        plain = simulated(chains, many, costs)
        limits = bounds(chains, many, costs)
        reason = max(limits, key=lambda why: limits[why])
        shares = [f"{total / (many * t):.0%}" for t in (seconds, plain)]
        rows.append([str(many), f"{seconds:.1f} s", *shares, reason])
    print(table(("workers", "time", "efficiency", "in order", "largest bound"), rows))
    most = most_workers(chains, costs, guesses)
    limits = {why: t for why, t in bounds(chains, most + 1, costs).items() if why != "the work itself"}
    why = max(limits, key=lambda name: limits[name])
    print(f"\nused to {ENOUGH:.0%}: up to {most} workers; then {why} ({limits[why]:.1f} s) is what remains\n")


@writing("python -m tests.benchmarks.bench_cluster")
def main(arguments: Sequence[str] = ()) -> None:
    """Measure, check the simulation, and print the tables."""
    parser = argparse.ArgumentParser(prog="bench_cluster", description=main.__doc__)
    parser.add_argument("--configurations", type=int, default=100)
    parser.add_argument("--runs", type=int, default=30)
    parser.add_argument("--episodes", type=int, default=10_000_000)
    options = parser.parse_args(arguments)
    quarters = measured_chains()
    print(f"seconds of blocks of {QUARTER:,} episodes, replan 1/100")
    rows = [[name, *(f"{d:.2f}" for d in chain)] for name, chain in quarters.items()]
    print(table(("", "first", "second", "third", "fourth"), rows), end="\n\n")
    with TemporaryDirectory() as name:
        folder, draw = Path(name), Random(1)
        with local_cluster(folder, [folder] * 2, threads=32) as cluster:
            costs, saving = measured_costs(cluster, folder / "shards")
            naps = [[draw.uniform(0.5, 2) for _ in range(4)] for _ in range(100)]
            real, theirs = napped(cluster, naps)
    parts = (f"{1e3 * part:.2f} ms" for part in (costs.client, costs.scheduler, costs.travel, saving))
    print("per block: {} of who hands out, {} of the scheduler, {} on the way; {} to save it".format(*parts))
    told = simulated(naps, 64, theirs, [sum(chain) for chain in naps])
    print(f"100 chains of 4 blocks on 64 workers that sleep: {real:.2f} s; simulated {told:.2f} s\n")
    many = list(islice(cycle(quarters.items()), options.configurations))
    guesses = [guess_of(name) for name, _ in many for _ in range(options.runs)]
    for seconds in (SECONDS, 1.0):
        chains = [cut(one, options.episodes, seconds) for _, one in many for _ in range(options.runs)]
        print(
            f"{options.configurations} configurations, {options.runs} runs of {options.episodes:,} episodes:"
        )
        print(f"{sum(map(len, chains)):,} blocks of at most {seconds:g} s:")
        report(chains, costs, guesses)


if __name__ == "__main__":
    main(sys.argv[1:])
