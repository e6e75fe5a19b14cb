// One game per SIMD lane: the vector type, and the few operations on it that have no operator.
#pragma once

#include <cstdint>
#if defined(__AVX__)
#include <immintrin.h>
#endif

namespace GOOFSPIEL_VARIANT {

constexpr int LANES = 4;
constexpr int MAX_CARDS = 16;
constexpr int MAX_CELLS = MAX_CARDS * MAX_CARDS;

// Four doubles on every target: one AVX register, two SSE2 or NEON registers.
typedef double vec __attribute__((vector_size(8 * LANES)));
typedef int64_t veci __attribute__((vector_size(8 * LANES)));

// A set of lanes, bit l for lane l.
typedef unsigned LaneSet;
constexpr LaneSet ALL_LANES = (1u << LANES) - 1;

inline vec broadcast(double a) { return vec{a, a, a, a}; }

inline vec load(const double *p) {
  vec v;
  __builtin_memcpy(&v, p, sizeof v);
  return v;
}

inline void store(double *p, vec v) { __builtin_memcpy(p, &v, sizeof v); }

// `b` where it is smaller, else `a`; a NaN in `a` stays.
inline vec lower(vec a, vec b) { return b < a ? b : a; }
inline vec higher(vec a, vec b) { return b > a ? b : a; }

inline LaneSet lanes_where(veci condition) {
#if defined(__AVX__)
  return static_cast<LaneSet>(_mm256_movemask_pd(reinterpret_cast<__m256d>(condition)));
#else
  LaneSet set = 0;
  for (int l = 0; l < LANES; l++)
    set |= static_cast<LaneSet>(condition[l] & 1) << l;
  return set;
#endif
}

// All bits set in the lanes of `set`.
inline veci mask_of(LaneSet set) {
  const veci bits = {1, 2, 4, 8};
  const int64_t s = set;
  return (veci{s, s, s, s} & bits) != 0;
}

} // namespace GOOFSPIEL_VARIANT
