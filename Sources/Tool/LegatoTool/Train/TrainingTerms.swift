// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import Legato
internal import LegatoTraining

/// What a run and one that goes on have in common: a loss is compared with that of other epochs, and the order of the
/// examples is one.
struct TrainingTerms: Codable {
  /// By the names of options.
  private let options: [String: String]
  /// The number of examples, and a hash of some of them.
  private let examples: Int
  private let hash: UInt64

  init(_ setup: TrainingSetup, share: Double, seed: UInt64) {
    let task = setup.task
    var options = [
      "loss": task.loss, "batch": String(task.batch), "validate": String(share), "seed": String(seed),
    ]
    if setup.model.isStream {
      options["window"] = String(task.window)
      options["warmup"] = String(task.warmup)
      options["chunk"] = String(task.chunk ?? task.window)
    }
    self.options = options
    examples = setup.data.count
    // FNV-1a over 64 examples from all over.
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for turn in 0..<min(64, examples) {
      let item = (try? setup.data.item(turn * examples / min(64, examples))) ?? [:]
      for (name, numbers) in item.sorted(by: { $0.key < $1.key }) {
        for byte in name.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        for number in numbers { hash = (hash ^ UInt64(number.bitPattern)) &* 0x100_0000_01B3 }
      }
    }
    self.hash = hash
  }

  /// The first thing in which this run is another one; nil where it is the same.
  func difference(from other: TrainingTerms) -> String? {
    for (name, value) in options.sorted(by: { $0.key < $1.key }) where other.options[name] != value {
      return "--\(name) \(value), and not \(other.options[name] ?? "none")"
    }
    guard (examples, hash) == (other.examples, other.hash) else {
      return "other data, \(counted(examples, "example")); with other data a run begins anew"
    }
    return nil
  }
}
