"""Certificate files of few coefficients, written from scratch: true to their hints, whatever these say.

A file that is damaged at random has a residual nearly everywhere.  Here the polynomials are Taylor's, of the
equation that a file's hints stand for: the hinted action is taken for the best, and a value is t where the
hint is "capped".  So nothing is wrong with such a file but what it says about actions, caps, kinks and where
its pieces begin, and a checker that believes one of these proves something false.  One to three coefficients
are enough for the models here, many of whose values are constants or lines.
"""

from __future__ import annotations

import json
import random
from contextlib import suppress
from fractions import Fraction
from functools import cache
from itertools import pairwise
from typing import Any

from ctucbvi import CTMDP, Objective, Policy, Semantics, Transition
from ctucbvi.numeric import Certificate, NumericSolution, certify
from ctucbvi.numeric.arrays import Arrays
from ctucbvi.numeric.files import FORMAT
from tests.certificate_files import PROBLEMS, Case, Document, caps, hints, kinks, line, nudge, orders, shift

_DAMAGE = (caps, hints, kinks, line, nudge, nudge, orders, shift, shift)
_MODELS = 120
Series = list[list[float]]  # of each state, or of each pair: coefficients, lowest order first


@cache
def short_cases() -> list[Case]:
    """Models of one to three states: all values the same, or nothing moves, or all are capped; and others."""
    return [Case(_drawn(random.Random(f"short/{seed}"), f"short-{seed}")) for seed in range(_MODELS)]


def _drawn(draw: random.Random, name: str) -> CTMDP:
    states = [f"x{i}" for i in range(draw.choice((1, 1, 2, 2, 3)))]
    kind, even = draw.choice(("flat", "still", "capped", "any")), Fraction(draw.choice((0, 1, 2, 3)), 2)
    costs, paid = kind == "any" and draw.random() < 0.3, kind == "any" and draw.random() < 0.3
    rows, ends = [], {x: Fraction(draw.choice((-2, -1, 0, 0, 1, 2, 4)), 2) for x in states}
    for x in states:
        ends[x] = even if kind in ("flat", "capped") else ends[x]
        for a in range(draw.choice((1, 1, 2))):
            rate = Fraction(0) if kind == "still" else Fraction(draw.choice((0, 1, 2, 5)), 2)
            reward = Fraction(draw.choice((-2, 0, 0, 0, 1, 2, 4)), 2)
            if kind in ("flat", "capped"):  # while V = t everywhere, t + even is what an action is worth
                reward = 1 + rate * even if kind == "capped" else Fraction(0)
            to = {draw.choice(states): Fraction(1, 3), draw.choice(states): Fraction(2, 3)}
            whole = {y: p / sum(to.values()) for y, p in to.items()} if rate else None
            own = {"terminal": Fraction(draw.choice((-1, 0, 1)))} if paid and draw.random() < 0.5 else {}
            own |= {"choice": Fraction(draw.choice((-1, 1)), 2)} if paid and draw.random() < 0.5 else {}
            rows.append(Transition.of(x, f"a{a}", rate=rate, reward=reward, to=whole, **own))
    horizon = Fraction(draw.choice((1, 2, 4)), 2)
    options = {"objective": "min" if costs else "max", "terminal": ends}
    return CTMDP.of(name, horizon=horizon, states=states, transitions=rows, **options)


def short(draw: random.Random, case: Case) -> tuple[str, int]:
    """The text of a file for one of the problems of the case's model, perhaps damaged."""
    document = _written(draw, case.models[0], *draw.choice(PROBLEMS))
    if draw.random() < 0.4:
        with suppress(TypeError, IndexError, KeyError, ValueError, OverflowError):
            draw.choice(_DAMAGE)(draw, document)
    return json.dumps(document), 0


def _written(draw: random.Random, model: CTMDP, semantics: Semantics, truncate: bool) -> Document:
    arrays, committed = Arrays.in_order(model), semantics is Semantics.COMMITTED
    many = draw.choice((1, 1, 2, 3, 3, 4))
    ends = sorted(draw.random() for _ in range(draw.choice((0, 0, 0, 1, 2))))
    times = [0.0, *(arrays.horizon * u for u in ends), arrays.horizon]
    carried = [float(g) for g in (arrays.terminal if committed else arrays.start(truncate=truncate))]
    document: dict[str, Any] = {key: [] for key in ("values", "scores", "best", "capped", "kinks")}
    wise = draw.random() < 0.4  # takes the action that is best when a piece begins
    for start, end in pairwise(times):
        best, capped = _hints(draw, arrays, carried if wise and committed else None, truncate)
        series = _committed if committed else _adjustable
        span, lie = (start, end - start), draw.choice((0.5, -0.5)) if draw.random() < 0.05 else 0.0
        carried = [c + lie for c in carried]
        value, score = series(arrays, span, many, carried, best, capped)
        carried = [sum(row) for row in (score if committed else value)]
        columns = (("values", value), ("scores", score if committed else []))
        for key, rows in columns:
            document[key] += [[list(column) for column in zip(*rows, strict=True)]] if rows else []
        document["best"].append(best)
        document["capped"].append(capped)
        document["kinks"].append(_bent(draw, arrays, end - start, best, score) if many > 2 else [])
    if truncate or not committed or not any(document["kinks"]):
        document.pop("kinks")
    named = {"format": FORMAT, "model": model.name, "semantics": str(semantics), "truncate": truncate}
    if model.objective is Objective.MIN:  # a file has the model's own numbers
        for key in ("values", "scores"):
            document[key] = [[[-c for c in row] for row in piece] for piece in document[key]]
        for _, _, bends in (kink for piece in document.get("kinks", []) for kink in piece):
            bends[:] = [[i, *(-c for c in bend)] for i, *bend in bends]
    return {**named, "objective": str(model.objective), "times": times, **document}


def _hints(
    draw: random.Random, arrays: Arrays, carried: list[float] | None, truncate: bool
) -> tuple[list[int], list[int]]:
    """An action for each state, and whether its value is capped."""
    menu = [range(arrays.first[x], arrays.first[x + 1]) for x in range(arrays.states)]
    best = [max(row, key=carried.__getitem__) if carried else draw.choice(row) for row in menu]
    share = draw.choice((0.0, 0.5, 1.0)) if truncate else 0.0
    return best, [int(draw.random() < share) for _ in menu]


def _committed(
    a: Arrays, span: tuple[float, float], many: int, carried: list[float], best: list[int], capped: list[int]
) -> tuple[Series, Series]:
    """V and q, as the hints have it."""
    h, pairs = span[1], range(len(a.rate))
    q: Series = [[c] for c in carried]
    v: Series = [[] for _ in best]
    for j in range(many):
        for x, b in enumerate(best):
            v[x].append((span[j] if j < 2 else 0.0) if capped[x] else q[b][j])
        for i in pairs if j + 1 < many else ():
            q[i].append(h * _slope(a, i, j, v, q[i]) / (j + 1))
    return v, q


def _adjustable(
    a: Arrays, span: tuple[float, float], many: int, carried: list[float], best: list[int], capped: list[int]
) -> tuple[Series, Series]:
    """V alone."""
    v: Series = [[span[0] if capped[x] else c] for x, c in enumerate(carried)]
    for j in range(1, many):
        more = [span[1] * _slope(a, b, j - 1, v, v[x]) / j for x, b in enumerate(best)]
        for x, c in enumerate(more):
            v[x].append((span[j] if j < 2 else 0.0) if capped[x] else c)
    return v, []


def _slope(a: Arrays, i: int, j: int, v: Series, own: list[float]) -> float:
    jumps = range(a.row[i], a.row[i + 1])
    flow = sum(float(a.probability[e]) * v[a.target[e]][j] for e in jumps) - own[j]
    return float(a.rate[i]) * (flow if len(jumps) else 0.0) + (float(a.reward[i]) if j == 0 else 0.0)


def _bent(draw: random.Random, a: Arrays, h: float, best: list[int], q: Series) -> list[list[Any]]:
    """A turn to any action inside a piece, with the bends that it has or with others."""
    if not q or draw.random() < 0.5:
        return []
    places = sorted(draw.choice((0.0, 0.25, draw.random(), 1.0)) for _ in range(draw.choice((1, 1, 2, 3))))
    lead, found = list(best), list[list[Any]]()
    for place in places:
        pair = draw.randrange(len(q))
        found.append(
            [place, pair, _bends(draw, a, h, pair, q[pair][1] - q[lead[a.owner[pair]]][1], len(q[0]))]
        )
        lead[a.owner[pair]] = pair
    return found


def _bends(draw: random.Random, a: Arrays, h: float, pair: int, gain: float, many: int) -> list[list[Any]]:
    """What is bent where the state of a pair gains so much slope."""
    bends = []
    for i in range(len(a.rate)):
        to = [a.probability[e] for e in range(a.row[i], a.row[i + 1]) if a.target[e] == a.owner[pair]]
        if to or draw.random() < 0.2:
            bend = h * float(a.rate[i]) * float(sum(to)) * gain / 2 + draw.choice((0, 0, draw.uniform(-1, 1)))
            bends.append([i, bend, *[0.0] * (many - 3)])
    return bends


def of_a_policy(solution: NumericSolution) -> Certificate:
    """What is proved of the same numbers as the value of the policy that the hints are; none is capped."""
    certify(solution)  # which refuses actions that are not on offer
    model, starts = solution.model, [Fraction(float(t)) for t in solution.times[:-1]]
    follows = [[model.transitions[int(i)].action for i in row] for row in solution.best]
    rules = {
        x: [(t, row[n]) for t, row in zip(starts, follows, strict=True)] for n, x in enumerate(model.states)
    }
    policy = Policy.of(model, rules)
    return certify(NumericSolution(**{**vars(solution), "policy": policy, "kinks": None}))
