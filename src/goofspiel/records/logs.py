"""Logs of many games, as other programs write them: json lines and csv, beside our own records.

A json line is an object: `rules`, a text (or `cards`, a number); `players`, the two names; `rounds`, a list of
`[upcard, first bid, second bid]`, cards by number or name. A csv has the columns `game`, `upcard`, `first_bid`,
`second_bid`, and perhaps `rules`, `first`, `second`: one line a round.
"""

import csv
import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from goofspiel.cards import counted, read_prize
from goofspiel.errors import GoofspielError, RecordError
from goofspiel.records.record import GameRecord, read_records
from goofspiel.rules import Rules

FIRST, SECOND = "first", "second"  # players without a name
_COLUMNS = ("game", "upcard", "first_bid", "second_bid")
_SHOWN = 60  # characters of a line that an error quotes


class LoggedGame(NamedTuple):
    """A game as it was logged: nothing is checked yet but that cards are numbers."""

    rules: Rules
    players: tuple[str, str]
    rounds: tuple[tuple[int, int, int], ...]
    """Upcard, bid of the first player, bid of the second."""
    source: str = ""
    """Where it stands."""


def read_log(path: Path, **known: Any) -> Iterator[LoggedGame]:
    """The games of a file, by the end of its name: `.jsonl`, `.csv`; any other has our records.

    - `known`: fields of the rules, where the log does not say them; those that it says must agree.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise RecordError(f"{path} is not a text file: logs are written in utf-8") from None
    readers = {".jsonl": from_json_lines, ".json": from_json_lines, ".csv": from_csv}
    try:
        for game in readers.get(path.suffix.lower(), from_records)(text, **known):
            yield game._replace(source=f"{path.name}, {game.source}")
    except RecordError as error:
        raise RecordError(f"{path}: {error}") from None


def read_stream(text: str, **known: Any) -> Iterator[LoggedGame]:
    """The same of a text without a name, by how it begins: an object, the columns of a csv, or a record."""
    first = text.lstrip().partition("\n")[0]
    is_csv = set(_COLUMNS) <= set(first.strip().split(","))
    yield from (from_json_lines if first.startswith("{") else from_csv if is_csv else from_records)(text, **known)


def logged(record: GameRecord, source: str = "") -> LoggedGame:
    """A record as a log has it; a round that is still open is left out."""
    if record.began is not None:
        raise RecordError(f"the game began at {str(record.began)!r}: only games from the opening are judged")
    players = record.tags.get("mine", FIRST), record.tags.get("theirs", SECOND)
    played = tuple((one.upcard, one.mine, one.theirs) for one in record.rounds if not one.is_open)
    return LoggedGame(record.rules, players, played, source)


def from_records(text: str, **known: Any) -> Iterator[LoggedGame]:
    """Our own records; `mine` is the first player."""
    for number, record in enumerate(read_records(text, **known), start=1):
        yield logged(record, f"game {number}")


def from_json_lines(text: str, **known: Any) -> Iterator[LoggedGame]:
    """An object a line."""
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            found = json.loads(line)
            if not isinstance(found, dict) or not isinstance(found.get("rounds"), list):
                raise ValueError("an object with a list of rounds is expected")
            players = found.get("players", [FIRST, SECOND])
            if not isinstance(players, list) or len(players) != 2:
                raise ValueError(f"players are two names, not {players!r}")
            said = found.get("rules", found.get("cards"))
            rounds = tuple(_round(one) for one in found["rounds"])
            yield LoggedGame(_rules(said, known, rounds), (str(players[0]), str(players[1])), rounds, f"line {number}")
        except (ValueError, GoofspielError) as error:
            raise RecordError(f"line {number}: {error}: {line[:_SHOWN]!r}") from None


def from_csv(text: str, **known: Any) -> Iterator[LoggedGame]:
    """A round a line; lines of one game stand together."""
    lines = csv.DictReader(text.splitlines())
    missing = [name for name in _COLUMNS if name not in (lines.fieldnames or ())]
    if missing:
        raise RecordError(f"a csv of games has the columns {', '.join(_COLUMNS)}: {', '.join(missing)} is missing")
    for name, some in groupby(lines, key=lambda row: row["game"]):
        rows = list(some)
        try:
            rounds = tuple(_round([row[column] for column in _COLUMNS[1:]]) for row in rows)
            players = rows[0].get("first") or FIRST, rows[0].get("second") or SECOND
            yield LoggedGame(_rules(rows[0].get("rules"), known, rounds), players, rounds, f"game {name}")
        except (ValueError, GoofspielError) as error:
            raise RecordError(f"game {name!r}: {error}") from None


def _rules(said: Any, known: dict[str, Any], rounds: Sequence[tuple[int, int, int]]) -> Rules:
    """What a log says of the rules, or what is known of them; a complete game of all cards says how many they are."""
    if said not in (None, ""):
        found = Rules.of(int(said) if str(said).isdigit() else str(said))
        for name, value in known.items():
            if name == "cards" and value != found.cards:
                raise ValueError(f"the log is of the game {str(found)!r}, not of {counted(value, 'card')}")
            if name != "cards" and Rules.of(found, **{name: value}) != found:
                raise ValueError(
                    f"the log is of the game {str(found)!r}, not of {str(Rules.of(found, **{name: value}))!r}"
                )
        return found
    if "cards" in known:
        return Rules(**known)
    everything = list(range(1, len(rounds) + 1))
    if rounds and all(sorted(cards) == everything for cards in zip(*rounds, strict=True)):
        return Rules(len(rounds), **known)
    raise ValueError("neither the log nor an option says which rules were played")


def _round(cards: Any) -> tuple[int, int, int]:
    if not isinstance(cards, list) or len(cards) != 3:
        raise ValueError(f"a round is an upcard and two bids, not {cards!r}")
    upcard, first, second = (_card(card) for card in cards)
    return upcard, first, second


def _card(card: Any) -> int:
    if isinstance(card, int) and not isinstance(card, bool):
        return card
    text = str(card).strip()
    number = int(text) if text.isdigit() and len(text) < 6 else read_prize(text) if isinstance(card, str) else None
    if not number:
        raise ValueError(f"a card is a number or a name, not {card!r}")
    return number


def by_rules(games: Iterable[LoggedGame]) -> Iterator[tuple[Rules, int, list[LoggedGame]]]:
    """Games of the same rules and as many rounds, together."""
    groups: dict[tuple[Rules, int], list[LoggedGame]] = {}
    for game in games:
        groups.setdefault((game.rules, len(game.rounds)), []).append(game)
    for (rules, rounds), some in groups.items():
        yield rules, rounds, some
