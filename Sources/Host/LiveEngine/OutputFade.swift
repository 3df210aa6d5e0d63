// SPDX-License-Identifier: Apache-2.0

/// Lets sound end in silence, exact to the frame.
///
///     gain  1 ━━━━━━━━╮
///                      ╲
///           0            ╲━━━━━━━━
///               start ├──┤ end: the first frame that has gone silent for good
///
/// The gain falls by equal steps and is 0 at the last of the frames. Before the start no bit is changed.
struct OutputFade {
  private let frames: Int
  /// The first frame of the fade; none before one is asked for.
  private var start = Int.max

  /// - Parameter frames: how long it takes.
  init(frames: Int) {
    precondition(frames > 0, "a fade has frames")
    self.frames = frames
  }

  /// The first frame behind it.
  var end: Int { @_noLocks get { start == .max ? .max : start + frames } }

  /// Asks for silence from a frame on; where it is asked for several times, the earliest one counts.
  @_noLocks mutating func begin(at frame: Int) { start = min(start, frame) }

  /// Asks for silence behind a number of frames.
  @_noLocks mutating func end(at frame: Int) { begin(at: max(0, frame - frames)) }

  /// Applies the fade to the frames behind its start.
  ///
  /// - Parameter position: of the first sample of the row.
  @_noLocks func apply(to row: UnsafeMutablePointer<Float>, count: Int, from position: Int) {
    guard start < position + count else { return }
    let first = max(0, start - position)
    for index in first..<count {
      let left = frames - 1 - (position + index - start)
      // A sample that is no number stays none, so that it is counted.
      unsafe row[index] = left > 0 ? row[index] * (Float(left) / Float(frames)) : 0
    }
  }
}
