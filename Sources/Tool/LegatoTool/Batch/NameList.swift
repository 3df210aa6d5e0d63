// SPDX-License-Identifier: Apache-2.0

internal import AudioIO

/// Very many names in their order, and in little memory: most of them lie in a file without a name.
///
///     file      a.wav kick.wav …        memory    x.wav …       the last ones, at most about a megabyte
///     marks     0                1203                           where every 64th name begins
///
/// A `NameWriter` makes it; then it stays as it is, and any thread may read it.
struct NameList: Sendable {
  let count: Int
  fileprivate let marks: [Int]
  /// Nil where all names are in memory.
  private let file: ScratchFile?
  /// Bytes of names in the file.
  private let stored: Int
  private let recent: [UInt8]

  static let stride = 64

  init(count: Int, marks: [Int], file: ScratchFile?, stored: Int, recent: [UInt8]) {
    self.count = count
    self.marks = marks
    self.file = file
    self.stored = stored
    self.recent = recent
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
    do throws(AudioFileError) {
      return try file.readAll(end - begin, at: begin)
    } catch {
      Interruption.end(saying: error.description)
    }
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
