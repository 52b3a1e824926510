r"""From the regrets together to one of them, and the constants.

With n = LA pairs and D K = c √(SAK) the average regret is D W K (1 - 1/n - (2/3) √(kl K/(2n))).
"""

from __future__ import annotations

from collections.abc import Callable

from proofs_checks.derivations.lower_bound import AVERAGE, REGRET, by_squares, count_of_pairs, store
from proofs_checks.derivations.lower_cases import put
from proofs_checks.derivations.lower_measure import COIN
from proofs_checks.derivations.lower_setting import SETTING
from proofs_checks.derivations.lower_tree import TREE, power_positive
from proofs_checks.derivations.lower_visits import coin_positive, product, root_positive
from verify.kernel import terms, theorems
from verify.kernel.authoring import Derivation
from verify.kernel.language import show
from verify.kernel.theorems import Theorem

_LARGEST = f"MaxOver(z, MaxOver(b, Ind(ht(z) == 1)*{REGRET}))"
_ROOT = f"sqrt(pw(d)*{COIN}/2)"
_USUAL = "And(6 <= S, S*A <= 2*K, D == sqrt(S*A/K)/4)"
REPAIRED = f"Imp({_USUAL}, er(d, H)*sqrt(S*A*K)/7 <= {_LARGEST})"


def repaired(D: Derivation) -> Theorem:  # noqa: N803
    """Some instance has regret at least W √(SAK)/7."""
    usual = D.assume(_USUAL)
    large, long, gap = (theorems.part(usual, D.formula(f)) for f in ("6 <= S", "S*A <= 2*K", "D == sqrt(S*A/K)/4"))
    many = _eight(D)
    wide = _leaves(D, many)
    pairs, episodes = D.linear("0 < pw(d)", many), D.linear("0 < K", D.fact("episodes"))
    pair = D.linear("0 < A", D.fact("choice"))
    size = product(D, D.linear("0 < S", large), pair)
    y = "(S*A/pw(d))"
    coin = _chord(D, long, gap, size, episodes)
    unit = D.positive("inverse", "pw(d)", pairs)
    part = D.positive("inverse-positive", "pw(d)", pairs)
    bracket = D.closed(
        D.claim("thm:lowerbound/repaired", n="pw(d)", y=y),
        many, pairs,
        D.linear(f"{y} <= 9/4", D.times(wide, D.linear("0 <= 1/pw(d)", part)), unit),
        D.linear(f"1 <= {y}", D.times(_more_states(D), D.linear("0 <= 1/pw(d)", part)), unit),
    )  # fmt: skip
    log = D.closed(D.pointwise("log(x) > 0", "x > 1", x="2"), D.linear("1 < 2"), D.linear("0 < 2"))
    positive = D.linear(f"0 < {y}*log(2)/8", product(D, product(D, size, part), log))
    less = D.linear(
        f"pw(d)*{COIN}*K/2 <= pw(d)**2*({y}*log(2)/8)",
        D.times(coin, D.linear("0 <= pw(d)", pairs)), D.scaled(unit, "pw(d)*S*A*log(2)/8"),
    )  # fmt: skip
    bracket = D.closed(bracket, positive)
    bound = _bound(D, f"{y}*log(2)/8", positive, less, bracket)
    scale = D.closed(D.pointwise("sqrt(q/k)*k == sqrt(q*k)", "q > 0", "k > 0", q="S*A", k="K"), size, episodes, D.whole("S*A*K"), product(D, size, D.positive("inverse-positive", "K", episodes)))
    says = "er(d, H)*sqrt(S*A*K)/7"
    largest = _largest(D, says, D.linear(f"pw(d)*{says} <= er(d, H)*D*K*4*pw(d)/7", D.scaled(scale, "pw(d)*er(d, H)/7"), D.scaled(gap, "4*pw(d)*K*er(d, H)/7")), bound, pairs)
    return D.imply(theorems.cut(large, largest), _USUAL)


def _bound(
    D: Derivation,  # noqa: N803
    inside: str,
    positive: Theorem,
    less: Theorem,
    bracket: Theorem,
) -> Theorem:
    """er(d, H) D K 4 n/7 <= the sum of the regrets, if n kl K/2 <= n² inside."""
    pairs, episodes = _pairs(D), D.linear("0 < K", D.fact("episodes"))
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
    second = product(D, pairs, root_positive(D, positive))
    roots = by_squares(D, first, second, below)
    each = D.times(bracket, D.linear("0 <= pw(d)", pairs))
    unit = D.positive("inverse", "pw(d)", pairs)
    enough = D.linear(f"4*pw(d)/7 <= pw(d) - 1 - 2*{u}/3", each, roots, unit)
    gap = D.linear("0 <= D", theorems.part(D.fact("gap"), D.formula("0 < D")))
    factor = D.times(D.times(store(D), gap), D.linear("0 <= K", episodes))
    goal = terms.relation("<=", D.term("er(d, H)*D*K*4*pw(d)/7"), D.formula(AVERAGE).parts[1])
    return D.linear(goal, D.times(enough, factor), D.lemma("eq:Rj/repaired"))


def _pairs(D: Derivation) -> Theorem:  # noqa: N803
    """0 < n."""
    return D.linear("0 < pw(d)", D.at(power_positive(D), i="d"))


def _largest(D: Derivation, says: str, enough: Theorem, bound: Theorem, pairs: Theorem) -> Theorem:  # noqa: N803
    """The largest is at least the average."""
    z, b = D.variable("z"), D.variable("b")
    inner = D.most("b", f"Ind(ht(z) == 1)*{REGRET}", "b")
    outer = D.most("z", f"MaxOver(b, Ind(ht(z) == 1)*{REGRET})", "z")
    one = D.linear(f"Ind(ht(z) == 1)*{REGRET} <= {_LARGEST}", inner, outer)
    mine = D.over(D.over(D.times(one, D.whole("Ind(ht(z) == 1)")), "b"), "z")
    count = D.scaled(count_of_pairs(D), _LARGEST)
    total = D.linear(f"pw(d)*{says} <= pw(d)*{_LARGEST}", enough, bound, mine, count)
    each = D.times(total, D.linear("0 <= 1/pw(d)", D.positive("inverse-positive", "pw(d)", pairs)))
    unit = D.positive("inverse", "pw(d)", pairs)
    return D.linear(f"{says} <= {_LARGEST}", each, D.scaled(unit, says), D.scaled(unit, _LARGEST))


def _more_states(D: Derivation) -> Theorem:  # noqa: N803
    """n <= S A."""
    return D.linear("pw(d) <= S*A", _nodes(D), D.fact("choice"), D.whole("S"))


def _chord(D: Derivation, long: Theorem, gap: Theorem, size: Theorem, episodes: Theorem) -> Theorem:  # noqa: N803
    """K kl <= S A log(2)/4."""
    low, high = (theorems.part(D.fact("gap"), D.formula(part)) for part in ("0 < D", "D < 1/2"))
    signs = D.linear("0 < 1 + 2*D", low), D.linear("0 < 1 - 2*D", high)
    joined = _log_of_product(D, *signs)
    ratio, unit = "(S*A/K)", D.positive("inverse", "K", episodes)
    part = D.positive("inverse-positive", "K", episodes)
    inside = product(D, size, part)
    root = D.positive("sqrt-square", ratio, D.linear(f"0 <= {ratio}", inside))
    square = D.linear(f"16*D**2 == {ratio}", root, D.scaled(gap, "16*D"), D.scaled(gap, f"4*sqrt({ratio})"))
    short = D.linear(f"{ratio} <= 2", D.times(long, D.linear("0 <= 1/K", part)), unit)
    claim = D.claim("thm:lowerbound/kl-chord", x=ratio)
    under = D.linear(f"1 - {ratio}/4 == 1 - 4*D**2", square)
    chord = D.closed(claim, D.linear(f"0 <= {ratio}", inside), short, D.linear(f"0 < 1 - {ratio}/4", short))
    chord = put(D, chord, (D.linear(under.says, under), *under.says.parts))
    return D.linear(
        f"{COIN}*K <= S*A*log(2)/4", D.times(D.linear(f"{COIN} <= {ratio}*log(2)/4", chord, joined), D.whole("K")), D.scaled(unit, "S*A*log(2)/4")
    )


def _log_of_product(D: Derivation, one: Theorem, two: Theorem) -> Theorem:  # noqa: N803
    """log(u) + log(v) == log(u v): their exponentials are the same."""
    u, v = one.says.parts[1], two.says.parts[1]
    both_ = terms.mul(u, v)
    logs = [terms.function("log", t) for t in (u, v, both_)]
    left, right = terms.add(logs[0], logs[1]), logs[2]
    powers = [D.positive("log", show(t), sign) for t, sign in ((u, one), (v, two), (both_, product(D, one, two)))]
    same = D.linear(
        terms.relation("==", terms.exp(left), terms.exp(right)),
        D.scaled(powers[0], terms.exp(logs[1])), D.scaled(powers[1], u), powers[2],
    )  # fmt: skip
    ends = []
    for a, b in ((left, right), (right, left)):
        ratio = D.scaled(same, terms.exp(terms.scale(b, -1)) if a is left else terms.exp(terms.scale(a, -1)))
        gap = terms.sub(a, b)
        tangent = D.pointwise("exp(v) - 1 - v >= 0", v=gap)
        back = D.scaled(same, terms.exp(terms.scale(left, -1))) if a is right else ratio
        ends.append(D.linear(terms.relation("<=", a, b), tangent, back))
    return D.mp(D.known("antisymmetric", left, right), theorems.both(*ends))


def _sizes(D: Derivation) -> tuple[Theorem, Theorem]:  # noqa: N803
    """S == 2 + G and (A - 1) G == n - 1, G the number of nodes."""
    tree = D.lemma("assume:LB/tree")
    found = [theorems.part(tree, D.formula(f)) for f in ("S == 2 + Sum(i, d, pw(i))", "(A - 1)*Sum(i, d, pw(i)) == pw(d) - 1")]
    return found[0], found[1]


def _nodes(D: Derivation) -> Theorem:  # noqa: N803
    """pw(d) == 1 + (A - 1)(S - 2)."""
    states, nodes = _sizes(D)
    return D.linear("pw(d) == 1 + (A - 1)*(S - 2)", D.scaled(states, "A - 1"), nodes)


def _eight(D: Derivation) -> Theorem:  # noqa: N803
    """8 <= pw(d), given 6 <= S."""
    large, some = D.assume("6 <= S"), D.fact("choice")
    power = _power(D)
    wide = D.times(D.linear("0 <= S - 6", large), D.linear("0 <= A - 1", some))
    enough = D.linear("4*(A - 1) <= pw(d) - 1", wide, _nodes(D))
    claim = D.claim("thm:lowerbound/pairs", A="A", d="d")
    facts = [D.linear("0 < A", some), some, D.fact("levels"), put(D, enough, power)]
    return D.linear("8 <= pw(d)", D.closed(claim, *facts), power)


def _power(D: Derivation) -> Theorem:  # noqa: N803
    """pw(d) == A**d, which is exp(d*log(A))."""
    base = D.scaled(D.positive("log", "A", D.linear("0 < A", D.fact("choice"))), "exp(i*log(A))")

    def step(below: Theorem) -> Theorem:
        return D.linear("pw(i + 1) == exp((i + 1)*log(A))", base, D.scaled(below, "A"), D.fact("pw-step"))

    return D.at(D.induction("i", "pw(i) == exp(i*log(A))", D.linear("pw(0) == exp(0)", D.fact("pw-0")), step), i="d")


def _leaves(D: Derivation, many: Theorem) -> Theorem:  # noqa: N803
    """4 S A <= 9 n, given 6 <= S."""
    positive = D.linear("0 < A", D.fact("choice"))
    nodes = _nodes(D)
    claim = D.claim("thm:lowerbound/leaves/sharp", A="A", S="S")
    facts = [positive, D.fact("choice"), D.assume("6 <= S"), D.linear("7 <= (A - 1)*(S - 2)", nodes, many)]
    each = D.times(D.closed(claim, *facts), D.linear("0 <= A", positive))
    unit = D.positive("inverse", "A", positive)
    return D.linear("4*S*A <= 9*pw(d)", each, nodes, unit, D.scaled(unit, "S"))


THEOREMS = {"eq:Rj/repaired": AVERAGE, "assume:LB/tree": TREE}
