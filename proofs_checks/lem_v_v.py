r"""``lem:v-v-continuoustime``: the regret of one episode is at most bonus and radii along its path.

With :math:`a = \pi^k(x,t)` the best action for :math:`\hat V = \hat V_{n_k}`,

.. math:: \hat V(x,t) \le \mathcal T^{a,k}\hat V(x,t), \qquad V^\pi(x,t) = \mathcal T^aV^\pi(x,t), \qquad
          \hat V - V^\pi \le (b + \alpha + t\beta)\,t + E[(\hat V - V^\pi)(Y, (t-\tau)^+)],

and the last line is used again at the next state.  After :math:`m` steps the remainder is at most
:math:`E(H-t_m)^+ \le H\,P(N \ge m)`, :math:`N` Poisson with mean :math:`\mu = \lambda_{\max}H`, because
:math:`\hat V - V^\pi \le \hat V \le t`; and :math:`P(N \ge m) \le \mu^m/m!`.

In one step :math:`V^\pi` cancels (``eq:Vpik``): what has to be tested is
:math:`\hat V(x,t) - \mathcal T^a\hat V(x,t) \le (b+\alpha+t\beta)\,t` for the best actions :math:`a`, and
that is exact.  The whole lemma is tested as well, with the first terms of its sum.

As in ``lem:optimism``, half of :math:`\beta` and of :math:`\alpha` suffices.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING

from flint import arb
from hypothesis import strategies as st

from ctucbvi import CTMDP, Enclosure, Policy, ValueIteration, evaluate
from ctucbvi.exact.precision import precision, to_fmpq
from ctucbvi.strategies import models, policies, times
from proofs_checks.lem_error_model import HALF, ONE, PROOF, WAIT
from proofs_checks.lem_poisson import weight
from proofs_checks.perturbed import BITS, EVERY, PRINTED, Place, mistaken, places, positive
from proofs_checks.perturbed_values import (
    Shares,
    applied,
    cost,
    forward_value,
    greedy,
    largest,
    pairs_of,
    regret,
)
from proofs_checks.variants import changed, or_undecided
from verify.claims import Claim, Domain, Effort, Kind, claim, increasing
from verify.provers.computed import Case, Computed, Outcome
from verify.provers.search import Search

if TYPE_CHECKING:
    from hypothesis.strategies import DrawFn

_SOURCE = "lem:v-v-continuoustime"
_CLOSE = Fraction(1, 10**12)
_HAT, _TRUE = "(1 - exp(-m*h))/m", "(1 - exp(-l*h))/l"


def recursion(back: int = 0) -> Search:
    """``V̂_n <= max_a T^{a,k}V̂_{n-back}`` at a state; as printed ``back`` is 0 (and 1)."""

    def sides(place: Place) -> tuple[Enclosure, Fraction]:
        iteration = ValueIteration(place.case.optimistic(Fraction(1, 20)), truncate=True)
        older, model = iteration[max(place.steps - back, 0)], iteration.model
        scores = [applied(older, model.pairs[k], place.time) for k in pairs_of(model, place.state)]
        gap = iteration[place.steps].value(place.state, place.time) - largest(scores)
        return gap, _CLOSE * model.horizon  # where the iteration stands still both are equal

    return Search((60, 2000), given=places(kinds=("up", "down")), sides=sides, title="iterates")


def one_step(
    share: Fraction, bonus: Fraction, radii: Fraction, kinds: tuple[str, ...] = EVERY, steps: int = 6
) -> Search:
    """``V̂ - T^a V̂ <= (bonus b + radii (α + tβ)) t`` for the best actions; V̂ is planned with ``share b``."""

    def sides(place: Place) -> tuple[Enclosure, Fraction]:
        case, t = place.case, place.time
        iterate = ValueIteration(case.optimistic(share), truncate=True)[place.steps]
        value = iterate.value(place.state, t)
        return max(
            ((value - applied(iterate, case.model.pairs[k], t), cost(case, k, bonus, radii, t))
             for k in greedy(iterate, place.state, t)),
            key=lambda both: both[0].mid - both[1],
        )  # fmt: skip

    return Search(
        (60, 2000), given=places(kinds=kinds, max_steps=steps), sides=or_undecided(sides), title="models"
    )


def episodes(shares: Shares, kinds: tuple[str, ...] = EVERY) -> Search:
    """The lemma on models; ε is 1/10, 1/100 or 1/1000 of the horizon."""

    def sides(place: Place) -> tuple[Enclosure, Enclosure]:
        return regret(place.case, place.state, place.case.model.horizon / 10**place.steps, shares)

    return Search((30, 1000), given=places(kinds=kinds), sides=or_undecided(sides), title="episodes")


def mistakes(shares: Shares) -> Computed:
    """The lemma on :func:`mistaken` models."""

    def cases(effort: Effort) -> Iterator[Case]:
        for beta in (Fraction(1, 10), Fraction(1), Fraction(3))[: effort.scaled(2, 3)]:
            yield Case(f"λ = 1, β = {beta}", *regret(mistaken(ONE, beta), "x", Fraction(1, 1000), shares))

    return Computed(lambda effort: Outcome(cases(effort), method="certified values"), "a missed action")


# --- eq:Vpik: the definition of V^π against its equation ---------------------------------------


@dataclass(frozen=True)
class Followed:
    """A policy, a state and a remaining time."""

    policy: Policy
    state: str
    time: Fraction


@st.composite
def followed(draw: DrawFn) -> Followed:
    """Draw a model, a policy of it that depends on the remaining time, a state and a time."""
    model = positive(draw(models(max_states=3, rewards="unit", terminal=False, max_load=4)))
    policy = draw(policies(model))
    state = draw(st.sampled_from(model.states))
    return Followed(policy, state, draw(times(model)) or model.horizon)


def _first(model: CTMDP) -> Policy:
    return Policy.of(model, {x: model.actions_of(x)[0] for x in model.states})


def own_equation(forget: bool = False) -> Search:
    """The occupation of pairs, forward in time, against ``T^a V^π`` (of another policy, if ``forget``)."""

    def sides(example: Followed) -> tuple[arb, Fraction]:
        policy, state, t = example.policy, example.state, example.time
        after = evaluate(_first(policy.model) if forget else policy, digits=16, at=[(state, t)])
        right = after.commitment_value(state, policy.action(state, t), t)
        with precision(BITS):
            gap = forward_value(policy, state, t) - arb(to_fmpq(right.lower)).union(arb(to_fmpq(right.upper)))
            return abs(gap), _CLOSE * max(t, ONE)

    return Search((80, 3000), given=followed(), sides=sides, title="policies")


# --- the remainder -----------------------------------------------------------------------------


def remainders(power: int = 0) -> Computed:
    """``P(N >= m)`` for ``N`` Poisson with mean μ, against ``μ^(m+power)/(m+power)!``."""

    def cases(effort: Effort) -> Iterator[Case]:
        for mean in (Fraction(1, 10), Fraction(1), Fraction(7), Fraction(40))[: effort.scaled(3, 4)]:
            for m in range(0, 41, 4):
                with precision(4 * BITS):
                    mu = arb(to_fmpq(mean))
                    tail = 1 - sum((weight(mu, j) for j in range(m)), arb(0))
                    bound = mu ** (m + power) / arb(m + power + 1).gamma()
                yield Case(f"mean {mean}, m = {m}", tail, bound)

    return Computed(lambda effort: Outcome(cases(effort), method="finite sums in balls"), "Poisson tails")


RECURSION_INPUT = claim(
    "eq:rec-Vk",
    "v = V̂_{n_k}(x,t) <= y = sup_a T^{a,k}V̂_{n_k-1}(x,t) <= z = sup_a T^{a,k}V̂_{n_k}(x,t), because "
    "V̂_{n_k} = min{t, y}, V̂_{n_k-1} <= V̂_{n_k} and T^{a,k} is monotone; for every state and time, and a "
    "= π^k(x,t) attains z.",
    says="v <= z",
    domain=Domain.of("v >= 0", "y >= 0", "z >= 0", "v <= y", "y <= z"),
    source=_SOURCE,
    kind=Kind.STEP,
    uses=("eq:mono", "eq:Qa/monotone"),
    checks=(recursion(), *PROOF),
    argued="that T^{a,k} is monotone, and a minimum at most its second argument",
    expected="tested",
    latex=r"\hat V_{n_k}(x,H) \le \sup_a(\mathcal T^{a,k}\hat V_{n_k})(x,H)",
)

OWN_EQUATION = claim(
    "eq:Vpik",
    "V^π(x,t) = T^a V^π(x,t) with a = π(x,t), for policies of state and remaining time: the expected "
    "reward along the path, followed forward in time, agrees with the right side up to 10^-12.",
    source=_SOURCE,
    kind=Kind.STEP,
    uses="sec:episodicRL/joint-law",
    checks=own_equation(),
    expected="tested",
    latex=r"V^{\pi}(x,H) = r\int_0^He^{-\lambda s}ds + \mathbb E[V^{\pi}(x_1,(H-\tau_0)^+)]",
)

EQUALITY = claim(
    "eq:reward-disc/equality",
    "(r + b) w(λ̂) - r w(λ) = r |w(λ̂) - w(λ)| + b w(λ̂), with w(λ) = (1 - exp(-λH))/λ, as printed.",
    says=f"(r + b)*{_HAT} - r*{_TRUE} == r*Abs({_HAT} - {_TRUE}) + b*{_HAT}",
    domain=Domain.of("0 <= r <= 1", "b >= 0", "l >= 0", "m >= 0", "h > 0"),
    source="eq:reward-disc",
    kind=Kind.STEP,
    checks=PROOF,
    expected="refuted",
)

EQUALITY_REPAIRED = claim(
    "eq:reward-disc/equality/repaired",
    "With <= in place of =: r d <= r e for e = |d| >= d, d = w(λ̂) - w(λ). Equality holds where r = 0 or "
    "λ̂ <= λ.",
    says="r*d <= r*e",
    domain=Domain.of("0 <= r <= 1", "d <= e", reals="d e"),
    source="eq:reward-disc",
    kind=Kind.REPAIR,
    checks=PROOF,
    expected="proved",
)

LIPSCHITZ = claim(
    "lem:v-v-continuoustime/lipschitz",
    "w(λ) = ∫_0^t exp(-λs) ds has w(λ) + λt²/2 increasing in λ >= 0: it falls by at most t²/2 times the "
    "change of λ (and does not rise, eq:diff).",
    says=increasing(f"{WAIT} + l*t**2/2", "l", Domain.of("l >= 0", "t >= 0")),
    domain=Domain.of("l >= 0", "t >= 0"),
    source=_SOURCE,
    kind=Kind.STEP,
    uses="eq:diff",
    checks=PROOF,
    expected="proved",
)

REWARD = claim(
    "eq:reward-disc",
    "(r + b) w(λ̂) - r w(λ) <= x + bH with x = H²β/2: it is r d + b u, d = w(λ̂) - w(λ) <= x by the "
    "Lipschitz bound, 0 <= r <= 1 and u = w(λ̂) <= H.",
    says="r*d + b*u <= x + b*h",
    domain=Domain.of("0 <= r <= 1", "b >= 0", "u >= 0", "u <= h", "x >= 0", "d <= x", reals="d"),
    source=_SOURCE,
    kind=Kind.STEP,
    uses=("lem:v-v-continuoustime/lipschitz", "eq:reward-disc/equality/repaired"),
    checks=PROOF,
    expected="proved",
    latex=r"(r+b)\int_0^He^{-\hat\lambda s}ds - r\int_0^He^{-\lambda s}ds \le \tfrac{H^2}2\beta + bH",
)

STEP = claim(
    "lem:v-v-continuoustime/step",
    "On 𝒢, V̂ - V^π <= (b + α + tβ)t + E[(V̂ - V^π)(Y,(t-τ)⁺)] at every state and time t: the reward term "
    "x is at most t²β/2 + tb (eq:reward-disc) and the error y of the operator on V̂ <= t at most t²β/2 + "
    "tα (lem:error-model).",
    says="x + y <= t**2*be + t*b + t*al",
    domain=Domain.of(
        "t >= 0", "be >= 0", "b >= 0", "al >= 0", "x <= t**2*be/2 + t*b", "y <= t**2*be/2 + t*al"
    ),
    source=_SOURCE,
    kind=Kind.STEP,
    uses=("eq:rec-Vk", "eq:Vpik", "eq:reward-disc", "lem:error-model"),
    checks=(one_step(ONE, ONE, ONE), *PROOF),
    argued="that the difference is the sum of the two terms and what is left at the next state",
    expected="tested",
)

REMAINDER = claim(
    "lem:v-v-continuoustime/recursion",
    "The recursion sums up: after m steps the remainder is at most E(H - t_m)⁺ <= H P(N >= m) <= Hμ^m/m!, "
    "N Poisson with mean μ = λmax H (P(N >= m) is the integral of exp(-x)x^(m-1)/(m-1)! over [0, μ]), and "
    "from m >= 2μ on each step at least halves that: μ/(m + 1) <= 1/2.",
    says="mu/(m + 1) <= 1/2",
    domain=Domain.of("mu >= 0", "m >= 0", "m >= 2*mu", integers="m"),
    source=_SOURCE,
    kind=Kind.STEP,
    uses=("lem:v-v-continuoustime/step", "prop:proberror/coupling"),
    checks=(remainders(), *PROOF),
    argued="the induction over m, and that the number of jumps is at most N",
    expected="tested",
)

WHOLE = claim(
    "lem:v-v-continuoustime",
    "On 𝒢, V*(x,H) - V^π(x,H) <= Σ_m E[(b + α + (H-t_m)⁺β)(H-t_m)⁺] + ε exp(λmax H): V* - V̂ <= e = ε "
    "exp(λmax H) by lem:optimism, and V̂ - V^π <= s, the sum.",
    says="v - p <= s + e",
    domain=Domain.of("v >= 0", "p >= 0", "s >= 0", "e >= 0", "u >= 0", "v - u <= e", "u - p <= s"),
    source=_SOURCE,
    uses=("lem:optimism", "lem:v-v-continuoustime/step", "lem:v-v-continuoustime/recursion"),
    checks=(episodes(Shares()), mistakes(Shares()), *PROOF),
    argued="that the recursion sums up to s",
    expected="tested",
    latex=r"V^*(x_0,H)-V^{\pi_k}(x_0,H) \le"
    r" \sum_{m\ge0}\mathbb E\bigl([b^k+\alpha_k+(H-t_m)^+\beta_k](H-t_m)^+\bigr)"
    r" + \epsilon_ke^{\lambda_{\max}H}",
)

HALVED = claim(
    "lem:v-v-continuoustime/halved",
    "With half of the bonus the lemma holds with α/2, β/2 and ε λmax H, for the printed estimators: of the "
    "two errors of the rate one is at most 0 (V̂ does not decrease in t) and the other at most t²β/2, and "
    "the jumps cost at most (t - w(λ̂))α/2 <= tα/2, with the estimated rate in their term. So the whole sum "
    "is half of the printed one.",
    source=_SOURCE,
    kind=Kind.REPAIR,
    uses=(
        "lem:optimism/halved",
        "lem:optimism/opposite",
        "lem:error-model/halved",
        "eq:rec-Vk",
        "eq:Vpik",
        "lem:v-v-continuoustime/recursion",
    ),
    checks=(
        one_step(HALF, HALF, HALF, PRINTED),
        episodes(Shares(HALF, HALF, HALF, load=True), PRINTED),
        mistakes(Shares(HALF, HALF, HALF, load=True)),
    ),
    expected="tested",
)

CLAIMS = (
    RECURSION_INPUT,
    OWN_EQUATION,
    EQUALITY,
    EQUALITY_REPAIRED,
    LIPSCHITZ,
    REWARD,
    STEP,
    REMAINDER,
    WHOLE,
    HALVED,
)

_NONE = Fraction(0)

MUTANTS: Mapping[str, Claim] = {
    "eq:rec-Vk": replace(RECURSION_INPUT, checks=(recursion(2),)),
    "eq:Vpik": replace(OWN_EQUATION, checks=(own_equation(forget=True),)),
    "eq:reward-disc/equality": changed(  # where λ̂ <= λ the equality is true: must not be refuted
        EQUALITY, domain=Domain.of("0 <= r <= 1", "b >= 0", "l >= 0", "m >= 0", "h > 0", "m <= l")
    ),
    "eq:reward-disc/equality/repaired": changed(EQUALITY_REPAIRED, "r*d <= r*e/2"),
    "lem:v-v-continuoustime/lipschitz": replace(
        LIPSCHITZ, says=increasing(f"{WAIT} + l*t**2/3", "l", LIPSCHITZ.domain)
    ),
    "eq:reward-disc": changed(REWARD, "r*d + b*u <= x + b*h/2"),
    "lem:v-v-continuoustime/step": replace(STEP, checks=(one_step(ONE, _NONE, ONE),)),
    "lem:v-v-continuoustime/recursion": replace(REMAINDER, checks=(remainders(1),)),
    "lem:v-v-continuoustime": replace(WHOLE, checks=(mistakes(Shares(_NONE, _NONE, _NONE)),)),
    "lem:v-v-continuoustime/halved": replace(HALVED, checks=(one_step(HALF, _NONE, HALF, PRINTED),)),
}

FINDINGS: Mapping[str, Mapping[str, str]] = {
    "eq:reward-disc/equality": {
        "breaks": "notation",
        "summary": "The first equality of eq:reward-disc is an inequality where r > 0 and λ̂ > λ: the left "
        "side has w(λ̂) - w(λ) < 0 without bars. The next line needs <= only. (In the same display λ(x,a) "
        "stands for λ(x_0,a_0).)",
        "repair": "eq:reward-disc/equality/repaired",
    },
    "lem:v-v-continuoustime": {
        "breaks": "constant",
        "summary": "Stands as printed, and is twice too large: bonus, α and β can all be halved, and with "
        "them the bound of thm:CT-UCB (thm:CT-UCB/halved); ε exp(λmax H) can be ε λmax H. With the bonus as "
        "a lump sum of the remaining time the factor CH + 1 disappears (thm:CT-UCB/lump-sum).",
        "repair": "lem:v-v-continuoustime/halved",
    },
}
