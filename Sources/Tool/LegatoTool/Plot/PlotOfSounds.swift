// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import ChartDrawing
internal import GraphIR
internal import SoundAnalysis

/// Two sounds, before and after, as panels one below the other.
struct PlotOfSounds {
  private let before, after: MeasuredSound

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
    before = try MeasuredSound(readers[0])
    after = try MeasuredSound(readers[1])
  }

  var notices: [String] { before.notices + after.notices }

  var report: SoundsReport { SoundsReport(input: before.report, output: after.report) }

  // MARK: Panels

  var chart: Chart {
    Chart(
      "\(before.name) → \(after.name)",
      rows: [[waveform(before, "before", .gray)]]
        + [[waveform(after, "after", .blue)], [spectrum], [level]])
  }

  /// The time axis that both share.
  private var time: Axis {
    Axis(.time, range: 0...max(before.measurement.seconds, after.measurement.seconds))
  }

  private func waveform(_ sound: MeasuredSound, _ role: String, _ tint: Tint) -> Panel {
    let size = max(1, before.measurement.all.peak, after.measurement.all.peak)
    let spans = sound.measurement.envelope.map { point in
      Series.Span(point.seconds, Double(point.extremes.low), Double(point.extremes.high))
    }
    return Panel(
      "\(role): \(sound.name)", notes: sound.captions, x: time, y: Axis(.number, range: -size...size),
      series: [Series("", tint, .band(spans))], height: 110)
  }

  private var spectrum: Panel {
    let sounds = [before, after].map(\.measurement)
    let highest = Double(sounds.map(\.sampleRate).max() ?? 2) / 2
    let range = min(20, highest / 10)...highest
    func line(_ sound: SoundMeasurement) -> [Series.Value] {
      // The loudest bin of a column: tones keep their level.
      FrequencyColumns(sound.powerByFrequency, within: range, count: 400).columns.map {
        Series.Value($0.hertz, decibels(ofPower: $0.high))
      }
    }
    let (a, b) = (line(sounds[0]), line(sounds[1]))
    let top = (a + b).map(\.y).max() ?? 0
    return Panel(
      "Spectrum over the whole length, in dB",
      notes: ["mean power of all channels; a sine at full scale reads 0"],
      x: Axis(.frequency, range: range), y: Axis(.decibels, range: -120...Self.ceiling(top)),
      series: [Series("before", .gray, .line(a)), Series("after", .blue, .line(b))], height: 220)
  }

  private var level: Panel {
    let sounds = [(before, "before", Tint.gray), (after, "after", .blue)]
    var top = 0.0
    let series = sounds.flatMap { sound, name, tint in
      let levels = sound.measurement.levelsOverTime
      let peaks = levels.map { Series.Value($0.seconds, decibels(ofAmplitude: $0.level.peak)) }
      let rms = levels.map { Series.Value($0.seconds, decibels(ofAmplitude: $0.level.rms)) }
      top = max(top, peaks.map(\.y).max() ?? 0)
      return [Series(name, tint, .line(rms)), Series("", tint, .thinLine(peaks))]
    }
    let windows = Set(sounds.map(\.0.measurement.levelSeconds)).sorted().map { seconds in
      seconds < 1 ? "\(decimals(seconds * 1000, 0)) ms" : "\(decimals(seconds, 1)) s"
    }
    return Panel(
      "Level, in dBFS",
      notes: ["RMS of all channels in windows of \(alternatives(windows, "and")); thin: their peaks"],
      x: time, y: Axis(.decibels, range: -72...Self.ceiling(top)), series: series, height: 160)
  }

  /// The next multiple of 12 dB, at least 0.
  private static func ceiling(_ decibels: Double) -> Double {
    decibels > 0 && decibels.isFinite ? (decibels / 12).rounded(.up) * 12 : 0
  }
}
