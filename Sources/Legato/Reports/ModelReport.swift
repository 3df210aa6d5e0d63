// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import RealtimeCore

/// The ports, parameters, presets and memory of a model as it is compiled. Empty texts are left out.
package struct ModelReport: Encodable {
  package struct Port: Encodable {
    package let name: String
    /// The axes as in the file, for inputs.
    package let declared: [Axis]?
    package let shape: [Axis]
    /// The kind of its numbers, such as float32.
    package let type: String
    /// The file's own name; nil where it is the same.
    package let original: String?
    /// How a picture becomes its numbers; nil where it takes none.
    package let image: String?
    /// How many labels there are for the numbers along its last axis; nil where there are none.
    package let labels: Int?
    package let description: String?
  }

  package struct Parameter: Encodable {
    package let name, scale: String
    package let `default`, minimum, maximum: Float
    package let unit, description: String?
    /// In seconds.
    package let ramp: Double
    /// The MIDI controller that turns it.
    package let midi: Int?
    /// Whether the file declares it; the others cost nothing until somebody turns them.
    package let declared: Bool

    init(_ parameter: Model.Parameter, declared: Bool) {
      (name, scale) = (parameter.name, parameter.isLogarithmic ? "logarithmic" : "linear")
      (`default`, minimum) = (parameter.initial, parameter.range.lowerBound)
      (maximum, ramp) = (parameter.range.upperBound, parameter.ramp)
      midi = parameter.midi
      (unit, description) = (parameter.unit.nonEmpty, parameter.summary.nonEmpty)
      self.declared = declared
    }
  }

  package struct Preset: Encodable {
    package let name: String
    package let values: [String: Float]
  }

  /// A number or a name.
  package enum Axis: Encodable {
    case number(Int)
    case symbol(String)

    package func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      switch self {
      case .number(let number): try container.encode(number)
      case .symbol(let name): try container.encode(name)
      }
    }
  }

  package let name: String
  package let description: String?
  package let clock: String
  /// The rate that the model is for; nil for any.
  package let statedRate: Int?
  /// The file that states it.
  package let statedIn: String?
  /// The names of the extents that `channels` is bound to; none where the file says how many channels there are.
  package let symbols: [String]
  package let channels, sampleRate: Int
  /// How the counts of its channels are said.
  package let channelText: String
  package let cpu: String
  package let inputs, outputs: [Port]
  package let parameters: [Parameter]
  package let presets: [Preset]
  /// In decibels, and in dBu at full scale.
  package let loudness, inputLevel, outputLevel: Double?
  package let weights: [Weights]
  package let workspaceBytes, stateBytes, codeBytes, weightsBytes, latencyFrames: Int

  /// - Parameter statedIn: the file that states the rate, as it is shown.
  package init(
    _ model: Model, _ compilation: Compilation, channels: Int, rate: Int, statedIn: String?
  ) throws(ModelError) {
    let layout = compilation.layout
    func bound(_ port: ProgramLayout.Port) -> [Axis] {
      port.shape.map(Axis.number) + (layout.executesStream ? [.symbol("frames")] : [])
    }
    name = model.name
    description = model.summary.nonEmpty
    clock = layout.executesStream ? "stream" : "step"
    statedRate = model.sampleRate.map { Int($0) }
    self.statedIn = statedIn
    let counts = ChannelCounts(layout)
    symbols = model.symbols
    channelText = layout.executesStream ? "\(counts)" : "single steps"
    self.channels = symbols.isEmpty ? max(counts.inputs, counts.outputs) : channels
    sampleRate = rate
    cpu = compilation.cpu
    inputs = zip(model.inputs, layout.inputs).map { input, port in
      Port(
        name: input.name, declared: input.shape.map(Axis.init), shape: bound(port), type: input.type,
        original: input.original == input.name ? nil : input.original, image: input.image?.description,
        labels: nil, description: input.summary.nonEmpty)
    }
    outputs = layout.outputs.map { port in
      let original = model.original(ofOutput: port.name)
      return Port(
        name: port.name, declared: nil, shape: bound(port), type: "float32",
        original: original == port.name ? nil : original, image: nil,
        labels: model.labels(of: port.name)?.count, description: nil)
    }
    let extents = Dictionary(uniqueKeysWithValues: model.symbols.map { ($0, channels) })
    let controls = Model.Control.allCases.compactMap { control -> Parameter? in
      // Models whose outputs are unlike their inputs have none.
      guard let turned = try? model.with([control]),
        (try? turned.graph(extents: extents, sampleRate: Double(rate))) != nil
      else { return nil }
      return turned.parameters.first { $0.name == control.rawValue }.map { Parameter($0, declared: false) }
    }
    let declared = model.parameters.filter { parameter in !controls.contains { $0.name == parameter.name } }
    parameters = declared.map { Parameter($0, declared: true) } + controls
    presets = model.presets.map { Preset(name: $0.name, values: $0.values) }
    (loudness, inputLevel, outputLevel) = (model.levels.loudness, model.levels.input, model.levels.output)
    weights = Weights.all(model, compilation)
    workspaceBytes = layout.workspaceSize
    stateBytes = layout.stateRange.count
    codeBytes = try compilation.codeBytes()
    weightsBytes = compilation.weightsBytes
    latencyFrames = layout.latency
  }
}

extension ModelReport.Axis: CustomStringConvertible {
  package init(_ extent: Model.Extent) {
    switch extent {
    case .number(let number): self = .number(number)
    case .symbol(let name): self = .symbol(name)
    }
  }

  package var description: String {
    switch self {
    case .number(let number): String(number)
    case .symbol(let name): printable(name)
    }
  }
}

extension String {
  fileprivate var nonEmpty: String? { isEmpty ? nil : self }
}
