// SPDX-License-Identifier: Apache-2.0

import CRealtime
import RealtimeCore

/// The player of programs, a block after the other: what an audio thread calls between a device's inputs and its
/// outputs.
///
/// It belongs to one thread at a time. `process` neither allocates, nor locks, nor counts references, nor enters the
/// kernel. Programs that come through its mailbox take the place of the one before without a gap; see `Swap`. One that
/// is bypassed is not executed; see `Rest`. Whoever lets go of the processor frees what it holds: that is not for the
/// audio thread.
@safe package struct LiveProcessor: ~Copyable, @unchecked Sendable {
  var current: UnsafeMutablePointer<LiveWiring>
  /// The program that is to take its place.
  var next: UnsafeMutablePointer<LiveWiring>?
  /// The program that was played before, as long as there is no room for it in the mailbox.
  var retired: UnsafeMutablePointer<LiveWiring>?
  var swap = Swap.none
  var rest = Rest.none
  /// The position from which on the bypass rests at 1; -1 where it does not.
  var bypassed: Int64 = -1
  /// Samples that asked programs before this one, or this one before it began anew, for delays outside of their ranges;
  /// less those that this one has counted while it was muted.
  var outsideBefore = 0
  /// How often a program began anew because samples that are not finite went on coming.
  package internal(set) var renewals = 0
  /// Frames since the first of such samples, and since the last of them; -1 where there are none.
  var broken = -1
  var healthy = 0
  /// Whether it began anew, and has not been without them for as long since.
  var isRenewed = false
  /// The count of the next program when it was muted no more.
  var outsideMuted = 0
  let crossfade: Crossfade
  let slots: MailboxSlots
  private let mailbox: ProgramMailbox

  /// - Parameters:
  ///   - mailbox: where the programs come from that take this one's place; of as many channels.
  ///   - rate: frames per second.
  package init(_ program: LiveProgram, from mailbox: ProgramMailbox, rate: Int) {
    unsafe current = program.retained()
    unsafe next = nil
    unsafe retired = nil
    self.mailbox = mailbox
    unsafe slots = mailbox.mailbox.slots
    crossfade = Crossfade(length: max(1, rate / 50))
  }

  /// Plays one program and no other.
  package init(_ program: LiveProgram) {
    self.init(program, from: ProgramMailbox(channels: program.channels), rate: 1)
  }

  deinit {
    _ = unsafe LiveProgram.released(current)
    _ = unsafe LiveProgram.released(next)
    _ = unsafe LiveProgram.released(retired)
  }

  /// Frames that the program has executed since it began, or began anew after a bypass.
  package var position: Int64 { @_noLocks get { unsafe current.pointee.position } }

  /// Samples that asked what was played for delays outside of their ranges; in a crossfade, those of both programs.
  package var samplesOutside: Int {
    @_noLocks get { unsafe rest.isMuted ? outsideBefore : outsideBefore + current.pointee.samplesOutside }
  }

  /// Whether a program is about to take the place of another one: both are executed for some of the time.
  package var isSwapping: Bool { @_noLocks get { unsafe next != nil } }

  /// Executes a block.
  ///
  /// - Parameters:
  ///   - frames: any number.
  ///   - inputs: a row for each of the device's channels that come in; nil where no program has inputs.
  ///   - outputs: a row for each channel that goes out. All of them are overwritten; rows must not overlap others.
  @_noLocks package mutating func process(
    frames: Int, inputs: UnsafePointer<UnsafePointer<Float>?>?,
    outputs: UnsafePointer<UnsafeMutablePointer<Float>?>
  ) {
    lookIntoMailbox()
    lookAtBypass(frames)
    var mayCarry = true
    var done = 0
    while done < frames {
      let count = piece(ofRest: piece(of: frames - done, &mayCarry))
      unsafe current.pointee.read(frames: count, inputs: inputs, from: done)
      if rest.executes { unsafe current.pointee.execute(frames: count, isRising: raise(count)) }
      if swap.executesBoth, let next = unsafe next {
        unsafe next.pointee.read(frames: count, inputs: inputs, from: done)
        unsafe next.pointee.execute(frames: count)
      }
      for channel in 0..<(unsafe current.pointee.channelCount) {
        guard let output = unsafe outputs[channel] else { continue }
        unsafe play(channel, frames: count, into: output + done)
      }
      goOn(after: count)
      goOnWithRest(after: count)
      done += count
    }
    unsafe lookAtHealth(frames, outputs)
  }

  /// Fills a channel of the device with what it plays of the frames that were read last.
  @_noLocks private func play(_ channel: Int, frames: Int, into output: UnsafeMutablePointer<Float>) {
    switch rest {
    case .none: unsafe playProgram(channel, frames: frames, into: output)
    case .mending: unsafe Self.copy(nil, frames, to: output)
    case .resting, .waking: unsafe Self.copy(current.pointee.dry(ofChannel: channel), frames, to: output)
    case .fading(let done):
      let dry = unsafe current.pointee.dry(ofChannel: channel)
      let playing = unsafe current.pointee.result(ofChannel: channel)
      unsafe crossfade.mix(dry, playing, from: done, frames: frames, into: output)
    }
  }

  @_noLocks private func playProgram(
    _ channel: Int, frames: Int, into output: UnsafeMutablePointer<Float>
  ) {
    let playing = unsafe current.pointee.result(ofChannel: channel)
    if case .fading(let done) = swap, let next = unsafe next {
      unsafe crossfade.mix(
        playing, next.pointee.result(ofChannel: channel), from: done, frames: frames, into: output)
    } else {
      unsafe Self.copy(playing, frames, to: output)
    }
  }

  /// Copies frames; nil is silence.
  @_noLocks private static func copy(
    _ source: UnsafePointer<Float>?, _ frames: Int, to output: UnsafeMutablePointer<Float>
  ) {
    if let source = unsafe source {
      unsafe legato_copy(output, source, frames * MemoryLayout<Float>.stride)
    } else {
      unsafe legato_clear(output, frames * MemoryLayout<Float>.stride)
    }
  }
}
