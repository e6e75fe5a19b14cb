"""The verb completion: what has a shell complete verbs and options."""

import argparse

from goofspiel.cli.options import DONE, Commands
from goofspiel.errors import GoofspielError

SHELLS = ("bash", "zsh", "tcsh")


def add_completion(commands: Commands) -> None:
    """Add the verb; it knows those that were added before it."""
    summary = "print what has a shell complete verbs and options"
    completion = commands.add("completion", _completion, summary, tables=False, forms=())
    completion.add_argument("shell", choices=SHELLS, help="which shell it is")
    completion.set_defaults(whole=commands.parser)


def _completion(options: argparse.Namespace) -> int:
    try:
        import shtab
    except ModuleNotFoundError:
        raise GoofspielError("completion needs pip install 'goofspiel[completion]'") from None
    print(shtab.complete(options.whole, options.shell))
    return DONE
