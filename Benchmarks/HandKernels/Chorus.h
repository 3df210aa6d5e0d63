// SPDX-License-Identifier: Apache-2.0

// models/chorus.json as it begins, at 48 kHz, for one level of x86-64; it is included once for each, behind Loops.h.
//
// How late the voices are is worked out once for all channels. A sine is that of a turn's nearest quarter and a rest,
// with the polynomials of Sources/Compiler/LLVMText/Mathematics/Quadrant.swift.

// sin(2 pi turns) for 0 <= turns < 2; the sum with 1.5 * 2^23 has no room for a fraction.
#define SINE_OF_TURNS(result, turns)                                                      \
  float shifted = (turns) * 4 + 0x1.8p23f, quarter = shifted - 0x1.8p23f;                  \
  float rest = ((turns) - quarter * 0.25f) * 6.28318531f, square = rest * rest;           \
  float odd = MULTIPLY_ADD(square, -0.00019516806f, 0.008332174f);                        \
  odd = MULTIPLY_ADD(square, odd, -0.16666655f);                                          \
  odd = rest * MULTIPLY_ADD(square, odd, 1);                                              \
  float even = MULTIPLY_ADD(square, 2.4437899e-05f, -0.0013887363f);                      \
  even = MULTIPLY_ADD(square, even, 0.041666646f);                                        \
  even = MULTIPLY_ADD(square, MULTIPLY_ADD(square, even, -0.5f), 1);                      \
  int32_t number = (int32_t)quarter;                                                      \
  float magnitude = number & 1 ? even : odd;                                              \
  float result = number & 2 ? -magnitude : magnitude;

FUNCTION(chorus) {
  const float depth = 2, time = 12, mix = 0.5f, frames_per_ms = 48;
  // 0.6 Hz in 2^-32 of a turn for each frame.
  const uint32_t step = (uint32_t)(0.6f * (float)(0x1p32 / 48000));
  int32_t whole[3][HAND_LOOP_FRAMES];
  float share[3][HAND_LOOP_FRAMES];
  for (size_t voice = 0; voice < 3; voice++) {
    const float ahead = (float)voice / 3;
    uint32_t first = (uint32_t)state->position * step;
    EACH(HAND_LOOP_FRAMES) {
      float turns = (float)(int32_t)((first + (uint32_t)i * step) >> 8) * 0x1p-24f + ahead;
      SINE_OF_TURNS(sway, turns)
      float late = MULTIPLY_ADD(depth, sway, time) * frames_per_ms;
      whole[voice][i] = (int32_t)late;
      share[voice][i] = late - (float)whole[voice][i];
    }
  }
  const uint32_t position = (uint32_t)state->position;
  for (size_t channel = 0; channel < channels; channel++) {
    float *ring = state->ring + channel * HAND_RING, *out = y[channel];
    const float *in = x[channel];
    float wet[HAND_LOOP_FRAMES];
    for (size_t i = 0; i < HAND_LOOP_FRAMES; i++) ring[(position + i) % HAND_RING] = in[i], wet[i] = 0;
    for (size_t voice = 0; voice < 3; voice++) {
      const int32_t *back = whole[voice];
      const float *part = share[voice];
      EACH(HAND_LOOP_FRAMES) {
        uint32_t at = position + (uint32_t)i - (uint32_t)back[i];
        float before = ring[(at + 1) % HAND_RING], a = ring[at % HAND_RING];
        float b = ring[(at - 1) % HAND_RING], behind = ring[(at - 2) % HAND_RING];
        float slope = (b - before) * 0.5f;
        float bend = MULTIPLY_ADD(behind, -0.5f, MULTIPLY_ADD(b, 2, MULTIPLY_ADD(a, -2.5f, before)));
        float turn = MULTIPLY_ADD(behind - before, 0.5f, (a - b) * 1.5f);
        wet[i] += MULTIPLY_ADD(part[i], MULTIPLY_ADD(part[i], MULTIPLY_ADD(part[i], turn, bend), slope), a);
      }
    }
    EACH(HAND_LOOP_FRAMES) out[i] = MULTIPLY_ADD(wet[i], mix / 3, in[i] * (1 - mix));
  }
  state->position += HAND_LOOP_FRAMES;
}

static const struct hand_loop NAME(chorus_all)[] = {{"voices in rows", 0, NAME(chorus)}};

#undef SINE_OF_TURNS
