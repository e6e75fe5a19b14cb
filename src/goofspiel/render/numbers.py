"""How numbers are written: doubles as they are, fractions in full, cut or as decimals; signs, and no negative zeros."""

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from goofspiel.cards import prize_name
from goofspiel.games.rationals import decimal_text, full_text, short_text

Writer = Callable[[Any], Any]  # of a number, for json and csv

SHORT_DECIMALS = 6  # beside a fraction that is not printed in full


def plain(number: Any) -> Any:
    """A double as it is; all digits of a fraction."""
    return full_text(number) if isinstance(number, Fraction) else number


def writer(*, digits: int | None, full: bool) -> Writer:
    """How fractions are written: as decimals, in full, or cut where they are long."""
    if digits is not None:
        return lambda number: decimal_text(number, digits)
    return full_text if full else short_text


def beside(number: Fraction, write: Writer) -> str:
    """A fraction, and beside one that is cut what it comes to."""
    text = write(number)
    return f"{text} ≈ {decimal_text(number, SHORT_DECIMALS)}" if "…" in text else str(text)


def signed(number: float, digits: int) -> str:
    """With a sign, but never a negative zero."""
    return f"{round(number, digits) + 0.0:+.{digits}f}"


def by_name(by_card: Mapping[int, Any], write: Writer = plain) -> dict[str, Any]:
    """Something for each card, or prize, in notation."""
    return {prize_name(card): write(number) for card, number in by_card.items()}
