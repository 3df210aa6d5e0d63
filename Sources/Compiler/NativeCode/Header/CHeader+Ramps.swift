// SPDX-License-Identifier: Apache-2.0

internal import RealtimeCore

/// Gliding, as `RampState` and `Wiring` have it.
extension CHeader {
  /// The type of a ramp, and what is done with one.
  var ramps: String {
    guard hasParameters else { return "" }
    return """
      /* A parameter on its way: so many frames after the beginning it is frames * step + start. At rest the length is 0. */
      struct \(prefix)_ramp_ {
        float start, step, target;
        int32_t length;
      };

      static inline struct \(prefix)_ramp_ *\(prefix)_ramps_(void *workspace) {
        return (struct \(prefix)_ramp_ *)(void *)((char *)workspace + \(layout.rampsOffset));
      }

      /* Zero in place of a denormal, or of a negative zero. */
      static inline float \(prefix)_plain_(float value) {
        return value < 1.17549435e-38f && value > -1.17549435e-38f ? 0 : value;
      }

      static inline void \(prefix)_rest_(struct \(prefix)_ramp_ *ramp, float value) {
        ramp->start = ramp->target = value;
        ramp->step = 0;
        ramp->length = 0;
      }

      static inline void \(prefix)_glide_(struct \(prefix)_ramp_ *ramp, float start, float target, int32_t frames) {
        \(prefix)_rest_(ramp, target);
        if (frames <= 0) return;
        ramp->start = start;
        ramp->step = \(prefix)_plain_((target - start) / (float)frames);
        ramp->length = frames;
      }

      /*
       * Where a ramp is after so many frames: frames * step + start, rounded once. A sum in double that is not exact is
       * made odd, so that rounding it again does no harm.
       */
      static inline float \(prefix)_value_(const struct \(prefix)_ramp_ *ramp, int32_t frames) {
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
        return \(prefix)_plain_((float)sum);
      }
      """
  }

  /// The function that turns a parameter.
  var setting: String {
    guard hasParameters else { return "" }
    return """
      /* Lets all ramps count from here. */
      static inline void \(prefix)_restart_(void *workspace) {
        int64_t *span = \(prefix)_ramp_span_(workspace);
        int32_t frames = (int32_t)(*\(prefix)_position_(workspace) - span[0]);
        for (struct \(prefix)_ramp_ *ramp = \(prefix)_ramps_(workspace), *end = ramp + \(constants)_PARAMETERS; ramp < end; ramp++) {
          if (ramp->length > 0) {
            \(prefix)_glide_(ramp, \(prefix)_value_(ramp, frames), ramp->target, ramp->length - frames);
          }
        }
        span[0] = *\(prefix)_position_(workspace);
      }

      /* Looks for the ramp that lands first. */
      static inline void \(prefix)_find_landing_(void *workspace) {
        int32_t least = 0x7fffffff;
        for (struct \(prefix)_ramp_ *ramp = \(prefix)_ramps_(workspace), *end = ramp + \(constants)_PARAMETERS; ramp < end; ramp++) {
          if (ramp->length > 0 && ramp->length < least) least = ramp->length;
        }
        \(prefix)_ramp_span_(workspace)[1] = \(prefix)_ramp_span_(workspace)[0] + least - 1;
      }

      static inline void \(prefix)_set(void *workspace, enum \(prefix)_parameter parameter, float value) {
        static const struct {
          float minimum, maximum;
          int32_t frames;
        } ranges[] = {
      \(ranges)
        };
        struct \(prefix)_ramp_ *ramp = \(prefix)_ramps_(workspace) + (int)parameter;
        if ((unsigned)parameter >= \(constants)_PARAMETERS || value != value) return;
        if (value < ranges[parameter].minimum) value = ranges[parameter].minimum;
        if (value > ranges[parameter].maximum) value = ranges[parameter].maximum;
        value = \(prefix)_plain_(value);
        if (ramp->target == value) return;
        *\(prefix)_settled_stale_(workspace) = 1;
        if (*\(prefix)_position_(workspace) > 0 && ranges[parameter].frames > 0) {
          \(prefix)_restart_(workspace);
          \(prefix)_glide_(ramp, \(prefix)_value_(ramp, 0), value, ranges[parameter].frames);
          \(prefix)_find_landing_(workspace);
        } else {
          \(prefix)_rest_(ramp, value);
          if (ranges[parameter].frames == 0) *\(prefix)_block_stale_(workspace) = 1;
        }
      }
      """
  }
}
