// SPDX-License-Identifier: Apache-2.0

package import GraphIR
import JSONReading

/// Several models of steps in one file, which share its weights.
///
///     { "legato": 1, "weights": { "file": "codec.safetensors" },
///       "functions": {
///         "encode": { "inputs": …, "graph": …, "outputs": … },
///         "decode": { "inputs": …, "graph": …, "outputs": … } } }
///
/// One of them is read as a file would be that says what stands in it and, beside it, what is shared.
extension ModelDocumentDecoder {
  /// The fields of the model that is meant in a file, by key, and the place of it.
  mutating func decodeFunction(
    _ name: String?, among fields: Fields
  ) -> (fields: Fields, place: Place)? {
    guard let functions = fields["functions"] else {
      guard let name else { return (fields, json.root.place) }
      report("the file has no functions, and so none that is called \(quoted(name))", at: json.root.place)
      return nil
    }
    // A description of the file is of use as well.
    for key in ModelDocument.Keys.model where key != "description" {
      guard let field = fields[key], ModelDocument.Keys.function.contains(key) || key == "train" else {
        continue
      }
      report(
        key == "train"
          ? "what learns has a file of its own, without functions"
          : "\(quoted(key)) stands beside 'functions'; each of them has its own, so it belongs into one",
        at: field.place)
    }
    if let clock = fields["clock"], case .string(let word) = clock.content, word.text == "stream" {
      report("functions execute steps; a stream has a file of its own, without functions", at: clock.place)
    }
    let members = decodeTable(
      functions, "functions", limit: ModelDocument.maximumFunctions, "functions")
    for member in members { _ = checkName(member.key, at: member.keyPlace) }
    let names = members.map(\.key)
    guard let name else {
      let list = names.isEmpty ? "no functions" : "the functions \(alternatives(names.map(quoted), "and"))"
      report("the file has \(list), and none is named", at: functions.place)
      return nil
    }
    guard let member = members.first(where: { $0.key == name }) else {
      report(unknown("function", name, among: names), at: functions.place)
      return nil
    }
    guard
      let own = decodeFields(
        member.value, "the function \(quoted(name))", keys: ModelDocument.Keys.function)
    else { return nil }
    return (fields.merging(own) { $1 }, member.keyPlace)
  }
}

/// A file of several functions that was parsed for one of them, for the next one that is wanted.
final class FunctionFile: Sendable {
  let json: JSONDocument
  /// The weights that all functions share, and the file of others.
  let weights: [ModelDocument.Weight]
  let weightsFile: ModelDocument.FileReference?

  init(_ json: JSONDocument, _ function: ModelDocument) {
    (self.json, weights, weightsFile) = (json, function.weights, function.weightsFile)
  }
}

extension FunctionFile: Hashable {
  static func == (a: FunctionFile, b: FunctionFile) -> Bool { a === b }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension ModelDocument {
  /// Decodes another function of a file that was parsed already; both hold the same weights.
  static func decode(
    _ function: String, of known: FunctionFile, file: String
  ) throws(Diagnostics) -> ModelDocument {
    try ModelDocumentDecoder(file: file, json: known.json).document(function, sharing: known)
  }

  /// The names of the functions of a file, in order; none of a file that is one model.
  ///
  /// - Throws: `Diagnostics` for a text that is no JSON.
  package static func functions(
    of bytes: some Collection<UInt8>, file: String
  ) throws(Diagnostics) -> [String] {
    guard !isONNX(bytes), case .object(let members) = try json(bytes, file: file).root.content,
      case .object(let functions)? = members.first(where: { $0.key == "functions" })?.value.content
    else { return [] }
    return functions.map(\.key)
  }

  /// Refuses a function of a file that cannot have one.
  static func refuse(_ function: String?, of file: String) throws(Diagnostics) {
    guard let function else { return }
    let message = "only model files have functions; there is none that is called \(quoted(function))"
    throw Diagnostics([Diagnostic(file: file, place: nil, message: message)])
  }
}
