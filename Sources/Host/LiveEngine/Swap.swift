// SPDX-License-Identifier: Apache-2.0

import RealtimeCore

/// The progress of a program that takes the place of another one.
///
///     old        ▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▇▆▅▄▃▂▁       then it goes back to the control side
///     new                           ░░░░░░░░░░░░░░▁▂▃▄▅▆▇▓▓▓▓▓▓▓▓
///            ▲         ▲            ▲             ▲      ▲
///          taken    carrying    muted,         fading   none
///                   its past    20 ms          20 ms
///
/// - The past is copied a bounded part each block, while the old program plays; `Context+Carry` says what of it.
/// - From a multiple of 64 frames on, where `control` takes its samples, both programs execute. If the new one
///   remembers something for long, it is muted for the length of a crossfade, in which that rises from what the old
///   one remembers of the same frames, or from silence. Where an echo was edited its content would change from one
///   frame to the next, and that edge would come back after the crossfade.
/// - Then they are crossfaded. Meanwhile both have to be executed in the time of one.
enum Swap {
  case none
  /// Copying the past, which was level at a position.
  case carrying(since: Int64)
  case muted(since: Int64)
  /// So many frames of the crossfade are over.
  case fading(Int)

  var executesBoth: Bool {
    @_noLocks get {
      switch self {
      case .none, .carrying: false
      case .muted, .fading: true
      }
    }
  }

  /// The length of state, in frames, up to which a swap does not mute.
  static var shortPast: Int { @_noLocks get { 64 } }
  /// At multiples of this many frames a program may begin where another one is.
  static var alignment: Int { @_noLocks get { 64 } }
}

extension LiveProcessor {
  /// Gives back the retired program, and then looks for the next one.
  @_noLocks mutating func lookIntoMailbox() {
    if let used = unsafe retired {
      guard unsafe slots.retire(UnsafeMutableRawPointer(used)) else { return }
      unsafe retired = nil
    }
    if unsafe next == nil, let fresh = unsafe slots.take() {
      let wiring = unsafe fresh.assumingMemoryBound(to: LiveWiring.self)
      if unsafe restInstead(wiring) { return }
      unsafe next = wiring
    }
    // What it is to take over from has to be awake.
    guard rest.isOver, case .none = swap, let next = unsafe next else { return }
    unsafe next.pointee.beginCarrying(from: current.pointee)
    swap = .carrying(since: position)
  }

  /// The number of frames, of those that are left, that are executed in one piece; copies the past where that is due.
  ///
  /// - Parameter mayCarry: whether this block has not copied anything yet.
  @_noLocks mutating func piece(of left: Int, _ mayCarry: inout Bool) -> Int {
    let beyond = Int(truncatingIfNeeded: position) & (Swap.alignment - 1)
    if beyond == 0, mayCarry, case .carrying(let since) = swap, let next = unsafe next {
      mayCarry = false
      let passed = Int(position - since)
      swap = .carrying(since: position)
      let isLevel = unsafe next.pointee.carry(
        from: current.pointee, frames: left, passed: passed, fade: crossfade.length)
      if isLevel { beginNext() }
    }
    var most = min(left, unsafe current.pointee.block)
    if let next = unsafe next { most = min(most, unsafe next.pointee.block) }
    switch swap {
    case .none: return most
    case .carrying: return mayCarry ? min(most, Swap.alignment - beyond) : most
    case .muted: return min(most, Swap.alignment - beyond)
    case .fading(let done): return min(most, crossfade.length - done)
    }
  }

  /// Lets the next program begin where the current one is.
  @_noLocks private mutating func beginNext() {
    guard let next = unsafe next else { return }
    unsafe next.pointee.takeOver(from: current.pointee)
    let remembers = unsafe next.pointee.hasPast(longerThan: Swap.shortPast)
    if remembers { swap = .muted(since: position) } else { unsafe beginFading(to: next) }
  }

  /// Lets the next program go out.
  @_noLocks private mutating func beginFading(to next: UnsafeMutablePointer<LiveWiring>) {
    outsideMuted = unsafe next.pointee.samplesOutside
    swap = .fading(0)
  }

  /// Goes on after frames were executed.
  @_noLocks mutating func goOn(after frames: Int) {
    guard let next = unsafe next else { return }
    switch swap {
    case .none, .carrying: break
    case .muted(let since):
      unsafe next.pointee.letPastRise(
        from: current.pointee, longerThan: Swap.shortPast, last: frames, since: since,
        over: crossfade.length)
      if position - since >= Int64(crossfade.length) { unsafe beginFading(to: next) }
    case .fading(let done):
      guard done + frames == crossfade.length else {
        swap = .fading(done + frames)
        return
      }
      outsideBefore = samplesOutside - outsideMuted
      unsafe retired = current
      unsafe current = next
      unsafe self.next = nil
      swap = .none
    }
  }
}
