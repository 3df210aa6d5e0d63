// SPDX-License-Identifier: Apache-2.0

/// The frames of MPEG audio, as far as they tell whether its end is there.
///
///     frame, Info <24045 bytes> │ frame │ frame …     as many bytes as its encoder has noted
///     frame │ frame │ frame │ TAG                     noted nowhere: the last frame is whole
///     frame │ frame │ fra                             cut
///
/// A decoder plays what is left; where the frames are counted, it shows in the end what it has left out. What is cut
/// between two frames of a file in which nothing is noted is not missed.
struct MPEGFrames {
  /// Whether bytes are missing at the end; false where nobody can say.
  let isCut: Bool
  /// Whether the number of frames is noted, by which libsndfile tells how long the sound is.
  let isCounted: Bool

  /// - Parameter size: the file's length in bytes.
  init(descriptor: Int32, size: Int) {
    let tag = FilePart(descriptor, at: 0, count: 10)
    let begin = ID3Tag.bytes(tag)
    let first = FilePart(descriptor, at: begin, count: 200)
    guard Self.frameBytes(first, at: 0) != nil else {
      (isCut, isCounted) = (false, false)
      return
    }
    let noted = Self.noted(first)
    isCounted = noted.frames
    if let bytes = noted.bytes {
      isCut = begin + bytes > size
    } else {
      isCut = Self.endsWithin(
        FilePart(descriptor, at: max(begin, size - Self.tailBytes), count: Self.tailBytes), like: first)
    }
  }

  /// The length of all frames as the first one has it, in place of sound, nil where it does not; and whether it has
  /// their number.
  private static func noted(_ first: FilePart) -> (bytes: Int?, frames: Bool) {
    // Xing's tag has flags of what follows: the frames, and the bytes.
    for place in 4..<48 where ["Xing", "Info"].contains(first.text(place, 4)) {
      guard let flags = first.big(place + 4, 4) else { return (nil, false) }
      let hasFrames = flags & 1 != 0
      return (flags & 2 == 0 ? nil : first.big(place + (hasFrames ? 12 : 8), 4), hasFrames)
    }
    return first.text(36, 4) == "VBRI" ? (first.big(46, 4), true) : (nil, false)
  }

  private static let tailBytes = 1 << 14

  /// Whether the last of the frames with which a file ends is cut; false where other bytes stand behind it.
  private static func endsWithin(_ tail: FilePart, like first: FilePart) -> Bool {
    for begin in tail.bytes.indices {
      var (place, frames) = (begin, 0)
      while let count = frameBytes(tail, at: place), isAlike(tail, place, first) {
        place += count
        frames += 1
      }
      // A sound may look like a frame, but not like several of them, one behind the other.
      guard frames > 2 else { continue }
      return place > tail.bytes.count || (1..<4).contains(tail.bytes.count - place)
    }
    return false
  }

  /// Whether a frame has the version, the layer and the rate of the first one.
  private static func isAlike(_ part: FilePart, _ place: Int, _ first: FilePart) -> Bool {
    part.bytes[place + 1] & 0xFE == first.bytes[1] & 0xFE
      && part.bytes[place + 2] & 0x0C == first.bytes[2] & 0x0C
  }

  /// The length of the frame at a place; nil where none begins there, or says none.
  private static func frameBytes(_ part: FilePart, at place: Int) -> Int? {
    guard let head = part.big(place, 4), head >> 21 == 0x7FF else { return nil }
    let (version, layer) = (head >> 19 & 3, 4 - (head >> 17 & 3))
    let (rate, speed, padding) = (head >> 10 & 3, head >> 12 & 15, head >> 9 & 1)
    guard version != 1, layer < 4, rate < 3, (1..<15).contains(speed) else { return nil }
    let isFirst = version == 3
    let bits = 1000 * kilobits[isFirst ? layer - 1 : layer == 1 ? 3 : 4][speed - 1]
    let frequency = [44100, 48000, 32000][rate] >> (isFirst ? 0 : version == 2 ? 1 : 2)
    if layer == 1 { return (12 * bits / frequency + padding) * 4 }
    return (layer == 3 && !isFirst ? 72 : 144) * bits / frequency + padding
  }

  /// The rates of data: of MPEG-1 in its three layers, of MPEG-2 in the first and in the others.
  /// (ISO 11172-3, ISO 13818-3.)
  private static let kilobits = [
    [32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
    [32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
    [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
    [32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
    [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
  ]
}
