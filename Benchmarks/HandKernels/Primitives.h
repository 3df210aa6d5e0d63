// SPDX-License-Identifier: Apache-2.0

// A library of primitives for one level of x86-64: one op each, over whole rows. It is included once for each level.
//
//   LEVEL, LANES, MULTIPLY_ADD, NAME(x)   as in Bitcrusher.h
//
// A function's name says what its operands are: v is a row, s one number.

#define PRIMITIVE(name, formula)                                                                  \
  __attribute__((target("arch=" LEVEL), min_vector_width(LANES * 32), noinline)) static void NAME( \
      name)(const float *restrict a, const float *restrict b, const float *restrict c, float *restrict y, size_t count) { \
    float as = *a, bs = *b, cs = *c;                                                              \
    (void)as, (void)bs, (void)cs;                                                                 \
    _Pragma("clang loop vectorize(enable) vectorize_width(LANES) interleave_count(4)")            \
    for (size_t i = 0; i < count; i++) { formula }                                                \
  }

#define TWO(name, f)                       \
  PRIMITIVE(name##_vv, y[i] = f(a[i], b[i]);) \
  PRIMITIVE(name##_vs, y[i] = f(a[i], bs);)   \
  PRIMITIVE(name##_sv, y[i] = f(as, b[i]);)

TWO(add, ADD)
TWO(subtract, SUBTRACT)
TWO(multiply, MULTIPLY)
TWO(divide, DIVIDE)
TWO(min, LESSER)
TWO(max, GREATER)
PRIMITIVE(fma_vvv, y[i] = MULTIPLY_ADD(a[i], b[i], c[i]);)
PRIMITIVE(fma_vvs, y[i] = MULTIPLY_ADD(a[i], b[i], cs);)
PRIMITIVE(fma_vsv, y[i] = MULTIPLY_ADD(a[i], bs, c[i]);)
PRIMITIVE(fma_vss, y[i] = MULTIPLY_ADD(a[i], bs, cs);)
PRIMITIVE(fma_svv, y[i] = MULTIPLY_ADD(as, b[i], c[i]);)
PRIMITIVE(fma_svs, y[i] = MULTIPLY_ADD(as, b[i], cs);)
PRIMITIVE(abs_v, y[i] = __builtin_fabsf(a[i]);)
PRIMITIVE(round_v, y[i] = __builtin_roundevenf(a[i]);)
PRIMITIVE(copy_v, y[i] = a[i];)
PRIMITIVE(tanh_v, SATURATED(saturated, a[i]) y[i] = saturated;)

#define PAIR(name) {#name, NAME(name)}
#define TRIO(name) PAIR(name##_vv), PAIR(name##_vs), PAIR(name##_sv)

static const struct hand_primitive NAME(all)[] = {
    TRIO(add), TRIO(subtract), TRIO(multiply), TRIO(divide), TRIO(min), TRIO(max),
    PAIR(fma_vvv), PAIR(fma_vvs), PAIR(fma_vsv), PAIR(fma_vss), PAIR(fma_svv), PAIR(fma_svs),
    PAIR(abs_v), PAIR(round_v), PAIR(copy_v), PAIR(tanh_v)};

#undef PRIMITIVE
#undef TWO
#undef PAIR
#undef TRIO
#undef NAME
