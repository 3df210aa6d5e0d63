// SPDX-License-Identifier: Apache-2.0

internal import ChartDrawing
internal import CommandLineInterface
internal import GraphIR
internal import Legato
internal import SoundMeasuring
internal import SoundPictures

/// `legato plot --model MODEL`: what a model does to test signals.
struct PlotOfModel {
  let model: Model
  let settings: [ParameterSetting]
  let probe: ModelProbe
  let responses: ModelResponses
  let rate: Int
  /// The names of the loops that grow without end.
  let growing: [String]

  /// - Parameter say: takes what is odd about the model, a line each, before it is tried.
  init(_ arguments: Arguments, _ destination: Destination, _ say: (String) -> Void) throws {
    _ = try arguments.operands()
    if arguments.has(.raw) { throw Failure.usage("--raw is of use with files only, not with --model") }
    guard let path = arguments.value(of: .model), !path.isEmpty else {
      throw Failure.usage("--model takes a model file; see --help")
    }
    let level = try Self.level(arguments)
    let channels = try arguments.integer(.channels, in: 1...64) ?? 1
    let askedRate = try arguments.integer(.rate, in: 100...16_000_000)
    let chosen = try arguments.channels(.outputs)
    let options = try CompilerOptions(arguments, keepsCode: true)

    let model = try Model(path: path, arguments)
    let rate = try model.rate(asked: askedRate)
    try destination.check(against: model.files)
    guard model.executesStream else {
      throw Failure.failed(
        "\(quoted(model.name)) executes steps (\(model.placeOfInputs)); only models of streams, with frames, answer "
          + "test signals")
    }
    guard rate >= 100 else {
      throw Failure.failed(
        "\(quoted(model.name)) is for \(rate) Hz (\(model.placeOfSampleRate ?? path)); a model is drawn from 100 Hz on"
      )
    }
    guard model.inputs.count == 1 else {
      throw Failure.failed(
        "\(quoted(model.name)) has \(model.inputs.isEmpty ? "no input" : "\(model.inputs.count) inputs") "
          + "(\(model.placeOfInputs)); only a model with one input has a response")
    }
    let settings = try model.settings(arguments)
    let extents = try model.extents(arguments, others: channels, say)
    let compilation = try model.compilation(extents: extents, sampleRate: Double(rate), options: options)
    let program = try compilation.program(settledAt: settings.values)
    let rows = try OutputChannels(program.layout, contexts: 1, chosen: chosen).rows
    let most = ModelPicture.mostChannels
    guard rows.count <= most || !arguments.drawsPlot else {
      throw Failure.usage(
        "\(quoted(model.name)) makes \(rows.count) channels, and \(most) can be told apart; choose some with --outputs 1,2"
      )
    }
    for warning in compilation.warnings(settingParameters: settings.values) { say(warning) }
    growing = compilation.growingLoops(settingParameters: settings.values)
    probe = try ModelProbe(program, settings: settings, rows: rows)
    do throws(NonFiniteAnswer) {
      responses = try ModelResponses(probe, sampleRate: Double(rate), level: level)
    } catch {
      throw Failure.faults([
        "\(path): the output is \(written(error.sample)) at frame \(error.frame) of a test signal; "
          + "legato process --check non-finite names what makes such numbers"
      ])
    }
    (self.model, self.settings) = (model, settings)
    self.rate = rate
  }

  var chart: Chart {
    ModelPicture(model, settings, probe, responses, rate: rate, growing: growing).chart
  }

  var report: ModelResponsesReport {
    ModelResponsesReport(model.name, responses, channels: probe.channels, sampleRate: rate)
  }

  private static func level(_ arguments: Arguments) throws(Failure) -> Double {
    guard let text = arguments.value(of: .level) else { return -20 }
    guard let level = Quantity(text)?.number(inUnit: "dB"), (-100...20).contains(level) else {
      throw .usage("--level takes decibels from -100 to 20, such as -20 or -6dB, not \(quoted(text))")
    }
    return level
  }
}
