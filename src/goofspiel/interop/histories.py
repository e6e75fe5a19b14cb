"""Find a game that leads to a position, and another one."""

from collections.abc import Iterator
from itertools import product
from random import Random

from goofspiel.cards import cards_of
from goofspiel.errors import PositionError
from goofspiel.position import Position
from goofspiel.records.record import GameRecord, Round
from goofspiel.rules import Rules, check_cards
from goofspiel.states.occurrence import EVEN, Counts, pairings, sums_of


def game_to(position: Position, cards: int) -> GameRecord:
    """A game of so many cards that comes to the position, as far as it has been played.

    A position says which cards are gone and who leads, not which was bid against which, for which prize, or when. Many
    games may lead to it, and this is always the same one of them; where none does, `PositionError`.
    """
    return GameRecord(Rules(cards), (*next(_games_to(position, cards)), *_shown(position)))


def other_game_to(position: Position, cards: int) -> GameRecord | None:
    """Another game than `game_to` that comes to the position, always the same; None where there is only one.

    It is drawn, from a seed that depends on the position: rounds are in another order, other bids met, other prizes
    were won. Not all games are as likely.
    """
    if position.level >= cards - 1:
        return None  # what is gone tells what happened
    choose = Random(str(position))
    games = list(_games_to(position, cards))
    rounds = list(choose.choice(games))
    for sign in (1, 0, -1):  # bids that were won, tied and lost, for other prizes
        some = [which for which, one in enumerate(rounds) if _sign(one.mine, one.theirs) == sign]
        bids = [(rounds[which].mine, rounds[which].theirs) for which in some]
        for which, (mine, theirs) in zip(some, choose.sample(bids, len(bids)), strict=True):
            rounds[which] = Round(rounds[which].upcard, mine, theirs)
    for one, other in product(range(len(rounds)), repeat=2):  # bids against others, where that changes no winner
        (a, mine, theirs), (b, my_other, their_other) = rounds[one], rounds[other]
        alike = _sign(mine, theirs) == _sign(mine, their_other), _sign(my_other, their_other) == _sign(my_other, theirs)
        if one != other and all(alike) and choose.random() < 0.5:
            rounds[one], rounds[other] = Round(a, mine, their_other), Round(b, my_other, theirs)
    choose.shuffle(rounds)
    if rounds == games[0]:
        rounds.reverse()
    return GameRecord(Rules(cards), (*rounds, *_shown(position)))


def _games_to(position: Position, cards: int) -> Iterator[list[Round]]:
    """Rounds that come to the position, for every number of wins and losses that may; `PositionError` where none do."""
    everything = (1 << check_cards(cards)) - 1
    if position.highest_card > cards:
        raise PositionError(f"a game of {cards} cards has no such cards: {str(position)!r}")
    prizes = tuple(card for card in cards_of(everything) if card not in position.prizes)
    sums = sums_of(prizes)
    found = False
    for (wins, losses), pairs in pairings(everything ^ position.mine, everything ^ position.theirs).items():
        if sums[0].get((wins, losses), 0) >> EVEN + position.lead & 1:
            signs = _signs(prizes, sums, wins, losses, position.lead)
            bids = {sign: [pair for pair in pairs if _sign(*pair) == sign] for sign in (1, 0, -1)}
            yield [Round(prize, *bids[sign].pop()) for prize, sign in zip(prizes, signs, strict=True)]
            found = True
    if not found:
        raise PositionError(f"no game of {cards} cards comes to this position: {str(position)!r}")


def _shown(position: Position) -> tuple[Round, ...]:
    return (Round(position.upcard),) if position.upcard else ()


def _signs(prizes: tuple[int, ...], sums: list[dict[Counts, int]], wins: int, losses: int, lead: int) -> list[int]:
    """Who won each prize (1: I did, 0: nobody, −1: they did), so that wins, losses and lead come out as they should."""
    signs = []
    for prize, rest in zip(prizes, sums[1:], strict=True):
        for sign in (1, -1, 0):
            counts = wins - (sign > 0), losses - (sign < 0)
            if rest.get(counts, 0) >> EVEN + lead - sign * prize & 1:
                break
        (wins, losses), lead = counts, lead - sign * prize
        signs.append(sign)
    return signs


def _sign(mine: int, theirs: int) -> int:
    return (mine > theirs) - (mine < theirs)
