"""The main term of ``thm:CT-UCB``: eq:r1, eq:r2 and the two propositions put together."""

from __future__ import annotations

from collections.abc import Sequence

from proofs_checks.derivations.episode import FROZEN, GOOD, own_bounds, supposed
from proofs_checks.derivations.learners import for_paper
from proofs_checks.derivations.nearby import chain
from proofs_checks.derivations.potentials import rate_bound
from proofs_checks.derivations.probabilities import LEVELED, LONG, SEEN, TIMES, WAIT, both_levels
from proofs_checks.derivations.rates import RATE_BOUND, RATES, level
from proofs_checks.derivations.regret import (
    COLLECTED,
    EVENT,
    GAP,
    HERE,
    LOAD,
    OPTIMIST,
    REGRET,
    SIZES,
    any_optimist,
    begins,
)
from proofs_checks.derivations.runs import ACTIVE, product, remaining, settled
from proofs_checks.derivations.seen_rates import SEEN_BOUND
from proofs_checks.derivations.so_far import always, often, so_far, where
from proofs_checks.derivations.tail_series import BELOW
from verify.kernel import theorems
from verify.kernel.authoring import Derivation
from verify.kernel.theorems import Theorem

RADICAND = "(2*(S*log(2) + log(S*A*H*K**2/delta)))"
_NARROW = "sqrt(S*A*K)*({D})"
WIDE = f"{WAIT}*{_NARROW}"
_ROOTS = f"(2*sqrt({RADICAND}) + 7/3*lmax*H*sqrt(2*L))"


def paid_by(factor: str, seen: str = "0") -> str:
    """(H + 1/λmin) c + w, for a learner whose decisions cost (α + Hβ)(cu + wp).

    u is the remaining time, p the probability that a jump is seen.
    """
    return f"({WAIT}*({factor}) + ({seen}))"


def main_term(payment: str, levels: str) -> str:
    """The main term for that payment."""
    return f"{payment}*({_NARROW.format(D=levels)})*{_ROOTS}"


def core_theorem(payment: str, levels: str, *conditions: str, load: str = LOAD) -> str:
    """The bound of the regret with that payment, where the estimates are right but for probability q."""
    text = f"{REGRET.format(m='m')} <= {main_term(payment, levels)} + {load} + q*K*H"
    return chain(text, *conditions, f"0 <= {RADICAND}", f"1 - q <= E(Ind({EVENT.format(m='m')}))")


def _both(payment: str, load: str = LOAD) -> str:
    levels = core_theorem(payment, LONG, load=load), core_theorem(payment, LEVELED, BELOW, load=load)
    return f"And({', '.join(levels)})"


RIGHT_SO_FAR = any_optimist(always(GOOD))
"""What is supposed of any learner, where its estimates were right whenever an episode began."""

ANY_LOAD = f"e*{LOAD}"
ANY_CORE = chain(_both(paid_by("c", "w"), ANY_LOAD), *RIGHT_SO_FAR, *SIZES)
CORE = _both(paid_by("C*H + 1"))


def jump_sum(D: Derivation, weight: str) -> Theorem:
    """0 <= RADICAND ⊢ E Σ α weight == √RADICAND E Σ weight/√max{1, N}."""
    count = "Max(1, Nf(n, X(n), act(n)))"
    real, some = D.assume(f"0 <= {RADICAND}"), D.known("max", "1", "Nf(n, X(n), act(n))")
    root = D.pointwise("sqrt(x/y) == sqrt(x)/sqrt(y)", "x >= 0", "y > 0", x=RADICAND, y=count)
    inverse = D.positive("inverse-positive", count, D.linear(f"0 < {count}", some))
    root = settled(D, root, real, D.linear(f"0 < {count}", some), D.times(real, inverse))
    one = D.linear(
        f"al(n, X(n), act(n)) == sqrt({RADICAND})/sqrt({count})", D.fact("al", x="X(n)", a="act(n)"), root
    )
    return D.sum(D.mean(D.scaled(one, f"{ACTIVE}*{weight}")), "n", "m")


_BOUNDS = (
    ("prop:proberror/sharp", f"{TIMES} <= 2*{WAIT}*sqrt(S*A*K)*"),
    ("prop:rateerror/repaired", f"{RATES} <= {RATE_BOUND}"),
    ("prop:proberror/seen", f"E({SEEN}) <= 2*sqrt(S*A*K)*"),
    ("prop:rateerror/seen", SEEN_BOUND),
)


def any_core(D: Derivation) -> Theorem:
    """The regret is at most the main term, the accuracies, and q K H."""
    event, payment = f"1 - q <= E(Ind({EVENT.format(m='m')}))", paid_by("c", "w")
    sizes = [D.assume(one) for one in SIZES]
    split = so_far(D, D.mp(D.lemma("eq:r1/any-learner"), D.assume(FROZEN[0])), GOOD)
    split = D.mp(split, often(D, D.assume(event), GOOD))
    happens = (*FROZEN, *OPTIMIST)
    collected = so_far(D, D.mp(D.lemma("eq:r2/any-learner"), *map(D.assume, happens), *sizes), GOOD)
    for one in RIGHT_SO_FAR[2:]:
        right = D.mp(supposed(D, one), D.assume(always(GOOD)))
        collected = theorems.cut(where(D, always(GOOD), right), collected)
    radii = [D.scaled(jump_sum(D, one), k) for one, k in (("rem(n)", "c"), ("jump(n)", "w"))]
    weights = [
        D.times(one, size) for size in sizes[:2] for one in (D.known("sqrt", RADICAND), D.fact("horizon"))
    ]
    rate, positive = rate_bound(D), D.linear("0 < L", level(D))
    same = D.pointwise("sqrt(r*L)*sqrt(2*r) == r*sqrt(2*L)", "r > 0", "L > 0", r="lmax", L="L")
    same = settled(D, same, rate, positive, product(D, rate, positive))

    def total(levels: str, bounds: Sequence[Theorem]) -> Theorem:
        whole = main_term(payment, levels)
        sums = [D.times(one, weight) for one, weight in zip(bounds, weights, strict=True)]
        roots = D.scaled(same, f"7/3*H*{payment}*{_NARROW.format(D=levels)}")
        most = D.linear(f"{COLLECTED.format(m='m')} <= {whole}", *sums, *radii, roots)
        paid = D.mp(D.at(collected, v=whole), D.all(most, "m"))
        bound = D.linear(f"{REGRET.format(m='m')} <= {whole} + {ANY_LOAD} + q*K*H", split, paid)
        return D.imply(bound, f"0 <= {RADICAND}", event)

    plain, chosen = zip(*(both_levels(D, D.lemma(label), text) for label, text in _BOUNDS), strict=True)
    found = theorems.both(total(LONG, plain), D.imply(total(LEVELED, chosen), BELOW))
    return D.imply(found, *RIGHT_SO_FAR, *SIZES)


def core(D: Derivation) -> Theorem:
    """The same for CT-UCBVI."""
    return for_paper(D, "thm:CT-UCB/main/any-learner", "0 <= C*H + 1")


def trivial(D: Derivation) -> Theorem:
    """REGRET(m) <= K H."""
    low, most, own = own_bounds(D)
    _, high = remaining(D)
    few = D.times(D.linear(f"{HERE} <= H", low, own, high), D.whole(f"{ACTIVE}*new(n)"))
    gap = [D.scaled(begins(D, text), ACTIVE) for text in ("Vs({x}, {t})", "Vpi({n}, {x}, {t})")]
    del most
    one = D.mean(D.linear(f"{ACTIVE}*new(n)*{GAP} <= H*{ACTIVE}*new(n)", few, *gap))
    each = D.instantiate(D.lemma("prop:rateerror/episodes"), "gx", "k", "1")
    each = D.times(D.mean(D.mp(each, D.all(D.linear("0 <= 1"), "k"))), D.fact("horizon"))
    return D.linear(f"{REGRET.format(m='m')} <= K*H", D.sum(one, "n", "m"), each)
