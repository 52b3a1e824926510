"""Times and jumps of a run: what was spent before an episode, and that there are seldom many jumps.

All jumps together make exp(ζ N - (e^ζ - 1) Σ λ T) a martingale, and what was spent before episode k is kH:
more than c jumps in K - 1 episodes have probability at most e^(-c), if c >= e² λmax (K-1) H (ζ = 2).
"""

from __future__ import annotations

from collections.abc import Sequence

from proofs_checks.derivations.crossings import by_jump, frozen_at
from proofs_checks.derivations.unions import all_cover, covered, order
from verify.kernel import theorems
from verify.kernel.authoring import Derivation
from verify.kernel.theorems import Theorem


def spent_in_pair(D: Derivation) -> tuple[Theorem, Theorem]:
    """0 <= Tf(n, x, a) and Tf(n, x, a) <= ep(n) H: what is seen of a pair is in the episodes before."""
    here, events = "Ind(X(n) == x)*Ind(act(n) == a)*spent(n)", ["X(n) == x", "act(n) == a"]
    sign = D.fact("spent-low")
    more = D.decide(f"0 <= {here}", events, sign), D.decide(f"{here} <= spent(n)", events, sign)
    facts = {name: D.fact(name) for name in ("T-0", "T-step", "Tf-0", "Tf-step")}
    low, high = "0 <= {T}", "{T} <= ep({n})*H{last}"
    whole, seen = (f"{name}({{n}}, x, a)" for name in ("T", "Tf"))
    steps = [
        _by_induction(D, text, whole, " + H - rem({n})", [facts["T-0"]], [facts["T-step"]], more)
        for text in (low, high)
    ]
    kept = [facts["Tf-step"], facts["T-step"]]
    found = [_by_induction(D, text, seen, "", [facts["Tf-0"]], kept, (*steps, *more)) for text in (low, high)]
    return found[0], found[1]


_ALL = "SumOver(x, SumOver(a, {u}))"


def spent_in_all(D: Derivation) -> Theorem:
    """Σ Tf(n, x, a) <= ep(n) H."""
    facts = {name: D.over(D.over(D.fact(name), "a"), "x") for name in ("T-0", "T-step", "Tf-0", "Tf-step")}
    text = "{T} <= ep({n})*H{last}"
    whole, seen = (_ALL.format(u=f"{name}({{n}}, x, a)") for name in ("T", "Tf"))
    step = _by_induction(D, text, whole, " + H - rem({n})", [facts["T-0"]], [facts["T-step"]], ())
    return _by_induction(D, text, seen, "", [facts["Tf-0"]], [facts["Tf-step"], facts["T-step"]], (step,))


def _by_induction(
    D: Derivation,
    text: str,
    time: str,
    last: str,
    first: Sequence[Theorem],
    steps: Sequence[Theorem],
    more: Sequence[Theorem],
) -> Theorem:
    def says(n: str) -> str:
        return text.format(T=time.format(n=n), n=n, last=last.format(n=n))

    begin = [theorems.part(D.fact("start"), D.formula(one)) for one in ("rem(0) == H", "ep(0) == 0")]

    def step(before: Theorem) -> Theorem:
        after = says("n + 1")
        return by_jump(D, lambda equations: D.by_value(after, [*steps, *equations], before, *more))

    return D.induction("n", says("n"), D.by_value(says("0"), [*begin, *first]), step)


def before_last(D: Derivation) -> Theorem:
    """ep(i) < K ⊢ ep(i) + 1 <= K."""
    ends, goal = D.assume("ep(i) < K"), "ep(i) + 1 <= K"
    return order(D, "K", "ep(i)", lambda no: D.absurd(D.linear("0 < 0", no, ends), goal), lambda yes: yes)


# --- all jumps --------------------------------------------------------------------------------------

TOTAL = _ALL.format(u="Nf(i, x, a)")
COUNTS = f"Imp(exp(2)*lmax*(K - 1)*H <= c, 1 - exp(-c) <= E(Ind({all_cover(f'{TOTAL} <= c', 'ep(i) < K')})))"


def _exponent(n: str, f: str) -> str:
    jumps, times = (_ALL.format(u=u) for u in (f"N{f}({n}, x, a)", f"lam(x, a)*T{f}({n}, x, a)"))
    return f"(2*{jumps} - (exp(2) - 1)*{times})"


def counts(D: Derivation) -> Theorem:
    """With probability at least 1 - e^(-c) no more than c jumps are seen before an episode k < K."""

    def everywhere(name: str) -> Theorem:
        weight = "lam(x, a)" if name[0] == "T" else "1"
        return D.over(D.over(D.scaled(D.fact(name), weight), "a"), "x")

    after, before = _exponent("n + 1", ""), _exponent("n", "")
    step = "2*jump(n) - lam(X(n), act(n))*(exp(2) - 1)*spent(n)"
    moves = D.by_value(
        f"exp({after} - {before}) == exp({step})", [everywhere("N-step"), everywhere("T-step")]
    )
    one = D.at(D.lemma("lem:rateUCB/martingale"), d="2")
    falls = D.linear(f"E(exp({after} - {before}), n) <= 1", D.mean(moves, "n"), one)
    starts = [
        D.by_value(f"{_exponent('0', f)} == 0", [everywhere(f"N{f}-0"), everywhere(f"T{f}-0")])
        for f in ("", "f")
    ]
    kept = D.by_value(
        f"{_exponent('n + 1', 'f')} == jump(n)*{_exponent('n', 'f')} + (1 - jump(n))*{after}",
        [everywhere("Nf-step"), everywhere("Tf-step")],
    )
    rarely = frozen_at(D, (before, _exponent("n", "f")), falls, theorems.both(*starts), kept)
    result = covered(D, f"{TOTAL} <= c", _many(D), rarely, "ep(i) < K")
    return D.imply(result, D.formula(COUNTS).parts[0])


def _many(D: Derivation) -> Theorem:
    """Where more than c jumps are seen, the exponent is at least c."""
    times = _ALL.format(u="Tf(i, x, a)")
    top = D.fact("lmax")
    total = D.times(D.times(before_last(D), D.fact("horizon")), top)
    spent = D.linear(f"lmax*{times} <= lmax*(K - 1)*H", D.times(D.at(spent_in_all(D), n="i"), top), total)
    slower = D.over(D.over(D.times(D.fact("rate-high"), D.at(spent_in_pair(D)[0], n="i")), "a"), "x")
    grows = D.linear("0 <= exp(2) - 1", D.pointwise("1 + x <= exp(x)", x="2"))
    drift = D.times(
        D.linear(f"{_ALL.format(u='lam(x, a)*Tf(i, x, a)')} <= lmax*(K - 1)*H", slower, spent), grows
    )
    sign = D.times(D.times(D.linear("0 <= K - 1", D.fact("episodes")), top), D.fact("horizon"))
    enough, many = D.assume("exp(2)*lmax*(K - 1)*H <= c"), D.assume(f"c < {TOTAL}")
    high = D.linear(f"c <= {_exponent('i', 'f')}", drift, sign, enough, many)
    return D.by_value(f"1 <= Ind(c <= {_exponent('i', 'f')})", [theorems.cut(high, D.holds(high.says))])
