"""The discretised problem tends to the HJB equation: a grid as fine as the error asks for.

A step of length h = H/n leaves the state with probability λh and earns rh, the action is chosen anew at each:
its best value after n steps is that of n explicit Euler steps (``eq:hjb-pde/euler``), λmax H h/2 away.
"""

from __future__ import annotations

from proofs_checks.derivations.euler import BOUNDED, SCHEME, SOLVES, STARTS
from proofs_checks.derivations.nearby import chain
from proofs_checks.derivations.runs import product
from verify.kernel import theorems
from verify.kernel.authoring import Derivation
from verify.kernel.theorems import Theorem

_GIVEN = (SOLVES, STARTS, BOUNDED, SCHEME, "1 <= n", "n*h == H", "lmax*H <= n", "lmax*H**2 <= 2*e*n")
GRID_LIMIT = chain("Abs(gu(x, H) - gq(n, x, h)) <= e", *_GIVEN)


def grid_limit(D: Derivation) -> Theorem:
    """n h = H, λmax H <= n, λmax H² <= 2 e n ⊢ |v(x, H) - w_n(x)| <= e."""
    *equations, some, whole, fast, fine = map(D.assume, _GIVEN)
    number = D.linear("0 < n", some)
    share, unit = D.positive("inverse-positive", "n", number), D.positive("inverse", "n", number)
    step = D.linear("h == H/n", D.scaled(whole, "1/n"), D.scaled(unit, "h"))
    grid = theorems.both(
        D.linear("0 < h", product(D, D.fact("horizon"), share), step),
        D.linear("lmax*h <= 1", D.times(fast, share), D.scaled(step, "lmax"), unit),
        D.linear("n*h <= H", whole),
    )
    found = D.mp(D.lemma("eq:hjb-pde/euler"), *equations, grid)
    near = theorems.part(found, D.formula("Abs(gu(x, n*h) - gq(n, x, h)) <= lmax*H*h/2"))
    size = [D.times(fine, share), D.scaled(step, "lmax*H"), D.scaled(unit, "2*e")]
    error = D.linear("Abs(gu(x, n*h) - gq(n, x, h)) <= e", near, *size)
    error = D.rewrite(whole, error, "t", "Abs(gu(x, t) - gq(n, x, h)) <= e")
    return D.imply(error, *_GIVEN)
