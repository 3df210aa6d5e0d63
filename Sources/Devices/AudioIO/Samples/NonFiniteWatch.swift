// SPDX-License-Identifier: Apache-2.0

/// A watch over rows of sound: what is no finite number becomes silence, as a filter would never forget it.
struct NonFiniteWatch {
  /// Samples that became silent.
  private(set) var count = 0
  /// The first of them.
  private(set) var first: (frame: Int, channel: Int, sample: Float)?

  /// Looks at the first frames of some channels' rows.
  ///
  /// - Parameter position: the frame of the sound that is the rows' first one.
  mutating func clean(
    _ rows: UnsafeBufferPointer<UnsafeMutablePointer<Float>>, _ channels: [Int], frames: Int, at position: Int
  ) {
    for channel in channels {
      let row = unsafe rows[channel]
      var loudest: Int32 = 0
      for frame in 0..<frames { unsafe loudest = max(loudest, Self.magnitude(row[frame])) }
      if loudest >= Self.infinity { unsafe clean(row, channel, frames, position) }
    }
  }

  private mutating func clean(
    _ row: UnsafeMutablePointer<Float>, _ channel: Int, _ frames: Int, _ position: Int
  ) {
    for frame in 0..<frames where unsafe Self.magnitude(row[frame]) >= Self.infinity {
      count += 1
      if position + frame < first?.frame ?? .max {
        first = (position + frame, channel, unsafe row[frame])
      }
      unsafe row[frame] = 0
    }
  }

  /// The bits of a sample without its sign, which are in the numbers' order.
  @inline(__always)
  private static func magnitude(_ sample: Float) -> Int32 {
    Int32(bitPattern: sample.bitPattern & 0x7FFF_FFFF)
  }

  private static let infinity: Int32 = 0x7F80_0000
}
