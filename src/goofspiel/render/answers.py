"""Answers for people and programs: text, json, csv."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from goofspiel.rules import Objective, card_name
from goofspiel.tablebase.answer import Answer, ChanceAnswer
from goofspiel.tablebase.outcomes import MOST_CARDS, Outcomes

CSV_HEADER = "position,objective,value,gap,mine,theirs"
ZERO = 5e-10  # a regret below this is rounding


def answer_json(answer: Answer | ChanceAnswer, *, outcomes: bool = True) -> dict[str, Any]:
    """One object, cards in notation; without `outcomes`, which can take a second, they are null."""
    common: dict[str, Any] = {
        "position": str(answer.position),
        "objective": str(answer.objective),
        "value": answer.value,
    }
    if answer.objective == Objective.WIN:
        common["outcomes"] = asdict(answer.outcomes) if outcomes and answer.outcomes else None
    if isinstance(answer, ChanceAnswer):
        return common | {"upcards": _named(answer.upcards)}
    return common | {
        "mine": _named(answer.mine),
        "theirs": _named(answer.theirs),
        "matrix": [list(row) for row in answer.matrix],
        "regret": _named(answer.regret),
        "gap": answer.gap,
        "unique": answer.unique,
        "ranges": {card_name(card): list(span) for card, span in answer.ranges.items()},
        "interchangeable": [[card_name(card) for card in group] for group in answer.interchangeable],
    }


def answer_csv(answer: Answer | ChanceAnswer) -> str:
    """One line; mixes as `card:probability` words, without the cards that are never played."""
    head = f"{answer.position},{answer.objective},{answer.value!r}"
    if isinstance(answer, ChanceAnswer):
        return f"{head},,,"
    return f"{head},{answer.gap!r},{_words(answer.mine)},{_words(answer.theirs)}"


def answer_text(answer: Answer | ChanceAnswer) -> str:
    """For a reader."""
    lines = [f"{answer.position}", f"value     {_signed(answer.value, 6)} {answer.objective.unit}"]
    if answer.objective == Objective.WIN:
        lines += _outcomes_text(answer.outcomes)
    if isinstance(answer, ChanceAnswer):
        if answer.upcards:
            lines += ["", "upcard       value"]
        lines += [f"{card_name(card):>6} {_signed(value, 6):>11}" for card, value in answer.upcards.items()]
        return "\n".join(lines)
    mine, theirs = answer.position.my_cards, answer.position.their_cards
    note = "the only optimal mix" if answer.unique else "an optimal mix; others exist, see the ranges"
    lines += [f"gap       {answer.gap:.1e}", f"my mix    {note}"]
    lines += [
        f"          {_group(group)} are interchangeable: the lowest stands for all" for group in answer.interchangeable
    ]
    lines += ["", "mine  probability" + ("" if answer.unique else "       range      ") + "       earns      regret"]
    for card in mine:
        row = f"{card_name(card):>4}  {answer.mine[card]:>11.6f}"
        if not answer.unique:
            row += "  {:.4f} … {:.4f}".format(*answer.ranges[card])
        regret = answer.regret[card] if answer.regret[card] > ZERO else 0.0
        lines.append(f"{row} {_signed(answer.value - regret, 6):>11} {regret:>11.6f}")
    lines += ["", "theirs  probability"]
    lines += [f"{card_name(card):>6}  {answer.theirs[card]:>11.6f}" for card in theirs]
    lines += ["", "payoff, mine down, theirs across:"]
    lines.append("      " + "".join(f"{card_name(card):>9}" for card in theirs))
    for card, row_values in zip(mine, answer.matrix, strict=True):
        lines.append(f"{card_name(card):>6}" + "".join(f"{_signed(value, 3):>9}" for value in row_values))
    return "\n".join(lines)


def _outcomes_text(found: Outcomes | None) -> list[str]:
    """How the game ends, and what that is said of."""
    if found is None:
        return [f"          P(win), P(draw), P(loss) are worked out with up to {MOST_CARDS} cards in a hand"]
    return [
        f"P(win)    {found.win:.6f}    P(draw) {found.draw:.6f}    P(loss) {found.loss:.6f}",
        "          of the mixes found; where other mixes are optimal too, draws may be more or less likely",
    ]


def _signed(number: float, digits: int) -> str:
    """With a sign, but never a negative zero."""
    return f"{round(number, digits) + 0.0:+.{digits}f}"


def _named(by_card: Mapping[int, float]) -> dict[str, float]:
    return {card_name(card): number for card, number in by_card.items()}


def _words(mix: Mapping[int, float]) -> str:
    return " ".join(f"{card_name(card)}:{probability!r}" for card, probability in mix.items() if probability)


def _group(cards: tuple[int, ...]) -> str:
    return " ".join(map(card_name, cards))
