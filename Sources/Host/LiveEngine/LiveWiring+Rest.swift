// SPDX-License-Identifier: Apache-2.0

import RealtimeCore

/// All contexts of a program rest, and begin anew, together.
extension LiveWiring {
  /// Whether what it plays is what it reads, and stays so until somebody turns the bypass.
  var restsAtBypass: Bool {
    @_noLocks get {
      guard unsafe bypass >= 0 && dryPath.isComplete(at: position) else { return false }
      for index in 0..<(unsafe contexts.count) {
        guard unsafe contexts[index].rests(bypass, at: 1) else { return false }
      }
      return true
    }
  }

  /// Whether the bypass is asked for in all contexts.
  var isAskedToBypass: Bool {
    @_noLocks get {
      guard unsafe bypass >= 0 else { return false }
      for index in 0..<(unsafe contexts.count) {
        guard unsafe contexts[index].target(bypass) == 1 else { return false }
      }
      return true
    }
  }

  /// Whether it can rest in the place of another one that rests: it would play the same bits.
  @_noLocks func isBypassed(like other: borrowing LiveWiring) -> Bool {
    guard unsafe isAskedToBypass && dryPath.isLike(other.dryPath) else { return false }
    guard unsafe readCount == other.readCount, unsafe block == other.block else { return false }
    for row in 0..<(unsafe readCount) where unsafe channelsRead[row] != other.channelsRead[row] {
      return false
    }
    for channel in 0..<(unsafe channelCount) {
      guard unsafe row(ofChannel: channel) == other.row(ofChannel: channel) else { return false }
    }
    return true
  }

  /// Exchanges the dry path with another one.
  @_noLocks mutating func exchangeDryPath(with other: inout LiveWiring) {
    unsafe swap(&dryPath, &other.dryPath)
  }

  /// Clears a part of the contexts' state; true where nothing is left.
  ///
  /// - Parameters:
  ///   - context: the one that is forgetting, and `cleared` how many bytes of it are gone; both move on.
  ///   - bytes: the most that are cleared.
  @_noLocks mutating func forget(_ context: inout Int, _ cleared: inout Int, most bytes: Int) -> Bool {
    var left = bytes
    while unsafe context < contexts.count {
      guard unsafe contexts[context].forget(&cleared, most: &left) else { return false }
      context += 1
      cleared = 0
    }
    return true
  }

  /// Lets all contexts begin anew.
  @_noLocks mutating func beginAnew() {
    for index in 0..<(unsafe contexts.count) { unsafe contexts[index].beginAnew() }
  }
}
