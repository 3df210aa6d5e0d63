// SPDX-License-Identifier: Apache-2.0

/// The number of parts that a walk through a file has met, of which no sound has very many.
///
/// A chunk without bytes takes eight bytes of the file, and a look at it: millions of them would hold up who walks.
struct PartCount {
  private static let most = 1 << 16
  private var count = 0

  /// Counts one more; throws where that is too many.
  mutating func take() throws(SoundFile.Refusal) {
    count += 1
    guard count <= Self.most else { throw .other("it has more than \(Self.most) parts") }
  }
}
