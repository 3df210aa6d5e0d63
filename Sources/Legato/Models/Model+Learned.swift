// SPDX-License-Identifier: Apache-2.0

package import GraphIR
internal import JSONReading
package import ModelFiles
internal import TensorFiles

/// Models whose weights are others than those of their files: what was learned.
extension Model {
  /// The names of the parameters that its own file has.
  package var ownParameters: [String] { document.parameters.map(\.name) }

  /// What its file says of how it learns; nil where it says nothing.
  package var training: ModelDocument.Training? { document.training }

  /// A place in its file as messages have it: `amp.json:12:7`.
  package func place(_ place: Place) -> String { "\(document.file):\(place.line):\(place.column)" }

  /// The names of the weights of a graph of this model that its own file has: not those of models which it uses, nor the
  /// numbers that functions bring, such as windows, cosines and positions.
  package func ownWeights(
    in graph: Graph, extents: [String: Int]
  ) throws(ModelError) -> [String] {
    let own: Set<String>
    do throws(Diagnostics) { own = try bound(to: extents).composition.ownWeights } catch {
      throw ModelError(error)
    }
    return graph.weights.map(\.name).filter(own.contains)
  }

  /// The model's file as it stands there now, with all weights in a safetensors file: those that are given, and the others
  /// as they are; with the defaults of some parameters, and pictures as they were taken. Comments and spaces are kept; a
  /// capture or network becomes a model file.
  ///
  /// - Parameters:
  ///   - learned: some of the weights.
  ///   - defaults: the values of some parameters of its own.
  ///   - loudness: in decibels, in the place of that which the file states; nil where it stays.
  ///   - path: that of the safetensors file, as the model file says it.
  /// - Returns: no bytes of weights where the model has none.
  /// - Throws: `ModelError` where the file is no model any more.
  package func text(
    learning learned: [GraphIR.Weights], defaults: [String: Float] = [:], loudness: Double? = nil,
    weightsIn path: String, extents: [String: Int]
  ) throws(ModelError) -> (model: String, weights: [UInt8]) {
    let graph = try graph(extents: extents, sampleRate: nil)
    let own = Set(try ownWeights(in: graph, extents: extents))
    let arrays = graph.weights.filter { own.contains($0.name) }.map { array in
      learned.first { $0.name == array.name } ?? array
    }
    let text: String
    if document.isTranslated && defaults.isEmpty && loudness == nil && !isRelabelled {
      text = document.text(weightsIn: path)
    } else {
      let bytes =
        document.isTranslated
        ? Array(document.text(weightsIn: path).utf8) : document.source.bytes
      var json = JSONText(bytes)
      do throws(JSONError) {
        if !arrays.isEmpty { try json.set("{ \"file\": \(path.asJSON) }", at: ["weights"]) }
        if let loudness { try json.set(written(Float(loudness)), at: ["levels", "loudness"]) }
        if isRelabelled { try json.set(outputsText, at: ["outputs"]) }
        for input in document.inputs where input.hasOtherForm {
          try json.set(ModelDocument.text(input), at: ["inputs", input.name])
        }
        for (name, value) in defaults.sorted(by: { $0.key < $1.key }) {
          try json.set(defaultText(value, of: name), at: ["parameters", name, "default"])
        }
      } catch {
        throw ModelError(
          Diagnostics([Diagnostic(file: document.file, place: error.place, message: error.message)]))
      }
      text = String(decoding: json.bytes, as: UTF8.self)
    }
    guard !arrays.isEmpty else { return (text, []) }
    do throws(TensorFileError) {
      return (text, try TensorFileText(arrays, file: path).bytes)
    } catch {
      throw .unreadable(path: path, reason: error.description)
    }
  }

  /// This model with other arrays, perhaps of other shapes, for some weights of its own file.
  package func replacing(_ arrays: [GraphIR.Weights]) throws(ModelError) -> Model {
    var result = try Model(
      composed.family.replacing(arrays), controls: composed.composition.controls, batch: batch)
    result.isRelabelled = isRelabelled
    return result
  }

  /// This model with other labels of an output; nil takes them away.
  package func labelled(_ output: String, _ labels: [String]?) throws(ModelError) -> Model {
    let all = zip(outputs, composed.family.labels).map { $0 == output ? labels : $1 }
    var result = try Model(
      composed.family.labelled(all), controls: composed.composition.controls, batch: batch)
    result.isRelabelled = true
    return result
  }

  /// The outputs with their labels, as a file says them.
  private var outputsText: String {
    let rows = zip(outputs, composed.family.labels).map { name, labels in
      guard let labels else { return name.asJSON }
      return "{ \"name\": \(name.asJSON), \"labels\": [\(labels.map(\.asJSON).joined(separator: ", "))] }"
    }
    return "[" + rows.joined(separator: ", ") + "]"
  }

  /// The value of a parameter as its file says it: a float may lie beyond an end of the range by a rounding.
  private func defaultText(_ value: Float, of name: String) -> String {
    guard let parameter = document.parameters.first(where: { $0.name == name }),
      let number = Double(written(value))
    else { return written(value) }
    return written(min(max(number, parameter.minimum), parameter.maximum))
  }
}
