// SPDX-License-Identifier: Apache-2.0

/// Bytes that follow each other in a file, until there are enough of them for a call.
///
///     8 KiB, 8 KiB, 8 KiB …  ─▶  256 KiB
///
/// A file system that is given many pages at once finds room for all of them together: in memory that takes a quarter
/// of the time, and processors do not wait for each other.
struct GatheredBytes {
  /// The place in the file of the first of them.
  private(set) var place = 0
  private(set) var bytes: [UInt8] = []

  private static let most = 1 << 18

  /// Takes bytes that follow those that are there, if there is room; says whether it did.
  mutating func take(_ more: UnsafeRawBufferPointer, at position: Int) -> Bool {
    if bytes.isEmpty { place = position }
    guard position == place + bytes.count, bytes.count + more.count <= Self.most else { return false }
    // As much as there will be: growing would copy them again and again.
    if bytes.count + more.count > bytes.capacity { bytes.reserveCapacity(Self.most) }
    unsafe bytes.append(contentsOf: more)
    return true
  }

  /// Forgets them, and keeps the room.
  mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }
}
