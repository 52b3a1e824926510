"""The main term of ``thm:CT-UCB``: eq:r1, eq:r2 and the two propositions put together."""

from __future__ import annotations

from proofs_checks.derivations.episode import own_bounds
from proofs_checks.derivations.optimism import factor_low
from proofs_checks.derivations.potentials import rate_bound
from proofs_checks.derivations.probabilities import LEVELED, LONG, TIMES, WAIT
from proofs_checks.derivations.rates import RATE_BOUND, RATES, level
from proofs_checks.derivations.regret import (
    COLLECTED,
    EVENT,
    GAP,
    HERE,
    LOAD,
    REGRET,
    begins,
)
from proofs_checks.derivations.runs import ACTIVE, product, remaining, settled
from verify.kernel import theorems
from verify.kernel.authoring import Derivation
from verify.kernel.theorems import Theorem

RADICAND = "(2*(S*log(2) + log(S*A*H*K**2/delta)))"
MAIN = "(C*H + 1)*(" + WAIT + "*sqrt(S*A*K)*({D}))*(2*sqrt(" + RADICAND + ") + 7/3*lmax*H*sqrt(2*L))"


def core_theorem(factor: str, *conditions: str) -> str:
    """The bound of the regret with that factor, where the estimates are right but for probability q."""
    text = f"{REGRET.format(m='m')} <= {MAIN.format(D=factor)} + {LOAD} + q*K*H"
    for one in (f"1 - q <= E(Ind({EVENT.format(m='m')}))", f"0 <= {RADICAND}", *conditions):
        text = f"Imp({one}, {text})"
    return text


CORE = f"And({core_theorem(LONG)}, {core_theorem(LEVELED, '0 < h')})"


def jump_sum(D: Derivation) -> Theorem:
    """0 <= RADICAND ⊢ JUMP_SUM == √RADICAND TIMES."""
    count = "Max(1, Nf(n, X(n), act(n)))"
    real, some = D.assume(f"0 <= {RADICAND}"), D.known("max", "1", "Nf(n, X(n), act(n))")
    root = D.pointwise("sqrt(x/y) == sqrt(x)/sqrt(y)", "x >= 0", "y > 0", x=RADICAND, y=count)
    inverse = D.positive("inverse-positive", count, D.linear(f"0 < {count}", some))
    root = settled(D, root, real, D.linear(f"0 < {count}", some), D.times(real, inverse))
    one = D.linear(
        f"al(n, X(n), act(n)) == sqrt({RADICAND})/sqrt({count})", D.fact("al", x="X(n)", a="act(n)"), root
    )
    return D.sum(D.mean(D.scaled(one, f"{ACTIVE}*rem(n)")), "n", "m")


def core(D: Derivation) -> Theorem:
    """The regret is at most the main term, the accuracies, and q K H."""
    event = f"1 - q <= E(Ind({EVENT.format(m='m')}))"
    factor, horizon = factor_low(D), D.fact("horizon")
    first = D.linear("0 <= C*H + 1", D.times(factor, horizon))
    second = D.linear("0 <= C*H**2 + H", D.times(first, horizon))
    root = D.known("sqrt", RADICAND)
    split = D.mp(D.lemma("eq:r1"), D.assume(event))
    rate, positive = rate_bound(D), D.linear("0 < L", level(D))
    signs = [rate, positive, product(D, rate, positive)]

    def total(name: str, jumps: Theorem, rates: Theorem) -> Theorem:
        wide = f"{WAIT}*sqrt(S*A*K)*({name})"
        same = D.pointwise("sqrt(r*L)*sqrt(2*r) == r*sqrt(2*L)", "r > 0", "L > 0", r="lmax", L="L")
        same = D.scaled(settled(D, same, *signs), f"7/3*(C*H**2 + H)*{wide}")
        most = D.linear(
            f"{COLLECTED.format(m='m')} <= {MAIN.format(D=name)}",
            D.times(D.times(jumps, root), first),
            D.scaled(jump_sum(D), "C*H + 1"),
            D.times(rates, second),
            same,
        )
        paid = D.mp(D.at(D.lemma("eq:r2"), v=MAIN.format(D=name)), D.all(most, "m"))
        bound = D.linear(f"{REGRET.format(m='m')} <= {MAIN.format(D=name)} + {LOAD} + q*K*H", split, paid)
        return D.imply(bound, f"0 <= {RADICAND}", event)

    jumps, rates = D.lemma("prop:proberror/sharp"), D.lemma("prop:rateerror/repaired")
    prob = f"{TIMES} <= 2*{WAIT}*sqrt(S*A*K)*"
    texts = [
        (f"{prob}({LONG})", f"{RATES} <= {RATE_BOUND}({LONG})"),
        (f"{prob}{LEVELED}", f"{RATES} <= {RATE_BOUND}{LEVELED}"),
    ]
    plain = [theorems.part(one, D.formula(text)) for one, text in zip((jumps, rates), texts[0], strict=True)]
    chosen = [
        D.mp(theorems.part(one, D.formula(f"Imp(0 < h, {text})")), D.assume("0 < h"))
        for one, text in zip((jumps, rates), texts[1], strict=True)
    ]
    return theorems.both(total(LONG, *plain), D.imply(total(LEVELED, *chosen), "0 < h"))


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
