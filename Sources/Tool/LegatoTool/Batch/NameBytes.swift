// SPDX-License-Identifier: Apache-2.0

/// How names lie one after the other: two bytes say how long each is, then it follows.
///
///     5 0 a . w a v 8 0 k i c k . w a v
enum NameBytes {
  static func append(_ name: some Collection<UInt8>, to bytes: inout [UInt8]) {
    let count = name.count
    // No system has names half as long.
    precondition(count <= 0xFFFF, "a file's name is longer than any can be")
    bytes.append(UInt8(count & 0xFF))
    bytes.append(UInt8(count >> 8))
    bytes += name
  }

  /// The name that begins at a place, where one does.
  static func name(at place: some BinaryInteger, in bytes: [UInt8]) -> ArraySlice<UInt8> {
    let place = Int(place)
    return bytes[(place + 2)...].prefix(Int(bytes[place]) + Int(bytes[place + 1]) << 8)
  }
}
