"""Players of games with hidden bids: information sets in, mixes out."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeAlias

import numpy as np

from goofspiel.arrays import Floats, Numbers
from goofspiel.best_response.consistency import SAME, inconsistent
from goofspiel.cards import card_name
from goofspiel.errors import PlayerError
from goofspiel.hidden.information import InformationSet, information_set_at
from goofspiel.hidden.plans import SequenceGame, plan_of, sequence_game
from goofspiel.hidden.policy import HiddenPolicy
from goofspiel.hidden.sets import InformationSets, information_sets
from goofspiel.players.bot import Bot
from goofspiel.players.players import SUM_TOLERANCE, Mix
from goofspiel.rules import Rules

ASKED_AGAIN = 64  # questions at most, of a function of one's own: whether it answers alike

HiddenChooser: TypeAlias = Callable[[InformationSet], Mix]
"""A function of the user's own: an information set in; a card, card → probability, or a probability each card out."""


class HiddenPlayer(Protocol):
    """Anything that bids in a game with hidden bids."""

    @property
    def name(self) -> str:
        """What to call it."""

    def mixes(self, sets: InformationSets, depth: int, which: Numbers) -> Floats:
        """A probability for each card of the hand, ascending, `[asked][card]`, for information sets of a depth."""


@dataclass(frozen=True, eq=False)
class ArrayPlayer:
    """Plays mixes that are known for every information set."""

    name: str
    rules: Rules
    all_mixes: Floats
    """[sequence]"""

    def mixes(self, sets: InformationSets, depth: int, which: Numbers) -> Floats:
        """Those of the policy."""
        if sets.rules != self.rules:
            raise PlayerError(f"player {self.name} knows the game {str(self.rules)!r}, not {str(sets.rules)!r}")
        here = sets.depths[depth]
        cells = slice(here.first_sequence, here.first_sequence + here.sequences)
        return np.asarray(self.all_mixes[cells].reshape(-1, here.actions)[which])


def policy_player(policy: HiddenPolicy) -> ArrayPlayer:
    """Plays a solved policy."""
    return ArrayPlayer(f"optimal:{policy.rules.objective}", policy.rules, policy.mixes)


@dataclass(frozen=True)
class UniformHiddenPlayer:
    """Bids any card of its hand, each as likely as the others."""

    name: str = "uniform"

    def mixes(self, sets: InformationSets, depth: int, which: Numbers) -> Floats:
        """The same probability for every card."""
        width = sets.depths[depth].actions
        return np.full((len(which), width), 1 / width)


@dataclass(frozen=True)
class BidUpcardHiddenPlayer:
    """Bids the card of the upcard's rank among the prizes plus a step, or the next higher one, or its lowest."""

    step: int = 0

    @property
    def name(self) -> str:
        """With the step."""
        return f"match{self.step:+}" if self.step else "match"

    def mixes(self, sets: InformationSets, depth: int, which: Numbers) -> Floats:
        """One card for certain."""
        here, prizes = sets.depths[depth], sets.rules.prizes
        seen, tracks = np.divmod(which, here.tracks.count)
        ranks = np.searchsorted(np.array(prizes), here.prizes[seen, -1]) + 1
        wanted = -(-ranks * sets.rules.cards // len(prizes)) + self.step
        enough = here.tracks.hands[tracks] >= wanted[:, None]
        chosen = np.where(enough.any(axis=1), enough.argmax(axis=1), 0)
        return np.eye(here.actions)[chosen]


@dataclass(frozen=True, eq=False)
class HiddenFunctionPlayer:
    """Asks a function of the user's own, one information set at a time."""

    choose: HiddenChooser
    name: str

    def mixes(self, sets: InformationSets, depth: int, which: Numbers) -> Floats:
        """What it answers. It may draw its bids, so it is asked again about a set that it was asked about before."""
        found = [self._mix(information_set_at(sets, depth, one)) for one in which.tolist()]
        return np.array(found).reshape(len(found), sets.depths[depth].actions)

    def _mix(self, asked: InformationSet) -> list[float]:
        try:
            answer = self.choose(asked)
            hand = asked.hand
            if isinstance(answer, int | np.integer):
                chosen = {int(answer): 1.0}
            elif hasattr(answer, "items"):
                chosen = {int(card): float(p) for card, p in answer.items()}
            else:
                chosen = dict(zip(hand, map(float, answer), strict=True))
        except PlayerError:  # of a bot, which names it, whatever is wrong
            raise
        except Exception as error:
            raise PlayerError(
                f"player {self.name} failed at {str(asked)!r}: {type(error).__name__}: {error}"
            ) from error
        for card, chance in chosen.items():
            if chance and card not in hand:
                named = card_name(card) if 1 <= card <= 16 else str(card)
                raise PlayerError(f"player {self.name} bids {named} at {str(asked)!r}, which is not in its hand")
        mix = [chosen.get(card, 0.0) for card in hand]
        if not all(0 <= chance <= 1 + SUM_TOLERANCE for chance in mix) or abs(sum(mix) - 1) > SUM_TOLERANCE:
            raise PlayerError(f"player {self.name} has chances that do not sum to 1 at {str(asked)!r}: {mix}")
        return [chance / sum(mix) for chance in mix]


def load_hidden_bot(command: str, rules: Rules, patience: float | None = None) -> HiddenFunctionPlayer:
    """The player that a command starts: it is told the rules, and has so many seconds for each answer."""
    bot = Bot(command, rules, patience)
    return HiddenFunctionPlayer(lambda seen: bot.ask_about(str(seen), seen.hand), bot.name)


def mix_at(player: HiddenPlayer, seen: InformationSet) -> Floats:
    """What a player does at one information set: a probability for each card of the hand."""
    sets = information_sets(seen.rules)
    depth, prizes, track = seen.where(sets)
    which = np.array([prizes * sets.depths[depth].tracks.count + track])
    return np.asarray(player.mixes(sets, depth, which)[0])


def all_mixes(player: HiddenPlayer, sets: InformationSets) -> Floats:
    """[sequence]: what a player does everywhere."""
    parts = [player.mixes(sets, depth, np.arange(here.sets)).ravel() for depth, here in enumerate(sets.depths)]
    return np.concatenate(parts)


def _ask_again(player: HiddenFunctionPlayer, sets: InformationSets, answers: Floats) -> None:
    """A sample of all sets, in reverse: a player that now answers otherwise has no best response."""
    numbers = np.linspace(0, sets.count - 1, ASKED_AGAIN).astype(np.int64)  # of a small game, each several times
    for number in numbers[::-1].tolist():
        depth = max(d for d, here in enumerate(sets.depths) if here.first_set <= number)
        seen = information_set_at(sets, depth, number - sets.depths[depth].first_set)
        before, now = answers[sets.firsts[number] : sets.firsts[number + 1]], mix_at(player, seen)
        if np.abs(before - now).max() > SAME:
            raise inconsistent(player.name, str(seen), seen.hand, before.tolist(), now.tolist())


@dataclass(frozen=True, eq=False)
class HiddenResponse:
    """The best that anyone can do against a player, whose exploitability that is: the value of the game is 0."""

    player: str
    game: SequenceGame
    their_mixes: Floats
    value: float
    mixes: Floats
    """[sequence]: a best reply."""

    @property
    def rules(self) -> Rules:
        """Which game it is."""
        return self.game.sets.rules

    def as_player(self) -> ArrayPlayer:
        """The best reply as a player."""
        return ArrayPlayer(f"respond:{self.player}", self.rules, self.mixes)


def respond_hidden(player: HiddenPlayer, game: SequenceGame | Rules, *, threads: int = 1) -> HiddenResponse:
    """An exact best response to a player, over all information sets."""
    if isinstance(game, Rules):
        game = sequence_game(information_sets(game))
    sets = game.sets
    theirs = all_mixes(player, sets)
    if isinstance(player, HiddenFunctionPlayer):
        _ask_again(player, sets, theirs)
    value, gains = game.best_reply(plan_of(sets, theirs), threads=threads)
    reply = np.zeros(sets.sequences)
    for here in sets.depths:
        cells = slice(here.first_sequence, here.first_sequence + here.sequences)
        reply[cells] = np.eye(here.actions)[gains[cells].reshape(-1, here.actions).argmax(axis=1)].ravel()
    return HiddenResponse(player.name, game, theirs, value, reply)
