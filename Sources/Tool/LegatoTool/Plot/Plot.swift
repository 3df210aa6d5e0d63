// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import ChartDrawing
internal import CommandLineInterface
internal import GraphIR

extension Option {
  static let model = Option("model", value: "MODEL", "draws what a model does to test signals, not files")
  static let level = Option(
    "level", value: "DECIBELS", "the peak of impulse and sweep, in dBFS (default: -20)")
}

extension Option {
  static let labelTrack = Option(
    "label-track", value: "FILE", isRepeatable: true,
    "labels that are drawn over a spectrogram, as Audacity writes them: beginning, end and label, with tabs between "
      + "(repeatable)")
}

extension Arguments {
  /// Whether `plot` draws, and does not only print numbers.
  var drawsPlot: Bool { has(.output) || !has(.json) }
}

extension Subcommand {
  static let plot = Subcommand(
    name: "plot", operands: "INPUT OUTPUT", moreOperands: ["SOUND", "REPORT…", "--model MODEL"],
    summary: "draws sound, what a model does, or how it learned, as SVG",
    explanation: """
      Of two audio files: the waveform of each, their spectra (mean power of Hann windows of about a third of a second,
      over all channels; a sine at full scale reads 0 dB), and their levels in windows of 50 ms. Either may be -, the
      standard input, which has a header unless --raw says what it is.
      Of one audio file: its waveform and its spectrogram, with the labels of --label-track over them, such as those
      that were given and those that a classifier found.
      Of reports of `legato train --report`: the loss and the metrics over the epochs, of several runs over each other,
      and of one what was taken for what; of a report of `legato evaluate --json` the latter.
      Of a model: the response by frequency, which a sweep gives, the response to an impulse, and the output against
      the input of a slow ramp. Each channel has its colour, and all channels of the input get the same.
      The picture goes to --output, which appears when it is whole, or else to the standard output. With --json the
      numbers are printed; the picture is drawn then only where --output has it.
      """,
    example: """
      legato plot models/audio/pluck-and-drums.wav crushed.wav -o crushed.svg
        legato plot speech.wav --label-track speech.txt -o speech.svg
        legato plot small.json large.json -o curves.svg
      """,
    options: [
      .model, .labelTrack, .output, .force, .json, .raw, .then, .size, .normalize, .calibrate, .set, .preset,
      .level,
      .channels, .rate,
      .outputs, .cpu,
      .optimize, .passes, .stopAfter,
    ], takesAnyBytes: true
  ) { arguments, console in
    let destination = try Destination(arguments)
    let ending = destination.path.flatMap { AudioFileType.ending(of: $0) } ?? ""
    guard !otherPictures.contains(ending.lowercased()) else {
      throw Failure.usage("--output: pictures are SVG, not .\(ending); name a file that ends in .svg")
    }
    if arguments.has(.json), arguments.value(of: .output) == "-" {
      throw Failure.usage("--json and --output - both print; name a file for the picture")
    }
    try checkOptions(arguments)
    if arguments.has(.model) {
      let plot = try PlotOfModel(arguments, destination, console.notice)
      try show(plot.chart.svg, plot.report, arguments, destination, console)
    } else if let plot = try PlotOfLearning(arguments, destination) {
      try show(plot.chart.svg, plot.report, arguments, destination, console)
    } else if arguments.operands.count == 1 {
      let plot = try PlotOfSpectrogram(arguments, destination)
      for notice in plot.notices { console.notice(notice) }
      try show(plot.chart.svg, plot.report, arguments, destination, console)
    } else {
      let plot = try PlotOfSounds(arguments, destination)
      for notice in plot.notices { console.notice(notice) }
      try show(plot.chart.svg, plot.report, arguments, destination, console)
    }
  }

  /// Throws where options are of another kind of picture.
  private static func checkOptions(_ arguments: Arguments) throws(Failure) {
    let ofModels: [Option] = [
      .then, .size, .normalize, .calibrate, .set, .preset, .level, .channels, .rate, .outputs, .cpu,
      .optimize, .passes, .stopAfter,
    ]
    if !arguments.has(.model), let option = ofModels.first(where: arguments.has) {
      throw .usage("--\(option.name) is of use with --model MODEL only")
    }
    if arguments.has(.labelTrack), arguments.has(.model) || arguments.operands.count != 1 {
      throw .usage("--label-track is of use with one sound only")
    }
  }

  /// The extensions of pictures that are not SVG.
  private static let otherPictures: Set<String> = [
    "bmp", "eps", "gif", "html", "jpeg", "jpg", "pdf", "png", "ps", "tif", "tiff", "webp",
  ]

  private static func show(
    _ picture: @autoclosure () -> String, _ report: @autoclosure () -> some Encodable, _ arguments: Arguments,
    _ destination: Destination, _ console: Console
  ) throws {
    if arguments.drawsPlot { try destination.show(picture(), console) }
    if arguments.has(.json) { try console.print(json(report())) }
  }
}
