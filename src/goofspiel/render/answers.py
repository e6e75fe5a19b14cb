"""Answers for people and programs: text, json, csv; in doubles or in fractions."""

import csv
import io
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from functools import lru_cache
from typing import Any

from goofspiel.cards import MAX_CARDS, card_name, cards_of, counted, prize_name
from goofspiel.position import Position
from goofspiel.render.numbers import Writer, beside, by_name, plain, signed
from goofspiel.rules import Rules
from goofspiel.states.occurrence import occurs
from goofspiel.tablebase.answer import Answer, ChanceAnswer, interchangeable_groups
from goofspiel.tablebase.many import RoundAnswers
from goofspiel.tablebase.outcomes import MOST_CARDS, Outcomes

AnyAnswer = Answer[Any] | ChanceAnswer[Any]

UNIQUE = {
    True: "the only optimal mix",
    False: "an optimal mix; others exist, see the ranges",
    None: "an optimal mix; whether others exist this table cannot tell, none passes the ranges",
}


def answer_json(answer: AnyAnswer, write: Writer = plain, *, outcomes: Outcomes | None = None) -> dict[str, Any]:
    """One object, cards in notation; `outcomes` of an answer to win are null where they are not given."""
    common: dict[str, Any] = {
        "position": str(answer.position),
        "rules": str(answer.rules),
        "objective": str(answer.objective),
        "value": write(answer.value),
        "cards": answer.rules.cards,
        "occurs": answer.occurs,
    }
    if answer.rules.has_leads and not answer.is_exact:
        common["outcomes"] = asdict(outcomes) if outcomes else None
    if isinstance(answer, ChanceAnswer):
        bound = {} if answer.is_exact else {"bound": answer.bound}
        return common | {"upcards": by_name(answer.upcards, write), **bound}
    return common | {
        "mine": by_name(answer.mine, write),
        "theirs": by_name(answer.theirs, write),
        "matrix": [[write(cell) for cell in row] for row in answer.matrix],
        "regret": by_name(answer.regret, write),
        **({} if answer.is_exact else {"gap": answer.gap, "bound": answer.bound}),
        "unique": answer.unique,
        "ranges": {card_name(card): [write(end) for end in span] for card, span in answer.ranges.items()},
        "interchangeable": [[card_name(card) for card in group] for group in answer.interchangeable],
    }


def round_answers_json(
    found: RoundAnswers, *, settle: Callable[[AnyAnswer], AnyAnswer] = lambda answer: answer
) -> Iterator[dict[str, Any]]:
    """The same objects for many positions, written from arrays; `settle` completes those whose mix may have others."""
    rounds, rules = found.rounds, found.rules
    said, objective = str(rules), str(rules.objective)
    outcomes = {"outcomes": None} if rules.has_leads else {}
    columns = (rounds.value, rounds.mine, rounds.theirs, rounds.payoffs(), rounds.regret, rounds.gap, found.bound)
    rows = zip(
        found.positions, found.unique.tolist(), found.groups, *(column.tolist() for column in columns), strict=True
    )
    for place, (position, unique, groups, value, mine, theirs, matrix, regret, gap, bound) in enumerate(rows):
        if not unique:
            yield answer_json(settle(found.answer(place)))
            continue
        my_cards = names_of(position.mine)
        yield {
            "position": str(position),
            "rules": said,
            "objective": objective,
            "value": value,
            "cards": rules.cards,
            "occurs": occurs(position, rules),
            **outcomes,
            "mine": dict(zip(my_cards, mine, strict=True)),
            "theirs": dict(zip(names_of(position.theirs), theirs, strict=True)),
            "matrix": matrix,
            "regret": dict(zip(my_cards, regret, strict=True)),
            "gap": gap,
            "bound": bound,
            "unique": True,
            "ranges": {card: [share, share] for card, share in zip(my_cards, mine, strict=True)},
            "interchangeable": _interchangeable_names(position) if groups < len(my_cards) else [],
        }


@lru_cache(maxsize=1 << 13)
def names_of(hand: int) -> tuple[str, ...]:
    """The cards of a hand in notation, ascending."""
    return tuple(map(card_name, cards_of(hand)))


def _interchangeable_names(position: Position) -> list[list[str]]:
    groups, _ = interchangeable_groups(position.mine, position.theirs)
    return [[card_name(card) for card in group] for group in groups if len(group) > 1]


def csv_header(rules: Rules, *, exact: bool) -> str:
    """The names of the columns: fractions have no gap; rules are named where they are not the usual ones."""
    columns = ["position", "objective", "value", *([] if exact else ["gap"]), "mine", "theirs"]
    return ",".join(columns + ([] if rules.is_usual else ["rules"]))


def answer_csv(answer: AnyAnswer, write: Writer = plain) -> str:
    """One line; mixes as `card:probability` words, without the cards that are never played."""
    cells = [str(answer.position), str(answer.objective), write(answer.value)]
    if isinstance(answer, ChanceAnswer):
        cells += [""] * (2 if answer.is_exact else 3)
    else:
        cells += [*([] if answer.is_exact else [answer.gap]), _words(answer.mine, write), _words(answer.theirs, write)]
    if not answer.rules.is_usual:
        cells.append(str(answer.rules))
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(cells)
    return line.getvalue()


def answer_text(
    answer: AnyAnswer, write: Writer = plain, *, outcomes: Outcomes | None = None, alone: bool = False
) -> str:
    """For a reader; `alone`: that it was worked out without a table is said."""
    if answer.is_exact:
        return _exact_text(answer, write, alone=alone)
    value = f"value     {signed(answer.value, 6)} {answer.objective.unit}"
    lines = [f"{answer.position}", *_notes(answer, alone=alone), value]
    if answer.rules.can_be_decided:
        lines += _outcomes_text(outcomes)
    if isinstance(answer, ChanceAnswer):
        lines.append(f"bound     {answer.bound:.1e}: each value is within this of the true one")
        if answer.upcards:
            lines += ["", "upcard       value"]
            lines += [f"{prize_name(card):>6} {signed(value, 6):>11}" for card, value in answer.upcards.items()]
        return "\n".join(lines)
    mine, theirs = answer.position.my_cards, answer.position.their_cards
    lines += [
        f"gap       {answer.gap:.1e}, of the mixes below in the payoffs below",
        f"bound     {answer.bound:.1e}: the value is within this of the true one, each payoff, too",
        f"my mix    {UNIQUE[answer.unique]}",
        *_interchangeable(answer),
    ]
    lines += ["", "mine  probability" + ("" if answer.unique else "       range      ") + "       earns      regret"]
    for card in mine:
        row = f"{card_name(card):>4}  {answer.mine[card]:>11.6f}"
        if not answer.unique:
            row += "  {:.4f} … {:.4f}".format(*answer.ranges[card])
        # What is no more than the bound, on both sides of the difference, is not known to be anything.
        regret = answer.regret[card] if answer.regret[card] > 2 * answer.bound else 0.0
        lines.append(f"{row} {signed(answer.value - regret, 6):>11} {regret:>11.6f}")
    lines += ["", "theirs  probability"]
    lines += [f"{card_name(card):>6}  {answer.theirs[card]:>11.6f}" for card in theirs]
    lines += ["", "payoff, mine down, theirs across:"]
    lines.append("      " + "".join(f"{card_name(card):>9}" for card in theirs))
    for card, row_values in zip(mine, answer.matrix, strict=True):
        lines.append(f"{card_name(card):>6}" + "".join(f"{signed(value, 3):>9}" for value in row_values))
    return "\n".join(lines)


def _exact_text(answer: AnyAnswer, write: Writer, *, alone: bool) -> str:
    said = beside(answer.value, write)
    decimals = 0 if "…" in said else len(said.partition(".")[2])
    is_rounded = decimals and pow(10, decimals, answer.value.denominator)
    value = f"value     {said} {answer.objective.unit}, {'rounded' if is_rounded else 'exactly'}"
    lines = [f"{answer.position}", *_notes(answer, alone=alone), value]
    if isinstance(answer, ChanceAnswer):
        lines += ["", "upcard  value"] * bool(answer.upcards)
        lines += [f"{prize_name(card):>6}  {beside(value, write)}" for card, value in answer.upcards.items()]
        return "\n".join(lines)
    note = "the only optimal mix" if answer.unique else "an optimal mix; others exist"
    lines += [f"my mix    {note}", *_interchangeable(answer), "", "mine  probability"]
    for card, probability in answer.mine.items():
        lines.append(f"{card_name(card):>4}  {beside(probability, write)}")
        if not answer.unique:
            least, greatest = answer.ranges[card]
            lines.append(f"      between {beside(least, write)} and {beside(greatest, write)}")
    lines += ["", "theirs  probability"]
    lines += [f"{card_name(card):>6}  {beside(p, write)}" for card, p in answer.theirs.items()]
    return "\n".join(lines)


def _notes(answer: AnyAnswer, *, alone: bool) -> list[str]:
    """What else is to be said: rules that are not the usual ones, a position that cannot occur, no table."""
    rules = answer.rules
    lines = [] if rules.is_usual else [f"rules     {rules}"]
    if not answer.occurs:  # it has a value all the same
        lines.append(f"note      no game of {counted(rules.cards, 'card')} comes to this position{_elsewhere(answer)}")
    return lines + ["table     none: worked out without one"] * alone


def _elsewhere(answer: AnyAnswer) -> str:
    """Which game comes to a position, if the answer's does not."""
    rules = answer.rules
    if not rules.nests:
        return ""
    larger = (n for n in range(rules.cards + 1, MAX_CARDS + 1) if occurs(answer.position, rules.with_cards(n)))
    return f"; one of {found} does" if (found := next(larger, None)) else f", nor one of up to {MAX_CARDS}"


def _interchangeable(answer: Answer[Any]) -> list[str]:
    groups = (" ".join(map(card_name, group)) for group in answer.interchangeable)
    return [f"          {group} are interchangeable: the lowest stands for all" for group in groups]


def _outcomes_text(found: Outcomes | None) -> list[str]:
    """How the game ends, and what that is said of."""
    if found is None:
        return [f"          P(win), P(draw), P(loss) are worked out with up to {MOST_CARDS} cards in a hand"]
    return [
        f"P(win)    {found.win:.6f}    P(draw) {found.draw:.6f}    P(loss) {found.loss:.6f}",
        "          of the mixes found; where other mixes are optimal too, draws may be more or less likely",
    ]


def _words(mix: Mapping[int, Any], write: Writer) -> str:
    return " ".join(f"{card_name(card)}:{write(probability)}" for card, probability in mix.items() if probability)
