// SPDX-License-Identifier: Apache-2.0

package import RealtimeCore

/// Room for a block of planar sound: one row of samples a channel, each aligned to 64 bytes.
///
/// The rows begin silent. One thread at a time uses a buffer.
@safe package final class PlanarBuffer {
  package let channels: Int
  /// The most frames that a row holds.
  package let capacity: Int
  private let memory: ReservedMemory
  private let table: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>

  /// - Throws: `ContextError.outOfMemory`.
  package init(reserving channels: Int, capacity: Int) throws(ContextError) {
    precondition(channels > 0 && capacity > 0, "a planar buffer has channels and frames")
    self.channels = channels
    self.capacity = capacity
    let stride = (capacity + 15) / 16 * 16
    memory = try ReservedMemory(numbers: channels * stride)
    let samples = unsafe memory.numbers
    unsafe table = .allocate(capacity: channels)
    for channel in 0..<channels {
      unsafe table.initializeElement(at: channel, to: samples + channel * stride)
    }
  }

  /// Room that is small, whatever models and users ask for; the process ends where there is none.
  package convenience init(channels: Int, capacity: Int) {
    do throws(ContextError) { try self.init(reserving: channels, capacity: capacity) } catch {
      fatalError(error.description)
    }
  }

  deinit { unsafe table.deallocate() }

  /// The rows, valid as long as the buffer.
  package var rows: UnsafeBufferPointer<UnsafeMutablePointer<Float>> {
    unsafe UnsafeBufferPointer(table)
  }

  /// One sample; for tests and other slow work.
  package subscript(channel: Int, frame: Int) -> Float {
    get {
      precondition(channel < channels && frame < capacity, "outside of the planar buffer")
      return unsafe table[channel][frame]
    }
    set {
      precondition(channel < channels && frame < capacity, "outside of the planar buffer")
      unsafe table[channel][frame] = newValue
    }
  }
}
