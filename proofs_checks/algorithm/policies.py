r"""The policies :math:`\pi^k`: whether they are measurable, and what a grid of remaining times costs.

:math:`f_a(t) = \mathcal T^au(x,t)` has slope :math:`re^{-\lambda t} + \lambda(m - n)`, with :math:`m` the
mean of :math:`u` over the next state at remaining time :math:`t`, and :math:`n` an average of such means.
So it moves by at most :math:`(r + \lambda\sup u)` per unit of time: the best of finitely many actions can be
chosen measurably, and the best action of a grid point is nearly best within a step of it.  Its *value* need
not be near: where two actions tie in the estimated model, as in the first episode, rounding decides between
them.
"""

from __future__ import annotations

from fractions import Fraction

from proofs_checks.checks.common import PROOF
from proofs_checks.checks.policies import nearly_greedy, ties
from proofs_checks.derivations import grids
from proofs_checks.derivations.setting import PAPER
from verify.claims import Domain, Remark, Section

_SLOPES = Domain.of("l >= 0", "t >= 0", "r >= 0", "M >= 0", "m >= 0", "m <= M", "n >= 0", "n <= M")

section = Section(checks=PROOF, expected="proved", setting=PAPER, symbols={"l": "λ", "r": "r(x,a)"})

section.claim(
    "eq:pi-k/measurable",
    "π^k, and the policy of the verification of eq:Qa, can be chosen measurable in t, as V^π needs: take "
    "the first maximising action in some order. Its set of times is where finitely many functions that are "
    "continuous (a change of t by e moves them by at most d = Le, L = r + λM, which is below any c > 0 for "
    "small e) are ordered in one way.",
    says="d < c",
    domain=Domain.of("c > 0", "L >= 0", "e >= 0", "d <= L*e", "(L + 1)*e < c", reals="d"),
    uses="remark:integral/rise remark:integral/fall",
    argued="that sets on which continuous functions are ordered in one way are Borel sets: derivations speak "
    "of measurable functions only, and cannot say that something is one",
    expected="assumed",
    mutant="d < c/2",
)

section.step(
    "remark:integral/rise",
    "As a function of t, T^a u has a slope of at most r + λM for 0 <= u <= M: the slope is r exp(-λt) + λ(m "
    "- n), with m and n in [0, M].",
    elementary=True,
    says="r*exp(-l*t) + l*m - l*n <= r + l*M",
    domain=_SLOPES,
    symbols={"m": "the mean of u at t", "n": "an average of such means"},
    source="eq:Tak",
    mutant="r*exp(-l*t) + l*m - l*n <= r + l*M/2",
)

section.step(
    "remark:integral/fall",
    "And of at least -λM.",
    elementary=True,
    says="-l*M <= r*exp(-l*t) + l*m - l*n",
    domain=_SLOPES,
    symbols={"m": "the mean of u at t", "n": "an average of such means"},
    source="eq:Tak",
    mutant="-l*M/2 <= r*exp(-l*t) + l*m - l*n",
)

section.claim(
    "remark:integral/grid",
    "A policy that keeps the best action of a grid point at most a step s away, the last or the nearest "
    "one, is nearly greedy: the iterates of alg:VI, and T^{a,k} of them, rise by at most e per unit of "
    "time, e >= 1 the largest r + b, so that it lacks at most es. (For any u with values in [0, sup u]: "
    "with L = r + b + λmax sup u it lacks at most 2Ls. From the grid point to t the score of its action "
    "falls from v by at most Ls to x, that of another rises from w <= v by at most Ls to y.)",
    says="y - x <= 2*L*s",
    domain=Domain.of("L >= 0", "s >= 0", "v - x <= L*s", "y - w <= L*s", "w <= v", reals="v w x y"),
    source="eq:Tak",
    uses="eq:mono",
    theorem=grids.GRID,
    derivation=grids.grid,
    checks=(nearly_greedy(), *PROOF),
    mutant="y - x <= L*s",
)

section.step(
    "remark:integral/policy",
    "The approximation error tends to 0 with the grid size also in this sense: the value of a policy that "
    "is greedy at the grid points up to a rounding error tends to that of π^k with ties broken in a fixed "
    "order. (In episode 1 all λ̂ are 0 "
    "and all bonuses equal, so actions of equal reward tie at every t, and rounding picks one of them.)",
    source="eq:Tak",
    checks=ties((Fraction(0), Fraction(0))),
    expected="refuted",
    mutant=ties((Fraction(1, 2), Fraction(0))),  # no tie: true
    finding=Remark(
        "remark",
        "A policy computed on a grid is greedy up to 2(r + b + λmax H) times the step, but its value need "
        "not be near that of π^k: where two actions tie exactly in the estimated model, as actions of equal "
        "reward do in the first episode, any rounding decides between them.",
        details="(The paper does not mention rounding, and every such policy is a π^k.) No proof uses it, "
        "and every greedy policy has the regret bound.",
        repair="remark:integral/grid",
    ),
)
