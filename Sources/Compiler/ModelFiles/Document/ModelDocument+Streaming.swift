// SPDX-License-Identifier: Apache-2.0

internal import CaptureFiles
package import GraphIR
internal import JSONReading

extension ModelDocument {
  /// The model that a stream is, which was made of the steps of this one: a line for each of its nodes.
  ///
  /// - Parameters:
  ///   - graph: with names for what has one in the file.
  ///   - note: what was left out; nil for nothing.
  package func streaming(as graph: Graph, note: String?) -> ModelDocument {
    var names = graph.printedNames()
    for node in graph.nodes {
      if case .weights(let id) = node.op { names[node.result] = graph[id].name.asQuotation }
    }
    let lines = graph.nodes.filter { !$0.op.isLeaf }.map { node in
      Definition(
        name: names[node.result]!, namePlace: .start,
        expression: JSONString(
          graph.expression(node, names).replacing("\"causal\"", with: "'causal'"), madeAt: .start))
    }
    // An output is the value that is called so; another one that it is, too, has a line of its own.
    let renamed = graph.outputs.filter { names[$0.value] != $0.name }.map { output in
      Definition(
        name: output.name, namePlace: .start,
        expression: JSONString("\(names[output.value]!)", madeAt: .start))
    }
    return ModelDocument(
      file: file, version: version, name: name, clock: .stream, sampleRate: nil, prewarm: graph.prewarm,
      description: description, author: author, license: license,
      inputs: graph.inputs.map { input in
        Input(
          name: input.name, place: .start,
          shape: (input.type.shape.fixed.map { .number($0) } + [.symbol("frames")]).map {
            ShapeEntry(extent: $0, place: .start)
          }, description: nil)
      },
      parameters: parameters.filter { own in graph.parameters.contains { $0.name == own.name } },
      graph: lines + renamed,
      weights: graph.weights.map {
        Weight(name: $0.name, place: .start, source: .numbers(shape: $0.shape, $0.values))
      }, weightsFile: nil, outputs: graph.outputs.map { Output(name: $0.name, place: .start) },
      presets: [], levels: Levels(), capture: nil,
      network: NetworkFacts(
        files: network?.files ?? [], bound: [], pairs: [], note: note, open: nil))
  }
}
