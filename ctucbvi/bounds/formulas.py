r"""The constants of the paper, each written once, over an arithmetic.

Write :math:`v = \lambda_{\max}H` and :math:`f = \ln K/\ln(\ln K+1)`, read as 1 for :math:`K = 1`
(``eq:term1-3/K=1/repaired``).  The radii and the bonus are those of :mod:`ctucbvi.learning.radii`.

* Value iteration contracts with :math:`\rho = 1-e^{-v}` and stops within :math:`\epsilon_k e^v` of the fixed
  point (``eq:error-vi``), in truth within :math:`\epsilon_k(e^v-1)`, and even within :math:`\epsilon_kv`
  (``eq:error-vi/load``).
* The largest of :math:`K` Poisson variables has mean at most :math:`(v+1)f` (``eq:term1-3``), and at most
  :math:`ve^s` with :math:`s = 1 + W((\ln K - v)/(ev))` (``eq:term1-3/sharp``).  It is not needed:
  :math:`D = \sum_m\sqrt{P(Z>m)}`, :math:`Z` Poisson of mean :math:`v`, takes its place (``eq:JM-eq/sharp``).
  It is at most :math:`(e-1)v + 1/(\sqrt e-1)` and at most :math:`v + 2\sqrt v + \frac14`
  (``eq:term1-3/levels/poisson``).
* ``prop:proberror``: :math:`3(H+1/\lambda_{\min})\sqrt{SAK}\,(v+1)f`, in truth
  :math:`2(H+1/\lambda_{\min})\sqrt{SAK}\min\{(v+1)f, D\}`; ``prop:rateerror``: the same times
  :math:`\sqrt{2\lambda_{\max}}`, and :math:`\frac73` in place of 2.
* The corollary with its constants (``eq:regret-b1``), with :math:`l = \ln(2SAKH)`:
  :math:`(16\sqrt{2+16l}\,f + 3)\,v^2(H+1/\lambda_{\min})\sqrt{SAK}(\sqrt S+v)`; for the bonus as a lump sum
  :math:`(8\sqrt{2+16l} + 3)\,v(H+1/\lambda_{\min})\sqrt{SAK}(\sqrt S+v)` (``eq:regret-b1/lump-sum``).
* The smallest constant bonus of this proof is that of :mod:`ctucbvi.learning.sharp`; it depends on the reward
  and is convex in it: given here is the worse one of 0 and 1.
* ``thm:lowerbound``: :math:`c\,E[(H-\gamma_d)^+]\sqrt{SAK}` with :math:`c = 1/(12\sqrt2)`, repaired
  :math:`\frac17` (for every :math:`K` with :math:`\min\{\sqrt{SAK}, \sqrt2K\}` in the place of the root), and
  :math:`\frac18` without self-jumps, and :math:`\frac1{11}` for every :math:`S \ge 6` and :math:`A \ge 2`
  (``thm:lowerbound/every-size``), where for :math:`N` Poisson of mean :math:`v`

  .. math:: E[(H-\gamma_d)^+] = H\,P(N\ge d) - \frac d{\lambda_{\max}}P(N\ge d+1)
            \ge H - \frac d{\lambda_{\max}} .
"""

from __future__ import annotations

from fractions import Fraction

from ctucbvi.bounds.arithmetics import Numbers
from ctucbvi.bounds.parameters import Parameters
from ctucbvi.learning.radii import Constants, N, factor_of_bonus, jump_bracket, log_confidence
from ctucbvi.learning.sharp import sharp_bonus

_ONE = Fraction(1)


# --- radii and bonus --------------------------------------------------------------------------


def bonus_factor(p: Parameters, numbers: Numbers[N]) -> N:
    """The factor C of the bonus."""
    return factor_of_bonus(p.lambda_max, p.horizon, numbers)


def confidence_log(p: Parameters, numbers: Numbers[N]) -> N:
    """``L(δ)``."""
    return log_confidence(p.states, p.actions, p.episodes, p.confidence, numbers)


def jump_constant(p: Parameters, numbers: Numbers[N]) -> N:
    """``2 [S ln 2 + ln(SAHK²/δ)]``, the square of α at one jump."""
    bracket = jump_bracket(p.states, p.actions, p.horizon, p.episodes, p.confidence, numbers)
    found: N = bracket * 2
    return found


def _constants(p: Parameters, numbers: Numbers[N]) -> Constants[N]:
    lambda_max, confidence = numbers.number(p.lambda_max), confidence_log(p, numbers)
    return Constants(
        numbers.number(p.horizon),
        bonus_factor(p, numbers),
        lambda_max * confidence,
        confidence / lambda_max,
        jump_constant(p, numbers),
    )


def rate_radius(p: Parameters, numbers: Numbers[N]) -> N:
    """β after the time T."""
    return _constants(p, numbers).rate_radius(numbers.number(p.time), numbers)


def jump_radius(p: Parameters, numbers: Numbers[N]) -> N:
    """α after N⁺ jumps."""
    return _constants(p, numbers).jump_radius(numbers.number(Fraction(1) * p.n_plus), numbers)


def bonus(p: Parameters, numbers: Numbers[N]) -> N:
    """The bonus b after the time T and N⁺ jumps."""
    n_plus = numbers.number(Fraction(1) * p.n_plus)
    return _constants(p, numbers).bonus(numbers.number(p.time), n_plus, numbers)


def bonus_sharp(p: Parameters, numbers: Numbers[N]) -> N:
    """The smallest constant bonus after the time T and N⁺ jumps, for the worst reward."""
    zero, two = numbers.number(_ONE * 0), numbers.number(_ONE * 2)
    rate, radius = _estimate(p, numbers), rate_radius(p, numbers)
    ends = {
        "low": numbers.maximum(rate - radius, zero),
        "high": numbers.minimum(rate + radius, numbers.number(p.lambda_max)),
        "reach": numbers.minimum(jump_radius(p, numbers), two),
        "horizon": numbers.number(p.horizon),
    }
    worst = [sharp_bonus(rate, reward=numbers.number(_ONE * r), numbers=numbers, **ends) for r in (0, 1)]
    return numbers.maximum(*worst)


def _estimate(p: Parameters, numbers: Numbers[N]) -> N:
    """``N⁺/T``, at most λmax (``eq:rate-est``); jumps that took no time at all are infinitely fast."""
    if p.n_plus == 0 or p.time == 0:
        return numbers.number(p.lambda_max if p.n_plus else _ONE * 0)
    return numbers.minimum(numbers.number(p.n_plus / p.time), numbers.number(p.lambda_max))


# --- value iteration --------------------------------------------------------------------------


def contraction(p: Parameters, numbers: Numbers[N]) -> N:
    """``ρ = 1 - e^{-λmax H}``."""
    found: N = -numbers.expm1(numbers.number(-p.load))
    return found


def iteration_factor(p: Parameters, numbers: Numbers[N]) -> N:
    """``e^{λmax H}``: the error of the iteration is at most this times ε_k."""
    return numbers.exp(numbers.number(p.load))


def iteration_factor_sharp(p: Parameters, numbers: Numbers[N]) -> N:
    """``e^{λmax H} - 1``."""
    return numbers.expm1(numbers.number(p.load))


def iteration_factor_load(p: Parameters, numbers: Numbers[N]) -> N:
    """``λmax H``."""
    return numbers.number(_ONE * p.load)


def accuracies(p: Parameters, numbers: Numbers[N]) -> N:
    """``Σ ε_k``."""
    return numbers.accuracies(p)


def iteration_error(p: Parameters, numbers: Numbers[N]) -> N:
    """``e^{λmax H} Σ ε_k``, what all iterations together may cost."""
    found: N = iteration_factor(p, numbers) * accuracies(p, numbers)
    return found


def iteration_error_load(p: Parameters, numbers: Numbers[N]) -> N:
    """``λmax H Σ ε_k``, what they do cost at most."""
    found: N = iteration_factor_load(p, numbers) * accuracies(p, numbers)
    return found


# --- the number of jumps ----------------------------------------------------------------------


def log_factor(p: Parameters, numbers: Numbers[N]) -> N:
    """``ln K/ln(ln K + 1)``, and 1 for K = 1."""
    if p.episodes == 1:
        return numbers.number(_ONE)
    log = numbers.log_of(_ONE * p.episodes)
    found: N = log / numbers.log(log + 1)
    return found


def mean_maximum(p: Parameters, numbers: Numbers[N]) -> N:
    """``E max`` of K Poisson variables of mean λmax H."""
    return numbers.mean_maximum(p)


def mean_maximum_bound(p: Parameters, numbers: Numbers[N]) -> N:
    """``(λmax H + 1) ln K/ln(ln K + 1)``."""
    found: N = numbers.number(p.load + 1) * log_factor(p, numbers)
    return found


def mean_maximum_sharp(p: Parameters, numbers: Numbers[N]) -> N:
    """``v e^s`` with ``s = 1 + W((ln K - v)/(ev))``, the best bound of its kind; v for K = 1."""
    if p.episodes == 1:
        return numbers.number(_ONE * p.load)
    mean, e = numbers.number(p.load), numbers.exp(numbers.number(_ONE))
    found: N = mean * numbers.exp(
        numbers.lambert((numbers.log_of(_ONE * p.episodes) - mean) / (e * mean)) + 1
    )
    return found


def levels(p: Parameters, numbers: Numbers[N]) -> N:
    """``D = Σ_m √P(Z > m)``, Z Poisson of mean λmax H."""
    return numbers.levels(p)


def levels_leading(p: Parameters, numbers: Numbers[N]) -> N:
    """``λmax H + 2√(λmax H) + 1/4``."""
    found: N = numbers.number(p.load + Fraction(1, 4)) + numbers.sqrt(numbers.number(p.load)) * 2
    return found


def levels_bound(p: Parameters, numbers: Numbers[N]) -> N:
    """``(e - 1) λmax H + 1/(√e - 1)``."""
    half = numbers.number(Fraction(1, 2))
    found: N = numbers.expm1(numbers.number(_ONE)) * numbers.number(p.load) + 1 / numbers.expm1(half)
    return found


# --- the propositions -------------------------------------------------------------------------


def root_of_pairs(p: Parameters, numbers: Numbers[N]) -> N:
    """``√(SAK)``."""
    return numbers.sqrt(numbers.number(_ONE * p.states * p.actions * p.episodes))


def waiting(p: Parameters, numbers: Numbers[N]) -> N:
    """``H + 1/λmin``."""
    assert p.lambda_min is not None  # a condition of whatever uses it
    return numbers.number(p.horizon + 1 / p.lambda_min)


def _proposition(constant: Fraction, level: N, p: Parameters, numbers: Numbers[N]) -> N:
    found: N = numbers.number(constant) * waiting(p, numbers) * root_of_pairs(p, numbers) * level
    return found


def jump_errors(p: Parameters, numbers: Numbers[N]) -> N:
    """``prop:proberror``."""
    return _proposition(Fraction(3), mean_maximum_bound(p, numbers), p, numbers)


def rate_errors(p: Parameters, numbers: Numbers[N]) -> N:
    """``prop:rateerror``."""
    found: N = numbers.sqrt(numbers.number(2 * p.lambda_max)) * jump_errors(p, numbers)
    return found


def _best_level(p: Parameters, numbers: Numbers[N]) -> N:
    return numbers.minimum(mean_maximum_bound(p, numbers), levels(p, numbers))


def jump_errors_sharp(p: Parameters, numbers: Numbers[N]) -> N:
    """``prop:proberror/sharp``."""
    return _proposition(Fraction(2), _best_level(p, numbers), p, numbers)


def rate_errors_sharp(p: Parameters, numbers: Numbers[N]) -> N:
    """``prop:rateerror/repaired``."""
    level = _best_level(p, numbers)
    found: N = numbers.sqrt(numbers.number(2 * p.lambda_max)) * _proposition(
        Fraction(7, 3), level, p, numbers
    )
    return found


# --- the corollary and the remark -------------------------------------------------------------


def episodes_log(p: Parameters, numbers: Numbers[N]) -> N:
    """``ln(2SAKH)``."""
    return numbers.log_of(2 * p.states * p.actions * p.episodes * p.horizon)


def order(p: Parameters, numbers: Numbers[N]) -> N:
    """``(16 √(2 + 16 ln(2SAKH)) f + 3) λmax²H² (H + 1/λmin) √(SAK) (√S + λmax H)``."""
    logs = numbers.sqrt(episodes_log(p, numbers) * 16 + 2) * 16 * log_factor(p, numbers) + 3
    size = numbers.sqrt(numbers.number(_ONE * p.states)) + numbers.number(p.load)
    found: N = logs * numbers.number(p.load * p.load) * waiting(p, numbers) * root_of_pairs(p, numbers) * size
    return found


def order_lump_sum(p: Parameters, numbers: Numbers[N]) -> N:
    """``(8 √(2 + 16 ln(2SAKH)) + 3) λmax H (H + 1/λmin) √(SAK) (√S + λmax H)``."""
    logs = numbers.sqrt(episodes_log(p, numbers) * 16 + 2) * 8 + 3
    size = numbers.sqrt(numbers.number(_ONE * p.states)) + numbers.number(p.load)
    found: N = logs * numbers.number(p.load) * waiting(p, numbers) * root_of_pairs(p, numbers) * size
    return found


def printed_roots(p: Parameters, numbers: Numbers[N]) -> tuple[N, N]:
    """``√(2S + 6 ln(2SAKH))`` and ``4 λmax H √ln(2SAKH)``."""
    log = episodes_log(p, numbers)
    first = numbers.sqrt(numbers.number(2 * _ONE * p.states) + log * 6)
    return first, numbers.number(4 * p.load) * numbers.sqrt(log)


def known_rates(p: Parameters, numbers: Numbers[N]) -> N:
    """The bound for an agent that knows λmin: ``CH/λmin + H + 1/λmin`` for ``(CH + 1)(H + 1/λmin)``."""
    assert p.lambda_min is not None  # a condition of the bound
    shorter = bonus_factor(p, numbers) * numbers.number(p.horizon / p.lambda_min) + waiting(p, numbers)
    first, second = printed_roots(p, numbers)
    main = shorter * 3 * root_of_pairs(p, numbers) * mean_maximum_bound(p, numbers) * (first + second)
    found: N = main + iteration_error(p, numbers) + 1
    return found


# --- the lower bound --------------------------------------------------------------------------


def erlang(p: Parameters, numbers: Numbers[N]) -> N:
    """``E[(H - γ_d)^+]``, γ_d the sum of d exponential times of rate λmax."""
    return _erlang(p.depth, p, numbers)


def _erlang(depth: int | None, p: Parameters, numbers: Numbers[N]) -> N:
    assert depth is not None  # a condition of the lower bound
    reached = numbers.number(p.horizon) * numbers.at_least(p.load, depth)
    found: N = reached - numbers.number(depth / p.lambda_max) * numbers.at_least(p.load, depth + 1)
    return found


def _lower(constant: N, value: N, p: Parameters, numbers: Numbers[N]) -> N:
    found: N = constant * value * root_of_pairs(p, numbers)
    return found


def _printed_constant(numbers: Numbers[N]) -> N:
    found: N = numbers.number(Fraction(1, 12)) / numbers.sqrt(numbers.number(Fraction(2)))
    return found


def lower_bound(p: Parameters, numbers: Numbers[N]) -> N:
    """``E[(H - γ_d)^+] √(SAK)/(12√2)``."""
    return _lower(_printed_constant(numbers), erlang(p, numbers), p, numbers)


def lower_bound_repaired(p: Parameters, numbers: Numbers[N]) -> N:
    """``E[(H - γ_d)^+] √(SAK)/7``."""
    return _lower(numbers.number(Fraction(1, 7)), erlang(p, numbers), p, numbers)


def lower_bound_every(p: Parameters, numbers: Numbers[N]) -> N:
    """``E[(H - γ_d)^+] min{√(SAK), √2 K}/7``."""
    found: N = numbers.number(Fraction(1, 7)) * erlang(p, numbers) * _root_or_few(p, numbers)
    return found


def lower_bound_every_size(p: Parameters, numbers: Numbers[N]) -> N:
    """``E[(H - γ_d)^+] min{√(SAK), √2 K}/11`` with the d of a tree whose last level is partly filled."""
    worth = _erlang(p.depth_of_any_size, p, numbers)
    found: N = numbers.number(Fraction(1, 11)) * worth * _root_or_few(p, numbers)
    return found


def _root_or_few(p: Parameters, numbers: Numbers[N]) -> N:
    few = numbers.sqrt(numbers.number(_ONE * 2)) * numbers.number(_ONE * p.episodes)
    found: N = numbers.minimum(root_of_pairs(p, numbers), few)
    return found


def lower_bound_turns(p: Parameters, numbers: Numbers[N]) -> N:
    """``E[(H - γ_d)^+] √(SAK)/8`` with the d of a tree without self-jumps."""
    return _lower(numbers.number(Fraction(1, 8)), _erlang(p.depth_with_turns, p, numbers), p, numbers)


def lower_bound_simple(p: Parameters, numbers: Numbers[N]) -> N:
    """``c2 H √(SAK)/(12√2)`` with the largest c2, ``1 - d/(λmax H)``."""
    assert p.depth is not None  # a condition of the lower bound
    rest = numbers.number(p.horizon - p.depth / p.lambda_max)
    return _lower(_printed_constant(numbers), rest, p, numbers)
