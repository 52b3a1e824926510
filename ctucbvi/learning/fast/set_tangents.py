r"""When a plan of the optimistic learner may be left out: a proof that it would decide the same.

As in :mod:`ctucbvi.learning.fast.skipping` a box bounds the change of all that the plan was made from (the
lanes of :mod:`ctucbvi.learning.fast.set_box`), and one pass along the march finds derivatives :math:`G` and
remainders :math:`R \ge 0` of all :math:`Q` with :math:`|\bar Q - Q - G\cdot\Delta| \le R` in the box, so
:math:`|\bar Q - Q| \le B = |G|\cdot\text{box} + R`.  The march consists of means and of steps :math:`E` (see
:mod:`ctucbvi.learning.fast.optimistic_march`), so that it is enough to follow one :math:`E`.  With widths
:math:`w`, and :math:`w_p` of :math:`\hat p`:

* **V** follows the best action :math:`a` as long as no other overtakes, and in the same way one state stays
  the best one, :math:`b`, and the targets of a row keep their order.
* **Means.** Let :math:`j` be where the minimum over :math:`c` is attained, and put :math:`c = V_j +
  G_j\cdot\Delta` into the same minimum for the changed sets: above by no more than it should be,

  .. math:: \bar m \le (\rho+\Delta\rho)(\bar V_b - c) + \sum_y(\hat p+\Delta p)_y\max(\bar V_y, c) .

  For the other direction, the row that keeps the same order has the mean in which :math:`\max(\bar V_y,c)`
  is :math:`\bar V_j` for the targets up to :math:`j`; if it takes more from :math:`j` than there is, or
  leaves more than there was, by :math:`e`, then :math:`e` less is moved, at the price of
  :math:`e\,(V_b+B+R_j)`.  So the linear part is

  .. math:: \rho\,(G_b - G_j)\Delta + (V_b - V_j)\Delta\rho + \sum_y \hat p_y G_{\max(y,j)}\Delta
            + \sum_y \max(V_y,V_j)\Delta p_y ,

  and what is left over at most :math:`(\rho+w_\rho)R_b + w_\rho(B_b+B_j) + \sum_y(\hat p_y+w_p)R_{\max(y,j)}
  + \sum_y w_pB_{\max(y,j)} + e\,(V_b+B+R_j)`.
* **Rates.** :math:`x = m - Q`, :math:`G_x = G_m - G_Q` and :math:`B_x` its bound: the rate stays at its
  end as long as :math:`x` keeps its sign.  The product :math:`\Delta\lambda\Delta x` costs :math:`wB_x`.

**Guards.** Where an order or a sign is not the same in the whole box, but is so where the plan was made, it
is *guarded*: a lead :math:`D`, its derivatives :math:`G_D` and its remainder :math:`R_D` are written down,
and an episode whose sets have :math:`D + G_D\cdot\Delta \le R_D` is planned.  If all guards hold, then so do
all orders and signs, by induction along the march, as a remainder depends on earlier ones only: no maximum
changes its place, and remainders are of second order.  Where the plan itself is undecided (equal values,
say), or there is no room for a guard, by how much the order can change in the box,
:math:`|G_D|\cdot\text{box} + R_D - D`, is added to the remainder instead, times
:math:`\bar\lambda+w-\underline\lambda+w` for a sign.  At grid points the best action is guarded against all
others; where that cannot be, the box is of no use.  So a plan is left out where its policy is proved to be
that of the last one.

**Rounding.** A step :math:`E` rounds by at most :math:`(4s+16)uH` (rows of :math:`s` targets) and does not
increase errors; there are :math:`n = 3N` of them or a multiple. With :math:`\gamma = n(4s+16)u`, and as no
box allows more than :math:`1/H` for a rate and 1 for the others, the reasons given there make
:math:`\nu = 64\gamma H(1+\lambda_{\max}H)` enough.  Kl sets around several targets are not followed: then
every episode is planned.
"""

from __future__ import annotations

from typing import NamedTuple

from ctucbvi.kernels import compiled
from ctucbvi.learning.fast.episodes import Choices, Scene
from ctucbvi.learning.fast.estimate_box import LANES_USED, LEAD, NOISE, REST, SLACK
from ctucbvi.learning.fast.largest_means import threshold
from ctucbvi.learning.fast.optimistic_sets import GridSets, SetConstants
from ctucbvi.learning.fast.set_box import GUARDS_USED, HIGH, LOW, SHIFT, SetTrust
from ctucbvi.numbers import UNIT
from ctucbvi.numeric.arrays import Floats, Integers

_SUM = {"nnan", "nsz", "reassoc"}  # bounds may be added up in any order


class SetMargins(NamedTuple):
    """Room for finding out, stage by stage, what the sets of the box can change."""

    q: Floats  # (3, pairs) Q of the march
    tangents: Floats  # (3, pairs, room) G
    rest: Floats  # (3, pairs) R
    linear: Floats  # (pairs,) |G|·box
    follows: Integers  # (states,) the pair that V follows
    value: Floats  # (states,) V
    value_rest: Floats  # (states,) R of V
    value_bound: Floats  # (states,) B of V
    mean: Floats  # (room,) G of a mean


@compiled()
def set_noise(scene: Scene, constants: SetConstants) -> float:
    """ν: what rounding can do to a lead; γ and the 64 are as in :func:`.estimate_box.noise`."""
    row, numbers = scene.row, scene.numbers
    longest = 0
    for k in range(row.size - 1):
        longest = max(longest, row[k + 1] - row[k])
    gamma = 3 * constants.parts * (scene.times.size - 1) * (4 * longest + 16) * UNIT
    return float(64.0 * gamma * numbers.horizon * (1.0 + numbers.lambda_max * numbers.horizon))


# --- one stage --------------------------------------------------------------------------------


@compiled(fastmath=_SUM)
def size_in_box(one: Floats, width: Floats, lanes: int) -> float:
    """|G|·box."""
    total = 0.0
    for lane in range(lanes):
        total += width[lane] * abs(one[lane])
    return total


@compiled(fastmath=_SUM)
def difference_in_box(one: Floats, other: Floats, width: Floats, lanes: int) -> float:
    """|G − G'|·box."""
    total = 0.0
    for lane in range(lanes):
        total += width[lane] * abs(one[lane] - other[lane])
    return total


@compiled()
def change_of_order(
    lead: float, rest: float, near: float, one: Floats, other: Floats, trust: SetTrust
) -> float:
    """By how much the second can exceed the first, which has this ``lead``, if the guards hold.

    ``rest`` is what the lead may lose beside |G − G'|·box, which is at most ``near``.
    """
    lanes = trust.used[LANES_USED]
    if lead >= near + rest:
        return 0.0
    moves = difference_in_box(one, other, trust.width, lanes) * SLACK
    if lead >= moves + rest or guard(lead, rest, one, other, trust):
        return 0.0
    return float(moves + rest - lead)


@compiled()
def guard(lead: float, rest: float, one: Floats, other: Floats, trust: SetTrust) -> bool:
    """Write down that ``lead`` must stay positive; False if it is not certain to be, or there is no room."""
    j = trust.used[GUARDS_USED]
    if not lead > rest or j == trust.leads.shape[0]:
        return False
    trust.leads[j, LEAD], trust.leads[j, REST] = lead, rest
    for lane in range(trust.used[LANES_USED]):
        trust.slopes[j, lane] = one[lane] - other[lane]
    trust.used[GUARDS_USED] = j + 1
    return True


@compiled(fastmath=_SUM)
def guards_hold(trust: SetTrust) -> bool:
    """Whether the sets, which are in the box, keep all orders and signs."""
    leads, slopes, delta, lanes = trust.leads, trust.slopes, trust.delta, trust.used[LANES_USED]
    for j in range(trust.used[GUARDS_USED]):
        lead, mine = leads[j, LEAD], slopes[j]
        for lane in range(lanes):
            lead += mine[lane] * delta[lane]
        if not lead > leads[j, REST]:
            return False
    return True


@compiled()
def follow_values(a: int, scene: Scene, trust: SetTrust, margins: SetMargins) -> tuple[int, float]:
    """V, what it follows, R and B, of stage ``a``; returns the best state, and by how much another may be."""
    first, twin, width, lanes = scene.first, trust.twin, trust.width, trust.used[LANES_USED]
    noise, linear, follows = trust.limits[NOISE], margins.linear, margins.follows
    q, tangents, rest = margins.q[a], margins.tangents[a], margins.rest[a]
    value, value_rest, value_bound = margins.value, margins.value_rest, margins.value_bound
    best = 0
    for x in range(first.size - 1):
        lead = first[x]
        for k in range(first[x], first[x + 1]):
            linear[k] = size_in_box(tangents[k], width, lanes)
            if q[k] > q[lead]:
                lead = k
        excess = 0.0
        for k in range(first[x], first[x + 1]):
            if twin[k] != twin[lead]:
                over = change_of_order(
                    q[lead] - q[k], rest[lead] + rest[k] + noise, linear[lead] + linear[k],
                    tangents[lead], tangents[k], trust,
                )  # fmt: skip
                excess = max(excess, over)
        follows[x], value[x], value_rest[x] = lead, q[lead], rest[lead] + excess
        value_bound[x] = linear[lead] + value_rest[x]
        if value[x] > value[best]:
            best = x
    over = 0.0
    for x in range(first.size - 1):
        if x != best:
            over = max(over, _order_change(best, x, a, trust, margins))
    return best, over


@compiled()
def _order_change(upper: int, lower: int, a: int, trust: SetTrust, margins: SetMargins) -> float:
    """By how much the value of a state can exceed that of one that is not worse."""
    k, j, rest = margins.follows[upper], margins.follows[lower], margins.value_rest
    found: float = change_of_order(
        margins.value[upper] - margins.value[lower],
        rest[upper] + rest[lower] + trust.limits[NOISE],
        margins.linear[k] + margins.linear[j],
        margins.tangents[a, k],
        margins.tangents[a, j],
        trust,
    )
    return found


@compiled()
def _width(lane: int, trust: SetTrust) -> float:
    return trust.width[lane] if lane >= 0 else 0.0


@compiled()
def follow_mean(
    k: int, a: int, best: int, over: float, scene: Scene, sets: GridSets, trust: SetTrust, margins: SetMargins
) -> tuple[float, float]:
    """The largest mean of pair ``k`` and its remainder; its derivatives go to ``margins.mean``."""
    begin, end, target, chance, shift = (
        scene.row[k], scene.row[k + 1], scene.target, sets.chance, sets.shift[k],
    )  # fmt: skip
    value, rest, bound, follows = margins.value, margins.value_rest, margins.value_bound, margins.follows
    tangents, mean, lanes = margins.tangents[a], margins.mean, trust.used[LANES_USED]
    top, upper = value[best], tangents[follows[best]]
    if shift < 0.0:
        for lane in range(lanes):
            mean[lane] = upper[lane]
        return top, rest[best] + over
    place, kept = threshold(begin, end, target, chance, value, best, shift)
    pull = _width(trust.lane_of[SHIFT, k], trust)
    if place < 0:
        for lane in range(lanes):
            mean[lane] = upper[lane]
        away, wide = 0.0, 0.0  # mass that is not at the best state, and by how much it may grow
        for e in range(begin, end):
            if target[e] != best:
                away += chance[e]
                wide += _width(trust.lane_of_chance[e], trust)
        missing = min(max(0.0, wide + pull + away - shift), away + wide)
        return top, rest[best] + over + missing * (top + bound[best])
    state = target[place]
    worst, lower = value[state], tangents[follows[state]]
    for lane in range(lanes):
        mean[lane] = shift * (upper[lane] - lower[lane])
    found = shift * (top - worst)
    left_over = (shift + pull) * (rest[best] + over) + pull * (bound[best] + bound[state])
    lane = trust.lane_of[SHIFT, k]
    if lane >= 0:
        mean[lane] += top - worst
    wide, lowest = pull, True
    for e in range(begin, end):
        y, p, lane = target[e], chance[e], trust.lane_of_chance[e]
        loose = _width(lane, trust)
        if e == place:
            mine, still, mixed = lower, rest[state], state
            wide += loose
        elif y == best or value[y] > worst or (value[y] == worst and e > place):
            mine, mixed = tangents[follows[y]], y
            still = rest[y] + _order_change(y, state, a, trust, margins)
        else:
            mine, mixed = lower, state
            still = _order_change(state, y, a, trust, margins)
            wide += loose
            lowest = False
        for j in range(lanes):
            mean[j] += p * mine[j]
        if lane >= 0:
            mean[lane] += value[mixed]
        found += p * value[mixed]
        left_over += (p + loose) * still + loose * bound[mixed]
    missing = max(0.0, wide - kept)
    if not lowest:
        missing = max(missing, wide - (chance[place] - kept))
    return found, left_over + missing * (top + max(bound[best], bound[state]) + rest[state])


@compiled()
def follow_stage(
    a: int,
    b: int,
    scene: Scene,
    constants: SetConstants,
    sets: GridSets,
    trust: SetTrust,
    margins: SetMargins,
) -> None:
    """From stage ``a`` to E of it, at ``b``."""
    delta, noise, lanes = constants.delta, trust.limits[NOISE], trust.used[LANES_USED]
    mean, lane_of = margins.mean, trust.lane_of
    best, over = follow_values(a, scene, trust, margins)
    for k in range(scene.reward.size):
        own, out = margins.tangents[a, k], margins.tangents[b, k]
        m, left_over = follow_mean(k, a, best, over, scene, sets, trust, margins)
        ahead = m - margins.q[a, k]
        moves = difference_in_box(mean, own, trust.width, lanes) + left_over + margins.rest[a, k]
        lane = lane_of[HIGH, k] if ahead > 0.0 else lane_of[LOW, k]
        rate, loose = sets.high[k] if ahead > 0.0 else sets.low[k], _width(lane, trust)
        turn = max(0.0, moves + noise - abs(ahead))
        if turn > 0.0:
            one, other = (mean, own) if ahead > 0.0 else (own, mean)
            if guard(abs(ahead), left_over + margins.rest[a, k] + noise, one, other, trust):
                turn = 0.0
            ends = _width(lane_of[HIGH, k], trust) + _width(lane_of[LOW, k], trust)
            turn *= sets.high[k] - sets.low[k] + ends
        for j in range(lanes):
            out[j] = own[j] + delta * rate * (mean[j] - own[j])
        if lane >= 0:
            out[lane] += delta * ahead
        margins.q[b, k] = margins.q[a, k] + delta * (scene.reward[k] + rate * ahead)
        margins.rest[b, k] = SLACK * (
            (1.0 - delta * rate) * margins.rest[a, k] + delta * (rate * left_over + loose * moves + turn)
        )


@compiled()
def mix(a: int, b: int, to: int, share: float, lanes: int, margins: SetMargins) -> None:
    """``share`` of stage ``a`` and the rest of stage ``b``, at ``to``."""
    other = 1.0 - share
    for k in range(margins.linear.size):
        margins.q[to, k] = share * margins.q[a, k] + other * margins.q[b, k]
        margins.rest[to, k] = SLACK * (share * margins.rest[a, k] + other * margins.rest[b, k])
        one, two, out = margins.tangents[a, k], margins.tangents[b, k], margins.tangents[to, k]
        for lane in range(lanes):
            out[lane] = share * one[lane] + other * two[lane]


@compiled()
def follow_cell_part(
    scene: Scene, constants: SetConstants, sets: GridSets, trust: SetTrust, margins: SetMargins
) -> bool:
    """Φ of stage 0, in its place; False where a remainder exceeds the horizon and says nothing any more."""
    lanes = trust.used[LANES_USED]
    follow_stage(0, 1, scene, constants, sets, trust, margins)
    follow_stage(1, 2, scene, constants, sets, trust, margins)
    mix(0, 2, 1, 0.75, lanes, margins)
    follow_stage(1, 2, scene, constants, sets, trust, margins)
    mix(0, 2, 0, 1.0 / 3.0, lanes, margins)
    return bool((margins.rest[0] <= scene.numbers.horizon).all())


# --- after planning ---------------------------------------------------------------------------


@compiled()
def measure_sets(
    scene: Scene,
    constants: SetConstants,
    sets: GridSets,
    policy: Choices,
    trust: SetTrust,
    margins: SetMargins,
) -> bool:
    """Find out what the plan just made says about all sets in the box; False: nothing."""
    lanes = trust.used[LANES_USED]
    for k in range(scene.reward.size):
        if sets.several[k]:
            return False
    trust.used[GUARDS_USED] = 0
    margins.q[0], margins.rest[0] = 0.0, 0.0
    margins.tangents[0, :, :lanes] = 0.0
    for i in range(1, scene.times.size):
        for _ in range(constants.parts):
            if not follow_cell_part(scene, constants, sets, trust, margins):
                return False
        if not guard_policy(i, scene, policy, trust, margins):
            return False
    return True


@compiled()
def guard_policy(i: int, scene: Scene, policy: Choices, trust: SetTrust, margins: SetMargins) -> bool:
    """Guard the best actions at a grid point; False if that cannot be."""
    first, twin, lanes, width = scene.first, trust.twin, trust.used[LANES_USED], trust.width
    q, tangents, rest = margins.q[0], margins.tangents[0], margins.rest[0]
    for x in range(first.size - 1):
        best = policy[x, i]
        for k in range(first[x], first[x + 1]):
            if twin[k] != k or k == twin[best]:
                continue
            lead = q[best] - q[k]
            left_over = (rest[best] + rest[k]) * SLACK + trust.limits[NOISE]
            moves = difference_in_box(tangents[best], tangents[k], width, lanes) * SLACK
            if not lead > moves + left_over and not guard(
                lead, left_over, tangents[best], tangents[k], trust
            ):
                return False
    return True
