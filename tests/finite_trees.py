"""Terms of derivations evaluated exactly on random finite probability trees.

An outcome is (ω₀, ω₁, ω₂), each 0 or 1; every node of the tree has its own probabilities.  A symbol that is known
at level l looks at ω₀, ..., ω_l only.  Real arguments of symbols go through polynomials, so that all values are rational.
"""

from __future__ import annotations

import itertools
import random
from fractions import Fraction

from verify.recheck.derivations.languages import Language
from verify.recheck.derivations.trees import Nameless

DEPTH = 3
OUTCOMES = list(itertools.product((0, 1), repeat=DEPTH))
SIZE = 2  # of each finite sort


class Structure:
    """One meaning of all symbols, and the probabilities."""

    def __init__(self, language: Language, seed: int):
        self.language, self.chance = language, random.Random(seed)
        self.kernel = {
            start: Fraction(self.chance.randint(0, 3), 3)
            for n in range(DEPTH)
            for start in itertools.product((0, 1), repeat=n)
        }
        self.tables: dict[object, object] = {}

    def probability(self, outcome, level: int | None) -> dict:
        """The outcomes that count at this level after the beginning of this one."""
        kept = 0 if level is None else min(level + 1, DEPTH)
        found = {}
        for other in OUTCOMES:
            if other[:kept] == outcome[:kept]:
                p = Fraction(1)
                for n in range(kept, DEPTH):
                    up = self.kernel[other[:n]]
                    p *= up if other[n] else 1 - up
                if p:
                    found[other] = p
        return found

    def symbol(self, node: Nameless, args: list, outcome):
        sign = self.language.sign(node)
        seen = ()
        if sign.random:
            seen = outcome
            if sign.level is not None:
                places = {f"_{k}": a for k, a in enumerate(args, 1)}
                seen = outcome[: min(int(evaluate(sign.level, self, places, outcome)) + 1, DEPTH)]
        whole = tuple(a for a, s in zip(args, sign.args, strict=True) if s != "Real")
        reals = [a for a, s in zip(args, sign.args, strict=True) if s == "Real"]
        key = (sign.name, whole, seen)
        if key not in self.tables:
            self.tables[key] = self._value(sign.value), self._value("Real"), self._value("Real")
        value, slope, bend = self.tables[key]
        for x in reals:
            value += slope * x + bend * x * x
        return value

    def _value(self, sort: str):
        if sort == "Real":
            return Fraction(self.chance.randint(-3, 3), self.chance.choice((1, 2)))
        return self.chance.randint(0, 2) if sort == "Nat" else self.chance.randrange(SIZE)


def evaluate(t: Nameless, structure: Structure, at: dict, outcome, bound: tuple = ()):  # noqa: C901, PLR0911
    """The value of a term, or whether a formula holds."""

    def of(u: Nameless, *more):
        return evaluate(u, structure, at, outcome, (*more, *bound))

    match t.op:
        case "num":
            return t.number
        case "var":
            return at[t.value]
        case "bound":
            return bound[t.value]
        case "sym":
            return structure.symbol(t, [of(a) for a in t.args], outcome)
        case "+":
            return sum((of(a) for a in t.args), Fraction(0))
        case "*":
            product = Fraction(1)
            for a in t.args:
                product *= of(a)
            return product
        case "^":
            return Fraction(of(t.args[0])) ** t.value
        case "inv":
            x = Fraction(of(t.args[0]))
            return 1 / x if x else x
        case "Abs":
            return abs(of(t.args[0]))
        case "Max" | "Min":
            return (max if t.op == "Max" else min)(of(a) for a in t.args)
        case "Ind":
            return int(of(t.args[0]))
        case "Sum":
            n = of(t.args[0])
            assert n >= 0
            assert n == int(n)
            return sum((of(t.args[1], i) for i in range(int(n))), Fraction(0))
        case "SumOver":
            return sum((of(t.args[0], y) for y in range(SIZE)), Fraction(0))
        case "MaxOver":
            return max(of(t.args[0], y) for y in range(SIZE))
        case "E" | "En":
            level = int(of(t.args[0])) if t.op == "En" else None
            means = structure.probability(outcome, level).items()
            return sum((p * evaluate(t.args[-1], structure, at, o, bound) for o, p in means), Fraction(0))
        case "<=":
            return of(t.args[0]) <= of(t.args[1])
        case "<":
            return of(t.args[0]) < of(t.args[1])
        case "==":
            return of(t.args[0]) == of(t.args[1])
        case "And":
            return all(of(a) for a in t.args)
        case "Or":
            return any(of(a) for a in t.args)
        case "Not":
            return not of(t.args[0])
        case "Imp":
            return not of(t.args[0]) or of(t.args[1])
        case "All":
            return all(of(t.args[0], y) for y in range(SIZE))
    raise AssertionError(t.op)
