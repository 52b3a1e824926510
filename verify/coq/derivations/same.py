"""That a term and its normal form are equal, as tactics for Coq.

The checker says what the normal form is; how one gets there is written down here, node by node: sums,
products and powers by ``ring`` (or ``field``, for fractions of numerals) over the parts that are none, and
each such part by a lemma of ``Derivations.v``.  Nothing is believed: a normal form that is another term gives
a tactic that fails.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import count

from verify.coq.derivations.indicators import indicator, turned
from verify.coq.derivations.reciprocals import nested, reciprocal
from verify.coq.derivations.rings import Rings
from verify.coq.derivations.sums import most, sum_of, sum_over
from verify.coq.derivations.words import CAST, Words, plain
from verify.coq.text import NotExportedError
from verify.recheck.derivations.canon import Canon
from verify.recheck.derivations.trees import (
    Nameless,
    fresh,
    make,
    opened,
)

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
        """``t = target`` for real numbers; the target has normal parts, and is else the normal form."""
        target = self.normal(t) if target is None else target
        if self.raw.real(t) == self.words.real(target):
            return "reflexivity"
        if t.op not in RING and t.op != "num" and target == self.normal(t):
            return self._leaf(t)
        leaves: dict[Nameless, Nameless] = {}
        shape = self._shape(t, leaves)
        changes = [
            (
                self.raw.real(leaf),
                self.words.real(self.normal(leaf)),
                str(name.value)[1:],
                "R",
                self._leaf(leaf),
            )
            for leaf, name in leaves.items()
        ]
        return self.by_parts(
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

    def by_parts(self, changes: list[Change], goal: str, last: str) -> str:
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
                return self.through(t.args[0], self.cast(t.args[0]), self.number(t.args[0]))
            case "sym" | "exp" | "log" | "sqrt" | "Abs" | "Max" | "Min":
                return self._function(t)
            case "inv":
                return reciprocal(self, t)
            case "Ind":
                shape, tactic = indicator(self, t.args[0])
                return self.through(shape, tactic, self.rings.equal(shape, self.normal(t)), self.words)
            case "Sum":
                return sum_of(self, t)
            case "SumOver":
                return sum_over(self, t)
            case "MaxOver":
                return most(self, t)
        raise NotExportedError(f"{t.op} in {t}")

    def through(self, middle: Nameless, first: str, second: str, words: Words | None = None) -> str:
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
                return nested(lemma, [self.cast(a) for a in t.args])
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
        between = self.by_parts(
            changes,
            f"{self.raw.real(Nameless(t.op, names, t.value, t.sort))} = {self.words.real(same)}",
            "reflexivity",
        )
        found = self.normal(t)
        if self.words.real(same) == self.words.real(found):
            return between
        return self.through(same, between, _FOLDED[t.op], self.words)

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
            (
                self.raw.nat(leaf),
                self.words.nat(self.normal(leaf)),
                str(name.value)[1:],
                "nat",
                self.whole(leaf),
            )
            for leaf, name in leaves.items()
        ]
        return self.by_parts(
            changes, f"{self.raw.nat(shape)} = {self.words.nat(target)}", "(cbn [Nat.pow]; ring)"
        )

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
        return self.by_parts(changes, equal, "reflexivity")

    def in_words(self) -> Same:
        """For terms that are no longer in the words of the statement."""
        if self.raw is self.words:
            return self
        other = Same(self.canon, self.words)
        other._numbers = self._numbers
        return other

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
                return turned(self, t, found)
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
        return self.by_parts(changes, f"({sign.join(names)}) <-> ({self.words.formula(found)})", "tauto")


_FOLDED = {
    "log": "first [apply ln_1 | apply ln_of_nothing; numeric]",
    "sqrt": "first [apply sqrt_of_less; numeric | apply sqrt_number; numeric]",
    "Abs": "unfold Rabs; destruct (Rcase_abs _); lra",
    "Max": "numeric_extremum",
    "Min": "numeric_extremum",
    "exp": "apply exp_0",
}
