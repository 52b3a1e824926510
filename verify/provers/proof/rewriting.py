"""Equal forms of a goal that are easier to enclose, for the sake of branch and bound.

* Removable singularities: e^u - e^v = e^v (u - v) expm1r(u - v) and log(1 + z) = z log1pr(z), so that a
  vanishing factor cancels against the denominator.
* Maxima outermost: c - Max(a, b) = Min(c - a, c - b), where extended intervals see the sign.
* The shortest of the expanded and factored forms.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import sympy

from verify.claims import text_of
from verify.provers.balls import expm1r, log1pr
from verify.provers.expressions import attempt, largest_exponent, length, written_out, written_within
from verify.provers.goals import Goal, Node
from verify.provers.meter import spend
from verify.provers.proof.leaves import in_range
from verify.provers.proof.state import ProofSearch
from verify.provers.ranges import range_of

_HIGHEST = 16  # power of anything that it is asked to write out
_TERMS = 4000  # of what would be written out
_WITHIN = 20_000  # of these and what is in roots and functions, multiplied
_LONGEST = 200  # operations of an expression that SymPy is asked to rearrange
_MOST_KINKS = 3  # that are turned inside out together: each doubles the cases
_MOST_CASES = 6  # arguments of maxima within a minimum
KINKS = (sympy.Max, sympy.Min, sympy.Abs)


def by_removing(search: ProofSearch, goal: Goal, depth: int) -> Node | None:
    """Removable singularities removed."""
    for form in _removed(goal) if depth >= 1 else ():
        proof = search.prove(goal.about(form), depth - 1)
        if proof is not None:
            return {"by": "rewrite", "expression": text_of(form), "proof": proof}
    return None


def by_outermost(search: ProofSearch, goal: Goal, depth: int) -> Node | None:
    """Maxima and minima outermost, if the intervals then show the sign."""
    del search, depth
    e = sympy.sympify(goal.expression)
    if not e.has(*KINKS) or length(e) > 60 or len(e.atoms(*KINKS)) > _MOST_KINKS:
        return None
    form = _outermost(e.replace(sympy.Abs, lambda a: sympy.Max(a, -a)))
    node = in_range(goal.about(form)) if form != e and _few_cases(form) else None
    return node and {"by": "rewrite", "expression": text_of(form), "proof": node}


def _few_cases(form: Any) -> bool:
    """Whether the checker, which tries the arguments in every order, will see that it is the same."""
    kinks = form.atoms(sympy.Max, sympy.Min) - {form}
    return len(kinks) < 2 or sum(len(kink.args) for kink in kinks) <= _MOST_CASES


def rearrangeable(e: Any) -> bool:
    """Whether SymPy may be asked to factor or simplify: short, and without high powers to write out."""
    return length(e) <= _LONGEST and largest_exponent(e) <= _HIGHEST and written_out(e) <= _TERMS


def neat(e: Any) -> Any:
    """The shortest of some equal forms; long expressions are left as they are."""
    if not rearrangeable(e) or e.has(*KINKS) or written_within(e) > _WITHIN:
        return e
    size = length(e) + written_within(e)
    spend(20 * size + size**2 // 2)
    return _neat(e)


@lru_cache(maxsize=4096)
def _neat(e: Any) -> Any:
    forms = [e, attempt(sympy.expand, e)]
    if length(e) <= _LONGEST // 2:
        forms.append(attempt(sympy.factor, e))
    return min((form for form in forms if form is not None), key=length)


def _removed(goal: Goal) -> Iterator[Any]:
    """Differences of exponentials and logarithms of 1 + z written with expm1r and log1pr."""
    e = sympy.sympify(goal.expression)
    if not rearrangeable(e) or e.has(expm1r, log1pr) or not e.has(sympy.exp, sympy.log):
        return
    found = range_of(e, goal.ranges)
    if found is not None and not found.singular and not goal.known:
        return  # nothing to remove
    for form in dict.fromkeys([_with_expm1r(e), _with_log1pr(_with_expm1r(e))]):
        if form != e and not form.has(sympy.nan, sympy.zoo):
            yield form


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
