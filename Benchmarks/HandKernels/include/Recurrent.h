// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stddef.h>

enum {
  /// Frames of a block of a recurrent network.
  HAND_RECURRENT_FRAMES = 128,
};

/// A network from one channel to one: recurrent layers, and a dense layer behind the last of them.
enum hand_network {
  HAND_LSTM_16,
  HAND_LSTM_40,
  HAND_LSTM_64,
  HAND_LSTM_96,
  HAND_GRU_40,
  /// Two layers of 16 units.
  HAND_LSTM_TWICE_16,
  /// Its result is a second input of its layer, one frame later.
  HAND_LSTM_FED_BACK_40,
};

/// A network with its weights as one way to compute it reads them, and its state.
struct hand_recurrent;

/// Computes a block.
typedef void (*hand_recurrent_function)(
    struct hand_recurrent *_Nonnull network, const float *_Nonnull x, float *_Nonnull y);

/// One way to compute a network.
struct hand_recurrent_way {
  const char *_Nonnull name;
  hand_recurrent_function _Nonnull run;
  /// The units whose gates are summed side by side; 0 where all gates of all units lie in a row.
  size_t units_aside;
};

struct hand_recurrent_list {
  const struct hand_recurrent_way *_Nullable first;
  size_t count;
};

/// The ways that are written, for the best level of x86-64 that this machine has.
struct hand_recurrent_list hand_recurrent_ways(enum hand_network kind);

/// A network in its initial state, its weights packed for one way to compute it; null where there is no memory.
///
/// The weights are PyTorch's: of each layer those of the input and of h (a row for each unit of each gate), the bias of
/// the input and that of h, and then a row of the dense layer and its bias. Gates are i, f, g, o or r, z, n.
struct hand_recurrent *_Nullable hand_recurrent_make(
    enum hand_network kind, const struct hand_recurrent_way *_Nonnull way, const float *_Nonnull weights);

void hand_recurrent_free(struct hand_recurrent *_Nonnull network);
