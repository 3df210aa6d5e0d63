// SPDX-License-Identifier: Apache-2.0

// Loops with feedback, for one level of x86-64; it is included once for each.
//
//   LEVEL, MULTIPLY_ADD, NAME(x)   as in Primitives.h
//   TARGET                         the attributes of a function
//   WIDTH                          floats in a vector register
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

#if WIDTH >= 8
typedef float NAME(row) __attribute__((ext_vector_type(WIDTH), aligned(4)));

#define UNROLLED _Pragma("clang loop unroll(full)") for
#define FOURS(from) (from), (from) + 1, (from) + 2, (from) + 3
#if WIDTH == 16
#define PICK(a, b, p, q, r, s)                                                                               \
  __builtin_shufflevector(                                                                                   \
      a, b, p, q, (r) + 16, (s) + 16, (p) + 4, (q) + 4, (r) + 20, (s) + 20, (p) + 8, (q) + 8, (r) + 24,      \
      (s) + 24, (p) + 12, (q) + 12, (r) + 28, (s) + 28)
#define ZIP(a, b, k)                                                                                         \
  __builtin_shufflevector(                                                                                   \
      a, b, (k), (k) + 16, (k) + 1, (k) + 17, (k) + 4, (k) + 20, (k) + 5, (k) + 21, (k) + 8, (k) + 24,       \
      (k) + 9, (k) + 25, (k) + 12, (k) + 28, (k) + 13, (k) + 29)
#define EVERY_OTHER_FOUR(a, b, from)                                                                         \
  __builtin_shufflevector(a, b, FOURS(from), FOURS((from) + 8), FOURS((from) + 16), FOURS((from) + 24))
#else
#define PICK(a, b, p, q, r, s)                                                                               \
  __builtin_shufflevector(a, b, p, q, (r) + 8, (s) + 8, (p) + 4, (q) + 4, (r) + 12, (s) + 12)
#define ZIP(a, b, k)                                                                                         \
  __builtin_shufflevector(a, b, (k), (k) + 8, (k) + 1, (k) + 9, (k) + 4, (k) + 12, (k) + 5, (k) + 13)
#define EVERY_OTHER_FOUR(a, b, from) __builtin_shufflevector(a, b, FOURS(from), FOURS((from) + 8))
#endif

// Makes columns of the rows of a square in registers.
#define TRANSPOSE(r)                                                                                         \
  UNROLLED(size_t k = 0; k < WIDTH; k += 4) {                                                                 \
    NAME(row) a = ZIP(r[k], r[k + 1], 0), b = ZIP(r[k], r[k + 1], 2);                                         \
    NAME(row) c = ZIP(r[k + 2], r[k + 3], 0), d = ZIP(r[k + 2], r[k + 3], 2);                                 \
    r[k] = PICK(a, c, 0, 1, 0, 1), r[k + 1] = PICK(a, c, 2, 3, 2, 3);                                         \
    r[k + 2] = PICK(b, d, 0, 1, 0, 1), r[k + 3] = PICK(b, d, 2, 3, 2, 3);                                     \
  }                                                                                                          \
  UNROLLED(size_t far = 4; far < WIDTH; far *= 2)                                                             \
  UNROLLED(size_t k = 0; k < WIDTH; k++) if (!(k & far)) {                                                    \
    NAME(row) a = EVERY_OTHER_FOUR(r[k], r[k + far], 0), b = EVERY_OTHER_FOUR(r[k], r[k + far], 4);           \
    r[k] = a, r[k + far] = b;                                                                                \
  }

// A channel in each lane, with frames turned into lanes and back in registers.
FUNCTION(one_pole_in_lanes) {
  for (size_t c = 0; c < channels; c += WIDTH) {
    NAME(row) last = *(NAME(row) *)(state->last + c), r[WIDTH];
    for (size_t i = 0; i < HAND_LOOP_FRAMES; i += WIDTH) {
      UNROLLED(size_t k = 0; k < WIDTH; k++) r[k] = *(const NAME(row) *)(x[c + k] + i) * 0.1f;
      TRANSPOSE(r)
      UNROLLED(size_t k = 0; k < WIDTH; k++) r[k] = last = MULTIPLY_ADD_LANES(last, (NAME(row))0.9f, r[k]);
      TRANSPOSE(r)
      UNROLLED(size_t k = 0; k < WIDTH; k++) *(NAME(row) *)(y[c + k] + i) = r[k];
    }
    *(NAME(row) *)(state->last + c) = last;
  }
}

#undef UNROLLED
#undef FOURS
#undef PICK
#undef ZIP
#undef EVERY_OTHER_FOUR
#undef TRANSPOSE
#endif

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
#if WIDTH >= 8
    {"channels in lanes", 16, NAME(one_pole_in_lanes)},
#endif
    {"channels side by side", 2, NAME(one_pole_2)}, {"channels side by side", 16, NAME(one_pole_16)}};
static const struct hand_loop NAME(echo_all)[] = {{"tape, loop and rest apart", 2, NAME(echo)}};

#undef PIECES
#undef ONE_POLE
