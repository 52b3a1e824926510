r"""The model as a chain: what its rates add up to, when they determine it, and the law of one step."""

from __future__ import annotations

from proofs_checks.derivations.operators import part
from proofs_checks.derivations.runs import RATE
from verify.kernel import theorems
from verify.kernel.authoring import Derivation
from verify.kernel.theorems import Theorem

_OTHERS = "SumOver(y, (1 - Ind(y == x))*lam(x, a)*p(x, a, y))"
ROWS = f"{_OTHERS} + (-lam(x, a)*(1 - p(x, a, x))) == 0"


def rows(D: Derivation) -> Theorem:
    """The rates to the other states and the rate of staying add up to 0."""
    return D.linear(ROWS, D.scaled(D.fact("jump-sum"), "lam(x, a)"))


_ALONE = "p(x, a, x) == 0"
DETERMINED = f"Imp({_ALONE}, And({_OTHERS} == lam(x, a), lam(x, a)*p(x, a, y)/{_OTHERS} == p(x, a, y)))"


def determined(D: Derivation) -> Theorem:
    """Without self-loops the rates to the other states add up to λ, and determine the probabilities."""
    none = D.scaled(D.assume(_ALONE), "lam(x, a)")
    total = D.linear(f"{_OTHERS} == lam(x, a)", none, D.scaled(D.fact("jump-sum"), "lam(x, a)"))
    positive = D.linear("0 < lam(x, a)", D.fact("lmin"), D.fact("rate-low"))
    unit = D.scaled(D.positive("inverse", "lam(x, a)", positive), "p(x, a, y)")
    back = D.linear(f"lam(x, a) == {_OTHERS}", total)
    template = "lam(x, a)*p(x, a, y)/Real_1 == p(x, a, y)"
    share = D.rewrite(
        back, D.linear("lam(x, a)*p(x, a, y)/lam(x, a) == p(x, a, y)", unit), "Real_1", template
    )
    return D.imply(theorems.both(total, share), _ALONE)


_SEEN = "And(0 <= u, u <= rem(n))"
JOINT = (
    f"Imp({_SEEN}, E(jump(n)*Ind(spent(n) <= u)*Ind(X(n + 1) == y), n) == "
    f"(1 - exp(-{RATE}*u))*p(X(n), act(n), y))"
)


def joint(D: Derivation) -> Theorem:
    """P(the holding time is at most u, the next state is y), for u within the horizon."""
    seen = D.assume(_SEEN)
    law = D.instantiate(D.fact("law"), "glaw", "n s z", "Ind(s <= u)*Ind(z == y)")
    row = "p(X(n), act(n), y)"
    inside = D.instantiate(D.fact("shorter"), "gf", "s", f"exp(-{RATE}*s)")
    inside = D.mp(D.at(inside, t="u", u="rem(n)"), part(D, seen, "u <= rem(n)"))
    area = D.closed(D.primitive("s", "u", f"-exp(-{RATE}*s)"), part(D, seen, "0 <= u"))
    found = D.linear(
        f"E(jump(n)*Ind(spent(n) <= u)*Ind(X(n + 1) == y), n) == (1 - exp(-{RATE}*u))*{row}",
        law,
        D.scaled(inside, f"{RATE}*{row}"),
        D.scaled(area, row),
    )
    return D.imply(found, _SEEN)


UNSEEN = "Imp(Nf(n, x, a) == 0, And(All(y, ph(n, x, a, y) == 0), lh(n, x, a) == 0))"


def unseen(D: Derivation) -> Theorem:
    """A pair that was never left has the estimates 0."""
    none = D.assume("Nf(n, x, a) == 0")
    row = D.linear("ph(n, x, a, y) == 0", D.valued(D.fact("ph"), none))
    largest = D.fact("lmax")
    rate = D.valued(D.fact("lh"), none)
    low = D.split(
        D.known("min-cases", "0", "lmax"),
        lambda one: D.linear("0 <= lh(n, x, a)", one, rate, largest),
        lambda one: D.linear("0 <= lh(n, x, a)", one, rate, largest),
    )
    high = D.linear("lh(n, x, a) <= 0", rate, D.known("min", "0", "lmax"))
    zero = D.mp(D.known("antisymmetric", "lh(n, x, a)", "0"), theorems.both(high, low))
    return D.imply(theorems.both(D.all(row, "y"), zero), "Nf(n, x, a) == 0")


DERIVED = {
    "eq:M/rates/repaired": (ROWS, rows),
    "eq:M/equivalent/repaired": (DETERMINED, determined),
    "sec:episodicRL/joint-law": (JOINT, joint),
    "eq:rate-est/unseen": (UNSEEN, unseen),
}
