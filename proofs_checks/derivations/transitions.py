r"""The number of jumps in an episode: its mean, that it is finite, and that nothing bounds it.

``hops(n, m)`` counts the jumps that end the next m sojourns from decision n on, within the episode.  Its mean when
decision n is made is at most :math:`\lambda_{\max}` times the remaining time R: with :math:`W = \int_0^R e^{-\lambda s}ds`
the first jump is seen with probability :math:`\lambda W`, and leaves R - W in the mean.
"""

from __future__ import annotations

from proofs_checks.derivations.operators import decays, part
from proofs_checks.derivations.runs import RATE, by_jump, law, observed, product, remaining
from verify.kernel import calculus, theorems
from verify.kernel.authoring import Derivation
from verify.kernel.theorems import Theorem

_MEAN = "E(hops(n, m), n) <= lmax*rem(n)"
_WAIT = f"Int(s, rem(n), exp(-{RATE}*s))"


def _for_all(D: Derivation, theorem: Theorem) -> Theorem:
    """At every outcome, for every decision: what a mean at a later decision can be taken of."""
    return theorems.sure(D.all(theorem, "n"))


def _next(D: Derivation, before: Theorem) -> Theorem:
    return D.special(theorems.unsure(before), "n + 1")


def _rates(D: Derivation) -> tuple[Theorem, Theorem]:
    """λmin <= λ(X, a), and λ(X, a) <= λmax."""
    return D.fact("rate-low", x="X(n)", a="act(n)"), D.fact("rate-high", x="X(n)", a="act(n)")


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
    largest = D.linear("0 <= lmax", D.fact("lmin"), *_rates(D))
    wait = D.integral(D.known("exp", f"-{RATE}*s"), "s", "rem(n)")
    rate = D.times(_rates(D)[1], wait)

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
    largest = D.linear("0 <= lmax", D.fact("lmin"), *_rates(D))
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
    zero = D.mp(D.known("antisymmetric", f"E(Ind({_ENDLESS}), n)", "0"), theorems.both(high, low))
    return theorems.both(markov, zero)


# --- sec:introduction/unbounded -----------------------------------------------------------------

_SHARE = "(1 - exp(-lmin*{h}))"
_POWER = f"exp(m*log{_SHARE})"
_LONG = "E(Ind(m <= hops(n, m)), n)"
_FIRST = _POWER.format(h="H/m")
UNBOUNDED = f"Imp(And(1 <= m, rem(n) == H), And(0 < {_FIRST}, {_FIRST} <= {_LONG}))"


def _soon(D: Derivation) -> Theorem:
    """0 < h, h <= rem(n) ⊢ 1 - exp(-λmin h) <= P(jump within h)."""
    low, _ = _rates(D)
    inside = D.instantiate(D.fact("shorter"), "gf", "s", f"exp(-{RATE}*s)")
    inside = D.scaled(D.mp(D.at(inside, t="h", u="rem(n)"), D.assume("h <= rem(n)")), RATE)
    positive = D.assume("0 < h")
    area = D.closed(D.primitive("s", "h", f"-exp(-{RATE}*s)"), positive)
    faster = decays(D, D.linear(f"lmin*h <= {RATE}*h", D.times(low, positive)))
    goal = f"{_SHARE.format(h='h')} <= E(jump(n)*Ind(spent(n) <= h), n)"
    return D.linear(goal, law(D, "Ind(s <= h)"), inside, area, faster)


def _one_more(D: Derivation, before: Theorem) -> Theorem:
    """(m + 1) h <= rem(n), 0 < h ⊢ the step of the induction."""
    power, quick = _POWER.format(h="h"), "Ind(spent(n) <= h)"
    later = "E(Ind(m <= hops(n + 1, m)), n + 1)"
    room = D.assume("(m + 1)*h <= rem(n)")
    nothing = D.mean(D.whole("Ind(m <= hops(n + 1, m))"), "n + 1")
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

    return D.mean(by_jump(D, left_over), "n"), nothing


def unbounded(D: Derivation) -> Theorem:
    """With probability at least (1 - exp(-λmin H/m))^m the next m sojourns all end with a jump."""
    share, power = _SHARE.format(h="h"), _POWER.format(h="h")
    positive = D.assume("0 < h")
    load = product(D, D.fact("lmin"), positive)
    less = D.pointwise("exp(-d) < 1", "d > 0", d="lmin*h")
    some = D.linear(f"0 < {share}", theorems.cut(load, less))
    grows = D.scaled(D.mp(D.known("log", share), some), power)
    before_jump = D.times(D.linear("0 <= h", positive), D.whole("m"))

    def step(before: Theorem) -> Theorem:
        later, _ = _one_more(D, before)
        count = by_jump(
            D,
            lambda values, _: D.decide(
                "jump(n)*Ind(spent(n) <= h)*Ind(m <= hops(n + 1, m)) <= Ind(m + 1 <= hops(n, m + 1))",
                ["m <= hops(n + 1, m)", "spent(n) <= h", "m + 1 <= hops(n, m + 1)"],
                D.fact("hops-step"),
                *values,
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
    found = D.special(theorems.unsure(D.induction("m", says, _for_all(D, first), step)), "n")
    return found
