// SPDX-License-Identifier: Apache-2.0

/// A walk over the parts of a file, each with its size before it, to where the last one ends.
///
/// The end lies behind the file's where it is cut within a part; nil where not even a part's size is there. Throws
/// where there are more parts than any sound has.
struct ChunkWalk {
  let descriptor: Int32
  let size: Int

  /// Goes from part to part: `next` says where the one that begins here ends; nil where nobody can say.
  private func end(
    from begin: Int, _ next: (_ head: FilePart, _ place: Int) -> Int?
  ) throws(SoundFile.Refusal) -> Int? {
    var place = begin
    var parts = PartCount()
    while place < size {
      try parts.take()
      guard let end = next(FilePart(descriptor, at: place, count: 64), place), end > place else { return nil }
      place = end
    }
    return place
  }

  /// Chunks with sizes of 64 bits; of compressed sound, the table of its packets has to be among them.
  func endOfCAF() throws(SoundFile.Refusal) -> Int? {
    var (needsTable, hasTable, hasSound) = (false, false, false)
    let end = try end(from: 8) { head, place in
      // libsndfile fills up to an even size.
      guard let name = head.text(0, 4), let length = head.big(4, 8) else { return hasSound ? size : nil }
      hasSound = hasSound || name == "data"
      if name == "desc" { needsTable = head.text(20, 4) == "alac" }
      if name == "pakt" { hasTable = true }
      // To the end of the file, it says.
      if name == "data", length == -1 { return size }
      return (0..<1 << 60).contains(length) ? place + 12 + length : nil
    }
    return needsTable && !hasTable ? nil : end
  }

  /// Chunks with names of 16 bytes and sizes of 64 bits, which count both, each filled up to a multiple of 8 bytes.
  func endOfW64() throws(SoundFile.Refusal) -> Int? {
    try end(from: 40) { head, place in
      guard let length = head.little(16, 8), length >= 24 else { return nil }
      // A stream's, whose size nobody knew.
      guard !AnnouncedSize.isOpen(length), length < 1 << 60 else { return size }
      let end = place + length
      let filled = (end + 7) / 8 * 8
      return end <= size ? min(filled, size) : filled
    }
  }

  /// Blocks with sizes of 24 bits, behind a header that says its own; one without a size ends the sound.
  ///
  /// - Parameter isMarked: becomes whether there is such a one.
  func endOfVOC(isMarked: inout Bool) throws(SoundFile.Refusal) -> Int? {
    guard let begin = FilePart(descriptor, at: 0, count: 26).little(20, 2) else { return nil }
    var found = false
    defer { isMarked = found }
    return try end(from: begin) { head, place in
      guard let kind = head.little(0, 1) else { return nil }
      if kind == 0 {
        found = true
        // Bytes behind the end are no part of it.
        return size
      }
      guard let length = head.little(1, 3) else { return nil }
      let end = place + 4 + length
      // SoX counts four of the twelve bytes in which a block of 16 bits describes its samples.
      let isShort = kind == 9 && end + 9 == size && FilePart(descriptor, at: size - 1, count: 1).bytes == [0]
      guard isShort else { return end }
      found = true
      return size
    }
  }

  /// Elements with their kind and their size in 32 bits each, in the order that the header's end says.
  func endOfMAT5(_ head: FilePart) throws(SoundFile.Refusal) -> Int? {
    guard let order = head.text(126, 2) else { return nil }
    func number(_ part: FilePart, _ place: Int) -> Int? {
      order == "IM" ? part.little(place, 4) : part.big(place, 4)
    }
    return try end(from: 128) { head, place in
      guard let kind = number(head, 0), let length = number(head, 4) else { return nil }
      let end = place + 8 + length
      // libsndfile says 8 bytes too many of the last matrix: what counts is where its numbers end.
      guard kind == 14, end > size else { return end }
      var part = place + 8
      // Its flags, its dimensions and its name come before.
      for _ in 0..<3 {
        let head = FilePart(descriptor, at: part, count: 8)
        guard let kind = number(head, 0), let length = number(head, 4) else { return nil }
        part += kind > 0xFFFF ? 8 : 8 + (length + 7) / 8 * 8
      }
      return number(FilePart(descriptor, at: part, count: 8), 4).map { part + 8 + $0 }
    }
  }

  /// Matrices: kind, rows, columns, whether there is an imaginary part, the length of the name.
  func endOfMAT4() throws(SoundFile.Refusal) -> Int? {
    try end(from: 0) { head, place in
      guard head.bytes.count >= 20 else { return nil }
      let isBig = head.bytes[0] == 0 && head.bytes[2] != 0 || head.bytes[3] != 0
      let numbers = (0..<5).compactMap { isBig ? head.big(4 * $0, 4) : head.little(4 * $0, 4) }
      let sizes = [8, 4, 4, 2, 2, 1]
      let kind = numbers[0] / 10 % 10
      guard numbers[0] >= 0, kind < sizes.count else { return nil }
      let cells = numbers[1].multipliedReportingOverflow(by: numbers[2])
      guard !cells.overflow, cells.partialValue >= 0, cells.partialValue < 1 << 56 else { return nil }
      return place + 20 + numbers[4] + cells.partialValue * sizes[kind] * (numbers[3] == 0 ? 1 : 2)
    }
  }
}
