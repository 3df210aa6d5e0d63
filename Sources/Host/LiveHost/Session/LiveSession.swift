// SPDX-License-Identifier: Apache-2.0

package import AudioIO
package import LiveEngine

/// A stream that plays a program on a thread of its own, from when it is made until it has ended.
///
///     let session = try LiveSession(stream, processor, inputs: 2, outputs: 2, frames: nil)
///     …session.board.status, session.board.end()…      poll(session.endDescriptor)
///     let outcome = session.finish()                   why it ended; the processor goes on elsewhere
@safe package final class LiveSession {
  package let board: LiveBoard
  private let loop: UnsafeMutablePointer<LiveLoop>
  private let thread: AudioThread
  private var isFinished = false

  /// Begins to play.
  ///
  /// - Parameters:
  ///   - inputs: channels of the stream.
  ///   - outputs: channels of the stream.
  ///   - files: what takes the place of the stream's inputs, and takes its outputs, too.
  ///   - frames: after how many it ends; nil for never.
  package init(
    _ stream: consuming DeviceStream, _ processor: consuming LiveProcessor, _ files: LiveFiles = LiveFiles(),
    inputs: Int, outputs: Int, frames: Int?
  ) throws(AudioThreadError) {
    let board = LiveBoard(inputs: inputs, outputs: outputs)
    let place = unsafe LoopPlace(UnsafeMutablePointer<LiveLoop>.allocate(capacity: 1))
    unsafe place.loop.initialize(to: LiveLoop(stream, processor, files, board: board, frames: frames))
    do throws(AudioThreadError) {
      thread = try AudioThread(named: "legato audio") { unsafe place.loop.pointee.run() }
    } catch {
      unsafe place.loop.deinitialize(count: 1)
      unsafe place.loop.deallocate()
      throw error
    }
    self.board = board
    unsafe loop = unsafe place.loop
  }

  deinit {
    board.end()
    thread.join()
    if !isFinished { unsafe loop.deinitialize(count: 1) }
    unsafe loop.deallocate()
  }

  /// Whether the thread goes before those that are not for sound.
  package var hasPriority: Bool { thread.hasPriority }

  /// Becomes readable when the session has ended.
  package var endDescriptor: Int32 { thread.endDescriptor }

  /// Waits for the end, closes the devices, and gives the processor back, which can go on elsewhere.
  package func finish() -> LiveOutcome {
    precondition(!isFinished, "a session ends once")
    thread.join()
    isFinished = true
    var outcome = unsafe LiveOutcome(loop.move())
    outcome.noteClosing()
    return outcome
  }

  /// Hands the loop to the thread, which is the only one that touches it until it has ended.
  @safe private struct LoopPlace: @unchecked Sendable {
    nonisolated(unsafe) let loop: UnsafeMutablePointer<LiveLoop>

    init(_ loop: UnsafeMutablePointer<LiveLoop>) { unsafe self.loop = unsafe loop }
  }
}

/// The rest of a session that has ended.
package struct LiveOutcome: ~Copyable {
  private let processor: LiveProcessor
  /// The reason why the stream could not go on; nil where it was asked to end.
  package let end: StreamEnd?
  package let ending: StreamEnding?
  /// Nanoseconds from then until the devices were closed.
  package private(set) var closedAfter: Int64 = 0

  init(_ loop: consuming LiveLoop) {
    (end, ending) = (loop.stream.end, loop.stream.ending)
    processor = loop.player.takeProcessor()
  }

  /// Is called when the devices have been closed.
  fileprivate mutating func noteClosing() {
    guard let ending else { return }
    closedAfter = MonotonicClock.nanoseconds - ending.noticed
  }

  /// The processor, as it was at the end.
  package consuming func takeProcessor() -> LiveProcessor { processor }
}
