// SPDX-License-Identifier: Apache-2.0

/// Spectra along a fixed axis: within a step, or for each frame of a stream.
extension Function {
  static let spectra: [Function] = [
    Function(
      name: "fourier", group: .spectra,
      slots: [
        .value("x"), .integer("axis", .integer(-1)), .choice("input", ["real", "complex"]),
        .choice("bins", ["half", "all"]),
      ],
      meaning:
        "the discrete Fourier transform of a fixed axis of n numbers: [2, n / 2 + 1] in its place, real parts and then "
        + "imaginary ones, or all n bins; complex numbers have their two parts along the axis before"
    ) { (graph, call) throws(TypingError) in
      try graph.fourier(call)
    },
    Function(
      name: "inverseFourier", group: .spectra,
      slots: [
        .value("x"), .integer("axis", .integer(-1)), .optionalInteger("size"),
        .choice("output", ["real", "complex"]),
      ],
      meaning:
        "what fourier makes its bins of, the last axis, or that named, with both parts along the one before: size real "
        + "numbers of size / 2 + 1 bins (without a size an even number), or complex ones of all bins"
    ) { (graph, call) throws(TypingError) in
      try graph.inverseFourier(call)
    },
    Function(
      name: "stft", group: .spectra, slots: [.value("x")] + SpectrumFrames.slots,
      meaning:
        "the short-time Fourier transform of the last fixed axis, as [2, bins, positions]: stretches of size numbers, hop "
        + "apart (size / 4), times a periodic window of windowSize in their middle; padding lets stretches lie around every "
        + "hop-th number"
    ) { (graph, call) throws(TypingError) in
      guard let frames = try SpectrumFrames(call, graph) else { return graph.forward(nil) }
      let spectrum = try graph.spectrum(call.value("x"), frames)
      return try graph.apply(
        .reshape(frames.before + [2, frames.bins, frames.positions]), spectrum)
    },
    Function(
      name: "istft", group: .spectra,
      slots: [.value("x")] + SpectrumFrames.slots + [.optionalInteger("length")],
      meaning:
        "what stft makes its spectra [2, bins, positions] of: stretches times the window, added where they overlap, over the "
        + "sum of the squares of the windows there; length numbers, the last of them 0 where no stretch is, or as many as "
        + "lie between the middles of the first and the last stretch, with padding none all"
    ) { (graph, call) throws(TypingError) in
      try graph.inverseSpectrum(call)
    },
    Function(
      name: "spectrogram", group: .spectra,
      slots: [.value("x")] + SpectrumFrames.slots + [.number("power", .number(2))],
      meaning:
        "how strong each bin of stft is, as [bins, positions]: the power-th power of its size; sizes below 1e-12 count as "
        + "that, unless power is 2"
    ) { (graph, call) throws(TypingError) in
      guard let frames = try SpectrumFrames(call, graph) else { return graph.forward(nil) }
      return try graph.spectrogram(call, frames)
    },
    Function(
      name: "melSpectrogram", group: .spectra, slots: MelBands.spectrogramSlots,
      meaning:
        "spectrogram in mels bands from low to high hertz (half of rate, which is the model's), as [mels, positions]: "
        + "triangles over the scale of O'Shaughnessy (htk, as torchaudio) or of Slaney (as librosa), with norm each of area "
        + "1"
    ) { (graph, call) throws(TypingError) in
      guard let frames = try SpectrumFrames(call, graph) else { return graph.forward(nil) }
      return try graph.melSpectrogram(call, frames)
    },
    Function(
      name: "logMel", group: .spectra, slots: MelBands.spectrogramSlots + [.number("floor", .number(1e-10))],
      meaning: "the natural logarithm of melSpectrogram, in which numbers below floor count as that"
    ) { (graph, call) throws(TypingError) in
      guard let frames = try SpectrumFrames(call, graph) else { return graph.forward(nil) }
      let mel = try graph.melSpectrogram(call, frames)
      return try Formula(.unary(.log), .max(Formula(mel), Formula(call.number("floor")))).value(in: &graph)
    },
    Function(
      name: "mfcc", group: .spectra,
      slots: MelBands.spectrogramSlots + [.integer("count", .integer(40))],
      meaning:
        "so many mel-frequency cepstral coefficients, as [count, positions]: the orthonormal cosine transform (DCT II) of "
        + "melSpectrogram in decibels, at most 80 below the loudest, as torchaudio and librosa have them"
    ) { (graph, call) throws(TypingError) in
      guard let frames = try SpectrumFrames(call, graph) else { return graph.forward(nil) }
      return try graph.cepstrum(call, frames)
    },
  ]
}

extension GraphAssembler {
  fileprivate mutating func fourier(_ call: Call) throws(TypingError) -> ValueID {
    let x = call.value("x")
    let axis = try self.axis(call.integer("axis"), of: x)
    guard let shape = shape(of: x) else { return forward(nil) }
    let isComplex = call.choice("input") == "complex"
    let first = isComplex ? try parts(of: shape, before: axis) : axis
    let size = try checked(size: shape.fixed[axis])
    let bins = call.choice("bins") == "half" ? size / 2 + 1 : size
    let transform = FourierStages(size: size, takesParts: isComplex, taken: size, made: bins)
    return try transformed(x, shape, first, axis, transform)
  }

  fileprivate mutating func inverseFourier(_ call: Call) throws(TypingError) -> ValueID {
    var x = call.value("x")
    let axis = try self.axis(call.integer("axis"), of: x)
    guard var shape = shape(of: x) else { return forward(nil) }
    let first = try parts(of: shape, before: axis)
    let (bins, isReal) = (shape.fixed[axis], call.choice("output") == "real")
    let size = try checked(size: call.optionalInteger("size") ?? (isReal ? max(1, 2 * (bins - 1)) : bins))
    guard bins == (isReal ? size / 2 + 1 : size) else {
      throw TypingError(
        "\(size) \(isReal ? "real" : "complex") numbers have \(isReal ? size / 2 + 1 : size) bins; axis \(axis) of \(shape) "
          + "has \(bins)")
    }
    if isReal {
      // Bins but the first, and the middle one, stand for two. What else they hold goes with the imaginary result.
      let counts = (0..<bins).map { $0 == 0 || 2 * $0 == size ? 1.0 : 2 }
      let factors = try along(axis, of: x, array("times that bins of \(size) count", [bins], counts))
      x = try apply(.binary(.multiply), x, factors)
      shape = self.shape(of: x) ?? shape
    }
    let transform = FourierStages(
      size: size, isInverse: true, makesParts: !isReal, taken: bins, made: size)
    return try transformed(x, shape, first, axis, transform)
  }

  /// A transform of an axis of bins or numbers; both parts begin at the axis `first`.
  private mutating func transformed(
    _ x: ValueID, _ shape: Shape, _ first: Int, _ axis: Int, _ transform: FourierStages
  ) throws(TypingError) -> ValueID {
    let (before, behind) = (shape.fixed[..<first], shape.fixed[(axis + 1)...])
    let (outer, inner) = (before.reduce(1, *), behind.reduce(1, *))
    let rows = try apply(
      .reshape([outer, transform.takesParts ? 2 : 1, transform.taken, inner]), x)
    let result = try transformed(rows, transform, before: outer, behind: inner)
    return try apply(
      .reshape(before + (transform.makesParts ? [2] : []) + [transform.made] + behind), result)
  }

  /// The axis of real and imaginary parts.
  private func parts(of shape: Shape, before axis: Int) throws(TypingError) -> Int {
    guard axis >= 1, shape.fixed[axis - 1] == 2 else {
      throw TypingError(
        "complex numbers along axis \(axis) have their real and imaginary parts, 2, along the axis before; this is \(shape)"
      )
    }
    return axis - 1
  }

  /// A length that can be transformed.
  func checked(size: Int) throws(TypingError) -> Int {
    guard (1...Limits.extent).contains(size) else {
      throw TypingError("a Fourier transform has 1 to \(Limits.extent) numbers, not \(size)")
    }
    guard FourierStages.isPossible(size) else {
      throw TypingError(
        "a Fourier transform of \(size) numbers is not known: a prime factor is larger than "
          + "\(FourierStages.largestPrime)")
    }
    return size
  }
}
