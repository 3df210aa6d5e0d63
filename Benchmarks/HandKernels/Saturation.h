// SPDX-License-Identifier: Apache-2.0

// The polynomials of Sources/Compiler/LLVMText/Mathematics/HyperbolicTangent.swift, for one float of a loop that clang
// vectorises. MULTIPLY_ADD(a, b, c) is a * b + c as the level of x86-64 does it.
#define SATURATED(result, value)                                     \
  float v = (value), a = __builtin_fabsf(v);                         \
  a = 8.75628567f < a ? 8.75628567f : a;                             \
  float q = a + 7.51017141f;                                         \
  q = MULTIPLY_ADD(q, a, 15.122613f);                                \
  q = MULTIPLY_ADD(q, a, 94.4420242f);                               \
  float p = MULTIPLY_ADD(-0.166144207f, a, 3.88435936f);             \
  p = MULTIPLY_ADD(p, a, -32.0978508f);                              \
  p = MULTIPLY_ADD(p, a, 94.4419785f);                               \
  float n = a * (q * q);                                             \
  float result = __builtin_copysignf(n / MULTIPLY_ADD(p, p, n), v);

// The same of all lanes of a vector.
#define SATURATED_LANES(type, result, value)                         \
  type v = (value), a = __builtin_elementwise_abs(v);                \
  a = 8.75628567f < a ? (type)8.75628567f : a;                       \
  type q = a + 7.51017141f;                                          \
  q = MULTIPLY_ADD(q, a, (type)15.122613f);                          \
  q = MULTIPLY_ADD(q, a, (type)94.4420242f);                         \
  type p = MULTIPLY_ADD((type)(-0.166144207f), a, (type)3.88435936f); \
  p = MULTIPLY_ADD(p, a, (type)(-32.0978508f));                     \
  p = MULTIPLY_ADD(p, a, (type)94.4419785f);                         \
  type n = a * (q * q);                                              \
  type result = __builtin_elementwise_copysign(n / MULTIPLY_ADD(p, p, n), v);
