"""A game in words: how it is played, what came of a round, which prizes are left."""

from typing import NamedTuple

from goofspiel.cards import MAX_CARDS, counted
from goofspiel.position import Position
from goofspiel.records.record import GameRecord, Round
from goofspiel.rules import Rules
from goofspiel.terminal.dialogue import label

GONE = "·"


class Scored(NamedTuple):
    """A round that was played, and what came of it."""

    round: Round
    pot: int
    """What was in the pot before."""
    gain: int
    """What I won, or, negative, they."""
    waiting: int
    """What is in the pot now, for the next round; after the last one nobody takes it."""


def scored(record: GameRecord) -> list[Scored]:
    """The rounds of a game that were played."""
    return [
        Scored(played, before.pot, after.lead - before.lead, 0 if record.rules.is_over(after.level) else after.pot)
        for before, played, after in record.steps()
        if not played.is_open
    ]


def outcome(found: Scored) -> str:
    """What happened in a round, in words."""
    prize, mine, theirs = map(label, found.round)
    stake = f"the {prize} and the pot of {found.pot}" if found.pot else f"the {prize}"
    if found.waiting:
        joins = "joins the pot, which now holds" if found.pot else "waits in the pot, which holds"
        return f"Both bid {mine}: the {prize} {joins} {found.waiting}."
    if mine == theirs:
        return f"Both bid {mine}: nobody wins {stake}."
    winner = "you" if found.gain > 0 else "they"
    return (
        f"You bid {mine}, they bid {theirs}: {winner} win {stake}, {counted(found.round.upcard + found.pot, 'point')}."
    )


def welcome(rules: Rules) -> str:
    """What a round is, before the first one."""
    ties = "; after equal bids it waits in the pot, which the next winner takes, too" if rules.has_pots else ""
    return (
        f"A prize is turned up. Both bid a card; the higher bid wins the prize{ties or ', equal bids win nothing'}. "
        "Your opponent has chosen its bid already."
    )


def longest_outcome(rules: Rules) -> str:
    """Room is kept for it, so that nothing moves when it appears."""
    most = Round(max(MAX_CARDS, rules.prizes[-1]), 14, 15)
    return outcome(Scored(most, rules.total if rules.has_pots else 0, -1, 0))


def how_to_play(rules: Rules) -> str:
    """How a game is played, in sentences."""
    usual = rules.prizes == tuple(range(1, rules.cards + 1))
    comes = rules.order or rules.prizes
    prizes = "the same cards" if usual else " ".join(map(label, rules.prizes))
    known = f"and come in an order that both know: {' '.join(map(label, comes))}" if rules.order else "shuffled"
    ties = "equal bids win nothing. All three cards are gone."
    if rules.has_pots:
        ties = "after equal bids the prize waits in the pot, which the next winner takes, too; what is in "
        ties += "it at the end is nobody's. The bids are gone."
    words = (
        f"The prizes are {prizes}{' ' if rules.order else ', '}{known}. A prize is turned up, both bid a card at the "
        f"same moment, and the higher bid wins as many points as the prize counts; {ties}"
    )
    if rules.rounds < rules.cards:
        words += f" The game ends after {counted(rules.rounds, 'round')}: what is left then counts nothing."
        words += " Prizes in brackets do not come any more." if rules.order else ""
    return words


def deck_cells(position: Position, rules: Rules) -> tuple[str, list[str]]:
    """What is left of the prizes, and what that row is called.

    In a known order as they come, those that are left over in brackets; else each in its place, or a mark.
    """
    if rules.order is not None:
        come = position.level - rules.last_level - (position.upcard > 0)
        return "next", [label(prize) if at < come else f"({label(prize)})" for at, prize in enumerate(position.deck)]
    left, cells = list(position.deck), []
    for prize in rules.prizes:
        cells.append(label(prize) if prize in left else GONE)
        if prize in left:
            left.remove(prize)
    return "deck", cells
