r"""The jumps of an episode are no Poisson process where the rate changes after the first of them.

With rate c in the initial state and d > c everywhere else, no jump is seen with probability
:math:`e^{-cH}`, and exactly one with :math:`\int_0^H ce^{-cs}e^{-d(H-s)}ds =
c\,(e^{-cH}-e^{-dH})/(d-c) < cHe^{-cH}`.
"""

from __future__ import annotations

from proofs_checks.derivations.earnings import same
from proofs_checks.derivations.operators import part
from proofs_checks.derivations.runs import by_jump, equal, observed, product, start
from verify.kernel import calculus, terms, theorems
from verify.kernel.authoring import Derivation
from verify.kernel.theorems import Theorem

_START = "Sure(X(0) == x0)"
_FIRST = "All(a, lam(x0, a) == c)"
_OTHERS = "All(a, All(y, Or(y == x0, lam(y, a) == d)))"
_LEAVES = "All(a, p(x0, a, x0) == 0)"
_NONE, _ONE = "E(1 - jump(0))", "E(jump(0)*(1 - jump(1)))"
TWO_RATES = (
    f"Imp(And({_START}, {_FIRST}, {_OTHERS}, {_LEAVES}, c < d), And({_NONE} == exp(-c*H), "
    f"{_ONE} < c*H*exp(-c*H), Imp({_NONE} == exp(-q), Not({_ONE} == q*exp(-q)))))"
)


def _from_start(D: Derivation, text: str, name: str) -> Theorem:
    """F(X(0)) == F(x0)."""
    return same(D, D.surely("X(0) == x0"), name, text)


def _rate(D: Derivation) -> Theorem:
    """λ(X(0), act(0)) == c."""
    return D.linear(
        "lam(X(0), act(0)) == c", _from_start(D, "lam(y, act(0))", "y"), D.special(D.assume(_FIRST), "act(0)")
    )


def _after(D: Derivation) -> Theorem:
    """jump(0) (1 - P(jump of decision 1)) is at most what it is with rate d, if another state was reached."""
    stay = "Ind(X(1) == x0)"
    rest = f"jump(0)*({stay} + (1 - {stay})*exp(-d*(H - spent(0))))"
    goal = f"jump(0)*exp(-lam(X(1), act(1))*rem(1)) <= {rest}"
    time = start(D, "rem(0) == H")
    sign = D.linear("0 <= lam(X(1), act(1))*rem(1)", _load(D))
    small = theorems.cut(sign, D.pointwise("exp(-u) <= 1", "u >= 0", u="lam(X(1), act(1))*rem(1)"))
    other = D.special(D.assume(_OTHERS), "act(1)", "X(1)")

    def build(values: list[Theorem], jumps: bool) -> Theorem:
        if not jumps:
            return D.by_value(goal, values)

        def stays(yes: Theorem) -> Theorem:
            return D.by_value(goal, [theorems.cut(yes, D.holds("X(1) == x0")), values[0]], small)

        def moves(no: Theorem) -> Theorem:
            rate = D.mp(D.known("either", "X(1) == x0", "lam(X(1), act(1)) == d"), theorems.both(other, no))
            return D.by_value(goal, [D.fails("X(1) == x0"), rate, *values, time])

        return D.cases("X(1) == x0", stays, moves)

    return by_jump(D, build, at="0")


def _load(D: Derivation) -> Theorem:
    low = D.fact("rate", x="X(1)", a="act(1)")
    time = D.linear("0 <= rem(1)", D.fact("spent-low", n="1"), D.fact("spent-high", n="1"))
    return D.times(time, low)


def _exactly_one(D: Derivation) -> Theorem:
    """P(J = 1) <= ∫ c exp(-cs) exp(-d (H - s)) ds."""
    last = D.at(observed(D), n="1")
    later = D.mean(D.scaled(last, "jump(0)"), "0")
    stay = "Ind(y == x0)"
    body = f"{stay} + (1 - {stay})*exp(-d*(H - s))"
    law = D.at(D.instantiate(D.fact("law"), "glaw", "n s y", body), n="0")
    rows = [
        _from_start(D, "p(y, act(0), x0)", "y"),
        D.special(D.assume(_LEAVES), "act(0)"),
        D.fact("jump-sum", x="X(0)", a="act(0)"),
    ]
    leaves = D.linear("p(X(0), act(0), x0) == 0", *rows[:2])
    law = D.valued(law, leaves, rows[2], _rate(D), start(D, "rem(0) == H"))
    mean = D.mean(_after(D), "0")
    conditional = D.linear(
        "E(jump(0)*(1 - jump(1)), 0) <= c*Int(s, H, exp(-c*s)*exp(-d*(H - s)))", later, mean, law
    )
    return D.mean(conditional)


def _less(D: Derivation) -> Theorem:
    """P(J = 1) < c H exp(-c H)."""
    gap, horizon = D.linear("0 < d - c", D.assume("c < d")), D.fact("horizon")
    rate = D.linear("0 < c", _rate(D), D.fact("lmin"), D.fact("rate-low", x="X(0)", a="act(0)"))
    area = D.scaled(D.closed(D.primitive("s", "H", "exp(-c*s - d*(H - s))"), horizon), "c")
    one = D.times(_exactly_one(D), gap)
    below = theorems.cut(product(D, gap, horizon), D.pointwise("1 - exp(-u) < u", "u > 0", u="(d - c)*H"))
    weight = product(D, rate, D.known("exp", "-c*H"))
    goal = D.formula("c*exp(-c*H)*(1 - exp(-(d - c)*H)) < c*exp(-c*H)*(d - c)*H")
    strict = calculus.combine(D.setting, goal, [below, weight], [(weight.says.parts[1], 1), terms.ZERO])
    says = f"{_ONE} < c*H*exp(-c*H)"

    def too_much(no: Theorem) -> Theorem:
        return D.absurd(D.linear("0 < 0", D.times(no, gap), one, area, strict), says)

    return D.cases(says, lambda yes: yes, too_much)


def _no_poisson(D: Derivation, none: Theorem, one: Theorem) -> Theorem:
    """If P(J = 0) is exp(-q), then q is c H, and P(J = 1) is less than q exp(-q)."""
    same_none = D.linear("exp(-q) == exp(-c*H)", D.assume(f"{_NONE} == exp(-q)"), none)
    sides = []
    for sign, load in (("q - c*H", "q"), ("c*H - q", "c*H")):
        above = D.pointwise("1 + u <= exp(u)", u=sign)
        sides.append(D.linear(f"{sign} <= 0", above, D.scaled(same_none, f"exp({load})")))
    equation = equal(D, *(D.linear(text, *sides) for text in ("q <= c*H", "c*H <= q")))
    claim = D.formula(f"{_ONE} == q*exp(-q)")
    facts = [D.scaled(same_none, "q"), D.scaled(equation, "exp(-c*H)"), one]

    def wrong(yes: Theorem) -> Theorem:
        return D.absurd(D.linear("0 < 0", yes, *facts), terms.negation(claim))

    return D.imply(D.cases(claim, wrong, lambda no: no), f"{_NONE} == exp(-q)")


def two_rates(D: Derivation) -> Theorem:
    """P(J = 0) and P(J = 1), and that no Poisson law has both."""
    whole = f"And({_START}, {_FIRST}, {_OTHERS}, {_LEAVES}, c < d)"
    seen = D.mean(D.valued(D.at(observed(D), n="0"), _rate(D), start(D, "rem(0) == H")))
    none, one = D.linear(f"{_NONE} == exp(-c*H)", seen), _less(D)
    found = theorems.both(none, one, _no_poisson(D, none, one))
    for text in (_START, _FIRST, _OTHERS, _LEAVES, "c < d"):
        found = theorems.cut(part(D, D.assume(whole), text), found)
    return D.imply(found, whole)


DERIVED = {"sec:introduction/not-poisson": (TWO_RATES, two_rates)}
