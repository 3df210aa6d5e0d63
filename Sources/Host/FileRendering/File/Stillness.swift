// SPDX-License-Identifier: Apache-2.0

/// The test whether contexts that are given silence will stand still for ever, at zero or another level.
///
///     outputs  … 0.1 -0.2 0 0 0 … 0 0 0 0 0 0 0 …
///     state               memory   A     A          after a multiple of 64 frames
///
/// Where the outputs stood still for as long as all delays together last, nothing is on its way through them any more:
/// a sound in a ring would look as still as silence does, as long as nothing is written over it. With parameters at
/// rest, what a context does then depends on its state and, for what is held over 64 frames, on its place among them. A
/// state that comes again after a multiple of 64 frames of silence comes again and again. Noise needs no state, and is
/// never still.
struct Stillness {
  /// The position of the last look, and the state of each context there.
  private var former: (position: Int, state: [[UInt8]])?
  /// Since when the outputs stand still.
  private var begin: Int
  /// Where they stand.
  private var levels: [Float]?
  /// The position of the next look: a look takes as long as the state is large, and it may be fading for long.
  private var next = 0

  /// How many frames a value is held.
  private static let period = 64

  /// - Parameter position: the first frame that is looked at. Nothing is known of the outputs before it.
  init(since position: Int) { begin = position }

  /// Looks at what has just been executed.
  ///
  /// - Parameter memory: frames that what follows the contexts remembers.
  /// - Returns: Whether the outputs stood still for as long as anything is remembered, and will be for ever.
  mutating func isReached(by bank: ContextBank, frames: Int, silentInput: Bool, memory: Int) -> Bool {
    let position = bank.position
    guard let delays = bank.memory, silentInput, bank.isAtRest,
      let standing = bank.levels(frames), standing == levels ?? standing
    else {
      self = Stillness(since: position)
      return false
    }
    levels = standing
    guard position - begin > delays + memory else { return false }
    guard let former else {
      former = (position, bank.state)
      return false
    }
    let passed = position - former.position
    guard passed.isMultiple(of: Self.period), position >= next else { return false }
    let state = bank.state
    if state == former.state { return true }
    self.former = (position, state)
    next = position + 2 * passed
    return false
  }
}
