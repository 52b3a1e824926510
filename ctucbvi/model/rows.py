r"""One action in one state: its rate, what it earns, and where it jumps.

Besides the reward :math:`r` per unit of time a *lump* :math:`\varrho(y)` may be earned at the jump to
:math:`y`.  With :math:`\tau` the exponential holding time and :math:`c = \sum_y p(y)\varrho(y)`,

.. math:: E[c\,1\{\tau \le t\}] = c\,(1 - e^{-\lambda t}) = E[\lambda c\,\min(\tau, t)] ,

so that lumps earn what the rate :math:`\lambda c` earns: in the operator :math:`\mathcal T^a` of the
committed problem, whatever function it is applied to, truncated or not, and in the equation of the
adjustable one, where :math:`\lambda\sum_y p(y)(\varrho(y) + v(y) - v(x))` says so.  Hence the
:attr:`Transition.gain`, exactly :math:`r + \lambda c`, is all that a planner needs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from fractions import Fraction
from math import lcm
from numbers import Rational
from typing import NoReturn

from ctucbvi.errors import ModelError
from ctucbvi.numbers import exact, shown

Number = Rational | int | float | str
Numbers = tuple[tuple[str, Fraction], ...]  # by target
_ONE = Fraction(1)


@dataclass(frozen=True, slots=True)
class Transition:
    """What one action does in one state."""

    state: str
    action: str
    rate: Fraction  # λ(x,a) ≥ 0
    reward: Fraction  # r(x,a)
    to: Numbers  # p(·|x,a), positive entries only; () if the rate is 0
    lump: Numbers = ()  # ϱ(x,a,·), earned at the jump; entries that are not 0 only

    @classmethod
    def of(
        cls,
        state: str,
        action: str,
        *,
        rate: Number,
        reward: Number,
        to: Mapping[str, Number] | None = None,
        lump: Number | Mapping[str, Number] = 0,
    ) -> Transition:
        """A transition from numbers of any exact kind: ``Fraction``, ``int``, ``"17/20"``, ``"0.85"``.

        ``lump`` is earned at the jump: one number, or one for each target.
        """
        where = f"transition of state {state!r}, action {action!r}"
        if to is not None and not isinstance(to, Mapping):
            raise ModelError(f"{where}: to is not a mapping; write {{target: probability}}")
        row = {  # a message is made where it may be needed: it takes longer than all else
            y: p if type(p) is Fraction else exact(p, f"{where}: probability of {y!r}")
            for y, p in (to or {}).items()
        }
        lumps: Fraction | dict[str, Fraction]
        if isinstance(lump, Mapping):
            lumps = {y: exact(c, f"{where}: lump at the jump to {y!r}") for y, c in lump.items()}
        else:
            lumps = exact(lump, f"{where}: lump")
        targets = tuple([(y, p) for y, p in row.items() if p.numerator])
        return cls(
            state,
            action,
            exact(rate, f"{where}: rate"),
            exact(reward, f"{where}: reward"),
            targets,
            by_target(lumps, targets, where),
        )

    @property
    def gain(self) -> Fraction:
        """What is earned per unit of time in expectation: ``r + λ Σ p(y) ϱ(y)``, lumps included."""
        if not self.lump:
            return self.reward
        lumps = dict(self.lump)
        return self.reward + self.rate * sum((p * lumps.get(y, 0) for y, p in self.to), Fraction(0))


@dataclass(frozen=True, slots=True)
class Pair:
    """A state–action pair by index, the form the planners compute with."""

    state: int
    action: int
    rate: Fraction
    reward: Fraction  # the gain: lumps included
    to: tuple[tuple[int, Fraction], ...]


def by_target(lumps: Fraction | Mapping[str, Fraction], to: Numbers, where: str) -> Numbers:
    """Lumps that are not 0, in the order of the targets; ``where`` opens the message about a wrong one."""
    if isinstance(lumps, Fraction):
        if lumps and not to:
            raise ModelError(f"{where}: a lump of {shown(lumps)}, but it never jumps; leave it out")
        return tuple((y, lumps) for y, _ in to) if lumps else ()
    targets = dict(to)
    for y, c in lumps.items():
        if c and y not in targets:
            raise ModelError(f"{where}: a lump at the jump to {y!r}, where it never jumps; leave it out")
    return tuple((y, lumps[y]) for y in targets if lumps.get(y))


def choices(names: Iterable[str], wrong: object = "") -> str:
    """What to write instead of a name that is none of these; of many, those like ``wrong`` come first."""
    listed = [name if name.isprintable() else repr(name) for name in names]
    if wrong and len(listed) > 8:
        near = get_close_matches(str(wrong)[:100], listed, n=3)
        listed = list(dict.fromkeys([*near, *listed]))
    return "choose from: " + ", ".join(listed[:8]) + (", ..." if len(listed) > 8 else "")


def check_row(row: Transition, states: Mapping[str, int], actions: Mapping[str, int]) -> None:
    """Refuse a transition that cannot be one of a model with these states and actions."""

    def fail(what: str) -> NoReturn:
        raise ModelError(f"transition of state {row.state!r}, action {row.action!r}: {what}")

    if row.state not in states:
        fail(f"{row.state!r} is not a state; {choices(states, row.state)}")
    if row.action not in actions:
        fail(f"{row.action!r} is not an action; {choices(actions)}")
    for number in (row.rate, row.reward, *[p for _, p in row.to], *[c for _, c in row.lump]):
        if not isinstance(number, Fraction):
            fail("its numbers are not all fractions; build it with Transition.of")
    if row.rate.numerator < 0:
        fail(f"rate {shown(row.rate)} is negative; write 0 or more")
    for y, p in row.to:
        if y not in states:
            fail(f"jumps to {y!r}, which is not a state; {choices(states, row.state)}")
        if p.numerator < 0:
            fail(f"probability of {y!r} is {shown(p)}; write a number from 0 to 1")
        if p.numerator == 0:
            fail(f"probability of {y!r} is 0; leave it out")
    if len({y for y, _ in row.to}) != len(row.to):
        fail("a target state is listed twice; add the probabilities up")
    if row.rate.numerator or row.to:
        total = total_of([p for _, p in row.to])
        if total != 1:
            fail(f"probabilities sum to {shown(total)}, not exactly 1; correct one of them")
    if row.lump and row.rate == 0:
        fail("a lump at a jump, but the rate is 0; leave one of them out")
    where = f"transition of state {row.state!r}, action {row.action!r}" if row.lump else ""
    if row.lump and by_target(dict(row.lump), row.to, where) != row.lump:
        fail("lumps that are 0, or not in the order of the targets; use Transition.of")


def total_of(numbers: Sequence[Fraction]) -> Fraction:
    """Their sum; over one common denominator, which is a lot faster than one by one."""
    common = lcm(*[n.denominator for n in numbers])
    total = sum([n.numerator * (common // n.denominator) for n in numbers])
    return _ONE if total == common else Fraction(total, common)
