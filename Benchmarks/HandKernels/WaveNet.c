// SPDX-License-Identifier: Apache-2.0

#include "HandKernels.h"
#include "Saturation.h"

#include <stdlib.h>
#include <string.h>

/// Rows of a value, behind whose block there is room for further ones:
///
///     | past | block |       |       |       …   | past | block |   →   | past | block |       |       |
///
/// Where a block would not fit, the end of the row becomes the beginning.
struct history {
  float *rows;
  size_t count, pitch, past, place;
};

/// A convolution along frames; of one tap it is a matrix.
struct product {
  /// [tap][input][output]
  const float *weights;
  const float *bias;
  size_t inputs, outputs, taps, dilation;
};

struct layer {
  struct history x;
  struct product convolution, mixin, step;
  void (*run)(
      const struct layer *layer, const float *input, const struct history *head, int begins,
      const struct history *next);
};

struct array {
  struct product rechannel, head;
  size_t layers;
  /// The sum of all activations, and what the last layer hands on.
  struct history sum, result;
};

struct hand_wavenet {
  enum hand_activation activation;
  size_t array_count, layer_count;
  struct array *arrays;
  struct layer *layers;
  float scale;
};

static inline float *block(const struct history *history) { return history->rows + history->place; }

/// What comes next stands behind this block.
static void advance(struct history *history) {
  if (!history->past) return;
  history->place += HAND_WAVENET_FRAMES;
  if (history->place + HAND_WAVENET_FRAMES <= history->pitch) return;
  for (size_t row = 0; row < history->count; row++) {
    float *begin = history->rows + row * history->pitch;
    memmove(begin, begin + history->place - history->past, history->past * sizeof(float));
  }
  history->place = history->past;
}

// A sum takes a product along where MULTIPLY_ADD says so, and nowhere else.
#pragma STDC FP_CONTRACT OFF

#define FUSED(a, b, c) __builtin_elementwise_fma(a, b, c)
#define SEPARATE(a, b, c) ((a) * (b) + (c))

/// Channels, taps and activation of the layers that the networks have.
#define WRITTEN_LAYERS(layer)                                                                         \
  layer(16, 3, HAND_TANH) layer(8, 3, HAND_TANH) layer(4, 3, HAND_TANH) layer(2, 3, HAND_TANH)        \
  layer(8, 6, HAND_LEAKY_RELU) layer(8, 15, HAND_LEAKY_RELU)

#define LEVEL "x86-64-v4"
#define LANES 16
#define MULTIPLY_ADD FUSED
#define ROWS 4
#define VECTORS 4
#define NAME(x) x##_v4_4x4
#include "WaveNetTile.h"
#define ROWS 8
#define VECTORS 2
#define NAME(x) x##_v4_8x2
#include "WaveNetTile.h"
#define ROWS 2
#define VECTORS 8
#define NAME(x) x##_v4_2x8
#include "WaveNetTile.h"
#undef LEVEL
#undef LANES
#undef MULTIPLY_ADD

#define LEVEL "x86-64-v3"
#define LANES 8
#define MULTIPLY_ADD FUSED
#define ROWS 4
#define VECTORS 2
#define NAME(x) x##_v3_4x2
#include "WaveNetTile.h"
#define ROWS 2
#define VECTORS 4
#define NAME(x) x##_v3_2x4
#include "WaveNetTile.h"
#undef LEVEL
#undef LANES
#undef MULTIPLY_ADD

#define LEVEL "x86-64"
#define LANES 4
#define MULTIPLY_ADD SEPARATE
#define ROWS 4
#define VECTORS 2
#define NAME(x) x##_v1_4x2
#include "WaveNetTile.h"
#define ROWS 2
#define VECTORS 4
#define NAME(x) x##_v1_2x4
#include "WaveNetTile.h"
#undef LEVEL
#undef LANES
#undef MULTIPLY_ADD

static const struct hand_wavenet_way v4[] = {
    {"x86-64-v4, 4 x 4", run_v4_4x4, choose_v4_4x4},
    {"x86-64-v4, 8 x 2", run_v4_8x2, choose_v4_8x2},
    {"x86-64-v4, 2 x 8", run_v4_2x8, choose_v4_2x8},
};

static const struct hand_wavenet_way v3[] = {
    {"x86-64-v3, 4 x 2", run_v3_4x2, choose_v3_4x2},
    {"x86-64-v3, 2 x 4", run_v3_2x4, choose_v3_2x4},
};

static const struct hand_wavenet_way v1[] = {
    {"x86-64, 4 x 2", run_v1_4x2, choose_v1_4x2},
    {"x86-64, 2 x 4", run_v1_2x4, choose_v1_2x4},
};

#define LIST(all) (struct hand_wavenet_list){all, sizeof all / sizeof *all}

struct hand_wavenet_list hand_wavenet_ways(void) {
  return hand_has(HAND_V4) ? LIST(v4) : hand_has(HAND_V3) ? LIST(v3) : LIST(v1);
}

/// Zeros in lines of the cache of their own; no memory ends the making of a network.
static float *zeros(size_t count, int *is_whole) {
  size_t bytes = (count * sizeof(float) + 63) / 64 * 64;
  float *made = aligned_alloc(64, bytes);
  if (made) memset(made, 0, bytes);
  else *is_whole = 0;
  return made;
}

/// Histories begin at different places, so that not all of them are moved in the same block.
static struct history make_history(size_t rows, size_t past, size_t blocks, size_t begin, int *is_whole) {
  struct history history = {.count = rows, .past = (past + 15) / 16 * 16};
  // A line more from row to row, as rows whose distance is a power of two would meet in one set of a cache.
  history.pitch = history.past + (past ? blocks : 1) * HAND_WAVENET_FRAMES + 16;
  history.place = history.past + (past ? begin % blocks : 0) * HAND_WAVENET_FRAMES;
  history.rows = zeros(rows * history.pitch, is_whole);
  return history;
}

/// Takes weights from [output][input][tap], and a bias behind them.
static struct product take(
    const float **weights, struct product sizes, int has_bias, int *is_whole) {
  size_t count = sizes.outputs * sizes.inputs * sizes.taps;
  float *packed = zeros(count, is_whole), *bias = zeros(sizes.outputs, is_whole);
  const float *natural = *weights;
  for (size_t index = 0; packed && index < count; index++) {
    size_t tap = index % sizes.taps, input = index / sizes.taps % sizes.inputs;
    size_t output = index / sizes.taps / sizes.inputs;
    packed[(tap * sizes.inputs + input) * sizes.outputs + output] = natural[index];
  }
  if (bias && has_bias) memcpy(bias, natural + count, sizes.outputs * sizeof(float));
  *weights += count + (has_bias ? sizes.outputs : 0);
  sizes.weights = packed;
  sizes.bias = bias;
  return sizes;
}

struct hand_wavenet *hand_wavenet_make(
    struct hand_wavenet_shape shape, const struct hand_wavenet_way *way, size_t blocks, const float *weights) {
  struct hand_wavenet *network = calloc(1, sizeof *network);
  if (!network) return NULL;
  int is_whole = 1;
  network->activation = shape.activation;
  for (size_t index = 0; index < shape.array_count; index++) network->layer_count += shape.arrays[index].layers;
  network->arrays = calloc(shape.array_count, sizeof *network->arrays);
  network->layers = calloc(network->layer_count, sizeof *network->layers);
  if (!network->arrays || !network->layers) {
    network->layer_count = 0;
    hand_wavenet_free(network);
    return NULL;
  }
  network->array_count = shape.array_count;
  size_t inputs = 1, position = 0;
  for (size_t index = 0; index < shape.array_count; index++) {
    struct hand_wavenet_array sizes = shape.arrays[index];
    struct array *array = network->arrays + index;
    size_t channels = sizes.channels;
    array->layers = sizes.layers;
    array->rechannel = take(&weights, (struct product){NULL, NULL, inputs, channels, 1, 1}, 0, &is_whole);
    for (size_t left = sizes.layers; left > 0; left--, position++) {
      struct layer *layer = network->layers + position;
      size_t kernel = shape.layers[position].kernel, dilation = shape.layers[position].dilation;
      layer->x = make_history(channels, (kernel - 1) * dilation, blocks, position, &is_whole);
      layer->convolution = take(
          &weights, (struct product){NULL, NULL, channels, channels, kernel, dilation}, 1, &is_whole);
      layer->mixin = take(&weights, (struct product){NULL, NULL, 1, channels, 1, 1}, 0, &is_whole);
      layer->step = take(&weights, (struct product){NULL, NULL, channels, channels, 1, 1}, 1, &is_whole);
    }
    array->head = take(
        &weights, (struct product){NULL, NULL, channels, sizes.outputs, sizes.head_kernel, 1}, sizes.has_head_bias,
        &is_whole);
    array->sum = make_history(channels, sizes.head_kernel - 1, blocks, index, &is_whole);
    array->result = make_history(channels, 0, blocks, 0, &is_whole);
    inputs = channels;
  }
  network->scale = *weights;
  if (is_whole && way->choose(network)) return network;
  hand_wavenet_free(network);
  return NULL;
}

static void free_product(struct product product) {
  free((void *)product.weights);
  free((void *)product.bias);
}

void hand_wavenet_free(struct hand_wavenet *network) {
  for (size_t index = 0; index < network->array_count; index++) {
    struct array *array = network->arrays + index;
    free_product(array->rechannel);
    free_product(array->head);
    free(array->sum.rows);
    free(array->result.rows);
  }
  for (size_t index = 0; index < network->layer_count; index++) {
    struct layer *layer = network->layers + index;
    free_product(layer->convolution);
    free_product(layer->step);
    free_product(layer->mixin);
    free(layer->x.rows);
  }
  free(network->arrays);
  free(network->layers);
  free(network);
}
