// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import ModelFiles
package import TensorFiles

/// The interface of a model: inputs, outputs, parameters and presets, as its file declares them.
extension Model {
  /// One axis of a shape: a number, or a name such as `channels` or `frames`.
  public enum Extent: Hashable, Sendable, CustomStringConvertible {
    case number(Int)
    case symbol(String)

    public var description: String {
      switch self {
      case .number(let number): String(number)
      case .symbol(let name): name
      }
    }
  }

  /// A signal or a tensor that goes in.
  public struct Input: Hashable, Sendable {
    public let name: String
    /// The axes, of which `frames` can only be the last; that of a batch is the first one.
    public internal(set) var shape: [Extent]
    package let element: DeclaredType
    /// The kind of number that an ONNX file or a bundle declares, such as `int64` or `bool`; `float32` of a model file.
    ///
    /// Whatever it is, floats go in: of whole numbers, those that it can hold.
    public var type: String { element.rawValue }
    /// The file's own name, where that is none for expressions, as an ONNX file's "model/x:0"; else the same name.
    public let original: String
    /// How a picture becomes its numbers; nil where the model does not say that it takes one.
    public let image: ImageForm?
    /// The author's description; empty where there is none.
    public let summary: String

    /// The axes as a message says them, whatever a file calls them.
    package var axes: String { "[" + shape.map { printable($0.description) }.joined(separator: ", ") + "]" }

    /// The reason why numbers are none of the declared kind, as it follows the file's name; nil where all are.
    package func misfit(_ tensor: Tensor) -> String? {
      guard element != .float32, let place = tensor.values.firstIndex(where: { !element.holds($0) }) else {
        return nil
      }
      let position = FloatArray.position(of: place, in: tensor.shape)
      return "the input \(quoted(name)) takes \(type), and is given \(written(tensor.values[place]))"
        + (position.isEmpty ? "" : " at \(position)")
        + (abs(tensor.values[place]) >= 0x1p24 ? "; floats hold integers below 2^24" : "")
    }
  }

  /// A parameter that a user turns.
  public struct Parameter: Hashable, Sendable {
    public let name: String
    public let initial: Float
    public let range: ClosedRange<Float>
    /// The unit, such as `Hz`; empty where there is none.
    public let unit: String
    /// Whether equal ways of a knob are equal ratios.
    public let isLogarithmic: Bool
    /// Seconds in which a change glides to its target; 0 steps.
    public let ramp: Double
    /// The MIDI controller, 0 to 119, that turns it on any channel; nil where the author leaves it open.
    public let midi: Int?
    /// The author's description; empty where there is none.
    public let summary: String
  }

  /// Settings of some parameters under one name; the others keep their defaults. Where `bypass` or `mix` is among them
  /// and the model does not declare it, it is of `with(controlsOf:)`.
  public struct Preset: Hashable, Sendable {
    public let name: String
    public let values: [String: Float]
    /// The parameters of its model that it leaves to their defaults; those of other models of a chain stay as they are.
    public let defaults: [String]
  }

  /// How the model takes a stream of readings, as the section `"listen"` of its file says.
  public struct Listening: Hashable, Sendable {
    /// Readings in a window, and from the beginning of one to that of the next; nil where the file does not say.
    public let window, hop: Int?
    /// The names of a reading's numbers, in the order of the input; nil where the file does not say.
    public let columns: [String]?
    /// The output of the window before that each of some inputs is.
    public let states: [String: String]
  }

  /// How the model takes a stream of readings; nil where its file does not say.
  public var listening: Listening? {
    document.listening.map { stated in
      Listening(
        window: stated.counts[.window], hop: stated.counts[.hop], columns: stated.columns,
        states: stated.states)
    }
  }

  /// The inputs that an output gives back in the next window: those that `named` says, and others by their names.
  ///
  ///     stateIn, stateOut       h_in, h_out
  package func carriedInputs(_ named: [String: String]) -> [(input: String, output: String)] {
    inputs.map(\.name).compactMap { input in
      if let output = named[input] { return (input, output) }
      for (end, other) in [("In", "Out"), ("_in", "_out")] where input.hasSuffix(end) {
        let output = String(input.dropLast(end.count) + other)
        if outputs.contains(output) { return (input, output) }
      }
      return nil
    }
  }

  /// The author's description of the model; empty where there is none, and of a chain.
  public var summary: String { stages.count == 1 ? document.description ?? "" : "" }

  /// Whether the model works on frames of a stream; otherwise one execute is one step.
  public var executesStream: Bool { document.boundClock == .stream }

  /// The inputs, in the order of the file.
  public var inputs: [Input] {
    let stated = composed.family.bundle?.inputs ?? []
    return document.inputs.map { input in
      let inBundle = stated.first { $0.name == input.name && $0.image == nil }
        .flatMap { DeclaredType(rawValue: $0.type) }
      return Input(
        name: input.name,
        shape: (batch.map { [.number($0)] } ?? []) + input.shape.map { Extent($0.extent) },
        element: input.type == .float32 ? inBundle ?? .float32 : input.type,
        original: document.network?.originals[input.name] ?? input.name,
        image: input.image.map { ImageForm($0) },
        summary: input.description ?? "")
    }
  }

  /// The names of the outputs, in the order of the file; of a chain, those of its last model.
  public var outputs: [String] { composed.family.documents.last?.outputs.map(\.name) ?? [] }

  /// The row of the input that a name means: by the file's own names first, then by those of expressions.
  func row(ofInput name: some StringProtocol) -> Int? {
    inputs.firstIndex { $0.original == name } ?? inputs.firstIndex { $0.name == name }
  }

  /// The kind of number that an ONNX file declares of an output; `float32` where it declares none, and of a model file.
  package func type(ofOutput name: String) -> String {
    (composed.family.documents.last?.network?.outputTypes[name] ?? .float32).rawValue
  }

  /// The file's own name of an output, where that is none for expressions; else the same name.
  package func original(ofOutput name: String) -> String {
    composed.family.documents.last?.network?.originals[name] ?? name
  }

  /// What the numbers along the last axis of an output stand for, in their order; nil where the model does not say.
  public func labels(of output: String) -> [String]? {
    zip(outputs, composed.family.labels).first { $0.0 == output }?.1
  }

  /// Reads a text with the name of a label in each line, as a model's `"labels"` names one.
  ///
  /// - Throws: `ModelError.unreadable`.
  public static func labels(contentsOf path: String) throws(ModelError) -> [String] {
    let bytes = try ModelFolder.read(path)
    do throws(LabelText.Refusal) { return try LabelText.labels(bytes) } catch {
      throw .unreadable(path: path, reason: "the file \(error.message)")
    }
  }

  /// The parameters, in the order of the file; then those of models that it uses, and of models behind it.
  public var parameters: [Parameter] {
    composed.composition.parameters.map { named in
      let parameter = named.declared
      return Parameter(
        name: named.name, initial: Float(parameter.defaultValue),
        range: Float(parameter.minimum)...Float(parameter.maximum), unit: parameter.unit ?? "",
        isLogarithmic: parameter.scale == .logarithmic, ramp: parameter.ramp, midi: parameter.midi,
        summary: parameter.description ?? "")
    }
  }

  /// The presets, in the order of the file; those of models that it uses have the name of the use in front, and in a
  /// chain those of later models the model's name, as their parameters do.
  public var presets: [Preset] {
    composed.composition.presets.map { preset in
      Preset(name: preset.name, values: preset.values.mapValues { Float($0) }, defaults: preset.others)
    }
  }
}

extension Model.Extent {
  init(_ extent: ModelDocument.ShapeEntry.Extent) {
    switch extent {
    case .number(let number): self = .number(number)
    case .symbol(let name): self = .symbol(name)
    }
  }
}
