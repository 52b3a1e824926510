r"""What the operators :math:`\mathcal T^a`, their maximum and its truncation by t do to two functions.

Everything is said of one estimated model: rates in [0, λmax], rows that are not negative and sum to at
most 1, a bonus.  The model itself is the case without a bonus, and what a learner has estimated is one, too.
One lemma carries all: where u <= v + f, f a function of remaining time,

.. math:: \mathcal T^a u(x,t) \le \mathcal T^a v(x,t) + \int_0^t \lambda e^{-\lambda s} f(t-s)\,ds .

f = 0 is monotonicity, a constant f contraction, and f = c t says what happens after an iteration has stopped.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from proofs_checks.derivations.setting import estimated
from verify.kernel import calculus, terms, theorems
from verify.kernel.authoring import Derivation
from verify.kernel.theorems import Theorem

RATES_LOW = "All(x, All(a, 0 <= glam(x, a)))"
RATES_HIGH = "All(x, All(a, glam(x, a) <= lmax))"
ROWS_LOW = "All(x, All(a, All(y, 0 <= gp(x, a, y))))"
ROWS_HIGH = "All(x, All(a, SumOver(y, gp(x, a, y)) <= 1))"
ESTIMATES = f"And({RATES_LOW}, {RATES_HIGH}, {ROWS_LOW}, {ROWS_HIGH})"
"""What an estimated model satisfies; ``gbon`` is its bonus."""

RHO = "(1 - exp(-lmax*H))"
WITHIN = "And(0 <= t, t <= H)"

U, V = "gu({y}, {s})", "gv({y}, {s})"


def best(values: str) -> str:
    """max_a T^a of the estimated model."""
    return f"MaxOver(a, {estimated('a', values)})"


def cut(values: str) -> str:
    """min{t, max_a T^a}, the map of alg:VI."""
    return f"Min(t, {best(values)})"


def part(D: Derivation, theorem: Theorem, text: str) -> Theorem:
    """One part of an And."""
    return theorems.part(theorem, D.formula(text))


def applied(D: Derivation, theorem: Theorem, bodies: Mapping[str, tuple[str, str]]) -> Theorem:
    """Generic symbols replaced: name -> (parameters, body)."""
    for name, (params, body) in bodies.items():
        theorem = D.instantiate(theorem, name, params, body)
    return theorem


TRUE_MODEL = {"glam": ("x a", "lam(x, a)"), "gp": ("x a y", "p(x, a, y)"), "gbon": ("x a", "0")}


def true_model(D: Derivation) -> Theorem:
    """The model itself is such a model."""
    low = D.fact("rate")
    row = D.linear("SumOver(y, p(x, a, y)) <= 1", D.fact("jump-sum"))
    return theorems.both(
        D.all(low, "x", "a"),
        D.all(D.fact("rate-high"), "x", "a"),
        D.all(D.fact("jump-low"), "x", "a", "y"),
        D.all(row, "x", "a"),
    )


def after_jump(D: Derivation, values: Theorem) -> Theorem:
    """All(y, All(s, Imp(0 <= s <= t, A))) at y and t - s, given 0 <= s <= t."""
    low, high = D.linear("0 <= t - s", D.assume("s <= t")), D.linear("t - s <= t", D.assume("0 <= s"))
    return D.mp(D.special(values, "y", "t - s"), theorems.both(low, high))


# --- the one lemma ------------------------------------------------------------------------------

NEAR = "All(y, All(s, Imp(And(0 <= s, s <= t), gu(y, s) <= gv(y, s) + gf(s))))"
FAR = "All(s, Imp(And(0 <= s, s <= t), 0 <= gf(s)))"
_KERNEL = "glam(x, a)*exp(-glam(x, a)*s)"


def kernel(D: Derivation, rate: Theorem) -> Theorem:
    """0 <= λ̂ exp(-λ̂ s), from 0 <= λ̂."""
    return D.times(rate, D.known("exp", "-glam(x, a)*s"))


def moved(D: Derivation) -> Theorem:
    """ESTIMATES, NEAR, FAR ⊢ T^a u <= T^a v + ∫ λ̂ exp(-λ̂s) f(t-s) ds."""
    model = D.assume(ESTIMATES)
    low = D.special(part(D, model, ROWS_LOW), "x", "a", "y")
    row = D.special(part(D, model, ROWS_HIGH), "x", "a")
    far = after_jump(D, D.all(D.special(D.assume(FAR), "s"), "y", "s"))
    jumps = D.over(D.times(after_jump(D, D.assume(NEAR)), low), "y")
    at = "SumOver(y, gp(x, a, y)*{}(y, t - s))"
    one = D.linear(f"{at.format('gu')} <= {at.format('gv')} + gf(t - s)", jumps, D.times(row, far))
    rate = D.special(part(D, model, RATES_LOW), "x", "a")
    whole = D.integral(D.times(one, kernel(D, rate)), "s", "t")
    return D.linear(f"{estimated('a', U)} <= {estimated('a', V)} + Int(s, t, {_KERNEL}*gf(t - s))", whole)


# --- maximum, minimum, modulus ------------------------------------------------------------------


def maximum(D: Derivation, theorem: Theorem, u: str, v: str, more: str = "0") -> Theorem:
    """u <= v + more for every a: the maxima, too; ``more`` without a."""
    top = D.linear(f"{u} <= MaxOver(a, {v}) + {more}", theorem, D.most("a", v, "a"))
    return calculus.least(top, D.variable("a"))


def minimum(
    D: Derivation, theorem: Theorem, end: str, u: str, v: str, *signs: Theorem, more: str = "0"
) -> Theorem:
    """u <= v + more, 0 <= more: Min(end, u) <= Min(end, v) + more."""
    goal = f"Min({end}, {u}) <= Min({end}, {v}) + {more}"
    low, high = D.known("min", end, u), D.known("min-right", end, u)
    either = D.known("min-cases", end, v)
    return D.split(
        either,
        lambda one: D.linear(goal, one, low, high, theorem, *signs),
        lambda one: D.linear(goal, one, low, high, theorem, *signs),
    )


def modulus(D: Derivation, up: Theorem, down: Theorem) -> Theorem:
    """u <= v + w and v <= u + w: |u - v| <= w, the terms read from u <= v + w."""
    u = up.says.parts[0]
    w = terms.sub(terms.add(down.says.parts[1], up.says.parts[1]), terms.add(u, down.says.parts[0]))
    half = terms.scale(w, Fraction(1, 2))
    difference = terms.sub(u, down.says.parts[0])
    goal = terms.relation("<=", terms.function("Abs", difference), half)
    either = D.known("abs-cases", difference)
    return D.split(
        either, lambda one: D.linear(goal, one, up, down), lambda one: D.linear(goal, one, up, down)
    )


# --- eq:Qa/monotone -----------------------------------------------------------------------------

ORDERED = "All(y, All(s, Imp(And(0 <= s, s <= t), gu(y, s) <= gv(y, s))))"
MONOTONE = (
    f"Imp({RATES_LOW}, Imp({ROWS_LOW}, Imp({ORDERED}, And({estimated('a', U)} <= {estimated('a', V)}, "
    f"{best(U)} <= {best(V)}, {cut(U)} <= {cut(V)}))))"
)


def monotone(D: Derivation) -> Theorem:
    """T^a, their maximum, and the truncated map keep order."""
    rate = D.special(D.assume(RATES_LOW), "x", "a")
    row = D.special(D.assume(ROWS_LOW), "x", "a", "y")
    jumps = D.over(D.times(after_jump(D, D.assume(ORDERED)), row), "y")
    whole = D.integral(D.times(jumps, kernel(D, rate)), "s", "t")
    step = D.linear(f"{estimated('a', U)} <= {estimated('a', V)}", whole)
    top = maximum(D, step, estimated("a", U), estimated("a", V))
    low = minimum(D, top, "t", best(U), best(V))
    return D.imply(theorems.both(step, top, low), RATES_LOW, ROWS_LOW, ORDERED)


# --- lem:optimism/contraction -------------------------------------------------------------------

CLOSE = "All(y, All(s, Imp(And(0 <= s, s <= H), Abs(gu(y, s) - gv(y, s)) <= w)))"


def _contraction(body: str) -> str:
    return f"Imp({ESTIMATES}, Imp({CLOSE}, Imp({WITHIN}, Abs({body}) <= {RHO}*w)))"


CONTRACTION = _contraction(f"({estimated('a', U)}) - ({estimated('a', V)})")
CONTRACTION_MAX = _contraction(f"{best(U)} - {best(V)}")
CONTRACTION_CUT = _contraction(f"{cut(U)} - {cut(V)}")


def decays(D: Derivation, theorem: Theorem) -> Theorem:
    """u <= v: exp(-v) <= exp(-u)."""
    u, v = theorem.says.parts
    gap = terms.sub(v, u)
    below = D.pointwise("exp(-d) <= 1", "d >= 0", d=gap)
    below = theorems.cut(D.linear(terms.relation("<=", terms.ZERO, gap), theorem), below)
    return D.times(below, D.known("exp", terms.scale(u, -1)))


def jump_mass(D: Derivation) -> Theorem:
    """ESTIMATES, 0 <= t <= H ⊢ λ̂ ∫ exp(-λ̂s) ds <= 1 - exp(-λmax H)."""
    model = D.assume(ESTIMATES)
    low, high = (D.special(part(D, model, one), "x", "a") for one in (RATES_LOW, RATES_HIGH))
    area = D.primitive("s", "t", "-exp(-glam(x, a)*s)")
    start, end = D.assume("0 <= t"), D.assume("t <= H")
    longer = D.times(D.linear("0 <= H - t", end), low)
    faster = D.times(D.linear("0 <= lmax - glam(x, a)", high), D.linear("0 <= H", start, end))
    smaller = decays(D, D.linear("glam(x, a)*t <= lmax*H", longer, faster))
    return D.linear(f"glam(x, a)*Int(s, t, exp(-glam(x, a)*s)) <= {RHO}", area, smaller)


ABOVE = "All(y, All(s, Imp(And(0 <= s, s <= H), gu(y, s) <= gv(y, s) + w)))"


def shifted(D: Derivation) -> Theorem:
    """ESTIMATES, ABOVE, 0 <= w, 0 <= t, t <= H ⊢ T^a u <= T^a v + ρ w."""
    step = D.instantiate(moved(D), "gf", "s", "w")
    positive = D.assume("0 <= w")
    facts = [D.assume("0 <= s"), D.assume("s <= t"), D.assume("t <= H")]
    near = D.mp(D.special(D.assume(ABOVE), "y", "s"), theorems.both(facts[0], D.linear("s <= H", *facts)))
    step = D.closed(step, conditional(D, near, "y", "s"), conditional(D, positive, "s"))
    mass = D.times(jump_mass(D), positive)
    return D.linear(f"{estimated('a', U)} <= {estimated('a', V)} + {RHO}*w", step, mass)


def exchanged(D: Derivation, theorem: Theorem) -> Theorem:
    """u and v exchanged, by way of a third."""
    for one, other in (("gu", "gw"), ("gv", "gu"), ("gw", "gv")):
        theorem = D.instantiate(theorem, one, "y s", f"{other}(y, s)")
    return theorem


def conditional(D: Derivation, theorem: Theorem, *names: str) -> Theorem:
    """All(names, Imp(And(0 <= s, s <= t), A)) from A, given these two."""
    condition = D.assume("And(0 <= s, s <= t)")
    for text in ("0 <= s", "s <= t"):
        theorem = theorems.cut(part(D, condition, text), theorem)
    return D.all(D.imply(theorem, "And(0 <= s, s <= t)"), *names)


def radius(D: Derivation) -> Theorem:
    """CLOSE, 0 <= t <= H ⊢ 0 <= w."""
    inside = theorems.both(D.assume("0 <= t"), D.assume("t <= H"))
    near = D.mp(D.special(D.assume(CLOSE), "x", "t"), inside)
    difference = "gu(x, t) - gv(x, t)"
    return D.linear("0 <= w", near, D.known("abs", difference), D.known("abs-", difference))


def _closed_within(D: Derivation, theorem: Theorem) -> Theorem:
    condition = D.assume(WITHIN)
    for text in ("0 <= t", "t <= H"):
        theorem = theorems.cut(part(D, condition, text), theorem)
    return D.imply(theorem, ESTIMATES, CLOSE, WITHIN)


def contraction(D: Derivation) -> Theorem:
    """|T^a u - T^a v| <= ρ w."""
    one = shifted(D)
    near = D.mp(D.special(D.assume(CLOSE), "y", "s"), D.assume("And(0 <= s, s <= H)"))
    facts = [near, *(D.known(name, "gu(y, s) - gv(y, s)") for name in ("abs", "abs-"))]
    ways = []
    for way, goal in ((one, "gu(y, s) <= gv(y, s) + w"), (exchanged(D, one), "gv(y, s) <= gu(y, s) + w")):
        above = D.all(D.imply(D.linear(goal, *facts), "And(0 <= s, s <= H)"), "y", "s")
        ways.append(theorems.cut(radius(D), theorems.cut(above, way)))
    return _closed_within(D, modulus(D, *ways))


def _tops(D: Derivation) -> tuple[Theorem, Theorem]:
    """The maxima, from the moduli of every action."""
    apart = D.mp(D.lemma("lem:optimism/contraction"), *(D.assume(one) for one in (ESTIMATES, CLOSE, WITHIN)))
    difference = f"({estimated('a', U)}) - ({estimated('a', V)})"
    facts = [apart, D.known("abs", difference), D.known("abs-", difference)]
    found = []
    for u, v in ((U, V), (V, U)):
        way = D.linear(f"{estimated('a', u)} <= {estimated('a', v)} + {RHO}*w", *facts)
        found.append(maximum(D, way, estimated("a", u), estimated("a", v), f"{RHO}*w"))
    return found[0], found[1]


def contraction_max(D: Derivation) -> Theorem:
    """|max T^a u - max T^a v| <= ρ w."""
    return D.imply(modulus(D, *_tops(D)), ESTIMATES, CLOSE, WITHIN)


def contraction_cut(D: Derivation) -> Theorem:
    """|min{t, max T^a u} - min{t, max T^a v}| <= ρ w."""
    apart = D.mp(
        D.lemma("lem:optimism/contraction-max"), *(D.assume(one) for one in (ESTIMATES, CLOSE, WITHIN))
    )
    difference = f"{best(U)} - {best(V)}"
    moduli = [D.known("abs", difference), D.known("abs-", difference)]
    size = D.linear(f"0 <= {RHO}*w", apart, *moduli)
    found = []
    for u, v in ((U, V), (V, U)):
        way = D.linear(f"{best(u)} <= {best(v)} + {RHO}*w", apart, *moduli)
        found.append(minimum(D, way, "t", best(u), best(v), size, more=f"{RHO}*w"))
    return D.imply(modulus(D, *found), ESTIMATES, CLOSE, WITHIN)


DERIVED = {
    "eq:Qa/monotone": (MONOTONE, monotone),
    "lem:optimism/contraction": (CONTRACTION, contraction),
    "lem:optimism/contraction-max": (CONTRACTION_MAX, contraction_max),
    "lem:optimism/contraction-truncated": (CONTRACTION_CUT, contraction_cut),
}
THEOREMS = {label: text for label, (text, _) in DERIVED.items()}
