// SPDX-License-Identifier: Apache-2.0

/// Bytes of FlatBuffers, written field by field.
indirect enum FlatBytes {
  case number(Int)
  case text(String)
  case bytes([UInt8])
  case numbers([Int])
  case table([Int: FlatBytes])
  case tables([[Int: FlatBytes]])

  /// A buffer of an outermost table, with the four letters of its kind.
  static func buffer(_ kind: String, _ fields: [Int: FlatBytes]) -> [UInt8] {
    var bytes = little(0, 4) + Array(kind.utf8)
    let place = write(fields, to: &bytes)
    point(&bytes, from: 0, to: place)
    return bytes
  }

  private static func little(_ number: Int, _ width: Int) -> [UInt8] {
    (0..<width).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }

  private static func point(_ bytes: inout [UInt8], from slot: Int, to place: Int) {
    bytes.replaceSubrange(slot..<slot + 4, with: little(place - slot, 4))
  }

  /// - Returns: where the table stands: behind the places of its fields, which are eight bytes each.
  private static func write(_ fields: [Int: FlatBytes], to bytes: inout [UInt8]) -> Int {
    let (count, start) = ((fields.keys.max() ?? -1) + 1, bytes.count)
    bytes += little(4 + 2 * count, 2) + little(4 + 8 * count, 2)
    for field in 0..<count { bytes += little(fields[field] == nil ? 0 : 4 + 8 * field, 2) }
    let place = bytes.count
    bytes += little(place - start, 4) + [UInt8](repeating: 0, count: 8 * count)
    for (field, value) in fields.sorted(by: { $0.key < $1.key }) {
      let slot = place + 4 + 8 * field
      if case .number(let number) = value {
        bytes.replaceSubrange(slot..<slot + 8, with: little(number, 8))
      } else {
        let child = value.write(to: &bytes)
        point(&bytes, from: slot, to: child)
      }
    }
    return place
  }

  private func write(to bytes: inout [UInt8]) -> Int {
    let place = bytes.count
    switch self {
    case .number: break
    case .text(let text): bytes += Self.little(text.utf8.count, 4) + Array(text.utf8)
    case .bytes(let own): bytes += Self.little(own.count, 4) + own
    case .numbers(let all): bytes += Self.little(all.count, 4) + all.flatMap { Self.little($0, 8) }
    case .table(let fields): return Self.write(fields, to: &bytes)
    case .tables(let all):
      bytes += Self.little(all.count, 4) + [UInt8](repeating: 0, count: 4 * all.count)
      for (row, fields) in all.enumerated() {
        let child = Self.write(fields, to: &bytes)
        Self.point(&bytes, from: place + 4 + 4 * row, to: child)
      }
    }
    return place
  }
}
