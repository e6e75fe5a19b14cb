// What each pair of bids of a matchup leads to, as codes. Tables come from the caller, which numbers matchups.
#pragma once

#include <cstdint>

// How the matchups of a level are numbered: by unmatched cards, then by the places of the ties, then by the rank of my
// unmatched cards among half of all ways to deal them.
struct Numbering {
  const int32_t *ranks;    // [1 << 16]: of a mask among those with as many bits
  const uint8_t *squeezed; // [256][256]: (kept, mask) -> the bits of the mask at the kept places, moved together
  const int64_t *offsets;  // [level + 1]: the first number, by unmatched cards
  const int64_t *halves;   // [level + 1]: half of the ways to deal them
  int level;
  int64_t equal; // what stands for equal hands

  uint32_t squeeze(uint32_t mask, uint32_t kept) const {
    const uint32_t low = squeezed[(kept & 255) << 8 | (mask & 255)];
    return low | static_cast<uint32_t>(squeezed[kept & 0xff00 | mask >> 8]) << __builtin_popcount(kept & 255);
  }

  // The number of a matchup << 1 | it is seen from the other side.
  int64_t operator()(uint32_t mine, uint32_t theirs) const {
    const uint32_t ties = mine & theirs, held = mine | theirs;
    const int unmatched = level - __builtin_popcount(ties);
    if (!unmatched)
      return equal << 1;
    const int64_t half = halves[unmatched];
    int64_t dealt = ranks[squeeze(mine, held ^ ties)];
    const bool mirrored = dealt >= half;
    if (mirrored)
      dealt = 2 * half - 1 - dealt;
    return (offsets[unmatched] + ranks[squeeze(ties, held)] * half + dealt) << 1 | mirrored;
  }
};

// The codes of one matchup, whose distinct cards are given: row-major, one a pair of bids. The first after them.
inline uint32_t *write_codes(const Numbering &below, uint32_t mine, uint32_t theirs, uint32_t rows, uint32_t columns,
                             uint32_t *out) {
  for (uint32_t my_rest = rows; my_rest; my_rest &= my_rest - 1) {
    const uint32_t my_bid = my_rest & -my_rest;
    for (uint32_t their_rest = columns; their_rest; their_rest &= their_rest - 1) {
      const uint32_t their_bid = their_rest & -their_rest;
      const auto child = static_cast<uint32_t>(below(mine ^ my_bid, theirs ^ their_bid));
      *out++ = child >> 1 << 3 | (child & 1) << 2 | (1u + (my_bid > their_bid) - (my_bid < their_bid));
    }
  }
  return out;
}
