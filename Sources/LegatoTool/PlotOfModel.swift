// SPDX-License-Identifier: Apache-2.0

internal import ChartDrawing
internal import GraphIR
internal import Legato
internal import SoundAnalysis

/// What a model does to test signals, as panels: by frequency, to an impulse, and from input to output.
struct PlotOfModel {
  private let model: Model
  private let settings: [ParameterSetting]
  private let probe: PlotProbe
  private let responses: PlotResponses
  private let level: Double
  private let rate: Int
  /// What is good to know.
  let notices: [String]

  init(_ arguments: Arguments, _ destination: Destination) throws {
    _ = try arguments.operands()
    if arguments.has(.raw) { throw Failure.usage("--raw is of use with files only, not with --model") }
    guard let path = arguments.value(of: .model), !path.isEmpty else {
      throw Failure.usage("--model takes a model file; see --help")
    }
    let level = try Self.level(arguments)
    let channels = try arguments.integer(.channels, in: 1...64) ?? 1
    let askedRate = try arguments.integer(.rate, in: 100...16_000_000)
    let chosen = try ChannelList(.outputs, of: arguments)
    let options = try CompilerOptions(arguments)
    try destination.check(against: [path] + arguments.values(of: .then))

    let model = try Model(path: path, arguments)
    let rate = try model.rate(asked: askedRate)
    guard model.executesStream else {
      throw Failure.failed(
        "\(quoted(model.name)) executes steps; only models of streams, with frames, answer test signals")
    }
    guard rate >= 100 else {
      throw Failure.failed("\(quoted(model.name)) is for \(rate) Hz; a model is drawn from 100 Hz on")
    }
    guard model.inputs.count == 1 else {
      throw Failure.failed(
        "\(quoted(model.name)) has \(model.inputs.isEmpty ? "no input" : "\(model.inputs.count) inputs"); "
          + "only a model with one input has a response")
    }
    let settings = try ParameterSetting.all(of: arguments, for: model)
    let extents = Dictionary(uniqueKeysWithValues: model.symbols.map { ($0, channels) })
    let compilation = try model.compilation(extents: extents, sampleRate: Double(rate), options: options)
    let program = try compilation.program()
    let rows = try OutputChannels(program.layout, contexts: 1, chosen: chosen).rows
    let most = Tint.several.count
    guard rows.count <= most else {
      throw Failure.usage(
        "\(quoted(model.name)) makes \(rows.count) channels, and \(most) can be told apart; choose some with --outputs 1,2"
      )
    }
    let probe = try PlotProbe(program, settings: settings, rows: rows, modelPath: path)
    responses = try PlotResponses(probe, sampleRate: Double(rate), level: level)
    (self.model, self.settings, self.probe) = (model, settings, probe)
    (self.level, self.rate) = (level, rate)
    notices = compilation.warnings
  }

  private static func level(_ arguments: Arguments) throws(Failure) -> Double {
    guard let text = arguments.value(of: .level) else { return -20 }
    guard let level = Quantity(text)?.number(inUnit: "dB"), (-100...20).contains(level) else {
      throw .usage("--level takes decibels from -100 to 20, such as -20 or -6dB, not \(quoted(text))")
    }
    return level
  }

  // MARK: Panels

  var chart: Chart {
    Chart(printable(model.name), notes: heading, rows: [[frequency], [impulse, transfer]])
  }

  /// What is set, and what it was measured with.
  private var heading: [String] {
    let values = model.parameters.map { parameter in
      let value = settings.last { $0.name == parameter.name }?.value ?? parameter.initial
      return "\(printable(parameter.name)) \(shortest(value))"
        + (parameter.unit.isEmpty ? "" : " " + printable(parameter.unit, limit: 12))
    }
    let measured =
      "at \(rate) Hz" + (probe.playsByItself ? "; what it plays by itself is left out of responses" : "")
    return (values.isEmpty ? [] : [values.joined(separator: " · ")]) + [measured]
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
    return "at \(Self.written(level)) dBFS; depends on the level: up to \(amount) "
      + "between \(levels.first ?? "") and \(levels.last ?? "") dBFS"
  }

  private var impulse: Panel {
    let frames = responses.impulseFrames
    let end = Double(frames) / Double(rate)
    let series = zip(responses.impulse, legend).map { row, entry in
      Series(entry.name, entry.tint, Self.shape(row.prefix(frames), rate: Double(rate)))
    }
    return Panel(
      "Response to an impulse", notes: ["at \(Self.written(level)) dBFS, drawn as of an impulse of 1"],
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

  // MARK: As JSON

  var report: ModelPlotReport {
    ModelPlotReport(
      model: model.name, sampleRate: rate, levelDecibels: level,
      levelDependenceDecibels: responses.levelDependence, comparedLevelsDecibels: responses.levels,
      transferHysteresis: responses.hysteresis,
      channels: probe.channels.indices.map { channel in
        ModelPlotReport.Channel(
          name: probe.channels[channel],
          frequencyResponse: responses.frequency[channel].map {
            .init(hertz: $0.hertz, decibels: finite(decibels(ofPower: $0.mean)))
          },
          impulseResponse: Array(responses.impulse[channel].prefix(responses.impulseFrames)),
          transfer: responses.transfer[channel].map { .init(input: $0.input, output: $0.output) })
      })
  }
}

struct ModelPlotReport: Encodable {
  struct Channel: Encodable {
    struct Gain: Encodable {
      let hertz: Double
      /// Left out where nothing comes out.
      let decibels: Double?
    }

    struct Pair: Encodable { let input, output: Double }

    let name: String
    let frequencyResponse: [Gain]
    let impulseResponse: [Double]
    let transfer: [Pair]
  }

  let model: String
  let sampleRate: Int
  let levelDecibels, levelDependenceDecibels: Double
  let comparedLevelsDecibels: [Double]
  let transferHysteresis: Double
  let channels: [Channel]
}
