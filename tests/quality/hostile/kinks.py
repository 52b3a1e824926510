"""Claims with maxima, minima and absolute values of several terms, one within the other, some with a hat.

What SymPy decides of them as it reads, the checker has to see too: a proof that it rejects is a mistake of
the prover, whether the claim is true or not.
"""

from __future__ import annotations

import random

_NAMES = ("x", "y", "z")
_RANGES = ("{v} >= 0", "-2 <= {v} <= 2", "0 <= {v} <= 3", "{v} > 0", "-1 <= {v}")
_SHAPES = (
    *(
        "Min({a}, {b}) <= Max({a}, {b})",
        "{a} <= Abs({a}) + Abs({b})",
        "Abs({a} + {b}) <= Abs({a}) + Abs({b})",
    ),
    *(
        "Max({a}, {b}) <= Max({a}, {b}, {c})",
        "Min({a}, {b}, {c}) <= {c}",
        "2*({a})*({b}) <= ({a})**2 + ({b})**2",
    ),
    *("Max({a}, {b}) + Min({a}, {b}) <= {a} + {b}", "Abs({a}) - Abs({b}) <= Abs({a} - ({b}))"),
    *("0 <= ({a})**2 + Max(0, {b})", "Max({a}, {b}) - Max({a}, {c}) <= Abs({b} - ({c}))"),
    *("{a} <= {b}", "{a} + {b} <= {c} + 20", "{a} <= {b} + Max(0, {a} - ({b}))"),
)


def _term(rng: random.Random, names: tuple[str, ...]) -> str:
    u, v, k = rng.choice(names), rng.choice(names), rng.randint(-2, 2)
    plain = (u, u, f"({u} - {v})", f"({1 + abs(k)}*{u} + {k})", f"({u}*{v})", f"{u}**2", str(k))
    other = (f"exp({u})", f"sqrt(1 + {u}**2)", f"log(2 + {u}**2)", f"{u}/(1 + {u}**2)")
    return rng.choice(plain if rng.random() < 0.9 else other)


def _kink(rng: random.Random, names: tuple[str, ...], depth: int = 1) -> str:
    def part() -> str:
        return _kink(rng, names, depth - 1) if depth and rng.random() < 0.35 else _term(rng, names)

    if rng.random() < 0.35:
        return f"Abs({part()} {rng.choice('+-')} {part()})"
    return f"{rng.choice(('Max', 'Min'))}({', '.join(part() for _ in range(rng.randint(2, 3)))})"


def compared(seed: int) -> tuple[str, str]:
    """Two formulas in x and y, often the same, or nearly."""
    rng = random.Random(seed)
    a, b, c = (_kink(rng, _NAMES[:2]) for _ in range(3))
    pairs = (
        (f"Max({a}, {b})", f"({a} + {b} + Abs({a} - ({b})))/2"),
        (f"{c} - Min({a}, {b})", f"Max({c} - ({a}), {c} - ({b}))"),
        (f"Max({a}, Min({a}, {b}))", f"{a}"),
        (f"Min({a}, Max({b}, {c}))", f"Max(Min({a}, {b}), Min({a}, {c}))"),
    )
    left, right = rng.choice(pairs)
    wrong = rng.choice((("Max", "Min"), ("- ", "+ "), ("x -", "y -"), ("Abs", "2*Abs"), ("", "")))
    return left, right.replace(*wrong, 1) if wrong[0] else right


def kinked(seed: int) -> tuple[str, list[str]]:
    """A claim and its domain."""
    rng = random.Random(seed)
    names = _NAMES[: rng.choice((1, 2, 2, 3))]
    a, b, c = (_kink(rng, names) for _ in range(3))
    left, right = rng.choice(_SHAPES).format(a=a, b=b, c=c).split(" <= ")
    place = f"{rng.choice(names)} - {rng.choice(('1', '1271/1009', '0'))}"
    hat = f"1/10**{rng.choice((3, 8, 20, 25))} - Abs({place})"
    left += rng.choice((f" + Max(0, {hat})", f" - Max(0, {hat})", "", ""))
    domain = [rng.choice(_RANGES).format(v=v) for v in names]
    return f"{left} <= {right}", [*domain, *(["x <= y"] if len(names) > 1 and rng.random() < 0.2 else [])]
