"""The number of jumps of an episode: its exponential moments along the run, for all learners at once.

No coupling with a Poisson process is needed.  With c >= lmax (e^h - 1) the mean of

    Σ over ended episodes of e^{h J} + e^{h pos(n) + c rem(n)} + (episodes to come) e^{c H},

of the first K episodes, does not rise with n, and it begins with K e^{c H}.
"""

from __future__ import annotations

from proofs_checks.derivations.counting import LEVEL, steps_of_order
from proofs_checks.derivations.runs import ACTIVE, RATE, by_jump, decided, law, observed, remaining, start
from verify.kernel.authoring import Derivation
from verify.kernel.theorems import Theorem

TILT = ("0 <= h", "lmax*(exp(h) - 1) <= c")
ENDED = "Sum(i, {n}, Ind(ep(i) + 1 <= K)*(1 - jump(i))*exp(h*pos(i)))"
NOW = "Ind(ep({n}) + 1 <= K)*exp(h*pos({n}))"
_LEFT = "Ind(ep({n}) + 1 <= K)*(K - ep({n}) - 1)"
_POTENTIAL = f"{ENDED} + Ind(ep({{n}}) + 1 <= K)*exp(h*pos({{n}}) + c*rem({{n}})) + {_LEFT}*exp(c*H)"
MOMENTS = (
    f"Imp(0 <= h, Imp(lmax*(exp(h) - 1) <= c, E({ENDED.format(n='n')} + {NOW.format(n='n')}) <= K*exp(c*H)))"
)


def moments(D: Derivation) -> Theorem:
    """E Σ e^{h J} over the first K episodes, as far as they were seen, is at most K e^{c H}."""
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


def larger(D: Derivation) -> Theorem:
    """1 <= e^{c rem(n)}."""
    low, _ = remaining(D)
    rate = D.linear("0 <= lmax", D.fact("lmax"))
    tilt = D.linear("0 <= c", D.times(grows(D), rate), D.assume(TILT[1]))
    sign = D.times(tilt, low)
    return D.closed(D.pointwise("exp(x) >= 1", "x >= 0", x="c*rem(n)"), sign)


def grows(D: Derivation) -> Theorem:
    """0 <= e^h - 1."""
    return D.linear(
        "0 <= exp(h) - 1", D.closed(D.pointwise("exp(x) >= 1", "x >= 0", x="h"), D.assume(TILT[0]))
    )


def left_over(D: Derivation) -> Theorem:
    """The number of episodes to come is not negative."""
    return D.decide(f"0 <= {_LEFT.format(n='n')}", ["ep(n) + 1 <= K"])


def one_step(D: Derivation) -> Theorem:
    """E(jump e^{h (pos + 1) + c (rem - spent)} + (1 - jump) e^{h pos}, n) <= e^{h pos + c rem}."""
    low, _ = remaining(D)
    power = "h*pos(n) + h + c*(rem(n) - {s})"
    inside = f"{power.format(s='s')} - {RATE}*s"
    whole = D.closed(D.primitive("s", "rem(n)", f"-exp({inside})"), low)
    area = D.integral(D.known("exp", inside), "s", "rem(n)")
    rate = D.times(D.fact("rate-high", x="X(n)", a="act(n)"), grows(D))
    rate = D.linear(f"{RATE}*exp(h) <= {RATE} + c", rate, D.assume(TILT[1]))
    bound = D.times(D.times(rate, area), D.known("exp", "-h"))
    after = f"jump(n)*exp({power.format(s='spent(n)')}) + (1 - jump(n))*exp(h*pos(n))"
    goal = f"E({after}, n) <= exp(h*pos(n) + c*rem(n))"
    seen = D.scaled(observed(D), "exp(h*pos(n))")
    return D.linear(goal, law(D, f"exp({power.format(s='s')})"), seen, bound, D.scaled(whole, "exp(-h)"))


# --- levels: how many episodes have more than l jumps ---------------------------------------------


def powers(D: Derivation, k: str) -> Theorem:
    """Ind(l + 1 <= k) e^{h (l + 1)} <= e^{h k}."""
    goal = f"Ind(l + 1 <= {k})*exp(h*(l + 1)) <= exp(h*{k})"

    def reached(more: Theorem) -> Theorem:
        sign = D.times(D.linear(f"0 <= {k} - l - 1", more), D.assume("0 <= h"))
        grown = D.closed(D.pointwise("exp(x) >= 1", "x >= 0", x=f"h*({k} - l - 1)"), sign)
        return D.by_value(goal, [D.holds(f"l + 1 <= {k}")], D.times(grown, D.known("exp", "h*(l + 1)")))

    return D.cases(
        f"l + 1 <= {k}",
        reached,
        lambda _: D.by_value(goal, [D.fails(f"l + 1 <= {k}")], D.known("exp", f"h*{k}")),
    )


def counted(D: Derivation) -> Theorem:
    """e^{h (l + 1)} LEVEL(n) <= Σ e^{h J} over the episodes, as far as they were seen."""
    inside = "exp(h*(l + 1))*({level} - Ind(ep({n}) + 1 <= K)*Ind(l + 1 <= pos({n}))) <= {ended}"

    def claim(n: str) -> str:
        return inside.format(n=n, level=LEVEL.format(n=n), ended=ENDED.format(n=n))

    order, ended = D.at(steps_of_order(D), k="pos(n)"), D.times(powers(D, "pos(n)"), D.whole(ACTIVE))
    order = D.scaled(order, f"{ACTIVE}*exp(h*(l + 1))")

    def step(below: Theorem) -> Theorem:
        return by_jump(
            D,
            lambda values, stays: decided(
                D,
                claim("n + 1"),
                [D.fact("pos-step"), *values],
                [] if stays else ["l + 1 <= 0"],
                below,
                order,
                ended,
                D.whole("l"),
            ),
        )

    first = decided(D, claim("0"), [D.fact("pos-0"), start(D, "ep(0) == 0")], ["l + 1 <= 0"], D.whole("l"))
    level = D.induction("n", claim("n"), first, step)
    seen = f"{ENDED.format(n='n')} + {NOW.format(n='n')}"
    return D.linear(f"exp(h*(l + 1))*{LEVEL.format(n='n')} <= {seen}", level, ended)
