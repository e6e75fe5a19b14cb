// The kernel, compiled once for each instruction set. No standard containers: nothing here may be shared between
// builds.
#include "kernel.hpp"
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
  BasisCache recent = {};
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
    LaneSet failed = 0;
    for (int l = 0; l < here && batch.independent; l++) {
      recent = {};
      failed |= solve_lanes<true>(games, 1u << l, recent, answers, counts);
    }
    if (!batch.independent)
      failed = solve_lanes<true>(games, (1u << here) - 1, recent, answers, counts);
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
      for (int lead = 0; lead < LANES; lead += KERNEL_NEIGHBOURS) {
        const LaneSet open = wanted & ~saddles & ((1u << KERNEL_NEIGHBOURS) - 1) << lead;
        if (!open)
          continue;
        BasisCache &recent = recents[(game - round.games.begin) * groups + (first + lead) / KERNEL_NEIGHBOURS];
        if (!recent.slot[0].rows && first + lead > 0)
          recent = *(&recent - 1); // nothing yet: the neighbouring leads' are the best guess
        failures += __builtin_popcount(solve_lanes<DRAWS>(games, open, recent, answers, counts));
      }
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
