r"""``eq:FH-control-discrete``: what discretising time upfront does, and what it does not do.

*Decisions.* The number of jumps has the compensator :math:`\int\lambda(X,A)du \le \lambda_{\max}H`, so that
:math:`1 + \lambda_{\max}H` decisions are expected at most: as a value, with reward rate
:math:`\lambda(x,a)`, one step of the operator keeps :math:`u \le \lambda_{\max}t`.

*The bound.* :math:`\Delta\,[\tfrac H\Delta\sqrt{SAK} + (\tfrac H\Delta)^2S^2A + (\tfrac H\Delta)^{3/2}\sqrt
K]` is at least :math:`H^2S^2A/\Delta`: it tends to infinity, and once :math:`\Delta \le HS^2A/K` it says
less than :math:`KH`, which holds for every learner. It is the bound that explodes; the regret does not.

*The limit.* A policy of the discretised model chooses anew at every grid point. As :math:`\Delta \to 0` its
best value tends to that of the problem whose action may change at any time, and not to the paper's
:math:`V^*`.

*The error of sampling one policy* is not unknown: between two grid points the reward differs from that at
the first only after a jump, which has happened after time :math:`s` with probability at most :math:`1 -
e^{-\lambda_{\max}s}`; so :math:`|V^\pi - V^\pi_\Delta| \le \tfrac
H\Delta\int_0^\Delta(1-e^{-\lambda_{\max}s})ds \le \lambda_{\max}H\Delta/2`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from flint import arb

from proofs_checks.optimality_equation import ADJUSTABLE, COMMITTED, paper_example
from proofs_checks.setting import PROOF, class_models
from proofs_checks.variants import changed
from verify.claims import Claim, Domain, Effort, Kind, claim
from verify.provers.balls import precision, rational
from verify.provers.computed import Case, Computed, Outcome
from verify.provers.search import Search

if TYPE_CHECKING:
    from ctucbvi.model import CTMDP

BITS = 128


def most_jumps(share: Fraction = Fraction(1)) -> Search:
    """The largest expected number of jumps, as the value with the reward rate λ, against ``share``·λmax H."""
    from ctucbvi import solve
    from ctucbvi.model import CTMDP

    def sides(model: CTMDP) -> tuple[Any, Any]:
        rows = tuple(replace(row, reward=row.rate) for row in model.transitions)
        counting = CTMDP(
            "jumps", model.states, model.actions, model.horizon, model.initial, rows, model.terminal
        )
        values = [solve(counting, resolve_policy=False).value(x) for x in model.states]
        mean = model.max_rate * model.horizon
        return max(values, key=lambda value: value.mid), share * mean + mean / 2**40

    return Search(examples=(40, 500), given=class_models(), sides=sides, title="expected jumps")


STEPS = claim(
    "eq:FH-control-discrete/steps",
    "The expected number of jumps in [0,H] is at most λmax H under every policy, that of decisions at most "
    "1 + λmax H: O(H) for fixed λmax and H bounded away from 0 (there is always one decision). If u <= mt, "
    "m = λmax, then with reward rate λ <= m: (1 - exp(-λt)) + ∫λexp(-λs)m(t - s)ds <= mt.",
    says="(1 - exp(-l*t)) + m*(t - (1 - exp(-l*t))/l) <= m*t",
    domain=Domain.of("l > 0", "t >= 0", "l <= m"),
    source="eq:FH-control-discrete",
    checks=(most_jumps(), *PROOF),
    argued="that the expected number of jumps is the limit of iterating this step",
    expected="tested",
)

_BOUND = "D*(x + (H/D)**2*S**2*A + y)"
_TERMS = ("D > 0", "H > 0", "S >= 1", "A >= 1", "x >= 0", "y >= 0")
EXPLODES = claim(
    "eq:FH-control-discrete/explodes",
    "The bound Δ((H/Δ)√(SAK) + (H/Δ)²S²A + (H/Δ)^1.5 √K) tends to infinity as Δ -> 0: it is at least M for "
    "every Δ <= H²S²A/M, by its second term (x and y stand for the other two).",
    says=f"M <= {_BOUND}",
    domain=Domain.of("M > 0", *_TERMS, "D*M <= H**2*S**2*A", integers="S A"),
    source="eq:FH-control-discrete",
    checks=PROOF,
    expected="proved",
)
VACUOUS = claim(
    "eq:FH-control-discrete/vacuous",
    "For Δ <= H S² A/K the bound is at least KH, which bounds the regret of every learner for every Δ, "
    "values being in [0,H]: what explodes is the bound and not the regret.",
    says=f"K*H <= {_BOUND}",
    domain=Domain.of("K >= 1", *_TERMS, "D*K <= H*S**2*A", integers="S A K"),
    source="eq:FH-control-discrete",
    kind=Kind.REPAIR,
    uses="eq:FH-control2/bounds",
    checks=PROOF,
    expected="proved",
)


def best_on_grid(model: CTMDP, steps: int) -> Fraction:
    """The value of the initial state in the discretised model, to first order in Δ = H/steps, rounded down.

    One step keeps the state with probability 1 - λΔ; sums are rounded down to multiples of 2^-80, which costs
    at most 2^-80 each.
    """
    unit = 2**80
    delta = model.horizon / steps
    index = {x: i for i, x in enumerate(model.states)}
    rows = [
        (
            index[row.state],
            int(row.reward * delta * unit),
            row.rate * delta,
            [(index[y], p) for y, p in row.to],
        )
        for row in model.transitions
    ]
    values = [0] * len(model.states)
    for _ in range(steps):
        new = [0] * len(values)
        for x, reward, part, law in rows:
            later = sum(p * values[y] for y, p in law)
            new[x] = max(new[x], reward + int((1 - part) * values[x] + part * later))
        values = new
    return Fraction(values[index[model.initial]], unit)


GRID_LINE = (
    "from functools import reduce; M = [(.85, 3, 1), (1, 5, 1), (.4, 2, 0), (0, 7, 0)]; d = 1/2000; "
    "top = lambda z: [max(z[:2]), max(z[2:])]; "
    "v = reduce(lambda v, _: top([d*r + (1 - d*l)*v[1-y] + d*l*v[y] for r, l, y in M]), range(2000), [0]*2); "
    "print(v[0] > 0.64106 + 0.003)"
)


def grid_limit(semantics: str) -> Computed:
    """The discretised value of the paper's example against that of a problem in continuous time."""

    def compute(effort: Effort) -> Outcome:
        from ctucbvi import solve

        model = paper_example()
        goal = solve(model, semantics, digits=15).value(model.initial)
        cases = []
        for steps in (1000, 2000, *((20_000,) if effort.profile != "quick" else ())):
            found = best_on_grid(model, steps)
            # An explicit Euler scheme for the HJB equation: non-expansive, off by at most 7Δ.
            gap = max(abs(found - goal.lower), abs(found - goal.upper))
            description = f"Δ = 1/{steps}: distance of the discretised value from the {semantics} one"
            allowed = Fraction(1, 1000) if steps >= 2000 else Fraction(1, 500)
            cases.append(Case(description, gap, allowed, "<=", line=GRID_LINE))
        return Outcome(cases, method="exact recursion, rounded to 2^-80 per step")

    return Computed(compute, "discretised values")


CONVERGES = claim(
    "eq:FH-control-discrete/converges",
    "The best value of the discretised model tends to V* as Δ -> 0, so that the regret of the one tends to "
    "that of the other; on the paper's example it is within 1/500 at Δ = 1/1000 and within 1/1000 at Δ = "
    "1/2000.",
    source="eq:FH-control-discrete",
    kind=Kind.STEP,
    checks=grid_limit(COMMITTED),
    expected="refuted",
)
CONVERGES_REPAIRED = claim(
    "eq:FH-control-discrete/converges/repaired",
    "The best value of the discretised model, whose policies choose at every grid point, tends to the "
    "solution of the HJB equation as Δ -> 0; on the paper's example it is within 1/500 at Δ = 1/1000 and "
    "within 1/1000 at Δ = 1/2000.",
    source="eq:FH-control-discrete",
    kind=Kind.REPAIR,
    uses="eq:hjb-pde/repaired",
    checks=grid_limit(ADJUSTABLE),
    expected="tested",
)


def sampled_policy(share: Fraction = Fraction(1)) -> Computed:
    """The paper's example under 'always slow', in closed form: its value, sampled and not, against the bound.

    Operating at time u has probability 2/5 + 3/5 exp(-5u); rewards 17/20 and 8/20.
    """

    def compute(effort: Effort) -> Outcome:
        cases = []
        for steps in range(1, effort.scaled(40, 400)):
            with precision(BITS):
                decay, delta = (-arb(5) / steps).exp(), arb(1) / steps
                held = delta * (1 - (-arb(5)).exp()) / (1 - decay)  # Δ Σ exp(-5jΔ)
                exact = (1 - (-arb(5)).exp()) / 5
                gap = arb(rational(Fraction(9, 20) * Fraction(3, 5))) * (held - exact)
                bound = share * Fraction(3, 2) / steps  # λmax H Δ/2: the rates are 3 and 2
            cases.append(Case(f"always slow, Δ = 1/{steps}", abs(gap), bound, "<="))
        return Outcome(cases, method="closed form in balls of 128 bits")

    return Computed(compute, "one policy sampled")


ERROR_KNOWN = claim(
    "eq:FH-control-discrete/error",
    "The error of sampling a policy at the grid points is explicit: |V^π - V^π_Δ| <= (H/Δ)∫(1 - exp(-λmax "
    "s))ds over [0,Δ] <= λmax H Δ/2, as the reward differs from that at the last grid point only after a "
    "jump. (The paper calls it unknown in general.)",
    says="(H/D)*(D - (1 - exp(-m*D))/m) <= m*H*D/2",
    domain=Domain.of("H > 0", "D > 0", "m > 0"),
    source="eq:FH-control-discrete",
    kind=Kind.REPAIR,
    checks=(sampled_policy(), *PROOF),
    argued="that the reward differs from that at the last grid point only after a jump, whose "
    "probability is integrated",
    expected="tested",
)

CLAIMS = (STEPS, EXPLODES, VACUOUS, CONVERGES, CONVERGES_REPAIRED, ERROR_KNOWN)

MUTANTS: Mapping[str, Claim] = {
    "eq:FH-control-discrete/steps": replace(STEPS, checks=(most_jumps(Fraction(9, 10)),)),
    "eq:FH-control-discrete/explodes": changed(EXPLODES, "M <= D*(x + (H/D)*S**2*A + y)"),
    "eq:FH-control-discrete/vacuous": changed(VACUOUS, f"2*K*H <= {_BOUND}"),
    "eq:FH-control-discrete/converges": replace(CONVERGES, checks=(grid_limit(ADJUSTABLE),)),  # true
    "eq:FH-control-discrete/converges/repaired": replace(CONVERGES_REPAIRED, checks=(grid_limit(COMMITTED),)),
    "eq:FH-control-discrete/error": changed(ERROR_KNOWN, "(H/D)*(D - (1 - exp(-m*D))/m) <= m*H*D/3"),
}

FINDINGS: Mapping[str, Mapping[str, str]] = {
    "eq:FH-control-discrete/converges": {
        "breaks": "statement",
        "summary": "The discretised problem lets the action change at every grid point; its value tends to "
        "the solution of the HJB equation (0.64485 on the paper's example) and not to V* "
        "(0.64106). Its regret is regret in another problem, however small Δ is. A remark of "
        "the paper; no proof uses it.",
        "repair": "eq:FH-control-discrete/converges/repaired",
    },
}
