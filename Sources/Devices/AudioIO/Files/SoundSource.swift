// SPDX-License-Identifier: Apache-2.0

/// The source of a model's sound: a file from its beginning to its end, and then what follows it. Of a model that reads
/// nothing, it is at its end from the first frame on.
///
///     reader ─▶ frames of the file │ silence …
///     reader ─▶ resampler ─▶ as many frames as begin before the file's end │ what it rings with, and silence …
package final class SoundSource {
  /// Frames of the file per second.
  package let sampleRate: Int
  /// Nil where nothing is read.
  private let reader: AudioFileReader?
  /// Whether the file begins again at its end.
  private let isLooped: Bool
  /// Nil where the model has the file's rate.
  private let resampler: Resampler?
  /// The input of the resampler; nothing where there is none.
  private let chunk: PlanarBuffer
  /// Frames that were handed over by the resampler.
  private var position = 0
  /// How many frames that will be, once it is known.
  private var end: Int?
  /// Frames of silence that went into the resampler behind the file's end.
  private var silence = 0
  /// The channels that are listened to; others may hold anything.
  private let listened: [Int]
  private var watch = NonFiniteWatch()

  /// - Parameter channels: those that are listened to; nil for all.
  package convenience init(
    _ reader: AudioFileReader, channels: [Int]? = nil, through conversion: RateConversion? = nil
  ) {
    self.init(reader, channels: channels, through: conversion?.source, isLooped: false)
  }

  /// No sound, at a rate.
  package init(silentAt sampleRate: Int) {
    (self.sampleRate, reader, isLooped, resampler) = (sampleRate, nil, false, nil)
    listened = []
    chunk = PlanarBuffer(channels: 1, capacity: 1)
  }

  /// - Parameter isLooped: whether the file begins again at its end; the reader can be rewound then.
  init(_ reader: AudioFileReader, channels: [Int]? = nil, through resampler: Resampler?, isLooped: Bool) {
    self.reader = reader
    listened = channels ?? Array(0..<reader.description.channels)
    self.isLooped = isLooped
    self.resampler = resampler
    sampleRate = reader.description.sampleRate
    chunk = PlanarBuffer(channels: reader.description.channels, capacity: resampler?.chunk ?? 1)
  }

  /// A source that goes on behind the end as this one would, which stays as it is.
  private init(copying other: SoundSource) {
    (reader, sampleRate, chunk) = (other.reader, other.sampleRate, other.chunk)
    (listened, isLooped) = (other.listened, other.isLooped)
    resampler = other.resampler.map { Resampler(copying: $0) }
    (position, end, silence) = (other.position, other.end, other.silence)
  }

  /// Channels of the file.
  var channels: Int { reader?.description.channels ?? 0 }

  /// Frames of the file that were read.
  package var fileFrames: Int { reader?.position ?? 0 }

  /// Samples of the file that were not finite, and became silent.
  package var nonFiniteSamples: Int { watch.count }

  /// The first of them, in frames of the file.
  package var firstNonFinite: (frame: Int, channel: Int, sample: Float)? { watch.first }

  /// A source that goes on as this one does behind the end, while this one stays where it is.
  package func copyBehindEnd() -> SoundSource { SoundSource(copying: self) }

  /// Reads up to `frames` frames into the rows, and returns how many; 0 at the end.
  package func read(
    into rows: UnsafeBufferPointer<UnsafeMutablePointer<Float>>, frames: Int
  ) throws(AudioFileError) -> Int {
    guard let resampler else { return unsafe try readFile(into: rows, frames: frames) }
    var done = 0
    while done < frames {
      let most = min(frames - done, (end ?? .max) - position)
      if most == 0 { break }
      let count = unsafe resampler.pull(rows, from: done, frames: most)
      done += count
      position += count
      if count == 0 { try feed(resampler) }
    }
    return done
  }

  /// Whether all that follows is silence.
  package var isSilent: Bool { resampler.map { silence >= $0.memory } ?? true }

  /// Reads the file, from its beginning again where it is looped and has frames at all, and makes it finite.
  private func readFile(
    into rows: UnsafeBufferPointer<UnsafeMutablePointer<Float>>, frames: Int
  ) throws(AudioFileError) -> Int {
    let count = unsafe try readOnFile(into: rows, frames: frames)
    unsafe watch.clean(rows, listened, frames: count, at: fileFrames - count)
    return count
  }

  private func readOnFile(
    into rows: UnsafeBufferPointer<UnsafeMutablePointer<Float>>, frames: Int
  ) throws(AudioFileError) -> Int {
    guard let reader else { return 0 }
    let count = unsafe try reader.read(into: rows, frames: frames)
    guard count == 0, isLooped, reader.position > 0 else { return count }
    try reader.rewind()
    return unsafe try reader.read(into: rows, frames: frames)
  }

  /// Reads what follows the end.
  package func readOn(into rows: UnsafeBufferPointer<UnsafeMutablePointer<Float>>, frames: Int) {
    guard let resampler, !isSilent else {
      for row in rows.indices { unsafe rows[row].update(repeating: 0, count: frames) }
      return
    }
    var done = 0
    while done < frames {
      let count = unsafe resampler.pull(rows, from: done, frames: frames - done)
      done += count
      if count == 0 { pushSilence(resampler) }
    }
  }

  private func pushSilence(_ resampler: Resampler) {
    silence += resampler.room
    resampler.pushSilence()
  }

  /// Feeds the resampler with more of the file, or silence where there is no more.
  private func feed(_ resampler: Resampler) throws(AudioFileError) {
    guard end == nil else { return pushSilence(resampler) }
    let count = unsafe try readFile(into: chunk.rows, frames: resampler.room)
    guard count > 0 else {
      end = resampler.ratio.frames(fileFrames)
      return
    }
    unsafe resampler.push(chunk.rows, from: 0, frames: count)
  }
}
