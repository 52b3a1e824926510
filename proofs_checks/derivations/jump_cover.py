"""The jump sets of all pairs cover: the union over the numbers of jumps that were seen.

An estimate from m jumps misses with probability at most (2^S - 2) exp(-m e²/2), e the radius for m jumps
(``lem:CI-p/weissman``), and the number is one of 1, ..., n at decision n.
"""

from __future__ import annotations

from proofs_checks.derivations.crossings import by_jump, exp_equal
from proofs_checks.derivations.jump_sets import DISTANCE
from proofs_checks.derivations.rate_peels import sizes
from proofs_checks.derivations.unions import (
    all_cover,
    all_pairs,
    covered,
    equal,
    ever_first,
    order,
    root,
    square_below,
    whole_cases,
)
from verify.kernel import terms, theorems
from verify.kernel.authoring import Derivation
from verify.kernel.theorems import Theorem

COUNT = "Nf(i, x, a)"
PAIRS = "All(x, All(a, {cover}))"

# --- numbers of jumps -------------------------------------------------------------------------------


def _at_most(D: Derivation) -> Theorem:
    """No more jumps than decisions were seen: Nf(n, x, a) <= n."""
    here, events = "Ind(X(n) == x)*Ind(act(n) == a)*jump(n)", ["X(n) == x", "act(n) == a"]
    one = D.decide(f"{here} <= 1", events, D.fact("jump"), D.whole("jump(n)"))
    step, kept = D.fact("N-step"), D.fact("Nf-step")
    whole = D.induction(
        "n",
        "N(n, x, a) <= n",
        D.linear("N(0, x, a) <= 0", D.fact("N-0")),
        lambda before: D.linear("N(n + 1, x, a) <= n + 1", before, step, one),
    )
    return D.induction(
        "n",
        "Nf(n, x, a) <= n",
        D.linear("Nf(0, x, a) <= 0", D.fact("Nf-0")),
        lambda before: by_jump(
            D,
            lambda equations: D.by_value(
                "Nf(n + 1, x, a) <= n + 1", [kept, step, *equations], before, whole, one
            ),
        ),
    )


def _one_of(D: Derivation) -> Theorem:
    """Ind(1 <= Nf)*Ind(Nf <= k) <= Σ_{m < k} Ind(Nf == m + 1)."""

    def says(k: str) -> str:
        return f"Ind(1 <= gone)*Ind(gone <= {k}) <= Sum(m, {k}, Ind(gone == m + 1))"

    def step(before: Theorem) -> Theorem:
        last, goal = D.whole("Ind(gone == k + 1)"), says("k + 1")

        def beyond(more: Theorem) -> Theorem:
            def is_last(less: Theorem) -> Theorem:
                value = equal(D, less, more)
                past = D.whole("Sum(m, k, Ind(gone == m + 1))")
                return D.decide(
                    goal, ["1 <= gone", "gone <= k + 1"], theorems.cut(value, D.holds(value.says)), past
                )

            return order(
                D,
                "gone",
                "k + 1",
                is_last,
                lambda over: D.decide(
                    goal, ["1 <= gone", "gone <= k + 1"], over, last, D.whole("Sum(m, k, Ind(gone == m + 1))")
                ),
            )

        return order(
            D,
            "gone",
            "k",
            lambda _: D.decide(goal, ["gone <= k + 1", "1 <= gone", "gone <= k"], before, last, _),
            beyond,
        )

    start = D.decide(says("0"), ["1 <= gone", "gone <= 0"])
    return D.instantiate(D.induction("k", says("k"), start, step), "gone", "", COUNT)


def without_data(D: Derivation) -> Theorem:
    """Nf == 0 ⊢ ‖p̂ - p‖₁ == 1."""
    none = D.assume(f"{COUNT} == 0")
    estimate = D.valued(D.fact("ph", n="i"), none)
    size, facts = (
        "Abs(-p(x, a, y))",
        (D.fact("jump-low"), D.known("abs", "-p(x, a, y)"), D.known("abs-", "-p(x, a, y)")),
    )

    def one(goal: str) -> Theorem:
        return D.split(D.known("abs-cases", "-p(x, a, y)"), *[lambda same: D.linear(goal, same, *facts)] * 2)

    value = equal(D, one(f"{size} <= p(x, a, y)"), one(f"p(x, a, y) <= {size}"))
    each = D.by_value("Abs(ph(i, x, a, y) - p(x, a, y)) == p(x, a, y)", [estimate], value)
    return D.linear(f"{DISTANCE} == 1", D.over(each, "y"), D.fact("jump-sum"))


# --- a radius ---------------------------------------------------------------------------------------


def far(radius: str) -> str:
    """Whether the estimate is from m + 1 jumps, and off by the radius."""
    return f"Ind({COUNT} == m + 1)*Ind({radius} <= {DISTANCE})"


def rarely_far(D: Derivation, radius: str, positive: Theorem) -> Theorem:
    """How often an estimate from m + 1 jumps is off by √R, where 0 < R."""
    square, sign = root(D, D.term(radius).parts[0], positive)
    whole = D.linear("1 <= m + 1", D.whole("m"))
    bound = D.mp(D.at(D.lemma("lem:CI-p/weissman"), m="m + 1", e=radius), sign, whole)
    exponent = exp_equal(D, D.scaled(square, "-(m + 1)/2"))
    cost = D.scaled(exponent, "2**S - 2")
    return D.linear(terms.relation("<=", bound.says.parts[0], cost.says.parts[1]), bound, cost)


def larger_count(D: Derivation) -> Theorem:
    """Max(1, m + 1) == m + 1."""
    goal = "Max(1, m + 1) <= m + 1"
    most = D.split(D.known("max-cases", "1", "m + 1"), *[lambda e: D.linear(goal, e, D.whole("m"))] * 2)
    return equal(D, most, D.known("max-right", "1", "m + 1"))


def missed_number(D: Derivation, seen: Theorem, missed: Theorem, event: str) -> Theorem:
    """Where an estimate from jumps that were seen misses, it does so for one of the numbers m < n.

    ``missed`` says 1 <= event, given Nf == m + 1.
    """
    number = D.assume(f"{COUNT} == m + 1")
    goal = f"Ind({COUNT} == m + 1) <= {event}"
    one = D.cases(
        number.says,
        lambda _: D.by_value(goal, [D.holds(number.says)], missed),
        lambda _: D.by_value(goal, [D.fails(number.says)], D.whole(event)),
    )
    most = D.linear(f"{COUNT} <= n", D.at(_at_most(D), n="i"), D.assume("i < n"))
    some = D.valued(
        D.at(_one_of(D), k="n"),
        theorems.cut(seen, D.holds(seen.says)),
        theorems.cut(most, D.holds(most.says)),
    )
    return D.linear(f"1 <= Sum(m, n, {event})", some, D.sum(one, "m", "n"))


# --- uniform in the number --------------------------------------------------------------------------


def uniform_level(m: str) -> str:
    """The square of the radius with n(n + 1) in the place of HK², times the number of jumps."""
    return f"(2*(S*log(2) + log(S*A*{m}*({m} + 1)/delta)))"


def uniform_radius(m: str) -> str:
    """The radius."""
    return f"sqrt({uniform_level(m)}/{m})"


_LARGER = f"Max(1, {COUNT})"
UNIFORM_COVER = f"{DISTANCE} <= {uniform_radius(_LARGER)}"
UNIFORM = f"1 - delta <= E(Ind({all_cover(PAIRS.format(cover=UNIFORM_COVER), 'ep(i) < K')}))"


def uniform(D: Derivation) -> Theorem:
    """With n(n + 1) in the radius the sets of all pairs cover with probability at least 1 - δ."""
    radius = uniform_radius("(m + 1)")
    defined = _sized(D, "0 < S*A*(m + 1)*(m + 2)/d")
    positive = _sized(D, "0 < 2*(S*log(2) + log(S*A*(m + 1)*(m + 2)/d))/(m + 1)", defined)
    rarely = D.at(ever_first(D, "m", "k", far(radius), rarely_far(D, radius, positive)), k="n")
    miss = D.assume(terms.negation(D.formula(UNIFORM_COVER)))
    number = D.assume(f"{COUNT} == m + 1")
    large = D.linear(f"{radius} <= {DISTANCE}", D.valued(miss, number, larger_count(D)))
    here = D.by_value(f"1 <= {far(radius)}", [D.holds(number.says), theorems.cut(large, D.holds(large.says))])
    missed = missed_number(D, _uniform_seen(D, miss), here, far(radius))
    cover, missed, bound = all_pairs(D, missed, rarely, UNIFORM_COVER)
    result = D.valued(covered(D, cover, missed, bound, "ep(i) < K"), D.fact("states"), D.fact("actions"))
    cost = D.claim("lem:CI-p/uniform", S="S", A="A", n="m + 1", d="delta")
    cost = D.sum(D.closed(cost, *sizes(D), D.whole("m"), defined), "m", "n")
    return D.linear(UNIFORM, result, cost, _telescope(D))


def _sized(D: Derivation, relation: str, *more: Theorem) -> Theorem:
    """A relation between S, A, m and d = δ."""
    domain = ("S >= 1", "A >= 1", "m >= 0", "0 < d", "d < 1")
    theorem = D.pointwise(relation, *domain, integers="S A m", S="S", A="A", m="m", d="delta")
    return D.closed(theorem, *sizes(D), D.whole("m"), *more)


def _uniform_seen(D: Derivation, miss: Theorem) -> Theorem:
    """A set that misses has seen a jump: without one its radius is at least 1."""
    inside, goal = "2*(S*log(2) + log(2*S*A/delta))", f"1 <= {COUNT}"
    large = D.closed(
        D.claim("lem:CI-p/uniform-unseen", S="S", A="A", d="delta"),
        *sizes(D),
        D.at(_sized(D, "0 < 2*S*A/d"), m="0"),
    )
    square = D.mp(D.known("sqrt-square", inside), D.linear(f"0 <= {inside}", large))
    root = square_below(
        D, D.linear(f"1 <= sqrt({inside})**2", square, large), D.known("sqrt", inside), "1", f"sqrt({inside})"
    )

    def none(no: Theorem) -> Theorem:
        zero = equal(D, no, D.whole(COUNT))
        return D.absurd(
            D.linear("0 < 0", D.valued(miss, zero), theorems.cut(zero, without_data(D)), root), goal
        )

    return whole_cases(D, COUNT, none, lambda yes: yes)


def _telescope(D: Derivation) -> Theorem:
    """Σ δ/(m + 1) - δ/(m + 2) <= δ."""

    def says(n: str) -> str:
        return f"Sum(m, {n}, delta/(m + 1) - delta/(m + 2)) == delta - delta/({n} + 1)"

    total = D.induction("n", says("n"), D.linear(says("0")), lambda before: D.linear(says("n + 1"), before))
    over = D.positive("inverse-positive", "n + 1", D.linear("0 < n + 1", D.whole("n")))
    rest = D.times(over, sizes(D)[0])
    return D.linear("Sum(m, n, delta/(m + 1) - delta/(m + 2)) <= delta", total, rest)
