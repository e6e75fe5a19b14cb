// Regret matching in a symmetric game of imperfect information: a tree of decisions, alike for both players, and what
// its last decisions pay, pair by pair.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <thread>
#include <vector>

// Decisions, parents first: the sequences firsts[i] … firsts[i + 1] are its choices, parents[i] the one that leads to
// it.
struct Decisions {
  int64_t count;
  const int64_t *firsts;
  const int64_t *parents; // -1: none
  int64_t sequences() const { return firsts[count]; }
};

// What the last decisions pay. They stand in blocks: scenes × groups, each group of `starts[g + 1] - starts[g]` rows,
// each row of `width` sequences. The rows of group g meet those of the mirrored group, in the same scene; which ones,
// is the same in every scene. A pair: the row of the other in its group, and which of the scene's matrices they play.
struct Payments {
  int64_t first; // sequence of the first row
  int64_t scenes, groups, width, matrices;
  const int64_t *starts;  // [group], and the end
  const int64_t *ends;    // [row], and before it 0: its pairs end there
  const uint32_t *pairs;  // row of the other << 16 | matrix
  const double *payments; // [scene][group][matrix][mine][theirs]
  int64_t rows() const { return starts[groups]; }
};

template <int W>
inline void gains_of_group(const Payments &p, int64_t scene, int64_t group, const double *reach, double *gains) {
  const int64_t width = W ? W : p.width, cells = width * width;
  const double *scene_reach = reach + p.first + scene * p.rows() * width;
  const double *other = scene_reach + p.starts[p.groups - 1 - group] * width;
  double *mine = gains + p.first + scene * p.rows() * width;
  const double *payments = p.payments + (scene * p.groups + group) * p.matrices * cells;
  for (int64_t row = p.starts[group]; row < p.starts[group + 1]; row++) {
    double *out = mine + row * width;
    const int64_t begin = row ? p.ends[row - 1] : 0;
    if constexpr (W == 2) {
      double a = 0, b = 0;
      for (int64_t k = begin; k < p.ends[row]; k++) {
        const uint32_t pair = p.pairs[k];
        const double *r = other + (pair >> 16) * 2, *m = payments + (pair & 0xffff) * 4;
        a += m[0] * r[0] + m[1] * r[1];
        b += m[2] * r[0] + m[3] * r[1];
      }
      out[0] = a;
      out[1] = b;
    } else {
      std::fill(out, out + width, 0.0);
      for (int64_t k = begin; k < p.ends[row]; k++) {
        const uint32_t pair = p.pairs[k];
        const double *r = other + (pair >> 16) * width, *m = payments + (pair & 0xffff) * cells;
        for (int64_t i = 0; i < width; i++)
          for (int64_t j = 0; j < width; j++)
            out[i] += m[i * width + j] * r[j];
      }
    }
  }
}

// What each last choice gains against the reach of the other; earlier ones are set to 0.
inline void gains_against(const Payments &p, const double *reach, double *gains, int threads) {
  std::fill(gains, gains + p.first, 0.0);
  const int64_t blocks = p.scenes * p.groups;
  std::atomic<int64_t> next{0};
  const auto work = [&] {
    for (int64_t block; (block = next.fetch_add(1)) < blocks;)
      if (p.width == 2)
        gains_of_group<2>(p, block / p.groups, block % p.groups, reach, gains);
      else
        gains_of_group<0>(p, block / p.groups, block % p.groups, reach, gains);
  };
  std::vector<std::thread> others;
  for (int i = 1; i < threads; i++)
    others.emplace_back(work);
  work();
  for (std::thread &other : others)
    other.join();
}

// What the best reply to a plan, given as the reach of its sequences, gains.
inline double best_reply(const Decisions &d, const Payments &p, const double *reach, double *gains, int threads) {
  gains_against(p, reach, gains, threads);
  double whole = 0;
  for (int64_t i = d.count - 1; i >= 0; i--) {
    const double best = *std::max_element(gains + d.firsts[i], gains + d.firsts[i + 1]);
    (d.parents[i] < 0 ? whole : gains[d.parents[i]]) += best;
  }
  return whole;
}

enum class Method : int { CFR = 0, CFR_PLUS = 1, DISCOUNTED = 2, PREDICTIVE = 3 };

// The state of one player, an entry a sequence each.
struct Learner {
  double *regrets;
  double *predicted; // the mix of the next iteration comes from these; may be the same array
  double *mixes;
  double *reach;
};

// The next mix at every decision, and how likely each sequence is then reached; added to the average.
inline void next_mixes(const Decisions &d, const Learner &l, double weight, double *average) {
  for (int64_t i = 0; i < d.count; i++) {
    const int64_t begin = d.firsts[i], end = d.firsts[i + 1];
    const double here = d.parents[i] < 0 ? 1.0 : l.reach[d.parents[i]];
    double sum = 0;
    for (int64_t s = begin; s < end; s++)
      sum += std::max(l.predicted[s], 0.0);
    const double share = sum > 0 ? 1 / sum : 0, even = sum > 0 ? 0 : 1.0 / static_cast<double>(end - begin);
    for (int64_t s = begin; s < end; s++) {
      l.mixes[s] = std::max(l.predicted[s], 0.0) * share + even;
      l.reach[s] = here * l.mixes[s];
      average[s] += weight * l.reach[s];
    }
  }
}

// What each decision regrets, added up as the method does.
inline void add_regrets(const Decisions &d, const Learner &l, Method method, double t, double *gains) {
  const double kept = std::pow(t, 1.5) / (std::pow(t, 1.5) + 1);
  for (int64_t i = d.count - 1; i >= 0; i--) {
    const int64_t begin = d.firsts[i], end = d.firsts[i + 1];
    double value = 0;
    for (int64_t s = begin; s < end; s++)
      value += l.mixes[s] * gains[s];
    if (d.parents[i] >= 0)
      gains[d.parents[i]] += value;
    for (int64_t s = begin; s < end; s++) {
      const double now = gains[s] - value;
      double &sum = l.regrets[s];
      if (method == Method::CFR) {
        sum += now;
      } else if (method == Method::DISCOUNTED) {
        sum = sum * (sum > 0 ? kept : 0.5) + now;
      } else {
        sum = std::max(sum + now, 0.0);
        if (method == Method::PREDICTIVE)
          l.predicted[s] = sum + now;
      }
    }
  }
}

// The weight of an iteration in the average.
inline double average_weight(Method method, double t) {
  return method == Method::CFR ? 1.0 : method == Method::CFR_PLUS ? t : t * t;
}
