"""Games of every kind of rules, slow and obvious: real hands, every bid, exact fractions.

Of goofspiel's own only what the rules say is taken, and `Position` to ask with.
"""

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import combinations
from typing import NamedTuple

from reference import Hand, solve_game

from goofspiel.position import Position
from goofspiel.rules import Rules


class State(NamedTuple):
    """A position before its upcard; the deck as it comes, or ascending."""

    mine: Hand
    theirs: Hand
    deck: Hand
    lead: int = 0
    pot: int = 0


def start(rules: Rules) -> State:
    cards = tuple(range(1, rules.cards + 1))
    return State(cards, cards, rules.order or rules.prizes)


def is_over(state: State, rules: Rules) -> bool:
    return len(state.mine) == rules.cards - rules.rounds


def upcards(state: State, rules: Rules) -> Hand:
    """The prizes that may come, those that are worth the same one by one."""
    if is_over(state, rules):
        return ()
    return state.deck if rules.order is None else state.deck[:1]


def play(state: State, upcard: int, bids: tuple[int, int], rules: Rules) -> State:
    """After both bids for an upcard of the deck."""
    mine, theirs = bids
    at = state.deck.index(upcard)
    hands = _without(state.mine, mine), _without(state.theirs, theirs)
    rest = state.deck[:at] + state.deck[at + 1 :]
    won = upcard + state.pot
    if mine == theirs:
        return State(*hands, rest, state.lead, won if rules.ties == "carry" else 0)
    return State(*hands, rest, state.lead + (won if mine > theirs else -won), 0)


@cache
def value(state: State, rules: Rules) -> Fraction:
    """What it is worth to me."""
    if rules.objective == "points" and state.lead:
        return state.lead + value(state._replace(lead=0), rules)
    if is_over(state, rules):
        return Fraction((state.lead > 0) - (state.lead < 0) if rules.objective == "win" else state.lead)
    may_come = upcards(state, rules)
    return sum((value_of_upcard(state, upcard, rules) for upcard in may_come), Fraction(0)) / len(may_come)


@cache
def value_of_upcard(state: State, upcard: int, rules: Rules) -> Fraction:
    """The same once this prize is turned up."""
    if rules.objective == "points" and state.lead:
        return state.lead + value_of_upcard(state._replace(lead=0), upcard, rules)
    return _worth(tuple(map(tuple, payoff(state, upcard, rules))))


@cache  # many hands lead to the same game
def _worth(matrix: tuple[tuple[Fraction, ...], ...]) -> Fraction:
    return solve_game(matrix)[0]


def payoff(state: State, upcard: int, rules: Rules) -> list[list[Fraction]]:
    """The matrix game: rows are my cards, columns theirs, ascending."""
    return [[value(play(state, upcard, (mine, bid), rules), rules) for bid in state.theirs] for mine in state.mine]


@cache
def reached(rules: Rules) -> frozenset[State]:
    """Every position before its upcard that a game comes to, by playing all games."""
    found, latest = set(), {start(rules)}
    while latest:
        found |= latest
        latest = {
            play(state, upcard, (mine, theirs), rules)
            for state in latest
            for upcard in set(upcards(state, rules))
            for mine in state.mine
            for theirs in state.theirs
        }
    return frozenset(found)


def states(rules: Rules) -> Iterator[State]:
    """Every position that a table holds before its upcard: all hands, with all decks, leads and pots of any bids.

    Each tied prize of a pot has taken a card from both hands. For points, the lead is left out: it is only added.
    """
    everything = start(rules)
    courses = {(everything.deck, 0, 0): 0}  # (deck, lead, pot) → the fewest ties that make the pot
    for played in range(rules.rounds + 1):
        hands = list(combinations(everything.mine, rules.cards - played))
        for (deck, lead, pot), ties in courses.items():
            for mine in hands:
                for theirs in hands:
                    if len({*mine, *theirs}) <= rules.cards - ties:
                        yield State(mine, theirs, deck, lead, pot)
        courses = _next_courses(courses, rules) if played < rules.rounds else {}


def _next_courses(courses: dict[tuple[Hand, int, int], int], rules: Rules) -> dict[tuple[Hand, int, int], int]:
    """After one more round: lost, tied or won."""
    found: dict[tuple[Hand, int, int], int] = {}
    for (deck, lead, pot), ties in courses.items():
        for at, prize in enumerate(deck if rules.order is None else deck[:1]):
            rest, won = deck[:at] + deck[at + 1 :], prize + pot
            carried = won if rules.ties == "carry" else 0
            ends = ((lead + won, 0, 0), (lead - won, 0, 0), (lead, carried, ties + 1 if carried else 0))
            for after, waiting, tied in ends:
                key = rest, after if rules.objective == "win" else 0, waiting
                found[key] = min(tied, found.get(key, tied))
    return found


def position_of(state: State, rules: Rules, upcard: int | None = None) -> Position:
    """As it is asked for."""
    position = Position.of(state.mine, state.theirs, state.deck, lead=state.lead, pot=state.pot, rules=rules)
    return position if upcard is None else position.turn_up(upcard)


def _without(cards: Hand, card: int) -> Hand:
    return tuple(c for c in cards if c != card)
