// SPDX-License-Identifier: Apache-2.0

internal import CRampText
internal import RealtimeCore

/// Ramps in the header: the same text that RealtimeCore is compiled of.
extension CHeader {
  /// The type of a ramp, and its functions.
  var ramps: String {
    guard hasParameters else { return "" }
    let text = unsafe String(cString: legato_ramp_text())
    // Two lines are the source's own.
    let shared = text.split(separator: "\n", maxSplits: 2, omittingEmptySubsequences: false)[2].dropLast()
    return """
      \(shared)

      static inline struct legato_ramp *\(prefix)_ramps_(void *workspace) {
        return (struct legato_ramp *)(void *)((char *)workspace + \(layout.rampsOffset));
      }

      /* When the ramps began, and when the next of them lands. */
      static inline struct legato_ramp_span *\(prefix)_ramp_span_(void *workspace) {
        return (struct legato_ramp_span *)(void *)((char *)workspace + \(layout.rampSpanOffset));
      }
      """
  }

  /// The function that turns a parameter.
  var setting: String {
    guard hasParameters else { return "" }
    return """
      static inline void \(prefix)_set(void *workspace, enum \(prefix)_parameter parameter, float value) {
        static const struct {
          float minimum, maximum;
          int32_t frames;
        } ranges[] = {
      \(ranges)
        };
        struct legato_ramp *ramp = \(prefix)_ramps_(workspace) + (int)parameter;
        if ((unsigned)parameter >= \(constants)_PARAMETERS || value != value) return;
        if (value < ranges[parameter].minimum) value = ranges[parameter].minimum;
        if (value > ranges[parameter].maximum) value = ranges[parameter].maximum;
        value = legato_without_denormals(value);
        if (ramp->target == value) return;
        *\(prefix)_settled_stale_(workspace) = 1;
        if (*\(prefix)_position_(workspace) > 0 && ranges[parameter].frames > 0) {
          legato_ramps_restart(
              \(prefix)_ramps_(workspace), \(constants)_PARAMETERS, \(prefix)_ramp_span_(workspace),
              *\(prefix)_position_(workspace));
          legato_ramp_glide(ramp, legato_ramp_value(ramp, 0), value, ranges[parameter].frames);
          legato_ramps_find_landing(
              \(prefix)_ramps_(workspace), \(constants)_PARAMETERS, \(prefix)_ramp_span_(workspace));
        } else {
          legato_ramp_rest(ramp, value);
          if (ranges[parameter].frames == 0) *\(prefix)_block_stale_(workspace) = 1;
        }
      }
      """
  }
}
