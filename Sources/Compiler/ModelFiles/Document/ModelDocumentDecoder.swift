// SPDX-License-Identifier: Apache-2.0

internal import CaptureFiles
package import GraphIR
internal import JSONReading
internal import ONNXFiles
package import TensorFiles

extension ModelDocument {
  /// Decodes a file as it was opened: of an ONNX file only what describes the network is read, numbers where they are used.
  package static func decode(
    contents: FileReader, file: String, function: String? = nil, size: Double = 1,
    extents: [String: Int] = [:], states: [String] = [], constants: [String: FloatArray] = [:],
    reader: ModelFile.Reader = .none
  ) throws(Diagnostics) -> ModelDocument {
    let isNetwork: Bool
    let bytes: [UInt8]
    do throws(TensorFileError) {
      isNetwork = ONNXFile.describes(
        try TensorFile.bytes(0..<min(contents.count, ONNXFile.headBytes), of: contents, file: file))
      bytes = isNetwork ? [] : try TensorFile.bytes(0..<contents.count, of: contents, file: file)
    } catch {
      throw Diagnostics([Diagnostic(file: file, place: nil, message: error.message)])
    }
    guard isNetwork else {
      return try decode(
        bytes, file: file, function: function, size: size, extents: extents, states: states,
        constants: constants,
        reader: reader)
    }
    try refuse(function, of: file)
    return try ModelDocument(
      onnx: contents, file: file, extents: extents, states: states, constants: constants, reader: reader)
  }

  /// Decodes a model file, or translates a capture or an ONNX file; everything that is wrong with it is thrown at once, in the order of the text.
  ///
  /// An error of syntax that leaves open what was meant is the last one reported, since nothing behind it can be
  /// trusted; so is an unsupported version. A file with other errors is looked at for what its expressions and names
  /// get wrong, too, as far as that does not depend on what is to be bound on import.
  ///
  /// - Parameters:
  ///   - file: what messages call it.
  ///   - function: the one that is meant of a file with several; nil of a file without.
  ///   - size: how much of a capture's network to take where the file has several sizes of it, from 0 to 1.
  ///   - extents: numbers for the axes that an ONNX file only names.
  ///   - states: inputs of an ONNX file that are outputs of the step before, such as `h:hn`.
  ///   - constants: what stands in place of inputs of an ONNX file, by their names.
  ///   - reader: finds files beside an ONNX file in which its weights stand.
  package static func decode(
    _ bytes: some Collection<UInt8>, file: String, function: String? = nil, size: Double = 1,
    extents: [String: Int] = [:], states: [String] = [], constants: [String: FloatArray] = [:],
    reader: ModelFile.Reader = .none
  ) throws(Diagnostics) -> ModelDocument {
    guard !ONNXFile.describes(bytes) else {
      try refuse(function, of: file)
      return try ModelDocument(
        onnx: FileReader(Array(bytes)), file: file, extents: extents, states: states, constants: constants,
        reader: reader)
    }
    guard states.isEmpty else {
      let message = "what is remembered can be said of ONNX files only; a model file says it with delay"
      throw Diagnostics([Diagnostic(file: file, place: nil, message: message)])
    }
    guard constants.isEmpty else {
      let message = "numbers can stand in place of inputs of ONNX files only"
      throw Diagnostics([Diagnostic(file: file, place: nil, message: message)])
    }
    let json = try json(bytes, file: file)
    let decoder = ModelDocumentDecoder(file: file, json: json)
    if Capture.describes(json.root, file: file) {
      guard decoder.isContent else { throw decoder.diagnostics.sorted }
      try refuse(function, of: file)
      return try ModelDocument(capture: json, file: file, size: size)
    }
    var document = try decoder.document(function)
    document.source.bytes = Array(bytes)
    return document
  }

  static func json(
    _ bytes: some Collection<UInt8>, file: String
  ) throws(Diagnostics) -> JSONDocument {
    do throws(JSONErrors) { return try JSONDocument(Array(bytes)) } catch {
      throw Diagnostics(error.all.map { Diagnostic(file: file, place: $0.place, message: $0.message) })
    }
  }
}

/// Turns JSON values into a model's parts, collecting what is wrong with them.
///
/// Each `decode…` returns nil only after it has reported why; the caller goes on with the rest.
struct ModelDocumentDecoder {
  let file: String
  let json: JSONDocument
  private(set) var diagnostics: DiagnosticCollection
  /// The parts that had to be left out of the document.
  var unread = UnreadParts()
  /// Whether the file says something of its clock that means nothing.
  var hasUnknownClock = false
  /// The kind and the place of each name of inputs, parameters and graph.
  private var meanings: [String: (kind: String, place: Place)] = [:]

  init(file: String, json: JSONDocument) {
    self.file = file
    self.json = json
    diagnostics = DiagnosticCollection(file: file)
    for mistake in json.mistakes { report(mistake.message, at: mistake.place) }
    for duplicate in json.duplicates { report(duplicate.message, at: duplicate.place) }
    // Either of the two may be the one that is meant.
    for key in json.duplicates.map(\.key) {
      unread.values.insert(key)
      unread.weights.insert(key)
      if ModelDocument.Keys.model.contains(key) { unread.hideNames() }
    }
  }

  var isContent: Bool { diagnostics.isEmpty }

  /// The model, or the function of the file that is meant; throws everything that is wrong with it.
  ///
  /// - Parameter known: the file where another function of it was decoded already.
  func document(_ function: String?, sharing known: FunctionFile? = nil) throws(Diagnostics) -> ModelDocument
  {
    var decoder = self
    let document = decoder.decodeModel(function: function, sharing: known)
    guard var document, decoder.isContent else {
      throw (document.map { decoder.diagnosticsOfMeaning(of: $0) } ?? decoder.diagnostics).sorted
    }
    if function != nil { document.functionFile = known ?? FunctionFile(json, document) }
    return document
  }

  /// The flaws found so far, and what else is wrong with the part of the document that could be decoded.
  fileprivate func diagnosticsOfMeaning(of document: ModelDocument) -> DiagnosticCollection {
    // Without a known clock, nothing is known of the shapes.
    let knowsClock = !hasUnknownClock && (document.clock != nil || unread.values.isEmpty)
    var importer = Importer(
      ComposedModel(ModelFamily(alone: document)), without: unread, besides: diagnostics,
      readsInputs: knowsClock)
    _ = importer.graph()
    return importer.diagnostics
  }

  mutating func report(_ message: @autoclosure () -> String, at place: Place) {
    diagnostics.report(message(), at: place)
  }

  // MARK: Names

  /// Checks a name that expressions can say, and that it has no other meaning.
  mutating func define(_ name: String, as kind: String, at place: Place) -> Bool {
    if isFree(name, as: kind, at: place) { return true }
    // Expressions may use it, or what it should have been.
    unread.values.insert(name)
    unread.hidesValues = true
    return false
  }

  private mutating func isFree(_ name: String, as kind: String, at place: Place) -> Bool {
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
