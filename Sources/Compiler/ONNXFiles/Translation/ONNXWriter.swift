// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// The lines and weights of a translation, as they are written.
final class ONNXWriter {
  private(set) var lines: [ONNXTranslation.Line] = []
  /// Arrays by the names that expressions say them by.
  private(set) var arrays: [String: ONNXConstant] = [:]
  /// The shapes of lines and inputs, by their names.
  private(set) var shapes: [String: [Int]] = [:]
  private var values: Set<String> = []
  /// How often a name was wished for that there was already.
  private var repeats: [String: Int] = [:]
  /// The names of arrays that may be the same, and the last number behind a name of one.
  private var alike: [Alike: [String]] = [:]
  private var lastNumbers: [String: Int] = [:]

  private struct Alike: Hashable {
    let stem: String
    let shape: [Int]
    /// Nil of numbers that are others in another order, which are compared with the few that are called alike.
    let fingerprint: UInt64?
  }

  static let mostLines = Limits.nodes
  /// Characters that names have in files of models and tensors.
  private static let longestName = 200

  /// Writes a line.
  ///
  /// - Parameter wish: what the file calls the value.
  /// - Returns: its name.
  func define(_ wish: String, _ expression: String, _ shape: [Int]) throws(ONNXError) -> String {
    let name = reserve(wish)
    try write(name, expression, shape)
    return name
  }

  /// Writes a line under a name that was reserved.
  func write(_ name: String, _ expression: String, _ shape: [Int]) throws(ONNXError) {
    guard lines.count < Self.mostLines else {
      throw ONNXError("the graph has more than \(Self.mostLines) values, which are the most")
    }
    lines.append(.init(name: name, expression: expression))
    shapes[name] = shape
  }

  /// Takes back the lines from one on.
  func cut(from first: Int) -> [ONNXTranslation.Line] {
    defer { lines.removeSubrange(first...) }
    return Array(lines[first...])
  }

  /// A name for an input, or for what is given to the body of a loop.
  func input(_ wish: String, _ shape: [Int]) -> String {
    let name = reserve(wish)
    shapes[name] = shape
    return name
  }

  /// A name that expressions can say and that nothing else has.
  ///
  ///     /encoder/Add_output_0  →  encoder_Add_output_0         12  →  v12
  func reserve(_ wish: String) -> String { unique(wish.asName(longest: Self.longestName), among: &values) }

  private func unique(_ wish: String, among names: inout Set<String>) -> String {
    if names.insert(wish).inserted { return wish }
    while true {
      let number = (repeats[wish] ?? 1) + 1
      repeats[wish] = number
      let name = "\(wish)_\(number)"
      if names.insert(name).inserted { return name }
    }
  }

  /// Keeps an array.
  ///
  /// - Parameter wish: what to call it, unless it is a tensor of the file.
  /// - Returns: its name as expressions say it, in quotation marks.
  func keep(_ constant: ONNXConstant, _ wish: String) -> String {
    var name = String((constant.name ?? wish).unicodeScalars.prefix(Self.longestName))
    if name == "__metadata__" { name = "weights" }
    let (stem, floats) = (name, constant.floats)
    let key = Alike(
      stem: stem, shape: constant.shape, fingerprint: floats.isView ? nil : floats.fingerprint)
    if let known = alike[key]?.first(where: { arrays[$0]?.floats == floats }) { return known.asQuotation }
    var number = lastNumbers[stem] ?? 1
    while arrays[name] != nil {
      number += 1
      name = "\(stem)_\(number)"
    }
    lastNumbers[stem] = number
    alike[key, default: []].append(name)
    arrays[name] = ONNXConstant(constant.element, constant.shape, .floats(floats), name: name)
    return name.asQuotation
  }
}

extension String {
  /// The name as nearly as expressions can say it.
  fileprivate func asName(longest: Int) -> String {
    var result = ""
    for scalar in unicodeScalars.prefix(longest) {
      if "\(result)\(scalar)".isName {
        result.unicodeScalars.append(scalar)
      } else if result.isEmpty {
        if scalar == "_" || scalar == "/" || scalar == "." { continue }
        if "v\(scalar)".isName { result = "v\(scalar)" }
      } else if !result.hasSuffix("_") {
        result += "_"
      }
    }
    while result.hasSuffix("_") { result.removeLast() }
    if result.isEmpty { result = "value" }
    let isTaken = Function.reservedNames.contains(result) || Function.byName[result] != nil
    return isTaken || result == Function.modelName ? "\(result)_" : result
  }
}

extension ONNXWriter {
  /// The lines and arrays that some values need, in order; what nobody uses is left out.
  func used(
    by outputs: [String]
  ) throws(ONNXError) -> (lines: [ONNXTranslation.Line], arrays: [ONNXConstant]) {
    let rows = Dictionary(lines.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    var (arrayNames, left) = ([Int: [String]](), outputs)
    // Around a cycle a line uses later ones, too.
    while let name = left.popLast() {
      guard let row = rows[name], arrayNames[row] == nil else { continue }
      let (values, arrays) = try lines[row].names
      arrayNames[row] = arrays
      left += values
    }
    let used = arrayNames.keys.sorted()
    var known: Set<String> = []
    let kept = used.flatMap { arrayNames[$0]! }.compactMap { name in
      known.insert(name).inserted ? arrays[name] : nil
    }
    return (used.map { lines[$0] }, kept)
  }
}

extension ONNXTranslation.Line {
  /// The expression of the line, as a tree.
  var parsed: Expression {
    get throws(ONNXError) {
      do throws(ExpressionError) { return try Expression(parsing: expression) } catch {
        throw ONNXError("the value \(quoted(name)) cannot be written: \(error.message)")
      }
    }
  }

  /// The names of values and of arrays in it, in order.
  var names: (values: [String], arrays: [String]) {
    get throws(ONNXError) {
      var (values, arrays): ([String], [String]) = ([], [])
      for term in try parsed.terms {
        switch term.kind {
        case .name(let name): values.append(name)
        case .string(let name): arrays.append(name)
        case .number, .list, .negation, .binary, .call: break
        }
      }
      return (values, arrays)
    }
  }
}
