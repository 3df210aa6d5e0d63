// SPDX-License-Identifier: Apache-2.0

/// An option of the command line. It means the same wherever it is understood.
struct Option: Hashable, Sendable {
  /// Without the dashes.
  let name: String
  /// A letter that means the same behind one dash.
  let letter: Character?
  /// The placeholder of the value in help texts; nil where the option takes none.
  let placeholder: String?
  let meaning: String
  /// Whether several of it are several values, in every subcommand that understands it.
  let isRepeatable: Bool

  init(
    _ name: String, letter: Character? = nil, value placeholder: String? = nil, isRepeatable: Bool = false,
    _ meaning: String
  ) {
    self.name = name
    self.letter = letter
    self.placeholder = placeholder
    self.meaning = meaning
    self.isRepeatable = isRepeatable
  }

  static let help = Option("help", letter: "h", "this text")
  static let version = Option("version", "the versions of Legato and of LLVM, and the CPU")
  static let quiet = Option("quiet", "says nothing but errors")
  static let json = Option("json", "prints JSON")
  static let markdown = Option("markdown", "prints the page of the documentation")
  static let cpu = Option(
    "cpu", value: "NAME",
    "the CPU that code is made for: host (default), x86-64, x86-64-v3, x86-64-v4 or aarch64")
  static let target = Option(
    "target", value: "TARGET",
    "of compile, the machine that code is made for, such as aarch64-linux-gnu, with any CPU; of capture, the sound that "
      + "the amplifier made of --input")
  static let optimize = Option(
    "optimize", value: "GOAL", "what code is made for: speed (default) or size; never changes the sound")
  static let passes = Option(
    "passes", value: "LIST",
    "the optimisations that run: all (default), none, "
      + "all but some: -fusion,-fma-formation, or some: fusion")

  static let stopAfter = Option(
    "stop-after", value: "N",
    "the most rewrites that all optimisations make: halving N finds one that is wrong")

  /// The option in lists, such as `-h, --help`.
  var listing: String { (letter.map { "-\($0), " } ?? "") + usage }

  /// The option with its value, such as `--cpu NAME`.
  var usage: String { "--" + name + (placeholder.map { " " + $0 } ?? "") }
}
