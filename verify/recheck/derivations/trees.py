"""Terms and formulas of derivations as trees in which bound variables have no names.

A bound variable is the number of binders between it and its own (de Bruijn); the body of a binder is its last
part.  Under a binder one works with the body *opened*: a fresh variable ``#k`` stands for the bound one.  If
``Sum(i, b, ...)`` binds it, it carries b, so that everything that is seen of it (i <= b - 1) is in the tree.

Trees are equal if they look the same.  Within one derivation :func:`node` gives the same object for the same
parts, so that most comparisons end before they begin; nothing but time depends on it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from operator import is_

from verify.recheck.intervals import UnknownError

BINDERS = frozenset({"Sum", "SumOver", "MaxOver", "Int", "Sup", "All"})
MEANS = frozenset({"E", "En"})  # E(u): (u,); E(u, n): (n, u)
RELATIONS = frozenset({"<=", "<", "=="})
CONNECTIVES = frozenset({"And", "Or", "Not", "Imp", "All", "Sure"})
FORMULA = "Formula"
_WHOLE = frozenset({"+", "*", "^", "Max", "Min", "Sum", "SumOver", "MaxOver"})  # of Nat: Nat
_NOTHING: frozenset[Nameless] = frozenset()
_SIZE, _HEIGHT, _BITS = 100_000, 70, 1 << 15

Number = int | Fraction


class Nameless:
    """One node: what it is, its parts, its value (number, name, index, exponent, bound sort), its sort."""

    __slots__ = ("_hash", "_text", "args", "free", "fresh", "height", "op", "reach", "size", "sort", "value")

    size: int
    height: int
    fresh: int
    free: frozenset[Nameless]

    def __init__(self, op: str, args: tuple[Nameless, ...], value: Number | str | None, sort: str):
        self.op, self.args, self.value, self.sort = op, args, value, sort
        size, height, reach, fresh = 1, 0, 0, 0
        free = _NOTHING
        for a in args:  # one loop: most of the time of a re-check is spent here
            size += a.size
            height = a.height if a.height > height else height
            fresh = a.fresh if a.fresh > fresh else fresh
            free = free | a.free if free and a.free else free or a.free
            reach = a.reach if a.reach > reach else reach
        if op in BINDERS and reach:
            reach = max(0, args[-1].reach - 1, *(a.reach for a in args[:-1]))
        self.size: int = size
        self.height: int = height + 1
        self.fresh: int = fresh
        self.free: frozenset[Nameless] = free
        if size > _SIZE or self.height > _HEIGHT:
            raise UnknownError("a term is too long or too deep")
        self.reach: int = reach
        self._hash = hash((op, args, value, sort))
        self._text = ""
        if op == "bound":
            assert isinstance(value, int)
            self.reach = value + 1
        elif op == "var":
            self.free = frozenset((self,))
            name = str(value)
            self.fresh = int(name[1:]) if name.startswith("#") else 0

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return (
            isinstance(other, Nameless)
            and self._hash == other._hash
            and (self.op, self.value, self.sort) == (other.op, other.value, other.sort)
            and self.args == other.args
        )

    @property
    def number(self) -> Fraction | None:
        """Its value, if it is a numeral."""
        return self.value if self.op == "num" and isinstance(self.value, Fraction) else None

    @property
    def text(self) -> str:
        """In words; different trees of one language have different texts."""
        if not self._text:
            self._text = _text(self)
        return self._text

    def walk(self) -> Iterator[Nameless]:
        """All nodes, from the outside."""
        stack = [self]
        while stack:
            node = stack.pop()
            yield node
            stack += node.args

    def __str__(self) -> str:
        return self.text if len(self.text) <= 160 else self.text[:157] + "..."


def _text(t: Nameless) -> str:
    parts = [a.text for a in t.args]
    match t.op:
        case "num" | "var":
            return str(t.value)
        case "bound":
            return f"%{t.value}"
        case "+" | "*":
            return f"({f' {t.op} '.join(parts)})"
        case "^":
            return f"{parts[0]}**{t.value}"
        case "inv":
            return f"(1/{parts[0]})"
        case "<=" | "<" | "==":
            return f"{parts[0]} {t.op} {parts[1]}"
        case "sym":
            return f"{t.value}({', '.join(parts)})" if parts else str(t.value)
        case "En":
            return f"E({parts[1]}, {parts[0]})"
        case "SumOver" | "MaxOver" | "All":
            return f"{t.op}({t.value}: {parts[0]})"
    return f"{t.op}({', '.join(parts)})"


_made: dict[tuple[object, ...], Nameless] = {}  # by parts, which a node keeps alive, and so their ids


def node(op: str, args: tuple[Nameless, ...], value: Number | str | None, sort: str) -> Nameless:
    """The node of these parts: the one that was made before, if there is one."""
    key = (op, value, sort, *map(id, args))
    found = _made.get(key)
    if found is None:
        found = _made[key] = Nameless(op, args, value, sort)
    return found


def forget() -> None:
    """Before the next derivation: nodes that are made again are equal to the old ones, not the same."""
    _made.clear()


def num(x: Number) -> Nameless:
    """A numeral."""
    key = (x.numerator, x.denominator)  # a Fraction takes long to be hashed
    found = _made.get(key)
    if found is None:
        value = Fraction(x)
        if max(value.numerator.bit_length(), value.denominator.bit_length()) > _BITS:
            raise UnknownError("a number is too long")
        sort = "Nat" if value.denominator == 1 and value >= 0 else "Real"
        found = _made[key] = Nameless("num", (), value, sort)
    return found


def var(name: str, sort: str, below: Nameless | None = None) -> Nameless:
    """A free variable; ``below`` is the bound of the sum that it runs through."""
    return node("var", () if below is None else (below,), name, sort)


def bound(index: int, sort: str) -> Nameless:
    """A bound variable: so many binders stand between it and its own."""
    return node("bound", (), index, sort)


def make(op: str, *args: Nameless, value: Number | str | None = None) -> Nameless:
    """A node whose sort follows from its parts."""
    if op in RELATIONS or op in CONNECTIVES:
        sort = FORMULA
    elif op == "Ind" or (op in _WHOLE and all(a.sort == "Nat" for a in args)):
        sort = "Nat"
    else:
        sort = "Real"
    if op in ("Sum", "Sup", "Int"):
        value = "Real" if op == "Int" else "Nat"
    return node(op, args, value, sort)


def minus(a: Nameless, b: Nameless) -> Nameless:
    """The difference, as it stands."""
    return make("+", a, make("*", num(-1), b))


def changed(t: Nameless, leaf: Callable[[Nameless, int], Nameless | None], depth: int = 0) -> Nameless:
    """The tree with nodes exchanged where ``leaf``, told the binders around, gives another."""
    other = leaf(t, depth)
    if other is not None:
        return other
    if not t.args or t.op == "var":
        return t
    args = [changed(a, leaf, depth) for a in t.args[:-1]]
    args.append(changed(t.args[-1], leaf, depth + (t.op in BINDERS)))
    if all(map(is_, args, t.args)):
        return t
    return node("sym", tuple(args), t.value, t.sort) if t.op == "sym" else make(t.op, *args, value=t.value)


def lifted(t: Nameless, by: int) -> Nameless:
    """The tree as it reads under ``by`` more binders."""

    def leaf(u: Nameless, depth: int) -> Nameless | None:
        if u.reach <= depth:
            return u
        if u.op == "bound" and isinstance(u.value, int):
            return bound(u.value + by, u.sort)
        return None

    return changed(t, leaf) if by and t.reach else t


def opened(body: Nameless, value: Nameless) -> Nameless:
    """The body of a binder with this put in for its bound variable."""

    def leaf(u: Nameless, depth: int) -> Nameless | None:
        if u.reach <= depth:
            return u
        if u.op == "bound" and isinstance(u.value, int):
            if u.value == depth:
                return lifted(value, depth)
            return bound(u.value - 1, u.sort)
        return None

    return changed(body, leaf)


def closed(t: Nameless, variable: Nameless) -> Nameless:
    """The body of a binder that binds this variable."""

    def leaf(u: Nameless, depth: int) -> Nameless | None:
        if u.reach <= depth and variable not in u.free:
            return u
        if u.op == "bound" and isinstance(u.value, int):
            return bound(u.value + 1, u.sort)
        return bound(depth, u.sort) if u == variable else None

    return changed(t, leaf)


def replaced(t: Nameless, put: dict[Nameless, Nameless]) -> Nameless:
    """Free variables replaced at once; whether that is allowed inside E(...) is not asked here."""

    def leaf(u: Nameless, depth: int) -> Nameless | None:
        if u.free.isdisjoint(put):
            return u
        return lifted(put[u], depth) if u in put else None

    return changed(t, leaf)


def fresh(sort: str, *near: Nameless, below: Nameless | None = None) -> Nameless:
    """A variable that occurs in none of these."""
    taken = max((t.fresh for t in (*near, *(() if below is None else (below,)))), default=0)
    return var(f"#{taken + 1}", sort, below)
