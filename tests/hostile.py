"""Models built to be hard for the exact planner, from a seed.

Three families: *contacts*, where two actions of a state touch to a chosen order at a chosen time
(or cross several times close to it); *cancelling* values, small beside what they are made of; and
*wild* models with rates and rewards of all sizes, near and exact ties, absorbing states and terminal
rewards.  A *crowd* is several of them in one model, which have so many pairs that their margins are seen in
doubles; and any of them may be told *in other units* of money and of time, such as 1e-190.
"""

from __future__ import annotations

import random
from fractions import Fraction

from ctucbvi import CTMDP, Transition

T = Transition.of


def contact(order: int, split: Fraction = Fraction(0), shift: Fraction = Fraction(0)) -> CTMDP:
    """In state x, committed: ``q_a - q_b`` vanishes to ``order`` at e^-t = 1/2, or in zeros ``split`` apart.

    With u = e^-t the states z1, z2, ... have the values g u, g u^2, ..., so that action a, which
    jumps into one of them after a while, has a polynomial in u for its value, shifted by ``shift``.
    """
    roots = [Fraction(1, 2) + k * split for k in range(order)]
    product = [Fraction(1)]  # coefficients of Π (u - root), lowest first
    for root in roots:
        product = [
            a - root * b for a, b in zip([Fraction(0), *product], [*product, Fraction(0)], strict=True)
        ]
    # x jumps at rate n = order + 2 to z1 ... zn with equal probability; the value of committing to a is
    # r/n (1 - u^n) + Σ g_k (u^k - u^n)/(n - k), which must be c·(1 - u)·Π(u - root)·const.
    n = order + 2
    wanted = [-a for a in [*product, Fraction(0)]]
    wanted = [a + b for a, b in zip(wanted, [Fraction(0), *product], strict=True)]  # (u - 1) Π
    sign = 1 if product[0] < 0 else -1  # begin with a in front where the order is even
    wanted = [sign * w + (shift if k == 0 else 0) for k, w in enumerate(wanted)]
    rows = [
        T("x", "a", rate=n, reward=n * wanted[0], to={f"z{k}": Fraction(1, order + 1) for k in range(1, n)}),
        T("x", "b", rate=n, reward=0, to={"o": 1}),
        T("o", "b", rate=0, reward=0),
    ]
    rows += [T(f"z{k}", "b", rate=k, reward=0, to={"o": 1}) for k in range(1, n)]
    terminal = {
        f"z{k}": wanted[k] * (n - k) * (order + 1) / Fraction(n) if k < len(wanted) else Fraction(0)
        for k in range(1, n)
    }
    return CTMDP.of("contact", horizon=4, transitions=rows, terminal=terminal)


def cancelling(rng: random.Random) -> CTMDP:
    """A value that is a tiny difference of large ones."""
    tiny = Fraction(1, 10 ** rng.randrange(5, 60))
    size = Fraction(10) ** rng.randrange(-3, 6)
    rate = Fraction(rng.randrange(1, 40), 8)
    rows = [
        T("x", "a", rate=rate, reward=0, to={"p": Fraction(1, 2) + tiny / 2, "m": Fraction(1, 2) - tiny / 2}),
        T("p", "a", rate=0, reward=rng.choice([0, size])),
        T("m", "a", rate=0, reward=0),
    ]
    reward = rows[1].reward
    rows[2] = T("m", "a", rate=0, reward=-reward)
    return CTMDP.of("cancel", horizon=1, transitions=rows, terminal={"p": size / 3, "m": -size / 3})


def wild(rng: random.Random) -> CTMDP:
    """Anything that is valid, with the corners drawn often."""
    size, width = rng.randrange(1, 5), rng.randrange(1, 4)
    names = [f"s{i}" for i in range(size)]

    def number(kinds: str) -> Fraction:
        kind = rng.choice(kinds)
        plain = Fraction(rng.randrange(1, 60), rng.choice([1, 3, 7, 10, 16]))
        if kind == "0":
            return Fraction(0)
        if kind == "n":  # near a common value
            return Fraction(3, 2) + Fraction(rng.randrange(-2, 3), 10 ** rng.randrange(8, 50))
        return plain * Fraction(10) ** (rng.randrange(-7, 3) if kind == "w" else 0)

    rows: list[Transition] = []
    for x in names:
        for a in range(rng.randrange(1, width + 1)):
            rate = number("ppppnw0")
            if rows and rng.random() < 0.15:  # an exact copy of another row, or nearly one
                twin = rng.choice(rows)
                nudge = rng.choice([Fraction(0), Fraction(1, 10 ** rng.randrange(5, 60))])
                rows.append(T(x, f"a{a}", rate=twin.rate, reward=twin.reward + nudge, to=dict(twin.to)))
                continue
            counts = [rng.choice([0, 0, 1, 2, 5]) for _ in names]
            counts[rng.randrange(size)] += 1
            to = {y: Fraction(c, sum(counts)) for y, c in zip(names, counts, strict=True) if c}
            reward = rng.choice([1, 1, -1]) * number("pppnnw0")
            rows.append(T(x, f"a{a}", rate=rate, reward=reward, to=to if rate else {}))
    terminal = {x: rng.choice([0, 0, 1, -1]) * number("pnw") for x in names}
    horizon = rng.choice([Fraction(1), Fraction(3, 10), Fraction(5)])
    top = max(row.rate for row in rows) * horizon
    if top > 300:
        horizon *= 300 / top
    return CTMDP.of("wild", horizon=horizon, transitions=rows, terminal=terminal)


def crowd(seed: int, pairs: int = 14) -> CTMDP:
    """Models that know nothing of each other, as one, of at least so many pairs."""
    rng, parts = random.Random(f"crowd/{seed}"), list[CTMDP]()
    while sum(len(part.transitions) for part in parts) < pairs:
        parts.append(hostile(rng.randrange(10**6)))
    rows = [
        T(
            f"{n}{row.state}",
            row.action,
            rate=row.rate,
            reward=row.reward,
            to={f"{n}{y}": p for y, p in row.to},
        )
        for n, part in enumerate(parts)
        for row in part.transitions
    ]
    ends = {
        f"{n}{x}": g for n, part in enumerate(parts) for x, g in zip(part.states, part.terminal, strict=True)
    }
    horizon = min([*(part.horizon for part in parts), 80 / max(row.rate for row in rows)])
    return CTMDP.of("crowd", horizon=horizon, transitions=rows, terminal=ends)


def in_other_units(model: CTMDP, money: Fraction, time: Fraction) -> CTMDP:
    """The same model, of which all values are so many times, and all times."""
    rows = [
        T(row.state, row.action, rate=row.rate / time, reward=row.reward * money / time, to=dict(row.to))
        for row in model.transitions
    ]
    ends = {x: g * money for x, g in zip(model.states, model.terminal, strict=True)}
    return CTMDP.of(
        model.name, horizon=model.horizon * time, transitions=rows, states=model.states, terminal=ends
    )


def hostile(seed: int) -> CTMDP:
    """The model of this seed."""
    rng = random.Random(f"hostile/{seed}")
    family = rng.randrange(10)
    if family == 0:
        split = rng.choice([Fraction(0), Fraction(1, 10 ** rng.randrange(2, 30))])
        shift = rng.choice(
            [Fraction(0), Fraction(0), Fraction(rng.choice([1, -1]), 10 ** rng.randrange(5, 50))]
        )
        return contact(rng.randrange(1, 7), split, shift)
    if family == 1:
        return cancelling(rng)
    return wild(rng)
