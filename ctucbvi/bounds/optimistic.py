r"""The bound of ``thm:CT-UCB/optimistic``: the learner that plans with the best model in its confidence sets.

With the rate sets of the paper and the jump sets of ``lem:CI-p/uniform``, for every model with rates in
:math:`[0, \lambda_{\max}]` and rewards in [0, 1], :math:`v = \lambda_{\max}H` and :math:`\delta = 1/(2K)`,

.. math:: \mathrm{Regret} \le \sqrt2\,H\sqrt{SAKv}\,\bigl(a + 2\sqrt L\bigr) + SAH\,(a_1J + v) + 2\delta KH ,

.. math:: L = 4\ln\frac{2SAK}\delta, \quad M = 1 + \frac{Kv}{SA}, \quad
          a^2 = 2S\ln2 + 2\ln\frac{SAM(M+1)}\delta, \quad a_1^2 = 2S\ln2 + 2\ln\frac{2SA}\delta,

and :math:`J = \min_{h>0}(\ln K + v(e^h-1))/h = ve^s`, :math:`s = 1 + W((\ln K-v)/(ev))`, which is at least
the mean of the largest number of jumps in an episode (``eq:term1-3/sharp``).

**Rows.**  So it is with the jump sets of ``lem:CI-p/uniform``; with those of ``lem:CI-p/kl`` and
``lem:CI-p/tilts`` (``thm:CT-UCB/optimistic/kl``, ``thm:CT-UCB/optimistic/tilts``) only a and :math:`a_1` are
others (:mod:`ctucbvi.bounds.rows`).

**Growth.**  With :math:`k = \ln K`: :math:`\sqrt K/K` contributes :math:`-\frac12`, a what
:mod:`ctucbvi.bounds.rows` says, and as the derivative of :math:`L` is 8 (4 for a fixed :math:`\delta`),
:math:`\sqrt L` contributes :math:`4/L` (:math:`2/L`).  In the lower order :math:`a_1` contributes as there,
and :math:`J`, the minimum of functions whose derivative is :math:`1/h \le J/k`, at most :math:`1/k`.  Once
these are below :math:`\frac12` and 1 they stay there, and the sum over :math:`K` falls where both parts do.

**Rates by Poisson tails** (``thm:CT-UCB/optimistic/poisson``).  With the sets of ``lem:rateUCB/tilts`` the
rates cost no :math:`\sqrt v`:

.. math:: \mathrm{Regret} \le H\sqrt{SAK}\,\bigl(\sqrt{2v}\,a + 3\sqrt{3l}\bigr) + SAH\,\Bigl(a_1J + \tfrac v2
          + \tfrac{3\sqrt3}4\sqrt v + 3l\bigl(1 + \ln(1 + \tfrac{Kv}{6lSA})\bigr)\Bigr) + 2\delta KH .

The learner's :math:`l = \ln(2SAn/\delta)` has a whole number :math:`n` of tilts, at most
:math:`3 + \frac12\log_2(K(1+v))`, which stands here in its place: the bound grows with :math:`l`, and so it
has no steps.  The derivative of :math:`l` is at most :math:`\frac54` (:math:`\frac14`), as :math:`n \ge 3`,
and that of :math:`\ln(1+\ln(1+x))` over :math:`\ln x`, :math:`x = Kv/(6lSA)`, at most :math:`\frac13`.

**Plans that are kept** (``thm:CT-UCB/optimistic/lazy`` and so on), while the data have not grown by more than
the factor :math:`1+\eta`: :math:`(1+\eta)a^2` and :math:`(1+\eta)L`, or :math:`(1+\eta)l`, take the places of
:math:`a^2` and L, or l.  A constant factor does not change how they grow.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from ctucbvi.bounds import formulas as f
from ctucbvi.bounds.arithmetics import Numbers
from ctucbvi.bounds.parameters import Parameters
from ctucbvi.bounds.parts import BoundParts
from ctucbvi.bounds.rows import UNIFORM, Rows, tilts
from ctucbvi.learning.radii import N, log_confidence

_HALF, _ONE = Fraction(1, 2), Fraction(1)
_MORE = "sqrt(1 + eta)"


def proof_delta(p: Parameters) -> Parameters:
    """The parameters with the δ = 1/(2K) of the theorem."""
    return replace(p, delta=_HALF / p.episodes)


def parts(p: Parameters, numbers: Numbers[N], rows: Rows = UNIFORM) -> BoundParts[N]:
    """The bound for the δ, and the η, of the parameters."""
    assert p.delta is not None  # given, or the proof's
    pairs = p.states * p.actions
    rates = numbers.sqrt(_rate_log(p, numbers)) * 2
    small = _first_jumps(p, numbers, rows) + numbers.number(_ONE * p.load)
    return BoundParts(
        (
            ("sqrt(2)", numbers.sqrt(numbers.number(_ONE * 2))),
            ("H", numbers.number(_ONE * p.horizon)),
            ("sqrt(S A K)", f.root_of_pairs(p, numbers)),
            ("sqrt(lambda_max H)", numbers.sqrt(numbers.number(_ONE * p.load))),
            *(() if p.replan is None else (kept(p, numbers),)),
        ),
        numbers.sqrt(rows.square(p, numbers)),
        rates,
        numbers.number(_ONE * 0),
        numbers.number(2 * p.delta * p.episodes * p.horizon),
        numbers.number(pairs * p.horizon) * small,
    )


def growth(p: Parameters, numbers: Numbers[N], rows: Rows = UNIFORM, moving: int = 0) -> N:
    """An upper bound of the growth of the larger part, for a fixed δ; or, moving = 1, for δ = 1/(2K)."""
    rates: N = rate_growth(p, numbers, moving) - numbers.number(_HALF)
    return numbers.maximum(_rows_growth(p, numbers, rows, moving), rates)


def rate_growth(p: Parameters, numbers: Numbers[N], moving: int) -> N:
    """That of ``√L``, at most."""
    found: N = numbers.number(_ONE * (2 + 2 * moving)) / _rate_log(p, numbers)
    return found


def poisson_parts(p: Parameters, numbers: Numbers[N], rows: Rows = UNIFORM) -> BoundParts[N]:
    """The bound with rates by Poisson tails, for the δ, and the η, of the parameters."""
    found = parts(p, numbers, rows)
    root = numbers.sqrt(numbers.number(_ONE * p.load))
    level, pairs = _level(p, numbers), p.states * p.actions
    longer = level if p.replan is None else level * numbers.number(1 + p.replan)
    steps = numbers.log(numbers.number(_ONE * p.episodes * p.load / (6 * pairs)) / longer + 1) + 1
    small = (
        _first_jumps(p, numbers, rows)
        + numbers.number(_HALF * p.load)
        + numbers.sqrt(numbers.number(_ONE * 3)) * root * 3 / 4
        + longer * steps * 3
    )
    return replace(
        found,
        factors=tuple(factor for factor in found.factors if factor[0] in ("H", "sqrt(S A K)", _MORE)),
        jump_root=numbers.sqrt(numbers.number(_ONE * 2)) * root * found.jump_root,
        rate_root=numbers.sqrt(level * 3) * 3,
        lower_order=numbers.number(pairs * p.horizon) * small,
    )


def poisson_growth(p: Parameters, numbers: Numbers[N], rows: Rows = UNIFORM, moving: int = 0) -> N:
    """An upper bound of the growth of its larger part; moving as before."""
    level, steps = tilt_growths(p, numbers, moving)
    rates = numbers.maximum(level - numbers.number(_HALF), steps - numbers.number(_ONE))
    return numbers.maximum(_rows_growth(p, numbers, rows, moving), rates)


def tilt_growths(p: Parameters, numbers: Numbers[N], moving: int) -> tuple[N, N]:
    """That of ``√l`` and that of ``l(1 + ln(1 + Kv/(6lSA)))``, at most."""
    falls: N = numbers.number(Fraction(1, 4) + moving) / _level(p, numbers)
    return falls / 2, falls + numbers.number(Fraction(1, 3))


def kept(p: Parameters, numbers: Numbers[N]) -> tuple[str, N]:
    """What plans that are kept cost."""
    assert p.replan is not None
    return _MORE, numbers.sqrt(numbers.number(1 + p.replan))


def _rows_growth(p: Parameters, numbers: Numbers[N], rows: Rows, moving: int) -> N:
    root: N = rows.growth(p, numbers, moving) - numbers.number(_HALF)
    rest: N = rows.first_growth(p, numbers, moving) + numbers.number(_ONE) / numbers.log_of(_ONE * p.episodes)
    return numbers.maximum(root, rest - numbers.number(_ONE))


def _first_jumps(p: Parameters, numbers: Numbers[N], rows: Rows) -> N:
    """``a₁ J``."""
    found: N = numbers.sqrt(rows.first(p, numbers)) * f.mean_maximum_sharp(p, numbers)
    return found


def _level(p: Parameters, numbers: Numbers[N]) -> N:
    """``ln(2SAn/δ)``."""
    assert p.delta is not None
    found: N = numbers.log_of(2 * p.states * p.actions / p.delta) + numbers.log(tilts(p, numbers))
    return found


def _rate_log(p: Parameters, numbers: Numbers[N]) -> N:
    return log_confidence(p.states, p.actions, p.episodes, p.delta, numbers)
