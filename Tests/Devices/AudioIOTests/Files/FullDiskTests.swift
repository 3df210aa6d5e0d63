// SPDX-License-Identifier: Apache-2.0

import AudioIO
import Foundation
import TestEquipment
import Testing

@Suite("Audio files: a full disk")
struct FullDiskTests {
  @Test("a device without space says so", arguments: [AudioFileType.wav, .flac, .ogg])
  func device(_ type: AudioFileType) throws {
    var options = AudioFileWriter.Options()
    options.type = type
    for frames in [0, 1, 20000] {
      #expect(throws: AudioFileError("/dev/full", .noSpace), "\(frames) frames") {
        let writer = try AudioFileWriter(path: "/dev/full", channels: 2, sampleRate: 48000, options: options)
        try Sound.waves(channels: 2, frames: frames).write(to: writer)
        try writer.finish()
      }
    }
  }

  /// The limit on the size of files stands for the disk: writing stops in the middle, or only when the file is
  /// closed.
  @Test("in the middle of a file: a clear line, and nothing stays", .endsProcesses)
  func middle() async {
    await #expect(processExitsWith: .success) {
      let sound = Sound.waves(channels: 2, frames: 80_000)
      for kind in Kind.all {
        for limit in [0, 10, 100, 5000] {
          let folder = try TemporaryFolder()
          signal(SIGXFSZ, SIG_IGN)
          var old = rlimit()
          unsafe getrlimit(__rlimit_resource_t(UInt32(RLIMIT_FSIZE.rawValue)), &old)
          var new = old
          new.rlim_cur = rlim_t(limit)
          unsafe setrlimit(__rlimit_resource_t(UInt32(RLIMIT_FSIZE.rawValue)), &new)
          let path = folder("out." + kind.type.extensions[0])
          var caught: AudioFileError?
          do {
            try sound.write(path, kind.format)
          } catch {
            caught = error as? AudioFileError
          }
          unsafe setrlimit(__rlimit_resource_t(UInt32(RLIMIT_FSIZE.rawValue)), &old)
          #expect(
            caught == AudioFileError(path, .system("file too large")),
            "\(kind.testDescription), \(limit) bytes")
          #expect(try folder.names == [], "\(kind.testDescription), \(limit) bytes")
        }
      }
    }
  }

  @Test("a failed write removes the file at once, and every call afterwards says so", .endsProcesses)
  func stays() async {
    await #expect(processExitsWith: .success) {
      let folder = try TemporaryFolder()
      let sound = Sound.waves(channels: 1, frames: 100_000)
      let writer = try AudioFileWriter(path: folder("a.wav"), channels: 1, sampleRate: 48000)
      signal(SIGXFSZ, SIG_IGN)
      var limit = rlimit(rlim_cur: 1000, rlim_max: .max)
      unsafe setrlimit(__rlimit_resource_t(UInt32(RLIMIT_FSIZE.rawValue)), &limit)
      let error = AudioFileError(folder("a.wav"), .system("file too large"))
      #expect(throws: error) { try sound.write(to: writer) }
      #expect(try folder.names == [])
      #expect(throws: error) { try sound.write(to: writer) }
      #expect(throws: error) { try writer.finish() }
    }
  }
}
