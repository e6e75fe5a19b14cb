"""Matches: two players play many games, all games of a batch side by side."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from goofspiel.arrays import Floats
from goofspiel.batch import PositionBatch, deal
from goofspiel.cards import counted
from goofspiel.errors import GoofspielError, PlayerError, RulesError
from goofspiel.interrupts import defer_sigint
from goofspiel.matches.statistics import ControlledSums, Estimate, Sums
from goofspiel.notebook import Tabular
from goofspiel.players.players import (
    FunctionPlayer,
    Player,
    card_at,
    check_player,
    checked_mixes,
    draw,
    knows,
    told_apart,
)
from goofspiel.records.record import GameRecord, Round
from goofspiel.rules import Objective, Rules
from goofspiel.store.blocks import check_open_bids
from goofspiel.tablebase import Tablebase

DEAL = 64  # games whose chance is drawn together: a longer match starts with the games of a shorter one
BATCH = 64 * DEAL  # games side by side
FEW = DEAL  # when a player is asked one position at a time: little is lost when it fails

Ints = NDArray[np.int32]


@dataclass(frozen=True)
class MatchResult(Tabular):
    """What came of a match, as the first player sees it.

    With `duplicate` the unit of observation is a pair of games, otherwise a game. `controlled` estimates the same mean
    as `points` (or `score`, for win) with the luck of upcards and bids taken away.
    """

    players: tuple[str, str]
    """What they are called."""
    rules: Rules
    """Which game was played."""
    seed: int
    """What the games were drawn from."""
    duplicate: bool
    """Whether every deck was played twice, sides swapped."""
    games: int
    """How many games were finished."""
    wins: int
    """Games that the first player won."""
    draws: int
    """Games that nobody won."""
    losses: int
    """Games that the second player won."""
    points: Estimate
    """Points of the first player − points of the second, a game."""
    score: Estimate
    """P(win) − P(loss)."""
    shares: tuple[Estimate, Estimate, Estimate]
    """The shares of wins, draws and losses."""
    controlled: dict[Objective, Estimate]
    """By objective: the same mean without luck, where a table was given for it."""
    seconds: float = field(compare=False)
    """How long it took."""

    @property
    def cards(self) -> int:
        """The number of cards of the games."""
        return self.rules.cards

    def heading(self) -> str:
        """What stands above its table."""
        return f"{self.players[0]} against {self.players[1]}: {counted(self.games, 'game')} of the rules {self.rules}"

    def columns(self) -> dict[str, list[Any]]:
        """The estimates: shares, points, P(win) − P(loss), and these without luck, each with its interval."""
        found = dict(zip(("wins", "draws", "losses"), self.shares, strict=True))
        found |= {"points a game": self.points, str(Objective.WIN.unit): self.score}
        found |= {f"{objective}, without luck": one for objective, one in self.controlled.items()}
        numbers = {name: [getattr(one, name) for one in found.values()] for name in ("mean", "low", "high")}
        return {"what": list(found)} | numbers

    def plain(self, objective: Objective) -> Estimate:
        """The estimate that `controlled` improves on."""
        return {Objective.POINTS: self.points, Objective.WIN: self.score}[objective]

    def variance_ratio(self, objective: Objective) -> float:
        """How many times more games the plain estimate would need."""
        controlled = self.controlled[objective].variance
        return self.plain(objective).variance / controlled if controlled else float("inf")


class MatchStoppedError(GoofspielError):
    """A match ended early: `result` is what was played until then."""

    def __init__(self, reason: str, result: MatchResult) -> None:
        super().__init__(f"{reason} (after {result.games} finished games)")
        self.result = result


@dataclass(frozen=True, slots=True, eq=False)
class PlayedGames:
    """Finished games, one element a game."""

    lead: NDArray[np.integer]
    rounds: NDArray[np.integer]  # [game][round][upcard, mine, theirs]
    expected: dict[Objective, Floats]  # what the mixes were worth to the first seat, whatever fell

    def records(self) -> Iterator[tuple[Round, ...]]:
        """The rounds of each."""
        for game in self.rounds.tolist():
            yield tuple(Round(*played) for played in game)


class Tally:
    """What is kept of the games."""

    def __init__(self, objectives: Sequence[Objective]) -> None:
        self.outcomes = [0, 0, 0]
        self.points, self.score = Sums(), Sums()
        self.shares = Sums(), Sums(), Sums()
        self.controlled = {objective: ControlledSums() for objective in objectives}

    def add(self, lead: Floats, expected: dict[Objective, Floats]) -> None:
        """Games as the first player sees them, [unit][game of the unit]."""
        for which, (total, share) in enumerate(zip((1, 0, -1), self.shares, strict=True)):
            found = np.sign(lead) == total
            self.outcomes[which] += int(found.sum())
            share.add(found.mean(axis=1))
        plain = {Objective.POINTS: lead.mean(axis=1), Objective.WIN: np.sign(lead).mean(axis=1)}
        self.points.add(plain[Objective.POINTS])
        self.score.add(plain[Objective.WIN])
        for objective, values in expected.items():
            self.controlled[objective].add(plain[objective], plain[objective] - values.mean(axis=1))

    def result(self, names: tuple[str, str], rules: Rules, seed: int, duplicate: bool, started: float) -> MatchResult:
        """What came of a match that began at a time of `time.monotonic`."""
        wins, draws, losses = self.outcomes
        return MatchResult(
            names,
            rules,
            seed,
            duplicate,
            sum(self.outcomes),
            wins,
            draws,
            losses,
            self.points.estimate(),
            self.score.estimate(),
            (self.shares[0].share(), self.shares[1].share(), self.shares[2].share()),
            {objective: sums.estimate() for objective, sums in self.controlled.items()},
            time.monotonic() - started,
        )


def play_match(
    first: Player,
    second: Player,
    rules: Rules | int | str,
    *,
    games: int,
    seed: int = 0,
    duplicate: bool = False,
    control: Sequence[Tablebase] = (),
    on_progress: Callable[[int, int], None] = lambda done, whole: None,
    on_record: Callable[[GameRecord], None] | None = None,
) -> MatchResult:
    """Play games with decks and bids drawn from the seed; the same seed, the same games.

    With `duplicate` every deck is played twice with sides swapped, chance as before: the number of games must be even.
    Tables in `control` give estimates with less noise. `on_record` is given the record of every game. When a player
    fails, `MatchStoppedError` carries the result of the finished games.
    """
    game = check_open_bids(Rules.of(rules))
    units = units_of(games, duplicate=duplicate)
    for tablebase in control:
        if not knows(tablebase.rules, game):
            raise RulesError(f"the table {tablebase.path.name} takes no luck out of the game {str(game)!r}")
    names = told_apart(check_player(first).name, check_player(second).name)
    tally = Tally([tablebase.objective for tablebase in control])
    started = time.monotonic()

    def result() -> MatchResult:
        return tally.result(names, game, seed, duplicate, started)

    def play(start: int, count: int) -> None:
        chance = Chance.deal(game, seed, start, count)
        seats = [((first, second), 1), ((second, first), -1)][: 1 + duplicate]
        played = [(_play(game, *players, chance, control), side) for players, side in seats]
        expected = {
            tablebase.objective: np.stack([s * g.expected[tablebase.objective] for g, s in played], axis=1)
            for tablebase in control
        }
        with defer_sigint():
            tally.add(np.stack([side * found.lead for found, side in played], axis=1), expected)
            if on_record:
                hand_on(on_record, [found for found, _ in played], names, game, seed)
        on_progress(sum(tally.outcomes), games)

    asked = [player for player in (first, second) if isinstance(player, FunctionPlayer)]
    size = 1 if any(player.is_person for player in asked) else FEW if asked else BATCH
    try:
        for start in range(0, units, size):
            count = min(size, units - start)
            try:
                play(start, count)
            except PlayerError:
                if count == 1:
                    raise
                for unit in range(start, start + count):
                    play(unit, 1)  # up to the game in which the player fails
    except GoofspielError as error:
        raise MatchStoppedError(str(error), result()) from error
    except KeyboardInterrupt:
        raise MatchStoppedError("interrupted", result()) from None
    return result()


def units_of(games: int, *, duplicate: bool) -> int:
    """How often chance is drawn for so many games: with `duplicate` they come in pairs."""
    if games < 1 or (duplicate and games % 2):
        raise ValueError(f"a match has at least one game, with duplicate an even number of them, not {games}")
    return games // 2 if duplicate else games


@dataclass(frozen=True, slots=True, eq=False)
class Chance:
    """All that is drawn for some games."""

    decks: Ints  # [game][round]: the upcard; what is left over comes last
    bids: Floats  # [game][round][seat]: from 0 to 1

    @staticmethod
    def deal(rules: Rules, seed: int, start: int, count: int) -> "Chance":
        """For `count` games from game `start` on."""
        decks, bids = [], []
        begin, offset = divmod(start, DEAL)
        for number in range(begin, -(-(start + count) // DEAL)):
            random = np.random.default_rng([seed, number])
            decks.append(deal(rules, DEAL, random))
            bids.append(random.random((DEAL, rules.rounds, 2)))
        here = slice(offset, offset + count)
        return Chance(np.concatenate(decks)[here], np.concatenate(bids)[here])


def _play(rules: Rules, first: Player, second: Player, chance: Chance, control: Sequence[Tablebase]) -> PlayedGames:
    """Play all rounds of some games."""
    count = len(chance.decks)
    rounds = np.empty((count, rules.rounds, 3), dtype=np.int16)
    worth = {tablebase.objective: np.zeros(count) for tablebase in control}
    batch = PositionBatch.start(count, rules)
    for number in range(rules.rounds):
        batch = batch.turn_up(chance.decks[:, number])
        mixes = checked_mixes(first, batch), checked_mixes(second, batch.swap())
        for tablebase in control if number < rules.cards - 1 else ():  # the last card is no choice
            solved = tablebase.solve_rounds(batch)
            expected = np.einsum("gi,gij,gj->g", mixes[0], solved.payoffs(), mixes[1])
            worth[tablebase.objective] += expected - solved.value
        mine, theirs = (
            card_at(hand, draw(mix, chance.bids[:, number, seat]))
            for seat, (hand, mix) in enumerate(zip((batch.mine, batch.theirs), mixes, strict=True))
        )
        rounds[:, number] = np.stack([batch.upcard, mine, theirs], axis=1)
        batch = batch.play(mine, theirs, carry=rules.has_pots)
    return PlayedGames(batch.lead, rounds, worth)


def hand_on(
    on_record: Callable[[GameRecord], None], played: list[PlayedGames], names: tuple[str, str], rules: Rules, seed: int
) -> None:
    """Hand on the records, a pair of duplicate games one after the other."""
    for unit in zip(*(games.records() for games in played), strict=True):
        for swapped, rounds in enumerate(unit):
            mine, theirs = names[swapped], names[1 - swapped]
            on_record(GameRecord(rules, rounds, {"mine": mine, "theirs": theirs, "seed": str(seed)}))
