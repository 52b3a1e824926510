"""Putting values into a formula, without losing a part that they make undefined.

What is put in is folded: u - u is 0, and u/d is 1 once u and d are alike, whatever they are.  So nothing is
left of a *pole* (a divisor, a logarithm, a gamma function; e^(-w log d) is 1/d once w is 1) to tell that it
has no value, where the formula means its limit: (n - 2) Γ(n - 2) is 1 at n = 2, not 0.  Whoever puts
something in asks here first.

*Generic.*  A formula without Abs, Max and Min is analytic where it is defined; a pole that has a value at one
point has none on a thin set at most, so what is cancelled there is a removable singularity.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from verify.recheck.intervals import Interval, UnknownError, point
from verify.recheck.series import Box, inside, range_of
from verify.recheck.terms import Term, mapped, put

KINKS = ("Abs", "Max", "Min")
_POLES = ("log", "log1pr", "gamma", "loggamma", "polygamma")


def try_range(f: Term, box: Box) -> Interval | None:
    """Where its values lie, or ``None`` if it may be undefined."""
    try:
        return range_of(f, box)
    except UnknownError:
        return None


def poles(f: Term) -> Iterator[Term]:
    """The parts that may be infinite: divisors, powers with a variable exponent, logarithms, gamma."""
    for t in f.walk():
        exponent = t.args[1].value if t.is_power else None
        if t.op in _POLES or (t.is_power and (exponent is None or exponent < 0)):
            yield t


def divides(f: Term, here: Mapping[str, Term], box: Box) -> bool:
    """Whether no pole that the values meet is left without a value at any point of the box."""
    met = [t for t in poles(f) if t.names & set(here)]
    try:
        return all(try_range(put(t, here), box) is not None for t in met)
    except UnknownError:  # divides by 0
        return False


def generic(t: Term, box: Box) -> bool:
    """Whether a formula is seen to have values at most points of the box."""
    if try_range(t, box) is not None:
        return True
    kinks = any(e.op in KINKS for e in t.walk())
    return not kinks and any(try_range(t, at) is not None for at in samples(box))


def placed(f: Term, new: Mapping[Term, Term]) -> Term:
    """With terms replaced, and nothing cancelled: u/d - u/d is not 0 where d is."""
    return mapped(f, lambda e: new.get(e, e), fold=False)


def samples(box: Box, count: int = 6, *, near: bool = False) -> Iterator[Box]:
    """Some inner points of the box, with the variables in different orders; or with equal places in each."""
    for i in range(count):
        yield {
            name: point(inside(x, 7)[(3 * i + (0 if near else 2 * j) + 1) % 7 if not x.single else 0])
            for j, (name, x) in enumerate(sorted(box.items()))
        }
