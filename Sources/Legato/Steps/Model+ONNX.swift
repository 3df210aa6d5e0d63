// SPDX-License-Identifier: Apache-2.0

internal import GraphGradients
package import GraphIR
internal import GraphPasses
internal import ModelFiles
package import ONNXWriting

extension Model {
  /// The model as an ONNX file of opset 17, weights included, for other programs to run.
  ///
  ///     inputs x [4]; parameter gain; y = gain * x + delay(y, 1)
  ///     ─▶  inputs x [4], gain [] with a default, y_in [1, 4]     outputs y [4], y_out [1, 4]
  ///
  /// Parameters become inputs that need not be given, and are parameters again where the file is read as a model. What the
  /// model remembers from step to step becomes pairs: what goes out as `y_out` goes into the next step as `y_in`, zeros into
  /// the first one; of a model that warms up, zeros into the first of so many steps of zeros that run before, as the file
  /// says. Inputs and outputs of an ONNX file hold the kinds of numbers that it declares, such as tokens of `int64`.
  ///
  /// - Parameters:
  ///   - extents: A number for each of `symbols`.
  ///   - settings: What the defaults of parameters are, in place of the model's own.
  /// - Throws: `ModelError.invalid` where the model is a stream, and with every problem of the model.
  public func onnx(
    extents: [String: Int] = [:], settings: [ParameterSetting] = []
  ) throws(ModelError) -> [UInt8] {
    try onnxExport(extents: extents, settings: settings).bytes
  }

  /// An effect as an ONNX file of opset 17, of which one step is a block of frames.
  ///
  ///     src [2, frames]; y = src + delay(y, 3)
  ///     ─▶  inputs src [2, 128], y_in [3, 2]     outputs dst [2, 128], y_out [3, 2]
  ///
  /// A state that goes out of a block as `y_out` goes into the next one as `y_in`, zeros into the first one; of a model that
  /// warms up, zeros into the first of so many blocks of zeros that run before, as the file says. Parameters become inputs
  /// that need not be given, and jump. Outputs are as late as those of the effect.
  ///
  /// - Parameters:
  ///   - frames: How many a block has.
  ///   - extents: A number for each of `symbols`.
  ///   - sampleRate: Frames per second; nil is the model's own, or 48000.
  ///   - settings: What the defaults of parameters are, in place of the model's own.
  /// - Throws: `ModelError.invalid` where the model is one of steps, where a block cannot say what it does, as of noise,
  ///   and with every problem of the model.
  public func onnx(
    block frames: Int, extents: [String: Int] = [:], sampleRate: Double? = nil,
    settings: [ParameterSetting] = []
  ) throws(ModelError) -> [UInt8] {
    precondition(frames >= 1, "a block has frames")
    return try onnxExport(
      block: frames, extents: extents, sampleRate: sampleRate, settings: settings
    ).bytes
  }

  /// The same file, with what there is to say of it.
  package func onnxExport(
    block frames: Int, extents: [String: Int], sampleRate: Double?, settings: [ParameterSetting]
  ) throws(ModelError) -> ONNXExport {
    guard executesStream else {
      throw refusal("\(quoted(name)) is a model of steps, and has no blocks of frames")
    }
    let stream = try graph(extents: extents, sampleRate: sampleRate)
    let block: BlockGraph
    do throws(TypingError) { block = try BlockGraph(stream, frames: frames) } catch {
      throw refusal("\(quoted(name)) cannot be exported as a block: \(error.description)")
    }
    let late = stream.aligned().latency
    let words =
      "A step is a block of \(frames) frames at \(Int(stream.sampleRate)) Hz"
      + (late > 0 ? "; outputs are \(counted(late, "frame")) late." : ".")
    var descriptions = Dictionary(inputs.map { ($0.name, $0.summary) }) { first, _ in first }
    for state in block.states {
      descriptions[state.input] =
        "\(state.output) of the block before, the oldest frame first; "
        + ONNXExport.beginning(prewarm: block.graph.prewarm) + "."
    }
    return ONNXExport(
      block.graph.withoutIdleMovements().starting(at: settings),
      summary: [summary, words].filter { !$0.isEmpty }.joined(separator: "\n"), descriptions: descriptions,
      carrying: block.states)
  }

  private func refusal(_ message: String) -> ModelError {
    ModelError(
      Diagnostics([Diagnostic(file: document.file, place: document.inputs.first?.place, message: message)]))
  }

  /// The same file, with what there is to say of it.
  ///
  /// - Parameters:
  ///   - learned: weights in place of the model's own.
  ///   - outputs: the names of those that it has; nil for all.
  package func onnxExport(
    extents: [String: Int], sampleRate: Double? = nil, settings: [ParameterSetting],
    learning learned: [GraphIR.Weights] = [],
    outputs: [String]? = nil
  ) throws(ModelError) -> ONNXExport {
    guard !executesStream else {
      throw refusal("\(quoted(name)) is a stream; a block of its frames can be exported")
    }
    var graph = try graph(extents: extents, sampleRate: sampleRate)
    for array in learned {
      guard let row = graph.weights.firstIndex(where: { $0.name == array.name }) else { continue }
      graph.weights[row] = array
    }
    if let outputs { graph = try self.graph(graph, of: outputs) }
    let numbers = graph.weights.reduce(0) { $0 + $1.values.count }
    guard numbers < Self.mostExported else {
      throw refusal(
        "\(quoted(name)) has \(numbers) numbers; an ONNX file has 2 GiB at most, and less than \(Self.mostExported)"
      )
    }
    // Ports of an ONNX file are called as they were there; notes know them by the names that expressions say.
    let (notes, inputs) = (notes(of: graph), inputs)
    var descriptions: [String: String] = [:]
    var types: (inputs: [String: String], outputs: [String: String]) = ([:], [:])
    for (row, port) in graph.inputs.enumerated() {
      guard let input = inputs.first(where: { $0.name == port.name }) else { continue }
      graph.inputs[row].name = input.original
      (descriptions[input.original], types.inputs[input.original]) = (input.summary, input.type)
    }
    for (row, port) in graph.outputs.enumerated() {
      let name = original(ofOutput: port.name)
      graph.outputs[row].name = name
      types.outputs[name] = type(ofOutput: port.name)
    }
    return ONNXExport(
      graph.withoutIdleMovements().starting(at: settings), summary: summary, descriptions: descriptions,
      notes: notes, types: types)
  }

  /// Numbers of weights that leave room for all else in the 2 GiB of a message.
  private static let mostExported = 1 << 29 - 1 << 20

  /// The notes on readings and labels, for those who run the file.
  private func notes(of graph: Graph) -> [(key: String, value: String)] {
    document.notes(
      window: listening.map { $0.window ?? readings(in: graph, $0) },
      outputs: graph.outputs.map { ($0.name, labels(of: $0.name)) })
  }

  /// How many readings of columns the inputs take: an axis is the window's, and another one may be that of the columns.
  private func readings(in graph: Graph, _ listening: Listening) -> Int {
    let carried = Set(carriedInputs(listening.states).map(\.input))
    let own = graph.inputs.filter { !carried.contains($0.name) }.map(\.type.shape.fixed)
    guard own.count == 1 else { return own.first?.reduce(1, *) ?? 1 }
    return listening.columns.map { max(1, own[0].reduce(1, *) / $0.count) } ?? own[0].max() ?? 1
  }

  /// The graph with some of its outputs, in the order of their names.
  private func graph(_ graph: Graph, of names: [String]) throws(ModelError) -> Graph {
    var result = graph
    result.outputs = []
    for name in names {
      guard let output = graph.outputs.first(where: { $0.name == name }) else {
        let known = alternatives(graph.outputs.map { quoted($0.name) }, "and")
        throw ModelError(
          Diagnostics([
            Diagnostic(
              file: document.file, place: document.outputs.first?.place,
              message: "there is no output \(quoted(name)); there are \(known)")
          ]))
      }
      result.outputs.append(output)
    }
    return result.canonical()
  }
}

extension Graph {
  /// The graph with other defaults of parameters.
  fileprivate func starting(at settings: [ParameterSetting]) -> Graph {
    var (result, values) = (self, settings.values)
    for index in result.parameters.indices {
      guard let value = values.removeValue(forKey: result.parameters[index].name) else { continue }
      result.parameters[index].initial = value
    }
    return result
  }
}
