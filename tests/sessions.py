"""A person's games against a player, begun and played; the dialogue of one, and what it shows."""

from typing import Any, NoReturn

from rich.text import Text

from goofspiel.errors import MissingTableError
from goofspiel.matches.session import Session
from goofspiel.players.players import Player, UniformPlayer
from goofspiel.records.record import GameRecord
from goofspiel.terminal.dialogue import Dialogue
from goofspiel.terminal.screen import screen

UNIFORM = UniformPlayer()


def begin(cards: int = 5, seed: int = 7, opponent: Player = UNIFORM, **options: Any) -> Session:
    return Session.begin(cards, opponent, seed=seed, **options)


def lowest(session: Session) -> int:
    return session.position.my_cards[0]


def to_the_end(session: Session) -> Session:
    """Played on, always with the lowest card."""
    while not session.is_over:
        session = session.bid(lowest(session))
    return session


def reread(session: Session, opponent: Player = UNIFORM) -> Session:
    """As it comes back from a file."""
    return Session.resume(GameRecord.read(session.record.to_file()), opponent)


def dialogue(session: Session | None = None, **options: Any) -> tuple[Dialogue, list[GameRecord]]:
    saved: list[GameRecord] = []
    game = Dialogue(
        session or begin(), options.pop("save", saved.append), options.pop("tablebase", no_table), **options
    )
    return game, saved


def no_table() -> NoReturn:
    raise MissingTableError("not solved: goofspiel solve 13")


def plain(lines: list[Text]) -> list[str]:
    return [line.plain.rstrip() for line in lines]


def shown(game: Dialogue, width: int = 79, height: int = 24) -> str:
    return "\n".join(plain(screen(game, width, height)))
