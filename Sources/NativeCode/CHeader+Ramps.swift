// SPDX-License-Identifier: Apache-2.0

internal import RealtimeCore

/// Gliding, as `RampState` and `Wiring` have it.
extension CHeader {
  /// The type of a ramp, and what is done with one.
  var ramps: String {
    """
    /* A parameter on its way: so many frames after the beginning it is elapsed * step + start. */
    struct \(prefix)_ramp_ {
      float start, step, target;
      int32_t length, elapsed, unused[3];
    };

    static inline struct \(prefix)_ramp_ *\(prefix)_ramp_(void *workspace, int parameter) {
      return (struct \(prefix)_ramp_ *)(void *)((char *)workspace + \(layout.rampsOffset)) + parameter;
    }

    static inline void \(prefix)_rest_(struct \(prefix)_ramp_ *ramp, float value) {
      ramp->start = ramp->target = value;
      ramp->step = 0;
      ramp->length = ramp->elapsed = 0;
    }
    """
  }

  /// The function that turns a parameter.
  func setting(_ names: [String]) -> String {
    guard !names.isEmpty else { return "" }
    return """
      /* Zero in place of a denormal, or of a negative zero. */
      static inline float \(prefix)_plain_(float value) {
        return value < 1.17549435e-38f && value > -1.17549435e-38f ? 0 : value;
      }

      /* a * b + c, rounded once: a sum that is not exact is made odd, so that rounding it again does no harm. */
      static inline float \(prefix)_fused_(float a, float b, float c) {
        double product = (double)a * (double)b, sum = product + (double)c, part = sum - product;
        double error = (product - (sum - part)) + ((double)c - part);
        int64_t bits;
        __builtin_memcpy(&bits, &sum, sizeof bits);
        if (error != 0 && bits % 2 == 0) {
          bits += (error > 0) == (sum > 0) ? 1 : -1;
          __builtin_memcpy(&sum, &bits, sizeof bits);
        }
        return (float)sum;
      }

      /*
       * Turns a parameter: before the first frame it jumps, afterwards it glides from where it is. A value outside the
       * range is moved into it; not-a-number is ignored.
       */
      static inline void \(prefix)_set(void *workspace, enum \(prefix)_parameter parameter, float value) {
        static const struct {
          float minimum, maximum;
          int32_t frames;
        } ranges[] = {
      \(ranges)
        };
        struct \(prefix)_ramp_ *ramp = \(prefix)_ramp_(workspace, (int)parameter);
        int32_t frames;
        float from;
        if ((unsigned)parameter >= \(constants)_PARAMETERS || value != value) return;
        frames = ranges[parameter].frames;
        from = ramp->target;
        if (value < ranges[parameter].minimum) value = ranges[parameter].minimum;
        if (value > ranges[parameter].maximum) value = ranges[parameter].maximum;
        value = \(prefix)_plain_(value);
        if (ramp->target == value) return;
        if (ramp->elapsed < ramp->length) {
          from = \(prefix)_plain_(\(prefix)_fused_((float)ramp->elapsed, ramp->step, ramp->start));
        }
        \(prefix)_rest_(ramp, value);
        *\(prefix)_settled_stale_(workspace) = 1;
        if (frames == 0) *\(prefix)_block_stale_(workspace) = 1;
        if (frames > 0 && *\(prefix)_position_(workspace) > 0) {
          ramp->start = from;
          ramp->step = \(prefix)_plain_((value - from) / (float)frames);
          ramp->length = frames;
        }
      }
      """
  }

  private var ranges: String {
    layout.parameters.map {
      "    {\(literal($0.minimum)), \(literal($0.maximum)), \($0.rampFrames)}"
    }.joined(separator: ",\n")
  }
}
