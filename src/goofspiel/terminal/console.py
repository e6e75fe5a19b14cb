"""Play on a terminal: key presses and a screen that is drawn anew; or line by line, where there is no terminal."""

import os
import select
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from shutil import get_terminal_size
from typing import IO, TextIO

from rich.console import Console
from rich.text import Text

try:
    import termios
    import tty
except ModuleNotFoundError:  # Windows
    termios = tty = None  # type: ignore[assignment]

from goofspiel.cards import MAX_CARDS
from goofspiel.errors import PlayerError
from goofspiel.position import Position
from goofspiel.terminal.dialogue import Dialogue, understood
from goofspiel.terminal.screen import history, last_round, screen
from goofspiel.terminal.transcript import answer_to, opening, question, question_at

ESCAPE = "\x1b"
ESCAPE_SECONDS = 0.05  # the rest of an arrow key comes at once; after the Escape key nothing does
# Where these do not exist, on Windows, games are played line by line.
NAMES = ("SIGWINCH", "SIGTSTP", "SIGCONT", "SIGTERM", "SIGHUP")
SIGNALS = [getattr(signal, name) for name in NAMES if hasattr(signal, name)]
NOT_A_KEY = ""

# For a terminal that has only ASCII.
_ASCII = str.maketrans("╭╮╰╯─│·−…♦♥♠\N{NO-BREAK SPACE}", "++++-|.-.    ")


def is_terminal() -> bool:
    """Whether there is a person at a terminal that can be drawn on."""
    there = sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()
    return termios is not None and there and os.environ.get("TERM", "dumb") not in ("dumb", "unknown", "")


def columns(out: IO[str] | None = None) -> int | None:
    """The columns of the terminal that is printed on; None where nobody counts them."""
    return get_terminal_size().columns if (out or sys.stdout).isatty() else None


def play_by_keys(game: Dialogue) -> None:
    """Until the game is over or the person leaves. Whatever happens, the terminal is as it was before."""
    terminal = Terminal()
    with terminal.taken():
        terminal.draw(game)
        for key in terminal.pressed():
            if key:
                game.say(key)
            if game.is_over:
                break
            terminal.draw(game)
        else:
            game.leaving = True  # the terminal has gone
    if game.session.is_over:
        terminal.leave_behind(game)


def play_by_lines(game: Dialogue, lines: TextIO | None, out: TextIO, *, prompt: str = "") -> None:
    """One word a line; at the end of the lines the person leaves."""
    print(opening(game), file=out)
    while not game.is_over:
        print(question(game), file=out)
        before = game.session.rounds
        while not game.is_over and game.session.rounds == before:
            print(end=prompt, file=out, flush=True)
            line = lines.readline() if lines else ""
            if not line:
                game.leaving = True
                break
            game.say(line)
            if said := answer_to(game, before):
                print(said, file=out, flush=True)


def ask_person(position: Position) -> int:
    """A bid from whoever is at the terminal, for a position of any game; prompts go to standard error."""
    print(f"\nYour lead is {position.lead}. {question_at(position)}", file=sys.stderr)
    while True:
        print(end="bid? ", file=sys.stderr, flush=True)
        line = sys.stdin.readline() if sys.stdin else ""
        if not line:
            raise PlayerError("there are no more bids to read")
        wish = understood(line, MAX_CARDS)
        if isinstance(wish, int) and wish in position.my_cards:
            return wish
        print(f"{line.strip()!r} is no card of your hand.", file=sys.stderr)


class Terminal:
    """The terminal while it is ours."""

    def __init__(self) -> None:
        self._input = sys.stdin.fileno()
        self._before = termios.tcgetattr(self._input)
        self._console = Console(highlight=False, markup=False, emoji=False)
        self._woken, self._wake = -1, -1  # a pipe that signals write to
        self._shown = False  # on the other screen

    @contextmanager
    def taken(self) -> Iterator[None]:
        """Keys come one by one, and the screen is ours; a signal wakes whoever waits for a key."""
        self._woken, self._wake = os.pipe()
        os.set_blocking(self._wake, False)
        woken_before = signal.set_wakeup_fd(self._wake, warn_on_full_buffer=False)
        handlers = {number: signal.signal(number, lambda *_: None) for number in SIGNALS}
        try:
            self._take()
            yield
        finally:
            self._give_back()
            for number, handler in handlers.items():
                signal.signal(number, handler)
            signal.set_wakeup_fd(woken_before)
            os.close(self._woken)
            os.close(self._wake)

    def draw(self, game: Dialogue) -> None:
        """Show the game in place of what was shown before."""
        width, height = self._console.size
        text = self._in_colour(screen(game, width - 1, height))  # terminals differ in what follows the last column
        self._write(f"{ESCAPE}[H" + text.replace("\n", f"{ESCAPE}[K\n") + f"{ESCAPE}[J")

    def leave_behind(self, game: Dialogue) -> None:
        """Print all rounds of a game that is over, to stay."""
        width = self._console.width - 1
        self._write(self._in_colour([*history(game.session, width), *last_round(game.session, width)]) + "\n")

    def _in_colour(self, lines: list[Text]) -> str:
        with self._console.capture() as captured:
            self._console.print(Text("\n").join(lines), end="", no_wrap=True, overflow="ignore", crop=False)
        text = captured.get()
        try:
            text.encode(self._console.encoding)
        except UnicodeEncodeError:
            return text.translate(_ASCII)
        return text

    def pressed(self) -> Iterator[str]:
        """Each key; an empty one when the screen must be drawn again. Ends when the terminal has gone."""
        while True:
            ready, _, _ = select.select([self._input, self._woken], [], [])
            if self._woken in ready:
                for number in os.read(self._woken, 64):
                    self._obey(number)
                yield NOT_A_KEY
            elif not (text := self._read()):
                return
            else:
                yield from keys_in(text)

    def _read(self) -> str:
        """What was typed; empty when the terminal has gone."""
        try:
            text = os.read(self._input, 1024).decode(errors="replace")
            while text and not is_whole(text) and select.select([self._input], [], [], ESCAPE_SECONDS)[0]:
                text += os.read(self._input, 1024).decode(errors="replace")
        except OSError:
            return ""
        return text

    def _obey(self, number: int) -> None:
        if number in (signal.SIGTERM, signal.SIGHUP):
            raise KeyboardInterrupt
        if number == signal.SIGTSTP:
            self._give_back()
            ours = signal.signal(signal.SIGTSTP, signal.SIG_DFL)
            os.kill(os.getpid(), signal.SIGTSTP)  # stopped here, until the shell lets us go on
            signal.signal(signal.SIGTSTP, ours)
        if number in (signal.SIGTSTP, signal.SIGCONT):
            self._take()

    def _take(self) -> None:
        tty.setcbreak(self._input, termios.TCSADRAIN)
        if not self._shown:
            self._write(f"{ESCAPE}[?1049h{ESCAPE}[?25l")  # another screen, no cursor
        self._shown = True

    def _give_back(self) -> None:
        with suppress(OSError, termios.error):  # when the terminal itself has gone
            termios.tcsetattr(self._input, termios.TCSADRAIN, self._before)
            self._write(f"{ESCAPE}[?25h{ESCAPE}[?1049l")
        self._shown = False

    def _write(self, text: str) -> None:
        self._console.file.write(text)
        self._console.file.flush()


def keys_in(text: str) -> Iterator[str]:
    """The keys of what was typed: an arrow or function key is several characters, and no card."""
    at = 0
    while at < len(text):
        end = _key_end(text, at)
        if end == at + 1 and text[at] != ESCAPE:
            yield text[at]
        at = end


def is_whole(text: str) -> bool:
    """Whether a text does not end in the middle of a key; a single Escape may be the beginning of one."""
    at = 0
    while at < len(text):
        end = _key_end(text, at)
        if end > len(text) or (text[at] == ESCAPE and end == len(text) == at + 1):
            return False
        at = end
    return True


def _key_end(text: str, at: int) -> int:
    """Where the next key starts, beyond the text when this one is not complete."""
    if text[at] != ESCAPE or at + 1 == len(text):
        return at + 1
    if text[at + 1] == "O":  # such a sequence has one more character
        return at + 3
    if text[at + 1] != "[":  # Alt and a key
        return at + 2
    for end in range(at + 2, len(text)):
        if "@" <= text[end] <= "~":
            return end + 1
    return len(text) + 1
