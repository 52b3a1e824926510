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

from proofs_checks.derivations import episode
from proofs_checks.derivations.earnings import sojourn
from proofs_checks.derivations.episode import FROZEN, HAPPENS, WEIGHT, acted, supposed
from proofs_checks.derivations.nearby import chain
from proofs_checks.derivations.operators import applied, part
from proofs_checks.derivations.optimistic_values import BELOW, HOLDS
from proofs_checks.derivations.runs import RATE, by_jump, law, observed, remaining
from proofs_checks.derivations.setting_optimistic import WITHIN
from verify.kernel import calculus, theorems
from verify.kernel.authoring import Derivation
from verify.kernel.theorems import Theorem

_PAIR = "n, X(n), act(n)"
AREA = "spent({n})*(rem({n}) - spent({n})/2)"
PAYS = (
    f"(gpay({_PAIR})*spent(n) + gsl({_PAIR})*{AREA.format(n='n')} + au({_PAIR})*jump(n)*(rem(n) - spent(n)))"
)
_HAT = "Vq({n}, {x}, {t})"
HAT, PI = episode.at_decision(_HAT, "{n}"), episode.PI
PAID = "Sum(n, {m}, E(" + WEIGHT.format(n="n") + f"*{PAYS}))"
LOST = "Sum(n, {m}, E(new(n)*" + WEIGHT.format(n="n") + f"*({HAT} - {PI})".format(n="n") + "))"

RIGHT = (*FROZEN, f"Sure(All(n, Imp({HAPPENS}, {HOLDS.format(n='n')})))")
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


def costs(D: Derivation) -> Theorem:
    """HOLDS ⊢ V̂(n) <= T^π V̂(n) + E(PAYS, n)."""
    low, high = remaining(D)
    inside, there = theorems.both(D.linear("0 <= rem(n)", low), high), {"x": "X(n)", "t": "rem(n)"}
    step = D.mp(
        D.lemma("lem:v-v-continuoustime/equation/step", a="act(n)", **there),
        D.assume(HOLDS.format(n="n")),
        inside,
    )
    greedy = acted(D, D.mp(D.fact("greedy", **there), inside))
    means = [
        D.scaled(sojourn(D), f"gpay({_PAIR})"),
        D.scaled(area(D), f"gsl({_PAIR})"),
        D.scaled(seen(D), f"au({_PAIR})"),
    ]
    return D.linear(episode.pays(_HAT, f"E({PAYS}, n)"), step, greedy, *means)


def _stays(D: Derivation) -> Theorem:
    """V̂ at decision n + 1 is that of decision n, given jump(n) == 1."""
    same = D.largest(D.mp(D.fact("frozen-Qh"), D.assume("jump(n) == 1")), "a")
    value = D.linear("Vq(n + 1, x, t) == Vq(n, x, t)", same, D.fact("Vq"), D.fact("Vq", n="n + 1"))
    return D.imply(D.at(value, x="X(n + 1)", t="rem(n + 1)"), "jump(n) == 1")


def _small(D: Derivation) -> Theorem:
    """V̂ <= t."""
    low, high = remaining(D)
    inside = theorems.both(D.linear("0 <= rem(n)", low), high)
    most = D.mp(D.lemma("lem:optimism/equation/bounds", x="X(n)", t="rem(n)"), inside)
    most = calculus.least(part(D, most, "Qh(n, X(n), a, rem(n)) <= rem(n)"), D.variable("a"))
    return D.linear(episode.small(_HAT), most, D.fact("Vq", x="X(n)", t="rem(n)"))


def model_below(D: Derivation, value: Theorem) -> Theorem:
    """V* <= V̂ at the state and the remaining time, from gok(n) == 1."""
    low, high = remaining(D)
    inside = D.assume(WITHIN)
    here = D.mp(D.special(D.mp(supposed(D, RIGHT[2]), value), "x", "a", "t"), inside)
    below = D.all(D.imply(part(D, here, BELOW.format(n="n")), WITHIN), "x", "a", "t")
    found = D.mp(
        D.lemma("lem:optimism/equation", x="X(n)", t="rem(n)"),
        below,
        theorems.both(D.linear("0 <= rem(n)", low), high),
    )
    return part(D, found, f"Vs(X(n), rem(n)) <= {HAT.format(n='n')}")


def telescoped(D: Derivation) -> Theorem:
    """Σ E new W Δ <= Σ E W PAYS + H P(ep(m) < K)."""
    found = D.mp(D.lemma("eq:r2/sum/any-learner"), *map(D.assume, FROZEN))
    bodies = {"glaw": ("n t x", _HAT.format(n="n", t="t", x="x")), "gM": ("n", f"E({PAYS}, n)")}
    right = D.mp(supposed(D, RIGHT[2]), D.assume(HAPPENS))
    paid = D.imply(theorems.cut(right, costs(D)), HAPPENS)
    facts = (theorems.sure(D.all(one, "n")) for one in (_stays(D), _small(D), paid))
    return D.imply(D.mp(applied(D, found, bodies), *facts), *RIGHT)
