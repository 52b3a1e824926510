"""Cases of whole numbers and of members of finite sorts; nothing here is trusted.

``settle`` proves a relation by cases: an equation of whole numbers has three (equal, less, greater), any
other condition two; in each case indicators have values, and what is equal is replaced.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

from verify.kernel import terms, theorems
from verify.kernel.authoring import Derivation, Text
from verify.kernel.terms import NAT, NUMBERS, KernelError, Term
from verify.kernel.theorems import Theorem


def unequal(D: Derivation, strict: Theorem, equation: Term) -> Theorem:
    """Not(u == v) from something that contradicts it."""
    denial = terms.negation(equation)
    wrong = D.linear("1 <= 0", D.assume(equation), strict)
    absurd = theorems.absurd(wrong, D.linear("0 < 1"), denial)
    return theorems.cases(equation, absurd, D.assume(denial))


def _hole(u: Term, v: Term) -> Term:
    sort = terms.REAL if u.sort in NUMBERS and {u.sort, v.sort} != {NAT} else u.sort
    return terms.var(f"{sort}_999999", sort)


def _template(says: Term, u: Term, v: Term) -> Term:
    hole = _hole(u, v)
    if u not in _inside(says):
        return says
    return terms.changed(says, lambda t: hole if t is u else None, lambda t: u not in _inside(t))


@cache
def _inside(t: Term) -> frozenset[Term]:
    """The term and all that it is made of."""
    return frozenset([t]).union(*map(_inside, t.children))


Branch = Callable[[list[Theorem], list[Theorem]], Theorem]
Way = tuple[Theorem, Term, Term]  # an equation, and what of it is replaced by what


def ways(equations: Sequence[Theorem | Way]) -> list[Way]:
    """Equations with their direction, from left to right unless said otherwise; indicators first."""
    directed = [e if isinstance(e, tuple) else (e, e.says.parts[0], e.says.parts[1]) for e in equations]
    return sorted(directed, key=lambda way: way[1].tag != "Ind")


def towards(D: Derivation, equation: Theorem, old: Text) -> Way:
    """The equation of a finite sort, read so that ``old`` is replaced."""
    u, v = equation.says.parts
    gone = D.term(old)
    return (equation, u, v) if u is gone else (equation, v, u)


def put(theorem: Theorem, *equations: Theorem | Way) -> Theorem:
    """The theorem with sides of equations replaced."""
    for equal, u, v in ways(equations):
        template = _template(theorem.says, u, v)
        if u is not v and _hole(u, v) in template.free:
            theorem = theorems.rewrite(equal, theorem, _hole(u, v), template)
    return theorem


def by_value(
    D: Derivation,
    goal: Text,
    equations: Sequence[Theorem | Way],
    *premises: Theorem,
) -> Theorem:
    """The goal by ``linear`` after replacing, in the goal and in the premises."""
    says, back = D.formula(goal), []
    directed = ways(equations)
    for equal, u, v in (*directed, *directed):
        template = _template(says, u, v)
        if u is not v and _hole(u, v) in template.free:
            way = equal if u.sort not in NUMBERS else D.linear(terms.relation("==", v, u), equal)
            back.append((way, _hole(u, v), template))
            says = terms.substitute(template, {_hole(u, v): v})
    facts = []
    for p in filter(_compares, premises):
        try:
            facts.append(put(p, *directed, *directed))
        except KernelError:
            facts.append(p)
    try:
        theorem = D.linear(says, *facts)
    except KernelError:
        theorem = D._impossible(says, facts)
    for way, hole, template in reversed(back):
        theorem = theorems.rewrite(way, theorem, hole, template)
    return theorem


def settle(
    D: Derivation,
    goal: Text,
    conditions: Sequence[Text],
    *premises: Theorem,
    equations: Sequence[Theorem | Way] = (),
) -> Theorem:
    """The goal in each case of the conditions."""
    says = D.formula(goal)
    premises = tuple(sharp(D, p) for p in premises)

    def go(rest: list[Term], known: list[Theorem], values: list[Theorem | Way]) -> Theorem:
        wrong = _contradiction(D, [*premises, *known]) if known else None
        if wrong is not None:
            return theorems.absurd(wrong, D.linear("0 < 1"), says)
        if not rest:
            return by_value(D, says, values, *premises, *known)
        a, *others = rest
        if a.tag == "==" and {t.sort for t in a.parts} == {NAT}:
            return _three(D, a, lambda facts, ways_: go(others, [*known, *facts], [*values, *ways_]))
        yes, no = D.assume(a), D.assume(terms.negation(a))
        whole = a.tag == "<=" and {t.sort for t in a.parts} == {NAT}
        denied = _next(D, a, no) if whole else no
        return theorems.cases(
            a,
            go(others, [*known, yes], [*values, D.holds(a)]),
            go(others, [*known, denied], [*values, D.fails(a)]),
        )

    return go([D.formula(c) for c in conditions], [], list(equations))


def sharp(D: Derivation, fact: Theorem) -> Theorem:
    """U + 1 <= v from u < v, for whole numbers; anything else as it is."""
    if fact.says.tag != "<" or {t.sort for t in fact.says.parts} != {NAT}:
        return fact
    return _next(D, terms.negation(fact.says), fact)


def _next(D: Derivation, a: Term, no: Theorem) -> Theorem:
    """V + 1 <= u from Not(u <= v), for whole numbers."""
    u, v = a.parts
    after = terms.relation("<=", terms.add(v, terms.ONE), u)
    either = D.known("discrete", u, v)
    return theorems.mp(D.known("either", a, after), theorems.both(either, no))


def _compares(fact: Theorem) -> bool:
    return fact.says.tag in ("<=", "<", "==") and fact.says.parts[0].sort in NUMBERS


def _cheap(fact: Theorem) -> bool:
    return fact.says.tag != "==" or {t.sort for t in fact.says.parts} == {NAT}


def _contradiction(D: Derivation, facts: Sequence[Theorem]) -> Theorem | None:
    try:
        return D.linear("1 <= 0", *(f for f in facts if _compares(f) and _cheap(f)))
    except KernelError:
        return None


def _three(D: Derivation, a: Term, go: Branch) -> Theorem:
    """Equal, less, greater."""
    u, v = a.parts
    low, high = terms.relation("<=", u, v), terms.relation("<=", v, u)

    def apart(strict: Theorem) -> Theorem:
        return go([strict, D.whole(u), D.whole(v)], [theorems.cut(unequal(D, strict, a), D.fails(a))])

    def at_least(above: Theorem) -> Theorem:
        if above.says is not high:
            return apart(above)

        def at_most(below: Theorem) -> Theorem:
            if below.says is not low:
                return apart(below)
            same = theorems.mp(D.known("antisymmetric", u, v), theorems.both(below, above))
            return go([same], [theorems.cut(same, D.holds(a)), same])

        return D.split(D.known("discrete", u, v), at_most, at_most)

    return D.split(D.known("discrete", v, u), at_least, at_least)


def denied(D: Derivation, a: Text, clash: Callable[[Theorem], tuple[Theorem, Theorem]]) -> Theorem:
    """Not(a), since a leads to a theorem and its denial."""
    formula = D.formula(a)
    no = terms.negation(formula)
    return theorems.cases(formula, theorems.absurd(*clash(D.assume(formula)), no), D.assume(no))


def when(D: Derivation, implication: Theorem, *facts: Theorem) -> Theorem:
    """The conclusion of an Imp whose conditions follow from the facts linearly."""
    conditions = implication.says.parts[0]
    parts = conditions.parts if conditions.tag == "And" else (conditions,)
    by = {t.says: t for t in facts}
    shown = [by[c] if c in by else D.linear(c, *facts) for c in parts]
    return theorems.mp(implication, theorems.both(*shown) if len(shown) > 1 else shown[0])


def off(D: Derivation, denial: Theorem) -> Theorem:
    """Ind(a) == 0 from Not(a)."""
    return theorems.cut(denial, D.fails(terms.negation(denial.says)))


def on(D: Derivation, fact: Theorem) -> Theorem:
    """Ind(a) == 1 from a."""
    return theorems.cut(fact, D.holds(fact.says))


def chain(D: Derivation, *equations: Theorem) -> Theorem:
    """U == w from u == v and v == w."""
    ends = equations[0].says.parts[0], equations[-1].says.parts[1]
    return D.linear(terms.relation("==", *ends), *equations)
