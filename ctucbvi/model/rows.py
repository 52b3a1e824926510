r"""One action in one state: its rate, what it earns, and where it jumps.

Besides the reward :math:`r` per unit of time a *lump* :math:`\varrho(y)` may be earned at the jump to
:math:`y`.  With :math:`\tau` the exponential holding time and :math:`c = \sum_y p(y)\varrho(y)`,

.. math:: E[c\,1\{\tau \le t\}] = c\,(1 - e^{-\lambda t}) = E[\lambda c\,\min(\tau, t)] ,

so that lumps earn what the rate :math:`\lambda c` earns: in the operator :math:`\mathcal T^a` of the
committed problem, whatever function it is applied to, truncated or not, and in the equation of the
adjustable one, where :math:`\lambda\sum_y p(y)(\varrho(y) + v(y) - v(x))` says so.

**For choosing** an action :math:`c(x,a)` may be earned at once, and **at the end** :math:`g(x,a)` if it is
held then (else the state's :math:`g(x)`).  Under commitment, with :math:`Q_a` the value once :math:`a` is
chosen,

.. math:: Q_a' = r - \lambda Q_a + \lambda\sum_y p(y)V(y),\quad Q_a(0) = g(x,a),\quad
          V = \max_a\,[c(x,a) + Q_a] ,

and :math:`\hat Q_a = c + Q_a` solves the same equation with the reward :math:`r + \lambda c`, from
:math:`\hat Q_a(0) = c + g`, and :math:`V = \max_a \hat Q_a`.  So both are one thing, a value that a pair
starts from (:attr:`Pair.start`); this holds for the operator too, applied to whatever function, truncated or
not.  At remaining time 0, where nothing is chosen any more, :math:`V` is the limit by convention.

Hence the :attr:`Transition.gain`, exactly :math:`r + \lambda(\sum_y p(y)\varrho(y) + c)`, and the start are
all that a planner needs.
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
_ZERO, _ONE = Fraction(0), Fraction(1)


@dataclass(frozen=True, slots=True, repr=False)
class Transition:
    """What one action does in one state."""

    state: str
    action: str
    rate: Fraction  # λ(x,a) ≥ 0
    reward: Fraction  # r(x,a)
    to: Numbers  # p(·|x,a), positive entries only; () if the rate is 0
    lump: Numbers = ()  # ϱ(x,a,·), earned at the jump; entries that are not 0 only
    choice: Fraction = _ZERO  # c(x,a), earned at once when the action is chosen
    terminal: Fraction | None = None  # g(x,a), earned at the end if it is held; None: the state's

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
        choice: Number = 0,
        terminal: Number | None = None,
    ) -> Transition:
        """A transition from numbers of any exact kind: ``Fraction``, ``int``, ``"17/20"``, ``"0.85"``.

        ``lump`` is earned at the jump: one number, or one for each target.  ``choice`` is earned at once when
        the action is chosen, ``terminal`` at the end if it is held then, in the place of the state's.
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
            exact(choice, f"{where}: choice"),
            None if terminal is None else exact(terminal, f"{where}: terminal"),
        )

    def __repr__(self) -> str:
        """All of it; what few transitions have is left out where it is not there."""
        given = [name for name in self.__slots__ if name != "choice" and name != "terminal"]
        given += ["choice"] if self.choice else []
        given += [] if self.terminal is None else ["terminal"]
        return f"Transition({', '.join(f'{name}={getattr(self, name)!r}' for name in given)})"

    @property
    def gain(self) -> Fraction:
        """The reward per unit of time that planners know: ``r + λ (Σ p(y) ϱ(y) + c)``."""
        if not (self.lump or self.choice):
            return self.reward
        lumps = dict(self.lump)
        return self.reward + self.rate * sum((p * lumps.get(y, 0) for y, p in self.to), self.choice)

    def start(self, ends: Fraction) -> Fraction:
        """The value that planners start from, ``c(x,a) + g(x,a)``; ``ends`` is the state's ``g(x)``."""
        own = ends if self.terminal is None else self.terminal
        return self.choice + own if self.choice else own


@dataclass(frozen=True, slots=True)
class Pair:
    """A state–action pair by index, the form the planners compute with."""

    state: int
    action: int
    rate: Fraction
    reward: Fraction  # the gain: lumps and what is earned for choosing included
    to: tuple[tuple[int, Fraction], ...]
    start: Fraction = _ZERO  # its value at remaining time 0


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


def different(numbers: Sequence[Fraction]) -> Iterable[Fraction]:
    """Each object once: of many numbers most are one object, and to compute with a fraction takes long."""
    return dict(zip(map(id, numbers), numbers, strict=True)).values()


def choices(names: Iterable[str], wrong: object = "") -> str:
    """What to write instead of a name that is none of these; of many, those like ``wrong`` come first."""
    listed = [name if name.isprintable() else repr(name) for name in names]
    if wrong and len(listed) > 8:
        near = get_close_matches(str(wrong)[:100], listed, n=3)
        listed = list(dict.fromkeys([*near, *listed]))
    return "choose from: " + ", ".join(listed[:8]) + (", ..." if len(listed) > 8 else "")


def check_names(kind: str, names: tuple[str, ...]) -> None:
    """Refuse what cannot be the names of a model's states, or actions."""
    if not names:
        raise ModelError(f"{kind}s: none given; a model needs at least one {kind}")
    if all_differ(names):
        return
    seen: set[str] = set()
    for i, name in enumerate(names):
        if not isinstance(name, str) or not name.strip() or not name.isprintable():
            raise ModelError(f"{kind}s: entry {i + 1} is {name!r}; write a non-empty printable name")
        if name in seen:
            raise ModelError(f"{kind}s: {name!r} is listed twice; names must differ")
        seen.add(name)


def all_differ(names: Sequence[object]) -> bool:
    """Whether these are names that differ: seen a lot faster than what is wrong if they are not."""
    plain = [name for name in names if type(name) is str]
    good = all(map(str.isprintable, plain)) and all(map(str.strip, plain))
    return good and len(set(plain)) == len(names)


def check_row(row: Transition, states: Mapping[str, int], actions: Mapping[str, int]) -> None:
    """Refuse a transition that cannot be one of a model with these states and actions."""

    def fail(what: str) -> NoReturn:
        raise ModelError(f"transition of state {row.state!r}, action {row.action!r}: {what}")

    if row.state not in states:
        fail(f"{row.state!r} is not a state; {choices(states, row.state)}")
    if row.action not in actions:
        fail(f"{row.action!r} is not an action; {choices(actions)}")
    ends = () if row.terminal is None else (row.terminal,)
    for number in (row.rate, row.reward, row.choice, *ends, *[n for _, n in row.to + row.lump]):
        if not isinstance(number, Fraction):
            fail("its numbers are not all fractions; build it with Transition.of")
    if row.rate.numerator < 0:
        fail(f"rate {shown(row.rate)} is negative; write 0 or more")
    for y, p in row.to:
        if y not in states:
            fail(f"jumps to {y!r}, which is not a state; {choices(states, y)}")
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
