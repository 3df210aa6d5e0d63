// SPDX-License-Identifier: Apache-2.0

import RealtimeCore

/// The progress of a program that is bypassed out of the way, so that one that is too slow for its device can be.
///
///     bypass     0 ╱‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾╲____________
///     program    ▓▓▓▓▓▇▅▃▁               ▁▃▅▇▓▓▓▓▓▓▓▓▓       to its glide's end, then from the beginning
///     input           ▁▃▅▇▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▇▅▃▁                late by the program's latency
///                     glide resting  │  │fading none
///                                    waking
///
/// - Once the bypass has arrived at 1, and its latency is over, what the program plays is what it reads: its bits are
///   taken from the `DryPath`, and nothing is executed.
/// - What it remembers is forgotten meanwhile, a part each block. An echo of what was played before the bypass, long
///   ago, would be a surprise; and going on to execute when there is time would let the sound depend on the machine.
/// - Then it begins as a fresh one does, with parameters where they were turned to. If it remembers something for long,
///   what it reads rises from silence, the edge of which an echo would bring back. It is muted until that and its
///   latency are over, and then crossfaded with what it reads.
enum Rest {
  case none
  /// So many bytes of the context of that number are forgotten, and all of those before it: of all of them, where the
  /// number is their count.
  case resting(context: Int, cleared: Int)
  /// The number of frames that were executed and thrown away.
  case waking(Int)
  /// So many frames of the crossfade are over.
  case fading(Int)
  /// Samples that were not finite went on coming out of it: it is silent, and forgets, as in `resting`, until it begins
  /// anew.
  case mending(context: Int, cleared: Int)

  var executes: Bool {
    @_noLocks get {
      switch self {
      case .none, .waking, .fading: true
      case .resting, .mending: false
      }
    }
  }

  /// Whether it is executed, and goes nowhere.
  var isMuted: Bool {
    @_noLocks get {
      switch self {
      case .waking: true
      case .none, .resting, .fading, .mending: false
      }
    }
  }

  /// Whether the program has its place to itself.
  var isOver: Bool {
    @_noLocks get {
      switch self {
      case .none: true
      case .resting, .waking, .fading, .mending: false
      }
    }
  }
}

extension LiveProcessor {
  /// Lets a program rest that is bypassed, and wakes one that is not any more, or for which another one waits.
  ///
  /// - Parameter frames: of the block, for which a part of what it remembers is forgotten.
  @_noLocks mutating func lookAtBypass(_ frames: Int) {
    switch rest {
    case .none:
      let isBypassed = unsafe next == nil && current.pointee.restsAtBypass
      bypassed = !isBypassed ? -1 : bypassed < 0 ? position : bypassed
      // Before the first frame what it plays is silence up to its latency, as the dry path is.
      let isThrough = unsafe position == 0 || position - bypassed >= Int64(current.pointee.latency)
      guard isBypassed && isThrough else { return }
      // What was never executed has nothing to forget.
      rest = unsafe .resting(context: position == 0 ? current.pointee.contexts.count : 0, cleared: 0)
    case .resting(var context, var cleared):
      let bytes = frames * MemoryWork.bytesPerFrame
      let isForgotten = unsafe current.pointee.forget(&context, &cleared, most: bytes)
      rest = .resting(context: context, cleared: cleared)
      let isWanted = unsafe next != nil || !current.pointee.isAskedToBypass
      guard isForgotten && isWanted else { return }
      outsideBefore = samplesOutside
      unsafe current.pointee.beginAnew()
      wake()
    case .mending(var context, var cleared):
      let bytes = frames * MemoryWork.bytesPerFrame
      let isForgotten = unsafe current.pointee.forget(&context, &cleared, most: bytes)
      rest = .mending(context: context, cleared: cleared)
      guard isForgotten else { return }
      outsideBefore = samplesOutside
      unsafe current.pointee.beginAnew()
      bypassed = -1
      rest = .none
    case .waking, .fading: break
    }
  }

  /// Lets a program begin anew of which samples that are not finite go on coming: what made its state no number may be
  /// over, but the state would never be one again.
  ///
  ///     memory of 1 s     · ∞ ····· ∞ ····· ∞ ····· ∞ ····· ∞ ▁▁▂▃▅▇     an echo that comes again and again
  ///
  /// One that comes within the time of what is remembered belongs to those before it. They have gone on for too long
  /// after four such times and a crossfade's.
  @_noLocks mutating func lookAtHealth(
    _ frames: Int, _ outputs: UnsafePointer<UnsafeMutablePointer<Float>?>
  ) {
    guard rest.isOver, case .none = swap else {
      broken = -1
      return
    }
    let memory = unsafe current.pointee.memory
    let isBroken = unsafe hasBrokenRow(frames, outputs)
    // A program that remembers nothing has nothing to forget.
    guard memory > 0, isBroken || broken >= 0 || isRenewed else { return }
    if isBroken || broken >= 0 { broken = broken < 0 ? 0 : broken + frames }
    healthy = isBroken ? 0 : healthy + frames
    if healthy > memory + crossfade.length { (broken, isRenewed) = (-1, false) }
    // Where they come again at once, it is not its past that makes them.
    guard isBroken, !isRenewed, broken > 4 * memory + crossfade.length else { return }
    (broken, healthy, isRenewed) = (-1, 0, true)
    renewals += 1
    rest = .mending(context: 0, cleared: 0)
  }

  /// Whether a channel plays a sample that is not finite.
  @_noLocks private func hasBrokenRow(
    _ frames: Int, _ outputs: UnsafePointer<UnsafeMutablePointer<Float>?>
  ) -> Bool {
    var loudest: UInt32 = 0
    for channel in 0..<(unsafe current.pointee.channelCount) {
      guard let row = unsafe outputs[channel] else { continue }
      for frame in 0..<frames { unsafe loudest = max(loudest, row[frame].bitPattern & 0x7FFF_FFFF) }
    }
    return loudest >= 0x7F80_0000
  }

  /// Lets a program that takes the place of one that rests rest as well, where that makes no difference to the sound.
  ///
  /// - Returns: Whether that is so.
  @_noLocks mutating func restInstead(_ fresh: UnsafeMutablePointer<LiveWiring>) -> Bool {
    guard case .resting = rest, unsafe fresh.pointee.isBypassed(like: current.pointee) else { return false }
    unsafe fresh.pointee.exchangeDryPath(with: &current.pointee)
    outsideBefore = samplesOutside
    unsafe retired = current
    unsafe current = fresh
    // It was never executed.
    rest = unsafe .resting(context: current.pointee.contexts.count, cleared: 0)
    return true
  }

  @_noLocks private mutating func wake() {
    bypassed = -1
    rest = wakingFrames > 0 ? .waking(0) : .fading(0)
  }

  /// Frames in which what a program reads that wakes rises from silence.
  private var risingFrames: Int {
    @_noLocks get { unsafe current.pointee.hasPast(longerThan: Swap.shortPast) ? crossfade.length : 0 }
  }

  /// Frames for which it is muted.
  private var wakingFrames: Int { @_noLocks get { unsafe risingFrames + current.pointee.latency } }

  /// Fades in the input where it is due; returns whether it was.
  @_noLocks func raise(_ frames: Int) -> Bool {
    guard case .waking(let done) = rest, done < risingFrames else { return false }
    unsafe current.pointee.raise(frames: frames, along: crossfade, from: done)
    return true
  }

  /// The number of frames, of those that are left, that belong to the same part of it.
  @_noLocks func piece(ofRest left: Int) -> Int {
    switch rest {
    case .none, .resting, .mending: left
    case .waking(let done): min(left, (done < risingFrames ? risingFrames : wakingFrames) - done)
    case .fading(let done): min(left, crossfade.length - done)
    }
  }

  /// Goes on after frames were played.
  @_noLocks mutating func goOnWithRest(after frames: Int) {
    switch rest {
    case .none, .resting, .mending: break
    case .waking(let done):
      guard done + frames == wakingFrames else {
        rest = .waking(done + frames)
        return
      }
      unsafe outsideBefore -= current.pointee.samplesOutside
      rest = .fading(0)
    case .fading(let done): rest = done + frames == crossfade.length ? .none : .fading(done + frames)
    }
  }
}
