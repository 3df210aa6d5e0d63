// SPDX-License-Identifier: Apache-2.0

extension SplitMix {
  /// Changes a text in one place: a bit, a byte, a mark of JSON more, a piece less, or a piece twice.
  package mutating func damage(_ bytes: inout [UInt8]) {
    let at = Int.random(in: 0..<bytes.count, using: &self)
    let end = min(bytes.count, at + Int.random(in: 1...40, using: &self))
    switch Int.random(in: 0..<5, using: &self) {
    case 0: bytes[at] ^= 1 << UInt8.random(in: 0..<8, using: &self)
    case 1: bytes[at] = UInt8.random(in: 0...255, using: &self)
    case 2: bytes.insert(Array("{}[]\",:/*\\-.e0\n".utf8).randomElement(using: &self) ?? 0, at: at)
    case 3 where bytes.count > 60: bytes.removeSubrange(at..<end)
    default: bytes.insert(contentsOf: bytes[at..<end], at: Int.random(in: 0..<bytes.count, using: &self))
    }
  }
}
