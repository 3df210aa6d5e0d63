// SPDX-License-Identifier: Apache-2.0

/// Running sums along a fixed axis, in as many rounds as its extent has binary digits (Kogge and Stone 1973).
///
///     x             1  2  3  4  5
///     + 1 earlier   1  3  5  7  9
///     + 2 earlier   1  3  6 10 14
///     + 4 earlier   1  3  6 10 15
extension Function {
  static let runningSum = Function(
    name: "cumsum", group: .shapes,
    slots: [
      .value("x"), .integer("axis", .integer(-1)), .choice("direction", ["forward", "backward"]),
      .choice("own", ["included", "excluded"]),
    ],
    meaning:
      "at each position of a fixed axis the sum of those up to it, or from it on; its own number included or excluded"
  ) { (graph, call) throws(TypingError) in
    let axis = try graph.axis(call.integer("axis"), of: call.value("x"))
    guard let count = graph.shape(of: call.value("x"))?.fixed[axis] else { return graph.forward(nil) }
    let isBackward = call.choice("direction") == "backward"
    /// The value of so many positions before, zero before the first.
    func earlier(_ x: Formula, _ distance: Int) -> Formula {
      let kept = Formula(.slice(axis: axis, start: isBackward ? distance : 0, count: count - distance), x)
      return Formula(
        .pad(axis: axis, before: isBackward ? 0 : distance, after: isBackward ? distance : 0), kept)
    }
    var sum = Formula(call.value("x"))
    var distance = 1
    if call.choice("own") == "excluded" {
      sum = count > 1 ? earlier(sum, 1) : sum * 0
    }
    while distance < count {
      sum = sum + earlier(sum, distance)
      distance *= 2
    }
    return try sum.value(in: &graph)
  }
}
