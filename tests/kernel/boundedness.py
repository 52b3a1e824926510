"""Infinitely many outcomes, seen from far out: what is called tame must stay bounded.

The outcome is a number k: random real symbols are near 0 or near 1 (10^-k off), random whole ones with a
large whole argument n are min(10^k, 10^n), random steps begin at 10^-k.  ``Int`` is a measure with atoms at
t 10^-j of weight t 10^-j.  Each symbol is locally bounded, but a term whose quotients or
suprema are not is huge at k = 40, or at moving variables 10^-40 off, beside what it is elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from random import Random
from typing import Any

from flint import fmpq

from tests.kernel import texts
from tests.kernel.numbers import Undecided, Value, exact
from tests.kernel.worlds import Code, Env, Outcome, World
from verify.kernel.language import Setting
from verify.kernel.measure import tame
from verify.kernel.terms import KernelError, Symbol

FURTHEST = 40
HUGE = fmpq(10) ** 15
TINY = fmpq(1, 10) ** FURTHEST
UNBOUNDED = (
    "1/Int(s, 1, V(s))",
    "1/Int(s, {u0}, V(s))",
    "Sup(i, N(i))",
    "{u0}*Sup(i, N(i))",
    "Int(s, t, 1/(1 - s)**2)",
    "Int(s, 1, {u0}/(s*s))",
    "exp(-log({u0}))",
    "exp(-log(M({l0}, {e0})))",
    "1/Abs({u0})",
    "1/(1 - Abs({u0}))",
    "1/(1 - M({l0}, {e0})**2)",
    "1/Min(1, Abs({u0}))",
    "1/Max({u0}, {u1})",
    "1/(1 + Max(0, {u0}))",
    "1/sqrt({u0}**2)",
    "1/(1 + exp({u0}))",
    "{u1}/(N({l0}) - {u0})",
    "1/E({u0}**2, {l0})",
    "log(N({l0}))*{u0}",
)
STEP = Symbol("V", ("Real",), "Nat", "0")
SETTING = Setting.of("far", "State Action", texts.VARIABLES, [*texts.SYMBOLS, STEP], {})


class FarWorld(World):
    """One with outcomes 0, ..., 40, of which the last is far out."""

    def __post_init__(self) -> None:
        self.outcomes = [(0,), (1,), (2,), (FURTHEST,)]

    def after(self, beginning: Outcome) -> list[tuple[Outcome, fmpq]]:
        return [(beginning, fmpq(1))] if beginning else [(w, fmpq(1, 4)) for w in self.outcomes]

    def apply(self, symbol: Symbol, args: list[Value], outcome: Outcome) -> Value:
        if not symbol.random:
            return super().apply(symbol, args, outcome)
        small = fmpq(1, 10) ** outcome[0]
        if symbol is STEP:
            return fmpq(int(0 <= args[0] <= small)) if exact(args[0]) else _undecided()
        if symbol.value == "Nat":
            if not args:
                return fmpq(outcome[0] % 3)
            least = min(outcome[0], int(args[0].p))
            return fmpq(10) ** least if args[0] >= FURTHEST else fmpq(least)
        if symbol.value != "Real":
            return outcome[0] % self.sizes[symbol.value]
        key: Any = (
            symbol.name,
            tuple(a for a, sort in zip(args, symbol.args, strict=True) if sort != "Real"),
        )
        if key not in self.tables:
            self.tables[key] = self.rng.choice([(0, 1), (0, -1), (1, 1), (1, -1)])
        base, sign = self.tables[key]
        value = base + sign * small
        return value * args[1] if symbol.name == "R" else value

    def _mean(self, body: Code, level: Code | None) -> Code:
        """A mean of what is huge is not finite, and so 0."""

        def run(env: Env, w: Outcome) -> Value:
            if level is not None:
                return body(env, w)
            values = [p * body(env, v) for v, p in self.after(())]
            return fmpq(0) if any(abs(v) > HUGE for v in values) else sum(values, fmpq(0))

        return run

    def _supremum(self, values: list[Value]) -> Value:
        if not all(map(exact, values)) or values[-1] != values[-3]:
            raise Undecided
        return max(values)

    def _suprema(self) -> list[fmpq]:
        return [fmpq(n) for n in (0, 1, 2, FURTHEST, FURTHEST + 1, FURTHEST + 2)]

    def _integrated(self, values: list[tuple[fmpq, Value]]) -> Value:
        """What is huge at 0 has no finite integral."""
        if any(abs(v) > HUGE for _, v in values[-2:]):
            return fmpq(0)
        return super()._integrated(values)

    def _points(self, end: Value) -> list[tuple[fmpq, fmpq]]:
        if not exact(end):
            raise Undecided
        sizes = [fmpq(1, 10) ** j for j in (0, 1, 2, FURTHEST, FURTHEST + 1)]
        return [(end * q, end * q) for q in sizes] if end > 0 else []


def _undecided() -> Value:
    raise Undecided


def huge(seed: int) -> str | bool:
    """A term that is called tame and is huge; "" if it is not huge; False if it is not called tame."""
    rng = Random(f"far {seed}")
    writer = texts.Writer(rng, functions=0.6, symbols=[*texts.SYMBOLS, STEP, STEP], more=UNBOUNDED)
    text = writer.real(rng.choice([2, 3]), {"t": "Real", "n": "Nat", "x": "State", "a": "Action"})
    try:
        term = SETTING.term(text)
    except KernelError:
        return False
    t = SETTING.variable("t")
    if not tame(term, frozenset([t]), omega=True):
        return False
    sizes = {"State": 2, "Action": 2}
    place = FarWorld(rng, SETTING.symbols, SETTING.variables, sizes)
    env: Env = {"n": fmpq(rng.randint(0, 2)), "x": 0, "a": 0}
    near = [(at, w) for at in (fmpq(1), fmpq(0), fmpq(-1, 2)) for w in place.outcomes[:-1]]
    far = [(at, place.outcomes[-1]) for at in (fmpq(1), fmpq(0), fmpq(-1, 2))]
    far += [(at, w) for at in (TINY, -TINY, 1 - TINY) for w in place.outcomes]
    usual = max((abs(v) for v in _values(place, text, env, near)), default=fmpq(0))
    for value in _values(place, text, env, far):
        if abs(value) > HUGE * (1 + usual):
            return f"{seed}: {text} is called tame and is {value} far out, {usual} elsewhere"
    return ""


def _values(place: FarWorld, text: str, env: Env, points: list[tuple[fmpq, Outcome]]) -> Iterator[Value]:
    for at, w in points:
        with suppress(Undecided):
            yield place.value(text, {**env, "t": at}, w)
