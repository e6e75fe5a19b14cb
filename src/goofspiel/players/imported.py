"""Import a player of a user's own: a function, a player, or a class of players, from a module or a file."""

import importlib
import importlib.machinery
import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import CodeType
from typing import Any

from goofspiel.errors import GoofspielError, PlayerError
from goofspiel.players.players import FunctionPlayer, Player

NAMES = (
    "optimal, optimal:points, optimal:win, uniform, match, match+1, forgetful, predictable, a rung of the ladder such "
    "as novice, mix(75 match, 25 uniform), respond:PLAYER, exploit:RISK:PLAYER, module:function, cmd:COMMAND, "
    "policy:FILE, human"
)


def import_player(name: str) -> Player:
    """The player that `module:attribute` or `file.py:attribute` names."""
    module_name, _, attribute = name.partition(":")
    try:
        found = _module(module_name)
        for part in attribute.split("."):
            found = getattr(found, part)
    except AttributeError:
        raise PlayerError(f"{module_name} has no {attribute!r}: {name!r}") from None
    except GoofspielError:
        raise
    except Exception as error:  # whatever the user's module does
        raise PlayerError(f"player {name!r} cannot be loaded: {type(error).__name__}: {error}") from error
    if isinstance(found, type):
        found = _made(found, name)
    if callable(getattr(found, "mixes", None)):
        if not (hasattr(found, "name") and hasattr(found, "uses_lead")):
            raise PlayerError(f"a player has a name and says whether it uses_lead: {name!r}")
        player: Player = found
        return player
    if not callable(found):
        raise PlayerError(f"a player is a function or has mixes: {name!r} is {found!r}")
    return FunctionPlayer(found, name, getattr(found, "uses_lead", True))


def _made(kind: Callable[[], Any], name: str) -> Any:
    try:
        return kind()
    except Exception as error:  # whatever the user's class does
        raise PlayerError(f"player {name!r} cannot be made: {type(error).__name__}: {error}") from error


class _SourceLoader(importlib.machinery.SourceFileLoader):
    """Of a file as it is now: what Python compiled before would be taken for it if size and second were the same."""

    def get_code(self, fullname: str) -> CodeType:
        return self.source_to_code(self.get_data(self.path), self.path)


def _module(name: str) -> Any:
    """A module by its name, found as Python does or in the working folder; or a file."""
    if name.endswith(".py"):
        path = Path(name)
        if not path.is_file():
            raise PlayerError(f"there is no file {name!r}")
        loader = _SourceLoader(path.stem, name)
        spec = importlib.util.spec_from_file_location(path.stem, path, loader=loader)
        assert spec
        module = importlib.util.module_from_spec(spec)
        loader.exec_module(module)
        return module
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.append(here)
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name.partition(".")[0] and error.name != name:
            raise
        raise PlayerError(f"no player and no module is called {name!r}: {NAMES}") from None
