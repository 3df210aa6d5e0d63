// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import Legato

/// Runs a file through contexts of one program and into another file, a block at a time.
///
///     reader ─▶ SoundSource ─▶ ContextBank ─▶ what is late is left out ─▶ SoundSink ─▶ writer
///     file's rate │          model's rate                               │   file's rate
///
/// The output is aligned with the input: frames of the program's latency are left out at the beginning, and as many are
/// fetched at the end, with the tail. Memory does not depend on the file's length.
final class Renderer {
  private let bank: ContextBank
  /// The program's latency, in frames.
  let latency: Int
  /// Frames that were executed.
  private var executed = 0
  /// Frames that are still to be left out.
  private var late: Int
  /// Frames that were executed, and taken back, to find the end of the tail.
  private(set) var rehearsed = 0

  /// - Parameter bank: contexts that have not executed anything.
  init(_ bank: ContextBank) {
    self.bank = bank
    latency = bank.program.layout.latency
    late = latency
  }

  /// Turns a parameter of all contexts, before anything is rendered.
  func set(_ setting: ParameterSetting) { bank.set(setting) }

  /// The delays by a signal that were asked for frames outside of their ranges.
  func outsideDelays(of model: String) -> [OutsideDelay] { bank.outsideDelays(of: model) }

  /// Renders all that is left of the file, and its tail.
  ///
  /// - Parameter look: Sees each block of the sound before it is rendered; where it throws, that block and what
  ///   follows are not.
  /// - Returns: Whether it still sounds where the longest tail ends that is looked for.
  @discardableResult
  func render(
    _ source: SoundSource, to sink: SoundSink, tail: Tail,
    look: (_ bank: ContextBank, _ frames: Int) throws -> Void
  ) throws -> Bool {
    while true {
      let frames = unsafe try source.read(into: bank.source, frames: bank.block)
      if frames == 0 { break }
      try look(bank, frames)
      try execute(frames, into: sink)
    }
    let end = source.fileFrames
    let rate = source.sampleRate
    let most = tail.frames(sampleRate: rate)
    let frames = tail == .audible ? try audibleFrames(of: most, after: end, source, sink) : most
    sink.end(after: end + frames)
    try goOn(source, sink, look)
    // The deepest tone that can be heard crosses zero as seldom.
    return tail == .audible && frames > most - rate / 20
  }

  /// Executes what follows the end of the file, until the sink has all that it wants.
  ///
  /// - Parameter isOver: Is asked after each block, of which it is told whether its input was silent; ends it, too.
  private func goOn(
    _ source: SoundSource, _ sink: SoundSink,
    _ look: (_ bank: ContextBank, _ frames: Int) throws -> Void,
    isOver: (_ frames: Int, _ silentInput: Bool) -> Bool = { _, _ in false }
  ) throws {
    while sink.missing > 0 {
      let frames = min(bank.block, late + sink.missing)
      let silentInput = source.isSilent
      unsafe source.readOn(into: bank.source, frames: frames)
      // Frames that are executed only because a resampler looks ahead are not in the file.
      let seen = min(frames, latency + sink.modelFrames - executed)
      if seen > 0 { try look(bank, seen) }
      try execute(frames, into: sink)
      if isOver(frames, silentInput) { return }
    }
  }

  private func execute(_ frames: Int, into sink: SoundSink) throws(AudioFileError) {
    bank.execute(frames)
    executed += frames
    let left = min(late, frames)
    late -= left
    unsafe try sink.write(bank.results(from: left), frames: frames - left)
  }

  /// The number of the file's frames behind the end until nothing can be heard any more.
  ///
  /// It is tried out, and then everything is as it was before.
  private func audibleFrames(
    of most: Int, after end: Int, _ source: SoundSource, _ sink: SoundSink
  ) throws -> Int {
    let meter = AudibleMeter(from: sink.position)
    let trial = sink.copy(into: meter)
    trial.end(after: end + most)
    let (late, executed) = (late, executed)
    defer { (self.late, self.executed) = (late, executed) }
    var stillness = Stillness(since: bank.position)
    try bank.rehearse { () throws in
      try goOn(source.copyBehindEnd(), trial, { _, _ in }) { frames, silentInput in
        stillness.isReached(by: bank, frames: frames, silentInput: silentInput, memory: trial.memory)
      }
      rehearsed = self.executed - executed
    }
    return max(0, meter.end - end)
  }
}
