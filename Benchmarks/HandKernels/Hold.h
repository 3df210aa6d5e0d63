// SPDX-License-Identifier: Apache-2.0

// models/bitcrusher.json at 48 kHz, for one level of x86-64; it is included once for each, behind Loops.h.
//
// Settings: rate, resolution, saturationGain, dryWet. Which lane each one takes its number from is found once for all
// channels: the last one before it that is due. Where every frame is due, nothing is held.

typedef float NAME(numbers) __attribute__((ext_vector_type(WIDTH), aligned(4)));
typedef int32_t NAME(lane_of) __attribute__((ext_vector_type(WIDTH), aligned(4)));

#define LATER(distance, ...) lane = __builtin_elementwise_max(lane, __builtin_shufflevector(none, lane, __VA_ARGS__));
#if WIDTH == 16
#define LAST_DUE                                                                 \
  LATER(1, 0, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30)        \
  LATER(2, 0, 1, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29)         \
  LATER(4, 0, 1, 2, 3, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27)           \
  LATER(8, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23)
#define TAKEN(from, lane) (NAME(numbers)) __builtin_ia32_permvarsf512(from, lane & (WIDTH - 1))
#elif WIDTH == 8
#define LAST_DUE                       \
  LATER(1, 0, 8, 9, 10, 11, 12, 13, 14) \
  LATER(2, 0, 1, 8, 9, 10, 11, 12, 13)  \
  LATER(4, 0, 1, 2, 3, 8, 9, 10, 11)
#define TAKEN(from, lane) (NAME(numbers)) __builtin_ia32_permvarsf256(from, lane & (WIDTH - 1))
#else
#define LAST_DUE LATER(1, 0, 4, 5, 6) LATER(2, 0, 1, 4, 5)
#define TAKEN(from, lane) \
  ((NAME(numbers)){from[lane[0] & 3], from[lane[1] & 3], from[lane[2] & 3], from[lane[3] & 3]})
#endif

FUNCTION(hold) {
  const float *settings = state->settings, rate = settings[0], resolution = settings[1], gain = settings[2];
  const float wet = settings[3], dry = 1 - wet;
  const uint32_t step = (uint32_t)((rate < 24000 ? rate : 24000) * (float)(0x1p32 / 48000));
  const uint32_t first = (uint32_t)state->position * step;
  float held[HAND_LOOP_CHANNELS][HAND_LOOP_FRAMES];
  if (rate * 2 < 48000) {
    int32_t due[HAND_LOOP_FRAMES];
    EACH(HAND_LOOP_FRAMES) {
      float turns = (float)(int32_t)((first + (uint32_t)i * step) >> 8) * 0x1p-24f, left = 1 - turns;
      due[i] = (turns < left ? turns : left) * 96000 < rate ? (int32_t)(i % WIDTH) : -1;
    }
    for (size_t i = 0; i < HAND_LOOP_FRAMES; i += WIDTH) {
      NAME(lane_of) lane = *(NAME(lane_of) *)(due + i), none = -1;
      LAST_DUE
      for (size_t c = 0; c < channels; c++) {
        NAME(numbers) row = *(const NAME(numbers) *)(x[c] + i), before = state->last[c];
        row = lane < 0 ? before : TAKEN(row, lane);
        *(NAME(numbers) *)(held[c] + i) = row;
        state->last[c] = row[WIDTH - 1];
      }
    }
  }
  for (size_t c = 0; c < channels; c++) {
    const float *in = x[c], *taken = rate * 2 < 48000 ? held[c] : in;
    float *out = y[c];
    EACH(HAND_LOOP_FRAMES) {
      SATURATED(driven, taken[i] * gain)
      out[i] = MULTIPLY_ADD(__builtin_roundevenf(driven * resolution) / resolution, wet, in[i] * dry);
    }
    if (rate * 2 >= 48000) state->last[c] = in[HAND_LOOP_FRAMES - 1];
  }
  state->position += HAND_LOOP_FRAMES;
}

static const struct hand_loop NAME(hold_all)[] = {{"lanes, then rows", 0, NAME(hold)}};

#undef LATER
#undef LAST_DUE
#undef TAKEN
