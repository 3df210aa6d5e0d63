// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import GraphIR
internal import Legato

/// The search for the first number of a file's run that is not finite.
///
/// A check runs beside each context, on the same channels.
struct NonFiniteSearch {
  private let checks: [FiniteCheck]
  /// The file's channels that the contexts read, in order.
  private let inputs: [Int]
  private let automation: Automation
  private let path: String
  /// Of the file, whose frames are said.
  private let sampleRate: Int

  init(
    _ compilation: Compilation, contexts: Int, inputs: [Int], settings: [ParameterSetting],
    automation: Automation, path: String, sampleRate: Int
  ) throws {
    self.automation = automation
    // It warms up with what the rendered program did: automation may begin elsewhere.
    let moved = automation.moves(at: 0).map { move in
      ParameterSetting(name: compilation.layout.parameters[move.parameter].name, value: move.value)
    }
    let first = try compilation.finiteCheck(settings: settings + moved)
    checks = try [first] + (1..<contexts).map { _ in try first.another() }
    self.inputs = inputs
    self.path = path
    self.sampleRate = sampleRate
    for check in checks { for setting in settings { check.set(setting.name, to: setting.value) } }
  }

  /// Throws what is found in a block of the file; of several contexts, the earliest.
  func look(at bank: ContextBank, frames: Int) throws(RenderingError) {
    var done = 0
    while done < frames {
      let position = checks[0].position
      let count = automation.frames(from: position, most: frames - done)
      for move in automation.moves(at: position) {
        for check in checks { check.glide(move.parameter, to: move.value, over: move.frames) }
      }
      try look(at: bank, done..<done + count)
      done += count
    }
  }

  private func look(at bank: ContextBank, _ frames: Range<Int>) throws(RenderingError) {
    let rows = inputs.count / checks.count
    var earliest: (number: NonFiniteNumber, context: Int)?
    for (context, check) in checks.enumerated() {
      let channels = inputs[context * rows..<(context + 1) * rows].map { bank.source($0, frames) }
      guard let found = check.run(channels, frames: frames.count) else { continue }
      if found.frame < earliest?.number.frame ?? .max { earliest = (found, context) }
    }
    guard let (number, context) = earliest else { return }
    throw .notFinite(sentence(number.inFrames(ofRate: Double(sampleRate)), context, rows))
  }

  /// The error of a sample of the file that was found before it was resampled.
  func failure(of sample: (frame: Int, channel: Int, sample: Float), _ sound: AudioFileDescription)
    -> RenderingError
  {
    let time = NonFiniteNumber.time(ofFrame: sample.frame, sampleRate: Double(sound.sampleRate))
    return .notFinite(
      "\(path): the sample\(time), channel \(sample.channel + 1) is \(written(sample.sample))")
  }

  private func sentence(_ number: NonFiniteNumber, _ context: Int, _ rows: Int) -> String {
    if let row = number.inputRow {
      let channel = inputs[context * rows + row] + 1
      return "\(path): the sample\(number.time), channel \(channel) is \(written(number.number))"
    }
    guard checks.count > 1 else { return number.description }
    return "\(number.description) (channel \(inputs[context * rows] + 1) of \(path))"
  }
}
