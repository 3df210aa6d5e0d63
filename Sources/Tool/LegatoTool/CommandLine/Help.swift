// SPDX-License-Identifier: Apache-2.0

internal import CommandLineInterface

extension Console {
  /// The text of `legato --help`.
  var help: String {
    let examples = "models/bitcrusher.json models/audio/pluck-and-drums.wav crushed.wav"
    return """
      Legato turns model files into native code, and runs sound through it.

      \(heading("usage"))
      \(Self.rows(Subcommand.all.map { ("legato \($0.usage)", $0.summary) }))

      \(heading("everywhere"))
      \(Self.rows((Subcommand.commonOptions + [.version]).map { ($0.listing, $0.meaning) }))

      \(heading("example"))
        legato process \(examples)

      MODEL is the path of a file, or a name that `legato models` lists: `legato process filter in.wav out.wav`.

      `legato help process`, or `legato process --help`, tells more of process, and so on. Exit codes: 0 done,
      1 failed, 2 wrong usage, 3 a device is absent or lost, 4 a verification failed or a check found something, 128 + n
      ended by signal n.

      """
  }

  /// The text of `legato SUBCOMMAND --help`.
  func help(of subcommand: Subcommand) -> String {
    let options = subcommand.options + Subcommand.commonOptions
    return """
      \(subcommand.summary)

      \(heading("usage"))
      \(subcommand.usages.map { "  legato " + $0 }.joined(separator: "\n"))

      \(subcommand.explanation)

      \(heading("options"))
      \(Self.rows(options.map { ($0.listing, $0.meaning) }))

      \(heading("example"))
        \(subcommand.example)

      """
  }
}
