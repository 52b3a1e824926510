"""The normal form of ``1/u``: of products factor by factor, of a sum without its common factors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from verify.coq.derivations.words import plain
from verify.recheck.derivations.canon import divided, inverse_atom
from verify.recheck.derivations.polynomials import signed_part, tree, value_of
from verify.recheck.derivations.trees import Nameless, make, num

if TYPE_CHECKING:
    from verify.coq.derivations.same import Same


def reciprocal(same: Same, t: Nameless) -> str:
    """Of ``1/u``; a statement has ``/ u`` there, which is what ``inv u`` stands for."""
    u, found = t.args[0], same.normal(t)
    start = f"change (inv ({same.raw.real(u)}) = {same.words.real(found)}); " if same.raw.stated else ""
    if u.op == "*" and not (same.raw.stated and u.args[0].number == -1):
        parts = [make("inv", a) for a in u.args]
        tactics = [_of_inverse(same, a) for a in parts]
        values = make("*", *(same.normal(a) for a in parts))
        equal = same.rings.equal(values, found)
        return f"({start}{same.through(values, nested('inv_product', tactics), equal, same.words)})"
    if u.op == "^":
        value = make("^", same.normal(make("inv", u.args[0])), value=u.value)
        power = f"apply inv_power; {_of_inverse(same, make('inv', u.args[0]))}"
        return f"({start}{same.through(value, power, same.rings.equal(value, found), same.words)})"
    return f"({start}{_inverse_of_sum(same, u, found)})"


def _of_inverse(same: Same, t: Nameless) -> str:
    """``inv u = `` its normal form, where the goal has ``inv`` in any case."""
    if not same.raw.stated:
        return same.number(t)
    return f"(change ({same.raw.real(t)} = {same.words.real(same.normal(t))}); {same.number(t)})"


def _inverse_of_sum(same: Same, u: Nameless, found: Nameless) -> str:
    p = same.canon.poly(plain(u))
    if not p:
        return f"(apply inv_zero; {same.number(u)})"
    common = {a: k for a, k in next(iter(p)) if a.op not in ("exp", "Ind")}
    for m in p:
        powers = dict(m)
        common = {a: min(k, powers[a]) for a, k in common.items() if a in powers}
    if len(p) == 1:
        common = dict(next(iter(p)))
    c, q = signed_part({divided(m, common): x for m, x in p.items()})
    factors = [(num(c), num(1 / c), "apply inv_number; numeric")]
    for a, k in common.items():
        value, tactic = tree(inverse_atom(a)), "reflexivity"
        if a.op == "inv":
            tactic = "apply inv_twice"
        elif a.op == "exp":
            tactic = f"apply inv_exp; {same.rings.equal(make('*', num(-1), a.args[0]), value.args[0])}"
        if k == 1:
            factors.append((a, value, tactic))
        else:
            factors.append((make("^", a, value=k), make("^", value, value=k), f"apply inv_power; {tactic}"))
    if value_of(q) != 1:
        factors.append((tree(q), make("inv", tree(q)), "reflexivity"))
    factored = make("*", *(f for f, _, _ in factors)) if len(factors) > 1 else factors[0][0]
    values = make("*", *(v for _, v, _ in factors)) if len(factors) > 1 else factors[0][1]
    inner = same.through(
        same.normal(u), same.number(u), same.rings.equal(same.normal(u), factored), same.words
    )
    rest = same.through(
        values,
        nested("inv_product", [tactic for *_, tactic in factors]),
        same.rings.equal(values, found),
        same.words,
    )
    return f"(transitivity (inv ({same.words.real(factored)})); [apply f_equal; {inner} | {rest}])"


def nested(lemma: str, tactics: list[str]) -> str:
    """A lemma about two factors, for a product that is read from the left."""
    first, *rest = tactics
    found = f"({first})"
    for tactic in rest:
        found = f"(apply {lemma}; [{found} | {tactic}])"
    return found
