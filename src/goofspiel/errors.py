"""The errors that goofspiel raises on purpose: each says in one line what was wrong."""

from operator import index


class GoofspielError(Exception):
    """Any error that goofspiel raises on purpose."""


class RulesError(GoofspielError, ValueError):
    """Rules that make no game, that nothing solves, or a card that the game does not have."""


class PositionError(GoofspielError, ValueError):
    """A text that is no position, a position that cannot occur, or a card that cannot be played in it."""


class MissingTableError(GoofspielError, KeyError):
    """The table, or the part of it, that would hold the answer has not been solved."""

    def __str__(self) -> str:
        # KeyError shows the repr of its argument, which would put the message in quotes.
        return Exception.__str__(self)


class DamagedTableError(GoofspielError):
    """A table on disk fails its checksum or lacks a part that it should hold."""


class TableBusyError(GoofspielError):
    """Another process is solving this table."""


class TableVersionError(GoofspielError):
    """A table on disk was written in a format that this version cannot read."""


class HostError(GoofspielError):
    """A host of tables that cannot be reached, or that does not answer as it should."""


class SolveError(GoofspielError):
    """A solve could not be started or finished; the errors below say why."""


class OptionError(SolveError, ValueError):
    """An option that a solve does not take."""


class ResourceError(SolveError):
    """Too little memory, disk or time for what is asked."""


class TableConflictError(SolveError):
    """What is already there does not fit what is asked: it was begun otherwise, or is partly solved."""


class ProofError(SolveError):
    """A matrix game for which no mixes prove themselves optimal."""


class ClusterError(SolveError):
    """A cluster that cannot be reached, or that fails."""


class PlayerError(GoofspielError):
    """There is no such player, or a player did not answer with cards that it holds."""


class RecordError(GoofspielError, ValueError):
    """The record of a game cannot be read, or its rounds cannot have been played."""


def whole(value: object, what: str) -> int:
    """A whole number, NumPy's included; an error says what it should be, and quotes what it is."""
    try:
        if isinstance(value, bool):
            raise TypeError
        return index(value)  # type: ignore[arg-type]
    except TypeError:
        raise TypeError(f"{what} must be a whole number, not {value!r}") from None
