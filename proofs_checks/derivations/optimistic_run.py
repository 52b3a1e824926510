r"""What the optimistic learner loses is paid along the run: rates on time, rows on jumps that are seen.

Let Δ(n) = V̂ - V^π at the state and the remaining time of decision n.  Where the sets are right (``gok``,
known at n and frozen during the episode), with the price :math:`\pi + \sigma t` of a wrong rate and the
radius α,

.. math:: \Delta(n) \le E\bigl(\pi\tau + \sigma(u\tau-\tfrac12\tau^2) + \alpha\,1_{jump}(u-\tau)\mid F_n\bigr)
          + E(1_{jump}\Delta(n+1)\mid F_n),

u = ``rem(n)`` the time that remains and τ = ``spent(n)`` the time spent: :math:`\int_0^ue^{-\lambda s}ds`
is the mean of τ, :math:`\int_0^ue^{-\lambda s}(u-s)ds` that of :math:`u\tau - \tau^2/2`, the remaining time
integrated over the time spent.  The sum telescopes over the decisions of all episodes.
"""

from __future__ import annotations

from collections.abc import Callable

from proofs_checks.derivations.earnings import sojourn
from proofs_checks.derivations.episode import acted, own_bounds, own_equation, telescoping
from proofs_checks.derivations.frozen import policy_stays
from proofs_checks.derivations.nearby import chain
from proofs_checks.derivations.operators import part
from proofs_checks.derivations.optimistic_values import BELOW, HOLDS
from proofs_checks.derivations.potentials import first_ones
from proofs_checks.derivations.runs import (
    ACTIVE,
    RATE,
    by_jump,
    decided,
    equal,
    law,
    observed,
    remaining,
)
from proofs_checks.derivations.setting_optimistic import WITHIN
from verify.kernel import calculus, theorems
from verify.kernel.authoring import Derivation
from verify.kernel.theorems import Theorem

_PAIR = "n, X(n), act(n)"
AREA = "spent({n})*(rem({n}) - spent({n})/2)"
PAYS = (
    f"(gpay({_PAIR})*spent(n) + gsl({_PAIR})*{AREA.format(n='n')} + au({_PAIR})*jump(n)*(rem(n) - spent(n)))"
)
HAT, PI = "Vq({n}, X({n}), rem({n}))", "Vpi({n}, X({n}), rem({n}))"
LOSS = f"({HAT} - {PI})"
WEIGHT = "Ind(ep({n}) + 1 <= K)*gok({n})"
PAID = "Sum(n, {m}, E(" + WEIGHT.format(n="n") + f"*{PAYS}))"
LOST = "Sum(n, {m}, E(new(n)*" + WEIGHT.format(n="n") + "*" + LOSS.format(n="n") + "))"

_SMALL, _STAYS = "All(n, gok(n) <= 1)", "All(n, Imp(jump(n) == 1, gok(n + 1) == gok(n)))"
_HOLD = f"All(n, Imp(gok(n) == 1, {HOLDS.format(n='n')}))"
RIGHT = tuple(f"Sure({one})" for one in (_SMALL, _STAYS, _HOLD))
"""``gok`` is whether the sets of a decision are right: 0 or 1, frozen, and then HOLDS."""

TELESCOPED = chain(f"{LOST.format(m='m')} <= {PAID.format(m='m')} + H*E(Ind(ep(m) + 1 <= K))", *RIGHT)


# --- means of one decision ------------------------------------------------------------------------


def area(D: Derivation) -> Theorem:
    """E(spent (rem - spent/2), n) == ∫ e^{-λs}(rem - s) ds."""
    low, _ = remaining(D)
    here = AREA.format(n="n")
    split = by_jump(
        D, lambda values, _: D.by_value(f"{here} == jump(n)*{here} + (1 - jump(n))*rem(n)**2/2", values)
    )
    whole = D.closed(D.primitive("s", "rem(n)", f"-s*(rem(n) - s/2)*exp(-{RATE}*s)"), low)
    return D.linear(
        f"E({here}, n) == Int(s, rem(n), exp(-{RATE}*s)*(rem(n) - s))",
        *(D.mean(split, "n"), law(D, "s*(rem(n) - s/2)"), whole, D.scaled(observed(D), "rem(n)**2/2")),
    )


def seen(D: Derivation) -> Theorem:
    """E(jump (rem - spent), n) == rem - ∫ e^{-λs} ds."""
    low, _ = remaining(D)
    whole = D.closed(D.primitive("s", "rem(n)", f"-(rem(n) - s)*exp(-{RATE}*s)"), low)
    goal = f"E(jump(n)*(rem(n) - spent(n)), n) == rem(n) - Int(s, rem(n), exp(-{RATE}*s))"
    return D.linear(goal, law(D, "rem(n) - s"), whole)


# --- one decision -----------------------------------------------------------------------------------

_LATER = ["Vq(n, {y}, rem(n) - {s})", "Vpi(n, {y}, rem(n) - {s})"]
_NEXT = "({} - {})".format(*(one.format(y="X(n + 1)", s="spent(n)") for one in _LATER))


def loses(D: Derivation) -> Theorem:
    """HOLDS ⊢ Δ(n) <= E(PAYS, n) + E(jump(n) (V̂ - V^π)(n, X(n + 1), rem(n) - spent(n)), n)."""
    low, high = remaining(D)
    bounds = [D.linear("0 <= rem(n)", low), high]
    inside, there = theorems.both(*bounds), {"x": "X(n)", "t": "rem(n)"}
    step = D.mp(
        D.lemma("lem:v-v-continuoustime/equation/step", a="act(n)", **there),
        D.assume(HOLDS.format(n="n")),
        inside,
    )
    greedy = acted(D, D.mp(D.fact("greedy", **there), inside))
    value = acted(D, own_equation(D, bounds))
    laws = [D.instantiate(D.fact("law"), "glaw", "n s y", one.format(y="y", s="s")) for one in _LATER]
    costs = [
        D.scaled(sojourn(D), f"gpay({_PAIR})"),
        D.scaled(area(D), f"gsl({_PAIR})"),
        D.scaled(seen(D), f"au({_PAIR})"),
    ]
    goal = f"{LOSS.format(n='n')} <= E({PAYS}, n) + E(jump(n)*{_NEXT}, n)"
    return D.linear(goal, step, greedy, value, *laws, *costs)


def values_stay(D: Derivation, jumped: Theorem) -> list[Theorem]:
    """V̂ and V^π at decision n + 1 are those of decision n, given jump(n) == 1."""
    there = {"x": "X(n + 1)", "t": "rem(n + 1)"}
    same = D.largest(D.mp(D.fact("frozen-Qh"), jumped), "a")
    value = D.linear("Vq(n + 1, x, t) == Vq(n, x, t)", same, D.fact("Vq"), D.fact("Vq", n="n + 1"))
    policy = theorems.cut(jumped, D.at(policy_stays(D), **there))
    policy = theorems.cut(D.linear("0 <= rem(n + 1)", D.at(remaining(D)[0], n="n + 1")), policy)
    return [D.at(value, **there), policy]


def assumed(D: Derivation, text: str) -> Theorem:
    """One of RIGHT, at decision n."""
    return D.special(D.surely(text), "n")


def small(D: Derivation) -> Theorem:
    """gok(n) <= 1."""
    return assumed(D, _SMALL)


def model_below(D: Derivation, value: Theorem) -> Theorem:
    """V* <= V̂ at the state and the remaining time, from gok(n) == 1."""
    low, high = remaining(D)
    inside = D.assume(WITHIN)
    here = D.mp(D.special(D.mp(assumed(D, _HOLD), value), "x", "a", "t"), inside)
    below = D.all(D.imply(part(D, here, BELOW.format(n="n")), WITHIN), "x", "a", "t")
    found = D.mp(
        D.lemma("lem:optimism/equation", x="X(n)", t="rem(n)"),
        below,
        theorems.both(D.linear("0 <= rem(n)", low), high),
    )
    return part(D, found, f"Vs(X(n), rem(n)) <= {HAT.format(n='n')}")


def by_sets(D: Derivation, build: Callable[[Theorem, bool], Theorem]) -> Theorem:
    """The same conclusion where the sets of decision n are right, and where not; from the value of gok(n)."""

    def case(side: Theorem) -> Theorem:
        wrong = side.says is D.formula("gok(n) <= 0")
        value = equal(D, side, D.whole("gok(n)")) if wrong else equal(D, assumed(D, _SMALL), side)
        return build(value, not wrong)

    return D.split(D.known("discrete", "gok(n)", "0"), case, case)


def one_decision(D: Derivation) -> Theorem:
    """W(n) Δ(n) <= W(n) E(PAYS, n) + E(jump(n) W(n + 1) Δ(n + 1), n), W = Ind(ep(n) < K) gok(n)."""
    loss, after = LOSS.format(n="n"), LOSS.format(n="n + 1")
    goal = f"gok(n)*{loss} <= gok(n)*(E({PAYS}, n) + E(jump(n)*{_NEXT}, n))"
    step = by_sets(
        D,
        lambda value, well: D.by_value(
            goal, [value], *([theorems.cut(D.mp(assumed(D, _HOLD), value), loses(D))] if well else [])
        ),
    )
    same = f"jump(n)*{WEIGHT.format(n='n + 1')}*{after} == {ACTIVE}*gok(n)*jump(n)*{_NEXT}"
    next_one = by_jump(
        D,
        lambda case, stays: D.by_value(
            same, [*([D.mp(assumed(D, _STAYS), case[0]), *values_stay(D, case[0])] if stays else []), *case]
        ),
    )
    says = f"{WEIGHT.format(n='n')}*{loss} <= {WEIGHT.format(n='n')}*E({PAYS}, n) + "
    return D.linear(
        f"{says}E(jump(n)*{WEIGHT.format(n='n + 1')}*{after}, n)",
        D.times(step, D.whole(ACTIVE)),
        D.mean(next_one, "n"),
    )


def small_loss(D: Derivation) -> Theorem:
    """(1 - new(n)) W(n) Δ(n) <= H Ind(ep(n) < K)."""
    low, high = remaining(D)
    inside = theorems.both(D.linear("0 <= rem(n)", low), high)
    most = D.mp(D.lemma("lem:optimism/equation/bounds", x="X(n)", t="rem(n)"), inside)
    most = calculus.least(part(D, most, "Qh(n, X(n), a, rem(n)) <= rem(n)"), D.variable("a"))
    hat = D.linear(f"{HAT.format(n='n')} <= rem(n)", most, D.fact("Vq", x="X(n)", t="rem(n)"))
    less = D.linear(f"{LOSS.format(n='n')} <= H", hat, own_bounds(D)[0], high)
    goal = f"(1 - new(n))*{WEIGHT.format(n='n')}*{LOSS.format(n='n')} <= H*{ACTIVE}"

    def case(assumed_one: Theorem) -> Theorem:
        zero = assumed_one.says is D.formula("new(n) <= 0")
        new = equal(D, assumed_one, D.whole("new(n)")) if zero else equal(D, first_ones(D), assumed_one)
        return by_sets(
            D, lambda value, _: decided(D, goal, [new, value], ["ep(n) + 1 <= K"], less, D.fact("horizon"))
        )

    return D.split(D.known("discrete", "new(n)", "0"), case, case)


def telescoped(D: Derivation) -> Theorem:
    """Σ E new W Δ <= Σ E W PAYS + H P(ep(m) < K)."""
    return D.imply(telescoping(D, WEIGHT, LOSS, PAYS, one_decision(D), small_loss(D)), *RIGHT)
