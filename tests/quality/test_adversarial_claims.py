"""Claims, certificates and inputs written to break the engine.

``FALSE`` holds false claims that a prover of inequalities, monotonicities or limits could be led to accept:
none may be called proved.  The other tests are defects that were found that way; one that is not mended yet
is marked as an expected failure, strictly, so that mending it shows.
"""

from __future__ import annotations

import subprocess
import sys
from typing import Any, NamedTuple

import pytest
import sympy

from tests.written_documents import by_certificates, document, rises, row
from verify import Proof, claim
from verify.claims import Claim, ClaimError, Domain, Effort, Finding, Verdict, decreasing, increasing, limit
from verify.recheck import recheck
from verify.running.cache import Cache
from verify.running.engine import run_claim
from verify.running.loading import Source
from verify.running.runs import run_claims

PROOFS = (Verdict.PROVED, Verdict.PROVED_ON_BOX)


class Trap(NamedTuple):
    says: str
    domain: tuple[str, ...]
    integers: str = ""
    kind: str = "relation"  # or increasing, decreasing (in x), limit (of x)
    limit: tuple[str, str] = ("", "")  # towards, value

    def claim(self) -> Claim:
        area = Domain.of(*self.domain, integers=self.integers, reals="" if self.domain else "x y")
        says: Any = self.says
        if self.kind in ("increasing", "decreasing"):
            says = (increasing if self.kind == "increasing" else decreasing)(self.says, "x", area)
        elif self.kind == "limit":
            says = limit(self.says, "x", *self.limit, area)
        return claim("trap", "false", says=says, domain=area)


def down(says: str, *domain: str) -> Trap:
    return Trap(says, domain, kind="decreasing")


def up(says: str, *domain: str) -> Trap:
    return Trap(says, domain, kind="increasing")


def tends(says: str, towards: str, value: str, *domain: str) -> Trap:
    return Trap(says, domain, kind="limit", limit=(towards, value))


UNIT = "-1 <= x <= 1"
FALSE = [
    # a slope of one sign on both sides of a jump or a pole
    down("atan(1/x)", UNIT),
    down("1/x", UNIT),
    up("-1/x", UNIT),
    down("tanh(1/x)", UNIT),
    up("exp(-1/x)", UNIT),
    down("1/(x**2 - 2)", "0 <= x <= 3/2"),
    down("atan(1/(exp(x) - 2))", "0 <= x <= 1"),
    up("atan(sin(x)/cos(x))", "0 <= x <= 3"),
    down("Max(1/x, -1)", UNIT),
    down("atan(1/(x - y))", "0 <= x <= 1", "0 <= y <= 1"),
    # kinks, and a slope that is negative on a tiny part
    up("Max(x, 0) - 2*Max(x - 1, 0)", "0 <= x <= 3"),
    up("Min(x, 2 - x)", "0 <= x <= 1.01"),
    up("x**3 - 1e-9*x", UNIT),
    up("x*y", "0 <= x <= 1", "-1/1000 <= y <= 1"),
    # equality at a removable singularity, at an end, at an irrational point
    Trap("sin(x)/x < 1", (UNIT,)),
    Trap("(exp(x) - 1)/x > 1", ("0 <= x <= 1",)),
    Trap("x**2/x > 0", ("0 <= x <= 1",)),
    Trap("x/(1 - exp(-x)) > 1", ("x >= 0",)),
    Trap("(x**2 - 2)**2 > 0", ("0 <= x <= 2",)),
    Trap("(x**3 - x - 1)**2 > 0", ("1 <= x <= 2",)),
    Trap("x - 1 - log(x) > 0", ("x > 0",)),
    Trap("x**2 + y**2 - 2*x*y > 0", ()),
    # the supremum is at infinity
    Trap("tanh(x) < 1 - 1e-30", ("x >= 0",)),
    Trap("1/x > 1e-40", ("x > 0",)),
    Trap("log(log(x)) <= 5", ("x >= 3",)),
    # hypotheses that hold on a line or at a point
    Trap("x >= 1", ("x >= 0", "x*x == x")),
    Trap("x < 0", ("x**2 <= 0", "x <= 1")),
    Trap("x**2 >= 1", ("-2 <= x <= 2", "0 <= y <= 1", "Abs(x)*y >= y")),
    Trap("x > y", ("x >= y",)),
    # integers
    Trap("n**2 > n", ("n >= 1",), "n"),
    Trap("2**n > n**2", ("n >= 4",), "n"),
    Trap("(n - 1000)**2 > 0", ("n >= 0",), "n"),
    Trap("(n - m)**2 >= 1", ("n >= 0", "m >= 0"), "n m"),
    # identities of positive numbers only, or off by very little
    Trap("log(x**2) == 2*log(x)", (UNIT,)),
    Trap("Abs(x - 10**6) == 10**6 - x", ("x >= 0",)),
    Trap("x + 1e-300 == x", ("x >= 0",)),
    Trap("0**x == 0", ("x >= 0",)),
    # limits
    tends("sin(1/x)", "0", "0", "0 < x <= 1"),
    tends("a*x/(a*x + 1)", "oo", "1", "x >= 0", "a >= 0"),
    tends("x**a", "0", "0", "0 <= x <= 1", "a >= 0"),
    tends("sqrt(x**2)/x", "0", "1", "-1 <= x < 0"),
    tends("1/log(log(x))", "oo", "1/8", "x >= 10"),
]


@pytest.mark.parametrize("trap", FALSE, ids=lambda t: f"{t.kind} {t.says}")
def test_a_trap_is_not_proved(trap: Trap):
    assert Proof(depth=4, goals=20, boxes=(150, 150)).run(trap.claim(), Effort()).verdict not in PROOFS


# ---------------------------------------------------------------- false claims that are proved


def test_spaces_before_a_formula_do_not_change_its_decimals():
    area = Domain.of("x >= 0.12")
    assert claim("t", "t", says="  0.125 <= x", domain=area).says.left == sympy.Rational(1, 8)
    assert Domain.of("  x <= 0.125").texts() == ["x <= 1/8"]


@pytest.mark.parametrize(
    "trap",
    [
        tends("(a - 1)**2*x/((a - 1)**2*x + 1)", "oo", "1", "x >= 0", "a > 0"),
        tends("(a**2 - 2)**2*x/((a**2 - 2)**2*x + 1)", "oo", "1", "x >= 0", "a > 0"),
        tends("(exp(a) - 2)**2/((exp(a) - 2)**2 + x)", "0", "1", "0 < x <= 1", "0 < a <= 2"),
        tends("sqrt(x)", "0", "0", "-1 <= x <= 0"),  # defined nowhere on the way
    ],
    ids=lambda t: t.says,
)
def test_a_limit_that_fails_at_one_parameter_is_not_proved(trap: Trap):
    assert run_claim(trap.claim(), Effort()).verdict not in PROOFS


@pytest.mark.parametrize(
    "trap",
    [Trap("sqrt(y) == x", ("y == x**2",)), Trap("x == sqrt(y)", ("x**2 == y",))],
    ids=lambda t: t.domain[0],
)
def test_an_identity_on_one_branch_of_an_equation_is_not_proved(trap: Trap):
    assert Proof().run(trap.claim(), Effort()).verdict not in PROOFS


# ---------------------------------------------------------------- claims about nothing


@pytest.mark.parametrize(
    "trap",
    [
        Trap("n <= -5", ("0 < n < 1",), "n"),
        Trap("x <= -5", ("x >= 1", "x**2 <= 0")),
        Trap("x <= -5", ("x >= 0", "1 <= 0")),
    ],
    ids=lambda t: " and ".join(t.domain),
)
def test_a_claim_about_nothing_is_not_called_proved(trap: Trap):
    try:
        of = trap.claim()
    except ClaimError:
        return  # better still
    assert Proof().run(of, Effort()).verdict not in PROOFS


# ---------------------------------------------------------------- the checker


def certificate(
    relation: str, domain: list[str], proof: Any, integers: tuple[str, ...] = ()
) -> dict[str, Any]:
    return {
        "format": "ctucbvi-proof-1",
        "label": "t",
        "relation": relation,
        "domain": domain,
        "integers": list(integers),
        "box": domain,
        "proof": proof,
    }


RANGE = {"by": "range"}


def shown(says: Any, domain: list[str], *certificates: Any) -> list[str]:
    """The complaints about a claim that is called proved by these certificates."""
    more = {"point": {"x": "0"}, "proof": by_certificates(*certificates)}
    return recheck(document(row(says, domain, label="t", **more)))


@pytest.mark.parametrize("power", ["0**x", "0**(x*x)"])
@pytest.mark.parametrize("integers", [(), ("x",)])
def test_the_checker_knows_that_zero_to_the_zero_is_one_in_an_identity(power, integers):
    assert recheck(certificate(f"{power} == 0", ["0 <= x"], {"chain": []}, integers))


def test_the_checker_reads_every_certificate_of_a_list():
    wrong = certificate("x <= 0", ["0 <= x"], RANGE)
    assert recheck(wrong)
    assert shown(rises("-x"), ["0 <= x"], wrong)


def test_a_certificate_for_something_else_proves_no_monotone_claim():
    assert shown(rises("-x"), ["0 <= x"], certificate("0 <= 1", ["0 <= x"], RANGE))


def test_a_certificate_for_something_else_proves_no_claim_with_the_sign_turned():
    assert shown("x > 1", ["0 <= x"], certificate("0 <= 1", ["0 <= x"], RANGE))


def test_a_verdict_inside_the_evidence_does_not_excuse_a_smaller_box():
    part = {**certificate("x <= 0", ["0 <= x"], RANGE), "box": ["0 <= x <= 0"]}
    told = {"point": {"x": "0"}, "proof": by_certificates(part), "evidence": {"verdict": "proved-on-box"}}
    assert recheck(document(row("x <= 0", ["0 <= x"], label="t", **told)))


def test_an_inequality_that_is_proved_without_a_certificate_is_a_complaint():
    assert recheck(document(row("1 <= 0", [])))


def refuted(witness: Any) -> list[str]:
    return recheck(document(row("0 <= x", ["0 <= x"], verdict="refuted", witness=witness)))


def test_a_witness_against_something_else_is_a_complaint():
    assert refuted({"relation": "1 <= x", "domain": ["0 <= x"], "integers": [], "point": {"x": "0"}})


def test_a_line_of_code_does_not_refute_a_formula():
    assert refuted({"line": "print(True)"})


class Forged:
    """A check that hands over evidence for another claim."""

    name = "forged"
    random = False
    of_formula = True

    def __init__(self, finding: Finding) -> None:
        self.finding = finding

    def run(self, claim: Claim, effort: Effort) -> Finding:
        return self.finding


def test_the_engine_compares_a_certificate_with_the_claim():
    finding = Finding("forged", Verdict.PROVED, {"certificate": certificate("0 <= 1", [], RANGE)})
    of = claim("t", "t", says="x <= 0", domain="x >= 0", checks=Forged(finding))
    assert run_claim(of, Effort()).verdict is not Verdict.PROVED


def test_the_engine_compares_a_witness_with_the_claim():
    witness = {"relation": "1 <= 0", "domain": [], "integers": [], "point": {}}
    finding = Finding("forged", Verdict.REFUTED, {}, witness)
    of = claim("t", "t", says="x <= x", domain="x >= 0", checks=Forged(finding))
    assert run_claim(of, Effort()).verdict is not Verdict.REFUTED


# ---------------------------------------------------------------- odd input


@pytest.mark.parametrize(
    "says",
    [
        "log(0) <= x",
        "Max() <= x",
        "loggamma(0) <= x",
        "sqrt(-1) <= x",
        "exp(log(0)) <= x",
        "atan(log(0)) <= x",
        "exp(x, x) <= 1",
        "Max(sqrt(-1), x) <= 1",
        "abs() <= 1",
        "Min(log(0), x) <= x",
    ],
)
def test_a_formula_that_is_no_real_number_is_refused_in_one_line(says):
    with pytest.raises(ClaimError, match=r"^[^\n]+$"):
        claim("t", "t", says=says, domain="0 <= x <= 1")


@pytest.mark.parametrize("comparison", ["pi >= 1", "E <= 3"])
def test_a_constant_is_not_a_variable_of_a_domain(comparison):
    with pytest.raises(ClaimError):
        Domain.of(comparison)


@pytest.mark.parametrize("seed", [-1, -(10**30)])
def test_a_negative_seed_is_refused_in_one_line(seed):
    with pytest.raises(ClaimError, match=r"^seed -1[^\n]*$"):
        Effort(seed=seed)


_PARSE = "from verify import claim; claim('t', 't', says={!r}, domain='0 <= x <= 1')"
_CHECK = "from verify.recheck import recheck; recheck({!r})"
_WITNESS = {
    "relation": "(1 + 1/n)**n <= 27182818/10000000",
    "domain": ["1 <= n"],
    "integers": ["n"],
    "point": {"n": "1000000000"},
}
_RUN = (
    "from verify import *; from verify.running.engine import run_claim; "
    "run_claim(claim('t', 't', says={!r}, domain=Domain.of(*{!r})), Effort())"
)


@pytest.mark.thorough
@pytest.mark.parametrize(
    "line",
    [
        _PARSE.format("x <= 10**10**9"),
        _PARSE.format("x <= factorial(10**8)"),
        _PARSE.format("x <= exp(10**10*log(10))"),
        _PARSE.format("x <= 1e-99999999"),
        _PARSE.format("x <= sqrt(10**4000 + 1)"),
        _CHECK.format(certificate("x <= (((9999**9999)**9999)**9999)**9999", ["0 <= x <= 1"], RANGE)),
        _CHECK.format(certificate("x <= 1e999999999", ["0 <= x <= 1"], RANGE)),
        _CHECK.format(_WITNESS),
        _RUN.format("exp(" * 12 + "-x" + ")" * 12 + " >= 0.2", ("0 <= x <= 1",)),
        _RUN.format("x <= -5", ("x >= 0", "x <= y", "y <= -1")),
    ],
    ids=lambda line: line[-60:],
)
def test_odd_input_does_not_run_for_ever(line):
    seconds = 40 if "run_claim" in line else 20
    done = subprocess.run([sys.executable, "-c", line], capture_output=True, timeout=seconds, check=False)
    assert b"MemoryError" not in done.stderr


# ---------------------------------------------------------------- the cache

_FILE = """
import os, sys
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import far_helper
from verify import Case, Computed, Outcome, claim

def outcome(effort):
    return Outcome([Case("one", far_helper.side(), 2)], complete=True)

CLAIMS = [claim("far", "1 <= 2", checks=Computed(outcome))]
"""


def test_a_changed_helper_in_another_folder_is_noticed(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "path", list(sys.path))
    file, helper = tmp_path / "claims" / "mine.py", tmp_path / "lib" / "far_helper.py"
    for path in (file, helper):
        path.parent.mkdir()
    file.write_text(_FILE)
    found = []
    for value in (1, 3):
        helper.write_text(f"def side():\n    return {value}\n")
        monkeypatch.delitem(sys.modules, "far_helper", raising=False)
        sys.path_importer_cache.clear()
        run = run_claims(Source(file=str(file)), workers=0, cache=Cache(tmp_path / "cache"))
        found.append(run.results["far"].verdict)
    assert found == [Verdict.PROVED, Verdict.REFUTED]
