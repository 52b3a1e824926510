"""Steps of the printed proof of ``prop:rateerror``: Jensen's inequality, and a mean of a Poisson law."""

from __future__ import annotations

from proofs_checks.derivations.runs import equal, product, settled
from verify.kernel import calculus, theorems
from verify.kernel.authoring import Derivation
from verify.kernel.theorems import Theorem

_COUNT = "Max(1, gz(n))"
JENSEN = f"1/sqrt(E({_COUNT})) <= E(1/sqrt({_COUNT}))"


def jensen(D: Derivation) -> Theorem:
    """The root's inverse lies above its tangent at the mean."""
    one = D.known("max", "1", "gz(n)")
    mean = D.mean(one)
    at = D.pointwise("1/sqrt(x) >= 1/sqrt(c) - (x - c)/(2*c*sqrt(c))", "x > 0", "c > 0", x=_COUNT, c="q")
    positive = D.assume("0 < q")
    root = settled(D, D.pointwise("sqrt(x) > 0", "x > 0", x="q"), positive)
    at = settled(D, at, one, positive, product(D, positive, root))
    at = D.at(D.mean(at), q=f"E({_COUNT})")
    return D.closed(D.linear(JENSEN, at), D.linear(f"0 < E({_COUNT})", mean))


# --- the mean of max{N, 1}, N Poisson -----------------------------------------------------------------

_POISSON = "And(All(n, 0 <= gx(n)), gx(0) == exp(-u), All(n, (n + 1)*gx(n + 1) == u*gx(n)))"
_TOTAL, _MEAN = "Sum(n, m, gx(n))", "Sum(n, m, Max(n, 1)*gx(n))"
LARGER_MEAN = (
    f"Imp(0 < u, Imp({_POISSON}, Imp(All(m, {_TOTAL} <= 1), Imp(Sup(m, {_TOTAL}) == 1, "
    f"Sup(m, {_MEAN}) == exp(-u) + u))))"
)


def larger_mean(D: Derivation) -> Theorem:
    """Σ_{n <= m} max{n, 1} q_n = q_0 + μ Σ_{n < m} q_n."""
    positive, law = D.assume("0 < u"), D.assume(_POISSON)
    sign, first, step = law.says.parts
    parts = [theorems.part(law, one) for one in (sign, first, step)]
    low = next(D.special(p, "n") for p in parts if p.says is D.formula("All(n, 0 <= gx(n))"))
    start = next(p for p in parts if p.says is D.formula("gx(0) == exp(-u)"))
    ratio = next(
        D.special(p, "m") for p in parts if p.says is D.formula("All(n, (n + 1)*gx(n + 1) == u*gx(n))")
    )
    most = maximum_left(D)

    def claim(m: str) -> str:
        return f"Sum(n, {m} + 1, Max(n, 1)*gx(n)) == exp(-u) + u*Sum(n, {m}, gx(n))"

    shown = D.induction(
        "m",
        claim("m"),
        D.linear(claim("0"), start),
        lambda below: D.linear(claim("(m + 1)"), below, ratio, D.scaled(most, "gx(m + 1)")),
    )
    few = D.special(D.assume(f"All(m, {_TOTAL} <= 1)"), "m")
    rises = D.times(D.at(low, n="m"), D.linear("0 <= Max(m, 1)", D.known("max-right", "m", "1")))
    above = D.linear(f"{_MEAN} <= exp(-u) + u", shown, D.times(few, positive), rises)
    name = D.variable("m")
    high = calculus.bounded(above, name)
    top = D.at(calculus.supremum(above, name, D.term("k + 1")), k="m")
    inverse, unit = D.positive("inverse-positive", "u", positive), D.positive("inverse", "u", positive)
    limit = f"Sup(m, {_MEAN})"
    least = D.linear(
        f"{_TOTAL} <= ({limit} - exp(-u))/u",
        D.times(D.linear(f"u*{_TOTAL} <= {limit} - exp(-u)", shown, top), inverse),
        D.scaled(unit, _TOTAL),
    )
    whole = D.times(calculus.bounded(least, name), positive)
    total = D.assume(f"Sup(m, {_TOTAL}) == 1")
    low_end = D.linear(
        f"exp(-u) + u <= {limit}", whole, D.scaled(total, "u"), D.scaled(unit, f"{limit} - exp(-u)")
    )
    result = equal(D, high, low_end)
    return D.imply(result, "0 < u", _POISSON, f"All(m, {_TOTAL} <= 1)", f"Sup(m, {_TOTAL}) == 1")


def maximum_left(D: Derivation) -> Theorem:
    """Max(m + 1, 1) == m + 1."""
    goal = "Max(m + 1, 1) <= m + 1"
    facts = D.whole("m")
    high = D.split(
        D.known("max-cases", "m + 1", "1"),
        lambda one: D.linear(goal, one, facts),
        lambda one: D.linear(goal, one, facts),
    )
    return equal(D, high, D.known("max", "m + 1", "1"))
