// SPDX-License-Identifier: Apache-2.0

import RealtimeCore

/// All contexts of a program rest, and begin anew, together.
extension LiveWiring {
  /// Whether what it plays is what it hears, and stays so until somebody turns the bypass.
  var restsAtBypass: Bool {
    @_noLocks get {
      guard unsafe bypass >= 0 && dryPath.isComplete(at: position) else { return false }
      for index in 0..<(unsafe contextCount) {
        guard unsafe contexts[index].rests(bypass, at: 1) else { return false }
      }
      return true
    }
  }

  /// Whether nobody has turned the bypass.
  var isAskedToBypass: Bool {
    @_noLocks get {
      guard unsafe bypass >= 0 else { return false }
      for index in 0..<(unsafe contextCount) {
        guard unsafe contexts[index].target(bypass) == 1 else { return false }
      }
      return true
    }
  }

  /// Whether it can rest in the place of another one that rests: it would play the same bits.
  @_noLocks func isBypassed(like other: LiveWiring) -> Bool {
    guard unsafe isAskedToBypass && dryPath.isLike(other.dryPath) else { return false }
    guard unsafe heardCount == other.heardCount, unsafe block == other.block else { return false }
    for row in 0..<(unsafe heardCount) where unsafe heard[row] != other.heard[row] { return false }
    for channel in 0..<(unsafe channelCount) {
      guard unsafe row(ofChannel: channel) == other.row(ofChannel: channel) else { return false }
    }
    return true
  }

  /// Goes on with what another one has heard, which goes on with its own.
  @_noLocks mutating func exchangeDryPath(with other: inout LiveWiring) {
    let own = unsafe dryPath
    unsafe dryPath = unsafe other.dryPath
    unsafe other.dryPath = unsafe own
  }

  /// Forgets a part of what the contexts remember; true where nothing is left.
  ///
  /// - Parameters:
  ///   - context: the one that is forgetting, and `cleared` how many bytes of it are gone; both move on.
  ///   - bytes: the most that are cleared.
  @_noLocks func forget(_ context: inout Int, _ cleared: inout Int, most bytes: Int) -> Bool {
    var left = bytes
    while unsafe context < contextCount {
      guard unsafe contexts[context].forget(&cleared, most: &left) else { return false }
      context += 1
      cleared = 0
    }
    return true
  }

  /// Lets all contexts begin anew.
  @_noLocks func beginAnew() {
    for index in 0..<(unsafe contextCount) { unsafe contexts[index].beginAnew() }
  }

  /// Lets what was heard last rise from silence, for a program that has begun anew.
  ///
  /// - Parameter start: frames for which it has risen already.
  @_noLocks func raise(frames: Int, along rise: Crossfade, from start: Int) {
    for row in 0..<(unsafe heardCount) {
      guard let target = unsafe risen[row] else { continue }
      unsafe rise.mix(
        nil, sources[row], from: start, frames: frames, into: UnsafeMutablePointer(mutating: target))
    }
  }
}
