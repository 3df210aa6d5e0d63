// SPDX-License-Identifier: Apache-2.0

extension Function {
  static let layers: [Function] = [
    Function(
      name: "dense", group: .layers,
      slots: [
        .value("x"), .value("weight"), .optionalValue("bias"), .integer("axis", .integer(-1)),
        .integer("ways", .integer(1)),
      ],
      meaning: "a matrix [out, in] over a fixed axis (the last one), plus a bias [out]; ways: as of sum"
    ) { (graph, call) throws(TypingError) in
      let (x, weight) = (call.value("x"), call.value("weight"))
      if let shape = graph.shape(of: x), shape.fixed.isEmpty {
        let count = graph.shape(of: weight)?.fixed.last ?? 1
        throw TypingError(
          "dense needs a fixed axis, and \(shape) has none; broadcast(…, [\(count)]) gives it one of \(count)"
        )
      }
      let operands = [x, weight] + [call.optionalValue("bias")].compactMap(\.self)
      return try graph.apply(
        .dense(axis: try graph.axis(call.integer("axis"), of: x), ways: call.integer("ways")), operands)
    },
    conv1d, conv2d, conv3d,
    transposedConvolution,
    matmul, contraction, attention,
    Function(
      name: "film", group: .layers,
      slots: [
        .value("x"), .value("condition"), .value("weight"), .optionalValue("bias"),
        .integer("axis", .integer(0)),
      ],
      meaning:
        "x * scale + shift, which are dense(condition, weight, bias): a weight [2 channels, in] makes both, in a row, one "
        + "of [channels, in] the scale only; the condition has its channels along the same axis (Perez et al. 2018)"
    ) { (graph, call) throws(TypingError) in
      try graph.film(call)
    },
  ]

  static let time: [Function] = [
    Function(
      name: "delay", group: .time,
      slots: [
        .value("x"),
        .integer(
          "frames", .absent,
          remedy: "what moves goes by name, with its most frames: delay(x, by: time, maximum: 4800)"),
        .optionalValue("by"), .integer("minimum", .integer(0)), .integer("maximum", .absent),
        .choice("interpolation", Tap.Interpolation.allCases.map(\.rawValue) + ["allpass"]),
        .optionalValue("initial"),
      ],
      meaning:
        "x of so many frames (or steps) earlier, a number fixed when compiled; zero before the start, or "
        + "initial: an array of the channels, or of [channels, frames], frame by frame; may close a cycle; "
        + "by: a signal of frames, kept between minimum and maximum, between frames interpolated; closes a cycle where "
        + "its minimum is 1 or more (allpass, which keeps the level of all frequencies: 2 or more)"
    ) { (graph, call) throws(TypingError) in
      try graph.delay(call)
    },
    Function(
      name: "lookahead", group: .time, slots: [.value("x"), .integer("frames")],
      meaning:
        "x of so many frames later, a number fixed when compiled; everything else waits, so that the model is late by "
        + "that many frames, which files do not show"
    ) { (graph, call) throws(TypingError) in
      try graph.apply(.lookahead(call.integer("frames")), call.value("x"))
    },
    operation(
      "control", .control, .time,
      "a value without channels, sampled at every multiple of 64 frames of the stream and held", ["x"]),
  ]
}

extension GraphAssembler {
  /// Scales and shifts the channels of x by what a condition says of them.
  fileprivate mutating func film(_ call: Call) throws(TypingError) -> ValueID {
    let (x, weight) = (call.value("x"), call.value("weight"))
    let axis = try self.axis(call.integer("axis"), of: x)
    let operands = [call.value("condition"), weight] + [call.optionalValue("bias")].compactMap(\.self)
    let told = Formula(try apply(.dense(axis: axis), operands))
    guard let shape = shape(of: x), let rows = self.shape(of: weight)?.fixed.first else {
      return forward(nil)
    }
    guard !shape.fixed.isEmpty, [1, 2].contains(where: { rows == $0 * shape.fixed[axis] }) else {
      throw TypingError(
        "film of \(shape) needs a weight of its channels, or of twice as many for the shift, too; this one has \(rows) rows"
      )
    }
    let channels = shape.fixed[axis]
    func part(_ index: Int) -> Formula {
      rows == channels ? told : Formula(.slice(axis: axis, start: index * channels, count: channels), told)
    }
    let film = rows == channels ? Formula(x) * part(0) : Formula(.fma, Formula(x), part(0), part(1))
    return try film.value(in: &self)
  }

  /// A delay by a number of frames, or by a signal.
  fileprivate mutating func delay(_ call: Call) throws(TypingError) -> ValueID {
    let (frames, maximum) = (call.optionalInteger("frames"), call.optionalInteger("maximum"))
    guard let by = call.optionalValue("by") else {
      guard let frames else { throw TypingError("delay needs frames, or by and maximum") }
      guard maximum == nil, call.integer("minimum") == 0 else {
        throw TypingError("minimum and maximum go with a delay by a signal: delay(x, by: …, maximum: …)")
      }
      guard let initial = call.optionalValue("initial") else {
        return try apply(.delay(frames), call.value("x"))
      }
      return try delay(call.value("x"), frames, initial: initial)
    }
    guard call.optionalValue("initial") == nil else {
      throw TypingError("initial goes with a delay by a number of frames")
    }
    guard frames == nil else { throw TypingError("delay takes frames or by, not both") }
    guard let maximum else {
      throw TypingError("a delay by a signal needs maximum: how many frames are kept for it")
    }
    let minimum = call.integer("minimum")
    guard let interpolation = Tap.Interpolation(rawValue: call.choice("interpolation")) else {
      return try allpassDelay(call.value("x"), by: by, minimum: minimum, maximum: maximum)
    }
    let tap = Tap(minimum: minimum, maximum: maximum, interpolation: interpolation)
    return try apply(.tap(tap), call.value("x"), by)
  }
}
