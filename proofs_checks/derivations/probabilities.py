"""``prop:proberror``: from remaining times to observed jumps, their counts, and the sum over all episodes.

The paper's E Σ_k Σ_m (H - t_m)^+ f is E(Sum(n, m, Ind(ep(n) + 1 <= K)*rem(n)*f(n))), for every number m of
decisions; a bound for every m is one for the whole sum.
"""

from __future__ import annotations

from proofs_checks.derivations.counting import LEVEL, WEIGHT, all_levels
from proofs_checks.derivations.longest import FACTOR
from proofs_checks.derivations.runs import ACTIVE, RATE, observed, remaining, settled
from proofs_checks.derivations.tail_series import BELOW, ONE, at_one
from verify.kernel import theorems
from verify.kernel.authoring import Derivation
from verify.kernel.theorems import Theorem

_W = WEIGHT.format(n="n")
TIMES, SEEN = f"E(Sum(n, m, {ACTIVE}*rem(n)*{_W}))", f"Sum(n, m, {ACTIVE}*jump(n)*{_W})"
ROOTS = f"Sum(l, m, sqrt({LEVEL.format(n='m')}))"
WAIT = "(H + 1/lmin)"
CS2 = f"{TIMES} <= {WAIT}*E({SEEN})"
CS3 = f"And({SEEN} <= 2*sqrt(S*A)*{ROOTS}, E({SEEN}) <= 3*sqrt(S*A)*E({ROOTS}))"
CS4 = f"E({SEEN}) <= 3*sqrt(S*A*K)*E(top(m))"
PROBERROR = f"{TIMES} <= 3*{WAIT}*sqrt(S*A*K)*((lmax*H + 1)*{FACTOR})"
LONG, LEVELED = f"(lmax*H + 1)*{FACTOR}", "g"
"""What can take the place of the mean of J_M; the second where BELOW is supposed of it."""
SEEN_SHARP = f"And(E({SEEN}) <= 2*sqrt(S*A*K)*({LONG}), Imp({BELOW}, E({SEEN}) <= 2*sqrt(S*A*K)*{LEVELED}))"
_TIMES = f"{TIMES} <= 2*{WAIT}*sqrt(S*A*K)*"
SHARP = f"And({_TIMES}({LONG}), Imp({BELOW}, {_TIMES}{LEVELED}), {_TIMES}{ONE})"


def observed_jumps(D: Derivation) -> Theorem:
    """eq:CS2."""
    low, high = remaining(D)
    rate, least = D.fact("rate-low", x="X(n)", a="act(n)"), D.fact("lmin")
    price = settled(D, D.claim("eq:CS1", u="rem(n)", m="lmin", H="H"), low, high, D.fact("horizon"), least)
    more = settled(D, D.claim("prop:proberror/conditional", u="rem(n)", m="lmin", l=RATE), low, rate, least)
    wait = D.linear(f"0 <= {WAIT}", D.fact("horizon"), D.positive("inverse-positive", "lmin", least))
    one = D.linear(f"rem(n) <= {WAIT}*E(jump(n), n)", price, D.times(more, wait), D.scaled(observed(D), WAIT))
    return D.sum(D.mean(D.times(D.times(one, weight(D)), D.whole(ACTIVE))), "n", "m")


def weight(D: Derivation) -> Theorem:
    """0 < 1/√max(1, Nf)."""
    count = "Max(1, Nf(n, X(n), act(n)))"
    root = settled(
        D, D.pointwise("sqrt(x) > 0", "x > 0", x=count), D.known("max", "1", "Nf(n, X(n), act(n))")
    )
    return D.positive("inverse-positive", f"sqrt({count})", root)


def by_level(D: Derivation) -> Theorem:
    """eq:CS3."""
    path, roots = all_levels(D), D.sum(D.known("sqrt", LEVEL.format(n="m")), "l", "m")
    more = D.mean(D.times(roots, D.known("sqrt", "S*A")))
    return theorems.both(path, D.linear(f"E({SEEN}) <= 3*sqrt(S*A)*E({ROOTS})", D.mean(path), more))


def by_longest(D: Derivation) -> Theorem:
    """eq:CS4."""
    levels = theorems.part(D.lemma("eq:CS3"), D.formula(f"E({SEEN}) <= 3*sqrt(S*A)*E({ROOTS})"))
    most = D.times(D.mean(D.lemma("eq:JM-eq")), D.known("sqrt", "S*A"))
    return D.linear(CS4, levels, most, D.scaled(root_product(D), "E(top(m))"))


def root_product(D: Derivation) -> Theorem:
    """√(S A K) == √(S A) √K."""
    both = D.pointwise("sqrt(x*y) == sqrt(x)*sqrt(y)", "x >= 0", "y >= 0", x="S*A", y="K")
    return settled(D, both, D.whole("S*A"), D.whole("K"), D.whole("S*A*K"))


def waits(D: Derivation) -> Theorem:
    """0 < H + 1/lmin."""
    return D.linear(f"0 < {WAIT}", D.fact("horizon"), D.positive("inverse-positive", "lmin", D.fact("lmin")))


def jump_errors(D: Derivation) -> Theorem:
    """prop:proberror."""
    jumps = D.times(D.lemma("eq:CS4"), waits(D))
    most = D.times(D.times(D.lemma("eq:term1-3"), D.known("sqrt", "S*A*K")), waits(D))
    return D.linear(PROBERROR, D.lemma("eq:CS2"), jumps, most)


def seen_jumps(D: Derivation) -> Theorem:
    """prop:proberror/seen."""
    path = theorems.part(D.lemma("eq:CS3"), D.formula(f"{SEEN} <= 2*sqrt(S*A)*{ROOTS}"))
    root = D.known("sqrt", "S*A")

    def bound(factor: str, roots: Theorem) -> Theorem:
        """From E ROOTS <= √K factor."""
        facts = D.times(roots, root), D.scaled(root_product(D), factor)
        return D.linear(f"E({SEEN}) <= 2*sqrt(S*A*K)*({factor})", D.mean(path), *facts)

    longest = D.linear(
        f"E({ROOTS}) <= sqrt(K)*({LONG})",
        D.mean(D.lemma("eq:JM-eq")),
        D.times(D.lemma("eq:term1-3"), D.known("sqrt", "K")),
    )
    most = D.times(D.special(D.assume(BELOW), "m"), D.known("sqrt", "K"))
    leveled = D.linear(f"E({ROOTS}) <= sqrt(K)*{LEVELED}", D.lemma("eq:JM-eq/sharp", n="m"), most)
    return theorems.both(bound(LONG, longest), D.imply(bound(LEVELED, leveled), BELOW))


def sharp_jump_errors(D: Derivation) -> Theorem:
    """prop:proberror/sharp."""
    plain, chosen = both_levels(D, D.lemma("prop:proberror/seen"), f"E({SEEN}) <= 2*sqrt(S*A*K)*")

    def bound(factor: str, jumps: Theorem) -> Theorem:
        return D.linear(f"{_TIMES}({factor})", D.lemma("eq:CS2"), D.times(jumps, waits(D)))

    leveled = D.imply(bound(LEVELED, chosen), BELOW)
    at_most = D.mp(D.at(leveled, g=ONE), at_one(D))
    return theorems.both(bound(LONG, plain), leveled, at_most)


def both_levels(D: Derivation, theorem: Theorem, text: str) -> tuple[Theorem, Theorem]:
    """The bound with LONG as its last factor, and, given BELOW, with LEVELED."""
    leveled = theorems.part(theorem, D.formula(f"Imp({BELOW}, {text}{LEVELED})"))
    return theorems.part(theorem, D.formula(f"{text}({LONG})")), D.mp(leveled, D.assume(BELOW))
