r"""What a learner is told before it starts (the inputs of ``alg: CTUCB``).

The number of episodes :math:`K`, the confidence :math:`\delta`, the accuracies
:math:`\epsilon_k`, the bound :math:`\lambda_{\max}` on all rates and, in the variant of the
paper's remark, the bound :math:`\lambda_{\min}`.  The model's reward rates are known to the
learner, its rates and jump probabilities are not.

**Accuracies** (:class:`Schedule`): :math:`\epsilon_k = k^{-\alpha}`, times
:math:`e^{-\lambda_{\max}H}` in the corollary of ``thm:CT-UCB``.  The paper's simulation takes
:math:`1/\sqrt k`.  With 0 the iteration has no end: the compiled learner plans with its fixed point
(:mod:`ctucbvi.learning.fast.fixed_point`), and no error is left that the theorem would have to add up.

**Rewards** must lie in [0, 1] and there is no terminal reward: the truncation
:math:`\min\{t,\cdot\}` of ``eq:m-VI`` would cut off values otherwise.  ``CTMDP.with_rewards`` maps
any rewards into [0, 1] without changing what is optimal; the message of the refusal says how.

**Optimism** comes from a bonus: the paper's, the sharp one (:mod:`ctucbvi.learning.sharp`) or none; or, with
``bonus="optimistic"``, from planning with the best model in confidence sets, which
``rates`` and ``jumps`` choose (:mod:`ctucbvi.learning.sets`).  No iteration is stopped there, so that there
are no accuracies.

**Planning** is done before every episode, or, with ``replan`` :math:`\eta > 0`, when some count has grown
by more than the factor :math:`1 + \eta` since the last plan (:mod:`ctucbvi.learning.replanning`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from ctucbvi.errors import InputError
from ctucbvi.numbers import count, exact, shown

if TYPE_CHECKING:
    from ctucbvi.learning.radii import Arithmetic, N
    from ctucbvi.model import CTMDP, Number

_HALF = Fraction(1, 2)
_LARGEST = 10**300  # of λmax: it has to be a double
_FINEST = 10**6  # of numerator and denominator of η: counts times them are 64-bit numbers
_STEEPEST = 1000  # accuracies beyond that are beyond doubles from the third episode on
BONUSES = ("paper", "sharp", "none", "optimistic")
RATES, JUMPS = ("paper", "poisson"), ("l1", "kl")  # the sets of the optimistic learner, its defaults first
_SCHEDULE = re.compile(r"k\^-(?P<alpha>[^*()\s]+)(?P<scaled>\*exp\(-lambda_max\*H\))?")


@dataclass(frozen=True, slots=True)
class Schedule:
    r"""The accuracies :math:`\epsilon_k = k^{-\alpha}`, or :math:`k^{-\alpha} e^{-\lambda_{\max}H}`, or 0."""

    exponent: Fraction = _HALF  # α > 0
    scaled: bool = False  # whether the factor e^{-λmax H} is there
    zero: bool = False  # whether they are 0, whatever else is said

    def __post_init__(self) -> None:
        if not 0 < self.exponent <= _STEEPEST:
            raise InputError(
                f"epsilon: exponent {shown(self.exponent)} is not in (0, {_STEEPEST}]; write k^-1/2"
            )

    @classmethod
    def parse(cls, text: str) -> Schedule:
        """Read ``1/sqrt(k)``, ``k^-2/3``, ``k^-1/2*exp(-lambda_max*H)`` or ``0``."""
        plain = "".join(text.split())
        if plain in ("1/sqrt(k)", "0"):
            return cls(zero=plain == "0")
        match = _SCHEDULE.fullmatch(plain)
        if match is None:
            raise InputError(
                f"epsilon: {text!r} is unknown; write 1/sqrt(k), k^-2/3, k^-1/2*exp(-lambda_max*H) or 0"
            )
        return cls(exact(match["alpha"], "epsilon: exponent"), match["scaled"] is not None)

    def __repr__(self) -> str:
        return f"Schedule.parse({str(self)!r})"

    def __str__(self) -> str:
        if self.zero:
            return "0"
        if self == Schedule():
            return "1/sqrt(k)"
        return f"k^-{self.exponent}" + ("*exp(-lambda_max*H)" if self.scaled else "")

    def at(self, k: int, product: Fraction, numbers: Arithmetic[N]) -> N:
        r""":math:`\epsilon_k` in the arithmetic ``numbers``; ``product`` is :math:`\lambda_{\max} H`."""
        episode = numbers.number(Fraction(k))
        if self.exponent == _HALF:
            found: N = numbers.number(Fraction(1)) / numbers.sqrt(episode)
        else:
            found = numbers.exp(-(numbers.number(self.exponent) * numbers.log(episode)))
        if self.scaled or self.zero:
            found = found * self.scale(product, numbers)
        return found

    def rational(self, k: int) -> Fraction | None:
        r""":math:`\epsilon_k` exactly where it is a fraction, else None."""
        if self.zero:
            return Fraction(0)
        # Where the power has more than 64 bits its root is not looked for.
        power = k**self.exponent.numerator if (k.bit_length() - 1) * self.exponent.numerator < 64 else 0
        root = round(power ** (1 / self.exponent.denominator)) if power < 2**64 else 0
        if power == 0 or self.scaled or root**self.exponent.denominator != power:
            return None
        return Fraction(1, root)

    def scale(self, product: Fraction, numbers: Arithmetic[N]) -> N:
        r""":math:`\epsilon_1`: the factor that does not depend on the episode."""
        if self.zero:
            return numbers.number(Fraction(0))
        return numbers.exp(numbers.number(-product if self.scaled else Fraction(0)))


@dataclass(frozen=True, slots=True)
class Settings:
    """The inputs of a learner, valid by construction; :meth:`for_model` fills them in."""

    episodes: int  # K: it enters the radii, so it is fixed in advance
    lambda_max: Fraction  # λmax > 0
    delta: Fraction = Fraction(1, 20)  # 0 < δ < 1
    epsilon: Schedule = field(default_factory=Schedule)
    lambda_min: Fraction | None = None  # a known λmin > 0: the variant of the paper's remark
    bonus: str | bool = "paper"  # "sharp": the smallest that is proved; "none": the greedy learner
    rates: str | None = None  # the sets, with bonus="optimistic" only; None becomes its default
    jumps: str | None = None
    replan: Fraction = Fraction(0)  # η ≥ 0: plan when a count has grown by 1 + η; 0: before every episode

    def __post_init__(self) -> None:
        if isinstance(self.bonus, bool):
            object.__setattr__(self, "bonus", "paper" if self.bonus else "none")
        if self.bonus not in BONUSES:
            raise InputError(f"bonus: {self.bonus!r} is unknown; write {', '.join(BONUSES)}")
        self._check_sets()
        count(self.episodes, "episodes")
        if not 0 < self.delta < 1:
            raise InputError(f"delta: {shown(self.delta)} is outside (0, 1); write for example 1/20")
        if not 0 < self.lambda_max <= _LARGEST:
            raise InputError(
                f"lambda-max: {shown(self.lambda_max)} is not in (0, 1e300]; write a bound on all rates"
            )
        if self.lambda_min is not None and not 0 < self.lambda_min <= self.lambda_max:
            raise InputError(
                f"lambda-min: {shown(self.lambda_min)} is outside (0, lambda-max = "
                f"{shown(self.lambda_max)}]; write a positive lower bound of all rates"
            )
        if self.replan < 0 or max(self.replan.as_integer_ratio()) > _FINEST:
            raise InputError(
                f"replan: {shown(self.replan)} is not 0 or a positive fraction of numbers up to a million; "
                "write for example 1/100, or 0 to plan before every episode"
            )

    def _check_sets(self) -> None:
        for name, known in (("rates", RATES), ("jumps", JUMPS)):
            chosen = getattr(self, name)
            if self.bonus != "optimistic":
                if chosen is not None:
                    raise InputError(f"{name}: sets are for --bonus optimistic; leave it out, or add that")
            elif chosen is None:
                object.__setattr__(self, name, known[0])
            elif chosen not in known:
                raise InputError(f"{name}: {chosen!r} is unknown; write {' or '.join(known)}")
        if self.bonus == "optimistic" and self.epsilon != Schedule():
            raise InputError("epsilon: the optimistic learner iterates nothing; leave it out")

    @classmethod
    def for_model(
        cls,
        model: CTMDP,
        *,
        episodes: int,
        delta: Number = Fraction(1, 20),
        epsilon: Schedule | str = "1/sqrt(k)",
        lambda_max: Number | None = None,
        lambda_min: Number | None = None,
        bonus: str | bool = "paper",
        rates: str | None = None,
        jumps: str | None = None,
        replan: Number = 0,
    ) -> Settings:
        """The settings for learning ``model``; λmax is its largest rate unless given."""
        settings = cls(
            episodes,
            model.max_rate if lambda_max is None else exact(lambda_max, "lambda-max"),
            exact(delta, "delta"),
            epsilon if isinstance(epsilon, Schedule) else Schedule.parse(epsilon),
            None if lambda_min is None else exact(lambda_min, "lambda-min"),
            bonus,
            rates,
            jumps,
            exact(replan, "replan"),
        )
        settings.check(model)
        return settings

    def check(self, model: CTMDP) -> None:
        """Refuse a model that these settings are not for."""
        _check_rewards(model)
        rates = [row.rate for row in model.transitions]
        if max(rates) > self.lambda_max:
            raise InputError(
                f"lambda-max: {shown(self.lambda_max)} is below the rate {shown(max(rates))} of model "
                f"{model.name!r}; write at least that"
            )
        if self.lambda_min is not None and min(rates) < self.lambda_min:
            raise InputError(
                f"lambda-min: {shown(self.lambda_min)} is above the rate {shown(min(rates))} of model "
                f"{model.name!r}; write at most that, or leave it out"
            )
        if self.bonus != "optimistic" and jump_ratio(model, self) <= 1:
            raise InputError(
                f"horizon: {shown(model.horizon)} is so short that the radius eq:alpha-k is the root of a "
                "negative number; choose a smaller unit of time, or more episodes"
            )

    def with_bonus(self, bonus: str, rates: str | None = None, jumps: str | None = None) -> Settings:
        """The same for another way of being optimistic; what means nothing to that falls away."""
        epsilon = Schedule() if bonus == "optimistic" else self.epsilon
        return replace(self, bonus=bonus, epsilon=epsilon, rates=rates, jumps=jumps)

    def require_bonus(self) -> None:
        """Refuse the optimistic learner, where one with a bonus, or none, is played."""
        if self.bonus == "optimistic":
            raise InputError(f"bonus: not optimistic here; write {', '.join(BONUSES[:-1])}")

    def require_end(self) -> None:
        """Refuse an iteration without end, where iterates are computed one by one."""
        if self.epsilon.zero:
            raise InputError(
                "epsilon: 0 is for the compiled learners of studies, which know the limit of the iteration; "
                "write for example 1/sqrt(k)"
            )

    def require_sets(self) -> None:
        """Refuse all others, where the optimistic learner is played."""
        if self.bonus != "optimistic":
            raise InputError(f"bonus: {self.bonus} is not for the optimistic learner; write optimistic")

    def tightening(self, horizon: Fraction) -> Fraction:
        r"""What :math:`\epsilon_k` is divided by where iteration stops: :math:`\lambda_{\max}H` if sharp."""
        return self.lambda_max * horizon if self.bonus == "sharp" else Fraction(1)

    def to_json(self) -> dict[str, Any]:
        """The settings as a JSON object of strings and plain values."""
        sets = {"rates": self.rates, "jumps": self.jumps} if self.bonus == "optimistic" else {}
        return {
            "episodes": self.episodes,
            "delta": str(self.delta),
            "epsilon": str(self.epsilon),
            "lambda_max": str(self.lambda_max),
            "lambda_min": None if self.lambda_min is None else str(self.lambda_min),
            "bonus": {"paper": True, "none": False}.get(str(self.bonus), self.bonus),
            **sets,
            **({"replan": str(self.replan)} if self.replan else {}),
        }

    @classmethod
    def from_json(cls, document: Any, where: str = "settings") -> Settings:
        """Read what :meth:`to_json` wrote."""
        try:
            lambda_min = document["lambda_min"]
            return cls(
                document["episodes"],
                exact(document["lambda_max"], f"{where}: lambda_max"),
                exact(document["delta"], f"{where}: delta"),
                Schedule.parse(document["epsilon"]),
                None if lambda_min is None else exact(lambda_min, f"{where}: lambda_min"),
                document["bonus"],
                document.get("rates"),
                document.get("jumps"),
                exact(document.get("replan", 0), f"{where}: replan"),
            )
        except (KeyError, TypeError, AttributeError) as error:
            raise InputError(f"{where}: {error} is missing or of the wrong kind; write it again") from None


def jump_ratio(model: CTMDP, settings: Settings) -> Fraction:
    r""":math:`2^S \cdot SAHK^2/\delta`, whose logarithm is the bracket of ``eq:alpha-k``."""
    triples = 2 ** len(model.states) * len(model.states) * len(model.actions)
    return model.horizon * int(triples) * settings.episodes * settings.episodes / settings.delta


def rescaling(model: CTMDP) -> tuple[Fraction, Fraction]:
    """``(scale, shift)`` so that ``model.with_rewards(scale, shift)`` has rewards in [0, 1]."""
    rewards = [row.reward for row in model.transitions]
    low, high = min(rewards), max(rewards)
    scale = 1 / (high - low) if high > low else Fraction(1)
    return scale, -low * scale


def _check_rewards(model: CTMDP) -> None:
    if any(row.lump for row in model.transitions):
        raise InputError(
            f"model {model.name!r} has lumps at jumps: what they earn per unit of time depends on rates and "
            "jumps, which the learner does not know; leave them out, or use plan"
        )
    if model.objective != "max":
        raise InputError(
            f"model {model.name!r} minimises costs, and the learner maximises rewards in [0, 1]; "
            "pass model.plain(), whose rewards are minus the costs, rescaled to [0, 1]"
        )
    if model.pays_choices:
        raise InputError(
            f"model {model.name!r} has rewards for choosing an action, and the learner knows rewards per "
            "unit of time only; leave them out, or use plan"
        )
    if model.pays_at_end:
        raise InputError(
            f"model {model.name!r} has a terminal reward, and the learner knows none; "
            "leave it out, or use plan"
        )
    rewards = [row.reward for row in model.transitions]
    if not 0 <= min(rewards) <= max(rewards) <= 1:
        scale, shift = rescaling(model)
        raise InputError(
            f"model {model.name!r}: rewards from {shown(min(rewards))} to {shown(max(rewards))} are not in "
            f'[0, 1]; rescale them with --rescale={scale},{shift} (model.with_rewards("{scale}", "{shift}"))'
        )
