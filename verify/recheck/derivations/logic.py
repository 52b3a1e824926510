"""The rules of logic, substitution and instantiation."""

from __future__ import annotations

from collections.abc import Mapping

from verify.recheck.derivations.putting import put, put_bound, put_function
from verify.recheck.derivations.reading import require_level, require_sort
from verify.recheck.derivations.sight import Moving
from verify.recheck.derivations.trees import MEANS, Nameless, closed, make, num, replaced, var
from verify.recheck.derivations.workbench import Judgement, RuleStep, Workbench, not_free
from verify.recheck.intervals import UnknownError


def fact(step: RuleStep) -> Judgement:
    """A fact of the setting; one about generic symbols is meant for every function of that kind.

    That something exists may be proved by another claim: then it is a premise.
    """
    data = step.bench.facts.get(step.text("name"))
    if not isinstance(data, Mapping):
        raise UnknownError(f"the setting has no fact {step.data['name']!r}")
    found = step.judge(step.bench.reader.formula(data.get("says")))
    if claim := data.get("claim"):
        step.bench.references.append((step.bench.now, "fact", str(claim), found.formula))
    return found


def lemma(step: RuleStep) -> Judgement:
    """What another claim says."""
    found = step.judge(step.bench.reader.formula(step.text("formula")))
    step.bench.references.append((step.bench.now, "lemma", step.text("label"), found.formula))
    return found


def assume(step: RuleStep) -> Judgement:
    """A, given A."""
    a = step.formula()
    return step.judge(a, a)


def discharge(step: RuleStep) -> Judgement:
    """From B given A to Imp(A, B)."""
    a, (b,) = step.formula(), step.premises
    return step.judge(make("Imp", a, b.formula), b.given - {step.normal(a)})


def mp(step: RuleStep) -> Judgement:
    """From Imp(A, B) and A to B."""
    rule, a = step.premises
    if rule.formula.op != "Imp":
        raise UnknownError(f"{rule.formula} is no implication")
    if rule.formula.args[0] != a.formula:
        raise UnknownError(f"{rule.formula.args[0]} is needed, {a.formula} is shown")
    return step.judge(rule.formula.args[1], rule.given, a.given)


def cut(step: RuleStep) -> Judgement:
    """A given that is shown is no longer given."""
    a, b = step.premises
    return step.judge(b.formula, a.given, b.given - {a.formula})


def generalize(step: RuleStep) -> Judgement:
    """For all values of a variable of which nothing is given."""
    x, (a,) = step.variable(), step.premises
    not_free(x, a.given)
    return step.judge(make("All", closed(a.formula, x), value=x.sort), a.given)


def specialize(step: RuleStep) -> Judgement:
    """From All(x, A) to A of a term; a random one counts as a value only where ``putting`` says so."""
    term, (a,) = step.term(), step.premises
    if a.formula.op != "All":
        raise UnknownError(f"{a.formula} is no All")
    require_sort(term, str(a.formula.value), "the term")
    return step.judge(put_bound(a.formula.args[0], step.normal(term), step.sight), a.given)


def sure(step: RuleStep) -> Judgement:
    """What is shown at every ω holds at every ω, if what is given does not depend on it."""
    (a,) = step.premises
    for g in sorted(a.given, key=lambda g: g.text):
        if step.sight.random(g):
            raise UnknownError(f"the given '{g}' is random")
    return step.judge(make("Sure", a.formula), a.given)


def unsure(step: RuleStep) -> Judgement:
    """What holds at every ω holds at this one; where nothing is random, Sure(A) is A."""
    (a,) = step.premises
    if a.formula.op != "Sure" and step.sight.random(a.formula):
        raise UnknownError(f"{a.formula} is no Sure")
    return step.judge(a.formula.args[0] if a.formula.op == "Sure" else a.formula, a.given)


def both(step: RuleStep) -> Judgement:
    """And of all."""
    if len(step.premises) < 2:
        raise UnknownError("two or more premises are needed")
    return step.judge(make("And", *(p.formula for p in step.premises)), *(p.given for p in step.premises))


def part(step: RuleStep) -> Judgement:
    """One of the parts of And, or several of them."""
    wanted, (a,) = step.normal(step.formula()), step.premises
    parts = a.formula.args if a.formula.op == "And" else ()
    if not set(wanted.args if wanted.op == "And" else (wanted,)).issubset(parts):
        raise UnknownError(f"{wanted} is no part of {a.formula}")
    return step.judge(wanted, a.given)


def cases(step: RuleStep) -> Judgement:
    """C given A, and C given Not(A)."""
    a, (yes, no) = step.formula(), step.premises
    if yes.formula != no.formula:
        raise UnknownError(f"the two cases show {yes.formula} and {no.formula}")
    positive, negative = step.normal(a), step.normal(make("Not", a))
    return step.judge(yes.formula, yes.given - {positive}, no.given - {negative})


def absurd(step: RuleStep) -> Judgement:
    """Anything from A and Not(A)."""
    c, (a, other) = step.formula(), step.premises
    if step.normal(make("Not", a.formula)) != other.formula:
        raise UnknownError(f"{other.formula} is not the contrary of {a.formula}")
    return step.judge(c, a.given, other.given)


def substitute(step: RuleStep) -> Judgement:
    """A free variable replaced everywhere; a random term only where ``putting`` says it counts as a value."""
    x, term, (a,) = step.variable(), step.term(), step.premises
    require_sort(term, x.sort, "the term")
    value, sight = step.normal(term), step.sight
    given = frozenset(put(g, x, value, sight) for g in a.given)
    return step.judge(put(a.formula, x, value, sight), given)


def instantiate(step: RuleStep) -> Judgement:
    """A generic symbol replaced by a function of its kind: bounded, deterministic or known as it is."""
    sign, (a,) = step.bench.language.signs.get(step.text("symbol")), step.premises
    if sign is None or not sign.generic:
        raise UnknownError(f"{step.data['symbol']} is not a generic symbol")
    names = step.items("params")
    if len(names) != len(sign.args) or len(set(map(str, names))) != len(names):
        raise UnknownError(f"'params' are not {len(sign.args)} different variables")
    params = tuple(step.bench.variable(name, sort) for name, sort in zip(names, sign.args, strict=True))
    raw, sight = step.term("body"), step.sight
    require_sort(raw, sign.value, "the body")
    body = step.normal(raw)
    reals = frozenset(p for p in params if p.sort == "Real")
    if not sight.tame(body, Moving(reals, omega=True)):
        raise UnknownError(f"the body {body} is not seen to be tame")
    if not sign.random and sight.random(body):
        raise UnknownError(f"the body {body} is random, {sign.name} is not")
    if sign.level is not None:
        places = {var(f"_{k}", "Nat"): p for k, p in enumerate(params, 1)}
        level = step.normal(replaced(sign.level, places))
        if not sight.known(body, level):
            raise UnknownError(f"the body {body} is not seen to be known at {level}")
    given = frozenset(put_function(g, sign, params, body, sight) for g in a.given)
    return step.judge(put_function(a.formula, sign, params, body, sight), given)


def rewrite(step: RuleStep) -> Judgement:
    """Equals put in for equals; inside a mean the equation has to hold for every ω that counts there."""
    x, template, (equation, target) = step.variable(), step.formula("template"), step.premises
    if equation.formula.op != "==":
        raise UnknownError(f"{equation.formula} is no equation")
    old, new = equation.formula.args
    for side in (old, new):
        if not step.bench.fits(side, x.sort):
            raise UnknownError(f"{side} is not seen to be of sort {x.sort}")
    _require_equal_inside(template, x, old, new, equation.given, step.bench)
    before = step.normal(replaced(template, {x: old}))
    if before != target.formula and x.sort not in ("Real", "Nat"):
        old, new = new, old  # equations of a finite sort have no direction
        before = step.normal(replaced(template, {x: old}))
    if before != target.formula:
        raise UnknownError(f"the template gives {before}, shown is {target.formula}")
    return step.judge(replaced(template, {x: new}), equation.given, target.given)


def _require_equal_inside(
    t: Nameless, x: Nameless, old: Nameless, new: Nameless, given: frozenset[Nameless], bench: Workbench
) -> None:
    """Complain about a mean (or Sure) around the variable under which the givens may fail."""
    if x not in t.free:
        return
    sight = bench.canon.sight
    if t.op in MEANS or t.op == "Sure":
        level, body = t.args[0] if t.op == "En" else None, t.args[-1]
        if level is not None and x in level.free:
            for side in (old, new):
                require_level(replaced(level, {x: side}), bench.language)
        for g in sorted(given, key=lambda g: g.text) if x in body.free else ():
            if level is None and sight.random(g):
                raise UnknownError(f"the given '{g}' is random, and {x} stands inside {t}")
            if level is not None and not sight.known(g, level):
                raise UnknownError(f"the given '{g}' is not seen to be known at {level}")
    for part_ in t.args:
        _require_equal_inside(part_, x, old, new, given, bench)


def induction(step: RuleStep) -> Judgement:
    """A for 0, and for n + 1 given A for n, of which nothing else is given."""
    n, a, (start, go_on) = step.variable("Nat"), step.formula(), step.premises
    before = step.normal(a)
    rest = go_on.given - {before}
    not_free(n, start.given)
    not_free(n, rest)
    for at, shown in ((num(0), start), (make("+", n, num(1)), go_on)):
        wanted = step.normal(replaced(a, {n: at}))
        if wanted != shown.formula:
            raise UnknownError(f"{wanted} is needed, {shown.formula} is shown")
    return step.judge(a, start.given, rest)


RULES = {
    rule.__name__: (rule, number)
    for number, rules in (
        (0, (fact, lemma, assume)),
        (1, (discharge, generalize, specialize, sure, unsure, part, substitute, instantiate)),
        (2, (mp, cut, cases, absurd, rewrite, induction)),
        (None, (both,)),
    )
    for rule in rules
}
