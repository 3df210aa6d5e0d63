// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stddef.h>

enum {
  /// Frames of a block of a WaveNet.
  HAND_WAVENET_FRAMES = 128,
};

enum hand_activation {
  HAND_TANH,
  /// Below zero a hundredth.
  HAND_LEAKY_RELU,
};

/// The sizes of an array of layers, and of the sum of its activations that goes on as the head.
struct hand_wavenet_array {
  size_t channels, layers, outputs, head_kernel;
  int has_head_bias;
};

struct hand_wavenet_layer {
  size_t kernel, dilation;
};

/// A network from one channel to one, as Neural Amp Modeler describes it.
///
///     x ─▶ array ─▶ array ─▶                     layer: a = f(conv(x) + bias + mixin * input)
///            ╰ head ─▶ + ╰ head ─▶ scale ─▶ y           x = x + step(a) + bias,  head = head + a
struct hand_wavenet_shape {
  enum hand_activation activation;
  const struct hand_wavenet_array *_Nonnull arrays;
  size_t array_count;
  /// Those of all arrays, one after the other.
  const struct hand_wavenet_layer *_Nonnull layers;
};

/// A network with its weights and its state.
struct hand_wavenet;

/// One way to compute a network, for one level of x86-64.
struct hand_wavenet_way {
  /// Such as `x86-64-v4, 4 x 4`: channels and vectors of a tile of sums in registers.
  const char *_Nonnull name;
  /// Computes a block.
  void (*_Nonnull run)(struct hand_wavenet *_Nonnull network, const float *_Nonnull x, float *_Nonnull y);
  /// Gives a layer its function, and says whether there is one of these sizes.
  int (*_Nonnull choose)(struct hand_wavenet *_Nonnull network);
};

struct hand_wavenet_list {
  const struct hand_wavenet_way *_Nullable first;
  size_t count;
};

/// The ways that are written, for the best level of x86-64 that this machine has.
struct hand_wavenet_list hand_wavenet_ways(void);

/// A network whose histories are zero.
///
/// - Parameters:
///   - blocks: how many blocks a history has room for before its end is moved to its beginning.
///   - weights: in the order of a `.nam` file.
/// - Returns: null where there is no memory, or where sizes are not written for this way.
struct hand_wavenet *_Nullable hand_wavenet_make(
    struct hand_wavenet_shape shape, const struct hand_wavenet_way *_Nonnull way, size_t blocks,
    const float *_Nonnull weights);

void hand_wavenet_free(struct hand_wavenet *_Nonnull network);
