r"""The trees of ``assume:LB/relaxed`` as models, for every :math:`S \ge 4` and :math:`A \ge 2`.

They are built from S and A alone: levels are filled while the next one has room, and what is claimed of the
tree is read off the model: its states, the states that a policy can reach, how many jumps it takes to the
good or the bad state, and the optimal value.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import ceil, isqrt

from ctucbvi.enclosure import Enclosure
from ctucbvi.exact import solve
from ctucbvi.model import CTMDP, Transition
from proofs_checks.checks.common import scaled
from proofs_checks.checks.lower_bound_algorithms import LAWS, METHOD
from proofs_checks.checks.lower_bound_game import BITS, distance, least_average_regret
from proofs_checks.checks.lower_bound_instances import DIGITS, erlang_excess
from verify.claims import Effort
from verify.provers.balls import precision, rational
from verify.provers.computed import Case

_SAME = Fraction(1, 10**20)
_END = {"good": 1, "bad": 0}


@dataclass(frozen=True)
class Filled:
    """The tree for that many states and actions; its jumps have rate 1."""

    states: int
    actions: int
    gap: Fraction = Fraction(1, 4)
    horizon: Fraction = Fraction(2)

    @property
    def levels(self) -> list[int]:
        """The numbers of nodes, from the root to the leaves."""
        sizes, left = [1], self.states - 3
        while left >= sizes[-1]:  # the last level does not get fewer than there are above it
            sizes.append(min(self.actions * sizes[-1], left))
            left -= sizes[-1]
        return sizes

    @property
    def pairs(self) -> int:
        """Of a leaf and an action."""
        return self.levels[-1] * self.actions

    def model(self) -> CTMDP:
        """The instance in which the first pair is good."""
        levels, names = self.levels, [f"a{a}" for a in range(self.actions)]
        idle = (f"idle{i}" for i in range(self.states - 2 - sum(levels)))
        rows = []
        for (k, size), (a, action) in product(enumerate(levels), enumerate(names)):
            for i in range(size):
                to = self._end(good=(i, a) == (0, 0))
                if k + 1 < len(levels):
                    child = i + a * size  # its own one, if there is one
                    to = {f"{k + 1}.{child if child < levels[k + 1] else i}": Fraction(1)}
                rows.append(Transition.of(f"{k}.{i}", action, rate=1, reward=0, to=to))
        for name, action in product((*_END, *idle), names):
            rows.append(Transition.of(name, action, rate=1, reward=_END.get(name, 0), to={name: 1}))
        return CTMDP.of("filled", horizon=self.horizon, initial="0.0", transitions=rows)

    def _end(self, *, good: bool) -> dict[str, Fraction]:
        chance = Fraction(1, 2) + (self.gap if good else 0)
        return {"good": chance, "bad": 1 - chance}


def optimal(model: CTMDP) -> Enclosure:
    """The optimal value at the root, from the exact planner."""
    return solve(model, digits=DIGITS).value(model.initial_state)


def walks(model: CTMDP) -> list[set[str]]:
    """The states in which a policy can be after 0, 1, 2, … jumps, until they are the good and the bad one."""
    next_to: dict[str, set[str]] = {}
    for row in model.transitions:
        next_to.setdefault(row.state, set()).update(dict(row.to))
    found = [{model.initial_state}]
    while not found[-1] <= set(_END):
        found.append(set().union(*(next_to[x] for x in found[-1])))
    return found


@scaled("sizes", "trees built for S and A, walked through; the exact planner")
def sizes(effort: Effort, more: int = 1) -> list[Case]:
    """States, nodes and leaves that can be reached, counted: ``S <= 3L + more``; ends come after d jumps."""
    found = []
    for states, actions in product(range(4, effort.scaled(16, 40)), range(2, 5)):
        tree = Filled(states, actions)
        model, what = tree.model(), f"S={states}, A={actions}"
        *upper, last, ends = walks(model)
        above, room = sum(actions**i for i in range(len(upper))), actions ** len(upper)
        found += [
            Case(f"{what}: states", len(model.states), states, "=="),
            Case(f"{what}: ends together", len(ends), 2, "=="),
            Case(f"{what}: nodes above the leaves", len(set().union(*upper)), above, "=="),
            Case(f"{what}: leaves that are reached", len(last) * actions, tree.pairs, "=="),
            Case(f"{what}: S <= 3L + {more}", states, 3 * len(last) + more),
            Case(f"{what}: 2 + f + P <= S", 2 + above + room // actions, states),
            Case(f"{what}: S < 2 + f + 2AP", states, 2 + above + 2 * room, "<"),
        ]
    for states, actions in ((6, 2), (7, 2), (7, 3), (8, 2)):
        tree = Filled(states, actions)
        with precision(BITS):
            worth = erlang_excess(Fraction(1), len(tree.levels))(tree.horizon)
            right = worth * rational(tree.gap + Fraction(1, 2))
        what = f"S={states}, A={actions}: |V* - W (1/2 + Δ)|"
        found.append(Case(what, distance(optimal(tree.model()), right), _SAME))
    return found


@scaled("every algorithm", METHOD)
def every_algorithm(effort: Effort, constant: Fraction) -> list[Case]:
    """On trees that are not full: the best average regret over W, squared, against the bound."""
    found = []
    everything = list(product(((6, 2), (7, 2), (8, 2), (7, 3)), LAWS.items()))
    for (states, actions), (law, moments) in everything[: effort.scaled(7, 12)]:
        size, pairs = states * actions, Filled(states, actions).pairs
        first = ceil(Fraction(size, 2))
        for episodes in range(first, first + effort.scaled(1, 3)):
            gap = Fraction(isqrt(100 * size // episodes), 40)  # just below √(SA/K)/4
            least = least_average_regret(moments, pairs, gap, episodes)
            what = f"S={states}, A={actions}, K={episodes}, Δ={gap}, {law}: squared, over W^2"
            found.append(Case(what, least**2, constant**2 * size * episodes, ">="))
    return found
