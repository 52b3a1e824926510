r"""Integration by parts for a function that rises, in the form of an inequality.

Let G, H be the integrals of g, h from 0, G <= H on [0, t], :math:`|h - g| \le c`, f rising with f(0) >= 0.
Then :math:`\int_0^tg(s)f(t-s)\,ds \le \int_0^th(s)f(t-s)\,ds`.  No Stieltjes integral is needed.  For a step
d > 0 and :math:`f_k = f(t-kd)`, :math:`D = H - G`, by induction over k as long as kd <= t,

.. math:: f_k\,D(kd) \le \int_0^{kd}(h-g)(s)f(t-s)\,ds + c\,d\,(f(t)-f_k) :

between kd and (k+1)d replacing f(t-s) by :math:`f_k` costs at most :math:`c\,d\,(f_k-f_{k+1})`, which
telescopes, and :math:`f_{k+1} \le f_k`.  With d = t/n the last term is :math:`ct(f(t)-f(0))/n`.
"""

from __future__ import annotations

from proofs_checks.derivations.nearby import chain, modulus
from proofs_checks.derivations.operators import part
from verify.kernel import calculus, theorems
from verify.kernel.authoring import Derivation
from verify.kernel.theorems import Theorem

_GAP = "gh({0}) - gg({0})"
NEAR = f"All(s, Imp(And(0 <= s, s <= t), Abs({_GAP.format('s')}) <= c))"
BELOW = "All(s, Imp(And(0 <= s, s <= t), Int(u, s, gg(u)) <= Int(u, s, gh(u))))"
RISES = "All(s, All(u, Imp(And(0 <= s, s <= u, u <= t), gf(s) <= gf(u))))"
_CONDITIONS = ("0 <= t", NEAR, BELOW, RISES, "0 <= gf(0)")
BY_PARTS = chain("Int(s, t, gg(s)*gf(t - s)) <= Int(s, t, gh(s)*gf(t - s))", *_CONDITIONS)


def _mass(end: str) -> str:
    """D."""
    return f"(Int(s, {end}, gh(s)) - Int(s, {end}, gg(s)))"


def _moment(end: str) -> str:
    """∫ (h - g) f(t - s) ds."""
    return f"(Int(s, {end}, gh(s)*gf(t - s)) - Int(s, {end}, gg(s)*gf(t - s)))"


def _f(k: str) -> str:
    return f"gf(t - {k}*d)"


_STEPS = "And(0 <= d, k*d <= t)"
_SUMS = f"Imp({_STEPS}, {_f('k')}*{_mass('k*d')} <= {_moment('k*d')} + c*d*(gf(t) - {_f('k')}))"


def _rises(D: Derivation, low: str, high: str, *facts: Theorem) -> Theorem:
    """f(low) <= f(high), where 0 <= low <= high <= t follows from the facts."""
    goals = (f"0 <= {low}", f"{low} <= {high}", f"{high} <= t")
    order = theorems.both(*(D.linear(one, *facts) for one in goals))
    return D.mp(D.special(D.assume(RISES), low, high), order)


def _bounded(D: Derivation, *facts: Theorem) -> list[Theorem]:
    """|h(s) - g(s)| <= c, where 0 <= s <= t follows from the facts."""
    gap = _GAP.format("s")
    inside = theorems.both(D.linear("0 <= s", *facts), D.linear("s <= t", *facts))
    return [D.mp(D.special(D.assume(NEAR), "s"), inside), D.known("abs", gap), D.known("abs-", gap)]


def _start(D: Derivation) -> Theorem:
    """The sums at k = 0: integrals over [0, 0] are 0."""
    begin, s0, s1 = D.assume("0 <= t"), D.assume("0 <= s"), D.assume("s <= 0")
    facts = [begin, s0, s1]
    near = _bounded(D, *facts)
    size = D.linear("0 <= c", *near)
    low = D.linear("0 <= gf(t - s)", D.assume("0 <= gf(0)"), _rises(D, "0", "t - s", *facts))
    high = D.times(_rises(D, "t - s", "t", *facts), size)
    scaled = [D.times(D.linear(f"{sign}({_GAP.format('s')}) <= c", *near), low) for sign in ("", "-")]
    moments = [
        D.integral(D.linear(f"{sign}({_GAP.format('s')})*gf(t - s) <= c*gf(t)", one, high), "s", "0")
        for sign, one in zip(("", "-"), scaled, strict=True)
    ]
    masses = [D.integral(D.linear(f"{sign}({_GAP.format('s')}) <= c", *near), "s", "0") for sign in ("", "-")]
    nothing = D.closed(D.primitive("s", "0", "s"))
    zero = [
        modulus(D, of, "0", *bounds, D.scaled(nothing, by))
        for of, bounds, by in ((_mass("0"), masses, "c"), (_moment("0"), moments, "c*gf(t)"))
    ]
    equal = []
    for one, of in zip(zero, (_mass("0"), _moment("0")), strict=True):
        sides = [
            D.linear(f"{of} <= 0", one, D.known("abs", of)),
            D.linear(f"0 <= {of}", one, D.known("abs-", of)),
        ]
        equal.append(D.mp(D.known("antisymmetric", of, "0"), theorems.both(*sides)))
    goal = f"gf(t)*{_mass('0')} <= {_moment('0')} + c*d*(gf(t) - gf(t))"
    return D.imply(D.linear(goal, D.scaled(equal[0], "gf(t)"), equal[1]), "And(0 <= d, 0 <= t)")


def _one_piece(D: Derivation) -> Theorem:
    """From kd to (k + 1)d: f_k (D((k+1)d) - D(kd)) <= ∫ (h - g)f(t - s) ds + c d (f_k - f_{k+1})."""
    step, after = D.assume("0 <= d"), D.assume("(k + 1)*d <= t")
    ahead, s0, s1 = D.times(step, D.whole("k")), D.assume("0 <= s"), D.assume("s <= (k + 1)*d")
    later, past = D.linear("k*d <= (k + 1)*d", step), "Ind(s <= k*d)"
    facts = [step, after, ahead, s0, s1]
    drop = f"c*({_f('k')} - {_f('(k + 1)')})"
    gap = f"({_GAP.format('s')})"
    goal = f"(1 - {past})*{gap}*{_f('k')} <= (1 - {past})*({gap}*gf(t - s) + {drop})"

    def between(beyond: Theorem) -> Theorem:
        here = [*facts, D.linear("k*d <= s", beyond)]
        near = _bounded(D, *here)
        low, high = _rises(D, "t - s", "t - k*d", *here), _rises(D, "t - (k + 1)*d", "t - s", *here)
        rest = D.linear(f"0 <= {_f('k')} - gf(t - s)", low)
        one = D.times(D.linear(f"{_GAP.format('s')} <= c", *near), rest)
        two = D.times(high, D.linear("0 <= c", *near))
        return D.by_value(goal, [D.fails("s <= k*d")], one, two)

    piece = D.cases("s <= k*d", lambda _: D.by_value(goal, [D.holds("s <= k*d")]), between)
    whole = D.integral(piece, "s", "(k + 1)*d")
    cuts = []
    for name in ("gh", "gg"):
        one, other = _cut(D, f"{name}(s)", later), _cut(D, f"{name}(s)*gf(t - s)", later)
        cuts += [D.scaled(one, _f("k")), other]
    length = [_cut(D, "1", later), D.closed(D.primitive("s", "k*d", "s"), ahead)]
    length.append(D.closed(D.primitive("s", "(k + 1)*d", "s"), D.linear("0 <= (k + 1)*d", ahead, step)))
    cuts += [D.scaled(one, drop) for one in length]
    between_masses = f"{_f('k')}*({_mass('(k + 1)*d')} - {_mass('k*d')})"
    more = f"{_moment('(k + 1)*d')} - {_moment('k*d')} + d*{drop}"
    return D.linear(f"{between_masses} <= {more}", whole, *cuts)


def _cut(D: Derivation, body: str, later: Theorem) -> Theorem:
    """∫ over [0, kd] as one over [0, (k + 1)d]."""
    return D.mp(D.instantiate(D.fact("shorter", t="k*d", u="(k + 1)*d"), "gf", "s", body), later)


def _next(D: Derivation, before: Theorem) -> Theorem:
    """The sums at k + 1."""
    condition = D.assume("And(0 <= d, (k + 1)*d <= t)")
    step, after = part(D, condition, "0 <= d"), part(D, condition, "(k + 1)*d <= t")
    ahead = D.times(step, D.whole("k"))
    facts = [step, after, ahead]
    so_far = D.mp(before, theorems.both(step, D.linear("k*d <= t", *facts)))
    falls = _rises(D, "t - (k + 1)*d", "t - k*d", *facts)
    inside = theorems.both(D.linear("0 <= (k + 1)*d", *facts), after)
    mass = D.mp(D.special(D.assume(BELOW), "(k + 1)*d"), inside)
    kept = D.times(falls, D.linear(f"0 <= {_mass('(k + 1)*d')}", mass))
    piece = theorems.cut(after, theorems.cut(step, _one_piece(D)))
    f, d = _f("(k + 1)"), _mass("(k + 1)*d")
    goal = f"{f}*{d} <= {_moment('(k + 1)*d')} + c*d*(gf(t) - {f})"
    return theorems.discharge(condition.says, D.linear(goal, so_far, piece, kept))


def by_parts(D: Derivation) -> Theorem:
    """∫ g f(t - s) ds <= ∫ h f(t - s) ds."""
    sums = D.induction("k", _SUMS, _start(D), lambda before: _next(D, before))
    begin = D.assume("0 <= t")
    below = D.mp(D.special(D.assume(BELOW), "t"), theorems.both(begin, D.linear("t <= t")))
    first = D.times(D.linear(f"0 <= {_mass('t')}", below), D.assume("0 <= gf(0)"))
    goal = f"n*({_moment('t')}*-1) <= c*t*(gf(t) - gf(0))"

    def many(positive: Theorem) -> Theorem:
        one = D.positive("inverse", "n", positive)
        share = D.times(begin, D.positive("inverse-positive", "n", positive))
        whole_time = D.scaled(one, "t")
        at = D.at(sums, k="n", d="t*(1/n)")
        exact = D.linear("n*(t*(1/n)) == t", whole_time)
        sum_at = f"gf(t - v)*{_mass('v')} <= {_moment('v')} + c*(t/n)*(gf(t) - gf(t - v))"
        at = D.rewrite(exact, at, "v", f"Imp(And(0 <= t/n, v <= t), {sum_at})")
        last = D.mp(at, theorems.both(share, D.linear("t <= t")))
        return D.linear(
            goal,
            D.times(last, D.whole("n")),
            D.times(first, D.whole("n")),
            D.scaled(exact, "c*(gf(t) - gf(0))"),
        )

    def none(few: Theorem) -> Theorem:
        zero = D.mp(D.known("antisymmetric", "0", "n"), theorems.both(D.whole("n"), few))
        near = [D.at(one, s="0") for one in _bounded(D, D.assume("0 <= s"), D.assume("s <= t"))]
        near = [D.closed(one, D.linear("0 <= 0"), begin) for one in near]
        rise = D.times(_rises(D, "0", "t", begin), D.linear("0 <= c", *near))
        return D.linear(goal, D.scaled(zero, _moment("t")), D.times(rise, begin))

    found = D.cases("0 < n", many, none)
    end = calculus.archimedes(found, D.variable("n"))
    return D.imply(D.linear("Int(s, t, gg(s)*gf(t - s)) <= Int(s, t, gh(s)*gf(t - s))", end), *_CONDITIONS)


THEOREMS = {"lem:optimism/opposite/by-parts": BY_PARTS}
