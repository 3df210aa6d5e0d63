// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import Foundation
internal import GraphIR
public import Legato
internal import TensorFiles

/// Where a run is: what learned, what the optimizer remembers of it, and how many updates there were.
///
///     try trainer.checkpoint(properties: ["seed": "1"]).write(to: "run.safetensors")
///
///     let checkpoint = try Checkpoint(contentsOf: "run.safetensors")
///     checkpoint.learned, checkpoint["head.weight"], checkpoint.updates, checkpoint.seed
///     try trainer.resume(from: checkpoint)
///
/// It is one safetensors file:
///
///     head.weight   optimizer.0.head.weight   optimizer.1.head.weight       { "updates": "1200", "seed": "1" }
///     best.head.weight        where a run has a best epoch, what was learned by then
///
/// Where a weight is called so itself, more points follow: "best..head.weight". A digest of all of it (`CheckpointDigest`) is
/// one more text, and a format says that it is there; a file with neither is read, too.
public struct Checkpoint: Sendable {
  /// The names of what learned: of weights, and of parameters, whose number is their place on their scale.
  public let learned: [String]
  /// How often weights had followed.
  public let updates: Int
  /// Texts of whoever wrote it, by their names; `updates`, `digest` and `format` are those of the checkpoint itself.
  public var properties: [String: String]
  /// The seed of the run, where its text is among the properties, as in those of `legato train`.
  public var seed: UInt64? { properties["seed"].flatMap { UInt64($0) } }

  /// The file as messages call it.
  let file: String
  /// All that the file has, in its order.
  let arrays: [GraphIR.Weights]
  private let names: Names
  private let rows: [String: Int]

  /// - Parameters:
  ///   - arrays: what learned, behind each what belongs to it.
  ///   - names: how that is called.
  ///   - file: as messages call it.
  /// - Throws: `TrainingError.checkpoint` where a number is none that is finite: nobody could go on there.
  init(
    _ arrays: [GraphIR.Weights], _ names: Names, updates: Int, properties: [String: String],
    file: String = "the checkpoint"
  ) throws(TrainingError) {
    if let array = arrays.first(where: { $0.values.firstNonFinite != nil }) {
      throw .checkpoint(
        "no checkpoint is written: \(quoted(array.name)) has become infinite, or no number; a smaller rate, or clipping, "
          + "helps")
    }
    (self.arrays, self.names, self.updates, self.properties) = (arrays, names, updates, properties)
    self.file = file
    learned = arrays.map(\.name).filter { !names.areBeside($0) }
    rows = Dictionary(arrays.enumerated().map { ($1.name, $0) }) { first, _ in first }
  }

  // MARK: Contents

  /// The numbers that were learned by a name; nil where nothing is called so.
  public subscript(name: String) -> Tensor? { names.areBeside(name) ? nil : tensor(name) }

  /// The optimizer's memory of what is called so: of AdamW the mean of its gradients and that of their squares, of SGD
  /// with momentum its velocity.
  public func moments(of name: String) -> [Tensor] {
    var found: [Tensor] = []
    while let next = tensor(names.moment(found.count, of: name)) { found.append(next) }
    return found
  }

  /// The numbers of the best epoch, by their names; nil where there was none yet.
  public var best: [String: Tensor]? {
    let found = learned.compactMap { name in tensor(names.best(of: name)).map { (name, $0) } }
    return found.isEmpty ? nil : Dictionary(found) { first, _ in first }
  }

  /// The array that the file calls so.
  func array(_ name: String) -> GraphIR.Weights? { rows[name].map { arrays[$0] } }

  private func tensor(_ name: String) -> Tensor? {
    array(name).flatMap { try? Tensor(shape: $0.shape, values: Array($0.values)) }
  }

  /// The names of arrays that belong to what learned.
  struct Names: Sendable {
    let best, optimizer: String

    /// Prefixes with which nothing begins that learned.
    init(besides learned: [String]) {
      func prefix(_ word: String) -> String {
        var prefix = word + "."
        while learned.contains(where: { $0.utf8.starts(with: prefix.utf8) }) { prefix += "." }
        return prefix
      }
      (best, optimizer) = (prefix("best"), prefix("optimizer"))
    }

    func best(of name: String) -> String { best + name }
    func moment(_ row: Int, of name: String) -> String { "\(optimizer)\(row).\(name)" }
    func areBeside(_ name: String) -> Bool {
      [best, optimizer].contains { name.utf8.starts(with: $0.utf8) }
    }
  }

  // MARK: Files

  /// Reads a checkpoint. A weight that is itself called as what belongs to another one, such as `best.weight`, only the
  /// trainer tells from it, by `resume(from:)` with the path.
  ///
  /// - Throws: `TrainingError.checkpoint` where there is none, or it is damaged.
  public init(contentsOf path: String) throws(TrainingError) {
    try self.init(contentsOf: path, Names(besides: []))
  }

  /// Reads a checkpoint of what is called otherwise than these names.
  init(contentsOf path: String, _ names: Names) throws(TrainingError) {
    let file = try Self.tensors(of: path)
    let (arrays, updates): ([GraphIR.Weights], Int)
    do throws(TensorFileError) {
      arrays = try file.entries.map { entry throws(TensorFileError) in
        GraphIR.Weights(name: entry.name, shape: entry.shape, values: try file.numbers(of: entry))
      }
      guard let text = file.metadata["updates"], let count = Int(text), (0..<1 << 53).contains(count) else {
        throw TensorFileError(path, "does not say after how many updates it was written: it is no checkpoint")
      }
      updates = count
    } catch {
      throw .checkpoint(error.description)
    }
    let own = ["updates", CheckpointDigest.key, CheckpointDigest.format.key]
    try self.init(
      arrays, names, updates: updates, properties: file.metadata.filter { !own.contains($0.key) }, file: path)
  }

  /// The tensors of a safetensors file, which are those of its digest where it has one.
  static func tensors(of path: String) throws(TrainingError) -> TensorFile {
    guard FileManager.default.fileExists(atPath: path) else {
      throw .checkpoint(TensorFileError(path, "does not exist").description)
    }
    let bytes: [UInt8]
    do throws(AudioFileError) { bytes = try FileBytes.read(path, most: .max, waits: false) } catch {
      throw .checkpoint(error.description)
    }
    do throws(TensorFileError) {
      let file = try TensorFile(FileReader(bytes), file: path)
      try CheckpointDigest.check(file)
      return file
    } catch {
      throw .checkpoint(error.description)
    }
  }

  /// The file.
  ///
  /// - Throws: `TrainingError.checkpoint` where names or texts are such as no file has.
  public var bytes: [UInt8] {
    get throws(TrainingError) {
      do throws(TensorFileError) {
        let format = CheckpointDigest.format
        var texts = properties.merging(["updates": String(updates), format.key: format.value]) { $1 }
        texts[CheckpointDigest.key] = CheckpointDigest.text(of: arrays, texts)
        return try TensorFileText(arrays, metadata: texts, file: "the checkpoint").bytes
      } catch {
        throw .checkpoint(error.description)
      }
    }
  }

  /// Writes the file, in the place of one that is there: a whole one stands there at any moment, also where the program or the
  /// machine ends in between.
  ///
  /// - Throws: `TrainingError.checkpoint` as `bytes` does, `.data` where the file cannot be written.
  public func write(to path: String) throws(TrainingError) {
    let file = FilesTogether.File(path: path, bytes: try bytes)
    do throws(AudioFileError) { try FilesTogether([file], replaceExisting: true).commit() } catch {
      throw .data(error.description)
    }
  }
}
