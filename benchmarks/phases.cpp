// The phases of solving a block, timed one on top of the other, and the multiply-add limit of a core. Compiled together
// with the kernel, with its flags.
#include "kernel.cpp"

#include <algorithm>
#include <ctime>
#include <memory>
#include <new>
#include <vector>

namespace GOOFSPIEL_VARIANT {

static double cpu_seconds() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// What the optimiser must take as used.
template <typename T> static void use(const T &result) { asm volatile("" : : "r"(&result) : "memory"); }

// One check of a solve, as it happened.
struct Tried {
  Basis basis;
  LaneSet wanted, good;
  bool replied; // it came as far as the best replies
};

// All checks of a solve, game after game.
struct Tape {
  std::vector<Tried> tried;
  std::vector<uint8_t> checks; // of each group of lanes
};

// Multiplications, with or without an addition, of one lane in one check. Saddle points need comparisons only.
static int64_t multiply_adds(int K, int m, int n, bool replied) {
  if (K == 1)
    return 0;
  int64_t total = replied ? static_cast<int64_t>(m + n) * K : 0;
  for (int left = K - 2; left >= 0; left--) // equations after the one that is eliminated
    total += 1 + left + left * (2 + left) + 2 * left + 1;
  return total;
}

struct Tally {
  int64_t games, checks, fallbacks, pivots, careful; // as the kernel counts
  int64_t taped, support, cells, checked, needed;    // needed: one check of the right basis
};

// Solve a block and note every check. The mixes name the basis of each lane, in the order in which lanes are solved.
static Tape record(const KernelBlock &block, Tally &tally) {
  Tape tape;
  Counts counts = {};
  BasisCache *recents = reinterpret_cast<BasisCache *>(block.basis_cache);
  for_each_group<double>(block, [&](const Games &g, LaneSet wanted, int64_t game) {
    BasisCache &recent = recents[game - block.games.begin];
    const BasisCache guesses = recent;
    Answers answers;
    answers.value = answers.gap = broadcast(0);
    solve_lanes<true>(g, wanted, recent, answers, counts);
    LaneSet left = wanted;
    int checks = 0;
    const auto try_basis = [&](Basis basis) {
      Solution s;
      s.gap = broadcast(-1); // no gap is below zero: it stays only when the check ends early
      const LaneSet good = check(g, basis, left, s);
      const bool replied = s.gap[__builtin_ctz(left)] != -1;
      const bool one_chain = !(left >> CHAIN) || !(left & LOWER_CHAIN); // which is then checked alone
      tape.tried.push_back({basis, left, good, replied});
      tally.checked += (one_chain ? CHAIN : LANES) * multiply_adds(basis.size(), g.m, g.n, replied);
      left &= ~good;
      checks++;
    };
    for (int guess = 0; guess < BASIS_CACHE && guesses.slot[guess].rows && left; guess++)
      try_basis(guesses.slot[guess]);
    while (left) {
      const LaneSet lowest = left & (~left + 1);
      try_basis(answers.basis[__builtin_ctz(left)]);
      left &= ~lowest; // a basis that was proved carefully fails here
    }
    for (unsigned bits = wanted; bits; bits &= bits - 1) {
      const int K = answers.basis[__builtin_ctz(bits)].size();
      tally.support += K;
      tally.needed += multiply_adds(K, g.m, g.n, true);
      tally.cells += g.m * g.n;
      tally.games++;
    }
    tape.checks.push_back(static_cast<uint8_t>(checks));
    return answers.value;
  });
  tally.checks = counts.checks;
  tally.fallbacks = counts.fallbacks;
  tally.pivots = counts.pivots;
  tally.careful = counts.careful;
  tally.taped = static_cast<int64_t>(tape.tried.size());
  return tape;
}

// The checks of a tape again, all or only those that fit, without looking for a basis.
static void replay(const KernelBlock &block, const Tape &tape, bool all) {
  const Tried *next = tape.tried.data();
  const uint8_t *checks = tape.checks.data();
  for_each_group<double>(block, [&](const Games &g, LaneSet, int64_t) {
    Answers answers;
    answers.value = answers.gap = broadcast(0);
    for (const Tried *end = next + *checks++; next < end; next++) {
      if (!all && !next->good)
        continue;
      Solution s;
      const LaneSet good = check(g, next->basis, next->wanted, s);
      take<false>(s, good, next->basis, answers);
    }
    use(answers.gap);
    return answers.value;
  });
}

static void lay_out_all(const KernelBlock &block) {
  Lanes<double> *children = static_cast<Lanes<double> *>(block.laid_out);
  for (int64_t first = 0; first < block.rounds; first += LANES) {
    const int here = block.rounds - first < LANES ? static_cast<int>(block.rounds - first) : LANES;
    lay_out<double>(block, first, here, children);
    use(children[0]);
  }
}

} // namespace GOOFSPIEL_VARIANT

using namespace GOOFSPIEL_VARIANT;

#define EXPORT extern "C" __attribute__((visibility("default")))

// The least CPU-seconds of `repeats` runs of each phase together with those before it: laying out the children,
// assembling the cells (and writing the values), the checks that fit, the checks that fail, the whole solve.
EXPORT void time_phases(const double *children, int64_t child_width, int64_t rounds, const int32_t *child_of,
                        const double *prizes, const int32_t *row_of, const double *shares, const uint8_t *shapes,
                        const int64_t *offsets, const uint32_t *codes, int64_t games, double scale, double *out,
                        int64_t rows, int repeats, double *seconds, Tally *tally) {
  struct Free {
    void operator()(double *p) const { ::operator delete(p, std::align_val_t(64)); }
  };
  const size_t bytes = static_cast<size_t>(child_width + 1) * LANES * sizeof(double);
  std::unique_ptr<double, Free> laid_out(static_cast<double *>(::operator new(bytes, std::align_val_t(64))));
  std::vector<uint32_t> basis_cache(static_cast<size_t>(games) * BASIS_CACHE);
  double worst_gap = 0;
  KernelBlock block = {};
  block.children = children;
  block.kind = KernelNumbers::DOUBLES;
  block.unit = 1;
  block.child_width = child_width;
  block.rounds = rounds;
  block.child_of = child_of;
  block.prizes = prizes;
  block.row_of = row_of;
  block.shares = shares;
  block.games = {shapes, offsets, codes, 0, games};
  block.scale = scale;
  block.out = out;
  block.width = games;
  block.laid_out = laid_out.get();
  block.basis_cache = basis_cache.data();
  block.worst_gap = &worst_gap;

  const Tape tape = record(block, *tally);
  for (int repeat = 0; repeat < repeats; repeat++)
    for (int phase = 0; phase < 5; phase++) {
      std::fill(out, out + rows * games, 0.0);
      std::fill(basis_cache.begin(), basis_cache.end(), 0u);
      const double started = cpu_seconds();
      if (phase == 0)
        lay_out_all(block);
      else if (phase == 1)
        for_each_group<double>(block, [](const Games &g, LaneSet, int64_t) {
          use(*g.cells);
          return broadcast(0);
        });
      else if (phase < 4)
        replay(block, tape, phase == 3);
      else {
        KernelCounts counts = {};
        solve_block(block, counts);
      }
      const double took = cpu_seconds() - started;
      seconds[phase] = repeat && seconds[phase] < took ? seconds[phase] : took;
    }
}

// Multiply-adds of doubles that one core does in a second, in independent chains of the kernel's vectors.
EXPORT double multiply_add_limit(double factor, double term) {
  constexpr int CHAINS = 12; // enough to hide their latency, and they leave registers for the operands
  constexpr int64_t STEPS = 1 << 22;
  double best = 0;
  for (int repeat = 0; repeat < 10; repeat++) {
    chain sum[CHAINS];
    for (int c = 0; c < CHAINS; c++)
      sum[c] = fill(c);
    const double started = cpu_seconds();
    for (int64_t step = 0; step < STEPS; step++)
#pragma GCC unroll 12
      for (int c = 0; c < CHAINS; c++)
        sum[c] = sum[c] * fill(factor) + fill(term);
    for (int c = 0; c < CHAINS; c++)
      use(sum[c]);
    const double rate = static_cast<double>(STEPS * CHAINS * CHAIN) / (cpu_seconds() - started);
    best = rate > best ? rate : best;
  }
  return best;
}

// Games solved side by side.
EXPORT int lanes() { return LANES; }
