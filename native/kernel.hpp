// What a build of the kernel for one instruction set offers. Plain pointers: the caller owns all memory.
#pragma once

#include <cstdint>

struct KernelCounts {
  int64_t games, checks, fallbacks, pivots, careful;
};

// Games of one shape. Row-major, `count` of them.
struct KernelBatch {
  const double *matrices;
  int64_t count;
  int m, n;
  double *values, *x, *y, *gaps;
};

// Sums of games over `rounds`, for `rows` lanes: cell = prize * sign + (+-)child.
//
// Game g has shapes[2g] x shapes[2g+1] cells, row-major from offsets[g], each coded as
// index << 3 | negated << 2 | (sign + 1), where index == child_width stands for 0.
struct KernelBlock {
  const void *children; // [child rows][child_width], doubles or floats
  bool single;          // they are floats
  int64_t child_width;
  const int32_t *child_of; // [rounds][rows]: row of `children`
  const double *prizes;    // [rounds][rows]
  int64_t rounds, rows;
  const uint8_t *shapes;
  const int64_t *offsets;
  const uint32_t *codes;
  int64_t begin, end; // the games to solve
  double scale;       // a bound on the absolute value of any cell
  double *out;        // [rows][width]: the mean over rounds
  int64_t width;
  double *laid_out;     // room: (child_width + 1) * 4, aligned to 32 bytes
  uint32_t *remembered; // room: (end - begin) * 4, zeroed
  double *worst_gap;    // result
};

struct Kernel {
  const char *name;
  // Both return the number of games whose proof of optimality failed: 0 when all is well.
  int64_t (*solve_batch)(const KernelBatch &, KernelCounts &);
  int64_t (*solve_block)(const KernelBlock &, KernelCounts &);
};
