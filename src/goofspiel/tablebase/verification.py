"""What the checks of all tables share: random positions, solved again by HiGHS, mirrored, and with prizes doubled."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from math import nextafter
from typing import Any

import numpy as np

from goofspiel.batch import cards_needed
from goofspiel.games import solve_with_highs
from goofspiel.plan import Plan
from goofspiel.position import Position
from goofspiel.rules import Objective, mask_of
from goofspiel.states import bands, prize_sets

# What HiGHS may be wrong by, as a share of what is played for: its tolerance, over the upcards of a position.
JUDGE_TOLERANCE = 1e-8

Stored = Callable[[Sequence[Position]], Iterable[Any]]  # positions before their upcard → what is stored, any numbers
Told = Callable[[int, int], None]  # (done, all) of the blocks that are read


@dataclass(frozen=True, slots=True)
class Verification:
    """What was checked, and what was found."""

    exact: bool
    """In fractions: mirror images and doubled prizes may not differ at all."""
    blocks: int
    """How many blocks were read."""
    bytes: int
    """How much that was."""
    damaged: tuple[str, ...]
    """What is damaged or missing, one line each."""
    positions: int = 0
    """Positions solved again by HiGHS."""
    games: int = 0
    """Their matrix games."""
    largest_difference: float = 0.0
    """Between a stored value and HiGHS."""
    swapped: int = 0
    """Positions compared with their mirror image."""
    largest_asymmetry: float = 0.0
    """Between a stored value and that of the mirror image."""
    scaled: int = 0
    """Positions compared with the same position, all prizes and the lead doubled."""
    largest_scaling_difference: float = 0.0
    """Between what these should be worth and what is stored."""
    allowed: float = 0.0
    """The largest difference that is no fault."""

    @property
    def passed(self) -> bool:
        """Whether nothing wrong was found."""
        unlike = max(self.largest_asymmetry, self.largest_scaling_difference)
        return (
            not self.damaged
            and self.largest_difference <= self.allowed
            and unlike <= (0 if self.exact else self.allowed)
        )


def judge(
    read: Verification, plan: Plan, stored: Stored, *, levels: Sequence[int], samples: int, seed: int, bound: float
) -> Verification:
    """Compare sampled positions of some levels; each stored value is said to be within `bound` of the true one."""
    random = np.random.default_rng(seed)
    asked = [_random_position(plan, levels, random) for _ in range(samples)]
    found = list(stored(asked))
    low = [position for position in asked if position.prizes < 1 << plan.cards // 2]
    small = [position for position in low if cards_needed(_double(position), plan.objective) <= plan.cards]
    factor = 2 if plan.objective == Objective.POINTS else 1
    return replace(
        read,
        positions=samples,
        games=sum(position.level for position in asked),
        largest_difference=_largest(
            float(ours) - _solve_again(stored, p) for ours, p in zip(found, asked, strict=True)
        ),
        swapped=samples,
        largest_asymmetry=_largest(map(sum, zip(found, stored([p.swap() for p in asked]), strict=True))),
        scaled=len(small),
        largest_scaling_difference=_largest(
            double - factor * single
            for double, single in zip(stored([_double(p) for p in small]), stored(small), strict=True)
        ),
        allowed=2 * bound + JUDGE_TOLERANCE * plan.payoff_bound,
    )


def _largest(differences: Iterable[Any]) -> float:
    return max(map(_size, differences), default=0.0)


def _size(difference: Any) -> float:
    """As a double; a fraction that is not 0 stays so, however small."""
    return abs(float(difference)) or (nextafter(0.0, 1.0) if difference else 0.0)


def _random_position(plan: Plan, levels: Sequence[int], random: np.random.Generator) -> Position:
    """A stored position; every other one has its prizes among the lower half of the cards, so that they can double."""
    cards, objective = plan.cards, plan.objective
    low = bool(random.integers(2)) and cards >= 4
    level = int(random.choice(list(range(1, cards // 2 + 1) if low else levels)))
    index = random.integers(bands.matchup_count(cards, level, objective), size=1)
    mine, theirs = (int(word[0]) for word in bands.words(index, cards, level))
    deck = mask_of((random.permutation(cards // 2 if low else cards)[:level] + 1).tolist())
    where = bands.bands_of(cards, level, objective)
    (number,) = prize_sets.number(np.array([deck], dtype=np.uint16)).tolist()
    largest = where.leads[where.band[number]]
    lead = int(random.integers(-largest, largest + 1))
    return Position.from_masks(mine, theirs, deck, lead=lead)


def _solve_again(stored: Stored, position: Position) -> float:
    """The value from the stored values of all positions two plies on, by HiGHS; no numbering of matrices is reused."""
    total = 0.0
    for card in position.deck_cards:
        shown = position.turn_up(card)
        after = [shown.play(mine, theirs) for mine in shown.my_cards for theirs in shown.their_cards]
        payoff = np.array([float(value) for value in stored(after)]).reshape(position.level, position.level)
        total += solve_with_highs(payoff).value
    return total / position.level


def _double(position: Position) -> Position:
    deck = [2 * card for card in position.deck_cards]
    return Position.of(position.my_cards, position.their_cards, deck, lead=2 * position.lead)
