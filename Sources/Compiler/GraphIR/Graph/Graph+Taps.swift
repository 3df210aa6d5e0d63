// SPDX-License-Identifier: Apache-2.0

extension Graph {
  /// The results of all delays by a signal, in the order in which they are counted.
  package var taps: [ValueID] {
    nodes.compactMap { node in if case .tap = node.op { node.result } else { nil } }
  }
}
