// SPDX-License-Identifier: Apache-2.0

import AudioIO
import LiveEngine
import TestEquipment

/// The rows of a device without a device: what is heard was written beforehand, what is played is kept.
@safe final class DeviceRows {
  private let heard: PlanarBuffer
  private let played: PlanarBuffer
  private let inputs: UnsafeMutablePointer<UnsafePointer<Float>?>
  private let outputs: UnsafeMutablePointer<UnsafeMutablePointer<Float>?>
  /// Frames that were processed.
  private(set) var position = 0

  init(inputs: [[Float]], outputs: Int) {
    let frames = inputs[0].count
    heard = PlanarBuffer(channels: inputs.count, capacity: frames)
    played = PlanarBuffer(channels: outputs, capacity: frames)
    unsafe self.inputs = .allocate(capacity: inputs.count)
    unsafe self.outputs = .allocate(capacity: outputs)
    for (channel, samples) in inputs.enumerated() {
      precondition(samples.count == frames, "rows of one length")
      unsafe heard.rows[channel].update(from: samples, count: frames)
      unsafe (self.inputs + channel).initialize(to: nil)
    }
    for channel in 0..<outputs {
      unsafe played.rows[channel].update(repeating: .nan, count: frames)
      unsafe (self.outputs + channel).initialize(to: nil)
    }
  }

  deinit {
    unsafe inputs.deallocate()
    unsafe outputs.deallocate()
  }

  /// Frames that are left.
  var left: Int { heard.capacity - position }

  /// Processes the next frames.
  func process(_ frames: Int, _ processor: inout LiveProcessor) {
    for channel in 0..<heard.channels {
      unsafe inputs[channel] = UnsafePointer(heard.rows[channel] + position)
    }
    for channel in 0..<played.channels { unsafe outputs[channel] = played.rows[channel] + position }
    unsafe processor.process(
      frames: frames, inputs: UnsafePointer(inputs), outputs: UnsafePointer(outputs))
    position += frames
  }

  /// The sound that a channel played so far.
  subscript(channel: Int) -> [Float] {
    unsafe Array(UnsafeBufferPointer(start: played.rows[channel], count: position))
  }
}
