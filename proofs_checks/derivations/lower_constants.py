r"""From the regrets together to one of them, and the constants.

With n = LA pairs the average regret is at least D W K (1 - 1/n - (2/3) √(kl K/(2n))), and the largest at
least the average.
"""

from __future__ import annotations

from collections.abc import Callable

from proofs_checks.derivations.lower_bound import AVERAGE, REGRET, by_squares, count_of_pairs, store
from proofs_checks.derivations.lower_cases import by_value, put
from proofs_checks.derivations.lower_measure import COIN
from proofs_checks.derivations.lower_tree import power_positive
from proofs_checks.derivations.lower_visits import coin_positive, product, root_positive
from verify.kernel import terms, theorems
from verify.kernel.authoring import Derivation
from verify.kernel.language import show
from verify.kernel.theorems import Theorem

LARGEST = f"MaxOver(z, MaxOver(b, Ind(ht(z) == 1)*{REGRET}))"
_ROOT = f"sqrt(pw(d)*{COIN}/2)"
_GAP = "D == sqrt(S*A/K)/4"
USUAL = f"And(low == 2, 6 <= S, S*A <= 2*K, {_GAP})"
_TURNS = f"And(low == 4, All(x, Imp(ht(x) == 0, Not(mate(x) == x))), 8 <= S, S*A <= 2*K, {_GAP})"
REPAIRED = f"Imp({USUAL}, er(d, H)*sqrt(S*A*K)/7 <= {LARGEST})"
NO_SELF_JUMPS = f"Imp({_TURNS}, er(d, H)*sqrt(S*A*K)/8 <= {LARGEST})"


def repaired(D: Derivation) -> Theorem:
    """Some instance has regret at least W √(SAK)/7."""
    return _usual(D, USUAL, "thm:lowerbound/repaired", 7, leaves)


def no_self_jumps(D: Derivation) -> Theorem:
    """Without self-jumps at least W √(SAK)/8."""
    return _usual(D, _TURNS, "thm:lowerbound/no-self-jumps", 8, _leaves_of_turns)


Count = Callable[[Derivation, Theorem, Theorem, Theorem], tuple[Theorem, str]]


def _usual(D: Derivation, given: str, label: str, part: int, count: Count) -> Theorem:
    """With D = √(SA/K)/4: the formula of the claim is the bracket."""
    conditions = {show(f): theorems.part(D.assume(given), f) for f in D.formula(given).parts}
    (low,) = [t for s, t in conditions.items() if s.startswith("low")]
    (large,) = [t for s, t in conditions.items() if s.endswith("<= S")]
    long, gap = (theorems.part(D.assume(given), D.formula(f)) for f in ("S*A <= 2*K", _GAP))
    many = eight(D, low, large)
    wide, top = count(D, low, large, many)
    pairs, episodes = D.linear("0 < pw(d)", many), D.linear("0 < K", D.fact("episodes"))
    size = product(D, D.linear("0 < S", large), D.linear("0 < A", D.fact("choice")))
    y, unit, share = (
        "(S*A/pw(d))",
        D.positive("inverse", "pw(d)", pairs),
        D.positive("inverse-positive", "pw(d)", pairs),
    )
    by_pairs = D.linear("0 <= 1/pw(d)", share)
    coin = D.times(_chord(D, long, gap, size, episodes), D.linear("0 <= pw(d)", pairs))
    inside = f"{y}*log(2)/8"
    positive = D.linear(f"0 < {inside}", product(D, product(D, size, share), log_positive(D)))
    less = D.linear(f"pw(d)*{COIN}*K/2 <= pw(d)**2*({inside})", coin, D.scaled(unit, "pw(d)*S*A*log(2)/8"))
    bracket = D.closed(
        D.claim(label, n="pw(d)", y=y), many, pairs, positive,
        D.linear(f"{y} <= {top}", D.times(wide, by_pairs), unit),
        D.linear(f"1 <= {y}", D.times(more_states(D, low), by_pairs), unit),
    )  # fmt: skip
    bound = average(D, inside, positive, less, bracket, f"4/{part}")
    says, scaled = f"er(d, H)*sqrt(S*A*K)/{part}", scale(D, "S*A", size, episodes)
    enough = D.linear(
        f"pw(d)*{says} <= er(d, H)*D*K*pw(d)*4/{part}",
        D.scaled(scaled, f"pw(d)*er(d, H)/{part}"), D.scaled(gap, f"4*pw(d)*K*er(d, H)/{part}"),
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
    pairs = positive_pairs(D)
    under = D.linear(f"0 <= pw(d)*{COIN}/2", product(D, pairs, coin_positive(D)))
    u, v = f"{_ROOT}*sqrt(K)", f"pw(d)*sqrt({inside})"
    squares = [
        D.positive("sqrt-square", f"pw(d)*{COIN}/2", under),
        D.positive("sqrt-square", "K", D.whole("K")),
        D.positive("sqrt-square", inside, D.linear(f"0 <= {inside}", positive)),
    ]
    below = D.linear(
        f"({u})**2 <= ({v})**2", less, D.scaled(squares[0], "sqrt(K)**2"),
        D.scaled(squares[1], f"pw(d)*{COIN}/2"), D.scaled(squares[2], "pw(d)**2"),
    )  # fmt: skip
    first = D.times(D.known("sqrt", f"pw(d)*{COIN}/2"), D.known("sqrt", "K"))
    roots = by_squares(D, first, product(D, pairs, root_positive(D, positive)), below)
    each = D.times(bracket, D.linear("0 <= pw(d)", pairs))
    unit = D.positive("inverse", "pw(d)", pairs)
    enough = D.linear(f"pw(d)*{share} <= pw(d) - 1 - 2*{u}/3", each, roots, unit)
    gap = D.linear("0 <= D", theorems.part(D.fact("gap"), D.formula("0 < D")))
    factor = D.times(D.times(store(D), gap), D.whole("K"))
    goal = terms.relation("<=", D.term(f"er(d, H)*D*K*pw(d)*{share}"), D.formula(AVERAGE).parts[1])
    return D.linear(goal, D.times(enough, factor), D.lemma("eq:Rj/repaired"))


def positive_pairs(D: Derivation) -> Theorem:
    """0 < n."""
    return D.linear("0 < pw(d)", D.at(power_positive(D), i="d"))


def largest(D: Derivation, says: str, enough: Theorem, bound: Theorem) -> Theorem:
    """The largest is at least the average."""
    inner = D.most("b", f"Ind(ht(z) == 1)*{REGRET}", "b")
    outer = D.most("z", f"MaxOver(b, Ind(ht(z) == 1)*{REGRET})", "z")
    one = D.linear(f"Ind(ht(z) == 1)*{REGRET} <= {LARGEST}", inner, outer)
    mine = D.over(D.over(D.times(one, D.whole("Ind(ht(z) == 1)")), "b"), "z")
    total = D.linear(
        f"pw(d)*{says} <= pw(d)*{LARGEST}", enough, bound, mine, D.scaled(count_of_pairs(D), LARGEST)
    )
    pairs = positive_pairs(D)
    each = D.times(total, D.linear("0 <= 1/pw(d)", D.positive("inverse-positive", "pw(d)", pairs)))
    unit = D.positive("inverse", "pw(d)", pairs)
    return D.linear(f"{says} <= {LARGEST}", each, D.scaled(unit, says), D.scaled(unit, LARGEST))


# --- the sizes of the tree ----------------------------------------------------------------------


def _nodes(D: Derivation, low: Theorem) -> Theorem:
    """pw(d) == 1 + (A - 1)(S - low)."""
    tree = D.lemma("assume:LB/tree")
    states, nodes = (
        theorems.part(tree, D.formula(f))
        for f in ("S == low + Sum(i, d, pw(i))", "(A - 1)*Sum(i, d, pw(i)) == pw(d) - 1")
    )
    return put(D.linear("pw(d) == 1 + (A - 1)*(S - low)", D.scaled(states, "A - 1"), nodes), low)


def more_states(D: Derivation, low: Theorem) -> Theorem:
    """N <= S A."""
    return D.linear("pw(d) <= S*A", _nodes(D, low), D.fact("choice"), D.whole("S"))


def eight(D: Derivation, low: Theorem, large: Theorem) -> Theorem:
    """8 <= n for an admissible tree."""
    return D.mp(D.lemma("thm:lowerbound/pairs"), D.linear("low + 4 <= S", low, large))


def leaves(D: Derivation, low: Theorem, large: Theorem, many: Theorem) -> tuple[Theorem, str]:
    """4 S A <= 9 n."""
    positive, nodes = D.linear("0 < A", D.fact("choice")), _nodes(D, low)
    claim = D.claim("thm:lowerbound/leaves/sharp", A="A", S="S")
    facts = [positive, D.fact("choice"), large, D.linear("7 <= (A - 1)*(S - 2)", nodes, many)]
    each = D.times(D.closed(claim, *facts), D.linear("0 <= A", positive))
    unit = D.positive("inverse", "A", positive)
    return D.linear("4*S*A <= 9*pw(d)", each, nodes, unit, D.scaled(unit, "S")), "9/4"


def _leaves_of_turns(D: Derivation, low: Theorem, large: Theorem, many: Theorem) -> tuple[Theorem, str]:
    """4 S A <= 11 n, with two actions or more."""
    some, nodes = D.fact("choice"), _nodes(D, low)
    goal = "4*S*A <= 11*pw(d)"

    def case(e: Theorem) -> Theorem:
        if e.says is D.formula("A <= 2"):
            two = D.mp(D.known("antisymmetric", "A", "2"), theorems.both(e, some))
            flat = put(nodes, two)
            claim = D.closed(D.claim("thm:lowerbound/turns/binary", S="S"), D.linear("11 <= S", flat, many))
            return by_value(D, goal, [two], claim, flat)
        positive = D.linear("0 < A", some)
        claim = D.closed(D.claim("thm:lowerbound/turns/leaves", A="A", S="S"), e, large, positive)
        unit = D.positive("inverse", "A", positive)
        return D.linear(goal, D.times(claim, D.linear("0 <= A", positive)), nodes, unit, D.scaled(unit, "S"))

    return D.split(D.known("discrete", "A", "2"), case, case), "11/4"


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
