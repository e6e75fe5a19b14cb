"""A person's game against a player: what was played, and what is drawn next; no input, no output.

Upcards and the opponent's bids follow from the seed and the number of the round, so a game that is put away and taken
up again goes on as it would have gone on. The opponent's bid is drawn when the upcard appears, before the person bids.
"""

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from goofspiel.batch import PositionBatch
from goofspiel.errors import PlayerError, RecordError
from goofspiel.players.players import Player, chance, checked_mixes, draw
from goofspiel.position import Position
from goofspiel.records.record import GameRecord, Round
from goofspiel.rules import Objective, Rules
from goofspiel.store.blocks import check_open_bids
from goofspiel.tablebase.answer import Answer

if TYPE_CHECKING:
    from goofspiel.tablebase import Tablebase

HUMAN = "human"  # the name of the person in a record


@dataclass(frozen=True)
class Session:
    """A game that is being played. `begin` and `resume` make one; `bid`, `undo` and `hint` make the next."""

    rules: Rules
    """Which game it is."""
    opponent: Player
    """Who bids against the person."""
    theirs: str
    """The name that loads the opponent."""
    seed: int
    """What upcards and the opponent's bids are drawn from."""
    date: str
    """When the game began, or nothing."""
    rounds: tuple[Round, ...] = ()
    """The rounds, the last one open until the game is over."""
    hints: tuple[int, ...] = ()
    """The rounds in which a hint was asked for."""
    undone: int = 0
    """How many rounds were taken back."""
    _sealed: int = field(default=0, repr=False)  # their bid of the open round

    @staticmethod
    def begin(
        rules: Rules | int | str,
        opponent: Player,
        *,
        seed: int,
        objective: Objective | str | None = None,
        theirs: str | None = None,
        date: str = "",
    ) -> "Session":
        """A new game, its first upcard shown; `theirs` is the name that loads the opponent, if it is not its own."""
        name = theirs or opponent.name
        if name != " ".join(name.split()) or not name.isprintable():
            raise PlayerError(f"a name with such characters cannot be written into a record: {name!r}")
        game = check_open_bids(Rules.of(rules, objective=objective))
        return Session(game, opponent, name, seed, date)._shown()

    @staticmethod
    def resume(record: GameRecord, opponent: Player) -> "Session":
        """Go on with a recorded game."""
        if record.is_over:
            raise RecordError("the game is over")
        if record.began is not None:
            raise RecordError(
                f"the game began at {str(record.began)!r}: only games from the opening are played on here"
            )
        hints = tuple(_number(record, word, "hints") for word in record.tags.get("hints", "").split())
        return Session(
            record.rules,
            opponent,
            opponent_of(record),
            _number(record, record.tags.get("seed", ""), "seed"),
            record.tags.get("date", ""),
            record.rounds,
            hints,
            _number(record, record.tags.get("undone", "0"), "undone"),
        )._shown()

    @property
    def record(self) -> GameRecord:
        """The game so far, with everything that is needed to go on."""
        tags = {"mine": HUMAN, "theirs": self.theirs, "objective": str(self.rules.objective), "seed": str(self.seed)}
        if self.date:
            tags["date"] = self.date
        if self.hints:
            tags["hints"] = " ".join(map(str, self.hints))
        if self.undone:
            tags["undone"] = str(self.undone)
        return GameRecord(self.rules, self.rounds, tags)

    @property
    def cards(self) -> int:
        """The number of cards of the game."""
        return self.rules.cards

    @property
    def objective(self) -> Objective:
        """What it is played for."""
        return self.rules.objective

    @property
    def position(self) -> Position:
        """Where the game stands, seen by the person."""
        return self.record.position

    @property
    def is_over(self) -> bool:
        """Whether all rounds were played."""
        return len(self.rounds) == self.rules.rounds and not self.rounds[-1].is_open

    @property
    def played(self) -> tuple[Round, ...]:
        """The rounds in which both have bid."""
        return tuple(played for played in self.rounds if not played.is_open)

    @property
    def points(self) -> tuple[int, int]:
        """What the person and the opponent have won."""
        won = [after.lead - before.lead for before, _, after in self.record.steps()]
        return sum(gain for gain in won if gain > 0), -sum(gain for gain in won if gain < 0)

    def bid(self, card: int) -> "Session":
        """Bid a card: both bids are turned over, and the next upcard appears."""
        self.position.play(card, self._sealed)  # refuses a card that cannot be bid
        last = Round(self.rounds[-1].upcard, card, self._sealed)
        return replace(self, rounds=(*self.rounds[:-1], last), _sealed=0)._shown()

    def undo(self) -> "Session":
        """Take the last round back, its upcard apart: what came of it is drawn anew, for it has been seen."""
        if not self.played:
            raise RecordError("there is no round to take back")
        *before, last = self.played
        rounds = (*before, Round(last.upcard))
        return replace(self, rounds=rounds, undone=self.undone + 1, _sealed=0)._shown()

    def hint(self, tablebase: "Tablebase") -> tuple[Answer[float], "Session"]:
        """What is optimal here, and the session that remembers that it was asked for."""
        answer = tablebase.probe(self.position)
        if not isinstance(answer, Answer):
            raise RecordError("the game is over")
        number = len(self.rounds)
        return answer, self if number in self.hints else replace(self, hints=(*self.hints, number))

    def _shown(self) -> "Session":
        """With an upcard shown and their bid drawn, unless the game is over."""
        if self.is_over:
            return self
        position, rounds = self.position, self.rounds
        number = len(rounds) + (not position.upcard)
        if not position.upcard:
            left = position.deck[:1] if self.rules.order is not None else position.deck
            upcard = left[int(self._chance(f"upcard {number}") * len(left))]
            position, rounds = position.turn_up(upcard), (*rounds, Round(upcard))
        seen = position.swap()
        mixes = checked_mixes(self.opponent, PositionBatch.of([seen], rules=self.rules))
        rank = draw(mixes, np.array([self._chance(f"bid {number}")]))
        return replace(self, rounds=rounds, _sealed=seen.my_cards[int(rank[0])])

    def _chance(self, what: str) -> float:
        return chance(f"{self.seed} {self.undone} {what}")


def opponent_of(record: GameRecord) -> str:
    """The name that loads the opponent of a recorded game."""
    if not (name := record.tags.get("theirs")):
        raise RecordError("the record does not say who the opponent is (a line 'theirs: optimal')")
    return name


def _number(record: GameRecord, text: str, name: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 20):
        raise RecordError(f"the record needs a line '{name}: …' with a whole number, not {record.tags.get(name)!r}")
    return int(text)
