// One game per SIMD lane: the vector type, and the few operations on it.
#pragma once

#include <cstdint>
#if defined(__AVX__)
#include <immintrin.h>
#endif

namespace GOOFSPIEL_VARIANT {

// Doubles of a chain: one register of AVX-512 or AVX, two of SSE2 or NEON.
#if defined(__AVX512F__)
constexpr int CHAIN = 8;
#else
constexpr int CHAIN = 4;
#endif
constexpr int LANES = 2 * CHAIN;
constexpr int MAX_CARDS = 16;
constexpr int MAX_CELLS = MAX_CARDS * MAX_CARDS;

typedef double chain __attribute__((vector_size(8 * CHAIN)));
typedef int64_t chaini __attribute__((vector_size(8 * CHAIN)));

inline chain load(const double *p) {
  chain a;
  __builtin_memcpy(&a, p, sizeof a);
  return a;
}

inline chain load(const float *p) {
#if defined(__AVX512F__)
  return reinterpret_cast<chain>(_mm512_maskz_cvtps_pd(0xff, _mm256_loadu_ps(p)));
#elif defined(__AVX__)
  return reinterpret_cast<chain>(_mm256_cvtps_pd(_mm_loadu_ps(p)));
#else
  float __attribute__((vector_size(4 * CHAIN))) a;
  __builtin_memcpy(&a, p, sizeof a);
  return __builtin_convertvector(a, chain);
#endif
}

inline chain load(const int32_t *p) {
#if defined(__AVX512F__)
  return reinterpret_cast<chain>(
      _mm512_maskz_cvtepi32_pd(0xff, _mm256_loadu_si256(reinterpret_cast<const __m256i *>(p))));
#elif defined(__AVX__)
  return reinterpret_cast<chain>(_mm256_cvtepi32_pd(_mm_loadu_si128(reinterpret_cast<const __m128i *>(p))));
#else
  int32_t __attribute__((vector_size(4 * CHAIN))) a;
  __builtin_memcpy(&a, p, sizeof a);
  return __builtin_convertvector(a, chain);
#endif
}

inline void store(double *p, chain a) { __builtin_memcpy(p, &a, sizeof a); }

inline chain fill(double a) { return a - chain{}; }

// 0, 1, 2, … in the lanes.
template <typename V> inline V ascending() {
  V a = {};
  for (unsigned l = 0; l < sizeof a / sizeof a[0]; l++)
    a[l] = l;
  return a;
}

// The lanes as two chains: solving a system is a chain of dependent steps, and two of them run side by side.
struct vec {
  chain lo, hi;
  double operator[](int lane) const { return lane < CHAIN ? lo[lane] : hi[lane - CHAIN]; }
};

inline vec operator+(vec a, vec b) { return {a.lo + b.lo, a.hi + b.hi}; }
inline vec operator-(vec a, vec b) { return {a.lo - b.lo, a.hi - b.hi}; }
inline vec operator*(vec a, vec b) { return {a.lo * b.lo, a.hi * b.hi}; }
inline vec operator/(vec a, vec b) { return {a.lo / b.lo, a.hi / b.hi}; }
inline vec &operator+=(vec &a, vec b) { return a = a + b; }
inline vec &operator-=(vec &a, vec b) { return a = a - b; }
inline vec &operator*=(vec &a, vec b) { return a = a * b; }

// a * b - c * d, where c * d is not rounded on the CPUs that multiply and add in one step: which of the two is, a
// compiler may choose, but the bits that a build writes are not to depend on it.
inline chain difference(chain a, chain b, chain c, chain d) {
#if defined(__AVX512F__)
  return reinterpret_cast<chain>(
      _mm512_fnmadd_pd(reinterpret_cast<__m512d>(c), reinterpret_cast<__m512d>(d), reinterpret_cast<__m512d>(a * b)));
#elif defined(__FMA__)
  return reinterpret_cast<chain>(
      _mm256_fnmadd_pd(reinterpret_cast<__m256d>(c), reinterpret_cast<__m256d>(d), reinterpret_cast<__m256d>(a * b)));
#else
  return a * b - c * d;
#endif
}
inline vec difference(vec a, vec b, vec c, vec d) {
  return {difference(a.lo, b.lo, c.lo, d.lo), difference(a.hi, b.hi, c.hi, d.hi)};
}

inline vec from_array(const double *p) { return {load(p), load(p + CHAIN)}; }

// The same number in all lanes, or in those of one chain.
template <typename V = vec> inline V broadcast(double a);
template <> inline vec broadcast<vec>(double a) { return {fill(a), fill(a)}; }
template <> inline chain broadcast<chain>(double a) { return fill(a); }

// `b` where it is smaller (greater), else `a`; a NaN in `a` stays.
inline chain lower(chain a, chain b) { return b < a ? b : a; }
inline chain higher(chain a, chain b) { return b > a ? b : a; }
inline vec lower(vec a, vec b) { return {lower(a.lo, b.lo), lower(a.hi, b.hi)}; }
inline vec higher(vec a, vec b) { return {higher(a.lo, b.lo), higher(a.hi, b.hi)}; }

// A set of lanes, bit l for lane l.
typedef unsigned LaneSet;
constexpr LaneSet LOWER_CHAIN = (1u << CHAIN) - 1;

// The lanes in which a <= b: none where either is NaN.
inline LaneSet at_most(chain a, chain b) {
#if defined(__AVX512F__)
  return _mm512_cmp_pd_mask(reinterpret_cast<__m512d>(a), reinterpret_cast<__m512d>(b), _CMP_LE_OQ);
#elif defined(__AVX__)
  return static_cast<LaneSet>(_mm256_movemask_pd(reinterpret_cast<__m256d>(a <= b)));
#else
  const chaini condition = a <= b;
  LaneSet set = 0;
  for (int l = 0; l < CHAIN; l++)
    set |= static_cast<LaneSet>(condition[l] & 1) << l;
  return set;
#endif
}
inline LaneSet at_most(vec a, vec b) { return at_most(a.lo, b.lo) | at_most(a.hi, b.hi) << CHAIN; }

// `a` in the lanes of the set, `b` elsewhere.
inline chain choose(LaneSet set, chain a, chain b) {
#if defined(__AVX512F__)
  return reinterpret_cast<chain>(
      _mm512_mask_blend_pd(static_cast<__mmask8>(set), reinterpret_cast<__m512d>(b), reinterpret_cast<__m512d>(a)));
#else
  return (((int64_t(set) - chaini{}) & chaini{1, 2, 4, 8}) != 0) ? a : b;
#endif
}
inline vec choose(LaneSet set, vec a, vec b) {
  return {choose(set & LOWER_CHAIN, a.lo, b.lo), choose(set >> CHAIN, a.hi, b.hi)};
}

// An array of vectors, or of the same chain of each: `V` says which, and the first element is given.
template <typename V> class Parts {
public:
  template <typename All> Parts(All *all, int which) : first_(reinterpret_cast<V *>(all) + which) {}
  V &operator[](int i) const { return first_[i * static_cast<int>(sizeof(vec) / sizeof(V))]; }

private:
  V *first_;
};

// The lanes in single precision, or as whole numbers: one register of AVX-512 or AVX.
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

template <typename Short> inline vec widen(const Short &f) {
  __typeof__(f[0] + 0) lanes[LANES];
  __builtin_memcpy(lanes, &f, sizeof f);
  return {load(lanes), load(lanes + CHAIN)};
}

inline LaneSet equal(ints a, ints b) {
#if defined(__AVX512F__)
  return _mm512_cmpeq_epi32_mask(reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b));
#elif defined(__AVX__)
  return static_cast<LaneSet>(_mm256_movemask_ps(reinterpret_cast<__m256>(a == b)));
#else
  LaneSet set = 0;
  for (int l = 0; l < LANES; l++)
    set |= static_cast<LaneSet>(a[l] == b[l]) << l;
  return set;
#endif
}

inline LaneSet equal(floats a, floats b) {
#if defined(__AVX512F__)
  return _mm512_cmp_ps_mask(reinterpret_cast<__m512>(a), reinterpret_cast<__m512>(b), _CMP_EQ_OQ);
#else
  return equal(a == b, ints{} - 1);
#endif
}

inline ints lower(ints a, ints b) { return b < a ? b : a; }
inline ints higher(ints a, ints b) { return b > a ? b : a; }
inline floats lower(floats a, floats b) { return b < a ? b : a; }
inline floats higher(floats a, floats b) { return b > a ? b : a; }

inline ints in_order(ints f, ints order) {
#if defined(__AVX512F__)
  return reinterpret_cast<ints>(
      _mm512_maskz_permutexvar_epi32(0xffff, reinterpret_cast<__m512i>(order), reinterpret_cast<__m512i>(f)));
#elif defined(__AVX2__)
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

} // namespace GOOFSPIEL_VARIANT
