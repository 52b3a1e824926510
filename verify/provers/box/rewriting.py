"""Equal forms of a goal that are easier to enclose.

* ``cleared``: f = factor·quotient with a factor that is positive on the box: denominators, common
  factors.  A factor may be infinite at an end of the box (1/x at 0) if the goal is not strict: there f is
  read as its limit, and a limit of numbers >= 0 is >= 0.  That needs nearby points at which the quotient
  was shown to be >= 0, so it is refused where the box has no inside (a single value, a hypothesis, or
  an integer).
* ``removable``: e^u - e^v = e^v (u - v) expm1r(u - v) and log(1 + z) = z log1pr(z), so that a vanishing
  factor cancels against the denominator.
* ``distributed``: maxima outermost, c - Max(a, b) = Min(c - a, c - b), where extended intervals see the sign.
* ``logarithms``: A >= B > 0 where log(A) >= log(B).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

import sympy

from verify.claims import text_of
from verify.provers.balls import expm1r, log1pr
from verify.provers.box.rules import LONGEST, rearrangeable
from verify.provers.expressions import attempt, length
from verify.provers.goals import Goal, Node
from verify.provers.ranges import range_of

Rule = Iterator[
    tuple[Goal, Callable[[Node], Node]]
]  # subgoals, each with what makes its proof one of the goal


def _wrapped(node: Node) -> Callable[[Node], Node]:
    """A node that waits for the proof of its subgoal."""
    return lambda proof: {**node, "proof": proof}


def cleared(goal: Goal) -> Rule:
    """Positive factors left out."""
    e = sympy.sympify(goal.expression)
    if not rearrangeable(e) or e.has(sympy.Max, sympy.Min, sympy.Abs):
        return
    for form in _products(e):
        kept, gone = _by_sign(form, goal)
        if not gone:
            continue
        factor, quotient = sympy.Mul(*gone), sympy.expand(sympy.Mul(*kept))
        node = {"by": "multiply", "factor": text_of(factor), "positive": {"by": "range"}}
        yield goal.about(quotient), _wrapped({**node, "quotient": text_of(quotient)})


@lru_cache(maxsize=4096)
def _products(e: Any) -> tuple[Any, ...]:
    """The expression over a common denominator, and factored."""
    forms = [attempt(sympy.together, e)]
    if length(e) <= LONGEST // 2:
        forms.append(attempt(sympy.factor, e))
    return tuple(form for form in dict.fromkeys(forms) if form is not None)


def _by_sign(form: Any, goal: Goal) -> tuple[list[Any], list[Any]]:
    """The factors without and with a certain positive sign."""
    kept: list[Any] = []
    gone: list[Any] = []
    for factor in sympy.Mul.make_args(form):
        (gone if factor.free_symbols and positive_factor(factor, goal) else kept).append(factor)
    return kept, gone


def positive_factor(factor: Any, goal: Goal) -> bool:
    """Whether the rule ``multiply`` may use a factor; see the first lines."""
    found = range_of(factor, goal.ranges)
    if found is None or not found.positive(strict=goal.strict):
        return False
    if not found.singular:
        return True
    thin = goal.given or any(
        r.integer or r.lower == r.upper for r in goal.ranges.values() if r.bounded or r.integer
    )
    return not goal.strict and not thin and range_of(factor, goal.ranges, interior=True) is not None


def removable(goal: Goal) -> Rule:
    """Differences of exponentials and logarithms of 1 + z written with expm1r and log1pr."""
    e = sympy.sympify(goal.expression)
    if not rearrangeable(e) or e.has(expm1r, log1pr) or not e.has(sympy.exp, sympy.log):
        return
    found = range_of(e, goal.ranges)
    if found is not None and not found.singular and not goal.given:
        return  # nothing to remove
    for form in dict.fromkeys([_with_expm1r(e), _with_log1pr(_with_expm1r(e))]):
        if form != e and not form.has(sympy.nan, sympy.zoo):
            yield goal.about(form), _wrapped({"by": "rewrite", "expression": text_of(form)})


def _with_expm1r(e: Any) -> Any:
    if e.is_Atom:
        return e
    e = e.func(*[_with_expm1r(a) for a in e.args])
    if not e.is_Add or len(e.args) != 2:
        return e
    (a, u), (b, v) = (_exponential(t) for t in e.args)
    if a != -b or (u == 0 and v == 0):
        return e
    if u == 0:  # the constant is taken out
        a, u, v = b, v, u
    return a * sympy.exp(v) * (u - v) * expm1r(sympy.expand(u - v))


def _exponential(term: Any) -> tuple[Any, Any]:
    """A term as coefficient and exponent."""
    coefficient, exponent = sympy.Integer(1), sympy.Integer(0)
    for factor in sympy.Mul.make_args(term):
        if isinstance(factor, sympy.exp):
            exponent += factor.args[0]
        else:
            coefficient *= factor
    return coefficient, exponent


def _with_log1pr(e: Any) -> Any:
    def turn(argument: Any) -> Any:
        z = sympy.expand(argument - 1)
        return z * log1pr(z) if argument.free_symbols else sympy.log(argument)

    return e.replace(sympy.log, turn)


def distributed(goal: Goal) -> Rule:
    """Max and Min outermost, if the intervals then show the sign."""
    e = sympy.sympify(goal.expression)
    if not e.has(sympy.Max, sympy.Min, sympy.Abs) or length(e) > 60:
        return
    form = _outermost(e.replace(sympy.Abs, lambda a: sympy.Max(a, -a)))
    found = range_of(form, goal.ranges) if form != e else None
    if found is not None and found.positive(strict=goal.strict):
        yield goal.about(form), _wrapped({"by": "rewrite", "expression": text_of(form)})


def _outermost(e: Any) -> Any:
    if not e.is_Add:
        return e
    for term in e.args:
        coefficient, choice = term.as_coeff_Mul()
        if isinstance(choice, sympy.Max | sympy.Min):
            rest = e - term
            parts = [_outermost(sympy.expand(coefficient * a + rest)) for a in choice.args]
            return (choice.func if coefficient > 0 else _OTHER[choice.func])(*parts)
    return e


_OTHER = {sympy.Max: sympy.Min, sympy.Min: sympy.Max}


def logarithms(goal: Goal) -> Rule:
    """Both sides positive products: compare their logarithms."""
    e = sympy.sympify(goal.expression)
    if not e.is_Add or len(e.args) != 2 or not rearrangeable(e):
        return
    larger = [t for t in e.args if not t.could_extract_minus_sign()]
    smaller = [-t for t in e.args if t.could_extract_minus_sign()]
    if len(larger) != 1 or not all(_positive(t, goal) for t in (*larger, *smaller)):
        return
    difference = sympy.expand(_log(larger[0], goal) - _log(smaller[0], goal))
    node = {"by": "logarithm", "larger": text_of(larger[0]), "smaller": text_of(smaller[0])}
    yield goal.about(difference), _wrapped({**node, "expression": text_of(difference)})


def _positive(e: Any, goal: Goal) -> bool:
    found = range_of(e, goal.ranges)
    return found is not None and not found.singular and found.positive(strict=True)


def _log(e: Any, goal: Goal) -> Any:
    """The logarithm of a positive expression, taken apart as far as the parts are positive."""
    if isinstance(e, sympy.exp):
        return e.args[0]
    if e.is_Mul and all(_positive(factor, goal) for factor in e.args):
        return sympy.Add(*[_log(factor, goal) for factor in e.args])
    if e.is_Pow and _positive(e.base, goal):
        return e.exp * _log(e.base, goal)
    return sympy.log(e)
