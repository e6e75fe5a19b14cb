"""For those who extend it: another game on the same kernel. Here the order of the prizes is known from the start.

A script, and a notebook: VS Code, Spyder and Jupytext show the parts between `# %%` as cells.
"""

# %% [markdown]
# ## A game as matrix games
# `goofspiel.games` knows matrices, not cards: whatever can be written as matrix games that follow each other can be
# solved with it, each with its proof.

# %%
from functools import cache
from itertools import permutations

import numpy as np

from goofspiel import games

Hand = tuple[int, ...]


@cache
def value(mine: Hand, theirs: Hand, prizes: Hand) -> float:
    """What I can expect to win more than they, when all prizes lie open in this order."""
    if not prizes:
        return 0.0
    solution = games.solve(payoffs(mine, theirs, prizes))
    assert solution.gap < 1e-9
    return solution.value


def payoffs(mine: Hand, theirs: Hand, prizes: Hand) -> np.ndarray:
    """What each pair of bids leads to."""
    first, rest = prizes[0], prizes[1:]
    return np.array(
        [[first * np.sign(a - b) + value(without(mine, a), without(theirs, b), rest) for b in theirs] for a in mine]
    )


def without(hand: Hand, card: int) -> Hand:
    """A hand after a bid."""
    return tuple(held for held in hand if held != card)


# %% [markdown]
# ## Does it matter in which order the prizes lie?

# %%
hand = (1, 2, 3, 4)
for order in ((4, 3, 2, 1), (1, 2, 3, 4), (2, 4, 1, 3)):
    mix = games.solve(payoffs(hand, hand, order)).row_mix
    print(f"prizes {order}: first bid " + ", ".join(f"{card} {p:.3f}" for card, p in zip(hand, mix, strict=True)))

# %% [markdown]
# ## Checks that any such game must pass
# Equal hands are worth nothing, whatever the order; an advantage is worth the same to either side.

# %%
assert all(abs(value(hand, hand, order)) < 1e-9 for order in permutations(hand))
assert abs(value((2, 3, 4), (1, 2, 3), (3, 2, 1)) + value((1, 2, 3), (2, 3, 4), (3, 2, 1))) < 1e-9
