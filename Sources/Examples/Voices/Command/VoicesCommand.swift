// SPDX-License-Identifier: Apache-2.0

internal import CommandLineInterface
internal import Foundation

/// The program `legato-voices`: results to one side, messages to the other.
package struct VoicesCommand {
  let environment: [String: String]
  /// Takes a line of the results.
  let print: (String) -> Void
  /// Takes a line of the messages.
  let say: (String) -> Void
  /// Shows what goes on; nil where that is no terminal.
  let terminal: VoiceTerminal?

  /// - Parameters:
  ///   - environment: variables by their names.
  ///   - print: takes a line of the results.
  ///   - say: takes a line of the messages.
  ///   - terminal: shows what goes on; nil where that is no terminal.
  package init(
    environment: [String: String], print: @escaping (String) -> Void, say: @escaping (String) -> Void,
    terminal: VoiceTerminal? = nil
  ) {
    (self.environment, self.print, self.say, self.terminal) = (environment, print, say, terminal)
  }

  private struct Subcommand: Sendable {
    let name: String
    let operands: String
    let meaning: String
    let options: [Option]
    let run: @Sendable (VoicesCommand, Arguments) throws -> Void
  }

  private static let subcommands = [
    Subcommand(
      name: "record", operands: "NAME", meaning: "records a person; 'others' is anybody else",
      options: [.input, .seconds, .device, .add, .plain], run: { try $0.record($1) }),
    Subcommand(
      name: "train", operands: "", meaning: "learns from the recordings who is who",
      options: [.epochs, .rate, .seed, .plain], run: { try $0.train($1) }),
    Subcommand(
      name: "identify", operands: "[FILES…]", meaning: "says who speaks, in files or at the microphone",
      options: [.threshold, .seconds, .device, .json, .plain], run: { try $0.identify($1) }),
    Subcommand(
      name: "export", operands: "", meaning: "writes the trained model for other programs",
      options: [.output, .force], run: { try $0.export($1) }),
    Subcommand(
      name: "list", operands: "", meaning: "lists who is known, and by how much", options: [.json],
      run: { try $0.list($1) }),
    Subcommand(
      name: "remove", operands: "NAME", meaning: "forgets a person", options: [], run: { try $0.remove($1) }),
  ]

  /// Runs a command line, without the program's name; returns how the process ends where no signal asked for the end.
  package func run(_ words: [String]) -> Int32 {
    guard let name = words.first, !["--help", "-h", "help"].contains(name) else {
      for line in Self.overview { print(line) }
      return words.isEmpty ? 2 : 0
    }
    guard let subcommand = Self.subcommands.first(where: { $0.name == name }) else {
      let known = Self.subcommands.map(\.name).joined(separator: ", ")
      say("legato-voices: there is no '\(name)'; there are \(known)")
      return 2
    }
    do {
      let arguments = try Arguments(Array(words.dropFirst()), options: subcommand.options + Option.shared)
      if arguments.has(.help) {
        for line in Self.help(subcommand) { print(line) }
        return 0
      }
      try subcommand.run(self, arguments)
      return 0
    } catch let error as VoiceError {
      say("\(name): \(error)")
      return error.exitCode
    } catch let failure as Failure {
      for line in failure.lines(of: name) { say(line) }
      return failure.exitCode
    } catch {
      say("\(name): \(error)")
      return 1
    }
  }

  private static var overview: [String] {
    ["legato-voices: says who speaks", ""]
      + subcommands.map {
        "  \("\($0.name) \($0.operands)".padding(toLength: 20, withPad: " ", startingAt: 0))\($0.meaning)"
      }
      + ["", "legato-voices SUBCOMMAND --help says more of each."]
  }

  private static func help(_ subcommand: Subcommand) -> [String] {
    let options = (subcommand.options + Option.shared).map { ($0.listing, $0.meaning) }
    return ["legato-voices \(subcommand.name) \(subcommand.operands)", "", "\(subcommand.meaning)", ""]
      + Console.rows(options).split(separator: "\n").map(String.init)
  }

  func folder(_ arguments: Arguments) throws(VoiceError) -> VoiceFolder {
    guard let path = arguments.value(of: .folder) else { return try VoiceFolder.standard(environment) }
    guard !path.isEmpty else { throw .usage("--folder needs a name") }
    var isFolder: ObjCBool = true
    guard unsafe !FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) || isFolder.boolValue
    else { throw .usage("--folder \(path): is a file, not a folder") }
    return VoiceFolder(path)
  }

  /// The only operand; letters with marks are one name however they are put together.
  func name(_ arguments: Arguments) throws(VoiceError) -> String {
    guard arguments.operands.count == 1 else { throw .usage("one name is needed, such as anna") }
    return arguments.operands[0].precomposedStringWithCanonicalMapping
  }

  func noOperands(_ arguments: Arguments) throws(VoiceError) {
    if let first = arguments.operands.first { throw .usage("'\(first)' is one word too many") }
  }

  func view(_ arguments: Arguments) -> VoiceTerminal? { arguments.has(.plain) ? nil : terminal }
}
