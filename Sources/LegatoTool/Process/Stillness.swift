// SPDX-License-Identifier: Apache-2.0

/// Notices that nothing can be heard any more of contexts that are given silence.
///
///     outputs  … 0.1 -0.2 0 0 0 0 0 0 0 0 0 …
///     state               A           A          after a multiple of 64 frames
///
/// With parameters at rest, what a context does depends on its state, its input and, for what is held over 64 frames, on
/// its place among them. A state that comes again after a multiple of 64 frames of silence comes again and again: where
/// the frames between were zeros, all others are.
struct Stillness {
  /// Where the state was last looked at, and what it was, of each context.
  private var former: (position: Int, state: [[UInt8]])?
  /// Since when there are only zeros.
  private var begin = 0
  /// When to look again: looking takes as long as the state is large, and it may be fading for long.
  private var next = 0
  /// The state has come again.
  private var isFixed = false

  /// How many frames a value is held.
  private static let period = 64

  /// Looks at what has just been executed.
  ///
  /// - Returns: Whether the outputs were zeros for more than `memory` frames, and will be for ever.
  mutating func isReached(by bank: ContextBank, frames: Int, silentInput: Bool, memory: Int) -> Bool {
    let position = bank.position
    guard silentInput, bank.isAtRest, bank.isZero(frames) else {
      self = Stillness()
      (begin, next) = (position, position)
      return false
    }
    guard !isFixed else { return position - begin > memory }
    if let former, (position - former.position).isMultiple(of: Self.period), position >= next {
      let state = bank.state
      isFixed = state == former.state
      next = position + 2 * (position - former.position)
      self.former = (position, state)
    } else if former == nil {
      former = (position, bank.state)
    }
    return isFixed && position - begin > memory
  }
}
