r"""How long a step is: as long as what is left out is small, and until something happens.

The degree :math:`d` is fixed and the step :math:`h` such that the first term left out, :math:`|c_{d+1}| h^d`
per unit of time, stays below the error allowed there; lest a term that vanishes by chance makes it long,
:math:`\lambda_{\max} |c_d| / (d + 1)` counts as a tenth of one.

If the best action changes inside the step, the step ends there.  An action that fell behind at order
:math:`m` is behind by :math:`\sum_{j \ge m} \delta_j t^j` with :math:`\delta_m > 0`, and stays so where
:math:`\delta_m h^m + \sum_{j > m} \min\{\delta_j, 0\}\,h^j > 0`; else the first zero is looked for
(:func:`ctucbvi.numeric.polynomials.first_zero`).  So does a step end in which the truncation
:math:`\min\{t,\cdot\}` begins or ends to bind.
"""

from __future__ import annotations

from ctucbvi.abreast import WIDTH, added, every, load_from, where
from ctucbvi.kernels import compiled
from ctucbvi.numeric.desk import FREE, OPEN
from ctucbvi.numeric.polynomials import first_zero
from ctucbvi.numeric.products import ANY_ORDER

_SHORT = 8.0  # mean holding times of the fastest pair, of a step with ties


@compiled(inline="always")
def step(desk, aim, lambda_max):
    """The step at which the first term left out is as large as is allowed per unit of time."""
    source = desk.c if aim.committed else desk.v
    rest, degree = 0.0, aim.degree
    for i in range(source.shape[0]):
        here = abs(source[i, degree + 1]), abs(source[i, degree]) * lambda_max / (degree + 1.0)
        rest = max(rest, here[0], 0.1 * here[1])
    return (aim.allowed / rest) ** (1.0 / degree) if rest > 0.0 else 1e300


@compiled(inline="always")
def while_tied(first, aim, desk, lambda_max, whole, lead):
    """A step that is shorter, if in ``whole`` a pair comes to lead by too much in orders that are tied.

    Where values have settled, all pairs are tied and steps are long, and rounding grows like e^λt.
    """
    if lambda_max * whole <= _SHORT:
        return whole
    most = 0.0
    for x in range(first.size - 1):
        for i in range(first[x], first[x + 1]):
            tied, over = desk.since[i] if desk.since[i] >= 0 else aim.degree + 1, 0.0
            for j in range(tied - 1, -1, -1):
                over = over * whole + max(desk.c[i, j] - desk.c[lead[x], j], 0.0)
            most = max(most, over)
    return whole if most * (lambda_max if aim.committed else 1.0) <= aim.allowed else _SHORT / lambda_max


@compiled(forceinline=True)
def keep(aim, desk, h, value, score, carried):
    """Write down the coefficients in u = time / h, and the unknowns where the step ends."""
    orders, power, powers = aim.degree + 1, 1.0, desk.work
    for j in range(orders):
        powers[j] = power
        power *= h
    for x in range(value.shape[0]):
        for j in range(orders):
            value[x, j] = desk.v[x, j] * powers[j]
    for i in range(score.shape[0]):
        for j in range(orders):
            score[i, j] = desk.c[i, j] * powers[j]
    source = score if aim.committed else value
    for i in range(carried.size):
        total = 0.0
        for j in range(orders - 1, -1, -1):
            total += source[i, j]
        carried[i] = total


@compiled(forceinline=True, fastmath=ANY_ORDER)
def first_event(first, aim, desk, t, whole, lead, mode):
    """Where the step ends: at ``whole``, where another action takes over, or a cap begins or ends to bind."""
    degree, v, c, h = aim.degree, desk.v, desk.c, whole
    d, rest, power = desk.work[: degree + 1], desk.work[degree + 1 :], desk.power
    words = (degree + 1) // WIDTH if (degree + 1) % WIDTH == 0 else 0
    power[0] = 1.0
    for j in range(degree):
        power[j + 1] = power[j] * whole
    for x in range(first.size - 1):
        b = lead[x]
        for i in range(first[x], first[x + 1]):
            if i == b or desk.since[i] < 0:
                continue
            m = desk.since[i]
            if words > 0 and _ahead(c, power, words, b, i) + (c[b, m] - c[i, m]) * power[m] > 0.0:
                continue
            ours, theirs, low = c[b], c[i], (c[b, m] - c[i, m]) * power[m]
            for j in range(m + 1, degree + 1):
                low += min(ours[j] - theirs[j], 0.0) * power[j]
            if low > 0.0:
                continue
            for j in range(m, degree + 1):
                d[j - m] = c[b, j] - c[i, j]
            h = _sooner(d, degree - m, h, whole, rest)
        if aim.truncate and mode[x] != OPEN:
            m = desk.cap_since[x]
            for j in range(m, degree + 1):
                line = t if j == 0 else 1.0 if j == 1 else 0.0
                if mode[x] == FREE:
                    d[j - m] = line - v[x, j]
                elif aim.committed:
                    d[j - m] = c[b, j] - line
                else:
                    d[j - m] = c[b, j] - (1.0 if j == 0 else 0.0)
            h = _sooner(d, degree - m, h, whole, rest)
    return h


@compiled(forceinline=True, fastmath=ANY_ORDER)
def _ahead(c, power, words, b, i):
    """What speaks against pair ``b`` being ahead of pair ``i``: the orders of which it has less, together."""
    total, width = every(0.0), c.shape[1]
    for n in range(words):
        apart = load_from(c, b * width + n * WIDTH) - load_from(c, i * width + n * WIDTH)
        total = total + where(apart > every(0.0), every(0.0), apart) * load_from(power, n * WIDTH)
    return added(total)


@compiled(inline="always")  # with the fastmath of who looks for events
def _sooner(d, n, h, whole, rest):
    """The first zero of ``Σ d_k s^k`` if it is before ``h``, else ``h``; a step has some length."""
    power = 1.0
    for k in range(1, n + 1):
        power *= h
        d[k] *= power
    u = first_zero(d, n, rest)
    return max(h * u, 1e-13 * whole) if u < 1.0 else h
