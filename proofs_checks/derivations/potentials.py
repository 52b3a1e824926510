"""Sums over the decisions of an episode, by potentials: what an episode costs is seen when it begins.

``g`` is *frozen* if it stays while the episode goes on.  The mean number of decisions of an episode is at
most 1 + lmax H, whatever is frozen: with Ψ(n) = g(n) (1 + lmax rem(n)) it is
g(n) + E(jump(n) Ψ(n + 1), n) <= Ψ(n).  That of jumps is one less.
"""

from __future__ import annotations

from proofs_checks.derivations.counting import steps_of_order
from proofs_checks.derivations.runs import RATE, by_jump, equal, law, remaining, start
from verify.kernel import terms, theorems
from verify.kernel.authoring import Derivation
from verify.kernel.calculus import Operator
from verify.kernel.theorems import Theorem

NONNEGATIVE = "All(n, 0 <= gM(n))"
FROZEN = "All(n, Imp(jump(n) == 1, gM(n + 1) == gM(n)))"


def _few(seen: str, size: str) -> str:
    return f"E(Sum(n, m, {seen}*gM(n))) <= {size.format(u='H')}*E(Sum(n, m, new(n)*gM(n)))"


DECISIONS, JUMPS = (
    f"Imp(Sure({NONNEGATIVE}), Imp(Sure({FROZEN}), {_few(*one)}))"
    for one in (("1", "(1 + lmax*{u})"), ("jump(n)", "lmax*{u}"))
)
EPISODES = "Imp(All(k, 0 <= gx(k)), Sum(n, m, Ind(ep(n) + 1 <= K)*new(n)*gx(ep(n))) <= Sum(k, K, gx(k)))"


def stays(D: Derivation, term: str, *facts: str) -> Theorem:
    """Sure(All(n, Imp(jump(n) == 1, term(n + 1) == term(n)))), by facts of the setting."""
    here = D.term(term)
    after = terms.substitute(here, {D.variable("n"): D.term("n + 1")})
    goes_on = D.assume("jump(n) == 1")
    same = D.by_value(terms.relation("==", after, here), [D.mp(D.fact(name), goes_on) for name in facts])
    return theorems.sure(D.all(D.imply(same, "jump(n) == 1"), "n"))


def first_ones(D: Derivation) -> Theorem:
    """new(n) <= 1."""
    first = D.linear("new(0) <= 1", start(D, "new(0) == 1"))
    return D.induction(
        "n", "new(n) <= 1", first, lambda _: D.linear("new(n + 1) <= 1", D.fact("new"), D.whole("jump(n)"))
    )


def rate_bound(D: Derivation) -> Theorem:
    """0 < lmax."""
    return D.fact("lmax")


def few_follow(D: Derivation) -> Theorem:
    """E(jump(n) (1 + lmax (rem(n) - spent(n))), n) <= lmax rem(n)."""
    low, _ = remaining(D)
    follow = "1 + lmax*(rem(n) - s)"
    parts = D.closed(D.primitive("s", "rem(n)", f"-exp(-{RATE}*s)*({follow})"), low)
    wait = D.closed(D.primitive("s", "rem(n)", f"-exp(-{RATE}*s)"), low)
    area = D.integral(D.known("exp", f"-{RATE}*s"), "s", "rem(n)")
    faster = D.times(D.fact("rate-high", x="X(n)", a="act(n)"), area)
    goal = "E(jump(n)*(1 + lmax*(rem(n) - spent(n))), n) <= lmax*rem(n)"
    return D.linear(goal, law(D, follow), parts, wait, faster)


def decisions(D: Derivation) -> Theorem:
    """E Σ g(n) <= (1 + lmax H) E Σ new(n) g(n), by g(n) (1 + lmax rem(n))."""
    return _seen(D, "1", "(1 + lmax*{u})")


def jumps(D: Derivation) -> Theorem:
    """E Σ jump(n) g(n) <= lmax H E Σ new(n) g(n), by g(n) lmax rem(n)."""
    return _seen(D, "jump(n)", "lmax*{u}")


def _seen(D: Derivation, seen: str, size: str) -> Theorem:
    """E Σ seen g(n) <= size(H) E Σ new(n) g(n); the size of the remaining time."""
    nonnegative, frozen = D.special(D.surely(NONNEGATIVE), "n"), D.special(D.surely(FROZEN), "n")
    psi = f"gM({{n}})*{size.format(u='rem({n})')}"
    here, after = psi.format(n="n"), psi.format(n="n + 1")
    goal = f"jump(n)*{after} <= gM(n)*(jump(n)*{size.format(u='(rem(n) - spent(n))')})"
    same = by_jump(
        D,
        lambda case, stays: D.by_value(goal, [*case, *([D.mp(frozen, case[0])] if stays else [])]),
    )
    step = D.linear(
        f"E({seen}*gM(n), n) + E(jump(n)*{after}, n) <= {here}",
        D.mean(same, "n"),
        D.times(few_follow(D), nonnegative),
    )
    step = D.mean(step)
    later = "E((1 - new({m}))*" + psi.format(n="{m}") + ")"

    def claim(m: str) -> str:
        return f"Sum(n, {m}, E({seen}*gM(n))) + {later.format(m=m)} <= Sum(n, {m}, E(new(n)*{here}))"

    first = D.mean(D.by_value(f"(1 - new(0))*{psi.format(n='0')} <= 0", [start(D, "new(0) == 1")]))
    again = D.mean(D.scaled(D.fact("new", n="m"), psi.format(n="m + 1")))
    total = D.induction(
        "m",
        claim("m"),
        D.linear(claim("0"), first),
        lambda below: D.linear(claim("m + 1"), below, D.at(step, n="m"), again),
    )
    low, high = remaining(D)
    signs = D.linear("0 <= 1 - new(m)", D.at(first_ones(D), n="m"))
    value = D.times(low, rate_bound(D))
    size_sign = D.linear(f"0 <= {size.format(u='rem(n)')}", value)
    left = D.mean(D.times(D.times(D.at(size_sign, n="m"), D.at(nonnegative, n="m")), signs))
    longest = D.times(D.times(D.times(high, rate_bound(D)), nonnegative), D.whole("new(n)"))
    whole = D.sum(D.mean(longest), "n", "m")
    goal = _few(seen, size)
    return D.imply(D.linear(goal, total, left, whole), f"Sure({NONNEGATIVE})", f"Sure({FROZEN})")


def picked(D: Derivation) -> Theorem:
    """Sum(k, m, Ind(i == k)*gx(k)) == Ind(i + 1 <= m)*gx(i)."""

    def claim(m: str) -> str:
        return f"Sum(k, {m}, Ind(i == k)*gx(k)) == Ind(i + 1 <= {m})*gx(i)"

    first = D.decide(claim("0"), ["i + 1 <= 0"], D.whole("i"))
    order = D.scaled(D.at(steps_of_order(D), k="m", l="i"), "gx(i)")

    def same(value: Theorem) -> Theorem:
        there = D.rewrite(value, D.linear("gx(i) == gx(i)"), "k", "gx(i) == gx(k)")
        return D.by_value("Ind(i == m)*gx(m) == Ind(i == m)*gx(i)", [D.holds("i == m")], there)

    other = D.cases(
        "i == m", same, lambda _: D.by_value("Ind(i == m)*gx(m) == Ind(i == m)*gx(i)", [D.fails("i == m")])
    )
    return D.induction("m", claim("m"), first, lambda below: D.linear(claim("m + 1"), below, order, other))


def begins_once(D: Derivation) -> Theorem:
    """Sum(n, m, new(n)*Ind(ep(n) == k)) <= 1."""

    def claim(m: str) -> str:
        return f"Sum(n, {m}, new(n)*Ind(ep(n) == k)) <= Ind(k + new({m}) <= ep({m}))"

    order = D.at(steps_of_order(D), k="ep(m)", l="k")

    def step(below: Theorem) -> Theorem:
        def by_new(assumed: Theorem) -> Theorem:
            zero = assumed.says is D.formula("new(m) <= 0")
            value = (
                equal(D, assumed, D.whole("new(m)"))
                if zero
                else equal(D, D.at(first_ones(D), n="m"), assumed)
            )
            return by_jump(
                D,
                lambda case, _: D.by_value(
                    claim("m + 1"), [D.fact("new", n="m"), *case, value], below, order
                ),
                at="m",
            )

        return D.split(D.known("discrete", "new(m)", "0"), by_new, by_new)

    first = D.linear(claim("0"), D.whole("Ind(k + new(0) <= ep(0))"))
    total = D.induction("m", claim("m"), first, step)
    return D.linear("Sum(n, m, new(n)*Ind(ep(n) == k)) <= 1", total, D.indicator("k + new(m) <= ep(m)")[1])


def episodes(D: Derivation) -> Theorem:
    """Σ over n < m of Ind(ep(n) < K) new(n) gx(ep(n)) <= Σ over k < K of gx(k)."""
    sign = D.special(D.assume("All(k, 0 <= gx(k))"), "k")
    here = D.sum(D.scaled(D.at(picked(D), m="K", i="ep(n)"), "new(n)"), "n", "m")
    run, episode = (
        Operator("Sum", D.variable("n"), D.term("m")),
        Operator("Sum", D.variable("k"), D.term("K")),
    )
    turned = D.exchange(run, episode, "new(n)*Ind(ep(n) == k)*gx(k)")
    each = D.sum(D.times(begins_once(D), sign), "k", "K")
    goal = "Sum(n, m, Ind(ep(n) + 1 <= K)*new(n)*gx(ep(n))) <= Sum(k, K, gx(k))"
    return D.imply(D.linear(goal, here, turned, each), "All(k, 0 <= gx(k))")
