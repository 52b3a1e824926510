"""Certificate files that are wrong in every way that one can think of, with the truth from the exact planner.

A *case* is a model (with variants of the same shape) and genuine files for its four problems.  A mutant of
such a file is a text; what is certified must hold for the problem that it names, or it must be refused.
Where a model is beyond the exact planner (rates of 1e200) a model with provably the same values stands in.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from fractions import Fraction
from functools import cache, cached_property
from typing import Any

import ctucbvi
from ctucbvi import CTMDP, InputError, Policy, Semantics, Transition
from ctucbvi.library import machine_repair
from ctucbvi.numeric import NumericSolution, certify, evaluate_numeric, solve_numeric
from ctucbvi.numeric.files import FORMAT, kinks_as_lists, read_certificate
from ctucbvi.numeric.planner import smallest_tolerance
from ctucbvi.numeric.rooms import Care
from tests.unit.test_numeric_thousand import draw_model

PROBLEMS = [(semantics, truncate) for semantics in Semantics for truncate in (False, True)]
GRID = 16  # the truth is known at multiples of H / GRID
T = Transition.of
Document = dict[str, Any]


class Case:
    """One model, its variants, and the genuine files and true values of each of them."""

    def __init__(
        self, model: CTMDP, *variants: CTMDP, truth: CTMDP | None = None, lie: CTMDP | None = None
    ) -> None:
        self.models = [model, *variants]
        self.stand_in = truth  # has the same values
        self.lie = lie  # has other values, which files claim all the same

    @cached_property
    def texts(self) -> list[str]:
        """A genuine file for each problem of each model (or of the stand-in), and the values of policies."""
        sources = [*([self.stand_in] if self.stand_in else self.models), *([self.lie] if self.lie else [])]
        honest = [genuine(m, s, t) for m in sources for s, t in PROBLEMS]
        policies = [
            suboptimal(m, s) for m in sources for s in Semantics if len(m.transitions) > len(m.states)
        ]
        bent = [genuine(m, Semantics.COMMITTED, False, bends=True) for m in sources]
        return [json.dumps(document) for document in (*honest, *policies, *bent, *bent)]

    @cache  # noqa: B019 — cases live as long as the tests
    def truth(
        self, which: int, semantics: Semantics, truncate: bool, k: int, policy: Policy | None = None
    ) -> list[ctucbvi.Enclosure]:
        """V at remaining time kH/GRID, in all states, or what the policy is worth."""
        model = self.stand_in if self.stand_in else self.models[which]
        solution = self._solved(which, semantics, truncate, policy)
        return [solution.value(x, model.horizon * Fraction(k, GRID)) for x in model.states]

    @cache  # noqa: B019 — likewise
    def _solved(
        self, which: int, semantics: Semantics, truncate: bool, policy: Policy | None
    ) -> ctucbvi.Solution | ctucbvi.PolicyValue:
        model = self.stand_in if self.stand_in else self.models[which]
        if policy is not None:
            return ctucbvi.evaluate(policy, semantics, digits=14)
        return ctucbvi.solve(model, semantics, digits=14, truncate=truncate, resolve_policy=False)


def genuine(model: CTMDP, semantics: Semantics, truncate: bool, *, bends: bool = False) -> Document:
    """The document of an honest solution."""
    tolerance = max(1e-8 * float(model.value_scale), smallest_tolerance(model))
    care = Care(bends=bends)
    return _document(solve_numeric(model, semantics, tolerance=tolerance, truncate=truncate, care=care))


def suboptimal(model: CTMDP, semantics: Semantics) -> Document:
    """The value of the policy that takes the last action everywhere, said to be optimal."""
    tolerance = max(1e-8 * float(model.value_scale), smallest_tolerance(model))
    last = {x: model.actions_of(x)[-1] for x in model.states}
    return _document(evaluate_numeric(Policy.of(model, last), semantics, tolerance=tolerance))


def _document(s: NumericSolution) -> Document:
    return {
        "format": FORMAT,
        "model": s.model.name,
        "semantics": str(s.semantics),
        "truncate": s.truncate,
        "times": s.times.tolist(),
        "values": s.coefficients.tolist(),
        "scores": s.scores.tolist() if s.semantics is Semantics.COMMITTED else [],
        "best": s.best.tolist(),
        "capped": s.capped.tolist(),
        **({} if s.kinks is None else {"kinks": kinks_as_lists(s)}),
    }


def _two_states(reward: Any = 2, rate: Any = 1) -> CTMDP:
    rows = [T(x, "a", rate=rate, reward=reward, to={y: 1}) for x, y in ("xy", "yx")]
    return CTMDP.of("two", horizon=1, transitions=rows)


def _scaled(model: CTMDP, reward: Fraction, time: Fraction) -> CTMDP:
    """The same model in other units of reward and of time."""
    rows = [
        T(r.state, r.action, rate=r.rate / time, reward=r.reward * reward / time, to=dict(r.to))
        for r in model.transitions
    ]
    ends = {x: g * reward for x, g in zip(model.states, model.terminal, strict=True)}
    return CTMDP.of(
        f"{model.name}-scaled",
        horizon=model.horizon * time,
        transitions=rows,
        states=model.states,
        terminal=ends,
    )


def _leaving(
    name: str, rate: Fraction | int, leave: Fraction | int, reward: Fraction | int, end: int
) -> CTMDP:
    """x is left with probability ``leave`` per jump; with one action a self-loop changes nothing."""
    to = {y: p for y, p in (("y", leave), ("x", 1 - leave)) if p}
    return CTMDP.of(
        name,
        horizon=1,
        states=["x", "y"],
        transitions=[T("x", "a", rate=rate, reward=reward, to=to), T("y", "a", rate=0, reward=end)],
    )


def _beyond_doubles() -> list[Case]:
    """Products that underflow or overflow."""
    big, deep = Fraction(10) ** 200, Fraction(1, 10**320)
    found = [Case(_leaving("deep", 3, deep, 0, 10**250), _leaving("rich", 3, 0, 0, 10**250))]
    for reward in (Fraction(1), Fraction(1, 10**130)):
        loop = _leaving("loop", big, 1 / big, reward, 0)
        stuck = _leaving("stuck", 1, 0, reward, 0)  # what it seems to be if the product of p and v is 0
        found.append(Case(loop, truth=_leaving("plain", 1, 1, reward, 0), lie=stuck))
    return found


@cache
def cases() -> list[Case]:
    """Small models: truncation that binds, many actions, ties, extreme units."""
    repair = machine_repair()
    shaped = [repair.with_rewards(scale=3), repair.with_rewards(scale=-1), repair.with_horizon("1/3")]
    small, large = Fraction(1, 10**150), Fraction(10) ** 120
    drawn = [draw_model(seed) for seed in (2, 5, 11, 17, 23, 38)]
    return [
        Case(_two_states(), _two_states(reward="1/2"), _two_states(rate=5)),
        Case(repair, *shaped),
        Case(repair.with_rewards(scale=4, shift=-1), shaped[0]),
        *(Case(m, m.with_rewards(scale=2, shift="1/2")) for m in drawn),
        Case(_scaled(repair, small, Fraction(1)), _scaled(repair, small * 2, Fraction(1))),
        Case(_scaled(repair, large, Fraction(1)), _scaled(repair, large * 2, Fraction(1))),
        Case(_scaled(repair, Fraction(1), small)),
        Case(_scaled(repair, Fraction(1), large)),
        Case(_scaled(repair, Fraction(1, 10**306), Fraction(1, 10**10))),
        *_beyond_doubles(),
    ]


# ---- ways to damage a document; each changes it in place --------------------------------------------------


def _cells(draw: random.Random, document: Document, key: str) -> tuple[list[Any], int]:
    """A random row of numbers under ``key`` and a place in it."""
    row = document[key]
    while row and isinstance(row[0], list):
        row = draw.choice(row)
    return row, draw.randrange(len(row)) if row else 0


_ODD = [
    *(0.0, -0.0, 1.0, -1.0, 5e-324, -5e-324, 1e-310, 1e-200, 1e200, 1.7e308, -1.7e308, 2**53, 10**400),
    *(float("nan"), float("inf"), -float("inf"), "1", None, True, [], [1.0], {}),
]


def odd_number(draw: random.Random, document: Document) -> None:
    """One number becomes an extreme one, or none."""
    row, i = _cells(draw, document, draw.choice(["times", "values", "scores", "best", "capped"]))
    if row:
        row[i] = draw.choice(_ODD)


def nudge(draw: random.Random, document: Document) -> None:
    """One coefficient or breakpoint moves, by little or much."""
    row, i = _cells(draw, document, draw.choice(["times", "values", "scores"]))
    if row:
        row[i] = row[i] * (1 + draw.choice([-1, 1]) * 10.0 ** draw.uniform(-16, 1)) + draw.choice(
            [0, 0, 10.0 ** draw.uniform(-18, 1)]
        )


def shift(draw: random.Random, document: Document) -> None:
    """A constant on everything, from some piece on: it leaves no residual."""
    first, by = draw.randrange(len(document["values"])), draw.choice([-1, 1]) * 10.0 ** draw.uniform(-15, 2)
    for key in draw.choice([("values", "scores"), ("values",), ("scores",)]):
        for piece in document[key][first:]:
            piece[0] = [c + by for c in piece[0]]


def stretch(draw: random.Random, document: Document) -> None:
    """All values times a factor."""
    by = draw.choice([0.0, -1.0, 2.0, 0.5, 1e-300, 1e300, 1 + 1e-9])
    for key in ("values", "scores"):
        document[key] = [[[c * by for c in row] for row in piece] for piece in document[key]]


def line(draw: random.Random, document: Document) -> None:
    """All values become c·t, and the caps are set at will."""
    times, by = document["times"], draw.choice([0.0, 0.5, 1.0, 1.0, 2.0])
    for key in ("values", "scores"):
        for k, piece in enumerate(document[key]):
            for j, row in enumerate(piece):
                start, h = times[k], times[k + 1] - times[k]
                row[:] = [by * (start if j == 0 else h if j == 1 else 0.0)] * len(row)
    cap = draw.choice([0, 1, 1])
    document["capped"] = [[cap] * len(row) for row in document["capped"]]


def flags(draw: random.Random, document: Document) -> None:
    """Semantics or truncation of another problem, or nonsense."""
    what = draw.randrange(8)
    if what <= 2:
        document["truncate"] = not document["truncate"]
    elif what <= 4:
        other = "adjustable" if document["semantics"] == "committed" else "committed"
        document["semantics"] = other
        if other == "adjustable":
            document["scores"] = []
    elif what == 5:
        document[draw.choice(["semantics", "truncate", "format", "bound"])] = draw.choice(
            [*_ODD, "adjustable"]
        )
    elif what == 6:
        document.pop(draw.choice(list(document)))
    else:
        document["truncate"], document["capped"] = True, [[1] * len(row) for row in document["capped"]]


def caps(draw: random.Random, document: Document) -> None:
    """Hints of caps, anywhere."""
    for row in document["capped"]:
        for x in range(len(row)):
            if draw.random() < 0.5:
                row[x] = draw.choice([0, 1, 1, 1, 2, -1, 1.0, True])


def uncap(draw: random.Random, document: Document) -> None:
    """No hints of caps, so that the flags are consistent."""
    document["capped"] = [[0] * len(row) for row in document["capped"]]


def hints(draw: random.Random, document: Document) -> None:
    """Other actions, on offer or not."""
    for row in document["best"]:
        for x in range(len(row)):
            if draw.random() < 0.4:
                row[x] += draw.choice([-1, 1, 1, 10**9, -(10**9)] if draw.random() < 0.1 else [-1, 1])


def pieces(draw: random.Random, document: Document) -> None:
    """A piece dropped, doubled, exchanged or cut."""
    count, keys = len(document["values"]), ("values", "scores", "best", "capped")
    k, what = draw.randrange(count), draw.randrange(5)
    for key in keys:
        rows = document[key]
        if not rows:
            continue
        if what == 0 and count > 1:
            rows.pop(k)
        elif what == 1:
            rows.insert(k, json.loads(json.dumps(rows[k])))
        elif what == 2:
            rows.reverse()
        elif what == 3:
            rows[k], rows[0] = rows[0], rows[k]
        elif draw.random() < 0.5:
            rows.pop(k)  # the sizes no longer agree
    times = document["times"]
    if what == 0 and count > 1:
        times.pop(draw.randrange(len(times)))
    elif what == 1:
        times.insert(
            k + 1, times[k] + (times[k + 1] - times[k]) * draw.choice([0.5, 1e-12, 1 - 1e-12, 0.0, 2.0])
        )


def breakpoints(draw: random.Random, document: Document) -> None:
    """Breakpoints moved within their neighbours, or put in another order."""
    times = document["times"]
    if len(times) < 3 or draw.random() < 0.2:
        draw.shuffle(times)
        return
    k = draw.randrange(1, len(times) - 1)
    times[k] = times[k - 1] + (times[k + 1] - times[k - 1]) * draw.choice(
        [0.0, 1e-15, 0.3, 0.5, 0.9, 1.0, 1.1]
    )


def orders(draw: random.Random, document: Document) -> None:
    """More or fewer coefficients."""
    what, many = draw.randrange(3), draw.choice([1, 2, 30, 60, 300])
    for key in ("values", "scores"):
        for piece in document[key]:
            if what == 0 and len(piece) > 1:
                del piece[draw.choice([1, 2, len(piece) - 1]) :]
            elif what == 1:
                piece.extend([0.0] * len(piece[0]) for _ in range(many))
            elif what == 2 and draw.random() < 0.3:
                piece.pop()
    if what == 0:
        for key in ("values", "scores"):
            least = min((len(piece) for piece in document[key]), default=0)
            document[key] = [piece[:least] for piece in document[key]]


def columns(draw: random.Random, document: Document) -> None:
    """States or pairs exchanged, dropped, or one made hopeless so that its action need not be looked at."""
    key, what = draw.choice(["values", "scores"]), draw.randrange(3)
    for piece in document[key]:
        for j, row in enumerate(piece):
            if what == 0:
                row.reverse()
            elif what == 1 and row:
                row[-1] = -1e6 if j == 0 else 0.0
            elif what == 2 and row:
                row.pop()


def claim(draw: random.Random, document: Document) -> None:
    """A bound that is claimed."""
    document["bound"] = draw.choice(
        [0, 0.0, 1e-300, -1.0, 1e300, float("inf"), float("nan"), "0", 10**400, True]
    )


def kinks(draw: random.Random, document: Document) -> None:
    """Kinks moved, exchanged, doubled, dropped, invented; about other pairs, or bent in other ways."""
    pieces, pairs = (
        document.setdefault("kinks", [[] for _ in document["values"]]),
        len(document["scores"][0][0]),
    )
    piece = draw.choice([p for p in pieces if p] or pieces)
    what = draw.randrange(9)
    if what == 0 or not piece:
        coefficients = [10.0 ** draw.uniform(-12, 0) for _ in range(3)]
        bends = [[draw.randrange(pairs), *coefficients] for _ in range(draw.randrange(3))]
        piece.append([draw.choice([0.0, 0.5, 1.0, draw.random()]), draw.randrange(pairs), bends])
        piece.sort(key=lambda kink: kink[0])
        return
    kink = draw.choice(piece)
    bend = draw.choice(kink[2] or [[0, 0.0, 0.0, 0.0]])
    if what == 1:
        kink[0] = draw.choice([0.0, 1.0, kink[0] * 0.9, min(1.0, kink[0] + 1e-6), 2.0, -1e-9, *_ODD])
    elif what == 2:
        kink[1] = draw.choice([0, pairs - 1, pairs, -1, 10**30, 0.5, draw.randrange(pairs)])
    elif what == 3:
        bend[0] = draw.choice([0, pairs - 1, pairs, -1, 10**30, None, draw.randrange(pairs)])
    elif what == 4:
        m = draw.randrange(1, len(bend))
        bend[m] = draw.choice([bend[m] * (1 + 10.0 ** draw.uniform(-9, 1)), 0.0, -bend[m], *_ODD])
    elif what == 5:
        piece.insert(draw.randrange(len(piece) + 1), json.loads(json.dumps(kink)))
    elif what == 6:
        kink[2].append(list(bend))
    elif what == 7:
        piece.remove(kink)
    else:
        for one in kink[2]:
            one[1:] = draw.choice([one[1:-1], [*one[1:], 1e-3], one[1:][::-1], [0.0] * (len(one) - 1)])


DAMAGE = [
    *(kinks, kinks, kinks),
    *(odd_number, nudge, nudge, nudge, shift, shift, stretch, line, flags, flags, caps, uncap, hints, hints),
    *(pieces, pieces, breakpoints, orders, columns, claim),
]


def mutant(draw: random.Random, case: Case) -> tuple[str, int]:
    """The text of a damaged file, and which of the case's models it is held against."""
    document = json.loads(draw.choice(case.texts))
    for _ in range(draw.choice([0, 1, 1, 1, 2, 2, 3])):
        # An earlier damage may have left nothing for this one to work on.
        with suppress(TypeError, IndexError, KeyError, ValueError, OverflowError):
            draw.choice(DAMAGE)(draw, document)
    text = json.dumps(document)
    if draw.random() < 0.02:
        cut = draw.randrange(len(text))
        text = text[:cut] + draw.choice(["", "]", "}", "1", "NaN", '"truncate": true,']) + text[cut:]
    return text, draw.choice([0, 0, *range(len(case.models))])


def attack(
    seed: int,
    count: int,
    prove: Callable[..., Any] = certify,
    only: list[Case] | None = None,
    make: Callable[[random.Random, Case], tuple[str, int]] = mutant,
) -> tuple[Counter[str], list[str]]:
    """Run ``count`` files; returns how they fared and each bound that is not true."""
    draw, tally, wrong = random.Random(seed), Counter[str](), []
    for number in range(count):
        case = draw.choice(only or cases())
        text, which = make(draw, case)
        try:
            solution, _ = read_certificate(text, case.models[which])
            proof = prove(solution)
        except InputError as error:
            if "\n" in str(error) or len(str(error)) > 400:
                wrong.append(f"seed {seed}, file {number}: a message that is not one line")
            tally["refused"] += 1
            continue
        if not proof.bound < float("inf"):
            tally["infinite"] += 1
            continue
        tally["accepted"] += 1
        tally["close"] += proof.bound < 1e-3 * float(solution.model.value_scale)
        for k in {0, GRID, *(draw.randrange(GRID + 1) for _ in range(4))}:
            truth = case.truth(which, solution.semantics, solution.truncate, k, proof.solution.policy)
            for x, true in zip(solution.model.states, truth, strict=True):
                if not proof.value(x, solution.model.horizon * Fraction(k, GRID)).overlaps(true):
                    wrong.append(
                        f"seed {seed}, file {number}: {solution.model.name}, V({x}) at {k}/{GRID} of H"
                    )
    return tally, wrong
