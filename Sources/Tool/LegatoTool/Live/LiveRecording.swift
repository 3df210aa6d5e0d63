// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import GraphIR
internal import Legato

/// The file that `--record` names, and what became of it.
final class LiveRecording {
  let path: String
  private let options: AudioFileWriter.Options
  private(set) var recorder: Recorder?
  private(set) var summary: Recorder.Summary?
  private var hasFailed = false

  /// Nil where nothing is recorded.
  ///
  /// - Parameter sources: files that the sound is made of.
  init?(_ arguments: Arguments, against sources: [String]) throws {
    guard let path = arguments.value(of: .record) else {
      guard !arguments.has(.bits) else { throw Failure.usage("--bits goes with --record FILE") }
      return nil
    }
    guard AudioFileType(path: path) != nil else {
      throw Failure.usage(
        "--record takes a file whose name ends in \(AudioFileType.extensionList), not '\(path)'")
    }
    self.path = path
    options = try AudioFileWriter.Options(arguments)
    try Destination.check(path, against: sources)
    try TextFile.check(path, replaceExisting: options.replaceExisting)
  }

  /// Opens the file.
  func begin(channels: Int, rate: Int, period: Int, _ console: Console) throws {
    let recorder = try Recorder(
      path: path, channels: channels, sampleRate: rate, period: period, options: options,
      pending: Interruption.pending)
    for notice in recorder.notices { console.notice(notice) }
    self.recorder = recorder
  }

  /// Says once that the file cannot be written on, as soon as that is so.
  func look(_ console: Console) {
    guard !hasFailed, let failure = recorder?.failure else { return }
    hasFailed = true
    console.error("\(failure); the sound goes on without it")
  }

  /// Completes the file; throws where it is not all that was played.
  func finish(rate: Int, _ console: Console) throws {
    guard let recorder else { return }
    look(console)
    let summary = recorder.finish()
    self.summary = summary
    if summary.isKept {
      console.notice(
        "\(path): \(counted(summary.frames, "frame")) (\(decimals(Double(summary.frames) / Double(rate))) s) recorded"
      )
    }
    if summary.clippedSamples > 0 {
      console.notice("\(path): \(counted(summary.clippedSamples, "sample")) beyond full scale clipped")
    }
    if summary.nonFiniteSamples > 0 {
      console.notice(
        "\(path): \(counted(summary.nonFiniteSamples, "sample")) infinite or not a number, made silent")
    }
    guard summary.failure == nil else {
      let what = summary.isKept ? "the recording is not whole" : "nothing was recorded"
      throw Failure.faults([hasFailed ? "\(path): \(what)" : "\(path): \(what): \(reason(summary))"])
    }
    if summary.framesLost > 0 {
      console.notice("\(path): \(counted(summary.framesLost, "frame")) lost, as the disk was too slow")
    }
  }

  private func reason(_ summary: Recorder.Summary) -> String {
    summary.failure.map { $0.problem.sentence } ?? ""
  }
}
