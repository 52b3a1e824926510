r"""What happens in the episodes of a run: each decides one pair, and holds er(d, H) = E(H - γ_d)^+ in store.

``er(ht(X(n)), rem(n))`` is what remains on the average after the jump from the leaf: it does not change
in the mean, so a leaf is entered with er(1, rem(n)) in store, and the mean of that over an episode is
er(d, H), whatever the learner does and whatever it has learned.
"""

from __future__ import annotations

from collections.abc import Callable

from proofs_checks.derivations.lower_cases import Way, by_value, denied, off, on, put, settle, towards, when
from proofs_checks.derivations.lower_measure import law
from verify.kernel import theorems
from verify.kernel.authoring import Derivation
from verify.kernel.terms import KernelError
from verify.kernel.theorems import Theorem

_SEEN = "SumOver(z, SumOver(b, Ind(ht(z) == 1)*T({0}, k, z, b)))"
VISITS = f"{_SEEN.format('n')} <= k"
_PAID = "Ind(ep({0}) == k)*Ind(ht(X({0})) == 1)*er(1, rem({0}))"
_POSITIVE, _STILL = "All(n, 0 <= gM(n))", "All(n, Imp(k <= ep(n), gM(n + 1) == gM(n)))"
LEAVES = (
    f"Imp(Sure({_POSITIVE}), Imp(Sure({_STILL}), "
    f"E(Sum(i, n, {_PAID.format('i')}*gM(i))) <= er(d, H)*E(Ind(k <= ep(n))*gM(n))))"
)


def support(D: Derivation) -> Theorem:
    """From a leaf, or below it, a jump ends below the leaves: given jump(n) == 1 and ht(X(n)) <= 1."""
    seen, low = D.assume("jump(n) == 1"), D.assume("ht(X(n)) <= 1")
    there = put(when(D, D.fact("possible"), seen), D.fact("p", c="0", x="X(n)", a="act(n)", y="X(n + 1)"))

    def clash(no: Theorem) -> Theorem:
        def neither(name: str) -> Theorem:
            return denied(D, f"X(n + 1) == {name}", lambda e: (put(D.fact(name), towards(D, e, name)), no))

        gone = [off(D, neither(name)) for name in ("good", "bad")]

        def below(flat: Theorem) -> Theorem:
            low_too = mate(D, flat, "ht(mate(X(n))) == 0")
            same = denied(
                D, "X(n + 1) == mate(X(n))", lambda e: (put(low_too, towards(D, e, "mate(X(n))")), no)
            )
            return _nothing(D, there, [*gone, off(D, same), *heights(D, flat)])

        def leaf(flat: Theorem) -> Theorem:
            return _nothing(D, there, [*gone, *heights(D, flat)])

        return D.cases("ht(X(n)) == 0", below, lambda no_: leaf(_one(D, no_, low)))

    return D.cases("ht(X(n + 1)) == 0", lambda yes: yes, clash)


def mate(D: Derivation, flat: Theorem, what: str, state: str = "X(n)") -> Theorem:
    """What is known of the state that one below the leaves jumps to."""
    return theorems.part(when(D, D.fact("mate", x=state), flat), D.formula(what))


def _one(D: Derivation, not_zero: Theorem, low: Theorem) -> Theorem:
    """ht(X(n)) == 1, from at most 1 and not 0."""

    def other(e: Theorem) -> Theorem:
        if e.says is not D.formula("ht(X(n)) <= 0"):
            return D.mp(D.known("antisymmetric", "ht(X(n))", "1"), theorems.both(low, e))
        zero = D.mp(D.known("antisymmetric", "ht(X(n))", "0"), theorems.both(e, D.whole("ht(X(n))")))
        return theorems.absurd(zero, not_zero, D.formula("ht(X(n)) == 1"))

    return D.split(D.known("discrete", "ht(X(n))", "0"), other, other)


def by_height(
    D: Derivation,
    state: str,
    above: Callable[[Theorem], Theorem],
    leaf: Callable[[Theorem], Theorem],
    ends: Callable[[Theorem], Theorem],
) -> Theorem:
    """The same conclusion above the leaves, in a leaf, and below the leaves."""
    ht = f"ht({state})"

    def low(e: Theorem) -> Theorem:
        if e.says is D.formula(f"{ht} <= 0"):
            return ends(D.mp(D.known("antisymmetric", ht, "0"), theorems.both(e, D.whole(ht))))
        return D.split(D.known("discrete", ht, "1"), lambda f: high(e, f), lambda f: high(e, f))

    def high(e: Theorem, f: Theorem) -> Theorem:
        if f.says is D.formula(f"{ht} <= 1"):
            return leaf(D.mp(D.known("antisymmetric", ht, "1"), theorems.both(f, e)))
        return above(D.linear(f"2 <= {ht}", f))

    return D.split(D.known("discrete", ht, "0"), low, low)


def heights(D: Derivation, flat: Theorem, state: str = "X(n)") -> list[Theorem]:
    """The indicators of heights, where the height is known to be 0, 1, or at least 2."""
    found = []
    for a in (f"2 <= ht({state})", f"ht({state}) == 1", f"ht({state}) == 0", f"1 <= ht({state})"):
        for value in (0, 1):
            try:
                found.append(settle(D, f"Ind({a}) == {value}", [a], flat))
                break
            except KernelError:
                continue
    return found


def _nothing(D: Derivation, there: Theorem, values: list[Theorem]) -> Theorem:
    """A jump of probability 0."""
    wrong = put(there, *values, *values)
    return theorems.absurd(wrong, D.linear("0 <= 0"), D.formula("ht(X(n + 1)) == 0"))


def moved(D: Derivation, jumped: bool) -> list[Theorem | Way]:
    """What the next decision is in, given jump(n) == 1 or jump(n) == 0."""
    now = D.assume(f"jump(n) == {int(jumped)}")
    names = ("stays-ep", "stays-rem") if jumped else ("ends-ep", "ends-rem", "ends-spent")
    found: list[Theorem | Way] = [now, *(when(D, D.fact(name), now) for name in names)]
    if not jumped:
        found.append(towards(D, when(D, D.fact("ends-X"), now), "X(n + 1)"))
        found.append(D.fact("root"))
    return found


def jump_or_not(D: Derivation, build: Callable[[bool], Theorem]) -> Theorem:
    """The same conclusion, given jump(n) == 1 and given jump(n) == 0."""

    def case(e: Theorem) -> Theorem:
        jumped = e.says is not D.formula("jump(n) <= 0")
        other = D.fact("jump") if jumped else D.whole("jump(n)")
        pair = (other, e) if jumped else (e, other)
        now = D.mp(D.known("antisymmetric", "jump(n)", str(int(jumped))), theorems.both(*pair))
        return theorems.cut(now, build(jumped))

    return D.split(D.known("discrete", "jump(n)", "0"), case, case)


def visits(D: Derivation) -> Theorem:
    """Every episode sees at most one jump from a leaf."""
    step = D.over(D.over(D.scaled(D.fact("T-step"), "Ind(ht(z) == 1)"), "b"), "z")
    left = "Ind(ep({0}) + 1 <= k)*(k - ep({0}) - Ind(ht(X({0})) == 0))"
    a = f"{_SEEN.format('n')} + {left.format('n')} <= k"
    after = f"{_SEEN.format('n + 1')} + {left.format('n + 1')} <= k"
    none = D.over(D.over(D.scaled(D.fact("T-0"), "Ind(ht(z) == 1)"), "b"), "z")
    start = settle(
        D,
        f"{_SEEN.format('0')} + {left.format('0')} <= k",
        ["ep(0) + 1 <= k", "ht(X(0)) == 0"],
        none,
        D.whole("k"),
        D.whole("ep(0)"),
    )

    def build(below: Theorem) -> Theorem:
        def one(jumped: bool) -> Theorem:
            ways = moved(D, jumped)
            conditions = [
                "ep(n) + 1 <= k",
                "ht(X(n)) == 0",
                "ht(X(n)) == 1",
                *(() if jumped else ["ep(n) + 2 <= k"]),
            ]
            if not jumped:
                return settle(
                    D, after, conditions, below, step, D.fact("levels"), equations=[*ways, _rooted(D)]
                )
            down = on(D, support(D))
            return D.cases(
                "ht(X(n)) <= 1",
                lambda low: settle(D, after, conditions, below, step, low, equations=[*ways, down]),
                lambda high: settle(
                    D, after, [*conditions, "ht(X(n + 1)) == 0"], below, step, high, equations=ways
                ),
            )

        return jump_or_not(D, one)

    all_ = D.induction("n", a, start, build)
    return settle(D, VISITS, ["ep(n) + 1 <= k", "ht(X(n)) == 0"], all_, D.whole("k"))


def _rooted(D: Derivation) -> Theorem:
    return settle(D, "Ind(d == 0) == 0", ["d == 0"], D.fact("levels"))


def leaves(D: Derivation) -> Theorem:
    """What a leaf is entered with, times anything that the episode does not change."""
    positive, still = D.surely(_POSITIVE), D.surely(_STILL)
    pending = "Ind(ep({0}) == k)*Ind(1 <= ht(X({0})))*er(ht(X({0})), rem({0}))*gM({0})"
    began = "er(d, H)*Ind(k <= ep({0}))*gM({0})"
    paid = "Sum(i, n, " + _PAID.format("i") + "*gM(i))"
    store = "Ind(1 <= ht(X(n + 1)))*er(ht(X(n + 1)), rem(n) - spent(n))"
    fresh = "(1 - jump(n))*Ind(ep(n) + 1 == k)*er(d, H)*gM(n + 1)"
    split = _split(D, pending, store, fresh, D.special(still, "n"))
    grown = _grown(D, began, fresh, D.special(still, "n"))
    fall = D.scaled(_descend(D), "Ind(ep(n) == k)*gM(n)")
    here = _here(D, pending)
    step = D.linear(
        f"E({pending.format('n + 1')}, n) + {_PAID.format('n')}*gM(n) - E({began.format('n + 1')}, n)"
        f" == {pending.format('n')} - {began.format('n')}",
        D.mean(split, "n"), D.mean(grown, "n"), fall, here,
    )  # fmt: skip
    step = D.mean(step)
    a = f"E({paid}) + E({pending.format('n')}) == E({began.format('n')})"
    start = D.mean(_first(D, pending, began))
    now = f"E({_PAID.format('n')}*gM(n))"
    after = f"E({paid}) + {now} + E({pending.format('n + 1')}) == E({began.format('n + 1')})"
    whole = D.induction("n", a, start, lambda below: D.linear(after, below, step))
    left = D.mean(_not_negative(D, pending, D.special(positive, "n")))
    bound = D.linear(f"E({paid}) <= er(d, H)*E(Ind(k <= ep(n))*gM(n))", whole, left)
    return D.imply(bound, f"Sure({_POSITIVE})", f"Sure({_STILL})")


def _split(D: Derivation, pending: str, store: str, fresh: str, still: Theorem) -> Theorem:
    """The store at the next decision: what is left of this one's, or a new one."""
    goal = f"{pending.format('n + 1')} == jump(n)*Ind(ep(n) == k)*gM(n)*{store} + {fresh}"

    def one(jumped: bool) -> Theorem:
        ways = moved(D, jumped)
        if not jumped:
            top = on(D, D.fact("levels"))
            return settle(D, goal, ["ep(n) + 1 == k"], equations=[*ways, top])
        return D.cases(
            "ep(n) == k",
            lambda yes: by_value(D, goal, [*ways, on(D, yes), when(D, still, D.linear("k <= ep(n)", yes))]),
            lambda no: by_value(D, goal, [*ways, off(D, no)]),
        )

    return jump_or_not(D, one)


def _grown(D: Derivation, began: str, fresh: str, still: Theorem) -> Theorem:
    goal = f"{began.format('n + 1')} == {began.format('n')} + {fresh}"

    def one(jumped: bool) -> Theorem:
        ways = moved(D, jumped)

        def later(yes: Theorem) -> Theorem:
            return settle(
                D,
                goal,
                ["ep(n) + 1 == k", "k <= ep(n) + 1"],
                yes,
                equations=[*ways, on(D, yes), when(D, still, yes)],
            )

        def sooner(no: Theorem) -> Theorem:
            return settle(D, goal, ["ep(n) + 1 == k", "k <= ep(n) + 1"], no, equations=[*ways, off(D, no)])

        return D.cases("k <= ep(n)", later, sooner)

    return jump_or_not(D, one)


def _descend(D: Derivation) -> Theorem:
    """The store does not change in the mean, above the leaves."""
    jump = "jump(n)*Ind(1 <= ht(X(n + 1)))*er(ht(X(n + 1)), rem(n) - spent(n))"
    fall = law(D, "Ind(1 <= ht(y))*er(ht(y), rem(n) - s)")
    goal = f"E({jump}, n) == Ind(2 <= ht(X(n)))*er(ht(X(n)), rem(n))"
    flat = [D.fact("good"), D.fact("bad")]

    def above(yes: Theorem) -> Theorem:
        down = when(D, D.fact("child", x="X(n)", a="act(n)"), yes)
        some = on(D, D.linear("1 <= ht(child(X(n), act(n)))", down, yes))
        unfold = put(D.fact("er-step", h="ht(child(X(n), act(n)))", t="rem(n)"), down)
        return by_value(D, goal, heights(D, yes), put(fall, *flat, some), unfold)

    def ends(zero: Theorem) -> Theorem:
        there = mate(D, zero, "ht(mate(X(n))) == 0")
        return by_value(D, goal, heights(D, zero), put(fall, *flat, there))

    return by_height(D, "X(n)", above, lambda one: by_value(D, goal, heights(D, one), put(fall, *flat)), ends)


def _here(D: Derivation, pending: str) -> Theorem:
    """The store, in a leaf and above."""
    goal = (
        f"{pending.format('n')} == Ind(ep(n) == k)*gM(n)*Ind(2 <= ht(X(n)))*er(ht(X(n)), rem(n))"
        f" + {_PAID.format('n')}*gM(n)"
    )
    return settle(D, goal, ["ht(X(n)) == 1", "1 <= ht(X(n))", "2 <= ht(X(n))"])


def _first(D: Derivation, pending: str, began: str) -> Theorem:
    """The first episode begins with its store."""
    root = D.fact("begins")
    time, zero = (theorems.part(D.fact("start"), D.formula(f)) for f in ("rem(0) == H", "ep(0) == 0"))
    goal = f"{pending.format('0')} == {began.format('0')}"
    ways: list[Theorem | Way] = [
        towards(D, root, "X(0)"),
        time,
        zero,
        D.fact("root"),
        on(D, D.fact("levels")),
    ]
    return settle(D, goal, ["k == 0", "k <= 0"], D.whole("k"), equations=ways)


def _not_negative(D: Derivation, pending: str, positive: Theorem) -> Theorem:
    """What is in store is not negative."""
    store = D.times(stored(D, "ht(X(n))"), positive)
    return settle(D, f"0 <= {pending.format('n')}", ["ep(n) == k", "1 <= ht(X(n))"], store)


def stored(D: Derivation, height: str) -> Theorem:
    """0 <= er(h, rem(n))."""
    time = D.linear("0 <= rem(n)", D.fact("spent-low"), D.fact("spent-high"))
    return D.mp(D.special(D.at(not_negative(D), h=height), "rem(n)"), time)


def not_negative(D: Derivation) -> Theorem:
    """All(t, Imp(0 <= t, 0 <= er(h, t)))."""
    a = "All(t, Imp(0 <= t, 0 <= er(h, t)))"
    start = D.all(D.imply(D.linear("0 <= er(0, t)", D.fact("er-0"), D.assume("0 <= t")), "0 <= t"), "t")

    def step(below: Theorem) -> Theorem:
        inner = D.mp(D.special(below, "t - s"), D.linear("0 <= t - s", D.assume("s <= t")))
        weight = D.times(
            D.linear("0 <= rate", D.fact("rate")), D.linear("0 <= exp(-rate*s)", D.known("exp", "-rate*s"))
        )
        integral = D.integral(D.times(inner, weight), "s", "t")
        up = D.linear("0 <= er(h + 1, t)", D.fact("er-step"), integral)
        return D.all(D.imply(up, "0 <= t"), "t")

    return D.induction("h", a, start, step)
