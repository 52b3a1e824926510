r"""The truncated iteration of ``alg:VI``: it rises, and what happens after it has stopped.

Let :math:`|\hat V_{l+1} - \hat V_l| \le \epsilon`.  Then :math:`\hat V_m \le \hat V_{l+1} +
\epsilon\lambda_{\max}t` for every m, by induction: with W = ∫ exp(-λ̂s) ds over [0, t],

.. math:: \mathcal T^a\hat V_m \le \mathcal T^a\hat V_{l+1} + \epsilon\lambda_{\max}(t - W)
          \le \mathcal T^a\hat V_l + \epsilon\hat\lambda W + \epsilon\lambda_{\max}(t - W)
          \le \mathcal T^a\hat V_l + \epsilon\lambda_{\max}t ,

and maximum and minimum keep it.
"""

from __future__ import annotations

from collections.abc import Callable

from proofs_checks.derivations.operators import (
    ESTIMATES,
    RATES_HIGH,
    RATES_LOW,
    RHO,
    ROWS_LOW,
    WITHIN,
    applied,
    best,
    conditional,
    cut,
    decays,
    maximum,
    minimum,
    moved,
    part,
)
from proofs_checks.derivations.runs import product
from proofs_checks.derivations.setting import estimated
from proofs_checks.derivations.values import POWER, next_power, share
from verify.kernel import calculus, theorems
from verify.kernel.authoring import Derivation
from verify.kernel.theorems import Theorem


def iterate(n: str) -> str:
    """The n-th iterate as a pattern."""
    return f"gq({n}, {{y}}, {{s}})"


BONUS = "All(x, All(a, 0 <= gbon(x, a)))"
STARTS = "All(x, All(t, gq(0, x, t) == 0))"
STEPS = f"All(n, All(x, All(t, gq(n + 1, x, t) == {cut(iterate('n'))})))"
ITERATION = (ESTIMATES, BONUS, STARTS, STEPS)


def of_iteration(conclusion: str) -> str:
    """For an estimated model with a bonus that is not negative, and its truncated iteration gq."""
    for condition in reversed(ITERATION):
        conclusion = f"Imp({condition}, {conclusion})"
    return conclusion


def keeps_order(D: Derivation, u: str, v: str, ordered: Theorem) -> Theorem:
    """eq:Qa/monotone for the estimated model at two functions."""
    both = {"gu": ("y s", u.format(y="y", s="s")), "gv": ("y s", v.format(y="y", s="s"))}
    model = D.assume(ESTIMATES)
    rates, rows = part(D, model, RATES_LOW), part(D, model, ROWS_LOW)
    return D.mp(applied(D, D.lemma("eq:Qa/monotone"), both), rates, rows, ordered)


# --- alg:VI/indices/repaired --------------------------------------------------------------------

_NEXT = "All(n, Imp(1 <= gz(n), 1 <= gz(n + 1)))"
INDICES = f"Imp(1 <= gz(0), Imp({_NEXT}, 1 <= gz(n)))"


def indices(D: Derivation) -> Theorem:
    """V_0 is there (gz(n) = 1: V_n is), and each round adds the next: so every one that is read is there."""
    following = D.special(D.assume(_NEXT), "n")
    found = D.induction("n", "1 <= gz(n)", D.assume("1 <= gz(0)"), lambda below: D.mp(following, below))
    return D.imply(found, "1 <= gz(0)", _NEXT)


# --- eq:mono ------------------------------------------------------------------------------------

MONO = of_iteration("Imp(0 <= t, And(0 <= gq(n, x, t), gq(n, x, t) <= gq(n + 1, x, t), gq(n, x, t) <= t))")


def _at_zero(D: Derivation, name: str) -> Theorem:
    """0 <= s from the range of an integral."""
    return part(D, D.assume(f"And(0 <= {name}, {name} <= t)"), f"0 <= {name}")


def _always(D: Derivation, theorem: Theorem) -> Theorem:
    return D.all(D.imply(theorem, "0 <= t"), "x", "t")


def _inside(D: Derivation, before: Theorem) -> Theorem:
    """All(x, All(t, Imp(0 <= t, A))) as All(y, All(s, Imp(0 <= s <= t, A)))."""
    one = D.mp(D.special(before, "y", "s"), _at_zero(D, "s"))
    return D.all(D.imply(one, "And(0 <= s, s <= t)"), "y", "s")


def _nonnegative(D: Derivation) -> Theorem:
    """All(x, All(t, Imp(0 <= t, 0 <= gq(n, x, t))))."""
    start, now = D.assume("0 <= t"), D.special(D.assume(STEPS), "n", "x", "t")

    def step(before: Theorem) -> Theorem:
        image = best(iterate("n"))
        order = part(D, keeps_order(D, "0", iterate("n"), _inside(D, before)), f"{best('0')} <= {image}")
        wait = D.integral(D.known("exp", "-glam(x, a)*s"), "s", "t")
        reward = D.linear(
            "0 <= r(x, a) + gbon(x, a)", D.fact("reward-low"), D.special(D.assume(BONUS), "x", "a")
        )
        earned = D.times(reward, wait)
        low = D.linear(f"0 <= {image}", earned, D.most("a", estimated("a", "0"), "a"), order)
        goal = "0 <= gq(n + 1, x, t)"
        end = D.split(
            D.known("min-cases", "t", image),
            lambda one: D.linear(goal, one, now, low, start),
            lambda one: D.linear(goal, one, now, low, start),
        )
        return _always(D, end)

    first = D.linear("0 <= gq(0, x, t)", D.special(D.assume(STARTS), "x", "t"))
    return D.induction("n", "All(x, All(t, Imp(0 <= t, 0 <= gq(n, x, t))))", _always(D, first), step)


def mono(D: Derivation) -> Theorem:
    """0 <= gq(n) <= gq(n + 1), and gq(n) <= t."""
    start, steps = D.assume("0 <= t"), D.assume(STEPS)
    zero = D.special(D.assume(STARTS), "x", "t")
    positive = D.mp(D.special(_nonnegative(D), "x", "t"), start)
    now = D.special(steps, "n", "x", "t")

    def step(before: Theorem) -> Theorem:
        u, v = iterate("n"), iterate("n + 1")
        order = part(D, keeps_order(D, u, v, _inside(D, before)), f"{cut(u)} <= {cut(v)}")
        after = D.special(steps, "n + 1", "x", "t")
        return _always(D, D.linear("gq(n + 1, x, t) <= gq(n + 2, x, t)", order, now, after))

    first = D.linear("gq(0, x, t) <= gq(1, x, t)", zero, D.at(positive, n="1"))
    rises = D.induction(
        "n", "All(x, All(t, Imp(0 <= t, gq(n, x, t) <= gq(n + 1, x, t))))", _always(D, first), step
    )
    rising = D.mp(D.special(rises, "x", "t"), start)
    below = D.linear("gq(n, x, t) <= t", rising, now, D.known("min", "t", best(iterate("n"))))
    return D.imply(D.imply(theorems.both(positive, rising, below), "0 <= t"), *ITERATION)


# --- eq:error-vi/load ---------------------------------------------------------------------------

STOPPED = f"All(x, All(t, Imp({WITHIN}, Abs(gq(l + 1, x, t) - gq(l, x, t)) <= e)))"


def _stopped(more: str) -> str:
    """Every iterate, and so the limit, is at most the returned one and more."""
    limit = "Sup(m, gq(m, x, t))"
    returned = "gq(l + 1, x, t)"
    return of_iteration(
        f"Imp({STOPPED}, Imp({WITHIN}, And(gq(m, x, t) <= {returned} + {more}, {returned} <= {limit}, "
        f"{limit} <= {returned} + {more})))"
    )


LOAD = _stopped("e*lmax*t")
ERROR = _stopped("e*exp(lmax*H)")
SHARPER = _stopped("e*(exp(lmax*H) - 1)")


def _movement(D: Derivation, u: str, v: str, far: str, near: Theorem, size: Theorem) -> Theorem:
    """T^a u <= T^a v + ∫ λ̂ exp(-λ̂s) far(t-s) ds; near and size given 0 <= s <= t."""
    bodies = {"gf": ("s", far), "gu": ("y s", u.format(y="y", s="s")), "gv": ("y s", v.format(y="y", s="s"))}
    return D.closed(applied(D, moved(D), bodies), conditional(D, near, "y", "s"), conditional(D, size, "s"))


def _radius(D: Derivation, state: str, time: str, inside: Theorem) -> list[Theorem]:
    """What STOPPED says at one place, and of what sign the difference is."""
    difference = f"gq(l + 1, {state}, {time}) - gq(l, {state}, {time})"
    there = D.mp(D.special(D.assume(STOPPED), state, time), inside)
    return [there, D.known("abs", difference), D.known("abs-", difference)]


LOADED = f"All(x, All(t, Imp({WITHIN}, gq(m, x, t) <= gq(l + 1, x, t) + e*lmax*t)))"


def load_sign(D: Derivation) -> tuple[Theorem, Theorem]:
    """STOPPED, 0 <= t <= H ⊢ 0 <= e, and 0 <= e λmax."""
    size = D.linear("0 <= e", *_radius(D, "x", "t", theorems.both(D.assume("0 <= t"), D.assume("t <= H"))))
    return size, D.times(D.linear("0 <= lmax", D.fact("lmax")), size)


def carried(D: Derivation) -> Theorem:
    """ESTIMATES, STOPPED, LOADED, 0 <= t <= H ⊢ T^a gq(m) <= T^a gq(l) + e λmax t."""
    end, s0, s1 = (D.assume(text) for text in ("t <= H", "0 <= s", "s <= t"))
    inside = theorems.both(s0, D.linear("s <= H", s0, s1, end))
    size, load_size = load_sign(D)
    near = D.linear("gq(l + 1, y, s) <= gq(l, y, s) + e", *_radius(D, "y", "s", inside))
    once = _movement(D, iterate("l + 1"), iterate("l"), "e", near, size)
    before = D.mp(D.special(D.assume(LOADED), "y", "s"), inside)
    later = _movement(D, iterate("m"), iterate("l + 1"), "e*lmax*s", before, D.times(load_size, s0))
    wait = D.integral(D.known("exp", "-glam(x, a)*s"), "s", "t")
    time = D.scaled(D.primitive("s", "t", "-(t - s)*exp(-glam(x, a)*s)"), "e*lmax")
    high = D.special(part(D, D.assume(ESTIMATES), RATES_HIGH), "x", "a")
    faster = D.times(high, D.times(wait, size))
    u, v = estimated("a", iterate("m")), estimated("a", iterate("l"))
    return D.linear(f"{u} <= {v} + e*lmax*t", once, later, time, faster)


def load(D: Derivation) -> Theorem:
    """gq(m) <= gq(l + 1) + e λmax t, if gq(l + 1) and gq(l) are within e of each other."""
    start, end = D.assume("0 <= t"), D.assume("t <= H")
    steps, more = D.assume(STEPS), "e*lmax*t"
    after = D.mp(D.lemma("eq:mono"), *map(D.assume, ITERATION), start)
    positive = part(D, D.at(after, n="l + 1"), "0 <= gq(l + 1, x, t)")
    whole = D.times(load_sign(D)[1], start)
    u, v = (estimated("a", iterate(one)) for one in ("m", "l"))
    top = maximum(D, carried(D), u, v, more)
    cutting = minimum(D, top, "t", best(iterate("m")), best(iterate("l")), whole, more=more)
    now, then = D.special(steps, "m", "x", "t"), D.special(steps, "l", "x", "t")
    next_one = _within(D, D.linear(f"gq(m + 1, x, t) <= gq(l + 1, x, t) + {more}", cutting, now, then))
    zero = D.special(D.assume(STARTS), "x", "t")
    first = D.linear(f"gq(0, x, t) <= gq(l + 1, x, t) + {more}", zero, positive, whole)
    found = D.induction("m", LOADED, _within(D, first), lambda _: next_one)
    all_m = D.mp(D.special(found, "x", "t"), theorems.both(start, end))
    name = D.variable("m")
    most = calculus.supremum(part(D, D.at(after, n="m"), "gq(m, x, t) <= t"), name, D.term("l + 1"))
    both = theorems.both(all_m, most, calculus.bounded(all_m, name))
    return D.imply(_given_within(D, both), *ITERATION, STOPPED, WITHIN)


def error(D: Derivation) -> Theorem:
    """Likewise with e exp(λmax H)."""
    return _weaker(D, "e*exp(lmax*H)")


def sharper(D: Derivation) -> Theorem:
    """Likewise with e (exp(λmax H) - 1)."""
    return _weaker(D, "e*(exp(lmax*H) - 1)")


def _weaker(D: Derivation, more: str) -> Theorem:
    """1 + u <= exp(u): what ``load`` says, with a larger bound."""
    given = [*map(D.assume, ITERATION), D.assume(STOPPED), D.assume(WITHIN)]
    within = given[-1]
    strong = D.mp(D.lemma("eq:error-vi/load"), *given)
    size = D.linear("0 <= e", *_radius(D, "x", "t", within))
    rate = D.linear("0 <= lmax", D.fact("lmax"))
    end, start = part(D, within, "t <= H"), part(D, within, "0 <= t")
    slope = D.pointwise("u + 1 <= exp(u)", "u >= 0", u="lmax*H")
    slope = D.closed(slope, D.times(D.linear("0 <= H", start, end), rate))
    facts = [D.times(slope, size), D.times(D.times(end, rate), size), size]
    limit, returned = "Sup(m, gq(m, x, t))", "gq(l + 1, x, t)"
    found = []
    for one in ("gq(m, x, t)", limit):
        known = part(D, strong, f"{one} <= {returned} + e*lmax*t")
        found.append(D.linear(f"{one} <= {returned} + {more}", known, *facts))
    both = theorems.both(found[0], part(D, strong, f"{returned} <= {limit}"), found[1])
    return D.imply(both, *ITERATION, STOPPED, WITHIN)


def _given_within(D: Derivation, theorem: Theorem) -> Theorem:
    condition = D.assume(WITHIN)
    for text in ("0 <= t", "t <= H"):
        theorem = theorems.cut(part(D, condition, text), theorem)
    return theorem


def _within(D: Derivation, theorem: Theorem) -> Theorem:
    return D.all(D.imply(_given_within(D, theorem), WITHIN), "x", "t")


# --- alg:VI/stops, alg:VI/linear-rate -------------------------------------------------------------

_CHANGE = "Abs(gq(n + 1, x, t) - gq(n, x, t))"
_DONE = f"All(x, All(t, Imp({WITHIN}, {_CHANGE} <= e)))"
_SOON = f"log(H/e) <= -n*log{RHO}"
_NEVER = f"All(n, Not({_DONE}))"
_CHANGES = f"All(x, All(t, Imp({WITHIN}, {_CHANGE} <= {POWER}*H)))"
FINISHED = f"And({_CHANGES}, Imp(0 < e, And(Imp({_SOON}, {_DONE}), Not({_NEVER}))))"
STOPS = of_iteration(FINISHED)
LINEAR = of_iteration(_CHANGES)


def _changes(D: Derivation) -> Theorem:
    """All(x, All(t, |gq(n + 1) - gq(n)| <= ρⁿ H)), by contraction."""
    steps = D.assume(STEPS)
    facts = D.mp(D.lemma("eq:mono"), *map(D.assume, ITERATION), D.assume("0 <= t"))
    low, high = (part(D, D.at(facts, n="1"), one) for one in ("0 <= gq(1, x, t)", "gq(1, x, t) <= t"))

    def step(before: Theorem) -> Theorem:
        lemma = D.at(D.lemma("lem:optimism/contraction-truncated"), w=f"{POWER}*H")
        pair = {"gu": ("y s", "gq(n + 1, y, s)"), "gv": ("y s", "gq(n, y, s)")}
        near = D.mp(applied(D, lemma, pair), D.assume(ESTIMATES), before, D.assume(WITHIN))
        now, then = D.special(steps, "n", "x", "t"), D.special(steps, "n + 1", "x", "t")
        image = f"{cut(iterate('n + 1'))} - {cut(iterate('n'))}"
        same = D.linear(f"{image} == gq(n + 2, x, t) - gq(n + 1, x, t)", now, then)
        return D.rewrite(same, near, "Real_1", f"Abs(Real_1) <= {RHO}*{POWER}*H")

    return shrinking(D, low, high, step)


def shrinking(D: Derivation, low: Theorem, high: Theorem, step: Callable[[Theorem], Theorem]) -> Theorem:
    """All(x, All(t, |gq(n + 1) - gq(n)| <= ρⁿ H)), from 0 <= gq(1) <= t, and the next change from one."""
    zero, first = D.special(D.assume(STARTS), "x", "t"), "gq(1, x, t) - gq(0, x, t)"
    goal = f"Abs({first}) <= H"

    def sized(sign: Theorem) -> Theorem:
        return D.linear(goal, sign, zero, low, high, D.assume("t <= H"))

    def after(before: Theorem) -> Theorem:
        power = D.scaled(next_power(D), "H")
        says = f"Abs(gq(n + 2, x, t) - gq(n + 1, x, t)) <= exp((n + 1)*log{RHO})*H"
        return D.all(D.imply(D.linear(says, step(before), power), WITHIN), "x", "t")

    begins = _within(D, D.split(D.known("abs-cases", first), sized, sized))
    return D.induction("n", _CHANGES, begins, after)


def finished(D: Derivation, changes: Theorem) -> Theorem:
    """Changes of at most ρⁿ H are at most e from some n on."""
    positive, soon = D.assume("0 < e"), D.assume(_SOON)
    here = D.mp(D.special(changes, "x", "t"), D.assume(WITHIN))
    over = D.positive("inverse-positive", "e", positive)
    quotient = product(D, D.fact("horizon"), over)
    decay = D.times(decays(D, soon), D.linear("0 <= H/e", quotient))
    whole = D.scaled(D.mp(D.known("log", "H/e"), quotient), "exp(-log(H/e))")
    one = D.linear(f"{POWER}*(H/e) <= 1", decay, whole)
    small = D.linear(
        f"{POWER}*H <= e",
        D.times(one, positive),
        D.scaled(D.positive("inverse", "e", positive), f"{POWER}*H"),
    )
    done = D.all(D.imply(D.linear(f"{_CHANGE} <= e", here, small), WITHIN), "x", "t")
    soon_done = D.imply(done, _SOON)
    both = theorems.both(soon_done, _sometime(D, soon_done))
    return theorems.both(changes, D.imply(both, "0 < e"))


def stops(D: Derivation) -> Theorem:
    """alg:VI/stops."""
    return D.imply(finished(D, _changes(D)), *ITERATION)


def linear(D: Derivation) -> Theorem:
    """alg:VI/linear-rate: the part of ``stops`` that needs no e."""
    return D.imply(_changes(D), *ITERATION)


def _sometime(D: Derivation, soon_done: Theorem) -> Theorem:
    """Not for every n is it undone: n (-log ρ) would be at most log(H/e) for all n."""
    never, wait = D.assume(_NEVER), f"-n*log{RHO}"
    bound = f"n*(-log{RHO}) <= log(H/e)"
    early = D.cases(
        _SOON,
        lambda soon: theorems.absurd(D.mp(soon_done, soon), D.special(never, "n"), D.formula(bound)),
        lambda late: D.linear(bound, late),
    )
    assert D.term(wait) is early.says.parts[0]
    slow = calculus.archimedes(early, D.variable("n"))
    _, negative = share(D)
    denial = D.linear(f"0 < -log{RHO}", negative)
    goal = D.formula(f"Not({_NEVER})")
    return D.cases(_NEVER, lambda _: theorems.absurd(slow, denial, goal), lambda no: no)


DERIVED = {
    "eq:mono": (MONO, mono),
    "eq:error-vi/load": (LOAD, load),
    "eq:error-vi": (ERROR, error),
    "eq:error-vi/sharper": (SHARPER, sharper),
    "alg:VI/stops": (STOPS, stops),
    "alg:VI/linear-rate": (LINEAR, linear),
}
