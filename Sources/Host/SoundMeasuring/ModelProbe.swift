// SPDX-License-Identifier: Apache-2.0

package import Legato
internal import RealtimeCore

/// A number that a model answers to a test signal, and that no picture holds.
package struct NonFiniteAnswer: Error, Hashable, Sendable {
  package let sample: Float
  /// Of the signal, counted from 0.
  package let frame: Int
}

/// A model that test signals run through: the same one into each channel of its input.
///
/// What it plays without any input is not its answer, and is subtracted from all answers but `output`. Answers are
/// aligned with the signal: frames of the program's latency are left out.
@safe package final class ModelProbe {
  private static let block = 4096

  /// One name for each channel of the outputs: "" where there is only one.
  package let channels: [String]
  private var driver: ContextDriver
  private let latency: Int
  /// The rows that are looked at.
  private let rows: [Int]
  private var silence: [[Double]] = []

  /// - Parameter settings: values before the first frame, the same for all signals.
  package init(_ program: Program, settings: [ParameterSetting], rows: [Int]) throws(ContextError) {
    let layout = program.layout
    driver = try ContextDriver(program, frames: Self.block)
    latency = layout.latency
    for setting in settings { driver[0].parameter(named: setting.name)?.set(setting.value) }
    let names = layout.outputs.flatMap { port in
      (0..<port.rows).map { port.rows == 1 ? port.name : "\(port.name) \($0 + 1)" }
    }
    channels = names.count == 1 ? [""] : rows.map { names[$0] }
    self.rows = rows
  }

  /// Whether it plays without any input, audibly.
  package var playsByItself: Bool { silence.contains { $0.contains { abs($0) > 1e-6 } } }

  /// The output of a signal less that of silence, one array for each channel.
  func answer(to signal: [Float]) throws(NonFiniteAnswer) -> [[Double]] {
    if silence.first.map({ $0.count < signal.count }) ?? true {
      silence = try output(of: Array(repeating: 0, count: signal.count))
    }
    return zip(try output(of: signal), silence).map { row, quiet in zip(row, quiet).map { $0 - $1 } }
  }

  /// The output at each frame of a signal, one array for each channel.
  func output(of signal: [Float]) throws(NonFiniteAnswer) -> [[Double]] {
    driver[0].reset()
    var results = rows.map { _ in [Double]() }
    var start = -latency
    while start < signal.count {
      let frames = min(Self.block, start < 0 ? -start : signal.count - start)
      for channel in 0..<driver.inputs.count {
        for frame in 0..<frames {
          let place = start + latency + frame
          driver.inputs[channel, frame] = place < signal.count ? signal[place] : 0
        }
      }
      driver.execute(frames)
      defer { start += frames }
      guard start >= 0 else { continue }
      for (index, row) in rows.enumerated() {
        for frame in 0..<frames {
          let sample = driver.outputs[row, frame]
          guard sample.isFinite else {
            throw NonFiniteAnswer(sample: sample, frame: start + frame)
          }
          results[index].append(Double(sample))
        }
      }
    }
    return results
  }
}
