// SPDX-License-Identifier: Apache-2.0

/// Brings names into the order of their bytes, as many at a time as a megabyte holds.
///
///     c.wav a.wav b.wav                      ─▶  a.wav b.wav c.wav
///     … of very many: c a k … │ d b z …      ─▶  a c k … │ b d z …
///
/// Only a folder with tens of thousands of files has more than one part. The order of the parts is the folder's own:
/// sorting all of them would take a second file, or all of the memory, for an order that nobody hears.
struct NameSorter {
  /// How many names it was given.
  private(set) var count = 0
  private var texts: [UInt8] = []
  private var places: [Int32] = []

  private static let most = 1 << 20

  /// Takes a name; where there is no room for it, a part goes to the list before.
  mutating func append(_ name: String, to list: inout NameWriter) {
    if texts.count >= Self.most { hand(to: &list) }
    count += 1
    places.append(Int32(texts.count))
    NameBytes.append(name.utf8, to: &texts)
  }

  /// Gives the names to the list, in order, and is empty then.
  mutating func hand(to list: inout NameWriter) {
    let texts = texts
    places.sort {
      NameBytes.name(at: $0, in: texts).lexicographicallyPrecedes(NameBytes.name(at: $1, in: texts))
    }
    for place in places { list.append(NameBytes.name(at: place, in: texts)) }
    self.texts.removeAll()
    places.removeAll()
  }
}
