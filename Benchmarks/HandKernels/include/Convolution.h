// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stddef.h>

enum {
  /// Frames that a convolution computes at once.
  HAND_FRAMES = 128,
  /// The most frames that one reaches back.
  HAND_PAST = 32,
  /// Floats from one row of a history to the next: the past, then the block.
  HAND_PITCH = HAND_PAST + HAND_FRAMES,
};

/// A convolution of kernel 3 along frames, from 1 or 16 channels to 16.
///
///     history row   | … past | block |        the block is written behind the past, and its end becomes the next past
struct hand_layer {
  /// [16 / rows][tap][input][rows], with the rows of the variant.
  const float *_Nonnull weights;
  const float *_Nonnull bias;
  /// A row of `HAND_PITCH` floats for each input, zero to begin with.
  float *_Nonnull history;
  size_t inputs;
  size_t dilation;
};

/// One way to write the kernels for one level of x86-64.
///
/// Sums begin with the bias and take the terms of the oldest tap first, channel by channel, as Legato's do.
struct hand_convolution {
  /// Such as `x86-64-v4, 4 x 4`: output channels and vectors of a tile of sums in registers.
  const char *_Nonnull name;
  /// Output channels of a tile.
  size_t rows;
  /// One layer of 16 inputs, from rows of the caller to rows of the caller, a block of 128 frames.
  void (*_Nonnull convolve)(
      const struct hand_layer *_Nonnull layer, const float *_Nonnull const *_Nonnull x, float *_Nonnull const *_Nonnull y);
  /// Layers one behind the other, the first of one input, tanh behind each, and a weighted sum of the last one's
  /// channels, begun with a bias: head[0..<16] and head[16].
  void (*_Nonnull stack)(
      const struct hand_layer *_Nonnull layers, size_t count, const float *_Nonnull head, const float *_Nonnull x,
      float *_Nonnull y);
};

/// The levels of x86-64 that kernels are written for, the best first, and those of them that this machine has.
enum hand_level { HAND_V4, HAND_V3, HAND_BASELINE };

/// Whether this machine has a level.
int hand_has(enum hand_level level);

/// How many ways there are at a level.
size_t hand_convolution_count(enum hand_level level);
struct hand_convolution hand_convolution_at(enum hand_level level, size_t index);

/// Multiply-adds of floats in one round of `hand_multiply_add`.
size_t hand_multiply_adds(enum hand_level level);

/// Multiplies and adds in registers, in chains that do not wait for each other: as fast as the core can. What it gives
/// is there to be used.
float hand_multiply_add(enum hand_level level, size_t rounds);
