// SPDX-License-Identifier: Apache-2.0

package import AudioIO
internal import RealtimeCore

/// What the audio thread does: from a period that has come to the period that is played, over and over.
///
///     stream.next ─▶ feed ─▶ processor ─▶ fade ─▶ recorder ─▶ stream.finish ─▶ board
///
/// It ends where the stream does, where its feed does, or where it was asked to, by itself after a number of frames or
/// by somebody else: the sound fades, and silence follows until the device has played what faded. Without a fade, no
/// bit differs from what the processor makes of the frames, whatever periods they come in.
@safe package struct LiveLoop: ~Copyable, @unchecked Sendable {
  package var stream: DeviceStream
  package var processor: LiveProcessor
  /// Frames that have gone by.
  private var position = 0
  private let inputs: Int
  private let outputs: Int
  private let board: LiveBoardCells
  /// Keeps what the next two lead to.
  private let files: LiveFiles
  private let feed: SampleRingCells?
  private let recorder: SampleRingCells?
  private let recorded: RowChoice
  private var fade: OutputFade
  /// What the processor had counted before this loop.
  private let outsideBefore: Int
  /// As it was published last.
  private var account = StreamAccount()
  /// As it was when xruns were noted last.
  private var noted = StreamAccount()

  /// - Parameters:
  ///   - board: has as many channels as the stream, and outlives the loop.
  ///   - files: what takes the place of the stream's inputs, and takes its outputs, too.
  ///   - frames: after how many it ends; nil for never.
  package init(
    _ stream: consuming DeviceStream, _ processor: consuming LiveProcessor, _ files: LiveFiles = LiveFiles(),
    board: LiveBoard, frames: Int?
  ) {
    self.files = files
    unsafe (feed, recorder) = (files.feed?.cells, files.recorder?.cells)
    recorded = unsafe RowChoice(files.recorded, of: stream.outputRows)
    // 10 ms.
    fade = OutputFade(frames: max(1, stream.rate / 100))
    if let frames { fade.end(at: frames) }
    self.stream = stream
    outsideBefore = processor.samplesOutside
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
        // What is to fade is not heard any more.
        let isToEnd = unsafe board.asksForEnd
        if isToEnd { stream.settle() }
        publish()
        if isToEnd { return }
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
      hear(frames)
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
    record(frames)
    stream.finish()
    position += frames
  }

  /// Fills the inputs where no device does; the sound ends behind the feed's last frame.
  @_noLocks private mutating func hear(_ frames: Int) {
    guard let feed = unsafe feed else { return }
    let count = unsafe feed.fill(stream.inputRows, frames: frames)
    if unsafe count < frames && feed.isAtEnd { fade.begin(at: position + count) }
  }

  /// Hands on what plays, up to the silence.
  @_noLocks private mutating func record(_ frames: Int) {
    guard position < fade.end, let recorder = unsafe recorder else { return }
    unsafe recorder.write(recorded.rows, from: 0, frames: min(frames, fade.end - position))
  }

  @_noLocks private mutating func publish() {
    let account = stream.account
    unsafe board.note(busy: Int(account.busy - self.account.busy))
    noteXruns(account)
    self.account = account
    var status = LiveStatus(account)
    status.position = min(position, fade.end)
    status.outsideDelays = processor.samplesOutside - outsideBefore
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

  /// Notes the xruns since they were noted last: what was lost meanwhile is what an overrun has cost, and an underrun
  /// was as long as nothing was played. Neither is known before the stream has begun again, or is over.
  @_noLocks private mutating func noteXruns(_ account: StreamAccount) {
    guard !stream.isBroken else { return }
    let place = min(position, fade.end)
    if account.overruns > noted.overruns {
      unsafe board.xruns.note(
        Xrun(.capture, at: place, length: account.framesLost - noted.framesLost))
    }
    if account.underruns > noted.underruns {
      unsafe board.xruns.note(
        Xrun(.playback, at: place, length: account.framesSilent - noted.framesSilent))
    }
    noted = account
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
