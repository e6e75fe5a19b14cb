"""Games with hidden bids: many of a match side by side, or one against a person."""

import time
from collections.abc import Callable

import numpy as np

from goofspiel.errors import GoofspielError
from goofspiel.hidden.players import HiddenPlayer
from goofspiel.hidden.sets import InformationSets, information_sets
from goofspiel.matches.playing import Chance, MatchResult, MatchStoppedError, PlayedGames, Tally, hand_on, units_of
from goofspiel.players.players import draw, told_apart
from goofspiel.records.record import GameRecord
from goofspiel.rules import Rules

BATCH = 4096  # games side by side


def play_hidden_match(
    first: HiddenPlayer,
    second: HiddenPlayer,
    rules: Rules,
    *,
    games: int,
    seed: int = 0,
    duplicate: bool = False,
    on_progress: Callable[[int, int], None] = lambda done, whole: None,
    on_record: Callable[[GameRecord], None] | None = None,
) -> MatchResult:
    """Play games with decks and bids drawn from the seed, as `play_match` does where bids are open."""
    sets, tally, started = information_sets(rules), Tally([]), time.monotonic()
    units = units_of(games, duplicate=duplicate)
    names = told_apart(first.name, second.name)

    def result() -> MatchResult:
        return tally.result(names, rules, seed, duplicate, started)

    try:
        for start in range(0, units, BATCH):
            chance = Chance.deal(rules, seed, start, min(BATCH, units - start))
            seats = [((first, second), 1), ((second, first), -1)][: 1 + duplicate]
            played = [(_play(sets, *players, chance), side) for players, side in seats]
            tally.add(np.stack([side * found.lead for found, side in played], axis=1).astype(np.float64), {})
            if on_record:
                hand_on(on_record, [found for found, _ in played], names, rules, seed)
            on_progress(sum(tally.outcomes), games)
    except GoofspielError as error:
        raise MatchStoppedError(str(error), result()) from error
    except KeyboardInterrupt:
        raise MatchStoppedError("interrupted", result()) from None
    return result()


def _play(sets: InformationSets, first: HiddenPlayer, second: HiddenPlayer, chance: Chance) -> PlayedGames:
    """Play all rounds of some games."""
    rules, count = sets.rules, len(chance.decks)
    rounds = np.zeros((count, rules.rounds, 3), dtype=np.int64)
    seen = np.zeros(count, dtype=np.int64)
    lead, pot = np.zeros(count, dtype=np.int64), np.zeros(count, dtype=np.int64)
    for number in range(rules.rounds):
        prizes = chance.decks[:, number].astype(np.int64)
        if number < len(sets.depths):
            here = sets.depths[number]
            seen = here.find_prizes(seen, prizes)
            bids = []
            for seat, player in enumerate((first, second)):
                mine, theirs = rounds[:, :number, 1 + seat], rounds[:, :number, 2 - seat]
                tracks = here.tracks.find(mine, np.sign(mine - theirs))
                mixes = player.mixes(sets, number, seen * here.tracks.count + tracks)
                chosen = draw(mixes, chance.bids[:, number, seat])
                bids.append(here.tracks.hands[tracks, chosen])
        else:  # the last card is no choice
            whole = rules.cards * (rules.cards + 1) // 2
            bids = [whole - rounds[:, :number, 1 + seat].sum(axis=1) for seat in range(2)]
        rounds[:, number] = np.stack([prizes, *bids], axis=1)
        sign = np.sign(bids[0] - bids[1])
        lead = lead + sign * (prizes + pot)
        pot = np.where(sign == 0, pot + prizes, 0) if rules.has_pots else pot
    return PlayedGames(lead, rounds, {})
