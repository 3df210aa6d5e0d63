// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import HandKernels

/// Whole files through `legato process`, beside a loop that copies them.
///
/// What is measured are processes. The system counts a process's memory from before its program began, when it was a
/// copy of this one: so they run first, while this program is small.
struct RenderingRows {
  private static let rate = 48_000
  /// A file whose rendering is nothing but starting up.
  private static let shortFrames = 16

  private static let timeName = "render 60 s, stereo"
  private static let memoryName = "render: peak memory"

  typealias Outcome = LegatoCommand.Outcome<Measured>

  struct Measured {
    var rendering: Samples
    var starting: Samples
    var copying: Samples
    /// MiB for 60 and for 600 seconds.
    var peak: Double
    var peakOfTenTimes: Double
  }

  let options: Options
  let table: Table

  // MARK: Measuring

  func measure() throws -> Outcome {
    guard options.wants(Self.timeName) || options.wants(Self.memoryName) else { return .left(nil) }
    return try LegatoCommand.measuring(measure)
  }

  private func measure(_ command: LegatoCommand, _: FilePlace, in folder: URL) throws -> Measured {
    let (short, minute, result) = (
      folder.appending(path: "short.wav"), folder.appending(path: "minute.wav"),
      folder.appending(path: "result.wav")
    )
    try Self.write(short, frames: Self.shortFrames)
    try Self.write(minute, frames: 60 * Self.rate)
    func render(_ file: URL) throws -> hand_run_usage {
      try command.process([file.path, result.path, "--force"])
    }
    var (rendering, starting, copying) = ([Double](), [Double](), [Double]())
    var peak = 0
    // The first round warms up.
    for round in 0...(options.isQuick ? 9 : 31) {
      try? FileManager.default.removeItem(at: result)
      let rendered = try render(minute)
      try? FileManager.default.removeItem(at: result)
      let begin = Clock.nanoseconds
      guard unsafe hand_copy_sound(minute.path, result.path) == 0 else {
        throw BenchError("\(minute.path) cannot be copied")
      }
      let copied = Clock.nanoseconds - begin
      try? FileManager.default.removeItem(at: result)
      let started = try render(short)
      peak = max(peak, Int(rendered.peak_kibibytes))
      if round == 0 { continue }
      rendering.append(rendered.nanoseconds)
      starting.append(started.nanoseconds)
      copying.append(copied)
    }
    try Self.write(minute, frames: 600 * Self.rate)
    let long = try render(minute)
    return Measured(
      rendering: Samples(rendering), starting: Samples(starting), copying: Samples(copying),
      peak: Double(peak) / 1024, peakOfTenTimes: Double(long.peak_kibibytes) / 1024)
  }

  private static func write(_ file: URL, frames: Int) throws {
    guard unsafe hand_write_sound(file.path, 2, Int32(rate), frames) == 0 else {
      throw BenchError("\(file.path) cannot be written")
    }
  }

  // MARK: Showing

  func show(_ outcome: Outcome) {
    switch outcome {
    case .left(nil): break
    case .left(let reason?): table.note("\nrendering is left out: \(reason)")
    case .measured(let measured, let place): show(measured, place)
    }
  }

  private func show(_ measured: Measured, _ place: FilePlace) {
    table.section(
      "files through \(LegatoCommand.model), as processes, compiled before; the copy is libsndfile's alone, in this process; "
        + place.sentence)
    table.add(
      Figure("render an almost empty file: start-up, compiled before", measured.starting, unit: .milliseconds)
    )
    let excess = zip(measured.rendering.nanoseconds, measured.starting.nanoseconds).map { $0 - $1 }
    let work = Samples(excess)
    table.add(
      Figure(Self.timeName, measured.rendering, unit: .milliseconds)
        .compared(to: measured.copying, of: work, "copy")
        .promised("less start-up ≤ 1.5 x copy", work.excess(over: measured.copying, times: 1.5) <= 0))
    let growth = measured.peakOfTenTimes - measured.peak
    table.add(
      Figure("\(Self.memoryName) for 60 s", measured.peak, unit: .mebibytes))
    table.add(
      Figure("\(Self.memoryName) for 600 s", measured.peakOfTenTimes, unit: .mebibytes)
        .promised("at most 1 MiB more", growth <= 1))
  }
}
