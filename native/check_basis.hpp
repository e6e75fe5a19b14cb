// A basis tried in all lanes at once; included by check.hpp twice, with loops that are unrolled (UNROLL) and as they
// are. No pragma once: each time it is part of another namespace.

// The payoff of the best reply to either mix, over all rows and columns, not only the supports.
template <int STATIC_K, typename V>
inline void best_replies(const Cells<V> &cells, int runtime_k, const int64_t *rows, const int64_t *cols, const V *x,
                         const V *y, V &best_row, V &best_col) {
  const int K = STATIC_K ? STATIC_K : runtime_k;
  best_row = broadcast<V>(-__builtin_inf());
  best_col = broadcast<V>(__builtin_inf());
  const int64_t below = cells.row(cells.m), right = cells.column(cells.n);
  for (int64_t row = 0; row < below; row += cells.row_bytes) {
    V sum = cells(row, cols[0]) * y[0];
    UNROLL
    for (int q = 1; q < K; q++)
      sum += cells(row, cols[q]) * y[q];
    best_row = higher(best_row, sum);
  }
  for (int64_t col = 0; col < right; col += cells.column(1)) {
    V sum = cells(rows[0], col) * x[0];
    UNROLL
    for (int q = 1; q < K; q++)
      sum += cells(rows[q], col) * x[q];
    best_col = lower(best_col, sum);
  }
}

// Solve the system of the basis without pivoting, in all lanes or those of one chain. STATIC_K = 0 takes the size at
// run time.
//
// With the first row and column of the supports as origin, the mixes y and x solve D y = b and D'x = c, where
// D[i][j] = A[i][j] - A[0][j] - A[i][0] + A[0][0], one smaller than the basis. A singular D gives NaN or infinity,
// which no lane survives: the first probability is 1 minus the others, so it carries every NaN.
template <int STATIC_K, typename V>
LaneSet check_basis(const Games &g, int which, Basis basis, LaneSet wanted, Solution &s) {
  constexpr int CAPACITY = STATIC_K ? STATIC_K : MAX_CARDS;
  const int K = STATIC_K ? STATIC_K : basis.size();
  const Cells<V> cells(g, which);
  int64_t rows[CAPACITY] = {}, cols[CAPACITY] = {};
  unsigned row_bits = basis.rows, col_bits = basis.cols;
  UNROLL
  for (int q = 0; q < K; q++) {
    rows[q] = cells.row(__builtin_ctz(row_bits));
    cols[q] = cells.column(__builtin_ctz(col_bits));
    row_bits &= row_bits - 1;
    col_bits &= col_bits - 1;
  }
  const int k = K - 1;
  V lu[CAPACITY][CAPACITY], zy[CAPACITY], zx[CAPACITY], x[CAPACITY], y[CAPACITY];
  struct {
    V a, b, c, d; // of a single equation only a
  } inverse[CAPACITY / 2 + 1];
  const V origin = cells(rows[0], cols[0]);
  UNROLL
  for (int j = 0; j < k; j++)
    zx[j] = origin - cells(rows[0], cols[j + 1]);
  UNROLL
  for (int i = 0; i < k; i++) {
    zy[i] = origin - cells(rows[i + 1], cols[0]);
    UNROLL
    for (int j = 0; j < k; j++)
      lu[i][j] = (cells(rows[i + 1], cols[j + 1]) + zy[i]) - cells(rows[0], cols[j + 1]);
  }
  // Eliminate two by two, carrying both right-hand sides along: a chain of half as many divisions.
  const V one = broadcast<V>(1);
  UNROLL
  for (int p = 0; p < k; p += 2) {
    auto &inv = inverse[p / 2];
    if (p + 1 == k) {
      inv.a = one / lu[p][p];
      zx[p] *= inv.a;
      break;
    }
    const V a = lu[p][p], b = lu[p][p + 1], c = lu[p + 1][p], d = lu[p + 1][p + 1];
    const V one_over = one / difference(a, d, b, c);
    inv = {d * one_over, b * one_over, c * one_over, a * one_over};
    const V z0 = zx[p], z1 = zx[p + 1];
    zx[p] = difference(inv.a, z0, inv.c, z1);
    zx[p + 1] = difference(inv.d, z1, inv.b, z0);
    UNROLL
    for (int j = p + 2; j < k; j++)
      zx[j] = zx[j] - lu[p][j] * zx[p] - lu[p + 1][j] * zx[p + 1];
    UNROLL
    for (int i = p + 2; i < k; i++) {
      const V l0 = difference(inv.a, lu[i][p], inv.c, lu[i][p + 1]),
              l1 = difference(inv.d, lu[i][p + 1], inv.b, lu[i][p]);
      lu[i][p] = l0;
      lu[i][p + 1] = l1;
      zy[i] = zy[i] - l0 * zy[p] - l1 * zy[p + 1];
      UNROLL
      for (int j = p + 2; j < k; j++)
        lu[i][j] = lu[i][j] - l0 * lu[p][j] - l1 * lu[p + 1][j];
    }
  }
  V x0 = one, y0 = one;
  UNROLL
  for (int p = (k - 1) & ~1; p >= 0; p -= 2) {
    const auto &inv = inverse[p / 2];
    const int pair = p + 1 < k ? 2 : 1;
    V right_y[2] = {}, right_x[2] = {};
    UNROLL
    for (int r = 0; r < pair; r++) {
      right_y[r] = zy[p + r];
      right_x[r] = zx[p + r];
      UNROLL
      for (int q = p + pair; q < k; q++) {
        right_y[r] -= lu[p + r][q] * y[q + 1];
        right_x[r] -= lu[q][p + r] * x[q + 1];
      }
    }
    if (pair == 1) {
      y[p + 1] = right_y[0] * inv.a;
    } else {
      y[p + 1] = difference(inv.a, right_y[0], inv.b, right_y[1]);
      y[p + 2] = difference(inv.d, right_y[1], inv.c, right_y[0]);
      x[p + 2] = right_x[1];
      y0 -= y[p + 2];
      x0 -= x[p + 2];
    }
    x[p + 1] = right_x[0];
    y0 -= y[p + 1];
    x0 -= x[p + 1];
  }
  x[0] = x0;
  y[0] = y0;
  V least_x = x0, least_y = y0;
  UNROLL
  for (int q = 1; q < K; q++) {
    least_x = lower(least_x, x[q]);
    least_y = lower(least_y, y[q]);
  }
  const V least = lower(least_x, least_y);
  const LaneSet good = wanted & at_most(broadcast<V>(-SIGN_TOLERANCE), least);
  if (!good)
    return 0;
  V best_row, best_col;
  best_replies<STATIC_K, V>(cells, K, rows, cols, x, y, best_row, best_col);
  const V scale = Parts<const V>(&g.scale, which)[0];
  const V gap =
      higher(best_row - best_col, broadcast<V>(0)) - broadcast<V>(4.0 * K) * lower(least, broadcast<V>(0)) * scale;
  Parts<V>(&s.value, which)[0] = broadcast<V>(0.5) * (best_row + best_col);
  Parts<V>(&s.gap, which)[0] = gap;
  UNROLL
  for (int q = 0; q < K; q++) {
    Parts<V>(s.x, which)[q] = x[q];
    Parts<V>(s.y, which)[q] = y[q];
  }
  return good & at_most(gap, broadcast<V>(GAP_TOLERANCE) * scale);
}
