// SPDX-License-Identifier: Apache-2.0

import GraphIR

/// The diagnostics of one file and those that it uses, until all of them can be said at once.
struct DiagnosticCollection {
  /// The file at hand, which places without a file are in.
  let file: String
  private var diagnostics: [Diagnostic] = []
  private var omitted = 0
  /// The diagnostics of other files: one that is used twice has its mistakes once.
  private var said: Set<Diagnostic> = []
  /// The files in the order in which they were first found to be wrong, after the one at hand.
  private var order: [String: Int] = [:]

  init(file: String) {
    self.file = file
    order[file] = 0
  }

  var isEmpty: Bool { diagnostics.isEmpty }

  /// Notes an error; the message is not even made once there are more than anybody reads.
  ///
  /// - Parameters:
  ///   - user: where the file of the place is used, if it is not the one at hand.
  ///   - culprit: the file that is missing or damaged, if it is another one.
  mutating func report(
    _ message: @autoclosure () -> String, at place: Place?, user: String? = nil, culprit: String? = nil
  ) {
    guard diagnostics.count < ModelDocument.maximumDiagnostics else {
      omitted += 1
      return
    }
    var diagnostic = Diagnostic(
      file: place?.file ?? file, place: place?.inFile(nil), message: message(), culprit: culprit)
    if place?.file != nil {
      guard said.insert(diagnostic).inserted else { return }
      order[diagnostic.file] = order[diagnostic.file] ?? order.count
      if let user { diagnostic.message += " (used by \(user))" }
    }
    diagnostics.append(diagnostic)
  }

  /// Notes errors that are not even described.
  mutating func omit(_ count: Int) { omitted += count }

  /// Sorted by file and place; those of one place stay in the order in which they were found.
  ///
  /// Precondition: there is at least one.
  var sorted: Diagnostics {
    var sorted = diagnostics.enumerated().sorted { a, b in
      let (first, second) = (a.element.place ?? .start, b.element.place ?? .start)
      let (one, other) = (order[a.element.file] ?? 0, order[b.element.file] ?? 0)
      return (one, first.line, first.column, a.offset) < (other, second.line, second.column, b.offset)
    }.map(\.element)
    if omitted > 0 {
      let message = omitted == 1 ? "one more error is left out" : "\(omitted) more errors are left out"
      sorted.append(Diagnostic(file: file, place: nil, message: message))
    }
    return Diagnostics(sorted)
  }
}
