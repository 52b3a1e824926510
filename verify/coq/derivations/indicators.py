"""The normal form of ``Ind(A)``: connectives as polynomials, relations by the gap of their sides."""

from __future__ import annotations

from typing import TYPE_CHECKING

from verify.coq.derivations.words import plain
from verify.recheck.derivations.polynomials import difference, primitive_part, signed_part, tree, value_of
from verify.recheck.derivations.trees import Nameless, make, minus, num

if TYPE_CHECKING:
    from verify.coq.derivations.same import Same


def indicator(same: Same, a: Nameless) -> tuple[Nameless, str]:
    """What ``Ind(A)`` is in parts of normal form, and the tactic for that."""
    match a.op:
        case "And" | "Or":
            *first, last = (indicator(same, b) for b in a.args)
            shape, tactic = last
            for one, other in reversed(first):
                shape, tactic = _joined(a.op, one, shape), f"(apply ind_{a.op.lower()}; [{other} | {tactic}])"
            return shape, tactic
        case "Not":
            shape, tactic = indicator(same, a.args[0])
            return make("+", num(1), make("*", num(-1), shape)), f"(apply ind_not; {tactic})"
        case "Imp":
            (one, first_), (two, second) = (indicator(same, b) for b in a.args)
            shape = make("+", num(1), make("*", num(-1), one), make("*", one, two))
            return shape, f"(apply ind_imp; [{first_} | {second}])"
        case "All":
            return same.normal(make("Ind", a)), f"(apply ind_same; {same.formula(a)})"
    found = same.normal(make("Ind", a))
    left, right = a.args
    if not same.words.language.numeric(left):
        if found.number is not None:
            return found, f"(apply ind_true; {_equal_elements(same, left, right)})"
        return found, f"(apply ind_same; {turned(same, a, found.args[0])})"
    if a.op == "<":
        shape, tactic = indicator(same, make("<=", right, left))
        return make("+", num(1), make("*", num(-1), shape)), f"(apply ind_less; {tactic})"
    return found, _relation(same, a, found)


def _relation(same: Same, a: Nameless, found: Nameless) -> str:
    """``Ind(u <= v)`` or ``Ind(u == v)`` in terms of v - u."""
    left, right = a.args
    gap = difference(same.canon.poly(plain(right)), same.canon.poly(plain(left)))
    way, value = "le" if a.op == "<=" else "eq", value_of(gap)
    sides = f"{same.number(left)} | {same.number(right)}"
    normal = " ".join(f"({same.words.real(same.normal(x))})" for x in a.args)
    between = minus(same.normal(right), same.normal(left))
    if found.number is not None:
        truth = "true" if found.number == 1 else "false"
        equal = same.rings.equal(between, tree(gap))
        sign = "numeric" if value is not None else "not_negative"
        lemma = f"gap_{way}_{truth} _ _ {normal} ({same.words.real(tree(gap))})"
        return f"(apply ind_{truth}; apply ({lemma}); [{sides} | {equal} | {sign}])"
    c, q = primitive_part(gap) if a.op == "<=" else signed_part(gap)
    equal = same.rings.equal(between, make("*", num(c), tree(q)))
    lemma = f"gap_{way} _ _ {normal} ({same.words.real(num(c))}) ({same.words.real(tree(q))})"
    return f"(apply ind_same; apply ({lemma}); [{sides} | {equal} | numeric])"


def _equal_elements(same: Same, a: Nameless, b: Nameless) -> str:
    middle = same.words.text(same.normal(a), a.sort)
    return f"(transitivity ({middle}); [{same.element(a)} | symmetry; {same.element(b)}])"


def turned(same: Same, a: Nameless, found: Nameless) -> str:
    """``x == y`` of a finite sort in its order."""
    left, right = a.args
    lemma = "eq_same" if same.normal(left) == found.args[0] else "eq_turned"
    return f"(apply {lemma}; [{same.element(left)} | {same.element(right)}])"


def _joined(op: str, a: Nameless, b: Nameless) -> Nameless:
    both = make("*", a, b)
    return both if op == "And" else make("+", a, b, make("*", num(-1), both))
