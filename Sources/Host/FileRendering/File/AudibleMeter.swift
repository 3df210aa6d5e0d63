// SPDX-License-Identifier: Apache-2.0

internal import AudioIO

/// A meter of the last frame that is audible.
///
///     ⌇⌇~~----------            silence: behind the last sample above `Tail.threshold`
///     ⌇⌇~~‾‾‾‾‾‾‾‾‾‾            a level: behind the last sample that is farther than that from those before it
///
/// What rests at a level, as a captured amplifier may, would be audible for ever.
final class AudibleMeter: SoundTarget {
  private struct Row {
    /// The frame behind the last one with a sample above the threshold; 0 where there was none.
    var loud = 0
    /// The frame behind the last one that was no more at the level.
    var moved = 0
    var level: Float = 0

    /// The frame behind the last one that is audible, of those before a position.
    func end(before position: Int) -> Int { loud < position ? loud : moved }
  }

  private var rows: [Row] = []
  private var position: Int

  /// - Parameter position: the first frame that is written.
  init(from position: Int) { self.position = position }

  /// The frame behind the last one that is audible; 0 where there was none.
  var end: Int { rows.reduce(0) { max($0, $1.end(before: position)) } }

  func write(_ written: UnsafeBufferPointer<UnsafeMutablePointer<Float>>, frames: Int) {
    while rows.count < written.count { rows.append(Row()) }
    for index in written.indices {
      let samples = unsafe UnsafeBufferPointer(start: written[index], count: frames)
      var row = rows[index]
      for frame in samples.indices {
        // A sample that is not finite becomes silent.
        let sample = unsafe samples[frame].isFinite ? samples[frame] : 0
        if abs(sample) > Tail.threshold { row.loud = position + frame + 1 }
        if abs(sample - row.level) > Tail.threshold { (row.moved, row.level) = (position + frame, sample) }
      }
      rows[index] = row
    }
    position += frames
  }
}
