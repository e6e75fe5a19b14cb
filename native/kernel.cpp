// The kernel, compiled once for each instruction set. No standard containers: nothing here may be shared between
// builds.
#include "kernel.hpp"
#include "solve.hpp"

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define TEXT_(a) #a
#define TEXT(a) TEXT_(a)

namespace GOOFSPIEL_VARIANT {

static void add(KernelCounts &total, const Counts &counts) {
  total.checks += counts.checks;
  total.fallbacks += counts.fallbacks;
  total.pivots += counts.pivots;
  total.careful += counts.careful;
}

// A mix without the rounding below zero; NaN where there is none.
static void write_mix(const double *mix, int size, double *out) {
  double total = 0;
  for (int i = 0; i < size; i++) {
    out[i] = !mix ? __builtin_nan("") : mix[i] > 0 ? mix[i] : 0;
    total += out[i];
  }
  for (int i = 0; i < size; i++)
    out[i] /= total;
}

static int64_t solve_batch(const KernelBatch &batch, KernelCounts &total) {
  const int m = batch.m, n = batch.n, size = m * n;
  vec cells[MAX_CELLS];
  Recent recent = {};
  Counts counts = {};
  int64_t failures = 0;
  for (int64_t first = 0; first < batch.count; first += LANES) {
    const int here = batch.count - first < LANES ? static_cast<int>(batch.count - first) : LANES;
    vec scale = broadcast(0);
    for (int c = 0; c < size; c++) {
      double lanes[LANES];
      for (int l = 0; l < LANES; l++)
        lanes[l] = batch.matrices[(first + (l < here ? l : 0)) * size + c];
      cells[c] = from_array(lanes);
      scale = higher(scale, higher(cells[c], broadcast(0) - cells[c]));
    }
    const Games games = {cells, m, n, scale};
    Answers answers;
    const int64_t before = counts.fallbacks;
    const LaneSet failed = solve_lanes<true>(games, (1u << here) - 1, recent, answers, counts);
    // Unlike games: what was optimal before is a guess not worth checking.
    if (counts.fallbacks - before == here)
      recent = {};
    failures += __builtin_popcount(failed);
    for (int l = 0; l < here; l++) {
      const int64_t g = first + l;
      const bool ok = !(failed >> l & 1);
      batch.values[g] = ok ? answers.value[l] : __builtin_nan("");
      batch.gaps[g] = ok ? answers.gap[l] : __builtin_nan("");
      write_mix(ok ? answers.x[l] : nullptr, m, batch.x + g * m);
      write_mix(ok ? answers.y[l] : nullptr, n, batch.y + g * n);
    }
  }
  total.games += batch.count;
  add(total, counts);
  return failures;
}

// The children of the lanes' rounds side by side, in the precision that they are stored in.
template <typename Real> struct Lanes {
  Real lane[LANES];
  quad lo() const { return load(lane); }
  quad hi() const { return load(lane + QUAD); }
};

// Lay them out: one for each child, and a last one of zeros.
template <typename Real>
static void lay_out(const KernelBlock &block, const int32_t *child_of, int here, Lanes<Real> *out) {
  const Real *row[LANES];
  for (int l = 0; l < LANES; l++)
    row[l] = static_cast<const Real *>(block.children) + child_of[l < here ? l : 0] * block.child_width;
  for (int64_t c = 0; c < block.child_width; c++)
    for (int l = 0; l < LANES; l++)
      out[c].lane[l] = row[l][c];
  out[block.child_width] = {};
}

template <typename Real> static int64_t solve_rounds(const KernelBlock &block, KernelCounts &total) {
  Lanes<Real> *children = reinterpret_cast<Lanes<Real> *>(block.laid_out);
  Recent *recents = reinterpret_cast<Recent *>(block.remembered);
  vec cells[MAX_CELLS];
  vec worst = broadcast(0);
  Counts counts = {};
  int64_t failures = 0;
  for (int64_t first = 0; first < block.rounds; first += LANES) {
    const int here = block.rounds - first < LANES ? static_cast<int>(block.rounds - first) : LANES;
    const LaneSet wanted = (1u << here) - 1;
    lay_out(block, block.child_of + first, here, children);
    double prizes[LANES];
    double *out[LANES];
    for (int l = 0; l < LANES; l++) {
      const int64_t round = first + (l < here ? l : 0);
      prizes[l] = block.prizes[round];
      out[l] = block.out + block.row_of[round] * block.width;
    }
    const vec prize = from_array(prizes);
    // By the low bits of a code: the sign of the child, and what is won.
    struct {
      quad sign;
      vec won;
    } terms[8];
    for (int t = 0; t < 8; t++)
      terms[t] = {fill(t & 4 ? -1 : 1), prize * broadcast((t & 3) - 1)};
    for (int64_t g = block.begin; g < block.end; g++) {
      const int m = block.shapes[2 * g], n = block.shapes[2 * g + 1], size = m * n;
      const uint32_t *code = block.codes + block.offsets[g];
      // The next game's children are fetched while this game's are used.
      const uint32_t *next = block.offsets[g + 1] + size <= block.offsets[block.end] ? code + size : code;
      for (int c = 0; c < size; c++) {
        __builtin_prefetch(children + (next[c] >> 3));
        const Lanes<Real> &child = children[code[c] >> 3];
        const auto &term = terms[code[c] & 7];
        cells[c] = {child.lo() * term.sign + term.won.lo, child.hi() * term.sign + term.won.hi};
      }
      const Games games = {cells, m, n, broadcast(block.scale)};
      Answers answers;
      answers.value = answers.gap = broadcast(0);
      const LaneSet failed = solve_lanes<false>(games, wanted, recents[g - block.begin], answers, counts);
      failures += __builtin_popcount(failed);
      worst = higher(worst, answers.gap);
      for (int l = 0; l < here; l++)
        out[l][g] += answers.value[l] * block.share;
    }
  }
  for (int l = 0; l < LANES; l++)
    *block.worst_gap = worst[l] > *block.worst_gap ? worst[l] : *block.worst_gap;
  total.games += block.rounds * (block.end - block.begin);
  add(total, counts);
  return failures;
}

static int64_t solve_block(const KernelBlock &block, KernelCounts &total) {
  return block.single ? solve_rounds<float>(block, total) : solve_rounds<double>(block, total);
}

} // namespace GOOFSPIEL_VARIANT

extern const Kernel JOIN(kernel_, GOOFSPIEL_VARIANT) = {
    TEXT(GOOFSPIEL_VARIANT),
    GOOFSPIEL_VARIANT::solve_batch,
    GOOFSPIEL_VARIANT::solve_block,
};
