// SPDX-License-Identifier: Apache-2.0

extension ONNXOperator {
  /// Sums of products by the letters of axes.
  ///
  ///     bhid,bhjd->bhij     batch b, h;  summed d;  left i;  right j     →     contraction of [b, h, i, d] and [b, h, j, d]
  ///
  /// Letters that stand in one operand only, and not in the result, are summed first.
  static func einsum(_ call: ONNXCall) throws(ONNXError) -> ONNXValue {
    let equation = try call.attributes.text("equation", "").filter { $0 != " " }
    let operands = try call.operands.indices.map { index throws(ONNXError) in try call.operand(index) }
    let letters = try EinsumLetters(equation, ranks: operands.map(\.rank))
    var terms: [Labelled] = []
    for (value, labels) in zip(operands, letters.operands) {
      guard Set(labels).count == labels.count else {
        throw ONNXError("a letter twice in one input is not known")
      }
      for (axis, label) in labels.enumerated() {
        for term in terms {
          if let other = term.labels.firstIndex(of: label), term.value.shape[other] != value.shape[axis] {
            throw ONNXError(
              "an axis has \(term.value.shape[other]) positions in one input and \(value.shape[axis]) in another"
            )
          }
        }
      }
      terms.append(Labelled(value: value, labels: labels))
    }
    guard terms.count <= 16, var result = terms.first else { throw ONNXError("it takes 1 to 16 inputs") }
    for (row, term) in terms.enumerated().dropFirst() {
      let later = letters.result + terms[(row + 1)...].flatMap(\.labels)
      result = try product(result, term, keeping: later, call)
    }
    result = try summed(result, keeping: letters.result, call)
    guard Set(result.labels) == Set(letters.result) else {
      throw ONNXError("the result names an axis that no input has")
    }
    return try call.transpose(result.value, letters.result.map { result.labels.firstIndex(of: $0)! })
  }

  private struct Labelled {
    var value: ONNXValue
    var labels: [String]
  }

  private static func summed(_ x: Labelled, keeping kept: [String], _ call: ONNXCall) throws(ONNXError)
    -> Labelled
  {
    let gone = x.labels.indices.filter { !kept.contains(x.labels[$0]) }
    guard !gone.isEmpty else { return x }
    let rest = x.labels.indices.filter { !gone.contains($0) }
    return Labelled(
      value: .expression(
        "sum(\(try call.text(x.value).unbracketed), axis: \(gone))", x.value.element,
        rest.map { x.value.shape[$0] }),
      labels: rest.map { x.labels[$0] })
  }

  private static func product(
    _ first: Labelled, _ second: Labelled, keeping later: [String], _ call: ONNXCall
  ) throws(ONNXError) -> Labelled {
    let x = try summed(first, keeping: later + second.labels, call)
    let y = try summed(second, keeping: later + x.labels, call)
    let shared = x.labels.filter { y.labels.contains($0) }
    let (batch, inner) = (shared.filter { later.contains($0) }, shared.filter { !later.contains($0) })
    let (left, right) = (x.labels.filter { !shared.contains($0) }, y.labels.filter { !shared.contains($0) })
    func extents(_ labels: [String]) -> [Int] {
      labels.map { label in
        x.labels.firstIndex(of: label).map { x.value.shape[$0] }
          ?? y.labels.firstIndex(of: label).map { y.value.shape[$0] } ?? 1
      }
    }
    func arranged(_ term: Labelled, _ rows: [String]) throws(ONNXError) -> ONNXValue {
      let order = (batch + rows + inner).map { term.labels.firstIndex(of: $0)! }
      let shape = extents(batch) + [extents(rows).reduce(1, *), extents(inner).reduce(1, *)]
      return try call.reshape(try call.transpose(term.value, order), shape)
    }
    let (a, b) = (try arranged(x, left), try arranged(y, right))
    let shape = extents(batch) + [extents(left).reduce(1, *), extents(right).reduce(1, *)]
    try ONNXCall.check(shape)
    let value = ONNXValue.expression(
      "contraction(\(try call.text(a).unbracketed), \(try call.text(b).unbracketed))", x.value.element, shape)
    return Labelled(
      value: try call.reshape(value, extents(batch + left + right)), labels: batch + left + right)
  }
}

/// The letters of an equation, an ellipsis written out: "…0", "…1" and so on, the last axis first.
private struct EinsumLetters {
  var operands: [[String]] = []
  var result: [String] = []

  init(_ equation: String, ranks: [Int]) throws(ONNXError) {
    let sides = equation.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
    guard sides.count == 1 || sides[1].first == ">" else {
      throw ONNXError("the equation '\(equation.prefix(40))' has no meaning")
    }
    let terms = sides[0].split(separator: ",", omittingEmptySubsequences: false)
    guard terms.count == ranks.count else {
      throw ONNXError("the equation has \(terms.count) terms for \(ranks.count) inputs")
    }
    var longest = 0
    for (term, rank) in zip(terms, ranks) {
      let named = term.filter { $0 != "." }.count
      let labels = try Self.labels(term, ellipsis: rank - named)
      guard labels.count == rank else { throw ONNXError("'\(term.prefix(40))' does not name \(rank) axes") }
      longest = max(longest, term.contains(".") ? rank - named : 0)
      operands.append(labels)
    }
    if sides.count == 2 {
      result = try Self.labels(sides[1].dropFirst(), ellipsis: longest)
    } else {
      // All that stand once, in their order.
      let all = operands.flatMap(\.self)
      let once = Set(all).filter { label in label.hasPrefix("…") || all.count { $0 == label } == 1 }
      result = (0..<longest).reversed().map { "…\($0)" } + once.filter { !$0.hasPrefix("…") }.sorted()
    }
    guard Set(result).count == result.count else { throw ONNXError("the result names an axis twice") }
  }

  private static func labels(_ text: Substring, ellipsis count: Int) throws(ONNXError) -> [String] {
    guard text.contains(".") else { return try text.map(letter) }
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 4, parts[1].isEmpty, parts[2].isEmpty, (0...8).contains(count) else {
      throw ONNXError("'\(text.prefix(40))' has no meaning")
    }
    return try parts[0].map(letter) + (0..<count).reversed().map { "…\($0)" } + parts[3].map(letter)
  }

  @Sendable private static func letter(_ character: Character) throws(ONNXError) -> String {
    guard character.isASCII, character.isLetter else {
      throw ONNXError("'\(character)' is no letter of an axis")
    }
    return String(character)
  }
}
