"""Rationals of any length: as bytes, and as text that stays readable."""

from fractions import Fraction

from flint import fmpq, fmpz

from goofspiel.games.exact import to_rational

LEADING = 10  # digits that are shown of a number too long to print
LONGEST = 40  # digits that are printed as they are


def to_bytes(number: fmpq) -> tuple[bytes, bytes]:
    """Numerator (with its sign, two's complement) and denominator, little-endian, no longer than needed."""
    numerator, denominator = int(number.p), int(number.q)
    return (
        numerator.to_bytes(numerator.bit_length() // 8 + 1, "little", signed=True),
        denominator.to_bytes((denominator.bit_length() + 7) // 8, "little"),
    )


def from_bytes(numerator: bytes, denominator: bytes) -> fmpq:
    """The inverse of `to_bytes`."""
    return fmpq(int.from_bytes(numerator, "little", signed=True), int.from_bytes(denominator, "little"))


def full_text(number: Fraction | fmpq | int) -> str:
    """All digits. FLINT writes millions of them in no time, and knows no limit."""
    rational = to_rational(number)
    return str(rational.p) if rational.q == 1 else f"{rational.p}/{rational.q}"


def short_text(number: Fraction | fmpq | int) -> str:
    """All digits of a short number, the leading ones of a long one and how many there are."""
    rational = to_rational(number)
    if digits(rational.p) <= LONGEST and digits(rational.q) <= LONGEST:
        return full_text(rational)
    return f"{_leading(rational.p)}/{_leading(rational.q)} ({digits(rational.p)}/{digits(rational.q)} digits)"


def decimal_text(number: Fraction | fmpq | int, places: int) -> str:
    """The number rounded to so many places after the point, halves away from zero."""
    rational = to_rational(number)
    scaled = abs(rational.p) * fmpz(10) ** places
    rounded = (2 * scaled + rational.q) // (2 * rational.q)
    whole, rest = divmod(rounded, fmpz(10) ** places)
    sign = "-" if rational < 0 and rounded else ""
    return f"{sign}{whole}.{str(rest).rjust(places, '0')}" if places else f"{sign}{whole}"


def digits(number: fmpz) -> int:
    """How many decimal digits an integer has."""
    size = abs(number)
    if size == 0:
        return 1
    # log₁₀ from the bits is right up to one; one comparison settles it.
    guess = max(int((int(size.height_bits()) - 1) * 0.30102999566398114), 0)
    while fmpz(10) ** (guess + 1) <= size:
        guess += 1
    return guess + 1


def _leading(number: fmpz) -> str:
    size, count = abs(number), digits(number)
    sign = "-" if number < 0 else ""
    if count <= LEADING:
        return f"{sign}{size}"
    return f"{sign}{size // fmpz(10) ** (count - LEADING)}…"
