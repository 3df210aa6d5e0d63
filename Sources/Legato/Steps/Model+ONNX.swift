// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
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
  package func onnxExport(
    extents: [String: Int], settings: [ParameterSetting]
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
}
