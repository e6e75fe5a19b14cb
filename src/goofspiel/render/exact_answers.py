"""Exact answers and first-move tables for people and programs."""

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from goofspiel.games.rationals import decimal_text, full_text, short_text
from goofspiel.rules import card_name
from goofspiel.tablebase.exact import ExactAnswer, ExactChanceAnswer

Writer = Callable[[Fraction], str]

CSV_HEADER = "position,objective,value,mine,theirs"
SHORT_DECIMALS = 6  # beside a fraction that is not printed in full


def writer(*, digits: int | None, full: bool) -> Writer:
    """How numbers are written: as decimals, as fractions in full, or as fractions that are cut where they are long."""
    if digits is not None:
        return lambda number: decimal_text(number, digits)
    return full_text if full else short_text


def exact_json(answer: ExactAnswer | ExactChanceAnswer, write: Writer) -> dict[str, Any]:
    """One object, cards in notation, numbers as texts."""
    common = {"position": str(answer.position), "objective": str(answer.objective), "value": write(answer.value)}
    if isinstance(answer, ExactChanceAnswer):
        return common | {"upcards": _named(answer.upcards, write)}
    return common | {
        "mine": _named(answer.mine, write),
        "theirs": _named(answer.theirs, write),
        "matrix": [[write(cell) for cell in row] for row in answer.matrix],
        "regret": _named(answer.regret, write),
        "unique": answer.unique,
        "ranges": {card_name(card): [write(end) for end in ends] for card, ends in answer.ranges.items()},
        "interchangeable": [[card_name(card) for card in group] for group in answer.interchangeable],
    }


def exact_csv(answer: ExactAnswer | ExactChanceAnswer, write: Writer) -> str:
    """One line; mixes as `card:probability` words, without the cards that are never played."""
    head = f"{answer.position},{answer.objective},{write(answer.value)}"
    if isinstance(answer, ExactChanceAnswer):
        return f"{head},,"
    return f"{head},{_words(answer.mine, write)},{_words(answer.theirs, write)}"


def exact_text(answer: ExactAnswer | ExactChanceAnswer, write: Writer) -> str:
    """For a reader."""
    lines = [f"{answer.position}", f"value     {beside(answer.value, write)} {answer.objective.unit}, exactly"]
    if isinstance(answer, ExactChanceAnswer):
        lines += ["", "upcard  value"] * bool(answer.upcards)
        lines += [f"{card_name(card):>6}  {beside(value, write)}" for card, value in answer.upcards.items()]
        return "\n".join(lines)
    lines.append(f"my mix    {'the only optimal mix' if answer.unique else 'an optimal mix; others exist'}")
    for group in answer.interchangeable:
        names = " ".join(map(card_name, group))
        lines.append(f"          {names} are interchangeable: the lowest stands for all")
    lines += ["", "mine  probability"]
    for card, probability in answer.mine.items():
        lines.append(f"{card_name(card):>4}  {beside(probability, write)}")
        if not answer.unique:
            least, greatest = answer.ranges[card]
            lines.append(f"      between {beside(least, write)} and {beside(greatest, write)}")
    lines += ["", "theirs  probability"]
    lines += [f"{card_name(card):>6}  {beside(p, write)}" for card, p in answer.theirs.items()]
    return "\n".join(lines)


def beside(number: Fraction, write: Writer) -> str:
    """A number, and beside one that is cut what it comes to."""
    text = write(number)
    return f"{text} ≈ {decimal_text(number, SHORT_DECIMALS)}" if "…" in text else text


def _named(by_card: Mapping[int, Fraction], write: Writer) -> dict[str, str]:
    return {card_name(card): write(number) for card, number in by_card.items()}


def _words(mix: Mapping[int, Fraction], write: Writer) -> str:
    return " ".join(f"{card_name(card)}:{write(p)}" for card, p in mix.items() if p)
