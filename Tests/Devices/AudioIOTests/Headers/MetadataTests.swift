// SPDX-License-Identifier: Apache-2.0

import AudioIO
import TestEquipment
import Testing

@Suite("Audio files: texts")
struct MetadataTests {
  private func sample() -> AudioFileMetadata {
    var metadata = AudioFileMetadata()
    metadata[.title] = "Étude № 1"
    metadata[.artist] = "Legato"
    metadata[.copyright] = "nobody"
    metadata[.comment] = "made for a test"
    metadata[.date] = "2024"
    metadata[.album] = "Tests"
    metadata[.genre] = "Noise"
    metadata[.track] = "7"
    metadata[.software] = "a program"
    return metadata
  }

  /// The fields that each type keeps.
  private func kept(_ type: AudioFileType) -> Set<AudioFileMetadata.Field> {
    switch type {
    case .wav, .rf64, .flac, .ogg, .caf:
      [.title, .artist, .copyright, .comment, .date, .album, .genre, .track, .software]
    case .aiff: [.title, .artist, .copyright, .comment, .software]
    case .raw: []
    }
  }

  @Test("texts survive a copy", arguments: AudioFileType.allCases)
  func copy(_ type: AudioFileType) throws {
    let folder = try TemporaryFolder()
    let sound = Sound.waves(channels: 2, frames: 100)
    let ending = type.extensions[0]
    var options = AudioFileWriter.Options()
    options.metadata = sample()
    options.expectedFrames = 100
    let first = try AudioFileWriter(
      path: folder("a." + ending), channels: 2, sampleRate: 48000, options: options)
    try sound.write(to: first)
    try first.finish()

    let input = try AudioFileReader(path: folder("a." + ending)).description
    let second = try AudioFileWriter(path: folder("b." + ending), channels: 2, sampleRate: 48000, like: input)
    try sound.write(to: second)
    try second.finish()
    let output = try AudioFileReader(path: folder("b." + ending)).description
    for field in AudioFileMetadata.Field.allCases where kept(type).contains(field) {
      if field == .software {
        // libsndfile adds its own name.
        #expect(input.metadata[field]?.hasPrefix("a program") == true)
      } else {
        #expect(input.metadata[field] == sample()[field], "\(field)")
      }
      #expect(output.metadata[field] == input.metadata[field], "\(field)")
    }
    #expect(try Sound.read(folder("b." + ending)).frames == 100)
  }

  @Test("no texts in, none out")
  func none() throws {
    let folder = try TemporaryFolder()
    try Sound.waves(channels: 1, frames: 10).write(folder("a.wav"))
    #expect(try AudioFileReader(path: folder("a.wav")).description.metadata.isEmpty)
  }
}
