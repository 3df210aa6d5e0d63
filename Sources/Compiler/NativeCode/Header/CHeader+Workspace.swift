// SPDX-License-Identifier: Apache-2.0

internal import RealtimeCore

/// The parts of a workspace, and how it begins.
extension CHeader {
  var partsOfWorkspace: String {
    """
    static inline int64_t *\(prefix)_position_(void *workspace) {
      return (int64_t *)(void *)((char *)workspace + \(layout.positionOffset));
    }

    /* Not 0 where values of parameters that step are to be computed again; then the same of those that glide. */
    static inline int32_t *\(prefix)_block_stale_(void *workspace) {
      return (int32_t *)(void *)((char *)workspace + \(layout.blockStaleOffset));
    }

    static inline int32_t *\(prefix)_settled_stale_(void *workspace) {
      return (int32_t *)(void *)((char *)workspace + \(layout.settledStaleOffset));
    }
    """
  }

  var beginning: String {
    """
    static inline void \(prefix)_reset(void *workspace) {
    \(cleared)\(uncounted)  *\(prefix)_position_(workspace) = 0;
      *\(prefix)_block_stale_(workspace) = 1;
      *\(prefix)_settled_stale_(workspace) = 1;
    \(hasParameters ? rested : "")}

    static inline void \(prefix)_init(void *workspace) {
      size_t byte;
      for (byte = 0; byte < \(constants)_WORKSPACE_SIZE; byte++) ((char *)workspace)[byte] = 0;
    \(initialised)  \(prefix)_reset(workspace);
    }
    """
  }

  private var cleared: String {
    let state = layout.stateRange
    guard !state.isEmpty else { return "" }
    return """
        char *state = (char *)workspace + \(state.lowerBound);
        size_t byte;
        for (byte = 0; byte < \(state.count); byte++) state[byte] = 0;

      """
  }

  private var rested: String {
    """
      int32_t parameter;
      \(prefix)_ramp_span_(workspace)->beginning = \(prefix)_ramp_span_(workspace)->landing = 0;
      for (parameter = 0; parameter < \(constants)_PARAMETERS; parameter++) {
        struct legato_ramp *ramp = \(prefix)_ramps_(workspace) + parameter;
        legato_ramp_rest(ramp, ramp->target);
      }

    """
  }

  private var initialised: String {
    layout.parameters.enumerated().map { index, parameter in
      "  \(prefix)_ramps_(workspace)[\(index)].target = \(literal(parameter.clamped(parameter.initial) ?? 0));\n"
    }.joined()
  }
}
