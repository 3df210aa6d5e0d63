// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestEquipment
import Testing

@testable import AudioIO

@Suite("Audio files: temporary files without a name")
struct ScratchFileTests {
  private func scratch(in folder: TemporaryFolder) throws -> ScratchFile {
    ScratchFile(taking: ScratchFile.makeAndUnlink(in: folder.path), in: folder.path)
  }

  @Test("what was written comes back, and the folder stays empty")
  func bytes() throws {
    let folder = try TemporaryFolder()
    for file in [try scratch(in: folder), try #require(ScratchFile())] {
      let bytes = (0..<5000).map { UInt8(truncatingIfNeeded: $0) }
      #expect(unsafe bytes.withUnsafeBytes { unsafe file.write($0, at: 7) })
      #expect(try file.read(5000, at: 7) == bytes)
      #expect(try file.readAll(10, at: 4997) == bytes[4990...].map(\.self))
      #expect(try file.read(100, at: 5000).count == 7 && file.read(100, at: 6000).isEmpty)
      #expect(throws: AudioFileError.self) { try file.readAll(8, at: 5000) }
      #expect(try folder.names == [])
    }
  }

  @Test("a file without a name is not handed on to other programs")
  func closed() throws {
    let folder = try TemporaryFolder()
    let descriptor = ScratchFile.makeAndUnlink(in: folder.path)
    defer { close(descriptor) }
    #expect(fcntl(descriptor, F_GETFD) == FD_CLOEXEC)
    #expect(ScratchFile.makeAndUnlink(in: folder.path + "/missing") < 0)
  }
}
