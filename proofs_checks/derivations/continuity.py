r"""At which remaining times one action is better than another: an open set of them.

:math:`\mathcal T^av` of an iterate v of ``alg:VI`` rises with the remaining time, by at most e per unit, e >=
1 the largest reward with bonus (:mod:`proofs_checks.derivations.grids`); so does :math:`\mathcal T^aV^*`, by
at most 1.  An action that exceeds another by more than e (u - t) at t or at u therefore exceeds it at both.
"""

from __future__ import annotations

from collections.abc import Callable

from proofs_checks.derivations.adjustable import rises, small
from proofs_checks.derivations.grids import LATER, PAID, score, scores
from proofs_checks.derivations.iterations import ITERATION, of_iteration
from proofs_checks.derivations.operators import TRUE_MODEL, applied, part, true_model
from proofs_checks.derivations.setting import operator
from proofs_checks.derivations.slopes import rising_step, slope_step
from verify.kernel import theorems
from verify.kernel.authoring import Derivation
from verify.kernel.theorems import Theorem

Score = Callable[[str, str], str]


def _moves(of: Score, e: str) -> list[str]:
    """From t to u it rises, by at most e (u - t); an action that is better at one is at the other."""
    found = [f"{of('a', 't')} <= {of('a', 'u')}", f"{of('a', 'u')} <= {of('a', 't')} + {e}*(u - t)"]
    for here, there in (("t", "u"), ("u", "t")):
        more = f"{of('b', here)} + {e}*(u - t) < {of('a', here)}"
        found.append(f"Imp({more}, {of('b', there)} < {of('a', there)})")
    return found


def _optimal(action: str, time: str) -> str:
    """T^a V*."""
    return operator(action, "Vs({y}, {s})", time=time)


_OPTIMAL = f"Imp({LATER}, And({', '.join(_moves(_optimal, '1'))}))"
_ITERATES = of_iteration(f"Imp({PAID}, Imp(1 <= e, Imp({LATER}, And({', '.join(_moves(score, 'e'))}))))")
OPEN = f"And({_ITERATES}, {_OPTIMAL})"


def _opened(D: Derivation, of: Score, e: str, moves: list[Theorem]) -> Theorem:
    """What _moves says, given 0 <= t <= u, from its first two parts."""
    facts, texts = [*moves, *(D.at(one, a="b") for one in moves)], _moves(of, e)
    found = [D.linear(one, *moves) for one in texts[:2]]
    for text in texts[2:]:
        condition, better = D.formula(text).parts
        found.append(D.imply(D.linear(better, D.assume(condition), *facts), condition))
    both = theorems.both(*found)
    for text in ("0 <= t", "t <= u"):
        both = theorems.cut(part(D, D.assume(LATER), text), both)
    return D.imply(both, LATER)


def _optimal_scores(D: Derivation) -> list[Theorem]:
    """0 <= t <= u ⊢ T^a V*(x, u) is between T^a V*(x, t) and T^a V*(x, t) + u - t."""
    inside = "And(0 <= s, s <= v)"
    order = [part(D, D.assume(inside), one) for one in ("0 <= s", "s <= v")]
    pair = [D.all(D.imply(one, inside), "y", "s", "v") for one in rises(D, "s", "v", *order)]
    start = D.assume("0 <= s")
    sizes = [D.all(D.imply(one, "0 <= s"), "y", "s") for one in small(D, "y", "s", start)]
    no_bonus = D.all(D.linear("0 <= 0"), "x", "a")
    up = theorems.cut(no_bonus, theorems.cut(true_model(D), applied(D, rising_step(D), TRUE_MODEL)))
    found = []
    for step, facts in ((up, (pair[0], sizes[0])), (slope_step(D), (pair[1], sizes[1]))):
        step = D.instantiate(step, "gu", "y s", "Vs(y, s)")
        for fact in facts:
            step = theorems.cut(fact, step)
        found.append(step)
    return found


def opened(D: Derivation) -> Theorem:
    """eq:pi-k/measurable."""
    iterates = _opened(D, score, "e", scores(D))
    return theorems.both(
        D.imply(iterates, *ITERATION, PAID, "1 <= e"), _opened(D, _optimal, "1", _optimal_scores(D))
    )
