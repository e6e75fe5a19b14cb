"""Rationals as bytes and as text, however long they are."""

import sys
from fractions import Fraction

import pytest
from flint import fmpq, fmpz
from hypothesis import given
from hypothesis import strategies as st

from goofspiel.games.exact import to_rational
from goofspiel.games.rationals import (
    LEADING,
    LONGEST,
    decimal_text,
    digits,
    from_bytes,
    full_text,
    short_text,
    to_bytes,
)

LONG = 5_000  # digits: more than Python turns into text by itself
POWERS = [0, 1, 2, 8, 9, 10, 17, 18, 19, 20, 38, 39, 40, 99, 300, 308, 309, 1_000, 4_300, 5_000, 12_345, 100_000]

integers = st.one_of(st.integers(), st.integers(-(2**2000), 2**2000))


@given(integers, integers.filter(bool))
def test_bytes_and_back(numerator: int, denominator: int) -> None:
    number = fmpq(numerator, denominator)
    assert from_bytes(*to_bytes(number)) == number
    as_fraction = Fraction(numerator, denominator)
    assert to_rational(as_fraction) == number
    assert full_text(number) == str(as_fraction)


@pytest.mark.parametrize("power", [0, 7, 8, 15, 16, 63, 64, 1_000, 100_000])
@pytest.mark.parametrize("off", [-1, 0, 1])
@pytest.mark.parametrize("sign", [-1, 1])
def test_bytes_at_powers_of_two(power: int, off: int, sign: int) -> None:
    """Where the sign needs another byte, and where it does not."""
    size = sign * (2**power + off)
    for number in (fmpq(size), fmpq(1, size) if size else fmpq(0)):
        numerator, denominator = to_bytes(number)
        assert from_bytes(numerator, denominator) == number
        assert denominator[-1] > 0, "no byte too many"
        assert len(numerator) <= (abs(int(number.p)).bit_length() + 8) // 8


def test_bytes_worked_by_hand() -> None:
    assert to_bytes(fmpq(0)) == (b"\x00", b"\x01")
    assert to_bytes(fmpq(-1, 256)) == (b"\xff", b"\x00\x01")
    assert to_bytes(fmpq(128)) == (b"\x80\x00", b"\x01")


@pytest.mark.parametrize("power", POWERS)
def test_how_many_digits(power: int) -> None:
    ten = fmpz(10) ** power
    for sign in (1, -1):
        assert digits(sign * ten) == power + 1
        assert digits(sign * (ten + 1)) == power + 1
        assert digits(sign * (ten - 1)) == max(power, 1)
        assert digits(sign * (2 * ten - 1)) == power + 1


@given(integers)
def test_how_many_digits_of_any_number(number: int) -> None:
    assert digits(fmpz(number)) == len(str(abs(number)))


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0, "0"),
        (-3, "-3"),
        (Fraction(-7, 3), "-7/3"),
        (fmpq(6, 4), "3/2"),
        (Fraction(10**39, 3), f"{10**39}/3"),
        (Fraction(-1, 10**39), f"-1/{10**39}"),
    ],
)
def test_short_numbers_are_written_in_full(number: fmpq | Fraction | int, text: str) -> None:
    assert full_text(number) == short_text(number) == text


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (Fraction(10**40, 3), "1000000000…/3 (41/1 digits)"),
        (-(10**40), "-1000000000…/1 (41/1 digits)"),
        (Fraction(-9876543210, 10**41 + 1), "-9876543210/1000000000… (10/42 digits)"),
        (Fraction(12345678909, 10**40), "1234567890…/1000000000… (11/41 digits)"),
        (Fraction(10**50 - 1, 10**50), "9999999999…/1000000000… (50/51 digits)"),
    ],
)
def test_long_numbers_are_cut(number: Fraction | int, text: str) -> None:
    assert (LEADING, LONGEST) == (10, 40)
    assert short_text(number) == text


@pytest.mark.parametrize(
    ("number", "places", "text"),
    [
        (0, 3, "0.000"),
        (0, 0, "0"),
        (Fraction(2, 3), 4, "0.6667"),
        (Fraction(-2, 3), 4, "-0.6667"),
        (Fraction(-7, 3), 1, "-2.3"),
        (Fraction(1, 8), 2, "0.13"),  # halves go away from zero
        (Fraction(-1, 8), 2, "-0.13"),
        (Fraction(1, 2), 0, "1"),
        (Fraction(-1, 2), 0, "-1"),
        (Fraction(-1, 3), 0, "0"),
        (Fraction(-1, 2001), 3, "0.000"),  # no minus before nothing
        (Fraction(-1, 2000), 3, "-0.001"),
        (Fraction(999_999, 1_000_000), 3, "1.000"),
        (Fraction(101, 100), 5, "1.01000"),
        (fmpq(-(10**30)), 1, f"-{10**30}.0"),
    ],
)
def test_decimals(number: fmpq | Fraction | int, places: int, text: str) -> None:
    assert decimal_text(number, places) == text


@given(st.fractions(), st.integers(0, 30))
def test_decimals_are_the_nearest(number: Fraction, places: int) -> None:
    text = decimal_text(number, places)
    assert abs(Fraction(text) - number) * 2 * 10**places <= 1
    assert len(text.partition(".")[2]) == places


def test_numbers_longer_than_python_writes() -> None:
    assert 0 < sys.get_int_max_str_digits() < LONG
    number = Fraction(-(10**LONG) - 1, 7**LONG)
    numerator, denominator = full_text(number).split("/")
    assert numerator == "-1" + "0" * (LONG - 1) + "1"
    assert fmpz(denominator) == fmpz(7) ** LONG
    assert from_bytes(*to_bytes(to_rational(number))) == to_rational(number)
    assert short_text(number) == f"-1000000000…/{denominator[:10]}… ({LONG + 1}/{len(denominator)} digits)"
    assert decimal_text(Fraction(1, 3), LONG) == "0." + "3" * LONG
    assert decimal_text(Fraction(10**LONG), 2) == "1" + "0" * LONG + ".00"
