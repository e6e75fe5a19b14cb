"""How somebody plays, estimated from bids: as a mixture of players, each of which bids now and then.

Every bid is taken as drawn from one of a family of players, with unknown shares. The shares that explain all bids best
are found by expectation and maximisation; a few imagined bids beforehand keep them away from certainty.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from goofspiel.arrays import Flags, Floats
from goofspiel.batch import PositionBatch
from goofspiel.players.human import ForgetfulPlayer, MixturePlayer, PredictablePlayer
from goofspiel.players.players import BidUpcardPlayer, Player, TablePlayer, UniformPlayer, checked_mixes
from goofspiel.position import Position
from goofspiel.rules import Rules
from goofspiel.states.subsets import BITS
from goofspiel.tablebase import Tablebase
from goofspiel.tablebase.answer import interchangeable_groups

IMAGINED = (1.0, 0.1)  # bids as perfect play before anything was seen, and as each of the others
ROUNDS = 60  # of expectation and maximisation
LEAST = 0.005  # a share below this is not worth a name

LOWEST = -BITS  # a step after which every card is too high: the lowest one is bid


@dataclass(frozen=True)
class Observed:
    """A bid, and the position as its player saw it."""

    position: Position
    bid: int
    """0 where nothing was bid yet."""

    @property
    def tells(self) -> bool:
        """Whether something can be learned from it: a last card is no choice."""
        return self.position.level > 1 and self.bid > 0


def family(tablebase: Tablebase) -> tuple[Player, ...]:
    """Who somebody may play like; perfect play is the first."""
    perfect = TablePlayer(tablebase)
    steps = tuple(BidUpcardPlayer(step) for step in (0, 1, -1, LOWEST))
    return perfect, ForgetfulPlayer(perfect), PredictablePlayer(perfect), *steps, UniformPlayer()


def mixes_at(player: Player, positions: Sequence[Position], rules: Rules) -> list[Floats]:
    """The mixes of a player at positions of any levels, a probability for each card of its hand."""
    found: list[Floats] = [np.empty(0)] * len(positions)
    for level in {position.level for position in positions}:
        here = [which for which, position in enumerate(positions) if position.level == level]
        batch = PositionBatch.of([positions[which] for which in here], rules=rules)
        for which, mix in zip(here, checked_mixes(player, batch), strict=True):
            found[which] = mix
    return found


@dataclass(frozen=True, eq=False)
class Evidence:
    """Bids of somebody, beside what each of a family would bid."""

    players: tuple[Player, ...]
    bids: tuple[Observed, ...]
    mixes: tuple[tuple[Floats, ...], ...]
    """By player, by bid: its mix at that position."""

    @staticmethod
    def of(observed: Iterable[Observed], tablebase: Tablebase, rules: Rules) -> "Evidence":
        """What bids tell in a game of these rules."""
        players, bids = family(tablebase), tuple(observed)
        positions = [one.position for one in bids]
        return Evidence(players, bids, tuple(tuple(mixes_at(player, positions, rules)) for player in players))

    @cached_property
    def likelihoods(self) -> Floats:
        """How likely each player makes each bid, `[bid][player]`; 1 where a bid tells nothing.

        Cards that are interchangeable count as one: which of them is bid makes no difference, and tells nothing.
        """
        found = np.ones((len(self.bids), len(self.players)))
        for which, one in enumerate(self.bids):
            if one.tells:
                _, groups = interchangeable_groups(one.position.mine, one.position.theirs)
                same = np.array(groups) == groups[one.position.my_cards.index(one.bid)]
                found[which] = [mixes[which][same].sum() for mixes in self.mixes]
        return found

    def shares(self) -> Floats:
        """How often it bids as each of the players, by all bids."""
        return np.asarray(fitted(self.likelihoods, self._telling[None])[0])

    def foreseen(self) -> list[Floats]:
        """The mix at the position of each bid, by what all the others tell."""
        others = self._telling & ~np.eye(len(self.bids), dtype=bool)
        found = fitted(self.likelihoods, others)
        mixed = [shares @ np.array([mixes[which] for mixes in self.mixes]) for which, shares in enumerate(found)]
        return [np.minimum(mix, 1.0) for mix in mixed]  # a sum may be above 1 by rounding

    @property
    def _telling(self) -> Flags:
        return np.array([one.tells for one in self.bids], dtype=bool)

    def player(self) -> MixturePlayer:
        """Somebody who plays so: shares that do not count are left out."""
        return mixture(self.players, self.shares())


def fitted(likelihoods: Floats, told: Flags) -> Floats:
    """The shares of players that explain bids best, `[sample][player]`.

    - `likelihoods`: of each bid by each player, `[bid][player]`.
    - `told`: which bids belong to which sample, `[sample][bid]`.
    """
    imagined = np.full(likelihoods.shape[1], IMAGINED[1])
    imagined[0] = IMAGINED[0]
    shares = np.tile(imagined / imagined.sum(), (len(told), 1))
    for _ in range(ROUNDS):
        explained = told / (shares @ likelihoods.T)
        counts = imagined + shares * (explained @ likelihoods)
        shares = counts / counts.sum(axis=1, keepdims=True)
    return shares


def mixture(players: Sequence[Player], shares: Floats) -> MixturePlayer:
    """Of those whose share counts, rounded as its name says, so that the name loads the same player."""
    percent = [(round(100 * share, 1), player) for share, player in zip(shares.tolist(), players, strict=True)]
    kept = [(share, player) for share, player in percent if share >= 100 * LEAST]
    whole = sum(share for share, _ in kept)
    parts = tuple((share / whole, player) for share, player in kept)
    return MixturePlayer(parts, f"mix({', '.join(f'{share:g} {player.name}' for share, player in kept)})")


WORDS: dict[str, str] = {
    "forgetful": "forgets which cards the other side has left",
    "predictable": "bids the likeliest card of perfect play",
    "match": "bids what the prize is worth",
    "match+1": "bids one more than the prize",
    "match-1": "bids one less than the prize",
    BidUpcardPlayer(LOWEST).name: "bids the lowest card",
    "uniform": "bids any card",
}


def in_words(name: str) -> str:
    """What one of the family does."""
    return WORDS.get(name, "plays perfectly")
