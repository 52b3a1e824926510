"""The prover must never prove a false claim, whatever the computer algebra answers.

False claims are planted; then one guard at a time is removed, and a planted claim *is* proved: every guard is
there for a reason, and the list would notice.
"""

from __future__ import annotations

from fractions import Fraction

import pytest
import sympy

from tests.unit.test_proof import TRUE, goal_of, on_boxes
from verify.claims import Claim, Domain, Effort, Range, Relation, Verdict
from verify.provers.goals import Goal
from verify.provers.intervals import Span
from verify.provers.proof import Proof, algebra, bernstein, boxes, calculus, leaves, prove, state
from verify.provers.proof.check import vacuous

FALSE = [
    ("x**3*exp(-x/100) <= 10**6", ["x >= 0"]),  # only around 300
    ("log(x) <= 21", ["x >= 1"]),  # only near infinity
    ("x**2*y**2 <= 10**12", ["x >= 0", "y >= 0"]),
    ("tanh(x) <= 1 - 10**-9", ["x >= 0"]),
    ("(x-1/3)**2 >= 10**-14", ["0 <= x <= 1"]),  # only on a millionth of a millionth
    ("x*log(x) >= -0.3678", ["x > 0"]),
    ("gamma(x) >= 0.8857", ["x > 0"]),
    ("sqrt(x) <= 10**4*x", ["x >= 0"]),  # only next to 0
    ("exp(x) >= 1 + x + x**2/2", ["x >= -1/1000000"]),
    ("x**2 >= x", ["x >= 1 - 1/10**7"]),
    ("x < 1", ["0 <= x <= 1"]),  # only at an end
    ("exp(-x) < 1", ["x >= 0"]),
    ("x/(1-exp(-x)) > 1", ["x >= 0"]),
    ("exp(-1/x) > 0", ["x >= 0"]),  # where it is a limit
    ("abs(x) > 0", ["-1 <= x <= 1"]),
    ("-1/x >= -1", ["-1 <= x <= 3"]),  # across a pole
    ("1/(x-1)**2 - 2*x >= 0", ["0 <= x <= 9"]),
    ("(1+x/n)**n <= exp(x)*(1-1/10**9)", ["x >= 0", "n >= 1"]),
    ("a <= b/2", ["a >= 0", "b >= 0", "a <= b"]),
    ("b - a >= 1/10**6", ["0 <= a <= 1", "0 <= b <= 1", "a <= b"]),
    # The domain is one point, or a line, where the claim is a limit.
    ("x/(1-exp(-x)) >= 2", ["0 <= x <= 0"]),
    ("(exp(x)-exp(y))/(x-y) >= 5", ["0 <= x <= 1", "0 <= y <= 1", "x <= y", "y <= x"]),
    ("cos(x) >= 1 - x**2/2.01", ["0 <= x <= 3"]),
    ("1/x >= 0", ["-1 <= x <= 1"]),
    ("x*(1 - x) > 0", ["0 <= x <= 1"]),
    ("(x - 1/3)**2 >= 1e-13", ["0 <= x <= 1"]),
    ("abs(x - 0.3141592) >= 1e-6", ["0 <= x <= 1"]),
    ("x**2 <= x", ["0 <= x <= 1.000001"]),
    ("exp(x) >= 1 + x + x**2*0.505", ["0 <= x <= 1"]),
    ("exp(x) >= 1 + x + x**2*(1/2 + 1e-9)", ["0 <= x <= 1"]),
    ("log(x) < x - 1", ["0 < x <= 5"]),
    ("x/(exp(x) - 1) < 1", ["0 <= x <= 1"]),
    ("x**2 + y**2 - 2*x*y + 1e-9*(x - y) >= 0", ["0 <= x <= 1", "0 <= y <= 1"]),
    ("Max(x, 1 - x) > 1/2", ["0 <= x <= 1"]),
    ("x <= y", ["0 <= x <= 1", "0 <= y <= 1"]),
    ("sqrt(x) >= x", ["0 <= x <= 1.0001"]),
    ("exp(-x) > 0.0000453999298", ["0 <= x <= 10"]),
    ("x*log(x) >= -0.3678", ["0 < x <= 1"]),
    ("p*log(p/q) + (1 - p)*log((1 - p)/(1 - q)) >= 2.02*(p - q)**2", ["0 < p < 1", "0 < q < 1"]),
]

UNSEEN = {  # false only as a limit, or far from the points that are tried
    "x**3*exp(-x/100) <= 10**6",
    "log(x) <= 21",
    "x**2*y**2 <= 10**12",
    "x/(1-exp(-x)) > 1",
    "exp(-1/x) > 0",
    "x/(1-exp(-x)) >= 2",
    "(exp(x)-exp(y))/(x-y) >= 5",
    "x/(exp(x) - 1) < 1",
}


def proof_of(text, comparisons, change=lambda relation: relation):
    domain = Domain.of(*comparisons)
    return prove(Goal.of(change(Relation.of(text, domain)), domain))


def found(text, comparisons, integers=""):
    domain = Domain.of(*comparisons, integers=integers)
    claim = Claim("t", "t", says=Relation.of(text, domain), domain=domain)
    return Proof(boxes=(600, 600)).run(claim, Effort())


SLOW = {"p*log(p/q) + (1 - p)*log((1 - p)/(1 - q)) >= 2.02*(p - q)**2"}  # a quarter of a minute
PARAMETERS = [
    pytest.param(t, c, id=" on ".join([t, *c]), marks=[pytest.mark.thorough] if t in SLOW else [])
    for t, c in FALSE
]


@pytest.mark.parametrize(("text", "comparisons"), PARAMETERS)
def test_false_claims_are_refuted_and_never_proved(text, comparisons):
    finding = found(text, comparisons)
    assert finding.verdict in ({Verdict.REFUTED, Verdict.UNDECIDED} if text in UNSEEN else {Verdict.REFUTED})
    assert (finding.witness is not None) == (finding.verdict is Verdict.REFUTED)
    assert proof_of(text, comparisons) is None
    assert on_boxes(goal_of(text, *comparisons)) is None


@pytest.mark.parametrize(
    ("text", "comparison", "integers"),
    [("(n - 17)**2 > 0", "0 <= n <= 40", {"17"}), ("n**2 - 7*n + 11.99 >= 0", "n >= 0", {"3", "4"})],
)
def test_a_single_integer_refutes(text, comparison, integers):
    finding = found(text, [comparison], "n")
    assert finding.verdict is Verdict.REFUTED
    assert finding.witness["point"]["n"] in integers


def test_contradictory_hypotheses_prove_nothing():
    finding = found("x + y >= 10", ["0 <= x <= 1", "0 <= y <= 1", "x >= y + 2"])
    assert finding.verdict is Verdict.UNDECIDED
    assert "hypotheses" in finding.evidence["why"]


def test_a_hypothesis_is_not_used_along_a_line_that_leaves_it():
    # True at 0, rising where the hypothesis holds, falling in the gap between.
    gap = "(x - 1/4)*(x - 3/4) >= 0"
    finding = found("(x - 1/4)*(x - 3/4)*2 - x + 1/2 >= 0", ["0 <= x <= 1", gap])
    assert finding.verdict is Verdict.REFUTED


@pytest.mark.parametrize(("text", "comparisons"), TRUE, ids=[t for t, _ in TRUE])
def test_a_reversed_inequality_is_never_proved(text, comparisons):
    assert proof_of(text, comparisons, lambda r: Relation(r.right, "<", r.left)) is None


# Tight somewhere with both sides positive, so that one percent less is false.
TIGHT = [
    case for case in TRUE if case[0].startswith(("x/(1-exp", "1 - exp", "(1+x/n)", "x*exp", "x**x", "tanh"))
]


@pytest.mark.parametrize(("text", "comparisons"), TIGHT, ids=[t for t, _ in TIGHT])
def test_a_constant_one_percent_too_small_is_never_proved(text, comparisons):
    assert len(TIGHT) == 6
    assert proof_of(text, comparisons, lambda r: Relation(r.left, r.relation, r.right * 99 / 100)) is None


def test_without_the_look_for_poles_a_false_claim_would_be_proved(monkeypatch):
    """-1/x has a positive slope on both sides of its pole and is positive on the left."""
    false = ("1/2 - 1/x >= 0", ["-1 <= x <= 3"])
    assert proof_of(*false) is None
    monkeypatch.setattr(state.ProofSearch, "plausible", lambda self, goal: True)
    assert proof_of(*false) is None  # the pole is seen, even if no point is tried
    monkeypatch.setattr(calculus, "smooth", lambda *a, **k: True)
    assert proof_of(*false) is not None


def test_a_lonely_pole_proves_nothing(monkeypatch):
    """Cleared of its denominator, x/(1 - exp(-x)) - 2 is 0 at x = 0; nothing next to it is in the box."""
    domain = Domain.of("x >= 0")
    goal = Goal.of(Relation.of("x/(1-exp(-x)) >= 2", domain), domain)
    false = goal.on("x", Range(Fraction(0), Fraction(0), False, False))
    assert prove(false) is None
    for guard in ("agree", "plausible"):
        monkeypatch.setattr(state.ProofSearch, guard, lambda *a: True)
        assert prove(false) is None


def test_without_closed_infinities_a_false_claim_would_be_proved(monkeypatch):
    """exp(-1/x) is 0 at x = 0, as a limit."""
    false = ("exp(-1/x) > 0", ["x >= 0"])
    assert proof_of(*false) is None
    inverse = Span.inverse

    def forgetful(self):
        i = inverse(self)
        return Span(i.low, i.high, i.low_open, True)

    monkeypatch.setattr(Span, "inverse", forgetful)
    assert proof_of(*false) is not None


def test_hypotheses_are_left_behind_where_they_may_fail_on_the_way(monkeypatch):
    """Up from b <= a to b = 1 the difference first shrinks to 0: b <= a says nothing about the way."""
    false = ("(b-a)**2 >= 1/8", ["0 <= a <= 1/2", "0 <= b <= 1", "b <= a"])
    monkeypatch.setattr(state.ProofSearch, "plausible", lambda self, goal: True)
    monkeypatch.setattr(bernstein, "_fails", lambda *_: False)  # would notice, too
    assert proof_of(*false) is None
    monkeypatch.setattr(Goal, "leaving", lambda goal, name: goal)
    assert proof_of(*false) is not None


@pytest.mark.parametrize("blind", [False, True])
def test_a_wrong_factorisation_is_dropped(monkeypatch, blind):
    """Factored into squares, anything would be positive."""
    false = ("x - 1/2 + 1/x >= 3/2 + 1/1000", ["1/2 <= x <= 2"])
    real = sympy.factor
    monkeypatch.setattr(
        sympy, "factor", lambda e, *a, **k: sympy.Symbol("x", positive=True) ** 2 * real(e) ** 2
    )
    monkeypatch.setattr(state.ProofSearch, "plausible", lambda self, goal: True)
    algebra._factorisations.cache_clear()
    if blind:
        monkeypatch.setattr(state.ProofSearch, "agree", lambda *a: True)
    try:
        assert (proof_of(*false) is not None) == blind
    finally:
        algebra._factorisations.cache_clear()


@pytest.mark.parametrize("blind", [False, True])
def test_a_wrong_limit_is_dropped(monkeypatch, blind):
    """1/x - 1/100 is positive next to 0 only; it falls to -1/100, not to 0."""
    false = ("1/x >= 1/100", ["x >= 1"])
    monkeypatch.setattr(sympy, "limit", lambda *a: sympy.Integer(0))
    monkeypatch.setattr(state.ProofSearch, "plausible", lambda self, goal: True)
    if blind:
        monkeypatch.setattr(state, "approaches", lambda *a: True)
    assert (proof_of(*false) is not None) == blind


@pytest.mark.parametrize("blind", [False, True])
def test_a_wrong_derivative_is_dropped(monkeypatch, blind):
    """exp(-x) falls below 1/2; with a slope of the wrong sign it would seem to rise."""
    false = ("exp(-x) >= 1/2", ["0 <= x <= 1"])
    real = sympy.diff
    monkeypatch.setattr(sympy, "diff", lambda *a: -real(*a))
    monkeypatch.setattr(state.ProofSearch, "plausible", lambda self, goal: True)
    if blind:
        monkeypatch.setattr(state, "slope_at", lambda *a: None)
    assert (proof_of(*false) is not None) == blind


def test_a_goal_that_fails_at_a_point_is_dropped_even_if_its_range_is_wrong(monkeypatch):
    false = ("x - 1/2 >= 0", ["0 <= x <= 1"])
    monkeypatch.setattr(Span, "positive", lambda self, strict: True)
    assert proof_of(*false) is None
    monkeypatch.setattr(state.ProofSearch, "plausible", lambda self, goal: True)
    assert proof_of(*false) is not None


def test_a_wrong_simplification_does_not_prove_an_identity(monkeypatch):
    domain = Domain.of("x > 0")
    claim = Claim("t", "t", says=Relation.of("log(1 + x) == x/(1 + x/2)", domain), domain=domain)
    monkeypatch.setattr(sympy, "simplify", lambda e: sympy.Integer(0))
    assert Proof(boxes=(600, 600)).run(claim, Effort()).verdict is Verdict.REFUTED
    monkeypatch.setattr("verify.provers.witness.confirmed", lambda *a: None)
    assert Proof(boxes=(600, 600)).run(claim, Effort()).verdict is Verdict.UNDECIDED


# One guard less each, of the rules for boxes: the planted claim goes through.

MUTANTS = [
    ("smoothness is taken for granted", calculus, "smooth", lambda *a, **k: True,
     ("1/x >= -10**9", ["-1 <= x <= 1"])),
    ("a ball that is not finite counts", leaves, "shows", lambda value, *, strict: not value < 0,
     ("log(x) >= -5", ["0 <= x <= 1"])),
    ("an open end counts for a strict goal at a closed one", Span, "positive",
     lambda self, *, strict: self.low >= 0, ("x > 0", ["0 <= x <= 1"])),
    ("a contact is used for strict goals", calculus.Contact, "sign",
     lambda contact, goal: 1 if contact.order % 2 == 0 else 0, ("log(x) < x - 1", ["1/2 <= x <= 5"])),
    ("second derivatives are not looked at", boxes, "_positive_definite", lambda rows, goal: True,
     ("x**2 + y**2 - 3*x*y + 100*(x**2 + y**2)**2 >= 0", ["-1 <= x <= 1", "-1 <= y <= 1"])),
    ("a hypothesis is called impossible", leaves, "closed", lambda goal: {"by": "range"},
     ("x + y <= 1/2", ["0 <= x <= 1", "0 <= y <= 1", "x <= y"])),
]  # fmt: skip


@pytest.mark.parametrize(
    ("reason", "place", "name", "wrong", "planted"), MUTANTS, ids=[m[0] for m in MUTANTS]
)
def test_without_its_guard_branch_and_bound_would_be_wrong(reason, place, name, wrong, planted, monkeypatch):
    text, comparisons = planted
    monkeypatch.setattr(state.ProofSearch, "plausible", lambda self, goal: True)
    assert on_boxes(goal_of(text, *comparisons)) is None, "the planted claim must be false"
    monkeypatch.setattr(place, name, wrong)
    assert on_boxes(goal_of(text, *comparisons)) is not None, reason


def test_without_its_cases_an_integer_would_be_left_out(monkeypatch):
    domain = Domain.of("n >= 0", integers="n")
    goal = Goal.of(Relation.of("(n - 3)**2 >= 1", domain), domain)
    assert prove(goal) is None
    monkeypatch.setattr(Goal, "put", lambda self, name, value: goal.about(sympy.Integer(1)))
    assert prove(goal) is not None


def test_without_the_sign_of_a_factor_a_false_claim_would_be_proved(monkeypatch):
    false = ("(x - 1/10000)*exp(x) >= 0", ["0 <= x <= 1"])
    monkeypatch.setattr(state.ProofSearch, "plausible", lambda self, goal: True)
    assert proof_of(*false) is None
    monkeypatch.setattr(algebra, "range_of", lambda e, ranges: Span(Fraction(1), Fraction(1)))
    assert proof_of(*false) is not None


def test_a_proof_with_one_real_leaf_is_not_vacuous():
    empty = {"by": "empty", "hypothesis": 0, "proof": {"by": "range"}}
    assert vacuous({"by": "split", "variable": "x", "at": "1", "parts": [empty, empty]})
    assert not vacuous({"by": "split", "variable": "x", "at": "1", "parts": [empty, {"by": "range"}]})
