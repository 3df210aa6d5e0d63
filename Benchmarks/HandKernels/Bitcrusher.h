// SPDX-License-Identifier: Apache-2.0

// The bitcrusher for one level of x86-64 and one number of vectors a round; it is included once for each variant.
//
//   LEVEL              the level, as clang's attribute names it
//   LANES              floats in a vector
//   VECTORS            vectors that a round of the loop computes side by side
//   MULTIPLY_ADD       a * b + c as this level does it
//   NAME(x)            the name of this variant's function x

__attribute__((target("arch=" LEVEL), min_vector_width(LANES * 32), noinline)) static void NAME(settled)(
    const float *restrict x, float *restrict y, size_t frames, float gain, float resolution, float dryWet) {
  float dry = 1 - dryWet;
#pragma clang loop vectorize(enable) vectorize_width(LANES) interleave_count(VECTORS)
  for (size_t i = 0; i < frames; i++) {
    SATURATED(driven, x[i] * gain)
    float quantized = __builtin_roundevenf(driven * resolution) / resolution;
    y[i] = MULTIPLY_ADD(quantized, dryWet, x[i] * dry);
  }
}

__attribute__((target("arch=" LEVEL), min_vector_width(LANES * 32), noinline)) static void NAME(moving)(
    const float *restrict x, float *restrict y, size_t frames, int32_t elapsed, const struct hand_ramp *gain,
    const struct hand_ramp *resolution, const struct hand_ramp *dryWet) {
  struct hand_ramp g = *gain, r = *resolution, d = *dryWet;
  int32_t count = (int32_t)frames;
#pragma clang loop vectorize(enable) vectorize_width(LANES) interleave_count(VECTORS)
  for (int32_t i = 0; i < count; i++) {
    float frame = (float)(elapsed + 1 + i);
    float drive = MULTIPLY_ADD(frame, g.step, g.start);
    float steps = MULTIPLY_ADD(frame, r.step, r.start);
    float wet = MULTIPLY_ADD(frame, d.step, d.start);
    SATURATED(driven, x[i] * drive)
    float quantized = __builtin_roundevenf(driven * steps) / steps;
    y[i] = MULTIPLY_ADD(quantized, wet, x[i] * (1 - wet));
  }
}

#undef VECTORS
#undef NAME
