// SPDX-License-Identifier: Apache-2.0

package import RealtimeCore
internal import Synchronization

/// Sound of an audio thread on its way to a file, written by another one.
///
///     audio thread ─▶ ring ─▶ file, which appears in its place when the recording ends
///
/// The audio thread never waits: frames for which the ring has no room, as the disk is too slow, are lost and counted.
/// Where a write fails, as the disk is full, `failure` says so while the sound goes on, and what fitted is kept. A run
/// that is ended at once (`PendingFiles.removeAll`) leaves no file.
package final class Recorder: Sendable {
  /// The results of a recording.
  package struct Summary: Sendable {
    package let path: String
    /// Frames in the file.
    package var frames = 0
    /// Frames that are not in it.
    package var framesLost = 0
    package var clippedSamples = 0
    package var nonFiniteSamples = 0
    /// The error for which it ends too early, or there is none.
    package var failure: AudioFileError?
    /// Whether the file is in its place.
    package var isKept = false
  }

  /// For the audio thread, which writes its rows to it.
  package let writer: SampleRing.Writer
  /// The notices beforehand, a line each.
  package let notices: [String]
  package let path: String

  private let ring: SampleRing
  private let thread: FileThread
  private let target: Target

  /// - Parameters:
  ///   - path: where the file will stand; its extension chooses the type.
  ///   - period: the frames that are written at a time.
  ///   - pending: where the unfinished file is noted, for a run that is ended at once.
  /// - Throws: `AudioFileError` where the file cannot be written, or there is no memory for the ring.
  package init(
    path: String, channels: Int, sampleRate: Int, period: Int,
    options: AudioFileWriter.Options = AudioFileWriter.Options(), pending: PendingFiles? = nil
  ) throws(AudioFileError) {
    var options = options
    options.keepsWhatFitted = true
    let (ring, rows): (SampleRing, PlanarBuffer)
    do throws(ContextError) {
      ring = try SampleRing(channels: channels, capacity: max(2 * sampleRate, 4 * period))
      rows = try PlanarBuffer(reserving: channels, capacity: Target.chunk)
    } catch {
      throw AudioFileError(path, .system(error.description))
    }
    let file = try AudioFileWriter(
      path: path, channels: channels, sampleRate: sampleRate, options: options, pending: pending)
    notices = file.notices
    self.path = path
    let target = Target(file, ring.reader, through: rows)
    thread = try FileThread(for: path) { target.step(isToEnd: $0) }
    (self.ring, self.target, writer) = (ring, target, ring.writer)
  }

  /// The error that ended writing; what comes after it is lost.
  package var failure: AudioFileError? { target.summary.withLock { $0.failure } }

  /// Writes what is left, completes the file and puts it into its place, all within a second. Where a part was not
  /// taken and the disk is too slow to be asked how much is there, the frames are those that were handed to it.
  package func finish() -> Summary {
    let isDone = thread.end(within: 1000)
    var summary = target.summary.withLock { $0 }
    let taken = target.taken.load(ordering: .acquiring)
    summary.framesLost = ring.lost + ring.reader.available + taken - summary.frames
    if !isDone, summary.failure == nil {
      summary.failure = AudioFileError(path, .system("the disk did not take the recording within a second"))
    }
    return summary
  }

  /// The state of the thread: only it uses the file.
  private final class Target: @unchecked Sendable {
    let summary: Mutex<Summary>
    /// Frames that it took.
    let taken = Atomic<Int>(0)
    private let file: AudioFileWriter
    private let reader: SampleRing.Reader
    private let rows: PlanarBuffer
    static let chunk = 4096

    init(_ file: AudioFileWriter, _ reader: SampleRing.Reader, through rows: PlanarBuffer) {
      (self.file, self.reader, self.rows) = (file, reader, rows)
      summary = Mutex(Summary(path: file.path))
    }

    func step(isToEnd: Bool) -> FileThread.Step {
      // A write that failed is not tried again: sound behind a gap would pass for what follows.
      if summary.withLock({ $0.failure != nil }) { return isToEnd ? finish() : .later }
      let count = unsafe reader.read(into: rows.rows, at: 0, most: Self.chunk)
      guard count > 0 else { return isToEnd ? finish() : .later }
      taken.wrappingAdd(count, ordering: .releasing)
      do throws(AudioFileError) {
        unsafe try file.write(rows.rows, frames: count)
        return count == Self.chunk || isToEnd ? .again : .later
      } catch {
        summary.withLock { $0.failure = error }
        return .later
      }
    }

    /// The rest of a file of which a part was not taken: codecs hold some frames back.
    private var framesInPlace: Int {
      guard let kept = try? AudioFileReader(path: file.path) else { return 0 }
      var frames = 0
      while let count = unsafe try? kept.read(into: rows.rows, frames: Self.chunk), count > 0 {
        frames += count
      }
      return frames
    }

    private func finish() -> FileThread.Step {
      do throws(AudioFileError) {
        try file.finish()
      } catch {
        summary.withLock { $0.failure = $0.failure ?? error }
      }
      let isWhole = summary.withLock {
        ($0.isKept, $0.frames) = (file.isInPlace, file.isInPlace ? file.framesWritten : 0)
        ($0.clippedSamples, $0.nonFiniteSamples) = (file.clippedSamples, file.nonFiniteSamples)
        return $0.failure == nil
      }
      guard file.isInPlace && !isWhole else { return .done }
      // Reading what is there takes its time, in which others ask how it stands.
      let frames = framesInPlace
      summary.withLock { $0.frames = frames }
      return .done
    }
  }
}
