// SPDX-License-Identifier: Apache-2.0

internal import CSndFile

/// The chunks of a WAV file beside its sound.
enum WaveChunks {
  /// Those that are copied as they are: they tell of times and of whence the sound comes, and not of its samples.
  private static let kept: Set<String> = [
    "bext", "cue ", "smpl", "inst", "acid", "iXML", "cart", "_PMX", "LIST",
  ]

  /// Those that are written anew, and those that say nothing.
  private static let own: Set<String> = [
    "fmt ", "data", "fact", "ds64", "PEAK", "JUNK", "junk", "PAD ", "FLLR",
  ]

  /// The most bytes of all that is copied: libsndfile makes headers of at most 100 KiB, and doubles them as they grow;
  /// of what does not fit it writes a chunk without its bytes, and no sound.
  private static let mostBytes = 1 << 15

  /// Walks through a file, or the part of it that came before its samples.
  ///
  /// - Parameter read: gives the bytes at a place, fewer at the end.
  static func extras(size: Int, _ read: (_ place: Int, _ count: Int) -> FilePart) -> FileExtras {
    var extras = FileExtras()
    var place = 12
    var dataBytes: Int?
    var room = mostBytes
    var parts = PartCount()
    while place + 8 <= size, extras.chunks.count + extras.lost.count < 256, (try? parts.take()) != nil {
      let head = read(place, 24)
      guard let name = head.text(0, 4), var count = head.little(4, 4) else { break }
      if name == "ds64" { dataBytes = head.little(16, 8) }
      if name == "data", count == 0xFFFF_FFFF { count = dataBytes ?? size }
      let end = (place + 8).addingReportingOverflow(count)
      guard count >= 0, !end.overflow, end.partialValue <= size else { break }
      let isInfo = name == "LIST" && head.text(8, 4) == "INFO"
      let isKnown = own.contains(name) || isInfo
      if isInfo { extras.lost += unknownTexts(read(place + 12, max(0, min(count - 4, mostBytes)))) }
      if !isKnown, kept.contains(name), count <= room {
        room -= count
        let bytes = read(place + 8, count).bytes
        let unmeasured = name == "bext" ? withoutLoudness(bytes) : bytes
        if unmeasured != bytes { extras.lost.append("loudness") }
        extras.chunks.append(FileExtras.Chunk(name: name, bytes: unmeasured))
      } else if !isKnown {
        extras.lost.append(name.filter { $0 != " " })
      }
      place = end.partialValue + count % 2
    }
    return extras
  }

  /// The texts that libsndfile hands over.
  private static let knownTexts: Set<String> = [
    "INAM", "IART", "ICMT", "ICOP", "ICRD", "IGNR", "IPRD", "ITRK", "ISFT",
  ]

  /// The names of the other texts of a LIST of INFO.
  private static func unknownTexts(_ list: FilePart) -> [String] {
    var names: [String] = []
    var place = 0
    while let name = list.text(place, 4), let size = list.little(place + 4, 4), names.count < 256 {
      if !knownTexts.contains(name) { names.append(name.filter { $0 != " " }) }
      place += 8 + size + size % 2
    }
    return names
  }

  /// The names of chunks in the bytes behind the sound of a pipe, which libsndfile does not read; the last one may be
  /// cut.
  static func names(behind bytes: [UInt8]) -> [String] {
    let part = FilePart(bytes: bytes)
    var names: [String] = []
    var place = 0
    while let name = part.text(place, 4), let size = part.little(place + 4, 4), names.count < 256,
      name.utf8.allSatisfy({ (0x20...0x7E).contains($0) })
    {
      let isInfo = name == "LIST" && part.text(place + 8, 4) == "INFO"
      if !own.contains(name) { names.append(isInfo ? "INFO" : name.filter { $0 != " " }) }
      place += 8 + size + size % 2
    }
    return names
  }

  /// The bytes of `bext` in which no loudness is said, as its version 2 can. (EBU Tech 3285, 2.3.)
  private static func withoutLoudness(_ bytes: [UInt8]) -> [UInt8] {
    let (version, loudness) = (346, 412..<422)
    guard bytes.count >= loudness.upperBound, FilePart(bytes: bytes).little(version, 2) == 2 else {
      return bytes
    }
    var bytes = bytes
    // A number that no loudness, range or peak can be.
    bytes.replaceSubrange(loudness, with: (0..<5).flatMap { _ in [0xFF, 0x7F] as [UInt8] })
    return bytes
  }

  /// Hands the chunks to a file that is about to be written.
  static func set(_ chunks: [FileExtras.Chunk], in file: SoundFile) {
    for chunk in chunks {
      var info = unsafe SF_CHUNK_INFO()
      unsafe withUnsafeMutableBytes(of: &info.id) { unsafe $0.copyBytes(from: chunk.name.utf8.prefix(4)) }
      unsafe info.id_size = 4
      unsafe info.datalen = UInt32(chunk.bytes.count)
      var bytes = chunk.bytes
      unsafe bytes.withUnsafeMutableBytes { buffer in
        unsafe info.data = buffer.baseAddress
        // The bytes are copied.
        _ = unsafe sf_set_chunk(file.handle, &info)
      }
    }
  }
}
