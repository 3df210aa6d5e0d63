// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import GraphIR
internal import Legato

/// The settings that a run and one that goes on have in common: a loss is compared with that of other epochs, and the
/// order of the examples is one.
struct TrainingTerms: Codable {
  /// By the names of options, what makes examples of the data.
  private let cut: [String: String]
  /// By the names of options, what else is one. Of what nobody has said "default".
  private let options: [String: String]
  /// The number of examples, and a hash of some of them.
  private let examples: Int
  private let hash: UInt64
  /// A hash of the model's graph, without the numbers of its weights; nil of a checkpoint that does not say it.
  private let graph: UInt64?
  /// A hash of the files of the model that examples run through; nil for none.
  private let augmentation: UInt64?

  /// - Throws: `AudioFileError` where a file of the augmentation cannot be read, `ModelError` of a model that is none.
  init(_ setup: TrainingSetup, augmentation: Model?) throws {
    let task = setup.task
    let model = try setup.model.graph(extents: setup.extents, sampleRate: setup.sampleRate)
    graph = model.text(withoutNumbersOf: Set(model.weights.map(\.name))).utf8.fingerprint
    var options = [
      "loss": setup.isLossOpen ? "default" : task.loss, "batch": String(task.batch),
      "accumulate": task.accumulate == 1 ? "default" : String(task.accumulate),
      "validate": String(setup.plan.validate), "seed": String(setup.seed),
    ]
    if setup.model.executesStream {
      cut = ["window": String(task.window), "warmup": String(task.warmup)]
      options["chunk"] = task.chunk.flatMap { $0 == task.window ? nil : String($0) } ?? "default"
      options["recompute"] = task.recompute.map(String.init) ?? "default"
    } else {
      cut = [:]
    }
    self.options = options
    examples = setup.data.count
    // 64 examples from all over.
    var hash = Hash()
    for turn in 0..<min(64, examples) {
      let item = (try? setup.data.item(turn * examples / min(64, examples))) ?? [:]
      for (name, numbers) in item.sorted(by: { $0.key < $1.key }) {
        for byte in name.utf8 { hash.add(UInt64(byte)) }
        for number in numbers { hash.add(UInt64(number.bitPattern)) }
      }
    }
    self.hash = hash.value
    guard let augmentation else {
      self.augmentation = nil
      return
    }
    hash = Hash()
    let own = augmentation.sourceBytes
    for file in augmentation.files {
      for byte in try own[file] ?? FileBytes.read(file, most: .max) { hash.add(UInt64(byte)) }
    }
    self.augmentation = hash.value
  }

  /// FNV-1a.
  private struct Hash {
    private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    mutating func add(_ number: UInt64) { value = (value ^ number) &* 0x100_0000_01B3 }
  }

  /// The first thing in which this run is another one; nil where it is the same.
  func difference(from other: TrainingTerms) -> RequestError.Message? {
    func first(_ options: [String: String], _ others: [String: String]) -> RequestError.Message? {
      Set(options.keys).union(others.keys).sorted()
        .map { ($0, options[$0] ?? "default", others[$0] ?? "default") }.first { $0.1 != $0.2 }
        .map { "\(RequestError.Name(rawValue: $0.0)) \($0.1), and not \($0.2)" }
    }
    // Other windows are other examples: they are named before the data, and the data before what it says.
    if let flaw = first(cut, other.cut) { return flaw }
    if let graph, graph != other.graph {
      return "another model: its graph has changed since; a new run begins with what was learned"
    }
    guard (examples, hash) == (other.examples, other.hash) else {
      return "other data, \(counted(examples, "example")); with other data a run begins anew"
    }
    if let flaw = first(options, other.options) { return flaw }
    guard augmentation != other.augmentation else { return nil }
    if augmentation == nil { return "no \(.augment)" }
    return other.augmentation == nil
      ? "an \(.augment), which has to be said again" : "another model at \(.augment)"
  }
}
