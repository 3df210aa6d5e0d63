// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// The arguments of a subcommand: its operands and options.
package struct Arguments {
  package let operands: [String]
  private let given: [(option: Option, value: String?)]
  private let options: [Option]

  /// - Parameter options: all that the subcommand takes.
  package init(operands: [String], given: [(option: Option, value: String?)], of options: [Option]) {
    self.operands = operands
    self.given = given
    self.options = options
  }

  /// The words of a command line; each option has one value.
  ///
  /// - Throws: `Failure.usage` for an option that there is not, that is given twice, or that lacks its value.
  package init(_ words: [String], options: [Option]) throws(Failure) {
    var (operands, given) = ([String](), [(option: Option, value: String?)]())
    for word in wordsOfCommandLine(["the program"] + words, options: options) {
      switch word {
      case .operand(let operand): operands.append(operand)
      case .option(let option, let value):
        guard value == nil || option.isRepeatable || !given.contains(where: { $0.option == option }) else {
          throw .givenTwice(option)
        }
        given.append((option, value))
      case .unknown, .valueMissing, .valueUnexpected:
        if let refusal = word.refusal(among: options) { throw refusal }
      }
    }
    self.init(operands: operands, given: given, of: options)
  }

  /// Whether the subcommand takes an option.
  package func takes(_ option: Option) -> Bool { options.contains(option) }

  /// Others of the same subcommand.
  package func with(operands: [String], given: [(option: Option, value: String?)]) -> Arguments {
    Arguments(operands: operands, given: given, of: options)
  }

  package func has(_ option: Option) -> Bool { given.contains { $0.option == option } }

  /// The option's value, the last one of an option that may be repeated.
  package func value(of option: Option) -> String? { given.last { $0.option == option }?.value }

  /// All values of an option that may be repeated, in order.
  package func values(of option: Option) -> [String] {
    given.filter { $0.option == option }.compactMap(\.value)
  }

  /// The options with their values as they were given, in order, but for some.
  package func words(without left: [Option]) -> [(option: Option, value: String?)] {
    given.filter { !left.contains($0.option) }
  }

  /// The option's value as a whole number.
  package func integer(_ option: Option, in range: ClosedRange<Int>) throws(Failure) -> Int? {
    guard let text = value(of: option) else { return nil }
    guard let number = Int(text), range.contains(number) else {
      throw .usage(
        "--\(option.name) takes a whole number from \(range.lowerBound) to \(range.upperBound), not \(quoted(text))"
      )
    }
    return number
  }

  /// The option's value as a number.
  package func number(_ option: Option, in range: ClosedRange<Double>) throws(Failure) -> Double? {
    guard let text = value(of: option) else { return nil }
    guard let value = Double(text), range.contains(value) else {
      throw .usage(
        "--\(option.name) takes a number from \(written(range.lowerBound)) to \(written(range.upperBound)), "
          + "not \(quoted(text))")
    }
    return value
  }

  /// The option's value as one of some words.
  package func choice<Value>(_ option: Option, _ choices: [(name: String, value: Value)]) throws(Failure)
    -> Value?
  {
    guard let text = value(of: option) else { return nil }
    guard let choice = choices.first(where: { $0.name == text }) else {
      throw .usage("--\(option.name) takes \(alternatives(choices.map(\.name))), not \(quoted(text))")
    }
    return choice.value
  }

  /// The operands, which have to be as many as there are names.
  package func operands(_ names: String...) throws(Failure) -> [String] {
    if operands.count < names.count {
      let missing = names[operands.count...]
      throw .usage("\(alternatives(missing, "and")) \(missing.count == 1 ? "is" : "are") missing; see --help")
    }
    if operands.count > names.count {
      let usual = names.isEmpty ? "options only" : names.joined(separator: " ")
      throw .usage("\(quoted(operands[names.count])) is one too many; expected \(usual)")
    }
    for (name, operand) in zip(names, operands) where operand.isEmpty {
      throw .usage("\(name) is empty; see --help")
    }
    return operands
  }
}
