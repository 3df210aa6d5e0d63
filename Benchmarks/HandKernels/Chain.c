// SPDX-License-Identifier: Apache-2.0

#include "HandKernels.h"

// A sum takes a product along where FMA says so, and nowhere else.
#pragma STDC FP_CONTRACT OFF

// Rows begin where a vector may.
typedef float vector4 __attribute__((ext_vector_type(4)));
typedef float vector8 __attribute__((ext_vector_type(8)));
typedef float vector16 __attribute__((ext_vector_type(16)));

#define FUSED(a, b, c) __builtin_elementwise_fma(a, b, c)
#define SEPARATE(a, b, c) ((a) * (b) + (c))

#define LEVEL "x86-64-v2"
#define LANES 4
#define VECTOR vector4
#define FMA SEPARATE
#define VECTORS 1
#define NAME(x) x##_v2_1
#include "Chain.h"
#define VECTORS 2
#define NAME(x) x##_v2_2
#include "Chain.h"
#define VECTORS 4
#define NAME(x) x##_v2_4
#include "Chain.h"
#undef LEVEL
#undef LANES
#undef VECTOR
#undef FMA

#define LEVEL "x86-64-v3"
#define LANES 8
#define VECTOR vector8
#define FMA FUSED
#define VECTORS 2
#define NAME(x) x##_v3_2
#include "Chain.h"
#define VECTORS 4
#define NAME(x) x##_v3_4
#include "Chain.h"
#define VECTORS 8
#define NAME(x) x##_v3_8
#include "Chain.h"
#undef LEVEL
#undef LANES
#undef VECTOR
#undef FMA

#define LEVEL "x86-64-v4"
#define LANES 16
#define VECTOR vector16
#define FMA FUSED
#define VECTORS 2
#define NAME(x) x##_v4_2
#include "Chain.h"
#define VECTORS 4
#define NAME(x) x##_v4_4
#include "Chain.h"
#define VECTORS 8
#define NAME(x) x##_v4_8
#include "Chain.h"
#undef LEVEL
#undef LANES
#undef VECTOR
#undef FMA

static const struct hand_chain v2[] = {
    {"1 vector a stage", chain_v2_1, 4}, {"2 vectors a stage", chain_v2_2, 8}, {"4 vectors a stage", chain_v2_4, 16}};
static const struct hand_chain v3[] = {
    {"2 vectors a stage", chain_v3_2, 16}, {"4 vectors a stage", chain_v3_4, 32}, {"8 vectors a stage", chain_v3_8, 64}};
static const struct hand_chain v4[] = {
    {"2 vectors a stage", chain_v4_2, 32}, {"4 vectors a stage", chain_v4_4, 64}, {"8 vectors a stage", chain_v4_8, 128}};

struct hand_chain_list hand_chain_all(void) {
  if (__builtin_cpu_supports("x86-64-v4")) return (struct hand_chain_list){v4, sizeof v4 / sizeof *v4};
  if (__builtin_cpu_supports("x86-64-v3")) return (struct hand_chain_list){v3, sizeof v3 / sizeof *v3};
  if (__builtin_cpu_supports("x86-64-v2")) return (struct hand_chain_list){v2, sizeof v2 / sizeof *v2};
  return (struct hand_chain_list){0, 0};
}
