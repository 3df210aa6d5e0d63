// SPDX-License-Identifier: Apache-2.0

internal import CGetOpt
internal import Glibc
internal import GraphIR
internal import Synchronization

/// One word of a command line, as the C library's getopt_long understands it.
package enum CommandLineWord {
  case option(Option, value: String?)
  case operand(String)
  /// An unknown option, or the beginning of several.
  case unknown(String)
  case valueMissing(Option)
  /// An option that takes no value was given one.
  case valueUnexpected(Option)
}

extension CommandLineWord {
  /// The reason why the word cannot be taken; nil of operands and options.
  ///
  /// - Parameter known: the options that there are.
  package func refusal(among known: [Option]) -> Failure? {
    switch self {
    case .operand, .option: return nil
    case .valueMissing(let option): return .usage("\(option.usage) lacks its value; see --help")
    case .valueUnexpected(let option): return .usage("--\(option.name) takes no value")
    case .unknown(let text):
      let name = String(text.drop { $0 == "-" }.prefix { $0 != "=" })
      let longer = known.map(\.name).filter { text.hasPrefix("--") && $0.hasPrefix(name) && !name.isEmpty }
      if longer.count > 1 {
        let names = alternatives(longer.map { "--" + $0 }, "and")
        return .usage("--\(name) is the beginning of \(names); write more of it")
      }
      let nearest = longer.first ?? nearestName(to: name, among: known.map(\.name))
      return .usage(
        "no option is called \(quoted(text))" + (nearest.map { "; did you mean --\($0)?" } ?? "; see --help"))
    }
  }
}

/// Takes a command line apart. Options may stand anywhere, and be shortened; after `--` there are none.
///
/// getopt_long keeps its place in global variables: one command line is taken apart at a time.
package func wordsOfCommandLine(_ words: [String], options: [Option]) -> [CommandLineWord] {
  getOptLock.withLock { _ in foundWords(words, options) }
}

private let getOptLock = Mutex(())

private func foundWords(_ words: [String], _ options: [Option]) -> [CommandLineWord] {
  // Above every character: those are the letters of options.
  let firstNumber = 256
  func named(_ number: Int) -> Option {
    guard number >= firstNumber else {
      return options.first { $0.letter?.unicodeScalars.first.map(sign) == number } ?? .help
    }
    return options[number - firstNumber]
  }
  // "-" hands out operands in their place, whatever POSIXLY_CORRECT says; ":" tells a missing value from the rest.
  let letters = options.reduce("-:") { letters, option in
    letters + (option.letter.map { String($0) + (option.placeholder == nil ? "" : ":") } ?? "")
  }
  let arguments = UnsafeMutableBufferPointer<UnsafeMutablePointer<CChar>?>.allocate(capacity: words.count + 1)
  let table = UnsafeMutableBufferPointer<option>.allocate(capacity: options.count + 1)
  unsafe arguments.initialize(repeating: nil)
  unsafe table.initialize(repeating: option())
  for (index, word) in words.enumerated() { unsafe arguments[index] = strdup(word) }
  for (index, each) in options.enumerated() {
    let takesValue = each.placeholder == nil ? no_argument : required_argument
    unsafe table[index] = option(
      name: strdup(each.name), has_arg: takesValue, flag: nil, val: Int32(firstNumber + index))
  }
  defer {
    for index in words.indices { unsafe free(arguments[index]) }
    for index in options.indices { unsafe free(UnsafeMutableRawPointer(mutating: table[index].name)) }
    unsafe arguments.deallocate()
    unsafe table.deallocate()
  }

  var found: [CommandLineWord] = []
  CGetOptBegin()
  while true {
    let step = unsafe CGetOptNext(Int32(words.count), arguments.baseAddress!, letters, table.baseAddress!)
    let value = unsafe step.value.map { unsafe String(cString: $0) }
    let (number, refused) = unsafe (Int(step.number), Int(step.refused))
    switch number {
    case -1:
      return unsafe found + words[Int(step.next)...].map(CommandLineWord.operand)
    case 1:
      found.append(.operand(value ?? ""))
    case sign(":"):
      found.append(.valueMissing(named(refused)))
    case sign("?") where refused >= firstNumber:
      found.append(.valueUnexpected(options[refused - firstNumber]))
    case sign("?"):
      let letter = UInt8(exactly: refused).flatMap { (0x21..<0x7F).contains($0) ? $0 : nil }
      let text = letter.map { "-\(Character(Unicode.Scalar($0)))" }
      found.append(.unknown(unsafe text ?? words[Int(step.next) - 1]))
    case _:
      found.append(.option(named(number), value: value))
    }
  }
}

private func sign(_ character: Unicode.Scalar) -> Int { Int(character.value) }
