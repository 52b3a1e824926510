"""What every planner must obey, whatever it is made of.

A planner is a function ``(model, semantics) -> value`` with ``value(state, t) -> Enclosure``:
the exact planner gives proved enclosures, others their values and the errors they state.
Subclass :class:`PlannerLaws`, set ``planner``, and every law runs against it; the same laws
run against planners that are wrong on purpose (``tests/quality``) and must fail there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

from hypothesis import example, given
from hypothesis import strategies as st

from ctucbvi import CTMDP, Enclosure, Semantics, Transition
from ctucbvi.library import machine_repair
from ctucbvi.strategies import models, times

Value = Callable[[str, Fraction], Enclosure]
Planner = Callable[[CTMDP, Semantics], Value]

both = st.sampled_from(list(Semantics))
fractions = st.builds(Fraction, st.integers(-9, 9), st.integers(1, 9))


def equal(one: Enclosure, other: Enclosure) -> bool:
    """Two enclosures of the same number."""
    return one.overlaps(other)


def at_most(one: Enclosure, other: Enclosure) -> bool:
    """Nothing contradicts that the first number is at most the second."""
    return one.lower <= other.upper


@st.composite
def model_and_time(draw: st.DrawFn, **knobs: object) -> tuple[CTMDP, Fraction]:
    model = draw(models(max_states=3, max_load=6, **knobs))
    return model, draw(times(model))


class PlannerLaws:
    """Laws of the value function; see the module's text."""

    planner: Planner

    @given(model=models(max_states=3, max_load=6), semantics=both)
    def test_at_time_zero_the_value_is_the_terminal_reward(self, model, semantics):
        value = self.planner(model, semantics)
        for state, g in zip(model.states, model.terminal, strict=True):
            assert value(state, Fraction(0)).contains(g)

    @given(pair=model_and_time(rewards="nonnegative", terminal=False), semantics=both, other=fractions)
    def test_nonnegative_rewards_make_it_monotone_and_at_most_t_times_the_largest(
        self, pair, semantics, other
    ):
        model, t = pair
        s = t * min(abs(other), Fraction(1))
        value = self.planner(model, semantics)
        top = max(row.reward for row in model.transitions)
        for state in model.states:
            assert at_most(value(state, s), value(state, t))
            assert value(state, t).lower <= t * top
            assert value(state, t).upper >= 0

    @given(pair=model_and_time(), semantics=both, shift=fractions)
    def test_a_constant_added_to_the_rewards_adds_its_time(self, pair, semantics, shift):
        model, t = pair
        value = self.planner(model, semantics)
        shifted = self.planner(model.with_rewards(shift=shift), semantics)
        for state in model.states:
            assert equal(shifted(state, t), value(state, t) + shift * t)

    @given(pair=model_and_time(), semantics=both, shift=fractions)
    def test_a_constant_added_to_the_terminal_rewards_is_added(self, pair, semantics, shift):
        model, t = pair
        higher = replace(model, terminal=tuple(g + shift for g in model.terminal))
        value, shifted = self.planner(model, semantics), self.planner(higher, semantics)
        for state in model.states:
            assert equal(shifted(state, t), value(state, t) + shift)

    @given(pair=model_and_time(), semantics=both, scale=st.sampled_from([Fraction(1, 7), Fraction(5, 2)]))
    def test_scaling_time_changes_nothing(self, pair, semantics, scale):
        model, t = pair
        rows = tuple(replace(r, rate=r.rate * scale, reward=r.reward * scale) for r in model.transitions)
        faster = replace(model, transitions=rows, horizon=model.horizon / scale)
        value, scaled = self.planner(model, semantics), self.planner(faster, semantics)
        for state in model.states:
            assert equal(scaled(state, t / scale), value(state, t))

    @given(pair=model_and_time(), semantics=both, data=st.data())
    def test_names_do_not_matter(self, pair, semantics, data):
        model, t = pair
        states = data.draw(st.permutations(model.states))
        actions = data.draw(st.permutations(model.actions))
        renamed = CTMDP.of(
            "renamed",
            horizon=model.horizon,
            states=[f"new-{x}" for x in states],
            actions=[f"new-{a}" for a in actions],
            transitions=[
                Transition(
                    f"new-{r.state}",
                    f"new-{r.action}",
                    r.rate,
                    r.reward,
                    tuple((f"new-{y}", p) for y, p in r.to),
                )
                for r in model.transitions
            ],
            terminal={f"new-{x}": g for x, g in zip(model.states, model.terminal, strict=True)},
        )
        value, other = self.planner(model, semantics), self.planner(renamed, semantics)
        for state in model.states:
            assert equal(other(f"new-{state}", t), value(state, t))

    @given(pair=model_and_time(), semantics=both, loss=st.sampled_from([Fraction(0), Fraction(1, 3)]))
    def test_a_duplicated_or_dominated_action_changes_nothing(self, pair, semantics, loss):
        model, t = pair
        first = model.transitions[0]
        copy = replace(first, action="copy", reward=first.reward - loss)
        larger = replace(model, actions=(*model.actions, "copy"), transitions=(*model.transitions, copy))
        value, other = self.planner(model, semantics), self.planner(larger, semantics)
        for state in model.states:
            assert equal(other(state, t), value(state, t))

    # Most drawn models have no gap between the two problems; this one has.
    @example(pair=(machine_repair(), Fraction(1)))
    @given(pair=model_and_time())
    def test_freedom_to_adjust_does_not_hurt(self, pair):
        model, t = pair
        committed = self.planner(model, Semantics.COMMITTED)
        adjustable = self.planner(model, Semantics.ADJUSTABLE)
        for state in model.states:
            assert at_most(committed(state, t), adjustable(state, t))

    @given(pair=model_and_time(max_actions=1))
    def test_with_one_action_both_problems_are_one(self, pair):
        model, t = pair
        committed = self.planner(model, Semantics.COMMITTED)
        adjustable = self.planner(model, Semantics.ADJUSTABLE)
        for state in model.states:
            assert equal(committed(state, t), adjustable(state, t))

    @given(pair=model_and_time(), semantics=both, scale=st.sampled_from([Fraction(3), Fraction(1, 8)]))
    def test_scaled_rewards_scale_the_value(self, pair, semantics, scale):
        model, t = pair
        value, scaled = self.planner(model, semantics), self.planner(model.with_rewards(scale), semantics)
        for state in model.states:
            v = value(state, t)
            assert equal(scaled(state, t), Enclosure(scale * v.lower, scale * v.upper))

    @given(pair=model_and_time(lumps=True), semantics=both, data=st.data())
    def test_lumps_that_telescope_are_a_potential(self, pair, semantics, data):
        # With φ(y) - φ(x) more at every jump and φ less at the end, all that was added up is -φ(first state).
        model, t = pair
        phi = {x: data.draw(fractions) for x in model.states}
        rows = []
        for r in model.transitions:
            paid = dict(r.lump)
            more = {y: paid.get(y, Fraction(0)) + phi[y] - phi[r.state] for y, _ in r.to if r.rate}
            rows.append(
                Transition.of(r.state, r.action, rate=r.rate, reward=r.reward, to=dict(r.to), lump=more)
            )
        ends = tuple(g - phi[x] for x, g in zip(model.states, model.terminal, strict=True))
        other = replace(model, transitions=tuple(rows), terminal=ends)
        value, moved = self.planner(model, semantics), self.planner(other, semantics)
        for state in model.states:
            assert equal(moved(state, t), value(state, t) + -phi[state])

    @given(pair=model_and_time(lumps=True), semantics=both)
    def test_the_least_cost_is_minus_the_largest_of_the_negated_rewards(self, pair, semantics):
        model, t = pair
        costs = replace(model.with_rewards(-1), objective="min")
        value, cost = self.planner(model, semantics), self.planner(costs, semantics)
        for state in model.states:
            assert equal(cost(state, t), -value(state, t))

    def test_a_lump_at_the_only_jump_is_earned_if_it_comes_in_time(self):
        # c (1 - e^{-2t}), at t = 1; the cheaper of two actions pays less.
        jump = {"rate": 2, "reward": 0, "to": {"y": 1}}
        stay = Transition.of("y", "a", rate=0, reward=0)
        offers = [
            Transition.of("x", "a", **jump, lump=3),
            Transition.of("x", "b", **jump, lump={"y": 5}),
            stay,
        ]
        truth = 1 - Fraction("0.135335283236612691893999494972484403")
        for semantics in Semantics:
            for objective, lump in (("max", 5), ("min", 3)):
                model = CTMDP.of("lump", horizon=1, transitions=offers, objective=objective)
                found = self.planner(model, semantics)("x", Fraction(1))
                assert found.lower - Fraction(1, 10**30) <= lump * truth <= found.upper + Fraction(1, 10**30)
                assert found.radius < Fraction(1, 10**5)

    def test_the_time_of_an_exponential_stay_is_exact(self):
        # One state that is left at rate 2 for an absorbing one without reward: V(t) = (1 - e^{-2t})/2,
        # and e^{-2} = 0.13533528323661269189..., so that laws which only compare cannot all be met by 0.
        model = CTMDP.of(
            "stay",
            horizon=1,
            transitions=[
                Transition.of("x", "a", rate=2, reward=1, to={"y": 1}),
                Transition.of("y", "a", rate=0, reward=0),
            ],
        )
        truth = (1 - Fraction("0.135335283236612691893999494972484403")) / 2
        for semantics in Semantics:
            found = self.planner(model, semantics)("x", Fraction(1))
            assert found.lower - Fraction(1, 10**33) <= truth <= found.upper + Fraction(1, 10**33)
            assert found.radius < Fraction(1, 10**6)
