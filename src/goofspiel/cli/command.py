"""Run a command: find its verb, and turn what goes wrong into one line and an exit code."""

import os
import sys
from collections.abc import Sequence
from io import StringIO, TextIOWrapper

from goofspiel.cli.ask import add_asking
from goofspiel.cli.match import add_match
from goofspiel.cli.options import DONE, USAGE, Commands, UsageError, Verb, complain
from goofspiel.cli.play import add_play
from goofspiel.cli.respond import add_respond
from goofspiel.cli.review import add_review
from goofspiel.cli.serve import add_serve
from goofspiel.cli.study import add_study
from goofspiel.cli.tables import add_tables
from goofspiel.errors import GoofspielError


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; the exit code: 0 done, 1 failed or not found, 2 usage."""
    _open_streams()
    commands = Commands()
    add_tables(commands)
    add_asking(commands)
    add_match(commands)
    add_play(commands)
    add_respond(commands)
    add_review(commands)
    add_serve(commands)
    add_study(commands)
    options = commands.parser.parse_args(arguments)
    try:
        verb: Verb = options.verb
        code = verb(options)
        sys.stdout.flush()
        return code
    except UsageError as error:
        return complain(str(error), USAGE)
    except GoofspielError as error:
        return complain(str(error))
    except KeyboardInterrupt:
        return complain(options.interrupted)
    except BrokenPipeError:
        # The reader has seen enough. Python would complain again when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    except OSError as error:
        return complain(f"{error.strerror or error}{f': {error.filename}' if error.filename else ''}")


def _open_streams() -> None:
    """A stream that the caller has closed, or text that it cannot hold, is no reason to stop."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, StringIO())
    for stream in (sys.stdin, sys.stdout):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
