r"""When planning may be left out: a proof that it would decide the same.

An episode was planned with the estimates :math:`\rho = r + b`, :math:`\lambda` and :math:`p` of all pairs.
A later one has :math:`\rho + \Delta\rho`, :math:`\lambda + \Delta\lambda`, :math:`p + \Delta p`, and
planning it would compute :math:`\bar V_n` and :math:`\bar Q_n = \bar{\mathcal T}^a \bar V_{n-1}` in place
of :math:`V_n` and :math:`Q_n`. The *box* bounds every change: :math:`|\Delta\rho| \le a`,
:math:`|\Delta\lambda| \le \ell`, :math:`|\Delta p(y)| \le \pi_y`. After planning, one pass over all sweeps
finds derivatives :math:`G` and remainders :math:`R \ge 0` at all grid points, such that for all estimates
in the box

.. math:: |\bar Q_n - Q_n - G\cdot\Delta| \le R, \qquad\text{so}\qquad
          |\bar Q_n - Q_n| \le B = |G|\cdot\text{box} + R .

*Proof, by induction over sweeps and grid points.*  With the weights of :mod:`ctucbvi.numeric.grid`
(:math:`e = e^{-z}`, :math:`g = \rho h\varphi`, :math:`\alpha`, :math:`\beta`, :math:`z = \lambda h`),
:math:`u = \sum_y p(y)V(y)`, :math:`E = \bar Q - Q` and
:math:`E_u = \sum_y (p + \Delta p) E_V + \sum_y \Delta p V`,

.. math:: E_i = e E_{i-1} + \Delta e\,(Q + E)_{i-1} + \Delta g + \alpha E_{u,i-1}
          + \Delta\alpha\,(u + E_u)_{i-1} + \beta E_{u,i} + \Delta\beta\,(u + E_u)_i .

Its linear part, where :math:`\sigma = \alpha/z` and by :math:`\lambda` :math:`e' = -he`,
:math:`\varphi' = -h\sigma`, :math:`\alpha' = h(e - \sigma)`, :math:`\beta' = h\sigma`, is the recursion of
:math:`G`: that of :math:`Q` with other sources.  What is left over is at most the sum of

* :math:`\ell h B_{i-1} + \tfrac12\ell h(B_{u,i-1} + B_{u,i})`, as :math:`|\Delta e| \le \ell h` and
  :math:`|\Delta\alpha|, |\Delta\beta| \le \tfrac12\ell h`; here
  :math:`B_u = \sum_y (p + \pi)B_V + \sum_y \pi V \ge |E_u|`;
* :math:`\sum_y \pi_y(\alpha B_{V,i-1} + \beta B_{V,i})`, from :math:`\Delta p\,E_V`;
* :math:`\tfrac12(\ell h)^2\bigl(Q_{i-1} + u_{i-1} + \tfrac13(\rho h + u_i)\bigr) + \tfrac12 a\,\ell h^2`, as
  :math:`|e''|, |\alpha''| \le h^2` and :math:`|\varphi''|, |\beta''| \le \tfrac13h^2`,

the source of the recursion of :math:`R`.  Then :math:`V = \min\{t, \max_a Q\}` is taken to follow its best
action :math:`a`, or to stay at :math:`t` if it is cut off.  By how much another action can overtake,
:math:`(Q_b + B_b) - (Q_a - B_a)`, or the cut-off can set in or end, is added to its remainder.  ∎

**Decisions.** In the box :math:`n_k` is the same as long as the new :math:`\epsilon_k` is above
:math:`\|V_n - V_{n-1}\|` for :math:`n = n_k`, plus what it can move, and not above that for smaller
:math:`n`, less what it can move. At a grid point the best action stays if its lead :math:`D` exceeds
:math:`|G_D|\cdot\text{box} + R_D`. Other points are *tracked*: if :math:`|D + G_D\cdot\Delta| > R_D`, the
sign is that of :math:`\bar D`. At :math:`t_0`, where all are worth 0, the action is that of :math:`t_1`:
there is nothing to decide. So the best action is known even where it keeps changing, as it does where
optimism holds two actions level. When nothing can be said (two rivals overtake at one point, say), or an
estimate leaves the box, the episode is planned.

**Rounding.** The terms of a sweep are not negative and its weights are within :math:`16u` of the truth, so
a computed :math:`Q` is within :math:`\gamma Q \le \gamma H\max(\rho,1)` of the exact one,
:math:`\gamma = (n_k + 2)(32N + 4s + 64)u` (:math:`N` cells, rows of at most :math:`s` targets), before and
after the change (the paper's bonus never grows; the sharp one may, in the box by no more than 1, which is
then added to :math:`\rho`). Derivatives are sums of such terms with signs: as occupation times add up to
:math:`t`, :math:`|G|\cdot|\Delta|` is at most
:math:`2H\max(\rho,1)(|\Delta\rho| + H|\Delta\lambda| + \lambda_{\max}H\|\Delta p\|_1)`, and no box allows
more than 1, 1 and 2 of these; its relative error is :math:`\gamma` too. All this is less than
:math:`\nu = 64\gamma H\max(\rho,1)(1 + \lambda_{\max}H)`, which is added to every bound. The bounds
themselves, sums of non-negative terms, are enlarged by :math:`1 + 2^{-20}`.

**Ties.**  Two pairs of one state with the same weights, neither with an estimated jump (both never left,
say), have the same doubles at all points in all sweeps until an estimate of one changes, which means
planning.
"""

from __future__ import annotations

import numpy as np

from ctucbvi.kernels import compiled
from ctucbvi.learning.fast.episodes import Desk, Scene
from ctucbvi.learning.fast.estimate_box import (
    CHANCE,
    GAIN,
    KIND,
    LANES_USED,
    LAST,
    LEAST,
    NOISE,
    PAIR,
    PLACE,
    SLACK,
    SPEED,
    Margins,
    Trust,
)
from ctucbvi.learning.fast.sweeps import NO_NAN, accumulate, gather
from ctucbvi.learning.fast.tracking import find_spots
from ctucbvi.numeric.arrays import Floats, Integers

# --- one sweep, with derivatives and remainders -----------------------------------------------


@compiled(fastmath=NO_NAN)
def differentiate(
    scene: Scene, desk: Desk, before: Floats, action_values: Floats, trust: Trust, margins: Margins
) -> None:
    """G of Q for all lanes, and |G|·box, from those of V of the sweep ``before``."""
    row, chance, weights = scene.row, desk.chance, desk.weights
    linear, inflow, width = margins.linear, margins.inflow[0], trust.width
    linear[:] = 0.0
    for lane in range(trust.used[LANES_USED]):
        out = margins.tangents[lane]
        gather(row, scene.target, chance, margins.calm, margins.value_tangents[lane], inflow, out)
        source(trust.lanes[lane], scene, desk, before, action_values, inflow, out)
        accumulate(weights, out)
        for k in range(row.size - 1):
            for i in range(1, out.shape[1]):
                linear[k, i] += width[lane] * abs(out[k, i])


@compiled(fastmath=NO_NAN)
def source(
    lane: Integers,
    scene: Scene,
    desk: Desk,
    before: Floats,
    action_values: Floats,
    inflow: Floats,
    tangents: Floats,
) -> None:
    """Add to its tangents what a lane changes per cell at its own pair."""
    kind, k, cell, target = lane[KIND], lane[PAIR], scene.numbers.cell, scene.target
    decay, alpha, beta = desk.weights[0, k], desk.weights[2, k], desk.weights[3, k]
    gain, rate, action_value, out = desk.gain[k], desk.rate[k], action_values[k], tangents[k]
    if kind == GAIN:
        for i in range(1, out.size):
            out[i] += cell * (decay + alpha)  # φ = e + α
    elif kind == CHANCE:
        ahead = before[target[lane[PLACE]]]
        for i in range(1, out.size):
            out[i] += alpha * ahead[i - 1] + beta * ahead[i]
    else:
        bend = alpha / (rate * cell) if rate > 0.0 else 0.5
        inflow[:] = 0.0
        for e in range(scene.row[k], scene.row[k + 1]):
            p, ahead = desk.chance[e], before[target[e]]
            for i in range(out.size):
                inflow[i] += p * ahead[i]
        for i in range(1, out.size):
            out[i] += cell * (
                (decay - bend) * inflow[i - 1]
                + bend * (inflow[i] - gain * cell)
                - decay * action_value[i - 1]
            )


@compiled(fastmath=NO_NAN)
def leave_over(
    scene: Scene, desk: Desk, before: Floats, action_values: Floats, trust: Trust, margins: Margins
) -> None:
    """R of Q, from that of V of the sweep ``before``."""
    cell, row, target, times = scene.numbers.cell, scene.row, scene.target, scene.times
    chance, weights, calm, linear = desk.chance, desk.weights, margins.calm, margins.linear
    remainder, bound = margins.remainder, margins.value_bound
    total, ahead = margins.inflow[0], margins.inflow[1]  # B_u, and u
    gather(row, target, chance, calm, margins.value_remainder, total, remainder)
    for k in range(row.size - 1):
        rho, speed = box(trust, GAIN, k), box(trust, SPEED, k)
        alpha, beta, out, mine = weights[2, k], weights[3, k], remainder[k], action_values[k]
        total[:], ahead[:] = 0.0, 0.0
        for e in range(row[k], row[k + 1]):
            lane = trust.lane_of_chance[e]
            pull = trust.width[lane] if lane >= 0 else 0.0
            p, value, spread = chance[e], before[target[e]], bound[target[e]]
            for i in range(times.size):
                total[i] += (p + pull) * spread[i] + pull * value[i]
                ahead[i] += p * value[i]
            for i in range(1, times.size):
                out[i] += pull * (alpha * spread[i - 1] + beta * spread[i])
        first, second = speed * cell, 0.5 * (speed * cell) ** 2
        constant = second * trust.gain[k] * cell / 3.0 + 0.5 * rho * speed * cell * cell
        for i in range(1, times.size):
            out[i] += first * linear[k, i - 1] + 0.5 * first * (total[i - 1] + total[i])
            out[i] = SLACK * (out[i] + second * (mine[i - 1] + ahead[i - 1] + ahead[i] / 3.0) + constant)
        calm[0, k] = SLACK * (weights[0, k] + first)
    accumulate(calm, remainder)


@compiled()
def box(trust: Trust, kind: int, k: int) -> float:
    """How far an estimate of pair ``k`` may go."""
    lane = trust.lane_of[kind, k]
    return trust.width[lane] if lane >= 0 else 0.0


@compiled()
def follow(scene: Scene, action_values: Floats, trust: Trust, margins: Margins) -> None:
    """Pass from Q to V = min{t, max_a Q}: which pair it follows, R and B."""
    first, times, twin, noise = scene.first, scene.times, trust.twin, trust.limits[NOISE]
    follows, linear, remainder = margins.follows, margins.linear, margins.remainder
    value_remainder, value_bound = margins.value_remainder, margins.value_bound
    for x in range(first.size - 1):
        for i in range(1, times.size):
            best = first[x]
            for k in range(first[x], first[x + 1]):
                follows[k, i] = 0.0
                if action_values[k, i] > action_values[best, i]:
                    best = k
            top, reach = action_values[best, i], linear[best, i] + remainder[best, i]
            if top < times[i]:
                follows[best, i] = 1.0
                excess = top + reach - times[i]
                for k in range(first[x], first[x + 1]):
                    if twin[k] != twin[best]:
                        rival = action_values[k, i] + linear[k, i] + remainder[k, i]
                        excess = max(excess, rival - (top - reach))
                rest = remainder[best, i] + max(0.0, excess + noise)
                value_bound[x, i] = linear[best, i] + rest
            else:
                rest = max(0.0, times[i] - (top - reach) + noise)
                value_bound[x, i] = rest
            margins.value_spread[x, i] = value_remainder[x, i] + rest
            value_remainder[x, i] = rest


@compiled(fastmath=NO_NAN)
def pass_on(first: Integers, trust: Trust, margins: Margins) -> None:
    """G of V: that of the pair it follows; how far V_n − V_{n−1} can move goes to ``value_spread``."""
    follows, tangents, value_tangents = margins.follows, margins.tangents, margins.value_tangents
    room = margins.inflow[0]
    for lane in range(trust.used[LANES_USED]):
        width = trust.width[lane]
        for x in range(first.size - 1):
            out, spread = value_tangents[lane, x], margins.value_spread[x]
            room[:] = 0.0
            for k in range(first[x], first[x + 1]):
                mine, mask = tangents[lane, k], follows[k]
                for i in range(1, out.size):
                    room[i] += mask[i] * mine[i]
            for i in range(1, out.size):
                spread[i] += width * abs(room[i] - out[i])
                out[i] = room[i]


@compiled(fastmath=NO_NAN)
def distances_in_box(old: Floats, new: Floats, spread: Floats) -> tuple[float, float]:
    """Bounds on max |V_n − V_{n−1}| in the box, but for rounding."""
    low = high = 0.0
    for x in range(old.shape[0]):
        for i in range(1, old.shape[1]):
            step, moves = new[x, i] - old[x, i], spread[x, i] * SLACK
            low = step - moves if step - moves > low else low
            high = step + moves if step + moves > high else high
    return low, high


# --- after planning ---------------------------------------------------------------------------


@compiled()
def measure(scene: Scene, desk: Desk, rounds: int, trust: Trust, margins: Margins) -> bool:
    """Find out what the plan just made says about all estimates in the box; False: nothing."""
    limits, calm, weights = trust.limits, margins.calm, desk.weights
    for k in range(calm.shape[1]):
        calm[1, k], calm[2, k], calm[3, k] = 0.0, weights[2, k], weights[3, k]
    margins.value_tangents[:] = 0.0
    margins.value_bound[:] = 0.0
    margins.value_remainder[:] = 0.0
    limits[LEAST] = np.inf
    for n in range(1, rounds + 2):
        before, mine = desk.values[n - 1], desk.action_values[n]
        differentiate(scene, desk, before, mine, trust, margins)
        leave_over(scene, desk, before, mine, trust, margins)
        if n <= rounds:
            follow(scene, mine, trust, margins)
            pass_on(scene.first, trust, margins)
            low, high = distances_in_box(before, desk.values[n], margins.value_spread)
            if n < rounds:
                limits[LEAST] = min(limits[LEAST], low - limits[NOISE])
            else:
                limits[LAST] = high + limits[NOISE]
    return bool(find_spots(scene, desk.action_values[rounds + 1], desk.policy, trust, margins))
