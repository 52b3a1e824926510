r"""``thm:CT-UCB/any-learner/lazy``: learners that keep their plans, :math:`\sqrt{1+\eta}` on the main term.

Where the estimates were right whenever an episode began, those of the plan are.  By the rule a plan has at
least the part :math:`1/(1+\eta)` of the jumps and of the time of a decision (counted from 1 and from
:math:`L/\lambda_{\max}`), so that its radii are at most :math:`\sqrt{1+\eta}` times those of the decision;
and its accuracy is at most v times that of the episode, if accuracies do not fall faster: :math:`v =
(1+\eta)^\alpha` for :math:`\epsilon_k = k^{-\alpha}`.  So it is a learner as in ``thm:CT-UCB/any-learner``.
"""

from __future__ import annotations

from proofs_checks.derivations.bound import RADICAND, main_term, paid_by
from proofs_checks.derivations.episode import ANY, GOOD, supposed
from proofs_checks.derivations.episode import pays as episode_pays
from proofs_checks.derivations.every_horizon import pair_number
from proofs_checks.derivations.learners import HALF, SEEN, for_learner
from proofs_checks.derivations.nearby import chain, either_way
from proofs_checks.derivations.optimism import factor_low
from proofs_checks.derivations.potentials import rate_bound
from proofs_checks.derivations.probabilities import LEVELED
from proofs_checks.derivations.rates import level
from proofs_checks.derivations.regret import LOAD, WHOLE_REGRET, above, optimist, share
from proofs_checks.derivations.runs import by_jump, observed, product, remaining, settled
from proofs_checks.derivations.setting_plans import MORE
from proofs_checks.derivations.so_far import always, of_plan
from proofs_checks.derivations.tail_series import BELOW
from proofs_checks.derivations.theorem import Choice, bonus_factor, positive_product, radicand
from proofs_checks.derivations.unions import rises_to
from verify.kernel import theorems
from verify.kernel.authoring import Derivation
from verify.kernel.theorems import Theorem

_LABEL = "thm:CT-UCB/any-learner/lazy"
_ROOT = f"sqrt{MORE}"
_CHOICE = "delta == 1/(2*K*H)"
ACCURATE = f"All(k, All(i, Imp(And(i <= k, k + 1 <= {MORE}*(i + 1)), eps(i) <= v*eps(k))))"
"""Accuracies fall by no more than the factor v while the number of the episode grows by 1 + η."""

_LAGS = "eps(ep(pl(n))) <= v*eps(ep(n))"
LAGS = f"Sure(All(n, {_LAGS}))"
"""That of a plan is at most v times that of the episode."""


def theorem(payment: str, *conditions: str) -> str:
    """The regret of all decisions, for a learner with that payment that keeps its plans."""
    text = f"{WHOLE_REGRET} <= {_ROOT}*{main_term(payment, LEVELED)} + v*{LOAD} + 1"
    return chain(text, *conditions, BELOW, _CHOICE)


_PLANNED = optimist(ANY, share("c", "w", "pl(n)"), "eps(ep(pl(n)))", GOOD.format(n="pl(n)"))
_SIZES = ("1 <= c", "0 <= w")
ANY_LAZY = theorem(paid_by("c", "w"), *_PLANNED, *_SIZES, LAGS)
PAPER, HALVED, LUMP = (theorem(paid_by(factor), ACCURATE) for factor in ("C*H + 1", HALF, "1"))
RAISED = theorem(paid_by("1", SEEN), ACCURATE)


# --- radii and accuracies of a plan -----------------------------------------------------------------


def _radicand(D: Derivation) -> Theorem:
    """delta == 1/(2KH) ⊢ 0 < RADICAND: as δ < 1, 1 < 2KH."""
    choice, episodes = Choice(D, D.assume(_CHOICE)), D.fact("episodes")
    less = D.linear("0 < 1 - delta", theorems.part(D.fact("delta"), D.formula("delta < 1")))
    long = product(D, D.linear("0 < 2*K", episodes), D.fact("horizon"), less)
    long = D.linear("1 < 2*K*H", long, choice.weight)
    many = D.linear("1 <= S*A*K", D.times(pair_number(D), D.whole("K")), episodes)
    square = product(D, D.linear("0 < 2*K*H - 1", long), D.linear("0 < 2*K*H + 1", long))
    wide = product(D, square, D.linear("0 < S*A*K", many))
    volume = "2*S*A*H**2*K**3"
    log = D.pointwise("log(x) + log(2) > 0", "x > 1/2", x=volume)
    log = D.closed(log, D.linear(f"1/2 < {volume}", wide, many), positive_product(D)[volume])
    states = D.times(D.fact("states-some"), D.pointwise("log(2) >= 0"))
    return D.linear(f"0 < {RADICAND}", radicand(D, choice), log, states)


def _radius(D: Derivation, name: str, most: tuple[str, str], over: Theorem, some: Theorem) -> Theorem:
    """A radius √(x/max{…}) of the plan is at most √(1 + η) times that of decision n.

    ``most`` has what the largest one is of, patterns of the decision; ``over`` says 0 < x, ``some`` that the
    one that is no count is positive.
    """
    now, then = (tuple(one.replace("{n}", n) for one in most) for n in ("n", "pl(n)"))
    top, old = (f"Max({', '.join(one)})" for one in (now, then))
    above = [D.known(way, *one) for one in (then, now) for way in ("max", "max-right")]
    wide = D.linear(f"1 <= {MORE}", D.fact("eta"))
    more = [D.times(one, D.linear(f"0 <= {MORE}", wide)) for one in above[:2]]
    kept = D.fact(f"kept-{'N' if name == 'al' else 'T'}"), D.times(some, D.fact("eta")), *more
    few = either_way(D, D.known("max-cases", *now), f"{top} <= {MORE}*{old}", *kept)
    signs = [D.linear(f"0 < {one}", some, *above) for one in (top, old)]
    inside = [
        product(D, over, D.positive("inverse-positive", one, sign))
        for one, sign in zip((top, old), signs, strict=True)
    ]
    claim = D.claim(_LABEL, x=over.says.parts[1], b=MORE, m=old, n=top)
    root = settled(D, claim, over, wide, *signs, few, *inside, D.linear(f"0 < {MORE}", wide))
    goal = f"{name}(pl(n), x, a) <= {_ROOT}*{name}(n, x, a)"
    return D.linear(goal, root, D.fact(name, n="pl(n)"), D.scaled(D.fact(name), _ROOT))


def _costs(D: Derivation) -> Theorem:
    """The cost by the radii of the plan is at most √(1 + η) times that by those of the decision."""
    rate, large = rate_bound(D), D.linear("0 < L", level(D))
    slow = product(D, large, D.positive("inverse-positive", "lmax", rate))
    jumps = _radius(D, "al", ("1", "Nf({n}, x, a)"), _radicand(D), D.linear("0 < 1"))
    rates = _radius(D, "be", ("Tf({n}, x, a)", "L/lmax"), product(D, rate, large), slow)
    rates = D.times(rates, D.fact("horizon"))
    (low, _), seen = remaining(D), observed(D)
    chance = D.linear("0 <= 1 - exp(-lam(X(n), act(n))*rem(n))", seen, D.mean(D.whole("jump(n)"), "n"))
    large_factor, some_seen = (D.assume(one) for one in _SIZES)
    weights = D.times(low, D.linear("0 <= c", large_factor)), D.times(chance, some_seen)
    facts = [D.times(D.at(one, x="X(n)", a="act(n)"), weight) for one in (jumps, rates) for weight in weights]
    return D.linear(f"{share('c', 'w', 'pl(n)')} <= {_ROOT}*{share('c', 'w')}", *facts)


def _factor(D: Derivation) -> Theorem:
    """LAGS ⊢ 0 <= v."""
    first = D.special(theorems.unsure(D.assume(LAGS)), "0")
    signs = [D.fact("accuracy", k=one) for one in ("ep(pl(0))", "ep(0)")]

    def never(less: Theorem) -> Theorem:
        none = product(D, D.linear("0 < -v", less), signs[1])
        return D.absurd(D.linear("0 < 0", none, first, signs[0]), "0 <= v")

    return D.cases("0 <= v", lambda yes: yes, never)


def _lags(D: Derivation) -> Theorem:
    """ACCURATE ⊢ LAGS, by the rule."""
    step = by_jump(D, lambda case, _: D.by_value("ep(n) <= ep(n + 1)", case))
    rises = D.mp(D.at(rises_to(D, "ep({n})", step), n="pl(n)", m="n"), D.fact("planned"))
    every = D.special(D.assume(ACCURATE), "ep(n)", "ep(pl(n))")
    return theorems.sure(D.all(D.mp(every, theorems.both(rises, D.fact("kept-k"))), "n"))


# --- the theorems -----------------------------------------------------------------------------------


def any_lazy(D: Derivation) -> Theorem:
    """thm:CT-UCB/any-learner/lazy."""
    right = of_plan(D, GOOD)
    pays, optimism = (D.mp(supposed(D, one), right) for one in _PLANNED[2:])
    accuracy, positive = supposed(D, LAGS), _factor(D)
    value = product(D, rate_bound(D), D.fact("horizon"))
    factor, seen = (f"{_ROOT}*{one}" for one in ("c", "w"))
    goals = D.formula(episode_pays(ANY, share(factor, seen))), D.formula(above(ANY, "v*eps(ep(n))"))
    found = (
        D.linear(goals[0], pays, _costs(D)),
        D.linear(goals[1], optimism, D.times(accuracy, value)),
    )
    every = (theorems.sure(D.all(D.imply(one, always(GOOD)), "n")) for one in found)
    whole = D.lemma("thm:CT-UCB/any-learner", c=factor, w=seen, e="v")
    root = settled(D, D.pointwise("sqrt(b) >= 1", "b >= 1", b=MORE), D.linear(f"1 <= {MORE}", D.fact("eta")))
    large, some = (D.assume(one) for one in _SIZES)
    wide = D.linear(f"1 <= {factor}", D.times(large, D.known("sqrt", MORE)), root)
    sizes = wide, D.times(some, D.known("sqrt", MORE)), positive
    last = D.assume(BELOW), D.assume(_CHOICE)
    bound = D.mp(whole, *map(D.assume, _PLANNED[:2]), *every, *sizes, *last)
    return D.imply(bound, *_PLANNED, *_SIZES, LAGS, BELOW, _CHOICE)


def _bound(D: Derivation, learner: str, factor: str, *facts: Theorem, seen: str = "0") -> Theorem:
    """The same for the learner of that label; the facts give the sizes of what it pays."""
    found = for_learner(D, _LABEL, learner, factor, seen)
    sizes = D.linear(f"1 <= {factor}", *facts), D.linear(f"0 <= {seen}", *facts)
    return D.imply(D.mp(found, *sizes, _lags(D)), ACCURATE)


def paper(D: Derivation) -> Theorem:
    """thm:CT-UCB/sharp/lazy."""
    return _bound(D, "lem:v-v-continuoustime/learner/lazy", "C*H + 1", bonus_factor(D))


def half(D: Derivation, learner: str) -> Theorem:
    """With half of the bonus, or less."""
    return _bound(D, learner, HALF, bonus_factor(D))


def lump(D: Derivation) -> Theorem:
    """thm:CT-UCB/lump-sum/lazy."""
    return _bound(D, "thm:CT-UCB/lump-sum/learner/lazy", "1")


def with_known_rate(D: Derivation) -> Theorem:
    """remark:lambda-min/regret/lazy."""
    inverse = D.positive("inverse-positive", "lmin", D.fact("lmin"))
    seen = D.times(D.times(factor_low(D), D.fact("horizon")), inverse)
    return _bound(D, "remark:lambda-min/learner/lazy", "1", seen, seen=SEEN)
