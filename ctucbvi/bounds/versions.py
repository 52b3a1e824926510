r"""The bound of ``thm:CT-UCB`` on the regret, as printed, repaired, and with the best constants proved.

Every version is a product and two terms more,

.. math:: \text{(factors)}\cdot(\text{root of the jumps} + \text{root of the rates})
          + g\sum_{k\le K}\epsilon_k + \text{(off the event } \mathcal G),

and a condition for each thing that is not always so.  With :math:`v = \lambda_{\max}H`,
:math:`f = \ln K/\ln(\ln K+1)` (1 for :math:`K = 1`), :math:`l = \ln(2SAKH)`,
:math:`a = \sqrt{2[S\ln 2+\ln(SAHK^2/\delta)]}`, :math:`X = \sqrt{SAK}(H+1/\lambda_{\min})` and
:math:`D = \sum_m\sqrt{P(Z>m)}`, :math:`Z` Poisson of mean :math:`v`:

=========== ====================================================== =========== ======================
version     product                                                :math:`g`   off 𝒢
=========== ====================================================== =========== ======================
printed     :math:`3(CH+1)X(v+1)f(\sqrt{2S+6l}+4v\sqrt l)`         :math:`e^v` 1
repaired    the same, where it is proved                           :math:`e^v` 1
sharp       :math:`(CH+1)XD(2a+\frac73v\sqrt{2L})`                 :math:`v`   1
halved      half of it, for the learner with half of the bonus     :math:`v`   1
lump-sum    :math:`XD(2a+\frac73v\sqrt{2L})`, for a lump-sum bonus :math:`v`   1
sharp-bonus that of halved, for the learner with the sharp bonus   1           1
known-rate  that of lump-sum with :math:`Y` for :math:`X`, where   :math:`v`   1
            :math:`\lambda_{\min}` is known
delta       :math:`3(CH+1)X(v+1)f(a+v\sqrt{2L})`                   :math:`e^v` :math:`2\delta KH`
sharp-delta that of sharp                                          :math:`v`   :math:`2\delta KH`
=========== ====================================================== =========== ======================

Here :math:`Y = \sqrt{SAK}(H+\frac{1+CH}{\lambda_{\min}})`.  Bounds of another form, for another learner, are
in :mod:`ctucbvi.bounds.optimistic`.

**Plans kept.**  A learner that plans again wherever a count has grown by more than a factor :math:`1+\eta`
(:mod:`ctucbvi.learning.replanning`) has the factor :math:`\sqrt{1+\eta}` in the product, and
:math:`(1+\eta)^\alpha` before the accuracies :math:`\epsilon_k = k^{-\alpha}`.

All but the last two take :math:`\delta = 1/(2KH)`, as the theorem does, whatever :math:`\delta` is given; the
last two are what the same proof (``eq:r1``, ``eq:r2`` and the propositions) gives for a :math:`\delta` of
one's own.  For few episodes the theorems are true because their bounds exceed :math:`KH`, so that they ask
for no more than :math:`2SAKH \ge 1` (printed constants) or :math:`KH > \frac12` (the others); the last two
ask for the conditions of ``eq:G/repaired`` instead.

**Growth.**  A version's :attr:`Version.growth` is an upper bound, decreasing in :math:`K`, of
:math:`\partial\ln(\text{product}/K)/\partial\ln K`; see :mod:`ctucbvi.bounds.thresholds`.  With
:math:`k = \ln K`, :math:`\sqrt{SAK}/K` contributes :math:`-\frac12`, :math:`f` contributes :math:`\frac1k -
\frac1{(1+k)\ln(1+k)}`, and a root of :math:`c + nk` contributes :math:`\frac n{2(c+nk)}`; of a sum of two
roots the larger one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from ctucbvi.bounds import conditions as c
from ctucbvi.bounds import formulas as f
from ctucbvi.bounds import optimistic
from ctucbvi.bounds.arithmetics import Numbers
from ctucbvi.bounds.conditions import Condition
from ctucbvi.bounds.parameters import Parameters
from ctucbvi.bounds.parts import BoundParts
from ctucbvi.bounds.rows import KL, TILTS, UNIFORM, Rows
from ctucbvi.learning.radii import N

_ONE = Fraction(1)
FULL_BONUS, HALF_BONUS, LUMP_SUM = "CT-UCBVI", "half of the bonus", "lump-sum bonus"
SMALLEST_BONUS, LEAST_RATE = "sharp bonus", "known lambda_min"
BEST_MODEL, KEPT = "optimistic", "plans kept"
GIVEN, OF_THE_PAPER, OF_THE_EPISODES = "the one given", "1/(2KH)", "1/(2K)"


@dataclass(frozen=True)
class Version:
    """One version of the bound of the regret."""

    name: str
    label: str  # of the claim that states it
    title: str
    parts: Callable[[Parameters, Numbers[Any]], BoundParts[Any]]
    growth: Callable[[Parameters, Numbers[Any]], Any]
    conditions: tuple[Condition, ...]
    delta: str = OF_THE_PAPER  # which δ it is for
    learner: str = FULL_BONUS

    def __repr__(self) -> str:
        return f"Version({self.name!r}, {self.label}, {self.learner})"

    @property
    def own_delta(self) -> bool:
        """Whether it is for the δ given."""
        return self.delta == GIVEN

    def bound(self, p: Parameters, numbers: Numbers[N]) -> N:
        """The bound, where its conditions hold."""
        found: N = self.parts(p, numbers).total
        return found


# --- the parts --------------------------------------------------------------------------------


def _common(p: Parameters, numbers: Numbers[N]) -> tuple[tuple[str, N], ...]:
    return (("C H + 1", f.bonus_factor(p, numbers) * numbers.number(p.horizon) + 1), *_visits(p, numbers))


def _visits(p: Parameters, numbers: Numbers[N]) -> tuple[tuple[str, N], ...]:
    return (
        ("sqrt(S A K)", f.root_of_pairs(p, numbers)),
        ("H + 1/lambda_min", f.waiting(p, numbers)),
    )


def _printed_factors(p: Parameters, numbers: Numbers[N]) -> tuple[tuple[str, N], ...]:
    return (
        ("3", numbers.number(Fraction(3))),
        *_common(p, numbers),
        ("lambda_max H + 1", numbers.number(p.load + 1)),
        ("ln K/ln(ln K + 1)", f.log_factor(p, numbers)),
    )


def _printed(p: Parameters, numbers: Numbers[N]) -> BoundParts[N]:
    roots = f.printed_roots(p, numbers)
    accuracy = f.iteration_error(p, numbers)
    return BoundParts(_printed_factors(p, numbers), *roots, accuracy, numbers.number(_ONE))


def _lump_sum(p: Parameters, numbers: Numbers[N]) -> BoundParts[N]:
    """With the δ of the parameters; the complement of 𝒢 costs 2δKH, which is 1 for the proof's δ."""
    off = numbers.number(_ONE if p.delta is None else 2 * p.delta * p.episodes * p.horizon)
    jump = numbers.sqrt(f.jump_constant(p, numbers)) * 2
    rate = numbers.number(Fraction(7, 3) * p.load) * numbers.sqrt(f.confidence_log(p, numbers) * 2)
    factors = (*_visits(p, numbers), ("D", f.levels(p, numbers)))
    return BoundParts(factors, jump, rate, f.iteration_error_load(p, numbers), off)


def _sharp(p: Parameters, numbers: Numbers[N]) -> BoundParts[N]:
    factors = (*_common(p, numbers), ("D", f.levels(p, numbers)))
    return replace(_lump_sum(p, numbers), factors=factors)


def _own(p: Parameters, numbers: Numbers[N]) -> BoundParts[N]:
    assert p.delta is not None  # a condition of the version
    jump = numbers.sqrt(f.jump_constant(p, numbers))
    rate = numbers.number(p.load) * numbers.sqrt(f.confidence_log(p, numbers) * 2)
    off = numbers.number(2 * p.delta * p.episodes * p.horizon)
    return BoundParts(_printed_factors(p, numbers), jump, rate, f.iteration_error(p, numbers), off)


def _proofs(parts: Callable[[Parameters, Numbers[N]], BoundParts[N]]) -> Callable[..., BoundParts[N]]:
    """The same with δ = 1/(2KH)."""
    return lambda p, numbers: parts(replace(p, delta=None), numbers)


def _halved(p: Parameters, numbers: Numbers[N]) -> BoundParts[N]:
    parts = _sharp(p, numbers)
    return replace(parts, factors=(("1/2", numbers.number(Fraction(1, 2))), *parts.factors))


def _sharp_bonus(p: Parameters, numbers: Numbers[N]) -> BoundParts[N]:
    """The iteration stops at ``ε_k/(λmax H)``."""
    return replace(_halved(p, numbers), accuracy=f.accuracies(p, numbers))


def _known_rate(p: Parameters, numbers: Numbers[N]) -> BoundParts[N]:
    parts = _lump_sum(p, numbers)
    bonus = f.bonus_factor(p, numbers) * numbers.number(p.horizon) / numbers.number(_least(p))
    waiting = ("H + (1 + C H)/lambda_min", f.waiting(p, numbers) + bonus)
    return replace(parts, factors=(parts.factors[0], waiting, *parts.factors[2:]))


def _least(p: Parameters) -> Fraction:
    assert p.lambda_min is not None  # a condition of the version
    return _ONE * p.lambda_min


def _kept(parts: Callable[[Parameters, Numbers[N]], BoundParts[N]]) -> Callable[..., BoundParts[N]]:
    """The same for a learner that keeps its plans."""

    def kept(p: Parameters, numbers: Numbers[N]) -> BoundParts[N]:
        assert p.replan is not None  # a condition of the version
        found, more = parts(p, numbers), numbers.number(_ONE * (1 + p.replan))
        later = numbers.exp(numbers.number(p.epsilon.exponent) * numbers.log(more))
        factors = (optimistic.kept(p, numbers), *found.factors)
        return replace(found, factors=factors, accuracy=later * found.accuracy)

    return kept


# --- how they grow ----------------------------------------------------------------------------


def _log_factor_growth(p: Parameters, numbers: Numbers[N]) -> N:
    log = numbers.log_of(_ONE * p.episodes)
    found: N = numbers.number(_ONE) / log - numbers.number(_ONE) / ((log + 1) * numbers.log(log + 1))
    return found


def _printed_growth(p: Parameters, numbers: Numbers[N]) -> N:
    """Of the two roots the second one grows faster: 1/(2l) against 3/(2S + 6l)."""
    root = numbers.number(Fraction(1, 2)) / f.episodes_log(p, numbers)
    found: N = _log_factor_growth(p, numbers) + root - numbers.number(Fraction(1, 2))
    return found


def _sharp_growth(p: Parameters, numbers: Numbers[N]) -> N:
    found: N = numbers.maximum(*root_growths(p, numbers)) - numbers.number(Fraction(1, 2))
    return found


def root_growths(p: Parameters, numbers: Numbers[N]) -> tuple[N, N]:
    """Of the radius of the jumps and of that of the rates.

    The radicand of the jumps is a constant and ``nk``, that of the rates a constant and ``4(n/2 - 1)k``: with
    δ = 1/(2KH), n = 6; with a fixed δ, n = 4.
    """
    powers = 6 if p.delta is None else 4
    jump = numbers.number(Fraction(powers, 2)) / f.jump_constant(p, numbers)
    return jump, numbers.number(Fraction(powers - 2)) / f.confidence_log(p, numbers)


def _own_growth(p: Parameters, numbers: Numbers[N]) -> N:
    found: N = _sharp_growth(p, numbers) + _log_factor_growth(p, numbers)
    return found


def _proof_growth(p: Parameters, numbers: Numbers[N]) -> N:
    return _sharp_growth(replace(p, delta=None), numbers)


# --- the versions -----------------------------------------------------------------------------


_RATES = (*c.SIZES, c.LAMBDA_MIN)
_SHARP = (*_RATES, c.PROOF_DELTA, c.SUMMED)
_GIVEN = (*_RATES, c.OWN_DELTA, c.DELTA, *c.EVENT)

PRINTED = Version(
    "printed", "thm:CT-UCB", "thm:CT-UCB as printed (eq:regret-bound)", _printed, _printed_growth,
    (*_RATES, c.SEVERAL, c.REAL),
)  # fmt: skip
REPAIRED = Version(
    "repaired", "thm:CT-UCB/repaired", "thm:CT-UCB as printed, where it is proved", _printed,
    _printed_growth, (*_RATES, c.REAL),
)  # fmt: skip
SHARP = Version(
    "sharp", "thm:CT-UCB/sharp", "thm:CT-UCB with the sharpest constants proved", _proofs(_sharp),
    _proof_growth, _SHARP,
)  # fmt: skip
HALVED = Version(
    "halved", "thm:CT-UCB/halved", "the sharpest constants for half of the bonus", _proofs(_halved),
    _proof_growth, _SHARP, learner=HALF_BONUS,
)  # fmt: skip
LUMP = Version(
    "lump-sum", "thm:CT-UCB/lump-sum", "the sharpest constants for the bonus as a lump sum",
    _proofs(_lump_sum), _proof_growth, _SHARP, learner=LUMP_SUM,
)  # fmt: skip
SHARP_BONUS = Version(
    "sharp-bonus", "thm:CT-UCB/sharp-bonus", "the sharpest constants for the sharp bonus",
    _proofs(_sharp_bonus), _proof_growth, _SHARP, learner=SMALLEST_BONUS,
)  # fmt: skip
KNOWN_RATE = Version(
    "known-rate", "remark:lambda-min/regret", "the sharpest constants where lambda_min is known",
    _proofs(_known_rate), _proof_growth, _SHARP, learner=LEAST_RATE,
)  # fmt: skip
DELTA = Version(
    "delta", "eq:r2", "what the printed proof gives for the delta given", _own, _own_growth,
    (*_GIVEN, c.SEVERAL), delta=GIVEN,
)  # fmt: skip
SHARP_DELTA = Version(
    "sharp-delta", "thm:CT-UCB/sharp", "what the sharpest proof gives for the delta given", _sharp,
    _sharp_growth, (*_GIVEN, c.SUMMED), delta=GIVEN,
)  # fmt: skip

_TAILS = "rates by Poisson tails"


def _of_sets(
    name: str,
    label: str,
    title: str,
    rows: Rows,
    *,
    poisson: bool = False,
    sets: str = "",
    lazy: bool = False,
) -> tuple[Version, Version]:
    """The optimistic learner with these sets: for δ = 1/(2K), and for the δ given.

    A lazy one keeps its plans; the others know no η.
    """
    own_parts = optimistic.poisson_parts if poisson else optimistic.parts
    own_growth = optimistic.poisson_growth if poisson else optimistic.growth

    def known(p: Parameters) -> Parameters:
        return p if lazy else replace(p, replan=None)

    def parts(p: Parameters, numbers: Numbers[N]) -> BoundParts[N]:
        return own_parts(known(p), numbers, rows)

    def growth(p: Parameters, numbers: Numbers[N]) -> N:
        return own_growth(p, numbers, rows)

    def proof_parts(p: Parameters, numbers: Numbers[N]) -> BoundParts[N]:
        return own_parts(optimistic.proof_delta(known(p)), numbers, rows)

    def proof_growth(p: Parameters, numbers: Numbers[N]) -> N:
        return own_growth(optimistic.proof_delta(p), numbers, rows, 1)

    learner = ", ".join(filter(None, (BEST_MODEL, KEPT if lazy else "", sets)))
    sizes = (*c.SIZES, c.REPLAN) if lazy else c.SIZES
    given = (*sizes, c.OWN_DELTA, c.DELTA)
    return (
        Version(name, label, title, proof_parts, proof_growth, sizes, OF_THE_EPISODES, learner),
        Version(f"{name}-delta", label, "the same for the delta given", parts, growth, given, GIVEN, learner),
    )


_BEST = "thm:CT-UCB/optimistic"
_KL_ROWS, _TILTED_ROWS = "Kullback-Leibler sets of rows", "rows by tilts"
_SETS: dict[str, tuple[str, Rows, bool, str]] = {  # the title, the rows, whether tails, and the sets in words
    "optimistic": ("the bound for the best model in the confidence sets", UNIFORM, False, ""),
    "poisson": (f"the same with {_TAILS}", UNIFORM, True, _TAILS),
    "kl": (f"the same with {_KL_ROWS}", KL, False, "KL rows"),
    "kl-poisson": (f"the same with {_KL_ROWS} and {_TAILS}", KL, True, f"KL rows, {_TAILS}"),
    "tilts": (f"the same with {_TILTED_ROWS}", TILTS, False, _TILTED_ROWS),
    "tilts-poisson": (f"the same with {_TILTED_ROWS} and {_TAILS}", TILTS, True, f"{_TILTED_ROWS}, {_TAILS}"),
}


def _optimistic(name: str, *, lazy: bool = False) -> tuple[Version, Version]:
    """The two versions for the sets of that name."""
    title, rows, poisson, sets = _SETS[name]
    label = _BEST if name == BEST_MODEL else f"{_BEST}/{name}"
    if lazy:
        name, label, title = f"{name}-lazy", f"{label}/lazy", f"{title}; plans are kept"
    return _of_sets(name, label, title, rows, poisson=poisson, sets=sets, lazy=lazy)


OPTIMISTIC, OPTIMISTIC_DELTA = _optimistic("optimistic")
POISSON, POISSON_DELTA = _optimistic("poisson")
KULLBACK, KULLBACK_POISSON = _optimistic("kl"), _optimistic("kl-poisson")
TILTED, TILTED_POISSON = _optimistic("tilts"), _optimistic("tilts-poisson")


def _lazy(version: Version) -> Version:
    """The same where plans are kept."""
    return replace(
        version,
        name=f"{version.name}-lazy",
        label=f"{version.label}/lazy",
        title=f"{version.title}; plans are kept",
        parts=_kept(version.parts),
        conditions=(*version.conditions, c.REPLAN),
        learner=f"{version.learner}, {KEPT}",
    )


_BONUSES = tuple(map(_lazy, (SHARP, HALVED, LUMP, SHARP_BONUS, KNOWN_RATE)))
LAZY = (*_BONUSES, *(version for name in _SETS for version in _optimistic(name, lazy=True)))
"""The versions for learners that keep their plans: of parameters with an η only."""

VERSIONS = (
    PRINTED, REPAIRED, SHARP, HALVED, LUMP, SHARP_BONUS, KNOWN_RATE, DELTA, SHARP_DELTA, OPTIMISTIC,
    OPTIMISTIC_DELTA, POISSON, POISSON_DELTA, *KULLBACK, *KULLBACK_POISSON, *TILTED, *TILTED_POISSON,
)  # fmt: skip


def versions_of(p: Parameters) -> tuple[Version, ...]:
    """The versions that these parameters are for."""
    return VERSIONS if p.replan is None else (*VERSIONS, *LAZY)
