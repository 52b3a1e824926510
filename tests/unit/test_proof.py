"""The prover: what it must reach, with boxes and without, and how it says so."""

from __future__ import annotations

import json
from fractions import Fraction
from math import inf

import pytest
from flint import arb, ctx, fmpq
from hypothesis import given
from hypothesis import strategies as st

from verify.claims import (
    Claim,
    ClaimError,
    Domain,
    Effort,
    Relation,
    Verdict,
    decreasing,
    expression,
    increasing,
    limit,
)
from verify.provers.goals import Goal, certificate
from verify.provers.intervals import Span
from verify.provers.points import at_point, points
from verify.provers.proof import Proof, leaves, prove
from verify.provers.proof.algebra import by_range
from verify.provers.proof.boxes import BranchAndBound, exhausted
from verify.provers.proof.check import part_of
from verify.provers.proof.leaves import Work, look
from verify.provers.proof.rules import LATE
from verify.provers.proof.state import ProofSearch
from verify.provers.ranges import NoRangeError, evaluate, range_of
from verify.recheck import recheck

TRUE = [
    ("x/(1-exp(-rate*x)) <= x + 1/rate", ["x >= 0", "rate > 0"]),
    ("log(1+x) <= x", ["x > -1"]),
    ("x - 1 - log(x) >= 0", ["x > 0"]),
    ("exp(x) >= 1 + x + x**2/2", ["x >= 0"]),
    ("(1+u)*log(1+u) - u >= u**2/(2+2*u/3)", ["u >= 0"]),
    ("1 - exp(-x) <= x", ["x >= 0"]),
    ("exp(-x) >= 1 - x", ["x >= -50"]),
    ("tanh(x) <= x", ["x >= 0"]),
    ("sinh(x) >= x", ["x >= 0"]),
    ("atan(x) <= x", ["x >= 0"]),
    ("sin(x) <= x", ["0 <= x <= 3"]),
    ("exp(-a*x) - exp(-b*x) <= (b-a)*x", ["a >= 0", "b >= 0", "a <= b", "x >= 0"]),
    ("(1+x/n)**n <= exp(x)", ["x >= 0", "n >= 1"]),
    ("2*sqrt(k+1) - 2*sqrt(k) <= 1/sqrt(k)", ["k >= 1"]),
    ("p*log(p/q) + (1-p)*log((1-p)/(1-q)) >= 2*(p-q)**2", ["0 < p < 1", "0 < q < 1"]),
    ("x**4 - 4*x + 3 >= 0", ["-5 <= x <= 5"]),
    ("log(1+x) <= x - x**2/2 + x**3/3", ["x >= 0"]),
    ("log(1+1/x) >= 1/(x+1)", ["x > 0"]),
    ("exp(x) >= x**2", ["x >= 0"]),
    ("x*exp(-x) <= exp(-1)", ["x >= 0"]),
    ("x**x >= exp(-exp(-1))", ["x > 0"]),
    ("x*y <= x**3/3 + 2*y**(3/2)/3", ["x >= 0", "y >= 0"]),
    ("sqrt(x*y) <= (x+y)/2", ["x >= 0", "y >= 0"]),
    ("(1-exp(-x))/x <= 1", ["x >= 0"]),
    ("x/(exp(x)-1) >= 1 - x/2", ["x >= 0"]),
    ("log(1+x) <= x/sqrt(1+x)", ["x >= 0"]),
    ("abs(x)/(1+abs(x)) <= 1", ["-3 <= x <= 3"]),
    ("x/(1+x) < x", ["x > 0"]),
    ("exp(-x) < 1", ["x > 0"]),
    ("exp(-a*x)*(1 + a*x + a**2*x**2/2) <= 1", ["0 <= a <= 5", "0 <= x <= 5"]),
    ("Max(a, b) <= a + b", ["a >= 0", "b >= 0"]),
    ("x/(1 - exp(-x)) <= x + 1.01", ["0 <= x <= 5"]),
    ("exp(y) >= exp(x)", ["0 <= x <= 3", "0 <= y <= 3", "x <= y"]),
    ("1 - cos(x)*cos(y) >= 0", ["-1 <= x <= 1", "-1 <= y <= 1"]),
    ("log(x) < x - 1", ["1 < x <= 5"]),
    ("x*y <= 1/4", ["0 <= x <= 1", "0 <= y <= 1", "x + y == 1"]),
    ("sqrt(x + y) <= sqrt(x) + sqrt(y)", ["0 <= x <= 4", "0 <= y <= 4"]),
    ("sin(x)/x <= 1", ["0 <= x <= 3"]),
    ("exp(1000*x) >= 1 + 1000*x", ["0 <= x <= 1"]),
]


def run(says, comparisons, integers=(), check=Proof(), reals=()):  # noqa: B008 - frozen
    domain = Domain.of(*comparisons, integers=integers, reals=reals)
    formal = says(domain) if callable(says) else Relation.of(says, domain)
    return check.run(Claim("t", "t", says=formal, domain=domain), Effort())


@pytest.mark.parametrize(("text", "comparisons"), TRUE, ids=[t for t, _ in TRUE])
def test_true_inequalities_are_proved_on_the_whole_domain(text, comparisons):
    finding = run(text, comparisons, check=Proof(boxes=(0, 0)))
    assert finding.verdict is Verdict.PROVED
    certificate = finding.evidence["certificate"]
    assert set(certificate["box"]) <= set(certificate["domain"]) == set(Domain.of(*comparisons).texts())
    assert finding.evidence["derivation"][0].count("0: ") == 1
    json.dumps([finding.evidence, finding.witness])


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("text", "comparisons"),
    [
        ("(1-exp(-a*t))/a >= (1-exp(-b*t))/b", ["a > 0", "b > 0", "t >= 0", "a <= b"]),
        ("log(1+1/x) <= 1/sqrt(x*(x+1))", ["x > 0"]),
        ("cosh(x) <= exp(x**2/2)", ["x >= 0"]),
    ],
)
def test_harder_ones(text, comparisons):
    assert run(text, comparisons).verdict is Verdict.PROVED


@pytest.mark.parametrize(
    ("text", "comparisons", "verdict"),
    [
        ("2**n >= n**2", ["n >= 4"], Verdict.PROVED),
        ("2**n >= n + 1", ["n >= 0"], Verdict.PROVED),
        ("factorial(n) >= 2**n", ["4 <= n <= 6"], Verdict.PROVED),
        ("2**n >= n**2", ["n >= 1"], Verdict.REFUTED),  # 3
        ("factorial(n + 1) == (n + 1)*factorial(n)", ["n >= 0"], Verdict.PROVED),
    ],
)
def test_integer_variables(text, comparisons, verdict):
    assert run(text, comparisons, integers="n").verdict is verdict


def test_the_shape_of_a_proof():
    finding = run(*TRUE[1])
    assert finding.evidence["certificate"]["proof"] == {
        "by": "contact",
        "variable": "x",
        "at": "0",
        "order": 2,
        "proof": {"by": "range"},
    }
    assert finding.evidence["derivation"] == [
        "x - log(x + 1) >= 0: touches 0 at x = 0; its derivative of order 2",
        "  (x + 1)**(-2) >= 0: its range for -1 < x",
    ]


def test_proofs_are_the_same_every_time_and_leave_the_precision_alone():
    before = ctx.prec
    domain = Domain.of("x >= 0", "rate > 0")
    goal = Goal.of(Relation.of(TRUE[0][0], domain), domain)
    assert prove(goal) == prove(goal) is not None
    assert ctx.prec == before


def test_the_budget_counts_goals():
    domain = Domain.of("x >= 0")
    goal = Goal.of(Relation.of("exp(x) >= 1 + x + x**2/2", domain), domain)
    assert prove(goal, goals=2) is None
    assert prove(goal, depth=1) is None
    assert prove(goal, depth=2) is not None


@pytest.mark.parametrize(
    ("text", "comparisons"),
    [
        ("1 - 1.01*exp(-(x - 0.7310585)**2*1e12) >= 0", ["0 <= x <= 1"]),
        ("log(exp(-x) + exp(-2000)) >= -x", ["0 <= x <= 3000"]),
        ("x**1000000 <= x**1000001", ["0 <= x <= 2"]),
    ],
)
def test_large_exponents_do_not_keep_the_algebra_busy(text, comparisons):
    assert run(text, comparisons).verdict in (Verdict.UNDECIDED, Verdict.REFUTED)


@pytest.mark.parametrize(
    ("text", "comparisons", "verdict"),
    [
        ("(x+y)**2 == x**2 + 2*x*y + y**2", ["x <= 1", "y >= -2"], Verdict.PROVED),
        ("log(x*y) == log(x) + log(y)", ["x > 0", "y > 0"], Verdict.PROVED),
        ("tanh(x) == (exp(2*x)-1)/(exp(2*x)+1)", ["-3 <= x <= 3"], Verdict.PROVED),
        ("cosh(x)**2 - sinh(x)**2 == 1", ["x >= -9"], Verdict.PROVED),
        ("x**2 + y**2 == 1 - 2*x*y", ["0 <= x <= 1", "0 <= y <= 1", "x + y == 1"], Verdict.PROVED),
        ("(x**2-1)/(x-1) == x + 1", ["0 <= x <= 2"], Verdict.PROVED),
        ("sqrt(x**2) == x", ["-1 <= x <= 1"], Verdict.REFUTED),
        ("exp(x) == 1 + x + x**2/2", ["0 <= x <= 1/100000"], Verdict.REFUTED),
        ("log((x - y)**2) == 2*log(x - y)", ["x + 1 <= y"], Verdict.UNDECIDED),  # no real value
    ],
)
def test_identities(text, comparisons, verdict):
    finding = run(text, comparisons)
    assert finding.verdict is verdict
    assert (finding.witness is not None) == (verdict is Verdict.REFUTED)
    if verdict is Verdict.PROVED:
        assert finding.evidence["chain"][-1]["expression"] == "0"


@pytest.mark.parametrize(
    ("text", "variable", "comparisons", "verdict"),
    [
        ("-exp(-x)", "x", ["x >= 0"], Verdict.PROVED),
        ("exp(-x)", "x", ["x >= 0"], Verdict.REFUTED),
        ("x/(1-exp(-x))", "x", ["x >= 0"], Verdict.PROVED),
        ("Max(x, 1) + x**3", "x", ["-5 <= x <= 5"], Verdict.PROVED),
        ("abs(x)", "x", ["-1 <= x <= 1"], Verdict.REFUTED),
        ("abs(x) + 2*x", "x", ["-1 <= x <= 1"], Verdict.UNDECIDED),  # true, but has a kink
        ("-1/x", "x", ["-1 <= x <= 1"], Verdict.REFUTED),  # the slope is positive, but there is a pole
        ("x*(1-x)", "x", ["0 <= x <= 1"], Verdict.REFUTED),
    ],
)
def test_monotone_functions(text, variable, comparisons, verdict):
    finding = run(lambda domain: increasing(text, variable, domain), comparisons)
    assert finding.verdict is verdict
    assert (finding.witness is not None) == (verdict is Verdict.REFUTED)


def test_a_decreasing_function_of_two_variables():
    finding = run(lambda domain: decreasing("(1-exp(-a*t))/a", "a", domain), ["a > 0", "t >= 0"])
    assert finding.verdict is Verdict.PROVED
    assert finding.evidence["certificate"]["proof"]["by"] == "multiply"


@pytest.mark.parametrize(
    ("text", "variable", "towards", "value", "comparisons", "verdict"),
    [
        ("x/(1-exp(-x))", "x", "0", "1", ["x >= 0"], Verdict.PROVED),
        ("x/(1-exp(-x))", "x", "0", "2", ["x >= 0"], Verdict.REFUTED),
        ("(1-exp(-a*t))/a", "a", "0", "t", ["a > 0", "t >= 0"], Verdict.PROVED),
        ("(1+x/n)**n", "n", "oo", "exp(x)", ["n >= 1", "x >= 0"], Verdict.PROVED),
        ("x**5*exp(-x)", "x", "oo", "0", ["x >= 0"], Verdict.PROVED),
        ("exp(-x)", "x", "oo", "1/1000", ["x >= 0"], Verdict.REFUTED),
        ("log(1+x)/x", "x", "0", "101/100", ["x > 0"], Verdict.REFUTED),
        ("x**2", "x", "1", "1", ["0 <= x <= 1"], Verdict.PROVED),
        ("1/x", "x", "0", "5", ["x > 0"], Verdict.REFUTED),
        ("sin(1/x)", "x", "0", "0", ["x > 0"], Verdict.UNDECIDED),
    ],
)
def test_limits(text, variable, towards, value, comparisons, verdict):
    finding = run(lambda domain: limit(text, variable, towards, value, domain), comparisons)
    assert finding.verdict is verdict
    json.dumps([finding.evidence, finding.witness])
    if verdict is Verdict.REFUTED:
        assert finding.witness["certificate"]["proof"]


# With boxes.

ON_BOXES = [
    ("log(1 + x) <= x - x**2/2 + x**3/3", ["0.01 <= x <= 3"]),
    ("exp(-a*x)*(1 + a*x + a**2*x**2/2) <= 1", ["0 <= a <= 5", "0 <= x <= 5"]),
    ("x/(1 - exp(-x)) <= x + 1.01", ["0 <= x <= 5"]),
    ("exp(y) >= exp(x) - 2", ["0 <= x <= 3", "0 <= y <= 3", "x <= y"]),
    ("1 - cos(x)*cos(y) >= 0", ["-1 <= x <= 1", "-1 <= y <= 1"]),
    ("x**x >= 0.69", ["0 < x <= 1"]),
    ("log(x) < x - 1", ["1 < x <= 5"]),
    ("x + 1/x >= 1.9", ["x >= 1/2"]),
]


def goal_of(text, *comparisons):
    area = Domain.of(*comparisons)
    return Goal.of(Relation.of(text, area), area)


def on_boxes(goal, boxes=600):
    """A proof by the late rules alone, or None."""
    search = ProofSearch((by_range, *LATE), 300, 400, Work(boxes))
    node = next((n for depth in range(3) if (n := search.prove(goal, depth)) is not None), None)
    return exhausted(search, goal, boxes) if node is None and goal.bounded else node


@pytest.mark.parametrize(("text", "comparisons"), ON_BOXES, ids=[t for t, _ in ON_BOXES])
def test_branch_and_bound_alone_proves_them_too_and_the_proofs_recheck(text, comparisons):
    goal = goal_of(text, *comparisons)
    area = Domain.of(*comparisons)
    proof = on_boxes(goal)
    assert proof is not None
    assert recheck(certificate("t", Relation.of(text, area), area, area.ranges, proof)) == []


WAVE = ("x*(1 - log(x)) + sin(3*x)/10 <= 1 + 1/10", ["1/100 <= x <= 2"])


def test_what_needs_boxes_is_proved_with_them_only():
    assert run(*WAVE, check=Proof(boxes=(0, 0))).verdict is Verdict.UNDECIDED
    finding = run(*WAVE)
    assert finding.verdict is Verdict.PROVED
    assert finding.evidence["boxes"] == 13
    assert finding.evidence["derivation"][-1] == (
        "  10*x*log(x) - 10*x - sin(3*x) + 11 >= 0: on 7 boxes, 2 by range, 1 by taylor 1, 4 by taylor 2"
    )
    assert recheck(finding.evidence["certificate"]) == []


def test_integers_are_enumerated_and_their_tail_is_proved():
    tree = run("(n - 3)*(n - 4) >= 0", ["n >= 0"], "n").evidence["certificate"]["proof"]
    assert tree["by"] == "cases"
    assert tree["tail"] is not None
    every = run("n**2 - 7*n + 12 >= 0", ["0 <= n < 9"], "n")  # negative between 3 and 4
    assert every.verdict is Verdict.PROVED
    assert run("1 - (1 - x)**n <= n*x", ["0 <= x <= 1", "n >= 1"], "n").verdict is Verdict.PROVED


def test_second_order_needs_few_boxes_and_order_zero_many(monkeypatch):
    goal = goal_of("log(1 + x) <= x - x**2/2 + x**3/3", "0.01 <= x <= 3")
    counts = {}
    for orders in ((0,), (0, 1), (0, 1, 2)):
        monkeypatch.setattr(leaves, "ORDERS", orders)
        work = Work(3000)
        assert (BranchAndBound(goal, work, 3000).run() is None) == (orders == (0,))
        counts[orders] = work.boxes
    assert counts[(0, 1, 2)] < 150 < counts[(0, 1)] < 1000 < counts[(0,)]


def test_a_part_of_the_domain_is_named_in_the_verdict():
    finding = run("exp(x)*(1 - x) <= 1", [], reals="x", check=Proof(on=("-3 <= x", "x <= 2")))
    assert finding.verdict is Verdict.PROVED_ON_BOX
    assert finding.evidence["box"] == ["-3 <= x <= 2"]
    assert finding.evidence["certificate"]["box"] == ["-3 <= x <= 2"]
    assert recheck(finding.evidence["certificate"]) == []


@pytest.mark.parametrize("on", ["y <= 1", "x <= -1", "x <= x**2"])
def test_a_box_that_is_not_one_is_an_error_of_one_line(on):
    with pytest.raises(ClaimError, match=r"^(box|domain)") as error:
        part_of(Domain.of("x >= 0"), (on,))
    assert "\n" not in str(error.value)


def test_undecided_shows_the_box_that_is_left():
    """At the kink, where x = exp(-x) = 0.5671432904097838..., only 10^-15 is left."""
    claim = ("Max(x, exp(-x)) >= 0.567143290409782", ["0 <= x <= 1"])
    finding = run(*claim, check=Proof(boxes=(90, 90), goals=1))
    assert finding.verdict is Verdict.UNDECIDED
    assert finding.evidence["boxes"] <= 90
    (worst,) = finding.evidence["worst"]
    low, high = Fraction(worst.split()[0]), Fraction(worst.split()[-1])
    assert low < Fraction("0.5671432904097838") < high < low + Fraction(1, 100)


def test_the_same_claim_gives_the_same_finding():
    assert run(*WAVE) == run(*WAVE)


@given(
    low=st.fractions(min_value=-3, max_value=3, max_denominator=50),
    width=st.fractions(min_value=0, max_value=2, max_denominator=50),
    bound=st.fractions(min_value=-3, max_value=12, max_denominator=50),
)
def test_a_closed_box_has_no_counterexample_on_a_grid(low, width, bound):
    goal = goal_of(f"x**2 - x*sin(x) >= {bound} - 3", f"{low} <= x <= {low + width}")
    node = look(goal).node
    for k in range(9):
        point = range_of(
            goal.expression, {"x": goal.ranges["x"].narrowed("==", low + width * Fraction(k, 8))}
        )
        assert point is not None
        if node is not None:
            assert point.high >= 0


def test_degenerate_ranges_are_points():
    assert run("x*y <= 2", ["1 <= x <= 1", "0 <= y <= 2"]).verdict is Verdict.PROVED
    assert run("exp(x) <= 2.718", ["1 <= x <= 1"]).verdict is Verdict.REFUTED


BOX = Domain.of("x >= 0", "rate > 0", "0 < p < 1", "0 < q < 1", "-1 <= y <= 1")
ENDS = [
    ("exp(-1/x)", (0, 1, False, True)),  # at 0 it is 0, as a limit
    ("exp(-1/rate)", (0, 1, True, True)),
    ("1/(1+x)", (0, 1, True, False)),
    ("(p-q)**2", (0, 1, False, True)),
    ("1/x", (0, inf, True, False)),
    ("1/y", (-inf, inf, False, False)),
    ("x/(1-exp(-rate*x))", (0, inf, False, False)),
    ("x*p", (0, inf, False, True)),
    ("1 - tanh(x)", (0, 1, True, False)),
    ("Max(x, 1)*Min(p, q)", (0, inf, True, True)),
    ("abs(y)", (0, 1, False, False)),
    ("2**(-x)", (0, 1, True, False)),
]


@pytest.mark.parametrize(("text", "ends"), ENDS, ids=[t for t, _ in ENDS])
def test_ranges_with_their_open_and_closed_ends(text, ends):
    box = {name: Span.of(r) for name, r in BOX.ranges.items()}
    assert evaluate(expression(text, BOX.symbols), box) == Span(*ends)


def contains_its_values(text) -> bool:
    """Whether the range of an expression contains its values at exact points of the box."""
    e = expression(text, BOX.symbols)
    interval = evaluate(e, {name: Span.of(r) for name, r in BOX.ranges.items()})
    values = [v for point in points(dict(BOX.ranges), ()) if (v := at_point(e, point)) is not None]
    assert len(values) > 10
    low = interval.low == -inf or not any(v < bound(interval.low) for v in values)
    return low and (interval.high == inf or not any(v > bound(interval.high) for v in values))


def bound(end):
    end = Fraction(end)
    return arb(fmpq(end.numerator, end.denominator))


VALUES = [
    "sin(y)+cos(3*y)*p",
    "log(1+x)/rate",
    "(y-p)**3",
    "x**p/(1+x)",
    "atan(x*y)",
    "erf(y)-sinh(y)",
    "y**2*p-q",
]


@pytest.mark.parametrize("text", VALUES)
def test_ranges_contain_the_values(text):
    assert contains_its_values(text)


def test_a_range_that_forgets_a_sign_is_caught(monkeypatch):
    multiplied = Span.__mul__
    monkeypatch.setattr(Span, "__mul__", lambda a, b: multiplied(a, b).magnitude())
    assert not all(contains_its_values(text) for text in VALUES)


def test_what_may_not_be_real_is_unknown():
    box = {name: Span.of(r) for name, r in BOX.ranges.items()}
    for text in ("log(y)", "sqrt(y)", "y**x"):
        with pytest.raises(NoRangeError):
            evaluate(expression(text, BOX.symbols), box)


def test_poles_and_kinks_are_seen():
    box = {name: Span.of(r) for name, r in BOX.ranges.items()}
    for text in ("1/y", "abs(y)", "sqrt(x)", "Max(x, p)", "log(x)"):
        with pytest.raises(NoRangeError):
            evaluate(expression(text, BOX.symbols), box, smooth=True)
    evaluate(expression("sqrt(rate)/p + log(q)", BOX.symbols), box, smooth=True)


@pytest.mark.parametrize(
    ("says", "domain"),
    [
        ("y - x <= L*s", ["L >= 0", "s >= 0", "v - x <= L*s", "y - w <= L*s", "w <= v"]),
        ("a + b + c <= 1", ["a >= 0", "b >= 0", "c >= 0", "a + b <= 1", "b + c <= 1", "a + c <= 1"]),
    ],
)
def test_what_fails_under_many_hypotheses_is_refuted_before_it_is_tried(says, domain, monkeypatch):
    monkeypatch.setattr("verify.provers.proof.check.prove", lambda *args: pytest.fail("no proof is tried"))
    where = Domain.of(*domain)
    found = Proof().run(Claim("a", "words", says=Relation.of(says, where), domain=where), Effort())
    assert found.verdict == Verdict.REFUTED
