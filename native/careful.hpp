// Numbers with more digits than a double, for the few games that need them.
#pragma once

#include <cfloat>

namespace GOOFSPIEL_VARIANT {

// The sum of two doubles, the second no more than half a unit in the last place of the first: about 32 digits. With
// MSVC and on Apple's ARM, a long double is a double, and has no more digits than that.
struct DoubleDouble {
  double high, low;

  DoubleDouble() = default;
  constexpr DoubleDouble(double a) : high(a), low(0) {}
  explicit operator double() const { return high; }
  constexpr DoubleDouble operator-() const { return {-high, -low}; }

  friend DoubleDouble operator+(DoubleDouble a, DoubleDouble b) {
    const double sum = a.high + b.high, part = sum - a.high;
    return joined(sum, (a.high - (sum - part)) + (b.high - part) + (a.low + b.low));
  }
  friend DoubleDouble operator*(DoubleDouble a, DoubleDouble b) {
    // Compilers may fuse a product with a sum that follows it; this one has to be rounded, for `joined` to be exact.
    volatile double rounded = a.high * b.high;
    const double product = rounded;
    return joined(product, __builtin_fma(a.high, b.high, -product) + (a.high * b.low + a.low * b.high));
  }
  friend DoubleDouble operator/(DoubleDouble a, DoubleDouble b) {
    const double first = a.high / b.high;
    const DoubleDouble left = a - b * first;
    const double second = left.high / b.high;
    return DoubleDouble(first) + second + (left - b * second).high / b.high;
  }
  friend DoubleDouble operator-(DoubleDouble a, DoubleDouble b) { return a + -b; }
  DoubleDouble &operator+=(DoubleDouble a) { return *this = *this + a; }
  DoubleDouble &operator-=(DoubleDouble a) { return *this = *this - a; }
  DoubleDouble &operator*=(DoubleDouble a) { return *this = *this * a; }
  DoubleDouble &operator/=(DoubleDouble a) { return *this = *this / a; }

  friend bool operator<(DoubleDouble a, DoubleDouble b) {
    return a.high < b.high || (a.high == b.high && a.low < b.low);
  }
  friend bool operator>(DoubleDouble a, DoubleDouble b) { return b < a; }
  friend bool operator>=(DoubleDouble a, DoubleDouble b) {
    return a.high > b.high || (a.high == b.high && a.low >= b.low);
  }

private:
  constexpr DoubleDouble(double a, double b) : high(a), low(b) {}
  // The first is larger.
  static DoubleDouble joined(double a, double b) {
    const double sum = a + b;
    return {sum, b - (sum - a)};
  }
};

#if LDBL_MANT_DIG > DBL_MANT_DIG && !defined(GOOFSPIEL_DOUBLE_DOUBLE)
typedef long double Careful;
#else
typedef DoubleDouble Careful;
#endif

inline Careful magnitude(Careful a) { return a < 0 ? -a : a; }

} // namespace GOOFSPIEL_VARIANT
