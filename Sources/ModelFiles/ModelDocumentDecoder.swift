// SPDX-License-Identifier: Apache-2.0

package import GraphIR

extension ModelDocument {
  /// Decodes a model file; everything that is wrong with it is thrown at once, in the order of the text.
  ///
  /// An error of syntax is the only one reported, since nothing behind it can be trusted; so is an unsupported version.
  package static func decode(_ bytes: some Collection<UInt8>, file: String) throws(Diagnostics)
    -> ModelDocument
  {
    let json: JSONDocument
    do {
      json = try JSONDocument(Array(bytes))
    } catch {
      throw Diagnostics([Diagnostic(file: file, place: error.place, message: error.message)])
    }
    var decoder = ModelDocumentDecoder(file: file, json: json)
    let document = decoder.decodeModel()
    guard let document, decoder.isContent else { throw decoder.collectedDiagnostics }
    return document
  }
}

/// Turns JSON values into a model's parts, collecting what is wrong with them.
///
/// Each `decode…` returns nil only after it has reported why; the caller goes on with the rest.
struct ModelDocumentDecoder {
  let file: String
  let json: JSONDocument
  private var diagnostics: DiagnosticCollection
  /// What each name of inputs, parameters and graph stands for, and where.
  private var meanings: [String: (kind: String, place: Place)] = [:]

  init(file: String, json: JSONDocument) {
    self.file = file
    self.json = json
    diagnostics = DiagnosticCollection(file: file)
    for duplicate in json.duplicates { report(duplicate.message, at: duplicate.place) }
  }

  var isContent: Bool { diagnostics.isEmpty }

  var collectedDiagnostics: Diagnostics { diagnostics.sorted }

  mutating func report(_ message: @autoclosure () -> String, at place: Place) {
    diagnostics.report(message(), at: place)
  }

  // MARK: Names

  /// Checks a name that expressions can say, and that it has no other meaning.
  mutating func define(_ name: String, as kind: String, at place: Place) -> Bool {
    guard checkName(name, at: place) else { return false }
    guard !Function.reservedNames.contains(name) else {
      report("\(quoted(name)) is reserved; choose another name", at: place)
      return false
    }
    if let other = meanings[name] {
      let first = "\(other.place.line):\(other.place.column)"
      report("\(quoted(name)) is already \(other.kind), at \(first); choose another name", at: place)
      return false
    }
    meanings[name] = (kind, place)
    return true
  }

  mutating func checkName(_ name: String, at place: Place) -> Bool {
    guard checkLength(ofName: name, at: place) else { return false }
    guard name.isName else {
      report("\(quoted(name)) is no name; a name is a letter, then letters, digits or '_'", at: place)
      return false
    }
    return true
  }

  mutating func checkLength(ofName name: String, at place: Place) -> Bool {
    let length = name.unicodeScalars.count
    guard length > 0 else {
      report("a name cannot be empty", at: place)
      return false
    }
    guard length <= ModelDocument.maximumNameLength else {
      report(
        "the name \(quoted(name)) has \(length) characters; at most \(ModelDocument.maximumNameLength) are allowed",
        at: place)
      return false
    }
    return true
  }
}
