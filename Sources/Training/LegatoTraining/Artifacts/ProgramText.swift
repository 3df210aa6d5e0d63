// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// The names of a program's ports, in their order, as its text cannot say them.
///
///     input port0 [64, 1]                  inputs   ["lstm.weight", …]
///     output port0 = grad                  outputs  ["gradient.lstm.weight", …]
struct ProgramPorts: Codable {
  let inputs, outputs: [String]

  init(_ graph: Graph) { (inputs, outputs) = (graph.inputs.map(\.name), graph.outputs.map(\.name)) }

  /// The text of a graph, in which names of ports are words of the language.
  ///
  /// - Parameter left: weights whose numbers stand elsewhere.
  static func text(of graph: Graph, withoutNumbersOf left: Set<String>) -> String {
    var graph = graph
    func words(_ names: [String], taken: [String]) -> [String] {
      var taken = Set(taken)
      var count = 0
      return names.map { name in
        if name.isName, Function.byName[name] == nil, taken.insert(name).inserted { return name }
        while !taken.insert("port\(count)").inserted { count += 1 }
        return "port\(count)"
      }
    }
    let inputs = words(graph.inputs.map(\.name), taken: graph.parameters.map(\.name))
    let outputs = words(graph.outputs.map(\.name), taken: [])
    for (row, name) in inputs.enumerated() { graph.inputs[row].name = name }
    for (row, name) in outputs.enumerated() { graph.outputs[row].name = name }
    return graph.text(withoutNumbersOf: left)
  }

  /// The graph of steps that a text is, with the ports' own names.
  ///
  /// - Throws: `TrainingError.data` where it is none, or has other ports.
  func graph(_ text: String, file: String, weights: [String: Numbers]) throws(TrainingError) -> Graph {
    var graph: Graph
    do throws(Diagnostics) { graph = try Graph(parsing: text, file: file, weights: weights) } catch {
      let first = error.all[0]
      let place = first.place.map { ":\($0.line):\($0.column)" } ?? ""
      throw .data("\(file)\(place): \(first.message)")
    }
    guard graph.clock == .step else { throw .data("\(file): is a stream; these programs are of steps") }
    guard graph.inputs.count == inputs.count, graph.outputs.count == outputs.count,
      Set(inputs).count == inputs.count, Set(outputs).count == outputs.count
    else { throw .data("\(file): has other inputs or outputs than \(ArtifactsFile.contents) says of it") }
    for (row, name) in inputs.enumerated() { graph.inputs[row].name = name }
    for (row, name) in outputs.enumerated() { graph.outputs[row].name = name }
    return graph
  }
}
