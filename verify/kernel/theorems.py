"""Theorems, and the rules of logic that make them.

A theorem says: for every setting of its kind, every outcome and all values of its free variables, if all of
``given`` hold, so does ``says``.  Nothing outside this package can make one: each rule computes its
conclusion from theorems, and remembers itself as a step, so that the whole derivation can be written down.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Any, ParamSpec

from verify.kernel import terms as T  # noqa: N812 - the letter of every term
from verify.kernel.language import Setting, show
from verify.kernel.levels import level_of
from verify.kernel.measure import known, tame
from verify.kernel.terms import NAT, REAL, KernelError, Symbol, Term

FORMAT = "ctucbvi-derivation-1"
P = ParamSpec("P")
_OURS = object()  # what a theorem has to be made with


@dataclass(frozen=True, eq=False)
class Step:
    """A rule that was applied."""

    rule: str
    fields: Mapping[str, Any]
    premises: tuple[Theorem, ...]


class Theorem:
    """given ⊢ says."""

    __slots__ = ("given", "says", "setting", "step")

    def __init__(
        self, ours: object, setting: Setting, given: frozenset[Term], says: Term, step: Step
    ) -> None:
        if ours is not _OURS:
            raise KernelError("only rules make theorems")
        for name, value in (("setting", setting), ("given", given), ("says", says), ("step", step)):
            object.__setattr__(self, name, value)

    setting: Setting
    given: frozenset[Term]
    says: Term
    step: Step

    def __setattr__(self, name: str, value: object) -> None:
        raise KernelError("a theorem does not change")

    def __repr__(self) -> str:
        given = ", ".join(sorted(map(show, self.given)))
        return f"{given} ⊢ {show(self.says)}" if given else f"⊢ {show(self.says)}"

    def steps(self) -> list[dict[str, Any]]:
        """The derivation: every step once, premises before their use."""
        number: dict[int, int] = {}
        rows: list[dict[str, Any]] = []
        stack: list[tuple[Theorem, bool]] = [(self, False)]
        while stack:
            theorem, ready = stack.pop()
            if id(theorem) in number:
                continue
            if not ready:
                stack.append((theorem, True))
                stack.extend((p, False) for p in reversed(theorem.step.premises))
                continue
            places = [number[id(p)] for p in theorem.step.premises]
            number[id(theorem)] = len(rows)
            rows.append(
                {"rule": theorem.step.rule, **theorem.step.fields, **({"from": places} if places else {})}
            )
        return rows


def made(
    rule: str,
    fields: Mapping[str, Any],
    premises: Sequence[Theorem],
    given: Iterable[Term],
    says: Term,
    setting: Setting | None = None,
) -> Theorem:
    """A theorem by a rule: for the modules of the kernel, and nobody else."""
    T.require_sort(says, T.TRUTH, "a conclusion")
    place = setting if setting is not None else premises[0].setting
    if any(p.setting is not place for p in premises):
        raise KernelError(f"{rule}: premises of different settings")
    return Theorem(_OURS, place, frozenset(given), says, Step(rule, fields, tuple(premises)))


def given_by(theorems: Iterable[Theorem]) -> frozenset[Term]:
    """What they are given together."""
    return frozenset().union(*(t.given for t in theorems))


def named(rule: str) -> Callable[[Callable[P, Theorem]], Callable[P, Theorem]]:
    """A rule whose complaints begin with its name, wherever they come from."""

    def around(make: Callable[P, Theorem]) -> Callable[P, Theorem]:
        @wraps(make)
        def run(*args: P.args, **kwargs: P.kwargs) -> Theorem:
            try:
                return make(*args, **kwargs)
            except KernelError as error:
                if str(error).startswith(rule):
                    raise
                raise type(error)(f"{rule}: {error}") from None

        return run

    return around


def require(condition: bool, rule: str, reason: str) -> None:
    """A side condition."""
    if not condition:
        raise KernelError(f"{rule}: {reason}")


def not_free(rule: str, x: Term, terms: Iterable[Term]) -> None:
    """A variable must not be free there."""
    for t in terms:
        require(x not in t.free, rule, f"{show(x)} is free in {show(t)!r}")


# --- where theorems begin -----------------------------------------------------------------------


@named("fact")
def fact(setting: Setting, name: str) -> Theorem:
    """A fact of the setting."""
    require(name in setting.facts, "fact", f"{setting.name} has no fact {name!r}")
    return made("fact", {"name": name}, (), (), setting.facts[name].formula, setting)


@named("lemma")
def lemma(setting: Setting, label: str, formula: str) -> Theorem:
    """What another claim says; whether it is proved is asked where claims are known."""
    return made("lemma", {"label": label, "formula": formula}, (), (), setting.formula(formula), setting)


@named("assume")
def assume(setting: Setting, formula: Term) -> Theorem:
    """A ⊢ A."""
    return made("assume", {"formula": show(formula)}, (), (formula,), formula, setting)


# --- logic --------------------------------------------------------------------------------------


@named("discharge")
def discharge(a: Term, theorem: Theorem) -> Theorem:
    """Γ ⊢ B becomes Γ without A ⊢ Imp(A, B)."""
    says = T.implication(a, theorem.says)
    return made("discharge", {"formula": show(a)}, (theorem,), theorem.given - {a}, says)


@named("mp")
def mp(implies: Theorem, premise: Theorem) -> Theorem:
    """Modus ponens."""
    require(implies.says.tag == "Imp", "mp", f"{show(implies.says)!r} is no Imp")
    a, b = implies.says.parts
    require(premise.says is a, "mp", f"needs {show(a)!r}, has {show(premise.says)!r}")
    return made("mp", {}, (implies, premise), given_by((implies, premise)), b)


@named("cut")
def cut(premise: Theorem, theorem: Theorem) -> Theorem:
    """A given that is a theorem is no longer given."""
    given = premise.given | (theorem.given - {premise.says})
    return made("cut", {}, (premise, theorem), given, theorem.says)


@named("generalize")
def generalize(x: Term, theorem: Theorem) -> Theorem:
    """Γ ⊢ A becomes Γ ⊢ All(x, A)."""
    require(x.tag == "var", "generalize", f"{show(x)} is no variable")
    not_free("generalize", x, theorem.given)
    return made("generalize", {"variable": show(x)}, (theorem,), theorem.given, T.forall(x, theorem.says))


@named("specialize")
def specialize(theorem: Theorem, value: Term) -> Theorem:
    """Γ ⊢ All(x, A) becomes Γ ⊢ A[value]."""
    require(theorem.says.tag == "All", "specialize", f"{show(theorem.says)!r} is no All")
    x, body = T.opened(theorem.says)
    T.require_sort(value, x.sort, "specialize: the value")
    says = T.substitute(body, {x: value})
    return made("specialize", {"term": show(value)}, (theorem,), theorem.given, says)


@named("sure")
def sure(theorem: Theorem) -> Theorem:
    """Γ ⊢ A at every outcome, if Γ is deterministic."""
    for g in theorem.given:
        require(not g.random, "sure", f"the given {show(g)!r} is random")
    return made("sure", {}, (theorem,), theorem.given, T.sure(theorem.says))


@named("unsure")
def unsure(theorem: Theorem) -> Theorem:
    """What holds at every outcome holds at this one."""
    require(theorem.says.tag == "Sure", "unsure", f"{show(theorem.says)!r} is no Sure")
    return made("unsure", {}, (theorem,), theorem.given, theorem.says.parts[0])


@named("both")
def both(*theorems: Theorem) -> Theorem:
    """And."""
    require(len(theorems) >= 2, "both", "needs two theorems or more")
    says = T.junction("And", *(t.says for t in theorems))
    return made("both", {}, theorems, given_by(theorems), says)


@named("part")
def part(theorem: Theorem, wanted: Term) -> Theorem:
    """One part of an And."""
    parts = theorem.says.parts if theorem.says.tag == "And" else ()
    require(wanted in parts, "part", f"{show(wanted)!r} is no part of {show(theorem.says)!r}")
    return made("part", {"formula": show(wanted)}, (theorem,), theorem.given, wanted)


@named("cases")
def cases(a: Term, with_a: Theorem, without: Theorem) -> Theorem:
    """The same conclusion from A and from Not(A)."""
    require(with_a.says is without.says, "cases", f"{show(with_a.says)!r} is not {show(without.says)!r}")
    given = (with_a.given - {a}) | (without.given - {T.negation(a)})
    return made("cases", {"formula": show(a)}, (with_a, without), given, with_a.says)


@named("absurd")
def absurd(theorem: Theorem, denial: Theorem, formula: Term) -> Theorem:
    """Anything from a contradiction."""
    require(denial.says is T.negation(theorem.says), "absurd", f"{show(denial.says)!r} denies something else")
    return made("absurd", {"formula": show(formula)}, (theorem, denial), given_by((theorem, denial)), formula)


@named("substitute")
def substitute(theorem: Theorem, x: Term, value: Term) -> Theorem:
    """A free variable replaced everywhere."""
    require(x.tag == "var", "substitute", f"{show(x)} is no variable")
    T.require_sort(value, x.sort, "substitute: the term")
    given, says = (
        [T.substitute(t, {x: value}) for t in theorem.given],
        T.substitute(theorem.says, {x: value}),
    )
    return made("substitute", {"variable": show(x), "term": show(value)}, (theorem,), given, says)


@named("instantiate")
def instantiate(theorem: Theorem, symbol: Symbol, params: Sequence[Term], body: Term) -> Theorem:
    """A generic symbol replaced by a function, which must be what the symbol promises to be."""
    rule = f"instantiate {symbol.name}"
    require(symbol.generic, rule, "the symbol is not generic")
    require(len(set(params)) == len(params) == len(symbol.args), rule, f"write {len(symbol.args)} parameters")
    for x, sort in zip(params, symbol.args, strict=True):
        require(
            x.tag == "var" and x.sort == sort,
            rule,
            f"the parameter {show(x)} is of sort {x.sort}, not {sort}",
        )
    T.require_sort(body, symbol.value, f"{rule}: the body")
    moving = frozenset(x for x in params if x.sort == REAL)
    require(tame(body, moving, omega=True), rule, f"{show(body)!r} is not seen to be bounded")
    if symbol.known != "any":
        level = None if symbol.known is None else _level(symbol, params)
        when = "deterministic" if level is None else f"known at {show(level)}"
        require(known(body, level), rule, f"{show(body)!r} is not seen to be {when}")
    says, *given = (T.instantiated(t, symbol, params, body) for t in (theorem.says, *theorem.given))
    fields = {"symbol": symbol.name, "params": [show(x) for x in params], "body": show(body)}
    return made("instantiate", fields, (theorem,), given, says)


def _level(symbol: Symbol, params: Sequence[Term]) -> Term:
    level = level_of(T.app(symbol, *params))
    assert level is not None
    return level


@named("rewrite")
def rewrite(equal: Theorem, theorem: Theorem, x: Term, template: Term) -> Theorem:
    """template[u] becomes template[v], for u == v; under a mean it must hold for all that is averaged."""
    require(equal.says.tag == "==", "rewrite", f"{show(equal.says)!r} is no equation")
    u, v = equal.says.parts
    require(x.tag == "var", "rewrite", f"{show(x)} is no variable")
    for side in (u, v):
        T.require_sort(side, x.sort, "rewrite: a side of the equation")
    before = T.substitute(template, {x: u})
    if before is not theorem.says and u.sort not in T.NUMBERS:  # there == has no first side
        u, v, before = v, u, T.substitute(template, {x: v})
    require(
        before is theorem.says, "rewrite", f"the template gives {show(before)!r}, not {show(theorem.says)!r}"
    )
    for level in _levels_around(x, template):
        when = "deterministic" if level is None else f"known at {show(level)}"
        require(
            all(known(g, level) for g in equal.given), "rewrite", f"what the equation is given is not {when}"
        )
    fields = {"variable": show(x), "template": show(template)}
    return made(
        "rewrite", fields, (equal, theorem), given_by((equal, theorem)), T.substitute(template, {x: v})
    )


def _levels_around(x: Term, t: Term) -> set[Term | None]:
    """The levels of all means in which the variable stands."""
    if x not in t.free:
        return set()
    found = {t.parts[1]} if t.tag == "E" else {None} if t.tag == "Sure" else set()
    return found.union(*(_levels_around(x, c) for c in t.children))


@named("induction")
def induction(n: Term, formula: Term, start: Theorem, step: Theorem) -> Theorem:
    """A[0], and A[n + 1] from A, give A."""
    require(n.tag == "var" and n.sort == NAT, "induction", f"{show(n)} is no variable of sort Nat")
    first, after = T.substitute(formula, {n: T.ZERO}), T.substitute(formula, {n: T.add(n, T.ONE)})
    require(start.says is first, "induction", f"the start says {show(start.says)!r}, not {show(first)!r}")
    require(step.says is after, "induction", f"the step says {show(step.says)!r}, not {show(after)!r}")
    rest = step.given - {formula}
    not_free("induction", n, (*start.given, *rest))
    fields = {"variable": show(n), "formula": show(formula)}
    return made("induction", fields, (start, step), start.given | rest, formula)


def document(theorem: Theorem, label: str, says: str) -> dict[str, Any]:
    """The derivation of a claim as JSON data."""
    return {
        "format": FORMAT,
        "label": label,
        "setting": theorem.setting.data(),
        "theorem": says,
        "steps": theorem.steps(),
    }
