r"""The conditions under which a constant is a number, or a bound is proved, decided exactly.

A condition is a relation between rationals, or between a rational and a logarithm (or
:math:`e^2`, :math:`\sqrt e`) of one.  The second kind is transcendental where it matters, so that the two
sides are never equal and balls of growing precision tell them apart.  Every test is total: it
answers for numbers out of range as well, and divides by nothing.

``eq:G/repaired``, under which :math:`P(\mathcal G^c) \le 2\delta` is proved, has the four conditions of
:data:`EVENT`; the theorems with :math:`\delta = 1/(2KH)` do without them.  Each of them, once it holds, holds
for every larger :math:`K \ge 2`: :math:`25^K\ln(2SAK/\delta)/(K-1)`, :math:`K^2` and :math:`K^2/(K-1)`
increase.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from flint import arb

from ctucbvi.bounds.parameters import Parameters
from ctucbvi.bounds.poisson_tails import LARGEST_MEAN
from ctucbvi.errors import UndecidedError
from ctucbvi.exact.precision import BALLS, precision

_MOST_BITS = 1 << 17
_HALF = Fraction(1, 2)


@dataclass(frozen=True)
class Condition:
    """A relation between parameters, as text and as a test."""

    text: str
    test: Callable[[Parameters], bool]

    def holds(self, p: Parameters) -> bool:
        """Whether the relation is true."""
        return self.test(p)


@dataclass(frozen=True)
class Checked:
    """What became of a list of conditions."""

    found: tuple[tuple[str, bool], ...]

    @property
    def hold(self) -> bool:
        """Whether all of them hold."""
        return all(holds for _, holds in self.found)

    @property
    def failing(self) -> tuple[str, ...]:
        """Those that do not."""
        return tuple(text for text, holds in self.found if not holds)


def check(conditions: Sequence[Condition], p: Parameters) -> Checked:
    """Test them all."""
    return Checked(tuple((condition.text, condition.holds(p)) for condition in conditions))


def surely_less(left: Callable[[], arb], right: Callable[[], arb]) -> bool:
    """Whether the left number is below the right one, for two numbers that are not equal."""
    bits = 64
    while bits <= _MOST_BITS:
        with precision(bits):
            a, b = left(), right()
            if a < b:
                return True
            if a > b:
                return False
        bits *= 2
    raise UndecidedError(f"two numbers cannot be told apart with {_MOST_BITS} bits")


def _in_range(p: Parameters) -> bool:
    return p.states >= 1 and p.actions >= 1 and p.episodes >= 1 and p.horizon > 0


def _admissible(p: Parameters) -> bool:
    """``0 < δ < 1``, for either δ."""
    if p.delta is None:
        return 2 * p.episodes * p.horizon > 1
    return 0 < p.delta < 1


def _proof_delta(p: Parameters) -> bool:
    return p.episodes >= 1 and 2 * p.episodes * p.horizon > 1


def _jumps(p: Parameters) -> bool:
    """``2^S SAHK² >= δ`` without forming ``2^S`` for a large S."""
    if not _in_range(p):
        return False
    needed = p.confidence / (p.states * p.actions * p.horizon * p.episodes * p.episodes)
    return p.states >= needed.numerator.bit_length() or 2**p.states >= needed


def _peels(p: Parameters) -> bool:
    """``λmax (K-1) H <= 25^K L(δ)``; L(δ) > 2.7 for every admissible δ."""
    if not (_in_range(p) and _admissible(p)):
        return False
    size = p.load * (p.episodes - 1)
    if size <= 0 or 4 * p.episodes > size.numerator.bit_length():
        return True
    confidence = 2 * p.states * p.actions * p.episodes / p.confidence
    return surely_less(
        lambda: BALLS.number(size / 25**p.episodes), lambda: 4 * BALLS.log_of(Fraction(confidence))
    )


def _no_data(p: Parameters) -> bool:
    """``2^S SAHK² >= √e δ``."""
    if not (_in_range(p) and _admissible(p)):
        return False
    size = p.states * p.actions * p.horizon * p.episodes * p.episodes / p.confidence
    return surely_less(lambda: BALLS.number(_HALF), lambda: BALLS.log_of(size, p.states))


def _fast(p: Parameters) -> bool:
    """``e² λmax (K-1) <= K²``."""
    if p.episodes <= 1 or p.lambda_max <= 0:
        return p.episodes >= 1
    ratio = Fraction(p.episodes * p.episodes) / (p.lambda_max * (p.episodes - 1))
    return surely_less(lambda: arb(2).exp(), lambda: BALLS.number(ratio))


def _tail(p: Parameters) -> bool:
    """``HK² >= ln(2^(S-1)/δ)``."""
    if not (_in_range(p) and _admissible(p)):
        return False
    size = p.horizon * p.episodes * p.episodes
    return surely_less(lambda: BALLS.log_of(1 / p.confidence, p.states - 1), lambda: BALLS.number(size))


def _slow(p: Parameters) -> bool:
    return p.lambda_min is not None and 0 < p.lambda_min <= p.lambda_max


def _accurate(p: Parameters) -> bool:
    """``ε_k λmax H <= 1/√k``: with the factor ``e^-v`` always (``ve^-v < 1``), else for ``v <= 1``."""
    return p.epsilon.zero or (p.epsilon.exponent >= _HALF and (p.epsilon.scaled or p.load <= 1))


def _shallow(p: Parameters) -> bool:
    return p.depth is not None and p.depth < p.load


STATES = Condition("S >= 1", lambda p: p.states >= 1)
ACTIONS = Condition("A >= 1", lambda p: p.actions >= 1)
EPISODES = Condition("K >= 1", lambda p: p.episodes >= 1)
HORIZON = Condition("H > 0", lambda p: p.horizon > 0)
LAMBDA_MAX = Condition("lambda_max > 0", lambda p: p.lambda_max > 0)
DATA = Condition("T >= 0 and N >= 0", lambda p: p.time >= 0 and p.n_plus >= 0)
SUMMED = Condition(f"lambda_max H <= {LARGEST_MEAN}", lambda p: p.load <= LARGEST_MEAN)
LAMBDA_MIN = Condition("0 < lambda_min <= lambda_max", _slow)
DELTA = Condition("0 < delta < 1", _admissible)
OWN_DELTA = Condition("delta is given", lambda p: p.delta is not None)
REPLAN = Condition("eta >= 0 is given", lambda p: p.replan is not None and p.replan >= 0)
SEVERAL = Condition("K >= 2", lambda p: p.episodes >= 2)
JUMPS = Condition("2^S S A H K^2 >= delta", _jumps)
REAL = Condition(
    "2 S A K H >= 1", lambda p: _in_range(p) and 2 * p.states * p.actions * p.episodes * p.horizon >= 1
)
PROOF_DELTA = Condition("K H > 1/2", _proof_delta)
FAST_AND_LONG = Condition("lambda_max > 1 and H > 1", lambda p: p.lambda_max > 1 and p.horizon > 1)
ACCURATE = Condition("epsilon_k <= 1/(lambda_max H sqrt(k)) for all k", _accurate)
SIZES = (STATES, ACTIONS, EPISODES, HORIZON, LAMBDA_MAX)
EVENT = (
    Condition("lambda_max (K-1) H <= 25^K L(delta)", _peels),
    Condition("2^S S A H K^2 >= sqrt(e) delta", _no_data),
    Condition("e^2 lambda_max (K-1) <= K^2", _fast),
    Condition("H K^2 >= ln(2^(S-1)/delta)", _tail),
)
SIX = Condition("S >= 6 and A >= 2", lambda p: p.states >= 6 and p.actions >= 2)
TREE = (
    SIX,
    Condition("S = 2 + (A^d - 1)/(A - 1) for a whole number d", lambda p: p.depth is not None),
)
TURNS = (
    Condition("S >= 8 and A >= 2", lambda p: p.states >= 8 and p.actions >= 2),
    Condition("S = 4 + (A^d - 1)/(A - 1) for a whole number d", lambda p: p.depth_with_turns is not None),
)
ENOUGH = Condition("K >= S A/2", lambda p: 2 * p.episodes >= p.states * p.actions)
SHALLOW = Condition("d < lambda_max H", _shallow)
