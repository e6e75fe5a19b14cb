"""Players of a user's own in a process of their own: whatever they do, it takes no longer than the patience."""

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
import weakref
from math import isinf
from multiprocessing import Pipe
from multiprocessing.connection import Connection

import numpy as np

from goofspiel.arrays import Floats
from goofspiel.batch import PositionBatch
from goofspiel.errors import PlayerError
from goofspiel.players.clock import SIZE, Clock
from goofspiel.players.imported import import_player
from goofspiel.players.players import FunctionPlayer, Mix, Player
from goofspiel.players.worker import AT_ONCE, MIXES
from goofspiel.position import Position
from goofspiel.system import end_with_descendants, ending

# The modules that this process finds, the other one finds, too.
PROGRAM = "import json, sys; sys.path[:] = json.loads(sys.argv[1]); from goofspiel.players.worker import serve; "
PROGRAM += "serve(*map(int, sys.argv[2:]))"


def load_patiently(name: str, patience: float) -> Player:
    """The player that `module:attribute` or `file.py:attribute` names; it has so many seconds for each answer."""
    if os.name == "nt":  # no descriptors can be handed to a process there: it is asked in this one, and not timed
        return import_player(name)
    worker = PatientWorker(name, patience)
    known = worker.start()
    make = PatientFunction if known["one_by_one"] else PatientPlayer
    return make(worker, str(known["name"]), bool(known["uses_lead"]))


class PatientFunction(FunctionPlayer):
    """A function of the user's own, asked in another process."""

    _worker: "PatientWorker"

    def __init__(self, worker: "PatientWorker", name: str, uses_lead: bool) -> None:
        def choose(position: Position) -> Mix:
            mix: list[float] = worker.ask(PositionBatch.of([position]))[0].tolist()
            return mix

        super().__init__(choose, name, uses_lead)
        object.__setattr__(self, "_worker", worker)

    def mixes(self, batch: PositionBatch) -> Floats:
        """What the function answers, as mixes."""
        return self._worker.ask(batch)


class PatientPlayer:
    """A player of the user's own that takes many positions at a time, asked in another process."""

    def __init__(self, worker: "PatientWorker", name: str, uses_lead: bool) -> None:
        self._worker, self.name, self.uses_lead = worker, name, uses_lead

    def mixes(self, batch: PositionBatch) -> Floats:
        """What the player answers."""
        return self._worker.ask(batch)


class PatientWorker:
    """The other process. When it had to be killed, the next question starts another."""

    def __init__(self, name: str, patience: float) -> None:
        self._name, self._patience = name, patience
        self._lock = threading.Lock()  # questions of several threads wait for each other
        self._process: _Process | None = None

    def start(self) -> dict[str, object]:
        """Start the process and have it import the player; what it knows of the player."""
        with self._lock:
            return self._started()[1]

    def ask(self, batch: PositionBatch) -> Floats:
        """The mixes of the player."""
        if not len(batch):
            return np.zeros((0, 0))
        with self._lock:
            process = self._process or self._started()[0]
            try:
                process.connection.send(batch)
                answer = process.answer(self._patience)
            except _LateError:
                where = process.position(batch)
                raise self._stopped(f"gave no answer within {self._patience:g} seconds: {where!r}") from None
            except (EOFError, OSError):
                where = process.position(batch)
                raise self._stopped(f"ended its process ({process.ending()}): {where!r}") from None
            except BaseException:  # Ctrl-C: an answer to this question must not be taken for one to the next
                self._stop()
                raise
        if answer[:1] != MIXES:
            raise PlayerError(answer[1:].decode())
        return np.frombuffer(answer, dtype=np.float64, offset=1).reshape(len(batch), -1)

    def _started(self) -> "tuple[_Process, dict[str, object]]":
        self._process = process = _Process(self._name)
        try:
            answer = process.answer(self._patience)
        except _LateError:
            raise self._stopped(f"was not loaded within {self._patience:g} seconds") from None
        except (EOFError, OSError):
            raise self._stopped(f"cannot be loaded: it ended its process ({process.ending()})") from None
        except BaseException:
            self._stop()
            raise
        if answer[:1] != MIXES:
            self._stop()
            raise PlayerError(answer[1:].decode())
        known: dict[str, object] = json.loads(answer[1:])
        process.one_by_one = bool(known["one_by_one"])
        return process, known

    def _stopped(self, what: str) -> PlayerError:
        self._stop()
        return PlayerError(f"player {self._name} {what}")

    def _stop(self) -> None:
        if self._process:
            self._process.close()
        self._process = None


class _LateError(Exception):
    """A call has taken too long."""


class _Process:
    """A process that runs `goofspiel.players.worker`, the connection to it, and its clock."""

    def __init__(self, name: str) -> None:
        self.one_by_one = True
        self.connection, theirs = Pipe()
        with theirs, tempfile.TemporaryFile() as file:
            file.truncate(SIZE)
            self.clock = Clock(file)
            self.clock.rest()
            shared = theirs.fileno(), file.fileno()
            # A parent's death is noticed by the system when its thread ends: that of the main thread is the end.
            parent = os.getpid() if threading.current_thread() is threading.main_thread() else 0
            words = json.dumps([path for path in sys.path if isinstance(path, str)]), *map(str, (*shared, parent))
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-c", PROGRAM, *words],
                stdin=subprocess.DEVNULL,  # what is typed is for this process
                stdout=subprocess.DEVNULL,
                pass_fds=shared,
                start_new_session=True,  # Ctrl-C is for this process, which ends the other
            )
        self.connection.send(name)
        self.close = weakref.finalize(self, _end, self._process, self.connection, self.clock)

    def answer(self, patience: float) -> bytes:
        """What it sends next; `_LateError` when a call takes longer than the patience."""
        while True:
            seen = self.clock.read()
            left = seen.since + patience - time.monotonic()
            if self.connection.poll(min(max(left, 0.0), patience)):  # at rest, a call may begin at any time
                return self.connection.recv_bytes()
            if self.clock.read() == seen and not isinf(seen.since):
                raise _LateError

    def position(self, batch: PositionBatch) -> str:
        """The position of the call that is at work, or the first of its positions."""
        first = self.clock.read().call * (1 if self.one_by_one else AT_ONCE)
        return str(batch.position(min(first, len(batch) - 1)))

    def ending(self) -> str:
        """How it ended."""
        return ending(self._process.wait())


def _end(process: "subprocess.Popen[bytes]", connection: Connection, clock: Clock) -> None:
    """Kill the process, and those that it started."""
    connection.close()
    clock.close()
    end_with_descendants(process)
