"""Short ways to write derivations; nothing here is trusted, everything ends in a rule of the kernel.

``Derivation(setting)`` reads texts, finds the multipliers of ``combine``, removes givens that are theorems,
and splits into cases.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache

from verify.kernel import calculus, goals, terms, theorems
from verify.kernel.calculus import Operator
from verify.kernel.goals import Pointwise
from verify.kernel.language import Setting, show
from verify.kernel.multipliers import multipliers
from verify.kernel.terms import KernelError, Polynomial, Term, polynomial
from verify.kernel.theorems import Theorem

Text = str | Term
Prover = Callable[[str, tuple[str, ...], tuple[str, ...]], Pointwise]


class Derivation:
    """Rules in one setting, with texts for terms."""

    def __init__(
        self,
        setting: Setting,
        lookup: Callable[[str], Pointwise] | None = None,
        prove: Prover | None = None,
        theorem_of: Callable[[str], str] | None = None,
    ) -> None:
        self.setting, self._lookup, self._prove, self._theorem_of = setting, lookup, prove, theorem_of

    # --- texts ---

    def term(self, text: Text) -> Term:
        """A term."""
        return text if isinstance(text, Term) else self.setting.term(text)

    def formula(self, text: Text) -> Term:
        """A formula."""
        return text if isinstance(text, Term) else self.setting.formula(text)

    def variable(self, name: Text) -> Term:
        """A variable."""
        return name if isinstance(name, Term) else self.setting.variable(name)

    # --- where theorems begin ---

    def fact(self, name: str, **values: Text) -> Theorem:
        """A fact of the setting, at these values of its variables."""
        return self.at(theorems.fact(self.setting, name), **values)

    def lemma(self, label: str, **values: Text) -> Theorem:
        """What another claim derives, its outer All removed where values are given."""
        if self._theorem_of is None:
            raise KernelError(f"lemma {label}: no claims are known here")
        return self.at(theorems.lemma(self.setting, label, self._theorem_of(label)), **values)

    def claim(self, label: str, **values: Text) -> Theorem:
        """A proved formula claim at these terms."""
        if self._lookup is None:
            raise KernelError(f"claim {label}: no claims are known here")
        return goals.pointwise(self.setting, self._lookup(label), self._terms(values))

    def pointwise(self, relation: str, *domain: str, integers: str = "", **values: Text) -> Theorem:
        """An inequality that the provers are asked for now."""
        if self._prove is None:
            raise KernelError(f"pointwise {relation}: no prover is known here")
        goal = self._prove(relation, domain, tuple(integers.split()))
        return goals.pointwise(self.setting, goal, self._terms(values))

    def _terms(self, values: Mapping[str, Text]) -> dict[str, Term]:
        return {name: self.term(text) for name, text in values.items()}

    def assume(self, text: Text) -> Theorem:
        """A ⊢ A."""
        return theorems.assume(self.setting, self.formula(text))

    def known(self, name: str, *texts: Text) -> Theorem:
        """An elementary fact; an Imp whose condition is a theorem at once is used at once."""
        read = self.formula if name == "either" else self.term
        return calculus.elementary(self.setting, name, *(read(t) for t in texts))

    def positive(self, name: str, text: Text, sign: Theorem) -> Theorem:
        """The elementary fact of that name, whose condition is the theorem."""
        return theorems.mp(self.known(name, text), sign)

    # --- logic ---

    def at(self, theorem: Theorem, **values: Text) -> Theorem:
        """Free variables replaced, all at once."""
        new = {self.variable(name): self.term(text) for name, text in values.items()}
        last = []
        for place, (x, value) in enumerate(new.items()):
            if any(x in other.free for other in new.values()):  # it must not be replaced once more
                aside = terms.var(f"{x.sort}_{900_000 + place}", x.sort)
                theorem = theorems.substitute(theorem, x, aside)
                last.append((aside, value))
            else:
                last.append((x, value))
        for x, value in last:
            theorem = theorems.substitute(theorem, x, value)
        return theorem

    def surely(self, text: Text) -> Theorem:
        """Sure(A) ⊢ A."""
        a = terms.sure(self.formula(text))
        return theorems.unsure(self.assume(a)) if a.tag == "Sure" else self.assume(a)

    def special(self, theorem: Theorem, *values: Text) -> Theorem:
        """All removed, one after the other."""
        for text in values:
            theorem = theorems.specialize(theorem, self.term(text))
        return theorem

    def all(self, theorem: Theorem, *names: Text) -> Theorem:
        """All put on, the first outermost."""
        for name in reversed(names):
            theorem = theorems.generalize(self.variable(name), theorem)
        return theorem

    def imply(self, theorem: Theorem, *conditions: Text) -> Theorem:
        """Conditions discharged, the first outermost."""
        for text in reversed(conditions):
            theorem = theorems.discharge(self.formula(text), theorem)
        return theorem

    def mp(self, theorem: Theorem, *premises: Theorem) -> Theorem:
        """Imp removed, one after the other; several premises of an And are put together by ``both``."""
        for premise in premises:
            theorem = theorems.mp(theorem, premise)
        return theorem

    def closed(self, theorem: Theorem, *others: Theorem) -> Theorem:
        """Givens that are among the others, or trivial, removed."""
        by = {t.says: t for t in others}
        for g in sorted(theorem.given, key=show):
            found = by.get(g) or self._trivial(g, others)
            if found is not None and found.given != frozenset([g]):
                theorem = theorems.cut(found, theorem)
        return theorem

    def _trivial(self, g: Term, others: Sequence[Theorem]) -> Theorem | None:
        try:
            return self.linear(g, *others)
        except KernelError:
            return None

    def split(
        self, either: Theorem, first: Callable[[Theorem], Theorem], second: Callable[[Theorem], Theorem]
    ) -> Theorem:
        """The same conclusion from each of the two parts of an Or."""
        a, b = either.says.parts
        with_a = first(self.assume(a))
        denied = self.assume(terms.negation(a))
        got_b = theorems.mp(self.known("either", a, b), theorems.both(either, denied))
        return theorems.cases(a, with_a, theorems.cut(got_b, second(self.assume(b))))

    def cases(
        self, text: Text, build: Callable[[Theorem], Theorem], other: Callable[[Theorem], Theorem]
    ) -> Theorem:
        """The same conclusion from a formula and from its denial."""
        a = self.formula(text)
        return theorems.cases(a, build(self.assume(a)), other(self.assume(terms.negation(a))))

    def induction(self, name: str, text: Text, start: Theorem, step: Callable[[Theorem], Theorem]) -> Theorem:
        """A[0], and from A the next."""
        a = self.formula(text)
        return theorems.induction(self.variable(name), a, start, step(self.assume(a)))

    def instantiate(self, theorem: Theorem, symbol: str, params: str, body: Text) -> Theorem:
        """A generic symbol replaced."""
        names = [self.variable(name) for name in params.split()]
        return theorems.instantiate(theorem, self.setting.symbols[symbol], names, self.term(body))

    # --- numbers ---

    def linear(self, goal: Text, *premises: Theorem) -> Theorem:
        """The goal as a combination of the premises with numbers as multipliers."""
        says = self.formula(goal)
        if says.tag not in ("<=", "<", "=="):
            raise KernelError(f"linear: {show(says)!r} is no comparison")
        used = [t for t in premises if _compares(t) and (says.tag != "==" or t.says.tag == "==")]
        found = _multipliers(says, used)
        if found is None:
            known = "; ".join(show(t.says) for t in used)
            raise KernelError(f"linear: {show(says)!r} is no combination of: {known}")
        kept = [(t, terms.num(m)) for t, m in zip(used, found, strict=True) if m]
        return calculus.combine(self.setting, says, [t for t, _ in kept], [m for _, m in kept])

    def times(self, theorem: Theorem, sign: Theorem) -> Theorem:
        """An inequality multiplied by a term that a theorem ``0 <= c`` shows not to be negative."""
        u, v = theorem.says.parts
        c = sign.says.parts[1]
        op = "==" if theorem.says.tag == "==" else "<="
        goal = terms.relation(op, terms.mul(c, u), terms.mul(c, v))
        if op == "==":
            return calculus.combine(self.setting, goal, [theorem], [c])
        return calculus.combine(self.setting, goal, [theorem, sign], [(c, 1), terms.num(0)])

    def scaled(self, theorem: Theorem, factor: Text) -> Theorem:
        """An equation multiplied by any term."""
        u, v = theorem.says.parts
        c = self.term(factor)
        goal = terms.relation("==", terms.mul(c, u), terms.mul(c, v))
        return calculus.combine(self.setting, goal, [theorem], [c])

    # --- operators ---

    def sum(self, theorem: Theorem, name: str, number: Text) -> Theorem:
        """Summed over i < number."""
        return calculus.monotone(theorem, "Sum", self.variable(name), self.term(number))

    def over(self, theorem: Theorem, name: str) -> Theorem:
        """Summed over a finite sort."""
        return calculus.monotone(theorem, "SumOver", self.variable(name))

    def largest(self, theorem: Theorem, name: str) -> Theorem:
        """The maximum over a finite sort on both sides."""
        return calculus.monotone(theorem, "MaxOver", self.variable(name))

    def integral(self, theorem: Theorem, name: str, end: Text) -> Theorem:
        """Integrated over [0, end]."""
        return calculus.monotone(theorem, "Int", self.variable(name), self.term(end))

    def mean(self, theorem: Theorem, level: Text | None = None) -> Theorem:
        """Means of both sides."""
        return calculus.monotone(theorem, "E", None, None if level is None else self.term(level))

    def exchange(self, outer: Operator, inner: Operator, body: Text) -> Theorem:
        """Two operators in the other order."""
        return calculus.exchange(self.setting, outer, inner, self.term(body))

    def primitive(self, name: str, end: Text, whole: Text) -> Theorem:
        """An integral by its primitive."""
        return calculus.primitive(self.setting, self.variable(name), self.term(end), self.term(whole))

    def archimedes(self, theorem: Theorem, name: str) -> Theorem:
        """Not positive is u, if n u <= v for all n."""
        return calculus.archimedes(theorem, self.variable(name))

    def bounded(self, theorem: Theorem, name: str) -> Theorem:
        """The supremum is at most what every member is."""
        return calculus.bounded(theorem, self.variable(name))

    def most(self, name: str, body: Text, at: Text) -> Theorem:
        """One value is at most the maximum."""
        return calculus.most(self.setting, self.variable(name), self.term(body), self.term(at))

    def whole(self, text: Text) -> Theorem:
        """A natural number is not negative."""
        return calculus.whole(self.setting, self.term(text))

    def holds(self, text: Text) -> Theorem:
        """A ⊢ Ind(A) == 1."""
        return calculus.holds(self.setting, self.formula(text))

    def fails(self, text: Text) -> Theorem:
        """Not(A) ⊢ Ind(A) == 0."""
        return calculus.fails(self.setting, self.formula(text))

    def rewrite(self, equal: Theorem, theorem: Theorem, name: str, template: Text) -> Theorem:
        """template[u] becomes template[v] for u == v."""
        return theorems.rewrite(equal, theorem, self.variable(name), self.formula(template))

    def valued(self, theorem: Theorem, *equations: Theorem) -> Theorem:
        """The theorem with the left sides of the equations replaced by the right ones."""
        for equal in (*equations, *equations):  # a value inside an indicator may make it one that has a value
            u, v = equal.says.parts
            template = self._template(theorem.says, u)
            if self._hole in template.free and u is not v:
                theorem = theorems.rewrite(equal, theorem, self._hole, template)
        return theorem

    def by_value(self, goal: Text, equations: Sequence[Theorem], *premises: Theorem) -> Theorem:
        """The goal by ``linear``, after the left sides of the equations were replaced by the right ones."""
        says, ways = self.formula(goal), []
        for equal in (*equations, *equations):
            u, v = equal.says.parts
            template = self._template(says, u)
            if self._hole in template.free and u is not v:
                back = self.linear(terms.relation("==", v, u), equal)
                ways.append((back, template))
                says = terms.substitute(template, {self._hole: v})
        facts = [self.valued(p, *equations) for p in premises]
        try:
            theorem = self.linear(says, *facts)
        except KernelError:
            theorem = self._impossible(says, facts)
        for back, template in reversed(ways):
            theorem = theorems.rewrite(back, theorem, self._hole, template)
        return theorem

    def _impossible(self, says: Term, facts: Sequence[Theorem]) -> Theorem:
        """Anything, where the facts contradict each other; otherwise the complaint of ``linear``."""
        try:
            return self.absurd(self.linear("0 < 0", *facts), says)
        except KernelError:
            return self.linear(says, *facts)

    def absurd(self, wrong: Theorem, text: Text) -> Theorem:
        """Anything, from a comparison of numbers that is false."""
        denial = self.linear(terms.negation(wrong.says))
        return theorems.absurd(wrong, denial, self.formula(text))

    @property
    def _hole(self) -> Term:
        return terms.var("Real_999999", terms.REAL)

    def _template(self, says: Term, u: Term) -> Term:
        hole = self._hole
        return terms.changed(says, lambda t: hole if t is u else None, lambda t: u not in _parts(t))

    def decide(self, goal: Text, conditions: Sequence[Text], *premises: Theorem) -> Theorem:
        """The goal by ``linear`` in each case, true or false, of the conditions.

        In each case the indicators of the conditions have their values, in the goal and in the premises.
        """
        says, events = self.formula(goal), [self.formula(c) for c in conditions]

        def go(rest: list[Term], equations: list[Theorem], known: list[Theorem]) -> Theorem:
            if not rest:
                return self.by_value(says, equations, *premises, *known)
            a, *others = rest
            return self.cases(
                a,
                lambda yes: go(others, [*equations, self.holds(a)], [*known, yes]),
                lambda no: go(others, [*equations, self.fails(a)], [*known, no]),
            )

        return go(events, [], [])

    def indicator(self, text: Text) -> tuple[Theorem, Theorem]:
        """0 <= Ind(A) and Ind(A) <= 1."""
        a = self.formula(text)
        one = terms.indicator(a)
        up = terms.relation("<=", one, terms.ONE)
        above = theorems.cases(a, self.linear(up, self.holds(a)), self.linear(up, self.fails(a)))
        return self.whole(one), above


def _compares(theorem: Theorem) -> bool:
    """Whether it compares numbers."""
    return theorem.says.tag in ("<=", "<", "==") and theorem.says.parts[0].sort in terms.NUMBERS


def _multipliers(goal: Term, premises: Sequence[Theorem]) -> list[Fraction] | None:
    """The multipliers of the premises; for a strict goal those that make it strict."""
    equations = [t.says.tag == "==" for t in premises]
    difference = _difference(goal)
    if goal.tag != "<":
        return multipliers(difference, [_difference(t.says) for t in premises], equations)
    mark: Polynomial = {((terms.var("%strict", terms.REAL), 1),): Fraction(1)}
    sides = [_difference(t.says) | (mark if t.says.tag == "<" else {}) for t in premises]
    one, back = {(): Fraction(1), **mark}, {m: -c for m, c in difference.items()}
    found = multipliers(mark, [*sides, one, back], [*equations, False, False])
    if found is None:
        return None
    *wanted, _, times = found
    return wanted if difference == {} else [m / times for m in wanted] if times else None


def _difference(says: Term) -> Polynomial:
    return polynomial(terms.sub(says.parts[1], says.parts[0]))


@lru_cache(maxsize=100_000)
def _parts(t: Term) -> frozenset[Term]:
    """The term and all that it is made of."""
    return frozenset([t]).union(*map(_parts, t.children))
