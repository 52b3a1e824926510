r"""CT-UCBVI and four variants: learners as the regret bound asks for.

V̂, which alg:VI returns, is at most t and stays within an episode; and where the estimates are right it is
above V* but for ε λmax H, and a step costs at most c (α + Hβ) times the remaining time, where c is CH + 1;
half of that, with half of the bonus and with the sharp one; and 1, with a lump sum.  With rates of at least
a known λmin c is 1, and CH/λmin times the probability of a jump comes to the remaining time.

If plans are kept, the estimates, radii and the accuracy ε are those of the plan.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from proofs_checks.derivations import episode
from proofs_checks.derivations.episode import (
    ANY,
    GOOD,
    HAPPENS,
    RATE_IN,
    ROW_IN,
    acted,
    at_decision,
    good_stays,
    learner,
    pays,
    small,
    stays,
)
from proofs_checks.derivations.estimates import (
    learned_bonus,
    learned_sets,
    no_farther,
    plan,
    radii,
    rate_name,
)
from proofs_checks.derivations.frozen import iterates_stay
from proofs_checks.derivations.iterations import STARTS, STEPS, STOPPED
from proofs_checks.derivations.nearby import RATES, ROWS
from proofs_checks.derivations.operators import ESTIMATES, WITHIN, applied
from proofs_checks.derivations.optimism import ENOUGH, bonus_low, factor_low, limit
from proofs_checks.derivations.potentials import rate_bound
from proofs_checks.derivations.regret import (
    GOOD_REGRET,
    JUMP_SUM,
    LOAD,
    RATE_SUM,
    above,
    bounded,
    optimist,
    share,
)
from proofs_checks.derivations.runs import RATE, remaining
from proofs_checks.derivations.setting import Image, learned, lumped, raised
from proofs_checks.derivations.so_far import always, of_episode, where
from verify.kernel import terms, theorems
from verify.kernel.authoring import Derivation
from verify.kernel.terms import Term
from verify.kernel.theorems import Theorem

RETURNED = "Vh({n}, nk({n}) + 1, {x}, {t})"
_GENERIC = {  # i is the decision of the plan
    "gp": ("x a y", "ph(i, x, a, y)"),
    "gal": ("x a", "al(i, x, a)"),
    "gbe": ("x a", "be(i, x, a)"),
    "gbon": ("x a", "bo(k, x, a)"),
    "gq": ("n x t", "Vh(k, n, x, t)"),
    "gpi": ("x t", "pol(k, x, t)"),
}
_PAIR = {"x": "X(n)", "a": "act(n)"}


def returned(D: Derivation, theorem: Theorem) -> Theorem:
    """A theorem about any learner, for the value that alg:VI returns."""
    return D.instantiate(theorem, "glaw", "n t x", RETURNED.format(n="n", x="x", t="t"))


def _parts(theorem: Theorem) -> list[Theorem]:
    """All that is said."""
    if theorem.says.tag != "And":
        return [theorem]
    return [theorems.part(theorem, one) for one in theorem.says.parts]


def _every(D: Derivation, theorem: Theorem, *given: str) -> Theorem:
    """Sure(All(n, Imp(given, A)))."""
    return theorems.sure(D.all(D.imply(theorem, *given), "n"))


class _Played:
    """The plan of decision n, where the estimates that it is made of are right, and its four properties."""

    def __init__(self, D: Derivation) -> None:
        self.D, self.plan, self.good = D, plan(D), GOOD.format(n=plan(D))
        self.bonus = "bo" in D.setting.symbols

    # --- what is known at a decision ---

    @cached_property
    def _sets(self) -> dict[Term, Theorem]:
        """What the lemmas about generic estimates suppose, but for the bonus; given GOOD."""
        D = self.D
        here = D.special(D.assume(GOOD.format(n="n")), "x", "a")
        near, row = (theorems.part(here, D.formula(one.format(n="n"))) for one in (RATE_IN, ROW_IN))
        sets = [D.all(one, "x", "a") for one in (no_farther(D, near), row)]
        facts = [D.all(D.fact(name), "x", "t") for name in ("Vh-0", "stop", "greedy")]
        steps = D.all(D.fact("Vh-step"), "m", "x", "t")
        low, high = remaining(D)
        within = theorems.both(D.linear("0 <= rem(n)", low), high)
        planned = [D.at(one, n=self.plan) for one in (*learned_sets(D), *sets)]
        return {one.says: one for one in (*planned, *facts, steps, within)}

    @cached_property
    def _known(self) -> dict[Term, Theorem]:
        """The same, and that the bonus, if there is one, is not negative, and that it is enough."""
        return self._sets | {one.says: one for one in self._bonus()}

    def _bonus(self) -> list[Theorem]:
        if not self.bonus:
            return []
        D = self.D
        fact = D.fact("bo")
        enough = D.linear(terms.relation("<=", *reversed(fact.says.parts)), fact)
        return [D.all(one, "x", "a") for one in (learned_bonus(D), enough)]

    def _learned(self, theorem: Theorem) -> Theorem:
        """A theorem about generic estimates for those of the learner."""
        D = self.D
        bodies = {name: body for name, body in _GENERIC.items() if name != "gbon" or self.bonus}
        bodies["glam"] = "x a", f"{rate_name(D)}(i, x, a)"
        one = applied(D, D.at(theorem, n="m"), bodies)
        return D.at(one, k="n", i=self.plan, l="nk(n)", e=f"eps(ep({self.plan}))")

    def _supposed(self, theorem: Theorem, known: dict[Term, Theorem]) -> Theorem:
        while theorem.says.tag == "Imp":
            theorem = self.D.mp(theorem, known[theorem.says.parts[0]])
        return theorem

    def at_decision(self, theorem: Theorem) -> Theorem:
        """GOOD ⊢ a theorem about generic estimates for the learner, at its state and its remaining time."""
        one = self.D.at(self._learned(theorem), x="X(n)", t="rem(n)")
        return acted(self.D, self._supposed(one, self._known))

    # --- the four properties ---

    def stays(self, image: Image) -> Theorem:
        """V̂ of decision n + 1 is that of decision n, if a jump comes between."""
        D, there = self.D, "X(n + 1), rem(n + 1)"
        count = D.mp(D.fact("frozen-nk"), D.assume("jump(n) == 1"))
        moved = D.special(D.at(iterates_stay(D, image), m="nk(n + 1) + 1"), "X(n + 1)", "rem(n + 1)")
        own = f"Vh(n, nk(n + 1) + 1, {there})"
        same = D.rewrite(count, D.linear(f"{own} == {own}"), "m", f"{own} == Vh(n, m + 1, {there})")
        goal = D.formula(stays(RETURNED)).parts[1]
        return _every(D, D.linear(goal, moved, same), "jump(n) == 1")

    def small(self) -> Theorem:
        """V̂ <= t."""
        D = self.D
        step = D.fact("Vh-step", m="nk(n)", x="X(n)", t="rem(n)")
        return _every(D, D.linear(small(RETURNED), step, D.known("min", *step.says.parts[1].parts)))

    def priced(self) -> list[Theorem]:
        """What the bonus of the decision is."""
        return [self.D.scaled(self.D.fact("bo", **_PAIR), "rem(n)")] if self.bonus else []

    def pays(self, step: str, cost: str, *facts: Theorem) -> Theorem:
        """V̂ <= T^π V̂ + cost where the estimates are right, by the lemma about one step."""
        D = self.D
        found = _parts(self.at_decision(D.lemma(step)))
        low, high = remaining(D)
        sizes = [D.at(D.at(one, n=self.plan), **_PAIR) for one in radii(D)]
        jumps, rates = (D.times(one, low) for one in sizes)
        waits = D.integral(D.known("exp", f"-{rate_name(D)}({self.plan}, X(n), act(n))*s"), "s", "rem(n)")
        signs = [D.times(high, rates), D.times(waits, sizes[0])]
        paid = D.linear(pays(RETURNED, cost), *found, *signs, *self.priced(), jumps, rates, *facts)
        return _every(D, paid, self.good)

    def above(self, optimism: Theorem) -> Theorem:
        """V* <= V̂ + ε λmax H where the estimates are right."""
        D, accuracy = self.D, f"ep({self.plan})"
        _, high = remaining(D)
        size = D.times(D.times(high, rate_bound(D)), D.fact("accuracy", k=accuracy))
        goal = above(RETURNED, f"eps({accuracy})")
        return _every(D, D.linear(goal, *_parts(self.at_decision(optimism)), size), self.good)

    def share(self, factor: str, seen: str = "0") -> str:
        """What a decision costs."""
        return share(factor, seen, self.plan)

    def learner(self, image: Image, cost: Theorem, optimism: Theorem) -> Theorem:
        """All four."""
        return theorems.both(self.stays(image), self.small(), cost, self.above(optimism))


class _Sharp(_Played):
    """With the sharp bonus: both costs at the ends of the confidence interval, divided by w(λ̂, H)."""

    @cached_property
    def _exact(self) -> list[Theorem]:
        fact = self.D.all(self.D.fact("bo"), "x", "a")
        exact = self._learned(self.D.lemma("lem:optimism/sharp/exact"))
        return _parts(self._supposed(exact, self._sets | {fact.says: fact}))

    def _bonus(self) -> list[Theorem]:
        return self._exact

    def priced(self) -> list[Theorem]:
        """That the bonus is at most half of that of eq:bonus-k."""
        low, _ = remaining(self.D)
        sizes = [self.D.special(one, "X(n)", "act(n)") for one in self._exact]
        return [self.D.times(one, low) for one in sizes if one.says.tag == "<="]


def _loaded(D: Derivation) -> Theorem:
    """lem:optimism, with the error of eq:error-vi/load."""
    conditions = (ESTIMATES, RATES, ROWS, ENOUGH, STARTS, STEPS)
    below = D.mp(D.lemma("lem:optimism/induction"), *map(D.assume, (*conditions, WITHIN)))
    found = theorems.cut(bonus_low(D), limit(D, below, "eq:error-vi/load"))
    return D.imply(found, *conditions, STOPPED, WITHIN)


# --- the learners -----------------------------------------------------------------------------------


def _optimist(factor: str, seen: str, at: str) -> tuple[str, str, str, str]:
    return optimist(RETURNED, share(factor, seen, at), f"eps(ep({at}))", GOOD.format(n=at))


def learner_theorem(factor: str, seen: str = "0", at: str = "n") -> str:
    """It is one whose decisions cost at most so much; ``at`` is the decision of its plan."""
    return f"And({', '.join(_optimist(factor, seen, at))})"


HALF, SEEN = "(C*H + 1)/2", "C*H/lmin"
PAPER, HALVED, LUMP = (learner_theorem(factor) for factor in ("C*H + 1", HALF, "1"))
RAISED = learner_theorem("1", SEEN)


def paper(D: Derivation) -> Theorem:
    """CT-UCBVI."""
    played = _Played(D)
    cost = played.pays("lem:v-v-continuoustime/step", played.share("C*H + 1"))
    return played.learner(learned, cost, _loaded(D))


def halved(D: Derivation) -> Theorem:
    """With half of the bonus."""
    return _half(D, _Played(D), "lem:optimism/halved")


def sharp(D: Derivation) -> Theorem:
    """With the sharp bonus, which is at most half."""
    return _half(D, _Sharp(D), "lem:optimism/sharp")


def _half(D: Derivation, played: _Played, optimism: str) -> Theorem:
    cost = played.pays("lem:v-v-continuoustime/halved/step", played.share(HALF))
    return played.learner(learned, cost, D.lemma(optimism))


def lump(D: Derivation) -> Theorem:
    """With the lump sum."""
    played = _Played(D)
    cost = played.pays("lem:v-v-continuoustime/lump-sum/step", played.share("1"))
    return played.learner(lumped, cost, D.lemma("lem:optimism/lump-sum"))


def with_known_rate(D: Derivation) -> Theorem:
    """With rates of at least a known λmin: b(1 - exp(-λmin u))/λmin <= (CH/λmin)(α + Hβ)(1 - exp(-λu))."""
    played, (low, _), least = _Played(D), remaining(D), D.fact("lmin")
    chance = D.claim("prop:proberror/conditional", u="rem(n)", m="lmin", l=RATE)
    chance = D.closed(chance, D.linear("0 <= rem(n)", low), D.fact("rate-low", **_PAIR), least)
    bonus = D.times(D.at(learned_bonus(D), **_PAIR), D.positive("inverse-positive", "lmin", least))
    facts = D.times(chance, bonus), D.scaled(D.fact("bo", **_PAIR), f"(1 - exp(-{RATE}*rem(n)))/lmin")
    cost = played.pays("remark:lambda-min/step", played.share("1", SEEN), *facts)
    return played.learner(raised, cost, _loaded(D))


def _so_far(D: Derivation, given: Theorem) -> Theorem:
    """What holds where the estimates of a decision are right does where they always were."""
    right = D.special(theorems.unsure(given), "n")
    return _every(D, D.mp(right, of_episode(D)), always(GOOD))


def for_learner(D: Derivation, theorem: str, label: str, factor: str, seen: str = "0") -> Theorem:
    """A theorem about every optimist, for the learner of that label."""
    whole, at = D.lemma(label), plan(D)
    one = D.at(returned(D, D.lemma(theorem)), c=factor, w=seen)
    first, second, *right = (theorems.part(whole, D.formula(text)) for text in _optimist(factor, seen, at))
    if at == "n":
        one, right = D.at(one, e="1"), [_so_far(D, given) for given in right]
    return D.mp(one, first, second, *right)


# --- CT-UCBVI ---------------------------------------------------------------------------------------

_LEARNER = "lem:v-v-continuoustime/learner"
COLLECTED = f"(C*H + 1)*{JUMP_SUM} + (C*H**2 + H)*{RATE_SUM}"
R2 = bounded(COLLECTED, GOOD_REGRET, LOAD)


def _cost(n: str = "n") -> str:
    """(b + α + uβ)u, what a decision costs."""
    pair = f"X({n}), act({n})"
    return f"(bo({n}, {pair}) + al({n}, {pair}) + rem({n})*be({n}, {pair}))*rem({n})"


def _paid(text: str) -> str:
    """What is said of any learner, of CT-UCBVI."""
    text = text.replace(at_decision(ANY), at_decision(RETURNED))
    for n in ("n", "n + i"):
        text = text.replace(f"gM({n})", _cost(n))
    return text.replace(HAPPENS, GOOD.format(n="n")).replace("gok(n)", f"Ind({GOOD.format(n='n')})")


TELESCOPED, RECURSION = _paid(episode.LOST_AND_PAID), _paid(episode.RECURSION)


def _where_right(D: Derivation, theorem: Theorem, given: Sequence[Theorem]) -> Theorem:
    """A theorem about any learner and event, for CT-UCBVI where its estimates are right.

    ``given`` are its properties; all but the first two are supposed where the event happens.
    """
    good = GOOD.format(n="n")
    one = D.instantiate(returned(D, theorem), "gok", "n", f"Ind({good})")
    stays_so = D.imply(good_stays(D), "jump(n) == 1")
    frozen = (theorems.sure(D.all(fact, "n")) for fact in (D.indicator(good)[1], stays_so))
    right = (where(D, good, D.mp(D.special(theorems.unsure(one), "n"), D.assume(good))) for one in given[2:])
    return D.mp(one, *frozen, *given[:2], *right)


def _run(D: Derivation, theorem: Theorem) -> Theorem:
    """The same for this cost."""
    whole = D.lemma(_LEARNER)
    supposed = [theorems.part(whole, D.formula(text)) for text in learner(RETURNED, _cost())[:2]]
    cost = _Played(D).pays("lem:v-v-continuoustime/step", _cost())
    return _where_right(D, D.instantiate(theorem, "gM", "n", _cost()), [*supposed, cost])


def telescoped(D: Derivation) -> Theorem:
    """eq:r2/sum."""
    return _run(D, D.lemma("eq:r2/sum/any-learner"))


def recursion(D: Derivation) -> Theorem:
    """lem:v-v-continuoustime/recursion."""
    low, _ = remaining(D)
    sizes = [D.times(D.at(one, **_PAIR), low) for one in (learned_bonus(D), *radii(D))]
    positive = D.linear(f"0 <= {_cost()}", *sizes, D.times(sizes[2], low))
    found = D.mp(_run(D, episode.recursion(D)), _every(D, positive))
    good = GOOD.format(n="n")
    return D.imply(D.mp(found, D.holds(good)), good)


def _factor(D: Derivation, size: str) -> Theorem:
    return D.linear(size, D.times(factor_low(D), D.fact("horizon")))


def for_paper(D: Derivation, theorem: str, size: str) -> Theorem:
    """A theorem about every optimist, for CT-UCBVI, whose factor has that size."""
    found = for_learner(D, theorem, _LEARNER, "C*H + 1")
    return D.mp(found, _factor(D, size), D.linear("0 <= 0"), D.linear("0 <= 1"))


def r2(D: Derivation) -> Theorem:
    """eq:r2: a decision costs at most (CH + 1)(α + Hβ) times its remaining time."""
    one, whole = D.lemma("eq:r2/any-learner", c="C*H + 1", w="0", e="1"), D.lemma(_LEARNER)
    given = [theorems.part(whole, D.formula(text)) for text in _optimist("C*H + 1", "0", "n")]
    found = _where_right(D, one, given)
    return D.mp(found, _factor(D, "0 <= C*H + 1"), D.linear("0 <= 0"), D.linear("0 <= 1"))
