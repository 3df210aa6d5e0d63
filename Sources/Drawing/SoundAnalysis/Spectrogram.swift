// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// The power of a sound over time and frequency: windows that overlap by half, in rows of equal ratios of frequency.
///
///     windows   ╱╲╱╲╱╲╱╲╱╲        Hann, of 32 to 64 ms, the first one around the beginning
///     rows      8 kHz  ░░▒▒░░      the strongest bin of a row; below, where a bin is wider than a row, in between
///              50 Hz   ▓▓▓▓▒▒
///     columns   joined two by two when there are too many: memory does not grow with the length
///
/// Calibrated so that a sine within ±1 in all channels reads 0 dB.
package struct Spectrogram {
  /// The sum over windows of the power in each row, and how many windows these are.
  private struct Column {
    var power: [Float]
    var windows = 1
  }

  package let sampleRate: Int
  /// Hertz, of the lowest and the highest row.
  package let frequencies: ClosedRange<Double>
  private let channels, size: Int
  private let transform: FourierTransform
  private let window: [Double]
  private let scale: Double
  /// The bins of each row, from the lowest on.
  private let rows: [Row]
  private var recent: [[Float]]
  private var filled: Int
  private var frames = 0
  private var windows = 0
  private var bins: FoldingBins<Column>

  private enum Row {
    case strongest(ClosedRange<Int>)
    case between(Int, share: Double)
  }

  /// - Parameters:
  ///   - rows: how many frequencies are told apart.
  ///   - columns: the most moments that are told apart, an even number.
  package init(channels: Int, sampleRate: Int, rows count: Int = 160, columns: Int = 1024) {
    precondition(channels > 0 && sampleRate > 0 && count > 1, "a sound has channels and a rate")
    (self.channels, self.sampleRate) = (channels, sampleRate)
    var size = 64
    while size < 1 << 16, 2 * size <= sampleRate / 15 { size *= 2 }
    self.size = size
    transform = FourierTransform(count: size)
    window = (0..<size).map { pow(sin(.pi * (Double($0) + 0.5) / Double(size)), 2) }
    scale = pow(2 / window.reduce(0, +), 2)
    let highest = Double(sampleRate) / 2
    let range = min(50, highest / 10)...highest
    frequencies = range
    let width = Double(sampleRate) / Double(size)
    func edge(_ row: Int) -> Double {
      range.lowerBound * pow(range.upperBound / range.lowerBound, Double(row) / Double(count))
    }
    self.rows = (0..<count).map { row in
      let (low, high) = (Int((edge(row) / width).rounded(.up)), Int((edge(row + 1) / width).rounded(.down)))
      if low <= high { return .strongest(low...min(high, size / 2)) }
      let middle = (edge(row) * edge(row + 1)).squareRoot() / width
      return .between(Int(middle), share: middle - middle.rounded(.down))
    }
    recent = Array(repeating: Array(repeating: 0, count: size), count: channels)
    // So much silence that the first window stands around the first half of itself.
    filled = size / 4
    bins = FoldingBins(capacity: columns) { a, b in
      for row in a.power.indices { a.power[row] += b.power[row] }
      a.windows += b.windows
    }
  }

  /// Takes the samples of one frame, one for each channel; one that is infinite or not a number counts as silence.
  package mutating func append(_ frame: (_ channel: Int) -> Float) {
    frames += 1
    push(frame)
  }

  private mutating func push(_ frame: (_ channel: Int) -> Float) {
    for channel in 0..<channels {
      let sample = frame(channel)
      recent[channel][filled] = sample.isFinite ? sample : 0
    }
    filled += 1
    guard filled == size else { return }
    bins.append(Column(power: power()))
    windows += 1
    for channel in 0..<channels {
      for index in 0..<size / 2 { recent[channel][index] = recent[channel][index + size / 2] }
    }
    filled = size / 2
  }

  /// The mean power of all channels in each row.
  private func power() -> [Float] {
    var sums = [Double](repeating: 0, count: size / 2 + 1)
    for first in stride(from: 0, to: channels, by: 2) {
      func row(_ channel: Int) -> [Double] {
        channel < channels
          ? zip(recent[channel], window).map { Double($0) * $1 } : Array(repeating: 0, count: size)
      }
      var (real, imaginary) = (row(first), row(first + 1))
      transform.forward(&real, &imaginary)
      for bin in 0...size / 2 {
        let mirror = (size - bin) & (size - 1)
        // |a + ib| at a bin and at its mirror image: twice the power of both.
        sums[bin] +=
          (real[bin] * real[bin] + imaginary[bin] * imaginary[bin] + real[mirror] * real[mirror]
            + imaginary[mirror] * imaginary[mirror]) / 2
      }
    }
    let factor = scale / Double(channels)
    return rows.map { row in
      switch row {
      case .strongest(let range): Float(sums[range].max() ?? 0) * Float(factor)
      case .between(let bin, let share):
        Float((sums[bin] * (1 - share) + sums[min(bin + 1, size / 2)] * share) * factor)
      }
    }
  }

  package var seconds: Double { Double(frames) / Double(sampleRate) }

  /// Decibels of moments one after the other, each from the lowest row to the highest, and the seconds up to the last
  /// one's end; none where there are no frames.
  package var decibels: (columns: [[Float]], seconds: Double) {
    guard frames > 0 else { return ([], 0) }
    var copy = self
    // Silence behind the end, until a window stands around it.
    let hop = size / 2
    let needed = (frames + hop - 1) / hop
    while copy.windows < needed { copy.push { _ in 0 } }
    let levels = copy.bins.bins.map { column in
      column.power.map { 10 * log10(max($0 / Float(column.windows), 1e-20)) }
    }
    return (levels, Double(copy.windows * hop) / Double(sampleRate))
  }
}
