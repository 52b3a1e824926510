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
e^{-\lambda_{\max}s} \le \lambda_{\max}s`; so :math:`|V^\pi - V^\pi_\Delta| \le
\tfrac H\Delta\int_0^\Delta\lambda_{\max}s\,ds = \lambda_{\max}H\Delta/2`.

*The error of discretising the HJB equation* is not unknown either. Let :math:`\lambda_{\max}h \le 1`. One
explicit Euler step, :math:`v \mapsto v + hF(v)` with :math:`F(v) = \max_a[r-\lambda v+\lambda\sum pv]`,
averages values with weights :math:`1-h\lambda` and :math:`h\lambda p`, so it does not spread errors. The
solution rises by at most :math:`s` within time :math:`s`, so :math:`|F(v(t+s))-F(v(t))| \le \lambda_{\max}s`,
and a step errs by at most :math:`\int_0^h\lambda_{\max}s\,ds = \lambda_{\max}h^2/2`. After :math:`H/h` steps
the error is at most :math:`\lambda_{\max}Hh/2`; with rewards in :math:`[0,R]`, :math:`R` times that.
"""

from __future__ import annotations

from fractions import Fraction

from proofs_checks.checks.common import PROOF
from proofs_checks.checks.discretization import euler_errors, grid_limit, most_jumps, sampled_policy
from proofs_checks.checks.optimality import ADJUSTABLE, COMMITTED
from proofs_checks.derivations import euler, sampling, transitions
from proofs_checks.derivations import grid_limit as refined
from proofs_checks.derivations.setting import ANY
from verify.claims import Domain, Remark, Section
from verify.provers.computed import Assumed

_BOUND = "D*(x + (H/D)**2*S**2*A + y)"
_TERMS = ("D > 0", "H > 0", "S >= 1", "A >= 1", "x >= 0", "y >= 0")
_SIZES = ("S >= 1", "A >= 1", "K >= 1")

section = Section(checks=PROOF, expected="proved", setting=ANY, symbols={"D": "Δ", "l": "λ"})

section.claim(
    "eq:FH-control-discrete/steps",
    "The expected number of jumps in [0,H] is at most λmax H, whatever a learner does, that of decisions at "
    "most 1 + λmax H: O(H) for fixed λmax and H bounded away from 0 (there is always one decision). The "
    "next m sojourns of an episode, from any decision on, end with at most λmax times the remaining time "
    "jumps in the mean, for every m. If u <= mt, m = λmax, then with reward rate λ <= m: (1 - exp(-λt)) + "
    "∫λexp(-λs)m(t - s)ds <= mt.",
    says="(1 - exp(-l*t)) + m*(t - (1 - exp(-l*t))/l) <= m*t",
    domain=("l > 0", "t >= 0", "l <= m"),
    symbols={"m": "λmax"},
    theorem=transitions.STEPS,
    derivation=transitions.steps,
    checks=(most_jumps(), *PROOF),
    mutant=most_jumps(Fraction(9, 10)),
)

section.claim(
    "eq:FH-control-discrete/explodes",
    "The bound Δ((H/Δ)√(SAK) + (H/Δ)²S²A + (H/Δ)^1.5 √K) tends to infinity as Δ -> 0: it is at least M for "
    "every Δ <= H²S²A/M, by its second term (x and y stand for the other two).",
    says=f"M <= {_BOUND}",
    domain=Domain.of("M > 0", *_TERMS, "D*M <= H**2*S**2*A", integers="S A"),
    symbols={"x": "(H/Δ)√(SAK)", "y": "(H/Δ)^1.5 √K"},
    mutant="M <= D*(x + (H/D)*S**2*A + y)",
)

section.cited(
    "eq:FH-control-discrete/euler-bound",
    "The regret bound of EULER for H̄ decision steps has the term √S S A H̄² (√S + √H̄), up to logarithms.",
    source="A. Zanette and E. Brunskill, Tighter problem-dependent regret bounds in reinforcement learning "
    "without domain knowledge using value function bounds, 2019",
    checks=Assumed("Theorem 1 of Zanette and Brunskill (2019)"),
    expected="assumed",
)

section.claim(
    "eq:FH-control-discrete/euler",
    "The bound of EULER explodes likewise: its last term times Δ, Δ √S S A (H/Δ)² (√S + √(H/Δ)), is at "
    "least M for every Δ <= H²S²A/M, since √S √S = S.",
    says="M <= D*(sqrt(S)*S*A*(H/D)**2*(sqrt(S) + y))",
    domain=Domain.of(
        "M > 0", "D > 0", "H > 0", "S >= 1", "A >= 1", "y >= 0", "D*M <= H**2*S**2*A", integers="S A"
    ),
    symbols={"y": "√(H/Δ)"},
    uses="eq:FH-control-discrete/euler-bound",
    mutant="M <= D*(S*A*(H/D)**2*(sqrt(S) + y))",
)

section.claim(
    "eq:FH-control-discrete/leading",
    "For K >= H̄²S³A and SA > H (H̄ = H/Δ, as printed) the first term H̄√(SAK) of the bound leads: the "
    "third, H̄^1.5 √K, is at most 100 times the first, squared.",
    says="(H/D)**3*K <= 10**4*((H/D)**2*S*A*K)",
    domain=Domain.of("H > 0", "D > 0", *_SIZES, "S*A > H", "K >= (H/D)**2*S**3*A", integers="S A K"),
    checks=tuple(reversed(PROOF)),
    expected="refuted",
    mutant=Domain.of(
        "H > 0", "D > 0", *_SIZES, "S*A >= H/D", "K >= (H/D)**2*S**3*A", integers="S A K"
    ),  # SA >= H̄: true
    finding=Remark(
        "erratum",
        "The second condition must be SA >= H̄ = H/Δ, the number of decision steps, as the paper has it "
        "when it comes back to this bound after its theorems.",
        details="With SA > H as printed the third term exceeds the first by the factor √(H̄/(SA)), without "
        "limit as Δ -> 0. (And SA >= H̄ fails then.)",
        repair="eq:FH-control-discrete/leading/repaired",
    ),
)

section.repair(
    "eq:FH-control-discrete/leading/repaired",
    "For K >= H̄²S³A and SA >= H̄ the first term leads: the squares of H̄²S²A and of H̄^1.5 √K add up to at "
    "most twice that of H̄√(SAK), h = H̄.",
    says="(h**2*S**2*A)**2 + h**3*K <= 2*(h**2*S*A*K)",
    domain=("h >= 1", *_SIZES, "S*A >= h", "K >= h**2*S**3*A"),
    symbols={"h": "H̄"},
    mutant=Domain.of("h >= 1", *_SIZES, "S*A >= h", "K >= h**2*S**2*A/4"),
)

section.repair(
    "eq:FH-control-discrete/vacuous",
    "For Δ <= H S² A/K the bound is at least KH, which bounds the regret of every learner for every Δ, "
    "values being in [0,H]: what explodes is the bound and not the regret.",
    says=f"K*H <= {_BOUND}",
    domain=Domain.of("K >= 1", *_TERMS, "D*K <= H*S**2*A", integers="S A K"),
    symbols={"x": "(H/Δ)√(SAK)", "y": "(H/Δ)^1.5 √K"},
    uses="eq:FH-control2/bounds",
    mutant=f"2*K*H <= {_BOUND}",
)

section.step(
    "eq:FH-control-discrete/converges",
    "One may expect that the regret of the discretised model tends to that of the CTMDP as Δ -> 0; read "
    "with policies that choose anew at every grid point, as a learner for discrete time does: their best "
    "value tends to V*, on the paper's example to within 1/500 at Δ = 1/1000 and 1/1000 at Δ = 1/2000.",
    checks=grid_limit(COMMITTED),
    expected="refuted",
    mutant=grid_limit(ADJUSTABLE),  # true
    finding=Remark(
        "remark",
        "An expectation of the paper, with a caveat, that depends on the reading.",
        details="If the learner of the discretised model may choose anew at every grid point, its best "
        "value tends to the solution of the HJB equation (0.64485 on the paper's example) and not to V* "
        "(0.64106), however small Δ is. If the policies are those of the CTMDP and only the reward is "
        "sampled, values differ by at most λmax H Δ/2 (eq:FH-control-discrete/error) and the expectation is "
        "right.",
        repair="eq:FH-control-discrete/converges/repaired",
    ),
)

section.repair(
    "eq:FH-control-discrete/converges/repaired",
    "The best value of the discretised model, whose policies choose at every grid point (and whose states "
    "are left with probability λΔ in a step, as those of the CTMDP to first order), tends to a bounded "
    "solution of the HJB equation as Δ -> 0: with n steps, Δ = H/n, it is within e of it as soon as n >= "
    "λmax H and 2en >= λmax H². (On the paper's example it is within 1/500 at Δ = 1/1000 and within 1/1000 "
    "at Δ = 1/2000.)",
    uses="eq:hjb-pde/euler",
    theorem=refined.GRID_LIMIT,
    derivation=refined.grid_limit,
    checks=grid_limit(ADJUSTABLE),
    mutant=grid_limit(COMMITTED),
)

section.repair(
    "eq:FH-control-discrete/error",
    "The error of sampling a policy at the grid points is explicit, H a multiple of Δ: |V^π - V^π_Δ| <= λmax "
    "H Δ/2 for every policy of the CTMDP, also if only the first n sojourns count. (The paper calls it "
    "unknown in general. V^π_Δ is what V^π is with the reward at the grid points that a sojourn reaches, "
    "with probability exp(-λs) one after time s, in the place of its integral. The formula is why: within "
    "time s of a grid point the reward changes with probability 1 - exp(-ms) at most, m = λmax.)",
    says="(H/D)*(D - (1 - exp(-m*D))/m) <= m*H*D/2",
    domain=("H > 0", "D > 0", "m > 0"),
    theorem=sampling.ERROR,
    derivation=sampling.error,
    checks=(sampled_policy(), *PROOF),
    mutant=sampled_policy(Fraction(1, 10)),
)

# --- the HJB equation on a grid ---------------------------------------------------------------

section.repair(
    "eq:hjb-pde/euler-step",
    "An explicit Euler step for the HJB equation with hλ <= 1 does not spread errors: if two functions "
    "differ by at most m, here by d and, in the mean over the next state, by e, then r + (1 - hλ)v + hλΣpv "
    "differs by at most m for every action, and so do the maxima. (Likewise for the values of holding an "
    "action.)",
    elementary=True,
    says="(1 - h*l)*d + h*l*e <= m",
    domain=Domain.of("h >= 0", "l >= 0", "h*l <= 1", "d <= m", "e <= m", reals="d e m"),
    mutant=Domain.of(
        "h >= 0", "l >= 0", "h*l <= 2", "d <= m", "e <= m", reals="d e m"
    ),  # steps that are too long
)

section.repair(
    "eq:hjb-pde/euler",
    "The error of solving the HJB equation by explicit Euler steps h, λmax h <= 1, is explicit: at most "
    "λmax H h/2 for rewards in [0,1]. Steps keep order and do not spread differences "
    "(eq:hjb-pde/euler-step), so that a bounded solution, v(x,t+h) - v(x,t) = ∫F(v)ds over [t,t+h], rises "
    "by at most s within time s; one step adds at most ∫λmax s ds = λmax h²/2 over [0,h] and there are n = "
    "H/h. (The paper calls it unknown. It is an error for the solution of the HJB equation, which is not "
    "V*.)",
    says="n*(m*h**2/2) <= m*H*h/2",
    domain=Domain.of("n >= 1", "h > 0", "m > 0", "H > 0", "n*h <= H", "m*h <= 1", integers="n"),
    symbols={"m": "λmax"},
    theorem=euler.EULER,
    derivation=euler.euler,
    checks=(euler_errors(), *PROOF),
    mutant=euler_errors(Fraction(1, 2)),
)
