// SPDX-License-Identifier: Apache-2.0

package import GraphIR
internal import JSONReading
internal import ModelFiles
internal import TensorFiles

/// Models whose weights are others than those of their files: what was learned.
extension Model {
  /// Whether it works on the frames of a stream, and not on steps.
  package var isStream: Bool { document.boundClock == .stream }

  /// The names of the weights of a graph of this model that its own file has, and not that of a model which it uses.
  package func ownWeights(in graph: Graph) -> [String] {
    let uses = document.graph.filter { $0.expression.text.contains("model(") }.map { $0.name + "." }
    return graph.weights.map(\.name).filter { name in !uses.contains { name.hasPrefix($0) } }
  }

  /// The model's file as it stands there now, with all weights in a safetensors file: those that are given, and the others
  /// as they are. Comments and spaces are kept; a capture or network becomes a model file.
  ///
  /// - Parameters:
  ///   - learned: some of the weights.
  ///   - path: that of the safetensors file, as the model file says it.
  /// - Throws: `ModelError` where the file is no model any more.
  package func text(
    learning learned: [GraphIR.Weights], weightsIn path: String, extents: [String: Int]
  ) throws(ModelError) -> (model: String, weights: [UInt8]) {
    let graph = try graph(extents: extents, sampleRate: nil)
    let own = Set(ownWeights(in: graph))
    let arrays = graph.weights.filter { own.contains($0.name) }.map { array in
      learned.first { $0.name == array.name } ?? array
    }
    let text: String
    if document.isTranslated {
      text = document.text(weightsIn: path)
    } else {
      let bytes = try ModelFolder.read(document.file)
      var json = JSONText(bytes)
      do throws(JSONError) {
        try json.set("{ \"file\": \(path.asJSON) }", at: ["weights"])
      } catch {
        throw ModelError(
          Diagnostics([Diagnostic(file: document.file, place: error.place, message: error.message)]))
      }
      text = String(decoding: json.bytes, as: UTF8.self)
    }
    do throws(TensorFileError) {
      return (text, try TensorFileText(arrays, file: path).bytes)
    } catch {
      throw .unreadable(path: path, reason: error.description)
    }
  }
}
