// SPDX-License-Identifier: Apache-2.0

internal import GraphPlanning
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
    \(warming)static inline void \(prefix)_reset(void *workspace) {
    \(cleared)\(uncounted)  *\(prefix)_position_(workspace) = 0;
      *\(prefix)_block_stale_(workspace) = 1;
      *\(prefix)_settled_stale_(workspace) = 1;
    \(hasParameters ? rested : "")}

    static inline void \(prefix)_init(void *workspace) {
      size_t byte;
      for (byte = 0; byte < \(constants)_WORKSPACE_SIZE; byte++) ((char *)workspace)[byte] = 0;
    \(initialised)  \(prefix)_reset(workspace);
    \(warms ? "  \(prefix)_warm_(workspace);\n  \(prefix)_reset(workspace);\n" : "")}
    """
  }

  private var cleared: String {
    let state = layout.stateRange
    guard !state.isEmpty else { return "" }
    return """
        char *state = (char *)workspace + \(state.lowerBound);
        size_t byte;
        for (byte = 0; byte < \(state.count); byte++) state[byte] = \(warms ? "state[byte + \(initialOffset - state.lowerBound)]" : "0");

      """
  }

  // MARK: Warming up

  var warms: Bool { layout.prewarm > 0 && !layout.stateRange.isEmpty }
  private var initialOffset: Int { layout.workspaceSize.roundedUp(to: 64) }
  /// Frames, or steps, of silence at a time.
  private var warmingBlock: Int { layout.executesStream ? min(layout.prewarm, 128) : 1 }
  private var longestInput: Int { layout.inputs.map { $0.rowLength ?? 1 }.max() ?? 0 }
  private var longestOutput: Int { layout.outputs.map { $0.rowLength ?? 1 }.max() ?? 0 }
  private var outputRows: Int { layout.outputs.reduce(0) { $0 + $1.rows } }

  /// Bytes behind the workspace's own: the state that a reset returns to, and before that the rows of silent frames.
  var initialBytes: Int {
    guard warms else { return 0 }
    let numbers = warmingBlock * (longestInput + outputRows * longestOutput)
    return max(layout.stateRange.count, 4 * numbers).roundedUp(to: 64)
  }

  /// The function that executes silence, and keeps the state behind it.
  private var warming: String {
    guard warms else { return "" }
    let state = layout.stateRange
    let inputs = max(layout.inputs.reduce(0) { $0 + $1.rows }, 1)
    let span =
      hasParameters
      ? "  \(prefix)_ramp_span_(workspace)->beginning = \(prefix)_ramp_span_(workspace)->landing = -\(layout.prewarm);\n"
      : ""
    return """
      static inline void \(prefix)_warm_(void *workspace) {
        const float *inputs[\(inputs)];
        float *outputs[\(outputRows)];
        char *state = (char *)workspace + \(state.lowerBound), *initial = (char *)workspace + \(initialOffset);
        size_t index;
        uint64_t mode;
        for (index = 0; index < \(inputs); index++) inputs[index] = (const float *)(void *)initial;
        for (index = 0; index < \(outputRows); index++)
          outputs[index] = (float *)(void *)initial + \(warmingBlock * longestInput) + index * \(warmingBlock * longestOutput);
        *\(prefix)_position_(workspace) = -\(layout.prewarm);
      \(span)  mode = \(prefix)_enter_mode();
        while (*\(prefix)_position_(workspace) < 0) {
          const int64_t left = -*\(prefix)_position_(workspace);
          \(symbol)(inputs, outputs, workspace, left < \(warmingBlock) ? (size_t)left : \(warmingBlock));
        }
        \(prefix)_leave_mode(mode);
        for (index = 0; index < \(state.count); index++) initial[index] = state[index];
      }


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
