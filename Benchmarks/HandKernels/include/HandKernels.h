// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "Convolution.h"

#include <stddef.h>
#include <stdint.h>

/// A parameter that moves: at frame k of the block it is `fma(elapsed + k + 1, step, start)`, with the same
/// `elapsed` for all parameters.
struct hand_ramp {
  float start;
  float step;
};

/// A bitcrusher as a C programmer writes it: the algebra, the tanh and the multiply-adds are Legato's.
///
///     driven = tanh(x * gain)
///     y      = fma(round(driven * resolution) / resolution, dryWet, x * (1 - dryWet))
///
/// `frames` is a multiple of 16.
typedef void (*hand_bitcrusher)(
    const float *_Nonnull x, float *_Nonnull y, size_t frames, float gain, float resolution, float dryWet);

/// The same while all three parameters move, with so many frames of their ramps behind them.
typedef void (*hand_moving_bitcrusher)(
    const float *_Nonnull x, float *_Nonnull y, size_t frames, int32_t elapsed, const struct hand_ramp *_Nonnull gain,
    const struct hand_ramp *_Nonnull resolution, const struct hand_ramp *_Nonnull dryWet);

/// One way to write the kernel; which one is the fastest is for measurement to say.
struct hand_variant {
  /// Such as `x86-64-v4, 4 vectors a round`.
  const char *_Nonnull name;
  hand_bitcrusher _Nonnull settled;
  hand_moving_bitcrusher _Nonnull moving;
};

/// How many variants were compiled for the best level of x86-64 that this machine has.
size_t hand_variant_count(void);

/// A variant for this machine.
struct hand_variant hand_variant_at(size_t index);

/// Keeps the calling thread on one processor; 0 where the system agrees, else its error number.
int hand_pin(int processor);

/// The floating-point mode in which compiled programs run: denormals count as zero. Gives the mode that was set before.
uint32_t hand_count_denormals_as_zero(void);

/// Sets the mode that `hand_count_denormals_as_zero` gave.
void hand_restore_mode(uint32_t mode);
