r"""Steps of the printed proof: data processing, and the sum of the visits.

A likelihood exp(l) that is bounded (as that of finitely many seen jumps is) has log u <= -l - 1 + exp(l)
u; with u = E Z/E_j Z where Z counts and v = (1 - E Z)/(1 - E_j Z) where 1 - Z does, the mean is the
inequality.
"""

from __future__ import annotations

from proofs_checks.derivations.lower_bound import by_squares
from proofs_checks.derivations.lower_cases import by_value, off, on, put, settle, towards
from proofs_checks.derivations.lower_measure import COIN
from proofs_checks.derivations.lower_run import jump_or_not, moved, support
from proofs_checks.derivations.lower_setting import PAIR
from proofs_checks.derivations.lower_tree import count_of_pairs, some_pairs
from proofs_checks.derivations.lower_visits import (
    EXCESS,
    EXCESS_X,
    best,
    coin_positive,
    mean_of_excess,
    over_pairs,
    pinsker,
    product,
    root_positive,
)
from proofs_checks.derivations.unions import square_below
from verify.kernel import theorems
from verify.kernel.authoring import Derivation
from verify.kernel.calculus import Operator
from verify.kernel.theorems import Theorem

_BOUNDED = "And(0 <= gZ, gZ <= 1)"
_P, _Q = "E(gZ)", "E(exp(gl)*gZ)"
_PROPER = f"And(E(exp(gl)) == 1, 0 < {_P}, {_P} < 1, 0 < {_Q}, {_Q} < 1)"
_KL = f"{_P}*log({_P}/{_Q}) + (1 - {_P})*log((1 - {_P})/(1 - {_Q}))"
DATA_PROCESSING = f"Imp(Sure({_BOUNDED}), Imp({_PROPER}, {_KL} <= E(-gl)))"

_MINE = PAIR.format(n="i")
_VISITS = f"Sum(i, n, Ind(ep(i) + 1 <= K)*{_MINE})"
_LEAVES = "Sum(i, n, Ind(ep(i) + 1 <= K)*Ind(ht(X(i)) == 1))"
_LIKELY = "exp(lk(n, K, z, b))"
_OWN = f"SumOver(z, SumOver(b, Ind(ht(z) == 1)*E({_LIKELY}*{_VISITS})))"
RUN_ON = (
    f"And(E(exp(lc(n, z, b))) == 1, E(-lc(n, z, b)) == {COIN}*Sum(i, n, E(Ind(pz(i) == z)*Ind(pa(i) == b))))"
)
OWN_VISITS = f"Imp(D <= 1/4, {_OWN} <= K*(1 + sqrt(2)*D*sqrt(L*A*K)))"


def data_processing(D: Derivation) -> Theorem:
    """kl(E Z, E_j Z) <= E(-l)."""
    parts = [theorems.part(D.surely(_BOUNDED), D.formula(f)) for f in ("0 <= gZ", "gZ <= 1")]
    proper = D.assume(_PROPER)
    one, *signs = (theorems.part(proper, D.formula(f)) for f in (
        "E(exp(gl)) == 1", f"0 < {_P}", f"{_P} < 1", f"0 < {_Q}", f"{_Q} < 1",
    ))  # fmt: skip
    shares = []
    for weight, p, q in (("gZ", _P, _Q), ("(1 - gZ)", f"(1 - {_P})", f"(1 - {_Q})")):
        top, bottom = D.linear(f"0 < {p}", *signs), D.linear(f"0 < {q}", *signs)
        ratio = product(D, top, D.positive("inverse-positive", q, bottom))
        tangent = D.closed(D.pointwise("log(u) <= w - 1 + exp(-w)*u", "u > 0", u=f"{p}/{q}", w="-gl"), ratio)
        shares.append(D.times(tangent, D.linear(f"0 <= {weight}", *parts)))
        shares.append(D.scaled(D.positive("inverse", q, bottom), p))
    first, unit, second, other = shares
    total = D.linear(
        f"gZ*log({_P}/{_Q}) + (1 - gZ)*log((1 - {_P})/(1 - {_Q})) <= -gl - 1 + "
        f"exp(gl)*(gZ*{_P}/{_Q} + (1 - gZ)*(1 - {_P})/(1 - {_Q}))", first, second,
    )  # fmt: skip
    rest = D.scaled(one, f"(1 - {_P})/(1 - {_Q})")
    return D.imply(
        D.linear(f"{_KL} <= E(-gl)", D.mean(total), unit, other, rest), f"Sure({_BOUNDED})", _PROPER
    )


def run_on(D: Derivation) -> Theorem:
    """The divergence of chains that run on: every visit is seen."""
    low, high = (theorems.part(D.fact("gap"), D.formula(part)) for part in ("0 < D", "D < 1/2"))
    shares = [
        D.scaled(
            D.mp(D.known("log", f"1 {sign} 2*D"), D.linear(f"0 < 1 {sign} 2*D", low, high)),
            "exp(lc(n, z, b))",
        )
        for sign in "+-"
    ]
    here = "Ind(pz(n) == z)*Ind(pa(n) == b)"
    ratio = settle(
        D, f"exp(lc(n + 1, z, b)) == exp(lc(n, z, b))*(1 + 2*D*{here}*(2*coin(n) - 1))",
        ["coin(n) == 0", "coin(n) == 1", "pz(n) == z", "pa(n) == b"],
        D.fact("coin"), *shares, equations=[D.fact("lc-step")],
    )  # fmt: skip
    fair = D.fact("coin-law")
    still = D.linear(
        "E(exp(lc(n + 1, z, b)), n) == exp(lc(n, z, b))",
        D.mean(ratio, "n"), D.scaled(fair, f"4*D*{here}*exp(lc(n, z, b))"),
    )  # fmt: skip
    mass = D.induction(
        "n",
        "E(exp(lc(n, z, b))) == 1",
        D.mean(by_value(D, "exp(lc(0, z, b)) == 1", [D.fact("lc-0")])),
        lambda below: D.linear("E(exp(lc(n + 1, z, b))) == 1", D.mean(still), below),
    )
    step = D.linear(
        f"E(-lc(n + 1, z, b), n) == -lc(n, z, b) + {COIN}*{here}",
        D.mean(D.fact("lc-step"), "n"), *(D.scaled(fair, f"{here}*log(1 {sign} 2*D)") for sign in "+-"),
    )  # fmt: skip
    count = "Sum(i, n, E(Ind(pz(i) == z)*Ind(pa(i) == b)))"
    information = D.induction(
        "n",
        f"E(-lc(n, z, b)) == {COIN}*{count}",
        D.mean(D.linear("-lc(0, z, b) == 0", D.fact("lc-0"))),
        lambda below: D.linear(f"E(-lc(n + 1, z, b)) == {COIN}*({count} + E({here}))", D.mean(step), below),
    )
    return theorems.both(mass, information)


VISITED = (
    f"Imp(Sure({_BOUNDED}), Imp({_PROPER}, Imp(D <= 1/4, Imp(And(0 <= u, E(-gl) == u*{COIN}), "
    f"{_Q} <= {_P} + sqrt(2)*D*sqrt(u)))))"
)


def visited(D: Derivation) -> Theorem:
    """E_j Z <= E_0 Z + √2 Δ √u: data processing, Pinsker, and the divergence u kl(1/2, 1/2 + Δ)."""
    proper = D.assume(_PROPER)
    signs = [
        theorems.part(proper, D.formula(f)) for f in (f"0 < {_P}", f"{_P} < 1", f"0 < {_Q}", f"{_Q} < 1")
    ]
    below = D.mp(D.lemma("thm:lowerbound/data-processing"), D.assume(f"Sure({_BOUNDED})"), proper)
    ratios = [
        product(
            D, D.linear(f"0 < {p}", *signs), D.positive("inverse-positive", q, D.linear(f"0 < {q}", *signs))
        )
        for p, q in ((_P, _Q), (f"(1 - {_P})", f"(1 - {_Q})"))
    ]
    square = D.closed(D.claim("thm:lowerbound/pinsker", p=_P, q=_Q), *signs, *ratios)
    small, known = D.assume("D <= 1/4"), f"And(0 <= u, E(-gl) == u*{COIN})"
    number, gap = (theorems.part(D.assume(known), D.formula(f)) for f in ("0 <= u", f"E(-gl) == u*{COIN}"))
    positive = theorems.part(D.fact("gap"), D.formula("0 < D"))
    coin = D.times(D.closed(D.claim("thm:lowerbound/kl", x="D"), positive, small), number)
    near = D.linear(f"({_Q} - {_P})**2 <= 2*D**2*u", square, below, gap, coin)
    root = D.pointwise("sqrt(2)*x*sqrt(y) >= 0", "x >= 0", "y >= 0", x="D", y="u")
    bound = "sqrt(2)*D*sqrt(u)"
    twice = D.linear(
        f"({bound})**2 == 2*D**2*u",
        D.scaled(D.positive("sqrt-square", "u", number), "sqrt(2)**2*D**2"),
        D.scaled(D.positive("sqrt-square", "2", D.linear("0 <= 2")), "D**2*u"),
    )
    near = D.linear(f"({_Q} - {_P})**2 <= ({bound})**2", near, twice)
    most = square_below(D, near, D.closed(root, positive, number), f"({_Q} - {_P})", f"({bound})")
    return D.imply(D.linear(f"{_Q} <= {_P} + {bound}", most), f"Sure({_BOUNDED})", _PROPER, "D <= 1/4", known)


def own_visits(D: Derivation) -> Theorem:
    """How often the pairs are decided, each in its own instance."""
    coin, time = coin_positive(D), D.linear("0 < K", D.fact("episodes"))
    any_c = _any_c(D, coin, _entered(D))
    r = f"sqrt(L*A*{COIN}/2)"
    bound = best(D, any_c, coin, time, f"{_OWN} <= K*(1 + {r}*sqrt(K))", "K")
    return D.imply(
        D.linear(f"{_OWN} <= K*(1 + sqrt(2)*D*sqrt(L*A*K))", bound, D.times(_gap(D), D.whole("K"))),
        "D <= 1/4",
    )


def _gap(D: Derivation) -> Theorem:
    """√(n kl/2) √K <= √2 D √(n K), as kl <= 4 D²."""
    low = theorems.part(D.fact("gap"), D.formula("0 < D"))
    some, time = some_pairs(D), D.linear("0 < K", D.fact("episodes"))
    signs = [
        D.linear("0 < 1 + 2*D", low),
        D.linear("0 < 1 - 2*D", theorems.part(D.fact("gap"), D.formula("D < 1/2"))),
    ]
    less = D.closed(D.claim("thm:lowerbound/kl", x="D"), D.assume("D <= 1/4"), low, *signs)
    inside = D.linear(f"0 <= L*A*{COIN}/2", product(D, some, coin_positive(D)))
    squares = [
        D.scaled(D.positive("sqrt-square", f"L*A*{COIN}/2", inside), "sqrt(K)**2"),
        D.scaled(D.positive("sqrt-square", "K", D.whole("K")), f"L*A*{COIN}/2"),
        D.scaled(D.positive("sqrt-square", "2", D.linear("0 <= 2")), "D**2*sqrt(L*A*K)**2"),
        D.scaled(D.positive("sqrt-square", "L*A*K", D.whole("L*A*K")), "2*D**2"),
    ]
    u, v = f"(sqrt(L*A*{COIN}/2)*sqrt(K))", "(sqrt(2)*D*sqrt(L*A*K))"
    below = D.linear(f"{u}**2 <= {v}**2", D.times(less, D.whole("L*A*K")), *squares)
    first = D.times(D.known("sqrt", f"L*A*{COIN}/2"), D.known("sqrt", "K"))
    two, root = root_positive(D, D.linear("0 < 2")), root_positive(D, product(D, some, time))
    return by_squares(D, first, product(D, product(D, two, low), root), below)


def _any_c(D: Derivation, coin: Theorem, entered: Theorem) -> Theorem:
    """The sum over the pairs, for any c > 0."""
    positive = D.assume("0 < c")
    above, zero = (D.at(t, k="K") for t in pinsker(D, positive))
    g, x, most = (
        EXCESS.format("n").replace("k,", "K,"),
        EXCESS_X.format("n").replace("k,", "K,"),
        _at_most(D, entered),
    )
    more = f"K*(c/2 + {COIN}*E(T(n, K, z, b))/(4*c))"
    goal = f"Ind(ht(z) == 1)*E({x}*{_VISITS}) <= Ind(ht(z) == 1)*(E({_VISITS}) + {more})"

    def leaf(yes: Theorem) -> Theorem:
        some = D.whole(_VISITS)
        less = D.times(theorems.cut(yes, most), zero)
        path = D.linear(f"{x}*{_VISITS} <= {_VISITS} + K*{g}", D.times(above, some), less)
        mean = D.scaled(D.at(theorems.cut(yes, mean_of_excess(D)), k="K"), "K")
        return by_value(D, goal, [on(D, yes)], D.mean(path), mean)

    each = over_pairs(D, D.cases("ht(z) == 1", leaf, lambda no: by_value(D, goal, [off(D, no)])))
    pairs = D.scaled(count_of_pairs(D), "K*c/2")
    factor = D.times(
        D.linear(f"0 <= {COIN}", coin), D.linear("0 <= 1/c", D.positive("inverse-positive", "c", positive))
    )
    factor = D.linear(f"0 <= K*{COIN}/(4*c)", D.times(factor, D.whole("K")))
    seen = D.times(D.at(D.mean(D.lemma("thm:lowerbound/seen")), k="K"), factor)
    return D.linear(f"{_OWN} <= K*(1 + L*A*c/2 + {COIN}*K/(4*c))", each, _all(D, entered), pairs, seen)


def _at_most(D: Derivation, entered: Theorem) -> Theorem:
    """A pair is decided at most K times, given ht(z) == 1."""
    leaf = D.assume("ht(z) == 1")

    def here(yes: Theorem) -> Theorem:
        flat = on(D, put(leaf, towards(D, yes, "z")))
        return settle(D, goal, ["act(i) == b", "ep(i) + 1 <= K"], equations=[on(D, yes), flat])

    goal = f"Ind(ep(i) + 1 <= K)*{_MINE} <= Ind(ep(i) + 1 <= K)*Ind(ht(X(i)) == 1)"
    each = D.cases(
        "X(i) == z",
        here,
        lambda no: by_value(D, goal, [off(D, no)], D.whole("Ind(ep(i) + 1 <= K)*Ind(ht(X(i)) == 1)")),
    )
    return D.linear(f"{_VISITS} <= K", D.sum(each, "i", "n"), entered)


def _entered(D: Derivation) -> Theorem:
    """K episodes enter at most K leaves."""
    left = "Ind(ep({0}) + 1 <= K)*(K - ep({0}) - Ind(ht(X({0})) == 0))"
    now = "Ind(ep(n) + 1 <= K)*Ind(ht(X(n)) == 1)"
    after = f"{_LEAVES} + {now} + {left.format('n + 1')} <= K"
    start = settle(
        D, f"{left.format('0')} <= K", ["ep(0) + 1 <= K", "ht(X(0)) == 0"], D.whole("K"), D.whole("ep(0)")
    )
    conditions = ["ep(n) + 1 <= K", "ht(X(n)) == 0", "ht(X(n)) == 1"]

    def build(below: Theorem) -> Theorem:
        def one(jumped: bool) -> Theorem:
            ways = moved(D, jumped)
            if not jumped:
                high = settle(D, "Ind(d == 0) == 0", ["d == 0"], D.fact("levels"))
                return settle(D, after, [*conditions, "ep(n) + 2 <= K"], below, equations=[*ways, high])
            down = on(D, support(D))
            return D.cases(
                "ht(X(n)) <= 1",
                lambda low: settle(D, after, conditions, below, low, equations=[*ways, down]),
                lambda high: settle(
                    D, after, [*conditions, "ht(X(n + 1)) == 0"], below, high, equations=ways
                ),
            )

        return jump_or_not(D, one)

    whole = D.induction("n", f"{_LEAVES} + {left.format('n')} <= K", start, build)
    return settle(D, f"{_LEAVES} <= K", ["ep(n) + 1 <= K", "ht(X(n)) == 0"], whole, D.whole("K"))


def _all(D: Derivation, entered: Theorem) -> Theorem:
    """In the reference the pairs together are decided at most K times."""
    leaf, runs = "Ind(ht(z) == 1)", "Ind(ep(i) + 1 <= K)"
    vis = D.fact("vis", n="i")
    one = D.mean(D.scaled(over_pairs(D, D.scaled(vis, leaf)), runs))
    same = over_pairs(D, D.scaled(D.sum(D.mean(D.scaled(vis, runs)), "i", "n"), leaf))
    i, b, z = (
        Operator("Sum", D.variable("i"), D.term("n")),
        *(Operator("SumOver", D.variable(v)) for v in "bz"),
    )
    body = f"E({runs}*vis(i, z, b))"
    inner = D.over(D.scaled(D.exchange(b, i, body), leaf), "z")
    outer = D.exchange(z, i, f"{leaf}*SumOver(b, {body})")
    return D.linear(
        f"SumOver(z, SumOver(b, {leaf}*E({_VISITS}))) <= K",
        same,
        inner,
        outer,
        D.sum(one, "i", "n"),
        D.mean(entered),
    )
