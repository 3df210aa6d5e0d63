// SPDX-License-Identifier: Apache-2.0

package import ChartDrawing
internal import GraphIR
internal import SoundAnalysis
package import SoundMeasuring

/// The picture of two files, before and after: panels one below the other.
package struct FilesPicture {
  private let before, after: PicturedFile

  package init(before: MeasuredFile, after: MeasuredFile) {
    (self.before, self.after) = (PicturedFile(before), PicturedFile(after))
  }

  package var chart: Chart {
    Chart(
      "\(before.name) → \(after.name)",
      rows: [[waveform(before, "before", .gray)]]
        + [[waveform(after, "after", .blue)], [spectrum], [level]])
  }

  /// The time axis that both share.
  private var time: Axis {
    Axis(.time, range: 0...max(before.measurement.seconds, after.measurement.seconds))
  }

  private func waveform(_ sound: PicturedFile, _ role: String, _ tint: Tint) -> Panel {
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
