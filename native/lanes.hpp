// One game per SIMD lane: the vector type, and the few operations on it.
#pragma once

#include <cstdint>
#if defined(__AVX__)
#include <immintrin.h>
#endif

namespace GOOFSPIEL_VARIANT {

constexpr int QUAD = 4;
constexpr int LANES = 2 * QUAD;
constexpr int MAX_CARDS = 16;
constexpr int MAX_CELLS = MAX_CARDS * MAX_CARDS;

// Four doubles on every target: one AVX register, two SSE2 or NEON registers.
typedef double quad __attribute__((vector_size(8 * QUAD)));
typedef int64_t quadi __attribute__((vector_size(8 * QUAD)));

inline quad load(const double *p) {
  quad q;
  __builtin_memcpy(&q, p, sizeof q);
  return q;
}

inline quad load(const float *p) {
#if defined(__AVX__)
  return reinterpret_cast<quad>(_mm256_cvtps_pd(_mm_loadu_ps(p))); // GCC makes four instructions of what is below
#else
  float __attribute__((vector_size(4 * QUAD))) q;
  __builtin_memcpy(&q, p, sizeof q);
  return __builtin_convertvector(q, quad);
#endif
}

inline quad load(const int32_t *p) {
#if defined(__AVX__)
  return reinterpret_cast<quad>(_mm256_cvtepi32_pd(_mm_loadu_si128(reinterpret_cast<const __m128i *>(p))));
#else
  int32_t __attribute__((vector_size(4 * QUAD))) q;
  __builtin_memcpy(&q, p, sizeof q);
  return __builtin_convertvector(q, quad);
#endif
}

inline void store(double *p, quad q) { __builtin_memcpy(p, &q, sizeof q); }

inline quad fill(double a) { return quad{a, a, a, a}; }

// Eight lanes as two chains of four: solving a system is a chain of dependent steps, and two of them run side by side.
struct vec {
  quad lo, hi;
  double operator[](int lane) const { return lane < QUAD ? lo[lane] : hi[lane - QUAD]; }
};

inline vec operator+(vec a, vec b) { return {a.lo + b.lo, a.hi + b.hi}; }
inline vec operator-(vec a, vec b) { return {a.lo - b.lo, a.hi - b.hi}; }
inline vec operator*(vec a, vec b) { return {a.lo * b.lo, a.hi * b.hi}; }
inline vec operator/(vec a, vec b) { return {a.lo / b.lo, a.hi / b.hi}; }
inline vec &operator+=(vec &a, vec b) { return a = a + b; }
inline vec &operator-=(vec &a, vec b) { return a = a - b; }
inline vec &operator*=(vec &a, vec b) { return a = a * b; }

inline vec broadcast(double a) { return {fill(a), fill(a)}; }

inline vec from_array(const double *p) { return {load(p), load(p + QUAD)}; }

// `b` where it is smaller (greater), else `a`; a NaN in `a` stays.
inline vec lower(vec a, vec b) { return {b.lo < a.lo ? b.lo : a.lo, b.hi < a.hi ? b.hi : a.hi}; }
inline vec higher(vec a, vec b) { return {b.lo > a.lo ? b.lo : a.lo, b.hi > a.hi ? b.hi : a.hi}; }

// A set of lanes, bit l for lane l.
typedef unsigned LaneSet;

inline LaneSet bits(quadi condition) {
#if defined(__AVX__)
  return static_cast<LaneSet>(_mm256_movemask_pd(reinterpret_cast<__m256d>(condition)));
#else
  LaneSet set = 0;
  for (int l = 0; l < QUAD; l++)
    set |= static_cast<LaneSet>(condition[l] & 1) << l;
  return set;
#endif
}

// The lanes in which a <= b: none where either is NaN.
inline LaneSet at_most(vec a, vec b) { return bits(a.lo <= b.lo) | bits(a.hi <= b.hi) << QUAD; }

inline quadi mask_of(LaneSet set) {
  const int64_t s = set;
  return (quadi{s, s, s, s} & quadi{1, 2, 4, 8}) != 0;
}

// `a` in the lanes of the set, `b` elsewhere.
inline vec choose(LaneSet set, vec a, vec b) {
  return {mask_of(set) ? a.lo : b.lo, mask_of(set >> QUAD) ? a.hi : b.hi};
}

// The lanes in single precision, or as whole numbers: one AVX register.
typedef float floats __attribute__((vector_size(4 * LANES)));
typedef int32_t ints __attribute__((vector_size(4 * LANES)));

template <typename Real> struct ShortLanes;
template <> struct ShortLanes<float> {
  using type = floats;
};
template <> struct ShortLanes<int32_t> {
  using type = ints;
};

template <typename Real> inline typename ShortLanes<Real>::type load_short(const Real *p) {
  typename ShortLanes<Real>::type f;
  __builtin_memcpy(&f, p, sizeof f);
  return f;
}

template <typename Short> inline vec widen(Short f) {
  __typeof__(f[0] + 0) lanes[LANES];
  __builtin_memcpy(lanes, &f, sizeof f);
  return {load(lanes), load(lanes + QUAD)};
}

inline floats lower(floats a, floats b) { return b < a ? b : a; }
inline floats higher(floats a, floats b) { return b > a ? b : a; }
inline ints lower(ints a, ints b) { return b < a ? b : a; }
inline ints higher(ints a, ints b) { return b > a ? b : a; }

inline ints in_order(ints f, ints order) {
#if defined(__AVX2__)
  return reinterpret_cast<ints>(
      _mm256_permutevar8x32_epi32(reinterpret_cast<__m256i>(f), reinterpret_cast<__m256i>(order)));
#else
  ints arranged;
  for (int l = 0; l < LANES; l++)
    arranged[l] = f[order[l]];
  return arranged;
#endif
}

// The lanes in the order given, negated where `flip` is −1, and not where it is 0.
inline floats arrange(floats f, ints order, ints flip) {
  return reinterpret_cast<floats>(in_order(reinterpret_cast<ints>(f), order) ^ (flip & INT32_MIN));
}
inline ints arrange(ints f, ints order, ints flip) { return (in_order(f, order) ^ flip) - flip; }

inline LaneSet equal(ints a, ints b) {
#if defined(__AVX__)
  return static_cast<LaneSet>(_mm256_movemask_ps(reinterpret_cast<__m256>(a == b)));
#else
  LaneSet set = 0;
  for (int l = 0; l < LANES; l++)
    set |= static_cast<LaneSet>(a[l] == b[l]) << l;
  return set;
#endif
}

inline LaneSet equal(floats a, floats b) {
#if defined(__AVX__)
  return static_cast<LaneSet>(_mm256_movemask_ps(reinterpret_cast<__m256>(a == b)));
#else
  LaneSet set = 0;
  for (int l = 0; l < LANES; l++)
    set |= static_cast<LaneSet>(a[l] == b[l]) << l;
  return set;
#endif
}

} // namespace GOOFSPIEL_VARIANT
