// SPDX-License-Identifier: Apache-2.0

import CRealtime
import RealtimeCore

/// Plays a program, a block after the other: what an audio thread calls between a device's inputs and its outputs.
///
/// It belongs to one thread at a time. `process` neither allocates, nor locks, nor counts references, nor enters the
/// kernel.
@safe package struct LiveProcessor: ~Copyable, @unchecked Sendable {
  private let program: LiveProgram
  private let current: UnsafeMutablePointer<LiveWiring>

  package init(_ program: LiveProgram) {
    self.program = program
    unsafe current = program.wiring
  }

  /// Frames that were executed.
  package var position: Int64 { @_noLocks get { unsafe current.pointee.contexts[0].position } }

  /// Executes a block.
  ///
  /// - Parameters:
  ///   - frames: any number.
  ///   - inputs: a row for each of the device's channels that it hears; nil where the program has no inputs.
  ///   - outputs: a row for each channel that it plays. All of them are overwritten; rows must not overlap others.
  @_noLocks package mutating func process(
    frames: Int, inputs: UnsafePointer<UnsafePointer<Float>?>?,
    outputs: UnsafePointer<UnsafeMutablePointer<Float>?>
  ) {
    let wiring = unsafe current.pointee
    let block = unsafe wiring.block
    var done = 0
    while done < frames {
      let count = min(frames - done, block)
      unsafe wiring.execute(frames: count, inputs: inputs, from: done)
      for channel in 0..<(unsafe wiring.channelCount) {
        guard let output = unsafe outputs[channel] else { continue }
        if let result = unsafe wiring.result(ofChannel: channel) {
          unsafe legato_copy(output + done, result, count * MemoryLayout<Float>.stride)
        } else {
          unsafe legato_clear(output + done, count * MemoryLayout<Float>.stride)
        }
      }
      done += count
    }
  }
}
