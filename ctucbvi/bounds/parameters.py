r"""What the constants of the paper depend on, in exact rationals.

The sizes :math:`S, A, H, K`, the rates :math:`\lambda_{\max}, \lambda_{\min}`, the confidence :math:`\delta`
and the accuracies :math:`\epsilon_k`; besides, for the radii of one pair, the time :math:`T` spent at it
and the number :math:`N^+` of observed jumps from it; and, for a learner that keeps its plans, the part
:math:`\eta` by which data may have grown.

Numbers out of range are allowed here: each constant carries the conditions under which it is a
number, and says which one fails.  Without a :math:`\delta` of one's own it is the one that the proof of
``thm:CT-UCB`` takes, :math:`1/(2KH)`.

:func:`symbolic` gives the same object with SymPy's symbols in place of numbers, so that the formula
that computes a constant also writes it down.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from ctucbvi.errors import InputError
from ctucbvi.learning.settings import Schedule
from ctucbvi.numbers import exact, shown

if TYPE_CHECKING:
    from ctucbvi.model import CTMDP, Number

SWEPT = {
    "S": "states",
    "A": "actions",
    "H": "horizon",
    "K": "episodes",
    "lambda_max": "lambda_max",
    "lambda_min": "lambda_min",
    "delta": "delta",
}
WHOLE = ("S", "A", "K")
_LONGEST = 20_000  # bits of a number; formulas are evaluated with more bits than their numbers have


@dataclass(frozen=True)
class Parameters:
    """S, A, H, K, λmax, λmin, δ, ε, the data T and N⁺ of a pair, and η; :meth:`of` reads them."""

    states: int  # S
    actions: int  # A
    horizon: Fraction  # H
    episodes: int  # K
    lambda_max: Fraction  # λmax
    lambda_min: Fraction | None = None  # λmin; None: not known
    delta: Fraction | None = None  # δ; None: the proof's 1/(2KH)
    epsilon: Schedule = field(default_factory=Schedule)
    time: Fraction = Fraction(0)  # T(x, a)
    n_plus: int = 0  # N⁺(x, a)
    replan: Fraction | None = None  # η; None: no learner keeps its plans

    @classmethod
    def of(
        cls,
        *,
        states: Number,
        actions: Number,
        horizon: Number,
        episodes: Number,
        lambda_max: Number,
        lambda_min: Number | None = None,
        delta: Number | None = None,
        epsilon: Schedule | str = "1/sqrt(k)",
        time: Number = 0,
        n_plus: Number = 0,
        replan: Number | None = None,
    ) -> Parameters:
        """Read the numbers exactly; S, A, K and N⁺ must be whole, and nothing else is asked of them."""
        return cls(
            whole(states, "S"),
            whole(actions, "A"),
            _exact(horizon, "H"),
            whole(episodes, "K"),
            _exact(lambda_max, "lambda-max"),
            None if lambda_min is None else _exact(lambda_min, "lambda-min"),
            None if delta is None else _exact(delta, "delta"),
            epsilon if isinstance(epsilon, Schedule) else Schedule.parse(epsilon),
            _exact(time, "time"),
            whole(n_plus, "jumps"),
            None if replan is None else _exact(replan, "replan"),
        )

    @classmethod
    def of_model(cls, model: CTMDP, *, episodes: Number, **told: Any) -> Parameters:
        """Those of a model: λmax is its largest rate and λmin its smallest one unless ``told`` otherwise."""
        rates = [row.rate for row in model.transitions]
        sizes = {"states": len(model.states), "actions": len(model.actions), "horizon": model.horizon}
        given = {key: value for key, value in told.items() if value is not None}
        return cls.of(
            **{**sizes, "lambda_max": max(rates), "lambda_min": min(rates), **given}, episodes=episodes
        )

    @property
    def load(self) -> Fraction:
        """``v = λmax H``."""
        return self.lambda_max * self.horizon

    @property
    def proof_delta(self) -> Fraction:
        """The δ = 1/(2KH) of the proof of thm:CT-UCB; it is defined for KH > 0."""
        return 1 / (2 * self.episodes * self.horizon)

    @property
    def confidence(self) -> Fraction:
        """δ: the one given, else that of the proof."""
        return self.proof_delta if self.delta is None else self.delta

    @property
    def depth(self) -> int | None:
        """The d of assume:LB with ``S = 2 + (A^d - 1)/(A - 1)``, if there is one."""
        return _levels(self.states - 2, self.actions)

    @property
    def depth_with_turns(self) -> int | None:
        """The d with ``S = 4 + (A^d - 1)/(A - 1)``, of the trees without self-jumps, if there is one."""
        return _levels(self.states - 4, self.actions)

    @property
    def depth_of_any_size(self) -> int | None:
        """The d of assume:LB/relaxed, the largest with ``S >= 2 + (1 + … + A^(d-2)) + A^(d-2)``."""
        if self.states < 4 or self.actions < 2:
            return None
        depth, above, leaves = 2, 1, self.actions
        while above + 2 * leaves <= self.states - 2:
            depth, above, leaves = depth + 1, above + leaves, leaves * self.actions
        return depth

    def at(self, name: str, value: Number) -> Parameters:
        """The same with another value of one parameter, named as on the command line."""
        if name not in SWEPT:
            raise InputError(f"{name!r} is not a parameter; write one of {', '.join(SWEPT)}")
        number: Any = whole(value, name) if name in WHOLE else _exact(value, name)
        return replace(self, **{SWEPT[name]: number})

    def to_json(self) -> dict[str, Any]:
        """The parameters as strings and whole numbers."""
        return {
            "S": self.states,
            "A": self.actions,
            "H": str(self.horizon),
            "K": str(self.episodes),
            "lambda_max": str(self.lambda_max),
            "lambda_min": None if self.lambda_min is None else str(self.lambda_min),
            "delta": "1/(2KH)" if self.delta is None else str(self.delta),
            "epsilon": str(self.epsilon),
            "T": str(self.time),
            "N": self.n_plus,
            **({} if self.replan is None else {"eta": str(self.replan)}),
        }


@dataclass(frozen=True)
class SymbolicParameters(Parameters):
    """The same with symbols; what is decided about numbers is a symbol here."""

    @property
    def depth(self) -> Any:
        """The symbol d."""
        return symbol("d")

    @property
    def depth_with_turns(self) -> Any:
        """The same symbol."""
        return symbol("d")

    @property
    def depth_of_any_size(self) -> Any:
        """The same symbol."""
        return symbol("d")


def symbol(name: str) -> Any:
    """The symbol that stands for a parameter; equal names are equal symbols."""
    import sympy  # slow to load, and few ask for expressions

    return sympy.Symbol(name)


def symbolic(epsilon: Schedule, *, own_delta: bool = True) -> Parameters:
    """Symbols in place of numbers, δ among them or the proof's; the accuracies are those of ``epsilon``."""
    names = ("S", "A", "H", "K", "lambda_max", "lambda_min")
    sizes: list[Any] = [symbol(name) for name in names]
    delta: Any = symbol("delta") if own_delta else None
    data: list[Any] = [delta, epsilon, symbol("T"), symbol("N"), symbol("eta")]
    return SymbolicParameters(*sizes, *data)


def _levels(nodes: int, actions: int) -> int | None:
    """The d >= 1 for which the full tree with d levels has so many nodes."""
    if actions < 2:
        return None
    levels, found, level = 0, 0, 1
    while found < nodes:
        found, level, levels = found + level, level * actions, levels + 1
    return levels if found == nodes and levels else None


def whole(number: Number, where: str) -> int:
    """``number`` as a whole number: ``10000000``, ``1e7`` or ``"1e7"``."""
    found = _exact(number, where)
    if found.denominator != 1:
        raise InputError(f"{where}: {shown(found)} is not a whole number; write one")
    return found.numerator


def _exact(number: Number, where: str) -> Fraction:
    found = exact(number, where)
    if max(found.numerator.bit_length(), found.denominator.bit_length()) > _LONGEST:
        raise InputError(f"{where}: the number has more than {_LONGEST} bits; write a shorter one")
    return found
