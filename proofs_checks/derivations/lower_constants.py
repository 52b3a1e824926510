r"""From the regrets together to one of them, and the constants.

With n = LA pairs the average regret is at least D W K (1 - 1/n - (2/3) √(kl K/(2n))), and the largest at
least the average.
"""

from __future__ import annotations

from collections.abc import Callable

from proofs_checks.derivations.lower_bound import AVERAGE, REGRET, by_squares, store
from proofs_checks.derivations.lower_cases import by_value, put
from proofs_checks.derivations.lower_measure import COIN
from proofs_checks.derivations.lower_tree import count_of_pairs, some_pairs
from proofs_checks.derivations.lower_visits import coin_positive, product, root_positive
from verify.kernel import terms, theorems
from verify.kernel.authoring import Derivation
from verify.kernel.language import show
from verify.kernel.theorems import Theorem

LARGEST = f"MaxOver(z, MaxOver(b, Ind(ht(z) == 1)*{REGRET}))"
_ROOT = f"sqrt(L*A*{COIN}/2)"
_GAP = "D == sqrt(S*A/K)/4"
USUAL = f"And(low == 2, 6 <= S, S*A <= 2*K, {_GAP})"
_TURNS = f"And(low == 4, All(x, Imp(ht(x) == 0, Not(mate(x) == x))), 8 <= S, S*A <= 2*K, {_GAP})"
REPAIRED = f"Imp({USUAL}, er(d, H)*sqrt(S*A*K)/7 <= {LARGEST})"
NO_SELF_JUMPS = f"Imp({_TURNS}, er(d, H)*sqrt(S*A*K)/8 <= {LARGEST})"
ANY_SIZE = f"And(6 <= S, S*A <= 2*K, {_GAP})"
EVERY_SIZE = f"Imp({ANY_SIZE}, er(d, H)*sqrt(S*A*K)/11 <= {LARGEST})"


def repaired(D: Derivation) -> Theorem:
    """Some instance has regret at least W √(SAK)/7."""
    return _usual(D, USUAL, "thm:lowerbound/repaired", 7, leaves)


def no_self_jumps(D: Derivation) -> Theorem:
    """Without self-jumps at least W √(SAK)/8."""
    return _usual(D, _TURNS, "thm:lowerbound/no-self-jumps", 8, _leaves_of_turns)


def every_size(D: Derivation) -> Theorem:
    """For every number of states at least W √(SAK)/11."""
    return _usual(D, ANY_SIZE, "thm:lowerbound/every-size", 11, leaves_of_any)


Sizes = Callable[[Derivation, Theorem], tuple[Theorem, Theorem, str]]


def _usual(D: Derivation, given: str, label: str, part: int, sizes: Sizes) -> Theorem:
    """With D = √(SA/K)/4: the formula of the claim is the bracket."""
    long, gap = (theorems.part(D.assume(given), D.formula(f)) for f in ("S*A <= 2*K", _GAP))
    many, wide, top = sizes(D, D.assume(given))
    pairs, episodes = some_pairs(D), D.linear("0 < K", D.fact("episodes"))
    size = D.linear("0 < S*A", more_states(D), pairs)
    y, unit, share = (
        "(S*A/(L*A))",
        D.positive("inverse", "L*A", pairs),
        D.positive("inverse-positive", "L*A", pairs),
    )
    by_pairs = D.linear("0 <= 1/(L*A)", share)
    coin = D.times(_chord(D, long, gap, size, episodes), D.linear("0 <= L*A", pairs))
    inside = f"{y}*log(2)/8"
    positive = D.linear(f"0 < {inside}", product(D, product(D, size, share), log_positive(D)))
    less = D.linear(f"L*A*{COIN}*K/2 <= (L*A)**2*({inside})", coin, D.scaled(unit, "L*A*S*A*log(2)/8"))
    bracket = D.closed(
        D.claim(label, n="L*A", y=y), many, pairs, positive,
        D.linear(f"{y} <= {top}", D.times(wide, by_pairs), unit),
        D.linear(f"1 <= {y}", D.times(more_states(D), by_pairs), unit),
    )  # fmt: skip
    bound = average(D, inside, positive, less, bracket, f"4/{part}")
    says, scaled = f"er(d, H)*sqrt(S*A*K)/{part}", scale(D, "S*A", size, episodes)
    enough = D.linear(
        f"L*A*{says} <= er(d, H)*D*K*L*A*4/{part}",
        D.scaled(scaled, f"L*A*er(d, H)/{part}"), D.scaled(gap, f"4*L*A*K*er(d, H)/{part}"),
    )  # fmt: skip
    return D.imply(largest(D, says, enough, bound), given)


def scale(D: Derivation, inside: str, size: Theorem, episodes: Theorem) -> Theorem:
    """√(u/K) K == √(u K)."""
    ratio = product(D, size, D.positive("inverse-positive", "K", episodes))
    both_ = product(D, size, episodes)
    return D.closed(
        D.pointwise("sqrt(q/k)*k == sqrt(q*k)", "q > 0", "k > 0", q=inside, k="K"),
        size,
        episodes,
        ratio,
        both_,
    )


def log_positive(D: Derivation) -> Theorem:
    """0 < log(2)."""
    return D.closed(D.pointwise("log(x) > 0", "x > 1", x="2"), D.linear("1 < 2"), D.linear("0 < 2"))


def average(
    D: Derivation,
    inside: str,
    positive: Theorem,
    less: Theorem,
    bracket: Theorem,
    share: str,
) -> Theorem:
    """er(d, H) D K n share <= the sum of the regrets, from n kl K/2 <= n² inside."""
    pairs = some_pairs(D)
    under = D.linear(f"0 <= L*A*{COIN}/2", product(D, pairs, coin_positive(D)))
    u, v = f"{_ROOT}*sqrt(K)", f"L*A*sqrt({inside})"
    squares = [
        D.positive("sqrt-square", f"L*A*{COIN}/2", under),
        D.positive("sqrt-square", "K", D.whole("K")),
        D.positive("sqrt-square", inside, D.linear(f"0 <= {inside}", positive)),
    ]
    below = D.linear(
        f"({u})**2 <= ({v})**2", less, D.scaled(squares[0], "sqrt(K)**2"),
        D.scaled(squares[1], f"L*A*{COIN}/2"), D.scaled(squares[2], "(L*A)**2"),
    )  # fmt: skip
    first = D.times(D.known("sqrt", f"L*A*{COIN}/2"), D.known("sqrt", "K"))
    roots = by_squares(D, first, product(D, pairs, root_positive(D, positive)), below)
    each = D.times(bracket, D.linear("0 <= L*A", pairs))
    unit = D.positive("inverse", "L*A", pairs)
    enough = D.linear(f"L*A*{share} <= L*A - 1 - 2*{u}/3", each, roots, unit)
    gap = D.linear("0 <= D", theorems.part(D.fact("gap"), D.formula("0 < D")))
    factor = D.times(D.times(store(D), gap), D.whole("K"))
    goal = terms.relation("<=", D.term(f"er(d, H)*D*K*L*A*{share}"), D.formula(AVERAGE).parts[1])
    return D.linear(goal, D.times(enough, factor), D.lemma("eq:Rj/repaired"))


def largest(D: Derivation, says: str, enough: Theorem, bound: Theorem) -> Theorem:
    """The largest is at least the average."""
    inner = D.most("b", f"Ind(ht(z) == 1)*{REGRET}", "b")
    outer = D.most("z", f"MaxOver(b, Ind(ht(z) == 1)*{REGRET})", "z")
    one = D.linear(f"Ind(ht(z) == 1)*{REGRET} <= {LARGEST}", inner, outer)
    mine = D.over(D.over(D.times(one, D.whole("Ind(ht(z) == 1)")), "b"), "z")
    total = D.linear(
        f"L*A*{says} <= L*A*{LARGEST}", enough, bound, mine, D.scaled(count_of_pairs(D), LARGEST)
    )
    pairs = some_pairs(D)
    each = D.times(total, D.linear("0 <= 1/(L*A)", D.positive("inverse-positive", "L*A", pairs)))
    unit = D.positive("inverse", "L*A", pairs)
    return D.linear(f"{says} <= {LARGEST}", each, D.scaled(unit, says), D.scaled(unit, LARGEST))


# --- the sizes of the tree ----------------------------------------------------------------------


def _nodes(D: Derivation, low: Theorem) -> Theorem:
    """L A == 1 + (A - 1)(S - low)."""
    tree = D.lemma("assume:LB/tree")
    states, nodes, pairs = (
        theorems.part(tree, D.formula(f))
        for f in ("S == low + Sum(i, d, pw(i))", "(A - 1)*Sum(i, d, pw(i)) == pw(d) - 1", "L*A == pw(d)")
    )
    return put(D.linear("L*A == 1 + (A - 1)*(S - low)", D.scaled(states, "A - 1"), nodes, pairs), low)


def more_states(D: Derivation) -> Theorem:
    """N <= S A."""
    some = D.over(D.indicator("ht(x) == 1")[1], "x")
    fewer = D.linear("L <= S", some, D.fact("leaves"), D.fact("states"))
    return D.linear("L*A <= S*A", D.times(fewer, D.whole("A")))


def admissible(D: Derivation, given: Theorem) -> tuple[Theorem, Theorem, Theorem]:
    """What is said of low and of S, and 8 <= n for an admissible tree."""
    conditions = {show(f): theorems.part(given, f) for f in given.says.parts}
    (low,) = [t for s, t in conditions.items() if s.startswith("low")]
    (large,) = [t for s, t in conditions.items() if s.endswith("<= S")]
    return low, large, D.mp(D.lemma("thm:lowerbound/pairs"), D.linear("low + 4 <= S", low, large))


def leaves(D: Derivation, given: Theorem) -> tuple[Theorem, Theorem, str]:
    """8 <= n and 4 S A <= 9 n."""
    low, large, many = admissible(D, given)
    positive, nodes = D.linear("0 < A", D.fact("choice")), _nodes(D, low)
    claim = D.claim("thm:lowerbound/leaves/sharp", A="A", S="S")
    facts = [positive, D.fact("choice"), large, D.linear("7 <= (A - 1)*(S - 2)", nodes, many)]
    each = D.times(D.closed(claim, *facts), D.linear("0 <= A", positive))
    unit = D.positive("inverse", "A", positive)
    return many, D.linear("4*S*A <= 9*L*A", each, nodes, unit, D.scaled(unit, "S")), "9/4"


def leaves_of_any(D: Derivation, given: Theorem) -> tuple[Theorem, Theorem, str]:
    """4 <= n and 2 S A <= 7 n, from S <= 3 L + 1."""
    large = theorems.part(given, D.formula("6 <= S"))
    few = theorems.part(D.lemma("assume:LB/relaxed"), D.formula("S <= 3*L + 1"))

    def case(e: Theorem) -> Theorem:
        return e if e.says is D.formula("2 <= L") else by_value(D, "2 <= L", [], e, few, large)

    two = D.split(D.known("discrete", "L", "1"), case, case)
    more = D.times(D.linear("0 <= L - 2", two), D.linear("0 <= A", D.fact("choice")))
    wide = D.times(D.linear("2*S <= 7*L", few, two), D.whole("A"))
    return D.linear("4 <= L*A", more, D.fact("choice")), D.linear("2*S*A <= 7*L*A", wide), "7/2"


def _leaves_of_turns(D: Derivation, given: Theorem) -> tuple[Theorem, Theorem, str]:
    """8 <= n and 4 S A <= 11 n, with two actions or more."""
    low, large, many = admissible(D, given)
    some, nodes = D.fact("choice"), _nodes(D, low)
    goal = "4*S*A <= 11*L*A"

    def case(e: Theorem) -> Theorem:
        if e.says is D.formula("A <= 2"):
            two = D.mp(D.known("antisymmetric", "A", "2"), theorems.both(e, some))
            flat = put(nodes, two)
            large_ = D.linear("11 <= S", flat, put(many, two))
            claim = D.closed(D.claim("thm:lowerbound/turns/binary", S="S"), large_)
            return by_value(D, goal, [two], claim, flat)
        positive = D.linear("0 < A", some)
        claim = D.closed(D.claim("thm:lowerbound/turns/leaves", A="A", S="S"), e, large, positive)
        unit = D.positive("inverse", "A", positive)
        return D.linear(goal, D.times(claim, D.linear("0 <= A", positive)), nodes, unit, D.scaled(unit, "S"))

    return many, D.split(D.known("discrete", "A", "2"), case, case), "11/4"


# --- the divergence of the coin -----------------------------------------------------------------


def _chord(D: Derivation, long: Theorem, gap: Theorem, size: Theorem, episodes: Theorem) -> Theorem:
    """K kl <= S A log(2)/4."""
    ratio, unit = "(S*A/K)", D.positive("inverse", "K", episodes)
    part = D.positive("inverse-positive", "K", episodes)
    inside = product(D, size, part)
    root = D.positive("sqrt-square", ratio, D.linear(f"0 <= {ratio}", inside))
    square = D.linear(f"16*D**2 == {ratio}", root, D.scaled(gap, "16*D"), D.scaled(gap, f"4*sqrt({ratio})"))
    short = D.linear(f"{ratio} <= 2", D.times(long, D.linear("0 <= 1/K", part)), unit)
    claim = D.claim("thm:lowerbound/kl-chord", x=ratio)
    chord = D.closed(claim, D.linear(f"0 <= {ratio}", inside), short, D.linear(f"0 < 1 - {ratio}/4", short))
    under = D.linear(f"1 - {ratio}/4 == 1 - 4*D**2", square)
    each = D.linear(f"{COIN} <= {ratio}*log(2)/4", put(chord, under), coin_log(D))
    return D.linear(f"{COIN}*K <= S*A*log(2)/4", D.times(each, D.whole("K")), D.scaled(unit, "S*A*log(2)/4"))


def coin_log(D: Derivation) -> Theorem:
    """log(1 + 2D) + log(1 - 2D) == log(1 - 4D²)."""
    low, high = (theorems.part(D.fact("gap"), D.formula(part)) for part in ("0 < D", "D < 1/2"))
    return log_of_product(D, D.linear("0 < 1 + 2*D", low), D.linear("0 < 1 - 2*D", high))


def log_of_product(D: Derivation, one: Theorem, two: Theorem) -> Theorem:
    """log(u) + log(v) == log(u v): their exponentials are the same."""
    u, v = one.says.parts[1], two.says.parts[1]
    logs = [terms.function("log", t) for t in (u, v, terms.mul(u, v))]
    left, right = terms.add(logs[0], logs[1]), logs[2]
    signs = one, two, product(D, one, two)
    powers = [D.positive("log", s.says.parts[1], s) for s in signs]
    same = D.linear(
        terms.relation("==", terms.exp(left), terms.exp(right)),
        D.scaled(powers[0], terms.exp(logs[1])), D.scaled(powers[1], u), powers[2],
    )  # fmt: skip
    ends = [
        D.linear(
            terms.relation("<=", a, b),
            D.pointwise("exp(v) - 1 - v >= 0", v=terms.sub(a, b)),
            D.scaled(same, terms.exp(terms.scale(b, -1))),
        )
        for a, b in ((left, right), (right, left))
    ]
    return D.mp(D.known("antisymmetric", left, right), theorems.both(*ends))
