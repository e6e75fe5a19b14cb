// What a build of the kernel for one instruction set offers. Plain pointers: the caller owns all memory.
#pragma once

#include <cstdint>

constexpr int KERNEL_LANES = 16;      // games solved side by side, at most: each build has its own number
constexpr int KERNEL_BASIS_CACHE = 6; // bases kept for each game of a block
constexpr int KERNEL_NEIGHBOURS = 8;  // leads of a game that share them

struct KernelCounts {
  int64_t games, saddles, checks, fallbacks, pivots, careful;
};

// Games of one shape. Row-major, `count` of them. What is found of a game depends on the game only.
struct KernelBatch {
  const double *matrices;
  int64_t count;
  int m, n;
  double *values, *x, *y, *gaps;
};

// How many games of a batch had to be solved one by one, and how many are left without a proof of optimality: NaN.
struct BatchCounts {
  int64_t failures, alone;
};

// What a pair of bids leads to: index of the child << 3 | its value is negated << 2 | who wins the upcard, 0 they,
// 1 nobody, 2 I.
struct Code {
  uint32_t bits;

  static constexpr uint32_t KINDS = 8; // that differ in more than the child
  uint32_t kind() const { return bits & 7; }
  uint32_t child() const { return bits >> 3; }
  bool negated() const { return bits & 4; }
  int sign() const { return static_cast<int>(bits & 3) - 1; } // of what I win
};

// Games to solve, from begin to end. Game g has shapes[2g] x shapes[2g+1] cells, row-major from offsets[g], and a code
// for each.
struct KernelGames {
  const uint8_t *shapes;
  const int64_t *offsets;
  const uint32_t *codes;
  int64_t begin, end;
};

// How children are kept: as they are, or as whole numbers of units, in three bytes without the lowest of four.
enum class KernelNumbers { DOUBLES, FLOATS, INTS, THREE_BYTES };

// Rounds of many games each, in an order in which neighbours are alike. In a round, the cells of every game are
// prize * sign + (+-)child, with the children from one row of `children`, and 0 for child_width; the values times
// the round's share are added to one row of `out`. Children from child_width + 1 on are those of a row of `tied`, which
// may be shorter, and 0 for the last.
struct KernelBlock {
  const void *children; // [child rows][child_width]
  KernelNumbers kind;   // that they are
  double unit;          // that they count
  int64_t child_width;
  const void *tied; // [tied rows][tied_width], like `children`; null: no code names one
  int64_t tied_width;
  int64_t rounds;
  const int32_t *child_of; // [rounds]: row of `children`
  const int32_t *tied_of;  // [rounds]: row of `tied`
  const double *prizes;    // [rounds]
  const int32_t *row_of;   // [rounds]: row of `out`
  const double *shares;    // [rounds]
  KernelGames games;
  double scale; // a bound on the absolute value of any cell
  double *out;  // [rows][width]
  int64_t width;
  void *laid_out;        // buffer: last_child() + 1 times as many as there are lanes, aligned to 64 bytes
  uint32_t *basis_cache; // buffer: (end - begin) * KERNEL_BASIS_CACHE, zeroed
  double *worst_gap;     // result
  const int32_t *stop;   // null, or no longer 0 as soon as the result is not wanted any more

  int64_t last_child() const { return tied ? 2 * child_width + 1 : child_width; }
};

// Children of a round, each at every lead from -lead to lead; beyond that a game is decided.
struct KernelChildren {
  const void *values; // [count][2 * lead + 1], floats or ints
  const float *draws; // null, or the probabilities of a draw
  int64_t count;
  int lead;
};

// One round of many games, each at every lead from -lead to lead. The cells of a game are (+-)children at the lead
// after the bids; every index names a child. Those from won.count on are the children after a tie, if there are any:
// they may be fewer, but the last is the last.
struct KernelRound {
  KernelChildren won, tied;
  bool whole;  // they are ints, which count
  double unit; // this; 1 for floats
  int prize, lead;
  double share;
  KernelGames games;
  double *out;           // [games][2 * lead + 1]
  void *laid_out;        // buffer: last_child() + 1 times 2 * reach + 1
  uint32_t *basis_cache; // buffer: (end - begin) * groups(lead) * KERNEL_BASIS_CACHE, zeroed before the first round
  double *worst_gap;
  // With draws as well, of floats: the probability of one when both play the mixes that are found. Both null without.
  double *draws;         // like `out`
  float *laid_out_draws; // like `laid_out`
  const int32_t *stop;   // as above

  int64_t last_child() const { return (tied.values ? 2 : 1) * won.count - 1; }

  // The leads after a round, of all lanes.
  static int reach(int lead, int prize, int lanes) { return lead + prize + lanes - 1; }
  static int groups(int lead) { return (2 * lead + KERNEL_NEIGHBOURS) / KERNEL_NEIGHBOURS; }
};

// Whether the result is not wanted any more.
inline bool stopped(const int32_t *stop) { return stop && __atomic_load_n(stop, __ATOMIC_RELAXED); }

struct Kernel {
  const char *name;
  int lanes; // games solved side by side
  BatchCounts (*solve_batch)(const KernelBatch &);
  // Each returns the number of games whose proof of optimality failed: 0 when all is well.
  int64_t (*solve_block)(const KernelBlock &, KernelCounts &);
  int64_t (*solve_round)(const KernelRound &, KernelCounts &);
};
