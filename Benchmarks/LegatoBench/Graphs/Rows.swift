// SPDX-License-Identifier: Apache-2.0

/// Rows of floats, each beginning at a cache line of its own, with a gap between them that keeps rows of 4096 frames
/// from meeting in one set of the cache.
@safe final class Rows {
  private let memory: UnsafeMutablePointer<Float>
  private let offsets: [Int]
  private let lengths: [Int]

  init(_ lengths: [Int]) {
    self.lengths = lengths
    var (offsets, end) = ([Int](), 0)
    for length in lengths {
      offsets.append(end)
      end += (length + 15) / 16 * 16 + 48
    }
    self.offsets = offsets
    unsafe memory = UnsafeMutableRawPointer.allocate(byteCount: end * 4 + 64, alignment: 64)
      .bindMemory(to: Float.self, capacity: end + 16)
    unsafe memory.initialize(repeating: 0, count: end + 16)
  }

  deinit { unsafe memory.deallocate() }

  subscript(row: Int) -> UnsafeMutablePointer<Float> { unsafe memory + offsets[row] }

  /// Fills a row with a sound within -1 to 1: two tones and some noise.
  func fill(_ row: Int) {
    var state = UInt32(truncatingIfNeeded: row &+ 1)
    for frame in 0..<lengths[row] {
      state = state &* 1_664_525 &+ 1_013_904_223
      let noise = Double(Int32(bitPattern: state)) / 2_147_483_648
      let (slow, fast) = (Double(frame) * 0.031, Double(frame) * 0.37)
      unsafe self[row][frame] = Float(0.5 * wave(slow) + 0.2 * wave(fast) + 0.3 * noise)
    }
  }

  /// A parabola in place of a sine: no library has to agree about it.
  private func wave(_ phase: Double) -> Double {
    let turn = phase - phase.rounded(.down)
    let x = 4 * turn - 2
    return x * (2 - abs(x))
  }
}
