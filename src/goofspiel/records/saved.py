"""Games on disk: where they are kept, one file a game."""

import os
from datetime import datetime
from pathlib import Path

from goofspiel.errors import RecordError
from goofspiel.records.record import GameRecord
from goofspiel.store.locations import written_whole

SUFFIX = ".txt"


def default_games() -> Path:
    """`GOOFSPIEL_GAMES`, or a folder in the user's data directory."""
    if chosen := os.environ.get("GOOFSPIEL_GAMES"):
        return Path(chosen)
    from platformdirs import user_data_path

    return user_data_path("goofspiel", appauthor=False) / "games"


def new_file(folder: Path, now: datetime) -> Path:
    """A file of its own for a game that begins now."""
    folder.mkdir(parents=True, exist_ok=True)
    name = now.strftime("%Y-%m-%d-%H%M%S")
    number = 1
    while True:
        path = folder / f"{name}{f'-{number}' if number > 1 else ''}{SUFFIX}"
        try:
            path.touch(exist_ok=False)  # two games that begin in the same second share no file
        except FileExistsError:
            number += 1
        else:
            return path


def save(path: Path, record: GameRecord) -> None:
    """Write a game, whole or not at all."""
    with written_whole(path, sync=True) as file:
        file.write(record.to_file().encode())


def load(path: Path) -> GameRecord:
    """The game of a file; what is wrong with it is said with its name."""
    try:
        return GameRecord.read(path.read_text(encoding="utf-8"))
    except UnicodeDecodeError:
        raise RecordError(f"{path}: this is no text") from None
    except RecordError as error:
        raise RecordError(f"{path}: {error}") from None


def unfinished(folder: Path) -> Path | None:
    """The file of the unfinished game that was played last."""
    files = [(path.stat(), path) for path in folder.glob(f"*{SUFFIX}")] if folder.is_dir() else []
    for about, path in sorted(files, key=lambda file: (file[0].st_mtime_ns, file[1].name), reverse=True):
        if about.st_size and not load(path).is_over:  # an empty file is a game that another process is beginning
            return path
    return None
