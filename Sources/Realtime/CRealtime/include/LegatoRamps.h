// SPDX-License-Identifier: Apache-2.0

/*
 * Ramps: parameters on their way to a target. RealtimeCore and the headers of exported objects compute them with these
 * functions, in C99 and C++, which call nothing.
 */
#ifndef LEGATO_RAMPS
#define LEGATO_RAMPS

#include <stdint.h>

#ifndef LEGATO_RAMP_FUNCTION
#define LEGATO_RAMP_FUNCTION static inline
#endif

/*
 * A parameter on its way, as native code reads it.
 *
 *     target                     .-------
 *                             /
 *     start  o             /
 *            |--- length ----|
 *
 * With so many frames behind it since all ramps began, the value at the next frame is fma(frames + 1, step, start), and
 * the target itself once frames + 1 is the length. At rest the length is 0, the step 0, and the start the target. Native
 * code settles a ramp where it lands.
 */
struct legato_ramp {
  float start, step, target;
  /* Frames from the common beginning of all ramps to where this one lands; 0 where the parameter rests. */
  int32_t length;
};

/*
 * When the ramps began and when the next one lands, in frames of the stream. All ramps count from one beginning, so that
 * code which computes several of them numbers its frames once; where another target arrives, those that are under way
 * set out anew from where they are.
 */
struct legato_ramp_span {
  /* The position of the frame before which the ramps began. */
  int64_t beginning;
  /* The position at which a ramp arrives, the first one to come; no parameter is under way at a position that is not
   * below it. */
  int64_t landing;
};

/* The number itself, or zero in place of a denormal or of a negative zero. */
LEGATO_RAMP_FUNCTION float legato_without_denormals(float value) {
  return value < 1.17549435e-38f && value > -1.17549435e-38f ? 0 : value;
}

LEGATO_RAMP_FUNCTION void legato_ramp_rest(struct legato_ramp *ramp, float value) {
  ramp->start = ramp->target = value;
  ramp->step = 0;
  ramp->length = 0;
}

/* Glides from a value to another one; over 0 frames it jumps. */
LEGATO_RAMP_FUNCTION void legato_ramp_glide(struct legato_ramp *ramp, float start, float target, int32_t frames) {
  legato_ramp_rest(ramp, target);
  if (frames <= 0) return;
  ramp->start = start;
  ramp->step = legato_without_denormals((target - start) / (float)frames);
  ramp->length = frames;
}

/*
 * The value at the last of so many frames: frames * step + start, rounded once. A sum in double that is not exact is made
 * odd, so that rounding it again does no harm.
 */
LEGATO_RAMP_FUNCTION float legato_ramp_value(const struct legato_ramp *ramp, int32_t frames) {
  double product = (double)frames * (double)ramp->step, start = (double)ramp->start;
  double sum = product + start, part = sum - product;
  double error = (product - (sum - part)) + (start - part);
  int64_t bits;
  if (frames >= ramp->length) return ramp->target;
  __builtin_memcpy(&bits, &sum, sizeof bits);
  if (error != 0 && bits % 2 == 0) {
    bits += (error > 0) == (sum > 0) ? 1 : -1;
    __builtin_memcpy(&sum, &bits, sizeof bits);
  }
  return legato_without_denormals((float)sum);
}

/* Lets all ramps count from a position, each on its way to where it would have landed. */
LEGATO_RAMP_FUNCTION void legato_ramps_restart(
    struct legato_ramp *ramps, int32_t count, struct legato_ramp_span *span, int64_t position) {
  int32_t frames = (int32_t)(position - span->beginning), index;
  for (index = 0; index < count; index++) {
    struct legato_ramp *ramp = ramps + index;
    if (ramp->length > 0) {
      legato_ramp_glide(ramp, legato_ramp_value(ramp, frames), ramp->target, ramp->length - frames);
    }
  }
  span->beginning = position;
}

/* Looks for the ramp that lands first; where all rest, none is under way from here on. */
LEGATO_RAMP_FUNCTION void legato_ramps_find_landing(
    const struct legato_ramp *ramps, int32_t count, struct legato_ramp_span *span) {
  int32_t least = 0, index;
  for (index = 0; index < count; index++) {
    int32_t length = ramps[index].length;
    if (length > 0 && (least == 0 || length < least)) least = length;
  }
  span->landing = span->beginning + (least == 0 ? 0 : least - 1);
}

#endif
