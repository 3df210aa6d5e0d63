// SPDX-License-Identifier: Apache-2.0

// Eight filters of second order in a row, of two channels, for one level of x86-64; it is included once for each,
// behind Loops.h.
//
//     lane    0  1  2 …  7     8  9 … 15        a filter of a channel each
//     step t  x₀ ▷ ▷  …  y₀    x₁ ▷ …  y₁       filter k computes frame t - k * LAG
//
// The filters are Legato's: two integrators by the trapezoidal rule (Sources/Compiler/GraphIR/Functions/StateVariableFilter.swift). With
// LAG steps between them, the step of a filter does not wait for the one before it.
//
// What is late stands in variables of their own: of an array clang makes memory, and each step waits for it.
//
//   LEVEL, MULTIPLY_ADD, NAME(x), TARGET   as in Loops.h
//   MULTIPLY_ADD_LANES(a, b, c)            the same of vectors

#define STEP(first, second, SHOW, KEEP)                                                                         \
  {                                                                                                             \
    lanes x = __builtin_shufflevector(LATEST, LATEST, 0, 0, 1, 2, 3, 4, 5, 6, 8, 8, 9, 10, 11, 12, 13, 14);      \
    x[0] = first, x[8] = second;                                                                                \
    late_2 = late_1, late_1 = late_0;                                                                           \
    lanes rest = MULTIPLY_ADD_LANES(-reach, s1, x) - s2, band = MULTIPLY_ADD_LANES(share, rest, s1);            \
    lanes n1 = MULTIPLY_ADD_LANES(2 * share, rest, s1), n2 = MULTIPLY_ADD_LANES(2 * slope, band, s2);           \
    late_0 = MULTIPLY_ADD_LANES(ofBand, band, MULTIPLY_ADD_LANES(ofLow, s2, direct * x));                       \
    KEEP                                                                                                        \
    SHOW                                                                                                        \
  }

#define ALL s1 = n1, s2 = n2;
#define THOSE_WITHIN                                                                                            \
  lane_numbers frame = (int32_t)t - LAG * filter;                                                               \
  lane_numbers isWithin = (frame >= 0) & (frame < HAND_LOOP_FRAMES);                                            \
  s1 = isWithin ? n1 : s1, s2 = isWithin ? n2 : s2;
#define HEARD y[0][t - 7 * LAG] = late_0[7], y[1][t - 7 * LAG] = late_0[15];

#define EQUALIZER                                                                                               \
  {                                                                                                             \
    (void)channels;                                                                                             \
    const lanes *setting = (const lanes *)state->settings;                                                      \
    lanes reach = setting[0], share = setting[1], slope = setting[2];                                           \
    lanes direct = setting[3], ofBand = setting[4], ofLow = setting[5];                                         \
    lanes *held = (lanes *)state->held, s1 = held[0], s2 = held[1];                                             \
    lanes late_0 = {0}, late_1 = {0}, late_2 = {0};                                                             \
    const lane_numbers filter = {0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7};                               \
    const float *left = x[0], *right = x[1];                                                                    \
    size_t t = 0;                                                                                               \
    for (; t < 7 * LAG; t++) STEP(left[t], right[t], , THOSE_WITHIN)                                            \
    for (; t < HAND_LOOP_FRAMES; t++) STEP(left[t], right[t], HEARD, ALL)                                       \
    for (; t < HAND_LOOP_FRAMES + 7 * LAG; t++) STEP(0, 0, HEARD, THOSE_WITHIN)                                 \
    held[0] = s1, held[1] = s2, (void)late_2;                                                                   \
  }

#define LAG 1
#define LATEST late_0
FUNCTION(equalizer_1) EQUALIZER
#undef LAG
#undef LATEST
#define LAG 2
#define LATEST late_1
FUNCTION(equalizer_2) EQUALIZER
#undef LAG
#undef LATEST
#define LAG 3
#define LATEST late_2
FUNCTION(equalizer_3) EQUALIZER
#undef LAG
#undef LATEST

static const struct hand_loop NAME(equalizer_all)[] = {
    {"filters 1 frame apart", 2, NAME(equalizer_1)},
    {"filters 2 frames apart", 2, NAME(equalizer_2)},
    {"filters 3 frames apart", 2, NAME(equalizer_3)}};

#undef STEP
#undef ALL
#undef THOSE_WITHIN
#undef HEARD
#undef EQUALIZER
