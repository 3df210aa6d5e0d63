// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// The sound in a WAVE file: an array for each channel, from -1 to 1 where the file holds whole numbers.
///
///     RIFF, size, WAVE │ fmt : form, channels, rate, bits │ … │ data: frame after frame
///
/// PCM of 8, 16, 24 and 32 bits, and floats of 32 and 64. A small and strict reader for arrays that models need;
/// sound that is played goes through AudioIO, which no part of the compiler imports.
package struct WaveFile: Sendable {
  /// The file, as messages call it.
  package let file: String
  /// Frames per second.
  package let sampleRate: Int
  package let channels: [[Float]]
  /// The form of its numbers, such as "PCM 24".
  package let form: String
  /// Bytes of all its numbers.
  package let bytes: Int

  /// The most frames of all channels together.
  package static let mostSamples = 1 << 20

  /// - Throws: `TensorFileError` with the first thing that cannot be true.
  package init(_ reader: FileReader, file: String) throws(TensorFileError) {
    let most = Self.mostSamples * MemoryLayout<Double>.stride + (1 << 20)
    guard reader.count <= most else {
      throw TensorFileError(
        file, "has \(reader.count) bytes; the file of an impulse response has at most \(most)")
    }
    var bytes = [UInt8](repeating: 0, count: reader.count)
    var failure: FileReader.Failure?
    unsafe bytes.withUnsafeMutableBytes { memory in
      do throws(FileReader.Failure) { try unsafe reader.read(from: 0, into: memory) } catch {
        failure = error
      }
    }
    if let failure { throw TensorFileError(file, failure.message) }
    let reader = WaveReader(bytes: bytes, file: file)
    let (format, data) = try reader.chunks()
    (self.file, self.bytes) = (file, data.count)
    (sampleRate, form) = (format.sampleRate, format.name)
    channels = reader.samples(of: data, format)
  }
}

/// The form of a file's numbers.
private struct WaveFormat {
  var isFloat: Bool
  var bits: Int
  var channels: Int
  var sampleRate: Int

  var name: String { "\(isFloat ? "float" : "PCM") \(bits)" }
  var width: Int { bits / 8 }
}

private struct WaveReader {
  let bytes: [UInt8]
  let file: String

  private func error(_ message: String) -> TensorFileError { TensorFileError(file, message) }

  /// A number of so many bytes, the lowest first.
  private func number(_ place: Int, _ count: Int) -> Int {
    bytes[place..<place + count].reversed().reduce(0) { $0 << 8 | Int($1) }
  }

  private func word(_ place: Int) -> Int { number(place, 4) }
  private func half(_ place: Int) -> Int { number(place, 2) }

  private func name(_ place: Int) -> String { String(decoding: bytes[place..<place + 4], as: UTF8.self) }

  /// The form, and the place of the numbers.
  func chunks() throws(TensorFileError) -> (WaveFormat, Range<Int>) {
    guard bytes.count >= 12, name(0) == "RIFF", name(8) == "WAVE" else {
      throw error("is no WAVE file; an impulse response is read from one")
    }
    var format: WaveFormat?
    var place = 12
    while place + 8 <= bytes.count {
      let (kind, size) = (name(place), word(place + 4))
      let begin = place + 8
      guard size <= bytes.count - begin else {
        throw error(
          "is cut off: its part \(quoted(kind)) has \(size) bytes, \(bytes.count - begin) of them are there")
      }
      if kind == "fmt " {
        format = try self.format(begin, size)
      } else if kind == "data" {
        guard let format else { throw error("says what its numbers are behind them") }
        let frame = format.width * format.channels
        guard size > 0 else { throw error("has no sound in it: its part 'data' is empty") }
        guard size.isMultiple(of: frame) else {
          throw error("has \(size) bytes of sound, which are no whole frames of \(frame) bytes")
        }
        guard size / format.width <= WaveFile.mostSamples else {
          throw error(
            "has \(size / frame) frames; an impulse response has at most \(WaveFile.mostSamples / format.channels)"
          )
        }
        return (format, begin..<begin + size)
      }
      place = begin + size + size % 2
    }
    throw error("has no sound in it: the part 'data' is missing")
  }

  private func format(_ place: Int, _ size: Int) throws(TensorFileError) -> WaveFormat {
    guard size >= 16 else { throw error("is damaged: its part 'fmt ' has \(size) bytes, not 16 or more") }
    var kind = half(place)
    // Extensible: the form stands further behind.
    if kind == 0xFFFE, size >= 40 { kind = half(place + 24) }
    let format = WaveFormat(
      isFloat: kind == 3, bits: half(place + 14), channels: half(place + 2), sampleRate: word(place + 4))
    let known = kind == 1 ? [8, 16, 24, 32] : kind == 3 ? [32, 64] : []
    guard known.contains(format.bits) else {
      throw error(
        "has numbers of form \(kind) with \(format.bits) bits; save it as PCM of 16, 24 or 32 bits, or floats"
      )
    }
    guard (1...2).contains(format.channels) else {
      throw error("has \(format.channels) channels; an impulse response is mono or stereo")
    }
    let (frame, stated) = (format.width * format.channels, half(place + 12))
    guard stated == frame else {
      throw error(
        "states frames of \(stated) bytes, and \(counted(format.channels, "channel")) of \(format.bits) bits take \(frame); "
          + "save it as PCM of 16, 24 or 32 bits, or floats")
    }
    guard (1000...768_000).contains(format.sampleRate) else {
      throw error("has a sample rate of \(format.sampleRate) Hz, which cannot be")
    }
    return format
  }

  func samples(of data: Range<Int>, _ format: WaveFormat) -> [[Float]] {
    let frame = format.width * format.channels
    return (0..<format.channels).map { channel in
      stride(from: data.lowerBound + channel * format.width, to: data.upperBound, by: frame).map { place in
        sample(place, format)
      }
    }
  }

  private func sample(_ place: Int, _ format: WaveFormat) -> Float {
    switch (format.isFloat, format.bits) {
    case (true, 32): return Float(bitPattern: UInt32(word(place)))
    case (true, _): return Float(Double(bitPattern: UInt64(word(place)) | UInt64(word(place + 4)) << 32))
    case (false, 8): return (Float(bytes[place]) - 128) / 128
    case (false, 16): return Float(Int16(truncatingIfNeeded: half(place))) / 0x1p15
    case (false, 24):
      let upper = Int32(Int8(bitPattern: bytes[place + 2])) << 16
      return Float(upper | Int32(half(place))) / 0x1p23
    case (false, _): return Float(Int32(truncatingIfNeeded: word(place))) / 0x1p31
    }
  }
}
