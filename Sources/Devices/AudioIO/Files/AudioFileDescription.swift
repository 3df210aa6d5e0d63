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
    identity = status.identity
  }

  init(of file: SoundFile, path: String, status: FileStatus) throws(AudioFileError) {
    let info = file.info
    guard info.channels > 0, info.samplerate > 0, info.frames >= 0 else {
      throw AudioFileError(path, .damaged("\(info.channels) channels at \(info.samplerate) Hz"))
    }
    self.path = path
    channels = Int(info.channels)
    sampleRate = Int(info.samplerate)
    sampleFormat = SampleFormat(format: info.format)
    let isOpen =
      !status.isFile
      && AnnouncedSize.isOpen(frames: Int(info.frames), sampleFormat, channels: Int(info.channels))
    frames = info.frames == Int.max || isOpen ? nil : Int(info.frames)
    type = AudioFileType(format: info.format)
    typeName = file.typeName
    metadata = AudioFileMetadata(of: file)
    identity = status.identity
  }
}
