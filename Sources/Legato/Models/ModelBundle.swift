// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import ImageFiles
internal import ModelFiles

/// A bundle of Tensor/IO: what it says of itself, and for each of its modes what goes in and comes out.
public struct ModelBundle: Hashable, Sendable, Encodable {
  /// An array or a picture.
  public struct Port: Hashable, Sendable, Encodable {
    public let name: String
    /// Such as `float32`, or `picture RGB`.
    public let type: String
    /// -1 is the axis of a batch; empty where the bundle does not say.
    public let shape: [Int]
    /// How many labels there are; nil for none.
    public let labels: Int?

    /// The shape of an example's target that an output is compared with where nobody states a loss; nil where it is neither a
    /// class for each row of the output nor as many numbers.
    ///
    ///     output [1, 10]      target [-1] or [-1, 1] ─▶ [1], classes        [-1, 10] ─▶ [1, 10]        [-1, 7] ─▶ nil
    package static func target(_ stated: [Int], of output: [Int], isClassifier: Bool) -> [Int]? {
      let extents = stated.filter { $0 != -1 }
      guard !stated.dropFirst().contains(-1), Shape(extents).flaw == nil else { return nil }
      let (count, rows) = (extents.reduce(1, *), Array(output.dropLast()))
      // Who says nothing of it means classes.
      if stated.isEmpty { return isClassifier || output.last ?? 1 > 1 ? rows : output }
      let isWhole = count == output.reduce(1, *)
      return count == rows.reduce(1, *) && (isClassifier || !isWhole) ? rows : isWhole ? output : nil
    }

    /// The reason why there is no such target.
    package static func misfit(of name: String, _ stated: [Int], to output: String, _ shape: [Int]) -> String
    {
      let rows = shape.dropLast().reduce(1, *)
      return "\(quoted(name)) is \(stated) here, and \(quoted(output)) \(shape) in the model: "
        + "a target has a class for each row, \([-1, rows]), or as many numbers, \([-1] + shape.drop { $0 == 1 })"
    }
  }

  public enum Mode: String, Hashable, Sendable, Encodable {
    case predict, train, eval
  }

  public struct Signature: Hashable, Sendable, Encodable {
    public let mode: Mode
    public let inputs, outputs: [Port]
    /// The scores that a step of training returns, as far as the bundle says.
    public let ops: [String]
  }

  public let name: String
  public let id, version, author, license, details, type: String?
  /// The path of the model in the bundle, and its kind: `onnx` or `legato`.
  public let model, backend: String
  public let quantized: Bool
  public let signatures: [Signature]
  /// The path of the bundle's own file.
  public let file: String

  /// The signature of a mode; nil where the bundle does not run so.
  public func signature(_ mode: Mode) -> Signature? { signatures.first { $0.mode == mode } }
}

extension Model {
  /// The place in the bundle's file where a port, or a score that training returns, stands: what messages begin with.
  package func placeInBundle(of name: String) -> String {
    guard let bundle = composed.family.bundle else { return "" }
    let place =
      (bundle.inputs + bundle.outputs).first { $0.name == name }?.place
      ?? bundle.ops.first { $0.name == name }?.place ?? bundle.place
    return "\(printable(bundle.file)):\(place.line):\(place.column)"
  }

  /// The bundle that the model was read from; nil where it was none.
  public var bundle: ModelBundle? {
    guard let bundle = composed.family.bundle else { return nil }
    let own = Set(inputs.map(\.name))
    func port(_ port: BundleDocument.Port) -> ModelBundle.Port {
      .init(
        name: port.name, type: port.image.map { "picture \($0.format.rawValue)" } ?? port.type,
        shape: port.shape, labels: labels(of: port.name)?.count)
    }
    let signatures = bundle.modes.map { mode in
      let inputs = bundle.inputs.filter { mode != .predict || own.contains($0.name) }
      return ModelBundle.Signature(
        mode: .init(rawValue: mode.rawValue)!, inputs: inputs.map(port),
        outputs: mode == .train ? [] : bundle.outputs.map(port),
        ops: mode == .train ? bundle.ops.map(\.name) : [])
    }
    return ModelBundle(
      name: bundle.name, id: bundle.id, version: bundle.version, author: bundle.author,
      license: bundle.license, details: bundle.details, type: bundle.kind, model: bundle.model,
      backend: bundle.backend, quantized: bundle.isQuantized, signatures: signatures, file: bundle.file)
  }

  /// Throws where the bundle that the model was read from does not run in a mode.
  package func check(_ mode: ModelBundle.Mode) throws(ModelError) {
    guard let bundle, bundle.signature(mode) == nil else { return }
    let known = alternatives(bundle.signatures.map { quoted($0.mode.rawValue) }, "and")
    throw ModelError(
      Diagnostics([
        Diagnostic(
          file: bundle.file, place: nil,
          message: "the bundle runs in the modes \(known), and not in \(quoted(mode.rawValue))")
      ]))
  }
}
