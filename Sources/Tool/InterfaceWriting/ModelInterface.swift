// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
package import Legato

/// A typed interface of a model: what its Swift file says.
///
///     activity.json, Activity   ▶   public struct Activity: ~Copyable, Sendable { … }
package struct ModelInterface {
  let model: Model
  /// The settings with which the file is read and compiled, where it is used.
  let terms: Terms
  /// Of a model of steps, as it is compiled; of a stream, with channels for a trial.
  let compilation: Compilation
  let places: Places
  /// How long named axes are.
  let extents: [String: Int]
  /// Those of a stream that are said where a context is made.
  let open: [String]
  /// The labels of outputs, by their names.
  let labels: [String: [String]]

  /// The facts about a model that stand beside its file.
  package struct Terms {
    /// How long axes are that the file only names.
    package var extents: [String: Int] = [:]
    /// Inputs of an ONNX file that are outputs of the step before.
    package var states: [String] = []
    /// How pictures become inputs, by their names: as the model says, or somebody else.
    package var forms: [String: ImageForm] = [:]
    /// Labels of outputs that the file says none of.
    package var labels: [String: [String]] = [:]

    package init() {}
  }

  /// The names that the Swift file says.
  package struct Places {
    /// The model's file, without folders.
    package var model: String
    /// The Swift file, without folders.
    package var swift: String
    /// The words behind `legato interface MODEL -o FILE`, without folders.
    package var options: String
    /// Where the model stands among the resources of its package's target; nil where it is none of them.
    package var resource: String?

    package init(model: String, swift: String, options: String, resource: String?) {
      (self.model, self.swift, self.options, self.resource) = (model, swift, options, resource)
    }
  }

  /// The most labels that become an enumeration: the Swift compiler takes seconds for more.
  package static let mostLabels = 4096

  /// - Parameter model: with a batch, where it is for one.
  /// - Throws: `ModelError` where it does not compile, `RequestError` where an axis is open, or labels do not fit.
  package init(_ model: Model, _ terms: Terms, _ places: Places) throws {
    (self.model, self.terms, self.places) = (model, terms, places)
    let extents = try model.extents(of: [:], known: terms.extents)
    let open = model.symbols.filter { extents[$0] == nil }
    if !model.executesStream, let axis = open.first {
      throw RequestError(
        "nothing says how long the axis \(quoted(axis)) is; --bind \(printable(axis))=N does")
    }
    (self.extents, self.open) = (extents, open)
    compilation = try Self.compilation(of: model, extents, open: open)
    var labels: [String: [String]] = [:]
    for output in model.outputs { labels[output] = terms.labels[output] ?? model.labels(of: output) }
    for port in compilation.layout.outputs {
      guard let names = labels[port.name] else { continue }
      guard names.count == port.shape.last else {
        let (count, output) = (counted(names.count, "label"), quoted(port.name))
        throw RequestError(
          "there are \(count) for the output \(output) of shape \(port.shape); one for each along its last axis fits"
        )
      }
      guard names.count <= Self.mostLabels else {
        throw RequestError(
          "the output \(quoted(port.name)) has \(names.count) labels; an enumeration has at most \(Self.mostLabels)"
        )
      }
    }
    self.labels = labels
  }

  /// The model as it is; what is open of a stream has one channel on trial, or two.
  private static func compilation(
    of model: Model, _ extents: [String: Int], open: [String]
  ) throws(ModelError) -> Compilation {
    func bound(_ count: Int) -> [String: Int] {
      extents.merging(open.map { ($0, count) }) { known, _ in known }
    }
    do throws(ModelError) { return try model.compilation(extents: bound(1)) } catch {
      guard !open.isEmpty, let compilation = try? model.compilation(extents: bound(2)) else { throw error }
      return compilation
    }
  }

  /// The name of the type: that of the Swift file, with a capital, and none of those that it is made of.
  package var type: String {
    Self.type(for: places.swift)
  }

  /// The Swift file of a model's one, such as `Activity.swift` of `activity.json`; both without folders.
  package static func file(for model: String) -> String { type(for: model) + ".swift" }

  private static func type(for file: String) -> String {
    let stem = file.lastIndex(of: ".").map { file[..<$0] } ?? file[...]
    let name = SwiftName(String(stem), or: "Network").capital
    return known.contains(name) ? "Typed" + name : name
  }

  private static let known: Set<String> = [
    "Array", "Any", "Bool", "Bundle", "Compilation", "Context", "Double", "Float", "Foundation", "ImageFile",
    "ImageForm", "Int", "Int64", "Label", "Legato", "Model", "ModelError", "MutableSpan", "Output",
    "Parameter",
    "Parameters", "Program", "Protocol", "Range", "RequestError", "Self", "Sendable", "Span", "State",
    "StepRunner",
    "String", "Tensor", "Type",
  ]

  /// The Swift file.
  package var text: String {
    var text = SwiftText()
    text.line("// Made of \(printable(places.model, limit: 256)) by")
    text.line("//")
    let words = ["legato interface", places.model, "-o", places.swift, places.options].filter { !$0.isEmpty }
    text.line("//     \(printable(words.joined(separator: " "), limit: 4000))")
    text.line("//")
    text.line("// It is made anew where the model's ports change; what is edited here is gone then.")
    text.line()
    text.line("public import Foundation")
    // An effect without parameters shows nothing of Legato.
    let isShown = !model.executesStream || !model.parameters.isEmpty
    text.line("\(isShown ? "public" : "internal") import Legato")
    text.line()
    if model.executesStream {
      EffectInterfaceText(self).write(to: &text)
    } else {
      StepInterfaceText(self).write(to: &text)
    }
    return text.text
  }

  /// The first sentences of the type's comment.
  var heading: String {
    let (name, summary) = (SwiftText.sentence(model.name), SwiftText.sentence(model.summary))
    return summary.isEmpty ? name : summary
  }

  /// The parameters, with names that no two of them share.
  var parameters: [(name: SwiftName, declared: Model.Parameter)] {
    var scope = NameScope()
    return model.parameters.map { (scope.name($0.name, or: "parameter"), $0) }
  }

  /// The type with a handle on each parameter.
  ///
  /// - Parameter owner: "context" or "runner".
  func writeParameters(of owner: String, _ kind: String, to text: inout SwiftText) {
    guard !parameters.isEmpty else { return }
    text.member(
      "public struct Parameters: Sendable",
      doc: "The parameters. A copy may go to any thread: setting one neither waits nor allocates."
    ) { text in
      for (name, parameter) in parameters {
        text.doc(Self.words(of: parameter))
        text.line("public let \(name.written): Parameter")
      }
      text.line()
      text.block("fileprivate init(_ \(owner): borrowing \(kind))") { text in
        for (name, parameter) in parameters {
          text.line("self.\(name.plain) = \(owner).parameter(named: \(SwiftText.literal(parameter.name)))!")
        }
      }
    }
  }

  /// "Where it stands. From 0 to 20 dB, at first 6."
  private static func words(of parameter: Model.Parameter) -> String {
    let unit = parameter.unit.isEmpty ? "" : " " + printable(parameter.unit)
    let (low, high) = (shortest(parameter.range.lowerBound), shortest(parameter.range.upperBound))
    let summary = SwiftText.sentence(parameter.summary)
    return (summary.isEmpty ? "" : summary + " ")
      + "From \(low) to \(high)\(unit), at first \(shortest(parameter.initial))."
  }

  /// The ways from a bundle or a path to the model.
  ///
  /// - Parameters:
  ///   - parameters: further ones, as they are declared.
  ///   - passing: the same, as they are handed on.
  func writeInitializers(
    _ parameters: String, passing: String, throwing: String, doc: String, to text: inout SwiftText
  ) {
    let (more, pass) = (parameters.isEmpty ? "" : ", " + parameters, passing.isEmpty ? "" : ", " + passing)
    if places.resource != nil {
      text.member(
        "public init(\(parameters)) \(throwing)", doc: "Takes the model of the package's resources." + doc
      ) {
        $0.line("try self.init(from: .module\(pass))")
      }
    }
    text.member(
      "public init(from bundle: Bundle\(more)) \(throwing)",
      doc: "Takes the model of the resources of a bundle." + doc
    ) { text in
      let resource = SwiftText.literal("/" + (places.resource ?? places.model))
      text.line("let folder = bundle.resourcePath ?? bundle.bundlePath")
      text.line("try self.init(contentsOf: folder + \(resource)\(pass))")
    }
  }

  /// The lengths of axes as a member, where there are any.
  func writeAxes(to text: inout SwiftText) {
    guard !extents.isEmpty else { return }
    let list = extents.sorted { $0.key < $1.key }.map { "\(SwiftText.literal($0.key)): \($0.value)" }
    text.line("private static let axes = [\(list.joined(separator: ", "))]")
  }

  /// The model as it is read, where it is used.
  var reading: String {
    let extents = self.extents.isEmpty ? "" : ", extents: Self.axes"
    let states = terms.states.isEmpty ? "" : ", states: \(SwiftText.literal(terms.states))"
    let batch = model.batch.map { ".batched(by: \($0))" } ?? ""
    let function = model.function.map { ", function: \(SwiftText.literal($0))" } ?? ""
    return "try Model(contentsOf: path\(function)\(extents)\(states))\(batch)"
  }
}
