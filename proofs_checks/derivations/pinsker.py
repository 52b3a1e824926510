r"""What a Kullback-Leibler set says in the ℓ¹ norm: Pinsker's inequality.

For x >= 0 and e > 0, 2e|x - 1| <= e²(4 + 2x)/3 + x ln x - x + 1, since 3(x - 1)² <= (4 + 2x)(x ln x - x + 1);
times p, with x = p̂/p, and summed over the states it is 2e‖p̂ - p‖₁ <= 2e² + KL(p̂‖p), and with e = ‖p̂ - p‖₁/2
it is ‖p̂ - p‖₁² <= 2 KL(p̂‖p).
"""

from __future__ import annotations

from proofs_checks.derivations.jump_sets import COUNT, DISTANCE, jumps_seen
from proofs_checks.derivations.laplace import LEVEL, PENALTY, divergence, possible
from proofs_checks.derivations.runs import product, settled
from proofs_checks.derivations.unions import all_cover, at_all, cancelled, equal, square_below, whole_cases
from verify.kernel import terms, theorems
from verify.kernel.authoring import Derivation
from verify.kernel.theorems import Theorem

# --- the price of all numbers of jumps at once ------------------------------------------------------

PRICE = "Sum(l, n, log((S + l)/(l + 1))) <= (S - 1)*log(n + 1)"


def price(D: Derivation) -> Theorem:
    """C(n + S - 1, S - 1) <= (n + 1)^(S - 1), factor by factor."""
    ratio = D.pointwise("0 < (S + l)/(l + 1)", "S >= 1", "l >= 0", S="S", l="l")
    known = [D.fact("states-some"), D.whole("l")]
    each = D.closed(D.claim("lem:CI-p/kl/price", S="S", l="l"), *known, D.closed(ratio, *known))
    total = D.induction(
        "n",
        "Sum(l, n, log(l + 2) - log(l + 1)) == log(n + 1)",
        D.linear("0 == log(1)"),
        lambda before: D.linear("Sum(l, n + 1, log(l + 2) - log(l + 1)) == log(n + 2)", before),
    )
    return D.linear(PRICE, D.sum(each, "l", "n"), D.scaled(total, "S - 1"))


def binomial(n: str, states: str = "S") -> str:
    """ln C(n + S - 1, S - 1), for real numbers n."""
    return f"Sum(l, {states}, Ind(1 <= l)*log(1 + {n}/l))"


BINOMIAL = f"Sum(l, n, log((S + l)/(l + 1))) == {binomial('n')}"


def binomials(D: Derivation) -> Theorem:
    """BINOMIAL: both sides grow by ln((S + n)/(n + 1)) with n."""

    def grows(k: str) -> str:
        return f"{binomial('(n + 1)', k)} - {binomial('n', k)} == log(n + {k}) - log(n + 1)"

    some = D.assume("1 <= k")
    over = D.positive("inverse-positive", "k", D.linear("0 < k", some))
    step = D.claim("lem:CI-p/kl/binomial", n="n", j="k")
    step = D.closed(step, D.whole("n"), some, D.times(D.whole("n"), over), over)

    def none(no: Theorem) -> Theorem:
        zero = D.linear("0 == k", equal(D, no, D.whole("k")))
        return D.rewrite(zero, D.linear(grows("(0 + 1)")), "Nat_900", grows("(Nat_900 + 1)"))

    def after(before: Theorem) -> Theorem:
        found = whole_cases(
            D,
            "k",
            none,
            lambda yes: D.by_value(grows("(k + 1)"), [D.holds("1 <= k")], D.mp(before, yes), step),
        )
        return D.imply(found, "1 <= k + 1")

    empty = D.absurd(D.linear("0 < 0", D.assume("1 <= 0")), grows("0"))
    shown = D.induction("k", f"Imp(1 <= k, {grows('k')})", D.imply(empty, "1 <= 0"), after)
    grown = D.mp(D.at(shown, k="S"), D.fact("states-some"))
    known = [D.fact("states-some"), D.whole("n")]
    domain, values = ("S >= 1", "n >= 0"), {"S": "S", "n": "n"}
    room = D.closed(D.pointwise("0 < (S + n)/(n + 1)", *domain, **values), *known)
    ratio = D.pointwise("log((S + n)/(n + 1)) == log(n + S) - log(n + 1)", *domain, **values)
    ratio = D.closed(ratio, *known, room)
    return D.induction(
        "n",
        BINOMIAL,
        D.linear(D.at(D.assume(BINOMIAL), n="0").says),
        lambda before: D.linear(D.at(D.assume(BINOMIAL), n="n + 1").says, before, grown, ratio),
    )


# --- Pinsker's inequality ---------------------------------------------------------------------------


def kl_level(n: str) -> str:
    """The square of the radius in ℓ¹ of a set with n jumps, times n."""
    return f"(2*({LEVEL} + {binomial(n)}))"


_Q, _ROW = "gd(y)", "All(y, 0 <= gd(y)), SumOver(y, gd(y)) == 1"
_FAR = "SumOver(y, Abs(ph(i, x, a, y) - gd(y)))"
_NEAR = f"And({divergence(_Q)} <= c, {possible(_Q)})"
_GIVEN = f"And(1 <= {COUNT}, {_ROW})"
PINSKER = f"Imp({_GIVEN}, Imp({_NEAR}, {_FAR} <= sqrt(2*c/{COUNT})))"


def pinsker(D: Derivation) -> Theorem:
    """‖p̂ - q‖₁ <= √(2b/N) for every probability vector q with N KL(p̂‖q) <= b."""
    given, near = D.assume(_GIVEN), D.assume(_NEAR)
    whole = theorems.part(given, D.formula("SumOver(y, gd(y)) == 1"))
    sign = D.special(theorems.part(given, D.formula("All(y, 0 <= gd(y))")), "y")
    allowed = D.special(theorems.part(near, D.formula(possible(_Q))), "y")
    over, unit = (D.positive(name, COUNT, _counted(D)) for name in ("inverse-positive", "inverse"))
    total = D.linear(
        "SumOver(y, ph(i, x, a, y)) == 1",
        D.over(D.fact("ph", n="i"), "y"),
        D.scaled(D.at(jumps_seen(D)[1], n="i"), f"1/{COUNT}"),
        unit,
    )
    term = D.over(_one_state(D, sign, allowed), "y")
    close = D.times(theorems.part(near, D.formula(f"{divergence(_Q)} <= c")), over)
    mixed = D.linear(
        f"2*e*{_FAR} <= 2*e**2 + c*(1/{COUNT})",
        term,
        close,
        total,
        whole,
        D.scaled(total, "e**2"),
        D.scaled(whole, "e**2"),
    )
    bound, inside = f"{_FAR} <= sqrt(2*c/{COUNT})", f"2*c/{COUNT}"
    root = D.known("sqrt", inside)

    def apart(positive: Theorem) -> Theorem:
        half = D.closed(D.at(mixed, e=f"{_FAR}/2"), D.linear(f"0 < {_FAR}/2", positive))
        square = D.linear(f"{_FAR}**2 <= {inside}", half)
        real = D.mp(
            D.known("sqrt-square", inside), D.linear(f"0 <= {inside}", square, D.known("square", _FAR))
        )
        return square_below(
            D, D.linear(f"{_FAR}**2 <= sqrt({inside})**2", square, real), root, _FAR, f"sqrt({inside})"
        )

    shown = D.cases(f"0 < {_FAR}", apart, lambda no: D.linear(bound, no, root))
    return D.imply(shown, given.says, near.says)


def _one_state(D: Derivation, sign: Theorem, allowed: Theorem) -> Theorem:
    """0 < e ⊢ 2e|p̂ - q| <= e²(4q + 2p̂)/3 + p̂ ln(p̂/q) - p̂ + q, at one state."""
    seen, positive = "Mf(i, x, a, y)", D.assume("0 < e")
    share, ratio = f"{seen}*(1/{COUNT})", f"{seen}*(1/{COUNT})*(1/{_Q})"
    goal = f"2*e*Abs({{q}} - {_Q}) <= e**2*(4*{_Q} + 2*{{q}})/3 + {share}*log({ratio}) - {{q}} + {_Q}"

    def by_sign(says: str, gap: str, *facts: Theorem) -> Theorem:
        def one(value: Theorem) -> Theorem:
            return D.linear(says, D.scaled(value, "2*e"), *facts)

        return D.split(D.known("abs-cases", gap), one, one)

    def none(no: Theorem) -> Theorem:
        enough = D.times(D.closed(D.pointwise("2*e <= 4*e**2/3 + 1", "e > 0", e="e"), positive), sign)
        says = f"2*e*Abs(-{_Q}) <= e**2*4*{_Q}/3 + {_Q}"
        empty = by_sign(says, f"-{_Q}", enough, D.times(sign, positive))
        return D.by_value(goal.format(q=share), [equal(D, no, D.whole(seen))], empty)

    def some(yes: Theorem) -> Theorem:
        there = D.mp(allowed, yes)
        over = [D.positive("inverse-positive", text, of) for text, of in ((COUNT, _counted(D)), (_Q, there))]
        real = product(D, D.linear(f"0 < {seen}", yes), *over)
        near = settled(D, D.claim("lem:CI-p/kl/pinsker", x=ratio), real)
        weight = f"(4 + 2*{ratio})/3"
        gain, room = f"({ratio}*log({ratio}) - {ratio} + 1)", D.linear(f"0 < {weight}", real)
        turns = []
        for turn in ("", "-"):
            square = D.known("square", f"e*{weight} - {turn}({ratio} - 1)")
            one = cancelled(D, f"{turn}2*e*({ratio} - 1) <= e**2*{weight} + {gain}", room, square, near)
            turns.append(D.times(one, there))
        units = [
            D.scaled(D.positive("inverse", _Q, there), f"{factor}{share}")
            for factor in ("", "e*", "e**2*", f"log({ratio})*")
        ]
        return by_sign(goal.format(q=share), f"{share} - {_Q}", *turns, *units)

    shown = whole_cases(D, seen, none, some)
    return D.by_value(goal.format(q="ph(i, x, a, y)"), [D.fact("ph", n="i")], shown)


def _counted(D: Derivation) -> Theorem:
    return D.linear(f"0 < {COUNT}", theorems.part(D.assume(_GIVEN), D.formula(f"1 <= {COUNT}")))


# --- the event --------------------------------------------------------------------------------------

_BALL = f"Imp(1 <= {COUNT}, {DISTANCE} <= sqrt(2*({LEVEL} + {PENALTY})/{COUNT}))"
BALLS = f"1 - delta <= E(Ind({all_cover(f'All(x, All(a, {_BALL}))')}))"


def balls(D: Derivation) -> Theorem:
    """‖p̂ - p‖₁ <= √(2b/N) for all pairs at every decision, with probability at least 1 - δ."""
    sets = D.lemma("lem:CI-p/kl")
    event = sets.says.parts[1].parts[0].parts[0]
    here = D.special(D.mp(D.special(D.assume(event), "i"), D.assume("i < n")), "x", "a")
    one = D.instantiate(
        D.at(D.lemma("lem:CI-p/kl/pinsker"), c=f"{LEVEL} + {PENALTY}"), "gd", "y", "p(x, a, y)"
    )
    row = theorems.both(D.assume(f"1 <= {COUNT}"), D.all(D.fact("jump-low"), "y"), D.fact("jump-sum"))
    inside = at_all(D, D.all(D.imply(D.mp(one, row, here), f"1 <= {COUNT}"), "x", "a"))
    goal = terms.relation("<=", terms.indicator(event), terms.indicator(inside.says))
    shown = D.cases(
        event,
        lambda _: D.by_value(goal, [D.holds(event), theorems.cut(inside, D.holds(inside.says))]),
        lambda _: D.by_value(goal, [D.fails(event)], D.whole(terms.indicator(inside.says))),
    )
    return D.linear(BALLS, sets, D.mean(shown))
