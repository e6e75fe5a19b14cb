"""Find a game that leads to a position."""

from goofspiel.errors import PositionError
from goofspiel.position import Position
from goofspiel.records.record import GameRecord, Round
from goofspiel.rules import Rules, cards_of, check_cards
from goofspiel.states.occurrence import EVEN, Counts, pairings, sums_of


def game_to(position: Position, cards: int) -> GameRecord:
    """A game of so many cards that comes to the position, as far as it has been played.

    A position says which cards are gone and who leads, not which was bid against which, for which prize, or when. Many
    games may lead to it, and this is always the same one of them; where none does, `PositionError`.
    """
    everything = (1 << check_cards(cards)) - 1
    if (position.mine | position.theirs | position.prizes) & ~everything:
        raise PositionError(f"a game of {cards} cards has no such cards: {str(position)!r}")
    gone = everything ^ position.prizes
    prizes = cards_of(gone)
    sums = sums_of(gone)
    for (wins, losses), pairs in pairings(everything ^ position.mine, everything ^ position.theirs).items():
        if sums[0].get((wins, losses), 0) >> EVEN + position.lead & 1:
            signs = _signs(prizes, sums, wins, losses, position.lead)
            bids = {sign: [pair for pair in pairs if _sign(*pair) == sign] for sign in (1, 0, -1)}
            rounds = [Round(prize, *bids[sign].pop()) for prize, sign in zip(prizes, signs, strict=True)]
            shown = [Round(position.upcard)] if position.upcard else []
            return GameRecord(Rules(cards), (*rounds, *shown))
    raise PositionError(f"no game of {cards} cards comes to this position: {str(position)!r}")


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
