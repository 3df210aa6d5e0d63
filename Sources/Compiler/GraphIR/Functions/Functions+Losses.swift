// SPDX-License-Identifier: Apache-2.0

/// How far results are from what is wanted: over all fixed axes one number, smaller where they are nearer. As PyTorch has
/// them with its means.
extension Function {
  static let losses: [Function] = [
    loss("mse", [], "the mean of the squares of x - target") { x, target, _ in (x - target) * (x - target) },
    loss("mae", [], "the mean size of x - target") { x, target, _ in .abs(x - target) },
    loss(
      "huber", [.number("delta", .number(1))],
      "the mean of half the square of x - target, where its size is up to delta, and of delta times (size - delta / 2) beyond"
    ) { x, target, call in
      let (distance, delta) = (Formula.abs(x - target), Formula(call.number("delta")))
      let near = distance * distance * 0.5
      return .select(Formula(.binary(.less), distance, delta), near, delta * (distance - delta * 0.5))
    },
    loss(
      "bceWithLogits", [],
      "the mean cross entropy of yes and no: sigmoid(x) is how likely yes is, and target from 0 to 1 how likely it should "
        + "be"
    ) { x, target, _ in .softplus(x) - x * target },
    Function(
      name: "esr", group: .losses,
      slots: [.value("x"), .value("target"), .number("preEmphasis", .number(0))],
      meaning:
        "the error-to-signal ratio: the sum of the squares of target - x over that of target; before, along the last "
        + "axis, preEmphasis times the number before is taken away from each (Wright 2019 has 0.95)"
    ) { (graph, call) throws(TypingError) in
      let (x, target, shape) = try graph.compared(call)
      guard let axis = shape.fixed.indices.last else {
        throw TypingError("esr needs a fixed axis; \(shape) has none")
      }
      func emphasized(_ x: Formula) -> Formula {
        let share = call.number("preEmphasis")
        return share == 0 ? x : x - Formula(.shift(axis: axis, by: 1), x) * Formula(share)
      }
      let (wanted, error) = (emphasized(target), emphasized(target - x))
      let sums = try (
        graph.total((error * error).value(in: &graph)), graph.total((wanted * wanted).value(in: &graph))
      )
      return try (Formula(sums.0) / .max(Formula(sums.1), 1e-10)).value(in: &graph)
    },
    Function(
      name: "cosineDistance", group: .losses,
      slots: [.value("x"), .value("target"), .integer("axis", .integer(-1))],
      meaning: "1 less the mean cosine of the angle between x and target along a fixed axis"
    ) { (graph, call) throws(TypingError) in
      let (x, target, _) = try graph.compared(call)
      let axis = try graph.axis(call.integer("axis"), of: call.value("x"))
      func sum(_ formula: Formula) -> Formula { Formula(.sum(axis: axis), formula) }
      // A root has no slope at 0: what is nothing at all is of the size 1e-8, as in PyTorch.
      func size(_ formula: Formula) -> Formula { .sqrt(.max(sum(formula * formula), 1e-16)) }
      let cosine = try (sum(x * target) / (size(x) * size(target))).value(in: &graph)
      return try (1 - Formula(try graph.mean(ofAll: cosine))).value(in: &graph)
    },
    Function(
      name: "crossEntropy", group: .losses,
      slots: [
        .value("x"), .value("target"), .optionalValue("weight"), .number("smoothing", .number(0)),
      ],
      meaning:
        "the mean of -log softmax(x) over the last axis, at the class that target says, or with probabilities of x's shape; "
        + "weight [classes] multiplies what each class counts, and the mean stays one over all targets; smoothing spreads "
        + "so much of each target over all classes"
    ) { (graph, call) throws(TypingError) in
      try graph.crossEntropy(call)
    },
    multiSTFT,
    Function(
      name: "topAccuracy", group: .losses,
      slots: [.value("x"), .value("target"), .integer("top", .integer(1))],
      meaning:
        "the share of classes that target says, or has its largest number at, which are among the so many largest of x "
        + "along the last axis, the first of equal ones; a metric, without a slope"
    ) { (graph, call) throws(TypingError) in
      try graph.topAccuracy(call)
    },
  ]

  /// The mean of something at each place of x and target.
  private static func loss(
    _ name: String, _ more: [Slot], _ meaning: String,
    _ formula: @escaping @Sendable (Formula, Formula, Call) -> Formula
  ) -> Function {
    Function(
      name: name, group: .losses, slots: [.value("x"), .value("target")] + more, meaning: meaning
    ) { (graph, call) throws(TypingError) in
      let (x, target, _) = try graph.compared(call)
      return try graph.mean(ofAll: formula(x, target, call).value(in: &graph))
    }
  }
}

extension GraphAssembler {
  /// x and target, which have one shape.
  func compared(
    _ call: Call
  ) throws(TypingError) -> (x: Formula, target: Formula, shape: Shape) {
    let (x, target) = (call.value("x"), call.value("target"))
    guard let shape = shape(of: x), let wanted = self.shape(of: target) else {
      throw TypingError("a loss has no place in a cycle")
    }
    guard shape.fixed == wanted.fixed else {
      throw TypingError("a loss compares values of one shape; these are \(shape) and \(wanted)")
    }
    return (Formula(x), Formula(target), shape)
  }

  /// The sum over all fixed axes.
  mutating func total(_ x: ValueID) throws(TypingError) -> ValueID {
    guard let shape = shape(of: x), !shape.fixed.isEmpty else { return x }
    let flat = try apply(.reshape([shape.count]), x)
    return try apply(.sum(axis: 0, ways: shape.count < 64 ? 1 : 16), flat)
  }

  mutating func mean(ofAll x: ValueID) throws(TypingError) -> ValueID {
    let count = shape(of: x)?.count ?? 1
    return count == 1 ? try total(x) : try apply(.binary(.multiply), total(x), literal(1 / Float(count)))
  }

  /// A class is among the largest where fewer stand above it, or before it and as high.
  fileprivate mutating func topAccuracy(_ call: Call) throws(TypingError) -> ValueID {
    let (x, target) = (call.value("x"), call.value("target"))
    guard let shape = shape(of: x), let wanted = self.shape(of: target), let classes = shape.fixed.last else {
      throw TypingError("topAccuracy needs a last axis of classes")
    }
    let top = call.integer("top")
    guard (1...classes).contains(top) else {
      throw TypingError("topAccuracy of \(classes) classes needs a top from 1 to \(classes); it is \(top)")
    }
    let axis = shape.fixed.count - 1
    let kept = Array(shape.fixed.dropLast()) + [1]
    var label = Formula(target)
    if wanted.fixed == shape.fixed {
      label = Formula(
        try Function.byName["argmax"]!.build(&self, Call(["x": .value(target), "axis": .integer(axis)])))
    } else if wanted.fixed != Array(shape.fixed.dropLast()) {
      throw TypingError(
        "topAccuracy of \(shape) has a target of classes, \(shape.without(axis)), or of probabilities, \(shape); this "
          + "one is \(wanted)")
    }
    label = Formula(.reshape(kept), Formula(.unary(.floor), label))
    let places = Formula(try positions(classes))
    let isOwn = Formula(.binary(.equal), label, places)
    let lowest = Formula(-Double(Float.greatestFiniteMagnitude))
    let own = Formula(.reshape(kept), Formula(.maximum(axis: axis), .select(isOwn, Formula(x), lowest)))
    let isAbove = Formula(.binary(.greater), Formula(x), own)
    let isBefore = Formula(.binary(.equal), Formula(x), own) * Formula(.binary(.less), places, label)
    let above = Formula(.sum(axis: axis), isAbove + isBefore)
    // A target that is no class, or no number, is nowhere.
    let isThere = Formula(.sum(axis: axis), isOwn * Formula(.binary(.equal), Formula(x), own))
    let isHit = Formula(.binary(.less), above, Formula(Double(top))) * isThere
    return try mean(ofAll: isHit.value(in: &self))
  }

  fileprivate mutating func crossEntropy(_ call: Call) throws(TypingError) -> ValueID {
    let (x, target) = (call.value("x"), call.value("target"))
    guard let shape = shape(of: x), let wanted = self.shape(of: target), let classes = shape.fixed.last else {
      throw TypingError("crossEntropy needs a last axis of classes")
    }
    let axis = shape.fixed.count - 1
    let areLabels = wanted.fixed == Array(shape.fixed.dropLast())
    guard areLabels || wanted.fixed == shape.fixed else {
      throw TypingError(
        "crossEntropy of \(shape) has a target of classes, \(shape.without(axis)), or of probabilities, \(shape); this "
          + "one is \(wanted)")
    }
    func sum(_ formula: Formula) -> Formula { Formula(.sum(axis: axis), formula) }
    func kept(_ formula: Formula) -> Formula { Formula(.reshape(shape.fixed.dropLast() + [1]), formula) }
    let own = Formula(x)
    let centred = own - kept(Formula(.maximum(axis: axis), own))
    let logarithms = centred - kept(Formula(.unary(.log), sum(.exp(centred))))
    var wish = Formula(target)
    if areLabels {
      let label = kept(Formula(.unary(.floor), wish))
      wish = Formula(.binary(.equal), label, Formula(try positions(classes)))
    }
    let smoothing = call.number("smoothing")
    if smoothing > 0 { wish = wish * Formula(1 - smoothing) + Formula(smoothing / Double(classes)) }
    var counted = wish
    if let weight = call.optionalValue("weight") { counted = wish * Formula(weight) }
    let total = try self.total((0 - counted * logarithms).value(in: &self))
    // The mean is over targets, not over their weights: in a batch those of one example are not known to another one.
    return try apply(.binary(.multiply), total, literal(Float(classes) / Float(shape.count)))
  }
}
