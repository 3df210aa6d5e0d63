// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

// Swift's performance checks take our word for a C function that carries this; all of them keep it.
#define LEGATO_NO_LOCKS __attribute__((swift_attr("@_noLocks")))

#define LEGATO_RAMP_FUNCTION LEGATO_NO_LOCKS static inline
#include "LegatoRamps.h"

typedef void (*legato_entry_point)(
    const float *_Nullable const *_Nullable inputs, float *_Nullable const *_Nullable outputs,
    void *_Nonnull workspace, const void *_Nullable weights, intptr_t frames);

// The floating-point control word in which compiled programs run: round to nearest, no traps, denormals in and
// out count as zero. Setting the whole word, rather than two bits of it, makes the output independent of the
// mode in which a host happens to call.
#if defined(__x86_64__)
typedef uint32_t legato_float_control;
// Exceptions masked (0x1f80), flush to zero (0x8000), denormals are zero (0x0040).
#define LEGATO_FLOAT_CONTROL 0x9fc0u
// The lowest six bits record exceptions that have been; they change nothing.
#define LEGATO_FLOAT_CONTROL_MASK (~0x3fu)
static inline legato_float_control legato_read_float_control(void) { return __builtin_ia32_stmxcsr(); }
static inline void legato_write_float_control(legato_float_control word) { __builtin_ia32_ldmxcsr(word); }
#elif defined(__aarch64__)
typedef uint64_t legato_float_control;
// Flush to zero, which covers inputs and outputs of float32.
#define LEGATO_FLOAT_CONTROL (UINT64_C(1) << 24)
#define LEGATO_FLOAT_CONTROL_MASK (~UINT64_C(0))
static inline legato_float_control legato_read_float_control(void) {
  uint64_t word;
  __asm__ volatile("mrs %0, fpcr" : "=r"(word)::"memory");
  return word;
}
static inline void legato_write_float_control(legato_float_control word) {
  __asm__ volatile("msr fpcr, %0" ::"r"(word) : "memory");
}
#else
#error "RealtimeCore knows the floating-point control word of x86-64 and AArch64 only"
#endif

/// Calls a compiled program with denormals counted as zero, and restores the caller's floating-point mode.
///
/// Writing the control word costs more than reading it, so a thread that already runs in this mode pays one read.
LEGATO_NO_LOCKS
static inline void legato_call(
    legato_entry_point _Nonnull entry, const float *_Nullable const *_Nullable inputs,
    float *_Nullable const *_Nullable outputs, void *_Nonnull workspace, const void *_Nullable weights,
    intptr_t frames) {
  legato_float_control callers = legato_read_float_control();
  if ((callers & LEGATO_FLOAT_CONTROL_MASK) == LEGATO_FLOAT_CONTROL) {
    entry(inputs, outputs, workspace, weights, frames);
    return;
  }
  legato_write_float_control(LEGATO_FLOAT_CONTROL);
  entry(inputs, outputs, workspace, weights, frames);
  legato_write_float_control(callers);
}

/// Sets bytes to zero.
LEGATO_NO_LOCKS
static inline void legato_clear(void *_Nonnull memory, size_t bytes) { memset(memory, 0, bytes); }

/// Copies bytes to a place that does not overlap theirs.
LEGATO_NO_LOCKS
static inline void legato_copy(void *_Nonnull to, const void *_Nonnull from, size_t bytes) {
  memcpy(to, from, bytes);
}
