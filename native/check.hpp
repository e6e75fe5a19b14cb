// Solve the square system of a basis in all lanes at once, and prove the result optimal or not.
#pragma once

#include "basis.hpp"
#include "lanes.hpp"

namespace GOOFSPIEL_VARIANT {

// A probability may be this much below zero: its harm is charged to the gap.
constexpr double SIGN_TOLERANCE = 1e-12;
// The gap that is accepted, as a share of the largest payoff.
constexpr double GAP_TOLERANCE = 1e-13;

// A basis of this size or larger is checked in one chain after the other.
constexpr int TWO_CHAINS_BELOW = 8;

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

// The cells in all lanes or those of one chain. Rows and columns are given by their distance in bytes, so that a cell
// costs no arithmetic: a vector is larger than what an address can be scaled by.
template <typename V> class Cells {
public:
  Cells(const Games &g, int which)
      : row_bytes(g.n * static_cast<int64_t>(sizeof(vec))), m(g.m), n(g.n),
        first_(reinterpret_cast<const char *>(g.cells) + which * static_cast<int64_t>(sizeof(V))) {}

  const V &operator()(int64_t row, int64_t column) const { return *reinterpret_cast<const V *>(first_ + row + column); }

  int64_t row(int i) const { return i * row_bytes; }
  static int64_t column(int j) { return j * static_cast<int64_t>(sizeof(vec)); }

  const int64_t row_bytes;
  const int m, n;

private:
  const char *first_;
};

// Where the size of a basis is known when it is compiled, all loops over it are unrolled. Where it is not, nothing is
// gained: loops within loops, unrolled for a number that is not known, took four fifths of the time to compile a build.
namespace unrolled {
#define UNROLL _Pragma("GCC unroll 16")
#include "check_basis.hpp"
#undef UNROLL
} // namespace unrolled

namespace rolled {
#define UNROLL
#include "check_basis.hpp"
#undef UNROLL
} // namespace rolled

// A saddle point: each mix is one card.
template <typename V> LaneSet check_saddle(const Games &g, int which, Basis basis, LaneSet wanted, Solution &s) {
  const Cells<V> cells(g, which);
  const int64_t row = cells.row(__builtin_ctz(basis.rows)), col = cells.column(__builtin_ctz(basis.cols));
  V best_row = cells(0, col), best_col = cells(row, 0);
  for (int i = 1; i < g.m; i++)
    best_row = higher(best_row, cells(cells.row(i), col));
  for (int j = 1; j < g.n; j++)
    best_col = lower(best_col, cells(row, cells.column(j)));
  const V gap = best_row - best_col;
  Parts<V>(s.x, which)[0] = Parts<V>(s.y, which)[0] = broadcast<V>(1);
  Parts<V>(&s.value, which)[0] = broadcast<V>(0.5) * (best_row + best_col);
  Parts<V>(&s.gap, which)[0] = gap;
  return wanted & at_most(gap, broadcast<V>(GAP_TOLERANCE) * Parts<const V>(&g.scale, which)[0]);
}

template <typename V> LaneSet check_part(const Games &g, int which, Basis basis, LaneSet wanted, Solution &s) {
  switch (basis.size()) {
  case 1:
    return check_saddle<V>(g, which, basis, wanted, s);
  case 2:
    return unrolled::check_basis<2, V>(g, which, basis, wanted, s);
  case 3:
    return unrolled::check_basis<3, V>(g, which, basis, wanted, s);
  case 4:
    return unrolled::check_basis<4, V>(g, which, basis, wanted, s);
  case 5:
    return unrolled::check_basis<5, V>(g, which, basis, wanted, s);
  case 6:
    return unrolled::check_basis<6, V>(g, which, basis, wanted, s);
  case 7:
    return unrolled::check_basis<7, V>(g, which, basis, wanted, s);
  case 8:
    return unrolled::check_basis<8, V>(g, which, basis, wanted, s);
  case 9:
    return unrolled::check_basis<9, V>(g, which, basis, wanted, s);
  case 10:
    return unrolled::check_basis<10, V>(g, which, basis, wanted, s);
  default:
    return rolled::check_basis<0, V>(g, which, basis, wanted, s);
  }
}

// The lanes of those `wanted` for which the basis is optimal; their part of the solution is filled in. Where only lanes
// of one chain are wanted, it is checked alone.
inline LaneSet check(const Games &g, Basis basis, LaneSet wanted, Solution &s) {
  if (!(wanted >> CHAIN))
    return check_part<chain>(g, 0, basis, wanted, s);
  if (!(wanted & LOWER_CHAIN))
    return check_part<chain>(g, 1, basis, wanted >> CHAIN, s) << CHAIN;
  // So many numbers do not fit into the registers for two chains, even of AVX-512.
  if (basis.size() >= TWO_CHAINS_BELOW)
    return check_part<chain>(g, 0, basis, wanted & LOWER_CHAIN, s) | check_part<chain>(g, 1, basis, wanted >> CHAIN, s)
                                                                         << CHAIN;
  return check_part<vec>(g, 0, basis, wanted, s);
}

} // namespace GOOFSPIEL_VARIANT
