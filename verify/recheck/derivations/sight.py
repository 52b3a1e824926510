"""What is seen of a term from its form: random or not, known at a level, bounded (*tame*), a lower bound.

*Tame* in moving things M (real variables, and ω): bounded while these range over a bounded set.  Three places
where the reason needs more than the words of the specification:

* E(u) is a mean over all ω: to stay bounded while s moves, u has to be bounded over s *and* ω;
* ``Sup(n, j(n))`` of natural numbers j(n), each bounded, need not be bounded: it really moves;
* ``Int(s, t, j(s))`` of a random natural number takes infinitely many values: it really moves.
"""

from __future__ import annotations

from fractions import Fraction

from verify.recheck.derivations.languages import Language
from verify.recheck.derivations.polynomials import difference, natural, ring, scaled, total
from verify.recheck.derivations.trees import BINDERS, Nameless, fresh, opened, replaced, var

_BOUNDED = frozenset({"+", "*", "^", "Max", "Min", "Abs", "exp", "sqrt", "sym"})
_LONGEST = 64  # exponent of a floor that is computed


class Moving:
    """Real variables that move, and whether ω does."""

    __slots__ = ("omega", "reals")

    def __init__(self, reals: frozenset[Nameless] = frozenset(), omega: bool = False):
        self.reals, self.omega = reals, omega

    def key(self) -> tuple[frozenset[Nameless], bool]:
        """What it is."""
        return self.reals, self.omega


OMEGA = Moving(omega=True)


class Sight:
    """The questions about terms of one language."""

    def __init__(self, language: Language):
        self.language = language
        self._random: dict[Nameless, bool] = {}
        self._tame: dict[tuple[Nameless, frozenset[Nameless], bool], bool] = {}

    # ------------------------------------------------------------ random and known

    def random(self, t: Nameless) -> bool:
        """Whether it contains a random symbol outside of E(...)."""
        if t not in self._random:
            own = t.op == "sym" and self.language.sign(t).random
            # E(...) and Sure(...) bind ω; a variable is a value, even one that runs up to a random bound.
            self._random[t] = own or (t.op not in ("E", "Sure", "var") and any(map(self.random, t.args)))
        return self._random[t]

    def known(self, t: Nameless, level: Nameless) -> bool:
        """Whether it is seen to be known at this level."""
        if not self.random(t):
            return True
        if t.op == "En":
            m, body = t.args
            return not self.random(m) and (self.seen(m, level) or self.known(body, level))
        if t.op == "sym" and not self._sign_known(t, level):
            return False
        parts = list(t.args)
        if t.op in BINDERS:  # i < b holds wherever the body of Sum(i, b, ...) counts
            below = t.args[0] if t.op == "Sum" else None
            parts[-1] = opened(t.args[-1], fresh(str(t.value), t, level, below=below))
        return all(self.known(a, level) for a in parts)

    def _sign_known(self, t: Nameless, level: Nameless) -> bool:
        sign = self.language.sign(t)
        if not sign.random:
            return True
        if sign.level is None:
            return False
        put = {var(f"_{k}", "Nat"): a for k, a in enumerate(t.args, 1)}
        mentioned = [a for v, a in put.items() if v in sign.level.free]
        return not any(map(self.random, mentioned)) and self.seen(replaced(sign.level, put), level)

    def seen(self, m: Nameless, n: Nameless) -> bool:
        """Whether m <= n is seen: n - m has no negative coefficient, the variables of sums at their worst."""
        gap = difference(ring(n), ring(m))
        running = {t for mono in gap for t, _ in mono if t.op == "var" and t.args}
        while running:  # the inner ones first: their bounds may mention the outer ones
            i = max(running, key=lambda t: t.fresh)
            c = gap.get(((i, 1),), Fraction(0))
            if c < 0:
                last = total([ring(i.args[0]), {(): Fraction(-1)}])
                gap = total([gap, {((i, 1),): -c}, scaled(last, c)])
            running = {t for mono in gap for t, _ in mono if t.op == "var" and t.args and t.fresh < i.fresh}
        return natural(gap)

    # ------------------------------------------------------------ tame

    def tame(self, t: Nameless, moving: Moving) -> bool:
        """Whether it is seen to be bounded while these move in a bounded set."""
        key = (t, *moving.key())
        if key not in self._tame:
            self._tame[key] = not self._moves(t, moving) or self._tame_form(t, moving)
        return self._tame[key]

    def _moves(self, t: Nameless, moving: Moving) -> bool:
        return not t.free.isdisjoint(moving.reals) or (moving.omega and self.random(t))

    def _tame_form(self, t: Nameless, moving: Moving) -> bool:
        if t.op in ("var", "Ind"):
            return True
        if t.op in ("E", "En"):  # the mean is over all ω, whatever else moves
            return all(self.tame(a, Moving(moving.reals, True)) for a in t.args)
        if t.op in ("Sum", "Int"):
            inner = fresh(str(t.value), t, *moving.reals)
            more = frozenset((inner,)) if t.op == "Int" else frozenset()
            body = opened(t.args[1], inner)
            return self.tame(t.args[0], moving) and self.tame(body, Moving(moving.reals | more, moving.omega))
        if t.op in ("SumOver", "MaxOver"):
            return self.tame(opened(t.args[0], fresh(str(t.value), t, *moving.reals)), moving)
        if t.op in _BOUNDED:
            return all(self.tame(a, moving) for a in t.args)
        if t.op == "inv":
            floor = self.floor(t.args[0])
            if floor is not None and floor > 0:
                return True
        return not self._really(t, moving)  # it takes finitely many values

    def _really(self, t: Nameless, moving: Moving) -> bool:
        """Whether it may take infinitely many values."""
        if not self._moves(t, moving):
            return False
        if not t.free.isdisjoint(moving.reals) or t.op in ("En", "Int", "Sup"):
            return True
        own = t.op == "sym" and t.sort == "Real" and self.language.sign(t).random
        return own or any(self._really(a, moving) for a in t.args)

    # ------------------------------------------------------------ floors

    def floor(self, t: Nameless) -> Fraction | None:
        """A rational lower bound that is seen, or None."""
        zero = Fraction(0) if t.sort == "Nat" else None
        return max((f for f in (zero, self._floor(t)) if f is not None), default=None)

    def _floor(self, t: Nameless) -> Fraction | None:
        below = [self.floor(a) for a in t.args]
        seen = [f for f in below if f is not None]
        every = len(seen) == len(below)
        match t.op:
            case "num":
                return t.number
            case "exp" | "Abs" | "Ind":
                return Fraction(0)
            case "inv" if t.args[0].number:
                return 1 / t.args[0].number
            case "sqrt":
                return min(Fraction(1), seen[0]) if every and seen[0] > 0 else Fraction(0)
            case "^" if isinstance(t.value, int):
                if every and seen[0] >= 0:  # a repeated product
                    return seen[0] ** t.value if t.value <= _LONGEST else Fraction(0)
                return Fraction(0) if t.value % 2 == 0 else None
            case "Max":
                return max(seen, default=None)
            case "Min":
                return min(seen) if every else None
            case "+":
                return sum(seen, Fraction(0)) if every else None
            case "*":
                if t.args[0].number is not None and all(a.op == "Ind" for a in t.args[1:]):
                    return min(t.args[0].number, Fraction(0))  # indicators are at most 1
                return _product(seen) if every and min(seen) >= 0 else None
            case "Sum" | "SumOver" | "Int" | "E" | "En":
                return Fraction(0) if below[-1] is not None and below[-1] >= 0 else None
        return None


def _product(factors: list[Fraction]) -> Fraction:
    found = Fraction(1)
    for f in factors:
        found *= f
    return found
