"""Every constant of the paper in mpmath, written separately, one line after the other: for comparison."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import mpmath

from ctucbvi.bounds import Parameters


def mp(x: Fraction | int) -> mpmath.mpf:
    return mpmath.mpf(x.numerator) / x.denominator


def poisson_below(mean: mpmath.mpf, count: int) -> mpmath.mpf:
    """P(Z < count)."""
    return mpmath.fsum(mpmath.exp(-mean) * mean**j / mpmath.factorial(j) for j in range(count))


def largest_poisson(mean: mpmath.mpf, count: int) -> mpmath.mpf:
    """Σ_m 1 - P(Z <= m)^count, term by term until nothing is left."""
    total, below, m = mpmath.mpf(0), mpmath.exp(-mean), 0
    while m < 2 * mean + 20 or count * (1 - below) > mpmath.mpf(10) ** -35:
        total += 1 - below**count
        m += 1
        below += mpmath.exp(-mean) * mean**m / mpmath.factorial(m)
    return total


def rooted_tails(mean: mpmath.mpf) -> mpmath.mpf:
    """Σ_m √P(Z > m), term by term; 1 - P(Z <= m) needs digits to spare."""
    with mpmath.workdps(mpmath.mp.dps + 110):
        total, below, m = mpmath.mpf(0), mpmath.exp(-mean), 0
        while m < mean or 1 - below > mpmath.mpf(10) ** -90:
            total += mpmath.sqrt(1 - below)
            m += 1
            below += mpmath.exp(-mean) * mean**m / mpmath.factorial(m)
        return total


def worst_bonus(seen: mpmath.mpf, beta: mpmath.mpf, alpha: mpmath.mpf, top: mpmath.mpf, h: mpmath.mpf):
    """What the costs of rate and jumps are at most, divided by ∫_0^H e^(-λ̂s) ds; integrals, no φ."""

    def waited(rate: mpmath.mpf) -> mpmath.mpf:
        return h if rate == 0 else -mpmath.expm1(-rate * h) / rate

    here = waited(seen)
    slower, faster = waited(max(seen - beta, mpmath.mpf(0))), waited(min(seen + beta, top))
    moved = min(alpha, mpmath.mpf(2)) / 2
    costs = [
        (r * (slower - here) + moved * (h - slower), (1 - r) * (here - faster) + moved * (h - here))
        for r in (mpmath.mpf(0), mpmath.mpf(1))
    ]
    return max(max(pair) for pair in costs) / here


def tree_levels(nodes: int, actions: int) -> int:
    """The number of levels of the smallest full tree with at least so many nodes."""
    d = 1
    while sum(actions**i for i in range(d)) < nodes:
        d += 1
    return d


def filled_levels(states: int, actions: int) -> int:
    """The largest d with S >= 2 + (A^(d-1) - 1)/(A - 1) + A^(d-2)."""
    d = 2
    while (states - 2) * (actions - 1) >= actions**d - 1 + (actions - 1) * actions ** (d - 1):
        d += 1
    return d


def time_left(d: int, v: mpmath.mpf, h: mpmath.mpf, top: mpmath.mpf) -> mpmath.mpf:
    """E[(H - γ_d)^+]."""
    return h * (1 - poisson_below(v, d)) - d / top * (1 - poisson_below(v, d + 1))


def smallest(function: Callable[[mpmath.mpf], mpmath.mpf]) -> mpmath.mpf:
    """The minimum of a function on (0, 60] that falls and then rises, by thirds."""
    low, high = mpmath.mpf(10) ** -20, mpmath.mpf(60)
    for _ in range(120):  # the minimum is flat: this is enough for 35 digits
        first, second = low + (high - low) / 3, high - (high - low) / 3
        low, high = (low, second) if function(first) < function(second) else (first, high)
    return function(low)


def plain_rows(
    p: Parameters, error: mpmath.mpf, tilts: mpmath.mpf
) -> dict[str, tuple[mpmath.mpf, mpmath.mpf]]:
    """a and a1 of the optimistic learner for each kind of rows, one logarithm after the other."""
    s, a, v, k = mp(p.states), mp(p.actions), mp(p.lambda_max) * mp(p.horizon), mp(p.episodes)
    ln, sqrt, mean = mpmath.log, mpmath.sqrt, (s * a + k * v) / (s * a)
    ways = mpmath.fsum(ln((mean + j) / j) for j in range(1, p.states))
    level = s * ln(2) + ln(s) + ln(a) + ln(tilts) - ln(error)
    return {
        "": (
            sqrt(2 * s * ln(2) + 2 * ln(s * a * mean * (mean + 1) / error)),
            sqrt(2 * s * ln(2) + 2 * ln(2 * s * a / error)),
        ),
        "kl": (sqrt(2 * ln(s * a / error) + 2 * ways), sqrt(2 * ln(s * s * a / error))),
        "tilts": (
            3 * sqrt(level + mpmath.mpf(1) / 4) / 2,
            3 * sqrt(level + 1 / (4 * k + 4 * k * v)) / 2,
        ),
    }


def plain_kept(
    p: Parameters, eta: mpmath.mpf, most: mpmath.mpf, errors: dict[str, mpmath.mpf]
) -> dict[str, mpmath.mpf]:
    """The bounds of the optimistic learners that keep their plans, term by term."""
    s, a, h, k, v = mp(p.states), mp(p.actions), mp(p.horizon), mp(p.episodes), mp(p.lambda_max * p.horizon)
    ln, sqrt, found = mpmath.log, mpmath.sqrt, {}
    for ending, error in errors.items():
        tilts = 3 + ln(k + k * v) / ln(4)
        level = ln(2 * s * a * tilts / error) + eta * ln(2 * s * a * tilts / error)
        log = 3 * level * (1 + ln((6 * level * s * a + k * v) / (6 * level * s * a)))
        for rows, (many, one) in plain_rows(p, error, tilts).items():
            jumps = sqrt(2 * v * (many**2 + eta * many**2)) * h * sqrt(s * a * k)
            off = 2 * error * k * h + s * a * h * one * most
            rates = sqrt(32 * v * (1 + eta) * ln(2 * s * a * k / error))
            found[f"{rows or 'optimistic'}-lazy{ending}"] = (
                jumps + off + h * (rates * sqrt(s * a * k) + s * a * v)
            )
            small = v / 2 + sqrt(mpmath.mpf(27) / 16 * v) + log
            found[f"{rows + '-' if rows else ''}poisson-lazy{ending}"] = (
                jumps + off + h * (sqrt(27 * s * a * k * level) + s * a * small)
            )
    return found


def plain(p: Parameters) -> dict[str, mpmath.mpf]:
    """Every constant that makes sense for in-range parameters, written as in the paper."""
    s, a, h, k = mp(p.states), mp(p.actions), mp(p.horizon), mp(p.episodes)
    top, low = mp(p.lambda_max), mp(p.lambda_min)
    d = 1 / (2 * k * h) if p.delta is None else mp(p.delta)
    t, n = mp(p.time), mp(p.n_plus)
    ln, sqrt, exp, e = mpmath.log, mpmath.sqrt, mpmath.exp, mpmath.e
    v = top * h
    found = {}
    c = found["C"] = max(top / (1 - exp(-v)), 1)
    length = found["L"] = 4 * ln(2 * s * a * k / d)
    beta = found["beta"] = sqrt(top * length / max(t, length / top))
    alpha = found["alpha"] = sqrt(2 * (s * ln(2) + ln(s * a * h * k**2 / d)) / max(1, n))
    found["b"] = c * (h**2 * beta + h * alpha)
    seen = mpmath.mpf(0) if n == 0 else top if t == 0 else min(n / t, top)
    found["b-sharp"] = worst_bonus(seen, beta, alpha, top, h)
    found["rho"] = 1 - exp(-v)
    found["iteration"] = exp(v)
    found["iteration-sharp"] = exp(v) - 1
    found["iteration-load"] = top * h
    power = mp(p.epsilon.exponent)
    if p.episodes <= 50:
        total = mpmath.fsum(mpmath.mpf(j) ** -power for j in range(1, p.episodes + 1))
    elif power == 1:
        total = mpmath.harmonic(k)
    else:
        total = mpmath.zeta(power) - mpmath.zeta(power, k + 1)
    total *= exp(-v) if p.epsilon.scaled else 1
    found["accuracies"] = total
    f = ln(k) / ln(ln(k) + 1)
    found["E max"] = largest_poisson(v, p.episodes)
    found["E max-bound"] = (v + 1) * f
    found["E max-sharp"] = smallest(lambda x: (ln(k) + v * (exp(x) - 1)) / x)
    levels = found["D"] = rooted_tails(v)
    found["D-leading"] = (sqrt(v) + 1) ** 2 - mpmath.mpf(3) / 4
    found["D-bound"] = (e - 1) * v + 1 / (sqrt(e) - 1)
    pairs = (h + 1 / low) * sqrt(s * a * k)
    found["proberror"] = 3 * pairs * (v + 1) * f
    found["proberror-sharp"] = 2 * pairs * min((v + 1) * f, levels)
    found["rateerror"] = sqrt(2 * top) * 3 * pairs * (v + 1) * f
    found["rateerror-sharp"] = sqrt(2 * top) * pairs * min((v + 1) * f, levels) * 7 / 3
    log = ln(2 * s * a * k * h)
    tail = exp(v) * total
    roots = sqrt(2 * s + 6 * log) + 4 * v * sqrt(log)
    found["printed"] = found["repaired"] = 3 * (c * h + 1) * pairs * (v + 1) * f * roots + tail + 1
    ours = sqrt(2 * s * ln(2) + 2 * ln(2 * s * a * k**3 * h**2))
    main = (c * h + 1) * pairs * levels
    main *= 2 * ours + mpmath.mpf(7) / 3 * v * sqrt(2 * 4 * ln(4 * s * a * k**2 * h))
    slow_tail = total * top * h
    found["sharp"] = main + slow_tail + 1
    found["halved"] = main / 2 + slow_tail + 1
    lump = 2 * ours + 14 * sqrt(2) / 3 * v * sqrt(ln(4 * s * a * k**2 * h))
    found["lump-sum"] = sqrt(s * a * k) * (h + 1 / low) * levels * lump + slow_tail + 1
    found["sharp-bonus"] = main / 2 + total + 1
    known = sqrt(s * a * k) * levels * lump * (h + 1 / low + c * h / low)
    found["known-rate"] = known + slow_tail + 1
    if p.replan is not None:
        root, later = sqrt(1 + mp(p.replan)), (1 + mp(p.replan)) ** power
        found["sharp-lazy"] = root * main + later * slow_tail + 1
        found["halved-lazy"] = root * main / 2 + later * slow_tail + 1
        found["sharp-bonus-lazy"] = root * main / 2 + later * total + 1
        found["lump-sum-lazy"] = root * (found["lump-sum"] - slow_tail - 1) + later * slow_tail + 1
        found["known-rate-lazy"] = root * known + later * slow_tail + 1
    own = sqrt(2 * (s * ln(2) + ln(s * a * h * k**2 / d)))
    found["delta"] = (
        3 * (c * h + 1) * pairs * (v + 1) * f * (own + v * sqrt(2 * length)) + tail + 2 * d * k * h
    )
    found["sharp-delta"] = (c * h + 1) * pairs * levels * (2 * own + 7 * v * sqrt(2 * length) / 3)
    found["sharp-delta"] += slow_tail + 2 * d * k * h
    most = found["E max-sharp"]
    for ending, error in (("", 1 / (2 * k)), ("-delta", d)):
        tilts = 3 + ln(k * (1 + v)) / ln(2) / 2
        level = ln(2 * s * a * tilts / error)
        steps = 1 + ln(1 + k * v / (6 * level * s * a))
        for rows, (many, one) in plain_rows(p, error, tilts).items():
            name = f"{rows or 'optimistic'}{ending}"
            found[name] = h * sqrt(2 * s * a * k * v) * (many + 4 * sqrt(ln(2 * s * a * k / error)))
            found[name] += s * a * h * (one * most + v) + 2 * error * k * h
            name = f"{rows + '-' if rows else ''}poisson{ending}"
            found[name] = h * sqrt(2 * s * a * k * v) * many + 3 * h * sqrt(3 * s * a * k * level)
            rest = one * most + v / 2 + 3 * sqrt(3 * v) / 4 + 3 * level * steps
            found[name] += s * a * h * rest + 2 * error * k * h
    if p.replan is not None:
        found |= plain_kept(p, mp(p.replan), most, {"": 1 / (2 * k), "-delta": d})
    found["corollary"] = (16 * sqrt(2 + 16 * log) * f + 3) * v**2 * pairs * (sqrt(s) + v)
    found["corollary-lump"] = (8 * sqrt(2 + 16 * log) + 3) * v * pairs * (sqrt(s) + v)
    known = (c * h / low + h + 1 / low) * sqrt(s * a * k)
    found["known-lambda-min"] = 3 * known * (v + 1) * f * roots + tail + 1
    levels_of_tree = tree_levels(p.states - 2, p.actions)
    w = found["W"] = time_left(levels_of_tree, v, h, top)
    found["lower"] = w * sqrt(s * a * k) / (12 * sqrt(2))
    found["lower-repaired"] = w * sqrt(s * a * k) / 7
    found["lower-every-K"] = min(sqrt(s * a / k), sqrt(2)) * w * k / 7
    filled = filled_levels(p.states, p.actions)
    found["lower-every-size"] = min(sqrt(s * a / k), sqrt(2)) * time_left(filled, v, h, top) * k / 11
    found["lower-turns"] = time_left(tree_levels(p.states - 4, p.actions), v, h, top) * sqrt(s * a * k) / 8
    found["lower-simple"] = (h - levels_of_tree / top) * sqrt(s * a * k) / (12 * sqrt(2))
    return found
