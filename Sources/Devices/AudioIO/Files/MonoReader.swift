// SPDX-License-Identifier: Apache-2.0

/// A sound file as one channel at a rate, part by part; what is no finite number in it is a fault of the file.
package struct MonoReader {
  private let reader: AudioFileReader
  private let buffer: PlanarBuffer
  private var mix: Downmix
  private var watch = NonFiniteWatch()
  private var frames = 0
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
  ///
  /// - Throws: `AudioFileError` where the file is damaged, or a sample of it is infinite or no number.
  package mutating func next() throws(AudioFileError) -> [Float]? {
    while !isOver {
      let count = unsafe try reader.read(into: buffer.rows, frames: Self.part)
      // Looked for before a resampler makes silence of it.
      unsafe watch.clean(buffer.rows, Array(0..<buffer.channels), frames: count, at: frames)
      if let first = watch.first {
        throw AudioFileError(
          reader.description.path,
          .damaged("frame \(first.frame) of channel \(first.channel + 1) is no finite number"))
      }
      frames += count
      if count > 0 { unsafe mix.add(buffer.rows, frames: count) } else { mix.finish() }
      isOver = count == 0
      let part = mix.take()
      if !part.isEmpty { return part }
    }
    return nil
  }
}
