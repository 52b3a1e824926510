"""The event 𝒢 for short horizons: the jump sets peel by peel, seldom many jumps, and the rate sets."""

from __future__ import annotations

from proofs_checks.derivations.crossings import exp_equal
from proofs_checks.derivations.jump_cover import PAIRS, without_data
from proofs_checks.derivations.jump_repaired import DATA, JUMPS_COVER, _denied, wide_without_data, at_decision, both_hold, everywhere
from proofs_checks.derivations.jump_sets import COUNT, DISTANCE
from proofs_checks.derivations.peels import MISS, _size
from proofs_checks.derivations.potentials import rate_bound
from proofs_checks.derivations.rates import level
from proofs_checks.derivations.runs import equal, maximum, product, settled
from proofs_checks.derivations.theorem import PEELS, Choice, many, positive_product
from proofs_checks.derivations.unions import all_cover, all_pairs, covered, ever, one_of_sum, square_below, whole_cases
from verify.kernel import terms, theorems
from verify.kernel.authoring import Derivation
from verify.kernel.theorems import Theorem

LAMBDA = "(S*log(2) + log(S*A*H*K**2/delta))"
_PEELS = f"(1 + (sqrt({LAMBDA}) + 1)*log(c)/4)"
LOST = f"S*A*2**S*{_PEELS}*exp(1 - {LAMBDA})"
_SEEN_COVER = f"Imp(And(1 <= {COUNT}, {COUNT} <= c), {JUMPS_COVER})"
_MANY = "exp(2)*lmax*(K - 1)*H <= c"
COVER = all_cover(PAIRS.format(cover=JUMPS_COVER), "ep(i) < K")
CONDITIONS = (f"0 < {LAMBDA}", "1 <= c", DATA, _MANY)
PEELED_SETS = f"1 - {LOST} - exp(-c) <= E(Ind({COVER}))"
for _one in reversed(CONDITIONS):
    PEELED_SETS = f"Imp({_one}, {PEELED_SETS})"


def off(D: Derivation) -> Theorem:  # noqa: N803
    """α < ‖p̂ - p‖₁, 1 <= N <= c ⊢ 1 <= MISS, with w = √Λ."""
    positive, some, few = D.assume(f"0 < {LAMBDA}"), D.assume(f"1 <= {COUNT}"), D.assume(f"{COUNT} <= c")
    miss = D.assume(terms.negation(D.formula(JUMPS_COVER)))
    ratio = f"2*{LAMBDA}/{COUNT}"
    radius = D.valued(D.fact("al", n="i"), maximum(D, "1", COUNT, some))
    number = D.linear(f"0 < {COUNT}", some)
    inverse, unit = D.positive("inverse-positive", COUNT, number), D.positive("inverse", COUNT, number)
    inside = D.linear(f"0 <= {ratio}", product(D, positive, inverse))
    square = D.positive("sqrt-square", ratio, inside)
    root = D.known("sqrt", ratio)
    wide = D.linear(f"0 <= {DISTANCE} - sqrt({ratio})", miss, radius)
    both = D.times(wide, D.linear(f"0 <= {DISTANCE} + sqrt({ratio})", wide, root))
    far = D.linear(
        f"2*{LAMBDA} <= {COUNT}*{DISTANCE}**2", D.times(D.linear(f"{ratio} <= {DISTANCE}**2", both, square), number),
        D.scaled(unit, f"2*{LAMBDA}"),
    )
    width = D.positive("sqrt-square", LAMBDA, D.linear(f"0 <= {LAMBDA}", positive))
    far = D.linear(f"2*sqrt({LAMBDA})**2 <= {COUNT}*{DISTANCE}**2", far, width)
    event = miss_text()
    here = D.by_value(f"1 <= {event}", [theorems.cut(one, D.holds(one.says)) for one in (some, few, far)])
    return _denied(D, [some, few], miss, here)


def miss_text() -> str:
    """MISS with w = √Λ."""
    return MISS.replace("w**2", f"sqrt({LAMBDA})**2")


def peeled_sets(D: Derivation) -> Theorem:  # noqa: N803
    """P(the jump sets cover) >= 1 - SA 2^S J e^(1-Λ) - e^(-c)."""
    positive, room = D.assume(f"0 < {LAMBDA}"), D.assume("1 <= c")
    root = f"sqrt({LAMBDA})"
    width = settled(D, D.pointwise("sqrt(x) > 0", "x > 0", x=LAMBDA), positive)
    rarely = D.mp(D.at(D.lemma("lem:CI-p/peeled"), w=root), width, room)
    square = D.positive("sqrt-square", LAMBDA, D.linear(f"0 <= {LAMBDA}", positive))
    cover, missed, bound = all_pairs(D, off(D), rarely, _SEEN_COVER)
    seen = D.valued(covered(D, cover, missed, bound, "ep(i) < K"), D.fact("states"), D.fact("actions"))
    power = exp_equal(D, D.linear(f"S*log(2) + 1 - {root}**2 == S*log(2) + 1 - {LAMBDA}", square))
    seen = D.linear(
        terms.relation("<=", D.term(f"1 - {LOST}"), seen.says.parts[1]), seen, D.scaled(power, f"S*A*{_PEELS}")
    )
    counts = D.mp(D.lemma("lem:CI-p/counts"), D.assume(_MANY))
    data = D.assume(DATA)

    def entails(first: Theorem, second: Theorem) -> Theorem:
        one, every = one_of_sum(D, COUNT, "a"), one_of_sum(D, f"SumOver(a, {COUNT})", "x")
        few = D.linear(f"{COUNT} <= c", one, every, at_decision(D, second))
        covers = at_decision(D, first, "x", "a")

        def none(no: Theorem) -> Theorem:
            zero = equal(D, no, D.whole(COUNT))
            radius = D.valued(D.fact("al", n="i"), zero)
            return D.linear(JUMPS_COVER, theorems.cut(zero, without_data(D)), radius, wide_without_data(D, data))

        return everywhere(D, whole_cases(D, COUNT, none, lambda yes: D.mp(covers, theorems.both(yes, few))))

    return D.imply(both_hold(D, seen, counts, entails), *CONDITIONS)
