// SPDX-License-Identifier: Apache-2.0

#include "Convolution.h"

#pragma STDC FP_CONTRACT OFF

// The rounds of one level: CHAINS sums of vectors, each of which takes the next term when it has taken the last.
#define DEFINE(NAME, LEVEL, LANES, CHAINS, STEP)                                                                  \
  __attribute__((target("arch=" LEVEL), min_vector_width(LANES * 32), noinline)) static float NAME(size_t rounds) { \
    typedef float V __attribute__((ext_vector_type(LANES)));                                                      \
    V sums[CHAINS], products[CHAINS];                                                                             \
    V factor = 0.999f, term = 0.001f;                                                                             \
    _Pragma("clang loop unroll(full)") for (int i = 0; i < CHAINS; i++) sums[i] = products[i] = (V)(float)(i + 1); \
    _Pragma("clang loop unroll_count(4)") for (size_t round = 0; round < rounds; round++) {                       \
      _Pragma("clang loop unroll(full)") for (int i = 0; i < CHAINS; i++) { STEP; }                               \
    }                                                                                                             \
    float result = 0;                                                                                             \
    _Pragma("clang loop unroll(full)") for (int i = 0; i < CHAINS; i++) result += sums[i][0] + products[i][0];    \
    return result;                                                                                                \
  }

#define FUSED sums[i] = __builtin_elementwise_fma(sums[i], factor, term)
// Where the two are instructions of their own, a product need not wait for a sum.
#define SEPARATE products[i] *= factor, sums[i] += term

DEFINE(fused_v4, "x86-64-v4", 16, 24, FUSED)
DEFINE(fused_v3, "x86-64-v3", 8, 12, FUSED)
DEFINE(separate_v1, "x86-64", 4, 7, SEPARATE)

size_t hand_multiply_adds(enum hand_level level) {
  switch (level) {
  case HAND_V4: return 16 * 24;
  case HAND_V3: return 8 * 12;
  case HAND_BASELINE: return 4 * 7;
  }
}

float hand_multiply_add(enum hand_level level, size_t rounds) {
  switch (level) {
  case HAND_V4: return fused_v4(rounds);
  case HAND_V3: return fused_v3(rounds);
  case HAND_BASELINE: return separate_v1(rounds);
  }
}
