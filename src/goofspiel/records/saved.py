"""Games on disk: where they are kept, one file a game."""

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from datetime import datetime
from pathlib import Path

from goofspiel.errors import RecordError
from goofspiel.records.record import GameRecord
from goofspiel.store.locations import written_whole
from goofspiel.store.lock import FileLock

SUFFIX = ".txt"
_NOT_WRITABLE = {errno.EACCES, errno.EPERM, errno.EROFS}  # a folder in which nobody can save


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


@contextmanager
def held(path: Path) -> Iterator[None]:
    """Hold the file of a game while it is played: of two that save it, each would undo what the other has bid."""
    path.stat()  # a game that is not there is not held
    lock = FileLock(
        path.with_name(f".{path.name}.lock"),
        busy=lambda holder: RecordError(f"{path} is being played by another process{holder}"),
        refused=RecordError,
        remove=True,
    )
    with ExitStack() as stack:
        try:
            stack.enter_context(lock)
        except OSError as error:
            if error.errno not in _NOT_WRITABLE:
                raise
        yield


def kept(folder: Path, on_damage: Callable[[RecordError], None] = lambda error: None) -> list[GameRecord]:
    """All games of a folder, in the order of their files' names; of those that cannot be read, it is told why."""
    found = []
    for path in sorted(folder.glob(f"*{SUFFIX}")) if folder.is_dir() else ():
        try:
            if path.stat().st_size:  # an empty file is a game that another process is beginning
                found.append(load(path))
        except RecordError as error:
            on_damage(error)
        except OSError as error:
            on_damage(RecordError(f"{path} cannot be read: {error.strerror or error}"))
    return found


def unfinished(folder: Path, on_damage: Callable[[RecordError], None] = lambda error: None) -> Path | None:
    """The file of the unfinished game that was played last; of newer ones that cannot be read, it is told why."""
    files = []
    for path in folder.glob(f"*{SUFFIX}") if folder.is_dir() else ():
        with suppress(OSError):  # it was deleted, or is a link to nothing
            files.append((path.stat(), path))
    for about, path in sorted(files, key=lambda file: (file[0].st_mtime_ns, file[1].name), reverse=True):
        try:
            if about.st_size and not load(path).is_over:  # an empty file is a game that another process is beginning
                return path
        except RecordError as error:
            on_damage(error)
        except OSError as error:
            on_damage(RecordError(f"{path} cannot be read: {error.strerror or error}"))
    return None
