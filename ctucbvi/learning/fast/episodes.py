r"""One episode of CT-UCBVI (``alg: CTUCB``), compiled: estimate, plan, play, remember.

**Time** is counted in ticks of :math:`2^{-q}`, so that nothing about it is ever rounded.  A holding time is
drawn as a whole number of ticks, :math:`j = \lceil -2^q\ln(U)/\lambda\rceil \ge 1`, and is the double
:math:`j 2^{-q}`; :math:`q` is as large as :math:`K` horizons in an ``int64`` permit (for :math:`K = 10^7`,
:math:`H` has about :math:`2^{38}` ticks).  Let :math:`h_0 = \lfloor 2^q H\rfloor` and
:math:`H = h_0 2^{-q} + \rho`.  Then

* a jump at elapsed time :math:`t` is within the horizon if and only if :math:`t` has :math:`h_0` ticks or
  less;
* the remaining time :math:`H - t` is at least :math:`(i - \tfrac12)H/N`, where the cell of :math:`t_i =
  iH/N` begins (the remaining times that are nearest to it), if and only if :math:`t` has at most
  :math:`\lfloor 2^q H(1 - (i - \tfrac12)/N)\rfloor` ticks, which is ``reach[i]``; ``reach[0]`` is
  :math:`h_0`;
* a visit that is cut off lasts :math:`h_0 2^{-q} - t + \rho`, so that with two whole numbers
  :math:`T = \texttt{ticks}\cdot 2^{-q} + \texttt{cut}\cdot\rho`. As a double this is within :math:`3u` of
  the truth, and correctly rounded if :math:`\rho = 0` (if :math:`H` is a double with few digits, such as
  1).

**Estimates** follow ``eq:Timek`` to ``eq:rate-est`` and ``eq:bonus-k`` operation by operation as
:mod:`ctucbvi.learning` writes them, and are renewed for the pairs that the last episode visited.
Jumps are counted for the targets that the true model has: others never occur, so their
:math:`\hat p` is 0 and adds nothing.

**Planning** is ``alg:VI`` (:mod:`ctucbvi.learning.fast.sweeps`): :math:`V_0 = 0`, sweeps until
:math:`\|V_n - V_{n-1}\| < \epsilon_k`, and one more for the policy (``eq:pi-k``). Every rounded operation
of a sweep is monotone, so the computed :math:`V_n` increase until a sweep changes nothing. Then all further
ones compute the same, so that an :math:`\epsilon_k` below what doubles resolve (it may underflow to 0) stops
there: policy and values are those of every later sweep.

**Random numbers**: xoshiro256++ (Blackman and Vigna), one state per run; a uniform number is
:math:`(m + 1/2) 2^{-52}` with :math:`m` the upper 52 bits.  A choice among one is no draw.
"""

from __future__ import annotations

from math import ceil, exp, expm1, sqrt
from math import log as logarithm
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ctucbvi.kernels import compiled
from ctucbvi.numeric.arrays import Floats, Integers

Words = NDArray[np.uint64]
Choices = NDArray[np.int32]

# Places in `Memory.counts`: T is TICKS · 2^-q + CUT · ρ; N_PLUS is N⁺; NEW: the pair is in `visited`.
TICKS, CUT, N_PLUS, NEW = range(4)
# Places in `Memory.clock`.
EPISODE, VISITED, SIDE, ROUNDS, PLANNED, JUMPS, WAIT, WAITED, SPARED, MISSED, AIM, BOXED, CLOCK = range(13)
# Places in `Log.used`.
STARTS, DISTINCT, VISITS = range(3)


class Scalars(NamedTuple):
    """The constants of ticks, grid, radii, bonus and accuracies."""

    tick: float  # 2^-q
    rest: float  # ρ
    cell: float  # H/N
    horizon: float
    lambda_max: float  # λmax
    lambda_min: float  # a known λmin, or 0
    factor: float  # C, or 0 for the greedy learner
    rate_constant: float  # λmax L(δ)
    floor: float  # L(δ)/λmax
    jump_constant: float  # 2 [S ln 2 + ln(SAHK²/δ)]
    exponent: float  # of k in ε_k
    scale: float  # ε_1 where iteration stops
    sharp: float  # 1 for the sharp bonus, else 0


class Scene(NamedTuple):
    """What does not change: the true model, the grid and the constants of the radii."""

    first: Integers  # (states + 1,) the pairs of each state
    row: Integers  # (pairs + 1,) where the targets of each pair begin
    target: Integers  # (non-zeros,)
    share: Floats  # (non-zeros,) cumulative jump probabilities of the true model
    mean_ticks: Floats  # (pairs,) 2^q / λ: the mean holding time in ticks
    reward: Floats  # (pairs,)
    opening: Integers  # initial states
    opening_share: Floats  # their cumulative probabilities
    reach: Integers  # (steps + 1,) ticks that may have passed in the cell of t_i or above; the first is h_0
    times: Floats  # (steps + 1,) t_i
    numbers: Scalars


class Memory(NamedTuple):
    """The statistics, the generator and where the learner stands."""

    counts: Integers  # (4, pairs) see TICKS and the others
    jumps: Integers  # (non-zeros,) N
    visited: Integers  # (pairs,) the pairs seen since the estimates were renewed, `VISITED` of them
    random: Words  # (4,)
    clock: Integers  # (CLOCK,) see EPISODE and the others


class Desk(NamedTuple):
    """The estimates, the iterates and the policy of the episode under way."""

    rate: Floats  # (pairs,) λ̂
    rate_radius: Floats  # (pairs,) β
    jump_radius: Floats  # (pairs,) α
    gain: Floats  # (pairs,) r + b
    chance: Floats  # (non-zeros,) p̂
    weights: Floats  # (4, pairs padded to a multiple of TOGETHER): e^{-z}, (r+b)hφ, α and β of grid.py
    values: Floats  # (depth, states, steps + 1) iterates; V_{n_k} is at `SIDE`
    action_values: Floats  # (depth, pairs padded, steps + 1) T^a V of the iterate before
    inflow: Floats  # (steps + 1,) room for a sweep
    policy: Choices  # (states, steps + 1) π^k, pairs


class Log(NamedTuple):
    """What some episodes leave behind."""

    starts: Integers  # episodes with another policy than the one before
    which: Choices  # its place in `distinct`
    distinct: Choices  # (room, states, steps + 1) different policies
    table: Choices  # open hash table of places in `distinct`, -1 where empty
    visits: Integers  # (room, 3) pair, ticks, place of the target or -1; no room: not recorded
    used: Integers  # (3,) how much of `starts`, `distinct` and `visits` is filled


# --- drawing ----------------------------------------------------------------------------------


@compiled()
def _rotated(word: np.uint64, by: int) -> np.uint64:
    return (word << np.uint64(by)) | (word >> np.uint64(64 - by))


@compiled()
def uniform(random: Words) -> float:
    """A number in (0, 1); steps the generator."""
    word = _rotated(random[0] + random[3], 23) + random[0]
    shifted = random[1] << np.uint64(17)
    random[2] ^= random[0]
    random[3] ^= random[1]
    random[1] ^= random[2]
    random[0] ^= random[3]
    random[2] ^= shifted
    random[3] = _rotated(random[3], 45)
    return (np.float64(word >> np.uint64(12)) + 0.5) * 2.0**-52


@compiled()
def pick(random: Words, share: Floats, low: int, high: int) -> int:
    """A place from ``low`` to ``high - 1``, by cumulative shares whose last is 1."""
    if high - low == 1:
        return low
    mark = uniform(random)
    last = high - 1
    while low < last:
        middle = (low + last) // 2
        if mark < share[middle]:
            last = middle
        else:
            low = middle + 1
    return low


@compiled(forceinline=True)
def cell_of(reach: Integers, elapsed: int) -> int:
    """The i whose t_i is nearest to the remaining time, the larger one half-way."""
    last = reach.size - 1
    i = int((reach[0] - elapsed) * (last / reach[0]) + 0.5)
    i = min(i, last)
    while elapsed > reach[i]:
        i -= 1
    while i < last and elapsed <= reach[i + 1]:
        i += 1
    return i


@compiled(forceinline=True)
def play(scene: Scene, memory: Memory, policy: Choices, log: Log, x: int) -> None:
    """One episode from state ``x`` under ``policy``, counted into the statistics."""
    row, reach, share, target, mean = scene.row, scene.reach, scene.share, scene.target, scene.mean_ticks
    counts, jumps, visited, random, clock = memory
    visits, used = log.visits, log.used
    elapsed = 0
    while True:
        k = policy[x, cell_of(reach, elapsed)]
        if counts[NEW, k] == 0:
            counts[NEW, k] = 1
            visited[clock[VISITED]] = k
            clock[VISITED] += 1
        held, left = -logarithm(uniform(random)) * mean[k], reach[0] - elapsed
        if not held <= left:  # also where it is infinite
            counts[TICKS, k] += left
            counts[CUT, k] += 1
            record(visits, used, k, left, -1)
            return
        ticks = ceil(held)
        e = pick(random, share, row[k], row[k + 1])
        counts[TICKS, k] += ticks
        counts[N_PLUS, k] += 1
        jumps[e] += 1
        clock[JUMPS] += 1
        record(visits, used, k, ticks, e)
        elapsed += ticks
        x = target[e]


@compiled(forceinline=True)
def record(visits: Integers, used: Integers, pair: int, ticks: int, place: int) -> None:
    """Write a visit down, if there is room for any; beyond the room they are only counted."""
    room = visits.shape[0]
    if room > 0:
        n = used[VISITS]
        if n < room:
            visits[n, 0], visits[n, 1], visits[n, 2] = pair, ticks, place
        used[VISITS] = n + 1


# --- estimating -------------------------------------------------------------------------------


@compiled()
def cell_weights(z: float) -> tuple[float, float, float, float]:
    r""":math:`e^{-z}, \varphi, \alpha, \beta` of the linear rule, each within :math:`16u` of the truth.

    Below 1 all come from the series of β, by :math:`\varphi = 1 - \beta`, :math:`e^{-z} = 1 - z\varphi`
    and :math:`\alpha = z\varphi - \beta`, in which nothing cancels by more than a factor of 3.
    """
    if z < 1.0:
        beta = 0.0
        # The first term left out is below 1e-18 of the sum.
        for k in range(11 if z < 0.125 else 20, 0, -1):
            beta = z / (k + 1) * (1.0 - beta)
        phi = 1.0 - beta
        return 1.0 - z * phi, phi, z * phi - beta, beta
    decay = exp(-z)
    phi = -expm1(-z) / z
    return decay, phi, phi - decay, 1.0 - phi


@compiled()
def waiting(z: float) -> float:
    r""":math:`(1-e^{-z})/z`, and 1 at 0."""
    return -expm1(-z) / z if z > 0.0 else 1.0


@compiled()
def sharp_bonus(
    numbers: Scalars, rate: float, reward: float, rate_radius: float, jump_radius: float, n_plus: int
) -> float:
    """The bonus of :mod:`ctucbvi.learning.sharp`."""
    horizon, here = numbers.horizon, waiting(rate * numbers.horizon)
    low, high = max(rate - rate_radius, numbers.lambda_min), min(rate + rate_radius, numbers.lambda_max)
    slower, faster = waiting(low * horizon), waiting(high * horizon)
    reach = min(jump_radius, 2.0) if n_plus >= 1 else 2.0
    above = reward * (slower / here - 1.0) + reach / 2.0 * ((1.0 - slower) / here)
    below = (1.0 - reward) * (1.0 - faster / here) + reach / 2.0 * (1.0 / here - 1.0)
    return float(max(above, below))


@compiled(forceinline=True)
def estimate(k: int, scene: Scene, counts: Integers, jumps: Integers, desk: Desk) -> None:
    """Renew the estimates of pair ``k`` and its weights in the recursion."""
    numbers, row, rate, gain, weights = scene.numbers, scene.row, desk.rate, desk.gain, desk.weights
    n_plus, horizon, reward = counts[N_PLUS, k], numbers.horizon, scene.reward[k]
    time = counts[TICKS, k] * numbers.tick + counts[CUT, k] * numbers.rest
    found = min(n_plus / time, numbers.lambda_max) if n_plus > 0 else 0.0
    rate[k] = max(found, numbers.lambda_min)
    for e in range(row[k], row[k + 1]):
        desk.chance[e] = jumps[e] / max(1, n_plus)
    rate_radius = sqrt(numbers.rate_constant / max(time, numbers.floor))
    jump_radius = sqrt(numbers.jump_constant / max(1.0, float(n_plus)))
    desk.rate_radius[k], desk.jump_radius[k] = rate_radius, jump_radius
    if numbers.sharp:
        gain[k] = reward + sharp_bonus(numbers, rate[k], reward, rate_radius, jump_radius, n_plus)
    else:
        gain[k] = reward + numbers.factor * (horizon * horizon * rate_radius + horizon * jump_radius)
    decay, phi, alpha, beta = cell_weights(rate[k] * numbers.cell)
    weights[0, k], weights[1, k] = decay, gain[k] * numbers.cell * phi
    weights[2, k], weights[3, k] = alpha, beta


@compiled()
def estimate_all(scene: Scene, counts: Integers, jumps: Integers, desk: Desk) -> None:
    """Renew the estimates of all pairs."""
    for k in range(scene.reward.size):
        estimate(k, scene, counts, jumps, desk)


@compiled()
def accuracy(numbers: Scalars, episode: int) -> float:
    r""":math:`\epsilon_k`."""
    if numbers.exponent == 0.5:
        return numbers.scale * (1.0 / sqrt(episode))
    return numbers.scale * exp(-(numbers.exponent * logarithm(float(episode))))


# --- deciding -------------------------------------------------------------------------------


@compiled()
def choose(first: Integers, action_values: Floats, policy: Choices) -> bool:
    """Fill ``policy`` with the first best action; returns whether that changed anything.

    At t_0 all are worth 0, which tells nothing: the action there is that of t_1.
    """
    changed = False
    for x in range(first.size - 1):
        for i in range(1, action_values.shape[1]):
            lead = first[x]
            for k in range(first[x] + 1, first[x + 1]):
                if action_values[k, i] > action_values[lead, i]:
                    lead = k
            changed |= policy[x, i] != lead
            policy[x, i] = lead
        policy[x, 0] = policy[x, 1]
    return changed


# --- writing down -----------------------------------------------------------------------------


@compiled(forceinline=True)
def full(log: Log) -> bool:
    """Whether there is no room for another policy."""
    return bool(log.used[STARTS] == log.starts.size or log.used[DISTINCT] == log.distinct.shape[0])


@compiled(forceinline=True)
def note(log: Log, policy: Choices, episode: int) -> None:
    """Write down that ``policy`` begins with this episode; equal policies are kept once."""
    distinct, table, used = log.distinct, log.table, log.used
    slot = find(distinct, table, policy)
    if table[slot] < 0:
        place = used[DISTINCT]
        table[slot] = place
        for x in range(policy.shape[0]):
            for i in range(policy.shape[1]):
                distinct[place, x, i] = policy[x, i]
        used[DISTINCT] = place + 1
    log.starts[used[STARTS]] = episode
    log.which[used[STARTS]] = table[slot]
    used[STARTS] += 1


@compiled()
def find(distinct: Choices, table: Choices, policy: Choices) -> int:
    """The slot of the hash table where ``policy`` is, or should be."""
    code, place = np.uint64(0), np.uint64(0)
    for x in range(policy.shape[0]):
        for i in range(policy.shape[1]):
            # A number of its own for each action at each place: no product has to wait for another.
            mixed = (place + np.uint64(policy[x, i])) * np.uint64(0x9E3779B97F4A7C15)
            code += (mixed ^ (mixed >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
            place += np.uint64(1 << 32)
    code ^= code >> np.uint64(29)
    slot = np.int64(code % np.uint64(table.size))
    while table[slot] >= 0 and not same(distinct, table[slot], policy):
        slot = (slot + 1) % np.int64(table.size)
    return int(slot)


@compiled()
def same(distinct: Choices, place: int, policy: Choices) -> bool:
    """Whether ``policy`` is the one at ``place``."""
    for x in range(policy.shape[0]):
        for i in range(policy.shape[1]):
            if distinct[place, x, i] != policy[x, i]:
                return False
    return True


@compiled()
def rehash(distinct: Choices, table: Choices, count: int) -> None:
    """Fill the hash table, which is empty, with the first ``count`` policies."""
    for place in range(count):
        table[find(distinct, table, distinct[place])] = place
