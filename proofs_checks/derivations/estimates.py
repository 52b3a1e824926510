r"""The estimates of the learner are those of a model: rates in [0, λmax], rows that sum to at most 1.

Counts and times only grow, and what is known when an episode begins is one of them.
"""

from __future__ import annotations

from proofs_checks.derivations.iterations import BONUS
from proofs_checks.derivations.operators import RATES_HIGH, RATES_LOW, ROWS_HIGH, ROWS_LOW, modulus, part
from proofs_checks.derivations.runs import either, equal
from verify.kernel import terms, theorems
from verify.kernel.authoring import Derivation
from verify.kernel.theorems import Theorem

LEARNED_MODEL = {
    "glam": ("x a", "lh(n, x, a)"),
    "gp": ("x a y", "ph(n, x, a, y)"),
    "gbon": ("x a", "bo(n, x, a)"),
}
"""What the generic estimates are at decision n; rename the n of a theorem before these are put in."""

_LEARNED = {"glam(x, a)": "lh(n, x, a)", "gp(x, a, y)": "ph(n, x, a, y)", "gbon(x, a)": "bo(n, x, a)"}


def _learned(text: str) -> str:
    for generic, estimate in _LEARNED.items():
        text = text.replace(generic, estimate)
    return text


_PARTS = [_learned(text) for text in (RATES_LOW, RATES_HIGH, ROWS_LOW, ROWS_HIGH, BONUS)]
_ROW = "All(x, All(a, SumOver(y, ph(n, x, a, y)) == Nf(n, x, a)/Max(1, Nf(n, x, a))))"
ESTIMATED = f"And({', '.join(_PARTS)}, {_ROW})"


def learned_model(D: Derivation) -> tuple[Theorem, Theorem]:
    """ESTIMATES and BONUS for the learner at decision n."""
    whole = D.lemma("eq:empirical-P/probability/repaired")
    *model, bonus = (part(D, whole, text) for text in _PARTS)
    return theorems.both(*model), bonus


def inverse_sign(D: Derivation, text: str, sign: Theorem) -> Theorem:
    """0 <= 1/u, from 0 <= u; 1/0 is 0."""
    return D.cases(
        f"0 < {text}",
        lambda yes: D.linear(f"0 <= 1/({text})", D.positive("inverse-positive", text, yes)),
        lambda no: _at_zero(D, text, sign, no, "0 <= 1/Real_1"),
    )


def _at_zero(D: Derivation, text: str, sign: Theorem, no: Theorem, template: str) -> Theorem:
    """The template at u, where u is 0."""
    zero = D.mp(D.known("antisymmetric", "0", text), theorems.both(sign, no))
    at = D.linear(D.at(D.assume(template), Real_1="0").says)
    return D.rewrite(zero, at, "Real_1", template)


def _counts(D: Derivation) -> Theorem:
    """Σ_y M(n, x, a, y) == N(n, x, a)."""
    first = D.linear("SumOver(y, M(0, x, a, y)) == N(0, x, a)", D.over(D.fact("M-0"), "y"), D.fact("N-0"))

    def step(before: Theorem) -> Theorem:
        jumps = D.over(D.fact("M-step"), "y")
        return D.linear("SumOver(y, M(n + 1, x, a, y)) == N(n + 1, x, a)", jumps, D.fact("N-step"), before)

    return D.induction("n", "SumOver(y, M(n, x, a, y)) == N(n, x, a)", first, step)


def _known_counts(D: Derivation) -> Theorem:
    """Σ_y Mf(n, x, a, y) == Nf(n, x, a)."""
    counted = D.at(_counts(D), n="n + 1")
    first = D.linear("SumOver(y, Mf(0, x, a, y)) == Nf(0, x, a)", D.over(D.fact("Mf-0"), "y"), D.fact("Nf-0"))

    def step(before: Theorem) -> Theorem:
        facts = [D.scaled(before, "jump(n)"), D.scaled(counted, "1 - jump(n)")]
        known = D.over(D.fact("Mf-step"), "y")
        goal = "SumOver(y, Mf(n + 1, x, a, y)) == Nf(n + 1, x, a)"
        return D.linear(goal, *facts, known, D.fact("Nf-step"))

    return D.induction("n", "SumOver(y, Mf(n, x, a, y)) == Nf(n, x, a)", first, step)


def times_known(D: Derivation) -> Theorem:
    """0 <= Tf(n, x, a)."""
    here = "Ind(X(n) == x)*Ind(act(n) == a)"
    spent = D.times(D.whole(here), D.fact("spent-low"))
    time = D.induction(
        "n",
        "0 <= T(n, x, a)",
        D.linear("0 <= T(0, x, a)", D.fact("T-0")),
        lambda before: D.linear("0 <= T(n + 1, x, a)", D.fact("T-step"), before, spent),
    )
    stays, ends = D.whole("jump(n)"), D.linear("0 <= 1 - jump(n)", D.fact("jump"))

    def step(before: Theorem) -> Theorem:
        facts = [D.times(before, stays), D.times(D.at(time, n="n + 1"), ends)]
        return D.linear("0 <= Tf(n + 1, x, a)", D.fact("Tf-step"), *facts)

    return D.induction("n", "0 <= Tf(n, x, a)", D.linear("0 <= Tf(0, x, a)", D.fact("Tf-0")), step)


def _rows(D: Derivation) -> tuple[Theorem, Theorem, Theorem]:
    """0 <= p̂, Σ p̂ = N/max{1, N}, and Σ p̂ <= 1."""
    count = "Nf(n, x, a)"
    positive = D.whole(count)
    share = inverse_sign(D, count, positive)
    low = D.linear("0 <= ph(n, x, a, y)", D.fact("ph"), D.times(D.whole("Mf(n, x, a, y)"), share))
    row = D.over(D.fact("ph"), "y")
    total = D.scaled(_known_counts(D), f"1/{count}")
    goal = f"{count}*(1/{count}) <= 1"
    at_most = D.cases(
        f"0 < {count}",
        lambda yes: D.linear(goal, D.positive("inverse", count, yes)),
        lambda no: _at_zero(D, count, positive, no, "Real_1*(1/Real_1) <= 1"),
    )
    above = D.linear("SumOver(y, ph(n, x, a, y)) <= 1", row, total, at_most)
    template = "Real_1*(1/Real_1) == Real_1/Max(1, Real_1)"

    def divided(one: Theorem) -> Theorem:
        none = one.says is D.formula(f"{count} <= 0")
        return _at_zero(D, count, positive, one, template) if none else _divided(D, count, one)

    shares = D.split(D.known("discrete", count, "0"), divided, divided)
    return low, D.linear(f"SumOver(y, ph(n, x, a, y)) == {count}/Max(1, {count})", row, total, shares), above


def _divided(D: Derivation, count: str, some: Theorem) -> Theorem:
    """N/N == N/max{1, N} for 1 <= N."""

    def same(one: Theorem) -> Theorem:
        return _same(D, one, some, count)

    largest = D.split(D.known("max-cases", "1", count), same, same)
    template = f"{count}*(1/{count}) == {count}/Real_1"
    back = D.linear(f"{count} == Max(1, {count})", largest)
    return D.rewrite(back, D.linear(D.at(D.assume(template), Real_1=count).says), "Real_1", template)


def _same(D: Derivation, one: Theorem, some: Theorem, count: str) -> Theorem:
    """Max(1, N) == N, where it is 1 or N."""
    low = D.linear(f"{count} <= Max(1, {count})", D.known("max-right", "1", count))
    high = D.linear(f"Max(1, {count}) <= {count}", one, some)
    return D.mp(D.known("antisymmetric", f"Max(1, {count})", count), theorems.both(high, low))


def _rates(D: Derivation) -> tuple[Theorem, Theorem]:
    """0 <= λ̂ <= λmax."""
    time, rate = "Tf(n, x, a)", "Nf(n, x, a)/Tf(n, x, a)"
    quotient = D.times(D.whole("Nf(n, x, a)"), inverse_sign(D, time, times_known(D)))
    largest = D.linear("0 <= lmax", D.fact("lmax"))
    either = D.known("min-cases", rate, "lmax")
    goal, defined = "0 <= lh(n, x, a)", D.fact("lh")
    low = D.split(
        either,
        lambda one: D.linear(goal, one, defined, quotient, largest),
        lambda one: D.linear(goal, one, defined, quotient, largest),
    )
    return low, D.linear("lh(n, x, a) <= lmax", defined, D.known("min-right", rate, "lmax"))


def radii(D: Derivation) -> tuple[Theorem, Theorem]:
    """0 <= α and 0 <= β."""
    facts = [D.fact(name) for name in ("al", "be")]
    roots = [D.known("sqrt", fact.says.parts[1].parts[0]) for fact in facts]
    jumps, rates = (
        D.linear(terms.relation("<=", terms.ZERO, fact.says.parts[0]), fact, root)
        for fact, root in zip(facts, roots, strict=True)
    )
    return jumps, rates


def learned_bonus(D: Derivation) -> Theorem:
    """0 <= b, for the bonus of eq:bonus-k or a share of it."""
    at, horizon = plan(D), D.linear("0 <= H", D.fact("horizon"))
    jumps, rates = (D.at(one, n=at) for one in radii(D))
    inner = D.linear(
        f"0 <= H**2*be({at}, x, a) + H*al({at}, x, a)",
        D.times(D.times(rates, horizon), horizon),
        D.times(jumps, horizon),
    )
    factor = D.linear("0 <= C", D.fact("C"), D.known("max-right", "lmax/(1 - exp(-lmax*H))", "1"))
    return D.linear("0 <= bo(n, x, a)", D.fact("bo"), D.times(inner, factor))


def estimated_model(D: Derivation) -> Theorem:
    """ESTIMATES and BONUS for the learner, and what the rows sum to."""
    low, high = _rates(D)
    row, sums, above = _rows(D)
    every = [D.all(one, "x", "a") for one in (low, high)]
    rows = [D.all(row, "x", "a", "y"), D.all(above, "x", "a")]
    return theorems.both(*every, *rows, D.all(learned_bonus(D), "x", "a"), D.all(sums, "x", "a"))


# --- whatever the learner adds to them --------------------------------------------------------------

_SEEN = "Or(lh(n, x, a) == 0, SumOver(y, ph(n, x, a, y)) == 1)"
MODEL = f"And({', '.join(_PARTS[:4])}, All(x, All(a, {_SEEN})))"


def model(D: Derivation) -> Theorem:
    """ESTIMATES for those of decision n, and that a row is a probability wherever the rate is not 0."""
    low, high = _rates(D)
    row, sums, above = _rows(D)
    count = "Nf(n, x, a)"

    def case(one: Theorem) -> Theorem:
        if one.says is D.formula(f"{count} <= 0"):
            none = D.mp(D.lemma("eq:rate-est/unseen"), equal(D, one, D.whole(count)))
            return either(D, part(D, none, "lh(n, x, a) == 0"), _SEEN)
        unit = D.positive("inverse", count, D.linear(f"0 < {count}", one))
        whole = D.linear("SumOver(y, ph(n, x, a, y)) == 1", sums, _divided(D, count, one), unit)
        return either(D, whole, _SEEN)

    seen = D.split(D.known("discrete", count, "0"), case, case)
    pairs = [D.all(one, "x", "a") for one in (low, high, above, seen)]
    return theorems.both(*pairs, D.all(row, "x", "a", "y"))


def learned_sets(D: Derivation) -> tuple[Theorem, Theorem]:
    """ESTIMATES and SEEN for the estimates at decision n; with raised rates, that they are at least λmin."""
    whole = D.lemma("eq:empirical-P/model")
    *every, seen = (part(D, whole, text) for text in (*_PARTS[:4], f"All(x, All(a, {_SEEN}))"))
    if rate_name(D) == "lh":
        return theorems.both(*every), seen
    least, largest = D.fact("lmin"), D.linear("lmin <= lmax", D.fact("rate-low"), D.fact("rate-high"))
    low = D.linear("lmin <= lt(n, x, a)", D.fact("lt"), D.known("max-right", "lh(n, x, a)", "lmin"))
    high = _raised(D, "lt(n, x, a) <= lmax", D.special(every[1], "x", "a"), largest)
    rates = [D.all(one, "x", "a") for one in (D.linear("0 <= lt(n, x, a)", low, least), high)]
    return theorems.both(*rates, *every[2:]), D.all(low, "x", "a")


def plan(D: Derivation) -> str:
    """The decision whose data the learner's plan is made of, at decision n."""
    return "pl(n)" if "pl" in D.setting.symbols else "n"


def rate_name(D: Derivation) -> str:
    """The rate that the learner plans with: raised to λmin, if it knows that."""
    return "lt" if "lt" in D.setting.symbols else "lh"


def no_farther(D: Derivation, near: Theorem) -> Theorem:
    """|λ̂ - λ| <= β for the rate that the learner plans with, from that of eq:rate-est."""
    if rate_name(D) == "lh":
        return near
    gap, more = "lh(n, x, a) - lam(x, a)", D.known("max", "lh(n, x, a)", "lmin")
    facts = near, D.fact("rate-low"), D.known("abs", gap), D.known("abs-", gap), more
    goals = "lt(n, x, a) <= lam(x, a) + be(n, x, a)", "lam(x, a) <= lt(n, x, a) + be(n, x, a)"
    up, down = (_raised(D, goal, *facts) for goal in goals)
    return modulus(D, up, down)


def _raised(D: Derivation, goal: str, *facts: Theorem) -> Theorem:
    """The goal, as the raised rate is the estimated one or λmin."""

    def case(one: Theorem) -> Theorem:
        return D.linear(goal, one, D.fact("lt"), *facts)

    return D.split(D.known("max-cases", "lh(n, x, a)", "lmin"), case, case)


DERIVED = {"eq:empirical-P/probability/repaired": (ESTIMATED, estimated_model)}
THEOREMS = {label: text for label, (text, _) in DERIVED.items()}
