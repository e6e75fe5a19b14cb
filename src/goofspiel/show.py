"""Answers for people and programs: text, json, csv."""

from collections.abc import Mapping
from typing import Any

from goofspiel.answer import Answer, ChanceAnswer
from goofspiel.rules import Objective, card_name

CSV_HEADER = "position,objective,value,gap,mine,theirs"
UNITS = {Objective.POINTS: "points", Objective.WIN: "P(win) − P(loss)"}
ZERO = 5e-10  # a regret below this is rounding


def answer_json(answer: Answer | ChanceAnswer) -> dict[str, Any]:
    """One object, cards in notation."""
    common = {"position": str(answer.position), "objective": str(answer.objective), "value": answer.value}
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
    unit = UNITS[answer.objective]
    lines = [f"{answer.position}", f"value     {answer.value:+.6f} {unit}"]
    if isinstance(answer, ChanceAnswer):
        if answer.upcards:
            lines += ["", "upcard       value"]
        lines += [f"{card_name(card):>6} {value:>+11.6f}" for card, value in answer.upcards.items()]
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
        lines.append(f"{row} {answer.value - regret:>+11.6f} {regret:>11.6f}")
    lines += ["", "theirs  probability"]
    lines += [f"{card_name(card):>6}  {answer.theirs[card]:>11.6f}" for card in theirs]
    lines += ["", "payoff, mine down, theirs across:"]
    lines.append("      " + "".join(f"{card_name(card):>9}" for card in theirs))
    for card, row_values in zip(mine, answer.matrix, strict=True):
        lines.append(f"{card_name(card):>6}" + "".join(f"{value:>+9.3f}" for value in row_values))
    return "\n".join(lines)


def _named(by_card: Mapping[int, float]) -> dict[str, float]:
    return {card_name(card): number for card, number in by_card.items()}


def _words(mix: Mapping[int, float]) -> str:
    return " ".join(f"{card_name(card)}:{probability!r}" for card, probability in mix.items() if probability)


def _group(cards: tuple[int, ...]) -> str:
    return " ".join(map(card_name, cards))
