// The games of a round with leads as lanes: eight neighbouring leads side by side, one matchup after the other.
#pragma once

#include "payoffs.hpp"
#include "solve.hpp"

namespace GOOFSPIEL_VARIANT {

// Eight leads of one matchup.
template <typename Real> struct LeadGroup {
  using Short = typename ShortLanes<Real>::type;
  Short cells[MAX_CELLS];
  int m, n;
  Short most_certain = {}, least_possible = {}; // the best of the rows' least cells; the least of the columns' greatest

  // The lanes with a saddle point: its value is what both players can be certain of.
  LaneSet saddles() const { return equal(most_certain, least_possible); }
};

// `visit(group, wanted, game, first)` gets the cells of each group of lanes, and returns the values of its games.
template <typename Real, typename Visit> static void for_each_group(const KernelRound &round, const Visit &visit) {
  using Short = typename LeadGroup<Real>::Short;
  lay_out<Real>(round);
  const int leads = 2 * round.lead + 1;
  const double share = round.share * round.unit;
  LeadGroup<Real> group;
  for (int64_t g = round.games.begin; g < round.games.end; g++) {
    if (stopped(round.stop))
      return;
    const GameCodes codes(round.games, g);
    double *out = round.out + g * leads;
    group.m = codes.m;
    group.n = codes.n;
    for (int first = 0; first < leads; first += LANES) {
      const LeadPayoffs<Real> payoffs(round, first, false);
      Short greatest[MAX_CARDS];
      const uint32_t *code = codes.first;
      Short *cell = group.cells;
      for (int i = 0; i < codes.m; i++) {
        Short least = {};
        for (int j = 0; j < codes.n; j++, code++, cell++) {
          *cell = payoff(payoffs, code, codes.ahead);
          least = j ? lower(least, *cell) : *cell;
          greatest[j] = i ? higher(greatest[j], *cell) : *cell;
        }
        group.most_certain = i ? higher(group.most_certain, least) : least;
      }
      group.least_possible = greatest[0];
      for (int j = 1; j < codes.n; j++)
        group.least_possible = lower(group.least_possible, greatest[j]);
      const int here = leads - first < LANES ? leads - first : LANES;
      const vec value = visit(group, (1u << here) - 1, g, first);
      for (int l = 0; l < here; l++)
        out[first + l] += value[l] * share;
    }
  }
}

// The cards of a saddle point of one lane.
static Basis saddle_point(const LeadGroup<float> &group, int lane) {
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
static void add_draws(const KernelRound &round, const LeadGroup<float> &group, LaneSet wanted, int64_t game, int first,
                      const Answers &mixes) {
  const uint32_t *code = round.games.codes + round.games.offsets[game];
  const LeadPayoffs<float> payoffs(round, first, true);
  double sum[LANES] = {};
  for (int i = 0; i < group.m; i++)
    for (int j = 0; j < group.n; j++, code++) {
      const floats draw = payoffs.cell(Code{*code});
      for (int l = 0; l < LANES; l++)
        sum[l] += mixes.x[l][i] * mixes.y[l][j] * static_cast<double>(draw[l]);
    }
  double *out = round.draws + game * (2 * round.lead + 1) + first;
  for (unsigned bits = wanted; bits; bits &= bits - 1)
    out[__builtin_ctz(bits)] += sum[__builtin_ctz(bits)] * round.share;
}

} // namespace GOOFSPIEL_VARIANT
