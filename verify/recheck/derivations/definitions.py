"""Whether what a setting calls definitions are some: they define something, and assume nothing.

A *definition* says, of symbols that are not generic and that no law is about,

* ``f(x, t) == u``, turned round if the left side is no symbol: u has no other free variables and no f; or
* ``f(0, x) == u`` and ``f(n + 1, x) == v``: at the place of n + 1 each f in v has n;
* one of these under a condition, ``Imp(A, …)``, or several of them with ``And``.

No symbol is defined in two ways: of two equations for the same arguments only one can hold, by their
conditions.  No chain of definitions returns.  The value is what the symbol promises: of its sort, known at
its level, and bounded while real arguments (and ω) are.  So the symbols get values one after the other, 0
where no condition holds, whatever the values of the others are.

Of the other facts it is checked that they are of a kind, that a law is not about the value of a definition,
and that none is about defined symbols only: it would be a theorem, or false, or restrict what is defined.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any, NamedTuple

from verify.recheck.derivations.canon import Canon
from verify.recheck.derivations.extents import ALL, WHOLE, Extents, Span
from verify.recheck.derivations.polynomials import difference, total, value_of
from verify.recheck.derivations.reading import TextReader, fits, indicator, read_setting
from verify.recheck.derivations.sight import Moving
from verify.recheck.derivations.trees import (
    BINDERS,
    MEANS,
    RELATIONS,
    Nameless,
    changed,
    fresh,
    make,
    minus,
    num,
    opened,
    replaced,
    var,
)
from verify.recheck.intervals import UnknownError
from verify.recheck.schema import KINDS
from verify.recheck.witnesses import FAILURES, reason

LAW, EXISTENCE, DEFINITION, _ = KINDS
_FIELDS = frozenset({"kind", "says", "why", "claim", "means"})
_OVER = frozenset({"SumOver", "MaxOver"})
_RISING = frozenset({"+", "*", "num", "var"})  # levels that do not fall where their arguments rise


@dataclass(frozen=True)
class Clause:
    """``head == body`` under conditions; ``place`` is the argument that is 0 or n + 1, if one is."""

    fact: str
    head: Nameless
    body: Nameless
    conditions: tuple[Nameless, ...]
    place: int | None

    @property
    def name(self) -> str:
        """The symbol that is defined."""
        return str(self.head.value)

    @property
    def later(self) -> bool:
        """Whether it is for n + 1."""
        return self.place is not None and self.head.args[self.place].op == "+"

    @property
    def params(self) -> frozenset[Nameless]:
        """The variables of the head."""
        return self.head.free

    @property
    def parts(self) -> tuple[Nameless, ...]:
        """All that the value depends on."""
        return (self.body, *self.conditions)


def complaints(setting: Any) -> list[str]:
    """What is wrong with the facts of a setting, one line each; the setting itself has been read before."""
    if not isinstance(setting, Mapping) or not isinstance(setting.get("facts", {}), Mapping):
        return ["the facts of the setting are not an object"]
    return _Book(setting).complaints()


class Taken(NamedTuple):
    """A fact that a derivation takes from its setting."""

    name: str
    kind: str
    says: str
    claim: str


def taken(derivation: Mapping[str, Any]) -> frozenset[Taken]:
    """The facts that the steps of a derivation take."""
    setting, steps = derivation.get("setting"), derivation.get("steps")
    facts = setting.get("facts") if isinstance(setting, Mapping) else None
    rows = [s for s in steps if isinstance(s, Mapping)] if isinstance(steps, list) else []
    names = {str(s.get("name")) for s in rows if s.get("rule") == "fact"}
    known = {n: facts[n] for n in names if isinstance(facts, Mapping) and isinstance(facts.get(n), Mapping)}
    return frozenset(
        Taken(name, *(str(fact.get(key, "")) for key in ("kind", "says", "claim")))
        for name, fact in known.items()
    )


class _Book:
    """The facts of one setting."""

    def __init__(self, setting: Mapping[str, Any]):
        self.language = read_setting(setting)
        self.canon = Canon(self.language)
        self.sight = self.canon.sight
        self.found: list[str] = []
        self.clauses: list[Clause] = []
        self.others: dict[str, Nameless] = {}  # facts that are no definitions
        self.laws: set[str] = set()
        reader = TextReader(self.language)
        for name, fact in setting.get("facts", {}).items():
            try:
                self._read(str(name), fact, reader)
            except FAILURES as error:
                self.found.append(f"fact {name}: {reason(error)}")
        self.defined: dict[str, list[Clause]] = {}
        for clause in self.clauses:
            self.defined.setdefault(clause.name, []).append(clause)
        self.ceilings = {s: found for s, found in self._ceilings() if s not in self.defined}
        self.spans: dict[str, Span] = {}
        self.extents = Extents(self.sight, self._span)

    def _read(self, name: str, fact: Any, reader: TextReader) -> None:
        if not isinstance(fact, Mapping) or not _FIELDS.issuperset(fact):
            raise UnknownError("is not as the language asks")
        kind, claim = fact.get("kind"), fact.get("claim", "")
        if kind not in KINDS:
            raise UnknownError(f"the kind {kind!r} is none of {', '.join(KINDS)}")
        if not all(isinstance(text, str) for text in (fact.get("why"), claim, fact.get("means", ""))):
            raise UnknownError("'why', 'claim' or 'means' is no text")
        if claim and kind != EXISTENCE:
            raise UnknownError(f"a claim proves that something exists, not a {kind}")
        formula = reader.formula(fact.get("says"))
        if kind == DEFINITION:
            self.clauses += _clauses(name, formula, (), self)
        else:
            self.others[name] = formula
            self.laws |= {name} if kind == LAW else set()

    def complaints(self) -> list[str]:
        """All of them."""
        self.found += [*self._order(), *self._overlaps()]
        if not self.found:  # what is circular or said twice has no size
            self.found += [*self._each(), *self._laws(), *self._idle()]
        return self.found

    # ------------------------------------------------------------ order

    def _needs(self, name: str) -> set[str]:
        """The defined symbols that the value of one depends on, itself apart."""
        used = {s for t in self._parts_of(name) for s in _symbols(t)}
        return {s for s in used if s in self.defined and s != name}

    def _order(self) -> Iterator[str]:
        """Complain about chains that return."""
        done: set[str] = set()
        for start in self.defined:
            path: list[str] = []
            stack = [(start, False)]
            while stack:
                name, left = stack.pop()
                if left:
                    path.pop()
                    done.add(name)
                elif name in path:
                    circle = [*path[path.index(name) :], name]
                    yield f"fact {self.defined[name][0].fact}: a circle of definitions: {' -> '.join(circle)}"
                    return
                elif name not in done:
                    path.append(name)
                    stack.append((name, True))
                    stack += [(other, False) for other in sorted(self._needs(name))]

    def _overlaps(self) -> Iterator[str]:
        """Complain about symbols that have two values."""
        for name, clauses in self.defined.items():
            for one, two in combinations(clauses, 2):
                if self._meet(one, two) and not self._exclusive(one, two):
                    where = one.fact if one.fact == two.fact else f"{two.fact} and {one.fact}"
                    yield f"fact {where}: {name} is defined twice for the same arguments"

    @staticmethod
    def _meet(one: Clause, two: Clause) -> bool:
        """Whether there may be arguments for both."""
        return one.place != two.place or one.place is None or one.later == two.later

    def _exclusive(self, one: Clause, two: Clause) -> bool:
        """Whether the conditions of the two, with the same arguments, cannot both hold."""
        rename = {
            a: b
            for x, y in zip(two.head.args, one.head.args, strict=True)
            for a, b in zip(_variables(x), _variables(y), strict=False)
        }
        if one.place != two.place:
            return False  # n in one is n + 1 in the other
        own = [p for c in one.conditions for p in _parts(self.canon.normal(c))]
        other = [p for c in two.conditions for p in _parts(self.canon.normal(replaced(c, rename)))]
        return any(self._against(p, q) for p in own for q in other)

    def _against(self, p: Nameless, q: Nameless) -> bool:
        if self.canon.normal(make("Not", p)) == q:
            return True
        if p.op != "==" or q.op != "==" or not all(self.language.numeric(a) for a in (*p.args, *q.args)):
            return False
        gaps = [self.canon.poly(minus(*t.args)) for t in (p, q)]
        both = (difference(*gaps), total(gaps))
        return any(value_of(gap) not in (None, 0) for gap in both)

    # ------------------------------------------------------------ one by one

    def _each(self) -> Iterator[str]:
        for clause in self.clauses:
            try:
                self._check(clause)
            except FAILURES as error:
                yield f"fact {clause.fact}: {reason(error)}"

    def _check(self, clause: Clause) -> None:
        sign, head, body = self.language.sign(clause.head), clause.head, clause.body
        for condition in clause.conditions:
            indicator(condition)  # a function is measurable only if its cases are
        for t in clause.parts:
            if not sign.random and self.sight.random(t):
                raise UnknownError(f"{t} is random, {sign.name} is not")
            if sign.level is not None:
                places = {var(f"_{k}", "Nat"): a for k, a in enumerate(head.args, 1)}
                level = replaced(sign.level, places)
                if not self.sight.known(self._later(t, level), level):
                    raise UnknownError(f"{t} is not seen to be known at {level}")
        if not fits(body, sign.value) and not (sign.value == "Nat" and self._whole(body)):
            raise UnknownError(f"{body} is not seen to be of sort {sign.value}")
        reals = frozenset(x for x in clause.params if x.sort == "Real")
        moving = Moving(reals, sign.random)
        if self.language.numeric(body) and not self.extents.bounded(body, moving):
            raise UnknownError(f"{body} is not seen to be bounded")

    def _later(self, t: Nameless, level: Nameless) -> Nameless:
        """Known indices that are at most others by assumption, as ``pl(n) <= n``, replaced by those.

        A value at such an index is one of finitely many, all known by then, and it is known which.
        """

        def leaf(node: Nameless, _: int) -> Nameless | None:
            found = self.ceilings.get(str(node.value)) if node.op == "sym" and not node.reach else None
            if found is None or not self.sight.known(node, level):
                return None
            params, ceiling = found
            return replaced(ceiling, dict(zip(params, node.args, strict=True)))

        return changed(t, leaf)

    def _ceilings(self) -> Iterator[tuple[str, tuple[tuple[Nameless, ...], Nameless]]]:
        """Natural symbols that are assumed to be at most a term in their arguments."""
        signs = self.language.signs.values()
        if not all(t.op in _RISING for s in signs if s.level is not None for t in s.level.walk()):
            return
        for part in (p for formula in self.others.values() for p in _parts(formula)):
            if part.op == "<=" and part.args[0].op == "sym" and part.args[0].sort == "Nat":
                small, large = part.args
                fit = large.sort == "Nat" and large.free <= small.free and not self.sight.random(large)
                if fit and _head(small, self) and all(a.op == "var" for a in small.args):
                    yield str(small.value), (small.args, large)

    def _whole(self, t: Nameless) -> bool:
        """Whether a number is seen to be a natural one, though it is made with a difference."""
        return _integral(t) and self.extents.span(t).natural

    def _span(self, name: str) -> Span:
        """What is known of the values of a symbol: by its definition, or by what is assumed of it."""
        if name not in self.spans:
            sort = self.language.signs[name].value
            own = self.defined.get(name)
            self.spans[name] = self._assumed(name) if own is None else self._computed(name, own)
            if sort == "Nat":
                self.spans[name] = self.spans[name].meet(WHOLE)
        return self.spans[name]

    def _computed(self, name: str, clauses: list[Clause]) -> Span:
        """The values of its equations, and 0 where none is said; by induction if it is one by recursion."""
        for guess in (WHOLE, ALL):
            self.spans[name] = guess
            spans = [self.extents.span(c.body) for c in clauses]
            everywhere = len(clauses) == 1 and clauses[0].place is None and not clauses[0].conditions
            found = spans[0] if everywhere else Span(Fraction(0), Fraction(0))
            for span in spans:
                found = found.hull(span)
            if found.inside(guess):
                break
        recursive = any(name in _symbols(c.body) for c in clauses)
        del self.spans[name]
        return guess if recursive else found

    def _assumed(self, name: str) -> Span:
        """What facts say of it: comparisons with numbers, whatever its arguments are."""
        found = ALL
        for formula in self.others.values():
            for part in _parts(formula):
                found = found.meet(_compared(part, name, self))
        return found

    # ------------------------------------------------------------ the other facts

    def _laws(self) -> Iterator[str]:
        """Complain about definitions of what a law is about: what is not known where it takes a mean."""
        for fact in self.laws:
            for name in sorted(_unknown(self.others[fact], self)):
                if name in self.defined:
                    yield f"fact {self.defined[name][0].fact}: {name} is what the law {fact} is about"

    def _idle(self) -> Iterator[str]:
        """Complain about facts of defined symbols only, but of numbers of things: a sort has some size."""
        for fact, formula in self.others.items():
            named = {s for s in _symbols(formula) if not self.language.signs[s].generic}
            if not named or not named <= self.defined.keys():
                continue
            seen: set[str] = set()
            while left := named - seen:
                seen |= left
                named |= {s for name in left for t in self._parts_of(name) for s in _symbols(t)}
            sizes = any(node.op in _OVER for name in seen for t in self._parts_of(name) for node in t.walk())
            if not seen <= self.defined.keys() or not sizes:
                yield f"fact {fact}: is about nothing but what is defined"

    def _parts_of(self, name: str) -> list[Nameless]:
        """All that the value of a symbol depends on."""
        return [t for clause in self.defined.get(name, ()) for t in clause.parts]


# --- reading ---------------------------------------------------------------------------------------


def _clauses(fact: str, formula: Nameless, conditions: tuple[Nameless, ...], book: _Book) -> Iterator[Clause]:
    """The equations that a definition is made of."""
    if formula.op == "And":
        for part in formula.args:
            yield from _clauses(fact, part, conditions, book)
    elif formula.op == "Imp":
        yield from _clauses(fact, formula.args[1], (*conditions, formula.args[0]), book)
    elif formula.op == "==":
        left, right = formula.args
        turned = left.op != "sym" and right.op == "sym"
        yield _clause(fact, *((right, left) if turned else (left, right)), conditions, book)
    else:
        raise UnknownError(f"{formula} is no equation: a definition is one")


def _clause(
    fact: str, head: Nameless, body: Nameless, conditions: tuple[Nameless, ...], book: _Book
) -> Clause:
    """One equation, whose left side is defined."""
    if head.op != "sym":
        raise UnknownError(f"{head} is no symbol: nothing is defined")
    if book.language.sign(head).generic:
        raise UnknownError(f"{head.value} is generic: it stands for every function")
    if not _head(head, book):
        raise UnknownError(f"the arguments of {head} are not different variables, one of them 0 or n + 1")
    places = [k for k, a in enumerate(head.args) if a.op != "var"]
    clause = Clause(fact, head, body, conditions, places[0] if places else None)
    for t in clause.parts:
        if free := sorted(x.text for x in t.free - clause.params):
            raise UnknownError(f"{free[0]} is no argument of {head}")
        for symbol in sorted(_symbols(t)):
            if book.language.signs[symbol].generic:
                raise UnknownError(f"{symbol} is generic: {head.value} would be every function at once")
        _require_less(t, clause)
    return clause


def _head(t: Nameless, book: _Book) -> bool:
    """Whether these are arguments of a definition: different variables, and once 0 or n + 1."""
    sign = book.language.sign(t)
    variables = [x for a in t.args for x in _variables(a)]
    special = [a for a in t.args if a.op != "var"]
    plain = all(a.sort == sort for a, sort in zip(t.args, sign.args, strict=True))
    return (
        plain
        and len(set(variables)) == len(variables)
        and len(special) <= 1
        and all(a == num(0) or _successor(a) is not None for a in special)
    )


def _successor(t: Nameless) -> Nameless | None:
    """n, of n + 1 or 1 + n."""
    if t.op != "+" or len(t.args) != 2 or num(1) not in t.args:
        return None
    return next((a for a in t.args if a.op == "var" and a.sort == "Nat"), None)


def _variables(t: Nameless) -> list[Nameless]:
    """The variable of an argument."""
    return sorted(t.free, key=lambda x: x.text)


def _require_less(t: Nameless, clause: Clause) -> None:
    """Complain about the symbol itself, but at n if its value at n + 1 is said."""
    for node in t.walk():
        if node.op == "sym" and node.value == clause.head.value:
            at = node.args[clause.place] if clause.place is not None and clause.later else None
            if at is None:
                raise UnknownError(f"{node} is what is defined")
            assert clause.place is not None
            if at != _successor(clause.head.args[clause.place]):
                raise UnknownError(f"{node} is not earlier than {clause.head}")


# --- what occurs -------------------------------------------------------------------------------------


def _symbols(t: Nameless) -> set[str]:
    """The names of its symbols."""
    return {str(node.value) for node in t.walk() if node.op == "sym"}


def _parts(t: Nameless) -> Iterable[Nameless]:
    return t.args if t.op == "And" else (t,)


def _compared(t: Nameless, name: str, book: _Book) -> Span:
    """What a comparison of a symbol, at any arguments, with a number says."""
    if t.op not in RELATIONS:
        return ALL
    left, right = t.args
    found = ALL
    for one, other, above in ((left, right, False), (right, left, True)):
        own = one.op == "sym" and one.value == name and all(a.op == "var" for a in one.args)
        if own and other.number is not None and _head(one, book):
            low = other.number if above or t.op == "==" else None
            high = other.number if not above or t.op == "==" else None
            found = found.meet(Span.of(low, high, above and t.op == "<" and other.number >= 0))
    return found


def _integral(t: Nameless) -> bool:
    """Whether it is made of natural numbers by sums, differences and products."""
    whole = t.number is not None and t.number.denominator == 1
    return t.sort == "Nat" or whole or (t.op in ("+", "*", "^") and all(map(_integral, t.args)))


def _unknown(t: Nameless, book: _Book) -> set[str]:
    """The symbols under a mean that are not seen to be known at its level."""
    found: set[str] = set()
    for node in t.walk():
        if node.op not in MEANS:
            continue
        at = node.args[0] if node.op == "En" else None
        for inner in _opened(node.args[-1]):
            own = inner.op == "sym" and book.language.sign(inner).random
            if own and (at is None or not book.sight.known(inner, at)):
                found.add(str(inner.value))
    return found


def _opened(t: Nameless) -> Iterator[Nameless]:
    """All nodes, bound variables as fresh ones."""
    stack = [t]
    while stack:
        node = stack.pop()
        yield node
        if node.op in BINDERS:
            below = node.args[0] if node.op == "Sum" else None
            stack += [*node.args[:-1], opened(node.args[-1], fresh(str(node.value), node, below=below))]
        else:
            stack += node.args
