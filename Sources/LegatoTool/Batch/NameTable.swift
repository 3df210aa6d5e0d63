// SPDX-License-Identifier: Apache-2.0

internal import AudioIO

/// Very many names in little memory: each takes its bytes, one more, and a place of eight.
///
///     texts    │a.wav⏎0│kick.wav⏎0│…          │ │…                 │     pieces, so that none has to move
///     places   0        6          15 …
///
/// A name holds no zero.
struct NameTable: Sendable {
  private var texts: [[UInt8]] = []
  private var places: [Int] = []

  private static let pieceBytes = 1 << 20

  var count: Int { places.count }

  mutating func append(_ name: String) {
    let length = name.utf8.count + 1
    // A name beyond all measure has a piece of its own.
    if texts.isEmpty || texts[texts.count - 1].count + length > Self.pieceBytes {
      texts.append([])
      texts[texts.count - 1].reserveCapacity(max(Self.pieceBytes, length))
    }
    let piece = texts.count - 1
    places.append(piece * Self.pieceBytes + texts[piece].count)
    texts[piece] += name.utf8
    texts[piece].append(0)
  }

  /// Puts the names from one on into the order of their bytes.
  mutating func sort(from first: Int) {
    guard count - first > 1 else { return }
    let texts = texts
    places[first...].sort {
      Self.text(at: $0, in: texts).lexicographicallyPrecedes(Self.text(at: $1, in: texts))
    }
  }

  subscript(index: Int) -> String {
    String(decoding: Self.text(at: places[index], in: texts), as: UTF8.self)
  }

  private static func text(at place: Int, in texts: [[UInt8]]) -> ArraySlice<UInt8> {
    let (piece, start) = place.quotientAndRemainder(dividingBy: pieceBytes)
    let rest = texts[piece][start...]
    return rest[..<(rest.firstIndex(of: 0) ?? rest.endIndex)]
  }
}
