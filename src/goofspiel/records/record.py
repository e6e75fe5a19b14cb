"""Records of games: their notation, and the positions that they went through.

One round a word, upcard, my bid, their bid: `K53 2AJ 7`, where the last round is still open. In a file, tags, lines
like `cards: 9`, `rules: 9 carry` or `mine: human`, come first; `from: 245/A35/A3 4` says where a game began, if not at
the opening. A file may hold several games: tags after rounds, a tag that the game has already, or a blank line
after rounds begin the next one.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from goofspiel.cards import MAX_CARDS, card_name, counted, prize_name, read_prize
from goofspiel.errors import PositionError, RecordError, RulesError
from goofspiel.notation import read_card
from goofspiel.position import Position
from goofspiel.rules import Objective, Rules

_TAG = re.compile(r"([a-z]+):\s*(.*)")
_TAG_NAME = re.compile(r"[a-z]+")
_CARD_COUNT = re.compile(r"0{0,3}([1-9][0-9]?)")
_PRIZE = re.compile(r"\[[0-9]{1,3}\]|.")  # one that is worth more than any card stands in brackets
_FIELDS = ("cards", "rules", "from")  # what a file says in the way of tags, and a record has as fields
_FIELDS_IN_WORDS = "cards, rules or from"
_SHOWN_LENGTH = 40  # of a word that an error quotes


class Round(NamedTuple):
    """An upcard and what both bid for it; bids are 0 as long as the round is open."""

    upcard: int
    """The prize."""
    mine: int = 0
    """My bid."""
    theirs: int = 0
    """Their bid."""

    @property
    def is_open(self) -> bool:
        """Whether the bids are still to come."""
        return not (self.mine or self.theirs)

    def swap(self) -> "Round":
        """The same round as the other player saw it."""
        return Round(self.upcard, self.theirs, self.mine)

    def __str__(self) -> str:
        return prize_name(self.upcard) + "".join(card_name(card) for card in self[1:] if card)


@dataclass(frozen=True)
class GameRecord:
    """A game, or the part of it that was played. `GameRecord.read` takes the notation; `str` writes it."""

    rules: Rules
    """Which game it is; given as a number of cards, it is the usual one, for what the tags say."""
    rounds: tuple[Round, ...] = ()
    """What was played, in order; the last one may be open."""
    tags: Mapping[str, str] = field(default_factory=dict, hash=False)  # a dict has no hash
    """What a file says of the game: mine, theirs, objective, …"""
    began: Position | None = None
    """Where it began, if not at the opening; if an upcard is shown there, it is that of the first round."""

    def __post_init__(self) -> None:
        said = self.tags.get("objective")
        if said is not None and said not in list(Objective):
            raise RecordError(f"the objective of a record is {' or '.join(Objective)}, not {said[:_SHOWN_LENGTH]!r}")
        object.__setattr__(self, "rules", Rules.of(self.rules, objective=said))
        for name in self.tags:
            if not _TAG_NAME.fullmatch(name) or name in _FIELDS:
                raise RecordError(f"a tag is a word of lower-case letters, and not {_FIELDS_IN_WORDS}: {name!r}")
        self._check_beginning()
        for _ in self.steps():
            pass  # each is checked as it is played

    @staticmethod
    def read(text: str, *, cards: int | None = None, **fields: Any) -> "GameRecord":
        """The only game of a text; see `read_records`."""
        games = read_records(text, cards=cards, **fields)
        if len(games) != 1:
            raise RecordError(f"one game is expected, not {len(games)}")
        return games[0]

    def __str__(self) -> str:
        return " ".join(map(str, self.rounds))

    def to_file(self) -> str:
        """With everything that is known of it, as a file holds it."""
        said = {"cards": str(self.cards)} if self.rules.is_usual else {"rules": str(self.rules)}
        if self.rules != Rules(self.cards) and self.rules.is_usual:
            said["objective"] = str(self.rules.objective)
        began = {} if self.began is None else {"from": str(self.began)}
        tags = said | began | dict(self.tags)
        lines = [f"{name}: {' '.join(value.split())}".rstrip() for name, value in tags.items()]  # a value is one line
        return "\n".join([*lines, "", str(self), ""])

    @property
    def cards(self) -> int:
        """The number of cards of the game."""
        return self.rules.cards

    def steps(self) -> Iterator[tuple[Position, Round, Position]]:
        """Each round: the position before its upcard, the round, and the position after the bids.

        After an open round that is the position with its upcard shown.
        """
        rules = self.rules
        position = self._first
        for number, played in enumerate(self.rounds, start=1):
            try:
                if rules.is_over(position.level):
                    raise PositionError(f"the game is over after {counted(rules.rounds, 'round')}")
                shown = self.began.upcard if self.began and number == 1 else 0
                known = shown or (position.deck[0] if rules.order is not None else played.upcard)
                if played.upcard != known:
                    raise PositionError(f"the next prize is {prize_name(known)}: {str(position)!r}")
                after = position.turn_up(played.upcard)
                if not played.is_open:
                    after = after.play(played.mine, played.theirs, carry=rules.has_pots)
                elif number < len(self.rounds):
                    raise PositionError("only the last round may be open")
            except (PositionError, RulesError) as error:
                raise RecordError(f"round {number}, {_shown(played)}: {error}") from None
            yield position, played, after
            position = after

    @property
    def position(self) -> Position:
        """Where the game stands."""
        *_, position = (self.began or self._first, *(after for _, _, after in self.steps()))
        return position

    @property
    def _first(self) -> Position:
        """Where it began, before the first upcard."""
        if self.began is None or not self.began.upcard:
            return self.began or Position.start(self.rules)
        began, rules = self.began, None if self.rules.nests else self.rules
        deck = (began.upcard, *began.deck)
        return Position.of(began.my_cards, began.their_cards, deck, lead=began.lead, pot=began.pot, rules=rules)

    def _check_beginning(self) -> None:
        """Refuse a beginning that no game of these rules has."""
        if self.began is None:
            return
        try:
            if self.began.highest_card > self.rules.cards and self.rules.nests:
                raise PositionError(
                    f"a game of {counted(self.rules.cards, 'card')} has no {card_name(self.began.highest_card)}"
                )
            self.began.under(self.rules)
            if self.rules.is_over(self.began.level):
                raise PositionError("nothing is left to bid for")
        except PositionError as error:
            raise RecordError(f"no game begins at {str(self.began)!r}: {error}") from None

    @property
    def is_over(self) -> bool:
        """Whether all rounds were played."""
        return self.rules.is_over(self.position.level)

    def swap(self) -> "GameRecord":
        """The same game as the other player saw it."""
        other = {"mine": "theirs", "theirs": "mine"}
        tags = {other.get(name, name): value for name, value in self.tags.items()}
        began = None if self.began is None else self.began.swap()
        return GameRecord(self.rules, tuple(played.swap() for played in self.rounds), tags, began)


def read_records(text: str, *, cards: int | None = None, **fields: Any) -> list[GameRecord]:
    """All games of a text; an error names the round, and among several games the game.

    - `cards`: needed when neither the text nor a complete game says it.
    - `fields`: of the rules, such as `ties="carry"`, where the text does not say them; those that it says must agree.
    """
    games = _split(text)
    given = {name: value for name, value in fields.items() if value is not None}
    records = []
    for number, (tags, words) in enumerate(games, start=1):
        try:
            records.append(_read_game(tags, words, cards, given))
        except RecordError as error:
            raise RecordError(f"game {number}: {error}" if len(games) > 1 else str(error)) from None
    return records


def _split(text: str) -> list[tuple[dict[str, str], list[str]]]:
    """The tags and the words of each game."""
    games: list[tuple[dict[str, str], list[str]]] = []
    ended = True  # what comes next begins a game
    for raw in text.splitlines():
        line = raw.strip()
        found = _TAG.fullmatch(line)
        if not line:
            ended = ended or bool(games[-1][1])
            continue
        words = line.partition("#")[0].split()
        if not (found or words):
            continue  # a remark
        if ended or (found and (games[-1][1] or found[1] in games[-1][0])):
            games.append(({}, []))
            ended = False
        if found:
            games[-1][0][found[1]] = found[2]
        else:
            games[-1][1].extend(words)
    return games


def _read_game(tags: dict[str, str], words: list[str], cards: int | None, fields: dict[str, Any]) -> GameRecord:
    rounds = tuple(_read_round(number, word) for number, word in enumerate(words, start=1))
    said = _said_cards(tags.pop("cards", None), cards)
    first = tags.pop("from", None)
    try:
        if (written := tags.pop("rules", None)) is not None:
            objective = {"objective": tags["objective"]} if "objective" in tags else {}
            rules = _agreed(Rules.parse(written), said or cards, fields | objective)
            return GameRecord(rules, rounds, tags, None if first is None else Position(first, rules))
        began = None if first is None else Position(first)
        least = began.highest_card if began else None if "rounds" in fields else _complete_game(rounds)
        if count := said or cards or least:
            return GameRecord(Rules(count, **fields), rounds, tags, began)
    except (PositionError, RulesError) as error:
        raise RecordError(str(error)) from None
    _refuse_repeated(rounds, has_prizes="prizes" in fields)
    raise RecordError(
        f"the record is not of a complete game and does not say how many cards there are "
        f"(a line 'cards: 13', or --cards): "
        f"{' '.join(words)[:_SHOWN_LENGTH]!r}"
    )


def _said_cards(said: str | None, cards: int | None) -> int | None:
    """The number of cards that a record says, which must be the one that is given."""
    if said is None:
        return None
    found = _CARD_COUNT.fullmatch(said)
    if not found or int(found[1]) > MAX_CARDS:
        raise RecordError(f"number of cards must be 1 to {MAX_CARDS}, not {said[:_SHOWN_LENGTH]!r}")
    if cards not in (None, int(found[1])):
        raise RecordError(f"the record is of a game of {counted(int(found[1]), 'card')}, not of {cards}")
    return int(found[1])


def _agreed(rules: Rules, cards: int | None, fields: dict[str, Any]) -> Rules:
    """The rules that a record says, if they are those that are given."""
    if cards not in (None, rules.cards):
        raise RecordError(f"the record is of the game {str(rules)!r}, not of {counted(cards, 'card')}")
    try:
        same = Rules.of(rules, **fields)
    except RulesError as error:
        raise RecordError(f"the record is of the game {str(rules)!r}: {error}") from None
    if same != rules:
        raise RecordError(f"the record is of the game {str(rules)!r}, not of {str(same)!r}")
    return rules


def _refuse_repeated(rounds: Iterable[Round], *, has_prizes: bool) -> None:
    """Refuse what no game has, however many cards there are: a card bid twice, or a prize that came before."""
    seen: set[str] = set()
    for number, played in enumerate(rounds, start=1):
        said = [] if has_prizes else [f"the prize {prize_name(played.upcard)} came"]
        if not played.is_open:
            said += [f"you bid the {card_name(played.mine)}", f"they bid the {card_name(played.theirs)}"]
        if again := [one for one in said if one in seen]:
            raise RecordError(f"round {number}, {_shown(played)}: {again[0]} before")
        seen.update(said)


def _complete_game(rounds: Iterable[Round]) -> int | None:
    """The number of cards of a game in which all of them were played."""
    played = list(rounds)
    everything = list(range(1, len(played) + 1))
    if played and all(sorted(cards) == everything for cards in zip(*played, strict=True)):
        return len(played)
    return None


def _read_round(number: int, word: str) -> Round:
    shown = repr(word[:_SHOWN_LENGTH])
    upcard: str = _PRIZE.findall(word)[0]
    cards, at = [read_prize(upcard)], len(upcard)
    if not cards[0]:
        raise RecordError(f"round {number}: unknown card {upcard!r} in {shown}")
    while at < len(word) and len(cards) < 4:
        try:
            card, at = read_card(word, at, shown)
        except PositionError as error:
            raise RecordError(f"round {number}: {error}") from None
        cards.append(card)
    if len(cards) not in (1, 3):
        raise RecordError(f"round {number}: a round is upcard, my bid, their bid, or an upcard alone, not {shown}")
    return Round(*cards)


def _shown(played: Round) -> str:
    """A round as an error quotes it: in notation, if it has one."""
    try:
        return repr(str(played))
    except RulesError:
        return repr(played)
