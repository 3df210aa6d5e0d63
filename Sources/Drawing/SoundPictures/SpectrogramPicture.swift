// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
package import ChartDrawing
internal import GraphIR
internal import SoundAnalysis
package import SoundMeasuring

/// The picture of one sound: its waveform, its spectrogram, and labels over them.
package struct SpectrogramPicture {
  private let sound: PicturedFile
  private let spectrogram: Spectrogram
  private let tracks: [(name: String, track: LabelTrack)]
  /// Labels that have the same text have the same colour.
  private let tints: [String: Tint]

  /// - Parameter tracks: with the names of their files.
  package init(_ file: SpectralFile, tracks: [(name: String, track: LabelTrack)]) {
    (sound, spectrogram, self.tracks) = (PicturedFile(file.measured), file.spectrogram, tracks)
    var tints: [String: Tint] = [:]
    for label in tracks.flatMap(\.track.labels) where tints[label.text] == nil {
      tints[label.text] = Tint.several[tints.count % Tint.several.count]
    }
    self.tints = tints
  }

  package var chart: Chart {
    Chart(
      sound.name, notes: sound.captions,
      rows: [[waveform], [powers]] + tracks.map { [lanes($0.name, $0.track)] })
  }

  private var time: Axis { Axis(.time, range: 0...max(spectrogram.seconds, 1e-6)) }

  /// The beginnings and ends of all labels within the sound.
  private var marks: [Double] {
    let edges = tracks.flatMap { $0.track.labels.flatMap { [$0.begin, $0.end] } }
    // Of very many there would be nothing left of the sound.
    let shown = Set(edges.filter { $0 > 0 && $0 < spectrogram.seconds }).sorted()
    return shown.count <= 200 ? shown : []
  }

  private var waveform: Panel {
    let size = max(1e-3, sound.measurement.all.peak)
    let spans = sound.measurement.envelope.map {
      Series.Span($0.seconds, Double($0.extremes.low), Double($0.extremes.high))
    }
    return Panel(
      "Waveform", x: time, y: Axis(.number, range: -size...size), series: [Series("", .blue, .band(spans))],
      height: 70)
  }

  private var powers: Panel {
    let (columns, seconds) = spectrogram.decibels
    let loudest = columns.lazy.flatMap(\.self).max() ?? 0
    let top = max(-60, (loudest / 10).rounded(.up) * 10)
    let raster = Series.Raster(
      x: 0...max(seconds, 1e-6), y: spectrogram.frequencies, columns: columns, range: top - 80...top,
      unit: "dB")
    return Panel(
      "Spectrogram", x: time, y: Axis(.frequency, range: spectrogram.frequencies),
      series: [Series("", .gray, .raster(raster)), Series("", .gray, .marks(marks))], height: 240)
  }

  /// The most labels beside each other at one moment.
  private static let mostLanes = 6

  private func lanes(_ name: String, _ track: LabelTrack) -> Panel {
    let (lanes, left) = track.lanes(most: Self.mostLanes)
    let end = spectrogram.seconds
    var beyond = left
    var cells: [Tint: [Series.Cell]] = [:]
    for (row, lane) in lanes.enumerated() {
      let y = Double(lanes.count - 1 - row)
      for label in lane {
        guard label.begin < end else {
          beyond += 1
          continue
        }
        cells[tints[label.text] ?? .gray, default: []].append(
          Series.Cell(
            x: label.begin...min(label.end, end), y: y + 0.06...y + 0.94, share: 0.3,
            words: label.text.isEmpty ? [] : [printable(label.text)]))
      }
    }
    let notes =
      beyond > 0 ? ["\(counted(beyond, "label")) not drawn: behind the end, or too many at once"] : []
    return Panel(
      name, notes: notes, x: time, y: Axis(names: lanes.map { _ in "" }),
      series: Tint.allCases.compactMap { tint in cells[tint].map { Series("", tint, .cells($0)) } },
      height: 26 * Double(lanes.count))
  }
}
