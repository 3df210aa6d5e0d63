// SPDX-License-Identifier: Apache-2.0

package import GraphIR

/// The context of a pass while it rewrites.
///
/// A pass asks before each rewrite and leaves things as they are where the answer is no: statistics and bisection
/// come to every pass alike.
package struct PassContext: Sendable {
  /// How many rewrites were made.
  package private(set) var rewrites = 0
  /// How often each rule was applied, in the order in which they first were.
  package private(set) var rules: [PassReport.Rule] = []
  /// The notes of the pass about the graph, such as why it could not do what somebody would expect.
  package private(set) var notes: [PassNote] = []
  private let limit: Int

  /// - Parameter limit: The most rewrites that the pass may make.
  package init(limit: Int = .max) { self.limit = limit }

  /// Counts one rewrite, where there may be one more.
  ///
  /// - Parameter rule: What is applied, for statistics of passes that have a table of rules.
  package mutating func mayRewrite(by rule: String? = nil) -> Bool {
    guard rewrites < limit else { return false }
    rewrites += 1
    guard let rule else { return true }
    if let row = rules.firstIndex(where: { $0.name == rule }) {
      rules[row].count += 1
    } else {
      rules.append(.init(name: rule, count: 1))
    }
    return true
  }

  package mutating func note(_ note: PassNote) { notes.append(note) }
}

/// A note of a pass about a graph.
package struct PassNote: Hashable, Sendable {
  package enum Severity: Hashable, Sendable {
    /// Good to know for whoever makes the model faster.
    case note
    /// Hardly what the author meant.
    case warning
  }

  package var severity: Severity
  /// The value that it is about, by its name, or else by the function that it is a part of, or what computes it; nil
  /// for the graph.
  package var subject: String?
  /// The value's place in the source, if known.
  package var place: Place?
  /// One sentence without a final full stop.
  package var message: String

  /// Something about the graph.
  package init(_ severity: Severity, _ message: String) {
    self.severity = severity
    self.message = message
  }

  /// Something about a value of a graph.
  package init(_ severity: Severity, of value: ValueID, in graph: Graph, _ message: String) {
    self.severity = severity
    subject =
      graph.origins.names[value] ?? graph.origins.functions[value] ?? graph.definition(of: value).op.shortName
    place = graph.origins.places[value]
    self.message = message
  }
}
