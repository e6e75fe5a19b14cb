"""Find a game that leads to a position, and another one."""

from collections.abc import Iterator
from functools import lru_cache
from itertools import product
from random import Random
from typing import TypeAlias

from goofspiel.errors import PositionError
from goofspiel.position import MAX_LEAD, Position
from goofspiel.records.record import GameRecord, Round
from goofspiel.rules import Rules, cards_of, check_cards

_Pairs: TypeAlias = tuple[tuple[int, int], ...]  # (my bid, their bid)
_Cards: TypeAlias = tuple[int, ...]
_Counts: TypeAlias = tuple[int, int]  # rounds that I won, rounds that they won

_EVEN = 2 * MAX_LEAD  # the bit of a lead of 0 in a set of leads: none that is asked for is below 0


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
    if (position.mine | position.theirs | position.prizes) & ~everything:
        raise PositionError(f"a game of {cards} cards has no such cards: {str(position)!r}")
    gone = everything ^ position.prizes
    prizes = cards_of(gone)
    sums = _sums(gone)
    found = False
    for (wins, losses), pairs in _pairings(everything ^ position.mine, everything ^ position.theirs).items():
        if sums[0].get((wins, losses), 0) >> _EVEN + position.lead & 1:
            signs = _signs(prizes, sums, wins, losses, position.lead)
            bids = {sign: [pair for pair in pairs if _sign(*pair) == sign] for sign in (1, 0, -1)}
            yield [Round(prize, *bids[sign].pop()) for prize, sign in zip(prizes, signs, strict=True)]
            found = True
    if not found:
        raise PositionError(f"no game of {cards} cards comes to this position: {str(position)!r}")


def _shown(position: Position) -> tuple[Round, ...]:
    return (Round(position.upcard),) if position.upcard else ()


@lru_cache(maxsize=1024)
def _pairings(mine: int, theirs: int) -> dict[_Counts, _Pairs]:
    """A way to bid these cards against each other for every number of wins and losses that there can be.

    Cards are taken in ascending order. Each beats one of the other side that waits, or waits itself for a higher one;
    a card that both have may tie. Which one is beaten makes no difference: all that wait are lower. So ways that agree
    in how many wait and in how many were won and lost go on alike, and one of them is kept.
    """
    # (how many of mine wait, of theirs, wins, losses) → (mine that wait, theirs, pairs)
    kept: dict[tuple[int, int, int, int], tuple[_Cards, _Cards, _Pairs]] = {(0, 0, 0, 0): ((), (), ())}
    for card in cards_of(mine | theirs):
        i_have, they_have = mine >> card - 1 & 1, theirs >> card - 1 & 1
        my_higher, their_higher = (mine >> card).bit_count(), (theirs >> card).bit_count()
        before, kept = kept, {}
        for (_, _, wins, losses), (my_wait, their_wait, pairs) in before.items():
            ways = []
            for win, loss in product(range(i_have + 1), range(they_have + 1)):
                if win <= len(their_wait) and loss <= len(my_wait):
                    my_next = my_wait[loss:] + (card,) * (i_have - win)
                    their_next = their_wait[win:] + (card,) * (they_have - loss)
                    beaten = (*((card, low) for low in their_wait[:win]), *((low, card) for low in my_wait[:loss]))
                    ways.append((wins + win, losses + loss, my_next, their_next, pairs + beaten))
            if i_have and they_have:
                ways.append((wins, losses, my_wait, their_wait, (*pairs, (card, card))))
            for won, lost, my_next, their_next, paired in ways:
                if len(my_next) <= their_higher and len(their_next) <= my_higher:  # the others wait in vain
                    kept.setdefault((len(my_next), len(their_next), won, lost), (my_next, their_next, paired))
    return {(wins, losses): pairs for (_, _, wins, losses), (_, _, pairs) in kept.items()}


@lru_cache(maxsize=1024)
def _sums(prizes: int) -> list[dict[_Counts, int]]:
    """What can be won in all: `[first][wins, losses]`, from the prizes without the `first` lowest ones.

    A set of leads is a mask: bit (_EVEN + lead) is set.
    """
    result: list[dict[_Counts, int]] = [{(0, 0): 1 << _EVEN}]
    for prize in reversed(cards_of(prizes)):
        grown: dict[_Counts, int] = {}
        for (wins, losses), leads in result[0].items():
            for win, loss, moved in ((0, 0, leads), (1, 0, leads << prize), (0, 1, leads >> prize)):
                counts = wins + win, losses + loss
                grown[counts] = grown.get(counts, 0) | moved
        result.insert(0, grown)
    return result


def _signs(prizes: tuple[int, ...], sums: list[dict[_Counts, int]], wins: int, losses: int, lead: int) -> list[int]:
    """Who won each prize (1: I did, 0: nobody, −1: they did), so that wins, losses and lead come out as they should."""
    signs = []
    for prize, rest in zip(prizes, sums[1:], strict=True):
        for sign in (1, -1, 0):
            counts = wins - (sign > 0), losses - (sign < 0)
            if rest.get(counts, 0) >> _EVEN + lead - sign * prize & 1:
                break
        (wins, losses), lead = counts, lead - sign * prize
        signs.append(sign)
    return signs


def _sign(mine: int, theirs: int) -> int:
    return (mine > theirs) - (mine < theirs)
