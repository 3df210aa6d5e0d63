// SPDX-License-Identifier: Apache-2.0

package import GraphIR
internal import ModelFiles
package import ONNXWriting

extension Model {
  /// The model as an ONNX file of opset 17, weights included, for other programs to run.
  ///
  ///     inputs x [4]; parameter gain; y = gain * x + delay(y, 1)
  ///     ─▶  inputs x [4], gain [] with a default, y_in [1, 4]     outputs y [4], y_out [1, 4]
  ///
  /// Parameters become inputs that need not be given. What the model remembers from step to step becomes pairs: what goes
  /// out as `y_out` goes into the next step as `y_in`, zeros into the first one.
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

  /// The same file, with what there is to say of it.
  ///
  /// - Parameters:
  ///   - learned: weights in place of the model's own.
  ///   - outputs: the names of those that it has; nil for all.
  package func onnxExport(
    extents: [String: Int], settings: [ParameterSetting], learning learned: [GraphIR.Weights] = [],
    outputs: [String]? = nil
  ) throws(ModelError) -> ONNXExport {
    guard !executesStream else {
      throw ModelError(
        Diagnostics([
          Diagnostic(
            file: document.file, place: document.inputs.first?.place,
            message: "\(quoted(name)) is a stream; export takes models of steps")
        ]))
    }
    var graph = try graph(extents: extents, sampleRate: nil)
    for array in learned {
      guard let row = graph.weights.firstIndex(where: { $0.name == array.name }) else { continue }
      graph.weights[row] = array
    }
    if let outputs { graph = try self.graph(graph, of: outputs) }
    if let cycle = graph.components(cuttingDelays: true).first(where: graph.isCycle) {
      let place = cycle.compactMap { graph.origins.places[graph[$0].result] }.first
      throw ModelError(
        Diagnostics([
          Diagnostic(
            file: document.file, place: place,
            message: "a cycle along an axis, as of a recurrent layer along positions, is not exported; delay "
              + "lets it go from step to step")
        ]))
    }
    let values = settings.values
    for index in graph.parameters.indices {
      graph.parameters[index].initial =
        values[graph.parameters[index].name] ?? graph.parameters[index].initial
    }
    let descriptions = inputs.map { ($0.name, $0.summary) }
    return ONNXExport(
      graph, summary: summary, descriptions: Dictionary(descriptions) { first, _ in first })
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
