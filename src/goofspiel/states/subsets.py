"""Number the subsets of up to 16 things: colexicographic ranks of bit masks, vectorised."""

from functools import cache

import numpy as np
from numpy.typing import NDArray

BITS = 16

Masks = NDArray[np.uint16]
Ranks = NDArray[np.int64]


@cache
def ranks() -> NDArray[np.int32]:
    """The rank of every mask among the masks with as many bits, in numeric order.

    Numeric order is colexicographic order: the rank of {s₁ < … < s_k} is Σ C(sᵢ, i), whatever set it is taken from.
    """
    rank = np.zeros(1 << BITS, dtype=np.int32)
    for size in range(1, BITS + 1):
        masks = all_subsets(BITS, size)
        rank[masks] = np.arange(len(masks), dtype=np.int32)
    rank.flags.writeable = False
    return rank


@cache
def sizes() -> NDArray[np.uint8]:
    """The number of bits of every mask."""
    size = np.bitwise_count(np.arange(1 << BITS, dtype=np.uint16))
    size.flags.writeable = False
    return size


def all_subsets(n: int, size: int) -> Masks:
    """All masks of `size` of the bits 0 … n−1, in the order of their ranks."""
    everything = np.arange(1 << n, dtype=np.uint32)
    found: Masks = everything[np.bitwise_count(everything) == size].astype(np.uint16)
    return found


@cache
def squeezed_bytes() -> NDArray[np.uint8]:
    """For every (kept, mask) of 8 bits: the bits of `mask` at the places of `kept`, moved together."""
    kept, mask = np.meshgrid(np.arange(256, dtype=np.uint16), np.arange(256, dtype=np.uint16), indexing="ij")
    result = np.zeros((256, 256), dtype=np.uint16)
    place = np.zeros((256, 256), dtype=np.uint16)
    for bit in range(8):
        here = (kept >> bit) & 1
        result |= (((mask >> bit) & here) << place).astype(np.uint16)
        place += here
    return result.astype(np.uint8)


def squeeze(mask: Masks, kept: Masks) -> Masks:
    """The bits of `mask` at the places of `kept`, moved together: bit i of the result stands for the i-th place."""
    table = squeezed_bytes()
    low = table[kept & 0xFF, mask & 0xFF].astype(np.uint16)
    high = table[kept >> 8, mask >> 8].astype(np.uint16)
    squeezed: Masks = low | (high << sizes()[kept & 0xFF]).astype(np.uint16)
    return squeezed


def spread(mask: Masks, places: Masks) -> Masks:
    """The inverse of `squeeze`: bit i of `mask` goes to the i-th place of `places`."""
    result = np.zeros(np.broadcast_shapes(np.shape(mask), np.shape(places)), dtype=np.uint16)
    taken = np.zeros_like(places)
    for bit in range(int(np.max(places, initial=0)).bit_length()):
        here = (places >> bit) & 1
        result |= ((mask >> taken) & here) << bit
        taken += here
    return result
