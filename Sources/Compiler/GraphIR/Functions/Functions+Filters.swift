// SPDX-License-Identifier: Apache-2.0

/// Filters of second order, with the responses of R. Bristow-Johnson's Audio EQ Cookbook, and simpler ones.
///
/// All are composed of arithmetic and delays of one frame. They are state variable filters with trapezoidal
/// integrators (V. Zavalishin, The Art of VA Filter Design, 2012; A. Simper, Solving the continuous SVF equations
/// using trapezoidal integration, 2013), which have the cookbook's transfer functions, the bilinear transform of the
/// same analogue filters, and behave where direct forms do not:
///
///     at 20 Hz and 48 kHz a direct form keeps 1 + a1 + a2 = 7e-6 in the last bits of numbers near 2
///     here a coefficient is about tan(π · 20 / 48000) = 0.0013, with all its bits
///
/// and a cutoff may vary from frame to frame without clicks or instability. Coefficients are computed at the
/// rate of the frequency, the Q and the gain: once where these are constant.
extension Function {
  static let filters: [Function] = [
    filter("lowpass", "what lies below the frequency; 12 dB an octave") { (f, _) in f.low },
    filter("highpass", "what lies above the frequency; 12 dB an octave") { (f, _) in f.high },
    filter("bandpass", "what lies around the frequency, at 0 dB there") { (f, _) in f.damping * f.band },
    filter("notch", "all but the frequency") { (f, _) in f.x - f.damping * f.band },
    filter("allpass", "all, its phase turned by half a turn at the frequency") { (f, _) in
      f.x - 2 * f.damping * f.band
    },
    shelf("peak", "louder by so many decibels around the frequency") { (f, a) in
      f.damping = f.damping / a
      return f.x + f.damping * (a * a - 1) * f.band
    },
    shelf("lowShelf", "louder by so many decibels below the frequency, by half of them there") { (f, a) in
      f.slope = f.slope / Formula.sqrt(a)
      return f.sum(f.x, band: f.damping * (a - 1), low: a * a - 1)
    },
    shelf("highShelf", "louder by so many decibels above the frequency, by half of them there") { (f, a) in
      f.slope = f.slope * Formula.sqrt(a)
      return f.sum(a * a * f.x, band: f.damping * (1 - a) * a, low: 1 - a * a)
    },
    Function(
      name: "svf", group: .filters,
      slots: [.value("x"), .value("frequency"), .value("q")]
        + ["low", "band", "high"].map { .optionalValue($0) },
      meaning:
        "what lies below, around and above the frequency in hertz, so much of each (none where nothing is given); low 1, "
        + "band 1 / q and high 1 make x"
    ) { (graph, call) throws(TypingError) in
      let shares = ["low", "band", "high"].map(call.optionalValue)
      let others = shares.compactMap(\.self)
      guard !others.isEmpty else { throw TypingError("svf needs low, band or high") }
      let filter = try StateVariableFilter(call, named: "svf", besides: others, in: &graph)
      let parts = [filter.low, filter.band, filter.high]
      let shown = zip(shares, parts).compactMap { share, part in share.map { Formula($0) * part } }
      return try filter.close(shown.dropFirst().reduce(shown[0], +), in: &graph)
    },
    Function(
      name: "onePole", group: .filters, slots: [.value("x"), .value("frequency")],
      meaning: "what lies below the frequency in hertz; 6 dB an octave"
    ) { (graph, call) throws(TypingError) in
      try graph.onePole(call.value("x"), call.value("frequency"), in: "onePole")
    },
    Function(
      name: "dcBlock", group: .filters, slots: [.value("x"), .optionalValue("frequency")],
      meaning:
        "x without what stands still: what lies above the frequency (10 Hz unless given); 6 dB an octave"
    ) { (graph, call) throws(TypingError) in
      let x = call.value("x")
      let frequency = call.optionalValue("frequency") ?? graph.literal(10)
      let low = try graph.onePole(x, frequency, in: "dcBlock")
      return try graph.apply(.binary(.subtract), x, low)
    },
    Function(
      name: "biquad", group: .filters,
      slots: ["x", "b0", "b1", "b2", "a1", "a2"].map { .value($0) },
      meaning:
        "b0 x + b1 x₁ + b2 x₂ - a1 y₁ - a2 y₂, where y is the result and x₁ is x of a frame earlier; the poles are the "
        + "caller's to keep within the unit circle"
    ) { (graph, call) throws(TypingError) in
      try graph.biquad(call)
    },
    Function(
      name: "fir", group: .filters, slots: [.value("x"), .value("taps")],
      meaning:
        "t₀ x + t₁ x₁ + t₂ x₂ + …, where x₁ is x of a frame earlier and the taps are weights of the model, an impulse "
        + "response [taps]; each channel by itself, or with its own row of [channels, taps]"
    ) { (graph, call) throws(TypingError) in
      try graph.finiteResponse(call)
    },
  ]

  private static func filter(
    _ name: String, _ meaning: String, _ mix: @escaping @Sendable (StateVariableFilter, Formula) -> Formula
  ) -> Function {
    Function(
      name: name, group: .filters, slots: [.value("x"), .value("frequency"), .optionalValue("q")],
      meaning: "\(meaning); frequency in hertz, Q (0.7071 unless given); either may be a signal"
    ) { (graph, call) throws(TypingError) in
      let filter = try StateVariableFilter(call, named: name, in: &graph)
      return try filter.close(mix(filter, 1), in: &graph)
    }
  }

  private static func shelf(
    _ name: String, _ meaning: String, _ mix: @escaping @Sendable (StateVariableFilter, Formula) -> Formula
  ) -> Function {
    Function(
      name: name, group: .filters,
      slots: [.value("x"), .value("frequency"), .value("gain"), .optionalValue("q")],
      meaning: "\(meaning); frequency in hertz, gain in dB, Q (0.7071 unless given); each may be a signal"
    ) { (graph, call) throws(TypingError) in
      let gain = call.value("gain")
      let filter = try StateVariableFilter(call, named: name, besides: [gain], in: &graph)
      // The square root of the gain: 10^(dB / 40).
      let root = Formula.exp(Formula(gain) * Formula(StateVariableFilter.decibels / 2))
      return try filter.close(mix(filter, root), in: &graph)
    }
  }
}
