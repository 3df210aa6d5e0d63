// SPDX-License-Identifier: Apache-2.0

internal import CommandLineInterface
internal import GraphIR
internal import Legato

/// One run of `legato`, from its command line to its exit code.
struct Command {
  private let words: [CommandLineWord]
  private let invalid: String?

  init(_ arguments: RawArguments) {
    let named = arguments.words.lazy.compactMap { word in Subcommand.all.first { $0.name == word } }.first
    var options = (named?.options ?? []) + Subcommand.commonOptions + [.version]
    for option in Subcommand.all.flatMap(\.options) where !options.contains(option) {
      // Those of other subcommands are known by their whole names: they keep nobody from shortening the own ones.
      let isMeant = arguments.words.contains { $0 == "--\(option.name)" || $0.hasPrefix("--\(option.name)=") }
      if named == nil || option.letter != nil || isMeant { options.append(option) }
    }
    words = wordsOfCommandLine(arguments.words, options: options)
    invalid = arguments.invalid
  }

  /// Does what was asked for, and says what to exit with.
  func run() -> Int32 {
    var operands: [String] = []
    var given: [(option: Option, value: String?)] = []
    for word in words {
      switch word {
      case .operand(let operand): operands.append(operand)
      case .option(let option, let value): given.append((option, value))
      case .unknown, .valueMissing, .valueUnexpected: break
      }
    }
    // `legato help process` and `legato process --help` are the same.
    if operands.first == "help" {
      operands.removeFirst()
      given.append((.help, nil))
    }
    let console = Console(isQuiet: given.contains { $0.option == .quiet })
    let subcommand = operands.first.flatMap { name in Subcommand.all.first { $0.name == name } }
    do {
      if let invalid, subcommand?.takesAnyBytes != true {
        throw Failure.usage("the argument \(quoted(invalid)) is not UTF-8; rename the file, or link to it")
      }
      let arguments = Arguments(
        operands: Array(operands.dropFirst()), given: given, of: subcommand?.options ?? []
      )
      .findingModels(isFirst: subcommand?.operands.hasPrefix("MODEL") ?? false)
      if operands.isEmpty || subcommand != nil { try check(subcommand) }
      if arguments.has(.version) {
        try console.print(Self.versions)
      } else if let subcommand {
        if arguments.has(.help) {
          try console.print(console.help(of: subcommand))
        } else {
          try subcommand.run(arguments, console)
        }
      } else if let name = operands.first {
        throw unknown(name)
      } else if arguments.has(.help) {
        try console.print(console.help)
      } else {
        throw Failure.usage(
          "what to do is missing: \(alternatives(Subcommand.all.map(\.name))); see legato --help")
      }
      return 0
    } catch {
      let failure = Failure(error)
      for line in failure.lines(of: subcommand?.name ?? "legato") { console.error(line) }
      if case .brokenPipe = failure { Interruption.endByBrokenPipe() }
      return failure.exitCode
    }
  }

  /// Refuses what getopt_long refuses, options of other subcommands, and several values where one is taken.
  private func check(_ subcommand: Subcommand?) throws(Failure) {
    let known = (subcommand?.options ?? []) + Subcommand.commonOptions + [.version]
    var single: Set<Option> = []
    for word in words {
      switch word {
      case .operand: break
      case .option(let option, let value):
        guard !known.contains(option), let subcommand else {
          let repeats = option.isRepeatable || subcommand?.repeatable.contains(option) ?? false
          guard value == nil || repeats || single.insert(option).inserted else {
            throw .givenTwice(option)
          }
          continue
        }
        let others = Subcommand.all.filter { $0.options.contains(option) }.map(\.name)
        let longer = known.first { $0.name.hasSuffix("-" + option.name) }
        throw .usage(
          "--\(option.name) is an option of \(alternatives(others, "and")), not of \(subcommand.name)"
            + (longer.map { ", which has --\($0.name)" } ?? ""))
      case .unknown, .valueMissing, .valueUnexpected:
        if let refusal = word.refusal(among: known) { throw refusal }
      }
    }
  }

  private func unknown(_ name: String) -> Failure {
    let names = Subcommand.all.map(\.name)
    let hint =
      nearestName(to: name, among: names).map { "did you mean \($0)?" }
      ?? "there are \(alternatives(names, "and"))"
    return .usage("no subcommand is called \(quoted(name)); \(hint)")
  }

  static let version = "0.1.0"

  private static var versions: String {
    let compiler: String
    do throws(ModelError) {
      let found = try HostCompiler.found()
      compiler = "LLVM \(found.version)\nCPU \(found.cpu), vectors of \(found.lanes) floats"
    } catch {
      compiler = "LLVM not found: \(error)"
    }
    return "legato \(version)\n\(compiler)\n"
  }
}
