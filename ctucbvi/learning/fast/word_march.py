r"""The march to the fixed point (:mod:`ctucbvi.learning.fast.fixed_point`), eight states at a time.

States that do not lie in order are cut into blocks of eight, and :math:`c`, :math:`Q`, :math:`V` and
:math:`X` are words (:mod:`ctucbvi.abreast`): number :math:`l` of a word belongs to state
:math:`l` of its block.  The pairs of a block are one word for each place in the list of actions, so that a
maximum over actions compares words.  Where a state has fewer actions, all that is written of the missing ones
is 0; so is their :math:`Q`, which does not lead, as no :math:`Q` is negative and the first best one counts.

A word of :math:`\sum_y p(y)V(y)` is the sum of words :math:`p(y)`, times one number :math:`V(y)` each, over
the states that its pairs lead to, in their order; two words, a couple, go through these together.  :math:`Xc`
is such a sum of columns of :math:`X`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ctucbvi.abreast import WIDTH, every, load, some, spread, store, where, words
from ctucbvi.kernels import compiled
from ctucbvi.learning.fast.episodes import Choices, Desk, Scene, Words
from ctucbvi.numeric.arrays import Floats, Integers

MOST_STATES = 48
_CHANGES = 8  # times that rows take over at one grid point, before it is left to the contraction
# Rows in `WordRoom.weights`: of both words of a couple, one after the other.
_DECAY, _GAIN, _ALPHA, _BETA, _WEIGHTS = 0, 2, 4, 6, 8


class WordRoom(NamedTuple):
    """How the states that are not settled, the others, lie in words; and room for their march."""

    states: Integers  # (others,) which they are; their numbers are places here
    pair: Integers  # (pairs, 3) couple, word of it and number in the word; -1: of a settled state
    spot: Integers  # (non-zeros, 2) row and number in `chance`; -1: of a settled state
    block: Integers  # (blocks + 1,) where the couples of each block begin
    row: Words  # (couples + 1,) where the targets of each begin; unsigned, as none is counted from the end
    split: Words  # (couples,) and those of them that are settled
    target: Integers  # (targets,) numbers of others; where the values of settled ones begin
    chance: Floats  # (2 targets, WIDTH)
    weights: Floats  # (_WEIGHTS couples, WIDTH)
    source: Floats  # (2 couples, WIDTH) c
    known: Floats  # (2 couples, WIDTH) Σ p V over settled states
    inflow: Floats  # (2 couples, WIDTH) Σ p V
    table: Floats  # ((steps + 1) 2 couples, WIDTH) Q, a grid point after the other
    values: Floats  # ((steps + 1) blocks, WIDTH) V
    leads: Floats  # ((steps + 1) blocks, WIDTH) the first best actions of the last plan; -1: none was made
    inverse: Floats  # (blocks others, WIDTH) X, column by column; empty where there is none
    follows: Floats  # (blocks, WIDTH) the actions π that X is of; -1: cut off
    change: Floats  # (blocks, WIDTH) room
    pull: Floats  # (others,) room


def make_word_room(scene: Scene, settled: list[int]) -> WordRoom:
    """The words of ``scene``, of which these states are settled."""
    first, row, points = scene.first, scene.row, len(scene.times)
    states = [x for x in range(len(first) - 1) if x not in set(settled)]
    number = {x: n for n, x in enumerate(states)}
    pair, spot = np.full((first[-1], 3), -1), np.full((len(scene.target), 2), -1)
    block, begins, split, target = [0], [0], list[int](), list[int]()
    for n in range(0, len(states), WIDTH):
        mine = states[n : n + WIDTH]
        for a in range(0, max(first[x + 1] - first[x] for x in mine), 2):
            pairs = [
                (k, k - first[x] - a, number[x] % WIDTH)
                for x in mine
                for k in range(first[x] + a, min(first[x] + a + 2, first[x + 1]))
            ]
            ahead = {int(y) for k, _, _ in pairs for y in scene.target[row[k] : row[k + 1]]}
            inside, known = sorted(ahead & set(states)), sorted(ahead - set(states))
            for k, word, lane in pairs:
                pair[k] = len(split), word, lane
                for e in range(row[k], row[k + 1]):
                    spot[e] = 2 * (begins[-1] + [*inside, *known].index(scene.target[e])) + word, lane
            split.append(begins[-1] + len(inside))
            target += [*(number[y] for y in inside), *(y * points for y in known)]
            begins.append(len(target))
        block.append(len(split))
    couples, blocks, kept = len(split), len(block) - 1, len(states) if len(states) <= MOST_STATES else 0
    return WordRoom(
        states=np.array(states, np.int64),
        pair=pair,
        spot=spot,
        block=np.array(block),
        row=np.array(begins, np.uint64),
        split=np.array(split, np.uint64),
        target=np.array(target, np.int64),
        chance=words(2 * len(target)),
        weights=words(_WEIGHTS * couples),
        source=words(2 * couples),
        known=words(2 * couples),
        inflow=words(2 * couples),
        table=words(points * 2 * couples),
        values=words(points * blocks),
        leads=words(points * blocks),
        inverse=words(blocks * kept),
        follows=words(blocks),
        change=words(blocks),
        pull=np.zeros(len(states)),
    )


@compiled()
def prepare(desk: Desk, room: WordRoom) -> None:
    """The estimates in words; and the march at its beginning, where all are cut off."""
    pair, spot, weights, chance, inverse = room.pair, room.spot, room.weights, room.chance, room.inverse
    estimates, shares, blocks = desk.weights, desk.chance, room.block.size - 1
    for k in range(pair.shape[0]):
        if pair[k, 0] >= 0:
            place = _WEIGHTS * pair[k, 0] + pair[k, 1]
            for n in range(4):
                weights[place + 2 * n, pair[k, 2]] = estimates[n, k]
    for e in range(spot.shape[0]):
        if spot[e, 0] >= 0:
            chance[spot[e, 0], spot[e, 1]] = shares[e]
    room.inflow[:], inverse[:], room.follows[:] = 0.0, 0.0, -1.0
    for x in range(room.states.size if inverse.size else 0):
        inverse[blocks * x + x // WIDTH, x % WIDTH] = 1.0


@compiled()
def exchange(
    x: int,
    now: float,
    block: Integers,
    row: Words,
    split: Words,
    target: Integers,
    chance: Floats,
    weights: Floats,
    inverse: Floats,
    follows: Floats,
    change: Floats,
    pull: Floats,
) -> None:
    """Let the value of state ``x`` follow the action ``now``, or be cut off: change X."""
    blocks, b, lane = block.size - 1, x // WIDTH, x % WIDTH
    pull[:] = 0.0
    for sign, a in ((-1.0, now), (1.0, follows[b, lane])):
        if a >= 0.0:
            u, word = block[b] + int(a) // 2, int(a) % 2
            for e in range(row[u], split[u]):
                y, place = target[e], 2 * np.int64(e) + word
                share = sign * weights[_WEIGHTS * u + _BETA + word, lane] * chance[place, lane]
                for z in range(pull.size):
                    pull[z] += share * inverse[blocks * z + y // WIDTH, y % WIDTH]
    scale = 1.0 / (1.0 + pull[x])
    for c in range(blocks):
        store(change, c, load(inverse, blocks * x + c))
    for z in range(pull.size):
        factor = every(scale * pull[z])
        for c in range(blocks):
            n = blocks * z + c
            store(inverse, n, load(inverse, n) - load(change, c) * factor)
    follows[b, lane] = now


@compiled(forceinline=True)
def weigh(
    begin: np.uint64, end: np.uint64, target: Integers, chance: Floats, numbers: Floats, place: int
) -> tuple[Floats, Floats]:
    """Sums of words ``chance`` of a couple, each times its number: that of ``target``, after ``place``."""
    one = other = every(0.0)
    for e in range(begin, end):
        number, n = spread(numbers, place + target[e]), 2 * np.int64(e)
        one = one + load(chance, n) * number
        other = other + load(chance, n + 1) * number
    return one, other


@compiled(forceinline=True)
def followed(b: int, t: float, block: Integers, source: Floats, follows: Floats) -> Floats:
    """A word of c of the actions that V follows, or of ``t``."""
    pi, found, a, one = load(follows, b), every(t), every(0.0), every(1.0)
    for s in range(2 * block[b], 2 * block[b + 1]):
        found, a = where(pi == a, load(source, s), found), a + one
    return found


@compiled()
def march_words(times: Floats, settled: Floats, tolerance: float, room: WordRoom) -> bool:
    """Fill ``table``, ``values`` and ``leads``; whether a lead is another.  ``settled`` has known values."""
    # Parts of a tuple are counted references: taken out once here, they cost nothing inside the loops.
    block, row, split, target, chance = room.block, room.row, room.split, room.target, room.chance
    weights, source, known, inflow, table = room.weights, room.source, room.known, room.inflow, room.table
    values, leads, inverse, follows = room.values, room.leads, room.inverse, room.follows
    change, pull, couples, blocks, others = (
        room.change,
        room.pull,
        split.size,
        block.size - 1,
        room.states.size,
    )
    zero, one, least, differs = every(0.0), every(1.0), every(tolerance), every(0.0)
    for i in range(1, times.size):
        t, here, changes = every(times[i]), i * blocks, 0 if inverse.size else _CHANGES
        for u in range(couples):
            came = weigh(split[u], row[u + 1], target, chance, settled, i)
            for n in range(2):
                s, w = 2 * u + n, _WEIGHTS * u + n
                earned = load(weights, w + _GAIN) + load(weights, w + _ALPHA) * load(inflow, s)
                earned = earned + load(weights, w + _BETA) * came[n]
                before = load(table, 2 * couples * (i - 1) + s)
                store(source, s, load(weights, w + _DECAY) * before + earned)
                store(known, s, came[n])
        for b in range(blocks):
            store(values, here + b, load(values, here - blocks + b))
        while True:
            if changes < _CHANGES:
                for b in range(blocks):
                    store(change, b, followed(b, times[i], block, source, follows))
                for b in range(blocks):
                    found = zero
                    for y in range(others):
                        found = found + load(inverse, y * blocks + b) * spread(change, y)
                    store(values, here + b, found)
            # Φ: not in place, so that no state has to wait for another.
            moved = zero
            for b in range(blocks):
                best, lead, a = every(-1.0), zero, zero
                for u in range(block[b], block[b + 1]):
                    ahead = weigh(row[u], split[u], target, chance, values, here * WIDTH)
                    for n in range(2):
                        s = 2 * u + n
                        found = load(source, s) + load(weights, _WEIGHTS * u + _BETA + n) * ahead[n]
                        store(inflow, s, load(known, s) + ahead[n])
                        store(table, 2 * couples * i + s, found)
                        lead, best = where(found > best, a, lead), where(found > best, found, best)
                        a = a + one
                differs = where(lead == load(leads, here + b), differs, one)
                store(leads, here + b, lead)
                new, old = where(best > t, t, best), load(values, here + b)
                step = where(new > old, new - old, old - new)
                moved = where(step > moved, step, moved)
                store(change, b, new)
            for b in range(blocks):
                store(values, here + b, load(change, b))
            if not some(moved > least):
                break
            if changes < _CHANGES:
                for x in range(others):
                    b, lane = x // WIDTH, x % WIDTH
                    now = leads[here + b, lane] if values[here + b, lane] < times[i] else -1.0
                    if follows[b, lane] != now:
                        exchange(
                            x, now, block, row, split, target, chance, weights, inverse, follows, change, pull
                        )
                changes += 1
    return some(differs > zero)


@compiled()
def hand_out(first: Integers, room: WordRoom, policy: Choices) -> bool:
    """Let ``policy`` follow the leads; returns whether that changed anything."""
    leads, blocks, changed = room.leads, room.follows.shape[0], False
    for n in range(room.states.size):
        x = room.states[n]
        for i in range(1, policy.shape[1]):
            lead = np.int32(first[x] + int(leads[i * blocks + n // WIDTH, n % WIDTH]))
            changed |= policy[x, i] != lead
            policy[x, i] = lead
        policy[x, 0] = policy[x, 1]  # at t_0 all are worth 0, which tells nothing
    return changed
