"""Searches that are wrong on purpose, against planted claims: each fails where the real one does not."""

from __future__ import annotations

import math

import pytest

from tests.quality.planted_claims import BEYOND, FALSE, TRUE, Planted
from verify.claims import Claim, Domain, Effort, Relation, Verdict
from verify.provers import sampling, search, witness
from verify.provers.gauge import Gauge
from verify.provers.sampling import Sampler
from verify.provers.search import Search

CHECK = Search(examples=(150, 150))
BY_NAME = {planted.name: planted for planted in [*FALSE, *TRUE, *BEYOND]}


def verdict(planted: Planted) -> Verdict:
    domain = Domain.of(*planted.domain, integers=planted.integers, reals=planted.reals)
    says = Relation.of(planted.says, domain)
    return CHECK.run(Claim(planted.name, planted.trap, says=says, domain=domain), Effort()).verdict


def refutes(*names: str) -> bool:
    """Whether each of these false claims is refuted."""
    return all(verdict(BY_NAME[name]) is Verdict.REFUTED for name in names)


def spares(*names: str) -> bool:
    """Whether none of these true claims is refuted."""
    return all(verdict(BY_NAME[name]) is Verdict.TESTED for name in names)


@pytest.mark.parametrize("planted", FALSE, ids=lambda planted: planted.name)
def test_every_planted_false_claim_is_refuted(planted):
    assert verdict(planted) is Verdict.REFUTED


@pytest.mark.parametrize("name", ["cancellation-cos", "lipschitz-exp", "overflow-true", "product-log-true"])
def test_hard_true_claims_are_not_refuted(name):
    assert spares(name)


@pytest.mark.thorough
@pytest.mark.parametrize("planted", [*TRUE, *BEYOND], ids=lambda planted: planted.name)
def test_no_true_claim_is_refuted(planted):
    assert verdict(planted) is Verdict.TESTED


def test_a_search_in_doubles_refutes_what_is_true(monkeypatch):
    """Without confirmation in balls, rounding is taken for a counterexample."""

    def in_doubles(relation, domain, point) -> bool:
        values = {name: float(value) for name, value in point.items()}
        names = {"cos": math.cos, "exp": math.exp, **values}
        return bool(eval(str(relation.left), names) > eval(str(relation.right), names))

    monkeypatch.setattr(search, "violated", in_doubles)
    monkeypatch.setattr(Gauge, "slack", lambda self, point: -1.0)
    assert not spares("cancellation-cos")


def test_a_search_that_ignores_hypotheses_refutes_what_is_true(monkeypatch):
    monkeypatch.setattr(witness, "admissible", lambda domain, point: domain.contains(point))
    monkeypatch.setattr(search, "admissible", lambda domain, point: domain.contains(point))
    monkeypatch.setattr(Sampler, "narrowed", lambda self, name, point: self.domain.ranges[name])
    assert not spares("lipschitz-exp")


def test_a_search_without_the_ends_misses_what_fails_there(monkeypatch):
    assert refutes("edge-sqrt", "edge-corner")
    monkeypatch.setattr(Sampler, "corners", lambda self, limit: iter(()))
    for name in ("_at_end", "_small", "_near_end", "_far", "_moderate"):
        monkeypatch.setattr(sampling, name, sampling._uniform)
    monkeypatch.setattr(Sampler, "_landmark", lambda self, r, choose: sampling._uniform(r, choose))
    monkeypatch.setattr(search, "descended", lambda *rest: None)
    assert not refutes("edge-sqrt")


def test_a_search_that_stays_near_misses_what_fails_far_out(monkeypatch):
    assert refutes("tail-log")
    monkeypatch.setattr(sampling, "_exponent", lambda choose: choose(2))
    monkeypatch.setattr(search, "descended", lambda *rest: None)
    assert not refutes("tail-log")


def test_a_search_that_does_not_descend_misses_a_narrow_dip(monkeypatch):
    assert refutes("quartic-dip")
    monkeypatch.setattr(search, "descended", lambda *rest: None)
    assert not refutes("quartic-dip")


def test_a_search_that_skips_integers_misses_the_one_that_fails(monkeypatch):
    lone = Planted("lone", "n**2 + 5476 >= 148*n + 1", ("n >= 1",), "false for n = 74 only", "n")
    monkeypatch.setattr(search, "descended", lambda *rest: None)
    assert verdict(lone) is Verdict.REFUTED
    monkeypatch.setattr(search._PointSearch, "_first_integers", lambda self: [])
    assert verdict(lone) is Verdict.TESTED
