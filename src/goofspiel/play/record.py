"""Records of games: their notation, and the positions that they went through.

One round a word, upcard, my bid, their bid: `K53 2AJ 7`, where the last round is still open. In a file, lines like
`cards: 9` or `mine: human` come first; a file may hold several games, one after the other.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from goofspiel.errors import PositionError, RecordError, RulesError
from goofspiel.position import Position, read_card
from goofspiel.rules import MAX_CARDS, card_name, check_cards

_TAG = re.compile(r"([a-z]+):\s*(.*)")
_SHOWN_LENGTH = 40  # of a word that an error quotes


class Round(NamedTuple):
    """An upcard and what both bid for it; bids are 0 as long as the round is open."""

    upcard: int
    mine: int = 0
    theirs: int = 0

    @property
    def is_open(self) -> bool:
        """Whether the bids are still to come."""
        return not self.mine

    def __str__(self) -> str:
        return "".join(card_name(card) for card in self if card)


@dataclass(frozen=True)
class GameRecord:
    """A game, or the part of it that was played. `GameRecord.read` takes the notation; `str` writes it."""

    cards: int
    rounds: tuple[Round, ...] = ()
    tags: Mapping[str, str] = field(default_factory=dict)  # what a file says of the game: mine, theirs, objective, …

    def __post_init__(self) -> None:
        check_cards(self.cards)
        for _ in self.steps():
            pass  # each is checked as it is played

    @staticmethod
    def read(text: str, *, cards: int | None = None) -> "GameRecord":
        """The only game of a text; `cards` is needed when neither the text nor a complete game says it."""
        games = read_records(text, cards=cards)
        if len(games) != 1:
            raise RecordError(f"one game is expected, not {len(games)}")
        return games[0]

    def __str__(self) -> str:
        return " ".join(map(str, self.rounds))

    def to_file(self) -> str:
        """With everything that is known of it, as a file holds it."""
        tags = {"cards": str(self.cards), **self.tags}
        return "".join(f"{name}: {value}\n" for name, value in tags.items()) + f"\n{self}\n"

    def steps(self) -> Iterator[tuple[Position, Round, Position]]:
        """Each round: the position before its upcard, the round, and the position after the bids.

        After an open round that is the position with its upcard shown.
        """
        position = Position.start(self.cards)
        for number, played in enumerate(self.rounds, start=1):
            try:
                after = position.turn_up(played.upcard)
                if not played.is_open:
                    after = after.play(played.mine, played.theirs)
                elif number < len(self.rounds):
                    raise PositionError("only the last round may be open")
            except (PositionError, RulesError) as error:
                raise RecordError(f"round {number}, {str(played)!r}: {error}") from None
            yield position, played, after
            position = after

    @property
    def position(self) -> Position:
        """Where the game stands."""
        *_, position = (Position.start(self.cards), *(after for _, _, after in self.steps()))
        return position

    @property
    def is_over(self) -> bool:
        """Whether all cards were played."""
        return self.position.is_over

    def swap(self) -> "GameRecord":
        """The same game as the other player saw it."""
        other = {"mine": "theirs", "theirs": "mine"}
        tags = {other.get(name, name): value for name, value in self.tags.items()}
        return GameRecord(self.cards, tuple(Round(up, theirs, mine) for up, mine, theirs in self.rounds), tags)


def read_records(text: str, *, cards: int | None = None) -> list[GameRecord]:
    """All games of a text: lines `name: value`, then rounds; a new block of such lines starts a new game."""
    games: list[tuple[dict[str, str], list[str]]] = [({}, [])]
    for line in text.splitlines():
        line = line.partition("#")[0].strip()  # noqa: PLW2901
        if found := _TAG.fullmatch(line):
            if games[-1][1]:
                games.append(({}, []))
            games[-1][0][found[1]] = found[2]
        elif line:
            games[-1][1].extend(line.split())
    return [_read_game(tags, words, cards) for tags, words in games if tags or words]


def _read_game(tags: dict[str, str], words: list[str], cards: int | None) -> GameRecord:
    rounds = tuple(_read_round(number, word) for number, word in enumerate(words, start=1))
    said = tags.pop("cards", None)
    if said is not None and not (said.isascii() and said.isdigit() and 1 <= int(said[:4]) <= MAX_CARDS):
        raise RecordError(f"number of cards must be 1 to {MAX_CARDS}, not {said[:_SHOWN_LENGTH]!r}")
    if said is not None and cards not in (None, int(said)):
        raise RecordError(f"the record is of a game of {said} cards, not of {cards}")
    count = int(said) if said is not None else cards or _complete_game(rounds)
    if not count:
        raise RecordError(
            f"the game is not complete and does not say how many cards it has (a line 'cards: 13', or --cards): "
            f"{' '.join(words)[:_SHOWN_LENGTH]!r}"
        )
    return GameRecord(count, rounds, tags)


def _complete_game(rounds: Iterable[Round]) -> int | None:
    """The number of cards of a game in which all of them were played."""
    played = list(rounds)
    everything = list(range(1, len(played) + 1))
    if played and all(sorted(cards) == everything for cards in zip(*played, strict=True)):
        return len(played)
    return None


def _read_round(number: int, word: str) -> Round:
    shown = repr(word[:_SHOWN_LENGTH])
    cards: list[int] = []
    at = 0
    while at < len(word) and len(cards) < 4:
        try:
            card, at = read_card(word, at, shown)
        except PositionError as error:
            raise RecordError(f"round {number}: {error}") from None
        cards.append(card)
    if len(cards) not in (1, 3):
        raise RecordError(f"round {number}: a round is upcard, my bid, their bid, or an upcard alone, not {shown}")
    return Round(*cards)
