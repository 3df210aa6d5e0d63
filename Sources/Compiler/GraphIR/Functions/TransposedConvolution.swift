// SPDX-License-Identifier: Apache-2.0

extension Function {
  static let transposedConvolution = Function(
    name: "convTranspose", group: .layers,
    slots: [
      .value("x"), .value("weight"), .optionalValue("bias"), .integer("axis", .absent),
      .integer("dilation", .integer(1)), .integer("groups", .integer(1)),
      .choice("padding", ["causal", "same", "full"]),
    ],
    meaning:
      "a transposed convolution of stride 1 with a weight [in, out / groups, kernel], plus a bias [out]: each number is "
      + "spread over so many positions; along frames (causal, or same, which looks ahead) or along a fixed axis "
      + "(causal, same, or full, which grows); channels are the axis before"
  ) { (graph, call) throws(TypingError) in
    try graph.transposedConvolution(call)
  }
}

extension GraphAssembler {
  /// A convolution with a weight that is transposed and goes backwards.
  ///
  ///     weight   [in, out / groups, k]   →   [groups, in / groups, out / groups, k]
  ///                                      →   [groups, out / groups, in / groups, k]   →   [out, in / groups, k], reversed
  fileprivate mutating func transposedConvolution(_ call: Call) throws(TypingError) -> ValueID {
    let (weight, groups, dilation) = (call.value("weight"), call.integer("groups"), call.integer("dilation"))
    guard let own = shape(of: weight), own.frames == nil, own.fixed.count == 3, groups >= 1,
      own.fixed[0].isMultiple(of: groups)
    else {
      let found = shape(of: weight).map { "\($0)" } ?? "something else"
      throw TypingError(
        "convTranspose in \(groups) group\(groups == 1 ? "" : "s") needs a weight [in, out / groups, kernel]; this one is "
          + found)
    }
    let (inputs, outputs, kernel) = (own.fixed[0] / groups, own.fixed[1], own.fixed[2])
    guard kernel <= Self.mostTaps else {
      throw TypingError("convTranspose has a kernel of \(kernel); \(Self.mostTaps) are the most")
    }
    guard let shape = shape(of: call.value("x")) else { return forward(nil) }
    let split = Formula(.reshape([groups, inputs, outputs, kernel]), Formula(weight))
    let turned = Formula(
      .reshape([groups * outputs, inputs, kernel]), Formula(.transpose([0, 2, 1, 3]), split))
    var taps: [ValueID] = []
    for tap in (0..<kernel).reversed() {
      taps.append(try Formula(.slice(axis: 2, start: tap, count: 1), turned).value(in: &self))
    }
    let reversed = kernel == 1 ? taps[0] : try apply(.concatenate(axis: 2), taps)
    let walk = Convolution.Walk(kernelSize: kernel, dilation: dilation)
    var convolution = Convolution(axis: .frames, walks: [walk], groups: groups)
    guard (1...Limits.extent).contains(dilation) else {
      throw TypingError("the dilation must lie in 1…\(Limits.extent); it is \(dilation)")
    }
    let (padding, named) = (call.choice("padding"), call.optionalInteger("axis"))
    // Positions that are cut off at the beginning; a full one cuts off none.
    let cut = padding == "same" ? walk.span / 2 : 0
    var x = call.value("x")
    var ahead = 0
    func check(_ channels: Int?) throws(TypingError) {
      guard let channels else {
        throw TypingError(
          "convTranspose needs an axis of channels before the one it walks along; \(shape) has none")
      }
      guard channels == own.fixed[0] else {
        throw TypingError(
          "convTranspose of \(shape) needs a weight [\(channels), out / groups, kernel]; this one is \(own)")
      }
    }
    if shape.frames != nil, named == nil || named == shape.fixed.count {
      guard padding != "full" else {
        throw TypingError("convTranspose along frames is causal or same; padding \"full\" needs a fixed axis")
      }
      try check(shape.fixed.last)
      ahead = cut
    } else {
      let axis = try self.axis(named ?? -1, of: x)
      try check(axis >= 1 ? shape.fixed[axis - 1] : nil)
      convolution.axis = .fixed(axis)
      let after = padding == "full" ? walk.span : cut
      if walk.span - cut + after > 0 {
        x = try apply(.pad(axis: axis, before: walk.span - cut, after: after), x)
      }
    }
    let result = try apply(
      .convolution(convolution), [x, reversed] + [call.optionalValue("bias")].compactMap(\.self))
    return ahead > 0 ? try apply(.lookahead(ahead), result) : result
  }

  /// Taps that are put in order one by one.
  private static var mostTaps: Int { 1024 }
}
