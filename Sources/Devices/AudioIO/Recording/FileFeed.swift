// SPDX-License-Identifier: Apache-2.0

package import RealtimeCore
internal import Synchronization

/// A file's sound for an audio thread, read ahead by another thread.
///
///     file ─▶ resampler, where the rates differ ─▶ ring ─▶ audio thread
///
/// Frames that are not there when the audio thread asks for them are silence, and are counted. Silence behind the end
/// of the file is not counted: `reader.isAtEnd` tells it.
package final class FileFeed: Sendable {
  package let description: AudioFileDescription
  /// The notices, a line each.
  package let notices: [String]
  /// For the audio thread, which fills its rows from it, one row for each of the file's channels.
  package let reader: SampleRing.Reader

  private let ring: SampleRing
  private let thread: FileThread
  private let source: Source

  /// Begins to read, and returns once the ring is full, the file at its end, or a second has passed: pipes may be slow.
  ///
  /// - Parameters:
  ///   - file: belongs to the feed from then on.
  ///   - rate: frames per second that are asked for; the file is resampled to it, with a notice.
  ///   - isLooped: whether the file begins again at its end, without a seam.
  ///   - period: the frames that are asked for at a time.
  package init(
    _ file: sending AudioFileReader, rate: Int, isLooped: Bool, period: Int,
    quality: ResamplingQuality = .best
  ) throws(AudioFileError) {
    let description = file.description
    var resampler: Resampler?
    var notices = file.notices
    if description.sampleRate != rate {
      do throws(ResamplerError) {
        resampler = try Resampler(
          channels: Array(0..<description.channels), from: description.sampleRate, to: rate, quality: quality)
      } catch {
        throw AudioFileError(description.path, .cannotResample(error.description))
      }
      notices.append("\(description.path): resampled from \(description.sampleRate) to \(rate) Hz")
    }
    if isLooped, !file.canRewind {
      let reason = "a pipe cannot be looped: its beginning is gone once it was read; leave out --loop"
      throw AudioFileError(description.path, .system(reason))
    }
    let ring: SampleRing
    do throws(ContextError) {
      ring = try SampleRing(channels: description.channels, capacity: max(2 * rate, 4 * period))
    } catch {
      throw AudioFileError(description.path, .system(error.description))
    }
    let source = Source(SoundSource(file, through: resampler, isLooped: isLooped), ring.writer)
    thread = try FileThread(for: description.path) { source.step(isToEnd: $0) }
    (self.description, self.notices, self.ring, self.source) = (description, notices, ring, source)
    reader = ring.reader
    for _ in 0..<100 where reader.available < ring.capacity - Source.chunk {
      if thread.isDone(within: 10) { break }
    }
  }

  /// Frames that the audio thread asked for before they were there.
  package var missing: Int { ring.missing }

  /// The error that ended reading, and the sound with it.
  package var failure: AudioFileError? { source.failure.withLock { $0 } }

  /// Samples of the file that were not finite, and became silent before they were resampled; known once it has ended.
  package var nonFiniteSamples: Int { source.nonFinite.load(ordering: .relaxed) }

  /// Ends the reading; false where the file does not answer, as an idle pipe.
  @discardableResult
  package func end() -> Bool { thread.end(within: 1000) }

  /// The state of the thread: only it uses the sound.
  private final class Source: @unchecked Sendable {
    static let chunk = 1024
    let failure = Mutex<AudioFileError?>(nil)
    let nonFinite = Atomic<Int>(0)
    private let sound: SoundSource
    private let writer: SampleRing.Writer
    private let rows: PlanarBuffer

    init(_ sound: SoundSource, _ writer: SampleRing.Writer) {
      (self.sound, self.writer) = (sound, writer)
      rows = PlanarBuffer(channels: sound.channels, capacity: Self.chunk)
    }

    func step(isToEnd: Bool) -> FileThread.Step {
      guard !isToEnd else { return .done }
      guard writer.room >= Self.chunk else { return .later }
      var count = 0
      do throws(AudioFileError) {
        count = unsafe try sound.read(into: rows.rows, frames: Self.chunk)
      } catch {
        failure.withLock { $0 = error }
      }
      nonFinite.store(sound.nonFiniteSamples, ordering: .relaxed)
      unsafe writer.write(rows.rows, from: 0, frames: count)
      guard count == 0 else { return .again }
      writer.close()
      return .done
    }
  }
}
