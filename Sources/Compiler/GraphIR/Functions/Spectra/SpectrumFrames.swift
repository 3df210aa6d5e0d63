// SPDX-License-Identifier: Apache-2.0

/// Stretches of the last fixed axis of a value, of which each has a spectrum.
///
///     n numbers, padded by size / 2 on both sides   →   (n + padding - size) / hop + 1 positions
///
/// The conventions are those of `torch.stft` and librosa: a periodic window in the middle of its stretch, stretches around
/// every hop-th number, no scale.
struct SpectrumFrames {
  var size, hop: Int
  var windowSize: Int
  var window: String
  var padding: String
  /// The axes before the last one.
  var before: [Int]
  /// Numbers of the last axis.
  var count: Int

  static let slots: [Function.Slot] = [
    .integer("size"), .optionalInteger("hop"), .optionalInteger("windowSize"),
    .choice("window", ["hann", "hamming", "blackman", "rectangular"]),
    .choice("padding", ["reflect", "zeros", "none"]),
  ]

  /// The frames that a call asks for; nil where the shape of its x is not known yet.
  init?(_ call: Call, _ graph: GraphAssembler) throws(TypingError) {
    guard let shape = graph.shape(of: call.value("x")) else { return nil }
    let size = call.integer("size")
    try self.init(
      of: shape, size: size, hop: call.optionalInteger("hop") ?? max(1, size / 4),
      windowSize: call.optionalInteger("windowSize") ?? size, window: call.choice("window"),
      padding: call.choice("padding"), graph)
  }

  init(
    of shape: Shape, size: Int, hop: Int, windowSize: Int, window: String, padding: String,
    _ graph: GraphAssembler
  ) throws(TypingError) {
    guard let count = shape.fixed.last else {
      throw TypingError("a spectrum is one of a fixed axis; \(shape) has none")
    }
    (self.size, self.hop, self.windowSize, self.window) = (
      try graph.checked(size: size), hop, windowSize, window
    )
    (self.padding, self.count, before) = (padding, count, Array(shape.fixed.dropLast()))
    try Self.check(hop: hop, windowSize: windowSize, size: size)
    guard padding != "reflect" || count > size / 2 else {
      throw TypingError(
        "\(count) numbers cannot be reflected by \(size / 2) at both ends; padding \"zeros\" or a smaller size can"
      )
    }
    guard count + 2 * padded >= size else {
      throw TypingError(
        "\(count) numbers have no stretch of \(size); padding \"zeros\" or a smaller size has")
    }
  }

  static func check(hop: Int, windowSize: Int, size: Int) throws(TypingError) {
    guard (1...Limits.extent).contains(hop) else {
      throw TypingError("the hop must lie in 1…\(Limits.extent); it is \(hop)")
    }
    guard (1...size).contains(windowSize) else {
      throw TypingError("the window must have 1 to \(size) numbers, which is the size; it has \(windowSize)")
    }
  }

  /// Numbers before the first one, and behind the last.
  var padded: Int { padding == "none" ? 0 : size / 2 }
  var positions: Int { (count + 2 * padded - size) / hop + 1 }
  var bins: Int { size / 2 + 1 }

  var weights: [Double] { SpectrumWindow.weights(window, windowSize, in: size) }
}

extension GraphAssembler {
  /// The spectra of all stretches, `[before, 2, bins, positions]`, the axes before being one.
  mutating func spectrum(_ x: ValueID, _ frames: SpectrumFrames) throws(TypingError) -> ValueID {
    let before = frames.before.reduce(1, *)
    var x = try apply(.reshape([before, frames.count]), x)
    if frames.padded > 0, frames.padding == "zeros" {
      x = try apply(.pad(axis: 1, before: frames.padded, after: frames.padded), x)
    } else if frames.padded > 0 {
      let first = try apply(.slice(axis: 1, start: 1, count: frames.padded), x)
      let last = try apply(
        .slice(axis: 1, start: frames.count - 1 - frames.padded, count: frames.padded), x)
      x = try apply(.concatenate(axis: 1), reversed(first), x, reversed(last))
    }
    let stretches = try apply(.window(Window(axis: 1, size: frames.size, hop: frames.hop)), x)
    let window = array(
      "\(frames.window) window of \(frames.windowSize) in \(frames.size)", [frames.size], frames.weights)
    // Positions lie side by side, which is how vectors go through all stages.
    let columns = Formula(.transpose([0, 2, 1]), Formula(stretches) * Formula(window))
    let rows = Formula(.reshape([before, 1, frames.size, frames.positions]), columns)
    return try transformed(
      rows.value(in: &self),
      FourierStages(size: frames.size, takesParts: false, taken: frames.size, made: frames.bins),
      before: before, behind: frames.positions)
  }

  /// The squares of the sizes of a spectrum, `[before, bins, positions]`.
  mutating func power(of spectrum: ValueID, _ frames: SpectrumFrames) throws(TypingError) -> ValueID {
    let squares = try apply(.binary(.multiply), spectrum, spectrum)
    let real = Formula(.slice(axis: 1, start: 0, count: 1), Formula(squares))
    let imaginary = Formula(.slice(axis: 1, start: 1, count: 1), Formula(squares))
    return try (real + imaginary).value(in: &self)
  }

  mutating func spectrogram(_ call: Call, _ frames: SpectrumFrames) throws(TypingError) -> ValueID {
    let power = call.number("power")
    guard power > 0 else { throw TypingError("the power must be more than 0; it is \(power)") }
    let squares = Formula(try self.power(of: spectrum(call.value("x"), frames), frames))
    var result = squares
    if power != 2 {
      // The root of 0 has no slope to learn by.
      let floored = Formula.max(squares, 1e-24)
      result = power == 1 ? .sqrt(floored) : Formula(.binary(.pow), floored, Formula(power / 2))
    }
    return try Formula(.reshape(frames.before + [frames.bins, frames.positions]), result).value(in: &self)
  }

  /// The numbers of the last axis of `[before, n]` backwards: two axes of about as many positions, each by a matrix.
  private mutating func reversed(_ x: ValueID) throws(TypingError) -> ValueID {
    guard let shape = shape(of: x) else { return x }
    let (before, count) = (shape.fixed[0], shape.fixed[1])
    var rows = Int(Double(count).squareRoot())
    while !count.isMultiple(of: rows) { rows -= 1 }
    func exchange(_ count: Int) -> ValueID {
      array(
        "\(count) positions backwards", [count, count],
        (0..<count * count).map { $0 / count + $0 % count == count - 1 ? 1 : 0 })
    }
    let apart = try apply(.reshape([before, rows, count / rows]), x)
    let within = try apply(.dense(axis: 2), apart, exchange(count / rows))
    return try apply(.reshape([before, count]), apply(.dense(axis: 1), within, exchange(rows)))
  }
}
