// SPDX-License-Identifier: Apache-2.0

package import ChartDrawing
internal import GraphIR
package import Legato
internal import SoundAnalysis
package import SoundMeasuring

/// The picture of a model: what it does to test signals, by frequency, to an impulse, and from input to output.
package struct ModelPicture {
  private let model: Model
  private let settings: [ParameterSetting]
  private let probe: ModelProbe
  private let responses: ModelResponses
  private let rate: Int
  private let growing: [String]

  /// - Parameters:
  ///   - rate: frames per second.
  ///   - growing: the names of the loops that grow without end.
  package init(
    _ model: Model, _ settings: [ParameterSetting], _ probe: ModelProbe, _ responses: ModelResponses,
    rate: Int,
    growing: [String]
  ) {
    (self.model, self.settings, self.probe) = (model, settings, probe)
    (self.responses, self.rate, self.growing) = (responses, rate, growing)
  }

  /// More channels cannot be told apart.
  package static let mostChannels = Tint.several.count

  package var chart: Chart {
    Chart(printable(model.name), notes: heading, rows: [[frequency], [impulse, transfer]])
  }

  /// The settings, the rate, and the loops that grow meanwhile.
  private var heading: [String] {
    let values = model.parameters.map { parameter in
      let value = settings.last { $0.name == parameter.name }?.value ?? parameter.initial
      return "\(printable(parameter.name)) \(shortest(value))"
        + (parameter.unit.isEmpty ? "" : " " + printable(parameter.unit, limit: 12))
    }
    let measured =
      "at \(rate) Hz" + (probe.playsByItself ? "; what it plays by itself is left out of responses" : "")
    let names = growing.map { quoted($0) }.joined(separator: ", ")
    let growth = "\(names) grow\(growing.count == 1 ? "s" : "") without end; what is drawn is how that begins"
    return (values.isEmpty ? [] : [values.joined(separator: " · ")]) + [measured]
      + (growing.isEmpty ? [] : [growth])
  }

  private var legend: [(name: String, tint: Tint)] {
    zip(probe.channels, Tint.several).map { (printable($0), $1) }
  }

  private var frequency: Panel {
    let lines = responses.frequency.map { columns in
      columns.map { Series.Value($0.hertz, decibels(ofPower: $0.mean)) }
    }
    let bands = responses.frequency.map { columns in
      columns.map { Series.Span($0.hertz, decibels(ofPower: $0.low), decibels(ofPower: $0.high)) }
    }
    let ys = lines.flatMap { $0.map(\.y) }.filter(\.isFinite)
    var series: [Series] = []
    for (index, (name, tint)) in legend.enumerated() {
      // Where bins of one column differ much, as between the teeth of a comb, their extremes are drawn, too.
      if responses.frequency[index].contains(where: { $0.high > $0.low * 1.26 }) {
        series.append(Series("", tint, .paleBand(bands[index])))
      }
      series.append(Series(name, tint, .line(lines[index])))
    }
    return Panel(
      "Response by frequency, in dB", notes: [ys.isEmpty ? "silent at this level" : levelNote],
      x: Axis(.frequency, range: responses.lowest...responses.highest),
      y: Axis(.decibels, range: Self.range(of: ys, bands.joined())), series: series, height: 240)
  }

  /// From below the lowest to above the highest line, with as much of the bands as fits.
  private static func range(of lines: [Double], _ bands: some Sequence<Series.Span>) -> ClosedRange<Double> {
    let (lowest, highest) = (lines.min() ?? 0, lines.max() ?? 0)
    func steps(_ decibels: Double, _ rule: FloatingPointRoundingRule) -> Double {
      (decibels / 6).rounded(rule) * 6
    }
    let high = bands.reduce(highest) { $1.high.isFinite ? max($0, $1.high) : $0 }
    let low = bands.reduce(lowest) { $1.low.isFinite ? min($0, $1.low) : $0 }
    let top = steps(max(high, highest + 1), .up)
    let bottom = steps(max(min(low, lowest - 1), lowest - 24, top - 96), .down)
    return min(bottom, top - 18)...top
  }

  /// A level as people write it: −20, −6.5.
  private static func written(_ decibels: Double) -> String {
    decimals(decibels, decibels == decibels.rounded() ? 0 : 1)
  }

  private var levelNote: String {
    let levels = responses.levels.map(Self.written)
    let change = responses.levelDependence
    guard change >= 0.05 else { return "linear: the same at \(alternatives(levels, "and")) dBFS" }
    // What is quieter by more is not told from silence.
    let amount = change < 59.95 ? "\(decimals(change, 1)) dB" : "60 dB or more"
    return "at \(Self.written(responses.level)) dBFS; depends on the level: up to \(amount) "
      + "between \(levels.first ?? "") and \(levels.last ?? "") dBFS"
  }

  private var impulse: Panel {
    let frames = responses.impulseFrames
    let end = Double(frames) / Double(rate)
    let series = zip(responses.impulse, legend).map { row, entry in
      Series(entry.name, entry.tint, Self.shape(row.prefix(frames), rate: Double(rate)))
    }
    return Panel(
      "Response to an impulse",
      notes: ["at \(Self.written(responses.level)) dBFS, drawn as of an impulse of 1"],
      x: Axis(.time, range: -end / 32...end), y: Axis(.number), series: series, height: 260)
  }

  /// A line through all frames, or, of many, what is lowest and highest in each of some hundred columns.
  private static func shape(_ row: ArraySlice<Double>, rate: Double) -> Series.Shape {
    let columns = 400
    guard row.count > 2 * columns else {
      // Before the impulse there is nothing.
      let values = row.enumerated().map { Series.Value(Double($0) / rate, $1) }
      return .line([Series.Value(-Double(row.count) / 32 / rate, 0), Series.Value(-1 / rate, 0)] + values)
    }
    return .band(
      (0..<columns).map { column in
        let range = row.count * column / columns..<row.count * (column + 1) / columns
        let part = row[range]
        let middle = Double(range.lowerBound + range.upperBound) / 2 / rate
        return Series.Span(middle, part.min() ?? 0, part.max() ?? 0)
      })
  }

  private var transfer: Panel {
    let series = zip(responses.transfer, legend).map { pairs, entry in
      Series(entry.name, entry.tint, .line(pairs.map { Series.Value($0.input, $0.output) }))
    }
    let note =
      responses.hysteresis < 0.01
      ? "a slow ramp, up and down"
      : "a slow ramp; up and down differ by up to \(decimals(responses.hysteresis, 2)): it remembers"
    return Panel(
      "Output against input", notes: [note], x: Axis(.number, range: -1...1), y: Axis(.number),
      series: series,
      height: 260)
  }
}
