"""Equal polynomials: ``ring`` or ``field``, and what these do not know of indicators and exponentials."""

from __future__ import annotations

from fractions import Fraction
from math import gcd, lcm

from verify.coq.derivations.words import Words
from verify.recheck.derivations.polynomials import ring, tree
from verify.recheck.derivations.trees import Nameless, make, num

Power = tuple[tuple[str, int], ...]


class Rings:
    """Tactics for equations between polynomials in parts of normal form."""

    def __init__(self, words: Words, raw: Words):
        self.words, self.raw = words, raw

    def equal(self, left: Nameless, right: Nameless, raw: Words | None = None) -> str:
        """``left = right``; the parts of both read alike where they are the same."""
        if (raw or self.words).real(left) == self.words.real(right):
            return "reflexivity"
        atoms: dict[str, Nameless] = {}
        one, two = self._expanded(left, atoms), self._expanded(right, atoms)
        whole = all(x.denominator == 1 for t in (left, right) for x in _numerals(t))
        how = "ring" if whole else "field"
        if one == two:
            return how
        squares = [f"(ind_square ({self.words.formula(a.args[0])}))" for a in atoms.values() if a.op == "Ind"]
        exponentials = [a for a in atoms.values() if a.op == "exp"]
        if not exponentials:
            return f"{how} [{' '.join(squares)}]" if squares else how
        rows, more = self._exponentials(exponentials)
        hints = [*squares, *more]
        return f"({'; '.join(rows)}; {how}{f' [{chr(32).join(hints)}]' if hints else ''})"

    def _expanded(self, t: Nameless, atoms: dict[str, Nameless]) -> dict[Power, Fraction]:
        """Multiplied out, without any other identity."""
        if t.op == "num":
            return {(): t.number} if t.number else {}
        if t.op == "+":
            found: dict[Power, Fraction] = {}
            for a in t.args:
                for m, c in self._expanded(a, atoms).items():
                    found[m] = found.get(m, Fraction(0)) + c
            return {m: c for m, c in found.items() if c}
        if t.op == "*" or t.op == "^":
            parts = t.args if t.op == "*" else t.args * int(t.value or 0)
            product: dict[Power, Fraction] = {(): Fraction(1)}
            for a in parts:
                product = _times(product, self._expanded(a, atoms))
            return product
        text = self.words.real(t)
        atoms[text] = t
        return {((text, 1),): Fraction(1)}

    def _exponentials(self, atoms: list[Nameless]) -> tuple[list[str], list[str]]:
        """Each as a product of powers of a few, whose reciprocals are among them."""
        units: dict[Nameless, Fraction] = {}
        for a in atoms:
            for m, c in ring(a.args[0]).items():
                key = tree({m: Fraction(1)})
                size = abs(Fraction(c))
                units[key] = _common(units[key], size) if key in units else size
        rows, hints = [], []
        for k, (base, unit) in enumerate(units.items()):
            up, down = (self.words.real(make("*", num(sign * unit), base)) for sign in (1, -1))
            rows.append(f"pose proof (exp_both ({up}) ({down}) ltac:(field)) as X{k}")
            hints.append(f"X{k}")
        for a in atoms:
            parts = []
            for m, c in ring(a.args[0]).items():
                key = tree({m: Fraction(1)})
                times = abs(Fraction(c)) / units[key]
                exponent = make("*", num(units[key] if c > 0 else -units[key]), key)
                parts.append(f"exp ({self.words.real(exponent)}) ^ {times}")
            rows.append(f"rewrite (ltac:(exponentials) : {self.words.real(a)} = {' * '.join(parts)})")
        return rows, hints


def _common(a: Fraction, b: Fraction) -> Fraction:
    """The largest number of which both are multiples."""
    below = lcm(a.denominator, b.denominator)
    return Fraction(gcd(int(a * below), int(b * below)), below)


def _times(a: dict[Power, Fraction], b: dict[Power, Fraction]) -> dict[Power, Fraction]:
    found: dict[Power, Fraction] = {}
    for m, x in a.items():
        for n, y in b.items():
            powers = dict(m)
            for t, k in n:
                powers[t] = powers.get(t, 0) + k
            key = tuple(sorted(powers.items()))
            found[key] = found.get(key, Fraction(0)) + x * y
    return {m: c for m, c in found.items() if c}


def _numerals(t: Nameless) -> list[Fraction]:
    if t.number is not None:
        return [t.number]
    return [x for a in t.args for x in _numerals(a)] if t.op in ("+", "*", "^") else []
