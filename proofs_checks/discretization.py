r"""``eq:FH-control-discrete``: what discretising time upfront does, and what it does not do.

*Decisions.* The number of jumps has the compensator :math:`\int\lambda(X,A)du \le \lambda_{\max}H`, so that
:math:`1 + \lambda_{\max}H` decisions are expected at most: as a value, with reward rate
:math:`\lambda(x,a)`, one step of the operator keeps :math:`u \le \lambda_{\max}t`.

*The bound.* :math:`\Delta\,[\tfrac H\Delta\sqrt{SAK} + (\tfrac H\Delta)^2S^2A + (\tfrac H\Delta)^{3/2}\sqrt
K]` is at least :math:`H^2S^2A/\Delta`: it tends to infinity, and once :math:`\Delta \le HS^2A/K` it says
less than :math:`KH`, which holds for every learner. It is the bound that explodes; the regret does not.

*The limit.* If a policy of the discretised model chooses anew at every grid point, then as :math:`\Delta \to
0` its best value tends to that of the problem whose action may change at any time, and not to the paper's
:math:`V^*`. If it is a policy of the continuous problem whose reward is read off on a grid, the next
paragraph applies, and the suprema do converge to :math:`V^*`.

*The error of sampling one policy* is not unknown: between two grid points the reward differs from that at
the first only after a jump, which has happened after time :math:`s` with probability at most :math:`1 -
e^{-\lambda_{\max}s}`; so :math:`|V^\pi - V^\pi_\Delta| \le \tfrac
H\Delta\int_0^\Delta(1-e^{-\lambda_{\max}s})ds \le \lambda_{\max}H\Delta/2`.

*The error of discretising the HJB equation* is not unknown either. Let :math:`\lambda_{\max}h \le 1`. One
explicit Euler step, :math:`v \mapsto v + hF(v)` with :math:`F(v) = \max_a[r-\lambda v+\lambda\sum pv]`,
averages values with weights :math:`1-h\lambda` and :math:`h\lambda p`, so it does not spread errors. The
solution rises by at most :math:`s` within time :math:`s`, so :math:`|F(v(t+s))-F(v(t))| \le \lambda_{\max}s`,
and a step errs by at most :math:`\int_0^h\lambda_{\max}s\,ds = \lambda_{\max}h^2/2`. After :math:`H/h` steps
the error is at most :math:`\lambda_{\max}Hh/2`; with rewards in :math:`[0,R]`, :math:`R` times that.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from math import ceil
from typing import TYPE_CHECKING, Any

from flint import arb

from proofs_checks.hjb_equation import one_speed
from proofs_checks.optimality_equation import ADJUSTABLE, COMMITTED, paper_example
from proofs_checks.setting import PROOF, class_models
from proofs_checks.variants import changed
from verify.claims import Claim, Domain, Effort, Kind, claim
from verify.provers.balls import precision, rational
from verify.provers.computed import Assumed, Case, Computed, Outcome
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
EULER_BOUND = claim(
    "eq:FH-control-discrete/euler-bound",
    "The regret bound of EULER for H̄ decision steps has the term √S S A H̄² (√S + √H̄), up to logarithms.",
    source="A. Zanette and E. Brunskill, Tighter problem-dependent regret bounds in reinforcement learning "
    "without domain knowledge using value function bounds, 2019",
    kind=Kind.CITED,
    checks=Assumed("Theorem 1 of Zanette and Brunskill (2019)"),
    expected="assumed",
)
EULER = claim(
    "eq:FH-control-discrete/euler",
    "The bound of EULER explodes likewise: its last term times Δ, Δ √S S A (H/Δ)² (√S + √(H/Δ)), is at "
    "least M for every Δ <= H²S²A/M, since √S √S = S.",
    says="M <= D*(sqrt(S)*S*A*(H/D)**2*(sqrt(S) + y))",
    domain=Domain.of(
        "M > 0", "D > 0", "H > 0", "S >= 1", "A >= 1", "y >= 0", "D*M <= H**2*S**2*A", integers="S A"
    ),
    source="eq:FH-control-discrete",
    uses="eq:FH-control-discrete/euler-bound",
    checks=PROOF,
    expected="proved",
)

_SIZES = ("S >= 1", "A >= 1", "K >= 1")
LEADING = claim(
    "eq:FH-control-discrete/leading",
    "For K >= H̄²S³A and SA > H (H̄ = H/Δ, as printed) the first term H̄√(SAK) of the bound leads: the "
    "third, H̄^1.5 √K, is at most 100 times the first, squared.",
    says="(H/D)**3*K <= 10**4*((H/D)**2*S*A*K)",
    domain=Domain.of("H > 0", "D > 0", *_SIZES, "S*A > H", "K >= (H/D)**2*S**3*A", integers="S A K"),
    source="eq:FH-control-discrete",
    checks=tuple(reversed(PROOF)),
    expected="refuted",
)
LEADING_REPAIRED = claim(
    "eq:FH-control-discrete/leading/repaired",
    "For K >= H̄²S³A and SA >= H̄ the first term leads: the squares of H̄²S²A and of H̄^1.5 √K add up to at "
    "most twice that of H̄√(SAK), h = H̄.",
    says="(h**2*S**2*A)**2 + h**3*K <= 2*(h**2*S*A*K)",
    domain=Domain.of("h >= 1", *_SIZES, "S*A >= h", "K >= h**2*S**3*A"),
    source="eq:FH-control-discrete",
    kind=Kind.REPAIR,
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
            # An explicit Euler scheme for the HJB equation, off by at most 7Δ/2 (eq:hjb-pde/euler).
            gap = max(abs(found - goal.lower), abs(found - goal.upper))
            description = f"Δ = 1/{steps}: distance of the discretised value from the {semantics} one"
            allowed = Fraction(1, 1000) if steps >= 2000 else Fraction(1, 500)
            cases.append(Case(description, gap, allowed, "<=", line=GRID_LINE))
        return Outcome(cases, method="exact recursion, rounded to 2^-80 per step")

    return Computed(compute, "discretised values")


CONVERGES = claim(
    "eq:FH-control-discrete/converges",
    "One may expect that the regret of the discretised model tends to that of the CTMDP as Δ -> 0; read "
    "with policies that choose anew at every grid point, as a learner for discrete time does: their best "
    "value tends to V*, on the paper's example to within 1/500 at Δ = 1/1000 and 1/1000 at Δ = 1/2000.",
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

# --- the HJB equation on a grid ----------------------------------------------------------------

STEP = claim(
    "eq:hjb-pde/euler-step",
    "An explicit Euler step for the HJB equation with hλ <= 1 does not spread errors: if two functions "
    "differ by at most m, here by d and, in the mean over the next state, by e, then r + (1 - hλ)v + hλΣpv "
    "differs by at most m for every action, and so do the maxima. (Likewise for the values of holding an "
    "action.)",
    says="(1 - h*l)*d + h*l*e <= m",
    domain=Domain.of("h >= 0", "l >= 0", "h*l <= 1", "d <= m", "e <= m", reals="d e m"),
    source="eq:hjb-pde",
    kind=Kind.REPAIR,
    checks=PROOF,
    expected="proved",
)


def euler_errors(share: Fraction = Fraction(1)) -> Search:
    """The distance of the Euler scheme from the solution, against ``share``·λmax H h/2."""
    from hypothesis import strategies as st

    from ctucbvi import solve

    def sides(example: tuple[CTMDP, int]) -> tuple[Any, Any]:
        model, more = example
        steps = ceil(model.max_rate * model.horizon) * more  # so that λmax h <= 1
        exact, found = solve(model, ADJUSTABLE, digits=15).value(model.initial), best_on_grid(model, steps)
        bound = share * model.max_rate * model.horizon * (model.horizon / steps) / 2
        rounding = Fraction(steps, 2**70) + model.horizon / 10**12
        return max(abs(exact.lower - found), abs(exact.upper - found)), bound + rounding

    short = replace(one_speed(), horizon=Fraction(1, 2))  # one step is off by 3/4 of the bound
    models = st.one_of(st.sampled_from([short, paper_example()]), class_models())
    given = st.tuples(models, st.sampled_from([1, 2, 10]))
    return Search(examples=(40, 400), given=given, sides=sides, title="Euler steps")


EULER_ERROR = claim(
    "eq:hjb-pde/euler",
    "The error of solving the HJB equation by explicit Euler steps h, λmax h <= 1, is explicit: at most "
    "λmax H h/2 for rewards in [0,1], as one step adds at most ∫λmax s ds = λmax h²/2 over [0,h] and there "
    "are n = H/h. (The paper calls it unknown. It is an error for the solution of the HJB equation, which "
    "is not V*.)",
    says="n*(m*h**2/2) <= m*H*h/2",
    domain=Domain.of("n >= 1", "h > 0", "m > 0", "H > 0", "n*h <= H", "m*h <= 1", integers="n"),
    source="eq:hjb-pde",
    kind=Kind.REPAIR,
    uses=("eq:hjb-pde/euler-step", "eq:hjb-pde/repaired"),
    checks=(euler_errors(), *PROOF),
    argued="that the solution rises by at most s within time s, so that one step adds λmax h²/2",
    expected="tested",
)

CLAIMS = (
    STEPS,
    EXPLODES,
    EULER_BOUND,
    EULER,
    LEADING,
    LEADING_REPAIRED,
    VACUOUS,
    CONVERGES,
    CONVERGES_REPAIRED,
    ERROR_KNOWN,
    STEP,
    EULER_ERROR,
)

MUTANTS: Mapping[str, Claim] = {
    "eq:FH-control-discrete/steps": replace(STEPS, checks=(most_jumps(Fraction(9, 10)),)),
    "eq:FH-control-discrete/explodes": changed(EXPLODES, "M <= D*(x + (H/D)*S**2*A + y)"),
    "eq:FH-control-discrete/euler": changed(EULER, "M <= D*(S*A*(H/D)**2*(sqrt(S) + y))"),
    "eq:FH-control-discrete/leading": changed(  # SA >= H̄: true
        LEADING,
        domain=Domain.of("H > 0", "D > 0", *_SIZES, "S*A >= H/D", "K >= (H/D)**2*S**3*A", integers="S A K"),
    ),
    "eq:FH-control-discrete/leading/repaired": changed(
        LEADING_REPAIRED, domain=Domain.of("h >= 1", *_SIZES, "S*A >= h", "K >= h**2*S**2*A/4")
    ),
    "eq:FH-control-discrete/vacuous": changed(VACUOUS, f"2*K*H <= {_BOUND}"),
    "eq:FH-control-discrete/converges": replace(CONVERGES, checks=(grid_limit(ADJUSTABLE),)),  # true
    "eq:FH-control-discrete/converges/repaired": replace(CONVERGES_REPAIRED, checks=(grid_limit(COMMITTED),)),
    "eq:FH-control-discrete/error": changed(ERROR_KNOWN, "(H/D)*(D - (1 - exp(-m*D))/m) <= m*H*D/3"),
    "eq:hjb-pde/euler-step": changed(  # steps that are too long
        STEP, domain=Domain.of("h >= 0", "l >= 0", "h*l <= 2", "d <= m", "e <= m", reals="d e m")
    ),
    "eq:hjb-pde/euler": replace(EULER_ERROR, checks=(euler_errors(Fraction(1, 2)),)),
}

FINDINGS: Mapping[str, Mapping[str, str]] = {
    "eq:FH-control-discrete/leading": {
        "breaks": "notation",
        "summary": "The second condition must be SA >= H̄ = H/Δ, the number of decision steps, as the paper "
        "has it when it comes back to this bound after its theorems. With SA > H as printed the third term "
        "exceeds the first by the factor √(H̄/(SA)), without limit as Δ -> 0. (And SA >= H̄ fails then.)",
        "repair": "eq:FH-control-discrete/leading/repaired",
    },
    "eq:FH-control-discrete/converges": {
        "breaks": "remark",
        "summary": "An expectation of the paper, with a caveat, that depends on the reading. If the learner "
        "of the discretised model may choose anew at every grid point, its best value tends to the solution "
        "of the HJB equation (0.64485 on the paper's example) and not to V* (0.64106), however small Δ is. "
        "If the policies are those of the CTMDP and only the reward is sampled, values differ by at most "
        "λmax H Δ/2 (eq:FH-control-discrete/error) and the expectation is right.",
        "repair": "eq:FH-control-discrete/converges/repaired",
    },
}
