"""Run a command: find its verb, and turn what goes wrong into one line and an exit code."""

import argparse
import errno
import os
import sys
from collections.abc import Sequence
from io import StringIO, TextIOBase, TextIOWrapper
from typing import NoReturn

from goofspiel.cli.ask import add_asking
from goofspiel.cli.completion import add_completion
from goofspiel.cli.engine import add_engine
from goofspiel.cli.export import add_export
from goofspiel.cli.get import add_get
from goofspiel.cli.habits import add_habits
from goofspiel.cli.judge import add_judge
from goofspiel.cli.match import add_match
from goofspiel.cli.options import DONE, FAILED, USAGE, Commands, UsageError, Verb, complain
from goofspiel.cli.play import add_play
from goofspiel.cli.respond import add_respond
from goofspiel.cli.review import add_review
from goofspiel.cli.serve import add_serve
from goofspiel.cli.site import add_site
from goofspiel.cli.study import add_study
from goofspiel.cli.tables import add_tables
from goofspiel.cli.train import add_train
from goofspiel.errors import GoofspielError
from goofspiel.system import address_limit


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; the exit code: 0 done, 1 failed or not found, 2 usage."""
    _open_streams()
    _spare_threads()
    code = _run(arguments)
    _drop_what_cannot_be_printed()
    return code


def _run(arguments: Sequence[str] | None) -> int:
    options = argparse.Namespace(interrupted="interrupted")
    try:
        options = all_commands().parse(arguments)
        verb: Verb = options.verb
        code = verb(options)
        sys.stdout.flush()
        return code
    except GoofspielError as error:
        return complain(str(error), USAGE if isinstance(error, UsageError) else FAILED)
    except KeyboardInterrupt:
        return complain(options.interrupted)
    except BrokenPipeError:
        return DONE  # the reader has seen enough
    except OSError as error:
        return complain(f"{error.strerror or error}{f': {error.filename}' if error.filename else ''}")
    except Exception as error:
        # With few addresses, libraries cannot be loaded, threads cannot be started, …, each with an error of its own.
        if not isinstance(error, MemoryError) and not _addresses_are_limited():
            raise
        return complain(_no_memory(error, options))


def all_commands() -> Commands:
    """Every verb, with its options."""
    commands = Commands()
    add_tables(commands)
    add_asking(commands)
    add_match(commands)
    add_play(commands)
    add_train(commands)
    add_respond(commands)
    add_engine(commands)
    add_review(commands)
    add_habits(commands)
    add_judge(commands)
    add_export(commands)
    add_serve(commands)
    add_site(commands)
    add_get(commands)
    add_study(commands)
    add_completion(commands)
    return commands


class _ClosedOutput(TextIOBase):
    """In place of a standard output that the caller has closed: what is printed would be lost."""

    def write(self, text: str, /) -> NoReturn:
        """Refuse."""
        raise OSError(errno.EBADF, "standard output is closed")


def _open_streams() -> None:
    """A stream that the caller has closed, or text that it cannot hold, is no reason to stop; lost results are."""
    if sys.stdout is None:
        sys.stdout = _ClosedOutput()
    if sys.stderr is None:
        sys.stderr = StringIO()
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass  # else a table could be opened as standard output or error, and be printed into
    os.close(descriptor)
    for stream in (sys.stdin, sys.stdout):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _drop_what_cannot_be_printed() -> None:
    """What is still buffered would fail again when Python flushes at exit, with words and an exit code of its own."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _addresses_are_limited() -> bool:
    return address_limit() is not None


def _spare_threads() -> None:
    """Have NumPy's BLAS start no threads: matrices are tiny here, and they would do nothing but wait, busily.

    Under `ulimit -v`, where they cannot be started, it would interrupt the process.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def _no_memory(error: Exception, options: argparse.Namespace) -> str:
    """What failed for want of memory, in one line, and what would help."""
    said = (str(error).strip() or type(error).__name__).splitlines()[-1]  # of many lines the last says what it was
    helps = ["a smaller --memory"] * ("memory" in options) + ["fewer --threads"] * ("threads" in options)
    helps += ["a larger ulimit -v"] * _addresses_are_limited()
    return f"not enough memory: {said}{'; what helps: ' if helps else ''}{', '.join(helps)}"
