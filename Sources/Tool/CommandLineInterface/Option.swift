// SPDX-License-Identifier: Apache-2.0

/// An option of the command line. It means the same wherever it is understood.
package struct Option: Hashable, Sendable {
  /// Without the dashes.
  package let name: String
  /// A letter that means the same behind one dash.
  package let letter: Character?
  /// The placeholder of the value in help texts; nil where the option takes none.
  package let placeholder: String?
  package let meaning: String
  /// Whether several of it are several values, in every subcommand that understands it.
  package let isRepeatable: Bool

  package init(
    _ name: String, letter: Character? = nil, value placeholder: String? = nil, isRepeatable: Bool = false,
    _ meaning: String
  ) {
    self.name = name
    self.letter = letter
    self.placeholder = placeholder
    self.meaning = meaning
    self.isRepeatable = isRepeatable
  }

  package static let help = Option("help", letter: "h", "this text")
  package static let quiet = Option("quiet", "says nothing but errors")

  /// The option in lists, such as `-h, --help`.
  package var listing: String { (letter.map { "-\($0), " } ?? "") + usage }

  /// The option with its value, such as `--cpu NAME`.
  package var usage: String { "--" + name + (placeholder.map { " " + $0 } ?? "") }
}
