// SPDX-License-Identifier: Apache-2.0

/// What a straight piece of code, from one label to the next, has stored at places of the workspace that are known:
/// what reads one of them whole takes it from its register.
///
///     store <16 x float> %v7, ptr %workspace + 8832
///     …                                                    load <16 x float>, ptr %workspace + 8832: %v7
///
/// In a cycle the next kernel waits for what the one before it has stored; memory would give it some cycles later.
///
/// Nothing is known behind a label, or behind an instruction of which is not known what it writes. A part of what was
/// stored is loaded, and so is what a mask cuts; places that a form leaves open are not known.
package struct StoredVectors {
  private struct Stored {
    let name: String
    let bytes: Int
  }

  /// Addresses that are a constant way behind the workspace's beginning, in bytes.
  private var places = ["%workspace": 0]
  private var stored: [Int: Stored] = [:]
  /// The most bytes that one of them has.
  private var widest = 0

  package init() {}

  /// Takes down that an address is so many bytes behind another one.
  package mutating func place(_ address: String, _ bytes: Int, behind base: String) {
    if let place = places[base] { places[address] = place + bytes }
  }

  /// The register of what stands at an address; nil where it is not known, or is of another size.
  package func load(bytes: Int, from address: String) -> String? {
    guard let place = places[address], let vector = stored[place], vector.bytes == bytes else { return nil }
    return vector.name
  }

  package mutating func store(_ name: String, bytes: Int, to address: String) {
    forget(bytes: bytes, at: address)
    guard let place = places[address] else { return }
    stored[place] = Stored(name: name, bytes: bytes)
    widest = max(widest, bytes)
  }

  /// Forgets what is written over; everything where the address is not known.
  package mutating func forget(bytes: Int, at address: String) {
    guard let place = places[address] else { return forgetAll() }
    // All of them stand at whole floats.
    for start in stride(from: place - widest + 4, to: place + bytes, by: 4) {
      if let vector = stored[start], start + vector.bytes > place { stored[start] = nil }
    }
  }

  package mutating func forgetAll() { if !stored.isEmpty { stored = [:] } }
}
