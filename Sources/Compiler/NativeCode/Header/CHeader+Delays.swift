// SPDX-License-Identifier: Apache-2.0

internal import RealtimeCore

/// Delays by a signal: how many samples each of them was asked for outside of its range.
extension CHeader {
  private var hasDelays: Bool { !layout.signalDelays.isEmpty }

  /// How many there are, and what is said of the function that tells their counts.
  var delays: String {
    guard hasDelays else { return "" }
    let rows = layout.signalDelays.enumerated().map { index, delay in
      " *     \(index)  \(Self.comment(delay.name)), \(delay.range.lowerBound) to \(delay.range.upperBound) frames"
    }
    return """
      /*
       * Delays by a signal:
       *
      \(rows.joined(separator: "\n"))
       *
       * How many samples one of them was asked for outside of its range since the beginning or the last reset. They were
       * taken from the nearest end of it.
       */
      #define \(constants)_DELAYS \(layout.signalDelays.count)
      static inline int64_t \(prefix)_samples_outside(void *workspace, int delay);
      """
  }

  /// The offset of the counts, and the functions that read them.
  var counts: String {
    guard hasDelays else { return "" }
    return """
      static inline int64_t *\(prefix)_counts_(void *workspace) {
        return (int64_t *)(void *)((char *)workspace + \(layout.countsOffset));
      }

      static inline int64_t \(prefix)_samples_outside(void *workspace, int delay) {
        return delay >= 0 && delay < \(constants)_DELAYS ? \(prefix)_counts_(workspace)[delay] : 0;
      }
      """
  }

  /// The lines of a reset that clear the counts.
  var uncounted: String {
    guard hasDelays else { return "" }
    return """
        int delay;
        for (delay = 0; delay < \(constants)_DELAYS; delay++) \(prefix)_counts_(workspace)[delay] = 0;

      """
  }
}
