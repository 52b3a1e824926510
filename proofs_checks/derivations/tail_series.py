r"""Sums of Poisson tails: Σ_m P(Z > m) = v and Σ_m √P(Z > m) between v and what Chernoff's bounds add up to.

``tail(n, t)`` is P(Poisson(λmax t) >= n), and v = λmax H.  By induction, with q = λmax t,

.. math:: tail(n,t) \le e^{q(e^h-1)-hn}, \qquad q - \sum_{l<n} tail(l+1,t) \le q\,tail(n,t),

and n tail(n, H) stays bounded; so whatever all partial sums of the roots are below is at least v.
"""

from __future__ import annotations

from proofs_checks.derivations.nearby import either_way
from proofs_checks.derivations.number_of_jumps import grows
from proofs_checks.derivations.poisson_levels import FAR, nonnegative, shifted
from proofs_checks.derivations.potentials import rate_bound
from proofs_checks.derivations.powers import mass
from proofs_checks.derivations.runs import product, settled
from proofs_checks.derivations.unions import square_below
from verify.kernel import calculus, theorems
from verify.kernel.authoring import Derivation
from verify.kernel.theorems import Theorem

_KERNEL = "lmax*exp(-lmax*s)"
_VALUE = "lmax*H"
ROOT = f"sqrt({FAR})"
BELOW = f"All(k, Sum(l, k, {ROOT}) <= g)"
"""The partial sums of Σ_m √P(Z > m) are at most g."""

MEAN = f"Imp({BELOW}, {_VALUE} <= g)"
CHOSEN = f"({_VALUE}*(exp(h) - 1)/h + 1/(exp(h/2) - 1))"
ONE = f"((exp(1) - 1)*({_VALUE}) + 1/(exp(1/2) - 1))"
"""The same for h = 1."""
SHORT = f"{_VALUE} + 2*sqrt({_VALUE}) + 1/4"
SERIES = f"And(Imp(0 < h, Sum(l, m, {ROOT}) <= {CHOSEN}), Sum(l, m, {ROOT}) <= {SHORT})"


def _kernel(D: Derivation) -> Theorem:
    return D.times(D.linear("0 <= lmax", rate_bound(D)), D.known("exp", "-lmax*s"))


def _within(D: Derivation) -> Theorem:
    """0 <= s, s <= t ⊢ 0 <= t - s."""
    return theorems.cut(D.assume("0 <= s"), D.linear("0 <= t - s", D.assume("s <= t")))


def chernoff(D: Derivation) -> Theorem:
    """0 <= t ⊢ tail(n, t) <= exp(lmax t (e^h - 1) - h n), given 0 <= h."""
    bound = "exp(lmax*{t}*(exp(h) - 1) - h*{n})"

    def claim(n: str) -> str:
        return f"All(t, Imp(0 <= t, tail({n}, t) <= {bound.format(t='t', n=n)}))"

    def step(before: Theorem) -> Theorem:
        near = D.times(D.mp(D.special(before, "t - s"), _within(D)), _kernel(D))
        whole = D.integral(near, "s", "t")
        inside = "lmax*t*(exp(h) - 1) - h*(n + 1) - lmax*exp(h)*s"
        area = D.primitive("s", "t", f"-exp({inside})")
        rest = D.known("exp", inside.replace("*s", "*t"))
        one = D.linear(
            f"tail(n + 1, t) <= {bound.format(t='t', n='(n + 1)')}", D.fact("tail-step"), whole, area, rest
        )
        return D.all(D.imply(one, "0 <= t"), "t")

    size = D.times(D.times(grows(D), rate_bound(D)), D.assume("0 <= t"))
    first = D.closed(D.pointwise("exp(x) >= 1", "x >= 0", x="lmax*t*(exp(h) - 1)"), size)
    first = D.linear(f"tail(0, t) <= {bound.format(t='t', n='0')}", D.fact("tail-0"), first)
    first = D.all(D.imply(first, "0 <= t"), "t")
    return D.mp(D.special(D.induction("n", claim("n"), first, step), "t"), D.assume("0 <= t"))


def rest(D: Derivation) -> Theorem:
    """0 <= t ⊢ lmax t - Σ over l < n of tail(l + 1, t) <= lmax t tail(n, t)."""

    def says(n: str, t: str = "t") -> str:
        return f"lmax*{t} - Sum(l, {n}, tail(l + 1, {t})) <= lmax*{t}*tail({n}, {t})"

    def step(before: Theorem) -> Theorem:
        inside = _within(D)
        late = D.times(D.times(nonnegative(D, "n", "t - s", inside), D.assume("0 <= s")), rate_bound(D))
        near = D.linear(
            "lmax*(t - s) - Sum(l, n, tail(l + 1, t - s)) <= lmax*t*tail(n, t - s)",
            D.mp(D.special(before, "t - s"), inside),
            late,
        )
        whole = D.integral(D.times(near, _kernel(D)), "s", "t")
        area = D.primitive("s", "t", "-(lmax*(t - s) - 1)*exp(-lmax*s)")
        later = D.sum(D.fact("tail-step", n="l + 1"), "l", "n")
        sure = D.integral(D.scaled(D.fact("tail-0", t="t - s"), _KERNEL), "s", "t")
        order = D.at(D.instantiate(shifted(D), "gx", "i", "tail(i + 1, t)"), m="n")
        facts = (D.fact("tail-step", n="0"), sure, mass(D, "lmax", "t"), later, order)
        last = D.scaled(D.fact("tail-step"), "lmax*t")
        return D.all(D.imply(D.linear(says("(n + 1)"), whole, area, *facts, last), "0 <= t"), "t")

    first = D.all(D.imply(D.linear(says("0"), D.scaled(D.fact("tail-0"), "lmax*t")), "0 <= t"), "t")
    found = D.induction("n", f"All(t, Imp(0 <= t, {says('n')}))", first, step)
    return D.mp(D.special(found, "t"), D.assume("0 <= t"))


def _far(D: Derivation, n: str = "l + 1") -> tuple[Theorem, Theorem]:
    """0 <= tail(n, H), and Chernoff's bound of it."""
    late = D.linear("0 <= H", D.fact("horizon"))
    return nonnegative(D, n, "H", late), theorems.cut(late, D.at(D.at(chernoff(D), t="H"), n=n))


def mean(D: Derivation) -> Theorem:
    """eq:term1-3/levels/mean."""
    sign, small = _far(D)
    flat = D.closed(D.at(small, h="0"))
    root = D.closed(D.pointwise("x <= sqrt(x)", "0 <= x", "x <= 1", x=FAR), sign, flat)
    below = D.special(D.assume(BELOW), "n")
    late = D.linear("0 <= H", D.fact("horizon"))
    left = theorems.cut(late, D.at(rest(D), t="H"))
    left = D.linear(f"{_VALUE} - g <= {_VALUE}*tail(n, H)", left, D.sum(root, "l", "n"), below)
    decay = D.closed(D.at(_far(D, "n")[1], h="1"))
    bound = f"exp({_VALUE}*(exp(1) - 1))"
    whole = D.times(
        D.closed(D.pointwise("x*exp(-x) <= 1", "x >= 0", x="n"), D.whole("n")),
        D.known("exp", f"{_VALUE}*(exp(1) - 1)"),
    )
    value = product(D, rate_bound(D), D.fact("horizon"))
    few = D.times(D.linear(f"n*tail(n, H) <= {bound}", D.times(decay, D.whole("n")), whole), value)
    many = D.linear(f"n*({_VALUE} - g) <= {_VALUE}*{bound}", D.times(left, D.whole("n")), few)
    return D.imply(D.linear(f"{_VALUE} <= g", calculus.archimedes(many, D.variable("n"))), BELOW)


def _root(D: Derivation, half: str, small: Theorem) -> Theorem:
    """√tail(l + 1, H) <= min(1, e^y), from tail(l + 1, H) <= e^{2y}."""
    sign, chosen = _far(D)
    square, bound = D.positive("sqrt-square", FAR, sign), f"exp({half})"

    def below(most: str, one: Theorem) -> Theorem:
        squares = D.linear(f"{ROOT}**2 <= ({most})**2", square, one)
        return square_below(D, squares, D.linear(f"0 <= {most}", D.known("exp", half)), ROOT, most)

    roots = below("1", D.closed(D.at(chosen, h="0"))), below(bound, small)
    goal = f"{ROOT} <= Min(1, {bound})"
    return either_way(D, D.known("min-cases", "1", bound), goal, *roots)


def _chosen(D: Derivation) -> Theorem:
    """0 < h ⊢ the series with Chernoff's bounds for h."""
    positive = D.assume("0 < h")
    start, step = f"{_VALUE}*(exp(h) - 1)/2", "h/2"
    low = D.linear("0 <= h", positive)
    one = _root(D, f"{start} - {step}*(l + 1)", D.closed(_far(D)[1], low))
    value = product(D, rate_bound(D), D.fact("horizon"))
    size = D.linear(f"0 <= {start}", D.times(D.closed(grows(D), low), value))
    total = D.mp(D.lemma("eq:term1-3/levels", u=start, d=step), size, D.linear(f"0 < {step}", positive))
    return D.imply(D.linear(f"Sum(l, m, {ROOT}) <= {CHOSEN}", D.sum(one, "l", "m"), total), "0 < h")


def _short(D: Derivation) -> Theorem:
    """The same for e^{h/2} = 1 + 1/√v."""
    value = product(D, rate_bound(D), D.fact("horizon"))
    root = settled(D, D.pointwise("sqrt(x) > 0", "x > 0", x=_VALUE), value)
    inverse = D.positive("inverse-positive", f"sqrt({_VALUE})", root)
    base = f"(1 + 1/sqrt({_VALUE}))"
    log = f"log{base}"
    exact = D.positive("log", base, D.linear(f"0 < {base}", inverse))
    squared = D.linear(f"exp(2*{log}) == {base}**2", D.scaled(exact, f"exp({log})"), D.scaled(exact, base))
    rises = D.closed(D.pointwise("log(1 + x) > 0", "x > 0", x=f"1/sqrt({_VALUE})"), inverse)
    small = D.valued(D.closed(D.at(_far(D)[1], h=f"2*{log}"), D.linear(f"0 <= 2*{log}", rises)), squared)
    one = _root(D, f"({_VALUE}*({base}**2 - 1) - 2*{log}*(l + 1))/2", small)
    total = D.mp(D.lemma("eq:term1-3/levels/leading", v=_VALUE), value)
    return D.linear(f"Sum(l, m, {ROOT}) <= {SHORT}", D.sum(one, "l", "m"), total)


def series(D: Derivation) -> Theorem:
    """eq:term1-3/levels/poisson."""
    return theorems.both(_chosen(D), _short(D))


def at_one(D: Derivation) -> Theorem:
    """BELOW for g = ONE."""
    both = D.lemma("eq:term1-3/levels/poisson", h="1", m="k")
    chosen = theorems.part(both, D.formula(f"Imp(0 < 1, Sum(l, k, {ROOT}) <= {ONE})"))
    return D.all(D.mp(chosen, D.linear("0 < 1")), "k")
