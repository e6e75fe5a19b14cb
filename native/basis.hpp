// A basis of a matrix game: the pair of supports, and the few that were optimal lately.
#pragma once

#include "kernel.hpp"

namespace GOOFSPIEL_VARIANT {

// Bit i of `rows` (`cols`): row (column) i is in the support. Both have the same number of bits.
struct Basis {
  uint16_t rows, cols;
  bool operator==(const Basis &b) const { return rows == b.rows && cols == b.cols; }
  int size() const { return __builtin_popcount(rows); }
};

// The distinct bases that were optimal last, most recent first. An empty slot has no rows.
constexpr int BASIS_CACHE = KERNEL_BASIS_CACHE;
struct BasisCache {
  Basis slot[BASIS_CACHE];

  void touch(Basis b) {
    Basis carried = b;
    for (int s = 0; s < BASIS_CACHE; s++) {
      const Basis here = slot[s];
      slot[s] = carried;
      if (here == b || here.rows == 0)
        return;
      carried = here;
    }
  }
};

} // namespace GOOFSPIEL_VARIANT
