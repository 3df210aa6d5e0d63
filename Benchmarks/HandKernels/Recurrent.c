// SPDX-License-Identifier: Apache-2.0

#include "HandKernels.h"
#include "Saturation.h"

#include <stdlib.h>

enum {
  /// The most units of a layer, with what fills its last vectors.
  HAND_RECURRENT_UNITS = 128,
  HAND_RECURRENT_LAYERS = 2,
};

/// A recurrent layer whose weights lie as one way to compute it reads them, and its state.
struct hand_recurrent_layer {
  /// Each block of units after the other: in a block each column, in a column each gate.
  float *_Nonnull input;
  float *_Nonnull recurrent;
  float *_Nonnull bias;
  /// A GRU's bias of its third gate outside of what is reset.
  float *_Nonnull outer_bias;
  /// Those of an even and of an odd frame.
  float h[2][HAND_RECURRENT_UNITS] __attribute__((aligned(64)));
  float c[HAND_RECURRENT_UNITS] __attribute__((aligned(64)));
};

struct hand_recurrent {
  struct hand_recurrent_layer layers[HAND_RECURRENT_LAYERS];
  float dense[HAND_RECURRENT_UNITS] __attribute__((aligned(64)));
  float dense_bias;
  /// The result of the last frame.
  float last;
};

// A sum takes a product along where MULTIPLY_ADD says so, and nowhere else.
#pragma STDC FP_CONTRACT OFF

#define FUSED(a, b, c) __builtin_elementwise_fma(a, b, c)
#define SEPARATE(a, b, c) ((a) * (b) + (c))

#define LEVEL "x86-64-v4"
#define LANES 16
#define MULTIPLY_ADD FUSED
#define NAME(x) x##_v4
#include "RecurrentLayer.h"
#include "RecurrentNetworks.h"
#undef LEVEL
#undef LANES
#undef NAME

#define LEVEL "x86-64-v3"
#define LANES 8
#define NAME(x) x##_v3
#include "RecurrentLayer.h"
#include "RecurrentNetworks.h"
#undef LEVEL
#undef LANES
#undef MULTIPLY_ADD
#undef NAME

#define LEVEL "x86-64"
#define LANES 4
#define MULTIPLY_ADD SEPARATE
#define NAME(x) x##_v1
#include "RecurrentLayer.h"
#include "RecurrentNetworks.h"

#define LIST(all) (struct hand_recurrent_list){all, sizeof all / sizeof *all}
#define BEST(kind) (hand_has(HAND_V4) ? LIST(kind##_v4) : hand_has(HAND_V3) ? LIST(kind##_v3) : LIST(kind##_v1))

struct hand_recurrent_list hand_recurrent_ways(enum hand_network kind) {
  switch (kind) {
  case HAND_LSTM_16: return BEST(lstm_16_all);
  case HAND_LSTM_40: return BEST(lstm_40_all);
  case HAND_LSTM_64: return BEST(lstm_64_all);
  case HAND_LSTM_96: return BEST(lstm_96_all);
  case HAND_GRU_40: return BEST(gru_40_all);
  case HAND_LSTM_TWICE_16: return BEST(lstm_twice_16_all);
  case HAND_LSTM_FED_BACK_40: return BEST(lstm_fed_back_40_all);
  }
}

struct shape {
  size_t units, gates, layers, inputs;
};

static struct shape shape_of(enum hand_network kind) {
  switch (kind) {
  case HAND_LSTM_16: return (struct shape){16, 4, 1, 1};
  case HAND_LSTM_40: return (struct shape){40, 4, 1, 1};
  case HAND_LSTM_64: return (struct shape){64, 4, 1, 1};
  case HAND_LSTM_96: return (struct shape){96, 4, 1, 1};
  case HAND_GRU_40: return (struct shape){40, 3, 1, 1};
  case HAND_LSTM_TWICE_16: return (struct shape){16, 4, 2, 1};
  case HAND_LSTM_FED_BACK_40: return (struct shape){40, 4, 1, 2};
  }
}

/// The numbers of some gates, one for each unit and column, in the order in which they are read; zeros fill vectors.
static float *pack(const float *natural, size_t columns, struct shape shape, size_t aside, int tanh_gate) {
  size_t rows = shape.gates * shape.units, pitch = (rows + 15) / 16 * 16;
  size_t blocks = aside ? (shape.units + aside - 1) / aside : 1;
  if (aside) pitch = shape.gates * aside;
  // The last vectors of gates in a row are read beyond their end.
  size_t bytes = (blocks * columns * pitch + 16) * sizeof(float);
  float *packed = aligned_alloc(64, (bytes + 63) / 64 * 64);
  if (!packed) return NULL;
  for (size_t i = 0; i < bytes / sizeof(float); i++) packed[i] = 0;
  for (size_t row = 0; row < rows; row++) {
    size_t gate = row / shape.units, unit = row % shape.units;
    size_t block = aside ? unit / aside : 0, place = aside ? gate * aside + unit % aside : row;
    for (size_t column = 0; column < columns; column++)
      packed[(block * columns + column) * pitch + place] =
          natural[row * columns + column] * ((int)gate == tanh_gate ? 1 : 0.5f);
  }
  return packed;
}

/// Takes so many numbers from the natural weights.
static const float *take(const float **weights, size_t count) {
  const float *taken = *weights;
  *weights += count;
  return taken;
}

struct hand_recurrent *hand_recurrent_make(
    enum hand_network kind, const struct hand_recurrent_way *way, const float *weights) {
  struct shape shape = shape_of(kind), one = {shape.units, 1, 1, 1};
  size_t rows = shape.gates * shape.units, aside = way->units_aside;
  struct hand_recurrent *network = aligned_alloc(64, sizeof *network);
  if (!network) return NULL;
  *network = (struct hand_recurrent){0};
  int is_whole = 1;
  for (size_t index = 0; index < shape.layers; index++) {
    struct hand_recurrent_layer *layer = network->layers + index;
    size_t inputs = index ? shape.units : shape.inputs;
    const float *input = take(&weights, rows * inputs), *recurrent = take(&weights, rows * shape.units);
    const float *bias = take(&weights, rows), *inner_bias = take(&weights, rows);
    // The third gate of either is a tangent; a GRU resets what comes from h, its bias included.
    float sum[4 * HAND_RECURRENT_UNITS];
    for (size_t row = 0; row < rows; row++)
      sum[row] = inner_bias[row] + (shape.gates == 3 && row >= 2 * shape.units ? 0 : bias[row]);
    layer->input = pack(input, inputs, shape, aside, 2);
    layer->recurrent = pack(recurrent, shape.units, shape, aside, 2);
    layer->bias = pack(sum, 1, shape, aside, 2);
    layer->outer_bias = pack(bias + 2 * shape.units, 1, one, aside, 0);
    is_whole &= layer->input && layer->recurrent && layer->bias && layer->outer_bias;
  }
  for (size_t unit = 0; unit < shape.units; unit++) network->dense[unit] = weights[unit];
  network->dense_bias = weights[shape.units];
  if (is_whole) return network;
  hand_recurrent_free(network);
  return NULL;
}

void hand_recurrent_free(struct hand_recurrent *network) {
  for (size_t index = 0; index < HAND_RECURRENT_LAYERS; index++) {
    struct hand_recurrent_layer *layer = network->layers + index;
    free(layer->input), free(layer->recurrent), free(layer->bias), free(layer->outer_bias);
  }
  free(network);
}
