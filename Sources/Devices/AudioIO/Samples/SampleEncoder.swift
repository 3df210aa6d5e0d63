// SPDX-License-Identifier: Apache-2.0

internal import CSndFile

/// Brings planar floats into the interleaved samples of a file, through one buffer.
///
/// Integers are made here, not by libsndfile, so that rounding, dither and the counts of clipped samples are ours.
@safe final class SampleEncoder {
  let channels: Int
  /// The most frames at a time.
  let capacity: Int

  private var quantizers: [Quantizer]
  private var nonFinite = 0
  /// The magnitude of the loudest float, as bits: they are in the numbers' order.
  private var loudest: Int32 = 0
  private let buffer: UnsafeMutableRawPointer
  /// Rows of floats made finite, or of integers; each format needs one of them.
  private let cleaned: PlanarBuffer
  private let integers: UnsafeMutableBufferPointer<UnsafeMutablePointer<Int32>>

  init(channels: Int, format: SampleFormat, dither: Dither) {
    self.channels = channels
    capacity = max(256, min(4096, 65536 / channels))
    quantizers = []
    if let bits = format.integerBits {
      for channel in 0..<channels {
        quantizers.append(Quantizer(bits: bits, noise: dither.noise(bits: bits, channel: channel)))
      }
    }
    unsafe buffer = .allocate(byteCount: channels * capacity * 4, alignment: 64)
    cleaned = PlanarBuffer(channels: channels, capacity: quantizers.isEmpty ? capacity : 1)
    unsafe integers = .allocate(capacity: quantizers.count)
    for channel in quantizers.indices {
      let row = UnsafeMutablePointer<Int32>.allocate(capacity: capacity)
      unsafe row.initialize(repeating: 0, count: capacity)
      unsafe integers.initializeElement(at: channel, to: row)
    }
  }

  deinit {
    for channel in quantizers.indices { unsafe integers[channel].deallocate() }
    unsafe integers.deallocate()
    unsafe buffer.deallocate()
  }

  var clippedSamples: Int { quantizers.reduce(0) { $0 + $1.tally.clipped } }
  /// The largest magnitude of all finite samples, before they are rounded.
  var peak: Float {
    Float(bitPattern: UInt32(bitPattern: quantizers.reduce(loudest) { max($0, $1.tally.loudest) }))
  }
  var nonFiniteSamples: Int { quantizers.reduce(nonFinite) { $0 + $1.tally.nonFinite } }

  /// Writes `count` frames of the rows, from the frame `start` on; returns the frames that libsndfile took.
  func write(_ rows: Interleaving<Float>.Rows, from start: Int, count: Int, to file: SoundFile) -> Int {
    precondition(count <= capacity, "more frames than the buffer holds")
    if quantizers.isEmpty {
      let frames = unsafe buffer.assumingMemoryBound(to: Float.self)
      if unsafe clean(rows, from: start, count: count) {
        unsafe Interleaving<Float>.interleave(rows, from: start, count: count, into: frames)
      } else {
        unsafe Interleaving<Float>.interleave(cleaned.rows, from: 0, count: count, into: frames)
      }
      return unsafe Int(sf_writef_float(file.handle, frames, sf_count_t(count)))
    }
    for channel in 0..<channels {
      unsafe quantizers[channel].quantize(rows[channel] + start, count: count, into: integers[channel])
    }
    let frames = unsafe buffer.assumingMemoryBound(to: Int32.self)
    let rows = unsafe UnsafeBufferPointer(integers)
    unsafe Interleaving<Int32>.interleave(rows, from: 0, count: count, into: frames)
    return unsafe Int(sf_writef_int(file.handle, frames, sf_count_t(count)))
  }

  /// Whether the rows hold finite numbers only. Where they do not, `cleaned` holds them with silence instead.
  private func clean(_ rows: Interleaving<Float>.Rows, from start: Int, count: Int) -> Bool {
    var found: Int32 = 0
    for channel in 0..<channels {
      found = max(found, unsafe Self.loudest(rows[channel] + start, count))
    }
    guard found >= Self.infinity else {
      loudest = max(loudest, found)
      return true
    }
    for channel in 0..<channels {
      let row = unsafe rows[channel] + start
      let target = unsafe cleaned.rows[channel]
      for frame in 0..<count {
        let magnitude = unsafe Self.magnitude(row[frame])
        let isFinite = magnitude < Self.infinity
        unsafe target[frame] = isFinite ? row[frame] : 0
        nonFinite += isFinite ? 0 : 1
        loudest = max(loudest, isFinite ? magnitude : 0)
      }
    }
    return false
  }

  private static let infinity: Int32 = 0x7F80_0000

  @inline(__always)
  private static func magnitude(_ sample: Float) -> Int32 {
    Int32(bitPattern: sample.bitPattern & 0x7FFF_FFFF)
  }

  private static func loudest(_ row: UnsafePointer<Float>, _ count: Int) -> Int32 {
    var loudest: Int32 = 0
    for index in 0..<count { unsafe loudest = max(loudest, magnitude(row[index])) }
    return loudest
  }
}
