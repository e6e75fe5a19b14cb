"""Bots in any language: a program that is asked over its standard input and answers on its standard output.

The lines are those of docs/reference/bots.md. A bot that crashes, hangs, floods or answers nonsense is named.
"""

import os
import selectors
import shlex
import subprocess
import threading
import time
import weakref
from collections.abc import Iterator
from contextlib import suppress

from goofspiel.cards import card_name
from goofspiel.errors import GoofspielError, PlayerError
from goofspiel.notation import read_card
from goofspiel.players.players import FunctionPlayer, Mix
from goofspiel.position import Position
from goofspiel.rules import Rules
from goofspiel.system import end_with_descendants, ending

HELLO = "goofspiel 1"  # what is spoken, and its version
LONGEST_LINE = 1 << 16  # bytes
MOST_LINES = 10_000  # before an answer
LEAVE_SECONDS = 1.0  # to end after `quit`


class BotPlayer(FunctionPlayer):
    """Asks a program."""

    def _ask(self, position: Position) -> Mix:
        return self.choose(position)  # which names it, whatever is wrong


def load_bot(command: str, rules: Rules, patience: float | None = None) -> BotPlayer:
    """The player that a command starts: it is told the rules, and has so many seconds for each answer."""
    bot = Bot(command, rules, patience)
    return BotPlayer(bot.ask, bot.name, bot.uses_lead, rules)


class Bot:
    """Its program, one question after the other. When that had to be ended, the next question starts it anew."""

    def __init__(self, command: str, rules: Rules, patience: float | None) -> None:
        """Start the program, and learn what it says of itself."""
        if os.name == "nt":
            raise PlayerError(f"cmd:{command}: on Windows, programs cannot be asked; functions can, as file.py:NAME")
        self.name = f"cmd:{command}"
        self.uses_lead = True
        self._rules, self._patience = rules, patience
        self._lock = threading.Lock()  # questions of several threads wait for each other
        self._program: _Program | None = None
        try:
            self._words = shlex.split(command)
        except ValueError as error:
            raise PlayerError(f"{self.name!r} is no command: {error}") from None
        if not self._words:
            raise PlayerError("cmd: names no command, as in cmd:./bot")
        self._started()

    def ask(self, position: Position) -> Mix:
        """What it bids."""
        return self.ask_about(str(position), position.my_cards)

    def ask_about(self, seen: str, hand: tuple[int, ...]) -> Mix:
        """What it bids where it sees this, in notation, and holds these cards."""
        with self._lock:
            program = self._program or self._started()
            limit = "" if self._patience is None else f" {self._patience:g}"
            said = self._say(program, f"position {seen}\ngo{limit}", ("bid", "mix"), seen)
        return self._mix(said, seen, hand)

    def _started(self) -> "_Program":
        try:
            self._program = program = _Program(self._words)
        except OSError as error:
            raise PlayerError(f"player {self.name} cannot be started: {error.strerror or error}") from None
        self._say(program, HELLO, ("ready",))
        self._say(program, f"rules {self._rules}", ("ready",))
        return program

    def _say(self, program: "_Program", lines: str, wanted: tuple[str, ...], about: str = "") -> str:
        """Say something, and wait for an answer of one of these kinds."""
        at = f": {about!r}" if about else ""
        try:
            program.write(lines)
            for said in program.lines(self._patience):
                kind, _, rest = said.partition(" ")
                if kind in wanted:
                    return said
                if kind == "error":
                    raise self._ended(f"refused: {rest.strip() or 'without a reason'}{at}")
                if kind == "id" and rest.startswith("name "):
                    self.name = f"cmd:{rest.removeprefix('name ').strip()}"
                elif said == "option lead no":
                    self.uses_lead = False
                elif kind not in ("id", "info", "option", ""):
                    raise self._ended(f"said {said[:80]!r} instead of {' or '.join(wanted)}{at}")
            raise self._ended(f"said more than {MOST_LINES} lines instead of {' or '.join(wanted)}{at}")
        except TimeoutError:
            raise self._ended(f"gave no answer within {self._patience:g} seconds{at}") from None
        except OverflowError:
            raise self._ended(f"said a line of more than {LONGEST_LINE} bytes{at}") from None
        except UnicodeDecodeError:
            raise self._ended(f"said what is no text{at}") from None
        except (EOFError, BrokenPipeError):
            raise self._ended(f"ended ({program.ending()}){at}") from None
        except PlayerError:
            raise
        except BaseException:  # Ctrl-C: an answer to this question must not be taken for one to the next
            self._end()
            raise

    def _ended(self, what: str) -> PlayerError:
        self._end()
        return PlayerError(f"player {self.name} {what}")

    def _end(self) -> None:
        if self._program:
            self._program.close()
        self._program = None

    def _mix(self, said: str, seen: str, hand: tuple[int, ...]) -> Mix:
        kind, *words = said.split()
        try:
            if kind == "bid" and len(words) == 1:
                return _card(words[0])
            if kind == "mix" and words and len(words) % 2 == 0:
                return {_card(card): float(share) for card, share in zip(words[::2], words[1::2], strict=True)}
        except (GoofspielError, ValueError):
            pass
        card = card_name(hand[0])
        raise PlayerError(
            f"player {self.name} answered {said[:80]!r}, which is no bid as in 'bid {card}' and no mix as in "
            f"'mix {card} 1': {seen!r}"
        )


class _Program:
    """A process in a session of its own, which is ended with all that it started."""

    def __init__(self, words: list[str]) -> None:
        self._process = subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0, start_new_session=True
        )
        assert self._process.stdin
        assert self._process.stdout
        self._in, self._out = self._process.stdin, self._process.stdout
        os.set_blocking(self._in.fileno(), False)
        self._left = b""
        self.close = weakref.finalize(self, _leave, self._process)

    def write(self, lines: str) -> None:
        """Say some lines. A bot that does not listen is noticed when it does not answer."""
        with suppress(BlockingIOError):
            self._in.write(lines.encode() + b"\n")

    def lines(self, patience: float | None) -> Iterator[str]:
        """What it says from now on, line by line, as long as there is time, and not too many."""
        deadline = None if patience is None else time.monotonic() + patience
        for _ in range(MOST_LINES):
            yield self._line(deadline)

    def _line(self, deadline: float | None) -> str:
        """The next line. TimeoutError, EOFError or OverflowError, where there is none."""
        while b"\n" not in self._left:
            if len(self._left) > LONGEST_LINE:
                raise OverflowError
            with selectors.DefaultSelector() as selector:
                selector.register(self._out, selectors.EVENT_READ)
                left = None if deadline is None else deadline - time.monotonic()
                if (left is not None and left <= 0) or not selector.select(left):
                    raise TimeoutError
            more = os.read(self._out.fileno(), 1 << 16)
            if not more:
                raise EOFError
            self._left += more
        line, _, self._left = self._left.partition(b"\n")
        return line.decode().strip()

    def ending(self) -> str:
        """How it ended."""
        try:
            return ending(self._process.wait(LEAVE_SECONDS))
        except subprocess.TimeoutExpired:
            return "it closed its standard output"


def _card(word: str) -> int:
    card, end = read_card(word, 0, repr(word))
    if end < len(word):
        raise ValueError(word)
    return card


def _leave(process: "subprocess.Popen[bytes]") -> None:
    """Ask the program to end, then end it, and those that it started."""
    assert process.stdin
    assert process.stdout
    with suppress(OSError):
        process.stdin.write(b"quit\n")
    with suppress(OSError):
        process.stdin.close()
    with suppress(subprocess.TimeoutExpired):
        process.wait(LEAVE_SECONDS)
    end_with_descendants(process)
    process.stdout.close()
