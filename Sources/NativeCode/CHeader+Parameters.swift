// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import RealtimeCore

/// What a user turns, and beginning anew.
extension CHeader {
  func enumeration(_ names: [String]) -> String {
    let count = "#define \(constants)_PARAMETERS \(names.count)"
    guard !names.isEmpty else { return "/* There is no parameter. */\n\(count)" }
    let rows = zip(names, layout.parameters).enumerated().map { index, row in
      let (name, parameter) = row
      let unit = parameter.unit.isEmpty ? "" : " " + Self.comment(parameter.unit)
      let way = parameter.rampFrames > 0 ? "glides over \(parameter.rampFrames) frames" : "steps"
      let summary = summaries[index].isEmpty ? "" : ": " + Self.comment(summaries[index])
      let comma = index + 1 < names.count ? "," : ""
      return """
          /* \(Self.comment(parameter.name))\(summary)
             \(plain(parameter.minimum)) to \(plain(parameter.maximum))\(unit), \(plain(parameter.initial)) at first; \(way) */
          \(name) = \(index)\(comma)
        """
    }
    return """
      \(count)

      /* What a user turns. */
      enum \(prefix)_parameter {
      \(rows.joined(separator: "\n"))
      };
      """
  }

  /// The workspace's parts, and the functions that bring it to its beginning.
  func beginning(_ names: [String]) -> String {
    let hasParameters = !names.isEmpty
    return """
      /* Parts of a workspace; theirs is the object's business. */
      static inline int64_t *\(prefix)_position_(void *workspace) {
        return (int64_t *)(void *)((char *)workspace + \(layout.positionOffset));
      }

      /* What is not 0 where values of parameters that step, and of those that glide, are to be computed again. */
      static inline int32_t *\(prefix)_block_stale_(void *workspace) {
        return (int32_t *)(void *)((char *)workspace + \(layout.blockStaleOffset));
      }

      static inline int32_t *\(prefix)_settled_stale_(void *workspace) {
        return (int32_t *)(void *)((char *)workspace + \(layout.settledStaleOffset));
      }
      \(hasParameters ? "\n" + ramps + "\n" : "")
      /*
       * Begins anew, at frame 0: clears what the model remembers. Parameters keep the values that were last set, and
       * hold them from the first frame on.
       */
      static inline void \(prefix)_reset(void *workspace) {
        size_t byte;
        for (byte = \(layout.stateRange.lowerBound); byte < \(layout.stateRange.upperBound); byte++) ((char *)workspace)[byte] = 0;
        *\(prefix)_position_(workspace) = 0;
        *\(prefix)_block_stale_(workspace) = 1;
        *\(prefix)_settled_stale_(workspace) = 1;\(hasParameters ? "\n" + resting : "")
      }

      /* Makes a workspace of memory: at frame 0, with parameters at their first values. */
      static inline void \(prefix)_init(void *workspace) {
        size_t byte;
        for (byte = 0; byte < \(constants)_WORKSPACE_SIZE; byte++) ((char *)workspace)[byte] = 0;\(initialising)
        \(prefix)_reset(workspace);
      }
      """
  }

  private var initialising: String {
    layout.parameters.enumerated().map { index, parameter in
      "\n  \(prefix)_ramp_(workspace, \(index))->target = \(literal(parameter.clamped(parameter.initial) ?? 0));"
    }.joined()
  }

  private var resting: String {
    """
      int index;
      for (index = 0; index < \(constants)_PARAMETERS; index++) {
        \(prefix)_rest_(\(prefix)_ramp_(workspace, index), \(prefix)_ramp_(workspace, index)->target);
      }
    """
  }

  /// A float as C reads it back.
  func literal(_ number: Float) -> String { "\(number)f" }

  private func plain(_ number: Float) -> String { written(number) }
}
