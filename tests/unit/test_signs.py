from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import pytest
from flint import arb, arb_poly, ctx, fmpq
from hypothesis import given
from hypothesis import strategies as st

from ctucbvi.exact import signs
from ctucbvi.exact.precision import precision, to_fmpq
from ctucbvi.exact.signs import sign_regions

BITS = 160


class Polynomial:
    """A polynomial with given roots and leading coefficient, as a smooth function."""

    def __init__(self, roots: list[Fraction], lead: int = 1, lift: Fraction = Fraction(0)) -> None:
        with precision(BITS):
            p = arb_poly([lead])
            for root in roots:
                p *= arb_poly([-arb(to_fmpq(root)), 1])
            self.p = p + arb_poly([arb(to_fmpq(lift))])
            self.first = self.p.derivative()
            self.second = self.first.derivative()

    def __call__(self, x: arb) -> arb:
        return self.p(x)

    def slope(self, x: arb) -> arb:
        return self.first(x)

    def curvature(self, x: arb) -> arb:
        return self.second(x)

    def derivative(self) -> Polynomial:
        return Polynomial.of(self.first)

    @classmethod
    def of(cls, p: arb_poly) -> Polynomial:
        found = cls([])
        with precision(BITS):
            found.p, found.first, found.second = p, p.derivative(), p.derivative().derivative()
        return found


def regions_of(f, a=0, b=1, **options):
    with precision(BITS):
        return sign_regions(f, fmpq(a), fmpq(b), **options)


inner = st.fractions(Fraction(1, 50), Fraction(49, 50), max_denominator=60)


@given(st.lists(inner, max_size=4), st.sampled_from([1, -1, 3]))
def test_regions_cover_the_interval_and_their_signs_are_true(roots, lead):
    f = Polynomial(roots, lead)
    regions = regions_of(f)
    assert regions[0].lower == 0
    assert regions[-1].upper == 1
    for one, other in pairwise(regions):
        assert one.upper == other.lower
        assert one.sign != other.sign
    with precision(BITS):
        for region in regions:
            for k in range(1, 8):
                x = region.lower + (region.upper - region.lower) * fmpq(k, 8)
                value = f(arb(x))
                assert not (region.sign > 0 and value < 0)
                assert not (region.sign < 0 and value > 0)
                assert not value < region.least
    # Every root lies in an unresolved region.
    for root in roots:
        assert any(r.sign == 0 and r.lower <= to_fmpq(root) <= r.upper for r in regions)


@given(st.lists(inner, min_size=1, max_size=3, unique=True))
def test_simple_roots_are_bracketed_tightly(roots):
    unresolved = [r for r in regions_of(Polynomial(roots)) if r.sign == 0]
    assert len(unresolved) == len(roots)
    assert all(r.upper - r.lower < fmpq(1, 2**130) for r in unresolved)


def test_a_double_root_is_unresolved_and_nothing_else_is():
    regions = regions_of(Polynomial([Fraction(1, 3), Fraction(1, 3)]))
    assert [r.sign for r in regions] == [1, 0, 1]
    assert regions[1].upper - regions[1].lower < fmpq(1, 2**60)


def test_a_pair_of_roots_close_together_is_seen():
    close = Fraction(1, 10**12)
    regions = regions_of(Polynomial([Fraction(1, 3), Fraction(1, 3) + close]))
    assert [r.sign for r in regions] == [1, 0, -1, 0, 1]


@pytest.mark.parametrize("order", range(2, 8))
def test_a_zero_of_any_order_leaves_a_doubt_as_small_as_the_precision_allows(order):
    regions = regions_of(Polynomial([Fraction(1, 3)] * order))
    assert [r.sign for r in regions] == [(-1) ** order, 0, 1]
    doubt = regions[1]
    assert doubt.upper - doubt.lower < fmpq(1, 2 ** (BITS // order - 8))
    assert doubt.least > -(arb(2) ** (20 - BITS))
    assert doubt.trend == 0


@pytest.mark.parametrize("count", range(2, 6))
def test_zeros_close_together_are_counted(count):
    roots = [Fraction(1, 3) + k * Fraction(1, 10**7) for k in range(count)]
    doubts = [r for r in regions_of(Polynomial(roots)) if r.sign == 0]
    assert len(doubts) == count
    assert [r.trend for r in doubts] == [(-1) ** (count - k) * -1 for k in range(count)]


def test_a_ladder_that_trusts_a_derivative_of_unknown_sign_is_caught(monkeypatch):
    """The mutant: the first derivative passes for one of constant sign."""
    monkeypatch.setattr(
        signs, "_ladder", lambda f, a, b, limits: signs._monotone(f, a, b, limits, rising=True)
    )
    regions = regions_of(Polynomial([Fraction(1, 3), Fraction(1, 3) + Fraction(1, 10**12)]))
    assert [r.sign for r in regions] != [1, 0, -1, 0, 1]


@pytest.mark.parametrize("lift", [Fraction(1, 10**15), -Fraction(1, 10**15)])
def test_noise_hides_what_is_smaller(lift):
    f = Polynomial([], 0, lift)
    sign = 1 if lift > 0 else -1
    assert [r.sign for r in regions_of(f)] == [sign]
    with precision(BITS):
        noise = arb(10) ** -14
    assert [r.sign for r in regions_of(f, noise=noise)] == [0]


def test_drop_asks_for_more_on_the_negative_side_only():
    f = Polynomial([Fraction(1, 2)], -1)
    with precision(BITS):
        regions = sign_regions(f, fmpq(0), fmpq(1), noise=arb(10) ** -20, drop=arb(10) ** -3)
    assert [r.sign for r in regions] == [1, 0, -1]
    assert fmpq(1, 2) - regions[1].lower < fmpq(1, 10**19)
    assert regions[1].upper - fmpq(1, 2) >= fmpq(1, 1000)
    assert regions[1].falling


def test_the_search_ends_with_the_first_negative_region():
    regions = regions_of(Polynomial([Fraction(1, 4), Fraction(3, 4)]), until_negative=True)
    assert regions[-1].sign == -1
    assert regions[-1].upper < 1


def test_a_budget_ends_the_search_and_claims_nothing():
    class Nasty:
        def __call__(self, x):
            return (1000 / (x + arb("0.001"))).sin()

        def slope(self, x):
            return arb("nan")

        curvature = slope

    regions = regions_of(Nasty(), budget=50)
    assert any(r.sign == 0 for r in regions)


def test_precision_is_put_back():
    before = ctx.prec
    with pytest.raises(ZeroDivisionError), precision(77):
        raise ZeroDivisionError
    assert ctx.prec == before


def test_newton_does_not_stall_below_one_unit_of_the_last_place():
    # f = e^{-3t/2}/6 - t on [0, 2/9] once stalled, with a bracket of 1e-20 at any precision.
    class Decay:
        def __call__(self, x):
            return (-3 * x / 2).exp() / 6 - x

        def slope(self, x):
            return -(-3 * x / 2).exp() / 4 - 1

        def curvature(self, x):
            return (-3 * x / 2).exp() * 3 / 8

    with precision(400):
        (bracket,) = [r for r in sign_regions(Decay(), fmpq(0), fmpq(2, 9)) if r.sign == 0]
    assert bracket.upper - bracket.lower < fmpq(1, 2**370)
