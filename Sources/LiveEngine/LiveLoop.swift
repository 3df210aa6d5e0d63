// SPDX-License-Identifier: Apache-2.0

package import AudioIO

/// What the audio thread does: from a period that has come to the period that is played, over and over.
///
///     stream.next ─▶ processor ─▶ fade ─▶ stream.finish ─▶ board
///
/// It ends where the stream does, or where it was asked to, by itself after a number of frames or by somebody else: the
/// sound fades, and silence follows until the device has played what faded. Without a fade, no bit differs from what the processor
/// makes of the frames, whatever periods they come in.
@safe package struct LiveLoop: ~Copyable, @unchecked Sendable {
  package var stream: DeviceStream
  package var processor: LiveProcessor
  /// Frames that have gone by.
  private var position = 0
  private let inputs: Int
  private let outputs: Int
  private let board: LiveBoardCells
  private var fade: OutputFade
  private var busy: Int64 = 0

  /// - Parameters:
  ///   - board: has as many channels as the stream, and outlives the loop.
  ///   - frames: after how many it ends; nil for never.
  package init(
    _ stream: consuming DeviceStream, _ processor: consuming LiveProcessor, board: LiveBoard, frames: Int?
  ) {
    // 10 ms.
    fade = OutputFade(frames: max(1, stream.rate / 100))
    if let frames { fade.end(at: frames) }
    self.stream = stream
    self.processor = processor
    (inputs, outputs) = (board.inputs, board.outputs)
    unsafe self.board = unsafe board.cells
  }

  /// Plays until the end.
  @_noLocks package mutating func run() {
    while true {
      switch stream.next() {
      case .period:
        play()
        publish()
        if hasPlayedOut { return }
      case .nothing:
        publish()
        // What is to fade is not heard any more.
        if unsafe board.asksForEnd { return }
      case .ended:
        publish()
        return
      }
    }
  }

  /// Whether the device has played all that was heard before the silence.
  private var hasPlayedOut: Bool {
    @_noLocks get { fade.end != .max && position >= fade.end + stream.latency + stream.period }
  }

  @_noLocks private mutating func play() {
    let frames = stream.period
    if unsafe board.asksForEnd { fade.begin(at: position) }
    if position < fade.end {
      unsafe processor.process(frames: frames, inputs: stream.inputs, outputs: stream.outputs)
      for channel in 0..<inputs {
        if let row = unsafe stream.inputs[channel] {
          unsafe board.note(peak: Self.loudest(row, count: frames), ofRow: channel)
        }
      }
    }
    for channel in 0..<outputs {
      guard let row = unsafe stream.outputs[channel] else { continue }
      if position < fade.end {
        unsafe fade.apply(to: row, count: frames, from: position)
      } else {
        unsafe row.update(repeating: 0, count: frames)
      }
      unsafe board.note(peak: Self.loudest(UnsafePointer(row), count: frames), ofRow: inputs + channel)
    }
    stream.finish()
    position += frames
  }

  @_noLocks private mutating func publish() {
    let account = stream.account
    unsafe board.note(busy: Int(account.busy - busy))
    busy = account.busy
    var status = LiveStatus(account)
    status.position = min(position, fade.end)
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
    unsafe board.draft.pointee = status
    unsafe board.publish()
  }

  /// The bits of the largest magnitude among finite samples, which are in the numbers' order.
  @_noLocks private static func loudest(_ row: UnsafePointer<Float>, count: Int) -> UInt32 {
    var loudest: UInt32 = 0
    for index in 0..<count {
      let magnitude = unsafe row[index].bitPattern & 0x7FFF_FFFF
      loudest = max(loudest, magnitude < 0x7F80_0000 ? magnitude : 0)
    }
    return loudest
  }
}
