r"""Every constant as data: its name, the label it has in the paper or in the ledger, formula and conditions.

:func:`value` computes one; outside its domain it has none, and :class:`Value` says which conditions fail.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from flint import arb

from ctucbvi.bounds import conditions as c
from ctucbvi.bounds import formulas as f
from ctucbvi.bounds.arithmetics import BALLS, EXPRESSIONS, Numbers
from ctucbvi.bounds.conditions import Checked, Condition, check
from ctucbvi.bounds.evaluation import certified
from ctucbvi.bounds.parameters import Parameters, symbolic
from ctucbvi.bounds.versions import LAZY, VERSIONS, Version

_SHOWN = 12  # digits of a value in a line
_BEYOND = "between 2^-(2^40) and 2^(2^40)"  # what can be written down


@dataclass(frozen=True)
class Constant:
    """A constant of the paper, or one that the claims establish in its place."""

    name: str
    label: str
    title: str
    formula: Callable[[Parameters, Numbers[Any]], Any]
    conditions: tuple[Condition, ...]

    def __repr__(self) -> str:
        return f"Constant({self.name!r}, {self.label})"

    def expression(self, p: Parameters) -> Any:
        """The formula as a SymPy expression in S, A, H, K, ...; the accuracies are those of ``p``."""
        return self.formula(symbolic(p.epsilon), EXPRESSIONS)


@dataclass(frozen=True)
class Value:
    """What a constant is for some parameters."""

    constant: Constant
    ball: arb | None  # None outside the domain
    checked: Checked

    def __repr__(self) -> str:
        if self.ball is None:
            return f"Value({self.constant.name!r}: none, needs {' and '.join(self.checked.failing)})"
        return f"Value({self.constant.name!r} = {self.ball.str(_SHOWN, radius=False)})"


def value(constant: Constant, p: Parameters, digits: int = 15) -> Value:
    """The constant with that many digits, where it has a value."""
    checked = check(constant.conditions, p)
    if not checked.hold:
        return Value(constant, None, checked)
    ball = certified(lambda: constant.formula(p, BALLS), digits)
    if ball is None:
        checked = Checked((*checked.found, (_BEYOND, False)))
    return Value(constant, ball, checked)


def of_version(version: Version) -> Constant:
    """The bound of a version as a constant."""
    return Constant(version.name, version.label, version.title, version.bound, version.conditions)


_RATES = (*c.SIZES, c.LAMBDA_MIN)
_RADII = (*c.SIZES, c.DELTA)
_LOWER = (*c.SIZES, *c.TREE)
_SUMMED = (*c.SIZES, c.SUMMED)

RADII = (
    Constant("C", "eq:bonus-k", "factor of the bonus", f.bonus_factor, c.SIZES),
    Constant("L", "eq:beta-k", "L(delta)", f.confidence_log, _RADII),
    Constant("beta", "eq:beta-k", "radius of a rate after time T", f.rate_radius, (*_RADII, c.DATA)),
    Constant(
        "alpha", "eq:alpha-k", "radius of jumps after N of them", f.jump_radius, (*_RADII, c.JUMPS, c.DATA)
    ),
    Constant("b", "eq:bonus-k", "bonus", f.bonus, (*_RADII, c.JUMPS, c.DATA)),
    Constant(
        "b-sharp",
        "lem:optimism/sharp",
        "smallest constant bonus, for the worst reward; phi(z) = (1 - exp(-z))/z, phi(0) = 1",
        f.bonus_sharp,
        (*_RADII, c.JUMPS, c.DATA),
    ),
)
ITERATION = (
    Constant("rho", "lem:optimism", "contraction of value iteration", f.contraction, c.SIZES),
    Constant(
        "iteration", "eq:error-vi", "error of the iteration over epsilon_k", f.iteration_factor, c.SIZES
    ),
    Constant(
        "iteration-sharp",
        "eq:error-vi/sharper",
        "the error of the iteration, sharper",
        f.iteration_factor_sharp,
        c.SIZES,
    ),
    Constant(
        "iteration-load",
        "eq:error-vi/load",
        "the error of the iteration, sharpest",
        f.iteration_factor_load,
        c.SIZES,
    ),
    Constant("accuracies", "eq:regret-bound", "sum of epsilon_k", f.accuracies, c.SIZES),
)
JUMPS = (
    Constant("E max", "eq:term1-3", "mean of the largest of K Poisson variables", f.mean_maximum,
             _SUMMED),
    Constant("E max-bound", "eq:term1-3", "the paper's bound of that mean", f.mean_maximum_bound,
             (*c.SIZES, c.SEVERAL)),
    Constant("E max-sharp", "eq:term1-3/sharp", "the best bound of that kind", f.mean_maximum_sharp,
             (*c.SIZES, c.SEVERAL)),
    Constant("D", "eq:JM-eq/sharp", "what can take the place of that mean", f.levels, _SUMMED),
    Constant("D-leading", "eq:term1-3/levels/poisson", "a bound of D", f.levels_leading, c.SIZES),
    Constant("D-bound", "eq:term1-3/levels/poisson", "another bound of D", f.levels_bound, c.SIZES),
)  # fmt: skip
PROPOSITIONS = (
    Constant("proberror", "prop:proberror", "errors of the jump probabilities", f.jump_errors,
             (*_RATES, c.SEVERAL)),
    Constant("proberror-sharp", "prop:proberror/sharp", "errors of the jump probabilities, sharper",
             f.jump_errors_sharp, (*_RATES, c.SUMMED)),
    Constant("rateerror", "prop:rateerror", "errors of the rates", f.rate_errors,
             (*_RATES, c.SEVERAL, c.DELTA)),
    Constant("rateerror-sharp", "prop:rateerror/repaired", "errors of the rates, sharper",
             f.rate_errors_sharp, (*_RATES, c.DELTA, c.SUMMED)),
)  # fmt: skip
BOUNDS = tuple(map(of_version, VERSIONS))
CONSEQUENCES = (
    Constant("corollary", "eq:regret-b1/repaired", "the corollary with its constants", f.order,
             (*_RATES, c.FAST_AND_LONG, c.ACCURATE)),
    Constant("corollary-lump", "eq:regret-b1/lump-sum", "the corollary for the bonus as a lump sum",
             f.order_lump_sum, (*_RATES, c.FAST_AND_LONG, c.ACCURATE)),
    Constant("known-lambda-min", "remark:lambda-min/order", "for an agent that knows lambda_min",
             f.known_rates, (*_RATES, c.FAST_AND_LONG)),
)  # fmt: skip
ERLANG = Constant("W", "thm:lowerbound/erlang-value", "E[(H - gamma_d)^+]", f.erlang, _LOWER)
LOWER = Constant("lower", "thm:lowerbound", "lower bound as printed", f.lower_bound, (*_LOWER, c.ENOUGH))
LOWER_REPAIRED = Constant(
    "lower-repaired",
    "thm:lowerbound/repaired",
    "lower bound with the constant proved",
    f.lower_bound_repaired,
    (*_LOWER, c.ENOUGH),
)
LOWER_EVERY = Constant(
    "lower-every-K",
    "thm:lowerbound/every-K",
    "lower bound with the constant proved, for every K",
    f.lower_bound_every,
    _LOWER,
)
LOWER_EVERY_SIZE = Constant(
    "lower-every-size",
    "thm:lowerbound/every-size/every-K",
    "lower bound for every number of states and every K",
    f.lower_bound_every_size,
    (*c.SIZES, c.SIX),
)
LOWER_TURNS = Constant(
    "lower-turns",
    "thm:lowerbound/no-self-jumps",
    "lower bound for models without self-jumps",
    f.lower_bound_turns,
    (*c.SIZES, *c.TURNS, c.ENOUGH),
)
LOWER_SIMPLE = Constant(
    "lower-simple",
    "eq:regret-lowerbound2",
    "lower bound with the largest c2",
    f.lower_bound_simple,
    (*_LOWER, c.ENOUGH, c.SHALLOW),
)
CATALOGUE = (
    *RADII,
    *ITERATION,
    *JUMPS,
    *PROPOSITIONS,
    *BOUNDS,
    *CONSEQUENCES,
    ERLANG,
    LOWER,
    LOWER_REPAIRED,
    LOWER_EVERY,
    LOWER_EVERY_SIZE,
    LOWER_TURNS,
    LOWER_SIMPLE,
)
KEPT_PLANS = tuple(map(of_version, LAZY))


def catalogue_of(p: Parameters) -> tuple[Constant, ...]:
    """The constants that these parameters are for: with an η also those of learners that keep their plans."""
    return CATALOGUE if p.replan is None else (*CATALOGUE, *KEPT_PLANS)
