// SPDX-License-Identifier: Apache-2.0

/// The head of a FLAC file's first frame, which says the rate and the bits of the samples once more.
///
///     fLaC │ stream, 48000 Hz, 16 bit … │ frame, 48000 Hz, 16 bit, checksum …
///
/// No checksum guards the block of the stream: a bit that was changed there would play the sound at another rate.
/// (RFC 9639, sections 8.2 and 9.1.)
enum FLACFrameHead {
  private static let rates = [
    88_200, 176_400, 192_000, 8000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 96_000,
  ]
  private static let bits = [1: 8, 2: 12, 4: 16, 5: 20, 6: 24, 7: 32]

  /// Throws where a frame and the block of the stream contradict each other; a frame may leave to it what it says.
  static func check(_ frame: FilePart, against stream: FilePart) throws(SoundFile.Refusal) {
    guard let head = frame.big(0, 4), head >> 17 == 0x7FFC, let said = stream.big(10, 4) else { return }
    if let rate = rate(frame, head), rate != said >> 12 {
      throw .other("its header says \(said >> 12) Hz, its first frame \(rate) Hz")
    }
    let streamBits = said >> 4 & 31 + 1
    if let frameBits = bits[head >> 1 & 7], frameBits != streamBits {
      throw .other("its header says \(streamBits) bits, its first frame \(frameBits)")
    }
  }

  private static func rate(_ frame: FilePart, _ head: Int) -> Int? {
    let (size, rate) = (head >> 12 & 15, head >> 8 & 15)
    if (1...11).contains(rate) { return rates[rate - 1] }
    // The frame's number, in as many bytes as its first one says, and its size may come before.
    guard let first = frame.little(4, 1) else { return nil }
    let ones = (~UInt8(truncatingIfNeeded: first)).leadingZeroBitCount
    let place = 4 + max(1, ones) + (size == 6 ? 1 : size == 7 ? 2 : 0)
    switch rate {
    case 12: return frame.little(place, 1).map { $0 * 1000 }
    case 13: return frame.big(place, 2)
    case 14: return frame.big(place, 2).map { $0 * 10 }
    case _: return nil
    }
  }
}
