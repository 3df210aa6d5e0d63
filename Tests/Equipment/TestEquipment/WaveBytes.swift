// SPDX-License-Identifier: Apache-2.0

/// The bytes of a WAVE file, with whatever is wrong with it.
package struct WaveBytes {
  package var rate = 48_000
  package var channels = 1
  /// 1: whole numbers, 3: floats.
  package var form = 3
  package var bits = 32
  package var data: [UInt8]
  /// The bytes that it says its sound has; nil for as many as there are.
  package var claimed: Int?
  /// The bytes of a frame, as it says; nil for what its channels take.
  package var frame: Int?

  package init(rate: Int = 48_000, _ channels: [[Float]]) {
    self.rate = rate
    self.channels = channels.count
    data = channels[0].indices.flatMap { frame in
      channels.flatMap { Self.bytes($0[frame].bitPattern, 4) }
    }
  }

  package init(rate: Int = 48_000, channels: Int = 1, form: Int, bits: Int, data: [UInt8]) {
    (self.rate, self.channels, self.form, self.bits, self.data) = (rate, channels, form, bits, data)
  }

  package static func bytes(_ number: some FixedWidthInteger, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }

  package var bytes: [UInt8] {
    let frame = frame ?? channels * bits / 8
    let format =
      Self.bytes(form, 2) + Self.bytes(channels, 2) + Self.bytes(rate, 4) + Self.bytes(rate * frame, 4)
      + Self.bytes(frame, 2) + Self.bytes(bits, 2)
    let parts =
      Array("WAVEfmt ".utf8) + Self.bytes(16, 4) + format + Array("LIST".utf8) + Self.bytes(3, 4) + [
        1, 2, 3, 0,
      ]
      + Array("data".utf8) + Self.bytes(claimed ?? data.count, 4) + data
    return Array("RIFF".utf8) + Self.bytes(parts.count, 4) + parts
  }
}
