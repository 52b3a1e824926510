"""The same entries for z3 and for Coq's tactic ``interval``, each given what it can be told.

z3 decides polynomials over the reals: ``Abs``, ``Max`` and ``Min`` are cases, a root is a new variable with
its defining equation, a quotient has a denominator that is not 0; exponentials, logarithms, trigonometric
functions and pi cannot be said.  It is asked for a point of the domain where the claim fails.

``interval`` proves an inequality by interval arithmetic with bisection, automatic differentiation or Taylor
models, and its proof is checked by Coq's kernel.  It knows exp, ln, sqrt, sin, cos, atan and PI; the others
are written by these.  It refutes nothing, so it is asked what is true only; hypotheses are stated, and it
uses those that bound a variable by a constant.
"""

from __future__ import annotations

import ast
import operator
import resource
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from tests.benchmarks.corpus.entries import Entry
from tests.benchmarks.corpus.running import Answer

_STARTUP = 3.0  # seconds that coqc may take to load its libraries, beside the limit


_ARITHMETIC: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}


class UnsaidError(Exception):
    """The peer has no word for something."""


def number(node: ast.expr, source: str) -> Fraction | None:
    """The value of an expression of numbers only, exactly; ``None`` if there is anything else in it."""
    match node:
        case ast.Constant():
            return Fraction(ast.get_source_segment(source, node) or repr(node.value))
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            value = number(operand, source)
            return None if value is None else -value
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() | ast.Mult() | ast.Div() as op, right=right):
            a, b = number(left, source), number(right, source)
            return None if a is None or b is None else _ARITHMETIC[type(op)](a, b)
    return None


def pairs(text: str) -> list[tuple[ast.expr, str, ast.expr]]:
    """The comparisons of a chain, turned to <=, < or ==."""
    tree = ast.parse(text, mode="eval").body
    assert isinstance(tree, ast.Compare), text
    terms, found = [tree.left, *tree.comparators], []
    for left, op, right in zip(terms, tree.ops, terms[1:], strict=False):
        if isinstance(op, ast.GtE | ast.Gt):
            left, right = right, left
        relation = "==" if isinstance(op, ast.Eq) else "<" if isinstance(op, ast.Lt | ast.Gt) else "<="
        found.append((left, relation, right))
    return found


# ---------------------------------------------------------------- z3


def z3_ground() -> str:
    """Which z3 it is; empty where there is none."""
    try:
        return version("z3-solver")
    except PackageNotFoundError:
        return ""


def z3_answer(entry: Entry, seconds: float) -> Answer:
    """Ask z3 for a point where the entry fails."""
    import z3  # an extra

    terms = _Z3Terms(z3)
    try:
        given = [terms.relation(*pair, text) for text in entry.domain for pair in pairs(text)]
        ((left, relation, right),) = pairs(entry.says)
        claim = terms.relation(left, relation, right, entry.says)
    except UnsaidError as error:
        return "not expressible", str(error)
    solver = z3.Solver()
    solver.set("timeout", round(1000 * seconds))
    solver.add(*given, *terms.conditions, z3.Not(claim))
    answer = str(solver.check())
    return {"unsat": "proved", "sat": "refuted"}.get(answer, "open"), answer


class _Z3Terms:
    """Formulas as terms of z3, and the conditions on the variables that stand for roots."""

    def __init__(self, z3: Any) -> None:
        self._z3 = z3
        self.conditions: list[Any] = []

    def relation(self, left: ast.expr, relation: str, right: ast.expr, source: str) -> Any:
        a, b = self.term(left, source), self.term(right, source)
        return a <= b if relation == "<=" else a < b if relation == "<" else a == b

    def term(self, node: ast.expr, source: str) -> Any:
        z3 = self._z3
        if (value := number(node, source)) is not None:
            return z3.Q(value.numerator, value.denominator)
        match node:
            case ast.Name(id=name) if name not in ("pi", "E"):
                return z3.Real(name)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return -self.term(operand, source)
            case ast.BinOp(left=left, op=ast.Pow(), right=right):
                return self._power(self.term(left, source), number(right, source), ast.unparse(node))
            case ast.BinOp(left=left, op=op, right=right):
                return self._operation(op, self.term(left, source), self.term(right, source))
            case ast.Call(func=ast.Name(id="sqrt"), args=[inside]):
                return self._power(self.term(inside, source), Fraction(1, 2), ast.unparse(node))
            case ast.Call(func=ast.Name(id="abs"), args=[inside]):
                a = self.term(inside, source)
                return z3.If(a >= 0, a, -a)
            case ast.Call(func=ast.Name(id="max" | "min" as name), args=parts):
                values = [self.term(part, source) for part in parts]
                best = values[0]
                for value in values[1:]:
                    best = z3.If(best >= value if name == "max" else best <= value, best, value)
                return best
        raise UnsaidError(ast.unparse(node))

    def _operation(self, op: ast.operator, a: Any, b: Any) -> Any:
        if isinstance(op, ast.Div):
            self.conditions.append(b != 0)
        return _ARITHMETIC[type(op)](a, b)

    def _power(self, base: Any, exponent: Fraction | None, text: str) -> Any:
        if exponent is None:
            raise UnsaidError(text)
        if exponent.denominator != 1:
            root = self._z3.FreshReal("root")
            self.conditions += [base >= 0, root >= 0, _product(root, exponent.denominator) == base]
            base = root
        if exponent < 0:
            self.conditions.append(base != 0)
            return 1 / _product(base, -exponent.numerator)
        return _product(base, exponent.numerator)


def _product(base: Any, times: int) -> Any:
    result = base
    for _ in range(times - 1):
        result = result * base
    return result if times else base**0


# ---------------------------------------------------------------- Coq

_COQ: Mapping[str, Callable[[str], str]] = {
    "exp": lambda a: f"exp {a}",
    "log": lambda a: f"ln {a}",
    "sqrt": lambda a: f"sqrt {a}",
    "abs": lambda a: f"Rabs {a}",
    "sin": lambda a: f"sin {a}",
    "cos": lambda a: f"cos {a}",
    "atan": lambda a: f"atan {a}",
    "sinh": lambda a: f"(exp {a} - exp (-{a})) / 2",
    "cosh": lambda a: f"(exp {a} + exp (-{a})) / 2",
    "tanh": lambda a: f"1 - 2 / (exp (2 * {a}) + 1)",
}
_OPERATORS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}


def coq_term(node: ast.expr, source: str) -> str:
    """The formula in Coq's reals, in brackets."""
    if (value := number(node, source)) is not None:
        return f"({value})".replace("/", " / ")
    match node:
        case ast.Name(id=name):
            return {"pi": "PI", "E": "(exp 1)"}.get(name, f"{name}_")
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return f"(- {coq_term(operand, source)})"
        case ast.BinOp(left=left, op=ast.Pow(), right=right):
            return _coq_power(coq_term(left, source), right, source)
        case ast.BinOp(left=left, op=op, right=right):
            return f"({coq_term(left, source)} {_OPERATORS[type(op)]} {coq_term(right, source)})"
        case ast.Call(func=ast.Name(id="max" | "min" as name), args=[first, *rest]):
            text, sign = coq_term(first, source), "+" if name == "max" else "-"
            for part in rest:
                other = coq_term(part, source)
                text = f"(({text} + {other} {sign} Rabs ({text} - {other})) / 2)"
            return text
        case ast.Call(func=ast.Name(id=name), args=[inside]) if name in _COQ:
            return f"({_COQ[name](coq_term(inside, source))})"
    raise UnsaidError(ast.unparse(node))


def _coq_power(base: str, exponent: ast.expr, source: str) -> str:
    value = number(exponent, source)
    if value is None or value.denominator > 2:
        return f"(exp ({coq_term(exponent, source)} * ln {base}))"
    if value.denominator == 2:
        base = f"(sqrt {base})"
    power = f"({base} ^ {abs(value.numerator)})"
    return power if value >= 0 else f"(/ {power})"


def coq_goals(entry: Entry) -> list[str]:
    """A file for each way to prove the entry."""
    names = [f"{name}_" for name in sorted(entry.area().ranges)]
    given = [
        _coq_hypothesis(left, relation, right, text)
        for text in entry.domain
        for left, relation, right in pairs(text)
    ]
    ((left, relation, right),) = pairs(entry.says)
    if relation == "==":
        raise UnsaidError("an equation")
    goal = f"{coq_term(left, entry.says)} {relation} {coq_term(right, entry.says)}"
    lines = (
        "Require Import Reals.",
        "From Interval Require Import Tactic.",
        "Open Scope R_scope.",
        f"Goal forall {' '.join(names)} : R, {' -> '.join([*given, goal])}.",
        f"Proof. intros. apply {'Rminus_le' if relation == '<=' else 'Rminus_lt'}.",
    )
    return ["\n".join((*lines, f"{way}.", "Qed.", "")) for way in _ways(names)]


def _coq_hypothesis(left: ast.expr, relation: str, right: ast.expr, source: str) -> str:
    """A condition; ``2*x <= pi`` as the bound of x that it is, since the tactic looks for such."""
    sides = [coq_term(left, source), coq_term(right, source)]
    match left:
        case ast.BinOp(left=ast.Constant() as factor, op=ast.Mult(), right=ast.Name(id=name)):
            sides = [f"{name}_", f"({sides[1]} / {coq_term(factor, source)})"]
    return f"{sides[0]} {'=' if relation == '==' else relation} {sides[1]}"


def _ways(names: list[str]) -> list[str]:
    """The tactic plainly or with bisection of every variable, and then with one of its two refinements."""
    halves = ", ".join(f"i_bisect {name}" for name in names)
    return [
        f"first [ interval | interval with ({halves}) ]",
        f"interval with ({halves}, i_taylor {names[0]}, i_prec 60)",
        f"interval with ({halves}, i_autodiff {names[0]}, i_prec 60)",
    ]


@cache
def coq_ground() -> str:
    """Which Coq it is; empty where there is none with Interval."""
    if shutil.which("coqc") is None:
        return ""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "present.v"
        file.write_text("From Interval Require Import Tactic.\n", encoding="utf-8")
        run = subprocess.run(["coqc", "-q", str(file)], capture_output=True, check=False)
    told = subprocess.run(["coqc", "--print-version"], capture_output=True, text=True, check=False)
    return told.stdout.strip() if run.returncode == 0 else ""


def coq_answer(entry: Entry, seconds: float) -> Answer:
    """Ask ``interval`` for a proof, its ways one after the other, each with its share of the time."""
    if not entry.truth:
        return "not expressible", "it refutes nothing"
    try:
        goals = coq_goals(entry)
    except UnsaidError as error:
        return "not expressible", str(error)
    for goal in goals:
        status, said = _compiled(goal, seconds / len(goals) + _STARTUP)
        if status == 0:
            return "proved", goal.splitlines()[-2]
        if status > 0 and "Tactic failure" not in said and "No applicable tactic" not in said:
            return "crashed", said[-200:]
    return "open", said[-200:]


def _compiled(text: str, seconds: float) -> tuple[int, str]:
    """The exit status of ``coqc`` (negative if it was stopped), and what it said."""
    limit = round(seconds)
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "goal.v").write_text(text, encoding="utf-8")
        run = subprocess.run(
            ["coqc", "-q", "goal.v"],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit)),
        )
    return run.returncode, " ".join(run.stderr.split())
