r"""Models of the paper by Gao and Zhou: its example, and the trees of its lower bound.

The example has two states and two speeds.  The trees hide one slightly better action in a
leaf: a learner must try about every leaf before it knows, while the planner's value is the
closed form :math:`E[(H - \gamma_d)^+]\,(1/2 + \Delta)`.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from ctucbvi.errors import InputError
from ctucbvi.model import CTMDP, Number, Transition
from ctucbvi.numbers import count, exact, positive

if TYPE_CHECKING:
    from collections.abc import Iterator

_GAO_ZHOU = (
    "X. Gao and X. Y. Zhou, Square-root regret bounds for continuous-time episodic Markov decision processes"
)
_MOST_PAIRS = 10_000  # of a leaf and an action in a tree
_PUTERMAN = "M. L. Puterman, Markov Decision Processes, Wiley 1994"


def machine_repair() -> CTMDP:
    """Build the machine that runs or is repaired, slowly or fast; rewards in [0, 1].

    The rewards are those of :func:`machine_repair_raw` under ``(raw + 12) / 20``, so the
    value is ``(raw value + 12 t) / 20`` and the optimal policies are the same.
    """
    return _machine_repair(
        "machine-repair",
        rewards=("17/20", "1", "8/20", "0"),
        source=f"{_GAO_ZHOU}, simulation example; after Problem 11.2 of {_PUTERMAN}",
        shows="Holding an action until the next jump earns less than changing it at will.",
    )


def machine_repair_raw() -> CTMDP:
    """Build :func:`machine_repair` with the textbook's rewards 5, 8, -4 and -12."""
    return _machine_repair(
        "machine-repair-raw",
        rewards=(5, 8, -4, -12),
        source=f"Problem 11.2 of {_PUTERMAN}, with a finite horizon",
        shows="Rewards of both signs, and an affine image of machine-repair with the same policy.",
    )


def _machine_repair(name: str, *, rewards: tuple[Number, ...], source: str, shows: str) -> CTMDP:
    pairs = (
        ("operating", "slow", 3, "repair"),
        ("operating", "fast", 5, "repair"),
        ("repair", "slow", 2, "operating"),
        ("repair", "fast", 7, "operating"),
    )
    rows = [
        Transition.of(state, action, rate=rate, reward=reward, to={target: 1})
        for (state, action, rate, target), reward in zip(pairs, rewards, strict=True)
    ]
    return CTMDP.of(name, horizon=1, initial="operating", transitions=rows, source=source, shows=shows)


def lower_bound_tree(
    actions: int = 2,
    depth: int = 3,
    gap: Number = "1/8",
    pair: int = 3,
    *,
    rate: Number = 1,
    horizon: Number = 2,
) -> CTMDP:
    r"""Build the instance :math:`\mathcal M_j` of ``thm:lowerbound``, with :math:`j` the ``pair``.

    A full tree with :math:`A` ``actions`` per node and nodes of depth :math:`0, \dots, d-1`
    (:math:`d` the ``depth``), a good and a bad absorbing state:
    :math:`S = 2 + (A^d - 1)/(A - 1)`.  In an inner node action :math:`a` leads to the
    :math:`a`-th child.  In a leaf every action leads to the good state, which earns 1 per
    unit of time, with probability 1/2, and to the bad one otherwise; the :math:`j`-th
    leaf–action pair, counted from 1, has :math:`1/2 + \Delta` instead (:math:`\Delta` the
    ``gap``; none has for :math:`j = 0`).  Every jump takes an exponential time with the one
    ``rate``, so that the optimal value of the root is

    .. math:: E[(H - \gamma_d)^+] \, (1/2 + \Delta), \qquad
              \gamma_d \sim \mathrm{Erlang}(d, \lambda_{\max}),

    for :math:`j \ge 1`, and the same with :math:`\Delta = 0` for :math:`j = 0`.
    """
    width = count(actions, "actions", 2)
    levels = count(depth, "depth")
    advantage, speed = exact(gap, "gap"), positive(rate, "rate")
    if levels > 20 or width**levels > _MOST_PAIRS:
        raise InputError(f"depth: {width}**{levels} leaf-action pairs are too many; stay below {_MOST_PAIRS}")
    pairs = width**levels  # L * A leaf–action pairs
    if not 0 <= advantage <= Fraction(1, 2):
        raise InputError(f"gap: {advantage} is outside [0, 1/2]; write a number in it")
    if count(pair, "pair", 0) > pairs:
        raise InputError(f"pair: {pair} is beyond the {pairs} leaf-action pairs; write 0 to {pairs}")
    return CTMDP.of(
        "lower-bound-tree",
        horizon=horizon,
        initial="n1",
        states=[*(f"n{i}" for i in range(1, _tree_size(width, levels) + 1)), "good", "bad"],
        actions=[f"a{a}" for a in range(1, width + 1)],
        transitions=_tree_rows(width, levels, advantage, pair, speed),
        source=f"{_GAO_ZHOU}, thm:lowerbound; after O. D. Domingues, P. Ménard, E. Kaufmann and "
        "M. Valko, Episodic reinforcement learning in finite MDPs: minimax lower bounds revisited, 2021",
        shows="One leaf-action pair is slightly better than all others: what makes learning hard. "
        "The optimal value has a closed form and most actions tie exactly.",
    )


def _tree_size(width: int, levels: int) -> int:
    return sum(width**i for i in range(levels))


def _tree_rows(
    width: int, levels: int, advantage: Fraction, pair: int, speed: Fraction
) -> Iterator[Transition]:
    """Yield the rows, nodes numbered level by level: node ``i`` has children ``(i - 1) * A + 2, ...``."""
    inner = _tree_size(width, levels - 1)
    half = Fraction(1, 2)
    for node in range(1, _tree_size(width, levels) + 1):
        for a in range(1, width + 1):
            if node <= inner:
                to = {f"n{(node - 1) * width + 1 + a}": Fraction(1)}
            else:
                better = advantage if (node - inner - 1) * width + a == pair else 0
                to = {"good": half + better, "bad": half - better}
            yield Transition.of(f"n{node}", f"a{a}", rate=speed, reward=0, to=to)
    for state, reward in (("good", 1), ("bad", 0)):
        for a in range(1, width + 1):
            yield Transition.of(state, f"a{a}", rate=0, reward=reward)
