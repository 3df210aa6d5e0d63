// SPDX-License-Identifier: Apache-2.0

extension Function {
  static let transposedConvolution = Function(
    name: "convTranspose", group: .layers,
    slots: [
      .value("x"), .value("weight"), .optionalValue("bias"), .integer("axis", .absent),
      .integers("dilation", .absent), .integers("stride", .absent), .integer("groups", .integer(1)),
      .choice("padding", ["causal", "same", "full"]),
    ],
    meaning:
      "a transposed convolution with a weight [in, out / groups, kernel…], plus a bias [out]: each number is spread over so "
      + "many positions, and the next one a stride further; along frames (of stride 1; causal, or same, which looks ahead) or "
      + "along one to three fixed axes, the last ones or those from axis on (causal or same, which make stride times as many "
      + "positions, or full, which keeps all); channels are the axis before; dilation and stride: one number for all axes, or "
      + "one for each"
  ) { (graph, call) throws(TypingError) in
    try graph.transposedConvolution(call)
  }
}

extension GraphAssembler {
  /// A convolution with a weight that is transposed and goes backwards; with a stride one for the phases of each run.
  fileprivate mutating func transposedConvolution(_ call: Call) throws(TypingError) -> ValueID {
    let (weight, groups) = (call.value("weight"), call.integer("groups"))
    guard let own = shape(of: weight), own.frames == nil,
      (3...2 + Convolution.mostWalks).contains(own.fixed.count), groups >= 1,
      own.fixed[0].isMultiple(of: groups)
    else {
      let found = shape(of: weight).map { "\($0)" } ?? "something else"
      throw TypingError(
        "convTranspose in \(groups) group\(groups == 1 ? "" : "s") needs a weight [in, out / groups, kernel…]; this one "
          + "is \(found)")
    }
    let kernel = Array(own.fixed[2...])
    let taps = kernel.reduce(1, *)
    guard taps <= Self.mostTaps else {
      throw TypingError("convTranspose has \(taps) taps; \(Self.mostTaps) are the most")
    }
    func numbers(_ name: String) throws(TypingError) -> [Int] {
      let numbers = call.optionalIntegers(name) ?? [1]
      guard numbers.count == 1 || numbers.count == kernel.count else {
        throw TypingError("\(name) takes one number, or \(kernel.count); these are \(numbers)")
      }
      guard numbers.allSatisfy((1...Limits.extent).contains) else {
        let found = numbers.count == 1 ? "\(numbers[0])" : "\(numbers)"
        throw TypingError("the \(name) must lie in 1…\(Limits.extent); it is \(found)")
      }
      return numbers.count == kernel.count ? numbers : Array(repeating: numbers[0], count: kernel.count)
    }
    let (dilations, strides) = (try numbers("dilation"), try numbers("stride"))
    let (x, bias) = (call.value("x"), call.optionalValue("bias"))
    guard let shape = shape(of: x) else { return forward(nil) }
    func check(_ channels: Int?) throws(TypingError) {
      guard let channels else {
        throw TypingError(
          "convTranspose needs an axis of channels before \(kernel.count == 1 ? "the one" : "those") it walks along; "
            + "\(shape) has none")
      }
      guard channels == own.fixed[0] else {
        throw TypingError(
          "convTranspose of \(shape) needs a weight [\(channels), out / groups, kernel…]; this one is \(own)")
      }
    }
    if let bias, let shape = self.shape(of: bias) { try checkBias(shape, channels: groups * own.fixed[1]) }
    let (padding, named) = (call.choice("padding"), call.optionalInteger("axis"))
    var layer = TransposedLayer(weight: weight, own, bias: bias, groups: groups)
    if shape.frames != nil, kernel.count == 1, named == nil || named == shape.fixed.count {
      guard padding != "full" else {
        throw TypingError("convTranspose along frames is causal or same; padding \"full\" needs a fixed axis")
      }
      guard strides[0] == 1 else {
        throw TypingError("convTranspose along frames has no stride; it is \(strides[0])")
      }
      try check(shape.fixed.last)
      let walk = Convolution.Walk(kernelSize: kernel[0], dilation: dilations[0])
      layer.walks = [
        TransposedWalk(extent: 1, kernelSize: kernel[0], dilation: dilations[0], stride: 1, padding: padding)
      ]
      let turned = try layer.weight(layer.walks.flatMap(\.runs), in: &self)
      let convolution = Convolution(axis: .frames, walks: [walk], groups: groups)
      let result = try apply(.convolution(convolution), [x, turned] + [bias].compactMap(\.self))
      return padding == "same" && walk.span > 1 ? try apply(.lookahead(walk.span / 2), result) : result
    }
    let axis = try self.axis(named ?? -kernel.count, of: x)
    guard axis + kernel.count <= shape.fixed.count else {
      throw TypingError(
        "convTranspose from axis \(axis) of \(shape) needs \(kernel.count) axes from it on")
    }
    try check(axis >= 1 ? shape.fixed[axis - 1] : nil)
    layer.axis = axis
    layer.walks = kernel.indices.map {
      TransposedWalk(
        extent: shape.fixed[axis + $0], kernelSize: kernel[$0], dilation: dilations[$0], stride: strides[$0],
        padding: padding)
    }
    for (row, walk) in layer.walks.enumerated() where walk.kept.count > Limits.extent {
      throw TypingError(
        "convTranspose makes \(walk.kept.count) positions of axis \(axis + row); \(Limits.extent) are the most"
      )
    }
    // Where taps of a phase are apart, hardly any phase is like the one beside it.
    let phases = layer.walks.map { $0.dilation > 1 ? min($0.kernelSize, $0.step) : 1 }
    var parts = phases.max()!
    if parts <= Self.mostTaps / Self.mostParts {
      layer.runs = layer.walks.map(\.runs)
      parts = layer.runs.map(\.count).reduce(1, *)
    }
    guard parts <= Self.mostParts else {
      throw TypingError(
        "convTranspose of dilation \(dilations) and stride \(strides) comes apart into \(parts) convolutions; "
          + "\(Self.mostParts) are the most")
    }
    return try layer.result(of: x, in: &self)
  }

  private static var mostTaps: Int { 1 << 20 }
  private static var mostParts: Int { 256 }
}

/// A transposed convolution along fixed axes, on its way into ops.
///
///     x                  [batch…, groups · in, n…, rest…]
///     of each run        [batch…, groups · phases · out, positions…, rest…]   one convolution
///     all phases         [batch · groups, phases…, out, positions…, rest]     runs side by side, zeros where none is
///     by turns           [batch · groups, out, positions, phases, …, rest]
///     result             [batch…, groups · out, positions · phases, …, rest…], of which the kept part
private struct TransposedLayer {
  /// [groups · in, out, taps]
  let weight: ValueID
  let bias: ValueID?
  let (groups, inputs, outputs): (Int, Int, Int)
  let kernel: [Int]
  /// The first of the axes that it walks along.
  var axis = 0
  var walks: [TransposedWalk] = []
  var runs: [[TransposedWalk.Run]] = []

  init(weight: ValueID, _ shape: Shape, bias: ValueID?, groups: Int) {
    (self.weight, self.bias, self.groups) = (weight, bias, groups)
    (inputs, outputs, kernel) = (shape.fixed[0] / groups, shape.fixed[1], Array(shape.fixed[2...]))
  }

  /// The axes that have phases.
  private var phased: [Int] { walks.indices.filter { walks[$0].stride > 1 } }

  /// Whether some phases meet no taps.
  private var hasGaps: Bool {
    zip(walks, runs).contains { walk, runs in
      runs.reduce(0) { $0 + $1.phases.count } < walk.stride
    }
  }

  func result(of x: ValueID, in graph: inout GraphAssembler) throws(TypingError) -> ValueID {
    let shape = graph.shape(of: x)!.fixed
    let rest = Array(shape[(axis + walks.count)...])
    var result = try phases(of: x, [], in: &graph)
    if !phased.isEmpty {
      // [batch · groups, phases…, out, positions…, rest]  →  [batch · groups, out, positions, phases, …, rest]
      var order = [0, 1 + phased.count]
      for row in walks.indices {
        order.append(2 + phased.count + row)
        if let phase = phased.firstIndex(of: row) { order.append(1 + phase) }
      }
      if !rest.isEmpty { order.append(order.count) }
      result = try graph.apply(.transpose(order), result)
      let extents = walks.map { $0.results.count * $0.stride }
      result = try graph.apply(
        .reshape(shape[..<(axis - 1)] + [groups * outputs] + extents + rest), result)
    }
    for (row, walk) in walks.enumerated() {
      let start = walk.kept.lowerBound - walk.results.lowerBound * walk.stride
      guard walk.kept.count < walk.results.count * walk.stride else { continue }
      result = try graph.apply(.slice(axis: axis + row, start: start, count: walk.kept.count), result)
    }
    guard hasGaps, let bias else { return result }
    let row = [groups * outputs] + Array(repeating: 1, count: walks.count + rest.count)
    return try graph.apply(.binary(.add), result, graph.apply(.reshape(row), bias))
  }

  /// All phases of the axes behind those whose runs are chosen, of an x that is padded for these.
  private func phases(
    of x: ValueID, _ chosen: [TransposedWalk.Run], in graph: inout GraphAssembler
  ) throws(TypingError) -> ValueID {
    let row = chosen.count
    guard row < walks.count else { return try convolved(x, chosen, in: &graph) }
    var parts: [ValueID] = []
    for (index, run) in runs[row].enumerated() {
      var part = try phases(
        of: padded(x, axis + row, walks[row], run, in: &graph), chosen + [run], in: &graph)
      let next = index + 1 < runs[row].count ? runs[row][index + 1].phases.lowerBound : walks[row].stride
      if next > run.phases.upperBound, let phase = phased.firstIndex(of: row) {
        part = try graph.apply(.pad(axis: 1 + phase, before: 0, after: next - run.phases.upperBound), part)
      }
      parts.append(part)
    }
    guard parts.count > 1 else { return parts[0] }
    return try graph.apply(.concatenate(axis: 1 + phased.firstIndex(of: row)!), parts)
  }

  /// The positions of x that the results of a run meet, zeros beyond its ends.
  private func padded(
    _ x: ValueID, _ axis: Int, _ walk: TransposedWalk, _ run: TransposedWalk.Run,
    in graph: inout GraphAssembler
  ) throws(TypingError) -> ValueID {
    let span = (run.count - 1) * walk.innerDilation
    let before = run.lag + span - walk.results.lowerBound
    let after = walk.results.upperBound - walk.extent - run.lag
    var result = x
    if before > 0 || after > 0 {
      result = try graph.apply(.pad(axis: axis, before: max(0, before), after: max(0, after)), result)
    }
    guard before < 0 || after < 0 else { return result }
    return try graph.apply(
      .slice(axis: axis, start: max(0, -before), count: walk.results.count + span), result)
  }

  /// The phases of one run of each axis.
  private func convolved(
    _ x: ValueID, _ chosen: [TransposedWalk.Run], in graph: inout GraphAssembler
  ) throws(TypingError) -> ValueID {
    let phases = chosen.map(\.phases.count)
    let all = phases.reduce(1, *)
    let convolution = Convolution(
      axis: .fixed(axis),
      walks: zip(walks, chosen).map { .init(kernelSize: $1.count, dilation: $0.innerDilation) },
      groups: groups)
    var operands = [x, try weight(chosen, in: &graph)]
    if let bias, !hasGaps {
      let rows = Formula(
        .broadcast([groups, all, outputs]), Formula(.reshape([groups, 1, outputs]), Formula(bias)))
      operands.append(
        all == 1 ? bias : try Formula(.reshape([groups * all * outputs]), rows).value(in: &graph))
    }
    let result = try graph.apply(.convolution(convolution), operands)
    guard !phased.isEmpty else { return result }
    let shape = graph.shape(of: result)!.fixed
    let rest = shape[(axis + walks.count)...]
    return try graph.apply(
      .reshape(
        [shape[..<(axis - 1)].reduce(1, *) * groups] + phased.map { phases[$0] } + [outputs]
          + walks.map(\.results.count) + (rest.isEmpty ? [] : [rest.reduce(1, *)])), result)
  }

  /// The taps of one run of each axis, as the weight of a convolution whose outputs are phases.
  ///
  ///     [groups · in, out, k…]  →  [groups, in, out, phases, taps]  →  [groups · phases · out, in, taps…]
  func weight(_ chosen: [TransposedWalk.Run], in graph: inout GraphAssembler) throws(TypingError) -> ValueID {
    // A phase of an axis is within those of the axes before, and so are its taps.
    var places = [0]
    for (row, run) in chosen.enumerated() {
      let (own, before) = (walks[row].taps(of: run), chosen[..<row].map(\.count).reduce(1, *))
      places = (0..<places.count / before * run.phases.count).flatMap { phase in
        (0..<before * run.count).map { tap in
          places[phase / run.phases.count * before + tap / run.count] * kernel[row]
            + own[phase % run.phases.count * run.count + tap % run.count]
        }
      }
    }
    let (phases, size) = (chosen.map(\.phases.count).reduce(1, *), kernel.reduce(1, *))
    var flat = weight
    if kernel.count > 1 { flat = try graph.apply(.reshape([groups * inputs, outputs, size]), flat) }
    if places != Array(0..<size) {
      let name = zip(walks, chosen).map { $0.name(of: $1) }.joined(separator: " by ")
      let index =
        graph.weights(named: name)
        ?? graph.weights(
          Weights(name: name, shape: [places.count], values: Numbers(places.map { Float($0) })))
      flat = try graph.apply(.gather(axis: 2), flat, index)
    }
    let split = Formula(.reshape([groups, inputs, outputs, phases, places.count / phases]), Formula(flat))
    let turned = Formula(.transpose([0, 3, 2, 1, 4]), split)
    return try Formula(.reshape([groups * phases * outputs, inputs] + chosen.map(\.count)), turned)
      .value(in: &graph)
  }
}
