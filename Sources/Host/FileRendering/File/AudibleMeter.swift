// SPDX-License-Identifier: Apache-2.0

internal import AudioIO

/// A meter of the last frame that is audible.
final class AudibleMeter: SoundTarget {
  /// The frame behind the last one with a sample above `Tail.threshold`; 0 where there was none.
  private(set) var end = 0
  private var position: Int

  /// - Parameter position: the first frame that is written.
  init(from position: Int) { self.position = position }

  func write(_ rows: UnsafeBufferPointer<UnsafeMutablePointer<Float>>, frames: Int) {
    for row in rows.indices {
      let samples = unsafe UnsafeBufferPointer(start: rows[row], count: frames)
      // What is not finite becomes silent.
      let loud = unsafe samples.lastIndex { abs($0) > Tail.threshold && $0.isFinite }
      if let loud { end = max(end, position + loud + 1) }
    }
    position += frames
  }
}
