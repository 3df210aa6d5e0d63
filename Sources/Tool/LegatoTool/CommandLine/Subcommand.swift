// SPDX-License-Identifier: Apache-2.0

internal import CommandLineInterface

/// Something that `legato` does: a name, what it understands, and a function.
struct Subcommand: Sendable {
  let name: String
  /// The operands after the name, such as `MODEL INPUT OUTPUT`.
  let operands: String
  /// Other ways to name operands.
  var moreOperands: [String] = []
  /// The subcommand with its operands, such as `inspect MODEL`.
  var usage: String { operands.isEmpty ? name : name + " " + operands }
  var usages: [String] { [usage] + moreOperands.map { name + " " + $0 } }
  /// One line for the list of all.
  let summary: String
  /// The rest of its help.
  let explanation: String
  let example: String
  let options: [Option]
  /// Those of its options that have several values here, and one elsewhere.
  var repeatable: [Option] = []
  /// Whether paths need not be UTF-8.
  var takesAnyBytes = false
  let run: @Sendable (Arguments, Console) throws -> Void

  /// All of them, in the order in which `legato --help` lists them.
  static let all = [
    process, run, live, listen, capture, train, evaluate, federate, devices, models, inspect, plot, compile,
    imports, export, interface,
    verify, ops,
  ]

  /// The options of every subcommand.
  static let commonOptions: [Option] = [.quiet, .help]
}
