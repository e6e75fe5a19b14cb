// Guess a basis, check it in all lanes, pivot on from the guess in the lanes that fail, check again.
#pragma once

#include "careful.hpp"
#include "check.hpp"
#include "pivot.hpp"

namespace GOOFSPIEL_VARIANT {

// The gap that is accepted from the careful path, as a share of the largest payoff. Above it there is no answer.
constexpr double CAREFUL_GAP_TOLERANCE = 1e-9;

struct Counts {
  int64_t checks, fallbacks, pivots, careful;
};

// What the lanes of a group have come to. The mixes are kept only where `MIXES`.
struct Answers {
  vec value, gap;
  Basis basis[LANES];
  double x[LANES][MAX_CARDS], y[LANES][MAX_CARDS];
};

// Put the lanes `done` of a solution into the answers.
template <bool MIXES> inline void take(const Solution &s, LaneSet done, Basis basis, Answers &out) {
  out.value = choose(done, s.value, out.value);
  out.gap = choose(done, s.gap, out.gap);
  if (!MIXES)
    return;
  for (int l = 0; l < LANES; l++) {
    if (!(done >> l & 1))
      continue;
    out.basis[l] = basis;
    for (int i = 0; i < MAX_CARDS; i++)
      out.x[l][i] = out.y[l][i] = 0;
    int q = 0;
    for (unsigned bits = basis.rows; bits; bits &= bits - 1)
      out.x[l][__builtin_ctz(bits)] = s.x[q++][l];
    q = 0;
    for (unsigned bits = basis.cols; bits; bits &= bits - 1)
      out.y[l][__builtin_ctz(bits)] = s.y[q++][l];
  }
}

// Solve T z = right in place, with pivoting; false when T is singular.
inline bool eliminate(Careful (*t)[MAX_CARDS + 2], int size) {
  for (int p = 0; p < size; p++) {
    int best = p;
    for (int i = p + 1; i < size; i++)
      if (magnitude(t[i][p]) > magnitude(t[best][p]))
        best = i;
    if (!(magnitude(t[best][p]) > 0))
      return false;
    for (int j = p; j <= size; j++) {
      const Careful kept = t[p][j];
      t[p][j] = t[best][j];
      t[best][j] = kept;
    }
    for (int i = 0; i < size; i++) {
      if (i == p)
        continue;
      const Careful factor = t[i][p] / t[p][p];
      for (int j = p; j <= size; j++)
        t[i][j] -= factor * t[p][j];
    }
  }
  for (int i = 0; i < size; i++)
    t[i][size] /= t[i][i];
  return true;
}

// One lane's basis, solved carefully, with pivoting: for the rare system that is too ill for `check`.
inline bool check_carefully(const Games &g, Basis basis, int lane, Solution &s) {
  const int K = basis.size();
  const Cells<vec> cells(g, 0);
  int64_t rows[MAX_CARDS], cols[MAX_CARDS];
  int q = 0;
  for (unsigned bits = basis.rows; bits; bits &= bits - 1)
    rows[q++] = cells.row(__builtin_ctz(bits));
  q = 0;
  for (unsigned bits = basis.cols; bits; bits &= bits - 1)
    cols[q++] = cells.column(__builtin_ctz(bits));
  const Careful size = g.scale[lane] > 0 ? g.scale[lane] : 1;
  for (int side = 0; side < 2; side++) {
    // [A -1; 1 0] [mix; value] = [0; 1], with A transposed for the row player's mix.
    Careful t[MAX_CARDS + 1][MAX_CARDS + 2];
    for (int i = 0; i < K; i++) {
      for (int j = 0; j < K; j++)
        t[i][j] = (side ? cells(rows[j], cols[i]) : cells(rows[i], cols[j]))[lane] / size;
      t[i][K] = -1;
      t[i][K + 1] = 0;
      t[K][i] = 1;
    }
    t[K][K] = 0;
    t[K][K + 1] = 1;
    if (!eliminate(t, K + 1))
      return false;
    // A probability below zero by no more than rounding is zero.
    Careful total = 0;
    for (int i = 0; i < K; i++) {
      Careful &mix = t[i][K + 1];
      if (!(mix >= -1e-6))
        return false;
      mix = mix > 0 ? mix : 0;
      total += mix;
    }
    for (int i = 0; i < K; i++)
      (side ? s.x : s.y)[i] = broadcast(static_cast<double>(t[i][K + 1] / total));
  }
  vec best_row, best_col;
  rolled::best_replies<0, vec>(cells, K, rows, cols, s.x, s.y, best_row, best_col);
  s.value = broadcast(0.5) * (best_row + best_col);
  s.gap = higher(best_row - best_col, broadcast(0));
  return s.gap[lane] <= CAREFUL_GAP_TOLERANCE * g.scale[lane];
}

// A start for a game of which nothing is known: the cards of the best guaranteed payoffs.
inline Basis safest_cards(const Games &g, int lane) {
  int row = 0, col = 0;
  double best_least = 0, least_most = 0;
  for (int i = 0; i < g.m; i++) {
    double least = g.cells[i * g.n][lane];
    for (int j = 1; j < g.n; j++)
      least = least < g.cells[i * g.n + j][lane] ? least : g.cells[i * g.n + j][lane];
    if (i == 0 || least > best_least) {
      best_least = least;
      row = i;
    }
  }
  for (int j = 0; j < g.n; j++) {
    double most = g.cells[j][lane];
    for (int i = 1; i < g.m; i++)
      most = most > g.cells[i * g.n + j][lane] ? most : g.cells[i * g.n + j][lane];
    if (j == 0 || most < least_most) {
      least_most = most;
      col = j;
    }
  }
  return Basis{static_cast<uint16_t>(1u << row), static_cast<uint16_t>(1u << col)};
}

// Pivot from `start` to an optimal basis of one lane; false when rounding has led astray.
template <typename Real> bool find_basis(const Games &g, int lane, Basis start, Basis &found, Counts &counts) {
  Tableau<Real> tableau(reinterpret_cast<const double *>(g.cells) + lane, LANES, g.m, g.n, start);
  const bool optimal = tableau.optimise();
  counts.pivots += tableau.pivots();
  found = tableau.basis();
  return optimal;
}

// The bases that fit some lanes of a group, those of the last lanes last: the next group is like the last lanes.
struct Hits {
  Basis basis[BASIS_CACHE + LANES];
  LaneSet lanes[BASIS_CACHE + LANES];
  int count = 0;

  void add(Basis b, LaneSet good) {
    int h = count++;
    for (; h > 0 && lanes[h - 1] > good; h--) { // the highest lane decides
      basis[h] = basis[h - 1];
      lanes[h] = lanes[h - 1];
    }
    basis[h] = b;
    lanes[h] = good;
  }

  // Make all of them the most recent, the last one first.
  void touch(BasisCache &recent) const {
    for (int h = 0; h < count; h++)
      recent.touch(basis[h]);
  }

  // The same where all of them are in these slots already: without a branch that depends on which.
  void touch(BasisCache &recent, unsigned slots) const {
    Basis order[BASIS_CACHE + 1]; // one more than is kept: where a slot goes that is not
    for (int h = 0; h < count; h++)
      order[count - 1 - h] = basis[h];
    int kept = count;
    for (int slot = 0; slot < BASIS_CACHE; slot++) {
      order[kept] = recent.slot[slot];
      kept += !(slots >> slot & 1);
    }
    __builtin_memcpy(recent.slot, order, sizeof recent.slot);
  }
};

// Solve the lanes `wanted`; the lanes returned have no answer whose proof holds.
template <bool MIXES>
LaneSet solve_lanes(const Games &g, LaneSet wanted, BasisCache &recent, Answers &out, Counts &counts) {
  LaneSet left = wanted;
  Solution s;
  Hits hits;
  unsigned slots = 0;          // of the guesses that fitted
  Basis last = recent.slot[0]; // that fitted, or else that might have
  for (int guess = 0; guess < BASIS_CACHE && recent.slot[guess].rows; guess++) {
    const Basis basis = recent.slot[guess];
    counts.checks++;
    if (const LaneSet good = check(g, basis, left, s)) {
      take<MIXES>(s, good, basis, out);
      if (guess == 0 && good == wanted)
        return 0; // it is the most recent already
      hits.add(basis, good);
      slots |= 1u << guess;
      last = basis;
      left &= ~good;
      if (!left) {
        hits.touch(recent, slots);
        return 0;
      }
    }
  }
  LaneSet failed = 0;
  while (left) {
    const int lane = __builtin_ctz(left);
    const LaneSet just = 1u << lane;
    counts.fallbacks++;
    LaneSet good = 0;
    for (int attempt = 0; attempt < 3 && !good; attempt++) {
      const Basis start = attempt == 0 && last.rows ? last : safest_cards(g, lane);
      Basis basis;
      const bool optimal = attempt < 2 ? find_basis<double>(g, lane, start, basis, counts)
                                       : find_basis<Careful>(g, lane, start, basis, counts);
      counts.checks++;
      good = optimal ? check(g, basis, left, s) : 0;
      if (!(good & just)) {
        counts.careful++;
        good = check_carefully(g, basis, lane, s) ? just : 0;
      }
      if (good) {
        take<MIXES>(s, good, basis, out);
        hits.add(basis, good);
        last = basis;
      }
    }
    if (!good)
      failed |= just;
    left &= ~(good | just);
  }
  hits.touch(recent);
  return failed;
}

} // namespace GOOFSPIEL_VARIANT
