// SPDX-License-Identifier: Apache-2.0

import RealtimeCore

/// All contexts of a program go on where those of another one are.
extension LiveWiring {
  /// Matches histories and parameters of both programs; only parameters where the numbers of contexts differ.
  @_noLocks mutating func beginCarrying(from old: borrowing LiveWiring) {
    guard unsafe contexts.count == old.contexts.count else { return }
    for index in 0..<(unsafe contexts.count) {
      unsafe contexts[index].beginCarrying(from: old.contexts[index])
    }
  }

  /// Copies a bounded part of the past, and twice the frames that have come meanwhile, so that it ends; true once all
  /// is there up to the present. What has warmed up and has no past is settled, also where the numbers of contexts differ.
  ///
  /// - Parameters:
  ///   - frames: of the block.
  ///   - passed: frames since the last time.
  ///   - fade: frames in which a past that is too short rises from silence.
  @_noLocks mutating func carry(from old: borrowing LiveWiring, frames: Int, passed: Int, fade: Int) -> Bool {
    let isSame = unsafe contexts.count == old.contexts.count
    var bytes = frames * MemoryWork.bytesPerFrame
    for index in 0..<(unsafe contexts.count) {
      bytes += unsafe 2 * passed * contexts[index].pastBytesPerFrame()
    }
    for index in 0..<(unsafe contexts.count) {
      let isLevel = unsafe contexts[index].carry(
        from: old.contexts[isSame ? index : 0], most: &bytes, fade: fade)
      guard isLevel else { return false }
    }
    return true
  }

  /// Takes over the position and the parameters.
  @_noLocks mutating func takeOver(from old: borrowing LiveWiring) {
    let isSame = unsafe contexts.count == old.contexts.count
    for index in 0..<(unsafe contexts.count) {
      unsafe contexts[index].takeOver(from: old.contexts[isSame ? index : 0])
    }
  }

  /// Whether there is state of more than so many frames.
  @_noLocks func hasPast(longerThan frames: Int) -> Bool {
    for index in 0..<(unsafe contexts.count) {
      if unsafe contexts[index].hasPast(longerThan: frames) { return true }
    }
    return false
  }

  /// Lets the last frames of it rise from what the old contexts remember of them, or from silence.
  @_noLocks func letPastRise(
    from old: borrowing LiveWiring, longerThan frames: Int, last count: Int, since beginning: Int64,
    over length: Int
  ) {
    // Contexts that stand side by side in another number have nothing in common, so that any of them will do.
    let isSame = unsafe contexts.count == old.contexts.count
    for index in 0..<(unsafe contexts.count) {
      unsafe contexts[index].letPastRise(
        from: old.contexts[isSame ? index : 0], longerThan: frames, last: count, since: beginning,
        over: length)
    }
  }
}
