"""Exact answers and first-move tables for people and programs."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from goofspiel.exact.rationals import decimal_text, full_text, short_text
from goofspiel.exact.tablebase import ExactAnswer, ExactChanceAnswer, ExactTablebase
from goofspiel.position import Position
from goofspiel.rules import Objective, card_name

Writer = Callable[[Fraction], str]

UNITS = {Objective.POINTS: "points", Objective.WIN: "P(win) − P(loss)"}
CSV_HEADER = "position,objective,value,mine,theirs"
MOST_WIDTH = 24  # of a cell in a table
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
    lines = [f"{answer.position}", f"value     {_beside(answer.value, write)} {UNITS[answer.objective]}, exactly"]
    if isinstance(answer, ExactChanceAnswer):
        lines += ["", "upcard  value"] * bool(answer.upcards)
        lines += [f"{card_name(card):>6}  {_beside(value, write)}" for card, value in answer.upcards.items()]
        return "\n".join(lines)
    lines.append(f"my mix    {'the only optimal mix' if answer.unique else 'an optimal mix; others exist'}")
    for group in answer.interchangeable:
        names = " ".join(map(card_name, group))
        lines.append(f"          {names} are interchangeable: the lowest stands for all")
    lines += ["", "mine  probability"]
    for card, probability in answer.mine.items():
        lines.append(f"{card_name(card):>4}  {_beside(probability, write)}")
        if not answer.unique:
            least, greatest = answer.ranges[card]
            lines.append(f"      between {_beside(least, write)} and {_beside(greatest, write)}")
    lines += ["", "theirs  probability"]
    lines += [f"{card_name(card):>6}  {_beside(p, write)}" for card, p in answer.theirs.items()]
    return "\n".join(lines)


def _beside(number: Fraction, write: Writer) -> str:
    """A number, and beside one that is cut what it comes to."""
    text = write(number)
    return f"{text} ≈ {decimal_text(number, SHORT_DECIMALS)}" if "…" in text else text


def _named(by_card: Mapping[int, Fraction], write: Writer) -> dict[str, str]:
    return {card_name(card): write(number) for card, number in by_card.items()}


def _words(mix: Mapping[int, Fraction], write: Writer) -> str:
    return " ".join(f"{card_name(card)}:{write(p)}" for card, p in mix.items() if p)


@dataclass(frozen=True)
class ExactFirstMove:
    """Probabilities of the first bid, `[bid − 1][upcard − 1]`, and which columns have no other optimal mix."""

    cards: int
    objective: Objective
    probability: tuple[tuple[Fraction, ...], ...]
    unique: tuple[bool, ...]

    def to_csv(self, write: Writer) -> str:
        """Header `bid,1,2,…,N`, one row a bid."""
        header = ",".join(["bid", *map(str, range(1, self.cards + 1))])
        rows = (",".join([str(bid), *map(write, row)]) for bid, row in enumerate(self.probability, start=1))
        return "\n".join([header, *rows]) + "\n"

    def to_json(self, write: Writer) -> dict[str, Any]:
        """For json: the probabilities as texts."""
        rows = [[write(p) for p in row] for row in self.probability]
        return {
            "cards": self.cards,
            "objective": str(self.objective),
            "probability": rows,
            "unique": list(self.unique),
        }

    def to_text(self, write: Writer) -> str:
        """A table where the numbers are short, otherwise a line for each bid."""
        cells = [[write(p) for p in row] for row in self.probability]
        width = max(len(cell) for row in cells for cell in row)
        if width > MOST_WIDTH:
            return self._as_list(write)
        label = len(str(self.cards))
        header = " " * label + " |" + "".join(f" {upcard:>{width}}" for upcard in range(1, self.cards + 1))
        rows = [f"{bid:>{label}} | " + " ".join(f"{cell:>{width}}" for cell in row) for bid, row in enumerate(cells, 1)]
        return "\n".join([header, "-" * (label + 1) + "+" + "-" * (len(header) - label - 2), *rows]) + "\n"

    def _as_list(self, write: Writer) -> str:
        lines = []
        for upcard, column in enumerate(zip(*self.probability, strict=True), start=1):
            lines.append(f"upcard {upcard}" + ("" if self.unique[upcard - 1] else ": one of several optimal mixes"))
            lines += [f"  bid {bid}  {_beside(p, write)}" for bid, p in enumerate(column, start=1) if p]
        return "\n".join(lines) + "\n"


def exact_first_move(tablebase: ExactTablebase) -> ExactFirstMove:
    """The first-move table of a game, in fractions."""
    answers = [tablebase.probe(Position.start(tablebase.cards, upcard)) for upcard in range(1, tablebase.cards + 1)]
    columns = [answer for answer in answers if isinstance(answer, ExactAnswer)]
    rows = zip(*(answer.mine.values() for answer in columns), strict=True)
    return ExactFirstMove(
        tablebase.cards, tablebase.objective, tuple(map(tuple, rows)), tuple(answer.unique for answer in columns)
    )
