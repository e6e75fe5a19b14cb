"""The best that anyone can do against a player: its exploitability, and the response as a player of its own."""

from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from goofspiel.arrays import Flags, Floats, Numbers
from goofspiel.batch import PositionBatch, places
from goofspiel.best_response.consistency import ConsistencyCheck
from goofspiel.best_response.hand_pairs import HandPairSpace, Quantity, reachable
from goofspiel.best_response.policy import PolicyEvaluator, asks_a_function, inner_players
from goofspiel.cards import counted
from goofspiel.errors import PlayerError, ResourceError
from goofspiel.interrupts import defer_sigint
from goofspiel.notebook import Tabular
from goofspiel.players.players import (
    BidUpcardPlayer,
    Player,
    TablePlayer,
    UniformPlayer,
    card_at,
    check_player,
    checked_mixes,
    one_card,
)
from goofspiel.players.tabulated import TabulatedPlayer
from goofspiel.position import Position
from goofspiel.rules import Objective, Rules
from goofspiel.solver.plan import size_text
from goofspiel.solver.resources import available_memory, threads_for
from goofspiel.tablebase.base import next_upcards

TIE = 1e-12  # bids that earn the same up to this: the lowest is taken
MOST_CALLS = 100_000_000  # of a user's function: an hour of calls that take no time at all
BLOCK = 1 << 16  # values at a time: what a core keeps close
WORKING_ARRAYS = 16  # of one value for each hand pair and lead: what a thread works with, at most


@dataclass(frozen=True)
class BestBid:
    """The best bid for an upcard at the start, what it gains, and the player's mix that it answers."""

    upcard: int
    """The first prize."""
    bid: int
    """The best bid for it; of several, the lowest."""
    value: float
    """What it gains in a game."""
    mix: Mapping[int, float]
    """The player's mix that it answers: card → probability."""


@dataclass(frozen=True, eq=False)
class Response(Tabular):
    """A best response to a player, and what it gains. It is a player: at every position it bids one card for certain.

    It knows the positions of the game it was worked out for, and no others.
    """

    player: Player
    """Whom it answers."""
    rules: Rules
    """Which game it was worked out for."""
    _space: HandPairSpace = field(repr=False)
    _values: list[Floats] = field(repr=False)  # by level: before the upcard
    _flags: list[Flags] | None = field(repr=False)  # by level: which positions occur, if not all were worked out

    @property
    def cards(self) -> int:
        """The number of cards of the game."""
        return self.rules.cards

    @property
    def objective(self) -> Objective:
        """What it maximises."""
        return self.rules.objective

    @property
    def name(self) -> str:
        """Whom it answers."""
        return f"respond:{self.player.name}"

    @property
    def uses_lead(self) -> bool:
        """To win, or when the other player does."""
        return self._space.has_leads

    @property
    def value(self) -> float:
        """What it gains in a game: expected points, or P(win) − P(loss)."""
        return float(self._values[-1][0])

    @property
    def exploitability(self) -> float:
        """What it gains above the value of the game, which is 0: both sides hold the same."""
        return self.value

    def heading(self) -> str:
        """What stands above its table."""
        gains = f"gains {self.value:.6f} {self.objective.unit}"
        return f"a best response to {self.player.name} in the game {self.rules} {gains}"

    def columns(self) -> dict[str, list[Any]]:
        """The first upcards: the best bid for each, and what it gains."""
        moves = self.first_moves()
        shown = {"upcard": [move.upcard for move in moves], "best bid": [move.bid for move in moves]}
        return shown | {"gains": [move.value for move in moves]}

    def values(self, positions: Iterable[Position]) -> Floats:
        """What positions are worth to the response, which sees them as its own; a lead in points counts."""
        batch = PositionBatch.of([position.under(self.rules) for position in positions], rules=self.rules)
        self._check(batch)
        result = np.empty(len(batch))
        kind = batch.level * 2 + (batch.upcard > 0)
        for which in np.unique(kind).tolist():
            here = np.flatnonzero(kind == which)
            some = batch[here]
            result[here] = self.earnings(some).max(axis=1) if which % 2 else self._worth(which // 2, some)
        return result

    def earnings(self, batch: PositionBatch) -> Floats:
        """What each of my cards earns, with best bids later on, `[position][card]`. All hands have equally many."""
        self._check(batch)
        return self._against(checked_mixes(self.player, batch.swap()), batch)

    def _against(self, mixes: Floats, batch: PositionBatch) -> Floats:
        """What each of my cards earns against mixes."""
        level = mixes.shape[1]
        earned = np.zeros((len(batch), level))
        mine, theirs = (
            [card_at(hand, np.full(len(hand), r)) for r in range(level)] for hand in (batch.mine, batch.theirs)
        )
        for rank, my_card in enumerate(mine):
            for their_rank, their_card in enumerate(theirs):
                after = batch.play(my_card, their_card, carry=self.rules.has_pots)
                earned[:, rank] += mixes[:, their_rank] * self._worth(level - 1, after)
        return earned

    def mixes(self, batch: PositionBatch) -> Floats:
        """A best card for certain; of several, the lowest."""
        earned = self.earnings(batch)
        return one_card(_lowest_best(earned), earned.shape[1])

    def first_moves(self) -> tuple[BestBid, ...]:
        """For each prize that may be the first."""
        found = []
        for upcard in next_upcards(Position.start(self.rules), self.rules):
            start = Position.start(self.rules, upcard)
            batch = PositionBatch.of([start], rules=self.rules)
            mix = checked_mixes(self.player, batch.swap())
            earned = self._against(mix, batch)
            bid = start.my_cards[int(_lowest_best(earned)[0])]
            by_card = dict(zip(start.my_cards, mix[0].tolist(), strict=True))
            found.append(BestBid(upcard, bid, float(earned.max()), by_card))
        return tuple(found)

    def _worth(self, level: int, batch: PositionBatch) -> Floats:
        """What positions before their upcard are worth."""
        here = self._space.at(level)
        return here.worth(self._values[here.index], batch, Quantity.of(self.rules))

    def _check(self, batch: PositionBatch) -> None:
        """Refuse positions that the game does not come to."""
        known = np.zeros(len(batch), dtype=np.bool_)
        same_prizes = batch.prizes == places(self.rules)
        before = batch.turn_down()
        for level in self._space.levels if same_prizes else ():
            here = np.flatnonzero(batch.level == level.level)
            known[here] = level.holds(before[here])
            if self._flags is not None:
                some = here[known[here]]
                some = some[~level.is_decided(before[some])]
                known[some] = self._flags[level.index][level.index_of(before[some])]
        if not known.all():
            position = str(batch.position(int(np.flatnonzero(~known)[0])))
            of = f" that {self.player.name} can come to" * isinstance(self.player, TabulatedPlayer)
            raise PlayerError(f"{self.name} knows the positions of {_named(self.rules)}{of}, not {position!r}")


def respond(
    player: Player,
    rules: Rules | int | str,
    *,
    objective: Objective | str | None = None,
    threads: int | None = None,
    on_progress: Callable[[int, int], None] = lambda done, whole: None,
) -> Response:
    """A best response to a player.

    - `rules`: which game; a number of cards is the usual game, for points.
    - `objective`: what is maximised, if it is not that of the rules.
    - `threads`: how many ask a built-in player, by default as many as there are cores. A user's own is asked in this
      one only.
    - `on_progress`: called with how many of the questions were answered, and how many there are. The player is asked
      about every position that can occur. A user's own is asked again about some of them: a `PlayerError` if it
      answers otherwise, or if it looks at the lead and says that it does not.
    """
    space = HandPairSpace(Rules.of(rules, objective=objective), check_player(player).uses_lead)
    built_in = is_built_in(player)
    threads = threads_for(threads)
    _check_memory(player, space, threads if built_in else 1, flagged=is_asked_in_part(player, space))
    flags = flags_of(player, space)
    evaluators = [PolicyEvaluator(player, level, flags[level.index] if flags else None) for level in space.levels]
    whole = sum(evaluator.count(which) for evaluator in evaluators[1:] for which in range(len(evaluator.level.states)))
    if asks_a_function(player) and whole > MOST_CALLS:
        raise ResourceError(
            f"a best response in {_named(space.rules)} would ask {player.name} {whole:,} times, more than "
            f"{MOST_CALLS:,}: take fewer cards"
            f"{', or say uses_lead = False if it does not look at the lead' * player.uses_lead}"
        )
    check = None if built_in else ConsistencyCheck(player, space.rules)
    whole += check.count if check else 0
    done = 0

    def on_answers(more: int) -> None:
        nonlocal done
        done += more
        on_progress(done, whole)

    on_progress(0, whole)
    if check:
        check.begin(on_answers)
    values = [space.last_values(Quantity.of(space.rules))]
    for evaluator in evaluators[1:]:
        values.append(np.zeros(evaluator.level.size))
        step = _Step(evaluator, evaluator.level.rows_after(), values[-2], values[-1])
        if built_in:
            _on_threads(step.run, range(len(evaluator.level.states)), threads, on_answers)
        else:
            for which in range(len(evaluator.level.states)):
                step.run(which, on_answers)
    if check:
        check.end(on_answers)
    return Response(player, space.rules, space, values, flags)


def is_asked_in_part(player: Player, space: HandPairSpace) -> bool:
    """Whether a player is asked only about what can occur: ours take any lead and pot, others may rely on the rules."""
    if isinstance(player, TabulatedPlayer):
        return True
    return (player.uses_lead or space.rules.has_pots) and not is_built_in(player)


def flags_of(player: Player, space: HandPairSpace) -> list[Flags] | None:
    """By level, the positions that a player is asked about, as the other side sees them; None: about all."""
    if not is_asked_in_part(player, space):
        return None
    return _known_to(player, space) if isinstance(player, TabulatedPlayer) else reachable(space)


def _known_to(player: TabulatedPlayer, space: HandPairSpace) -> list[Flags]:
    """What the table of a policy knows: at all leads, if it does not look at them."""
    found = []
    for level in space.levels:
        known = player.levels.get(level.level)
        flags = np.full(level.size, known is None)  # the last card is no choice
        if known is not None:
            before = known.batch.swap().turn_down()
            if player.uses_lead:
                before = before[np.flatnonzero(~level.is_decided(before))]
            most = level.largest_lead[level.states.number(before.deck, before.pot)] * (not player.uses_lead)
            place = level.index_of(before)
            for span in np.unique(most).tolist():
                here = place[most == span]
                flags[here[:, None] + np.arange(-span, span + 1)] = True
        found.append(flags)
    return found


def is_built_in(player: Player) -> bool:
    """Whether a player is one of ours: it answers the same every time, on any thread."""
    if type(player) is Response:
        return is_built_in(player.player)
    if inner := inner_players(player):
        return all(map(is_built_in, inner))
    return type(player) in (TablePlayer, UniformPlayer, BidUpcardPlayer, TabulatedPlayer)


@dataclass(frozen=True, eq=False)
class _Step:
    """Work out a level from the one below."""

    evaluator: PolicyEvaluator
    rows: list[Numbers]  # see `HandPairLevel.rows_after`
    below: Floats
    values: Floats

    def run(self, which: int, on_answers: Callable[[int], None] = lambda more: None) -> int:
        """Fill in a prize state; how many positions the player was asked about."""
        level = self.evaluator.level
        out, quantity = level.part(self.values, which), Quantity.of(level.space.rules)
        rows = self.rows[level.ties_of(which)]
        for prize_round in level.rounds(which):
            mixes = self.evaluator.mixes(which, prize_round, on_answers=on_answers)
            _add_best(out, mixes, rows, level.after(self.below, which, prize_round, quantity), prize_round.copies)
        out /= level.upcards
        return self.evaluator.count(which)


def _add_best(out: Floats, mixes: Floats, rows: Numbers, after: Floats, copies: int) -> None:
    """Add what the best card of each pair earns at each lead, as often as there are copies of the upcard."""
    pairs, leads = out.shape
    some = max(BLOCK // leads, 1)
    buffer = np.empty((3, some, leads))
    for start in range(0, pairs, some):
        stop = min(start + some, pairs)
        best, earned, part = buffer[:, : stop - start]
        for mine, row in enumerate(rows[:, :, start:stop]):
            into = earned if mine else best
            for theirs, successor in enumerate(row):
                worth = part if theirs else into
                np.take(after, successor, axis=0, out=worth, mode="clip")
                worth *= mixes[theirs, start:stop]
                if theirs:
                    into += worth
            if mine:
                np.maximum(best, earned, out=best)
        if copies > 1:
            best *= copies
        out[start:stop] += best


def _on_threads(run: Callable[[int], int], numbers: range, threads: int, on_done: Callable[[int], None]) -> None:
    """Run for all numbers; what that gives is handed on."""
    with defer_sigint() as deliver_sigint, ThreadPoolExecutor(threads) as pool:
        try:
            for future in as_completed([pool.submit(run, number) for number in numbers]):
                on_done(future.result())
                deliver_sigint()
        finally:
            pool.shutdown(cancel_futures=True)


def _lowest_best(earned: Floats) -> NDArray[np.intp]:
    """The lowest of the best cards."""
    return np.asarray((earned >= earned.max(axis=1, keepdims=True) - TIE).argmax(axis=1))


def _named(rules: Rules) -> str:
    """The game in a message."""
    return f"a game of {counted(rules.cards, 'card')}" if rules.is_usual else f"the game {str(rules)!r}"


def _check_memory(player: Player, space: HandPairSpace, threads: int, *, flagged: bool) -> None:
    """Refuse what does not fit."""
    largest = max(level.pair_count * (2 * int(level.largest_lead.max()) + 1) for level in space.levels)
    rows = max(level.level**2 * level.pair_count for level in space.levels)
    needed = space.size * (8 + flagged) + 8 * rows + 8 * WORKING_ARRAYS * threads * largest
    free = available_memory()
    if needed > free:
        raise ResourceError(
            f"a best response to {player.name} in {_named(space.rules)} needs {size_text(needed)} of memory for "
            f"{space.size:,} positions, and {size_text(free)} are free: take fewer cards"
        )
