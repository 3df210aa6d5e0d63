// SPDX-License-Identifier: Apache-2.0

internal import AudioIO

/// Very many names in their order, and in little memory: most of them lie in a file without a name.
///
///     file      a.wav kick.wav …        memory    x.wav …       the last ones, at most about a megabyte
///     marks     0                1203                           where every 64th name begins
///
/// Where there is no place for a file, all names stay in memory.
struct NameList: Sendable {
  private(set) var count = 0
  private var file: ScratchFile?
  /// Bytes of names in the file.
  private var stored = 0
  private var recent: [UInt8] = []
  fileprivate private(set) var marks: [Int] = []
  private var hasRoom = true

  private static let stride = 64
  private static let most = 1 << 20

  mutating func append(_ name: some Collection<UInt8>) {
    if count.isMultiple(of: Self.stride) {
      if recent.count >= Self.most, hasRoom { store() }
      marks.append(stored + recent.count)
    }
    NameBytes.append(name, to: &recent)
    count += 1
  }

  subscript(index: Int) -> String {
    precondition(index < count, "there are fewer names")
    let block = block(index / Self.stride)
    var place = 0
    for _ in 0..<index % Self.stride { place = NameBytes.name(at: place, in: block).endIndex }
    return String(decoding: NameBytes.name(at: place, in: block), as: UTF8.self)
  }

  /// The names from a mark to the next one.
  fileprivate func block(_ number: Int) -> [UInt8] {
    let begin = marks[number]
    let end = number + 1 < marks.count ? marks[number + 1] : stored + recent.count
    guard begin < stored, let file else { return Array(recent[(begin - stored)..<(end - stored)]) }
    return file.read(end - begin, at: begin)
  }

  private mutating func store() {
    file = file ?? ScratchFile()
    guard let file, unsafe recent.withUnsafeBytes({ unsafe file.write($0, at: stored) }) else {
      hasRoom = false
      return
    }
    stored += recent.count
    recent.removeAll(keepingCapacity: true)
  }
}

extension NameList: Sequence {
  /// Goes through all names: sooner done than asking for one after the other.
  struct Iterator: IteratorProtocol {
    private let list: NameList
    private var number = 0
    private var block: [UInt8] = []
    private var place = 0

    fileprivate init(_ list: NameList) { self.list = list }

    mutating func next() -> String? {
      if place == block.count {
        guard number < list.marks.count else { return nil }
        (block, place) = (list.block(number), 0)
        number += 1
      }
      let name = NameBytes.name(at: place, in: block)
      place = name.endIndex
      return String(decoding: name, as: UTF8.self)
    }
  }

  func makeIterator() -> Iterator { Iterator(self) }
}
