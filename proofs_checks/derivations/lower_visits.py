r"""How often an algorithm finds the pair of an instance: Pinsker's inequality without divergences of laws.

For a likelihood x = exp(v) with mean 1 and any c > 0, pointwise,

.. math:: (x - 1)^+ \le G = \frac{x-1}2 + \frac{c\,(2+4x)}{12} + \frac{x-1-v}{4c},

because 3 (1 - x)² <= (2 + 4x)(x - 1 - v). The mean of G is c/2 + E[-v]/(4c). What an episode has in store
is independent of what was seen before, so in instance (z, b) the pair is found with at most E G more of
it than in the reference; there the pairs share it.
"""

from __future__ import annotations

from proofs_checks.derivations.lower_cases import by_value, off, on, settle
from proofs_checks.derivations.lower_measure import COIN
from proofs_checks.derivations.lower_run import not_negative, stored
from proofs_checks.derivations.lower_setting import PAIR
from proofs_checks.derivations.lower_tree import count_of_pairs, some_pairs
from verify.kernel import calculus, terms, theorems
from verify.kernel.authoring import Derivation
from verify.kernel.calculus import Operator
from verify.kernel.language import show
from verify.kernel.theorems import Theorem

_PAID = "Ind(ep({0}) == k)*Ind(ht(X({0})) == 1)*er(1, rem({0}))"
_MINE = PAIR.replace("{n}", "{0}")
EXCESS_X = "exp(lk({0}, k, z, b))"
EXCESS = f"(({EXCESS_X} - 1)/2 + c*(2 + 4*{EXCESS_X})/12 + ({EXCESS_X} - 1 - lk({{0}}, k, z, b))/(4*c))"
_FOUND = f"Sum(i, n, E({_PAID.format('i')}*{_MINE.format('i')}*exp(l(i, z, b))))"
_THERE = f"Sum(i, n, E({_PAID.format('i')}*{_MINE.format('i')}))"
FOUND = f"Imp(And(ht(z) == 1, 0 < c), {_FOUND} <= {_THERE} + er(d, H)*(c/2 + {COIN}*E(T(n, k, z, b))/(4*c)))"
_BOUND = f"{_THERE} + er(d, H)*(c/2 + {COIN}*E(T(n, k, z, b))/(4*c))"
_PAIRS = f"SumOver(z, SumOver(b, Ind(ht(z) == 1)*{_FOUND}))"
ALL_FOUND = f"{_PAIRS} <= er(d, H)*(1 + sqrt(L*A*{COIN}/2)*sqrt(k))"


def found(D: Derivation) -> Theorem:
    """What episode k has in store where it decides (z, b), in instance (z, b) and in the reference."""
    leaf, positive = D.assume("ht(z) == 1"), D.assume("0 < c")
    above, zero = pinsker(D, positive)
    core = settle(
        D,
        f"{_MINE.format('n')}*{EXCESS_X.format('n')} <= {_MINE.format('n')} + {EXCESS.format('n')}",
        ["X(n) == z", "act(n) == b"],
        above,
        zero,
    )
    weighed = D.times(core, stored(D, "1"))
    same = D.mp(D.lemma("thm:lowerbound/same"), leaf)
    mine = f"{_PAID.format('n')}*{_MINE.format('n')}"
    more = f"{mine} + {_PAID.format('n')}*{EXCESS.format('n')}"
    here = settle(D, f"{mine}*{EXCESS_X.format('n')} <= {more}", ["ep(n) == k", "ht(X(n)) == 1"], weighed)
    equal = D.scaled(same, f"er(1, rem(n))*{_MINE.format('n')}")
    path = D.linear(f"{mine}*exp(l(n, z, b)) <= {more}", here, equal)
    total = D.sum(D.mean(D.at(path, n="i")), "i", "n")
    share = _share(D, zero)
    bound = D.linear(f"{_FOUND} <= {_BOUND}", total, share)
    for one in (leaf, positive):
        bound = theorems.cut(theorems.part(D.assume("And(ht(z) == 1, 0 < c)"), one.says), bound)
    return D.imply(bound, "And(ht(z) == 1, 0 < c)")


def pinsker(D: Derivation, positive: Theorem) -> tuple[Theorem, Theorem]:
    """X - 1 <= G and 0 <= G."""
    v, x = "lk(n, k, z, b)", EXCESS_X.format("n")
    a, w = f"(2 + 4*{x})", f"({x} - 1 - {v})"
    size = D.linear(f"0 < {a}", D.known("exp", v))
    below = D.pointwise("3*(1 - exp(v))**2 <= (2 + 4*exp(v))*(exp(v) - 1 - v)", v=v)
    up, down = (_tangent(D, u, a, w, positive, size, below) for u in (f"({x} - 1)", f"(1 - {x})"))
    g = EXCESS.format("n")
    return D.linear(f"{x} - 1 <= {g}", up), D.linear(f"0 <= {g}", down)


def _tangent(
    D: Derivation,
    u: str,
    a: str,
    w: str,
    positive: Theorem,
    size: Theorem,
    below: Theorem,
) -> Theorem:
    """2 u <= c a/3 + w/c from 3 u² <= a w: the square of c a/3 - u is not negative."""
    square = D.known("square", f"c*{a}/3 - {u}")
    product = D.linear(f"2*c*{a}*{u}/3 <= {a}*(c**2*{a}/9 + {w}/3)", square, below)
    once = D.times(product, D.linear(f"0 <= 1/{a}", D.positive("inverse-positive", a, size)))
    whole = D.positive("inverse", a, size)
    halved = D.linear(
        f"2*c*{u}/3 <= c**2*{a}/9 + {w}/3",
        once,
        D.scaled(whole, f"2*c*{u}/3"),
        D.scaled(whole, f"c**2*{a}/9 + {w}/3"),
    )
    again = D.times(halved, D.linear("0 <= 1/c", D.positive("inverse-positive", "c", positive)))
    unit = D.positive("inverse", "c", positive)
    return D.linear(f"2*{u} <= c*{a}/3 + {w}/c", again, D.scaled(unit, f"2*{u}"), D.scaled(unit, f"c*{a}"))


def _share(D: Derivation, zero: Theorem) -> Theorem:
    """What the episode has in store, times G."""
    leaves = D.instantiate(D.lemma("thm:lowerbound/store"), "gM", "n", EXCESS.format("n"))
    still = D.imply(_still(D), "k <= ep(n)")
    paid = D.mp(leaves, theorems.sure(D.all(zero, "n")), theorems.sure(D.all(still, "n")))
    part = settle(D, f"Ind(k <= ep(n))*{EXCESS.format('n')} <= {EXCESS.format('n')}", ["k <= ep(n)"], zero)
    whole = D.special(D.at(not_negative(D), h="d"), "H")
    store = D.mp(whole, D.linear("0 <= H", D.fact("horizon")))
    above = D.times(D.mean(part), store)
    most = f"er(d, H)*(c/2 + {COIN}*E(T(n, k, z, b))/(4*c))"
    says = f"Sum(i, n, E({_PAID.format('i')}*{EXCESS.format('i')})) <= {most}"
    return D.linear(says, paid, above, D.times(mean_of_excess(D), store))


def mean_of_excess(D: Derivation) -> Theorem:
    """E G, given ht(z) == 1."""
    law = D.mp(D.lemma("thm:lowerbound/divergence/repaired"), D.assume("ht(z) == 1"))
    one, two = (
        theorems.part(law, D.formula(f))
        for f in (f"E({EXCESS_X.format('n')}) == 1", f"E(-lk(n, k, z, b)) == {COIN}*E(T(n, k, z, b))")
    )
    return D.linear(
        f"E({EXCESS.format('n')}) == c/2 + {COIN}*E(T(n, k, z, b))/(4*c)",
        one, D.scaled(one, "c"), D.scaled(one, "1/c"), D.scaled(two, "1/c"),
    )  # fmt: skip


def _still(D: Derivation) -> Theorem:
    """G does not change in episode k and later."""
    later = D.assume("k <= ep(n)")
    return by_value(
        D,
        f"{EXCESS.format('n + 1')} == {EXCESS.format('n')}",
        [D.fact("lk-step"), off(D, D.linear("k < ep(n) + 1", later))],
    )


def all_found(D: Derivation) -> Theorem:
    """The same for all pairs together: the best c is proportional to the root of k."""
    coin = coin_positive(D)
    any_c = _any_c(D, coin)

    def case(e: Theorem) -> Theorem:
        if e.says is not D.formula("k <= 0"):
            return best(D, any_c, coin, D.linear("0 < k", e), ALL_FOUND, "er(d, H)")
        zero = D.mp(D.known("antisymmetric", "k", "0"), theorems.both(e, D.whole("k")))
        return by_value(D, ALL_FOUND, [zero], _early(D, any_c))

    return D.split(D.known("discrete", "k", "0"), case, case)


def coin_positive(D: Derivation) -> Theorem:
    """0 < kl(1/2, 1/2 + D)."""
    low, high = (theorems.part(D.fact("gap"), D.formula(part)) for part in ("0 < D", "D < 1/2"))
    above = D.pointwise("-log(1 + 2*x)/2 - log(1 - 2*x)/2 >= 2*x**2", "0 < x < 1/2", x="D")
    square = calculus.combine(D.setting, D.formula("0 < D**2"), [low, low], [(D.term("D"), 1), terms.ZERO])
    return D.linear(
        f"0 < {COIN}",
        D.closed(above, low, high, D.linear("0 < 1 + 2*D", low), D.linear("0 < 1 - 2*D", high)),
        square,
    )


def _any_c(D: Derivation, coin: Theorem) -> Theorem:
    """The sum over the pairs, for any c > 0."""
    positive = D.assume("0 < c")
    whole = D.special(D.at(not_negative(D), h="d"), "H")
    store = D.mp(whole, D.linear("0 <= H", D.fact("horizon")))

    def leaf(yes: Theorem) -> Theorem:
        mine = D.mp(D.lemma("thm:lowerbound/found"), theorems.both(yes, positive))
        return by_value(D, f"Ind(ht(z) == 1)*{_FOUND} <= Ind(ht(z) == 1)*({_BOUND})", [on(D, yes)], mine)

    def other(no: Theorem) -> Theorem:
        return by_value(D, f"Ind(ht(z) == 1)*{_FOUND} <= Ind(ht(z) == 1)*({_BOUND})", [off(D, no)])

    total = over_pairs(D, D.cases("ht(z) == 1", leaf, other))
    pairs = D.scaled(count_of_pairs(D), "er(d, H)*c/2")
    factor = D.times(
        D.linear(f"0 <= {COIN}", coin), D.linear("0 <= 1/c", D.positive("inverse-positive", "c", positive))
    )
    factor = D.linear(f"0 <= er(d, H)*{COIN}/(4*c)", D.times(factor, store))
    seen = D.times(D.mean(D.lemma("thm:lowerbound/seen")), factor)
    says = f"{_PAIRS} <= er(d, H)*(1 + L*A*c/2 + {COIN}*k/(4*c))"
    return D.linear(says, total, _shared(D, store), pairs, seen)


def over_pairs(D: Derivation, theorem: Theorem) -> Theorem:
    """Summed over all states z and actions b."""
    return D.over(D.over(theorem, "b"), "z")


def _shared(D: Derivation, store: Theorem) -> Theorem:
    """In the reference the pairs share what an episode has in store."""
    paid, leaf = _PAID.format("i"), "Ind(ht(z) == 1)"
    vis = D.fact("vis", n="i")
    one = D.mean(D.scaled(over_pairs(D, D.scaled(vis, leaf)), paid))
    same = over_pairs(D, D.scaled(D.sum(D.mean(D.scaled(vis, paid)), "i", "n"), leaf))
    i, b, z = (
        Operator("Sum", D.variable("i"), D.term("n")),
        *(Operator("SumOver", D.variable(v)) for v in "bz"),
    )
    body = f"E({paid}*vis(i, z, b))"
    inner = D.over(D.scaled(D.exchange(b, i, body), leaf), "z")
    outer = D.exchange(z, i, f"{leaf}*SumOver(b, {body})")
    leaves = D.instantiate(D.lemma("thm:lowerbound/store"), "gM", "n", "1")
    trivial = D.linear("0 <= 1"), D.imply(D.linear("1 == 1"), "k <= ep(n)")
    paid_in_all = D.mp(leaves, *(theorems.sure(D.all(fact, "n")) for fact in trivial))
    most = D.times(D.mean(D.indicator("k <= ep(n)")[1]), store)
    return D.linear(
        f"SumOver(z, SumOver(b, {leaf}*{_THERE})) <= er(d, H)",
        same,
        inner,
        outer,
        D.sum(one, "i", "n"),
        paid_in_all,
        most,
    )


def _early(D: Derivation, any_c: Theorem) -> Theorem:
    """Before anything was seen: c as small as may be."""
    count = D.linear("0 < m + 1", D.whole("m"))
    first = D.closed(D.at(any_c, k="0", c="1/(m + 1)"), D.positive("inverse-positive", "m + 1", count))
    scaled = D.times(first, D.linear("0 <= m + 1", D.whole("m")))
    unit = D.scaled(D.positive("inverse", "m + 1", count), "er(d, H)*L*A/2")
    more = terms.sub(first.says.parts[0], D.term("er(d, H)"))
    rest = terms.sub(D.term("er(d, H)*L*A/2"), more)
    small = D.linear(terms.relation("<=", terms.mul(D.term("m"), more), rest), scaled, unit)
    return calculus.archimedes(small, D.variable("m"))


def best(D: Derivation, any_c: Theorem, coin: Theorem, time: Theorem, goal: str, factor: str) -> Theorem:
    """Factor (1 + √(n kl/2) √k), from factor (1 + n c/2 + kl k/(4c)) for every c > 0."""
    k = time.says.parts[1]
    some = some_pairs(D)
    r, e, n = f"sqrt(L*A*{COIN}/2)", f"sqrt({show(k)})", "(L*A)"
    under = D.linear(f"0 < L*A*{COIN}/2", product(D, some, coin))
    roots = [root_positive(D, inside) for inside in (under, time)]
    c = product(D, product(D, *roots), D.positive("inverse-positive", n, some))
    bound = D.closed(D.at(any_c, c=f"{r}*{e}/{n}"), c)
    unit_r, unit_e, unit_n = (
        D.positive("inverse", u, sign) for u, sign in ((r, roots[0]), (e, roots[1]), (n, some))
    )
    square_r = D.positive("sqrt-square", f"L*A*{COIN}/2", D.linear(f"0 <= L*A*{COIN}/2", under))
    square_e = D.positive("sqrt-square", k, D.whole(k))
    steps = [
        D.scaled(square_r, f"{show(k)}/({r}*{e})/2"),
        D.scaled(unit_r, f"{r}*{show(k)}/{e}/2"),
        D.scaled(square_e, f"{r}/{e}/2"),
        D.scaled(unit_e, f"{r}*{e}/2"),
        D.scaled(unit_n, f"{r}*{e}/2"),
    ]
    return D.linear(goal, bound, *(D.scaled(one, factor) for one in steps))


def product(D: Derivation, one: Theorem, two: Theorem) -> Theorem:
    """0 < u v from 0 < u and 0 < v."""
    u, v = one.says.parts[1], two.says.parts[1]
    goal = terms.relation("<", terms.ZERO, terms.mul(u, v))
    return calculus.combine(D.setting, goal, [one, two], [(v, 1), terms.ZERO])


def root_positive(D: Derivation, inside: Theorem) -> Theorem:
    """0 < sqrt(u) from 0 < u."""
    u = inside.says.parts[1]
    return D.closed(D.pointwise("sqrt(u) > 0", "u > 0", u=u), inside)
