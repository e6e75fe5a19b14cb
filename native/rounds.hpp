// The games of a block with rounds as lanes: rounds side by side, one matchup after the other.
#pragma once

#include "check.hpp"
#include "payoffs.hpp"

namespace GOOFSPIEL_VARIANT {

// `visit(games, wanted, game)` gets the cells of each group of lanes, and returns the values of its games.
template <typename Stored, typename Visit> static void for_each_group(const KernelBlock &block, const Visit &visit) {
  using Real = typename LaidOut<Stored>::type;
  Lanes<Real> *laid_out = static_cast<Lanes<Real> *>(block.laid_out);
  vec cells[MAX_CELLS];
  for (int64_t first = 0; first < block.rounds; first += LANES) {
    if (stopped(block.stop))
      return;
    const int here = block.rounds - first < LANES ? static_cast<int>(block.rounds - first) : LANES;
    lay_out<Stored>(block, first, here, laid_out);
    double prizes[LANES], shares[LANES];
    double *out[LANES];
    for (int l = 0; l < LANES; l++) {
      const int64_t round = first + (l < here ? l : 0);
      prizes[l] = block.prizes[round];
      shares[l] = block.shares[round];
      out[l] = block.out + block.row_of[round] * block.width;
    }
    const RoundPayoffs<Real> payoffs(laid_out, block.unit, from_array(prizes));
    for (int64_t g = block.games.begin; g < block.games.end; g++) {
      const GameCodes codes(block.games, g);
      for (int c = 0; c < codes.m * codes.n; c++)
        cells[c] = payoff(payoffs, codes.first + c, codes.ahead);
      const vec value = visit(Games{cells, codes.m, codes.n, broadcast(block.scale)}, (1u << here) - 1, g);
      for (int l = 0; l < here; l++)
        out[l][g] += value[l] * shares[l];
    }
  }
}

} // namespace GOOFSPIEL_VARIANT
