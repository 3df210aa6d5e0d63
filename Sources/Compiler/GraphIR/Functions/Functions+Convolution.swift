// SPDX-License-Identifier: Apache-2.0

extension Function {
  static let conv1d = Function(
    name: "conv1d", group: .layers,
    slots: [
      .value("x"), .value("weight"), .optionalValue("bias"), .integer("axis", .absent),
      .integer("dilation", .integer(1)), .integer("stride", .integer(1)), .integer("groups", .integer(1)),
      .choice("padding", ["causal", "same", "valid"]),
    ],
    meaning:
      "a convolution with a weight [out, in / groups, kernel], plus a bias [out]; along frames (causal, "
      + "with history; or same, which looks ahead) or along a fixed axis (causal, same or valid); channels are the "
      + "axis before"
  ) { (graph, call) throws(TypingError) in
    try graph.convolutionAlongOneAxis(call)
  }

  static let conv2d = convolution(over: 2, "two")
  static let conv3d = convolution(over: 3, "three")

  private static func convolution(over count: Int, _ number: String) -> Function {
    let kernel = (1...count).map { "kernel\($0)" }.joined(separator: ", ")
    return Function(
      name: "conv\(count)d", group: .layers,
      slots: [
        .value("x"), .value("weight"), .optionalValue("bias"), .integer("axis", .absent),
        .integers("dilation", .absent), .integers("stride", .absent), .integer("groups", .integer(1)),
        .choice("padding", ["valid", "same"]),
      ],
      meaning:
        "a convolution over \(number) fixed axes, the last ones or those from axis on, with a weight [out, in / groups, "
        + "\(kernel)], plus a bias [out]; channels are the axis before; dilation and stride: one number for all axes, or "
        + "one for each"
    ) { (graph, call) throws(TypingError) in
      try graph.convolution(call, over: count)
    }
  }
}

extension GraphAssembler {
  fileprivate mutating func convolutionAlongOneAxis(_ call: Call) throws(TypingError) -> ValueID {
    let (weight, dilation) = (call.value("weight"), call.integer("dilation"))
    var x = call.value("x")
    guard let shape = shape(of: x), let weightShape = self.shape(of: weight) else {
      return try apply(.convolution(Convolution(axis: .frames, kernelSize: 1)), [x, weight])
    }
    guard weightShape.fixed.count == 3, weightShape.frames == nil else {
      throw TypingError("conv1d needs a weight [out, in / groups, kernel]; this one is \(weightShape)")
    }
    guard (1...Limits.extent).contains(dilation) else {
      throw TypingError("the dilation must lie in 1…\(Limits.extent); it is \(dilation)")
    }
    var convolution = Convolution(
      axis: .frames, kernelSize: weightShape.fixed[2], dilation: dilation, stride: call.integer("stride"),
      groups: call.integer("groups"))
    let padding = call.choice("padding")
    var ahead = 0
    let named = call.optionalInteger("axis")
    if shape.frames != nil, named == nil || named == shape.fixed.count {
      guard padding != "valid" else {
        throw TypingError("conv1d along frames is causal or same; padding \"valid\" needs a fixed axis")
      }
      ahead = padding == "same" ? convolution.walks[0].span - convolution.walks[0].span / 2 : 0
    } else {
      let axis = try self.axis(named ?? -1, of: x)
      guard axis >= 1 else {
        throw TypingError("conv1d needs an axis of channels before axis \(axis) of \(shape)")
      }
      convolution.axis = .fixed(axis)
      let before =
        switch padding {
        case "causal": convolution.walks[0].span
        case "same": convolution.walks[0].span / 2
        default: 0
        }
      let after = padding == "same" ? convolution.walks[0].span - before : 0
      if before + after > 0 { x = try apply(.pad(axis: axis, before: before, after: after), x) }
    }
    let result = try apply(
      .convolution(convolution), [x, weight] + [call.optionalValue("bias")].compactMap(\.self))
    return ahead > 0 ? try apply(.lookahead(ahead), result) : result
  }

  /// A convolution over some fixed axes.
  fileprivate mutating func convolution(_ call: Call, over count: Int) throws(TypingError) -> ValueID {
    var x = call.value("x")
    let weight = call.value("weight")
    guard let shape = shape(of: x), let weightShape = self.shape(of: weight) else { return forward(nil) }
    let kernel = weightShape.fixed.dropFirst(2)
    guard kernel.count == count, weightShape.frames == nil else {
      let wanted = (1...count).map { "kernel\($0)" }.joined(separator: ", ")
      throw TypingError(
        "conv\(count)d needs a weight [out, in / groups, \(wanted)]; this one is \(weightShape)")
    }
    guard shape.fixed.count > count else {
      throw TypingError(
        "conv\(count)d needs \(count + 1) fixed axes, of channels and those it walks along; \(shape) has \(shape.fixed.count)"
      )
    }
    let axis = try self.axis(call.optionalInteger("axis") ?? -count, of: x)
    guard axis >= 1, axis + count <= shape.fixed.count else {
      throw TypingError(
        "conv\(count)d from axis \(axis) of \(shape) needs an axis of channels before it and \(count) from it on"
      )
    }
    func numbers(_ name: String) throws(TypingError) -> [Int] {
      let numbers = call.optionalIntegers(name) ?? [1]
      guard numbers.count == 1 || numbers.count == count else {
        throw TypingError("\(name) takes one number, or \(count); these are \(numbers)")
      }
      guard numbers.allSatisfy((1...Limits.extent).contains) else {
        throw TypingError("\(name) must lie in 1…\(Limits.extent); it is \(numbers)")
      }
      return numbers.count == count ? numbers : Array(repeating: numbers[0], count: count)
    }
    let (dilations, strides) = (try numbers("dilation"), try numbers("stride"))
    let walks = zip(kernel, zip(dilations, strides)).map {
      Convolution.Walk(kernelSize: $0, dilation: $1.0, stride: $1.1)
    }
    if call.choice("padding") == "same" {
      for (index, walk) in walks.enumerated() where walk.span > 0 {
        let before = walk.span / 2
        x = try apply(.pad(axis: axis + index, before: before, after: walk.span - before), x)
      }
    }
    let convolution = Convolution(axis: .fixed(axis), walks: walks, groups: call.integer("groups"))
    return try apply(
      .convolution(convolution), [x, weight] + [call.optionalValue("bias")].compactMap(\.self))
  }
}
