"""``eq:sumK``: a run without jumps is possible, and on it every count is 0."""

from __future__ import annotations

from proofs_checks.derivations.counting import WEIGHT
from proofs_checks.derivations.potentials import rate_bound
from proofs_checks.derivations.runs import RATE, by_jump, equal, observed, remaining
from verify.kernel import theorems
from verify.kernel.authoring import Derivation
from verify.kernel.theorems import Theorem

_QUIET = "Sum(i, {m}, jump(i)) <= 0"
QUIET = (
    f"And(Imp({_QUIET.format(m='K')}, Sum(n, K, {WEIGHT.format(n='n')}) == K), "
    f"exp(-lmax*H*K) <= E(Ind({_QUIET.format(m='K')})))"
)


def quiet(D: Derivation) -> Theorem:
    """Counts are 0 after no jumps; a decision ends without one with probability at least e^{-lmax H}."""
    return theorems.both(no_counts(D), possible(D))


def no_counts(D: Derivation) -> Theorem:
    """Without a jump in the first K decisions the K weights are 1."""
    before = "Sum(i, n, jump(i))"
    few = "{c}(n, x, a) <= " + before
    pair = D.decide(
        "Ind(X(n) == x)*Ind(act(n) == a)*jump(n) <= jump(n)", ["X(n) == x", "act(n) == a"], D.whole("jump(n)")
    )
    seen = D.induction(
        "n",
        few.format(c="N"),
        D.linear("N(0, x, a) <= Sum(i, 0, jump(i))", D.fact("N-0")),
        lambda below: D.linear("N(n + 1, x, a) <= Sum(i, n + 1, jump(i))", below, D.fact("N-step"), pair),
    )
    after = D.at(seen, n="n + 1")
    known = D.induction(
        "n",
        few.format(c="Nf"),
        D.linear("Nf(0, x, a) <= Sum(i, 0, jump(i))", D.fact("Nf-0")),
        lambda below: by_jump(
            D,
            lambda case, _: D.by_value(
                "Nf(n + 1, x, a) <= Sum(i, n + 1, jump(i))", [D.fact("Nf-step"), *case], below, after
            ),
        ),
    )
    silent = D.assume(_QUIET.format(m="K"))
    none = D.linear("Nf(n, X(n), act(n)) <= 0", D.at(known, x="X(n)", a="act(n)"), _earlier(D), silent)
    count = equal(D, none, D.whole("Nf(n, X(n), act(n))"))
    one = D.by_value(f"{WEIGHT.format(n='n')} == 1", [count])
    return D.imply(D.sum(one, "n", "K"), _QUIET.format(m="K"))


def _earlier(D: Derivation) -> Theorem:
    """n < K ⊢ Sum(i, n, jump(i)) <= Sum(i, K, jump(i))."""
    goal = "Imp(n <= m, Sum(i, n, jump(i)) <= Sum(i, m, jump(i)))"
    zero = D.linear("0 == n", equal(D, D.assume("n <= 0"), D.whole("n")))
    first = D.rewrite(zero, D.linear("Sum(i, 0, jump(i)) <= 0"), "l", "Sum(i, l, jump(i)) <= 0")
    first = D.imply(first, "n <= 0")

    def step(below: Theorem) -> Theorem:
        after = "Sum(i, n, jump(i)) <= Sum(i, m + 1, jump(i))"

        def case(assumed: Theorem) -> Theorem:
            if assumed.says is D.formula("n <= m"):
                return D.linear(after, D.mp(below, assumed), D.whole("jump(m)"))
            same = equal(D, D.assume("n <= m + 1"), assumed)
            return D.rewrite(
                D.linear("m + 1 == n", same),
                D.linear("Sum(i, m + 1, jump(i)) <= Sum(i, m + 1, jump(i))"),
                "l",
                "Sum(i, l, jump(i)) <= Sum(i, m + 1, jump(i))",
            )

        return D.imply(D.split(D.known("discrete", "n", "m"), case, case), "n <= m + 1")

    shown = D.at(D.induction("m", goal, first, step), m="K")
    return D.mp(shown, D.linear("n <= K", D.assume("n < K")))


def possible(D: Derivation) -> Theorem:
    """e^{-lmax H K} <= P(no jump in the first K decisions)."""
    quiet_now, after = _QUIET.format(m="n"), _QUIET.format(m="n + 1")
    goal = f"Ind({quiet_now})*(1 - jump(n)) <= Ind({after})"
    step = by_jump(
        D, lambda case, _: D.by_value(goal, case, D.whole(f"Ind({quiet_now})"), D.whole(f"Ind({after})"))
    )
    _, high = remaining(D)
    slow = D.times(D.fact("rate-high", x="X(n)", a="act(n)"), remaining(D)[0])
    gap = D.linear(f"0 <= lmax*H - {RATE}*rem(n)", slow, D.times(high, rate_bound(D)))
    decay = D.closed(D.pointwise("exp(x) >= 1", "x >= 0", x=f"lmax*H - {RATE}*rem(n)"), gap)
    decay = D.times(decay, D.known("exp", "-lmax*H"))
    stays = D.linear("exp(-lmax*H) <= 1 - E(jump(n), n)", decay, observed(D))
    each = D.mean(
        D.linear(
            f"exp(-lmax*H)*Ind({quiet_now}) <= E(Ind({after}), n)",
            D.mean(step, "n"),
            D.times(stays, D.whole(f"Ind({quiet_now})")),
        )
    )

    def claim(n: str) -> str:
        return f"exp(-lmax*H*{n}) <= E(Ind({_QUIET.format(m=n)}))"

    shown = D.induction(
        "n",
        claim("n"),
        D.linear(claim("0")),
        lambda below: D.linear(claim("(n + 1)"), D.times(below, D.known("exp", "-lmax*H")), each),
    )
    return D.at(shown, n="K")
