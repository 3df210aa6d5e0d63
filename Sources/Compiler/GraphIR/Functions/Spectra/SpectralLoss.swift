// SPDX-License-Identifier: Apache-2.0

/// How far spectra of several sizes are from what is wanted (Yamamoto, Song, Kim 2020: Parallel WaveGAN).
///
///     mean over sizes of   |T - X| / |T|   +   mean |log T - log X|          T, X  sizes of bins, at least 1e-4
///
/// Spectral convergence and the distance of logarithms, as auraloss has both in `MultiResolutionSTFTLoss`.
extension Function {
  static let multiSTFT = Function(
    name: "multiSTFT", group: .losses,
    slots: [
      .value("x"), .value("target"), .integers("sizes", .absent), .integers("hops", .absent),
      .integers("windowSizes", .absent), .choice("window", ["hann", "hamming", "blackman", "rectangular"]),
    ],
    meaning:
      "how far spectra of several sizes along the last axis are from those of target: spectral convergence plus the mean "
      + "distance of logarithms, the mean over sizes (Yamamoto 2020, auraloss): sizes 1024, 2048, 512, 120, 240, 50 apart, "
      + "with windows of 600, 1200, 240; or as named, size / 4 apart with windows of the size where not said"
  ) { (graph, call) throws(TypingError) in
    try graph.multiSTFT(call)
  }
}

extension GraphAssembler {
  fileprivate mutating func multiSTFT(_ call: Call) throws(TypingError) -> ValueID {
    let (x, target, shape) = try compared(call)
    guard let count = shape.fixed.last else {
      throw TypingError("multiSTFT needs a fixed axis; \(shape) has none")
    }
    let named = call.optionalIntegers("sizes")
    let sizes = named ?? [1024, 2048, 512]
    let hops =
      call.optionalIntegers("hops") ?? (named == nil ? [120, 240, 50] : sizes.map { max(1, $0 / 4) })
    let windows = call.optionalIntegers("windowSizes") ?? (named == nil ? [600, 1200, 240] : sizes)
    guard !sizes.isEmpty, sizes.count <= 16, hops.count == sizes.count, windows.count == sizes.count else {
      throw TypingError(
        "multiSTFT takes 1 to 16 sizes, and as many hops and windowSizes; these are \(sizes), \(hops) and \(windows)"
      )
    }
    // Both go through the same stages.
    let rows = shape.count / count
    let both = try Formula(
      .concatenate(axis: 0), Formula(.reshape([1, rows, count]), target),
      Formula(.reshape([1, rows, count]), x)
    ).value(in: &self)
    var losses: [Formula] = []
    for (size, (hop, window)) in zip(sizes, zip(hops, windows)) {
      let frames = try SpectrumFrames(
        of: Shape([2, rows, count], frames: shape.frames), size: size, hop: hop, windowSize: window,
        window: call.choice("window"), padding: "reflect", self)
      losses.append(try spectralLoss(of: both, rows, frames))
    }
    return try (losses.dropFirst().reduce(losses[0], +) * Formula(1 / Double(sizes.count))).value(in: &self)
  }

  /// The loss of one size, of target and x in a row.
  private mutating func spectralLoss(
    of both: ValueID, _ rows: Int, _ frames: SpectrumFrames
  ) throws(TypingError) -> Formula {
    let power = Formula(try self.power(of: spectrum(both, frames), frames))
    let count = frames.bins * frames.positions
    func part(_ index: Int, _ x: Formula) -> Formula {
      Formula(.reshape([rows, count]), Formula(.slice(axis: 0, start: index * rows, count: rows), x))
    }
    let floored = Formula.max(power, 1e-8)
    let (sizes, logarithms) = (Formula.sqrt(floored), Formula(.unary(.log), floored) * 0.5)
    let (target, x) = (part(0, sizes), part(1, sizes))
    func size(_ x: Formula) -> Formula {
      .sqrt(Formula(.sum(axis: 1, ways: count < 64 ? 1 : 16), x * x))
    }
    // The root of 0, where both are the same, has no slope to learn by.
    let distance = Formula.sqrt(
      .max(Formula(.sum(axis: 1, ways: count < 64 ? 1 : 16), (target - x) * (target - x)), 1e-24))
    let convergence = try mean(ofAll: (distance / size(target)).value(in: &self))
    let logarithmic = try mean(ofAll: Formula.abs(part(0, logarithms) - part(1, logarithms)).value(in: &self))
    return Formula(convergence) + Formula(logarithmic)
  }
}
