// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
package import Legato

/// The names by which a request may call a model's inputs, or its outputs: those of expressions, and those of an
/// ONNX file.
///
///     model/x:0     is called model_x_0, too
package struct PortNames {
  /// Such as "input".
  package let kind: String
  /// Those of expressions, in the order of the model.
  package let all: [String]
  /// Those of the file, by those of expressions, where they differ.
  private let originals: [String: String]

  package init(inputsOf model: Model) {
    (kind, all) = ("input", model.inputs.map(\.name))
    originals = Dictionary(model.inputs.map { ($0.name, $0.original) }) { first, _ in first }
      .filter { $0 != $1 }
  }

  package init(outputsOf model: Model) {
    (kind, all) = ("output", model.outputs)
    originals = Dictionary(model.outputs.map { ($0, model.original(ofOutput: $0)) }) { first, _ in first }
      .filter { $0 != $1 }
  }

  /// The only one.
  package var single: String? { all.count == 1 ? all[0] : nil }
  /// All of them as a message lists them.
  package var list: String { alternatives(all.map(quoted), "and") }

  /// The port that a name is of, by the file's names first; nil where it is of none.
  func port(_ name: String) -> String? { pairs.first { $0.name == name }?.port }

  /// All names with their ports: those of the file, then those of expressions.
  private var pairs: [(name: String, port: String)] {
    all.map { (originals[$0] ?? $0, $0) } + all.map { ($0, $0) }
  }

  /// The port that is named, where one is, and the rest; a path may have an equals sign behind a slash.
  package func parts(_ text: String, of part: RequestError.Name) throws(RequestError) -> (
    port: String?, rest: String
  ) {
    if let known = knownParts(text) { return known }
    guard let equals = text.firstIndex(of: "="), !text[..<equals].contains("/") else { return (nil, text) }
    let unknown = RequestError(no: kind, called: String(text[..<equals]), among: all)
    throw RequestError("\(part) \(printable(text)): \(unknown.message)")
  }

  /// The input that the form of a picture names, where it names one, and the form.
  package func form(_ text: String) throws(RequestError) -> (port: String?, rest: String) {
    // An equals sign behind a comma is a mean's.
    let isNamed = text.firstIndex(of: "=").map { !text[..<$0].contains(",") } == true
    return try isNamed ? parts(text, of: .image) : knownParts(text) ?? (nil, text)
  }

  private func knownParts(_ text: String) -> (port: String?, rest: String)? {
    guard let (name, port) = pairs.first(where: { text.hasPrefix($0.name + "=") }) else { return nil }
    return (port, String(text.dropFirst(name.count + 1)))
  }
}
