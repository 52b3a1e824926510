r"""The policies :math:`\pi^k`: whether they are measurable, and what a grid of remaining times costs.

:math:`f_a(t) = \mathcal T^{a,k}\hat V(x,t)` rises with t, by at most e per unit, e >= 1 the largest reward
with bonus.  So where one action is better than another it is so nearby, and the best of finitely many actions
can be chosen measurably; and the best action of a grid point is nearly best within a step of it.  Its *value*
need not be near: where two actions tie in the estimated model, as in the first episode, rounding decides
between them.
"""

from __future__ import annotations

from fractions import Fraction

from proofs_checks.checks.common import PROOF
from proofs_checks.checks.policies import nearly_greedy, ties
from proofs_checks.derivations import continuity, grids
from proofs_checks.derivations.setting import ANY
from verify.claims import Domain, Section

_NEAR = ("e >= 1", "d >= 0", "c > 0", "v <= x", "y <= w + e*d")

section = Section(checks=PROOF, expected="proved", setting=ANY)

section.claim(
    "eq:pi-k/measurable",
    "In each state the remaining times at which one action is better than another are an open set, for "
    "eq:pi-k (T^{a,k} of any iterate of alg:VI) and for the verification of eq:Qa (T^a V*): from t to u = t "
    "+ d every score rises, by at most ed, e >= 1 the largest r + b (1 for V*); so an action that is better "
    "by ed + c, c > 0, at one of the two times, v against w, is better by c at the other, x against y. "
    "(Hence the first maximising action in some order is a measurable function of t, as V^π needs.)",
    says="y + c <= x",
    domain=Domain.of(*_NEAR, "w + e*d + c <= v", reals="v w x y"),
    uses="eq:mono lem:optimism/rising/values lem:optimism/sharp/slope lem:optimism/value-bound "
    "lem:optimism/value-bound/iterates",
    theorem=continuity.OPEN,
    derivation=continuity.opened,
    mutant=Domain.of(*_NEAR, "w + e*d/2 + c <= v", reals="v w x y"),
)

section.claim(
    "remark:integral/grid",
    "A policy that keeps the best action of a grid point at most a step s away, the last or the nearest "
    "one, is nearly greedy: the iterates of alg:VI, and T^{a,k} of them, rise by at most e per unit of "
    "time, e >= 1 the largest r + b, so that it lacks at most es. (Scores that move by at most L per unit "
    "of time, up or down, would lack at most 2Ls: from the grid point to t the score of its action falls "
    "from v by at most Ls to x, that of another rises from w <= v by at most Ls to y.)",
    says="y - x <= 2*L*s",
    domain=Domain.of("L >= 0", "s >= 0", "v - x <= L*s", "y - w <= L*s", "w <= v", reals="v w x y"),
    source="eq:Tak",
    uses="eq:mono",
    theorem=grids.GRID,
    derivation=grids.grid,
    checks=(nearly_greedy(), *PROOF),
    mutant="y - x <= L*s",
)

section.repair(
    "remark:integral/ties",
    "Small errors of the scores are all that a grid promises. Where two actions tie exactly in the estimated "
    "model, rounding decides between them, and their values may differ: in episode 1 all λ̂ are 0 and all "
    "bonuses equal, so that actions of equal reward tie at every t, and two policies that are both greedy "
    "have values at least 1/4 apart. (Both are a π^k, and the bounds hold for every choice.)",
    source="eq:Tak",
    checks=ties((Fraction(0), Fraction(0))),
    mutant=ties((Fraction(1, 2), Fraction(0))),  # no tie
)
