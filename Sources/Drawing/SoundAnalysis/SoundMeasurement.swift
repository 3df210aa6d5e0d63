// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Measurements of a stream of sound: statistics, waveform, level over time, spectrum.
///
/// Memory does not depend on the length. A sample that is infinite or not a number counts as such, and as silence.
package struct SoundMeasurement {
  /// The numbers of one channel, or of all.
  package struct Figures: Hashable, Sendable {
    package var frames = 0
    /// The largest distance from 0.
    package var peak = 0.0
    package var sum = 0.0
    package var squares = 0.0
    /// Samples at full scale or beyond, where sound is likely to be clipped.
    package var fullScaleSamples = 0
    /// Samples that are infinite or not numbers.
    package var nonFiniteSamples = 0

    package init() {}

    package var rms: Double { frames > 0 ? (squares / Double(frames)).squareRoot() : 0 }
    /// The mean: a direct current, as it were.
    package var mean: Double { frames > 0 ? sum / Double(frames) : 0 }

    package static func + (a: Figures, b: Figures) -> Figures {
      var all = a
      all.frames += b.frames
      all.peak = max(a.peak, b.peak)
      all.sum += b.sum
      all.squares += b.squares
      all.fullScaleSamples += b.fullScaleSamples
      all.nonFiniteSamples += b.nonFiniteSamples
      return all
    }
  }

  /// The lowest and the highest sample of all channels in some frames.
  package struct Extremes: Hashable, Sendable {
    package var low, high: Float
  }

  /// The level of some windows of 50 ms.
  package struct Level: Hashable, Sendable {
    /// Of all samples of all channels.
    package var squares: Double
    package var samples: Int
    package var peak: Double

    package var rms: Double { samples > 0 ? (squares / Double(samples)).squareRoot() : 0 }
  }

  package let channels: Int
  package let sampleRate: Int
  package private(set) var figures: [Figures]
  private var waveform: FoldingBins<Extremes>
  private var levels: FoldingBins<Level>
  private var spectrum: LongTermSpectrum
  /// The window of 50 ms that is being filled, and its frames.
  private var level = Level(squares: 0, samples: 0, peak: 0)
  private var levelFrames = 0
  private let windowFrames: Int
  /// The least magnitude that counts as full scale.
  private let fullScale: Float

  /// - Parameter fullScale: the highest sample that the sound's file can hold, at most 1.
  package init(channels: Int, sampleRate: Int, fullScale: Float = 1) {
    precondition(channels > 0 && sampleRate > 0, "a sound has channels and a rate")
    self.channels = channels
    self.sampleRate = sampleRate
    self.fullScale = fullScale
    windowFrames = max(1, Int((Double(sampleRate) * 0.05).rounded()))
    figures = Array(repeating: Figures(), count: channels)
    spectrum = LongTermSpectrum(channels: channels, sampleRate: sampleRate)
    waveform = FoldingBins(capacity: 1024) { a, b in
      a.low = min(a.low, b.low)
      a.high = max(a.high, b.high)
    }
    levels = FoldingBins(capacity: 1024) { a, b in
      a.squares += b.squares
      a.samples += b.samples
      a.peak = max(a.peak, b.peak)
    }
  }

  /// Takes some frames, a row for each channel.
  package mutating func append(frames: Int, _ sample: (_ channel: Int, _ frame: Int) -> Float) {
    var row = Array(repeating: Float(0), count: channels)
    for frame in 0..<frames {
      var extremes = Extremes(low: .infinity, high: -.infinity)
      for channel in 0..<channels {
        let value = count(sample(channel, frame), in: channel)
        row[channel] = value
        extremes.low = min(extremes.low, value)
        extremes.high = max(extremes.high, value)
        level.squares += Double(value) * Double(value)
      }
      level.peak = max(level.peak, Double(max(-extremes.low, extremes.high)))
      level.samples += channels
      levelFrames += 1
      if levelFrames == windowFrames {
        levels.append(level)
        level = Level(squares: 0, samples: 0, peak: 0)
        levelFrames = 0
      }
      waveform.append(extremes)
      spectrum.append { row[$0] }
    }
  }

  /// Counts a sample; what it counts as.
  private mutating func count(_ sample: Float, in channel: Int) -> Float {
    figures[channel].frames += 1
    guard sample.isFinite else {
      figures[channel].nonFiniteSamples += 1
      return 0
    }
    let magnitude = abs(sample)
    if magnitude >= fullScale { figures[channel].fullScaleSamples += 1 }
    figures[channel].peak = max(figures[channel].peak, Double(magnitude))
    figures[channel].sum += Double(sample)
    figures[channel].squares += Double(sample) * Double(sample)
    return sample
  }

  // MARK: What came of it

  package var frames: Int { figures[0].frames }
  package var seconds: Double { Double(frames) / Double(sampleRate) }
  /// The numbers of all channels together.
  package var all: Figures { figures.reduce(Figures(), +) }

  /// The lowest and the highest samples, each with the middle of its time in seconds.
  package var envelope: [(seconds: Double, extremes: Extremes)] {
    waveform.bins.enumerated().map { index, extremes in
      let start = Double(index * waveform.width)
      let end = min(Double(frames), start + Double(waveform.width))
      return ((start + end) / 2 / Double(sampleRate), extremes)
    }
  }

  /// The levels, each with the middle of its time in seconds; the last window is of what was left.
  package var levelsOverTime: [(seconds: Double, level: Level)] {
    var all = levels
    if levelFrames > 0 { all.append(level) }
    let window = Double(windowFrames) / Double(sampleRate)
    return all.bins.enumerated().map { index, level in
      let start = Double(index * all.width) * window
      let end = min(seconds, start + Double(all.width) * window)
      return ((start + end) / 2, level)
    }
  }

  /// Seconds that one of the levels is of.
  package var levelSeconds: Double { Double(levels.width * windowFrames) / Double(sampleRate) }

  /// The mean power at frequencies in hertz, a sine at full scale being 1.
  package var powerByFrequency: [(hertz: Double, power: Double)] {
    let width = Double(sampleRate) / Double(spectrum.size)
    return spectrum.power.enumerated().map { (Double($0) * width, $1) }
  }
}
