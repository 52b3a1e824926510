"""Exact laws of counts given times, and the visits of one pair."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import comb, factorial

import sympy
from flint import arb

from ctucbvi.learning import Episode, Settings, Statistics
from ctucbvi.learning.exact.learner import make_plan
from ctucbvi.model import CTMDP, Transition
from proofs_checks.checks.common import cases, vanishes
from proofs_checks.checks.poisson import weight
from verify.provers.balls import precision, rational
from verify.provers.computed import Case, Computed

_BITS = 128


# --- the estimator and its radius -------------------------------------------------------------


def two_forms(shift: int = 0) -> Computed:
    """The two forms of β on both sides of T = L/λmax; ``shift`` spoils the second one."""
    top, confidence, step = sympy.symbols("m L d", positive=True)
    floor = confidence / top

    def gap(time: sympy.Expr, form: sympy.Expr) -> Callable[[], sympy.Expr]:
        return lambda: sympy.sqrt(top * confidence / sympy.Max(time, floor)) - form

    later = sympy.sqrt(top * confidence / (floor + step + shift))
    return vanishes(
        "symbolic, by cases",
        ("T = L/λmax - d, any d > 0", gap(floor - step, top)),
        ("T = L/λmax", gap(floor, sympy.sqrt(top * confidence / floor))),
        ("T = L/λmax + d, any d > 0", gap(floor + step, later)),
    )


@cases("exact law")
def counted_twice(first: int = 100) -> list[Case]:
    """Both sides of the display's first equality: T = 100, λ = 1/2, λmax = 1, S = A = 1, K = 2, δ = 1/2.

    The second event of the display is N >= 100; ``first`` = 101 makes the two events disjoint.
    """
    with precision(_BITS * 2):
        radius = 100 * (4 * arb(8).log() / 100).sqrt()  # βT
        law = [weight(arb(50), n) for n in range(101)]
        inside = sum((law[n] for n in range(101) if arb(abs(n - 50)) < radius), arb(0))
        left, right = 1 - inside, sum(law, arb(0)) - inside + 1 - sum(law[:first], arb(0))
    again = "from math import log; print(1 - 1/2 > (4*log(8)/100)**0.5)"  # so N = 100 is in both events
    return [Case("N Poisson(50): P(|λ̂ - λ| > β)", left, right, "==", line=again)]


# --- what is false ----------------------------------------------------------------------------


def count_law(episodes: int, rate: Fraction, horizon: Fraction, total: Fraction) -> dict[int, Fraction]:
    """The law of N given T = ``total`` for a pair in which every episode starts and to which none returns.

    A visit lasts τ and is counted if τ <= H, else it lasts H.  With j counted, the density of T at t is
    ``C(n,j) λ^j e^{-λt} V_j(t - (n-j)H)``, V_j the volume of j times in [0, H] with a given sum: the
    exponential does not depend on j and cancels.  (t must be no multiple of H, where the densities jump.)
    """
    weights = {}
    for j in range(1, episodes + 1):
        rest = total - (episodes - j) * horizon
        terms = (
            (-1) ** i * comb(j, i) * (rest - i * horizon) ** (j - 1)
            for i in range(j + 1)
            if rest - i * horizon > 0
        )
        weights[j] = comb(episodes, j) * rate**j * Fraction(sum(terms, Fraction(0))) / factorial(j - 1)
    whole = sum(weights.values())
    return {j: w / whole for j, w in weights.items()}


@cases("exact law")
def conditional_law(returning: bool = False) -> list[Case]:
    """P(no jump | v = 1/2) at rate 1, H = 1, against the Poisson weight of 0.

    ``returning``: the jumps of the pair lead back to it and it has all the time there is, here until 1/2.
    """
    time = Fraction(1, 2)
    with precision(_BITS):
        poisson = weight(arb(rational(time)), 0)
        first_later = 1 - (1 - arb(rational(-time)).exp())  # P(τ > 1/2)
    true = first_later if returning else count_law(1, Fraction(1), Fraction(1), time).get(0, Fraction(0))
    again = "from math import exp; print(0 != exp(-1/2))"
    return [Case("rate 1, H = 1: P(n = 0 | v = 1/2)", true, poisson, "==", line=again)]


def second_choice(jump: Fraction | None) -> str:
    """What CT-UCBVI plays first in episode 2, if episode 1 played ``a`` and jumped then, or not at all.

    Start -> 1 -> 2 -> 1 -> ..., two actions that are alike, all rewards 0 and rates 1, H = 1, K = 2, δ = 1/4.
    """
    pairs = [("0", "1"), ("1", "2"), ("2", "1")]
    rows = [Transition.of(x, a, rate=1, reward=0, to={y: 1}) for x, y in pairs for a in "ab"]
    model = CTMDP.of("never back", horizon=1, initial="0", transitions=rows)
    seen = [("0", "a", jump, "1")] if jump is not None else []
    first = Episode.of(model, seen, ("1", "a") if seen else ("0", "a"))
    settings = Settings.for_model(model, episodes=2, delta=Fraction(1, 4))
    plan = make_plan(Statistics.empty(model).after(first), settings)
    best, proved = plan.best("0", model.horizon)
    return "ab"[best[0]] if proved else ""


@cases("exact law, plans of the exact learner")
def dependence(learns: bool = True) -> list[Case]:
    """P(v_1 < H, v_2 > 0) against the product of the two probabilities, for the pair (0, a), λH = 1.

    After an episode without a jump both actions have λ̂ = 0 and the same bonus, and CT-UCBVI takes the first
    of them again.  After a jump it takes ``b``, whose score is (r + b)t: with V̂ <= t that of ``a`` is at most
    (r + b)w + t - w, w = ∫exp(-λ̂s)ds < t, which is less, as b > 1.  (Looked at for three times of the jump.)
    If it does not learn, it plays ``a`` in any case.
    """
    moments = (Fraction(1, 10), Fraction(1, 2), Fraction(9, 10))
    stays = not learns or second_choice(None) == "a"
    returns = not learns or any(second_choice(moment) != "b" for moment in moments)
    with precision(_BITS):
        cut = (-arb(1)).exp()  # P(τ > H)
        joint = 1 - cut if returns else arb(0)
        second = joint + (cut if stays else 0)
        product = (1 - cut) * second
    again = "from math import exp; print(0 != (1 - exp(-1))*exp(-1))"
    text = "CT-UCBVI, S = 3, A = 2, K = 2, δ = 1/4, λ = H = 1: P(v_1 < H, v_2 > 0)"
    return [Case(text, joint, product, "==", line=again)]


@cases("exact law")
def certain_miss(total: Fraction = Fraction(105)) -> list[Case]:
    """The conditional probability of a miss given T = ``total``, against δ/(SAK).

    S = 3, A = 1, K = k = 60, δ = 1/2, λmax = 1, H = 106; the pair has rate 1/100 and one visit per episode.
    """
    episodes, rate, delta, states = 60, Fraction(1, 100), Fraction(1, 2), 3
    law = count_law(episodes - 1, rate, Fraction(106), total)
    with precision(_BITS):
        confidence = 4 * arb(rational(2 * states * episodes / delta)).log()
        floor = arb(rational(total)).max(confidence)
        radius = (confidence / floor).sqrt()
        missed = sum(
            (p for n, p in law.items() if arb(rational(abs(min(n / total, Fraction(1)) - rate))) > radius),
            Fraction(0),
        )
    again = "from math import log, sqrt; print(59/105 - 1/100 > sqrt(4*log(720)/105))"
    text = f"59 visits, H = 106: P(miss | T = {total})"
    return [Case(text, missed, delta / (states * episodes), line=again)]


@cases("exact law")
def few_hours(total: Fraction = Fraction(2)) -> list[Case]:
    """E[max(N, 1)^{-1/2} | T = ``total``] against 1/√(2 max(T, 1)): five visits, one per episode, H = 3.

    All rates are 1 = λmax.  Given T < H no visit was cut off, so that the count is 5.
    """
    law = count_law(5, Fraction(1), Fraction(3), total)
    with precision(_BITS):
        mean = sum((rational(p) / arb(max(n, 1)).sqrt() for n, p in law.items()), arb(0))
        right = 1 / (2 * arb(rational(max(total, Fraction(1))))).sqrt()
    text = f"S = 3, A = 1, λ = λmax = 1, H = 3, k = 6, T = {total}"
    again = "from math import sqrt; print(1/sqrt(5) < 1/sqrt(2*2))"
    return [Case(text, mean, right, ">=", line=again)]


# --- the repair -------------------------------------------------------------------------------


def one_visit(truncated: bool = True) -> Computed:
    """E exp(ζ 1{τ <= c} - λ(e^ζ - 1) min(τ, c)) = 1, by integration; or with the cut-off visit forgotten."""

    def difference() -> sympy.Expr:
        rate, left, s = sympy.symbols("rate c s", positive=True)
        zeta = sympy.Symbol("zeta", real=True)
        price = rate * (sympy.exp(zeta) - 1)
        jump = sympy.integrate(rate * sympy.exp(-rate * s) * sympy.exp(zeta - price * s), (s, 0, left))
        stay = sympy.exp(-rate * left) * (sympy.exp(-price * left) if truncated else 1)
        return jump + stay - 1

    return vanishes("symbolic", ("E exp(...) - 1, for all ζ, λ > 0, c > 0", difference))
