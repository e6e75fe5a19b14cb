// The games of a block with rounds as lanes: eight rounds side by side, one matchup after the other.
#pragma once

#include "check.hpp"
#include "kernel.hpp"

namespace GOOFSPIEL_VARIANT {

// The children of the lanes' rounds side by side, in the precision that they are stored in.
template <typename Real> struct Lanes {
  Real lane[LANES];
  quad lo() const { return load(lane); }
  quad hi() const { return load(lane + QUAD); }
};

// Lay them out: one for each child, and a last one of zeros.
template <typename Real>
static void lay_out(const KernelBlock &block, const int32_t *child_of, int here, Lanes<Real> *out) {
  const Real *row[LANES];
  for (int l = 0; l < LANES; l++)
    row[l] = static_cast<const Real *>(block.children) + child_of[l < here ? l : 0] * block.child_width;
  for (int64_t c = 0; c < block.child_width; c++)
    for (int l = 0; l < LANES; l++)
      out[c].lane[l] = row[l][c];
  out[block.child_width] = {};
}

// `visit(games, wanted, game)` gets the cells of each group of lanes, and returns the values of its games.
template <typename Real, typename Visit> static void for_each_group(const KernelBlock &block, const Visit &visit) {
  Lanes<Real> *children = static_cast<Lanes<Real> *>(block.laid_out);
  vec cells[MAX_CELLS];
  for (int64_t first = 0; first < block.rounds; first += LANES) {
    if (stopped(block.stop))
      return;
    const int here = block.rounds - first < LANES ? static_cast<int>(block.rounds - first) : LANES;
    lay_out(block, block.child_of + first, here, children);
    double prizes[LANES];
    double *out[LANES];
    for (int l = 0; l < LANES; l++) {
      const int64_t round = first + (l < here ? l : 0);
      prizes[l] = block.prizes[round];
      out[l] = block.out + block.row_of[round] * block.width;
    }
    const vec prize = from_array(prizes);
    // By the low bits of a code: the sign of the child, and what is won.
    struct {
      quad sign;
      vec won;
    } terms[8];
    for (int t = 0; t < 8; t++)
      terms[t] = {fill(t & 4 ? -1 : 1), prize * broadcast((t & 3) - 1)};
    for (int64_t g = block.begin; g < block.end; g++) {
      const int m = block.shapes[2 * g], n = block.shapes[2 * g + 1], size = m * n;
      const uint32_t *code = block.codes + block.offsets[g];
      // The next game's children are fetched while this game's are used.
      const uint32_t *next = block.offsets[g + 1] + size <= block.offsets[block.end] ? code + size : code;
      for (int c = 0; c < size; c++) {
        __builtin_prefetch(children + (next[c] >> 3));
        const Lanes<Real> &child = children[code[c] >> 3];
        const auto &term = terms[code[c] & 7];
        cells[c] = {child.lo() * term.sign + term.won.lo, child.hi() * term.sign + term.won.hi};
      }
      const vec value = visit(Games{cells, m, n, broadcast(block.scale)}, (1u << here) - 1, g);
      for (int l = 0; l < here; l++)
        out[l][g] += value[l] * block.share;
    }
  }
}

} // namespace GOOFSPIEL_VARIANT
