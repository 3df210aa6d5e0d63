// SPDX-License-Identifier: Apache-2.0

// WaveNets for one level of x86-64 and one tile of sums; it is included once for each variant.
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
#define UNROLLED _Pragma("clang loop unroll(full)")
#define TILE_FRAMES (VECTORS * LANES)

INLINE V NAME(active)(enum hand_activation activation, V x) {
  if (activation == HAND_LEAKY_RELU) return __builtin_elementwise_max(x, x * 0.01f);
  SATURATED_LANES(V, result, x)
  return result;
}

/// Adds the products of all taps and inputs to a tile of sums; `w` is the weight of its first output.
INLINE void NAME(add)(
    V *sums, size_t rows, size_t vectors, const float *w, size_t outputs, const float *x, size_t pitch, size_t inputs,
    size_t taps, size_t dilation) {
  for (size_t tap = 0; tap < taps; tap++) {
    const float *row_of_x = x - (taps - 1 - tap) * dilation;
    for (size_t input = 0; input < inputs; input++, row_of_x += pitch, w += outputs) {
      V in[8];
      UNROLLED for (size_t v = 0; v < vectors; v++) in[v] = FROM(row_of_x + v * LANES);
      UNROLLED for (size_t row = 0; row < rows; row++)
        UNROLLED for (size_t v = 0; v < vectors; v++)
          sums[row * vectors + v] = MULTIPLY_ADD((V)w[row], in[v], sums[row * vectors + v]);
    }
  }
}

/// Some output channels of a sum of products, all frames.
INLINE void NAME(rows)(
    const struct product *p, size_t output, size_t rows, size_t vectors, const float *x, size_t pitch, float *y,
    size_t y_pitch) {
  for (size_t frame = 0; frame < HAND_WAVENET_FRAMES; frame += vectors * LANES) {
    V sums[ROWS * VECTORS > 8 ? ROWS * VECTORS : 8];
    UNROLLED for (size_t row = 0; row < rows; row++)
      UNROLLED for (size_t v = 0; v < vectors; v++) sums[row * vectors + v] = p->bias[output + row];
    NAME(add)(
        sums, rows, vectors, p->weights + output, p->outputs, x + frame, pitch, p->inputs, p->taps, p->dilation);
    UNROLLED for (size_t row = 0; row < rows; row++)
      UNROLLED for (size_t v = 0; v < vectors; v++)
        AT(y + (output + row) * y_pitch + frame + v * LANES) = sums[row * vectors + v];
  }
}

FUNCTION __attribute__((noinline)) void NAME(product)(
    const struct product *p, const float *x, size_t pitch, float *y, size_t y_pitch) {
  if (p->outputs % ROWS == 0) {
    for (size_t output = 0; output < p->outputs; output += ROWS)
      NAME(rows)(p, output, ROWS, VECTORS, x, pitch, y, y_pitch);
  } else {
    for (size_t output = 0; output < p->outputs; output++) NAME(rows)(p, output, 1, 8, x, pitch, y, y_pitch);
  }
}

/// A layer; of some frames first the activations of all channels, which stay in the first cache, then the step.
INLINE void NAME(layer)(
    const struct layer *layer, const float *input, const struct history *head, int begins, const struct history *next,
    size_t channels, size_t taps, enum hand_activation activation) {
  const size_t rows = channels < ROWS ? channels : ROWS;
  const float *x = block(&layer->x);
  for (size_t frame = 0; frame < HAND_WAVENET_FRAMES; frame += TILE_FRAMES) {
    float active[16][TILE_FRAMES] __attribute__((aligned(64)));
    V in[VECTORS];
    UNROLLED for (size_t v = 0; v < VECTORS; v++) in[v] = FROM(input + frame + v * LANES);
    for (size_t output = 0; output < channels; output += rows) {
      V sums[ROWS * VECTORS];
      UNROLLED for (size_t row = 0; row < rows; row++)
        UNROLLED for (size_t v = 0; v < VECTORS; v++)
          sums[row * VECTORS + v] =
              MULTIPLY_ADD((V)layer->mixin.weights[output + row], in[v], (V)layer->convolution.bias[output + row]);
      NAME(add)(
          sums, rows, VECTORS, layer->convolution.weights + output, channels, x + frame, layer->x.pitch, channels, taps,
          layer->convolution.dilation);
      UNROLLED for (size_t row = 0; row < rows; row++)
        UNROLLED for (size_t v = 0; v < VECTORS; v++) {
          V a = NAME(active)(activation, sums[row * VECTORS + v]);
          float *sum = block(head) + (output + row) * head->pitch + frame + v * LANES;
          *(V *)(active[output + row] + v * LANES) = a;
          AT(sum) = begins ? a : a + FROM(sum);
        }
    }
    if (!next) continue;
    for (size_t output = 0; output < channels; output += rows) {
      V sums[ROWS * VECTORS];
      UNROLLED for (size_t row = 0; row < rows; row++)
        UNROLLED for (size_t v = 0; v < VECTORS; v++)
          sums[row * VECTORS + v] =
              layer->step.bias[output + row] + FROM(x + (output + row) * layer->x.pitch + frame + v * LANES);
      NAME(add)(
          sums, rows, VECTORS, layer->step.weights + output, channels, active[0], TILE_FRAMES, channels, 1, 1);
      UNROLLED for (size_t row = 0; row < rows; row++)
        UNROLLED for (size_t v = 0; v < VECTORS; v++)
          AT(block(next) + (output + row) * next->pitch + frame + v * LANES) = sums[row * VECTORS + v];
    }
  }
}

#define LAYER(channels, taps, activation)                                                                         \
  FUNCTION __attribute__((noinline)) void NAME(layer_##channels##_##taps##_##activation)(                         \
      const struct layer *layer, const float *input, const struct history *head, int begins,                      \
      const struct history *next) {                                                                               \
    NAME(layer)(layer, input, head, begins, next, channels, taps, activation);                                    \
  }
WRITTEN_LAYERS(LAYER)
#undef LAYER

FUNCTION int NAME(choose)(struct hand_wavenet *network) {
  for (size_t index = 0; index < network->layer_count; index++) {
    struct layer *layer = network->layers + index;
#define LAYER(width, kernel, function)                                                                            \
  if (layer->convolution.inputs == width && layer->convolution.taps == kernel && network->activation == function) \
    layer->run = NAME(layer_##width##_##kernel##_##function);
    WRITTEN_LAYERS(LAYER)
#undef LAYER
    if (!layer->run) return 0;
  }
  return 1;
}

FUNCTION void NAME(run)(struct hand_wavenet *network, const float *x, float *y) {
  struct layer *layer = network->layers;
  const float *from = x;
  size_t pitch = HAND_WAVENET_FRAMES;
  for (size_t index = 0; index < network->array_count; index++) {
    struct array *array = network->arrays + index, *before = index ? array - 1 : NULL;
    NAME(product)(&array->rechannel, from, pitch, block(&layer->x), layer->x.pitch);
    if (before) {
      NAME(product)(&before->head, block(&before->sum), before->sum.pitch, block(&array->sum), array->sum.pitch);
      advance(&before->sum);
    }
    for (size_t left = array->layers; left > 0; left--, layer++) {
      int is_last = index + 1 == network->array_count && left == 1;
      struct history *next = is_last ? NULL : left == 1 ? &array->result : &layer[1].x;
      layer->run(layer, x, &array->sum, !before && left == array->layers, next);
      advance(&layer->x);
    }
    from = block(&array->result);
    pitch = array->result.pitch;
  }
  struct array *last = network->arrays + network->array_count - 1;
  NAME(product)(&last->head, block(&last->sum), last->sum.pitch, y, HAND_WAVENET_FRAMES);
  advance(&last->sum);
  for (size_t frame = 0; frame < HAND_WAVENET_FRAMES; frame += LANES) AT(y + frame) = FROM(y + frame) * network->scale;
}

#undef FUNCTION
#undef INLINE
#undef V
#undef AT
#undef FROM
#undef UNROLLED
#undef TILE_FRAMES
#undef ROWS
#undef VECTORS
#undef NAME
