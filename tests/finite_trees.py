"""Terms of derivations evaluated exactly on random finite probability trees.

An outcome is (ω₀, ω₁, ω₂), each 0 or 1; every node of the tree has its own probabilities.  A symbol that is
known at level l looks at ω₀, ..., ω_l only.  Real arguments go through polynomials: all values are rational.
"""

from __future__ import annotations

import itertools
import random
from fractions import Fraction

from verify.recheck.derivations.languages import Language
from verify.recheck.derivations.trees import Nameless, make, num, var

DEPTH = 3
OUTCOMES = list(itertools.product((0, 1), repeat=DEPTH))
SIZE = 2  # of each finite sort
_KINDS = {"leaf": 12, "plus": 10, "times": 18, "power": 3, "inv": 5, "max": 2, "ind": 8, "f": 4, "nat": 3}
_KINDS |= {"sum": 8, "over": 8, "most": 2, "mean": 6, "given": 11}  # how often each is drawn


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


def evaluate(t: Nameless, structure: Structure, at: dict, outcome, bound: tuple = ()):
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
        case "Sure":
            return all(evaluate(t.args[0], structure, at, o, bound) for o in OUTCOMES)
        case "Imp":
            return not of(t.args[0]) or of(t.args[1])
        case "All":
            return all(of(t.args[0], y) for y in range(SIZE))
    raise AssertionError(t.op)


class RandomTerms:
    """Terms in the symbols of ``derivation_files``; ``bound`` are the variables around, the inner first."""

    def __init__(self, language: Language, seed: int):
        self.language, self.chance = language, random.Random(seed)

    def _symbol(self, name: str, *args: Nameless) -> Nameless:
        return Nameless("sym", args, name, self.language.signs[name].value)

    def _around(self, sort: str, bound: list[str]) -> list[Nameless]:
        return [Nameless("bound", (), k, s) for k, s in enumerate(bound) if s == sort]

    def state(self, depth: int, bound: list[str]) -> Nameless:
        """A term of a finite sort."""
        around, k = self._around("State", bound), self.chance.random()
        if around and k < 0.6:
            return self.chance.choice(around)
        if k < 0.8 or depth <= 0:
            return var(self.chance.choice("xy"), "State")
        return self._symbol("X", self.level(depth - 1, bound))

    def level(self, depth: int, bound: list[str]) -> Nameless:
        """A natural number in which nothing is random."""
        around, k = self._around("Nat", bound), self.chance.random()
        if around and k < 0.6:
            found = self.chance.choice(around)
        elif k < 0.75:
            found = num(self.chance.randint(0, 2))
        elif k < 0.9 or depth <= 0:
            found = var(self.chance.choice("nm"), "Nat")
        else:
            found = self._symbol("h", self.level(depth - 1, bound))
        return make("+", found, num(1)) if self.chance.random() < 0.3 else found

    def natural(self, depth: int, bound: list[str]) -> Nameless:
        """A natural number."""
        k = self.chance.random()
        if k < 0.4 or depth <= 0:
            return self.level(depth, bound)
        if k < 0.6:
            return self._symbol("N", self.level(depth - 1, bound))
        if k < 0.75:
            return make("Ind", self.formula(depth - 1, bound))
        first, second = self.natural(depth - 1, bound), self.natural(depth - 1, bound)
        return make(self.chance.choice(("+", "*", "Max")), first, second)

    def formula(self, depth: int, bound: list[str]) -> Nameless:
        """A formula."""
        k = self.chance.random()
        if k < 0.35 or depth <= 0:
            return make("==", self.state(depth, bound), self.state(depth, bound))
        if k < 0.7:
            kind = self.natural if k < 0.45 else self.real
            return make(self.chance.choice(("<=", "<", "==")), kind(depth - 1, bound), kind(depth - 1, bound))
        if k < 0.9:
            parts = self.formula(depth - 1, bound), self.formula(depth - 1, bound)
            return make(self.chance.choice(("And", "Or", "Imp")), *parts)
        if k < 0.95:
            return make("All", self.formula(depth - 1, ["State", *bound]), value="State")
        return make("Not", self.formula(depth - 1, bound))

    def _leaf(self, bound: list[str]) -> Nameless:
        leaves = [
            *(self._symbol("W"), self._symbol("c"), var("u", "Real"), var("v", "Real")),
            num(Fraction(self.chance.randint(-2, 2), self.chance.choice((1, 2)))),
            self._symbol("Y", self.level(0, bound)),
            self._symbol("p", self.state(1, bound)),
            self._symbol("Z", self.level(0, bound), self.state(1, bound)),
        ]
        return self.chance.choice(leaves)

    def real(self, depth: int, bound: list[str]) -> Nameless:
        """A number."""
        if depth <= 0:
            return self._leaf(bound)
        kind = self.chance.choices([*_KINDS], [*_KINDS.values()])[0]

        def more(*inner: str) -> Nameless:
            return self.real(depth - 1, [*inner, *bound])

        match kind:
            case "plus" | "times" | "max":
                return make({"plus": "+", "times": "*", "max": "Max"}[kind], more(), more())
            case "power":
                return make("^", more(), value=2)
            case "inv":
                return make("inv", more())
            case "ind":
                return make("Ind", self.formula(depth - 1, bound))
            case "f":
                return self._symbol("f", self.real(depth - 2, bound))
            case "nat":
                return self.natural(depth - 1, bound)
            case "sum":
                return make("Sum", self.natural(depth - 2, bound), more("Nat"))
            case "over" | "most":
                return make("SumOver" if kind == "over" else "MaxOver", more("State"), value="State")
            case "mean":
                return make("E", more())
            case "given":
                return make("En", self.level(1, bound), more())
        return self._leaf(bound)
