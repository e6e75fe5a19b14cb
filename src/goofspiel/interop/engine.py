"""The other side of a bot's lines: a player of this package for other people's programs."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from goofspiel.batch import PositionBatch
from goofspiel.cards import card_name
from goofspiel.errors import GoofspielError, PlayerError, PositionError, RulesError
from goofspiel.hidden.information import InformationSet
from goofspiel.hidden.players import HiddenPlayer, mix_at
from goofspiel.players.bot import HELLO
from goofspiel.players.players import Player, checked_mixes, draw
from goofspiel.position import Position
from goofspiel.rules import Bids, Rules


class Engine:
    """Answers lines, one after the other, until it is told to quit."""

    def __init__(
        self,
        name: str,
        load: Callable[[Rules], Player],
        load_hidden: Callable[[Rules], HiddenPlayer],
        *,
        bids: bool = False,
        seed: int | None = None,
    ) -> None:
        """A player of this name, loaded for the rules of a game. With `bids` it draws a card from its mix."""
        self.name = name
        self._load, self._load_hidden = load, load_hidden
        self._random = np.random.default_rng(seed) if bids else None
        self._rules: Rules | None = None
        self._mix: Callable[[Any], dict[int, float]] | None = None
        self._seen: Position | InformationSet | None = None

    def answers(self, lines: Iterator[str]) -> Iterator[str]:
        """What it says to each line that asks for an answer; the end of all with `quit`."""
        for line in lines:
            word, _, rest = line.strip().partition(" ")
            if word == "quit":
                return
            try:
                yield from self._answer(word, rest.strip(), line.strip())
            except GoofspielError as error:
                yield f"error {' '.join(str(error).split())}"

    def _answer(self, word: str, rest: str, line: str) -> Iterator[str]:
        if word == "goofspiel":
            if line != HELLO:
                raise PlayerError(f"{HELLO!r} is spoken here, not {line!r}")
            yield f"id name {self.name}"
            yield "ready"
        elif word == "rules":
            self._mix = self._seen = None
            self._rules = Rules.parse(rest)
            if self._rules.bids is Bids.HIDDEN:
                self._mix = partial(_hidden_mix, self._load_hidden(self._rules))
            else:
                self._mix = partial(_open_mix, self._load(self._rules), self._rules)
            yield "ready"
        elif word == "position":
            if self._rules is None:
                raise RulesError("first the rules, as in 'rules 13': which game is it?")
            self._seen = None
            hidden = self._rules.bids is Bids.HIDDEN
            self._seen = InformationSet.parse(rest, self._rules) if hidden else Position(rest, self._rules)
        elif word == "go":
            yield self._bid()
        elif word:
            raise PlayerError(f"goofspiel, rules, position, go or quit, not {line[:80]!r}")

    def _bid(self) -> str:
        if self._mix is None or self._seen is None:
            hidden = self._rules is not None and self._rules.bids is Bids.HIDDEN
            raise PositionError(f"first a position, as in 'position {'53+ 4' if hidden else '24/A3/Q K'}': what is up?")
        mix = self._mix(self._seen)
        if self._random:
            drawn = draw(np.array([list(mix.values())]), self._random.random(1))
            return f"bid {card_name(list(mix)[int(drawn[0])])}"
        return "mix " + " ".join(f"{card_name(card)} {share!r}" for card, share in mix.items() if share)


def _open_mix(player: Player, rules: Rules, position: Position) -> dict[int, float]:
    """Card → probability, at a position."""
    if not position.upcard:
        raise PositionError(f"no upcard is shown to bid for: {str(position)!r}")
    mixes = checked_mixes(player, PositionBatch.of([position], rules=rules))
    return dict(zip(position.my_cards, mixes[0].tolist(), strict=True))


def _hidden_mix(player: HiddenPlayer, seen: InformationSet) -> dict[int, float]:
    """The same at an information set."""
    return dict(zip(seen.hand, mix_at(player, seen).tolist(), strict=True))
