// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import HandKernels

/// Many files through one `legato process`: two at a time beside one on one processor, and beside a run for each file.
///
/// What is measured are processes, as for single files. Each run writes into a folder of its own. On a disk all of them
/// stay until the end: some file systems are slow to make files while they remember others that were deleted. In memory
/// each goes at once, and the next run has its pages.
struct BatchRows {
  private static let rate = 48_000
  private static let name = "render many files of 2 s"

  typealias Outcome = LegatoCommand.Outcome<Measured>

  struct Measured {
    var files: Int
    /// Nanoseconds for a file.
    var oneJob: Samples
    var twoJobs: Samples
    var single: Samples
    var processors: TwoProcessors
    /// MiB.
    var peak: Double
  }

  let options: Options
  /// Where this program runs otherwise.
  let processor: Int32
  let table: Table

  // MARK: Measuring

  func measure() throws -> Outcome {
    guard options.wants(Self.name) else { return .left(nil) }
    // What this program starts may run where this program may.
    let processors = hand_unpin()
    defer { _ = hand_pin(processor) }
    guard processors > 1 else { return .left("there is one processor only") }
    return try LegatoCommand.measuring(measure)
  }

  private func measure(_ command: LegatoCommand, _ place: FilePlace, in folder: URL) throws -> Measured {
    let (inputs, outputs) = (folder.appending(path: "in"), folder.appending(path: "out"))
    try FileManager.default.createDirectory(at: inputs, withIntermediateDirectories: true)
    let files = 1000
    let (rounds, singles) = options.isQuick ? (3, 10) : (9, 40)
    let sound = folder.appending(path: "sound.wav").path
    guard unsafe hand_write_sound(sound, 1, Int32(Self.rate), 2 * Self.rate) == 0 else {
      throw BenchError("\(sound) cannot be written")
    }
    for index in 0..<files {
      // Not links: users have files.
      try FileManager.default.copyItem(atPath: sound, toPath: inputs.appending(path: "\(index).wav").path)
    }
    let format = ["--bits", "16"]
    var runs = 0
    func batch(_ jobs: Int) throws -> hand_run_usage {
      if jobs == 1 { _ = hand_pin(processor) }
      defer { if jobs == 1 { _ = hand_unpin() } }
      runs += 1
      let output = outputs.appending(path: "\(runs)").path
      defer { if place.isInMemory { try? FileManager.default.removeItem(atPath: output) } }
      return try command.process(
        [inputs.path, "--recursive", "--output-dir", output, "--jobs", "\(jobs)"] + format)
    }
    var (oneJob, twoJobs, single) = ([Double](), [Double](), [Double]())
    var processors = TwoProcessors()
    var peak = 0
    // The first round warms up.
    for round in 0...rounds {
      let (one, two) = (try batch(1), try batch(2))
      var alone = 0.0
      for index in 0..<singles {
        let result = folder.appending(path: "result.wav").path
        let input = inputs.appending(path: "\(index).wav").path
        alone += try command.process([input, result, "--force"] + format).nanoseconds
      }
      peak = max(peak, Int(one.peak_kibibytes), Int(two.peak_kibibytes))
      if round == 0 { continue }
      try processors.measure()
      oneJob.append(one.nanoseconds / Double(files))
      twoJobs.append(two.nanoseconds / Double(files))
      single.append(alone / Double(singles))
    }
    return Measured(
      files: files, oneJob: Samples(oneJob), twoJobs: Samples(twoJobs), single: Samples(single),
      processors: processors, peak: Double(peak) / 1024)
  }

  // MARK: Showing

  func show(_ outcome: Outcome) {
    switch outcome {
    case .left(nil): break
    case .left(let reason?): table.note("\nmany files are left out: \(reason)")
    case .measured(let measured, let place): show(measured, place)
    }
  }

  private func show(_ measured: Measured, _ place: FilePlace) {
    table.section(
      "\(measured.files) mono files of 2 s through \(LegatoCommand.model), compiled before, the time for each of them; "
        + place.sentence)
    table.add(
      Figure("\(Self.name), two at a time", measured.twoJobs, unit: .milliseconds)
        .compared(to: measured.oneJob, of: measured.twoJobs, "one, on one processor")
        .promised("1.8 times as fast", measured.twoJobs.ratio(to: measured.oneJob) <= 1 / 1.8))
    table.add(
      Figure("\(Self.name), in one run", measured.twoJobs, unit: .milliseconds)
        .compared(to: measured.single, of: measured.twoJobs, "a run each")
        .promised("5 times as fast", measured.twoJobs.ratio(to: measured.single) <= 0.2))
    table.add(
      Figure("\(Self.name): peak memory", measured.peak, unit: .mebibytes)
        .promised("below 100 MiB", measured.peak < 100))
    measured.processors.show(in: table)
  }
}
