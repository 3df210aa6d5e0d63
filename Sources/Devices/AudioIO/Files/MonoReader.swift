// SPDX-License-Identifier: Apache-2.0

/// A sound file as one channel at a rate, part by part.
package struct MonoReader {
  private let reader: AudioFileReader
  private let buffer: PlanarBuffer
  private var mix: Downmix
  private var isOver = false

  private static let part = 8192

  /// - Parameters:
  ///   - path: the file; - is the standard input.
  ///   - rate: that of the sound, in hertz; nil for the file's own.
  package init(path: String, rate: Int? = nil) throws(AudioFileError) {
    reader = try AudioFileReader(path: path == "-" ? AudioFileReader.standardInput : path)
    let description = reader.description
    buffer = PlanarBuffer(channels: description.channels, capacity: Self.part)
    do throws(ResamplerError) {
      let own = description.sampleRate
      mix = try Downmix(channels: description.channels, from: own, to: rate ?? own)
    } catch {
      throw AudioFileError(path, .cannotResample("\(error)"))
    }
  }

  /// The next part; nil at the end.
  package mutating func next() throws(AudioFileError) -> [Float]? {
    while !isOver {
      let count = unsafe try reader.read(into: buffer.rows, frames: Self.part)
      if count > 0 { unsafe mix.add(buffer.rows, frames: count) } else { mix.finish() }
      isOver = count == 0
      let part = mix.take()
      if !part.isEmpty { return part }
    }
    return nil
  }
}
