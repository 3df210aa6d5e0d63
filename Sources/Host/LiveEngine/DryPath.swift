// SPDX-License-Identifier: Apache-2.0

import CRealtime
import RealtimeCore

/// The input delayed by the program's latency: the output while the program is bypassed.
///
///     read      ▓▓▓▓▓▓▓▓▓▓▓▓▓
///     late      ────▓▓▓▓▓▓▓▓▓     by the program's latency; no bit differs
///
/// It goes on whether anything takes its rows or not, so that they can be taken from any block on.
@unsafe struct DryPath: ~Copyable {
  private let rows: Int
  let latency: Int
  /// The last frames that were read, a ring for each row.
  private let past: UnsafeMutablePointer<Float>
  /// The same frames as the results are of, a row for each.
  private let late: UnsafeMutablePointer<Float>
  /// Where both of them stand.
  private let memory: ReservedMemory
  private let block: Int
  private var next = 0
  /// Frames that were read, as far as that matters.
  private var known = 0

  /// - Parameters:
  ///   - rows: that are read.
  ///   - block: the most frames at a time.
  /// - Throws: `ContextError.outOfMemory`.
  init(rows: Int, latency: Int, block: Int) throws(ContextError) {
    unsafe memory = try ReservedMemory(numbers: latency > 0 ? rows * (latency + block) : 0)
    unsafe past = memory.numbers
    unsafe late = past + rows * latency
    unsafe self.rows = rows
    unsafe self.latency = latency
    unsafe self.block = block
  }

  /// Whether it holds all input of the program's latency at a position; before the beginning is silence.
  @_noLocks func isComplete(at position: Int64) -> Bool { unsafe known >= min(latency, Int(position)) }

  /// Whether it delays as many rows as another one, by the same latency.
  @_noLocks func isLike(_ other: borrowing DryPath) -> Bool {
    unsafe rows == other.rows && latency == other.latency
  }

  /// Reads the next frames.
  ///
  /// - Parameters:
  ///   - sources: the frames of each row; nil is silence.
  ///   - frames: at most `block`.
  @_noLocks mutating func read(_ sources: UnsafePointer<UnsafePointer<Float>?>, frames: Int) {
    guard unsafe latency > 0 else { return }
    var done = 0
    while done < frames {
      let count = unsafe min(frames - done, latency - next)
      for row in 0..<(unsafe rows) {
        let ring = unsafe past + row * latency + next
        unsafe legato_copy(late + row * block + done, ring, count * MemoryLayout<Float>.stride)
        if let source = unsafe sources[row] {
          unsafe legato_copy(ring, source + done, count * MemoryLayout<Float>.stride)
        } else {
          unsafe legato_clear(ring, count * MemoryLayout<Float>.stride)
        }
      }
      unsafe next = next + count == latency ? 0 : next + count
      done += count
    }
    unsafe known = min(known + frames, latency)
  }

  /// The delayed frames of a row, for those that were read last.
  @_noLocks func row(_ row: Int, _ sources: UnsafePointer<UnsafePointer<Float>?>) -> UnsafePointer<Float>? {
    unsafe latency > 0 ? UnsafePointer(late + row * block) : sources[row]
  }
}
