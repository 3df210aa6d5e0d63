// SPDX-License-Identifier: Apache-2.0

/// The vectors that a block has stored at known places of the workspace: what reads one of them whole takes it from its
/// register.
///
///     store <16 x float> %v7, ptr %workspace + 8832
///     …                                                    load <16 x float>, ptr %workspace + 8832: %v7
///
/// In a cycle the next kernel waits for what the one before it has stored; memory would give it some cycles later.
struct StoredVectors {
  private struct Stored {
    let name: String
    let bytes: Int
  }

  private var stored: [Int: Stored] = [:]

  /// Takes down a store; what it overwrites is known no more.
  mutating func store(_ name: String, bytes: Int, at place: Int) {
    forget(place..<place + bytes)
    stored[place] = Stored(name: name, bytes: bytes)
  }

  /// The register of a vector that stands in a place.
  func load(bytes: Int, at place: Int) -> String? {
    guard let vector = stored[place], vector.bytes == bytes else { return nil }
    return vector.name
  }

  mutating func forget(_ places: Range<Int>) {
    stored = stored.filter { !($0.key..<$0.key + $0.value.bytes).overlaps(places) }
  }

  mutating func forgetAll() { if !stored.isEmpty { stored = [:] } }
}
