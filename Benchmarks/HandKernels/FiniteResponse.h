// SPDX-License-Identifier: Apache-2.0

// A filter of many taps for one level of x86-64; it is included once for each, behind Loops.h.
//
// Eight vectors of sums in registers, for each tap a broadcast and eight loads from the past; the earliest frame comes
// first, as in Legato's sums. The past lies in front of the block in the ring; at its end it is moved to the beginning.
//
//   WIDTH   floats in a vector; the rest as in Loops.h and Equalizer.h

typedef float NAME(sums) __attribute__((ext_vector_type(WIDTH), aligned(4)));

#define FINITE_RESPONSE(TAPS)                                                                       \
  FUNCTION(finite_response_##TAPS) {                                                                \
    size_t at = state->position ? state->position : TAPS;                                           \
    if (at + HAND_LOOP_FRAMES > HAND_RING) {                                                        \
      for (size_t c = 0; c < channels; c++)                                                         \
        for (size_t i = 0; i < TAPS; i++)                                                           \
          state->ring[c * HAND_RING + i] = state->ring[c * HAND_RING + at - TAPS + i];              \
      at = TAPS;                                                                                    \
    }                                                                                               \
    for (size_t channel = 0; channel < channels; channel++) {                                       \
      float *present = state->ring + channel * HAND_RING + at;                                      \
      for (size_t i = 0; i < HAND_LOOP_FRAMES; i++) present[i] = x[channel][i];                     \
      for (size_t first = 0; first < HAND_LOOP_FRAMES; first += 8 * WIDTH) {                        \
        NAME(sums) sums[8];                                                                         \
        _Pragma("clang loop unroll(full)") for (size_t v = 0; v < 8; v++) sums[v] = (NAME(sums)){0}; \
        const float *from = present + first - TAPS + 1;                                             \
        for (size_t tap = TAPS; tap-- > 0; from++) {                                                \
          NAME(sums) share = state->settings[tap] - (NAME(sums)){0};                                \
          _Pragma("clang loop unroll(full)") for (size_t v = 0; v < 8; v++) sums[v] =               \
              MULTIPLY_ADD_LANES(share, *(const NAME(sums) *)(from + v * WIDTH), sums[v]);          \
        }                                                                                           \
        _Pragma("clang loop unroll(full)") for (size_t v = 0; v < 8; v++)                           \
            *(NAME(sums) *)(y[channel] + first + v * WIDTH) = sums[v];                              \
      }                                                                                             \
    }                                                                                               \
    state->position = at + HAND_LOOP_FRAMES;                                                        \
  }

FINITE_RESPONSE(256)
FINITE_RESPONSE(1024)

static const struct hand_loop NAME(finite_response_256_all)[] = {
    {"8 vectors of sums", 0, NAME(finite_response_256)}};
static const struct hand_loop NAME(finite_response_1024_all)[] = {
    {"8 vectors of sums", 0, NAME(finite_response_1024)}};

#undef FINITE_RESPONSE
