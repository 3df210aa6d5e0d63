// SPDX-License-Identifier: Apache-2.0

// Convolutions for one level of x86-64 and one tile of sums; it is included once for each variant.
//
//   LEVEL              the level, as clang's attribute names it
//   LANES              floats in a vector
//   ROWS, VECTORS      the tile: output channels, and vectors of frames
//   MULTIPLY_ADD       a * b + c of vectors as this level does it
//   NAME(x)            the name of this variant's function x

#define FUNCTION __attribute__((target("arch=" LEVEL), min_vector_width(LANES * 32))) static
#define INLINE FUNCTION inline __attribute__((always_inline))

typedef float NAME(vector) __attribute__((ext_vector_type(LANES)));
typedef float NAME(unaligned) __attribute__((ext_vector_type(LANES), aligned(4)));
#define V NAME(vector)
#define AT(place) (*(NAME(unaligned) *)(place))
#define FROM(place) ((V)(*(const NAME(unaligned) *)(place)))

INLINE V NAME(saturated)(V x) {
  SATURATED_LANES(V, result, x)
  return result;
}

/// All frames of all outputs, tile by tile; `y` is where each output's row begins.
INLINE void NAME(layer)(
    const struct hand_layer *layer, size_t inputs, int saturates, float *const *y) {
  const size_t dilation = layer->dilation;
  const float *weights = layer->weights;
  for (size_t output = 0; output < 16; output += ROWS) {
    for (size_t frame = 0; frame < HAND_FRAMES; frame += VECTORS * LANES) {
      V sums[ROWS][VECTORS];
#pragma clang loop unroll(full)
      for (size_t row = 0; row < ROWS; row++)
#pragma clang loop unroll(full)
        for (size_t v = 0; v < VECTORS; v++) sums[row][v] = layer->bias[output + row];
      const float *w = weights;
      for (size_t tap = 0; tap < 3; tap++) {
        const float *x = layer->history + HAND_PAST + frame - (2 - tap) * dilation;
#pragma clang loop unroll(disable)
        for (size_t input = 0; input < inputs; input++, x += HAND_PITCH, w += ROWS) {
          V in[VECTORS];
#pragma clang loop unroll(full)
          for (size_t v = 0; v < VECTORS; v++) in[v] = FROM(x + v * LANES);
#pragma clang loop unroll(full)
          for (size_t row = 0; row < ROWS; row++)
#pragma clang loop unroll(full)
            for (size_t v = 0; v < VECTORS; v++) sums[row][v] = MULTIPLY_ADD((V)w[row], in[v], sums[row][v]);
        }
      }
#pragma clang loop unroll(full)
      for (size_t row = 0; row < ROWS; row++)
#pragma clang loop unroll(full)
        for (size_t v = 0; v < VECTORS; v++) {
          V sum = sums[row][v];
          AT(y[output + row] + frame + v * LANES) = saturates ? NAME(saturated)(sum) : sum;
        }
    }
    weights += 3 * inputs * ROWS;
  }
}

/// The end of the block becomes the past of the next one: so many frames as the layer reaches back, in whole vectors.
INLINE void NAME(remember)(const struct hand_layer *layer, size_t inputs) {
  size_t past = 2 * layer->dilation;
  for (size_t input = 0; input < inputs; input++) {
    float *row = layer->history + input * HAND_PITCH;
    for (size_t back = LANES; back < past + LANES; back += LANES)
      AT(row + HAND_PAST - back) = FROM(row + HAND_PITCH - back);
  }
}

FUNCTION void NAME(convolve)(const struct hand_layer *layer, const float *const *x, float *const *y) {
  for (size_t input = 0; input < 16; input++)
    for (size_t frame = 0; frame < HAND_FRAMES; frame += LANES)
      AT(layer->history + input * HAND_PITCH + HAND_PAST + frame) = FROM(x[input] + frame);
  NAME(layer)(layer, 16, 0, y);
  NAME(remember)(layer, 16);
}

FUNCTION __attribute__((noinline)) void NAME(first)(const struct hand_layer *layer, float *const *y) {
  NAME(layer)(layer, 1, 1, y);
  NAME(remember)(layer, 1);
}

FUNCTION __attribute__((noinline)) void NAME(further)(const struct hand_layer *layer, float *const *y) {
  NAME(layer)(layer, 16, 1, y);
  NAME(remember)(layer, 16);
}

FUNCTION void NAME(stack)(
    const struct hand_layer *layers, size_t count, const float *head, const float *x, float *y) {
  for (size_t frame = 0; frame < HAND_FRAMES; frame += LANES)
    AT(layers[0].history + HAND_PAST + frame) = FROM(x + frame);
  float last[16][HAND_FRAMES] __attribute__((aligned(64)));
  for (size_t index = 0; index < count; index++) {
    float *rows[16];
    for (size_t output = 0; output < 16; output++)
      rows[output] = index + 1 < count ? layers[index + 1].history + output * HAND_PITCH + HAND_PAST : last[output];
    if (index == 0) NAME(first)(layers, rows);
    else NAME(further)(layers + index, rows);
  }
  for (size_t frame = 0; frame < HAND_FRAMES; frame += VECTORS * LANES) {
    V sums[VECTORS];
#pragma clang loop unroll(full)
    for (size_t v = 0; v < VECTORS; v++) sums[v] = head[16];
    for (size_t input = 0; input < 16; input++)
#pragma clang loop unroll(full)
      for (size_t v = 0; v < VECTORS; v++)
        sums[v] = MULTIPLY_ADD((V)head[input], FROM(last[input] + frame + v * LANES), sums[v]);
#pragma clang loop unroll(full)
    for (size_t v = 0; v < VECTORS; v++) AT(y + frame + v * LANES) = sums[v];
  }
}

#undef FUNCTION
#undef INLINE
#undef V
#undef AT
#undef FROM
#undef ROWS
#undef VECTORS
#undef NAME
