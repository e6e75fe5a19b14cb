"""A process that asks one player of a user's own, on behalf of another process that has only so much patience.

What comes in are pickled `PositionBatch`es; what goes out are mixes as bytes, or a line that says what went wrong.
Nothing that is the user's is unpickled over there.
"""

import json
import os
import signal
import sys
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

import numpy as np

from goofspiel.arrays import Floats
from goofspiel.batch import PositionBatch
from goofspiel.errors import GoofspielError, PlayerError
from goofspiel.players.clock import Clock
from goofspiel.players.imported import import_player
from goofspiel.players.players import FunctionPlayer, Player, raw_mixes
from goofspiel.position import Position
from goofspiel.system import c_function

MIXES, WRONG = b"m", b"w"  # how an answer begins
AT_ONCE = 1 << 12  # positions of one call of a player that takes many: so many must be answered within the patience
_PR_SET_PDEATHSIG = 1  # of sys/prctl.h


class _EndedError(GoofspielError):
    """What a function wanted to end its process with."""


def serve(connection: int, clock_file: int, parent: int) -> None:
    """Load the player, then answer until the other side closes the connection; `parent` is a process, or 0."""
    _prepare(parent)
    for descriptor in (connection, clock_file):
        os.set_inheritable(descriptor, False)  # by processes of the user's
    there = Connection(connection)
    with os.fdopen(clock_file, "r+b") as file:
        clock = Clock(file)
    name = there.recv()
    try:
        clock.begin()
        player = _load(name, clock)
        known = {"name": str(player.name), "uses_lead": bool(player.uses_lead)}
        known["one_by_one"] = isinstance(player, FunctionPlayer)
        answer = MIXES + json.dumps(known).encode()
    except BaseException as error:  # whatever the user's module does: the process is the user's
        answer = _wrong(error, f"player {name!r} cannot be loaded")
        player = None
    there.send_bytes(answer)
    while player is not None:
        clock.rest()
        try:
            batch = there.recv()
        except EOFError:
            return
        clock.reset()
        there.send_bytes(_answer(player, batch, clock))


def _prepare(parent: int) -> None:
    """Die with the parent, even within a call that never returns; print to standard error."""
    if parent and (control := c_function("prctl")):
        control(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:  # it was faster
            os._exit(1)
    if sys.stderr is not None:  # standard output is for the results of the command
        os.dup2(sys.stderr.fileno(), 1)
        sys.stdout = sys.stderr


def _load(name: str, clock: Clock) -> Player:
    player = import_player(name)
    if not isinstance(player, FunctionPlayer):
        return player
    return FunctionPlayer(_timed(player.choose, clock), player.name, player.uses_lead)


def _timed(choose: Callable[[Position], Any], clock: Clock) -> Callable[[Position], Any]:
    def choose_in_time(position: Position) -> Any:
        clock.begin()
        try:
            return choose(position)
        except Exception:
            raise
        except BaseException as error:  # sys.exit and its like
            raise _EndedError(f"{type(error).__name__}: {error}") from error

    return choose_in_time


def _answer(player: Player, batch: PositionBatch, clock: Clock) -> bytes:
    try:
        if isinstance(player, FunctionPlayer):
            return MIXES + _bytes(raw_mixes(player, batch))
        parts = []
        for start in range(0, len(batch), AT_ONCE):
            clock.begin()
            parts.append(_bytes(raw_mixes(player, batch[np.arange(start, min(start + AT_ONCE, len(batch)))])))
        return MIXES + b"".join(parts)
    except BaseException as error:
        return _wrong(error, f"player {player.name} failed")


def _bytes(mixes: Floats) -> bytes:
    return np.ascontiguousarray(mixes, dtype=np.float64).tobytes()


def _wrong(error: BaseException, what: str) -> bytes:
    said = str(error) if isinstance(error, PlayerError) else f"{what}: {type(error).__name__}: {error}"
    return WRONG + " ".join(said.split()).encode(errors="backslashreplace")
