"""The regret of one episode: its parts, and the remainder of the recursion."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from flint import arb
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from ctucbvi import CTMDP, Enclosure, Policy, ValueIteration, evaluate
from ctucbvi.exact.precision import precision, to_fmpq
from ctucbvi.strategies import models, policies, times
from proofs_checks.checks.common import or_undecided, remembered, scaled
from proofs_checks.checks.model_error import ONE
from proofs_checks.checks.perturbed import BITS, EVERY, Place, mistaken, places, positive
from proofs_checks.checks.perturbed_values import (
    Shares,
    applied,
    ball,
    cost,
    forward_value,
    greedy,
    largest,
    pairs_of,
    regret,
)
from proofs_checks.checks.poisson import weight
from verify.claims import Effort
from verify.provers.computed import Case
from verify.provers.search import Search

_CLOSE = Fraction(1, 10**12)


def recursion(back: int = 0) -> Search:
    """``V̂_n <= max_a T^{a,k}V̂_{n-back}`` at a state; as printed ``back`` is 0 (and 1)."""

    @remembered
    def sides(place: Place) -> tuple[Enclosure, Fraction]:
        iteration = ValueIteration(place.case.optimistic(Fraction(1, 20)), truncate=True)
        older, model = iteration[max(place.steps - back, 0)], iteration.model
        scores = [applied(older, model.pairs[k], place.time) for k in pairs_of(model, place.state)]
        gap = iteration[place.steps].value(place.state, place.time) - largest(scores)
        return gap, _CLOSE * model.horizon  # where the iteration stands still both are equal

    return Search((60, 2000), given=places(kinds=("up", "down")), sides=sides, title="iterates")


def one_step(
    share: Fraction, bonus: Fraction, radii: Fraction, kinds: tuple[str, ...] = EVERY, steps: int = 6
) -> Search:
    """``V̂ - T^a V̂ <= (bonus b + radii (α + tβ)) t`` for the best actions; V̂ is planned with ``share b``."""

    @remembered
    def sides(place: Place) -> tuple[Enclosure, Fraction]:
        case, t = place.case, place.time
        iterate = ValueIteration(case.optimistic(share), truncate=True)[place.steps]
        value = iterate.value(place.state, t)
        return max(
            ((value - applied(iterate, case.model.pairs[k], t), cost(case, k, bonus, radii, t))
             for k in greedy(iterate, place.state, t)),
            key=lambda both: both[0].mid - both[1],
        )  # fmt: skip

    return Search(
        (60, 2000), given=places(kinds=kinds, max_steps=steps), sides=or_undecided(sides), title="models"
    )


def episodes(shares: Shares, kinds: tuple[str, ...] = EVERY) -> Search:
    """The lemma on models; ε is 1/10, 1/100 or 1/1000 of the horizon."""

    @remembered
    def sides(place: Place) -> tuple[Enclosure, Enclosure]:
        return regret(place.case, place.state, place.case.model.horizon / 10**place.steps, shares)

    return Search((30, 1000), given=places(kinds=kinds), sides=or_undecided(sides), title="episodes")


@scaled("a missed action", "certified values")
def mistakes(effort: Effort, shares: Shares) -> Iterator[Case]:
    """The lemma on :func:`mistaken` models."""
    for beta in (Fraction(1, 10), Fraction(1), Fraction(3))[: effort.scaled(2, 3)]:
        yield Case(f"λ = 1, β = {beta}", *regret(mistaken(ONE, beta), "x", Fraction(1, 1000), shares))


# --- eq:Vpik: the definition of V^π against its equation ---------------------------------------


@dataclass(frozen=True)
class Followed:
    """A policy, a state and a remaining time."""

    policy: Policy
    state: str
    time: Fraction


@st.composite
def followed(draw: DrawFn) -> Followed:
    """Draw a model, a policy of it that depends on the remaining time, a state and a time."""
    model = positive(draw(models(max_states=3, rewards="unit", terminal=False, max_load=4)))
    policy = draw(policies(model))
    state = draw(st.sampled_from(model.states))
    return Followed(policy, state, draw(times(model)) or model.horizon)


def _first(model: CTMDP) -> Policy:
    return Policy.of(model, {x: model.actions_of(x)[0] for x in model.states})


def own_equation(forget: bool = False) -> Search:
    """The occupation of pairs, forward in time, against ``T^a V^π`` (of another policy, if ``forget``)."""

    @remembered
    def sides(example: Followed) -> tuple[arb, Fraction]:
        policy, state, t = example.policy, example.state, example.time
        after = evaluate(_first(policy.model) if forget else policy, digits=16, at=[(state, t)])
        right = after.commitment_value(state, policy.action(state, t), t)
        with precision(BITS):
            gap = forward_value(policy, state, t) - ball(right)
            return abs(gap), _CLOSE * max(t, ONE)

    return Search((80, 3000), given=followed(), sides=sides, title="policies")


# --- the remainder -----------------------------------------------------------------------------


@scaled("Poisson tails", "finite sums in balls")
def remainders(effort: Effort, power: int = 0) -> Iterator[Case]:
    """``P(N >= m)`` for ``N`` Poisson with mean μ, against ``μ^(m+power)/(m+power)!``."""
    for mean in (Fraction(1, 10), Fraction(1), Fraction(7), Fraction(40))[: effort.scaled(3, 4)]:
        for m in range(0, 41, 4):
            with precision(4 * BITS):
                mu = arb(to_fmpq(mean))
                tail = 1 - sum((weight(mu, j) for j in range(m)), arb(0))
                bound = mu ** (m + power) / arb(m + power + 1).gamma()
            yield Case(f"mean {mean}, m = {m}", tail, bound)
