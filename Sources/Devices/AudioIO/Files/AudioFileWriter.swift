// SPDX-License-Identifier: Apache-2.0

internal import CSndFile

/// Writes planar floats to an audio file, which appears in its place when it is whole.
///
/// Memory does not depend on the file's length. A writer that is let go before `finish` leaves nothing behind.
/// One thread at a time uses a writer.
package final class AudioFileWriter {
  package struct Options: Sendable {
    /// The file's type; nil: by the path's extension.
    package var type: AudioFileType?
    /// How samples are stored; nil: as in the input, or as floats where there is none.
    package var sampleFormat: SampleFormat?
    /// The texts beside the sound; nil: the input's.
    package var metadata: AudioFileMetadata?
    /// Whether the channels are the input's, in their order, if there are as many: then they are for the same speakers.
    package var keepsChannels = true
    package var dither = Dither.triangular(seed: 0)
    /// Whether a file that stands in the place is replaced. The input itself always is.
    package var replaceExisting = false
    /// The expected length of the file, if known. A WAV file of unknown length can grow beyond 4 GiB.
    package var expectedFrames: Int?
    /// Whether the file is on the disk when it is in its place: a power cut takes it away as a whole, or not at all.
    package var syncs = false
    /// Whether what was written before a write failed can still be finished: part of a recording is better than none.
    package var keepsWhatFitted = false

    package init() {}
  }

  /// Throws where no writer could be made for the path: what would be in the way of the file, whatever its sound.
  ///
  /// - Parameters:
  ///   - channels: what will be written; nil where that is not known yet.
  ///   - input: the file that is read, which may be replaced.
  package static func check(
    path: String, channels: Int? = nil, like input: AudioFileDescription?, options: Options
  ) throws(AudioFileError) {
    let place = try OutputPlace(path: path, replaceExisting: options.replaceExisting, input: input)
    let type = try FileLayout.type(path: path, place: place, options: options)
    if let channels { try FileLayout.check(channels, path: path, type) }
  }

  package let path: String
  package let type: AudioFileType
  package let sampleFormat: SampleFormat
  package let channels: Int
  package let sampleRate: Int
  /// The lines for the user: that the type cannot hold what was asked for.
  package let notices: [String]

  package private(set) var framesWritten = 0
  /// Whether the file stands where it was to.
  package private(set) var isInPlace = false

  private let output: OutputFile
  private let file: SoundFile
  private let encoder: SampleEncoder
  private let maximumFrames: Int?
  private let keepsWhatFitted: Bool
  private var state = State.open

  private enum State {
    case open
    /// Whole, or abandoned by its owner.
    case finished
    case failed(AudioFileError)
  }

  /// Opens the output beside its place.
  ///
  /// - Parameters:
  ///   - path: where the file will stand. A link is followed, a device or a pipe is written directly.
  ///   - input: the file that is read, whose sample format and texts are taken over.
  ///   - pending: where an unfinished file is noted, for an interrupted run.
  package init(
    path: String, channels: Int, sampleRate: Int, like input: AudioFileDescription? = nil,
    options: Options = Options(), pending: PendingFiles? = nil
  ) throws(AudioFileError) {
    precondition(channels > 0 && sampleRate > 0, "a file has channels and a sample rate")
    let place = try OutputPlace(
      path: path, replaceExisting: options.replaceExisting, input: input)
    let layout = try FileLayout(
      path: path, place: place, channels: channels, sampleRate: sampleRate, like: input, options: options)
    let output = try OutputFile(
      path: path, place: place, hasHeader: layout.type != .raw, pending: pending, syncs: options.syncs,
      // Bytes that are gathered when the disk is full would be missing between what was written and what follows.
      gathers: !options.keepsWhatFitted, headerChange: layout.headerChange)
    do throws(SoundFile.Refusal) {
      file = try unsafe SoundFile(
        writing: layout.info, through: OutputFile.functions, target: output.target)
    } catch {
      if output.failure != 0 { throw AudioFileError(path, output.problem) }
      throw AudioFileError(path, .cannotHold(layout.refusal(error)))
    }
    let unkept = layout.configure(file, path: path)
    (options.metadata ?? input?.metadata)?.set(in: file)
    output.discardTail()

    self.path = path
    self.channels = channels
    self.sampleRate = sampleRate
    self.output = output
    keepsWhatFitted = options.keepsWhatFitted
    type = layout.type
    sampleFormat = layout.sampleFormat
    notices = layout.notices + unkept
    maximumFrames = layout.maximumFrames
    encoder = SampleEncoder(channels: channels, format: layout.sampleFormat, dither: options.dither)
  }

  deinit {
    abandon()
  }

  /// Samples beyond ±1 that a format of integers could not hold.
  package var clippedSamples: Int { encoder.clippedSamples }

  /// Samples that were NaN or infinite, and became silence.
  package var nonFiniteSamples: Int { encoder.nonFiniteSamples }

  /// The largest magnitude of all finite samples, before they are rounded and clipped; full scale is 1.
  package var peak: Float { encoder.peak }

  /// Appends `frames` frames of the rows, one row a channel; the rows are only read.
  ///
  /// Where this throws, the file is abandoned, and what comes after throws the same.
  package func write(
    _ rows: UnsafeBufferPointer<UnsafeMutablePointer<Float>>, frames: Int
  ) throws(AudioFileError) {
    precondition(rows.count == channels, "a row for each channel")
    try checkOpen()
    if let maximumFrames, framesWritten + frames > maximumFrames {
      throw fail(AudioFileError(path, .cannotHold(FileLayout.tooLong(type))))
    }
    var done = 0
    while done < frames {
      let count = min(frames - done, encoder.capacity)
      let written = unsafe encoder.write(rows, from: done, count: count, to: file)
      output.releaseHeader()
      guard written == count, output.failure == 0 else { throw fail(reason(file.failure)) }
      // Pages of Ogg are of use as a whole only.
      if type == .ogg { output.markWhole() }
      done += count
    }
    framesWritten += frames
  }

  /// The line of a stream that, once it was written, has outgrown what its header could ever say; nil of all others.
  package var lastNotice: String? {
    let bytes = framesWritten.multipliedReportingOverflow(by: channels * (sampleFormat.bytes ?? 0))
    guard output.isStream, let most = type.maximumDataBytes, bytes.overflow || bytes.partialValue > most
    else {
      return nil
    }
    return
      "\(path): longer than the 4 GiB that \(type.name) can say; Legato reads it whole, other programs may not: "
      + "write FLAC, or to a file"
  }

  /// Whether it is a device or a pipe, written directly.
  package var isStream: Bool { output.isStream }

  /// Completes the file and puts it into its place.
  ///
  /// Where this throws, nothing stays, unless what fitted is to be kept: then `isInPlace` says whether it was.
  package func finish() throws(AudioFileError) {
    var failed: AudioFileError?
    if keepsWhatFitted, case .failed(let error) = state {
      failed = error
      guard output.discardFailure() else { throw abandon(error) }
    } else {
      try checkOpen()
    }
    // Without a frame no header would be written to a FLAC file.
    if framesWritten == 0, type == .flac { file.writeHeader() }
    let failure = file.close()
    if output.failure != 0 || failure != nil {
      failed = failed ?? reason(failure)
      guard keepsWhatFitted, output.discardFailure() else { throw abandon(reason(failure)) }
    }
    do throws(AudioFileError) {
      try output.commit()
      state = .finished
      isInPlace = true
    } catch {
      throw abandon(error)
    }
    if let failed { throw failed }
  }

  /// Removes what was written; does nothing after `finish`.
  package func abandon() {
    if case .open = state { state = .finished }
    file.close()
    output.abandon()
  }

  private func checkOpen() throws(AudioFileError) {
    switch state {
    case .open: return
    case .failed(let error): throw error
    case .finished: preconditionFailure("the audio file is finished or abandoned")
    }
  }

  private func fail(_ error: AudioFileError) -> AudioFileError {
    guard keepsWhatFitted else { return abandon(error) }
    state = .failed(error)
    return error
  }

  private func abandon(_ error: AudioFileError) -> AudioFileError {
    state = .failed(error)
    abandon()
    return error
  }

  private func reason(_ what: String?) -> AudioFileError {
    if output.failure != 0 { return AudioFileError(path, output.problem) }
    return AudioFileError(path, .system("cannot be written: \(what ?? "unknown error")"))
  }
}
