// SPDX-License-Identifier: Apache-2.0

#include "HandKernels.h"
#include "Saturation.h"

// A sum takes a product along where MULTIPLY_ADD says so, and nowhere else.
#pragma STDC FP_CONTRACT OFF

#define FUSED(a, b, c) __builtin_fmaf(a, b, c)
#define SEPARATE(a, b, c) ((a) * (b) + (c))

#define LEVEL "x86-64-v2"
#define LANES 4
#define MULTIPLY_ADD SEPARATE
#define VECTORS 1
#define NAME(x) x##_v2_1
#include "Bitcrusher.h"
#define VECTORS 2
#define NAME(x) x##_v2_2
#include "Bitcrusher.h"
#define VECTORS 4
#define NAME(x) x##_v2_4
#include "Bitcrusher.h"
#undef LEVEL
#undef LANES
#undef MULTIPLY_ADD

#define LEVEL "x86-64-v3"
#define LANES 8
#define MULTIPLY_ADD FUSED
#define VECTORS 1
#define NAME(x) x##_v3_1
#include "Bitcrusher.h"
#define VECTORS 2
#define NAME(x) x##_v3_2
#include "Bitcrusher.h"
#define VECTORS 4
#define NAME(x) x##_v3_4
#include "Bitcrusher.h"
#undef LEVEL
#undef LANES
#undef MULTIPLY_ADD

#define LEVEL "x86-64-v4"
#define LANES 16
#define MULTIPLY_ADD FUSED
#define VECTORS 1
#define NAME(x) x##_v4_1
#include "Bitcrusher.h"
#define VECTORS 2
#define NAME(x) x##_v4_2
#include "Bitcrusher.h"
#define VECTORS 4
#define NAME(x) x##_v4_4
#include "Bitcrusher.h"
#define VECTORS 8
#define NAME(x) x##_v4_8
#include "Bitcrusher.h"
#undef LEVEL
#undef LANES
#undef MULTIPLY_ADD

static const struct hand_variant v2[] = {
    {"x86-64-v2, 1 vector a round", settled_v2_1, moving_v2_1},
    {"x86-64-v2, 2 vectors a round", settled_v2_2, moving_v2_2},
    {"x86-64-v2, 4 vectors a round", settled_v2_4, moving_v2_4},
};

static const struct hand_variant v3[] = {
    {"x86-64-v3, 1 vector a round", settled_v3_1, moving_v3_1},
    {"x86-64-v3, 2 vectors a round", settled_v3_2, moving_v3_2},
    {"x86-64-v3, 4 vectors a round", settled_v3_4, moving_v3_4},
};

static const struct hand_variant v4[] = {
    {"x86-64-v4, 1 vector a round", settled_v4_1, moving_v4_1},
    {"x86-64-v4, 2 vectors a round", settled_v4_2, moving_v4_2},
    {"x86-64-v4, 4 vectors a round", settled_v4_4, moving_v4_4},
    {"x86-64-v4, 8 vectors a round", settled_v4_8, moving_v4_8},
};

struct hand_variants {
  const struct hand_variant *first;
  size_t count;
};

static struct hand_variants variants(void) {
  if (__builtin_cpu_supports("x86-64-v4")) return (struct hand_variants){v4, sizeof v4 / sizeof *v4};
  if (__builtin_cpu_supports("x86-64-v3")) return (struct hand_variants){v3, sizeof v3 / sizeof *v3};
  if (__builtin_cpu_supports("x86-64-v2")) return (struct hand_variants){v2, sizeof v2 / sizeof *v2};
  return (struct hand_variants){0, 0};
}

size_t hand_variant_count(void) { return variants().count; }

struct hand_variant hand_variant_at(size_t index) { return variants().first[index]; }
