// SPDX-License-Identifier: Apache-2.0

/// The words of a command line, sorted into operands and options, which may stand anywhere.
struct VoiceArguments {
  /// An option, and what its value is called; nil of a switch.
  struct Option: Hashable, Sendable {
    let name: String
    let value: String?
    let meaning: String

    init(_ name: String, _ value: String?, _ meaning: String) {
      (self.name, self.value, self.meaning) = (name, value, meaning)
    }
  }

  private(set) var operands: [String] = []
  private var values: [String: String] = [:]

  /// - Throws: `VoiceError.usage` for an option that there is not, or that lacks its value.
  init(_ words: [String], of command: String, _ options: [Option]) throws(VoiceError) {
    var rest = words[...]
    while let word = rest.popFirst() {
      guard word != "--" else {
        operands += rest
        return
      }
      guard word.hasPrefix("-"), word != "-" else {
        operands.append(word)
        continue
      }
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      let given =
        parts[0] == "-o" ? "output" : parts[0] == "-h" ? "help" : String(parts[0].drop { $0 == "-" })
      guard let option = options.first(where: { $0.name == given }) else {
        let known = options.map { "--\($0.name)" }.joined(separator: ", ")
        throw .usage("\(command) has no option \(parts[0]); it has \(known)")
      }
      guard let kind = option.value else {
        guard parts.count == 1 else { throw .usage("--\(given) takes no value") }
        values[given] = ""
        continue
      }
      guard let value = parts.count == 2 ? parts[1] : rest.popFirst() else {
        throw .usage("--\(given) needs a value: --\(given) \(kind)")
      }
      values[given] = value
    }
  }

  func has(_ name: String) -> Bool { values[name] != nil }
  func text(_ name: String) -> String? { values[name] }

  /// A number within a range.
  func number(_ name: String, in range: ClosedRange<Double>, else standard: Double) throws(VoiceError)
    -> Double
  {
    guard let text = values[name] else { return standard }
    guard let number = Double(text), range.contains(number) else {
      throw .usage("--\(name) takes a number from \(range.lowerBound) to \(range.upperBound), not '\(text)'")
    }
    return number
  }

  /// A whole number within a range.
  func integer(_ name: String, in range: ClosedRange<Int>, else standard: Int) throws(VoiceError) -> Int {
    guard let text = values[name] else { return standard }
    guard let number = Int(text), range.contains(number) else {
      throw .usage(
        "--\(name) takes a whole number from \(range.lowerBound) to \(range.upperBound), not '\(text)'")
    }
    return number
  }
}
