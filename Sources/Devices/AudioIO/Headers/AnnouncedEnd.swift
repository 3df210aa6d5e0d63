// SPDX-License-Identifier: Apache-2.0

internal import CSndFile

/// The end of a file, by what it says of itself.
///
///     caff … data <12004> …            where its last chunk ends
///     NIST_1A 1024 … sample_count …    behind as many samples
///     .snd of the IRCAM                nothing is said
///
/// libsndfile takes what there is of these types for the whole. (`AnnouncedSize` looks at WAV, AIFF and their kin,
/// `OggPages` at Ogg.)
enum AnnouncedEnd: Equatable {
  /// The file has this many bytes, or is cut.
  case at(Int)
  /// The type says no size; its samples begin at this byte.
  case unsaid(samples: Int)
  /// The sound is there as far as the file says, but nothing is marked as its end.
  case unmarked
  /// MPEG audio whose first frame announces more than there is, or whose last one is cut.
  case short
  /// MPEG audio whose first frame counts the others: so many frames of sound have to come out of the decoder.
  case counted
  /// The type is looked at elsewhere, or its decoder tells.
  case elsewhere

  init(of file: SoundFile, descriptor: Int32, size: Int) throws(SoundFile.Refusal) {
    let head = FilePart(descriptor, at: 0, count: 2048)
    let walk = ChunkWalk(descriptor: descriptor, size: size)
    let end: Int?
    switch Int(file.info.format) & SF_FORMAT_TYPEMASK {
    case SF_FORMAT_CAF: end = try walk.endOfCAF()
    case SF_FORMAT_W64: end = try walk.endOfW64()
    case SF_FORMAT_VOC:
      var isMarked = false
      end = try walk.endOfVOC(isMarked: &isMarked)
      if end == size, !isMarked {
        self = .unmarked
        return
      }
    case SF_FORMAT_MAT5: end = try walk.endOfMAT5(head)
    case SF_FORMAT_MAT4: end = try walk.endOfMAT4()
    case SF_FORMAT_SVX: end = head.big(4, 4).map { $0 + 8 }
    case SF_FORMAT_WVE: end = head.big(18, 4).map { $0 + 32 }
    case SF_FORMAT_NIST: end = Self.endOfNIST(head)
    case SF_FORMAT_SDS: end = Self.endOfSDS(head)
    case SF_FORMAT_AVR: end = Self.endOfAVR(head)
    case SF_FORMAT_MPC2K: end = Self.endOfMPC2K(head)
    case SF_FORMAT_XI:
      // Many programs leave the sample's length out.
      guard let length = head.little(0x12A, 4), length > 0, let samples = head.little(0x128, 2) else {
        self = .unsaid(samples: 0)
        return
      }
      end = 0x12A + 40 * samples + length
    case SF_FORMAT_IRCAM:
      self = .unsaid(samples: 1024)
      return
    case SF_FORMAT_PAF:
      self = .unsaid(samples: 2048)
      return
    case SF_FORMAT_PVF:
      let lines = head.bytes.indices.filter { head.bytes[$0] == UInt8(ascii: "\n") }
      self = .unsaid(samples: (lines.dropFirst().first ?? 0) + 1)
      return
    case SF_FORMAT_MPEG:
      let frames = MPEGFrames(descriptor: descriptor, size: size)
      self = frames.isCut ? .short : frames.isCounted ? .counted : .elsewhere
      return
    case _:
      self = .elsewhere
      return
    }
    // A file that is too short to say its size is cut.
    self = .at(end ?? size + 1)
  }

  /// "sample_count -i 3000": lines of text, in as many bytes as the second one says.
  private static func endOfNIST(_ head: FilePart) -> Int? {
    let lines = String(decoding: head.bytes, as: UTF8.self).split(separator: "\n")
    func number(_ name: String) -> Int? {
      lines.first { $0.hasPrefix(name + " -i ") }.flatMap { Int($0.dropFirst(name.count + 4)) }
    }
    guard lines.count > 1, let begin = Int(lines[1].filter { $0 != " " }) else { return nil }
    // Compressed sound has as many bytes as it has.
    guard let frames = number("sample_count"), let bytes = number("sample_n_bytes") else { return begin }
    let channels = number("channel_count") ?? 1
    guard (0..<1 << 30).contains(begin), (0..<1 << 40).contains(frames), (0...8).contains(bytes),
      (0...1024).contains(channels)
    else { return nil }
    return begin + frames * bytes * channels
  }

  /// Packets of 120 bytes, with 7 bits of a sample in each byte.
  private static func endOfSDS(_ head: FilePart) -> Int? {
    guard head.bytes.count >= 21 else { return nil }
    let samples = (0..<3).reduce(0) { $0 | Int(head.bytes[10 + $1]) << (7 * $1) }
    let perPacket = 120 / ((Int(head.bytes[6]) + 6) / 7)
    return 21 + (samples + perPacket - 1) / perPacket * 127
  }

  private static func endOfAVR(_ head: FilePart) -> Int? {
    guard let stereo = head.big(12, 2), let bits = head.big(14, 2), let frames = head.big(26, 4) else {
      return nil
    }
    return 128 + frames * (stereo == 0 ? 1 : 2) * (bits / 8)
  }

  private static func endOfMPC2K(_ head: FilePart) -> Int? {
    guard let stereo = head.little(21, 1), let frames = head.little(30, 4) else { return nil }
    return 42 + frames * (stereo == 0 ? 1 : 2) * 2
  }
}
