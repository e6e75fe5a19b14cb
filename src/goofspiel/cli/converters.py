"""What is typed behind an option as a number, a size, a list, rules; errors quote it and say what would be right."""

import argparse
import re
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from goofspiel.cards import MAX_CARDS
from goofspiel.errors import RulesError
from goofspiel.rules import Rules

T = TypeVar("T")


def folder_or_url(text: str) -> Path | str:
    """A folder, or a URL, which is no path."""
    return text if "://" in text else Path(text)


def whole_number(least: int, most: int, what: str) -> Callable[[str], int]:
    """A converter for whole numbers in a range; its error quotes the input and the limits."""

    def convert(text: str) -> int:
        if not re.fullmatch("-?[0-9]{1,12}", text) or not least <= int(text) <= most:
            raise argparse.ArgumentTypeError(f"{what} must be {least} to {most}, not {text!r}")
        return int(text)

    convert.__name__ = what
    return convert


def number(least: float, most: float, what: str) -> Callable[[str], float]:
    """A converter for numbers in a range; its error quotes the input and the limits."""

    def convert(text: str) -> float:
        if not re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,9})?", text) or not least <= float(text) <= most:
            raise argparse.ArgumentTypeError(f"{what} must be {least:g} to {most:g}, not {text!r}")
        return float(text)

    return convert


def size(text: str) -> int:
    """A number of bytes: a whole or decimal number and a unit."""
    found = re.fullmatch(r"([0-9]{1,6}(?:\.[0-9]{1,6})?) ?([KMGT])i?B?", text, re.IGNORECASE)
    if not found:
        raise argparse.ArgumentTypeError(f"a size is a number and a unit, as in 8GiB or 500MiB, not {text!r}")
    return int(float(found[1]) * 1024 ** (1 + "KMGT".index(found[2].upper())))


def gap(text: str) -> float:
    """A number above 0."""
    written = r"([0-9]{1,6}(\.[0-9]{0,12})?|\.[0-9]{1,12})(e-?[0-9]{1,2})?"
    if not re.fullmatch(written, text, re.IGNORECASE) or not float(text):
        raise argparse.ArgumentTypeError(f"a gap is a number above 0, as in 1e-4, not {text!r}")
    return float(text)


def card_list(text: str) -> tuple[int, ...]:
    """Numbers of cards and ranges of them."""
    found: set[int] = set()
    for part in text.split(","):
        limits = re.fullmatch("([0-9]{1,3})(?:-([0-9]{1,3}))?", part)
        first, last = (int(limits[1]), int(limits[2] or limits[1])) if limits else (0, 0)
        if not 1 <= first <= last <= MAX_CARDS:
            raise argparse.ArgumentTypeError(f"numbers of cards are 1 to {MAX_CARDS}, as in 3-9,13, not {text!r}")
        found |= set(range(first, last + 1))
    return tuple(sorted(found))


def game(text: str) -> int | str:
    """A number of cards; or the text of rules, as `str` writes them: `9 win carry`."""
    if re.match("[0-9]+ +[^ ]", text):
        by(Rules.parse)(text)
        return text
    return whole_number(1, MAX_CARDS, "number of cards")(text)


def by(read: Callable[[str], T]) -> Callable[[str], T]:
    """A converter whose errors are those of the rules."""

    def convert(text: str) -> T:
        try:
            return read(text)
        except RulesError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return convert
