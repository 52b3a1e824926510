"""Mistakes planted in the kernel: a function of it with one piece of its source replaced."""

from __future__ import annotations

import inspect
import sys
import textwrap
from dataclasses import dataclass

import pytest

from verify.kernel import (
    calculus,
    formulas,
    goals,
    language,
    levels,
    measure,
    numbers,
    operators,
    terms,
    theorems,
)

KERNEL = (numbers, formulas, terms, levels, measure, operators, language, theorems, goals, calculus)


@dataclass(frozen=True)
class Planted:
    """What is wrong, where, and the rules (or ``normal form``, ``tame``) whose evaluation has to find it."""

    mistake: str
    place: str  # module.function
    old: str
    new: str
    found_by: str
    also: Planted | None = None  # where two checks guard the same place


def plant(monkeypatch: pytest.MonkeyPatch, planted: Planted) -> None:
    """The kernel with the mistake, until the test ends."""
    where, name = planted.place.split(".")
    module = sys.modules[f"verify.kernel.{where}"]
    original = getattr(module, name)
    source = textwrap.dedent(inspect.getsource(original))
    assert source.count(planted.old) == 1, (
        f"{planted.place}: {source.count(planted.old)} times {planted.old!r}"
    )
    monkeypatch.setattr(module, name, original)
    exec(compile(source.replace(planted.old, planted.new), planted.place, "exec"), vars(module))
    wrong = getattr(module, name)
    for other in KERNEL:
        for word, value in list(vars(other).items()):
            if value is original:
                monkeypatch.setattr(other, word, wrong)
    if planted.also is not None:
        plant(monkeypatch, planted.also)


_CHECK_RANGE = (
    'require(one.variable not in other.limit.free, "exchange", "a range mentions the other variable")'
)

PLANTED = [
    Planted(
        "measurability ignored in pulling out",
        "operators.expectation",
        "outside = tuple(f for f in monomial if known(f[0], level))\n        inside = _term(tuple("
        "f for f in monomial if not known(f[0], level)))",
        "outside = tuple(f for f in monomial if f[0].tag == 'app')\n        inside = _term(tuple("
        "f for f in monomial if f[0].tag != 'app'))",
        "normal form",
    ),
    Planted(
        "known one decision too early",
        "measure.known",
        "not at_most(level, n, around)",
        "not at_most(level, __import__('verify.kernel.terms').kernel.terms.add(n, num(1)), around)",
        "normal form",
    ),
    Planted(
        "random arguments of a known symbol",
        "measure.known",
        "return all(known(a, n, around) for a in t.parts[1:])",
        "return True",
        "normal form",
    ),
    Planted(
        "conditioning on an event that is not known yet",
        "measure.known",
        "if not t.random:",
        'if not t.random or t.tag == "Ind":',
        "normal form",
    ),
    Planted("tower the wrong way", "operators._tower", "at_most(level, m)", "True", "normal form"),
    Planted(
        "tower with a factor that is not known", "operators._tower", "and known(rest, m) ", "", "normal form"
    ),
    Planted(
        "a mean is known early",
        "measure.known",
        "return at_most(t.parts[1], n, around) or known(t.parts[0], n, around)",
        "return True",
        "normal form",
    ),
    Planted(
        "a mean inside a sum of random length",
        "operators._mean_of_product",
        "n is None or known(n, level)",
        "True",
        "normal form",
    ),
    Planted(
        "levels compared by their variables only",
        "measure.at_most",
        "c >= 0 and",
        "(c >= 0 or not mono) and",
        "normal form",
    ),
    Planted(
        "a function of a sum's variable is largest at 0",
        "measure.at_most",
        "any(i in f.free for f, _ in mono)",
        "any(f is i for f, _ in mono)",
        "normal form",
    ),
    Planted(
        "a sum's variable at its least",
        "measure.at_most",
        "sub(b, num(1)) if True in signs else ZERO",
        "ZERO",
        "normal form",
    ),
    Planted(
        "capture of ω by a sum that is written out, or by a summand that is picked",
        "terms._not_captured",
        "if not values or",
        "if True or",
        "normal form",
    ),
    Planted(
        "a union without the sum",
        "formulas.indicator",
        "sub(ONE, mul(*(sub(ONE, indicator(t)) for t in a.parts)))",
        "indicator(a.parts[0])",
        "normal form",
    ),
    Planted(
        "a union counted twice",
        "formulas.indicator",
        "sub(ONE, mul(*(sub(ONE, indicator(t)) for t in a.parts)))",
        "add(*(indicator(t) for t in a.parts))",
        "normal form",
    ),
    Planted(
        "strict is not strict",
        "formulas.indicator",
        "sub(ONE, indicator(negation(a)))",
        'indicator(relation("<=", *a.parts))',
        "normal form",
    ),
    Planted(
        "an inequality multiplied by a negative number",
        "formulas._comparison",
        "1 / abs(lead)",
        "1 / lead",
        "normal form",
    ),
    Planted(
        "x*(1/x) = 1",
        "numbers._joined",
        "    return tuple(",
        "    pairs = {f.parts[0]: f for f in powers if f.tag == 'inv' and f.parts[0] in powers}\n"
        "    powers = {f: e for f, e in powers.items() if f not in pairs and f not in pairs.values()}\n"
        "    return tuple(",
        "normal form",
    ),
    Planted(
        "every factor keeps the power 1",
        "numbers._joined",
        'if factor.tag == "Ind" else',
        "if factor.tag != 'num' else",
        "normal form",
    ),
    Planted("the sum written out from 1", "operators._sum", "num(j)", "num(j + 1)", "normal form"),
    Planted(
        "products under a sum",
        "operators._linear",
        "if x not in f[0].free",
        "if f[0].tag == 'app'",
        "normal form",
    ),
    Planted(
        "the maximum of a constant is 0",
        "operators.binder",
        "if x in body.free else body",
        "if x in body.free else ZERO",
        "normal form",
    ),
    Planted(
        "means and suprema exchanged",
        "operators.expectation",
        "    pieces = polynomial(body)\n",
        "    if body.tag == 'Sup':\n        x, inner = opened(body)\n"
        "        return binder('Sup', x, [], expectation(inner, level))\n    pieces = polynomial(body)\n",
        "normal form",
    ),
    Planted(
        "integrals and maxima exchanged",
        "operators._integral",
        "    moving = frozenset([s])\n",
        "    if body.tag == 'MaxOver':\n        x, inner = opened(body)\n"
        "        return binder('MaxOver', x, [], _integral(s, t, inner))\n    moving = frozenset([s])\n",
        "normal form",
    ),
    Planted(
        "capture of ω by substitution", "terms._not_captured", "if not values or", "if True or", "substitute"
    ),
    Planted(
        "capture of ω by specialisation",
        "terms._not_captured",
        "if not values or",
        "if True or",
        "specialize",
    ),
    Planted(
        "capture of ω by an equation",
        "terms._not_captured",
        "if not values or",
        "if True or",
        "rewrite",
        Planted("", "theorems.rewrite", "all(known(g, level) for g in equal.given)", "True", ""),
    ),
    Planted("capture of ω at a maximum", "terms._not_captured", "if not values or", "if True or", "most"),
    Planted(
        "means of what is given at this outcome",
        "calculus.monotone",
        'require(is_known(g, limit), rule, f"the given {show(g)!r} is not seen to be {when}")',
        "pass",
        "monotone_mean",
    ),
    Planted(
        "sure because of this outcome",
        "theorems.sure",
        'require(not g.random, "sure", f"the given {show(g)!r} is random")',
        "pass",
        "sure",
    ),
    Planted(
        "Jensen the wrong way",
        "calculus.elementary",
        "make(*terms)",
        "T.relation('<=', expectation(T.power(terms[0], 2), None), T.power(expectation(terms[0], None), 2))",
        "known",
    ),
    Planted(
        "a supremum without a bound",
        "calculus.supremum",
        'not_free("supremum", n, (*theorem.given, v))',
        "pass",
        "supremum",
    ),
    Planted(
        "a bound that moves",
        "calculus.bounded",
        'not_free("bounded", n, (*theorem.given, v))',
        "pass",
        "bounded",
    ),
    Planted(
        "generalized over what is given",
        "theorems.generalize",
        'not_free("generalize", x, theorem.given)',
        "pass",
        "generalize",
    ),
    Planted("induction without a start", "theorems.induction", "start.given | rest", "rest", "induction"),
    Planted(
        "cases that do not cover",
        "theorems.cases",
        "(without.given - {T.negation(a)})",
        "frozenset(g for g in without.given if g.tag == 'Imp')",
        "cases",
    ),
    Planted(
        "a contradiction that is none",
        "theorems.absurd",
        "denial.says is T.negation(theorem.says)",
        "True",
        "absurd",
    ),
    Planted("modus ponens from anything", "theorems.mp", "premise.says is a", "True", "mp"),
    Planted(
        "cut of everything",
        "theorems.cut",
        "premise.given | (theorem.given - {premise.says})",
        "premise.given",
        "cut",
    ),
    Planted("any part of an And", "theorems.part", "wanted in parts", "True", "part"),
    Planted(
        "a random body for a deterministic symbol",
        "theorems.instantiate",
        "known(body, level)",
        "True",
        "instantiate",
    ),
    Planted(
        "a negative multiplier",
        "calculus._factor",
        'm.tag == "num" and m.parts[0] >= 0',
        'm.tag == "num"',
        "combine",
    ),
    Planted(
        "a strict conclusion from nothing strict",
        "calculus.combine",
        '(strict or goal.tag == "<=")',
        "True",
        "combine",
    ),
    Planted(
        "an equation from inequalities", "calculus.combine", "equal and rest == 0", "rest == 0", "combine"
    ),
    Planted("a negative rest", "calculus.combine", "rest > 0 or", "rest != 0 or", "combine"),
    Planted(
        "a maximum's variable on the right",
        "calculus.least",
        'not_free("least", y, (*theorem.given, v))',
        "pass",
        "least",
    ),
    Planted(
        "sums of what is given for one", "calculus.monotone", "not_free(rule, x, given)", "pass", "monotone"
    ),
    Planted(
        "the range of an integral reversed",
        "calculus._range",
        'T.relation("<=", ZERO, x), T.relation("<=", x, limit)',
        'T.relation("<=", limit, x)',
        "monotone",
    ),
    Planted(
        "exchange with a range that mentions the variable",
        "calculus.exchange",
        _CHECK_RANGE,
        "pass",
        "exchange",
    ),
    Planted(
        "exchange of two operators of one variable",
        "calculus.exchange",
        'require(not same, "exchange", "the two operators bind the same variable")',
        "pass",
        "exchange",
    ),
    Planted(
        "a random end of an integral",
        "calculus.exchange",
        'require(is_known(other.limit, one.limit), "exchange", f"{show(other.limit)} is random")',
        "pass",
        "exchange",
    ),
    Planted(
        "an integral that forgets where it begins",
        "calculus.primitive",
        "T.substitute(whole, {s: ZERO})",
        "ZERO",
        "primitive",
    ),
    Planted("the slope of a power", "calculus._slope", "T.num(c * e)", "T.num(c)", "primitive"),
    Planted(
        "Archimedes for any left side", "calculus.archimedes", "T.mul(n, u) is left", "True", "archimedes"
    ),
    Planted(
        "a real number is not negative",
        "calculus.whole",
        'T.require_sort(u, NAT, "whole: the term")',
        "pass",
        "whole",
    ),
    Planted("an indicator that is always 1", "calculus.holds", "(a,)", "()", "holds"),
    Planted("an indicator that is always 0", "calculus.fails", "(T.negation(a),)", "()", "fails"),
    Planted(
        "a claim where it is not defined",
        "goals.pointwise",
        "(*given, *reader.defined)",
        "tuple(given)",
        "pointwise",
    ),
    Planted(
        "real numbers are discrete", "calculus.elementary", 'if name == "discrete":', "if False:", "known"
    ),
    Planted(
        "a quotient is bounded",
        "measure.tame",
        "return tame(divisor, moving, omega) and low is not None and low > 0",
        "return True",
        "tame",
    ),
    Planted("a floor of 0 is enough", "measure.tame", "low > 0", "low >= 0", "tame"),
    Planted(
        "integrals of whole numbers are whole",
        "measure.really_moves",
        '("E", "Int", "Sup")',
        '("E", "Sup")',
        "tame",
    ),
    Planted(
        "a supremum of whole numbers is bounded",
        "measure.really_moves",
        '("E", "Int", "Sup")',
        '("E", "Int")',
        "tame",
    ),
    Planted("what is integrated does not move", "measure.tame", "moving | {x}", "moving", "tame"),
    Planted("a logarithm is bounded", "measure.tame", '"poly" | "exp"', '"poly" | "log" | "exp"', "tame"),
    Planted(
        "the floor of a difference", "measure._floor_of_sum", "if c < 0 and monomial:", "if False:", "tame"
    ),
    Planted(
        "the floor of a maximum",
        "measure.floor",
        "return min(low for low in lows if low is not None)",
        "return max(low for low in lows if low is not None)",
        "tame",
    ),
]
