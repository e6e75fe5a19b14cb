// The kernel, compiled once for each instruction set. No standard containers: nothing here may be shared between
// builds.
#include "batch.hpp"
#include "leads.hpp"
#include "rounds.hpp"
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

// A mix without the rounding below zero.
static void write_mix(const double *mix, int size, double *out) {
  double total = 0;
  for (int i = 0; i < size; i++) {
    out[i] = mix[i] > 0 ? mix[i] : 0;
    total += out[i];
  }
  for (int i = 0; i < size; i++)
    out[i] /= total;
}

bool solve_alone(const double *matrix, int m, int n, double &value, double *x, double *y, double &gap) {
  vec cells[MAX_CELLS];
  double scale = 0;
  for (int c = 0; c < m * n; c++) {
    cells[c] = broadcast(matrix[c]);
    scale = __builtin_fabs(matrix[c]) > scale ? __builtin_fabs(matrix[c]) : scale;
  }
  BasisCache none = {};
  Answers answers;
  Counts counts = {};
  if (solve_lanes<true>(Games{cells, m, n, broadcast(scale)}, 1, none, answers, counts))
    return false;
  value = answers.value[0];
  gap = answers.gap[0];
  if (!__builtin_isfinite(value)) // payoffs so large that their sums are no doubles
    return false;
  write_mix(answers.x[0], m, x);
  write_mix(answers.y[0], n, y);
  return true;
}

template <typename Stored> static int64_t solve_rounds(const KernelBlock &block, KernelCounts &total) {
  BasisCache *recents = reinterpret_cast<BasisCache *>(block.basis_cache);
  vec worst = broadcast(0);
  Counts counts = {};
  int64_t failures = 0;
  for_each_group<Stored>(block, [&](const Games &games, LaneSet wanted, int64_t game) {
    Answers answers;
    answers.value = answers.gap = broadcast(0);
    failures +=
        __builtin_popcount(solve_lanes<false>(games, wanted, recents[game - block.games.begin], answers, counts));
    worst = higher(worst, answers.gap);
    return answers.value;
  });
  for (int l = 0; l < LANES; l++)
    *block.worst_gap = worst[l] > *block.worst_gap ? worst[l] : *block.worst_gap;
  total.games += block.rounds * (block.games.end - block.games.begin);
  add(total, counts);
  return failures;
}

static int64_t solve_block(const KernelBlock &block, KernelCounts &total) {
  switch (block.kind) {
  case KernelNumbers::FLOATS:
    return solve_rounds<float>(block, total);
  case KernelNumbers::INTS:
    return solve_rounds<int32_t>(block, total);
  case KernelNumbers::THREE_BYTES:
    return solve_rounds<ThreeBytes>(block, total);
  default:
    return solve_rounds<double>(block, total);
  }
}

template <typename Real, bool DRAWS> static int64_t solve_leads(const KernelRound &round, KernelCounts &total) {
  BasisCache *recents = reinterpret_cast<BasisCache *>(round.basis_cache);
  const int groups = KernelRound::groups(round.lead);
  vec cells[MAX_CELLS];
  vec worst = broadcast(0);
  Counts counts = {};
  int64_t failures = 0;
  for_each_group<Real>(round, [&](const LeadGroup<Real> &group, LaneSet wanted, int64_t game, int first) {
    const LaneSet saddles = group.saddles() & wanted;
    total.saddles += __builtin_popcount(saddles);
    Answers answers;
    answers.value = widen(group.most_certain);
    answers.gap = broadcast(0);
    if (DRAWS) {
      __builtin_memset(answers.x, 0, sizeof answers.x);
      __builtin_memset(answers.y, 0, sizeof answers.y);
    }
    if (saddles != wanted) {
      const int size = group.m * group.n;
      for (int c = 0; c < size; c++)
        cells[c] = widen(group.cells[c]);
      const Games games = {cells, group.m, group.n, broadcast(1 / round.unit)};
      // All lanes share the bases of their first neighbours.
      BasisCache &recent = recents[(game - round.games.begin) * groups + first / KERNEL_NEIGHBOURS];
      if (!recent.slot[0].rows && first > 0)
        recent = *(&recent - LANES / KERNEL_NEIGHBOURS); // nothing yet: the neighbouring leads' are the best guess
      failures += __builtin_popcount(solve_lanes<DRAWS>(games, wanted & ~saddles, recent, answers, counts));
      worst = higher(worst, answers.gap);
    }
    if constexpr (DRAWS) {
      Solution pure;
      pure.x[0] = pure.y[0] = broadcast(1);
      pure.value = answers.value;
      pure.gap = answers.gap;
      for (unsigned bits = saddles; bits; bits &= bits - 1) {
        const int lane = __builtin_ctz(bits);
        take<true>(pure, 1u << lane, saddle_point(group, lane), answers);
      }
      add_draws(round, group, wanted, game, first, answers);
    }
    return answers.value;
  });
  worst *= broadcast(round.unit);
  for (int l = 0; l < LANES; l++)
    *round.worst_gap = worst[l] > *round.worst_gap ? worst[l] : *round.worst_gap;
  total.games += (round.games.end - round.games.begin) * (2 * round.lead + 1);
  add(total, counts);
  return failures;
}

static int64_t solve_round(const KernelRound &round, KernelCounts &total) {
  if (round.whole)
    return solve_leads<int32_t, false>(round, total);
  return round.draws ? solve_leads<float, true>(round, total) : solve_leads<float, false>(round, total);
}

} // namespace GOOFSPIEL_VARIANT

extern const Kernel JOIN(kernel_, GOOFSPIEL_VARIANT) = {
    TEXT(GOOFSPIEL_VARIANT),        GOOFSPIEL_VARIANT::LANES,       GOOFSPIEL_VARIANT::solve_batch,
    GOOFSPIEL_VARIANT::solve_block, GOOFSPIEL_VARIANT::solve_round,
};
