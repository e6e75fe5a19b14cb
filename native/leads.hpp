// The games of a round with leads as lanes: eight neighbouring leads side by side, one matchup after the other.
#pragma once

#include "kernel.hpp"
#include "solve.hpp"

#include <cstddef>

namespace GOOFSPIEL_VARIANT {

// The children's numbers by lead, far enough to both sides that every lane of every group finds its own: where a lead
// is larger than all that is left to win, the game is decided.
static void lay_out(const KernelRound &round, const float *children, float decided, float *out) {
  const int reach = KernelRound::reach(round.lead, round.prize);
  const int stored = round.child_lead < reach ? round.child_lead : reach;
  for (int64_t c = 0; c < round.child_count; c++) {
    const float *middle = children + c * (2 * round.child_lead + 1) + round.child_lead;
    float *row = out + c * (2 * reach + 1) + reach;
    for (int d = stored + 1; d <= reach; d++) {
      row[-d] = -decided;
      row[d] = decided;
    }
    __builtin_memcpy(row - stored, middle - stored, static_cast<std::size_t>(2 * stored + 1) * sizeof(float));
  }
}

// Where the lanes of a group find a child, by the low bits of its code. The mirror image of a child has the negative of
// its value, and the same probability of a draw, at the negative of its lead.
struct Terms {
  struct {
    ints order, flip;
    int64_t place;
  } of[8];

  Terms(const KernelRound &round, int first, bool draws) {
    const int reach = KernelRound::reach(round.lead, round.prize);
    for (int t = 0; t < 8; t++) {
      const int after = first - round.lead + round.prize * ((t & 3) - 1); // the first lane's lead after the bids
      if (t & 4)
        of[t] = {ints{7, 6, 5, 4, 3, 2, 1, 0}, ints{} + (draws ? 0 : INT32_MIN), reach - after - (LANES - 1)};
      else
        of[t] = {ints{0, 1, 2, 3, 4, 5, 6, 7}, ints{}, reach + after};
    }
  }

  const float *place(const float *laid_out, int64_t stride, uint32_t code) const {
    return laid_out + (code >> 3) * stride + of[code & 7].place;
  }

  floats cell(const float *laid_out, int64_t stride, uint32_t code) const {
    return arrange(load_floats(place(laid_out, stride, code)), of[code & 7].order, of[code & 7].flip);
  }
};

// Eight leads of one matchup.
struct LeadGroup {
  floats cells[MAX_CELLS];
  int m, n;
  floats most_certain, least_possible; // the best of the rows' least cells; the least of the columns' greatest

  // The lanes with a saddle point: its value is what both players can be certain of.
  LaneSet saddles() const { return equal(most_certain, least_possible); }
};

// `visit(group, wanted, game, first)` gets the cells of each group of lanes, and returns the values of its games.
template <typename Visit> static void for_each_group(const KernelRound &round, const Visit &visit) {
  lay_out(round, round.children, 1, round.laid_out);
  if (round.child_draws)
    lay_out(round, round.child_draws, 0, round.laid_out_draws);
  const int64_t stride = 2 * KernelRound::reach(round.lead, round.prize) + 1;
  const int leads = 2 * round.lead + 1;
  LeadGroup group;
  for (int64_t g = round.begin; g < round.end; g++) {
    if (stopped(round.stop))
      return;
    const int m = round.shapes[2 * g], n = round.shapes[2 * g + 1];
    const uint32_t *codes = round.codes + round.offsets[g];
    // The next game's children are fetched while this game's are used.
    const int64_t ahead = round.offsets[g + 1] + m * n <= round.offsets[round.end] ? m * n : 0;
    double *out = round.out + g * leads;
    group.m = m;
    group.n = n;
    for (int first = 0; first < leads; first += LANES) {
      const Terms terms(round, first, false);
      const uint32_t *code = codes;
      floats *cell = group.cells;
      floats greatest[MAX_CARDS];
      for (int i = 0; i < m; i++) {
        floats least = {};
        for (int j = 0; j < n; j++, code++, cell++) {
          __builtin_prefetch(terms.place(round.laid_out, stride, code[ahead]));
          *cell = terms.cell(round.laid_out, stride, *code);
          least = j ? lower(least, *cell) : *cell;
          greatest[j] = i ? higher(greatest[j], *cell) : *cell;
        }
        group.most_certain = i ? higher(group.most_certain, least) : least;
      }
      group.least_possible = greatest[0];
      for (int j = 1; j < n; j++)
        group.least_possible = lower(group.least_possible, greatest[j]);
      const int here = leads - first < LANES ? leads - first : LANES;
      const vec value = visit(group, (1u << here) - 1, g, first);
      for (int l = 0; l < here; l++)
        out[first + l] += value[l] * round.share;
    }
  }
}

// The cards of a saddle point of one lane.
static Basis saddle_point(const LeadGroup &group, int lane) {
  const float value = group.most_certain[lane];
  int row = 0, col = 0;
  for (;; row++) {
    int j = 0;
    while (j < group.n && group.cells[row * group.n + j][lane] >= value)
      j++;
    if (j == group.n)
      break;
  }
  for (;; col++) {
    int i = 0;
    while (i < group.m && group.cells[i * group.n + col][lane] <= value)
      i++;
    if (i == group.m)
      break;
  }
  return Basis{static_cast<uint16_t>(1u << row), static_cast<uint16_t>(1u << col)};
}

// Add the probability of a draw when both play these mixes, in the lanes `wanted`.
static void add_draws(const KernelRound &round, const LeadGroup &group, LaneSet wanted, int64_t game, int first,
                      const Answers &mixes) {
  const int64_t stride = 2 * KernelRound::reach(round.lead, round.prize) + 1;
  const uint32_t *code = round.codes + round.offsets[game];
  const Terms terms(round, first, true);
  double sum[LANES] = {};
  for (int i = 0; i < group.m; i++)
    for (int j = 0; j < group.n; j++, code++) {
      const floats draw = terms.cell(round.laid_out_draws, stride, *code);
      for (int l = 0; l < LANES; l++)
        sum[l] += mixes.x[l][i] * mixes.y[l][j] * static_cast<double>(draw[l]);
    }
  double *out = round.draws + game * (2 * round.lead + 1) + first;
  for (unsigned bits = wanted; bits; bits &= bits - 1)
    out[__builtin_ctz(bits)] += sum[__builtin_ctz(bits)] * round.share;
}

} // namespace GOOFSPIEL_VARIANT
