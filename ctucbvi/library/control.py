r"""Control problems from textbooks, with a finite horizon.

In each of them an investment (serving faster, repairing early, treating, going the safe way)
pays only if enough time remains, so that the optimal action changes with the remaining time
:math:`t`.  Where several exponential clocks run, with rates :math:`\lambda_i`, the first one
rings after an exponential time with rate :math:`\sum_i \lambda_i` and is number :math:`i` with
probability :math:`\lambda_i / \sum_j \lambda_j`.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

from ctucbvi.errors import InputError
from ctucbvi.model import CTMDP, Number, Transition
from ctucbvi.numbers import at_least_zero, count, exact, positive


def queue(
    capacity: int = 6,
    *,
    arrival: Number = 2,
    slow: Number = 1,
    fast: Number = 3,
    reward: Number = 3,
    holding: Number = 1,
    speed_cost: Number = 2,
    horizon: Number = 4,
) -> CTMDP:
    """Build a single server with control of admission and of the speed of service.

    The state is the number in the system.  Customers come at rate ``arrival`` and, if
    admitted, pay ``reward`` each, which is ``reward * arrival`` per unit of time; everyone
    in the system costs ``holding`` per unit of time and fast service ``speed_cost``.  A full
    queue cannot admit and an empty one has no speed of service.
    """
    size = count(capacity, "capacity")
    come, fee = positive(arrival, "arrival"), exact(reward, "reward")
    hold = at_least_zero(holding, "holding")
    speeds = {
        "slow": (positive(slow, "slow"), Fraction(0)),
        "fast": (positive(fast, "fast"), at_least_zero(speed_cost, "speed_cost")),
    }
    idle = {"": (Fraction(0), Fraction(0))}
    rows = [
        _queue_row(
            n,
            "-".join(filter(None, (gate, speed))),
            inflow=inflow,
            outflow=serve,
            reward=fee * inflow - hold * n - cost,
        )
        for n in range(size + 1)
        for gate, inflow in (("admit", come), ("reject", Fraction(0)))
        if gate == "reject" or n < size
        for speed, (serve, cost) in (speeds if n > 0 else idle).items()
    ]
    return CTMDP.of(
        "queue",
        horizon=horizon,
        transitions=rows,
        source="S. A. Lippman, Applying a new device in the optimization of exponential queuing systems, "
        "Operations Research 1975; admission and service control as in textbooks",
        shows="A customer is worth admitting late, when little holding cost is left to pay, and "
        "fast service is worth its cost early; full and empty queues offer fewer actions.",
    )


def _queue_row(n: int, action: str, *, inflow: Fraction, outflow: Fraction, reward: Fraction) -> Transition:
    """Return the transition with ``n`` in the system: the first of the two exponential clocks decides."""
    total = inflow + outflow
    flows = {f"{n + 1}": inflow, f"{n - 1}": outflow}
    to = {y: flow / total for y, flow in flows.items() if flow > 0}
    return Transition.of(f"{n}", action, rate=total, reward=reward, to=to)


def maintenance(
    levels: int = 4,
    *,
    wear: Number = 1,
    repair: Number = 4,
    replace: Number = 2,
    repair_cost: Number = 2,
    replace_cost: Number = 6,
    horizon: Number = 5,
) -> CTMDP:
    """Build a machine that wears out level by level and can be repaired before it fails.

    At wear ``i`` of ``levels`` it earns ``10 * (1 - i / levels)`` per unit of time and moves
    one level on at rate ``wear * (i + 1)``.  ``repair`` makes it new again at rate ``repair``
    and costs ``repair_cost`` per unit of time; once failed it can be replaced, more slowly
    and at ``replace_cost``, or be left as it is.
    """
    top = count(levels, "levels")
    pace, fix, swap = positive(wear, "wear"), positive(repair, "repair"), positive(replace, "replace")
    names = ["new", *(f"worn-{i}" for i in range(1, top)), "failed"]
    rows: list[Transition] = []
    for i, (state, worse) in enumerate(pairwise(names)):
        income = Fraction(10 * (top - i), top)
        rows.append(Transition.of(state, "run", rate=pace * (i + 1), reward=income, to={worse: 1}))
        if i > 0:
            cost = at_least_zero(repair_cost, "repair_cost")
            rows.append(Transition.of(state, "repair", rate=fix, reward=-cost, to={"new": 1}))
    cost = at_least_zero(replace_cost, "replace_cost")
    rows.append(Transition.of("failed", "replace", rate=swap, reward=-cost, to={"new": 1}))
    rows.append(Transition.of("failed", "leave", rate=0, reward=0))
    return CTMDP.of(
        "maintenance",
        horizon=horizon,
        transitions=rows,
        source="standard textbook model of preventive maintenance; finite horizon as in B. L. Miller, "
        "Finite state continuous time Markov decision processes with a finite planning horizon, 1968",
        shows="Repair pays only while there is time left to earn it back, so each level of wear has "
        "a remaining time from which on it is repaired.",
    )


def sis_epidemic(
    population: int = 8,
    *,
    infection: Number = 2,
    recovery: Number = "1/2",
    treatment: Number = 2,
    cost: Number = "3/4",
    horizon: Number = 4,
) -> CTMDP:
    """Build the SIS epidemic with costly treatment; the state is the number infected.

    With ``i`` of ``N`` infected, infections come at rate ``infection * i * (N - i) / N`` and
    recoveries at ``recovery * i``, or ``treatment * i`` under treatment.  Every infected
    person costs 1 per unit of time, and ``cost`` more while treated.
    """
    size = count(population, "population")
    spread = positive(infection, "infection")
    heal = {"wait": positive(recovery, "recovery"), "treat": positive(treatment, "treatment")}
    price = {"wait": Fraction(0), "treat": at_least_zero(cost, "cost")}
    rows = [Transition.of("0", "wait", rate=0, reward=0)]
    for i in range(1, size + 1):
        for action, pace in heal.items():
            up, down = spread * i * (size - i) / size, pace * i
            to = {f"{i - 1}": down / (up + down)}
            if up:
                to[f"{i + 1}"] = up / (up + down)
            rows.append(Transition.of(f"{i}", action, rate=up + down, reward=-i * (1 + price[action]), to=to))
    return CTMDP.of(
        "sis",
        horizon=horizon,
        initial=f"{(size + 1) // 2}",
        transitions=rows,
        source="standard textbook model: the SIS birth-death epidemic with a controlled recovery rate",
        shows="Treatment is stopped when the horizon is near, at a remaining time that depends on "
        "how many are infected; rates grow with the population.",
    )


def reachability(
    *, risk: Number = "2/5", rush: Number = 4, careful: Number = 2, horizon: Number = 3
) -> CTMDP:
    """Build a time-bounded reachability problem: the probability of being at the goal at the end.

    From ``start`` and from ``halfway`` one may ``rush`` to the goal at the rate ``rush`` and
    be lost with probability ``risk``, or go ``careful``-ly: to ``halfway`` first, then to the
    goal, with a risk of 1/20 at the second step.
    """
    loss = exact(risk, "risk")
    if not 0 <= loss <= 1:
        raise InputError(f"risk: {loss} is outside [0, 1]; write a probability")
    quick, steady = positive(rush, "rush"), positive(careful, "careful")
    dash = {"goal": 1 - loss, "lost": loss}
    rows = [
        Transition.of("start", "rush", rate=quick, reward=0, to=dash),
        Transition.of("start", "careful", rate=steady, reward=0, to={"halfway": 1}),
        Transition.of("halfway", "rush", rate=quick, reward=0, to=dash),
        Transition.of("halfway", "careful", rate=steady, reward=0, to={"goal": "19/20", "lost": "1/20"}),
        Transition.of("goal", "stay", rate=0, reward=0),
        Transition.of("lost", "stay", rate=0, reward=0),
    ]
    return CTMDP.of(
        "reachability",
        horizon=horizon,
        transitions=rows,
        terminal={"goal": 1},
        source="the problem of M. R. Neuhäußer and L. Zhang, Time-bounded reachability probabilities in "
        "continuous-time Markov decision processes, 2010, on a small model of our own",
        shows="All rewards are zero but a terminal one; with little time left the risky way is better.",
    )
