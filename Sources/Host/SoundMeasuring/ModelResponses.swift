// SPDX-License-Identifier: Apache-2.0

package import SoundAnalysis

/// The answers of a model to an impulse, to a sweep at several levels, and to a slow ramp; one array for each channel.
package struct ModelResponses {
  /// The response to an impulse at frame 0, divided by its height.
  package let impulse: [[Double]]
  /// The power of sines in the output, 1 being as loud as they went in.
  package let frequency: [[FrequencyColumns.Column]]
  /// By how many decibels the frequency response changes at most at other levels.
  package let levelDependence: Double
  /// The levels that were compared, in dBFS, from low to high.
  package let levels: [Double]
  /// Pairs of input and output: up a ramp from -1 to 1, then down.
  package let transfer: [[(input: Double, output: Double)]]
  /// How far output differs at most between the way up and the way down, at one input.
  package let hysteresis: Double

  package let lowest, highest: Double
  /// The peak of impulse and sweep, in dBFS.
  package let level: Double

  /// - Parameter level: of impulse and sweep, in dBFS.
  package init(_ probe: ModelProbe, sampleRate: Double, level: Double) throws(NonFiniteAnswer) {
    (lowest, highest, self.level) = (min(20, sampleRate / 200), sampleRate / 2, level)
    let range = lowest...highest
    let sweep = ExponentialSweep(sampleRate: sampleRate, lowest: lowest)

    func responses(_ level: Double) throws(NonFiniteAnswer) -> [[FrequencyColumns.Column]] {
      let height = amplitude(ofDecibels: level)
      let answers = try probe.answer(to: sweep.samples.map { $0 * Float(height) })
      return answers.map { answer in
        let response = sweep.impulseResponse(of: answer.map { $0 / height })
        return FrequencyColumns(sweep.power(of: response), within: range, count: 480).columns
      }
    }
    let frequency = try responses(level)
    let others = [level - 20, level < -10 ? 0 : level - 40]
    levels = ([level] + others).sorted()
    var dependence = 0.0
    for other in others {
      dependence = max(dependence, Self.difference(frequency, try responses(other)))
    }
    levelDependence = dependence
    self.frequency = frequency

    let height = amplitude(ofDecibels: level)
    var click = Array(repeating: Float(0), count: sweep.samples.count / 2)
    click[0] = Float(height)
    impulse = try probe.answer(to: click).map { $0.map { $0 / height } }

    let ramp = SlowRamp(sampleRate: sampleRate)
    let outputs = try probe.output(of: ramp.signal)
    transfer = outputs.map(ramp.transfer)
    hysteresis = transfer.map(ramp.hysteresis).max() ?? 0
  }

  /// The largest difference in decibels, where either is within 60 dB of its loudest.
  private static func difference(
    _ a: [[FrequencyColumns.Column]], _ b: [[FrequencyColumns.Column]]
  ) -> Double {
    zip(a, b).map { a, b in
      let floor = max(a.map(\.mean).max() ?? 0, b.map(\.mean).max() ?? 0) * 1e-6
      return zip(a, b).filter { max($0.mean, $1.mean) > floor }
        .map { abs(decibels(ofPower: max($0.mean, floor) / max($1.mean, floor))) }.max() ?? 0
    }.max() ?? 0
  }

  /// The frames of the impulse response after which it stays 60 dB below its highest; some more, to see it end.
  package var impulseFrames: Int {
    let ends = impulse.map { row in
      let peak = row.reduce(0) { max($0, abs($1)) }
      return (row.lastIndex { abs($0) > peak / 1000 } ?? 0) + 1
    }
    let longest = impulse.first?.count ?? 0
    return min(longest, max(96, (ends.max() ?? 0) * 5 / 4))
  }
}
