// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "Convolution.h"
#include "Recurrent.h"
#include "WaveNet.h"

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

/// An op over rows: of its operands `a`, `b` and `c` each is a row or one number, as its name says; those that it does
/// not have point at anything.
typedef void (*hand_primitive_function)(
    const float *_Nonnull a, const float *_Nonnull b, const float *_Nonnull c, float *_Nonnull y, size_t count);

struct hand_primitive {
  /// The op and its operands, such as `fma_vsv`: v is a row, s one number.
  const char *_Nonnull name;
  hand_primitive_function _Nonnull function;
};

struct hand_primitive_list {
  const struct hand_primitive *_Nullable first;
  size_t count;
};

/// Ops as a C programmer writes them, for the best level of x86-64 that this machine has.
struct hand_primitive_list hand_primitives(void);

/// A call of a primitive, or of a compiled program, with everything that it takes.
struct hand_call {
  /// A primitive over `count` numbers; null for a program.
  hand_primitive_function _Nullable primitive;
  const float *_Nullable a;
  const float *_Nullable b;
  const float *_Nullable c;
  float *_Nullable y;
  size_t count;

  void (*_Nullable entry)(
      const float *_Nullable const *_Nullable inputs, float *_Nullable const *_Nullable outputs,
      void *_Nonnull workspace, const void *_Nullable weights, intptr_t frames);
  const float *_Nullable const *_Nullable inputs;
  float *_Nullable const *_Nullable outputs;
  void *_Nullable workspace;
  const void *_Nullable weights;
  /// The stream's position, which goes on by the frames of a call.
  int64_t *_Nullable position;
};

/// Makes the calls one after the other, so many times: nothing else is done between them.
void hand_call(const struct hand_call *_Nonnull calls, size_t count, intptr_t frames, size_t times);

enum {
  /// Frames of a block of a loop.
  HAND_LOOP_FRAMES = 128,
  /// The most channels of a loop.
  HAND_LOOP_CHANNELS = 16,
  /// The rows of numbers that filters hold.
  HAND_HELD = 2,
  /// Floats from one channel of a ring to the next: a power of two that holds the longest delay and a block.
  HAND_RING = 1 << 15,
};

/// What a loop remembers; zero to begin with.
struct hand_loop_state {
  /// The frames that are done.
  size_t position;
  /// `HAND_RING` floats for each channel.
  float *_Nonnull ring;
  /// Each channel of the last frame.
  float last[HAND_LOOP_CHANNELS];
  /// What filters hold: `HAND_HELD` rows of `HAND_LOOP_CHANNELS` numbers that begin where a vector may.
  float *_Nonnull held;
  /// What the loop is set to: such rows, the taps of a filter, or ramps.
  const float *_Nonnull settings;
};

/// A loop with feedback, over a block of channels in rows that begin where a vector may.
typedef void (*hand_loop_function)(
    struct hand_loop_state *_Nonnull state, const float *_Nonnull const *_Nonnull x, float *_Nonnull const *_Nonnull y,
    size_t channels);

enum hand_loop_kind {
  /// y = x + 0.5 * y of 12,000 frames before
  HAND_FEEDBACK,
  /// y = 0.1 * x + 0.9 * y of one frame before
  HAND_ONE_POLE,
  /// models/echo.json at 48 kHz, as it begins
  HAND_ECHO,
  /// models/eq8.json. Settings: a row of each of 6 coefficients, with lane 8 * channel + band.
  HAND_EQUALIZER,
  /// The same at 48 kHz while all glides. Settings: each band's frequency, then its gain and its Q, and what is added to
  /// these in each frame.
  HAND_GLIDING_EQUALIZER,
  /// y = the sum of settings[k] * x of k frames before, over so many taps
  HAND_FINITE_RESPONSE_256,
  HAND_FINITE_RESPONSE_1024,
  /// models/chorus.json and models/compressor.json at 48 kHz, as they begin
  HAND_CHORUS,
  HAND_COMPRESSOR,
  /// models/bitcrusher.json at 48 kHz. Settings: rate, resolution, saturationGain, dryWet
  HAND_HOLD,
};

/// One way to write a loop, and the number of channels that it is for; 0 where that is any.
struct hand_loop {
  const char *_Nonnull name;
  size_t channels;
  hand_loop_function _Nonnull run;
};

struct hand_loop_list {
  const struct hand_loop *_Nullable first;
  size_t count;
};

/// The ways that are written, for the best level of x86-64 that this machine has.
struct hand_loop_list hand_loops(enum hand_loop_kind kind);

struct hand_setting {
  float gain;
  float resolution;
  float dryWet;
};

/// Bitcrushers one behind the other, over channels in rows that begin where a vector may.
typedef void (*hand_chain_kernel)(
    const float *_Nonnull const *_Nonnull x, float *_Nonnull const *_Nonnull y, size_t channels, size_t frames,
    size_t stages, const struct hand_setting *_Nonnull setting);

/// One schedule of the chain: some vectors go through a stage side by side, then through the next.
struct hand_chain {
  const char *_Nonnull name;
  hand_chain_kernel _Nonnull run;
  /// What `frames` is a multiple of.
  size_t frames;
};

struct hand_chain_list {
  const struct hand_chain *_Nullable first;
  size_t count;
};

/// The schedules for the best level of x86-64 that this machine has.
struct hand_chain_list hand_chain_all(void);

/// Writes noise into a WAV file of floats; 0 where that worked.
int hand_write_sound(const char *_Nonnull path, int channels, int rate, size_t frames);

/// Copies a sound file, 4096 frames at a time, as a program without anything between reading and writing would do it;
/// 0 where that worked.
int hand_copy_sound(const char *_Nonnull from, const char *_Nonnull to);

struct hand_run_usage {
  double nanoseconds;
  /// The most memory that was in use at once. Not below what the caller ever used: the system counts from before the
  /// program's beginning.
  size_t peak_kibibytes;
  /// What the program ended with; -1 for a signal.
  int status;
};

/// Runs a program to its end; 0 where it could be started, else the system's error number.
int hand_run(char *_Nullable const *_Nonnull arguments, struct hand_run_usage *_Nonnull usage);

/// The first processor that the calling thread may run on.
int hand_first_processor(void);

/// Keeps the calling thread on one processor; 0 where the system agrees, else its error number.
int hand_pin(int processor);

/// Lets the calling thread run on any processor again. Gives the number of those that there are for it, 0 where the
/// system refuses.
int hand_unpin(void);

/// Whether what is written at a path stays in memory, in a tmpfs.
int hand_is_memory(const char *_Nonnull path);

struct hand_loop_times {
  /// Nanoseconds.
  double in_turn;
  double at_once;
};

/// Runs a loop of arithmetic in registers, as much of it at a time as a core can do, a fixed number of rounds on each of
/// the first two processors that the calling thread may run on: on one after the other, then on both at once. 0 where
/// the system gives both, else its error number.
int hand_run_loops(struct hand_loop_times *_Nonnull times);

/// How often the calling thread gave up the processor so far, or had it taken away.
long hand_context_switches(void);

/// The floating-point mode in which compiled programs run: denormals count as zero. Gives the mode that was set before.
uint32_t hand_count_denormals_as_zero(void);

/// Sets the mode that `hand_count_denormals_as_zero` gave.
void hand_restore_mode(uint32_t mode);

/// Whether valgrind runs the program.
int hand_is_under_valgrind(void);

/// Has callgrind count instructions from here on; without it, nothing happens.
void hand_begin_counting(void);

/// Has callgrind write down, under this name, how many instructions there were since the beginning, and count no more.
void hand_end_counting(const char *_Nonnull name);

/// Has the processor trap behind each instruction of this thread from here on.
void hand_begin_steps(void);

/// Ends that, and gives the number of instructions since.
size_t hand_end_steps(void);
