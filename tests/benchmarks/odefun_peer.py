r"""mpmath's ``odefun`` as a peer: many digits, once the switching times are known.

``odefun`` integrates smooth systems by Taylor series whose derivatives it finds by
differences.  It knows neither maximum nor switch, so it is *given* the regimes: from which
remaining time on which action each state uses.  Between switches

.. math:: v(x)' = r - \lambda v(x) + \lambda \sum_y p(y)\, v(y), \qquad a = \text{the given action}.

At an optimal switch the old and the new action are worth the same, so :math:`v = V` runs
on continuously and one unknown per state is enough.  Hence the same system serves both
semantics; only the switching times differ.  Switching times must be as accurate as the
answer is to be.
"""

from __future__ import annotations

import sys
import time
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from mpmath import mp

from ctucbvi.errors import InputError
from verify.streams import writing

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ctucbvi.model import CTMDP

OWN_CHOICE = -1  # a degree: let odefun choose
_GUARD = 2  # digits carried beyond the ones asked for; odefun itself works with 40 bits more


def _number(fraction: Fraction) -> Any:
    return mp.mpf(fraction.numerator) / fraction.denominator


def _slope(model: CTMDP, actions: Mapping[str, str]) -> Callable[[Any, Sequence[Any]], list[Any]]:
    """Return the right-hand side, with λ p(y) multiplied out and -λ merged into the diagonal."""
    chosen = {t.state: t for t in model.transitions if t.action == actions[t.state]}
    rows = []
    for x, name in enumerate(model.states):
        row = chosen[name]
        weights = {model.state_index(y): row.rate * p for y, p in row.to}
        weights[x] = weights.get(x, 0) - row.rate
        rows.append((_number(row.reward), [(y, _number(w)) for y, w in weights.items() if w]))

    def slope(_t: Any, v: Sequence[Any]) -> list[Any]:
        return [sum((w * v[y] for y, w in row), reward) for reward, row in rows]

    return slope


def solve(
    model: CTMDP, digits: int, regimes: Sequence[Any], *, degree: int | None = None
) -> tuple[dict[str, Any], float]:
    """Return the values at the horizon and the seconds taken, given ``[(time, {state: action}), ...]``.

    Times increase from 0 and must be as accurate as ``digits``.  ``degree`` is that of the Taylor
    series, by default 5/4 of ``digits``: on machine repair faster than odefun's ``OWN_CHOICE``.
    """
    if not regimes or regimes[0][0] != 0:
        raise InputError("regimes: the first must start at remaining time 0")
    with mp.workdps(digits + _GUARD):
        begun = time.perf_counter()
        tolerance = mp.mpf(10) ** -digits
        order = None if degree == OWN_CHOICE else degree or max(10, digits * 5 // 4)
        starts = [_number(start) for start, _ in regimes]
        v = [_number(g) for g in model.terminal]
        ends = [*starts[1:], _number(model.horizon)]
        for (_, actions), start, end in zip(regimes, starts, ends, strict=True):
            v = mp.odefun(_slope(model, actions), start, v, tol=tolerance, degree=order)(end)
        return dict(zip(model.states, v, strict=True)), time.perf_counter() - begun


def regimes_of(opinion: Any) -> list[tuple[Fraction, dict[str, str]]]:
    """Return the regimes of a :class:`ctucbvi.second_opinion.SecondOpinion`, ready for :func:`solve`."""
    regimes = [(Fraction(0), {x: opinion.action(x, 0) for x in opinion.model.states})]
    for s in opinion.switches:
        regimes.append((s.time.mid, regimes[-1][1] | {s.state: s.after[0]}))
    return regimes


@writing("python -m tests.benchmarks.odefun_peer")
def main() -> None:
    """Time a model's committed value; number of digits as the only argument (40)."""
    from ctucbvi import second_opinion
    from ctucbvi.library import machine_repair

    digits = int(sys.argv[1]) if len(sys.argv) > 1 else 40
    model = machine_repair()
    begun = time.perf_counter()
    opinion = second_opinion.solve(model, digits=digits + _GUARD)
    ours = time.perf_counter() - begun
    values, seconds = solve(model, digits, regimes_of(opinion))
    with mp.workdps(digits + _GUARD):
        error = max(abs(v - opinion.estimate(x, model.horizon)) for x, v in values.items())
        print(f"odefun, {digits} digits: {mp.nstr(values[model.initial], digits)}")
        print(f"difference from the second opinion {mp.nstr(error, 2)}")
    print(f"odefun, given the switching times: {seconds:.3f} s; second opinion, finding them: {ours:.3f} s")


if __name__ == "__main__":
    main()
