// Costs are integers in units of 2^-16 nat, so that sums do not depend on their order, on the number of threads or on
// the width of the vector unit. The logarithm uses only IEEE additions, multiplications and divisions (no libm, no
// fused multiply-add), so that it too has the same bits everywhere; kernels/fixed.py is the same function in NumPy.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#ifndef CRISP_ISA
#define CRISP_ISA portable
#endif

namespace crisp {

using std::int32_t;
using std::int64_t;
using std::uint16_t;
using std::uint32_t;
using std::uint64_t;
using std::uint8_t;

constexpr double unit = 65536.0;
constexpr int32_t far = 1 << 30;         // the cost of a word in a topic that lacks it: never reached by a finite cost
constexpr uint16_t no_topic = 65535;     // the topic of a word that no topic has ever seen
constexpr int64_t table_size = 1 << 16;  // counts below this have their logarithms in a table

}  // namespace crisp

namespace crisp::CRISP_ISA {

inline double natural_log(double x) {
    uint64_t bits;
    std::memcpy(&bits, &x, sizeof bits);
    auto exponent = static_cast<int>(bits >> 52) - 1022;
    bits = (bits & 0x000fffffffffffffULL) | 0x3fe0000000000000ULL;
    double m;
    std::memcpy(&m, &bits, sizeof m);  // x = m * 2^exponent, m in [0.5, 1)
    if (m < 0.70710678118654752) {
        m += m;
        exponent -= 1;
    }
    const double s = (m - 1.0) / (m + 1.0), z = s * s;
    double p = 1.0 / 23.0;  // log m = 2 (s + s^3/3 + s^5/5 + ...), |s| < 0.172
    p = p * z + 1.0 / 21.0;
    p = p * z + 1.0 / 19.0;
    p = p * z + 1.0 / 17.0;
    p = p * z + 1.0 / 15.0;
    p = p * z + 1.0 / 13.0;
    p = p * z + 1.0 / 11.0;
    p = p * z + 1.0 / 9.0;
    p = p * z + 1.0 / 7.0;
    p = p * z + 1.0 / 5.0;
    p = p * z + 1.0 / 3.0;
    p = p * z + 1.0;
    return 2.0 * s * p + exponent * 0.69314718055994531;
}

inline int32_t fixed_log(double x) {
    return static_cast<int32_t>(std::llrint(natural_log(x) * unit));
}

inline int64_t fixed_xlogx(int64_t n) {
    if (n < 2) return 0;
    const auto x = static_cast<double>(n);
    return std::llrint(x * natural_log(x) * unit);
}

}  // namespace crisp::CRISP_ISA
