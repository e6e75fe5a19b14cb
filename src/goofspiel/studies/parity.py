"""The paper's observations about the first move, one by one: do they hold for every number of cards, and to win?"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from goofspiel.cards import MAX_CARDS
from goofspiel.render.first_moves import FirstMove, first_move
from goofspiel.rules import Objective
from goofspiel.studies.request import Request
from goofspiel.studies.study import Cell, Column, Grid, Source, Study, numbers_text

NAME = "parity"
LEAST = 5  # cards: below, the paper sees nothing of interest
SHUFFLES = 4096  # of each first mix
SEED = 0
NEVER = 1e-9  # probabilities up to this are rounding: a first bid of the paper's table has three digits

DATA = (
    *(Column("objective"), Column("cards"), Column("upcard")),
    Column("same_parity", ".3f"),
    Column("one_parity", ".3f"),
    Column("shuffled", ".3f"),
    Column("more_than_double", ".3f"),
    Column("low_other_parity", ".4f"),
    Column("next_two", ".4f"),
    Column("unique"),
)
SUMMARY = (
    *(Column("objective"), Column("cards")),
    Column("low_other_parity", ".3f", "low"),
    Column("exceptions", "d", "bids"),
    Column("next_two", ".3f", "next"),
    Column("favoured", "", "own"),
    Column("same_parity", ".3f", "same"),
    Column("majority", "", "most"),
    Column("one_parity", ".3f", "one"),
    Column("shuffled", ".3f"),
    Column("more_than_double", ".3f", "double"),
)
LEGEND = (
    "low: the largest probability of a low bid of the other parity on a high upcard; bids: how many such bids there "
    "are. next: N−1 or N−2 on the N. own: on the N, in how many pairs of neighbours the bid of N's parity is "
    "favoured. double: bids of more than double the upcard.",
    "same: how much of the probability is on bids of the upcard's parity; most: the upcards on which that is more "
    "than half. one: how much is on whichever parity has more of it on an upcard. shuffled: the same of the same "
    "mixes with their probabilities shuffled; the larger of two shares is above one half without any preference.",
)


@dataclass(frozen=True)
class Parity:
    """What one first-move table says to the paper's claims."""

    table: FirstMove

    @property
    def _cards(self) -> "np.ndarray[tuple[int], np.dtype[np.int64]]":
        return np.arange(1, self.table.cards + 1)

    def same_parity(self) -> list[float]:
        """For each upcard, how much of the probability is on bids of its parity."""
        same = (self._cards[:, None] + self._cards) % 2 == 0
        return [float(share) for share in (self.table.probability * same).sum(axis=0)]

    def one_parity(self) -> list[float]:
        """The same for whichever parity prevails on that upcard."""
        return [max(share, 1 - share) for share in self.same_parity()]

    def shuffled(self) -> list[float]:
        """The same when the probabilities of an upcard are shuffled over the bids up to its highest one: the mean.

        That is what can be expected of mixes which know nothing of parity.
        """
        random = np.random.default_rng([SEED, self.table.cards, list(Objective).index(self.table.objective)])
        found = []
        for column in self.table.probability.T:
            used = column[: int(np.flatnonzero(column > NEVER)[-1]) + 1]
            odd = random.permuted(np.tile(used, (SHUFFLES, 1)), axis=1)[:, ::2].sum(axis=1)
            found.append(float(np.maximum(odd, used.sum() - odd).mean()))
        return found

    def more_than_double(self) -> list[float]:
        """For each upcard, how often a card of more than its double is bid."""
        return [float(self.table.probability[2 * upcard :, upcard - 1].sum()) for upcard in self._cards.tolist()]

    def low_other_parity(self) -> dict[int, list[tuple[int, float]]]:
        """High upcard (above 3N/4) → the bids below N/2 of the other parity, with their probabilities."""
        cards = self.table.cards
        return {
            upcard: [
                (bid, float(self.table.probability[bid - 1, upcard - 1]))
                for bid in range(1, cards + 1)
                if 2 * bid < cards and (bid + upcard) % 2
            ]
            for upcard in range(1, cards + 1)
            if 4 * upcard > 3 * cards
        }

    def exceptions(self) -> list[tuple[int, int, float]]:
        """Those of them that are bid after all: upcard, bid, probability."""
        return [(upcard, bid, p) for upcard, bids in self.low_other_parity().items() for bid, p in bids if p > NEVER]

    def next_two(self) -> float:
        """How often the N is answered with the N−1 or the N−2."""
        return float(self.table.probability[-3:-1, -1].sum())

    def favoured(self) -> tuple[int, int]:
        """On the N, of how many neighbours up to N−3 the one of N's parity is bid more often; and how many there are.

        The paper says it of 13 cards, up to a bid of 10.
        """
        cards, column = self.table.cards, self.table.probability[:, -1]
        pairs = [(bid, bid + 1) if (cards - bid) % 2 == 0 else (bid + 1, bid) for bid in range(1, cards - 3)]
        return sum(bool(column[own - 1] > column[other - 1]) for own, other in pairs), len(pairs)

    def summary_row(self) -> tuple[Cell, ...]:
        """A line of the summary."""
        same = self.same_parity()
        worst = max((p for bids in self.low_other_parity().values() for _, p in bids), default=0.0)
        majority = sum(share > 0.5 for share in same)
        return (
            str(self.table.objective),
            self.table.cards,
            worst,
            len(self.exceptions()),
            self.next_two(),
            "{} of {}".format(*self.favoured()),
            float(np.mean(same)),
            f"{majority} of {self.table.cards}",
            float(np.mean(self.one_parity())),
            float(np.mean(self.shuffled())),
            float(np.mean(self.more_than_double())),
        )

    def data_rows(self) -> list[tuple[Cell, ...]]:
        """One row an upcard."""
        low, cards = self.low_other_parity(), self.table.cards
        return [
            (
                str(self.table.objective),
                cards,
                upcard,
                same,
                one,
                shuffled,
                double,
                sum(p for _, p in low[upcard]) if upcard in low else None,
                self.next_two() if upcard == cards else None,
                None if (only := self.table.unique[upcard - 1]) is None else int(only),
            )
            for upcard, same, one, shuffled, double in zip(
                self._cards.tolist(),
                self.same_parity(),
                self.one_parity(),
                self.shuffled(),
                self.more_than_double(),
                strict=True,
            )
        ]


def study_parity(request: Request) -> Study:
    """Look at the first-move tables of all solved games."""
    found = [request.find(NAME, objective, least=LEAST, most=MAX_CARDS) for objective in request.objectives(NAME)]
    first_moves = []
    for rules in request.each([rules for some in found for rules in some.games]):
        with request.open(rules) as tablebase:
            first_moves.append((first_move(tablebase), Source.of(tablebase)))
    return parity_of(first_moves, request.command(NAME), [line for some in found for line in some.left_out])


def parity_of(first_moves: Sequence[tuple[FirstMove, Source]], command: str, left_out: Sequence[str] = ()) -> Study:
    """The study of first-move tables, wherever they come from: those of an objective together."""
    tables = [Parity(table) for table, _ in first_moves]
    objectives = dict.fromkeys(parity.table.objective for parity in tables)
    by_objective = [[parity for parity in tables if parity.table.objective == objective] for objective in objectives]
    verdicts = [verdict for some in by_objective for verdict in _verdicts(some)]
    if len(by_objective) == len(Objective):
        verdicts += _survival(*by_objective)
    note = _uniqueness([only for parity in tables for only in parity.table.unique])
    return Study(
        NAME,
        "Parity: does the first bid follow the parity of the upcard?",
        "The paper's claims about the first move, for every number of cards N: on an upcard above 3N/4 no card below "
        "N/2 of the other parity is bid; on the N, neither N−1 nor N−2; on the N, bids of N's parity are favoured up "
        "to N−3; bids share the parity of the upcard (means over the upcards); some bids are more than double the "
        "upcard. And do they hold when both play to win?",
        Grid(SUMMARY, tuple(parity.summary_row() for parity in tables)),
        Grid(DATA, tuple(row for parity in tables for row in parity.data_rows())),
        tuple(verdicts),
        tuple(source for _, source in first_moves),
        (
            note,
            f"Shuffled: {SHUFFLES:,} times, seed {SEED}, over the bids up to the highest that is made on the upcard.",
            *left_out,
        ),
        command,
        LEGEND,
    )


def _verdicts(tables: Sequence[Parity]) -> list[str]:
    """One sentence a claim, for the tables of one objective."""
    if not tables:
        return []
    worst = max((found for parity in tables for found in parity.exceptions()), key=lambda one: one[2], default=None)
    most = f"; the largest exception bids {worst[1]} on {worst[0]}, {worst[2]:.3f}" if worst else ""
    claims: list[tuple[str, Callable[[Parity], bool], str]] = [
        ("a high upcard gets no low bid of the other parity", lambda parity: not parity.exceptions(), most),
        ("the N is never answered with N−1 or N−2", lambda parity: parity.next_two() <= NEVER, ""),
        (
            "on the N, every bid of N's parity up to N−3 is more likely than its neighbours",
            lambda parity: parity.favoured()[0] == parity.favoured()[1],
            "",
        ),
        ("bids share the parity of the upcard, more often than not", _follows, _shares(tables)),
        ("some bids are more than double the upcard", lambda parity: max(parity.more_than_double()) > NEVER, ""),
    ]
    return [f"{tables[0].table.objective}: {claim}: {_where(tables, holds)}{more}." for claim, holds, more in claims]


def _follows(parity: Parity) -> bool:
    return float(np.mean(parity.same_parity())) > 0.5


def _shares(tables: Sequence[Parity]) -> str:
    same = [float(np.mean(parity.same_parity())) for parity in tables]
    one = [float(np.mean(parity.one_parity())) for parity in tables]
    return f"; the share is {_range(same)}, that of whichever parity prevails on an upcard {_range(one)}"


def _range(shares: Sequence[float]) -> str:
    ends = f"{min(shares):.2f}", f"{max(shares):.2f}"
    return ends[0] if ends[0] == ends[1] else " to ".join(ends)


def _uniqueness(unique: Sequence[bool | None]) -> str:
    """How many of the mixes are not the only ones, as far as the tables can tell."""
    several, unknown = unique.count(False), unique.count(None)
    if not several and not unknown:
        return "Every first mix is unique."
    said = [f"{several} of the first mixes are one of several optimal ones."] * bool(several)
    which = "them" if several else "the first mixes"
    said += [f"Of {unknown} of {which} the tables cannot tell whether they are the only ones."] * bool(unknown)
    return " ".join(said)


def _survival(points: Sequence[Parity], win: Sequence[Parity]) -> list[str]:
    """Does parity matter as much to who plays to win?"""
    common = sorted({parity.table.cards for parity in points} & {parity.table.cards for parity in win})
    if not common:
        return []
    for_points, to_win = ([parity for parity in tables if parity.table.cards in common] for tables in (points, win))
    observed, here = (
        float(np.mean([np.mean(parity.one_parity()) for parity in tables])) for tables in (for_points, to_win)
    )
    shuffled, here_shuffled = (
        float(np.mean([np.mean(parity.shuffled()) for parity in tables])) for tables in (for_points, to_win)
    )
    verdict = "survives" if here > (observed + here_shuffled) / 2 else "fades"
    return [
        f"Parity {verdict} when both play to win: with {numbers_text(common)} cards, the parity that prevails on an "
        f"upcard has {here:.2f} of the probability, for points {observed:.2f}; the same mixes with their probabilities "
        f"shuffled over the bids: {here_shuffled:.2f}, for points {shuffled:.2f}."
    ]


def _where(tables: Sequence[Parity], holds: Callable[[Parity], bool]) -> str:
    true = [parity.table.cards for parity in tables if holds(parity)]
    false = [parity.table.cards for parity in tables if not holds(parity)]
    if not false:
        return f"holds for {numbers_text(true)} cards"
    return f"fails for {numbers_text(false)} cards" + (f", holds for {numbers_text(true)}" if true else "")
