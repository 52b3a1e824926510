r"""CT-UCBVI and three variants: learners as the regret bound asks for.

V̂, which alg:VI returns, is at most t and stays within an episode; and where the estimates are right it is
above V* but for ε λmax H, and a step costs at most c (α + Hβ) times the remaining time, where c is CH + 1;
half of that, with half of the bonus; and 1, with a lump sum.  With rates of at least a known λmin c is 1, and
CH/λmin times the probability of a jump comes to the remaining time.
"""

from __future__ import annotations

from collections.abc import Callable

from proofs_checks.derivations import episode
from proofs_checks.derivations.episode import (
    ANY,
    GOOD,
    RATE_IN,
    ROW_IN,
    acted,
    at_decision,
    learner,
    pays,
    small,
    stays,
)
from proofs_checks.derivations.estimates import learned_bonus, learned_sets, no_farther, radii, rate_name
from proofs_checks.derivations.frozen import iterates_stay
from proofs_checks.derivations.iterations import STARTS, STEPS, STOPPED
from proofs_checks.derivations.nearby import RATES, ROWS
from proofs_checks.derivations.operators import ESTIMATES, WITHIN, applied
from proofs_checks.derivations.optimism import ENOUGH, bonus_low, factor_low, limit
from proofs_checks.derivations.potentials import rate_bound
from proofs_checks.derivations.regret import JUMP_SUM, RATE_SUM, SHARE, above, bounded, optimist
from proofs_checks.derivations.runs import RATE, remaining
from proofs_checks.derivations.setting import learned, lumped, raised
from verify.kernel import terms, theorems
from verify.kernel.authoring import Derivation
from verify.kernel.terms import Term
from verify.kernel.theorems import Theorem

Image = Callable[[str, str], str]

RETURNED = "Vh({n}, nk({n}) + 1, {x}, {t})"
_GENERIC = {
    "gp": ("x a y", "ph(k, x, a, y)"),
    "gal": ("x a", "al(k, x, a)"),
    "gbe": ("x a", "be(k, x, a)"),
    "gbon": ("x a", "bo(k, x, a)"),
    "gq": ("n x t", "Vh(k, n, x, t)"),
    "gpi": ("x t", "pol(k, x, t)"),
}


def returned(D: Derivation, theorem: Theorem) -> Theorem:
    """A theorem about any learner, for the value that alg:VI returns."""
    return D.instantiate(theorem, "glaw", "n t x", RETURNED.format(n="n", x="x", t="t"))


# --- what is known at a decision --------------------------------------------------------------------


def _bonus(D: Derivation) -> list[Theorem]:
    """That the bonus, if there is one, is not negative, and that it is enough."""
    if "bo" not in D.setting.symbols:
        return []
    fact = D.fact("bo")
    enough = D.linear(terms.relation("<=", *reversed(fact.says.parts)), fact)
    return [D.all(one, "x", "a") for one in (learned_bonus(D), enough)]


def _known(D: Derivation) -> dict[Term, Theorem]:
    """What the lemmas about generic estimates suppose, for the learner at decision n; given GOOD."""
    here = D.special(D.assume(GOOD.format(n="n")), "x", "a")
    near, row = (theorems.part(here, D.formula(one.format(n="n"))) for one in (RATE_IN, ROW_IN))
    sets = [D.all(one, "x", "a") for one in (no_farther(D, near), row)]
    facts = [D.all(D.fact(name), "x", "t") for name in ("Vh-0", "stop", "greedy")]
    steps = D.all(D.fact("Vh-step"), "m", "x", "t")
    low, high = remaining(D)
    within = theorems.both(D.linear("0 <= rem(n)", low), high)
    every = [*learned_sets(D), *_bonus(D), *sets, *facts, steps, within]
    return {one.says: one for one in every}


def _at_decision(D: Derivation, theorem: Theorem) -> Theorem:
    """GOOD ⊢ a theorem about generic estimates for the learner, at its state and its remaining time."""
    bodies = {name: body for name, body in _GENERIC.items() if name != "gbon" or "bo" in D.setting.symbols}
    bodies["glam"] = "x a", f"{rate_name(D)}(k, x, a)"
    one = applied(D, D.at(theorem, n="m"), bodies)
    one = D.at(one, k="n", l="nk(n)", e="eps(ep(n))", x="X(n)", t="rem(n)")
    known = _known(D)
    while one.says.tag == "Imp":
        one = D.mp(one, known[one.says.parts[0]])
    return acted(D, one)


def _parts(theorem: Theorem) -> list[Theorem]:
    """All that is said."""
    if theorem.says.tag != "And":
        return [theorem]
    return [theorems.part(theorem, one) for one in theorem.says.parts]


# --- the four properties ----------------------------------------------------------------------------


def _every(D: Derivation, theorem: Theorem, *given: str) -> Theorem:
    """Sure(All(n, Imp(given, A)))."""
    return theorems.sure(D.all(D.imply(theorem, *given), "n"))


def _stays(D: Derivation, image: Image) -> Theorem:
    """V̂ of decision n + 1 is that of decision n, if a jump comes between."""
    there = "X(n + 1), rem(n + 1)"
    count = D.mp(D.fact("frozen-nk"), D.assume("jump(n) == 1"))
    moved = D.special(D.at(iterates_stay(D, image), m="nk(n + 1) + 1"), "X(n + 1)", "rem(n + 1)")
    own = f"Vh(n, nk(n + 1) + 1, {there})"
    same = D.rewrite(count, D.linear(f"{own} == {own}"), "m", f"{own} == Vh(n, m + 1, {there})")
    goal = D.formula(stays(RETURNED)).parts[1]
    return _every(D, D.linear(goal, moved, same), "jump(n) == 1")


def _small(D: Derivation) -> Theorem:
    """V̂ <= t."""
    step = D.fact("Vh-step", m="nk(n)", x="X(n)", t="rem(n)")
    return _every(D, D.linear(small(RETURNED), step, D.known("min", *step.says.parts[1].parts)))


def _pays(D: Derivation, step: str, cost: str, *facts: Theorem) -> Theorem:
    """V̂ <= T^π V̂ + cost where the estimates are right, by the lemma about one step."""
    found = _parts(_at_decision(D, D.lemma(step)))
    pair = {"x": "X(n)", "a": "act(n)"}
    low, high = remaining(D)
    jumps, rates = (D.times(D.at(one, **pair), low) for one in radii(D))
    waits = D.integral(D.known("exp", f"-{rate_name(D)}(n, X(n), act(n))*s"), "s", "rem(n)")
    signs = [D.times(high, rates), D.times(waits, D.at(radii(D)[0], **pair))]
    if "bo" in D.setting.symbols:
        signs.append(D.scaled(D.fact("bo", **pair), "rem(n)"))
    paid = D.linear(pays(RETURNED, cost), *found, *signs, jumps, rates, *facts)
    return _every(D, paid, GOOD.format(n="n"))


def _above(D: Derivation, optimism: Theorem) -> Theorem:
    """V* <= V̂ + ε λmax H where the estimates are right."""
    _, high = remaining(D)
    size = D.times(D.times(high, rate_bound(D)), D.fact("accuracy", k="ep(n)"))
    return _every(D, D.linear(above(RETURNED), *_parts(_at_decision(D, optimism)), size), GOOD.format(n="n"))


def _loaded(D: Derivation) -> Theorem:
    """lem:optimism, with the error of eq:error-vi/load."""
    conditions = (ESTIMATES, RATES, ROWS, ENOUGH, STARTS, STEPS)
    below = D.mp(D.lemma("lem:optimism/induction"), *map(D.assume, (*conditions, WITHIN)))
    found = theorems.cut(bonus_low(D), limit(D, below, "eq:error-vi/load"))
    return D.imply(found, *conditions, STOPPED, WITHIN)


# --- the four learners ------------------------------------------------------------------------------


def learner_theorem(factor: str, seen: str = "0") -> str:
    """It is one whose decisions cost at most so much."""
    return f"And({', '.join(optimist(RETURNED, factor, seen))})"


SEEN = "C*H/lmin"
PAPER, HALVED, LUMP = (learner_theorem(factor) for factor in ("C*H + 1", "(C*H + 1)/2", "1"))
RAISED = learner_theorem("1", SEEN)


def _learner(D: Derivation, image: Image, cost: Theorem, optimism: Theorem) -> Theorem:
    return theorems.both(_stays(D, image), _small(D), cost, _above(D, optimism))


def paper(D: Derivation) -> Theorem:
    """CT-UCBVI."""
    cost = _pays(D, "lem:v-v-continuoustime/step", SHARE.format(c="C*H + 1", w="0"))
    return _learner(D, learned, cost, _loaded(D))


def halved(D: Derivation) -> Theorem:
    """With half of the bonus."""
    cost = _pays(D, "lem:v-v-continuoustime/halved/step", SHARE.format(c="(C*H + 1)/2", w="0"))
    return _learner(D, learned, cost, D.lemma("lem:optimism/halved"))


def lump(D: Derivation) -> Theorem:
    """With the lump sum."""
    cost = _pays(D, "lem:v-v-continuoustime/lump-sum/step", SHARE.format(c="1", w="0"))
    return _learner(D, lumped, cost, D.lemma("lem:optimism/lump-sum"))


def with_known_rate(D: Derivation) -> Theorem:
    """With rates of at least a known λmin: b(1 - exp(-λmin u))/λmin <= (CH/λmin)(α + Hβ)(1 - exp(-λu))."""
    pair, (low, _) = {"x": "X(n)", "a": "act(n)"}, remaining(D)
    least = D.fact("lmin")
    chance = D.claim("prop:proberror/conditional", u="rem(n)", m="lmin", l=RATE)
    chance = D.closed(chance, D.linear("0 <= rem(n)", low), D.fact("rate-low", **pair), least)
    bonus = D.times(D.at(learned_bonus(D), **pair), D.positive("inverse-positive", "lmin", least))
    facts = D.times(chance, bonus), D.scaled(D.fact("bo", **pair), f"(1 - exp(-{RATE}*rem(n)))/lmin")
    cost = _pays(D, "remark:lambda-min/step", SHARE.format(c="1", w=SEEN), *facts)
    return _learner(D, raised, cost, _loaded(D))


def for_learner(D: Derivation, theorem: str, label: str, factor: str, seen: str = "0") -> Theorem:
    """A theorem about every optimist, for the learner of that label."""
    whole = D.lemma(label)
    one = D.at(returned(D, D.lemma(theorem)), c=factor, w=seen)
    return D.mp(one, *(theorems.part(whole, D.formula(text)) for text in optimist(RETURNED, factor, seen)))


# --- CT-UCBVI ---------------------------------------------------------------------------------------

_LEARNER = "lem:v-v-continuoustime/learner"
COLLECTED = f"(C*H + 1)*{JUMP_SUM} + (C*H**2 + H)*{RATE_SUM}"
R2 = bounded(COLLECTED)


def _cost(n: str = "n") -> str:
    """(b + α + uβ)u, what a decision costs."""
    pair = f"X({n}), act({n})"
    return f"(bo({n}, {pair}) + al({n}, {pair}) + rem({n})*be({n}, {pair}))*rem({n})"


def _paid(text: str) -> str:
    """What is said of any learner, of CT-UCBVI."""
    text = text.replace(at_decision(ANY), at_decision(RETURNED))
    for n in ("n", "n + i"):
        text = text.replace(f"gM({n})", _cost(n))
    return text


TELESCOPED, RECURSION = _paid(episode.LOST_AND_PAID), _paid(episode.RECURSION)


def _run(D: Derivation, theorem: Theorem) -> Theorem:
    """A theorem about any learner, for CT-UCBVI and this cost."""
    one, whole = D.instantiate(returned(D, theorem), "gM", "n", _cost()), D.lemma(_LEARNER)
    supposed = [theorems.part(whole, D.formula(text)) for text in learner(RETURNED, _cost())[:2]]
    return D.mp(one, *supposed, _pays(D, "lem:v-v-continuoustime/step", _cost()))


def telescoped(D: Derivation) -> Theorem:
    """eq:r2/sum."""
    return _run(D, D.lemma("eq:r2/sum/any-learner"))


def recursion(D: Derivation) -> Theorem:
    """lem:v-v-continuoustime/recursion."""
    low, _ = remaining(D)
    sizes = [D.times(D.at(one, x="X(n)", a="act(n)"), low) for one in (learned_bonus(D), *radii(D))]
    positive = D.linear(f"0 <= {_cost()}", *sizes, D.times(sizes[2], low))
    return D.mp(_run(D, episode.recursion(D)), _every(D, positive))


def for_paper(D: Derivation, theorem: str, size: str) -> Theorem:
    """A theorem about every optimist, for CT-UCBVI, whose factor has that size."""
    factor = D.linear(size, D.times(factor_low(D), D.fact("horizon")))
    return D.mp(for_learner(D, theorem, _LEARNER, "C*H + 1"), factor, D.linear("0 <= 0"))


def r2(D: Derivation) -> Theorem:
    """eq:r2: a decision costs at most (CH + 1)(α + Hβ) times its remaining time."""
    return for_paper(D, "eq:r2/any-learner", "0 <= C*H + 1")
