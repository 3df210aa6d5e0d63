// SPDX-License-Identifier: Apache-2.0

#include "HandKernels.h"
#include "Saturation.h"

// A sum takes a product along where MULTIPLY_ADD says so, and nowhere else.
#pragma STDC FP_CONTRACT OFF

#define FUSED(a, b, c) __builtin_fmaf(a, b, c)
#define FUSED_LANES(a, b, c) __builtin_elementwise_fma(a, b, c)
#define SEPARATE(a, b, c) ((a) * (b) + (c))

// Narrower machines split it.
typedef float lanes __attribute__((ext_vector_type(16)));
typedef int32_t lane_numbers __attribute__((ext_vector_type(16)));

#define TARGET __attribute__((target("arch=x86-64-v4"), min_vector_width(512), noinline))
#define MULTIPLY_ADD FUSED
#define MULTIPLY_ADD_LANES FUSED_LANES
#define NAME(x) x##_v4
#define WIDTH 16
#include "Loops.h"
#include "Equalizer.h"
#include "GlidingEqualizer.h"
#include "FiniteResponse.h"
#include "Chorus.h"
#include "Compressor.h"
#include "Hold.h"
#undef TARGET
#undef NAME
#undef FUNCTION
#undef EACH
#undef WIDTH

#define TARGET __attribute__((target("arch=x86-64-v3"), min_vector_width(256), noinline))
#define NAME(x) x##_v3
#define WIDTH 8
#include "Loops.h"
#include "Equalizer.h"
#include "GlidingEqualizer.h"
#include "FiniteResponse.h"
#include "Chorus.h"
#include "Compressor.h"
#include "Hold.h"
#undef TARGET
#undef NAME
#undef FUNCTION
#undef EACH
#undef WIDTH
#undef MULTIPLY_ADD
#undef MULTIPLY_ADD_LANES

#define TARGET __attribute__((noinline))
#define MULTIPLY_ADD SEPARATE
#define MULTIPLY_ADD_LANES SEPARATE
#define NAME(x) x##_v1
#define WIDTH 4
#include "Loops.h"
#include "Equalizer.h"
#include "GlidingEqualizer.h"
#include "FiniteResponse.h"
#include "Chorus.h"
#include "Compressor.h"
#include "Hold.h"

#define LIST(all) (struct hand_loop_list){all, sizeof all / sizeof *all}
#define BEST(kind) (hand_has(HAND_V4) ? LIST(kind##_v4) : hand_has(HAND_V3) ? LIST(kind##_v3) : LIST(kind##_v1))

struct hand_loop_list hand_loops(enum hand_loop_kind kind) {
  switch (kind) {
  case HAND_FEEDBACK: return BEST(feedback_all);
  case HAND_ONE_POLE: return BEST(one_pole_all);
  case HAND_ECHO: return BEST(echo_all);
  case HAND_EQUALIZER: return BEST(equalizer_all);
  case HAND_GLIDING_EQUALIZER: return BEST(gliding_equalizer_all);
  case HAND_FINITE_RESPONSE_256: return BEST(finite_response_256_all);
  case HAND_FINITE_RESPONSE_1024: return BEST(finite_response_1024_all);
  case HAND_CHORUS: return BEST(chorus_all);
  case HAND_COMPRESSOR: return BEST(compressor_all);
  case HAND_HOLD: return BEST(hold_all);
  }
}
