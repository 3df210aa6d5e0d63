// SPDX-License-Identifier: Apache-2.0

internal import CGetOpt
internal import Glibc

/// One word of a command line, as the C library's getopt_long understands it.
enum CommandLineWord {
  case option(Option, value: String?)
  case operand(String)
  /// An unknown option, or the beginning of several.
  case unknown(String)
  case valueMissing(Option)
  /// An option that takes no value was given one.
  case valueUnexpected(Option)
}

/// Takes a command line apart. Options may stand anywhere, and be shortened; after `--` there are none.
///
/// getopt_long keeps its place in global variables: this is called once, by one thread.
func wordsOfCommandLine(_ words: [String], options: [Option]) -> [CommandLineWord] {
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
