"""Probability claims: exact bounds, and an error that holds over all looks."""

from __future__ import annotations

import json
import subprocess
import sys
from fractions import Fraction as Q
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from verify.claims import Claim, ClaimError, Effort, Verdict
from verify.provers.statistical import (
    Statistical,
    entropy,
    excluded,
    excludes_above,
    excludes_below,
    generators,
    lower_bound,
    needed,
    planned,
    upper_bound,
    upper_tail,
)


def exact_tail(n: int, k: int, p: Q) -> Q:
    return sum((comb(n, j) * p**j * (1 - p) ** (n - j) for j in range(max(k, 0), n + 1)), Q(0))


def coin(probability: float):
    return lambda rng, count: rng.binomial(count, probability)


def run(check: Statistical, label: str = "coin", **effort):
    return check.run(Claim(label, "a coin"), Effort(**effort))


@given(st.integers(1, 40).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n))), st.fractions(0, 1))
def test_the_tail_is_enclosed(counts, p):
    n, k = counts
    tail, exact = upper_tail(n, k, p), exact_tail(n, k, p)
    assert tail.overlaps(type(tail)(exact.numerator) / exact.denominator)
    assert tail.rad() < 1e-15


@pytest.mark.parametrize(("n", "k", "p"), [(1000, 960, 0.95), (10**5, 95400, 0.95), (10**6, 499000, 0.5)])
def test_the_tail_agrees_with_scipy(n, k, p):
    assert float(upper_tail(n, k, Q(str(p)))) == pytest.approx(stats.binom.sf(k - 1, n, p), rel=1e-6)


@pytest.mark.parametrize(("n", "k"), [(10, 3), (50, 50), (50, 0), (1000, 960), (10**5, 95400)])
def test_the_bounds_agree_with_scipy_and_err_outward(n, k):
    low, high = float(lower_bound(n, k, Q(1, 1000))), float(upper_bound(n, k, Q(1, 1000)))
    true_low = stats.beta.ppf(0.001, k, n - k + 1) if k else 0.0
    true_high = stats.beta.ppf(0.999, k + 1, n - k) if k < n else 1.0
    assert true_low - 2e-9 <= low <= true_low + 1e-12
    assert true_high - 1e-12 <= high <= true_high + 2e-9


@pytest.mark.parametrize("n", [1, 7, 20])
def test_the_bounds_cover_as_often_as_they_promise(n):
    """Over every outcome, exactly: P(lower bound > p) <= error, and the same from above."""
    error = Q(1, 10)
    bounds = [(lower_bound(n, k, error), upper_bound(n, k, error)) for k in range(n + 1)]
    for p in [Q(i, 37) for i in range(38)]:
        chance = [comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)]
        assert sum(c for c, (low, _) in zip(chance, bounds, strict=True) if low > p) <= error
        assert sum(c for c, (_, high) in zip(chance, bounds, strict=True) if high < p) <= error


def test_the_errors_of_the_looks_add_up():
    looks = planned(1000, Q(1, 20))
    assert [look.trials for look in looks] == [62, 125, 250, 500, 1000]
    assert sum(look.error for look in looks) == Q(1, 20)
    assert sum(look.error for look in planned(3, Q(1, 20))) == Q(1, 20)


def test_a_coin_well_above_the_claim_is_supported_early():
    found = run(Statistical(coin(0.97), at_least=Q(95, 100), vectorised=True))
    assert found.verdict is Verdict.SUPPORTED
    assert found.evidence["trials"] < found.evidence["planned"][-1]
    assert Q(found.evidence["lower"]) >= Q(95, 100)
    assert found.evidence["error"] == "1/1000000"


def test_a_coin_well_below_the_claim_is_refuted_with_counts_to_check_again():
    found = run(Statistical(coin(0.93), at_least=Q(95, 100), vectorised=True))
    assert found.verdict is Verdict.REFUTED
    assert Q(found.witness["upper"]) < Q(95, 100)
    line = json.loads(json.dumps(found.witness))["line"]
    assert subprocess.run([sys.executable, "-c", line], capture_output=True, text=True).stdout == "True\n"


def test_at_most_is_the_claim_about_failures():
    assert run(Statistical(coin(0.03), at_most=Q(5, 100), vectorised=True)).verdict is Verdict.SUPPORTED
    found = run(Statistical(coin(0.08), at_most=Q(5, 100), vectorised=True))
    assert found.verdict is Verdict.REFUTED
    assert Q(found.witness["lower"]) > Q(5, 100)
    assert excluded(
        **{key: found.witness[key] for key in ("trials", "successes", "undecided", "at_most", "error")}
    )


def test_a_coin_slightly_under_the_claim_is_never_supported():
    """The planted radius that covers a little too rarely."""
    check = Statistical(coin(0.949), at_least=Q(95, 100), trials=(2_000, 2_000), vectorised=True)
    verdicts = {run(check, seed=seed).verdict for seed in range(200)}
    assert verdicts <= {Verdict.UNDECIDED, Verdict.REFUTED}


def test_enough_trials_refute_the_coin_slightly_under_the_claim():
    check = Statistical(coin(0.949), at_least=Q(95, 100), trials=(4_000_000, 4_000_000), vectorised=True)
    assert run(check).verdict is Verdict.REFUTED


def test_a_coin_at_the_claim_stays_undecided_with_its_interval():
    found = run(Statistical(coin(0.95), at_least=Q(95, 100), vectorised=True))
    assert found.verdict is Verdict.UNDECIDED
    assert Q(found.evidence["lower"]) < Q(95, 100) < Q(found.evidence["upper"])


def test_trials_one_by_one_may_be_undecided_and_count_against_both_verdicts():
    def trial(rng):
        draw = rng.random()
        return True if draw < 0.9 else None if draw < 0.98 else False

    wide = run(Statistical(trial, at_least=Q(93, 100), trials=(5000, 5000)))
    assert wide.verdict is Verdict.UNDECIDED
    assert wide.evidence["undecided"] > 300
    assert run(Statistical(trial, at_least=Q(85, 100), trials=(5000, 5000))).verdict is Verdict.SUPPORTED
    assert run(Statistical(trial, at_least=Q(999, 1000), trials=(5000, 5000))).verdict is Verdict.REFUTED


def test_the_same_effort_gives_the_same_finding_and_another_label_other_trials():
    check = Statistical(coin(0.95), at_least=Q(95, 100), vectorised=True)
    assert run(check) == run(check)
    assert run(check).evidence["successes"] != run(check, label="other").evidence["successes"]
    assert run(check).evidence["successes"] != run(check, seed=1).evidence["successes"]


def test_the_seed_in_the_evidence_repeats_the_trials():
    found = run(Statistical(coin(0.97), at_least=Q(95, 100), vectorised=True))
    first = found.evidence["looks"][0]
    again = sum(rng.binomial(n, 0.97) for rng, n in generators(found.evidence["seed"], 0, first["trials"]))
    assert again == first["successes"]
    assert entropy(0, "coin", "statistical") == found.evidence["seed"]


def test_a_bound_is_used_only_when_it_is_certain():
    n, p = 20, Q(1, 2)
    error = exact_tail(
        n, 15, p
    )  # the tail equals the error: a ball cannot tell, and must not say yes wrongly
    assert not excludes_above(n, 5, p, error)
    assert excludes_below(n, 15, p, error + Q(1, 10**9))
    assert not excludes_below(n, 15, p, error - Q(1, 10**9))


@pytest.mark.parametrize(
    "arguments",
    [{}, {"at_least": Q(1, 2), "at_most": Q(1, 2)}, {"at_least": 0.95}, {"at_most": Q(3, 2)}],
)
def test_a_claim_that_makes_no_sense_is_an_error(arguments):
    with pytest.raises(ClaimError, match="statistical check: "):
        Statistical(coin(0.5), **arguments)


def test_a_trial_must_say_whether_it_succeeded():
    with pytest.raises(ClaimError, match="a trial returned "):
        run(Statistical(lambda rng: 0.3, at_least=Q(1, 2)))


def test_more_successes_than_trials_are_an_error():
    with pytest.raises(ClaimError, match="successes in"):
        run(Statistical(lambda rng, count: count + 1, at_least=Q(1, 2), vectorised=True))


# --- how many trials it takes ------------------------------------------------------------------


@pytest.mark.parametrize("p", [Q(0), Q(1, 2), Q(4, 5), Q(99, 100)])
def test_the_trials_needed_are_enough_and_one_less_is_not(p):
    least, error = needed(p, Q(1, 10**6)), Q(1, 10**6)
    always = Statistical(lambda rng, count: count, at_least=p, trials=(least, least), vectorised=True)
    assert run(always, error=error).verdict is Verdict.SUPPORTED
    if least > 1:
        fewer = Statistical(lambda rng, count: count, at_least=p, trials=(least - 1,) * 2, vectorised=True)
        found = run(fewer, error=error)
        assert (found.verdict, found.evidence["needed"]) == (Verdict.UNDECIDED, least)


def test_at_most_is_the_same_about_failures_and_certainty_takes_more_than_trials():
    never = Statistical(lambda rng, count: 0, at_most=Q(1, 5), vectorised=True)
    assert never.needed(Effort()) == needed(Q(4, 5), Effort().error)
    assert Statistical(coin(1.0), at_least=Q(1), vectorised=True).needed(Effort()) is None
