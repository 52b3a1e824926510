"""The normal form of finite sums and maxima: summand by summand, what does not move taken out."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from verify.coq.derivations.words import cast, plain
from verify.recheck.derivations.canon import parted
from verify.recheck.derivations.polynomials import ONE, Monomial, constant_poly, natural, ring, total, tree
from verify.recheck.derivations.trees import Nameless, closed, fresh, make, num, opened, replaced

if TYPE_CHECKING:
    from verify.coq.derivations.same import Same

Row = tuple[Nameless, Nameless, str]  # a summand, what becomes of it, and by which tactic


def sum_of(same: Same, t: Nameless) -> str:
    """Of ``Sum(i, n, u)``: the body, then the last summands or the linear form."""
    words, bound = same.words, same.canon.poly(plain(t.args[0]))
    end = tree(bound)
    i = fresh("Nat", t.args[1], below=end)
    inner = opened(t.args[1], i)
    body, found = closed(same.normal(inner), i), same.normal(t)
    middle = make("Sum", end, body)
    extra = bound.get(ONE, Fraction(0))
    rest = {m: c for m, c in bound.items() if m}
    if extra >= 1 and extra.denominator == 1 and natural(rest):
        shape, first = _last_summands(same, body, tree(rest), int(extra))
        tail = same.through(shape, first, same.in_words().number(shape, found), words)
    elif not bound:
        tail = "reflexivity"
    else:
        tail = _linear(same, middle, found)
    if same.raw.real(t) == words.real(middle):
        return tail
    name = words.name(str(i.value))
    both = f"(apply Sum_both; [{same.whole(t.args[0])} | bind {name}; intros _; {same.number(inner)}])"
    return same.through(middle, both, tail, words)


def _last_summands(same: Same, body: Nameless, rest: Nameless, extra: int) -> tuple[Nameless, str]:
    """Sum(rest + extra) with its last summands written out."""
    places = [tree(total([ring(rest), constant_poly(k)])) for k in range(extra + 1)]
    shape = make("Sum", rest, body) if rest.number is None else num(0)
    for k in range(extra):
        shape = make("+", shape, opened(body, cast(places[k])))
    texts = [same.words.nat(place) for place in places]
    steps = [f"rewrite (Sum_next {texts[k + 1]} {texts[k]}) by (clear; lia)" for k in reversed(range(extra))]
    return shape, f"({'; '.join(steps)}; reflexivity)"


def _linear(same: Same, t: Nameless, found: Nameless) -> str:
    """A sum of monomials, factors without the bound variable taken out."""
    end, body = t.args
    i = fresh("Nat", body, below=end)
    rows: list[Row] = []
    for m, c in same.canon.poly(opened(body, i)).items():
        out, inside = parted(m, lambda a: i not in a.free)
        factor = tree({out: c})
        if inside:
            one = tree({inside: Fraction(1)})
            value = make("*", factor, make("Sum", end, closed(one, i)))
            rows.append((make("*", factor, one), value, "apply Sum_times"))
        else:
            rows.append((factor, make("*", factor, cast(end)), "apply Sum_constant"))
    return _of_rows(same, t, i, rows, found)


def _of_rows(same: Same, t: Nameless, i: Nameless, rows: list[Row], found: Nameless) -> str:
    """A sum over i, row by row."""
    words = same.words
    if words.real(t) == words.real(found):
        return "reflexivity"
    if not rows:
        return f"apply {t.op}_zero"
    *first, (row, value, tactic) = rows
    for more, its, how in reversed(first):
        row, value = make("+", more, row), make("+", its, value)
        tactic = f"(apply {t.op}_plus; [{how} | {tactic}])"
    middle = Nameless(t.op, (*t.args[:-1], closed(row, i)), t.value, t.sort)
    intro = f"bind {words.name(str(i.value))}; " + ("intros _; " if t.op == "Sum" else "")
    start = f"(apply {t.op}_same; {intro}{same.rings.equal(opened(t.args[-1], i), row)})"
    ends = same.through(value, tactic, same.in_words().number(value, found), words)
    return same.through(middle, start, ends, words)


def sum_over(same: Same, t: Nameless) -> str:
    """Of ``SumOver(y, u)``."""
    y = fresh(str(t.value), t)
    inner, found = opened(t.args[0], y), same.normal(t)
    middle = make("SumOver", closed(same.normal(inner), y), value=t.value)
    rows = [_row_over(same, m, Fraction(c), y) for m, c in same.canon.poly(plain(inner)).items()]
    tail = _of_rows(same, middle, y, rows, found)
    if same.raw.real(t) == same.words.real(middle):
        return tail
    intro = f"bind {same.words.name(str(y.value))}; "
    return same.through(middle, f"(apply SumOver_same; {intro}{same.number(inner)})", tail, same.words)


def _row_over(same: Same, m: Monomial, c: Fraction, y: Nameless) -> Row:
    """One monomial; ``Ind(y == z)`` picks the summand of z."""
    out, inside = parted(m, lambda a: y not in a.free)
    factor, one = tree({out: c}), tree({inside: Fraction(1)})
    for a, _ in inside:
        if a.op == "Ind" and a.args[0].op == "==" and y in a.args[0].args:
            z = next(u for u in a.args[0].args if u != y)
            if y not in z.free:
                others = tree({tuple(item for item in inside if item[0] != a): Fraction(1)})
                lemma = "picked" if a.args[0].args[0] == y else "picked_turned"
                function = same.words.function(make("SumOver", closed(others, y), value=y.sort))
                how = f"apply ({lemma} _ {same.words.term(z, z.sort)} _ {function})"
                value = make("*", factor, replaced(others, {y: z}))
                return make("*", factor, make("*", a, others)), value, how
    value = make("*", factor, make("SumOver", closed(one, y), value=y.sort))
    return make("*", factor, one), value, "apply SumOver_times"


def most(same: Same, t: Nameless) -> str:
    """Of ``MaxOver(y, u)``."""
    y = fresh(str(t.value), t)
    inner = opened(t.args[0], y)
    body = same.normal(inner)
    middle = make("MaxOver", closed(body, y), value=t.value)
    tail = "reflexivity" if y in body.free else "apply MaxOver_constant"
    if same.raw.real(t) == same.words.real(middle):
        return tail
    intro = f"bind {same.words.name(str(y.value))}; "
    return same.through(middle, f"(apply MaxOver_same; {intro}{same.number(inner)})", tail, same.words)
