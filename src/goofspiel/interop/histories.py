"""Find a game that leads to a position, and another one."""

from collections import Counter
from collections.abc import Iterator
from itertools import combinations, permutations, product
from random import Random

from goofspiel.cards import counted
from goofspiel.errors import PositionError, RulesError
from goofspiel.position import Position
from goofspiel.records.record import GameRecord, Round
from goofspiel.rules import Rules
from goofspiel.states.occurrence import EVEN, Counts, pairings, sums_of


def game_to(position: Position, rules: Rules | int) -> GameRecord:
    """A game that comes to the position, as far as it has been played; a number of cards is the usual game.

    A position says which cards are gone and who leads, not which was bid against which, for which prize, or when. Many
    games may lead to it, and this is always the same one of them; where none does, `PositionError`.
    """
    game = Rules.of(rules)
    return GameRecord(game, (*next(_games_to(position, game)), *_shown(position)))


def other_game_to(position: Position, rules: Rules | int) -> GameRecord | None:
    """Another game than `game_to` that comes to the position, always the same; None where there is only one.

    It is drawn, from a seed that depends on the position: rounds are in another order, other bids met, other prizes
    were won. Not all games are as likely.
    """
    game = Rules.of(rules)
    if position.level >= game.cards - 1:
        return None  # what is gone tells what happened
    choose = Random(str(position))
    games = list(_games_to(position, game))
    rounds = list(choose.choice(games))
    for sign in (1, 0, -1):  # bids that were won, tied and lost, for other prizes
        some = [which for which, one in enumerate(rounds) if _sign(one) == sign]
        bids = [(rounds[which].mine, rounds[which].theirs) for which in some]
        for which, (mine, theirs) in zip(some, choose.sample(bids, len(bids)), strict=True):
            rounds[which] = Round(rounds[which].upcard, mine, theirs)
    for one, other in product(range(len(rounds)), repeat=2):  # bids against others, where that changes no winner
        before = rounds[one], rounds[other]
        after = before[0]._replace(theirs=before[1].theirs), before[1]._replace(theirs=before[0].theirs)
        if one != other and [*map(_sign, before)] == [*map(_sign, after)] and choose.random() < 0.5:
            rounds[one], rounds[other] = after
    if game.order is None:
        choose.shuffle(rounds)
        if rounds == games[0]:
            rounds.reverse()
    elif rounds == games[0]:
        if not (found := _bid_otherwise(rounds)):
            return None
        rounds = found
    return GameRecord(game, (*rounds, *_shown(position)))


def _bid_otherwise(rounds: list[Round]) -> list[Round] | None:
    """Other bids of the same cards for the same prizes that lead by as much; None where there are none."""
    prizes, mine, theirs = zip(*rounds, strict=True)
    for one, other in combinations(range(len(rounds)), 2):
        if _sign(rounds[one]) == _sign(rounds[other]):
            found = list(rounds)
            found[one] = Round(prizes[one], mine[other], theirs[other])
            found[other] = Round(prizes[other], mine[one], theirs[one])
            return found
    for bids in product(permutations(mine), permutations(theirs)):  # a round won, one tied, one lost: 36 at most
        found = [Round(*played) for played in zip(prizes, *bids, strict=True)]
        if found != rounds and _lead(found) == _lead(rounds):
            return found
    return None


def _games_to(position: Position, rules: Rules) -> Iterator[list[Round]]:
    """Rounds that come to the position, for every number of wins and losses that may; `PositionError` where none do."""
    if rules.has_pots:
        raise RulesError(f"games that lead to a position are found where ties are discarded, not for {str(rules)!r}")
    position, everything = position.under(rules), (1 << rules.cards) - 1
    if rules.nests and position.highest_card > rules.cards:
        raise PositionError(f"a game of {counted(rules.cards, 'card')} has no such cards: {str(position)!r}")
    gone = sorted((Counter(rules.prizes) - Counter(position.prizes)).elements())
    prizes = tuple(gone) if rules.order is None else rules.order[: len(gone)]
    sums = sums_of(prizes)
    found = False
    for (wins, losses), pairs in pairings(everything ^ position.mine, everything ^ position.theirs).items():
        if sums[0].get((wins, losses), 0) >> EVEN + position.lead & 1:
            signs = _signs(prizes, sums, wins, losses, position.lead)
            bids = {sign: [pair for pair in pairs if _sign(Round(0, *pair)) == sign] for sign in (1, 0, -1)}
            yield [Round(prize, *bids[sign].pop()) for prize, sign in zip(prizes, signs, strict=True)]
            found = True
    if not found:
        named = f"no game of {counted(rules.cards, 'card')}" if rules.is_usual else f"no game {str(rules)!r}"
        raise PositionError(f"{named} comes to this position: {str(position)!r}")


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


def _sign(played: Round) -> int:
    return (played.mine > played.theirs) - (played.mine < played.theirs)


def _lead(rounds: list[Round]) -> int:
    return sum(_sign(played) * played.upcard for played in rounds)
