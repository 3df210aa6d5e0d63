// SPDX-License-Identifier: Apache-2.0

// A chain of bitcrushers for one level of x86-64 and one number of vectors that pass through a stage side by side; it
// is included once for each variant.
//
//   LEVEL, LANES, VECTORS, NAME(x)   as in Bitcrusher.h
//   VECTOR                           the type of a vector
//   FMA(a, b, c)                     a * b + c of vectors, as this level does it
//
// The vectors go through each op together: the op's instructions depend on each other in no two vectors.

#define EACH _Pragma("clang loop unroll(full)") for (size_t j = 0; j < VECTORS; j++)

__attribute__((target("arch=" LEVEL), min_vector_width(LANES * 32), noinline)) static void NAME(chain)(
    const float *const *x, float *const *y, size_t channels, size_t frames, size_t stages,
    const struct hand_setting *setting) {
  VECTOR gain = setting->gain - (VECTOR){0}, resolution = setting->resolution - (VECTOR){0};
  VECTOR wet = setting->dryWet - (VECTOR){0}, dry = (1 - setting->dryWet) - (VECTOR){0};
  for (size_t channel = 0; channel < channels; channel++) {
    const float *restrict from = x[channel];
    float *restrict to = y[channel];
    for (size_t frame = 0; frame < frames; frame += VECTORS * LANES) {
      VECTOR s[VECTORS], v[VECTORS], a[VECTORS], p[VECTORS], q[VECTORS];
      EACH s[j] = *(const VECTOR *)(from + frame + j * LANES);
#pragma clang loop unroll(disable)
      for (size_t stage = 0; stage < stages; stage++) {
        EACH v[j] = s[j] * gain;
        EACH a[j] = __builtin_elementwise_abs(v[j]);
        EACH a[j] = a[j] > 8.75628567f ? 8.75628567f - (VECTOR){0} : a[j];
        EACH q[j] = a[j] + 7.51017141f;
        EACH q[j] = FMA(q[j], a[j], 15.122613f - (VECTOR){0});
        EACH q[j] = FMA(q[j], a[j], 94.4420242f - (VECTOR){0});
        EACH p[j] = FMA(-0.166144207f - (VECTOR){0}, a[j], 3.88435936f - (VECTOR){0});
        EACH p[j] = FMA(p[j], a[j], -32.0978508f - (VECTOR){0});
        EACH p[j] = FMA(p[j], a[j], 94.4419785f - (VECTOR){0});
        EACH a[j] = a[j] * (q[j] * q[j]);
        EACH p[j] = FMA(p[j], p[j], a[j]);
        EACH v[j] = __builtin_elementwise_copysign(a[j] / p[j], v[j]);
        EACH v[j] = __builtin_elementwise_roundeven(v[j] * resolution) / resolution;
        EACH s[j] = FMA(v[j], wet, s[j] * dry);
      }
      EACH *(VECTOR *)(to + frame + j * LANES) = s[j];
    }
  }
}

#undef EACH
#undef VECTORS
#undef NAME
