// SPDX-License-Identifier: Apache-2.0

package import GraphIR
package import ImageFiles
import JSONReading

/// The file `model.json` of a bundle of Tensor/IO: which file is the model, and what goes in and comes out.
///
///     { "name": "Digits", "id": "digits-1", "version": "1", "author": "…", "license": "…", "details": "…",
///       "model": { "file": "digits.onnx", "backend": "onnx", "quantized": false, "type": "image.classification",
///                  "modes": ["predict", "train", "eval"] },
///       "inputs":  [{ "name": "image", "type": "image", "shape": [-1, 1, 8, 8], "format": "grey", "normalize": "[0,1]" },
///                   { "name": "labels", "type": "array", "dtype": "int32", "shape": [-1] }],
///       "outputs": [{ "name": "scores", "type": "array", "shape": [-1, 10], "labels": "labels.txt" }],
///       "train":   { "ops": ["loss"] } }
///
/// The keys are that project's; those that are not known say nothing. -1 is the axis of a batch.
package struct BundleDocument: Hashable, Sendable {
  package enum Mode: String, CaseIterable, Sendable {
    case predict, train, eval
  }

  package struct Port: Hashable, Sendable {
    package let name: String
    package let place: Place
    /// "float32", or as the file says it.
    package let type: String
    /// -1 is an axis of any length.
    package let shape: [Int]
    /// How a picture becomes its numbers; nil of an array.
    package let image: ImageConversion?
    package let labels: ModelDocument.Labels?
  }

  package let file: String
  package let name: String
  package let details, id, version, author, license, kind: String?
  /// The path of the model in the bundle.
  package let model: String
  package let place: Place
  package let backend: String
  package let isQuantized: Bool
  package let modes: [Mode]
  package let inputs: [Port]
  package private(set) var outputs: [Port]
  /// The scores that a step of training returns; empty where the file does not say.
  package private(set) var ops: [Op]

  package struct Op: Hashable, Sendable {
    package let name: String
    package let place: Place
  }

  /// Whether a text is one of a bundle, and not of a model: it has a model, and no version of ours.
  package static func describes(_ bytes: [UInt8]) -> Bool {
    guard let root = try? JSONDocument(bytes).root, case .object(let members) = root.content else {
      return false
    }
    let keys = members.map(\.key)
    return keys.contains("model") && !keys.contains("legato")
  }

  /// Takes what Tensor/IO says of a bundle that is only trained for what it is here: scores among its outputs are ones that a
  /// step returns, and the op "train" is the step itself.
  ///
  /// - Parameters:
  ///   - computed: the outputs of the model.
  ///   - scores: its loss and metrics.
  package mutating func takeScores(computed: [String], scores: Set<String>) {
    ops.removeAll { $0.name == "train" && !scores.contains("train") }
    guard !modes.contains(.predict) else { return }
    for port in outputs where scores.contains(port.name) && !computed.contains(port.name) {
      if !ops.contains(where: { $0.name == port.name }) {
        ops.append(.init(name: port.name, place: port.place))
      }
      outputs.removeAll { $0.name == port.name }
    }
  }

  /// - Throws: the first thing that is wrong with it.
  package init(_ bytes: [UInt8], file: String) throws(Diagnostics) {
    func refusal(_ message: String, _ place: Place) -> Diagnostics {
      Diagnostics([Diagnostic(file: file, place: place, message: message)])
    }
    let root: JSONValue
    do throws(JSONErrors) { root = try JSONDocument(bytes).root } catch {
      throw Diagnostics([Diagnostic(file: file, place: error.all[0].place, message: error.all[0].message)])
    }
    let whole = BundleFields(root, "a bundle", file)
    let model = try whole.fields("model")
    self.file = file
    name = try whole.text("name") ?? ""
    (details, id) = (try whole.text("details"), try whole.text("id"))
    (version, author, license) = (
      try whole.text("version"), try whole.text("author"), try whole.text("license")
    )
    kind = try model.text("type")
    guard let path = try model.text("file") else {
      throw refusal("'model' has no 'file', which is the model in the bundle", model.place)
    }
    (self.model, place) = (path, model.place("file"))
    isQuantized = try model.flag("quantized") ?? false
    backend = try model.text("backend") ?? ""
    guard !backend.isEmpty else {
      throw refusal(
        "'model' has no 'backend'; \"onnx\" or \"legato\" says what \(quoted(path)) is", model.place)
    }
    guard ["onnx", "legato"].contains(backend) else {
      let isTensorFlow = ["tensorflow", "tflite"].contains(backend.lowercased())
      throw refusal(
        isTensorFlow
          ? "the model \(quoted(path)) is a graph of TensorFlow, which is not read; tf2onnx makes an ONNX file of it, of "
            + "which \"backend\": \"onnx\" says"
          : "the backend \(quoted(backend)) is not known; there are \"onnx\" and \"legato\"",
        model.place("backend"))
    }
    var modes: [Mode] = []
    for (text, place) in try model.texts("modes") {
      guard let mode = Mode(rawValue: text) else {
        throw refusal("there is no mode \(quoted(text)); there are predict, train and eval", place)
      }
      modes.append(mode)
    }
    self.modes = modes.isEmpty ? [.predict] : modes
    inputs = try whole.all("inputs").map { port throws(Diagnostics) in try Port(port, file) }
    outputs = try whole.all("outputs").map { port throws(Diagnostics) in try Port(port, file) }
    let stated = try whole.has("train") ? whole.fields("train").texts("ops") : []
    ops = stated.map { Op(name: $0.text, place: $0.place) }
  }
}

extension BundleDocument.Port {
  /// Numbers that floats of 32 bits take the place of.
  private static let types = [
    "float32", "float64", "float16", "int8", "int16", "int32", "int64", "uint8", "bool",
  ]

  fileprivate init(_ fields: BundleFields, _ file: String) throws(Diagnostics) {
    func refusal(_ message: String, _ key: String) -> Diagnostics {
      Diagnostics([Diagnostic(file: file, place: fields.place(key), message: message)])
    }
    guard let name = try fields.text("name") else { throw refusal("has no 'name'", "name") }
    (self.name, place) = (name, fields.place("shape"))
    let kind = try fields.text("type") ?? "array"
    guard ["array", "image"].contains(kind) else {
      throw refusal("the type \(quoted(kind)) is not known; there are array and image", "type")
    }
    let isImage = kind == "image"
    type = try fields.text("dtype") ?? "float32"
    guard Self.types.contains(type) else {
      let known = alternatives(Self.types, "and")
      throw refusal("the dtype \(quoted(type)) is not known; there are \(known)", "dtype")
    }
    shape = try fields.extents("shape")
    guard !shape.isEmpty || !isImage else {
      throw refusal("\(quoted(name)) is an image, and has no 'shape'", "name")
    }
    labels = try fields.labels("labels")
    guard isImage else {
      image = nil
      return
    }
    let word = try fields.text("format") ?? "RGB"
    guard
      let format = ImageConversion.Format.allCases.first(where: {
        $0.rawValue.lowercased() == word.lowercased()
      })
    else { throw refusal("the format \(quoted(word)) is not known; there are RGB, BGR and grey", "format") }
    guard let conversion = ImageConversion(format, try fields.normalization("normalize", format)) else {
      throw refusal("'normalize' has numbers that no colour can become", "normalize")
    }
    image = conversion
  }
}

/// The members of an object of a bundle.
private struct BundleFields {
  private let what: String
  private let file: String
  private let members: [String: JSONValue]
  private let isObject: Bool
  let place: Place

  init(_ value: JSONValue, _ what: String, _ file: String) {
    (self.what, self.file, place) = (what, file, value.place)
    guard case .object(let members) = value.content else {
      (self.members, isObject) = ([:], false)
      return
    }
    (self.members, isObject) = (Dictionary(members.map { ($0.key, $0.value) }) { first, _ in first }, true)
  }

  func has(_ key: String) -> Bool { members[key] != nil }

  func place(_ key: String) -> Place { members[key]?.place ?? place }

  private func refusal(_ key: String, _ kind: String) -> Diagnostics {
    let found = members[key].map { ", this is \($0.kind)" } ?? ""
    return Diagnostics([
      Diagnostic(file: file, place: place(key), message: "\(quoted(key)) of \(what) must be \(kind)\(found)")
    ])
  }

  func text(_ key: String) throws(Diagnostics) -> String? {
    guard let value = members[key] else { return nil }
    switch value.content {
    case .string(let text): return text.text
    case .null: return nil
    case .boolean, .number, .array, .numbers, .object: throw refusal(key, "a string")
    }
  }

  func flag(_ key: String) throws(Diagnostics) -> Bool? {
    guard let value = members[key] else { return nil }
    guard case .boolean(let flag) = value.content else { throw refusal(key, "true or false") }
    return flag
  }

  func fields(_ key: String) throws(Diagnostics) -> BundleFields {
    guard let value = members[key], case .object = value.content else { throw refusal(key, "an object") }
    return BundleFields(value, quoted(key), file)
  }

  func all(_ key: String) throws(Diagnostics) -> [BundleFields] {
    guard let value = members[key], case .array(let elements) = value.content,
      (1...ModelDocument.maximumInputs).contains(elements.count)
    else { throw refusal(key, "a list of objects") }
    let fields = elements.map { BundleFields($0, "an element of \(quoted(key))", file) }
    guard fields.allSatisfy(\.isObject) else { throw refusal(key, "a list of objects") }
    return fields
  }

  /// A list of texts with their places; none where it is not there.
  func texts(_ key: String) throws(Diagnostics) -> [(text: String, place: Place)] {
    guard let value = members[key] else { return [] }
    guard case .array(let elements) = value.content else { throw refusal(key, "a list of strings") }
    var found: [(text: String, place: Place)] = []
    for element in elements {
      guard case .string(let text) = element.content else { throw refusal(key, "a list of strings") }
      found.append((text.text, element.place))
    }
    return found
  }

  func extents(_ key: String) throws(Diagnostics) -> [Int] {
    guard let value = members[key] else { return [] }
    if case .array(let elements) = value.content, elements.isEmpty { return [] }
    guard case .numbers(let numbers) = value.content, numbers.count <= ModelDocument.maximumDimensions else {
      throw refusal(key, "a list of at most \(ModelDocument.maximumDimensions) extents")
    }
    let most = ModelDocument.maximumExtent
    return try numbers.map { number throws(Diagnostics) in
      guard let extent = Int(exactly: number), extent == -1 || (1...most).contains(extent) else {
        let found = "\(quoted(key)) of \(what) has the extent \(written(number))"
        throw Diagnostics([
          Diagnostic(
            file: file, place: value.place, message: "\(found); it is from 1 to \(most), or -1 for a batch")
        ])
      }
      return extent
    }
  }

  func labels(_ key: String) throws(Diagnostics) -> ModelDocument.Labels? {
    guard let value = members[key] else { return nil }
    if case .array = value.content {
      let names = try texts(key).map(\.text)
      guard !names.isEmpty else { throw refusal(key, "a list of names, or a file of them") }
      return .init(source: .names(names), place: value.place)
    }
    return try text(key).map { .init(source: .file($0), place: value.place) }
  }

  /// "[-1,1]", { "standard": "[-1,1]" }, or { "scale": 0.0078, "bias": -1 } with a bias for r, g and b, too.
  func normalization(
    _ key: String, _ format: ImageConversion.Format
  ) throws(Diagnostics) -> ImageConversion.Normalization {
    guard let value = members[key] else { return .range(black: 0, white: 255) }
    let kind = "\"[0,1]\", \"[-1,1]\", or scale and bias"
    var standard: String?
    if case .object = value.content {
      let own = try fields(key)
      standard = try own.text("standard")
      if standard == nil {
        let scale = try own.number("scale") ?? 1
        guard scale > 0 else { throw refusal(key, kind) }
        var biases = [Double](repeating: 0, count: format.channels)
        if let bias = own.members["bias"], case .object = bias.content {
          let colours = try own.fields("bias")
          let names = format == .bgr ? ["b", "g", "r"] : format == .rgb ? ["r", "g", "b"] : ["r"]
          biases = try names.map { name throws(Diagnostics) in try colours.number(name) ?? 0 }
        } else if let bias = try own.number("bias") {
          biases = [Double](repeating: bias, count: format.channels)
        }
        return .standard(
          mean: biases.map { -$0 / (255 * scale) },
          deviation: biases.map { _ in 1 / (255 * scale) })
      }
    } else {
      standard = try text(key)
    }
    guard let standard, let known = ImageConversion.Normalization(standard, for: format) else {
      throw refusal(key, kind)
    }
    return known
  }

  func number(_ key: String) throws(Diagnostics) -> Double? {
    guard let value = members[key] else { return nil }
    guard case .number(let number) = value.content else { throw refusal(key, "a number") }
    return number
  }
}
