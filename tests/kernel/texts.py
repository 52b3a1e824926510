"""Random texts of the language of derivations, and a setting with symbols of every kind."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from tests.kernel.worlds import EXACT, LINEAR, World
from verify.kernel.language import Setting
from verify.kernel.terms import Symbol

VARIABLES = {"Nat": "n m i j", "Real": "s t r", "State": "x y", "Action": "a"}
SYMBOLS = [
    Symbol("c", (), "Real"),
    Symbol("b", (), "Nat"),
    Symbol("z", (), "State"),
    Symbol("f", ("Nat",), "Nat"),
    Symbol("h", ("Real",), "Real"),
    Symbol("lam", ("State", "Action"), "Real"),
    Symbol("nx", ("State",), "State"),
    Symbol("X", ("Nat",), "State", "_1"),
    Symbol("A", ("Nat",), "Action", "_1"),
    Symbol("N", ("Nat",), "Nat", "_1"),
    Symbol("Y", ("Nat",), "Real", "_1 + 1"),
    Symbol("M", ("Nat", "State"), "Real", "_1"),
    Symbol("R", ("Nat", "Real"), "Real", "_1"),
    Symbol("W", (), "Real", "any"),
    Symbol("B", (), "Nat", "any"),
    Symbol("gd", ("Real",), "Real", None, True),
    Symbol("gs", ("State",), "Real", None, True),
    Symbol("gn", ("Nat",), "Nat", None, True),
    Symbol("gk", ("Nat",), "Real", "_1", True),
    Symbol("ga", ("State",), "Real", "any", True),
]
SETTING = Setting.of("worlds", "State Action", VARIABLES, SYMBOLS, {})
NAMES: Mapping[str, str] = SETTING.variables
BOUND = {"Nat": ["i", "j", "n"], "Real": ["s", "r"], "State": ["x", "y"], "Action": ["a"]}

BINDING = ("i", "s", "y")
DANGEROUS = (
    "E(Sum(i, {n0} + 1, M(f(i), {e0})), {l0})",
    "E(Sum(i, b, M(f(i), {e0})), f(0))",
    "E(Sum(i, {n0} + gn(1), N(f(i))), f(0))",
    "E(Sum(i, b, M(i, {e0})*{u0}), b + {k0})",
    "E({u0}*M({l0}, X({l1})), {l2})",
    "E({u0}*M(N({l0}), {e0}), {l1})",
    "E(M(0, X({l1}))*W, {k0})",
    "E(Sum(i, N({l0}), Y(i)*{u0}), {l1})",
    "E(Sum(i, N({l0}), M(i, {e0}))*W)",
    "Sum(i, N({l0}) + {k0}, E(M(i, {e0})*{u0}, {l1}))",
    "Sum(i, B + {k0}, E(M(i, {e0})*W))",
    "SumOver(y, Ind(y == X({l0}))*E(M({l1}, y)*{u0}, {l2}))",
    "SumOver(y, Ind(y == {e0})*E(Ind(X({l0}) == y)*{u0}))",
    "E(SumOver(y, Ind(y == X({l0}))*M({l1}, y))*{u0}, {l2})",
    "E(E({u0}, {l0})*{u1}, {l1})",
    "E(E({u0}*{u1}, {l0})*E({u2}, {l1}))",
    "E({u0}*E({u1}, {l0})**2, {l1})",
    "E(Ind({a0})*{u0}, {l0})",
    "E(Ind(Or({a0}, {u0} <= {u1}))*{u2}, {l0})",
    "Int(s, {k0} + 1, MaxOver(y, (lam(y, a) + gs(y)*s)*s))",
    "Int(s, {u0}, E(R({l0}, s)*{u1}, {l1})*Sum(i, {n0}, R(i, s)))",
    "E(Int(s, {u0}, R({l0}, s))*{u1}, {l1})",
    "E(Sup(n, Min(M(n, {e0}), 2)), {l0})",
    "E(MaxOver(y, M({l0}, y)*{u0}), {l1})",
    "({u0} - {u1})*(1/({u0} - {u1}))*{u2}",
    "Ind({u0} < {u1}) + Ind({u0} <= {u1})*Ind(2*{u0} == 2*{u1})",
)

Scope = dict[str, str]


def world(rng: Random, exact: bool = False) -> World:
    """A random world of the setting."""
    sizes = {"State": rng.choice([1, 2, 2, 3]), "Action": rng.choice([1, 2])}
    depth = rng.choice([2, 3, 3])
    return World(rng, SETTING.symbols, NAMES, sizes, depth, EXACT if exact else LINEAR)


class Writer:
    """Random texts."""

    def __init__(
        self, rng: Random, functions: float = 0.3, symbols: list[Symbol] = SYMBOLS, more: tuple[str, ...] = ()
    ) -> None:
        self.rng, self.functions, self.symbols = rng, functions, symbols
        self.patterns = [*DANGEROUS, *more * 3]

    def scope(self, number: int = 3) -> Scope:
        """A few free variables."""
        return {name: NAMES[name] for name in self.rng.sample(sorted(NAMES), number)}

    def of(self, sort: str, depth: int, scope: Scope) -> str:
        """A term of that sort."""
        if sort == "Real":
            return self.real(depth, scope)
        return self.whole(depth, scope) if sort == "Nat" else self.element(sort, depth, scope)

    def _symbol(self, sort: str, depth: int, scope: Scope) -> str:
        fitting = [s for s in self.symbols if s.value == sort]
        symbol = self.rng.choice(fitting)
        deeper = 0 if self.rng.random() < 0.15 else depth - 1
        args = [self.of(kind, deeper, scope) for kind in symbol.args]
        return f"{symbol.name}({', '.join(args)})" if args else symbol.name

    def element(self, sort: str, depth: int, scope: Scope) -> str:
        """Of a finite sort."""
        names = [name for name, kind in scope.items() if kind == sort]
        if names and self.rng.random() < 0.5:
            return self.rng.choice(names)
        if depth < 0 and names:
            return self.rng.choice(names)
        if depth < 0:
            return "z" if sort == "State" else "a"
        return self._symbol(sort, -1, scope)

    def _leaf(self, scope: Scope, kinds: tuple[str, ...]) -> str:
        names = [name for name, kind in scope.items() if kind in kinds]
        if names and self.rng.random() < 0.7:
            return self.rng.choice(names)
        return str(self.rng.choice([0, 1, 1, 2, 3]))

    def level(self, scope: Scope) -> str:
        """A deterministic whole number."""
        names = [name for name, kind in scope.items() if kind == "Nat"]
        simple = self.rng.choice([*names, *names, "0", "1", "2"])
        return self.rng.choice([simple, simple, simple, f"{simple} + 1", f"f({simple})", f"Max({simple}, 1)"])

    def whole(self, depth: int, scope: Scope) -> str:
        """A natural number."""
        if depth <= 0:
            simple = depth < 0 or self.rng.random() < 0.5
            return self._leaf(scope, ("Nat",)) if simple else self._symbol("Nat", -1, scope)
        d = depth - 1
        match self.rng.choice(["leaf", "leaf", "symbol", "symbol", "+", "*", "Ind", "Max", "Sum"]):
            case "leaf":
                return self._leaf(scope, ("Nat",))
            case "symbol":
                return self._symbol("Nat", d, scope)
            case "Ind":
                return f"Ind({self.formula(d, scope)})"
            case "Max":
                return f"{self.rng.choice(['Max', 'Min'])}({self.whole(d, scope)}, {self.whole(d, scope)})"
            case "Sum":
                i, inside, outside = self._bind("Nat", scope)
                return f"Sum({i}, {self.whole(d - 1, outside)}, {self.whole(d, inside)})"
            case op:
                return f"({self.whole(d, scope)} {op} {self.whole(d, scope)})"

    def _bind(self, sort: str, scope: Scope) -> tuple[str, Scope, Scope]:
        name = self.rng.choice(BOUND[sort])
        return name, {**scope, name: sort}, {n: k for n, k in scope.items() if n != name}

    def real(self, depth: int, scope: Scope) -> str:
        """A number."""
        if depth <= 0:
            simple = depth < 0 or self.rng.random() < 0.35
            return self._leaf(scope, ("Nat", "Real")) if simple else self._symbol("Real", -1, scope)
        d, draw = depth - 1, self.rng.random()
        if depth >= 2 and self.rng.random() < 0.3:
            return self.dangerous(scope)
        if draw < 0.12:
            return self.rng.choice([self.whole(d, scope), self._leaf(scope, ("Nat", "Real"))])
        if draw < 0.32:
            return self._symbol("Real", d, scope)
        if draw < 0.36:
            return f"Ind({self.formula(d, scope)})"
        if draw < 0.62:
            return self._arithmetic(d, scope)
        return self._operator(d, scope)

    def dangerous(self, scope: Scope) -> str:
        """A place where a normal form could be wrong, filled in at random."""
        pattern = self.rng.choice(self.patterns)
        for name in BINDING:
            if f"{name}, " in pattern:
                scope = {n: k for n, k in scope.items() if n != name}
        words = {f"l{k}": self.level(scope) for k in range(3)}
        words |= {f"u{k}": f"({self.real(self.rng.choice([0, 0, 1]), scope)})" for k in range(3)}
        words |= {f"e{k}": self.element("State", 0, scope) for k in range(2)}
        return pattern.format(
            **words, n0=self.whole(0, scope), a0=self.formula(0, scope), k0=self.rng.randint(0, 2)
        )

    def _arithmetic(self, d: int, scope: Scope) -> str:
        u, v = self.real(d, scope), self.real(d, scope)
        if self.rng.random() < self.functions:
            name = self.rng.choice(["Max", "Min", "Abs", "Abs", "exp", "log", "sqrt", "/", "inv", "**"])
            match name:
                case "Max" | "Min":
                    return f"{name}({u}, {v})"
                case "/":
                    return f"({u})/({v})"
                case "inv":
                    return f"1/({v})"
                case "**":
                    return f"({u})**{self.rng.choice([2, 2, 3, '(-1)', '(-2)', '(1/2)'])}"
            return f"{name}({u})"
        return f"({u} {self.rng.choice('++-***')} {v})"

    def _operator(self, d: int, scope: Scope) -> str:
        match self.rng.choice(
            ["E", "E", "E", "En", "En", "En", "En", "Sum", "Sum", "Int", "Over", "Over", "Max", "Sup"]
        ):
            case "E":
                return f"E({self._product(d, scope)})"
            case "En":
                return f"E({self._product(d, scope)}, {self.level(scope)})"
            case "Sum":
                i, inside, outside = self._bind("Nat", scope)
                return f"Sum({i}, {self.whole(1, outside)}, {self._product(d, inside)})"
            case "Int":
                s, inside, outside = self._bind("Real", scope)
                return f"Int({s}, {self.real(min(d, 1), outside)}, {self._product(d, inside)})"
            case "Sup":
                n, inside, _ = self._bind("Nat", scope)
                return f"Sup({n}, {self.real(d, inside)})"
            case "Max":
                y, inside, _ = self._bind("State", scope)
                return f"MaxOver({y}, {self.real(d, inside)})"
        sort = self.rng.choice(["State", "State", "Action"])
        y, inside, outside = self._bind(sort, scope)
        delta = ""
        if self.rng.random() < 0.6:
            delta = f"Ind({y} == {self.element(sort, 2, inside if self.rng.random() < 0.2 else outside)})*"
        return f"SumOver({y}, {delta}{self._product(d, inside)})"

    def _product(self, d: int, scope: Scope) -> str:
        parts = [f"({self.real(d, scope)})" for _ in range(self.rng.choice([1, 2, 2, 3]))]
        return "*".join(parts)

    def formula(self, depth: int, scope: Scope) -> str:
        """A formula; All over finite sorts only."""
        d, draw = depth - 1, self.rng.random()
        if depth <= 0 or draw < 0.6:
            if self.rng.random() < 0.25:
                return f"{self.element('State', d, scope)} == {self.element('State', d, scope)}"
            op = self.rng.choice(["<=", "<=", "<", "==", ">=", ">"])
            return f"{self.real(d, scope)} {op} {self.real(d, scope)}"
        if draw < 0.9:
            name = self.rng.choice(["And", "Or", "Not", "Imp"])
            parts = [self.formula(d, scope) for _ in range(1 if name == "Not" else 2)]
            return f"{name}({', '.join(parts)})"
        if draw < 0.94:
            return f"Sure({self.formula(d, scope)})"
        y, inside, _ = self._bind("State", scope)
        return f"All({y}, {self.formula(d, inside)})"
