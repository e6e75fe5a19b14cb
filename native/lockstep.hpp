// Unrelated games, one a lane: a simplex tableau in lanes, in which every lane has its own pivots.
#pragma once

#include "check.hpp"

namespace GOOFSPIEL_VARIANT {

// The dictionary of pivot.hpp, by the primal simplex method: row i reads basic = b - sum T[i][j] nonbasic[j], and below
// them stands c. It starts from the column that concedes least and the best reply to it. The column that enters is the
// steepest, the row that leaves the first to reach 0; one that turns in circles is stopped.
//
// No number goes from lane to lane, so a game's answer does not depend on its company.
class LockStep {
public:
  LockStep(int m, int n) : m_(m), n_(n), stride_(n + 1) {}

  // Solve up to CHAIN games that follow each other; the lanes whose proof holds. None holds of payoffs that are not
  // finite.
  LaneSet solve(const double *matrices, int here) {
    load_games(matrices, here);
    begin();
    for (int pivots = 10 + 3 * (m_ + n_); pivots > 0 && step(); pivots--)
      ;
    return end() & finite_;
  }

  // The lanes whose payoffs are all finite.
  LaneSet finite() const { return finite_; }

  // What was found in the first lanes: mixes one after the other.
  void write(int here, double *values, double *x, double *y, double *gaps) const {
    for (int l = 0; l < here; l++) {
      values[l] = value_[l];
      gaps[l] = gap_[l];
      for (int i = 0; i < m_; i++)
        *x++ = scalars(x_)[i * CHAIN + l];
      for (int j = 0; j < n_; j++)
        *y++ = scalars(y_)[j * CHAIN + l];
    }
  }

private:
  // Shares of the spread of the payoffs: what may be a pivot, and what is not below 0.
  static constexpr double PIVOT_TOLERANCE = 1e-9, OPTIMAL_TOLERANCE = 1e-14;
  static constexpr int WIDTH = MAX_CARDS + 1;
  static constexpr int BLOCK = CHAIN == 8 ? 8 : 4; // columns whose sums fit the registers
  static constexpr int64_t NUMBER = 31;            // the lowest bits of a double, for a row or column

  static double *scalars(chain *all) { return reinterpret_cast<double *>(all); }
  static const double *scalars(const chain *all) { return reinterpret_cast<const double *>(all); }

  // A number in each lane, and a place in memory for each.
  struct Numbers {
    int64_t of[CHAIN];
    explicit Numbers(chaini numbers) { __builtin_memcpy(of, &numbers, sizeof of); }
  };
  struct Places {
    const double *of[CHAIN];
    Places(const chain *all, const Numbers &numbers, int step) {
      for (int l = 0; l < CHAIN; l++)
        of[l] = scalars(all) + numbers.of[l] * step * CHAIN + l;
    }
    // What is so many vectors farther on in each lane. Eight loads are quicker than a gather of the CPU.
    chain operator[](int vectors) const {
      const int at = vectors * CHAIN;
#if defined(__AVX512F__)
      return chain{of[0][at], of[1][at], of[2][at], of[3][at], of[4][at], of[5][at], of[6][at], of[7][at]};
#else
      return chain{of[0][at], of[1][at], of[2][at], of[3][at]};
#endif
    }
  };

  static chain numbered(chain a, int64_t number) {
    return reinterpret_cast<chain>((reinterpret_cast<chaini>(a) & ~NUMBER) | number);
  }
  static chaini number_of(chain a) { return reinterpret_cast<chaini>(a) & NUMBER; }

  void load_games(const double *matrices, int here) {
    const int size = m_ * n_;
    const double *of[CHAIN];
    for (int l = 0; l < CHAIN; l++)
      of[l] = matrices + (l < here ? l : 0) * size;
    chain nothing = {}; // or NaN
    for (int c = 0; c < size; c++) {
      double lanes[CHAIN];
      for (int l = 0; l < CHAIN; l++)
        lanes[l] = of[l][c];
      cells_[c] = load(lanes);
      nothing += cells_[c] - cells_[c];
    }
    finite_ = at_most(nothing, chain{});
  }

  void begin() {
    chain greatest[MAX_CARDS] = {};
    for (int j = 0; j < n_; j++)
      greatest[j] = cells_[j];
    chain maximin = fill(-__builtin_inf()), least = cells_[0];
    chaini safest = {};
    for (int i = 0; i < m_; i++) {
      chain smallest = cells_[i * n_];
      for (int j = 0; j < n_; j++) {
        smallest = lower(smallest, cells_[i * n_ + j]);
        greatest[j] = higher(greatest[j], cells_[i * n_ + j]);
      }
      safest = smallest > maximin ? i - chaini{} : safest;
      maximin = higher(maximin, smallest);
      least = lower(least, smallest);
    }
    chain minimax = greatest[0], most = greatest[0];
    chaini col = {};
    for (int j = 1; j < n_; j++) {
      col = greatest[j] < minimax ? j - chaini{} : col;
      minimax = lower(minimax, greatest[j]);
      most = higher(most, greatest[j]);
    }
    scale_ = higher(most, -least);
    // By a power of 2, which rounds nothing, the spread becomes 1 … 2.
    const chaini exponent = reinterpret_cast<chaini>(most - least) & 0x7ff0000000000000;
    const chain factor = most > least ? reinterpret_cast<chain>(0x7fe0000000000000 - exponent) : fill(1);
    const Numbers cols(col);
    const Places column(cells_, cols, 1);
    chaini row = {};
    for (int i = 0; i < m_; i++) {
      factors_[i] = column[i * n_];
      row = factors_[i] == minimax ? i - chaini{} : row;
    }
    row = maximin == minimax ? safest : row; // a saddle point, at which nothing can enter
    const Numbers rows(row);
    const Places reply(cells_, rows, n_);
    chain *c = tableau_ + m_ * stride_;
    for (int j = 0; j < n_; j++) {
      c[j] = col == j ? fill(1) : (reply[j] - minimax) * factor;
      weight_[j] = fill(1);
    }
    c[n_] = chain{};
    for (int i = 0; i < m_; i++) {
      chain *cell = tableau_ + i * stride_;
      const chain one = row == i ? fill(1) : chain{};
      for (int j = 0; j < n_; j++) {
        cell[j] = (cells_[i * n_ + j] - factors_[i]) * factor - c[j] + one;
        weight_[j] += cell[j] * cell[j];
      }
      cell[n_] = (minimax - factors_[i]) * factor + one;
    }
    for (int l = 0; l < CHAIN; l++) {
      for (int i = 0; i < m_; i++)
        basic_[l][i] = static_cast<int8_t>(n_ + i);
      for (int j = 0; j < n_; j++)
        nonbasic_[l][j] = static_cast<int8_t>(j);
      swap(l, rows, cols);
    }
  }

  // One pivot in every lane that is not optimal; false when there is none.
  bool step() {
    const chain slope = steepest();
    LaneSet pivoting = at_most(fill(1e-200), slope);
    if (!pivoting)
      return false;
    const chaini col = number_of(slope);
    const Numbers cols(col);
    const Places column(tableau_, cols, 1);
    chain soonest = fill(1e300);
    for (int i = 0; i < m_; i++) {
      factors_[i] = column[i * stride_];
      const chain when = higher(tableau_[i * stride_ + n_], chain{}) / factors_[i];
      soonest = lower(soonest, factors_[i] > PIVOT_TOLERANCE ? numbered(when, i) : fill(1e300));
    }
    factors_[m_] = column[m_ * stride_];
    pivoting &= at_most(soonest, fill(1e200));
    const chaini row = soonest < 1e200 ? number_of(soonest) : chaini{};
    const Numbers rows(row);
    const Places leaving(tableau_, rows, stride_);
    const chain pivot = Places(factors_, rows, 1)[0];
    const chain inverse = choose(pivoting, 1.0 / pivot, chain{}); // in the other lanes nothing changes
    // Everywhere, T[i][j] - factor[i] * row[j] is the new cell, once the factor of the pivot's row and the row's cell
    // in the pivot's column are these.
    const chain other_factor = pivot - 1.0, other_cell = choose(pivoting, 1.0 + inverse, chain{});
    for (int j = 0; j < n_; j++)
      row_[j] = col == j ? other_cell : leaving[j] * inverse;
    row_[n_] = leaving[n_] * inverse;
    for (int i = 0; i < m_; i++)
      factors_[i] = row == i ? other_factor : factors_[i];
    int j = 0;
    for (; j + BLOCK <= n_ + 1; j += BLOCK)
      update<BLOCK>(j);
    for (; j + 2 <= n_ + 1; j += 2)
      update<2>(j);
    for (; j < n_ + 1; j++)
      update<1>(j);
    for (unsigned bits = pivoting; bits; bits &= bits - 1)
      swap(__builtin_ctz(bits), rows, cols);
    return pivoting != 0;
  }

  // The column to enter is in the number of how steep it is; below 1e-200 there is none. Any of those that are nearly
  // as steep will do, and so will 1 / weight to an eighth.
  chain steepest() const {
    const chain *c = tableau_ + m_ * stride_;
    chain best = chain{};
    for (int j = 0; j < n_; j++) {
      const chain slope = lower(c[j] + OPTIMAL_TOLERANCE, chain{});
      const chain about = reinterpret_cast<chain>(0x7fde623822fc16e6 - reinterpret_cast<chaini>(weight_[j]));
      best = higher(best, numbered(slope * slope * about, j));
    }
    return best;
  }

  // The new cells of some columns, and the squares of their norms.
  template <int COLUMNS> void update(int first) {
    chain row[COLUMNS], norm[COLUMNS];
    for (int j = 0; j < COLUMNS; j++) {
      row[j] = row_[first + j];
      norm[j] = fill(1);
    }
    chain *cell = tableau_ + first;
    for (int i = 0; i < m_; i++, cell += stride_) {
      const chain factor = factors_[i];
#pragma GCC unroll 8
      for (int j = 0; j < COLUMNS; j++) {
        cell[j] -= factor * row[j];
        norm[j] += cell[j] * cell[j];
      }
    }
    for (int j = 0; j < COLUMNS; j++) {
      cell[j] -= factors_[m_] * row[j];
      weight_[first + j] = norm[j];
    }
  }

  void swap(int lane, const Numbers &rows, const Numbers &cols) {
    int8_t &one = basic_[lane][rows.of[lane]], &other = nonbasic_[lane][cols.of[lane]];
    const int8_t kept = one;
    one = other;
    other = kept;
  }

  // Both mixes, the value and its proof, over all rows and columns.
  LaneSet end() {
    // What is basic is worth b, what is not has the dual c. Slacks and reduced costs are written, too, but not read.
    chain primal[2 * MAX_CARDS] = {}, dual[2 * MAX_CARDS] = {};
    for (int l = 0; l < CHAIN; l++) {
      for (int i = 0; i < m_; i++)
        scalars(primal)[basic_[l][i] * CHAIN + l] = scalars(tableau_)[(i * stride_ + n_) * CHAIN + l];
      for (int j = 0; j < n_; j++)
        scalars(dual)[nonbasic_[l][j] * CHAIN + l] = scalars(tableau_)[(m_ * stride_ + j) * CHAIN + l];
    }
    normalise(dual + n_, m_, x_);
    normalise(primal, n_, y_);
    // Where the players could change places, they have the same mix, and the value is 0.
    const LaneSet alike = symmetric();
    for (int i = 0; i < m_ && alike; i++)
      x_[i] = choose(alike, y_[i], x_[i]);
    chain best_row = {}, best_col = {}; // a NaN in a mix is in all sums, and stays
    for (int i = 0; i < m_; i++) {
      chain sum = cells_[i * n_] * y_[0];
      for (int j = 1; j < n_; j++)
        sum += cells_[i * n_ + j] * y_[j];
      best_row = i ? higher(best_row, sum) : sum;
    }
    for (int j = 0; j < n_; j++) {
      chain sum = cells_[j] * x_[0];
      for (int i = 1; i < m_; i++)
        sum += cells_[i * n_ + j] * x_[i];
      best_col = j ? lower(best_col, sum) : sum;
    }
    gap_ = higher(best_row - best_col, chain{});
    value_ = best_col + 0.5 * gap_; // their sum may be no double
    return at_most(gap_, GAP_TOLERANCE * scale_);
  }

  // The lanes in which the payoffs of either player are those of the other.
  LaneSet symmetric() const {
    LaneSet alike = m_ == n_ ? LOWER_CHAIN : 0;
    for (int i = 0; i < m_ && alike; i++)
      for (int j = i; j < n_ && alike; j++) {
        const chain sum = cells_[i * n_ + j] + cells_[j * n_ + i];
        alike &= at_most(sum, chain{}) & at_most(chain{}, sum);
      }
    return alike;
  }

  static void normalise(const chain *mix, int size, chain *out) {
    chain total = chain{};
    for (int i = 0; i < size; i++) {
      out[i] = higher(mix[i], chain{});
      total += out[i];
    }
    for (int i = 0; i < size; i++)
      out[i] /= total;
  }

  int m_, n_, stride_;
  LaneSet finite_;
  chain scale_, value_, gap_, x_[MAX_CARDS], y_[MAX_CARDS];
  chain cells_[MAX_CELLS];
  chain tableau_[WIDTH * WIDTH]; // [m + 1][n + 1]: c is the last row, b the last column
  chain weight_[WIDTH], row_[WIDTH], factors_[WIDTH];
  int8_t basic_[CHAIN][MAX_CARDS], nonbasic_[CHAIN][MAX_CARDS]; // y[j] is j, s[i] is n + i
};

} // namespace GOOFSPIEL_VARIANT
