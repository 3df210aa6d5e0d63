// SPDX-License-Identifier: Apache-2.0

// What hears itself, for one level of x86-64; it is included once for each.
//
//   LEVEL, MULTIPLY_ADD, NAME(x)   as in Primitives.h
//   TARGET                         the attributes of a function
//
// FUNCTION(name) and EACH(count) stay for what is written in other files.

#define FUNCTION(name)                                                                                        \
  TARGET static void NAME(name)(                                                                              \
      struct hand_loop_state *state, const float *const *x, float *const *y, size_t channels)

// Calls RUN(to, from, done, count) for pieces of a block in which neither end of a channel's delay wraps.
#define PIECES(delay, RUN)                                                                                    \
  for (size_t done = 0, count; done < HAND_LOOP_FRAMES; done += count) {                                       \
    size_t to = (state->position + done) % HAND_RING, from = (state->position + done - (delay)) % HAND_RING;   \
    count = HAND_LOOP_FRAMES - done;                                                                           \
    if (count > HAND_RING - to) count = HAND_RING - to;                                                        \
    if (count > HAND_RING - from) count = HAND_RING - from;                                                    \
    RUN                                                                                                        \
  }

#define EACH(count) _Pragma("clang loop vectorize(assume_safety) interleave_count(4)") for (size_t i = 0; i < count; i++)

FUNCTION(feedback) {
  for (size_t channel = 0; channel < channels; channel++) {
    float *ring = state->ring + channel * HAND_RING;
    const float *in = x[channel];
    float *out = y[channel];
    PIECES(12000, {
      EACH(count) out[done + i] = ring[to + i] = MULTIPLY_ADD(ring[from + i], 0.5f, in[done + i]);
    })
  }
  state->position += HAND_LOOP_FRAMES;
}

// Channels side by side: each waits for itself only.
#define ONE_POLE(COUNT)                                                                            \
  FUNCTION(one_pole_##COUNT) {                                                                     \
    float last[COUNT], scaled[COUNT][HAND_LOOP_FRAMES];                                            \
    for (size_t c = 0; c < COUNT; c++) {                                                           \
      last[c] = state->last[c];                                                                    \
      EACH(HAND_LOOP_FRAMES) scaled[c][i] = x[c][i] * 0.1f;                                        \
    }                                                                                              \
    _Pragma("clang loop vectorize(disable)") for (size_t i = 0; i < HAND_LOOP_FRAMES; i++)          \
        _Pragma("clang loop unroll(full)") for (size_t c = 0; c < COUNT; c++) y[c][i] = last[c] =  \
        MULTIPLY_ADD(last[c], 0.9f, scaled[c][i]);                                                 \
    for (size_t c = 0; c < COUNT; c++) state->last[c] = last[c];                                   \
  }

ONE_POLE(2)
ONE_POLE(16)

FUNCTION(echo) {
  const float feedback = 0.45f, wear = 0.4f, fresh = 1 - wear, mix = 0.35f;
  float worn[2][HAND_LOOP_FRAMES];
  for (size_t channel = 0; channel < 2; channel++) {
    const float *ring = state->ring + channel * HAND_RING;
    PIECES(18000, { EACH(count) worn[channel][done + i] = ring[from + i] * fresh; (void)to; })
  }
  float left = state->last[0], right = state->last[1];
  _Pragma("clang loop vectorize(disable)") for (size_t i = 0; i < HAND_LOOP_FRAMES; i++) {
    worn[0][i] = left = MULTIPLY_ADD(wear, left, worn[0][i]);
    worn[1][i] = right = MULTIPLY_ADD(wear, right, worn[1][i]);
  }
  state->last[0] = left, state->last[1] = right;
  for (size_t channel = 0; channel < 2; channel++) {
    float *ring = state->ring + channel * HAND_RING;
    const float *in = x[channel], *heard = worn[channel];
    float *out = y[channel];
    PIECES(18000, {
      (void)from;
      EACH(count) {
        SATURATED(bent, heard[done + i])
        ring[to + i] = MULTIPLY_ADD(feedback, bent, in[done + i]);
        out[done + i] = MULTIPLY_ADD(mix, heard[done + i], in[done + i]);
      }
    })
  }
  state->position += HAND_LOOP_FRAMES;
}

static const struct hand_loop NAME(feedback_all)[] = {{"rows in pieces", 0, NAME(feedback)}};
static const struct hand_loop NAME(one_pole_all)[] = {
    {"channels side by side", 2, NAME(one_pole_2)}, {"channels side by side", 16, NAME(one_pole_16)}};
static const struct hand_loop NAME(echo_all)[] = {{"tape, loop and rest apart", 2, NAME(echo)}};

#undef PIECES
#undef ONE_POLE
