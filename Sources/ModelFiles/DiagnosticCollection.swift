// SPDX-License-Identifier: Apache-2.0

import GraphIR

/// What is found to be wrong with one file, until all of it can be said at once.
struct DiagnosticCollection {
  let file: String
  private var diagnostics: [Diagnostic] = []
  private var omitted = 0

  init(file: String) { self.file = file }

  var isEmpty: Bool { diagnostics.isEmpty }

  /// Notes an error; the message is not even made once there are more than anybody reads.
  mutating func report(_ message: @autoclosure () -> String, at place: Place?) {
    guard diagnostics.count < ModelDocument.maximumDiagnostics else {
      omitted += 1
      return
    }
    diagnostics.append(Diagnostic(file: file, place: place, message: message()))
  }

  /// Notes errors that are not even described.
  mutating func omit(_ count: Int) { omitted += count }

  /// Sorted by place; those of one place stay in the order in which they were found.
  ///
  /// Precondition: there is at least one.
  var sorted: Diagnostics {
    var sorted = diagnostics.enumerated().sorted { a, b in
      let (first, second) = (a.element.place ?? .start, b.element.place ?? .start)
      return (first.line, first.column, a.offset) < (second.line, second.column, b.offset)
    }.map(\.element)
    if omitted > 0 {
      let message = omitted == 1 ? "one more error is left out" : "\(omitted) more errors are left out"
      sorted.append(Diagnostic(file: file, place: nil, message: message))
    }
    return Diagnostics(sorted)
  }
}
