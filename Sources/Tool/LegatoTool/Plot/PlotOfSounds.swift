// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import ChartDrawing
internal import CommandLineInterface
internal import GraphIR
internal import SoundAnalysis
internal import SoundMeasuring
internal import SoundPictures

/// `legato plot INPUT OUTPUT`: two sounds, before and after.
struct PlotOfSounds {
  private let before, after: MeasuredFile

  init(_ arguments: Arguments, _ destination: Destination) throws {
    try PlotOfSpectrogram.checkSounds(arguments.operands)
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

  var notices: [String] { [before, after].flatMap(\.oddities) }

  var chart: Chart { FilesPicture(before: before, after: after).chart }

  var report: MeasuredFilesReport { MeasuredFilesReport(input: before, output: after) }

  /// Reads a whole sound, of which there is something to draw.
  private static func measured(_ reader: AudioFileReader) throws -> MeasuredFile {
    let file = try MeasuredFile(reader)
    try file.checkLength()
    return file
  }
}

extension MeasuredFile {
  /// Throws where there is nothing to draw.
  func checkLength() throws(Failure) {
    guard measurement.frames > 0 else {
      throw .faults(["\(description.path): has no frames; there is nothing to draw"])
    }
  }

  /// The reader's notices, and that of samples which are not finite.
  var oddities: [String] {
    let odd = measurement.all.nonFiniteSamples
    let line = "\(description.path): \(counted(odd, "sample")) infinite or not a number, drawn as silence"
    return notices + (odd > 0 ? [line] : [])
  }
}
