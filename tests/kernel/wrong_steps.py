"""Short ways to write wrong steps."""

from __future__ import annotations

from collections.abc import Callable

from tests.kernel.texts import SETTING, SYMBOLS, VARIABLES
from verify.kernel import calculus, goals, theorems
from verify.kernel.calculus import Operator
from verify.kernel.goals import Pointwise
from verify.kernel.language import Setting
from verify.kernel.theorems import Theorem

t, f, v = SETTING.term, SETTING.formula, SETTING.variable
OTHER = Setting.of("other", "State Action", VARIABLES, SYMBOLS, {})


def a(text: str) -> Theorem:
    """A ⊢ A."""
    return theorems.assume(SETTING, f(text))


def k(name: str, *words: str) -> Theorem:
    """An elementary fact."""
    return calculus.elementary(SETTING, name, *map(t, words))


def comb(goal: str, *rows: tuple[Theorem, object]) -> Theorem:
    """combine."""
    many = [t(m) if isinstance(m, str) else (t(m[0]), m[1]) for _, m in rows]  # type: ignore[index]  # a row is a text, or a pair
    return calculus.combine(SETTING, f(goal), [p for p, _ in rows], many)


def mono(theorem: Theorem, tag: str, x: str | None = None, end: str | None = None) -> Theorem:
    """monotone."""
    return calculus.monotone(theorem, tag, v(x) if x else None, t(end) if end else None)


def op(tag: str, x: str | None = None, end: str | None = None) -> Operator:
    """An operator of exchange."""
    return Operator(tag, v(x) if x else None, t(end) if end else None)


def exch(outer: Operator, inner: Operator, body: str) -> Theorem:
    """exchange."""
    return calculus.exchange(SETTING, outer, inner, t(body))


def put(theorem: Theorem, x: str, value: str) -> Theorem:
    """substitute."""
    return theorems.substitute(theorem, v(x), t(value))


def inst(theorem: Theorem, name: str, params: str, body: str) -> Theorem:
    """instantiate."""
    return theorems.instantiate(theorem, SETTING.symbols[name], [v(x) for x in params.split()], t(body))


def point(relation: str, *domain: str, **values: str) -> Theorem:
    """pointwise with a label."""
    goal = Pointwise(relation, domain, (), "claim")
    return goals.pointwise(SETTING, goal, {x: t(u) for x, u in values.items()})


def ind(n: str, formula: str, start: Theorem, step: Theorem) -> Theorem:
    """induction."""
    return theorems.induction(v(n), f(formula), start, step)


def rew(equation: Theorem, theorem: Theorem, x: str, template: str) -> Theorem:
    """rewrite."""
    return theorems.rewrite(equation, theorem, v(x), f(template))


def prim(s: str, end: str, whole: str) -> Theorem:
    """primitive."""
    return calculus.primitive(SETTING, v(s), t(end), t(whole))


Wrong = tuple[str, Callable[[], object]]
