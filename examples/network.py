"""Train a small network on solved positions, and measure what it loses at worst: exactly, by its best response.

Nothing but NumPy. The data are those that `goofspiel export OUT --cards 5` writes.
"""

# %% [markdown]
# # A network that learns perfect play
#
# All positions of 5 cards, with an optimal mix of both sides, become a training set. The network never
# plays. Afterwards a best response says what it would lose to the strongest opponent there is.

# %%
import os
import tempfile
from itertools import pairwise
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # the matrices are small: threads would wait for each other
import numpy as np
from numpy.typing import NDArray

from goofspiel import open_tablebase
from goofspiel.batch import PositionBatch
from goofspiel.interop.dataset import export
from goofspiel.play import load_player, respond

CARDS = 5
Array = NDArray[Any]

with tempfile.TemporaryDirectory() as folder:
    index = export(open_tablebase(CARDS), Path(folder) / "data")
    parts = [np.load(Path(folder) / "data" / part["file"]) for part in index["files"]]
    data = {name: np.concatenate([part[name] for part in parts]) for name in index["columns"]}
# A position and the same seen from the other side are one row: both sides are worth learning.
sides = (("mine", "theirs", "my_mix"), ("theirs", "mine", "their_mix"))
mine, theirs, mixes = (np.concatenate([data[side[which]] for side in sides]) for which in range(3))
deck, upcard = (np.tile(data[name], 2) for name in ("deck", "upcard"))
print(f"{len(data['value']):,} positions of {CARDS} cards, from both sides")

# %% [markdown]
# Only the order of the cards matters, so the network sees who holds the higher card, for each pair of cards, and what
# is bid for. It answers for the cards of a hand in ascending order.

# %%


def cards_of(masks: Array) -> Array:
    """The cards of hands, ascending; 0 where there are no more."""
    held = masks[:, None] >> np.arange(CARDS) & 1
    place = np.argsort(-held, axis=1, kind="stable")
    return np.where(np.take_along_axis(held, place, axis=1), place + 1, 0)


def features(mine: Array, theirs: Array, deck: Array, upcard: Array) -> Array:
    """What the network sees of positions."""
    my_cards, their_cards = cards_of(mine), cards_of(theirs)
    both = (my_cards[:, :, None] > 0) & (their_cards[:, None, :] > 0)
    order = np.sign(my_cards[:, :, None] - their_cards[:, None, :]) * both
    left = deck[:, None] >> np.arange(CARDS) & 1
    shown = np.eye(CARDS)[upcard - 1]
    return np.hstack([order.reshape(len(mine), -1), my_cards > 0, left, shown]).astype(np.float32)


inputs, cards = features(mine, theirs, deck, upcard), cards_of(mine)
held = cards > 0
target = np.where(held, np.take_along_axis(mixes, np.maximum(cards - 1, 0), axis=1), 0)  # by rank in the hand

# %% [markdown]
# Two hidden layers, trained by Adam to come close to an optimal mix (cross entropy).

# %%
random = np.random.default_rng(0)
sizes = (inputs.shape[1], 96, 96, CARDS)
weights = [random.normal(0, np.sqrt(2 / a), (a, b)).astype(np.float32) for a, b in pairwise(sizes)]
weights += [np.zeros(size, dtype=np.float32) for size in sizes[1:]]
moments = [[np.zeros_like(one) for one in weights] for _ in range(2)]


def forward(x: Array, legal: Array) -> tuple[list[Array], Array]:
    """The layers, and the mix."""
    layers = [x]
    for matrix, bias in zip(weights[:2], weights[3:5], strict=True):
        layers.append(np.maximum(layers[-1] @ matrix + bias, 0))
    logits = np.where(legal, layers[-1] @ weights[2] + weights[5], -np.inf)
    mix = np.exp(logits - logits.max(axis=1, keepdims=True))
    return layers, mix / mix.sum(axis=1, keepdims=True)


STEPS, SIZE = 1500, 256
for step in range(1, STEPS + 1):
    some = random.integers(len(inputs), size=SIZE)
    layers, mix = forward(inputs[some], held[some])
    slope = (mix - target[some]) / SIZE
    gradients: list[Array] = [inputs] * 6
    for layer in (2, 1, 0):
        gradients[layer], gradients[3 + layer] = layers[layer].T @ slope, slope.sum(axis=0)
        slope = (slope @ weights[layer].T) * (layers[layer] > 0)
    rate = 3e-3 * (1 - step / STEPS)
    for weight, gradient, mean, square in zip(weights, gradients, *moments, strict=True):
        mean[...] += 0.1 * (gradient - mean)
        square[...] += 0.001 * (gradient**2 - square)
        weight[...] -= rate * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.999**step)) + 1e-8)

regret = np.nan_to_num(data["regret"])  # by card, of my side; those that I do not hold are no bids
mix = forward(inputs, held)[1][: len(regret)]
lost = (mix * np.take_along_axis(regret, np.maximum(cards[: len(regret)] - 1, 0), axis=1)).sum(axis=1)
print(f"mean regret of a bid: {lost.mean():.4f} points")

# %% [markdown]
# A player takes many positions at a time and says a mix for each. Its best response is worked out against all of them.

# %%


class Network:
    """The network as a player."""

    name = "network"
    uses_lead = False

    def mixes(self, batch: PositionBatch) -> NDArray[np.float64]:
        """A mix for each position."""
        seen = [getattr(batch, name) for name in ("mine", "theirs", "deck", "upcard")]
        level = int(batch.mine[0]).bit_count()
        return forward(features(*seen), cards_of(seen[0]) > 0)[1][:, :level].astype(np.float64)


worst = respond(Network(), CARDS).exploitability
uniform = respond(load_player("uniform", CARDS), CARDS).exploitability
match = respond(load_player("match", CARDS), CARDS).exploitability
print(f"exploitability: network {worst:.3f}, uniform {uniform:.3f}, match {match:.3f} points a game")
assert 0 < worst < uniform / 4
