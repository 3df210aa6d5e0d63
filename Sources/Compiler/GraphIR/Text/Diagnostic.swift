// SPDX-License-Identifier: Apache-2.0

/// A place in a text: one-based line and column, the column counted in characters.
package struct Place: Hashable, Sendable {
  package var line: Int
  package var column: Int
  /// The text's name where it is not the one at hand: a model can use others.
  package var file: String?

  package init(line: Int, column: Int, file: String? = nil) {
    self.line = line
    self.column = column
    self.file = file
  }

  /// The same place, in a text that is called so.
  package func inFile(_ file: String?) -> Place { Place(line: line, column: column, file: file) }

  package static let start = Place(line: 1, column: 1)
}

/// One thing that is wrong with a model, where it is, and what would be right.
///
/// A diagnostic describes what a person wrote; broken invariants of the compiler trap instead.
package struct Diagnostic: Hashable, Sendable, CustomStringConvertible {
  /// The file as the user named it, or the source's name where there is no file.
  package var file: String
  package var place: Place?
  /// One sentence without a final full stop: what is wrong, then the remedy.
  package var message: String
  /// The file that is missing or damaged, where that is another one.
  package var culprit: String?

  package init(file: String, place: Place?, message: String, culprit: String? = nil) {
    self.file = file
    self.place = place
    self.message = message
    self.culprit = culprit
  }

  package var description: String {
    guard let place else { return "\(file): \(message)" }
    return "\(file):\(place.line):\(place.column): \(message)"
  }
}

/// Everything that is wrong with a model, found in one go, in the order of the text.
package struct Diagnostics: Error, Sendable, CustomStringConvertible {
  package var all: [Diagnostic]

  package init(_ all: [Diagnostic]) {
    precondition(!all.isEmpty, "diagnostics without a diagnostic")
    self.all = all
  }

  package var description: String { all.map(\.description).joined(separator: "\n") }
}
