r"""One plan of the optimistic learner, compiled: the best model in its sets, on the grid.

The equation :math:`Q' = F(Q)` of :mod:`ctucbvi.learning.exact.equation` is marched by the third-order method
of Shu and Osher,

.. math:: \Phi(Q) = \tfrac13Q + \tfrac23E\bigl(\tfrac34Q + \tfrac14E(E(Q))\bigr), \qquad
          E(Q) = Q + \Delta F(Q) .

:math:`F_k = r + \max\tilde\lambda(m_k(V) - Q_k)` with :math:`V = \max_a Q`, so that for
:math:`\Delta\lambda_{\max} \le 1` (a cell is cut into parts where it is too long for that) :math:`E` is
monotone and does not increase differences; nor does :math:`\Phi`, which is made of means of such steps.

**Frozen means.** The largest mean over an l1 set (:mod:`ctucbvi.learning.fast.largest_means`) is attained at
the same target :math:`j` as long as the targets of a row keep their order, ties included, and one state stays
the best.  So the search for it is not repeated at every stage: a mean is *frozen* as

.. math:: m = \rho\,(V_b - V_j) + p_1V_{y_1} + p_2V_{y_2} ,

where :math:`y` is a target, or :math:`j` for one that is not better, until a comparison comes out
differently.  A stage is computed before that is known, and once more if it was so.  At :math:`V = 0`, where a
march begins, all means are 0, whatever is frozen.  Longer rows keep :math:`j`, and kl sets around several
targets are searched each time; such a mean is a number beside the values, and :math:`m` is that number.

**Words.** States are cut into blocks of eight, and what there is of their pairs are words
(:mod:`ctucbvi.abreast`): one for each place in the list of actions, in which number :math:`l` belongs to
state :math:`l` of the block, so that a maximum over actions compares words.  Where a state has fewer actions,
all that is written of the missing ones is 0; so is their :math:`Q`, which does not lead, as no :math:`Q` is
negative and the first best one counts.

No bit depends on any of this: each mean is the same sum of the same products.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ctucbvi.abreast import WIDTH, every, gathered, load, picked, some, store, where, words
from ctucbvi.kernels import compiled
from ctucbvi.learning.fast.episodes import Choices, Scene
from ctucbvi.learning.fast.largest_means import divergence_mean, threshold
from ctucbvi.learning.fast.optimistic_sets import GridSets, SetConstants
from ctucbvi.numeric.arrays import Floats, Integers

# Rows of a word in `MarchRoom.terms`: the rates, r, and the factors of a frozen mean.
LOW, HIGH, REWARD, MOVED, ONE, TWO, TERMS = 0, 1, 2, 3, 4, 5, 8
SPOTS = 4  # rows of a word in `MarchRoom.spots`: j, y_1, y_2 and room
_STEADY = 2  # words of values that are kept at hand
_LEAST = 5e-324  # the smallest positive number: a difference of doubles is not less


class MarchRoom(NamedTuple):
    """The table of a plan, and room for its steps."""

    table: Floats  # (pairs, steps + 1) Q̂ at the grid points
    pair: Integers  # (pairs, 3) its word, its number in the word, and where its mean is if that is searched
    ends: Integers  # (blocks,) where the words of each end
    width: Integers  # (words,) the most targets of a pair, 2 for more
    terms: Floats  # (TERMS words, WIDTH)
    spots: Integers  # (SPOTS words, WIDTH) places in `flat`
    values: Floats  # (.., WIDTH) V at a stage, 0, and means that are searched
    flat: Floats  # its numbers
    fresh: Floats  # (2 blocks, WIDTH) V of the next stage, and its first best actions
    plan: Floats  # ((steps + 5) words, WIDTH) Q̂, a grid point after the other; then Q of stages
    leads: Floats  # ((steps + 1) blocks, WIDTH) the first best actions
    dual: Floats  # (pairs,) where the search of the last kl maximum ended, relative to the largest gap
    slow: Integers  # (pairs, 2) those whose mean has not three terms, and their j
    ahead: Floats  # (blocks, WIDTH) by how much the best value is larger, at least
    order: Integers  # (1 + 4 .., WIDTH) the best state; then rows of worse states and of better ones, and
    # in the second half of states that tie


def make_march_room(scene: Scene, constants: SetConstants) -> MarchRoom:
    """Room for the plans of ``scene``."""
    first, row, points, states = scene.first, scene.row, len(scene.times), len(scene.first) - 1
    targets, most = np.diff(row), 1 if constants.divergence else 2
    pair, ends, width, slots = np.zeros((len(targets), 3), np.int64), list[int](), list[int](), states + 1
    for n in range(0, states, WIDTH):
        mine = range(n, min(n + WIDTH, states))
        for a in range(max(first[x + 1] - first[x] for x in mine)):
            pairs = [first[x] + a for x in mine if first[x] + a < first[x + 1]]
            pair[pairs, 0], pair[pairs, 1] = len(width), [x - n for x in mine if first[x] + a < first[x + 1]]
            width.append(min(2, max(targets[pairs])))
        ends.append(len(width))
    for k in np.flatnonzero(targets > most):
        pair[k, 2], slots = slots, slots + 1
    terms, ahead = words(TERMS * len(width)), words(len(ends))
    terms[TERMS * pair[:, 0] + REWARD, pair[:, 1]] = scene.reward
    ahead[:] = -np.inf  # beside the values there may be means, which are no states
    values, many = words(max(_STEADY, -(-slots // WIDTH))), -(-2 * len(scene.target) // WIDTH)
    return MarchRoom(
        table=np.zeros((len(targets), points)),
        pair=pair,
        ends=np.array(ends),
        width=np.array(width),
        terms=terms,
        spots=words(SPOTS * len(width)).view(np.int64),
        values=values,
        flat=values.reshape(-1),
        fresh=words(2 * len(ends)),
        plan=words((points + 4) * len(width)),
        leads=words(points * len(ends)),
        dual=np.zeros(len(targets)),
        slow=np.zeros((len(targets), 2), np.int64),
        ahead=ahead,
        order=words(1 + 4 * many).view(np.int64),
    )


# --- frozen means -----------------------------------------------------------------------------


@compiled()
def compare(
    begin: int, end: int, target: Integers, room: MarchRoom, uneven: int, even: int
) -> tuple[int, int]:
    """Write down the order of the targets of a row, after these many comparisons; how many there are then."""
    values, order, half = room.flat, room.order, room.order.shape[0] // 2
    for e in range(begin + 1, end):
        # The next worse one of all targets before it, and the next better one.
        y, below, above = target[e], -1, -1
        for d in range(begin, e):
            z = target[d]
            if values[z] <= values[y] and (below < 0 or values[z] > values[below]):
                below = z
            if values[z] > values[y] and (above < 0 or values[z] < values[above]):
                above = z
        for lower, upper in ((below, y), (y, above)):
            if lower < 0 or upper < 0:
                continue
            tied = values[lower] == values[upper]
            n = even if tied else uneven
            last, at = 1 + half * tied + 2 * ((n - 1) // WIDTH), (n - 1) % WIDTH
            if n > 0 and order[last, at] == lower and order[last + 1, at] == upper:
                continue  # the row before has the same targets
            line = 1 + half * tied + 2 * (n // WIDTH)
            for at in range(n % WIDTH, WIDTH):  # to the end: what is not used says the same
                order[line, at], order[line + 1, at] = lower, upper
            even, uneven = even + tied, uneven + (not tied)
    return uneven, even


@compiled()
def freeze(scene: Scene, sets: GridSets, room: MarchRoom) -> tuple[int, int, int]:
    """Means for the present order of the values.

    Returns how many words of comparisons there are, uneven and even ones, and how many slow pairs.
    """
    row, target, shift, chance = scene.row, scene.target, sets.shift, sets.chance
    values, terms, spots, pair, nothing = room.flat, room.terms, room.spots, room.pair, scene.first.size - 1
    best = uneven = even = slow = 0
    for x in range(nothing):
        best = x if values[x] > values[best] else best
    for x in range(nothing):
        room.ahead[x // WIDTH, x % WIDTH] = _LEAST if x < best else 0.0
    for n in range(WIDTH):
        room.order[0, n] = best
    for k in range(shift.size):
        begin, end, n, t, s = row[k], row[k + 1], pair[k, 1], TERMS * pair[k, 0], SPOTS * pair[k, 0]
        terms[t + LOW, n], terms[t + HIGH, n] = sets.low[k], sets.high[k]
        terms[t + MOVED, n], terms[t + ONE, n], terms[t + TWO, n] = 1.0, 0.0, 0.0  # the best value, V_b − 0
        spots[s, n] = spots[s + 1, n] = spots[s + 2, n] = nothing
        if shift[k] < 0.0 or begin == end:
            continue
        place = begin
        if end - begin > 1 and not sets.several[k]:
            place, _ = threshold(begin, end, target, chance, values, best, shift[k])
            uneven, even = compare(begin, end, target, room, uneven, even)
        if sets.several[k] or end - begin > 2:
            room.slow[slow, 0], room.slow[slow, 1] = k, target[place] if place >= 0 else -1
            terms[t + MOVED, n], terms[t + ONE, n], spots[s + 1, n] = 0.0, 1.0, pair[k, 2]
            slow += 1
        elif place >= 0:
            worst = target[place]
            terms[t + MOVED, n], spots[s, n] = shift[k], worst
            for e in range(begin, end):
                y = target[e]
                terms[t + ONE + e - begin, n] = chance[e] if end - begin > 1 else 1.0
                spots[s + 1 + e - begin, n] = y if values[y] > values[worst] else worst
    return (uneven + WIDTH - 1) // WIDTH, (even + WIDTH - 1) // WIDTH, slow


@compiled()
def search(again: bool, slow: int, scene: Scene, sets: GridSets, room: MarchRoom) -> None:
    """The means of the slow pairs; if ``again``, those of kl sets are known."""
    row, target, chance, values = scene.row, scene.target, sets.chance, room.flat
    top = values[0]
    for x in range(1, scene.first.size - 1):
        top = max(top, values[x])
    for j in range(slow):
        k, worst = room.slow[j, 0], room.slow[j, 1]
        begin, end, mean = row[k], row[k + 1], top
        if sets.several[k]:
            if again:
                continue
            mean = divergence_mean(begin, end, target, chance, values, top, sets.reach[k], k, room.dual)
        elif worst >= 0:
            least = values[worst]
            mean = sets.shift[k] * (top - least)
            for e in range(begin, end):
                mean += chance[e] * max(values[target[e]], least)
        values[room.pair[k, 2]] = mean


# --- the march --------------------------------------------------------------------------------


@compiled(forceinline=True)
def at(one: Floats, other: Floats, values: Floats, places: Integers, row: int) -> Floats:
    """Values at places; ``one`` and ``other`` are all words of them, or the first of many."""
    if values.shape[0] > _STEADY:
        return gathered(values, places, row)
    return picked(one, other, places, row)


@compiled(forceinline=True)
def disordered(
    one: Floats,
    other: Floats,
    top: Floats,
    uneven: int,
    even: int,
    values: Floats,
    ahead: Floats,
    order: Integers,
) -> bool:
    """Whether a comparison comes out differently than when the means were frozen."""
    blocks, half = ahead.shape[0], order.shape[0] // 2
    wrong = load(ahead, 0) > top - one
    if blocks > 1:
        wrong = wrong | (load(ahead, 1) > top - other)
    for b in range(2, blocks):
        wrong = wrong | (load(ahead, b) > top - load(values, b))
    for c in range(1, 1 + 2 * uneven, 2):
        lower, upper = at(one, other, values, order, c), at(one, other, values, order, c + 1)
        wrong = wrong | (upper <= lower)
    for c in range(1 + half, 1 + half + 2 * even, 2):
        lower, upper = at(one, other, values, order, c), at(one, other, values, order, c + 1)
        wrong = wrong | (upper > lower) | (lower > upper)
    return some(wrong)


@compiled()
def march_words(scene: Scene, constants: SetConstants, sets: GridSets, room: MarchRoom) -> bool:
    """Fill ``plan`` and ``leads``; whether a lead is another."""
    # Parts of a tuple are counted references: taken out once here, they cost nothing inside the loops.
    _, _, ends, width, terms, spots, values, _, fresh, plan, leads, dual, _, ahead, order = room
    points, stages, count, blocks = scene.times.size, 3 * constants.parts, width.size, ends.size
    step, few = every(constants.delta), values.shape[0] == _STEADY
    zero, single, two, three, quarter = every(0.0), every(1.0), every(2.0), every(3.0), every(0.25)
    values[:], dual[:] = 0.0, 0.0
    one = other = differs = zero
    uneven = even = slow = 0
    again, base, scratch = False, 0, points * count  # where Q of the part's beginning is, and that of stages
    for i in range(1, points):
        n = 0
        while n < stages:
            third, second = n % 3, i == n == 1  # nothing has been frozen before the second stage
            here = base if third == 0 else scratch + third * count
            there = scratch + (third + 1) * count
            if third == 2:
                there = i * count if n + 1 == stages else scratch + n // 3 % 2 * 3 * count
            if slow > 0:
                if few:
                    store(values, 0, one)
                    store(values, 1, other)
                search(again and not second, slow, scene, sets, room)
                one, other = load(values, 0), load(values, 1)
            top, new_one, new_other, w = at(one, other, values, order, 0), zero, zero, 0
            for b in range(blocks):
                value = lead = action = zero
                while w < ends[b]:
                    t, own = TERMS * w, load(plan, here + w)
                    mean, s = top, SPOTS * w
                    if width[w] > 0:
                        least = at(one, other, values, spots, s)
                        mean = load(terms, t + MOVED) * (top - least)
                        if width[w] == 1:
                            mean = mean + load(terms, t + ONE) * least
                        else:
                            mean = mean + load(terms, t + ONE) * at(one, other, values, spots, s + 1)
                            mean = mean + load(terms, t + TWO) * at(one, other, values, spots, s + 2)
                    gap = mean - own
                    slowly, quickly = load(terms, t + LOW) * gap, load(terms, t + HIGH) * gap
                    gain = where(quickly > slowly, quickly, slowly)
                    new = own + step * (load(terms, t + REWARD) + gain)
                    if third == 1:
                        new = (three * load(plan, base + w) + new) * quarter
                    elif third == 2:
                        new = (load(plan, base + w) + two * new) / three
                        lead, action = where(new > value, action, lead), action + single
                    store(plan, there + w, new)
                    value = where(new > value, new, value)
                    w += 1
                new_one, new_other = (value, new_other) if b == 0 else (new_one, value)
                if not few:
                    store(fresh, b, value)
                if third == 2:
                    store(fresh, blocks + b, lead)
            if again or i + n == 1:  # all has just been frozen, or does not matter
                again = False
            else:
                again = second or disordered(one, other, top, uneven, even, values, ahead, order)
            if again:
                if few:
                    store(values, 0, one)
                    store(values, 1, other)
                uneven, even, slow = freeze(scene, sets, room)
                continue
            one, other, n = new_one, new_other, n + 1
            if not few:
                for b in range(blocks):
                    store(values, b, load(fresh, b))
                one, other = load(values, 0), load(values, 1)
            if third == 2:
                base = there
        for b in range(blocks):
            lead = load(fresh, blocks + b)
            differs = where(lead == load(leads, i * blocks + b), differs, single)
            store(leads, i * blocks + b, lead)
    return some(differs > zero)


@compiled()
def hand_out(first: Integers, room: MarchRoom, policy: Choices) -> bool:
    """Let ``policy`` follow the leads; returns whether that changed anything."""
    leads, blocks, changed = room.leads, room.ends.size, False
    for x in range(policy.shape[0]):
        for i in range(1, policy.shape[1]):
            lead = np.int32(first[x] + int(leads[i * blocks + x // WIDTH, x % WIDTH]))
            changed |= policy[x, i] != lead
            policy[x, i] = lead
        policy[x, 0] = policy[x, 1]  # at t_0 all are worth 0, which tells nothing
    return changed


@compiled()
def write_table(room: MarchRoom) -> None:
    """The table from the words of the last plan."""
    table, plan, pair, count = room.table, room.plan, room.pair, room.width.size
    for k in range(table.shape[0]):
        for i in range(table.shape[1]):
            table[k, i] = plan[i * count + pair[k, 0], pair[k, 1]]


@compiled()
def march(scene: Scene, constants: SetConstants, sets: GridSets, room: MarchRoom) -> None:
    """Fill the table."""
    march_words(scene, constants, sets, room)
    write_table(room)
