// SPDX-License-Identifier: Apache-2.0

package import GraphIR

/// What a pass talks to while it rewrites.
///
/// A pass asks before each rewrite and leaves things as they are where the answer is no: statistics and bisection
/// come to every pass alike.
package struct PassContext: Sendable {
  /// How many rewrites were made.
  package private(set) var rewrites = 0
  /// What the pass has to tell about the graph, such as why it could not do what somebody would expect.
  package private(set) var notes: [Diagnostic] = []
  private let limit: Int

  /// - Parameter limit: The most rewrites that the pass may make.
  package init(limit: Int = .max) { self.limit = limit }

  /// Counts one rewrite, where there may be one more.
  package mutating func mayRewrite() -> Bool {
    guard rewrites < limit else { return false }
    rewrites += 1
    return true
  }

  package mutating func note(_ note: Diagnostic) { notes.append(note) }
}
