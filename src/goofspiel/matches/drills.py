"""Positions to train with: drawn by theme and difficulty, the same for the same words on every machine, and scored.

The page draws the same ones: what is drawn depends on a text alone, and whether a position is worth a puzzle on its
payoffs alone, not on which of several optimal mixes is found.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from goofspiel.cards import card_name, prize_name
from goofspiel.errors import OptionError
from goofspiel.players.players import chance
from goofspiel.position import Position
from goofspiel.rules import Objective, Rules
from goofspiel.tablebase.answer import Answer

HARDEST = 5
TRIES = 60  # positions that are drawn until one needs a mix
SADDLE = 1e-6  # a share of the payoffs: less than this and one card is as good as any mix
GOOD_MIX = 0.25  # of what the best single card gives away: a mix that gives away no more is right
DAILY = 3  # the difficulty of the puzzle of the day

Probe = Callable[[Position, Rules], Answer[float]]


@dataclass(frozen=True)
class Theme:
    """What a drill is about."""

    name: str
    title: str
    says: str


THEMES = (
    Theme("first", "First bids", "The first prize is up, and both hold everything."),
    Theme("endgame", "Endgames", "Three to five cards are left."),
    Theme("behind", "From behind", "You are behind, and play to win."),
    Theme("king", "The highest prize", "The highest prize of all is up, somewhere in the game."),
)


@dataclass(frozen=True)
class Puzzle:
    """A position to bid at, and which draw it is."""

    key: str
    """Theme, difficulty and number: `endgame 3 17`; or `daily 2026-11-18`."""
    theme: Theme
    difficulty: int
    rules: Rules
    position: Position


@dataclass(frozen=True)
class Score:
    """What an answer to a puzzle is worth."""

    right: bool
    lost: float
    """Of a card its regret, of a mix its exploitability: both in the objective."""
    reply: int
    """The card that punishes it most."""
    exploitability: float
    """What is lost to that reply, below the value."""
    why: str
    """In a sentence."""


def theme_of(name: str) -> Theme:
    """The theme of this name."""
    for theme in THEMES:
        if theme.name == name:
            return theme
    raise OptionError(f"no theme is called {name!r}: {', '.join(theme.name for theme in THEMES)}")


def puzzle(key: str, probe: Probe) -> Puzzle:
    """The puzzle of a key: of the positions that it draws, the first that needs a mix."""
    words = key.split()
    if words[:1] == ["daily"] and len(words) == 2:
        theme, difficulty = THEMES[int(chance(f"{key} theme") * len(THEMES))], DAILY
    elif len(words) == 3 and words[1].isdigit() and 1 <= int(words[1]) <= HARDEST and words[2].isdigit():
        theme, difficulty = theme_of(words[0]), int(words[1])
    else:
        raise OptionError(f"a puzzle is 'endgame 3 17', or 'daily 2026-11-18', not {key!r}")
    for draw in range(TRIES):
        rules, position = _drawn(theme, difficulty, f"{key} {draw}")
        if needs_a_mix(probe(position, rules)):
            break
    return Puzzle(key, theme, difficulty, rules, position)


def needs_a_mix(answer: Answer[float]) -> bool:
    """Whether no single card is as good as a mix."""
    payoffs = np.array(answer.matrix)
    secure, conceded = payoffs.min(axis=1).max(), payoffs.max(axis=0).min()
    return bool(conceded - secure > SADDLE * max(np.abs(payoffs).max(), 1.0))


def _drawn(theme: Theme, difficulty: int, words: str) -> tuple[Rules, Position]:
    if theme.name == "first":
        cards = 3 + difficulty
        return Rules(cards), Position.start(cards, 1 + int(chance(f"{words} upcard") * cards))
    if theme.name == "king":
        cards = 4 + (difficulty + 1) // 2
        level = cards - int(chance(f"{words} played") * (cards - 2))
        mine, theirs, deck = (_some(cards, level, f"{words} {who}") for who in ("mine", "theirs", "deck"))
        others = _some(cards - 1, level - 1, f"{words} deck") if cards not in deck else [c for c in deck if c != cards]
        return Rules(cards), Position.of(mine, theirs, others, cards)
    cards = 7
    level = 3 + difficulty // 2 if difficulty < HARDEST else 5
    mine, theirs, deck = (_some(cards, level, f"{words} {who}") for who in ("mine", "theirs", "deck"))
    upcard = deck[int(chance(f"{words} upcard") * level)]
    rest = [card for card in deck if card != upcard]
    if theme.name == "endgame":
        return Rules(cards), Position.of(mine, theirs, rest, upcard)
    gone = cards * (cards + 1) // 2 - sum(deck)
    lead = 1 + int(chance(f"{words} lead") * min(sum(deck) - 1, gone))
    return Rules(cards, objective=Objective.WIN), Position.of(mine, theirs, rest, upcard, lead=-lead)


def _some(cards: int, count: int, words: str) -> list[int]:
    """So many of the cards, ascending."""
    left = list(range(1, cards + 1))
    return sorted(left.pop(int(chance(f"{words} {number}") * len(left))) for number in range(count))


def score_card(answer: Answer[float], card: int) -> Score:
    """What a single card is worth: right if it costs nothing against perfect play."""
    if card not in answer.regret:
        raise OptionError(f"the {card_name(card)} is not in the hand: {str(answer.position)!r}")
    lost = answer.regret[card]
    right = lost <= SADDLE * max(abs(answer.value), 1.0)
    share = _share(answer, card)
    reply, exploited = _reply(answer, [float(held == card) for held in answer.position.my_cards])
    digits, unit = answer.objective.decimals, answer.objective.unit
    if right and share > SADDLE:
        gained = f"{exploited:.{digits}f} {unit} to the {card_name(reply)}" if exploited > SADDLE else "nothing either"
        whose = "perfect play" if answer.unique else "this perfect mix"
        why = f"{whose} bids the {card_name(card)} {_percent(share)} of the time; who always does loses {gained}"
    elif right:
        why = f"it costs nothing, though this mix never bids the {card_name(card)}"
    else:
        why = f"against perfect play it earns {lost:.{digits}f} {unit} less than the position is worth"
        why += f"; the {card_name(reply)} punishes it most"
    return Score(right, lost if not right else 0.0, reply, exploited, f"{why[0].upper()}{why[1:]}.")


def score_mix(answer: Answer[float], shares: Mapping[int, float]) -> Score:
    """What a mix is worth: right if it gives away at most a quarter of what the best single card gives away."""
    total = sum(shares.values())
    if not total > 0 or min(shares.values()) < 0 or not set(shares) <= set(answer.position.my_cards):
        raise OptionError(f"a mix has a share for each of {_names(answer.position.my_cards)}, at least one above 0")
    mix = [shares.get(card, 0.0) / total for card in answer.position.my_cards]
    reply, exploited = _reply(answer, mix)
    secure = float(np.array(answer.matrix).min(axis=1).max())
    right = exploited <= max(GOOD_MIX * (answer.value - secure), SADDLE)
    digits, unit = answer.objective.decimals, answer.objective.unit
    bid = dict(zip(answer.position.my_cards, mix, strict=True))
    off = {card: sum(bid[one] for one in _alike(answer, card)) - _share(answer, card) for card in bid}
    largest = max(map(abs, off.values()))
    most = next(card for card in off if abs(off[card]) >= largest - SADDLE)  # the lowest of several
    how = "more" if off[most] > 0 else "less"
    why = "No answer of theirs gains anything"
    if exploited > SADDLE:
        why = f"Their best answer, the {card_name(reply)}, gains {exploited:.{digits}f} {unit}"
    if abs(off[most]) > 0.005:
        why += f"; you bid the {card_name(most)} {_percent(abs(off[most]))} {how} often than this perfect mix"
    return Score(right, exploited, reply, exploited, f"{why}.")


def _share(answer: Answer[float], card: int) -> float:
    """How often the mix bids a card, or one that is interchangeable with it."""
    return sum(answer.mine[one] for one in _alike(answer, card))


def _alike(answer: Answer[float], card: int) -> tuple[int, ...]:
    """The cards that no card of theirs tells apart from this one."""
    return next((group for group in answer.interchangeable if card in group), (card,))


def _reply(answer: Answer[float], mix: Sequence[float]) -> tuple[int, float]:
    """The card that punishes a mix most, the lowest of several, and what it gains."""
    earned = np.array(mix) @ np.array(answer.matrix)
    rank = int(np.argmax(earned <= earned.min() + SADDLE))
    return answer.position.their_cards[rank], max(answer.value - float(earned.min()), 0.0)


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _names(cards: Sequence[int]) -> str:
    return " ".join(prize_name(card) for card in cards)
