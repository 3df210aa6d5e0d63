// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestEquipment
import Testing

@testable import AudioIO

@Suite("Audio files: whether they are whole")
struct WholeFileTests {
  @Test("also what stands behind the sound is to be there", arguments: ["wav", "rf64", "aiff"])
  func cut(_ type: String) throws {
    let folder = try TemporaryFolder()
    let path = folder("a.\(type)")
    try Sound.waves(channels: 1, frames: 500).write(path, .int16)
    let written = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
    #expect(ContainerSize.bytes(written) == written.count)
    // A chunk that nobody knows, of 6 bytes, and the size that counts it in.
    var longer =
      written + Array("JUNK".utf8) + (type == "aiff" ? [0, 0, 0, 6] : [6, 0, 0, 0]) + Array("behind".utf8)
    let size = (0..<4).map { UInt8(truncatingIfNeeded: (longer.count - 8) >> ($0 * 8)) }
    longer.replaceSubrange(
      type == "rf64" && written.starts(with: Array("RF64".utf8)) ? 20..<24 : 4..<8,
      with: type == "aiff" ? size.reversed() : size)
    for (count, isWhole) in [(longer.count, true), (longer.count - 1, false), (longer.count - 6, false)] {
      try Data(longer.prefix(count)).write(to: URL(fileURLWithPath: path))
      #expect((AudioFileReader.wholeFrames(path: path) == 500) == isWhole, "\(count)")
    }
  }

  @Test("what says no size, or one that nobody knew, is left to other checks")
  func unknown() {
    #expect(ContainerSize.bytes(Array("RIFF".utf8) + [255, 255, 255, 255] + Array("WAVE".utf8)) == nil)
    #expect(ContainerSize.bytes(Array("fLaC".utf8) + [0, 0, 0, 34]) == nil)
    #expect(ContainerSize.bytes(Array("RIF".utf8)) == nil)
    #expect(ContainerSize.bytes(Array("RIFF".utf8) + [36, 0]) == nil)
    let beyond = [UInt8](repeating: 255, count: 8)
    #expect(ContainerSize.bytes(Array("RF64".utf8) + [UInt8](repeating: 255, count: 16) + beyond) == nil)
  }
}
