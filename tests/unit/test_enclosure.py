"""Enclosures: what is printed contains what was proved."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor

import pytest
from hypothesis import Phase, find, given, settings
from hypothesis import strategies as st

from ctucbvi import enclosure as module
from ctucbvi.enclosure import Enclosure, decimal_string

small = st.builds(Fraction, st.integers(-(10**9), 10**9), st.integers(1, 10**6))
scaled = st.builds(lambda number, power: number * Fraction(10) ** power, small, st.integers(-40, 40))
wide = st.builds(lambda a, b: Enclosure(min(a, b), max(a, b)), scaled, scaled)
narrow = st.builds(
    lambda end, width, power: Enclosure(end, end + abs(width) * Fraction(10) ** power),
    scaled,
    small,
    st.integers(-60, 0),
)
enclosures = wide | narrow


def printed_contains(interval: Enclosure, ends: tuple[str, str]) -> bool:
    return Fraction(ends[0]) <= interval.lower and interval.upper <= Fraction(ends[1])


@given(enclosures, st.integers(1, 30))
def test_the_printed_interval_contains_the_enclosure(interval: Enclosure, digits: int) -> None:
    value, lower, upper = interval.decimals(digits)
    assert printed_contains(interval, (lower, upper))
    assert "e" not in (lower + upper).lower()
    assert Fraction(lower) <= Fraction(value) <= Fraction(upper)


def plain_decimals(interval: Enclosure, digits: int) -> tuple[str, str, str]:
    """The definition, in fractions."""
    places, middle, radius = digits, interval.mid, interval.radius
    if middle:
        places = max(digits - 1 - power_of(abs(middle)), 0)
    if radius:
        places = min(places, -power_of(radius))
    while True:
        unit = Fraction(10) ** -places
        value = round(middle / unit)
        if interval.upper / unit - 1 <= value <= interval.lower / unit + 1:
            break
        places -= 1
    low, high = floor(interval.lower / unit * 100), ceil(interval.upper / unit * 100)
    ends = min(low, 100 * value), max(high, 100 * value)
    printed = (module._plain_string(end, places + 2) for end in ends)
    return module._scaled_string(value, places), *printed


def power_of(number: Fraction) -> int:
    power = 0
    while number >= Fraction(10) ** (power + 1):
        power += 1
    while number < Fraction(10) ** power:
        power -= 1
    return power


@given(enclosures, st.integers(1, 30))
def test_decimals_are_as_defined(interval: Enclosure, digits: int) -> None:
    assert interval.decimals(digits) == plain_decimals(interval, digits)


def away_from_even(low: int, high: int, common: int, places: int) -> int:
    """The mutant: half a unit is rounded up."""
    up, down = module._powers(places)
    return (2 * (low + high) * up + 2 * common * down) // (4 * common * down)


def test_another_rounding_of_halves_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    half = Enclosure(Fraction(5, 2), Fraction(5, 2))
    assert half.decimals(1) == plain_decimals(half, 1)
    monkeypatch.setattr(module, "_centre", away_from_even)
    assert half.decimals(1) != plain_decimals(half, 1)


def inward(interval: Enclosure, digits: int) -> tuple[str, str]:
    """The mutant: ends rounded to the inside."""
    return (
        module._scaled_string(ceil(interval.lower * 10**digits), digits),
        module._scaled_string(floor(interval.upper * 10**digits), digits),
    )


def nearest(interval: Enclosure, digits: int) -> tuple[str, str]:
    """The mutant: ends rounded to the nearest decimal."""
    return decimal_string(interval.lower, digits), decimal_string(interval.upper, digits)


@pytest.mark.parametrize("mutant", [inward, nearest])
def test_other_roundings_are_caught(mutant) -> None:
    quick = settings(derandomize=True, database=None, deadline=None, max_examples=50, phases=[Phase.generate])
    find(enclosures, lambda interval: not printed_contains(interval, mutant(interval, 6)), settings=quick)


def unit(text: str) -> Fraction:
    """One unit of the last place that is printed."""
    mantissa, _, power = text.partition("e")
    return Fraction(10) ** (int(power or 0) - len(mantissa.partition(".")[2]))


def printed_is_true(interval: Enclosure, text: str) -> bool:
    """Whether every digit of ``text`` is certain: no member of the interval is a unit away from it."""
    return max(abs(Fraction(text) - end) for end in (interval.lower, interval.upper)) <= unit(text)


@given(enclosures, st.integers(1, 30))
def test_every_printed_digit_is_true_and_none_that_is_known_is_left_out(interval: Enclosure, digits: int):
    text = interval.decimals(digits)[0]
    assert printed_is_true(interval, text)
    if interval.has_digits(digits + 1):
        error = abs(Fraction(text) - interval.mid)
        assert error <= abs(interval.mid) / 10 ** (digits - 1) / 2
    if interval.radius:
        assert unit(text) <= max(20 * interval.radius, abs(interval.mid) / 10 ** (digits - 1), 10**-digits)


def test_a_value_printed_against_itself_is_caught() -> None:
    """The mutant: as many digits of the centre as were asked for, whatever the radius."""
    quick = settings(derandomize=True, database=None, deadline=None, max_examples=50, phases=[Phase.generate])

    def boastful(interval: Enclosure) -> str:
        return Enclosure(interval.mid, interval.mid).decimals(9)[0]

    find(enclosures, lambda interval: not printed_is_true(interval, boastful(interval)), settings=quick)


@given(scaled, st.integers(0, 30))
def test_decimal_string_is_the_nearest(number: Fraction, places: int) -> None:
    text = decimal_string(number, places)
    assert abs(Fraction(text) - number) <= Fraction(1, 2 * 10**places)
    assert len(text.partition(".")[2]) == places


@pytest.mark.parametrize(
    ("lower", "upper", "digits", "expected"),
    [
        ("0", "0", 3, ("0.000", "0.00000", "0.00000")),
        ("1/3", "1/3", 4, ("0.3333", "0.333300", "0.333334")),
        ("-1/3", "-1/3", 4, ("-0.3333", "-0.333334", "-0.333300")),
        ("123456789", "123456789", 3, ("123456789", "123456789.00", "123456789.00")),
        ("1/8", "1/8", 3, ("0.125", "0.12500", "0.12500")),
        ("-1e-12", "-1e-12", 2, ("-0.0000000000010", "-0.000000000001000", "-0.000000000001000")),
        ("0.99999", "1.00001", 3, ("1.00", "0.9999", "1.0001")),
        ("-1e-9", "1e-9", 2, ("0.00", "-0.0001", "0.0001")),
        (
            "4.8e-37",
            "4.9e-37",
            9,
            ("0." + "0" * 36 + "48", "0." + "0" * 36 + "4800", "0." + "0" * 36 + "4900"),
        ),
        ("-1e-7", "2e-7", 9, ("0.000000", "-0.00000010", "0.00000020")),
        ("749.75001", "749.75008", 9, ("749.7500", "749.750000", "749.750080")),
        ("7498000", "7498900", 9, ("7498e3", "7498000", "7498900")),
        ("-5000", "3000", 3, ("0e4", "-5000", "3000")),
    ],
)
def test_decimals_of_particular_numbers(lower, upper, digits, expected) -> None:
    assert Enclosure(Fraction(lower), Fraction(upper)).decimals(digits) == expected


def test_huge_and_tiny_numbers() -> None:
    huge = Enclosure(Fraction(10**50), Fraction(10**50) + Fraction(1, 3))
    value, lower, upper = huge.decimals(5)
    assert value == str(10**50)
    assert printed_contains(huge, (lower, upper))
    tiny = Enclosure(Fraction(1, 3 * 10**50), Fraction(2, 3 * 10**50))
    value, lower, upper = tiny.decimals(5)
    assert value == "0." + "0" * 50  # the next digit may be 3 or 6
    assert printed_contains(tiny, (lower, upper))
    assert len(Enclosure(Fraction(1, 3), Fraction(1, 3)).decimals(9000)[0]) == 9002


def test_parts_and_questions() -> None:
    interval = Enclosure(Fraction(1), Fraction(2))
    assert (interval.mid, interval.radius, interval.width) == (Fraction(3, 2), Fraction(1, 2), 1)
    assert interval.contains(1)
    assert interval.contains(Fraction(2))
    assert not interval.contains(Fraction(3))
    assert interval.overlaps(Enclosure(Fraction(2), Fraction(5)))
    assert Enclosure(Fraction(2), Fraction(5)).overlaps(interval)
    assert not interval.overlaps(Enclosure(Fraction(21, 10), Fraction(5)))
    with pytest.raises(ValueError, match="empty enclosure: lower 2 exceeds upper 1"):
        Enclosure(Fraction(2), Fraction(1))


@given(enclosures, enclosures, st.fractions(0, 1), st.fractions(0, 1), small)
def test_arithmetic_contains_the_arithmetic_of_members(
    a: Enclosure, b: Enclosure, p: Fraction, q: Fraction, shift: Fraction
) -> None:
    x, y = a.lower + p * a.width, b.lower + q * b.width
    assert (a + shift).contains(x + shift)
    assert (-a).contains(-x)
    assert (a - b).contains(x - y)


def test_a_wrong_difference_is_caught() -> None:
    """The mutant: ends subtracted pairwise, which loses members."""
    a, b = Enclosure(Fraction(0), Fraction(1)), Enclosure(Fraction(0), Fraction(1, 2))
    wrong = Enclosure(a.lower - b.lower, a.upper - b.upper)
    assert (a - b).contains(a.lower - b.upper)
    assert not wrong.contains(a.lower - b.upper)


def test_digits_are_judged_against_the_number_itself() -> None:
    one = Fraction(1)
    assert Enclosure(one, one + Fraction(2, 10**8)).has_digits(8)
    assert not Enclosure(one, one + Fraction(3, 10**8)).has_digits(8)
    small_number = Fraction(1, 10**30)
    assert not Enclosure(small_number, small_number + Fraction(2, 10**30)).has_digits(1)
    assert Enclosure(small_number, small_number + Fraction(2, 10**38)).has_digits(8)
    # Of a number that may be 0 no digit is known; of 0 all are.
    assert not Enclosure(-small_number, small_number).has_digits(1)
    assert not Enclosure(Fraction(0), small_number).has_digits(1)
    assert Enclosure(Fraction(0), Fraction(0)).has_digits(100)
    assert Enclosure(-Fraction(2, 10**9), small_number).bound() == "1e-8"
