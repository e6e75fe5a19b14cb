// Solve the square system of a basis in all lanes at once, and prove the result optimal or not.
#pragma once

#include "basis.hpp"
#include "lanes.hpp"

namespace GOOFSPIEL_VARIANT {

// A probability may be this much below zero: its harm is charged to the gap.
constexpr double SIGN_TOLERANCE = 1e-12;
// The gap that is accepted, as a share of the largest payoff.
constexpr double GAP_TOLERANCE = 1e-13;

// Lanes of one m x n game each: cell (i, j) of every lane is `cells[i * n + j]`.
struct Games {
  const vec *cells;
  int m, n;
  vec scale; // the largest absolute payoff, or a bound on it
};

// Both mixes in the order of the supports, the value, and the proof.
struct Solution {
  vec x[MAX_CARDS], y[MAX_CARDS];
  vec value, gap;
};

// The payoff of the best reply to either mix, over all rows and columns, not only the supports.
template <int STATIC_K>
inline void best_replies(const Games &g, int runtime_k, const int *rows, const int *cols, const vec *x, const vec *y,
                         vec &best_row, vec &best_col) {
  const int K = STATIC_K ? STATIC_K : runtime_k;
  best_row = broadcast(-__builtin_inf());
  best_col = broadcast(__builtin_inf());
  for (int i = 0; i < g.m; i++) {
    const vec *row = g.cells + i * g.n;
    vec sum = row[cols[0]] * y[0];
#pragma GCC unroll 16
    for (int q = 1; q < K; q++)
      sum += row[cols[q]] * y[q];
    best_row = higher(best_row, sum);
  }
  for (int j = 0; j < g.n; j++) {
    const vec *col = g.cells + j;
    vec sum = col[rows[0] * g.n] * x[0];
#pragma GCC unroll 16
    for (int q = 1; q < K; q++)
      sum += col[rows[q] * g.n] * x[q];
    best_col = lower(best_col, sum);
  }
}

// Solve the system of the basis without pivoting. STATIC_K = 0 takes the size at run time.
//
// With the first row and column of the supports as origin, the mixes y and x solve D y = b and D'x = c, where
// D[i][j] = A[i][j] - A[0][j] - A[i][0] + A[0][0], one smaller than the basis. A singular D gives NaN or infinity,
// which no lane survives: the first probability is 1 minus the others, so it carries every NaN.
template <int STATIC_K> LaneSet check_basis(const Games &g, Basis basis, LaneSet wanted, Solution &s) {
  constexpr int CAPACITY = STATIC_K ? STATIC_K : MAX_CARDS;
  const int K = STATIC_K ? STATIC_K : basis.size();
  int rows[CAPACITY] = {}, cols[CAPACITY] = {};
  unsigned row_bits = basis.rows, col_bits = basis.cols;
#pragma GCC unroll 16
  for (int q = 0; q < K; q++) {
    rows[q] = __builtin_ctz(row_bits);
    cols[q] = __builtin_ctz(col_bits);
    row_bits &= row_bits - 1;
    col_bits &= col_bits - 1;
  }
  const int k = K - 1;
  vec lu[CAPACITY][CAPACITY], zy[CAPACITY], zx[CAPACITY];
  struct {
    vec a, b, c, d; // of a single equation only a
  } inverse[CAPACITY / 2 + 1];
  const vec *origin_row = g.cells + rows[0] * g.n;
  const vec origin = origin_row[cols[0]];
#pragma GCC unroll 16
  for (int j = 0; j < k; j++)
    zx[j] = origin - origin_row[cols[j + 1]];
#pragma GCC unroll 16
  for (int i = 0; i < k; i++) {
    const vec *row = g.cells + rows[i + 1] * g.n;
    zy[i] = origin - row[cols[0]];
#pragma GCC unroll 16
    for (int j = 0; j < k; j++)
      lu[i][j] = (row[cols[j + 1]] + zy[i]) - origin_row[cols[j + 1]];
  }
  // Eliminate two by two, carrying both right-hand sides along: a chain of half as many divisions.
#pragma GCC unroll 16
  for (int p = 0; p < k; p += 2) {
    auto &inv = inverse[p / 2];
    if (p + 1 == k) {
      inv.a = broadcast(1) / lu[p][p];
      zx[p] *= inv.a;
      break;
    }
    const vec a = lu[p][p], b = lu[p][p + 1], c = lu[p + 1][p], d = lu[p + 1][p + 1];
    const vec one_over = broadcast(1) / (a * d - b * c);
    inv = {d * one_over, b * one_over, c * one_over, a * one_over};
    const vec z0 = zx[p], z1 = zx[p + 1];
    zx[p] = inv.a * z0 - inv.c * z1;
    zx[p + 1] = inv.d * z1 - inv.b * z0;
#pragma GCC unroll 16
    for (int j = p + 2; j < k; j++)
      zx[j] = zx[j] - lu[p][j] * zx[p] - lu[p + 1][j] * zx[p + 1];
#pragma GCC unroll 16
    for (int i = p + 2; i < k; i++) {
      const vec l0 = inv.a * lu[i][p] - inv.c * lu[i][p + 1], l1 = inv.d * lu[i][p + 1] - inv.b * lu[i][p];
      lu[i][p] = l0;
      lu[i][p + 1] = l1;
      zy[i] = zy[i] - l0 * zy[p] - l1 * zy[p + 1];
#pragma GCC unroll 16
      for (int j = p + 2; j < k; j++)
        lu[i][j] = lu[i][j] - l0 * lu[p][j] - l1 * lu[p + 1][j];
    }
  }
  vec x0 = broadcast(1), y0 = broadcast(1);
#pragma GCC unroll 16
  for (int p = (k - 1) & ~1; p >= 0; p -= 2) {
    const auto &inv = inverse[p / 2];
    const int pair = p + 1 < k ? 2 : 1;
    vec y[2] = {}, x[2] = {};
#pragma GCC unroll 2
    for (int r = 0; r < pair; r++) {
      y[r] = zy[p + r];
      x[r] = zx[p + r];
#pragma GCC unroll 16
      for (int q = p + pair; q < k; q++) {
        y[r] -= lu[p + r][q] * s.y[q + 1];
        x[r] -= lu[q][p + r] * s.x[q + 1];
      }
    }
    if (pair == 1) {
      s.y[p + 1] = y[0] * inv.a;
    } else {
      s.y[p + 1] = inv.a * y[0] - inv.b * y[1];
      s.y[p + 2] = inv.d * y[1] - inv.c * y[0];
      s.x[p + 2] = x[1];
      y0 -= s.y[p + 2];
      x0 -= x[1];
    }
    s.x[p + 1] = x[0];
    y0 -= s.y[p + 1];
    x0 -= x[0];
  }
  s.x[0] = x0;
  s.y[0] = y0;
  vec least_x = x0, least_y = y0;
#pragma GCC unroll 16
  for (int q = 1; q < K; q++) {
    least_x = lower(least_x, s.x[q]);
    least_y = lower(least_y, s.y[q]);
  }
  const vec tolerance = broadcast(-SIGN_TOLERANCE);
  LaneSet good = wanted & at_most(tolerance, lower(least_x, least_y));
  if (!good)
    return 0;
  vec best_row, best_col;
  best_replies<STATIC_K>(g, K, rows, cols, s.x, s.y, best_row, best_col);
  const vec below_zero = lower(lower(least_x, least_y), broadcast(0));
  s.value = broadcast(0.5) * (best_row + best_col);
  s.gap = higher(best_row - best_col, broadcast(0)) - broadcast(4.0 * K) * below_zero * g.scale;
  return good & at_most(s.gap, broadcast(GAP_TOLERANCE) * g.scale);
}

// A saddle point: each mix is one card.
template <> inline LaneSet check_basis<1>(const Games &g, Basis basis, LaneSet wanted, Solution &s) {
  const vec *row = g.cells + __builtin_ctz(basis.rows) * g.n;
  const vec *col = g.cells + __builtin_ctz(basis.cols);
  vec best_row = col[0], best_col = row[0];
  for (int i = 1; i < g.m; i++)
    best_row = higher(best_row, col[i * g.n]);
  for (int j = 1; j < g.n; j++)
    best_col = lower(best_col, row[j]);
  s.x[0] = s.y[0] = broadcast(1);
  s.value = broadcast(0.5) * (best_row + best_col);
  s.gap = best_row - best_col;
  return wanted & at_most(s.gap, broadcast(GAP_TOLERANCE) * g.scale);
}

inline LaneSet check(const Games &g, Basis basis, LaneSet wanted, Solution &s) {
  switch (basis.size()) {
  case 1:
    return check_basis<1>(g, basis, wanted, s);
  case 2:
    return check_basis<2>(g, basis, wanted, s);
  case 3:
    return check_basis<3>(g, basis, wanted, s);
  case 4:
    return check_basis<4>(g, basis, wanted, s);
  case 5:
    return check_basis<5>(g, basis, wanted, s);
  case 6:
    return check_basis<6>(g, basis, wanted, s);
  case 7:
    return check_basis<7>(g, basis, wanted, s);
  case 8:
    return check_basis<8>(g, basis, wanted, s);
  case 9:
    return check_basis<9>(g, basis, wanted, s);
  case 10:
    return check_basis<10>(g, basis, wanted, s);
  default:
    return check_basis<0>(g, basis, wanted, s);
  }
}

} // namespace GOOFSPIEL_VARIANT
