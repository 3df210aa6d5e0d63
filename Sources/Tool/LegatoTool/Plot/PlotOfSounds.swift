// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import ChartDrawing
internal import GraphIR
internal import SoundAnalysis
internal import SoundMeasuring
internal import SoundPictures

/// `legato plot INPUT OUTPUT`: two sounds, before and after.
struct PlotOfSounds {
  private let before, after: MeasuredFile

  init(_ arguments: Arguments, _ destination: Destination) throws {
    let ofModels: [Option] = [
      .then, .set, .preset, .level, .channels, .rate, .outputs, .cpu, .optimize, .passes, .stopAfter,
    ]
    for option in ofModels where arguments.has(option) {
      throw Failure.usage("--\(option.name) is of use with --model MODEL only")
    }
    if let model = arguments.operands.first(where: { AudioFileType.ending(of: $0)?.lowercased() == "json" }) {
      throw Failure.usage("\(model) is no sound; --model \(model) draws what a model does")
    }
    let paths = try arguments.operands("INPUT", "OUTPUT")
    guard paths != ["-", "-"] else {
      throw Failure.usage("INPUT and OUTPUT are both -; there is one standard input")
    }
    let raw = try RawFormat(arguments)
    if raw != nil, !paths.contains("-") { throw Failure.usage("--raw is of use where INPUT or OUTPUT is -") }
    try destination.check(against: paths)
    // Both are there before a long one is read.
    let readers = try paths.map { path in
      path == "-"
        ? try AudioFileReader(path: AudioFileReader.standardInput, raw: raw) : try AudioFileReader(path: path)
    }
    before = try Self.measured(readers[0])
    after = try Self.measured(readers[1])
  }

  var notices: [String] { [before, after].flatMap(Self.notices) }

  var chart: Chart { FilesPicture(before: before, after: after).chart }

  var report: MeasuredFilesReport { MeasuredFilesReport(input: before, output: after) }

  /// Reads a whole sound, of which there is something to draw.
  private static func measured(_ reader: AudioFileReader) throws -> MeasuredFile {
    let file = try MeasuredFile(reader)
    guard file.measurement.frames > 0 else {
      throw Failure.faults(["\(file.description.path): has no frames; there is nothing to draw"])
    }
    return file
  }

  private static func notices(_ file: MeasuredFile) -> [String] {
    let odd = file.measurement.all.nonFiniteSamples
    let line =
      "\(file.description.path): \(counted(odd, "sample")) infinite or not a number, drawn as silence"
    return file.notices + (odd > 0 ? [line] : [])
  }
}
