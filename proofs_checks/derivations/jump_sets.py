"""The confidence sets of the jump probabilities: a supermartingale for each set B of states, and the union.

With p(B) the probability of a jump into B, exp(ζ(1{next in B} - p(B)) - ζ²/8) has mean at most 1 (Hoeffding)
for each jump of the pair that is seen, whatever came before: no draws have to be independent.
"""

from __future__ import annotations

from collections.abc import Sequence

from proofs_checks.derivations.crossings import by_jump, frozen_at, rises
from proofs_checks.derivations.unions import (
    equal,
    ever,
    ever_below,
    ever_over,
    one_of_sum,
    order,
    whole_cases,
)
from verify.kernel import calculus, terms, theorems
from verify.kernel.authoring import Derivation
from verify.kernel.theorems import Theorem

# --- sets of states -------------------------------------------------------------------------------

_NORM, _IN_B = "SumOver(y, Abs(gd(y)))", "SumOver(y, inB(B, y)*gd(y))"
SUBSETS = (
    f"Imp(SumOver(y, gd(y)) == 0, And({_NORM} == 2*MaxOver(B, {_IN_B}), "
    f"1 <= SumOver(B, Ind({_NORM} == 2*{_IN_B}))))"
)


def subsets(D: Derivation) -> Theorem:
    """‖d‖₁ = 2 max_B d(B), and some B attains it: the states with d >= 0."""
    zero, best = D.assume("SumOver(y, gd(y)) == 0"), "Ind(0 <= gd(y))"
    sizes = (D.known("abs", "gd(y)"), D.known("abs-", "gd(y)"))

    def size(goal: str) -> Theorem:
        def one(is_size: Theorem) -> Theorem:
            return D.decide(goal, ["0 <= gd(y)"], is_size, *sizes)

        return D.split(D.known("abs-cases", "gd(y)"), one, one)

    value = f"2*{best}*gd(y) - gd(y)"
    each = equal(D, size(f"Abs(gd(y)) <= {value}"), size(f"{value} <= Abs(gd(y))"))
    norm = D.linear(f"{_NORM} == 2*SumOver(y, {best}*gd(y))", D.over(each, "y"), zero)
    members = D.instantiate(D.fact("subset"), "gset", "y", best)
    members = D.mp(members, D.all(D.indicator("0 <= gd(y)")[1], "y"))
    is_best = D.assume(f"All(y, inB(B, y) == {best})")
    attains = D.linear(f"{_NORM} == 2*{_IN_B}", norm, D.over(D.scaled(D.special(is_best, "y"), "gd(y)"), "y"))
    goal = f"Ind(All(y, inB(B, y) == {best})) <= Ind({_NORM} == 2*{_IN_B})"
    picked = D.cases(
        is_best.says,
        lambda _: D.by_value(goal, [D.holds(is_best.says), theorems.cut(attains, D.holds(attains.says))]),
        lambda _: D.by_value(goal, [D.fails(is_best.says)], D.whole(f"Ind({_NORM} == 2*{_IN_B})")),
    )
    some = D.linear(f"1 <= SumOver(B, Ind({_NORM} == 2*{_IN_B}))", members, D.over(picked, "B"))
    largest = equal(D, _largest(D, some), _smallest(D, norm))
    result = D.linear(f"{_NORM} == 2*MaxOver(B, {_IN_B})", largest)
    return D.imply(theorems.both(result, some), zero.says)


def _smallest(D: Derivation, norm: Theorem) -> Theorem:
    """max_B d(B) <= ‖d‖₁/2."""
    positive = D.assume("0 <= gd(y)")
    here = D.cases(
        positive.says,
        lambda yes: D.by_value(
            "inB(B, y)*gd(y) <= Ind(0 <= gd(y))*gd(y)", [D.holds(yes.says)], D.times(D.fact("member"), yes)
        ),
        lambda no: D.by_value(
            "inB(B, y)*gd(y) <= Ind(0 <= gd(y))*gd(y)",
            [D.fails(positive.says)],
            D.times(D.linear("gd(y) <= 0", no), D.whole("inB(B, y)")),
        ),
    )
    below = D.linear(f"{_IN_B} <= {_NORM}/2", D.over(here, "y"), norm)
    return calculus.least(below, D.variable("B"))


def _largest(D: Derivation, some: Theorem) -> Theorem:
    """‖d‖₁/2 <= max_B d(B)."""
    most, event = f"MaxOver(B, {_IN_B})", f"{_NORM} == 2*{_IN_B}"
    less = D.assume(f"{most} < {_NORM}/2")
    below = D.linear(f"2*{_IN_B} < {_NORM}", less, D.most("B", _IN_B, "B"))
    never = D.decide(f"Ind({event}) <= 0", [event], below)
    goal = f"{_NORM}/2 <= {most}"
    return D.cases(
        goal, lambda yes: yes, lambda _: D.absurd(D.linear("0 < 0", some, D.over(never, "B")), goal)
    )


# --- the supermartingale of a set -------------------------------------------------------------------


def chance(x: str = "x", a: str = "a") -> str:
    """p(B), of the pair."""
    return f"SumOver(y, inB(B, y)*p({x}, {a}, y))"


_HERE = chance("X(n)", "act(n)")
SUPERMARTINGALE = f"Imp(0 <= d, E(exp(jump(n)*(d*(inB(B, X(n + 1)) - {_HERE}) - d**2/8)), n) <= 1)"


def supermartingale(D: Derivation) -> Theorem:
    """A jump that is seen multiplies by a factor of mean at most 1, by Hoeffding's lemma."""
    pay = f"d*{_HERE} + d**2/8"
    step = f"(d*inB(B, X(n + 1)) - ({pay}))"
    goal = f"exp(jump(n)*{step}) == 1 - jump(n) + jump(n)*exp({step})"
    parts = D.mean(by_jump(D, lambda equations: D.by_value(goal, equations[:1])), "n")
    law, total = D.fact("law"), D.fact("jump-sum", x="X(n)", a="act(n)")
    weighed = D.instantiate(law, "glaw", "n s y", "gJ(n, y)")
    weighed = D.instantiate(weighed, "gJ", "n y", f"exp(d*inB(B, y) - ({pay}))")
    plain = D.valued(D.instantiate(law, "glaw", "n s y", "1"), total)
    often = D.linear("0 <= E(jump(n), n)", D.mean(D.whole("jump(n)"), "n"))
    jumps = D.times(D.at(_hoeffding(D), x="X(n)", a="act(n)"), often)
    factor = f"SumOver(y, p(X(n), act(n), y)*exp(d*inB(B, y) - ({pay})))"
    seen = D.linear(
        f"E(jump(n)*exp(d*inB(B, X(n + 1)) - ({pay})), n) <= E(jump(n), n)",
        weighed,
        D.scaled(plain, factor),
        jumps,
    )
    return D.imply(D.linear(D.formula(SUPERMARTINGALE).parts[1], parts, seen), "0 <= d")


def _hoeffding(D: Derivation) -> Theorem:
    """Σ p(y) exp(d 1{y in B}) <= exp(d p(B) + d²/8), both sides over the right one."""
    q, grows = chance(), D.assume("0 <= d")
    pay = f"(d*{q} + d**2/8)"
    goal = "exp(d*inB(B, y)) == 1 - inB(B, y) + inB(B, y)*exp(d)"
    value = whole_cases(
        D,
        "inB(B, y)",
        lambda no: D.by_value(goal, [equal(D, no, D.whole("inB(B, y)"))]),
        lambda yes: D.by_value(goal, [equal(D, D.fact("member"), yes)]),
    )
    total, mixed = D.fact("jump-sum"), f"(1 - {q} + {q}*exp(d))"
    weighed = f"SumOver(y, p(x, a, y)*exp(d*inB(B, y) - {pay}))"
    mean = D.linear(
        f"{weighed} == {mixed}*exp(-{pay})",
        D.over(D.scaled(value, f"p(x, a, y)*exp(-{pay})"), "y"),
        D.scaled(total, f"exp(-{pay})"),
    )
    some = D.linear(f"0 <= {q}", D.over(D.times(D.fact("jump-low"), D.whole("inB(B, y)")), "y"))
    most = D.linear(f"{q} <= 1", D.over(D.times(D.fact("member"), D.fact("jump-low")), "y"), total)
    rise = D.linear("0 <= exp(d) - 1", D.pointwise("1 + x <= exp(x)", x="d"), grows)
    positive = D.linear(f"0 < {mixed}", D.times(rise, some))
    bound = D.closed(D.claim("lem:CI-p/hoeffding", p=q, s="d"), some, most, grows, positive)
    above = rises(D, D.linear(f"log({mixed}) <= {pay}", bound))
    above = D.linear(f"{mixed} <= exp({pay})", above, D.positive("log", mixed, positive))
    return D.linear(f"{weighed} <= 1", mean, D.times(above, D.known("exp", f"-{pay}")))


def exponent(i: str = "i", f: str = "f", z: str = "d") -> str:
    """ζ(M(B) - p(B) N) - ζ²N/8 at decision i."""
    seen = f"SumOver(y, inB(B, y)*M{f}({i}, x, a, y))"
    return f"({z}*({seen} - {chance()}*N{f}({i}, x, a)) - ({z})**2/8*N{f}({i}, x, a))"


def crossing(D: Derivation) -> Theorem:
    """0 <= d ⊢ how often the learner sees c <= ζ(M(B) - p(B) N) - ζ²N/8, ζ = d, for one pair and one set."""
    one = D.mp(D.lemma("lem:CI-p/supermartingale"), D.assume("0 <= d"))
    step = f"jump(n)*(d*(inB(B, X(n + 1)) - {chance()}) - d**2/8)"
    moved = f"E(exp(Ind(X(n) == x)*Ind(act(n) == a)*{step}), n) <= 1"
    says = SUPERMARTINGALE.removeprefix("Imp(0 <= d, ").removesuffix(")")

    def same(acted: Theorem) -> Theorem:
        plain = D.rewrite(D.assume("X(n) == x"), one, "z", says.replace("X(n)", "z"))
        plain = D.rewrite(acted, plain, "b", says.replace("X(n)", "x").replace("act(n)", "b"))
        return D.by_value(moved, [D.holds("X(n) == x"), D.holds("act(n) == a")], plain)

    falls = D.cases(
        "X(n) == x",
        lambda _: D.cases("act(n) == a", same, lambda _: D.by_value(moved, [D.fails("act(n) == a")])),
        lambda _: D.by_value(moved, [D.fails("X(n) == x")]),
    )
    jumps = [
        D.over(D.scaled(D.fact(name), "inB(B, y)"), "y") for name in ("M-0", "Mf-0", "M-step", "Mf-step")
    ]
    after, before = exponent("n + 1", ""), exponent("n", "")
    moves = D.by_value(
        f"exp({after} - {before}) == exp(Ind(X(n) == x)*Ind(act(n) == a)*{step})",
        [jumps[2], D.fact("N-step")],
    )
    falls = D.linear(f"E(exp({after} - {before}), n) <= 1", D.mean(moves, "n"), falls)
    starts = [
        D.by_value(f"{exponent('0', f)} == 0", [seen, D.fact(f"N{f}-0")])
        for f, seen in zip(("", "f"), jumps[:2], strict=True)
    ]
    kept = D.by_value(
        f"{exponent('n + 1')} == jump(n)*{exponent('n')} + (1 - jump(n))*{after}",
        [jumps[3], D.fact("Nf-step")],
    )
    return frozen_at(D, (before, exponent("n")), falls, theorems.both(*starts), kept)


# --- Weissman's inequality --------------------------------------------------------------------------

DISTANCE = "SumOver(y, Abs(ph(i, x, a, y) - p(x, a, y)))"
COUNT, _SIZE = "Nf(i, x, a)", "SumOver(y, inB(B, y))"
_PROPER = f"Ind(1 <= {_SIZE})*Ind({_SIZE} + 1 <= S)"
_FAR = f"Ind({COUNT} == m)*Ind(e <= {DISTANCE})"
WEISSMAN = f"Imp(0 < e, Imp(1 <= m, E({ever(_FAR)}) <= (2**S - 2)*exp(-m*e**2/2)))"


def weissman(D: Derivation) -> Theorem:
    """An estimate from m jumps that is far off is so for a set B, whose supermartingale is large."""
    positive, some = D.assume("0 < e"), D.assume("1 <= m")
    level = "m*e**2/2"
    large = f"Ind({level} <= {exponent(z='2*e')})"
    rarely = D.at(crossing(D), d="2*e", c=level)
    rarely = D.closed(rarely, D.linear("0 <= 2*e", positive))
    sets = ever_over(
        D, "B", f"{_PROPER}*{large}", _only_if(D, [f"1 <= {_SIZE}", f"{_SIZE} + 1 <= S"], large, rarely)
    )
    far = _far(D, positive, some, level)
    return D.imply(
        D.linear(
            D.formula(WEISSMAN).parts[1].parts[1],
            D.mean(ever_below(D, far)),
            sets,
            D.times(_proper_sets(D), D.known("exp", f"-{level}")),
        ),
        "0 < e",
        "1 <= m",
    )


def _only_if(D: Derivation, conditions: list[str], event: str, bound: Theorem) -> Theorem:
    """E(ever(c u)) <= c w from E(ever(u)) <= w, for conditions c that are not random."""
    factor, total = "*".join(f"Ind({text})" for text in conditions), f"Sum(i, n, {event})"
    both = f"1 <= {factor}*{total}"
    below = D.decide(f"Ind({both}) <= {factor}*Ind(1 <= {total})", [both, *conditions, f"1 <= {total}"])
    scaled = D.times(bound, D.whole(factor))
    mean = D.mean(below)
    return D.linear(terms.relation("<=", mean.says.parts[0], scaled.says.parts[1]), mean, scaled)


def _proper_sets(D: Derivation) -> Theorem:
    """Two of the 2^S sets are none and all."""
    empty, full = ("All(y, inB(B, y) == 0)", "All(y, inB(B, y) == 1)")
    none = D.linear(f"{_SIZE} == 0", D.over(D.special(D.assume(empty), "y"), "y"))
    every = D.linear(f"{_SIZE} == S", D.over(D.special(D.assume(full), "y"), "y"), D.fact("states"))
    goal, events = f"{_PROPER} <= 1 - Ind({empty}) - Ind({full})", [f"1 <= {_SIZE}", f"{_SIZE} + 1 <= S"]
    at_start = [D.special(D.assume(text), "x0") for text in (empty, full)]
    proper = D.cases(
        empty,
        lambda _: D.cases(
            full,
            lambda _: D.absurd(D.linear("0 < 0", *at_start), goal),
            lambda _: D.by_value(goal, [D.holds(empty), D.fails(full), none]),
        ),
        lambda _: D.cases(
            full,
            lambda _: D.by_value(goal, [D.fails(empty), D.holds(full), every]),
            lambda _: D.by_value(
                goal,
                [D.fails(empty), D.fails(full)],
                *(D.indicator(text)[1] for text in events),
                D.decide(f"{_PROPER} <= 1", events),
            ),
        ),
    )
    ones = [
        D.mp(D.instantiate(D.fact("subset"), "gset", "y", text), D.all(D.linear(f"{text} <= 1"), "y"))
        for text in ("0", "1")
    ]
    return D.linear(f"SumOver(B, {_PROPER}) <= 2**S - 2", D.over(proper, "B"), D.fact("subsets"), *ones)


def jumps_seen(D: Derivation) -> tuple[Theorem, Theorem]:
    """The jumps to all states are all jumps, now and when the episode began."""
    total, step = "SumOver(y, M{f}({n}, x, a, y)) == N{f}({n}, x, a)", "n + 1"
    first, later = (
        [[D.over(D.fact(f"M{f}-{when}"), "y"), D.fact(f"N{f}-{when}")] for f in ("", "f")]
        for when in ("0", "step")
    )
    starts = [D.linear(total.format(f=f, n="0"), *facts) for f, facts in zip(("", "f"), first, strict=True)]
    whole = D.induction(
        "n",
        total.format(f="", n="n"),
        starts[0],
        lambda before: D.linear(total.format(f="", n=step), *later[0], before),
    )
    new = D.scaled(D.at(whole, n=step), "1 - jump(n)")
    return whole, D.induction(
        "n",
        total.format(f="f", n="n"),
        starts[1],
        lambda before: D.linear(total.format(f="f", n=step), *later[1], D.scaled(before, "jump(n)"), new),
    )


class SeenRow:
    """The estimate of a pair from at least one jump: it adds up to 1, and a set attains half its distance."""

    event = f"{DISTANCE} == 2*SumOver(y, inB(B, y)*(ph(i, x, a, y) - p(x, a, y)))"

    def __init__(self, D: Derivation, count: Theorem) -> None:
        self.count = count
        self.unit = D.positive("inverse", COUNT, count)
        ratio = D.fact("ph", n="i")
        self.inside = D.over(D.scaled(ratio, "inB(B, y)"), "y")
        whole = D.linear(
            "SumOver(y, ph(i, x, a, y)) == 1",
            D.over(ratio, "y"),
            D.scaled(D.at(jumps_seen(D)[1], n="i"), f"1/{COUNT}"),
            self.unit,
        )
        self.zero = D.linear("SumOver(y, ph(i, x, a, y) - p(x, a, y)) == 0", whole, D.fact("jump-sum"))
        sets = D.instantiate(D.lemma("lem:CI-p/subsets"), "gd", "y", "ph(i, x, a, y) - p(x, a, y)")
        both = D.mp(sets, self.zero)
        (self.attained,) = (theorems.part(both, one) for one in both.says.parts if one.tag == "<=")

    def one_set(self, D: Derivation, reached: Sequence[Theorem], event: str) -> Theorem:
        """1 <= SumOver(B, event), from what the set that attains the distance reaches."""
        goal = f"Ind({self.event}) <= {event}"
        holding = [theorems.cut(one, D.holds(one.says)) for one in reached]
        one = D.cases(
            self.event,
            lambda _: D.by_value(goal, [D.holds(self.event), *holding]),
            lambda _: D.by_value(goal, [D.fails(self.event)], D.whole(event)),
        )
        return D.linear(f"1 <= SumOver(B, {event})", self.attained, D.over(one, "B"))


def _far(D: Derivation, positive: Theorem, some: Theorem, level: str) -> Theorem:
    is_m, far = D.assume(f"{COUNT} == m"), D.assume(f"e <= {DISTANCE}")
    estimate = SeenRow(D, D.linear(f"0 < {COUNT}", is_m, some))
    large = f"{level} <= {exponent(z='2*e')}"
    excess = D.linear(
        f"e/2 <= SumOver(y, inB(B, y)*ph(i, x, a, y)) - {chance()}", far, D.assume(SeenRow.event)
    )
    enough = D.times(excess, D.times(D.whole(COUNT), D.linear("0 < 2*e", positive)))
    reached = D.linear(
        large,
        enough,
        D.scaled(estimate.inside, f"2*e*{COUNT}"),
        D.scaled(estimate.unit, "2*e*SumOver(y, inB(B, y)*Mf(i, x, a, y))"),
        D.scaled(is_m, "e**2"),
    )
    bounds = _proper(D, estimate, excess, positive)
    here = estimate.one_set(D, (*bounds, reached), f"{_PROPER}*Ind({large})")
    result, whole = (
        f"{_FAR} <= SumOver(B, {_PROPER}*Ind({large}))",
        D.whole(f"SumOver(B, {_PROPER}*Ind({large}))"),
    )
    return D.cases(
        is_m.says,
        lambda _: D.cases(
            far.says,
            lambda _: D.by_value(result, [D.holds(is_m.says), D.holds(far.says)], here),
            lambda _: D.by_value(result, [D.fails(far.says)], whole),
        ),
        lambda _: D.by_value(result, [D.fails(is_m.says)], whole),
    )


def _proper(D: Derivation, estimate: SeenRow, excess: Theorem, positive: Theorem) -> list[Theorem]:
    """The set is neither empty nor all: on those the estimate has no excess."""
    difference = "ph(i, x, a, y) - p(x, a, y)"

    def wrong(member: Theorem, goal: str) -> Theorem:
        inside = D.over(D.scaled(member, difference), "y")
        return D.absurd(D.linear("0 < 0", excess, inside, estimate.zero, positive), goal)

    def none(empty: Theorem) -> Theorem:
        out = D.linear("inB(B, y) <= 0", one_of_sum(D, "inB(B, y)", "y"), empty)
        return wrong(equal(D, out, D.whole("inB(B, y)")), f"1 <= {_SIZE}")

    def every(full: Theorem) -> Theorem:
        left = D.decide("Ind(z == y)*(1 - inB(B, z)) <= 1 - inB(B, z)", ["z == y"], D.fact("member", y="z"))
        inside = D.linear("1 <= inB(B, y)", D.over(left, "z"), D.fact("states"), full)
        return wrong(equal(D, D.fact("member"), inside), f"{_SIZE} + 1 <= S")

    return [
        whole_cases(D, _SIZE, none, lambda some: some),
        order(D, "S", _SIZE, every, lambda less: less),
    ]
