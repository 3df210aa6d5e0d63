// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import ChartDrawing
internal import CommandLineInterface
internal import SoundMeasuring
internal import SoundPictures

/// `legato plot SOUND`: one sound with labels over it.
struct PlotOfSpectrogram {
  private let file: SpectralFile
  private let tracks: [(name: String, track: LabelTrack)]

  /// The most bytes of a file of labels.
  private static let mostBytes = 1 << 24

  init(_ arguments: Arguments, _ destination: Destination) throws {
    let path = try arguments.operands("SOUND")[0]
    try Self.checkSounds([path])
    let raw = try RawFormat(arguments)
    if raw != nil, path != "-" { throw Failure.usage("--raw is of use where SOUND is -") }
    let labels = arguments.values(of: .labelTrack)
    try destination.check(against: [path] + labels)
    tracks = try labels.map { file in
      let bytes = try FileBytes.read(file, most: Self.mostBytes + 1)
      guard bytes.count <= Self.mostBytes else {
        throw Failure.faults(["\(file): has more than \(Self.mostBytes) bytes, which are the most of labels"])
      }
      guard let text = String(validating: bytes, as: UTF8.self) else {
        throw Failure.faults(["\(file): is no text in UTF-8, with a label in each line"])
      }
      do throws(LabelTrack.Refusal) { return (PathText.name(of: file), try LabelTrack(text)) } catch {
        throw Failure.faults(["\(file):\(error.line): \(error.message)"])
      }
    }
    let reader =
      path == "-"
      ? try AudioFileReader(path: AudioFileReader.standardInput, raw: raw) : try AudioFileReader(path: path)
    file = try SpectralFile(reader)
    try file.measured.checkLength()
  }

  /// Throws where a model stands in the place of a sound.
  static func checkSounds(_ paths: [String]) throws {
    guard let model = paths.first(where: { AudioFileType.ending(of: $0)?.lowercased() == "json" }) else {
      return
    }
    _ = try FileStatus(path: model)
    throw Failure.usage("\(model) is no sound; --model \(model) draws what a model does")
  }

  var notices: [String] { file.measured.oddities }

  var chart: Chart { SpectrogramPicture(file, tracks: tracks).chart }

  var report: SpectralFileReport { SpectralFileReport(file) }
}
