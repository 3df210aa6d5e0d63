// SPDX-License-Identifier: Apache-2.0

#include "Convolution.h"
#include "Saturation.h"

// A sum takes a product along where MULTIPLY_ADD says so, and nowhere else.
#pragma STDC FP_CONTRACT OFF

#define FUSED(a, b, c) __builtin_elementwise_fma(a, b, c)
#define SEPARATE(a, b, c) ((a) * (b) + (c))

#define LEVEL "x86-64-v4"
#define LANES 16
#define MULTIPLY_ADD FUSED
#define ROWS 4
#define VECTORS 4
#define NAME(x) x##_v4_4x4
#include "ConvolutionTile.h"
#define ROWS 8
#define VECTORS 2
#define NAME(x) x##_v4_8x2
#include "ConvolutionTile.h"
#define ROWS 2
#define VECTORS 8
#define NAME(x) x##_v4_2x8
#include "ConvolutionTile.h"
#undef LEVEL
#undef LANES
#undef MULTIPLY_ADD

#define LEVEL "x86-64-v3"
#define LANES 8
#define MULTIPLY_ADD FUSED
#define ROWS 4
#define VECTORS 2
#define NAME(x) x##_v3_4x2
#include "ConvolutionTile.h"
#define ROWS 2
#define VECTORS 4
#define NAME(x) x##_v3_2x4
#include "ConvolutionTile.h"
#define ROWS 8
#define VECTORS 1
#define NAME(x) x##_v3_8x1
#include "ConvolutionTile.h"
#undef LEVEL
#undef LANES
#undef MULTIPLY_ADD

#define LEVEL "x86-64"
#define LANES 4
#define MULTIPLY_ADD SEPARATE
#define ROWS 4
#define VECTORS 2
#define NAME(x) x##_v1_4x2
#include "ConvolutionTile.h"
#define ROWS 2
#define VECTORS 4
#define NAME(x) x##_v1_2x4
#include "ConvolutionTile.h"
#define ROWS 8
#define VECTORS 1
#define NAME(x) x##_v1_8x1
#include "ConvolutionTile.h"
#undef LEVEL
#undef LANES
#undef MULTIPLY_ADD

static const struct hand_convolution v4[] = {
    {"x86-64-v4, 4 x 4", 4, convolve_v4_4x4, stack_v4_4x4},
    {"x86-64-v4, 8 x 2", 8, convolve_v4_8x2, stack_v4_8x2},
    {"x86-64-v4, 2 x 8", 2, convolve_v4_2x8, stack_v4_2x8},
};

static const struct hand_convolution v3[] = {
    {"x86-64-v3, 4 x 2", 4, convolve_v3_4x2, stack_v3_4x2},
    {"x86-64-v3, 2 x 4", 2, convolve_v3_2x4, stack_v3_2x4},
    {"x86-64-v3, 8 x 1", 8, convolve_v3_8x1, stack_v3_8x1},
};

static const struct hand_convolution v1[] = {
    {"x86-64, 4 x 2", 4, convolve_v1_4x2, stack_v1_4x2},
    {"x86-64, 2 x 4", 2, convolve_v1_2x4, stack_v1_2x4},
    {"x86-64, 8 x 1", 8, convolve_v1_8x1, stack_v1_8x1},
};

int hand_has(enum hand_level level) {
  switch (level) {
  case HAND_V4: return __builtin_cpu_supports("x86-64-v4") != 0;
  case HAND_V3: return __builtin_cpu_supports("x86-64-v3") != 0;
  case HAND_BASELINE: return 1;
  }
}

size_t hand_convolution_count(enum hand_level level) {
  switch (level) {
  case HAND_V4: return sizeof v4 / sizeof *v4;
  case HAND_V3: return sizeof v3 / sizeof *v3;
  case HAND_BASELINE: return sizeof v1 / sizeof *v1;
  }
}

struct hand_convolution hand_convolution_at(enum hand_level level, size_t index) {
  switch (level) {
  case HAND_V4: return v4[index];
  case HAND_V3: return v3[index];
  case HAND_BASELINE: return v1[index];
  }
}
