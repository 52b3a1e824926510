r"""The setting of the optimistic learner: it plays the value of the best model in its confidence sets.

For every pair the learner has a set of models: rates in [``rlo``, ``rhi``] and rows.  No bonus, no iteration:
:math:`\hat Q` = ``Qh`` solves

.. math:: \hat Q'(x,a,t) = r(x,a) + \max\{\tilde\lambda\,(\tilde p\,\hat V(\cdot,t) - \hat Q(x,a,t))\},\qquad
          \hat V = \max_a\hat Q,\qquad \hat Q(\cdot,0) = 0,

the maximum ``ham`` over the set of the pair; ``lt``, ``pt`` attain it at time t, and ``Vq`` is
:math:`\hat V`.  In ``Qh-step`` the equation stands with an integrating factor :math:`e^{cs}`, for every c.

``EQUATION`` says nothing of what the sets are, but that they do not depend on time.  The rows are those near
the estimate, or all of them where no jump was seen, and ``au`` is how far from it they are in ℓ¹ at most:

* ``L1``: within the radius of ``lem:CI-p/uniform``;
* ``TILTED``: within that of ``lem:CI-p/tilts/radius``, for ``nr`` tilts;
* ``KL``: the Kullback-Leibler sets of ``lem:CI-p/kl``, with ``au`` from Pinsker's inequality.

The rates are those of the paper, :math:`|\tilde\lambda - \hat\lambda| \le \beta`, or (``POISSON…``) those
that satisfy the inequalities of ``lem:rateUCB/tilts`` for ``nt`` tilts; if none does, any interval.  Rates
below ``llow`` are cut off: 0, or more if the learner is told that no rate is smaller.

**Plans are kept** (:mod:`setting_plans`): ``pl(n)`` is the decision whose data the sets of decision n are
made of, for a ``LAZY…`` learner of an earlier episode; time counts from :math:`L/\lambda_{\max}` on, or from
:math:`3l/\lambda_{\max}`.  The others plan before every episode, with :math:`\eta = 0`.
"""

from __future__ import annotations

from collections.abc import Callable

from proofs_checks.derivations import setting_plans
from proofs_checks.derivations.jump_cover import uniform_radius
from proofs_checks.derivations.jump_tilts import least_radius
from proofs_checks.derivations.laplace import LEVEL, PENALTY, divergence, possible
from proofs_checks.derivations.pinsker import kl_level
from proofs_checks.derivations.setting import POLICIES
from proofs_checks.derivations.tilts import all_tilts, sides
from verify.kernel.language import Fact, Setting
from verify.kernel.terms import Symbol

WITHIN = "And(0 <= t, t <= H)"
_PAIR = ("Nat", "State", "Action")
_Q = "Qh(n, x, a, {t})"
GAIN = "(SumOver(y, pt(n, x, a, y, {u})*Vq(n, y, {t})) - Qh(n, x, a, {t}))"
"""What the model that is best at time u gains by a jump at remaining time t."""

SYMBOLS = [
    *(Symbol(name, (*_PAIR, "Real"), "Real", "_1") for name in ("Qh", "ham", "lt")),
    Symbol("pt", (*_PAIR, "State", "Real"), "Real", "_1"),
    Symbol("Vq", ("Nat", "State", "Real"), "Real", "_1"),
    *(Symbol(name, _PAIR, "Real", "_1") for name in ("rlo", "rhi", "au")),
    Symbol("cap", ("Nat",), "Real", "_1"),
    *(Symbol(name, _PAIR, "Real", "_1", True) for name in ("gpay", "gsl")),
]

FACTS = {
    "Qh-0": Fact("Qh(n, x, a, 0) == 0", "nothing is earned in no time", "existence"),
    "Qh-step": Fact(
        "Imp(And(0 <= t, 0 <= h, t + h <= H), Qh(n, x, a, t + h) == exp(-c*h)*Qh(n, x, a, t) + "
        "Int(s, h, exp(-c*s)*(r(x, a) + ham(n, x, a, t + h - s) + c*Qh(n, x, a, t + h - s))))",
        "the equation Q' = r + max, with the integrating factor e^{cs}, for every c",
        "existence",
    ),
    "Qh-size": Fact(f"Imp({WITHIN}, Abs({_Q.format(t='t')}) <= cap(n))", "continuous on [0, H]", "existence"),
    "Vq": Fact("Vq(n, x, t) == MaxOver(a, Qh(n, x, a, t))", "the value of the best action"),
    "attained": Fact(
        f"Imp({WITHIN}, ham(n, x, a, t) == lt(n, x, a, t)*{GAIN.format(u='t', t='t')})",
        "lt and pt are a model of the set that attains the maximum at time t",
        "existence",
    ),
    "candidates": Fact(
        f"Imp(And(0 <= t, t <= H, 0 <= u, u <= H), lt(n, x, a, u)*{GAIN.format(u='u', t='t')} <= "
        "ham(n, x, a, t))",
        "the set does not depend on time: what is best at time u is in it at time t",
        "existence",
    ),
    "lt-low": Fact("rlo(n, x, a) <= lt(n, x, a, t)", "the rates of the set", "existence"),
    "lt-high": Fact("lt(n, x, a, t) <= rhi(n, x, a)", "the rates of the set", "existence"),
    "rlo-low": Fact("0 <= rlo(n, x, a)", "the rates of the set are rates", "model"),
    "rhi-high": Fact("rhi(n, x, a) <= lmax", "the rates of the set are at most λmax", "model"),
    "pt-low": Fact("0 <= pt(n, x, a, y, t)", "a row of probabilities", "existence"),
    "pt-sum": Fact("SumOver(y, pt(n, x, a, y, t)) == 1", "a row of probabilities", "existence"),
    "greedy": Fact(
        f"Imp({WITHIN}, Qh(n, x, pol(n, x, t), t) == Vq(n, x, t))", "the best action is played", "existence"
    ),
    "frozen-Qh": Fact(
        "Imp(jump(n) == 1, Qh(n + 1, x, a, t) == Qh(n, x, a, t))", "the sets of an episode stay", "existence"
    ),
}

EQUATION = POLICIES.extended("optimistic equation", SYMBOLS, FACTS)

# --- plans ------------------------------------------------------------------------------------------

PLANS = EQUATION.extended("optimistic equation of a plan", setting_plans.SYMBOLS, setting_plans.FACTS)

_EAGER = {
    "eager": Fact("ep(pl(n)) == ep(n)", "it plans before every episode", "model"),
    "eager-eta": Fact("eta == 0", "no plan is kept for more data", "model"),
}

# --- rows -------------------------------------------------------------------------------------------

LARGER = "Max(1, Nf(pl(n), x, a))"


def seen(near: str) -> str:
    """That it is so, or no jump was seen."""
    return f"Imp(1 <= Nf(pl(n), x, a), {near})"


def within(row: str) -> str:
    """That a row is within au of the estimate."""
    return f"SumOver(y, Abs(ph(pl(n), x, a, y) - {row})) <= au(n, x, a)"


def divergent(row: str) -> str:
    """That a row is in the Kullback-Leibler set."""
    near = f"And({divergence(row)} <= {LEVEL} + {PENALTY}, {possible(row)})"
    return near.replace("(i,", "(pl(n),")


def _row_facts(near: Callable[[str], str]) -> dict[str, Fact]:
    row = "All(y, 0 <= gd(y)), SumOver(y, gd(y)) == 1, " + seen(near("gd(y)"))
    candidate = f"And(rlo(n, x, a) <= w, w <= rhi(n, x, a), {row}, 0 <= t, t <= H)"
    gain = "w*(SumOver(y, gd(y)*Vq(n, y, t)) - Qh(n, x, a, t))"
    return {
        "llow": Fact(
            "And(0 <= llow, llow <= lam(x, a))", "what the learner is told of the least rate", "model"
        ),
        "pt-near": Fact(seen(near("pt(n, x, a, y, t)")), "the rows of the set", "existence"),
        "maximum": Fact(
            f"Imp({candidate}, {gain} <= ham(n, x, a, t))",
            "no rate w and row gd of the set give more",
            "existence",
        ),
    }


def enough(k: str) -> str:
    """That k tilts are enough for the rows."""
    return f"And(1 <= {k}, 16*K*(1 + lmax*H) <= 2**(2*{k}))"


_LEAST = [Symbol("llow", (), "Real")]
_RADIUS = "au(n, x, a) == {}"

NEARBY = PLANS.extended("optimistic equation with rows near the estimates", _LEAST, _row_facts(within))

L1 = NEARBY.extended(
    "optimistic equation with rows within the uniform radius",
    [],
    {"au": Fact(_RADIUS.format(uniform_radius(LARGER)), "the radius of lem:CI-p/uniform")},
)

TILTED = NEARBY.extended(
    "optimistic equation with rows within the radius of tilts",
    [Symbol("nr", (), "Nat")],
    {
        "nr": Fact(enough("nr"), "as many tilts as are enough", "model"),
        "au": Fact(_RADIUS.format(least_radius("nr", LARGER)), "the radius of lem:CI-p/tilts/radius"),
    },
)

KL = PLANS.extended(
    "optimistic equation with rows within divergences",
    _LEAST,
    {
        **_row_facts(divergent),
        "au": Fact(
            _RADIUS.format(f"sqrt({kl_level(LARGER)}/{LARGER})"), "the radius by Pinsker's inequality"
        ),
    },
)

# --- rates ------------------------------------------------------------------------------------------

RATE_FACTS = {
    "rlo": Fact(
        "rlo(n, x, a) == Min(Max(lh(pl(n), x, a) - be(pl(n), x, a), llow), lmax)",
        "rates within β, cut",
        "model",
    ),
    "rhi": Fact(
        "rhi(n, x, a) == Max(Min(lh(pl(n), x, a) + be(pl(n), x, a), lmax), rlo(n, x, a))",
        "rates within β, cut",
        "model",
    ),
    **setting_plans.KEPT_TIME,
}

TILT_LEVEL = "log(2*S*A*nt/delta)"
_DATA = ("Nf(pl(n), x, a)", "Tf(pl(n), x, a)", TILT_LEVEL)


def in_tilts(low: str, high: str) -> str:
    """That ``low`` is not too small for any of the tilts, and ``high`` not too large."""
    return all_tilts(f"And({', '.join(sides(low, high, _DATA))})", "nt")


_ENDS = "rlo(n, x, a) <= w, w <= rhi(n, x, a), " + in_tilts("rlo(n, x, a)", "rhi(n, x, a)")

TILT_FACTS = {
    "nt": Fact("And(2 <= nt, 16*K*lmax*H <= 2**(2*nt))", "as many tilts as are enough", "model"),
    "rates": Fact(
        f"Imp(And(llow <= w, w <= lmax, {in_tilts('w', 'w')}), And({_ENDS}))",
        "if a rate is left, [rlo, rhi] are the rates in [llow, λmax] that satisfy all the inequalities",
        "existence",
    ),
    "kept-T": setting_plans.kept("Tf(n, x, a)", f"Max(Tf(pl(n), x, a), 3*{TILT_LEVEL}/lmax)"),
}

_TILTS = [Symbol("nt", (), "Nat")]

# --- the learners -----------------------------------------------------------------------------------


def _learners(rows: Setting, sets: str) -> tuple[Setting, ...]:
    """Four: rates of the paper and of tilts, plans being kept; then the same with a plan per episode."""
    names = f"optimistic learner{sets}", f"optimistic learner{sets}, rates of tilts"
    kept = [
        rows.extended(f"{name}, plans kept", more, facts)
        for name, more, facts in zip(names, ([], _TILTS), (RATE_FACTS, TILT_FACTS), strict=True)
    ]
    return (*kept, *(one.extended(name, [], _EAGER) for one, name in zip(kept, names, strict=True)))


LAZY, LAZY_POISSON, OPTIMISTIC, POISSON = _learners(L1, "")
LAZY_KL, LAZY_POISSON_KL, OPTIMISTIC_KL, POISSON_KL = _learners(KL, " with divergences")
LAZY_TILTED, LAZY_POISSON_TILTED, OPTIMISTIC_TILTED, POISSON_TILTED = _learners(TILTED, " with tilted rows")
