"""The claims about the upper bound: verdicts, mutants, findings, and exact numbers against plain ones."""

from __future__ import annotations

import math
import subprocess
import sys
from fractions import Fraction
from types import ModuleType

import pytest

from proofs_checks import (
    adaptive_counts,
    corollary,
    lump_sum_bonus,
    number_of_jumps,
    prop_proberror,
    prop_rateerror,
    remark_lambda_min,
    thm_ct_ucb,
    thm_ct_ucb_better,
    thm_ct_ucb_delta,
    thm_ct_ucb_repaired,
    thm_ct_ucb_whole,
)
from proofs_checks.inventory import ASSERTIONS
from verify.claims import Claim, Effort, Kind, Verdict
from verify.running.engine import run_claim
from verify.running.results import Result

MODULES = (
    corollary,
    number_of_jumps,
    prop_proberror,
    prop_rateerror,
    remark_lambda_min,
    thm_ct_ucb,
    thm_ct_ucb_better,
    thm_ct_ucb_delta,
    thm_ct_ucb_repaired,
    thm_ct_ucb_whole,
)
FAST = (
    remark_lambda_min,
    prop_rateerror,
    number_of_jumps,
    thm_ct_ucb_delta,
)  # the others are run by the suite of all claims
PREFIXES = ("eq:CS", "eq:JM-eq", "eq:term1-3", "eq:cond-exp", "eq:r1", "eq:r2", "eq:sumK", "eq:bonus-k/",
            "eq:regret-b", "prop:", "remark:lambda-min", "thm:CT-UCB")  # fmt: skip


def found(claim: Claim) -> Result:
    return run_claim(claim, Effort())


def claims_of(*modules: ModuleType) -> list[Claim]:
    return [claim for module in modules for claim in module.CLAIMS]


def test_every_assertion_about_the_upper_bound_is_a_claim() -> None:
    labels = {claim.label for claim in claims_of(*MODULES)}
    asserted = {label for label in ASSERTIONS if label.startswith(PREFIXES)}
    assert asserted <= labels
    extra = {c.label for c in claims_of(*MODULES) if c.kind is not Kind.REPAIR} - asserted
    assert all(label.rsplit("/", 1)[0] in asserted or label.startswith("remark:") for label in extra)


@pytest.mark.parametrize("module", MODULES, ids=lambda m: m.__name__)
def test_each_claim_has_a_mutant_and_each_refuted_one_a_finding(module: ModuleType) -> None:
    labels = [claim.label for claim in module.CLAIMS]
    assert sorted(module.MUTANTS) == sorted(labels)
    refuted = {c.label for c in module.CLAIMS if c.expects("quick") is Verdict.REFUTED}
    findings = getattr(module, "FINDINGS", {})
    assert refuted <= set(findings) <= set(labels)
    assert all(set(entry) == {"breaks", "summary", "repair"} for entry in findings.values())


@pytest.mark.parametrize("claim", claims_of(*FAST), ids=lambda c: c.label)
def test_the_verdicts_are_the_expected_ones(claim: Claim) -> None:
    assert found(claim).verdict is claim.expects("quick")


@pytest.mark.parametrize(
    "label", ["eq:cond-exp", "prop:rateerror", "prop:rateerror/event", "eq:term1-3/levels"]
)
def test_a_spoiled_claim_is_caught(label: str) -> None:
    module = prop_rateerror if "rate" in label or "cond" in label else number_of_jumps
    expected = next(c.expects("quick") for c in module.CLAIMS if c.label == label)
    verdict = found(module.MUTANTS[label]).verdict
    assert verdict is not Verdict.REFUTED if expected is Verdict.REFUTED else not verdict.holds


@pytest.mark.parametrize(
    "claim",
    [thm_ct_ucb.THEOREM, thm_ct_ucb.RATE, thm_ct_ucb_delta.ANY, prop_rateerror.COMPARED],
    ids=lambda c: c.label,
)
def test_a_witness_is_confirmed_by_its_line(claim: Claim) -> None:
    witness = found(claim).witness
    assert witness is not None
    done = subprocess.run([sys.executable, "-c", witness["line"]], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "True"


def poisson(mean: float, n: int) -> float:
    return math.exp(n * math.log(mean) - mean - math.lgamma(n + 1))


@pytest.mark.parametrize("mean", [Fraction(1, 4), Fraction(2), Fraction(7)])
def test_exact_sums_agree_with_plain_ones(mean: Fraction) -> None:
    weights = [poisson(float(mean), n) for n in range(200)]
    below = [math.fsum(weights[: n + 1]) for n in range(60)]
    tails = [math.fsum(weights[n + 1 :]) for n in range(60)]
    assert float(number_of_jumps.roots(mean)) == pytest.approx(sum(map(math.sqrt, tails)), rel=1e-9)
    assert float(number_of_jumps.largest(mean, 10)) == pytest.approx(sum(1 - b**10 for b in below), rel=1e-9)
    plain = sum(w / math.sqrt(max(1, n)) for n, w in enumerate(weights))
    assert float(prop_proberror.inverse_root(mean)) == pytest.approx(plain, rel=1e-9)


def test_the_repaired_theorem_rests_on_no_refuted_claim_here() -> None:
    known = {claim.label: claim for claim in claims_of(*MODULES)}
    stack, seen = ["thm:CT-UCB/repaired", "thm:CT-UCB/lump-sum", "eq:regret-b1/repaired"], set()
    while stack:
        label = stack.pop()
        if label in known and label not in seen:
            seen.add(label)
            assert known[label].expects("quick").holds, label
            stack += known[label].uses
    assert {"prop:rateerror/event", "prop:proberror/pigeon-hole/sharp", "thm:CT-UCB/few-episodes"} <= seen


def test_the_laws_of_a_learner_that_adapts_agree_with_plain_ones() -> None:
    plan = adaptive_counts.Plan((Fraction(1), Fraction(1, 2)), Fraction(2), 3, 2, fewest=False)
    rest = [part for part in adaptive_counts.parts(plan) if part.played >= plan.trial]
    laws = [[poisson(float(rate) * 6, n) for n in range(80)] for rate in plan.rates]
    below = [math.fsum(laws[1][: n + 1]) for n in range(80)]
    first = math.fsum(p * b for p, b in zip(laws[0], below, strict=True))  # the first of equal ones
    assert float(sum(rest[0].law)) == pytest.approx(first, rel=1e-9)
    assert float(sum(part.law[4] for part in rest if part.played == 3)) == pytest.approx(
        laws[0][4] * below[4] + laws[1][4] * math.fsum(laws[0][:4]), rel=1e-9
    )


def test_the_coin_leaves_its_set_as_often_as_paths_do() -> None:
    from itertools import product

    level, steps = Fraction(3, 2), 9
    left = sum(
        any(sum(path[:m]) ** 2 > 2 * m * level for m in range(1, steps + 1))
        for path in product((-1, 1), repeat=steps)
    )
    assert float(thm_ct_ucb_whole.crossed(level, steps)) == pytest.approx(left / 2**steps, rel=1e-12)


def test_a_lump_sum_rises_from_nothing() -> None:
    case = lump_sum_bonus.unlucky(Fraction(1), Fraction(1, 2))
    parts = lump_sum_bonus.Parts()
    found = [float(lump_sum_bonus.lump(case, 0, Fraction(i, 8), parts)) for i in range(9)]
    assert found[0] == 0
    assert found == sorted(found)
    assert found[8] == pytest.approx(math.exp(-1) / 4)
