// SPDX-License-Identifier: Apache-2.0

internal import CSndFile

/// The description of a file's sound.
package struct AudioFileDescription: Sendable {
  package let path: String
  /// Frames in the file; nil where only its end will tell, as in a pipe.
  package let frames: Int?
  package let channels: Int
  /// Frames per second.
  package let sampleRate: Int
  package let sampleFormat: SampleFormat
  /// The file's type; nil where it is one that is only read.
  package let type: AudioFileType?
  /// The type as libsndfile names it.
  package let typeName: String
  package let metadata: AudioFileMetadata
  /// The parts of its header that are copied as they are.
  let extras: FileExtras
  /// The speakers that its channels are meant for; nil where it does not say.
  let speakers: SpeakerLayout?
  /// The file itself, whatever path leads to it.
  let identity: FileIdentity

  init(raw format: RawFormat, path: String, status: FileStatus) {
    self.path = path
    frames = nil
    channels = format.channels
    sampleRate = format.sampleRate
    sampleFormat = .float
    type = nil
    typeName = "raw"
    metadata = AudioFileMetadata()
    (extras, speakers) = (FileExtras(), nil)
    identity = status.identity
  }

  init(of sound: OpenedSound, path: String, status: FileStatus) throws(AudioFileError) {
    let file = sound.file
    let info = file.info
    guard info.channels > 0, info.samplerate > 0, info.frames >= 0 else {
      throw AudioFileError(path, .damaged("\(info.channels) channels at \(info.samplerate) Hz"))
    }
    self.path = path
    channels = Int(info.channels)
    sampleRate = Int(info.samplerate)
    sampleFormat = SampleFormat(format: info.format)
    frames = sound.isEndless ? nil : sound.announcedFrames ?? Int(info.frames)
    let found = AudioFileType(format: info.format)
    type = sound.wave?.isLong == false && found == .rf64 ? .wav : found
    typeName = file.typeName
    metadata = AudioFileMetadata(of: file)
    (extras, speakers) = (sound.extras, sound.speakers)
    identity = status.identity
  }
}
