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
* ``sturm``: polynomials in one variable, by exact root counting.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import sympy

from verify.claims import text_of
from verify.provers.balls import expm1r, log1pr
from verify.provers.box.leaves import variables_of
from verify.provers.box.rules import LONGEST, length, rearrangeable
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
    forms = [sympy.together(e)]
    if length(e) <= LONGEST // 2:
        forms.append(sympy.factor(e))
    for form in dict.fromkeys(forms):
        kept, gone = _by_sign(form, goal)
        if not gone:
            continue
        factor, quotient = sympy.Mul(*gone), sympy.expand(sympy.Mul(*kept))
        node = {"by": "multiply", "factor": text_of(factor), "positive": {"by": "range"}}
        yield goal.about(quotient), _wrapped({**node, "quotient": text_of(quotient)})


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


def sturm(goal: Goal) -> Node | None:
    """A polynomial in one variable with rational coefficients that does not change sign."""
    if len(variables_of(goal.expression)) != 1:
        return None
    name = variables_of(goal.expression)[0]
    symbol, r = goal.symbols[name], goal.ranges[name]
    e = sympy.sympify(goal.expression)
    if not e.is_polynomial(symbol) or r.lower == r.upper is not None or length(e) > LONGEST:
        return None
    polynomial = sympy.Poly(e, symbol)
    if not all(c.is_Rational for c in polynomial.all_coeffs()) or polynomial.degree() > 60:
        return None
    if any(_changes_sign(factor, odd=m % 2 == 1, goal=goal) for factor, m in polynomial.factor_list()[1]):
        return None
    inside = next(q for q in _inner(r) if polynomial.eval(sympy.Rational(q.numerator, q.denominator)) != 0)
    if polynomial.eval(sympy.Rational(inside.numerator, inside.denominator)) < 0:
        return None
    return {"by": "sturm"}


def _changes_sign(factor: Any, *, odd: bool, goal: Goal) -> bool:
    """Whether a factor has a root inside (an odd one changes the sign), or anywhere for a strict goal."""
    r = next(iter(goal.ranges[s.name] for s in factor.gens))
    low = sympy.Rational(r.lower.numerator, r.lower.denominator) if r.lower is not None else None
    high = sympy.Rational(r.upper.numerator, r.upper.denominator) if r.upper is not None else None
    total = factor.count_roots(low, high)
    at_ends = [end for end in (low, high) if end is not None and factor.eval(end) == 0]
    if not goal.strict:
        return odd and total > len(at_ends)
    excluded = [end for end, o in ((low, r.lower_open), (high, r.upper_open)) if o and end in at_ends]
    return bool(total > len(excluded))


def _inner(r: Any) -> Iterator[Fraction]:
    """Points inside a range, as many as one likes."""
    for k in range(2, 200):
        share = Fraction(1, k)
        if r.lower is not None and r.upper is not None:
            yield r.lower + (r.upper - r.lower) * share
        elif r.lower is not None:
            yield r.lower + share
        else:
            yield (r.upper or Fraction(0)) - share
