"""What an episode loses is paid along its path, whatever learner plays with estimates and one policy.

At decision n let Δ(n) = V̂ - V^π at the state and the remaining time, V̂ = ``glaw`` a value that the learner
has for the episode and V^π that of its policy.  Suppose that V̂ <= t, that it stays within an episode, and
that one step costs ``gM`` where ``gok``(n) = 1, an event that is known at n and frozen during the episode,
for example that the estimates are within their sets at decision n: V̂ <= T^π V̂ + gM(n).  Then

    Δ(n) <= gM(n) + E(jump(n) Δ(n + 1), n),

and the sum telescopes over the decisions of all episodes.
"""

from __future__ import annotations

from collections.abc import Callable

from proofs_checks.derivations.frozen import estimates_stay, policy_stays
from proofs_checks.derivations.nearby import chain
from proofs_checks.derivations.operators import applied
from proofs_checks.derivations.potentials import few_follow, first_ones, rate_bound
from proofs_checks.derivations.runs import ACTIVE, by_jump, decided, equal, put, remaining, start
from proofs_checks.derivations.setting import operator
from verify.kernel import theorems
from verify.kernel.authoring import Derivation
from verify.kernel.theorems import Theorem

RATE_IN = "Abs(lh({n}, x, a) - lam(x, a)) <= be({n}, x, a)"
ROW_IN = "SumOver(y, Abs(ph({n}, x, a, y) - p(x, a, y))) <= al({n}, x, a)"
GOOD = f"All(x, All(a, And({RATE_IN}, {ROW_IN})))"
ANY = "glaw({n}, {t}, {x})"  # the value of any learner, at a decision, a remaining time and a state
PI = "Vpi({n}, X({n}), rem({n}))"
HAPPENS = "gok(n) == 1"
_EVENT, _KEEPS = "All(n, gok(n) <= 1)", "All(n, Imp(jump(n) == 1, gok(n + 1) == gok(n)))"
FROZEN = (f"Sure({_EVENT})", f"Sure({_KEEPS})")
"""``gok`` is an event, 0 or 1, and stays while the episode goes on."""


def at_decision(value: str, n: str = "n") -> str:
    """The value at the state and the remaining time of a decision."""
    return value.format(n=n, t=f"rem({n})", x=f"X({n})")


def stays(value: str) -> str:
    """It stays within an episode."""
    there = {"t": "rem(n + 1)", "x": "X(n + 1)"}
    return f"Imp(jump(n) == 1, {at_decision(value, 'n + 1')} == {value.format(n='n', **there)})"


def small(value: str) -> str:
    """It is at most the remaining time."""
    return f"{at_decision(value)} <= rem(n)"


def pays(value: str, cost: str) -> str:
    """A step of the policy costs at most so much."""
    after = operator("act(n)", value.format(n="n", t="{s}", x="{y}"), "X(n)", "rem(n)")
    return f"{at_decision(value)} <= {after} + {cost}"


def learner(value: str, cost: str, event: str = HAPPENS) -> tuple[str, str, str]:
    """What is supposed of a learner's value, and of what its decisions cost where the event happens."""
    every = stays(value), small(value), f"Imp({event}, {pays(value, cost)})"
    first, second, third = (f"Sure(All(n, {one}))" for one in every)
    return first, second, third


LEARNER = STAYS, SMALL, PAYS = learner(ANY, "gM(n)")


def supposed(D: Derivation, text: str) -> Theorem:
    """Sure(All(n, A)) ⊢ A."""
    return D.special(theorems.unsure(D.assume(text)), "n")


def by_event(D: Derivation, build: Callable[[Theorem, bool], Theorem]) -> Theorem:
    """The same conclusion where the event happens, and where not; from the value of gok(n)."""

    def case(side: Theorem) -> Theorem:
        never = side.says is D.formula("gok(n) <= 0")
        value = equal(D, side, D.whole("gok(n)")) if never else equal(D, supposed(D, FROZEN[0]), side)
        return build(value, not never)

    return D.split(D.known("discrete", "gok(n)", "0"), case, case)


def acted(D: Derivation, theorem: Theorem) -> Theorem:
    """The theorem with act(n) in the place of pol(n, X(n), rem(n))."""
    return put(D, D.fact("acts"), theorem, "pol(n, X(n), rem(n))", "act(n)")


_VALUES = ANY.replace("{n}", "n"), "Vpi(n, {x}, {t})"
_LATER = [one.format(t="rem(n) - spent(n)", x="X(n + 1)") for one in _VALUES]


def loses(D: Derivation) -> Theorem:
    """HAPPENS ⊢ V̂(n) - V^π(n) <= cost + E(jump(n) (V̂ - V^π)(n, X(n + 1), rem(n) - spent(n)), n)."""
    low, high = remaining(D)
    paid = D.mp(supposed(D, PAYS), D.assume(HAPPENS))
    value = acted(D, own_equation(D, [D.linear("0 <= rem(n)", low), high]))
    later = [
        D.instantiate(D.fact("law"), "glaw", "n s y", one.format(t="rem(n) - s", x="y")) for one in _VALUES
    ]
    after = f"E(jump(n)*({_LATER[0]} - {_LATER[1]}), n)"
    return D.linear(f"{LOSS.format(n='n')} <= gM(n) + {after}", paid, value, *later)


EVALUATED_BY = {
    "gq": ("n x t", "Vp(k, n, x, t)"),
    "gpi": ("x t", "pol(k, x, t)"),
    "gv": ("x t", "Vpi(k, x, t)"),
}


def evaluated(D: Derivation) -> Theorem:
    """Vp(n, m, …) are the iterates of the policy of decision n."""
    return theorems.both(D.all(D.fact("Vp-0"), "x", "t"), D.all(D.fact("Vp-step"), "m", "x", "t"))


def own_equation(D: Derivation, bounds: list[Theorem]) -> Theorem:
    """V^π(n) at the state and the remaining time is T^π V^π there."""
    one = D.at(applied(D, D.at(D.lemma("sec:simulation/evaluation"), n="0"), EVALUATED_BY), k="n")
    one = D.mp(one, evaluated(D), D.all(D.fact("Vpi"), "x", "t"))
    one = D.mp(D.at(one, x="X(n)", t="rem(n)"), theorems.both(*bounds))
    value = D.term(PI.format(n="n"))
    (says,) = [says for says in one.says.parts if says.tag == "==" and says.parts[0] is value]
    return theorems.part(one, says)


# --- what stays during an episode -----------------------------------------------------------------


def good_stays(D: Derivation) -> Theorem:
    """jump(n) == 1 ⊢ Ind(GOOD(n + 1)) == Ind(GOOD(n))."""
    same, now, after = estimates_stay(D), GOOD.format(n="n"), GOOD.format(n="n + 1")
    rate = "Abs(lh({n}, x, a) - lam(x, a))"
    row = "Abs(ph({n}, x, a, y) - p(x, a, y))"
    rates = D.by_value(f"{rate.format(n='n + 1')} == {rate.format(n='n')}", [same["lh"]])
    rows = D.over(D.by_value(f"{row.format(n='n + 1')} == {row.format(n='n')}", [same["ph"]]), "y")

    def carried(n: str, good: Theorem) -> Theorem:
        """GOOD at n from GOOD at the other one."""
        texts = [t.format(n="n + 1" if n == "n" else "n") for t in (RATE_IN, ROW_IN)]
        here = [theorems.part(D.special(good, "x", "a"), D.formula(t)) for t in texts]
        first = D.linear(f"{rate.format(n=n)} <= be({n}, x, a)", here[0], rates, same["be"])
        second = D.linear(f"SumOver(y, {row.format(n=n)}) <= al({n}, x, a)", here[1], rows, same["al"])
        return D.all(theorems.both(first, second), "x", "a")

    goal = f"Ind({after}) == Ind({now})"

    def yes(good: Theorem) -> Theorem:
        return D.by_value(goal, [D.holds(now), theorems.cut(carried("n + 1", good), D.holds(after))])

    def no(bad: Theorem) -> Theorem:
        def impossible(good: Theorem) -> Theorem:
            return theorems.absurd(carried("n", good), bad, D.formula(goal))

        return D.cases(after, impossible, lambda _: D.by_value(goal, [D.fails(now), D.fails(after)]))

    return D.cases(now, yes, no)


def values_stay(D: Derivation, case: list[Theorem]) -> list[Theorem]:
    """V̂ and V^π at decision n + 1 are those of decision n; the case is that of a jump."""
    value = case[0]
    own = D.mp(supposed(D, STAYS), value)
    policy = theorems.cut(value, D.at(policy_stays(D), x="X(n + 1)", t="rem(n + 1)"))
    policy = theorems.cut(D.linear("0 <= rem(n + 1)", D.at(remaining(D)[0], n="n + 1")), policy)
    return [own, policy, *case]


LOSS = f"({at_decision(ANY, '{n}')} - {PI})"
WEIGHT = "Ind(ep({n}) + 1 <= K)*gok({n})"
PAID = "Sum(n, {m}, E(" + WEIGHT.format(n="n") + "*gM(n)))"
LOST = "Sum(n, {m}, E(new(n)*" + WEIGHT.format(n="n") + "*" + LOSS.format(n="n") + "))"
LOST_AND_PAID = f"{LOST.format(m='m')} <= {PAID.format(m='m')} + H*E(Ind(ep(m) + 1 <= K))"
TELESCOPED = chain(LOST_AND_PAID, *FROZEN, *LEARNER)


def one_decision(D: Derivation) -> Theorem:
    """G(n) Δ(n) <= G(n) cost(n) + E(jump(n) G(n + 1) Δ(n + 1), n), with G = gok."""
    loss, later = LOSS.format(n="n"), f"({_LATER[0]} - {_LATER[1]})"
    goal = f"gok(n)*{loss} <= gok(n)*(gM(n) + E(jump(n)*{later}, n))"
    step = by_event(
        D,
        lambda value, happens: D.by_value(
            goal, [value], *([theorems.cut(value, loses(D))] if happens else [])
        ),
    )
    next_one = f"jump(n)*gok(n + 1)*{LOSS.format(n='n + 1')}"
    same = by_jump(
        D,
        lambda case, stays: D.by_value(
            f"{next_one} == jump(n)*gok(n)*{later}",
            [D.mp(supposed(D, FROZEN[1]), case[0]), *values_stay(D, case)] if stays else case,
        ),
    )
    return D.linear(f"gok(n)*{loss} <= gok(n)*gM(n) + E({next_one}, n)", step, D.mean(same, "n"))


def one_of_first_episodes(D: Derivation) -> Theorem:
    """W(n) Δ(n) <= W(n) cost(n) + E(jump(n) W(n + 1) Δ(n + 1), n), W = Ind(ep(n) < K) G(n)."""
    after = f"jump(n)*gok(n + 1)*{LOSS.format(n='n + 1')}"
    goal = f"{ACTIVE}*{after} == Ind(ep(n + 1) + 1 <= K)*{after}"
    stays = D.mean(by_jump(D, lambda case, _: D.by_value(goal, case)), "n")
    step = D.times(one_decision(D), D.whole(ACTIVE))
    weight, loss = WEIGHT.format(n="n"), LOSS.format(n="n")
    return D.linear(f"{weight}*{loss} <= {weight}*gM(n) + E(Ind(ep(n + 1) + 1 <= K)*{after}, n)", step, stays)


def telescoped(D: Derivation) -> Theorem:
    """Σ E new W Δ <= Σ E W cost + H P(ep(m) < K)."""
    here, step = f"{WEIGHT}*{LOSS}", D.mean(one_of_first_episodes(D))

    def claim(m: str) -> str:
        return f"{LOST.format(m=m)} <= {PAID.format(m=m)} + E((1 - new({m}))*{here.format(n=m)})"

    first = D.mean(D.by_value(f"0 <= (1 - new(0))*{here.format(n='0')}", [start(D, "new(0) == 1")]))
    again = D.mean(D.scaled(D.fact("new", n="m"), here.format(n="m + 1")))
    total = D.induction(
        "m",
        claim("m"),
        D.linear(claim("0"), first),
        lambda below: D.linear(claim("m + 1"), below, D.at(step, n="m"), again),
    )
    found = D.linear(LOST_AND_PAID, total, D.mean(D.at(small_loss(D), n="m")))
    return D.imply(found, *FROZEN, *LEARNER)


def own_bounds(D: Derivation) -> tuple[Theorem, Theorem, Theorem]:
    """0 <= V^π(n), V^π(n) <= V*, V* <= rem(n), at the state and the remaining time."""
    low, _ = remaining(D)
    bounds = D.at(
        applied(D, D.lemma("eq:FH-control2/bounds"), {k: v for k, v in EVALUATED_BY.items() if k != "gv"}),
        k="n",
    )
    bounds = D.mp(bounds, evaluated(D), D.assume("0 <= t"))
    bounds = D.closed(D.at(bounds, x="X(n)", t="rem(n)"), D.linear("0 <= rem(n)", low))
    own, value = D.fact("Vpi", x="X(n)", t="rem(n)"), PI.format(n="n")
    limit = "Sup(m, Vp(n, m, X(n), rem(n)))"
    parts = [
        theorems.part(bounds, D.formula(t))
        for t in (f"0 <= {limit}", f"{limit} <= Vs(X(n), rem(n))", "Vs(X(n), rem(n)) <= rem(n)")
    ]
    return (
        D.linear(f"0 <= {value}", parts[0], own),
        D.linear(f"{value} <= Vs(X(n), rem(n))", parts[1], own),
        parts[2],
    )


def _at_most(D: Derivation) -> Theorem:
    """Δ(n) <= H."""
    value, (_, high) = supposed(D, SMALL), remaining(D)
    return D.linear(f"{LOSS.format(n='n')} <= H", value, own_bounds(D)[0], high)


def small_loss(D: Derivation) -> Theorem:
    """(1 - new(n)) W(n) Δ(n) <= H Ind(ep(n) < K)."""
    less = _at_most(D)
    goal = f"(1 - new(n))*{WEIGHT.format(n='n')}*{LOSS.format(n='n')} <= H*{ACTIVE}"

    def case(assumed: Theorem) -> Theorem:
        zero = assumed.says is D.formula("new(n) <= 0")
        new = equal(D, assumed, D.whole("new(n)")) if zero else equal(D, first_ones(D), assumed)
        return by_event(
            D, lambda value, _: decided(D, goal, [new, value], ["ep(n) + 1 <= K"], less, D.fact("horizon"))
        )

    return D.split(D.known("discrete", "new(n)", "0"), case, case)


# --- one episode, given what is known when a decision of it is made ---------------------------------

SAME = "Ind(ep(n + {i}) == ep(n))"
ALONG = f"E(Sum(i, m, {SAME.format(i='i')}*gM(n + i)), n)"
COSTS = "Sure(All(n, 0 <= gM(n)))"
RECURSION = (
    f"Imp({HAPPENS}, And({LOSS.format(n='n')} <= {ALONG} + H*E({SAME.format(i='m')}, n), "
    f"Sum(i, m, E({SAME.format(i='i')}, n)) <= 1 + lmax*H))"
)


def later(D: Derivation) -> Theorem:
    """ep(n) <= ep(n + m)."""

    def step(below: Theorem) -> Theorem:
        return by_jump(D, lambda case, _: D.by_value("ep(n) <= ep(n + m + 1)", case, below), at="n + m")

    return D.induction("m", "ep(n) <= ep(n + m)", D.linear("ep(n) <= ep(n)"), step)


def goes_on(D: Derivation) -> Theorem:
    """SAME(m) jump(n + m) == SAME(m + 1)."""
    order = later(D)
    goal = f"{SAME.format(i='m')}*jump(n + m) == {SAME.format(i='(m + 1)')}"

    def build(case: list[Theorem], stays: bool) -> Theorem:
        if stays:
            return D.by_value(goal, case)
        return decided(D, goal, case, ["ep(n + m) + 1 == ep(n)"], order)

    return by_jump(D, build, at="n + m")


def recursion(D: Derivation) -> Theorem:
    """Δ(n) is paid along the episode, up to H P(it has more than m decisions), which has a finite sum."""
    here = SAME.format(i="m")
    inside = f"gok(n + m)*{LOSS.format(n='n + m')}"
    step = D.times(D.at(one_decision(D), n="n + m"), D.whole(here))
    after = f"gok(n + m + 1)*{LOSS.format(n='n + m + 1')}"
    moved = D.mean(D.scaled(goes_on(D), after), "n + m")
    cost = supposed(D, COSTS)
    less_cost = by_event(D, lambda value, _: D.by_value("gok(n)*gM(n) <= gM(n)", [value], cost))
    smaller = D.times(D.at(less_cost, n="n + m"), D.whole(here))
    step = D.linear(
        f"{here}*{inside} <= {here}*gM(n + m) + E({SAME.format(i='(m + 1)')}*{after}, n + m)",
        step,
        moved,
        smaller,
    )
    step = D.mean(step, "n")

    def claim(m: str) -> str:
        left = f"gok(n + {m})*{LOSS.format(n=f'n + {m}')}"
        along = ALONG.replace("Sum(i, m,", f"Sum(i, {m},")
        return f"{LOSS.format(n='n')} <= {along} + E({SAME.format(i=m)}*{left}, n)"

    first = D.by_value(claim("0"), [D.assume(HAPPENS)])
    total = D.induction("m", claim("m"), first, lambda below: D.linear(claim("(m + 1)"), below, step))
    goal, most = f"gok(n)*{LOSS.format(n='n')} <= H", _at_most(D)
    less = by_event(D, lambda value, _: D.by_value(goal, [value], most, D.fact("horizon")))
    rest = D.mean(D.times(D.at(less, n="n + m"), D.whole(here)), "n")
    bound = D.linear(f"{LOSS.format(n='n')} <= {ALONG} + H*E({here}, n)", total, rest)
    return D.imply(theorems.both(bound, few_decisions(D)), *FROZEN, *LEARNER, COSTS, HAPPENS)


def few_decisions(D: Derivation) -> Theorem:
    """Sum(i, m, E(SAME(i), n)) <= 1 + lmax H."""
    here, after = SAME.format(i="m"), SAME.format(i="(m + 1)")
    follow = D.times(D.at(few_follow(D), n="n + m"), D.whole(here))
    worth = "(1 + lmax*rem(n + {m}))"
    stays = D.scaled(goes_on(D), worth.format(m="m + 1"))
    goal = f"jump(n + m)*{worth.format(m='m + 1')} == jump(n + m)*(1 + lmax*(rem(n + m) - spent(n + m)))"
    time = D.scaled(by_jump(D, lambda case, _: D.by_value(goal, case), at="n + m"), here)
    step = D.linear(
        f"{here} + E({after}*{worth.format(m='m + 1')}, n + m) <= {here}*{worth.format(m='m')}",
        follow,
        D.mean(stays, "n + m"),
        D.mean(time, "n + m"),
    )
    step = D.mean(step, "n")

    def claim(m: str) -> str:
        rest = f"E({SAME.format(i=m)}*{worth.format(m=m)}, n)"
        return f"Sum(i, {m}, E({SAME.format(i='i')}, n)) + {rest} <= 1 + lmax*rem(n)"

    total = D.induction(
        "m", claim("m"), D.linear(claim("0")), lambda below: D.linear(claim("(m + 1)"), below, step)
    )
    low, high = remaining(D)
    sign = D.times(
        D.at(D.linear("0 <= 1 + lmax*rem(n)", D.times(low, rate_bound(D))), n="n + m"), D.whole(here)
    )
    return D.linear(
        f"Sum(i, m, E({SAME.format(i='i')}, n)) <= 1 + lmax*H",
        total,
        D.mean(sign, "n"),
        D.times(high, rate_bound(D)),
    )
