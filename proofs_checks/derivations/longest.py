"""The longest of the first K episodes: ``top(n)`` is its number of jumps, as far as they were seen."""

from __future__ import annotations

from proofs_checks.derivations.counting import LEVEL
from proofs_checks.derivations.number_of_jumps import ENDED, NOW, TILT, counted, grows
from proofs_checks.derivations.potentials import rate_bound, stays
from proofs_checks.derivations.runs import ACTIVE, by_jump, decided, equal, product, settled, start
from verify.kernel import theorems
from verify.kernel.authoring import Derivation
from verify.kernel.theorems import Theorem

FACTOR = "(Ind(K == 1) + log(K)/log(log(K) + 1))"  # ln K/ln(ln K + 1), read as 1 for K = 1 (0/0 is 0)
JM = f"Sum(l, m, sqrt({LEVEL.format(n='m')})) <= sqrt(K)*top(m)"
TILTED = "Imp(0 < h, E(top(m)) <= (log(K) + lmax*H*(exp(h) - 1))/h)"
LONGEST = f"E(top(m)) <= (lmax*H + 1)*{FACTOR}"
_STEP = "Ind(ep(n) + 1 <= K)*jump(n)*(pos(n) + 1)"


def rises(D: Derivation) -> tuple[Theorem, Theorem]:
    """top(n) <= top(n + 1), and the jumps of the episode up to decision n are at most top(n + 1)."""
    grown = D.fact("top-step")
    return (
        D.linear("top(n) <= top(n + 1)", grown, D.known("max", "top(n)", _STEP)),
        D.linear(f"{_STEP} <= top(n + 1)", grown, D.known("max-right", "top(n)", _STEP)),
    )


def beyond(D: Derivation) -> Theorem:
    """No episode has more than top(n) jumps: Ind(top(n) <= l) LEVEL(n) <= 0."""
    before, now = rises(D)

    def claim(n: str) -> str:
        return f"Ind(top({n}) <= l)*{LEVEL.format(n=n)} <= 0"

    def step(below: Theorem) -> Theorem:
        goal = claim("n + 1")

        def low(high: Theorem) -> Theorem:
            earlier = D.closed(D.holds("top(n) <= l"), D.linear("top(n) <= l", high, before))
            values = [D.holds("top(n + 1) <= l"), earlier]
            events = ["ep(n) + 1 <= K", "pos(n) == l"]
            return by_jump(D, lambda case, _: decided(D, goal, [*case, *values], events, below, high, now))

        return D.cases("top(n + 1) <= l", low, lambda _: D.by_value(goal, [D.fails("top(n + 1) <= l")]))

    return D.induction("n", claim("n"), D.linear(claim("0")), step)


def few(D: Derivation) -> Theorem:
    """LEVEL(n) <= K: what ``counted`` says with h = 0, and that there are K episodes."""
    ended = "Sum(i, {n}, Ind(ep(i) + 1 <= K)*(1 - jump(i))) + Ind(ep({n}) + 1 <= K)*(K - ep({n})) <= K"
    events = ["ep(n) + 1 <= K", "ep(n) + 2 <= K"]
    first = decided(D, ended.format(n="0"), [start(D, "ep(0) == 0")], ["1 <= K"], D.fact("episodes"))
    total = D.induction(
        "n",
        ended.format(n="n"),
        first,
        lambda below: by_jump(D, lambda case, _: decided(D, ended.format(n="n + 1"), case, events, below)),
    )
    level = D.closed(D.at(counted(D), h="0"))
    now = D.decide(f"{ACTIVE} <= {ACTIVE}*(K - ep(n))", ["ep(n) + 1 <= K"])
    return D.linear(f"{LEVEL.format(n='n')} <= K", level, total, now)


def below_top(D: Derivation) -> Theorem:
    """Sum(l, m, Ind(l + 1 <= k)) <= k."""
    inside = "Sum(l, {m}, Ind(l + 1 <= k)) <= Ind({m} <= k)*{m} + (1 - Ind({m} <= k))*k"
    first = D.decide(inside.format(m="0"), ["0 <= k"], D.whole("k"))
    total = D.induction(
        "m",
        inside.format(m="m"),
        first,
        lambda below: D.decide(inside.format(m="(m + 1)"), ["m <= k", "m + 1 <= k"], below),
    )
    return D.decide("Sum(l, m, Ind(l + 1 <= k)) <= k", ["m <= k"], total)


def longest_counts(D: Derivation) -> Theorem:
    """Σ over l < m of √LEVEL(m) <= √K top(m)."""
    level = LEVEL.format(n="m")
    none, some = D.at(beyond(D), n="m"), D.at(few(D), n="m")
    goal = f"sqrt({level}) <= sqrt(K)*Ind(l + 1 <= top(m))"

    def case(assumed: Theorem) -> Theorem:
        if assumed.says is D.formula("top(m) <= l"):
            zero = equal(D, D.valued(none, D.closed(D.holds("top(m) <= l"), assumed)), D.whole(level))
            return decided(D, goal, [zero], ["l + 1 <= top(m)"], assumed)
        root = D.pointwise("sqrt(x) <= sqrt(x + d)", "x >= 0", "d >= 0", x=level, d=f"K - {level}")
        root = settled(D, root, D.whole(level), some, D.whole("K"))
        return D.by_value(goal, [D.closed(D.holds("l + 1 <= top(m)"), assumed)], root)

    one = D.split(D.known("discrete", "top(m)", "l"), case, case)
    number = D.times(D.at(below_top(D), k="top(m)"), D.known("sqrt", "K"))
    return D.linear(JM, D.sum(one, "l", "m"), number)


def path_of_longest(D: Derivation) -> Theorem:
    """e^{h top(n)} <= Σ e^{h J} over the episodes, as far as they were seen."""

    def claim(n: str) -> str:
        return f"exp(h*top({n})) <= {ENDED.format(n=n)} + {NOW.format(n=n)}"

    goal, sign = claim("n + 1"), D.assume("0 <= h")
    grown = D.fact("top-step")
    one = D.closed(D.pointwise("exp(x) >= 1", "x >= 0", x="h*top(n)"), D.times(sign, D.whole("top(n)")))
    more = D.times(grows(D), D.known("exp", "h*pos(n)"))
    ended = D.sum(
        D.times(D.times(_left(D), D.whole("Ind(ep(i) + 1 <= K)")), D.known("exp", "h*pos(i)")), "i", "n"
    )

    def step(below: Theorem) -> Theorem:
        def case(value: Theorem) -> Theorem:
            return by_jump(
                D,
                lambda values, _: decided(
                    D,
                    goal,
                    [grown, value, D.fact("pos-step"), *values],
                    ["ep(n) + 1 <= K", "ep(n) + 2 <= K"],
                    below,
                    more,
                    ended,
                    one,
                ),
            )

        return D.split(D.known("max-cases", "top(n)", _STEP), case, case)

    values = [
        D.fact("top-0"),
        D.fact("pos-0"),
        start(D, "ep(0) == 0"),
        D.closed(D.holds("1 <= K"), D.fact("episodes")),
    ]
    return D.induction("n", claim("n"), D.by_value(claim("0"), values), step)


def longest(D: Derivation) -> Theorem:
    """E top <= (v + 1) ln K/ln(ln K + 1), and <= v + 1 for K = 1."""

    def case(assumed: Theorem) -> Theorem:
        if assumed.says is D.formula("K <= 1"):
            single = equal(D, assumed, D.fact("episodes"))
            return D.by_value(LONGEST, [single], all_of_them(D))
        return D.decide(LONGEST, ["K == 1"], longest_of_many(D), assumed)

    return D.split(D.known("discrete", "K", "1"), case, case)


def active_decisions(D: Derivation) -> Theorem:
    """E Σ Ind(ep(n) < K) <= (1 + v) K."""
    mean = D.instantiate(D.lemma("prop:rateerror/decisions"), "gM", "n", ACTIVE)
    mean = D.mp(mean, theorems.sure(D.all(D.whole(ACTIVE), "n")), stays(D, ACTIVE, "stays-ep"))
    each = D.instantiate(D.lemma("prop:rateerror/episodes"), "gx", "k", "1")
    each = D.mean(D.mp(each, D.all(D.linear("0 <= 1"), "k")))
    factor = D.linear("0 <= 1 + lmax*H", product(D, rate_bound(D), D.fact("horizon")))
    return D.linear(f"E(Sum(n, m, {ACTIVE})) <= (1 + lmax*H)*K", mean, D.times(each, factor))


def all_of_them(D: Derivation) -> Theorem:
    """E top <= (1 + v) K: the jumps of the longest are among the decisions of all."""
    total = "Sum(i, {n}, Ind(ep(i) + 1 <= K))"

    def claims(n: str) -> tuple[str, str]:
        return f"top({n}) <= {total.format(n=n)}", f"Ind(ep({n}) + 1 <= K)*pos({n}) <= {total.format(n=n)}"

    def step(below: Theorem) -> Theorem:
        facts = [theorems.part(below, D.formula(one)) for one in claims("n")]
        first, second = claims("n + 1")

        def larger(value: Theorem) -> Theorem:
            return by_jump(
                D,
                lambda case, _: D.by_value(
                    first,
                    [D.fact("top-step"), value, *case],
                    *facts,
                    D.whole(ACTIVE),
                    D.whole(total.format(n="n + 1")),
                ),
            )

        end = by_jump(
            D,
            lambda case, _: D.by_value(
                second, [D.fact("pos-step"), *case], *facts, D.whole(ACTIVE), D.whole(total.format(n="n + 1"))
            ),
        )
        return theorems.both(D.split(D.known("max-cases", "top(n)", _STEP), larger, larger), end)

    zero = [D.fact("top-0"), D.fact("pos-0")]
    first = theorems.both(*(D.by_value(one, zero) for one in claims("0")))
    path = D.induction("n", f"And{claims('n')}".replace("'", ""), first, step)
    path = D.mean(D.at(theorems.part(path, D.formula(claims("n")[0])), n="m"))
    return D.linear("E(top(m)) <= (1 + lmax*H)*K", path, active_decisions(D))


def tilted(D: Derivation) -> Theorem:
    """0 <= h ⊢ h E top(n) <= ln K + v (e^h - 1), by y <= e^y - 1."""
    level, c = "log(K) + c*H", "lmax*(exp(h) - 1)"
    moments = D.mp(D.lemma("prop:proberror/coupling"), *map(D.assume, TILT))
    small = f"exp(-({level}))"  # as a variable q: a mean does not take factors out of an exponential
    named, sign = D.assume(f"q == {small}"), D.assume("0 < q")
    tangent = D.claim("eq:term1-3/tangent", y=f"h*top(n) - ({level})")
    tangent = D.linear(
        f"h*top(n) - ({level}) <= q*exp(h*top(n)) - 1", tangent, D.scaled(named, "exp(h*top(n))")
    )
    path = D.times(D.linear("E(exp(h*top(n))) <= K*exp(c*H)", D.mean(path_of_longest(D)), moments), sign)
    one = D.scaled(D.positive("log", "K", D.linear("0 < K", D.fact("episodes"))), "exp(-log(K))")
    last = (D.scaled(named, "K*exp(c*H)"), one)
    mean = D.linear(f"h*E(top(n)) <= {level}", D.mean(tangent), path, *last)
    mean = D.closed(D.at(mean, q=small), D.linear(f"{small} == {small}"), D.known("exp", f"-({level})"))
    return D.closed(D.at(mean, c=c), D.linear(f"{c} <= {c}"))


def tilted_mean(D: Derivation) -> Theorem:
    """E top <= (ln K + v (e^h - 1))/h for every h > 0."""
    positive = D.assume("0 < h")
    many = D.at(theorems.cut(D.linear("0 <= h", positive), tilted(D)), n="m")
    over = D.times(many, D.positive("inverse-positive", "h", positive))
    unit = D.scaled(D.positive("inverse", "h", positive), "E(top(m))")
    goal = "E(top(m)) <= (log(K) + lmax*H*(exp(h) - 1))/h"
    return D.imply(D.linear(goal, over, unit), "0 < h")


def longest_of_many(D: Derivation) -> Theorem:
    """E top <= (ln K + v (e^h - 1))/h at h = ln(ln K + 1); given 2 <= K."""
    some = D.assume("1 + 1 <= K")
    k = D.closed(D.pointwise("log(n) > 0", "n >= 2", n="K"), some)
    h = D.closed(D.pointwise("log(1 + k) > 0", "k > 0", k="log(K)"), k)
    chosen = D.closed(D.at(tilted(D), h="log(1 + log(K))", n="m"), h)
    base = D.positive("log", "1 + log(K)", D.linear("0 < 1 + log(K)", k))
    chosen = D.linear("log(1 + log(K))*E(top(m)) <= (lmax*H + 1)*log(K)", chosen, D.scaled(base, "lmax*H"))
    divided = D.times(chosen, D.positive("inverse-positive", "log(1 + log(K))", h))
    unit = D.scaled(D.positive("inverse", "log(1 + log(K))", h), "E(top(m))")
    return D.linear("E(top(m)) <= (lmax*H + 1)*log(K)/log(log(K) + 1)", divided, unit)


def _left(D: Derivation) -> Theorem:
    return D.linear("0 <= 1 - jump(i)", D.fact("jump", n="i"))
