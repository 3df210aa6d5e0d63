// SPDX-License-Identifier: Apache-2.0

/// How speech becomes windows of an encoder.
///
///     lead│        span       │
///     ────┼───────────────────┼──     window numbers, of which `lead` lie before the start
///                 ┼───────────────────┼──     the next one, a hop later
package struct Cutting: Codable, Hashable, Sendable {
  /// Numbers that the encoder takes.
  package let window: Int
  /// Those of them before the start; before the first one there is silence.
  package let lead: Int
  /// Numbers from the start on that are the window's own: three quarters of it have to be there, but for the first one.
  package let span: Int
  package let hop: Int

  package init(window: Int, lead: Int, span: Int, hop: Int) {
    (self.window, self.lead, self.span, self.hop) = (window, lead, span, hop)
  }

  var flaw: String? {
    let sizes = 1...10_000_000
    guard sizes.contains(window), sizes.contains(span), sizes.contains(hop), (0...window).contains(lead),
      lead + span <= window
    else { return "its window, lead, span or hop cannot be" }
    return nil
  }

  /// The starts of the windows of so many numbers.
  package func starts(of count: Int) -> [Int] {
    var starts = [0]
    while let next = starts.last.map({ $0 + hop }), 4 * (count - next) >= 3 * span { starts.append(next) }
    return starts
  }

  /// The windows in which somebody speaks, made one after the other. How loud they are is the encoder's affair: a model
  /// that is exported gets them as they are, too.
  ///
  /// Left out are those that lie 25 dB below the whole, as pauses do.
  package func windows(of speech: Speech) -> some Sequence<[Float]> {
    let loudness = speech.decibels
    let samples = speech.samples
    return starts(of: samples.count).lazy.compactMap { [lead, span, window] start in
      let own = samples[start..<min(samples.count, start + span)]
      guard Speech.decibels(own) > max(loudness - 25, Speech.silence) else { return nil }
      var numbers = [Float](repeating: 0, count: window)
      for place in max(0, lead - start)..<window where start - lead + place < samples.count {
        numbers[place] = samples[start - lead + place]
      }
      return numbers
    }
  }
}
