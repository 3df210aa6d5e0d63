// SPDX-License-Identifier: Apache-2.0

#include "HandKernels.h"
#include "Saturation.h"

// A sum takes a product along where MULTIPLY_ADD says so, and nowhere else.
#pragma STDC FP_CONTRACT OFF

#define FUSED(a, b, c) __builtin_fmaf(a, b, c)
#define SEPARATE(a, b, c) ((a) * (b) + (c))

#define ADD(a, b) (a) + (b)
#define SUBTRACT(a, b) (a) - (b)
#define MULTIPLY(a, b) (a) * (b)
#define DIVIDE(a, b) (a) / (b)
#define LESSER(a, b) (a) < (b) ? (a) : (b)
#define GREATER(a, b) (a) > (b) ? (a) : (b)

#define LEVEL "x86-64-v2"
#define LANES 4
#define MULTIPLY_ADD SEPARATE
#define NAME(x) x##_v2
#include "Primitives.h"
#undef LEVEL
#undef LANES
#undef MULTIPLY_ADD

#define LEVEL "x86-64-v3"
#define LANES 8
#define MULTIPLY_ADD FUSED
#define NAME(x) x##_v3
#include "Primitives.h"
#undef LEVEL
#undef LANES
#undef MULTIPLY_ADD

#define LEVEL "x86-64-v4"
#define LANES 16
#define MULTIPLY_ADD FUSED
#define NAME(x) x##_v4
#include "Primitives.h"
#undef LEVEL
#undef LANES
#undef MULTIPLY_ADD

#define LIST(all) (struct hand_primitive_list) { all, sizeof all / sizeof *all }

struct hand_primitive_list hand_primitives(void) {
  if (__builtin_cpu_supports("x86-64-v4")) return LIST(all_v4);
  if (__builtin_cpu_supports("x86-64-v3")) return LIST(all_v3);
  if (__builtin_cpu_supports("x86-64-v2")) return LIST(all_v2);
  return (struct hand_primitive_list){0, 0};
}

void hand_call(const struct hand_call *calls, size_t count, intptr_t frames, size_t times) {
  for (size_t time = 0; time < times; time++) {
    for (size_t index = 0; index < count; index++) {
      const struct hand_call *call = calls + index;
      if (call->primitive) {
        call->primitive(call->a, call->b, call->c, call->y, call->count);
      } else {
        call->entry(call->inputs, call->outputs, call->workspace, call->weights, frames);
        *call->position += frames;
      }
    }
  }
}
