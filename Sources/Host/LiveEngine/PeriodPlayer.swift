// SPDX-License-Identifier: Apache-2.0

internal import RealtimeCore

/// The planar rows of a stream of periods: one for each channel that comes in, and for each that goes out.
///
/// Whoever moves the periods owns the rows, which stay where they are as long as the stream; a channel has one row, of
/// which `inputs` and `inputRows` are two views.
@unsafe package struct PeriodRows {
  /// Frames of a period.
  package let period: Int
  package let inputs: UnsafePointer<UnsafePointer<Float>?>
  package let outputs: UnsafePointer<UnsafeMutablePointer<Float>?>
  package let inputRows: UnsafeBufferPointer<UnsafeMutablePointer<Float>>
  package let outputRows: UnsafeBufferPointer<UnsafeMutablePointer<Float>>

  package init(
    period: Int, inputs: UnsafePointer<UnsafePointer<Float>?>,
    outputs: UnsafePointer<UnsafeMutablePointer<Float>?>,
    inputRows: UnsafeBufferPointer<UnsafeMutablePointer<Float>>,
    outputRows: UnsafeBufferPointer<UnsafeMutablePointer<Float>>
  ) {
    unsafe (self.period, self.inputs, self.outputs) = (period, inputs, outputs)
    unsafe (self.inputRows, self.outputRows) = (inputRows, outputRows)
  }
}

/// The player of periods, whoever brings them: what an audio thread does between a period that has come in and the
/// period that goes out.
///
///     device                          player
///     a period is there ────────────▶ play(): feed ─▶ processor ─▶ fade ─▶ recorder
///     takes it, keeps its account ──▶ publish(): board
///     over, and over ◀─────────────── hasPlayedOut, isAskedToEnd
///
/// The sound ends where its feed does, or where it was asked to, by itself after a number of frames or by somebody
/// else: it fades, and silence follows until the device has played what faded. Without a fade, no bit differs from what
/// the processor makes of the frames, whatever periods they come in.
@safe package struct PeriodPlayer: ~Copyable, @unchecked Sendable {
  package var processor: LiveProcessor
  private let rows: PeriodRows
  /// Frames that the device holds before it plays what it is given.
  private let latency: Int
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
  /// The processor's counts before this stream began.
  private let outsideBefore: Int
  private let renewalsBefore: Int
  /// The busy time that was published last.
  private var busy: Int64 = 0
  /// The account when xruns were noted last.
  private var noted = StreamAccount()

  /// - Parameters:
  ///   - rows: outlive the player.
  ///   - rate: frames per second.
  ///   - latency: frames that the device holds before it plays what it is given.
  ///   - files: what takes the place of the inputs, and takes the outputs, too.
  ///   - board: has a channel for each row, and outlives the player.
  ///   - frames: after how many it ends; nil for never.
  package init(
    _ processor: consuming LiveProcessor, on rows: PeriodRows, rate: Int, latency: Int,
    _ files: LiveFiles = LiveFiles(), board: LiveBoard, frames: Int?
  ) {
    self.files = files
    unsafe (feed, recorder) = (files.feed?.cells, files.recorder?.cells)
    recorded = unsafe RowChoice(files.recorded, of: rows.outputRows)
    // 10 ms.
    fade = OutputFade(frames: max(1, rate / 100))
    if let frames { fade.end(at: frames) }
    unsafe self.rows = unsafe rows
    self.latency = latency
    (outsideBefore, renewalsBefore) = (processor.samplesOutside, processor.renewals)
    self.processor = processor
    (inputs, outputs) = (board.inputs, board.outputs)
    unsafe self.board = unsafe board.cells
  }

  /// Gives up the processor, which can go on elsewhere.
  package consuming func takeProcessor() -> LiveProcessor { processor }

  /// Whether the device has played all of the sound, and of the silence behind it as much as it holds.
  package var hasPlayedOut: Bool {
    @_noLocks get { fade.end != .max && position >= fade.end + latency + (unsafe rows.period) }
  }

  /// Whether somebody has asked for the end: where no period comes any more, nothing is left to fade.
  package var isAskedToEnd: Bool { @_noLocks get { unsafe board.asksForEnd } }

  /// Fills the outputs of a period from its inputs.
  @_noLocks package mutating func play() {
    let frames = unsafe rows.period
    if isAskedToEnd { fade.begin(at: position) }
    if position < fade.end {
      fillInputs(frames)
      unsafe processor.process(frames: frames, inputs: rows.inputs, outputs: rows.outputs)
      for channel in 0..<inputs {
        if let row = unsafe rows.inputs[channel] {
          unsafe board.note(peak: Self.loudest(row, count: frames), ofRow: channel)
        }
      }
    }
    for channel in 0..<outputs {
      guard let row = unsafe rows.outputs[channel] else { continue }
      if position < fade.end {
        unsafe fade.apply(to: row, count: frames, from: position)
      } else {
        unsafe row.update(repeating: 0, count: frames)
      }
      unsafe board.note(peak: Self.loudest(UnsafePointer(row), count: frames), ofRow: inputs + channel)
    }
    record(frames)
    position += frames
  }

  /// Fills the inputs where no device does; the sound ends behind the feed's last frame.
  @_noLocks private mutating func fillInputs(_ frames: Int) {
    guard let feed = unsafe feed else { return }
    let count = unsafe feed.fill(rows.inputRows, frames: frames)
    if unsafe count < frames && feed.isAtEnd { fade.begin(at: position + count) }
  }

  /// Hands on what plays, up to the silence.
  @_noLocks private mutating func record(_ frames: Int) {
    guard position < fade.end, let recorder = unsafe recorder else { return }
    unsafe recorder.write(recorded.rows, from: 0, frames: min(frames, fade.end - position))
  }

  /// Publishes the stream's status on the board.
  ///
  /// - Parameters:
  ///   - stream: the device's part of it; the player adds its own.
  ///   - isBroken: whether the stream is to begin again, so that it is not known yet what the break has cost.
  @_noLocks package mutating func publish(_ stream: LiveStatus, isBroken: Bool) {
    unsafe board.note(busy: Int(stream.account.busy - busy))
    busy = stream.account.busy
    if !isBroken { noteXruns(stream.account) }
    var status = stream
    status.position = min(position, fade.end)
    status.outsideDelays = processor.samplesOutside - outsideBefore
    status.renewals = processor.renewals - renewalsBefore
    unsafe board.draft.pointee = status
    unsafe board.publish()
  }

  /// Notes the xruns since they were noted last: what was lost meanwhile is what an overrun has cost, and an underrun
  /// was as long as nothing was played.
  @_noLocks private mutating func noteXruns(_ account: StreamAccount) {
    let place = min(position, fade.end)
    if account.overruns > noted.overruns {
      unsafe board.xruns.note(Xrun(.overrun, at: place, length: account.framesLost - noted.framesLost))
    }
    if account.underruns > noted.underruns {
      unsafe board.xruns.note(Xrun(.underrun, at: place, length: account.framesSilent - noted.framesSilent))
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
