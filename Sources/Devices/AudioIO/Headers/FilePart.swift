// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Some bytes of an open file, wherever it stands, and the numbers in them.
///
/// A number that lies behind the end is nil.
struct FilePart {
  let bytes: [UInt8]

  /// - Parameter count: the most bytes; fewer at the end of the file.
  init(_ descriptor: Int32, at place: Int, count: Int) {
    bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, taken in
      taken = max(0, unsafe pread(descriptor, buffer.baseAddress, count, off_t(place)))
    }
  }

  init(bytes: [UInt8]) { self.bytes = bytes }

  func text(_ place: Int, _ count: Int) -> String? {
    place + count <= bytes.count ? String(decoding: bytes[place..<place + count], as: UTF8.self) : nil
  }

  /// A number with its highest byte first.
  func big(_ place: Int, _ count: Int) -> Int? { number(place, count) { $0 } }

  /// A number with its lowest byte first.
  func little(_ place: Int, _ count: Int) -> Int? { number(place, count) { $0.reversed() } }

  private func number(_ place: Int, _ count: Int, _ order: ([UInt8]) -> [UInt8]) -> Int? {
    guard place + count <= bytes.count else { return nil }
    let value = order(Array(bytes[place..<place + count])).reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
    return Int(truncatingIfNeeded: value)
  }
}
