// Games of any origin, compiled once for each instruction set like kernel.cpp, and apart from it because that takes
// long.
#include "batch.hpp"
#include "lockstep.hpp"

namespace GOOFSPIEL_VARIANT {

BatchCounts solve_batch(const KernelBatch &batch) {
  const int m = batch.m, n = batch.n;
  BatchCounts counts = {};
  LockStep lanes(m, n);
  for (int64_t first = 0; first < batch.count; first += CHAIN) {
    const int here = batch.count - first < CHAIN ? static_cast<int>(batch.count - first) : CHAIN;
    const double *matrices = batch.matrices + first * m * n;
    double *x = batch.x + first * m, *y = batch.y + first * n;
    const LaneSet proved = lanes.solve(matrices, here);
    lanes.write(here, batch.values + first, x, y, batch.gaps + first);
    for (unsigned left = ~proved & ((1u << here) - 1); left; left &= left - 1) {
      const int l = __builtin_ctz(left);
      double &value = batch.values[first + l], &gap = batch.gaps[first + l];
      if (lanes.finite() >> l & 1) {
        counts.alone++;
        if (solve_alone(matrices + l * m * n, m, n, value, x + l * m, y + l * n, gap))
          continue;
      }
      counts.failures++;
      value = gap = __builtin_nan("");
      for (int i = 0; i < m; i++)
        x[l * m + i] = __builtin_nan("");
      for (int j = 0; j < n; j++)
        y[l * n + j] = __builtin_nan("");
    }
  }
  return counts;
}

} // namespace GOOFSPIEL_VARIANT
