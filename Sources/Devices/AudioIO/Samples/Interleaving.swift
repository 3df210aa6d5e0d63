// SPDX-License-Identifier: Apache-2.0

/// Reorders samples between rows and frames.
///
///     rows    a0 a1 a2 …    b0 b1 b2 …
///     frames  a0 b0 a1 b1 a2 b2 …
///
/// One and two channels have loops of their own, which the compiler turns into vector code.
enum Interleaving<Sample: BitwiseCopyable> {
  typealias Rows = UnsafeBufferPointer<UnsafeMutablePointer<Sample>>

  /// Deinterleaves `count` frames into the rows, from the frame `start` on.
  static func deinterleave(_ frames: UnsafePointer<Sample>, into rows: Rows, at start: Int, count: Int) {
    switch rows.count {
    case 1:
      unsafe (rows[0] + start).update(from: frames, count: count)
    case 2:
      let left = unsafe rows[0] + start
      let right = unsafe rows[1] + start
      for frame in 0..<count {
        unsafe left[frame] = frames[2 &* frame]
        unsafe right[frame] = frames[2 &* frame &+ 1]
      }
    case let channels:
      for channel in 0..<channels {
        let row = unsafe rows[channel] + start
        var source = unsafe frames + channel
        for frame in 0..<count {
          unsafe row[frame] = source.pointee
          unsafe source += channels
        }
      }
    }
  }

  /// Interleaves `count` frames of each row, from the frame `start` on.
  static func interleave(
    _ rows: Rows, from start: Int, count: Int, into frames: UnsafeMutablePointer<Sample>
  ) {
    switch rows.count {
    case 1:
      unsafe frames.update(from: rows[0] + start, count: count)
    case 2:
      let left = unsafe rows[0] + start
      let right = unsafe rows[1] + start
      for frame in 0..<count {
        unsafe frames[2 &* frame] = left[frame]
        unsafe frames[2 &* frame &+ 1] = right[frame]
      }
    case let channels:
      for channel in 0..<channels {
        let row = unsafe rows[channel] + start
        var target = unsafe frames + channel
        for frame in 0..<count {
          unsafe target.pointee = row[frame]
          unsafe target += channels
        }
      }
    }
  }
}
