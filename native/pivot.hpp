// One game, one tableau: go from any basis to an optimal one by the parametric self-dual simplex method.
#pragma once

#include "basis.hpp"
#include "lanes.hpp"

namespace GOOFSPIEL_VARIANT {

// The linear program of the column player: least v such that s = v - A y >= 0, sum y = 1, y >= 0. A basis of size K has
// K mixes y basic and K slacks s nonbasic. A dictionary row reads: basic = b - sum T[.][j] nonbasic[j]; the objective
// is v + sum c[j] nonbasic[j], so that c holds the row player's probabilities and the columns' slacks.
//
// Any basis is optimal once mu * p is added to b and mu * q to c, with p, q > 0 and mu large. The method lowers mu to
// 0, one pivot for each basis on the way. The p and q are all different, so that even a degenerate game has no ties,
// and mu falls strictly: nothing cycles.
//
// In doubles; and in Careful numbers, slowly, for games whose payoffs lie too far apart for doubles.
template <typename Real> class Tableau {
public:
  static constexpr int STRIDE = (MAX_CARDS + 2 + CHAIN - 1) / CHAIN * CHAIN; // a row's cells, then b and p, padded
  static constexpr bool FAST = sizeof(Real) == sizeof(double);
  static constexpr Real PIVOT_TOLERANCE = FAST ? 1e-9 : 1e-16;
  static constexpr Real OPTIMAL_TOLERANCE = FAST ? 1e-13 : 1e-18;

  // `cells[(i * n + j) * step]` is cell (i, j). Payoffs are divided by their spread: tolerances are shares of it.
  Tableau(const double *cells, int step, int m, int n, Basis start)
      : m_(m), n_(n), vectors_((n + 2 + CHAIN - 1) / CHAIN) {
    double least = cells[0], most = cells[0];
    for (int c = 1; c < m * n; c++) {
      least = cells[c * step] < least ? cells[c * step] : least;
      most = cells[c * step] > most ? cells[c * step] : most;
    }
    const Real factor = most > least ? 1 / (static_cast<Real>(most) - least) : 1;
    const int r0 = __builtin_ctz(start.rows), c0 = __builtin_ctz(start.cols);
    const double *origin_row = cells + r0 * n * step;
    const Real origin = origin_row[c0 * step] * factor;
    // Row r0 of the dictionary is y[c0]; column c0 is s[r0].
    for (int j = 0; j < n; j++)
      at(m_, j) = origin_row[j * step] * factor - origin;
    at(m_, c0) = 1;
    for (int i = 0; i < m; i++) {
      const double *row = cells + i * n * step;
      const Real shift = row[c0 * step] * factor - origin;
      for (int j = 0; j < n; j++)
        at(i, j) = row[j * step] * factor - at(m_, j) - origin - shift;
      at(i, c0) = -1;
      b(i) = -shift;
      basic_[i] = static_cast<int8_t>(n + i);
    }
    for (int j = 0; j < n; j++) {
      at(r0, j) = 1;
      nonbasic_[j] = static_cast<int8_t>(j);
    }
    at(r0, c0) = 0;
    b(r0) = 1;
    basic_[r0] = static_cast<int8_t>(c0);
    nonbasic_[c0] = static_cast<int8_t>(n + r0);
    for (int i = 0; i < m_ + 2; i++)
      for (int j = n_ + 1; j < vectors_ * CHAIN; j++)
        at(i, j) = 0;
    b(m_) = b(m_ + 1) = 0;
    for (int j = 0; j < n_; j++)
      at(m_ + 1, j) = 0;
    enter(start, r0, c0);
  }

  // False when rounding has led astray: the caller starts again elsewhere.
  bool optimise() {
    for (int i = 0; i < m_; i++)
      p(i) = DIRECTION[i];
    for (int j = 0; j < n_; j++)
      at(m_ + 1, j) = DIRECTION[MAX_CARDS + j];
    p(m_) = p(m_ + 1) = 0;
    const int most = 20 + 6 * (m_ + n_);
    for (pivots_ = 0; pivots_ < most; pivots_++) {
      int row = -1, col = -1;
      Real mu = OPTIMAL_TOLERANCE;
      for (int i = 0; i < m_; i++)
        if (-b(i) > mu * p(i) && p(i) > PIVOT_TOLERANCE) {
          mu = -b(i) / p(i);
          row = i;
        }
      const Real *c = &at(m_, 0), *q = &at(m_ + 1, 0);
      for (int j = 0; j < n_; j++)
        if (-c[j] > mu * q[j] && q[j] > PIVOT_TOLERANCE) {
          mu = -c[j] / q[j];
          row = -1;
          col = j;
        }
      if (row < 0 && col < 0)
        return true;
      Real best = 1e300;
      if (col < 0) {
        for (int j = 0; j < n_; j++)
          if (at(row, j) < -PIVOT_TOLERANCE) {
            const Real ratio = (c[j] + mu * q[j]) / -at(row, j);
            if (ratio < best) {
              best = ratio;
              col = j;
            }
          }
      } else {
        for (int i = 0; i < m_; i++)
          if (at(i, col) > PIVOT_TOLERANCE) {
            const Real ratio = (b(i) + mu * p(i)) / at(i, col);
            if (ratio < best) {
              best = ratio;
              row = i;
            }
          }
      }
      if (row < 0 || col < 0)
        return false;
      pivot(row, col);
    }
    return false;
  }

  Basis basis() const {
    Basis result = {0, 0};
    for (int i = 0; i < m_; i++)
      if (basic_[i] < n_)
        result.cols = static_cast<uint16_t>(result.cols | 1u << basic_[i]);
    for (int j = 0; j < n_; j++)
      if (nonbasic_[j] >= n_)
        result.rows = static_cast<uint16_t>(result.rows | 1u << (nonbasic_[j] - n_));
    return result;
  }

  int pivots() const { return pivots_; }

private:
  Real &at(int i, int j) { return cells_[i * STRIDE + j]; }
  Real &b(int i) { return at(i, n_); }
  Real &p(int i) { return at(i, n_ + 1); }

  // Pivot towards `start` as far as its pivots are sound; any basis will do.
  void enter(Basis start, int r0, int c0) {
    unsigned rows = start.rows & ~(1u << r0);
    for (unsigned cols = start.cols & ~(1u << c0); cols; cols &= cols - 1) {
      const int j = __builtin_ctz(cols);
      int row = -1;
      Real best = 1e-5;
      for (unsigned left = rows; left; left &= left - 1) {
        const int i = __builtin_ctz(left);
        const Real size = at(i, j) < 0 ? -at(i, j) : at(i, j);
        if (size > best) {
          best = size;
          row = i;
        }
      }
      if (row >= 0) {
        pivot(row, j);
        rows &= ~(1u << row);
      }
    }
  }

  void pivot(int r, int c) {
    if constexpr (!FAST)
      pivot_plainly(r, c);
    else if (vectors_ == 1)
      pivot_rows<1>(r, c);
    else if (vectors_ == 2)
      pivot_rows<2>(r, c);
    else if (vectors_ == 3)
      pivot_rows<3>(r, c);
    else
      pivot_rows<STRIDE / CHAIN>(r, c);
    const int8_t leaving = basic_[r];
    basic_[r] = nonbasic_[c];
    nonbasic_[c] = leaving;
  }

  void pivot_plainly(int r, int c) {
    const Real inverse = 1 / at(r, c);
    at(r, c) = 1;
    for (int j = 0; j < n_ + 2; j++)
      at(r, j) *= inverse;
    for (int i = 0; i < m_ + 2; i++) {
      if (i == r)
        continue;
      const Real factor = at(i, c);
      at(i, c) = 0;
      for (int j = 0; j < n_ + 2; j++)
        at(i, j) -= factor * at(r, j);
    }
  }

  // Rows are read and written as whole vectors only: a vector load after a scalar store would wait for the store.
  template <int VECTORS> void pivot_rows(int r, int c) {
    const double inverse = 1 / at(r, c);
    double *pivot_row = &at(r, 0);
    chain row[VECTORS];
    for (int v = 0; v < VECTORS; v++) {
      const chaini here = ascending<chaini>() + CHAIN * v == c;
      const chain scaled = load(pivot_row + v * CHAIN) * fill(inverse);
      store(pivot_row + v * CHAIN, here ? fill(inverse) : scaled);
      // In another row, f in column c becomes -f * inverse, which is f - f * (1 + inverse).
      row[v] = here ? fill(1 + inverse) : scaled;
    }
    for (int i = 0; i < m_ + 2; i++) {
      if (i == r)
        continue;
      double *other = &at(i, 0);
      const chain factor = fill(other[c]);
      for (int v = 0; v < VECTORS; v++)
        store(other + v * CHAIN, load(other + v * CHAIN) - factor * row[v]);
    }
  }

  // Unequal positive numbers between 1 and 2: the fractional parts of multiples of the golden ratio.
  static constexpr double DIRECTION[2 * MAX_CARDS] = {
      1.618, 1.236, 1.854, 1.472, 1.090, 1.708, 1.326, 1.944, 1.562, 1.180, 1.798, 1.416, 1.034, 1.652, 1.271, 1.889,
      1.507, 1.125, 1.743, 1.361, 1.979, 1.597, 1.215, 1.833, 1.451, 1.069, 1.687, 1.305, 1.923, 1.541, 1.159, 1.777};

  int m_, n_, vectors_, pivots_ = 0;
  int8_t basic_[MAX_CARDS], nonbasic_[MAX_CARDS]; // y[j] is j, s[i] is n + i
  // Rows: the m basics, then c, then q. Columns: the n nonbasics, then b, then p.
  alignas(chain) Real cells_[(MAX_CARDS + 2) * STRIDE];
};

} // namespace GOOFSPIEL_VARIANT
