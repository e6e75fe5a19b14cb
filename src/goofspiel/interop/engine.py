"""The other side of a bot's lines: a player of this package for other people's programs."""

from collections.abc import Callable, Iterator

import numpy as np

from goofspiel.batch import PositionBatch, places
from goofspiel.cards import card_name
from goofspiel.errors import GoofspielError, PlayerError, PositionError, RulesError
from goofspiel.players.bot import HELLO
from goofspiel.players.players import Player, card_at, checked_mixes, draw
from goofspiel.position import Position
from goofspiel.rules import Rules


class Engine:
    """Answers lines, one after the other, until it is told to quit."""

    def __init__(
        self, name: str, load: Callable[[Rules], Player], *, bids: bool = False, seed: int | None = None
    ) -> None:
        """A player of this name, loaded for the rules of a game. With `bids` it draws a card from its mix."""
        self.name = name
        self._load = load
        self._random = np.random.default_rng(seed) if bids else None
        self._rules: Rules | None = None
        self._player: Player | None = None
        self._position: Position | None = None

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
            self._player = self._position = None
            self._rules = Rules.parse(rest)
            self._player = self._load(self._rules)
            yield "ready"
        elif word == "position":
            if self._rules is None:
                raise RulesError("first the rules, as in 'rules 13': which game is it?")
            self._position = None
            self._position = Position(rest, self._rules)
        elif word == "go":
            yield self._bid()
        elif word:
            raise PlayerError(f"goofspiel, rules, position, go or quit, not {line[:80]!r}")

    def _bid(self) -> str:
        player, position, rules = self._player, self._position, self._rules
        if player is None or position is None or rules is None:
            raise PositionError("first a position, as in 'position 24/A3/Q K': what is up?")
        if not position.upcard:
            raise PositionError(f"no upcard is shown to bid for: {str(position)!r}")
        batch = PositionBatch.of([position], places(rules), rules=rules)
        mixes = checked_mixes(player, batch)
        if self._random:
            (card,) = card_at(batch.mine, draw(mixes, self._random.random(1))).tolist()
            return f"bid {card_name(card)}"
        shares = zip(position.my_cards, mixes[0].tolist(), strict=True)
        return "mix " + " ".join(f"{card_name(card)} {share!r}" for card, share in shares if share)
