// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// A sound that is played through an amplifier to capture it, made by code: the same length and rate
/// make the same samples.
///
///     0.5 s         silence, a click and a chirp, by which the return is aligned
///     a fifth       sweeps from 20 Hz to 20 kHz, loud and soft (Farina 2000)
///     a sixth       noise that grows from -60 to -13 dB (RMS)
///     the rest      plucked strings and chords at many levels, with rests (Karplus, Strong 1983)
///     0.5 s         silence
///
/// One channel, within ±0.9.
public struct TestSignal: Sendable {
  /// The length in seconds, where none is asked for.
  public static let standardSeconds = 60.0
  /// The shortest and the longest in seconds.
  public static let (leastSeconds, mostSeconds) = (4.0, 600.0)

  /// Its samples per second.
  public let sampleRate: Int
  /// The sound.
  public private(set) var samples: [Float] = []

  /// - Parameters:
  ///   - seconds: `leastSeconds` to `mostSeconds`.
  ///   - sampleRate: in hertz, 8000 or more.
  public init(seconds: Double = standardSeconds, sampleRate: Int = 48_000) {
    precondition(
      (Self.leastSeconds...Self.mostSeconds).contains(seconds) && sampleRate >= 8000,
      "a signal of some seconds, at a rate of sound")
    self.sampleRate = sampleRate
    let count = Int((seconds * Double(sampleRate)).rounded())
    samples.reserveCapacity(count)
    var numbers = SeededNumbers(seed: 1)
    rest(0.1)
    samples.append(0.9)
    rest(0.05)
    sweep(0.25, level: 0.5)
    rest(0.1)
    let long = seconds - 1
    sweep(long / 8, level: 0.7)
    sweep(long / 13, level: 0.07)
    noise(long / 6, &numbers)
    let end = count - sampleRate / 2
    while samples.count < end { strings(until: end, &numbers) }
    samples.removeLast(samples.count - end)
    samples += [Float](repeating: 0, count: count - end)
  }

  /// Plucked strings, as a player of a guitar makes them, with an RMS level of -15 dB: what loudness is measured with.
  static func measure(sampleRate: Int) -> [Float] {
    var signal = TestSignal(sampleRate)
    var numbers = SeededNumbers(seed: 2)
    let count = 3 * sampleRate
    while signal.samples.count < count { signal.strings(until: count, &numbers) }
    let power = signal.samples.reduce(0) { $0 + Double($1) * Double($1) } / Double(signal.samples.count)
    let gain = Float(pow(10, -15.0 / 20) / power.squareRoot())
    return signal.samples.map { $0 * gain }
  }

  /// An empty one.
  private init(_ sampleRate: Int) { self.sampleRate = sampleRate }

  private func frames(_ seconds: Double) -> Int { Int(seconds * Double(sampleRate)) }

  private mutating func rest(_ seconds: Double) {
    samples += [Float](repeating: 0, count: frames(seconds))
  }

  /// A sine whose frequency grows by equal factors, from 20 Hz to 20 kHz or what the rate can hold; its ends are soft.
  private mutating func sweep(_ seconds: Double, level: Double) {
    let count = frames(seconds)
    let (low, high) = (20.0, min(20_000, 0.45 * Double(sampleRate)))
    let octaves = log(high / low)
    let edge = max(1, min(count / 8, sampleRate / 100))
    for frame in 0..<count {
      let way = Double(frame) / Double(count)
      let phase = 2 * Double.pi * low * seconds / octaves * (exp(way * octaves) - 1)
      let fade = min(1, Double(min(frame, count - 1 - frame)) / Double(edge))
      samples.append(Float(level * fade * sin(phase)))
    }
  }

  private mutating func noise(_ seconds: Double, _ numbers: inout SeededNumbers) {
    let count = frames(seconds)
    for frame in 0..<count {
      let level = pow(10, (-50 + 47 * Double(frame) / Double(count)) / 20)
      samples.append(Float(max(-0.9, min(0.9, 0.3 * level * numbers.normal()))))
    }
  }

  /// One to four strings at a level from -36 to -1 dB, sometimes with a rest behind them, at most up to a frame.
  private mutating func strings(until end: Int, _ numbers: inout SeededNumbers) {
    let count = min(frames(0.12 + 0.7 * numbers.share()), end - samples.count)
    var sum = [Double](repeating: 0, count: count)
    let base = 82.41 * pow(2, Double(numbers.index(below: 28)) / 12)
    for interval in [0.0, 7, 12, 16].prefix(1 + numbers.index(below: 4)) {
      pluck(base * pow(2, interval / 12), &numbers, into: &sum)
    }
    let peak = sum.reduce(1e-9) { max($0, abs($1)) }
    let level = pow(10, (-36 + 35 * numbers.share()) / 20) / peak
    let edge = min(count, sampleRate / 200)
    for (frame, sample) in sum.enumerated() {
      samples.append(Float(level * sample * min(1, Double(count - 1 - frame) / Double(max(1, edge)))))
    }
    if numbers.index(below: 6) == 0 { rest(min(0.2, Double(end - samples.count) / Double(sampleRate))) }
  }

  /// A string: noise in a delay line, which loses treble at each turn.
  private func pluck(_ hertz: Double, _ numbers: inout SeededNumbers, into sum: inout [Double]) {
    let length = max(2, Int(Double(sampleRate) / hertz))
    var line = (0..<length).map { _ in numbers.uniform(1) }
    let mean = line.reduce(0, +) / Double(length)
    for index in line.indices { line[index] -= mean }
    var place = 0
    for frame in sum.indices {
      let next = place + 1 < length ? place + 1 : 0
      sum[frame] += line[place]
      line[place] = 0.498 * (line[place] + line[next])
      place = next
    }
  }
}
