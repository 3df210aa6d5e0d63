// SPDX-License-Identifier: Apache-2.0

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

  typealias Option = VoiceArguments.Option

  private struct Subcommand: Sendable {
    let name: String
    let operands: String
    let meaning: String
    let options: [Option]
    let run: @Sendable (VoicesCommand, VoiceArguments) throws -> Void
  }

  private static let shared = [
    Option("folder", "DIR", "where voices are kept, in place of ~/.local/share/legato-voices"),
    Option("help", nil, "what there is to say"),
  ]
  private static let device = Option("device", "NAME", "the microphone, as ALSA calls it (default)")
  private static let plain = Option("plain", nil, "lines, also on a terminal")
  private static let force = Option("force", nil, "replace a file that is there")
  private static let json = Option("json", nil, "as JSON, a line each")

  private static let subcommands = [
    Subcommand(
      name: "record", operands: "NAME", meaning: "records a person; 'others' is anybody else",
      options: [
        Option("input", "FILE", "a sound file instead of the microphone"),
        Option("seconds", "N", "how long (10)"), device,
        Option("add", nil, "one more recording of somebody who is known"), plain,
      ], run: { try $0.record($1) }),
    Subcommand(
      name: "train", operands: "", meaning: "learns from the recordings who is who",
      options: [
        Option("epochs", "N", "how often all of it is seen (3)"),
        Option("rate", "R", "the rate of learning (0.01)"),
        Option("seed", "N", "says the order of the examples (1)"), plain,
      ], run: { try $0.train($1) }),
    Subcommand(
      name: "identify", operands: "[FILES…]", meaning: "says who speaks, in files or at the microphone",
      options: [
        Option("threshold", "P", "below this probability it is nobody who is known (0.6)"),
        Option("seconds", "N", "how long it listens (until it is ended)"), device, json, plain,
      ], run: { try $0.identify($1) }),
    Subcommand(
      name: "export", operands: "", meaning: "writes the trained model for other programs",
      options: [Option("output", "FILE", "a file .json, or .onnx"), force], run: { try $0.export($1) }),
    Subcommand(
      name: "list", operands: "", meaning: "lists who is known, and by how much", options: [json],
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
      let arguments = try VoiceArguments(
        Array(words.dropFirst()), of: name, subcommand.options + Self.shared)
      if arguments.has("help") {
        for line in Self.help(subcommand) { print(line) }
        return 0
      }
      try subcommand.run(self, arguments)
      return 0
    } catch let error as VoiceError {
      say("\(name): \(error)")
      return error.exitCode
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
    ["legato-voices \(subcommand.name) \(subcommand.operands)", "", "\(subcommand.meaning)", ""]
      + (subcommand.options + shared).map { option in
        let left = "--\(option.name)" + (option.value.map { " \($0)" } ?? "")
        return "  \(left.padding(toLength: 18, withPad: " ", startingAt: 0))\(option.meaning)"
      }
  }

  func folder(_ arguments: VoiceArguments) throws(VoiceError) -> VoiceFolder {
    guard let path = arguments.text("folder") else { return try VoiceFolder.standard(environment) }
    guard !path.isEmpty else { throw .usage("--folder needs a name") }
    var isFolder: ObjCBool = true
    guard unsafe !FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) || isFolder.boolValue
    else { throw .usage("--folder \(path): is a file, not a folder") }
    return VoiceFolder(path)
  }

  /// The only operand; letters with marks are one name however they are put together.
  func name(_ arguments: VoiceArguments) throws(VoiceError) -> String {
    guard arguments.operands.count == 1 else { throw .usage("one name is needed, such as anna") }
    return arguments.operands[0].precomposedStringWithCanonicalMapping
  }

  func noOperands(_ arguments: VoiceArguments) throws(VoiceError) {
    if let first = arguments.operands.first { throw .usage("'\(first)' is one word too many") }
  }

  func view(_ arguments: VoiceArguments) -> VoiceTerminal? { arguments.has("plain") ? nil : terminal }
}
