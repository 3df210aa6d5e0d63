// SPDX-License-Identifier: Apache-2.0

/// Sources: what makes sound, or modulates something, by itself.
///
/// Saw and square are made of straight lines whose corners would fold down from above half the sample rate; each corner
/// is rounded over the two frames around it (V. Välimäki and A. Huovilainen, Antialiasing oscillators in subtractive
/// synthesis, 2007: a polynomial in place of the band-limited step, PolyBLEP).
extension Function {
  static let sources: [Function] = [
    operation(
      "phasor", .phasor, .sources,
      "from 0 up to below 1, and again, so often in a second; a negative frequency falls; "
        + "half the sample rate is the most", ["frequency"]),
    oscillator("sine", "a sine that begins at 0") { (phase, _) in
      Formula.sin(phase * Formula(2 * .pi))
    },
    oscillator("saw", "a saw that rises from -1 to 1, band-limited") { (phase, step) in
      2 * phase - 1 - corner(phase, step)
    },
    oscillator("square", "a square, 1 and then -1, band-limited") { (phase, step) in
      let half = phase + 0.5
      let later = half - Formula(.unary(.floor), half)
      return Formula.select(Formula(.binary(.less), phase, 0.5), 1, -1) + corner(phase, step)
        - corner(later, step)
    },
    Function(
      name: "noise", group: .sources, slots: [.integer("seed", .integer(1))],
      meaning: "white noise from -1 to 1, each number as likely; the same at the same place of a stream"
    ) { (graph, call) throws(TypingError) in
      try graph.apply(.noise(call.integer("seed")))
    },
  ]

  private static func oscillator(
    _ name: String, _ meaning: String, _ wave: @escaping @Sendable (Formula, Formula) -> Formula
  ) -> Function {
    Function(
      name: name, group: .sources, slots: [.value("frequency")],
      meaning: "\(meaning); the frequency in hertz may be a signal; half the sample rate is the most"
    ) { (graph, call) throws(TypingError) in
      let frequency = call.value("frequency")
      let phase = Formula(try graph.apply(.phasor, frequency))
      let turns = Formula.abs(Formula(frequency)) * Formula(1 / graph.graph.sampleRate)
      return try wave(phase, Formula.min(Formula.max(turns, 1e-9), 0.5)).value(in: &graph)
    }
  }

  /// The correction of a step of 2 from below at phase 0, where a frame is so many turns.
  ///
  ///     behind it, t = phase / step < 1          2 t - t² - 1
  ///     before it, t = (1 - phase) / step < 1    t² - 2 t + 1
  private static func corner(_ phase: Formula, _ step: Formula) -> Formula {
    let behind = 1 - Formula.min(phase / step, 1)
    let before = 1 - Formula.min((1 - phase) / step, 1)
    return before * before - behind * behind
  }
}
