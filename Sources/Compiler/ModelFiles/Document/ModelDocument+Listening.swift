// SPDX-License-Identifier: Apache-2.0

extension ModelDocument {
  /// How a model of steps takes a stream of readings, as its file says: what `legato listen` begins with.
  ///
  ///     "listen": { "window": 50, "hop": 25, "columns": ["acc_x", "acc_y"], "states": { "stateIn": "stateOut" } }
  package struct Listening: Hashable, Sendable {
    /// Readings in a window, and from the beginning of one to that of the next.
    package var counts: [Count: Int] = [:]
    /// The names of a reading's numbers, in the order of the input; nil where the file does not say.
    package var columns: [String]?
    /// The output that each of some inputs is, of the window before.
    package var states: [String: String] = [:]

    package init() {}

    package enum Count: String, CaseIterable, Sendable {
      case window, hop
    }

    package static let most = 1 << 24
    package static let mostColumns = 4096
  }
}

extension ModelDocument.Keys {
  package static let listening =
    ModelDocument.Listening.Count.allCases.map(\.rawValue) + ["columns", "states"]
}
