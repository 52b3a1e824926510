r"""The number of jumps in an episode: its mean, that it is finite, and that nothing bounds it.

``hops(n, m)`` counts the jumps that end the next m sojourns from decision n on, within the episode.  Its mean
when decision n is made is at most :math:`\lambda_{\max}` times the remaining time R: with :math:`W = \int_0^R
e^{-\lambda s}ds` the first jump is seen with probability :math:`\lambda W`, and leaves R - W in the mean.
"""

from __future__ import annotations

from proofs_checks.derivations.operators import decays, part
from proofs_checks.derivations.runs import RATE, by_jump, decided, law, observed, product, remaining
from verify.kernel import calculus, terms, theorems
from verify.kernel.authoring import Derivation
from verify.kernel.theorems import Theorem

_MEAN = "E(hops(n, m), n) <= lmax*rem(n)"
_WAIT = f"Int(s, rem(n), exp(-{RATE}*s))"


def _for_all(D: Derivation, theorem: Theorem) -> Theorem:
    """At every outcome, for every decision: what a mean at a later decision can be taken of."""
    return theorems.sure(D.all(theorem, "n"))


def _next(D: Derivation, before: Theorem) -> Theorem:
    return D.special(theorems.unsure(before), "n + 1")


def _rate_high(D: Derivation) -> Theorem:
    """λ(X, a) <= λmax."""
    return D.fact("rate-high", x="X(n)", a="act(n)")


# --- eq:FH-control-discrete/steps ---------------------------------------------------------------

STEPS = f"And({_MEAN}, E(1 + hops(n, m), n) <= 1 + lmax*H)"


def left(D: Derivation) -> Theorem:
    """E(jump(n)*rem(n + 1), n) == rem(n) - W: what is left after the jump, in the mean."""
    low, _ = remaining(D)
    after = by_jump(
        D, lambda values, _: D.by_value("jump(n)*rem(n + 1) == jump(n)*(rem(n) - spent(n))", values)
    )
    area = D.closed(D.primitive("s", "rem(n)", f"-(rem(n) - s)*exp(-{RATE}*s)"), low)
    goal = f"E(jump(n)*rem(n + 1), n) == rem(n) - {_WAIT}"
    return D.linear(goal, D.mean(after, "n"), law(D, "rem(n) - s"), area)


def seen(D: Derivation) -> Theorem:
    """E(jump(n), n) == λ W."""
    low, _ = remaining(D)
    area = D.closed(D.primitive("s", "rem(n)", f"-exp(-{RATE}*s)"), low)
    return D.linear(f"E(jump(n), n) == {RATE}*{_WAIT}", observed(D), area)


def number(D: Derivation) -> Theorem:
    """E(hops(n, m), n) <= λmax rem(n)."""
    low, _ = remaining(D)
    largest = D.linear("0 <= lmax", D.fact("lmax"))
    wait = D.integral(D.known("exp", f"-{RATE}*s"), "s", "rem(n)")
    rate = D.times(_rate_high(D), wait)

    def step(before: Theorem) -> Theorem:
        later = D.mean(D.times(_next(D, before), D.whole("jump(n)")), "n")
        count = D.mean(D.fact("hops-step"), "n")
        goal = "E(hops(n, m + 1), n) <= lmax*rem(n)"
        return _for_all(D, D.linear(goal, count, later, D.scaled(left(D), "lmax"), seen(D), rate))

    none = D.mean(D.fact("hops-0"), "n")
    first = D.linear("E(hops(n, 0), n) <= lmax*rem(n)", none, D.times(low, largest))
    found = D.induction("m", f"Sure(All(n, {_MEAN}))", _for_all(D, first), step)
    return D.special(theorems.unsure(found), "n")


def steps(D: Derivation) -> Theorem:
    """At most λmax H jumps are expected, and one decision more."""
    mean, (_, high) = number(D), remaining(D)
    largest = D.linear("0 <= lmax", D.fact("lmax"))
    more = D.linear("E(1 + hops(n, m), n) <= 1 + lmax*H", mean, D.times(high, largest))
    return theorems.both(mean, more)


# --- remark:homogeneous/finite ------------------------------------------------------------------

_ENDLESS = "All(m, m <= hops(n, m))"
FINITE = f"And(k*E(Ind(k <= hops(n, m)), n) <= lmax*rem(n), E(Ind({_ENDLESS}), n) == 0)"


def finite(D: Derivation) -> Theorem:
    """Markov's inequality: k P(at least k jumps) <= λmax rem(n); so no episode has jumps without end."""
    mean = part(D, D.lemma("eq:FH-control-discrete/steps"), _MEAN)
    many = D.decide("k*Ind(k <= hops(n, m)) <= hops(n, m)", ["k <= hops(n, m)"], D.whole("hops(n, m)"))
    markov = D.linear("k*E(Ind(k <= hops(n, m)), n) <= lmax*rem(n)", D.mean(many, "n"), mean)
    never = D.cases(
        _ENDLESS,
        lambda yes: D.by_value(
            f"Ind({_ENDLESS}) <= Ind(m <= hops(n, m))",
            [D.holds(_ENDLESS), theorems.cut(D.special(yes, "m"), D.holds("m <= hops(n, m)"))],
        ),
        lambda _: D.by_value(
            f"Ind({_ENDLESS}) <= Ind(m <= hops(n, m))", [D.fails(_ENDLESS)], D.whole("Ind(m <= hops(n, m))")
        ),
    )
    rare = D.times(D.mean(never, "n"), D.whole("m"))
    all_m = D.linear(f"m*E(Ind({_ENDLESS}), n) <= lmax*rem(n)", rare, D.at(markov, k="m"))
    high = calculus.archimedes(all_m, D.variable("m"))
    low = D.mean(D.whole(f"Ind({_ENDLESS})"), "n")
    return theorems.both(markov, _zero(D, high, low))


# --- sec:introduction/unbounded -----------------------------------------------------------------

_SHARE = "(1 - exp(-lmin*{h}))"
_POWER = f"exp(m*log{_SHARE})"
_LONG = "E(Ind(m <= hops(n, m)), n)"
_FIRST = _POWER.format(h="H/m")
UNBOUNDED = f"Imp(And(1 <= m, rem(n) == H), And(0 < {_FIRST}, {_FIRST} <= {_LONG}))"


def _soon(D: Derivation) -> Theorem:
    """0 < h, h <= rem(n) ⊢ 1 - exp(-λmin h) <= P(jump within h)."""
    low = D.fact("rate-low", x="X(n)", a="act(n)")
    inside = D.instantiate(D.fact("shorter"), "gf", "s", f"exp(-{RATE}*s)")
    inside = D.scaled(D.mp(D.at(inside, t="h", u="rem(n)"), D.assume("h <= rem(n)")), RATE)
    positive = D.assume("0 < h")
    area = D.closed(D.primitive("s", "h", f"-exp(-{RATE}*s)"), positive)
    faster = decays(D, D.linear(f"lmin*h <= {RATE}*h", D.times(low, positive)))
    goal = f"{_SHARE.format(h='h')} <= E(jump(n)*Ind(spent(n) <= h), n)"
    return D.linear(goal, law(D, "Ind(s <= h)"), inside, area, faster)


def _one_more(D: Derivation, before: Theorem) -> Theorem:
    """(m + 1) h <= rem(n) ⊢ a jump within h leaves enough time for m others."""
    power, quick = _POWER.format(h="h"), "Ind(spent(n) <= h)"
    later, room = "E(Ind(m <= hops(n + 1, m)), n + 1)", D.assume("(m + 1)*h <= rem(n)")
    goal = f"jump(n)*{quick}*{power} <= jump(n)*{quick}*{later}"

    def left_over(values: list[Theorem], jumps: bool) -> Theorem:
        if not jumps:
            return D.by_value(goal, values)

        def in_time(yes: Theorem) -> Theorem:
            enough = D.linear("m*h <= rem(n + 1)", room, yes, *values)
            return D.by_value(goal, [*values, D.holds("spent(n) <= h")], D.mp(_next(D, before), enough))

        return D.cases(
            "spent(n) <= h", in_time, lambda _: D.by_value(goal, [*values, D.fails("spent(n) <= h")])
        )

    return D.mean(by_jump(D, left_over), "n")


def _many(D: Derivation) -> Theorem:
    """0 < h ⊢ Imp(m h <= rem(n), (1 - exp(-λmin h))^m <= P(m jumps))."""
    share, power = _SHARE.format(h="h"), _POWER.format(h="h")
    positive = D.assume("0 < h")
    load = product(D, D.fact("lmin"), positive)
    less = D.pointwise("exp(-d) < 1", "d > 0", d="lmin*h")
    some = D.linear(f"0 < {share}", theorems.cut(load, less))
    grows = D.scaled(D.mp(D.known("log", share), some), power)
    before_jump = D.times(D.linear("0 <= h", positive), D.whole("m"))

    def step(before: Theorem) -> Theorem:
        later = _one_more(D, before)
        count = by_jump(
            D,
            lambda values, _: decided(
                D,
                "jump(n)*Ind(spent(n) <= h)*Ind(m <= hops(n + 1, m)) <= Ind(m + 1 <= hops(n, m + 1))",
                [D.fact("hops-step"), *values],
                ["m <= hops(n + 1, m)", "spent(n) <= h"],
                *D.indicator("m + 1 <= hops(n, m + 1)"),
            ),
        )
        room = D.assume("(m + 1)*h <= rem(n)")
        early = theorems.cut(D.linear("h <= rem(n)", room, before_jump), _soon(D))
        first = D.times(early, D.known("exp", f"m*log{share}"))
        goal = f"exp((m + 1)*log{share}) <= E(Ind(m + 1 <= hops(n, m + 1)), n)"
        one = D.linear(goal, first, grows, later, D.mean(count, "n"))
        return _for_all(D, D.imply(one, "(m + 1)*h <= rem(n)"))

    first = D.imply(D.linear("1 <= E(Ind(0 <= hops(n, 0)), n)"), "0 <= rem(n)")
    says = f"Sure(All(n, Imp(m*h <= rem(n), {power} <= {_LONG})))"
    return D.special(theorems.unsure(D.induction("m", says, _for_all(D, first), step)), "n")


def unbounded(D: Derivation) -> Theorem:
    """With probability at least (1 - exp(-λmin H/m))^m the m sojourns of an episode all end with a jump."""
    here = D.assume("And(1 <= m, rem(n) == H)")
    some, time = part(D, here, "1 <= m"), part(D, here, "rem(n) == H")
    positive = D.linear("0 < m", some)
    share = product(D, D.fact("horizon"), D.positive("inverse-positive", "m", positive))
    whole = D.scaled(D.positive("inverse", "m", positive), "H")
    room = D.linear("m*(H/m) <= rem(n)", whole, time)
    found = D.mp(theorems.cut(share, D.at(_many(D), h="H/m")), room)
    power = D.known("exp", f"m*log{_SHARE.format(h='H/m')}")
    return D.imply(theorems.both(power, found), "And(1 <= m, rem(n) == H)")


# --- remark:homogeneous/no-atom -----------------------------------------------------------------

_WINDOW = "Ind(spent(n) <= u + e) - Ind(spent(n) <= u)"
_AT = "jump({n})*Ind(rem({n}) - spent({n}) == v)"
NO_ATOM = (
    f"And(Imp(And(0 <= u, 0 <= e), E(jump(n)*({_WINDOW}), n) <= lmax*e), "
    f"E(Sum(i, n, {_AT.format(n='i')})) == 0)"
)


def _measure(D: Derivation) -> Theorem:
    """0 <= u, 0 <= e ⊢ ∫ 1{u < s <= u + e} ds over [0, rem(n)] is at most e."""
    start, size, length = D.assume("0 <= u"), D.assume("0 <= e"), "rem(n)"
    bodies = D.instantiate(D.fact("shorter"), "gf", "s", "1")
    goal = f"Int(s, {length}, Ind(s <= u + e) - Ind(s <= u)) <= e"
    low = remaining(D)[0]
    whole = D.closed(D.primitive("s", length, "s"), low)

    def part_of(end: str, inside: Theorem) -> Theorem:
        """∫ 1{s <= end} ds == end, for 0 <= end <= rem(n)."""
        area = D.closed(D.primitive("s", end, "s"), start, size)
        return D.linear(
            f"Int(s, {length}, Ind(s <= {end})) == {end}", D.mp(D.at(bodies, t=end, u=length), inside), area
        )

    most = D.integral(D.indicator("s <= u + e")[1], "s", length)
    late = D.assume(f"s <= {length}")

    def begins(inside: Theorem) -> Theorem:
        return D.cases(
            f"u + e <= {length}",
            lambda yes: D.linear(goal, part_of("u", inside), part_of("u + e", yes)),
            lambda no: D.linear(goal, part_of("u", inside), most, whole, no),
        )

    def begins_late(no: Theorem) -> Theorem:
        before = D.by_value(
            "Ind(s <= u + e) - Ind(s <= u) <= 0",
            [theorems.cut(D.linear("s <= u", late, no), D.holds("s <= u"))],
            D.indicator("s <= u + e")[1],
        )
        return D.linear(goal, D.integral(before, "s", length), size)

    return D.cases(f"u <= {length}", begins, begins_late)


def _window(D: Derivation) -> Theorem:
    """0 <= u, 0 <= e ⊢ P(a jump after u and not after u + e) <= λmax e."""
    size = D.assume("0 <= e")
    rate, largest = _rate_high(D), D.linear("0 <= lmax", D.fact("lmax"))
    window = "Ind(s <= u + e) - Ind(s <= u)"
    order = D.decide(f"0 <= {window}", ["s <= u", "s <= u + e"], size)
    steep = D.pointwise("exp(-d) <= 1", "d >= 0", d=f"{RATE}*s")
    speed = D.fact("rate", x="X(n)", a="act(n)")
    steep = theorems.cut(D.times(speed, D.assume("0 <= s")), steep)
    density = D.linear(f"{RATE}*exp(-{RATE}*s) <= lmax", D.times(steep, speed), rate)
    inside = D.integral(D.times(density, order), "s", "rem(n)")
    measure = D.times(_measure(D), largest)
    return D.linear(f"E(jump(n)*({_WINDOW}), n) <= lmax*e", law(D, window), inside, measure)


def _never(D: Derivation) -> Theorem:
    """P(decision n ends with a jump at remaining time v) <= 0."""
    at, gap = _AT.format(n="n"), "rem(n) - v"

    def not_yet(no: Theorem) -> Theorem:
        late = D.decide(f"{at} <= 0", [f"{gap} - spent(n) == 0"], no, D.fact("spent-low"))
        return D.mean(late, "n")

    def shrinks(yes: Theorem) -> Theorem:
        number = D.linear("0 < k + 1", D.whole("k"))
        step, ends = f"({gap})/(k + 1)", f"spent(n) <= {gap}"
        share = product(D, yes, D.positive("inverse-positive", "k + 1", number))
        whole = D.scaled(D.positive("inverse", "k + 1", number), gap)
        begin = D.linear(f"0 <= {gap} - {step}", whole, D.times(share, D.whole("k")))
        window = D.closed(
            D.at(_window(D), u=f"{gap} - {step}", e=step), begin, D.linear(f"0 <= {step}", share)
        )
        inside = D.decide(
            f"Ind({gap} - spent(n) == 0) <= Ind({ends}) - Ind({ends} - {step})",
            [f"{gap} - spent(n) == 0", ends, f"{ends} - {step}"],
            share,
        )
        small = D.mean(D.times(inside, D.whole("jump(n)")), "n")
        times = D.times(D.linear(f"E({at}, n) <= lmax*{step}", small, window), number)
        none = D.mean(D.whole(at), "n")
        every = D.linear(f"k*E({at}, n) <= lmax*({gap})", times, D.scaled(whole, "lmax"), none)
        return calculus.archimedes(every, D.variable("k"))

    return D.cases(f"0 < {gap}", shrinks, not_yet)


def no_atom(D: Derivation) -> Theorem:
    """A jump falls into a window of length e with probability at most λmax e, and never on a given time."""
    condition = D.assume("And(0 <= u, 0 <= e)")
    window = _window(D)
    for text in ("0 <= u", "0 <= e"):
        window = theorems.cut(part(D, condition, text), window)
    total, at = f"E(Sum(i, n, {_AT.format(n='i')}))", _AT.format(n="n")
    one = D.mean(_never(D))
    some = D.mean(D.whole(at))
    never = D.induction(
        "n",
        f"{total} == 0",
        D.linear("0 == 0"),
        lambda before: _zero(D, D.linear(f"{total} + E({at}) <= 0", before, one), before, some),
    )
    return theorems.both(D.imply(window, "And(0 <= u, 0 <= e)"), never)


def _zero(D: Derivation, high: Theorem, *facts: Theorem) -> Theorem:
    """u == 0 from u <= 0, and facts that say 0 <= u."""
    u = high.says.parts[0]
    low = D.linear(terms.relation("<=", terms.ZERO, u), *facts)
    return D.mp(D.known("antisymmetric", u, "0"), theorems.both(high, low))


DERIVED = {
    "eq:FH-control-discrete/steps": (STEPS, steps),
    "remark:homogeneous/finite": (FINITE, finite),
    "remark:homogeneous/no-atom": (NO_ATOM, no_atom),
    "sec:introduction/unbounded": (UNBOUNDED, unbounded),
}
