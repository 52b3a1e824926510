"""That a term and its normal form are equal, as tactics for Coq.

The checker says what the normal form is; how one gets there is written down here, node by node: sums,
products and powers by ``ring`` (or ``field``, for fractions of numerals) over the parts that are none, and each
such part by a lemma of ``Derivations.v``.  Nothing is believed: a normal form that is another term gives a
tactic that fails.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from itertools import count

from verify.coq.derivations.rings import Rings
from verify.coq.derivations.words import CAST, Words, cast, plain
from verify.coq.text import NotExportedError
from verify.recheck.derivations.canon import Canon, divided, inverse_atom, parted
from verify.recheck.derivations.polynomials import (
    ONE,
    Monomial,
    constant_poly,
    difference,
    natural,
    primitive_part,
    ring,
    signed_part,
    total,
    tree,
    value_of,
)
from verify.recheck.derivations.trees import FORMULA, Nameless, closed, fresh, make, minus, num, opened, replaced

RING = ("+", "*", "^")
Change = tuple[str, str, str, str, str]  # before, after, a name, the type, the tactic for their equality


class Same:
    """Tactics for equal terms of one derivation; ``raw`` has the words of the side that is no normal form."""

    def __init__(self, canon: Canon, words: Words, raw: Words | None = None):
        self.canon, self.words, self.raw = canon, words, raw or words
        self.rings = Rings(words, self.raw)
        self._numbers = count(1)

    def normal(self, t: Nameless) -> Nameless:
        """The normal form of a tree with casts."""
        return self.canon.normal(plain(t))

    def unchanged(self, t: Nameless, sort: str) -> bool:
        """Whether it reads in Coq as its normal form does."""
        return self.raw.text(t, sort) == self.words.text(self.normal(t), sort)

    # ------------------------------------------------------------ numbers

    def number(self, t: Nameless, target: Nameless | None = None) -> str:
        """``t = target`` for real numbers; the target, of normal parts, is the normal form if none is given."""
        target = self.normal(t) if target is None else target
        if self.raw.real(t) == self.words.real(target):
            return "reflexivity"
        if t.op not in RING and t.op != "num" and target == self.normal(t):
            return self._leaf(t)
        leaves: dict[Nameless, Nameless] = {}
        shape = self._shape(t, leaves)
        changes = [
            (self.raw.real(leaf), self.words.real(self.normal(leaf)), str(name.value)[1:], "R", self._leaf(leaf))
            for leaf, name in leaves.items()
        ]
        return self._by_parts(
            changes,
            f"{self.raw.real(shape)} = {self.words.real(target)}",
            self.rings.equal(self._of_normal_parts(t), target, self.raw),
        )

    def _of_normal_parts(self, t: Nameless) -> Nameless:
        """The ring operations of a term, all other parts in normal form."""
        if t.op in RING:
            return make(t.op, *map(self._of_normal_parts, t.args), value=t.value)
        return t if t.op == "num" else self.normal(t)

    def _shape(self, t: Nameless, leaves: dict[Nameless, Nameless]) -> Nameless:
        """The ring operations of a term, with names for the parts that change."""
        if t.op == "num":
            return t
        if t.op in RING:
            return make(t.op, *(self._shape(a, leaves) for a in t.args), value=t.value)
        if self.unchanged(t, "Real"):
            return t
        if t not in leaves:
            leaves[t] = Nameless("var", (), f"~l{next(self._numbers)}", "Real")
        return leaves[t]

    def _by_parts(self, changes: list[Change], goal: str, last: str) -> str:
        """The goal with names for its parts, where they are what they become; then each part."""
        if not changes:
            return last
        name = f"L{next(self._numbers)}"
        names = " ".join(f"({one} : {kind})" for _, _, one, kind, _ in changes)
        equal = " -> ".join(
            f"{one} = {after}" if kind != "Prop" else f"({one} <-> ({after}))"
            for _, after, one, kind, _ in changes
        )
        intro = " ".join(one for _, _, one, _, _ in changes)
        arrows = " ".join("->" if kind != "Prop" else "?" for _, _, _, kind, _ in changes)
        values = " ".join(f"({before})" for before, *_ in changes)
        tactics = " | ".join(tactic for *_, tactic in changes)
        return (
            f"(assert ({name} : forall {names}, {equal} -> ({goal})) by (intros {intro} {arrows}; {last}); "
            f"apply ({name} {values}); [{tactics}])"
        )

    def _leaf(self, t: Nameless) -> str:
        """``t = `` its normal form, for a term that is no sum, product or power."""
        if self.unchanged(t, "Real"):
            return "reflexivity"
        match t.op:
            case "cast":
                return self._through(t.args[0], self.cast(t.args[0]), self.number(t.args[0]))
            case "sym" | "exp" | "log" | "sqrt" | "Abs" | "Max" | "Min":
                return self._function(t)
            case "inv":
                return self._inverse(t)
            case "Ind":
                shape, tactic = self._indicator(t.args[0])
                return self._through(shape, tactic, self.rings.equal(shape, self.normal(t)), self.words)
            case "Sum":
                return self._sum(t)
            case "SumOver":
                return self._sum_over(t)
            case "MaxOver":
                return self._most(t)
        raise NotExportedError(f"{t.op} in {t}")

    def _through(self, middle: Nameless, first: str, second: str, words: Words | None = None) -> str:
        """By way of another term."""
        text = (words or self.raw).real(middle)
        return f"(transitivity ({text}); [{first} | {second}])"

    def cast(self, t: Nameless) -> str:
        """``INR`` of a natural number is the same operations on real ones."""
        match t.op:
            case "num":
                return "cast_number"
            case "+" | "*":
                lemma = "cast_plus" if t.op == "+" else "cast_times"
                return _nested(lemma, [self.cast(a) for a in t.args])
            case "^":
                return f"(apply cast_power; {self.cast(t.args[0])})"
            case "Max" | "Min":
                *first, last = (self.cast(a) for a in t.args)
                for one in reversed(first):
                    last = f"(apply cast_{t.op.lower()}; [{one} | {last}])"
                return last
            case "Sum" | "SumOver":
                x = fresh(str(t.value), t)
                inner = self.cast(opened(t.args[-1], x))
                return f"(apply cast_{t.op}; bind {self.words.name(str(x.value))}; {inner})"
        return "reflexivity"

    def _function(self, t: Nameless) -> str:
        sorts = self.words.language.sign(t).args if t.op == "sym" else ("Real",) * len(t.args)
        after = [self.normal(a) for a in t.args]
        same = Nameless(t.op, tuple(after), t.value, t.sort)
        changes, names = self._arguments(t.args, after, sorts)
        between = self._by_parts(
            changes,
            f"{self.raw.real(Nameless(t.op, names, t.value, t.sort))} = {self.words.real(same)}",
            "reflexivity",
        )
        found = self.normal(t)
        if self.words.real(same) == self.words.real(found):
            return between
        return self._through(same, between, _FOLDED[t.op], self.words)

    def _arguments(
        self, before: Iterable[Nameless], after: Iterable[Nameless], sorts: Iterable[str]
    ) -> tuple[list[Change], tuple[Nameless, ...]]:
        """The arguments that change, and all of them with names for these."""
        changes, names = [], []
        for a, b, sort in zip(before, after, sorts, strict=True):
            old, new = self.raw.text(a, sort), self.words.text(b, sort)
            if old == new:
                names.append(a)
                continue
            name = f"l{next(self._numbers)}"
            tactic = self.number(a) if sort == "Real" else self.whole(a) if sort == "Nat" else self.element(a)
            kind = self.words.sort(sort)
            if sort == "Nat":
                old, new = f"({old})%nat", f"({new})%nat"
            changes.append((old, new, name, kind, tactic))
            names.append(Nameless("var", (), f"~{name}", sort))
        return changes, tuple(names)

    def element(self, t: Nameless) -> str:
        """The same for a term of a finite sort."""
        if self.unchanged(t, t.sort):
            return "reflexivity"
        return self._congruent(t, t.sort)

    def whole(self, t: Nameless) -> str:
        """The same for a natural number."""
        target = self.normal(t)
        if self.raw.nat(t) == self.words.nat(target):
            return "reflexivity"
        if t.op == CAST:
            return self.whole(t.args[0])
        if t.op == "sym":
            return self._congruent(t, "Nat")
        leaves: dict[Nameless, Nameless] = {}
        shape = self._nat_shape(t, leaves)
        changes = [
            (self.raw.nat(leaf), self.words.nat(self.normal(leaf)), str(name.value)[1:], "nat", self.whole(leaf))
            for leaf, name in leaves.items()
        ]
        return self._by_parts(changes, f"{self.raw.nat(shape)} = {self.words.nat(target)}", "ring")

    def _nat_shape(self, t: Nameless, leaves: dict[Nameless, Nameless]) -> Nameless:
        if t.op == CAST:
            return self._nat_shape(t.args[0], leaves)
        if t.op in RING:
            return make(t.op, *(self._nat_shape(a, leaves) for a in t.args), value=t.value)
        if t.op == "num" or self.raw.nat(t) == self.words.nat(self.normal(t)):
            return t
        if t.op != "sym":
            raise NotExportedError(f"the natural number {t}")
        if t not in leaves:
            leaves[t] = Nameless("var", (), f"~l{next(self._numbers)}", "Nat")
        return leaves[t]

    def _congruent(self, t: Nameless, sort: str) -> str:
        """A symbol of arguments that change."""
        after = [self.normal(a) for a in t.args]
        changes, names = self._arguments(t.args, after, self.words.language.sign(t).args)
        shape = Nameless("sym", names, t.value, t.sort)
        equal = f"{self.raw.text(shape, sort)} = {self.words.text(self.normal(t), sort)}"
        return self._by_parts(changes, equal, "reflexivity")

    # ------------------------------------------------------------ reciprocals

    def _inverse(self, t: Nameless) -> str:
        u, found = t.args[0], self.normal(t)
        start = f"change (inv ({self.raw.real(u)}) = {self.words.real(found)}); " if self.raw.stated else ""
        if u.op == "*" and not (self.raw.stated and u.args[0].number == -1):
            parts = [make("inv", a) for a in u.args]
            tactics = [self._of_inverse(a) for a in parts]
            values = make("*", *(self.normal(a) for a in parts))
            return f"({start}{self._through(values, _nested('inv_product', tactics), self.rings.equal(values, found), self.words)})"
        if u.op == "^":
            value = make("^", self.normal(make("inv", u.args[0])), value=u.value)
            power = f"apply inv_power; {self._of_inverse(make('inv', u.args[0]))}"
            return f"({start}{self._through(value, power, self.rings.equal(value, found), self.words)})"
        return f"({start}{self._inverse_of_sum(u, found)})"

    def _of_inverse(self, t: Nameless) -> str:
        """``inv u = `` its normal form, where the goal has ``inv`` in any case."""
        if not self.raw.stated:
            return self.number(t)
        return f"(change ({self.raw.real(t)} = {self.words.real(self.normal(t))}); {self.number(t)})"

    def _inverse_of_sum(self, u: Nameless, found: Nameless) -> str:
        p = self.canon.poly(plain(u))
        if not p:
            return f"(apply inv_zero; {self.number(u)})"
        common = {a: k for a, k in next(iter(p)) if a.op not in ("exp", "Ind")}
        for m in p:
            powers = dict(m)
            common = {a: min(k, powers[a]) for a, k in common.items() if a in powers}
        if len(p) == 1:
            common = dict(next(iter(p)))
        c, q = signed_part({divided(m, common): x for m, x in p.items()})
        factors = [(num(c), num(1 / c), "apply inv_number; lra")]
        for a, k in common.items():
            value, tactic = tree(inverse_atom(a)), "reflexivity"
            if a.op == "inv":
                tactic = "apply inv_twice"
            elif a.op == "exp":
                tactic = f"apply inv_exp; {self.rings.equal(make('*', num(-1), a.args[0]), value.args[0])}"
            if k == 1:
                factors.append((a, value, tactic))
            else:
                factors.append((make("^", a, value=k), make("^", value, value=k), f"apply inv_power; {tactic}"))
        if value_of(q) != 1:
            factors.append((tree(q), make("inv", tree(q)), "reflexivity"))
        factored = make("*", *(f for f, _, _ in factors)) if len(factors) > 1 else factors[0][0]
        values = make("*", *(v for _, v, _ in factors)) if len(factors) > 1 else factors[0][1]
        inner = self._through(self.normal(u), self.number(u), self.rings.equal(self.normal(u), factored), self.words)
        rest = self._through(
            values,
            _nested("inv_product", [tactic for *_, tactic in factors]),
            self.rings.equal(values, found),
            self.words,
        )
        return f"(transitivity (inv ({self.words.real(factored)})); [apply f_equal; {inner} | {rest}])"

    # ------------------------------------------------------------ indicators

    def _indicator(self, a: Nameless) -> tuple[Nameless, str]:
        """What ``Ind(A)`` is in parts of normal form, and the tactic for that."""
        match a.op:
            case "And" | "Or":
                *first, last = (self._indicator(b) for b in a.args)
                shape, tactic = last
                for one, other in reversed(first):
                    shape, tactic = _joined(a.op, one, shape), f"(apply ind_{a.op.lower()}; [{other} | {tactic}])"
                return shape, tactic
            case "Not":
                shape, tactic = self._indicator(a.args[0])
                return make("+", num(1), make("*", num(-1), shape)), f"(apply ind_not; {tactic})"
            case "Imp":
                (one, first_), (two, second) = (self._indicator(b) for b in a.args)
                shape = make("+", num(1), make("*", num(-1), one), make("*", one, two))
                return shape, f"(apply ind_imp; [{first_} | {second}])"
            case "All":
                return self.normal(make("Ind", a)), f"(apply ind_same; {self.formula(a)})"
        found = self.normal(make("Ind", a))
        left, right = a.args
        if not self.words.language.numeric(left):
            if found.number is not None:
                return found, f"(apply ind_true; {self._equal_elements(left, right)})"
            return found, f"(apply ind_same; {self._turned(a, found.args[0])})"
        if a.op == "<":
            shape, tactic = self._indicator(make("<=", right, left))
            return make("+", num(1), make("*", num(-1), shape)), f"(apply ind_less; {tactic})"
        return found, self._relation(a, found)

    def _relation(self, a: Nameless, found: Nameless) -> str:
        """``Ind(u <= v)`` or ``Ind(u == v)`` in terms of v - u."""
        left, right = a.args
        gap = difference(self.canon.poly(plain(right)), self.canon.poly(plain(left)))
        way, value = "le" if a.op == "<=" else "eq", value_of(gap)
        sides = f"{self.number(left)} | {self.number(right)}"
        normal = " ".join(f"({self.words.real(self.normal(x))})" for x in a.args)
        between = minus(self.normal(right), self.normal(left))
        if found.number is not None:
            truth = "true" if found.number == 1 else "false"
            equal = self.rings.equal(between, tree(gap))
            sign = "lra" if value is not None else "not_negative"
            return f"(apply ind_{truth}; apply (gap_{way}_{truth} _ _ {normal} ({self.words.real(tree(gap))})); [{sides} | {equal} | {sign}])"
        c, q = primitive_part(gap) if a.op == "<=" else signed_part(gap)
        equal = self.rings.equal(between, make("*", num(c), tree(q)))
        lemma = f"gap_{way} _ _ {normal} ({self.words.real(num(c))}) ({self.words.real(tree(q))})"
        return f"(apply ind_same; apply ({lemma}); [{sides} | {equal} | lra])"

    def _equal_elements(self, a: Nameless, b: Nameless) -> str:
        middle = self.words.text(self.normal(a), a.sort)
        return f"(transitivity ({middle}); [{self.element(a)} | symmetry; {self.element(b)}])"

    def _turned(self, a: Nameless, found: Nameless) -> str:
        """``x == y`` of a finite sort in its order."""
        left, right = a.args
        lemma = "eq_same" if self.normal(left) == found.args[0] else "eq_turned"
        return f"(apply {lemma}; [{self.element(left)} | {self.element(right)}])"

    # ------------------------------------------------------------ sums and maxima

    def _sum(self, t: Nameless) -> str:
        bound = self.canon.poly(plain(t.args[0]))
        end = tree(bound)
        i = fresh("Nat", t.args[1], below=end)
        name = self.words.name(str(i.value))
        inner = opened(t.args[1], i)
        body = closed(self.normal(inner), i)
        same = make("Sum", end, body)
        extra = bound.get(ONE, Fraction(0))
        rest = {m: c for m, c in bound.items() if m}
        found = self.normal(t)
        if extra >= 1 and extra.denominator == 1 and natural(rest):
            shape, first = self._last_summands(body, tree(rest), int(extra))
            tail = f"(transitivity ({self.words.real(shape)}); [{first} | {self._in_words().number(shape, found)}])"
        elif not bound:
            tail = "reflexivity"
        else:
            tail = self._linear(same, end, body, found)
        if self.raw.real(t) == self.words.real(same):
            return tail
        both = f"(apply Sum_both; [{self.whole(t.args[0])} | bind {name}; intros _; {self.number(inner)}])"
        return self._through(same, both, tail, self.words)

    def _in_words(self) -> Same:
        """For terms that are no longer in the words of the statement."""
        if self.raw is self.words:
            return self
        other = Same(self.canon, self.words)
        other._numbers = self._numbers
        return other

    def _last_summands(self, body: Nameless, rest: Nameless, extra: int) -> tuple[Nameless, str]:
        """Sum(rest + extra) with its last summands written out."""
        places = [tree(total([ring(rest), constant_poly(k)])) for k in range(extra + 1)]
        start = make("Sum", rest, body) if rest.number is None else num(0)
        shape, steps = start, []
        for k in range(extra):
            shape = make("+", shape, opened(body, cast(places[k])))
        for k in reversed(range(extra)):
            steps.append(f"rewrite (Sum_next {self.words.nat(places[k + 1])} {self.words.nat(places[k])}) by lia")
        return shape, f"({'; '.join(steps)}; reflexivity)"

    def _linear(self, t: Nameless, end: Nameless, body: Nameless, found: Nameless) -> str:
        """A sum of monomials, factors without the bound variable taken out."""
        i = fresh("Nat", body, below=end)
        rows: list[tuple[Nameless, Nameless, Nameless, str]] = []
        for m, c in self.canon.poly(opened(body, i)).items():
            out, inside = parted(m, lambda a: i not in a.free)
            factor = tree({out: c})
            if inside:
                one = tree({inside: Fraction(1)})
                value = make("*", factor, make("Sum", end, closed(one, i)))
                rows.append((make("*", factor, one), value, i, "apply Sum_times"))
            else:
                rows.append((factor, make("*", factor, cast(end)), i, "apply Sum_constant"))
        return self._of_rows(t, opened(body, i), rows, found, "Sum")

    def _of_rows(
        self,
        t: Nameless,
        body: Nameless,
        rows: list[tuple[Nameless, Nameless, Nameless, str]],
        found: Nameless,
        binder: str,
    ) -> str:
        """A sum of rows: each a summand, what becomes of it, and by which tactic."""
        if self.words.real(t) == self.words.real(found):
            return "reflexivity"
        if not rows:
            zero = "Sum_zero" if binder == "Sum" else "SumOver_zero"
            return f"apply {zero}"
        i = rows[0][2]
        *first, (row, value, _, tactic) = rows
        for more, its, _, how in reversed(first):
            row, value = make("+", more, row), make("+", its, value)
            tactic = f"(apply {binder}_plus; [{how} | {tactic}])"
        middle = Nameless(t.op, (*t.args[:-1], closed(row, i)), t.value, t.sort)
        own = self._in_words()
        intro = f"bind {self.words.name(str(i.value))}; " + ("intros _; " if binder == "Sum" else "")
        ends = f"(transitivity ({self.words.real(value)}); [{tactic} | {own.number(value, found)}])"
        same = f"(apply {binder}_same; {intro}{self.rings.equal(body, row)})"
        return f"(transitivity ({self.words.real(middle)}); [{same} | {ends}])"

    def _sum_over(self, t: Nameless) -> str:
        y = fresh(str(t.value), t)
        inner, found = opened(t.args[0], y), self.normal(t)
        body = self.normal(inner)
        same = make("SumOver", closed(body, y), value=t.value)
        rows = [self._row_over(m, c, y) for m, c in self.canon.poly(plain(inner)).items()]
        tail = self._of_rows(same, body, rows, found, "SumOver")
        if self.raw.real(t) == self.words.real(same):
            return tail
        intro = f"bind {self.words.name(str(y.value))}; "
        return self._through(same, f"(apply SumOver_same; {intro}{self.number(inner)})", tail, self.words)

    def _row_over(self, m: Monomial, c: Fraction, y: Nameless) -> tuple[Nameless, Nameless, Nameless, str]:
        out, inside = parted(m, lambda a: y not in a.free)
        factor, one = tree({out: c}), tree({inside: Fraction(1)})
        for a, _ in inside:
            if a.op == "Ind" and a.args[0].op == "==" and y in a.args[0].args:
                z = next(u for u in a.args[0].args if u != y)
                if y not in z.free:
                    others = tree({tuple(item for item in inside if item[0] != a): Fraction(1)})
                    lemma = "picked" if a.args[0].args[0] == y else "picked_turned"
                    function = self.words.function(make("SumOver", closed(others, y), value=y.sort))
                    how = f"apply ({lemma} _ {self.words.term(z, z.sort)} _ {function})"
                    return make("*", factor, make("*", a, others)), make("*", factor, replaced(others, {y: z})), y, how
        value = make("*", factor, make("SumOver", closed(one, y), value=y.sort))
        return make("*", factor, one), value, y, "apply SumOver_times"

    def _most(self, t: Nameless) -> str:
        x = fresh(str(t.value), t)
        inner, found = opened(t.args[0], x), self.normal(t)
        body = self.normal(inner)
        same = make("MaxOver", closed(body, x), value=t.value)
        tail = "reflexivity" if x in body.free else "apply MaxOver_constant"
        if self.raw.real(t) == self.words.real(same):
            return tail
        intro = f"bind {self.words.name(str(x.value))}; "
        first = f"(apply MaxOver_same; {intro}{self.number(inner)})"
        return self._through(same, first, tail, self.words) if tail != "reflexivity" or found != same else first

    # ------------------------------------------------------------ formulas

    def formula(self, t: Nameless) -> str:
        """``A <-> `` its normal form."""
        found = self.normal(t)
        if self.raw.formula(t) == self.words.formula(found):
            return "apply iff_refl"
        match t.op:
            case "<=" | "<" | "==" if self.words.language.numeric(t.args[0]):
                lemma = {"<=": "le_same", "<": "lt_same", "==": "eq_same"}[t.op]
                return f"(apply {lemma}; [{self.number(t.args[0])} | {self.number(t.args[1])}])"
            case "==":
                return self._turned(t, found)
            case "Imp":
                return f"(apply imp_same; [{self.formula(t.args[0])} | {self.formula(t.args[1])}])"
            case "Not":
                inner = self.normal(t.args[0])
                lemma = {"<=": "not_at_most", "<": "not_less", "Not": "not_not"}.get(inner.op, "not_same")
                return f"(apply {lemma}; {self.formula(t.args[0])})"
            case "All":
                x = fresh(str(t.value), t)
                name = self.words.name(str(x.value))
                return f"(apply all_same; bind {name}; {self.formula(opened(t.args[0], x))})"
        return self._connective(t, found)

    def _connective(self, t: Nameless, found: Nameless) -> str:
        """And, Or: flattened, in order."""
        names = [f"p{next(self._numbers)}" for _ in t.args]
        changes = [
            (self.raw.formula(a), self.words.formula(self.normal(a)), name, "Prop", self.formula(a))
            for a, name in zip(t.args, names, strict=True)
        ]
        sign = " /\\ " if t.op == "And" else " \\/ "
        return self._by_parts(changes, f"({sign.join(names)}) <-> ({self.words.formula(found)})", "tauto")


_FOLDED = {
    "log": "first [apply ln_1 | apply ln_of_nothing; lra]",
    "sqrt": "first [apply sqrt_of_less; lra | apply sqrt_number; lra]",
    "Abs": "unfold Rabs; destruct (Rcase_abs _); lra",
    "Max": "numeric_extremum",
    "Min": "numeric_extremum",
    "exp": "apply exp_0",
}


def _joined(op: str, a: Nameless, b: Nameless) -> Nameless:
    both = make("*", a, b)
    return both if op == "And" else make("+", a, b, make("*", num(-1), both))


def _nested(lemma: str, tactics: list[str]) -> str:
    """For a product that is read from the left."""
    first, *rest = tactics
    found = f"({first})"
    for tactic in rest:
        found = f"(apply {lemma}; [{found} | {tactic}])"
    return found
