// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import GraphIR
internal import JSONReading
package import ModelFiles
internal import TensorFiles

/// A model file that was read and checked for its form, before its symbolic extents are bound; with the models that it
/// uses, and those that `then` appends.
public struct Model: Sendable {
  package let composed: ComposedModel
  /// How many examples go into a step together; nil for one, without an axis of its own.
  package private(set) var batch: Int?
  /// Whether its labels are others than those of its file.
  var isRelabelled = false

  /// The function of its file that it is; nil where its file is one model. Of a chain, that of the first model.
  public var function: String? { document.function }

  /// The model's own file; of a chain, that of the first model.
  package var document: ModelDocument { composed.family.document }

  /// The most bytes of a model file, and of those that it uses together.
  package static let mostBytes = JSONReader.maximumBytes

  /// Reads a model file, a capture or an ONNX file, and the files that its expressions use.
  ///
  /// - Parameters:
  ///   - path: The file, or a folder: a bundle, or the files of ONNX Runtime's training, of which the network, its weights and
  ///     what is known of their learning are read.
  ///   - function: The one that is meant of a file with several, which `functions(contentsOf:)` lists; nil of a file without.
  ///   - size: How much of a capture's network to take where it has several sizes, from 0 to 1; those that the model uses
  ///     are taken so, too.
  ///   - extents: Numbers for the axes that an ONNX file only names, such as `["batch": 1]`; what is left of them, `symbols`
  ///     lists. Where an input of one integer is called so, such as `["sr": 16000]`, the number stands in its place.
  ///   - states: What an ONNX file remembers from step to step, such as `["h:hn"]`: an input that is an output of the step
  ///     before, zero in the first one, and is no input any more.
  ///   - constants: Numbers in place of inputs of an ONNX file, such as `["shape": Tensor([2, 3])]`: those on which shapes,
  ///     positions or branches depend, which have to be known beforehand. Of the input's shape; they are no inputs any more.
  /// - Throws: `ModelError.unreadable`, or `ModelError.invalid` with every problem of form in the files.
  public init(
    contentsOf path: String, function: String? = nil, size: Double = 1, extents: [String: Int] = [:],
    states: [String] = [], constants: [String: Tensor] = [:]
  ) throws(ModelError) {
    let path = ModelFolder.model(path)
    let contents = try ModelFolder.contents(of: path)
    if ModelFolder.isBundle(path), let bytes = contents.given, BundleDocument.describes(bytes) {
      try self.init(
        bundle: bytes, file: path, function: function, size: size, extents: extents, states: states,
        constants: constants)
      return
    }
    try self.init(
      contents, file: path, function: function, size: size, extents: extents, states: states,
      constants: constants, identity: ModelFolder.identity(of: path) ?? Array(path.utf8),
      reader: ModelFile.Reader(find: ModelFolder.find, read: ModelFolder.read, open: ModelFolder.open))
  }

  /// The names of the functions of a model file, or of that of a bundle, in its order; none where the file is one model.
  ///
  /// - Throws: `ModelError.unreadable`, or `ModelError.invalid` for a text that is no JSON.
  public static func functions(contentsOf path: String) throws(ModelError) -> [String] {
    let path = ModelFolder.model(path)
    // What stays open is an ONNX file.
    guard let bytes = try ModelFolder.contents(of: path).given else { return [] }
    do throws(Diagnostics) {
      guard ModelFolder.isBundle(path), BundleDocument.describes(bytes) else {
        return try ModelDocument.functions(of: bytes, file: path)
      }
      // Where it names none, whoever reads the bundle says so.
      let bundle = try BundleDocument(bytes, file: path)
      guard case .success(let model) = ModelFolder.find(bundle.model, usedBy: path),
        case .success(let contents) = ModelFolder.read(model, most: mostBytes), let bytes = contents.given
      else { return [] }
      return try ModelDocument.functions(of: bytes, file: model.file)
    } catch {
      throw ModelError(error)
    }
  }

  /// Reads a model from text.
  ///
  /// - Parameters:
  ///   - text: What a model file would hold.
  ///   - name: What error messages call the text.
  ///   - function: The one that is meant of a text with several.
  ///   - folder: Where the models are that its expressions use; empty for the current one, nil where they can use none.
  /// - Throws: `ModelError.invalid` with every problem of form in the text.
  public init(
    _ text: String, name: String = "model", function: String? = nil, folder: String? = nil
  ) throws(ModelError) {
    let reader = folder.map { folder in
      // Before the slash, an empty one would be the root.
      let own = (folder.isEmpty ? "." : folder) + "/"
      // Files of the folder are called by their paths, the text by its name.
      return ModelFile.Reader(
        find: { path, user in ModelFolder.find(path, usedBy: user == name ? own : user) },
        read: ModelFolder.read, open: ModelFolder.open)
    }
    try self.init(
      FileReader(Array(text.utf8)), file: name, function: function, identity: [], reader: reader ?? .none)
  }

  private init(
    _ contents: FileReader, file: String, function: String?, size: Double = 1, extents: [String: Int] = [:],
    states: [String] = [], constants: [String: Tensor] = [:], identity: ModelFile.Identity,
    reader: ModelFile.Reader
  ) throws(ModelError) {
    do throws(Diagnostics) {
      let document = try ModelDocument.decode(
        contents: contents, file: file, function: function, size: size, extents: extents, states: states,
        constants: constants.mapValues(\.array), reader: reader)
      composed = ComposedModel(
        ModelFamily(
          document, identity: ModelFile.identity(of: function, in: identity), reader: reader, size: size,
          extents: extents))
      try composed.checkUses()
    } catch {
      throw ModelError(error)
    }
  }

  init(_ family: ModelFamily, controls: [ModelControl], batch: Int? = nil) throws(ModelError) {
    composed = ComposedModel(family, controls: controls)
    self.batch = batch
    do throws(Diagnostics) { try composed.checkUses() } catch { throw ModelError(error) }
  }

  /// The model's name; of a chain, the names of all its models.
  public var name: String { composed.name }

  /// The symbolic extents of the inputs, such as `channels`, in the order in which they first appear.
  public var symbols: [String] { document.symbols }

  /// The only rate, in hertz, that the model is for, as its file says; nil for any. Of a chain, and of a model that
  /// uses others, the rate of all of those that state one.
  public var sampleRate: Double? { composed.family.rateStatement.map { Double($0.hertz) } }

  /// The file that states the rate, as it was named.
  package var fileOfSampleRate: String? { composed.family.rateStatement?.file }

  /// The rate at which the model runs, in hertz: its own where it states one, or the one that is asked for, or 48,000.
  ///
  /// - Throws: `RequestError` where it states another one.
  public func rate(asked: Int?) throws(RequestError) -> Int {
    guard let stated = sampleRate.map({ Int($0) }) else { return asked ?? 48_000 }
    guard asked ?? stated == stated else {
      throw RequestError(
        "\(.rate) \(asked ?? 0): \(quoted(name)) is for \(stated) Hz, as \(placeOfSampleRate ?? name) states; leave \(.rate) out"
      )
    }
    return stated
  }

  /// This model, with another one behind it: what leaves the one goes into the other, in the order of the ports. They
  /// are compiled as one graph.
  ///
  ///     let rig = try Model(contentsOf: "overdrive.json").then(Model(contentsOf: "delay.json"))
  ///     let program = try rig.compile(channels: 2)          // parameters  drive, delay.time, delay.mix
  ///
  /// Parameters of the first model keep their names, unless a later model has parameters of the same names. Those of
  /// a later one have its name in front, the words of it written as one: `tapeEcho.wear`; of two models with one name,
  /// the position, too: `tapeEcho3.wear`. An extent of 1 is stretched where the other model has a number.
  ///
  /// - Throws: `ModelError.invalid` where the numbers of ports, the clocks or stated sample rates do not fit, or one is
  ///   for a batch: the chain can be. Shapes are looked at when the chain is compiled.
  public func then(_ other: Model) throws(ModelError) -> Model {
    for model in [self, other] where model.batch != nil {
      throw ModelError(
        Diagnostics([
          Diagnostic(
            file: model.document.file, place: nil,
            message: "\(quoted(model.name)) is for a batch; make the chain first, and then a batch of it")
        ]))
    }
    let (own, others) = (composed.composition.controls, other.composed.composition.controls)
    let controls =
      own.map { ModelControl($0.kind, stage: $0.stage ?? (stages.count == 1 ? 0 : nil)) }
      + others.map { ModelControl($0.kind, stage: stages.count + ($0.stage ?? 0)) }
    return try Model(composed.family.then(other.composed.family), controls: controls)
  }

  /// This model for several examples at once: all inputs and outputs have one more axis in front, and what is remembered
  /// is each example's own.
  ///
  ///     x [64] ─▶ y [10]          batched(by: 8)          x [8, 64] ─▶ y [8, 10]
  ///
  /// The weights are read once for all of them. Whether its layers can be batched is looked at when it is compiled.
  ///
  /// - Throws: `RequestError` where the model works on frames of a stream, has an axis called `batch`, or is for a batch
  ///   already.
  public func batched(by count: Int) throws(RequestError) -> Model {
    guard (1...Limits.extent).contains(count) else {
      throw RequestError("a batch has 1 to \(Limits.extent) examples, not \(count)")
    }
    guard !executesStream else {
      throw RequestError("\(quoted(name)) works on frames of a stream; a batch is one of a model of steps")
    }
    guard !hasAxis(Self.batchAxis) else {
      throw RequestError(
        "\(quoted(name)) has an axis 'batch' of its own; its length says how many examples there are")
    }
    guard batch == nil else { throw RequestError("\(quoted(name)) is for a batch of \(batch ?? 0) already") }
    var result = self
    result.batch = count
    return result
  }

  /// The name of the axis of a batch.
  package static let batchAxis = "batch"

  /// Whether a file of the model calls an axis so, which may have a number by now.
  package func hasAxis(_ name: String) -> Bool { composed.family.hasAxis(name) }

  /// The models of a chain, in order; of any other, what it is called itself.
  public var stages: [Stage] {
    composed.family.documents.map { Stage(name: $0.name, file: $0.file) }
  }

  /// One model of a chain.
  public struct Stage: Hashable, Sendable {
    public let name: String
    /// The file as it was named, or what a text is called.
    public let file: String
  }
}
