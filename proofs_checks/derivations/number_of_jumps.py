"""The number of jumps of an episode: its exponential moments along the run, for all learners at once.

No coupling with a Poisson process is needed.  With c >= lmax (e^h - 1) the mean of

    Σ over ended episodes of e^{h J} + e^{h pos(n) + c rem(n)} + (episodes to come) e^{c H},

of the first K episodes, does not rise with n, and it begins with K e^{c H}.
"""

from __future__ import annotations

from proofs_checks.derivations.runs import ACTIVE, RATE, by_jump, decided, law, observed, remaining, start
from verify.kernel import theorems
from verify.kernel.authoring import Derivation
from verify.kernel.theorems import Theorem

TILT = ("0 <= h", "lmax*(exp(h) - 1) <= c")
ENDED = "Sum(i, {n}, Ind(ep(i) + 1 <= K)*(1 - jump(i))*exp(h*pos(i)))"
NOW = "Ind(ep({n}) + 1 <= K)*exp(h*pos({n}))"
_LEFT = "Ind(ep({n}) + 1 <= K)*(K - ep({n}) - 1)"
_POTENTIAL = f"{ENDED} + Ind(ep({{n}}) + 1 <= K)*exp(h*pos({{n}}) + c*rem({{n}})) + {_LEFT}*exp(c*H)"
MOMENTS = f"Imp(0 <= h, Imp(lmax*(exp(h) - 1) <= c, E({ENDED.format(n='n')} + {NOW.format(n='n')}) <= K*exp(c*H)))"


def moments(D: Derivation) -> Theorem:  # noqa: N803
    """E Σ e^{h J} over the first K episodes, as far as they were seen before decision n, is at most K e^{c H}."""
    here, after = _POTENTIAL.format(n="n"), _POTENTIAL.format(n="n + 1")
    left = left_over(D)
    scaled = D.times(left, D.known("exp", "c*H"))
    change = (
        f"{ACTIVE}*(jump(n)*exp(h*pos(n) + h + c*(rem(n) - spent(n))) + (1 - jump(n))*exp(h*pos(n))"
        " - exp(h*pos(n) + c*rem(n)))"
    )
    step = by_jump(
        D,
        lambda values, _: decided(
            D,
            f"{after} <= {here} + {change}",
            [D.fact("pos-step"), *values],
            ["ep(n) + 1 <= K", "ep(n) + 2 <= K"],
            scaled,
        ),
    )
    down = D.times(one_step(D), D.whole(ACTIVE))
    fall = D.mean(D.linear(f"E({after}, n) <= {here}", D.mean(step, "n"), down))
    begin, bound = _POTENTIAL.format(n="0"), "K*exp(c*H)"
    values = (start(D, "rem(0) == H"), start(D, "ep(0) == 0"), D.fact("pos-0"), D.holds("1 <= K"))
    first = D.mean(D.closed(D.by_value(f"{begin} <= {bound}", values), D.fact("episodes")))
    means = D.induction(
        "n", f"E({here}) <= {bound}", first, lambda below: D.linear(f"E({after}) <= {bound}", below, fall)
    )
    now = D.times(D.times(larger(D), D.known("exp", "h*pos(n)")), D.whole(ACTIVE))
    seen = f"{ENDED.format(n='n')} + {NOW.format(n='n')}"
    part = D.mean(D.linear(f"{seen} <= {here}", now, scaled))
    return D.imply(D.linear(f"E({seen}) <= {bound}", means, part), *TILT)


def larger(D: Derivation) -> Theorem:  # noqa: N803
    """1 <= e^{c rem(n)}."""
    low, _ = remaining(D)
    rate = D.linear("0 <= lmax", D.fact("lmin"), D.fact("rate-low"), D.fact("rate-high"))
    tilt = D.linear("0 <= c", D.times(grows(D), rate), D.assume(TILT[1]))
    sign = D.times(tilt, low)
    return D.closed(D.pointwise("exp(x) >= 1", "x >= 0", x="c*rem(n)"), sign)


def grows(D: Derivation) -> Theorem:  # noqa: N803
    """0 <= e^h - 1."""
    return D.linear("0 <= exp(h) - 1", D.closed(D.pointwise("exp(x) >= 1", "x >= 0", x="h"), D.assume(TILT[0])))


def left_over(D: Derivation) -> Theorem:  # noqa: N803
    """The number of episodes to come is not negative."""
    return D.decide(f"0 <= {_LEFT.format(n='n')}", ["ep(n) + 1 <= K"])


def one_step(D: Derivation) -> Theorem:  # noqa: N803
    """E(jump e^{h (pos + 1) + c (rem - spent)} + (1 - jump) e^{h pos}, n) <= e^{h pos + c rem}."""
    low, _ = remaining(D)
    power = "h*pos(n) + h + c*(rem(n) - {s})"
    inside = f"{power.format(s='s')} - {RATE}*s"
    whole = D.closed(D.primitive("s", "rem(n)", f"-exp({inside})"), low)
    area = D.integral(D.known("exp", inside), "s", "rem(n)")
    rate = D.times(D.fact("rate-high", x="X(n)", a="act(n)"), grows(D))
    rate = D.linear(f"{RATE}*exp(h) <= {RATE} + c", rate, D.assume(TILT[1]))
    bound = D.times(D.times(rate, area), D.known("exp", "-h"))
    goal = (
        f"E(jump(n)*exp({power.format(s='spent(n)')}) + (1 - jump(n))*exp(h*pos(n)), n) <= exp(h*pos(n) + c*rem(n))"
    )
    seen = D.scaled(observed(D), "exp(h*pos(n))")
    return D.linear(goal, law(D, f"exp({power.format(s='s')})"), seen, bound, D.scaled(whole, "exp(-h)"))
