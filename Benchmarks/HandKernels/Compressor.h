// SPDX-License-Identifier: Apache-2.0

// models/compressor.json as it begins, at 48 kHz, for one level of x86-64; it is included once for each, behind
// Loops.h.
//
// Only the level has feedback. In front of it and behind it are rows, with the polynomials of
// Sources/Compiler/LLVMText/Mathematics/Logarithm.swift and Exponential.swift.

// ln(value) of a normal number above 0.
#define LOGARITHM(result, value)                                                                              \
  union { float number; int32_t bits; } number = {value}, fraction;                                           \
  int32_t power = (number.bits - 0x3f3504f3) >> 23;                                                           \
  fraction.bits = number.bits - power * (1 << 23);                                                            \
  float f = fraction.number - 1, e = (float)power, f2 = f * f;                                                \
  float tail = MULTIPLY_ADD(f, -0.076344974f, 0.12761578f);                                                   \
  tail = MULTIPLY_ADD(f, MULTIPLY_ADD(f, MULTIPLY_ADD(f, tail, -0.1316018f), 0.14201757f), -0.16623357f);     \
  tail = MULTIPLY_ADD(f, MULTIPLY_ADD(f, MULTIPLY_ADD(f, tail, 0.20001227f), -0.2500082f), 0.3333333f);       \
  float small = MULTIPLY_ADD(f2, -0.5f, MULTIPLY_ADD(e, -2.12194440e-4f, f * f2 * tail));                     \
  float result = MULTIPLY_ADD(e, 0.693359375f, f + small);

// exp(value) within -87 to 88.
#define EXPONENTIAL(result, value)                                                                            \
  float sum = MULTIPLY_ADD(value, 0x1.715476p0f, 0x1.8p23f), n = sum - 0x1.8p23f;                             \
  float r = MULTIPLY_ADD(n, 2.12194440e-4f, MULTIPLY_ADD(n, -0.693359375f, value));                           \
  float p = MULTIPLY_ADD(r, MULTIPLY_ADD(r, 0.0013814222f, 0.008368899f), 0.041668404f);                      \
  p = MULTIPLY_ADD(r, MULTIPLY_ADD(r, p, 0.1666652f), 0.49999994f);                                           \
  union { int32_t bits; float number; } scale = {((int32_t)n + 127) * (1 << 23)};                             \
  float result = (MULTIPLY_ADD(r * r, p, r) + 1) * scale.number;

FUNCTION(compressor) {
  const float attack = 1 / 240.5f, release = 1 / 5760.5f;
  const float threshold = -18, ratio = 4, knee = 6, decibels = 8.68588964f;
  float level[HAND_LOOP_FRAMES];
  EACH(HAND_LOOP_FRAMES) {
    float left = __builtin_fabsf(x[0][i]), right = __builtin_fabsf(x[1][i]);
    level[i] = left > right ? left : right;
  }
  (void)channels;
  float held = state->last[0];
  _Pragma("clang loop vectorize(disable)") for (size_t i = 0; i < HAND_LOOP_FRAMES; i++) {
    // What rises faster is further: the attack is the quicker of both.
    float way = level[i] - held, up = MULTIPLY_ADD(attack, way, held), down = MULTIPLY_ADD(release, way, held);
    level[i] = held = up > down ? up : down;
  }
  state->last[0] = held;
  EACH(HAND_LOOP_FRAMES) {
    float heard = level[i] > 0.000001f ? level[i] : 0.000001f;
    LOGARITHM(logarithm, heard)
    float over = MULTIPLY_ADD(decibels, logarithm, -threshold), within = over + knee / 2;
    within = within > 0 ? within : 0;
    within = within < knee ? within : knee;
    float beyond = over - knee / 2 > 0 ? over - knee / 2 : 0;
    float reduction = MULTIPLY_ADD(within * within, 1 / (2 * knee), beyond) * (1 - 1 / ratio);
    EXPONENTIAL(gain, reduction * (-1 / decibels))
    level[i] = gain;
  }
  EACH(HAND_LOOP_FRAMES) y[0][i] = x[0][i] * level[i], y[1][i] = x[1][i] * level[i];
}

static const struct hand_loop NAME(compressor_all)[] = {{"level, then rows", 2, NAME(compressor)}};

#undef LOGARITHM
#undef EXPONENTIAL
