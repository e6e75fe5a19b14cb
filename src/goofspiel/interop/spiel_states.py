"""OpenSpiel's games and states: our rules and positions of them, and states of our positions."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeAlias

from goofspiel.cards import MAX_CARDS
from goofspiel.errors import PositionError, RulesError
from goofspiel.interop.histories import game_to
from goofspiel.position import Position
from goofspiel.records.logs import LoggedGame
from goofspiel.rules import Bids, Objective, Rules

Game: TypeAlias = Any  # pyspiel.Game and pyspiel.State: OpenSpiel tells no types
State: TypeAlias = Any

TURN_BASED = "turn_based_simultaneous_game"
# What a game pays → what to play for, and how much of our unit its unit is: OpenSpiel counts points from the mean of
# both players, which is half of the difference.
RETURNS = {"point_difference": (Objective.POINTS, 0.5), "win_loss": (Objective.WIN, 1.0)}
TOTAL_POINTS = "total_points"  # each side its own: no zero-sum game, since both lose the prize of a tie
ALL_TURNS = -1


@dataclass(frozen=True)
class SpielGame:
    """What is to be known of OpenSpiel's game."""

    rules: Rules
    scale: float | None  # None: what it pays is no objective of ours


def game_of(game: Game, *, hidden: bool = False) -> SpielGame:
    """What is to be known of a game with open or hidden bids; `RulesError` when it is none that is solved here."""
    name, parameters = game.get_type().short_name, game.get_parameters()
    if name == TURN_BASED:
        parameters = parameters["game"]
        name = parameters["name"]
    if name != "goofspiel":
        raise RulesError(f"the game must be goofspiel or its turn-based form, not {name}: {game}")
    cards, turns, order = parameters["num_cards"], parameters["num_turns"], parameters["points_order"]
    if not 1 <= cards <= MAX_CARDS:
        wrong = f"num_cards must be 1 to {MAX_CARDS}, not {cards}"
    elif parameters["players"] != 2:
        wrong = f"players must be 2, not {parameters['players']}"
    elif turns != ALL_TURNS and not 1 <= turns <= cards:
        wrong = f"num_turns must be 1 to {cards}, or {ALL_TURNS} for all, not {turns}"
    elif turns == cards - 1:
        wrong = f"num_turns must not be {turns}, one less than num_cards: such a game has no end in OpenSpiel"
    elif parameters["imp_info"] and not hidden:
        wrong = "imp_info must be False: with bids that stay hidden it is another game"
    elif hidden and not parameters["imp_info"]:
        wrong = "imp_info must be True: bids that are shown make another game"
    else:
        objective, scale = RETURNS.get(parameters["returns_type"], (Objective.POINTS, None))
        known = None if order == "random" else order
        rounds = cards if turns == ALL_TURNS else turns
        # egocentric changes only tensors of hidden hands
        bids = Bids.HIDDEN if hidden else Bids.OPEN
        return SpielGame(Rules(cards, order=known, rounds=rounds, bids=bids, objective=objective), scale)
    raise RulesError(f"{wrong}: {game}")


def rules_of(game: Game) -> Rules:
    """Our rules of a game of OpenSpiel's, for points where it pays total points."""
    return game_of(game).rules


def returns_scale(game: Game) -> float:
    """What OpenSpiel's returns count for one of our unit: ½ for point_difference, 1 for win_loss.

    Our value times the scale is the expected return in OpenSpiel; a return divided by it is our value.
    """
    scale = game_of(game).scale
    if scale is None:
        raise no_zero_sum(game)
    return scale


def no_zero_sum(game: Game, *, but: str = "") -> RulesError:
    """The refusal of a game that pays each side its own points."""
    wanted = f"returns_type must be {' or '.join(RETURNS)}{but}, not {TOTAL_POINTS}"
    return RulesError(f"{wanted}: a tie costs both sides, it is no zero-sum game: {game}")


def position_of(state: State, player: int) -> Position:
    """The position of a state, seen from a player. A bid of the round that is going on is left out."""
    return to_position(state, rules_of(state.get_game()), checked_player(player))


def to_position(state: State, rules: Rules, player: int) -> Position:
    """The same where the rules of the game are known."""
    position = Position.start(rules)
    for upcard, *bids in rounds_of(state, rules):
        position = position.turn_up(upcard)
        if all(bids):
            position = position.play(*bids)
    return position.swap() if player else position


def to_log(state: State, players: tuple[str, str]) -> LoggedGame:
    """The game that led to a state, to be judged: a round that is going on is left out."""
    rules = rules_of(state.get_game())
    return LoggedGame(rules, players, tuple(one for one in rounds_of(state, rules) if one[1]), "a game of OpenSpiel's")


def rounds_of(state: State, rules: Rules) -> Iterator[tuple[int, int, int]]:
    """Upcard, bid of player 0, bid of player 1; bids are 0 while the round is going on."""
    told = iter(state.history())  # upcard, if it was drawn, bid of player 0, bid of player 1, upcard, …
    left = list(rules.order or rules.prizes)
    hands = [list(range(1, rules.cards + 1)) for _ in range(2)]
    for _ in range(rules.rounds):
        upcard = left[0] if rules.order else next(told, -1) + 1
        bids = [action + 1 for action in islice(told, 2)]
        if len(bids) < 2 and state.is_terminal():  # OpenSpiel plays the last cards itself
            upcard, bids = upcard or left[0], [hand[0] for hand in hands]
        if not upcard:
            return
        left.remove(upcard)
        if len(bids) < 2:
            yield upcard, 0, 0
            return
        for hand, bid in zip(hands, bids, strict=True):
            hand.remove(bid)
        yield upcard, bids[0], bids[1]


def checked_player(player: Any) -> int:
    """Refuse what is no player."""
    if player not in (0, 1):
        raise RulesError(f"player must be 0 or 1, not {player!r}")
    return int(player)


def state_at(game: Game, position: Position, *, player: int = 0) -> State:
    """A state of the game in which the player sees this position.

    A state knows all that happened, a position does not: of the games that lead to the position, it is always the same
    one (see `game_to`). `PositionError` where no game leads there, or none that stops there: OpenSpiel plays the last
    cards itself, and turns up the next prize at once where their order is known.
    """
    rules = rules_of(game)
    state = state_after(game, game_to(position, rules).rounds, checked_player(player))
    if position_of(state, player) != position.under(rules):
        at_once = rules.order is not None and not state.is_terminal()
        why = "turns up known prizes at once" if at_once else "plays the last cards itself"
        raise PositionError(f"OpenSpiel {why}, none of its states is this: {str(position)!r}")
    return state


def state_after(game: Game, rounds: Iterable[tuple[int, int, int]], player: int) -> State:
    """The state after rounds that are written as the player sees them; the bids of an open one are 0."""
    state = game.new_initial_state()
    for upcard, *seen in rounds:
        if state.is_terminal():
            break
        if state.is_chance_node():
            state.apply_action(upcard - 1)
        bids = [seen[player] - 1, seen[1 - player] - 1]
        if seen[0] and state.is_simultaneous_node():
            state.apply_actions(bids)
        elif seen[0]:
            for bid in bids:
                state.apply_action(bid)
    return state


def state_to_bid(game: Game, rounds: Iterable[tuple[int, int, int]], player: int) -> State:
    """A state in which the player bids; in the turn-based form the other has then bid its lowest card, unseen."""
    state = state_after(game, rounds, player)
    if state.current_player() == 1 - player:
        state.apply_action(state.legal_actions()[0])
    return state
