// SPDX-License-Identifier: Apache-2.0

package import AudioIO
package import LiveEngine
internal import RealtimeCore

/// The loop of an audio thread: from a period that a device brings to the period that it plays, over and over.
///
///     stream.next ─▶ player.play ─▶ stream.finish ─▶ player.publish
///
/// It ends where the stream does, or once what the player lets end has been played.
@safe package struct LiveLoop: ~Copyable, @unchecked Sendable {
  package var stream: DeviceStream
  package var player: PeriodPlayer
  private let inputs: Int
  private let outputs: Int

  /// - Parameters:
  ///   - board: has as many channels as the stream, and outlives the loop.
  ///   - files: what takes the place of the stream's inputs, and takes its outputs, too.
  ///   - frames: after how many it ends; nil for never.
  package init(
    _ stream: consuming DeviceStream, _ processor: consuming LiveProcessor, _ files: LiveFiles = LiveFiles(),
    board: LiveBoard, frames: Int?
  ) {
    let rows = unsafe PeriodRows(
      period: stream.period, inputs: stream.inputs, outputs: stream.outputs, inputRows: stream.inputRows,
      outputRows: stream.outputRows)
    player = unsafe PeriodPlayer(
      processor, on: rows, rate: stream.rate, latency: stream.latency, files, board: board, frames: frames)
    self.stream = stream
    (inputs, outputs) = (board.inputs, board.outputs)
  }

  /// Plays until the end.
  @_noLocks package mutating func run() {
    while true {
      switch stream.next() {
      case .period:
        player.play()
        stream.finish()
        publish()
        if player.hasPlayedOut { return }
      case .nothing:
        // What is to fade does not come out any more.
        let isToEnd = player.isAskedToEnd
        if isToEnd { stream.settle() }
        publish()
        if isToEnd { return }
      case .ended:
        publish()
        return
      }
    }
  }

  @_noLocks private mutating func publish() {
    var status = LiveStatus(stream.account)
    status.captureDrift = stream.drift(of: .capture) ?? .nan
    status.playbackDrift = stream.drift(of: .playback) ?? .nan
    for channel in 0..<inputs {
      let tally = stream.tally(ofInput: channel)
      status.clippedIn += tally.clipped
      status.nonFiniteIn += tally.nonFinite
    }
    for channel in 0..<outputs {
      let tally = stream.tally(ofOutput: channel)
      status.clippedOut += tally.clipped
      status.nonFiniteOut += tally.nonFinite
    }
    player.publish(status, isBroken: stream.isBroken)
  }
}
