// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestEquipment
import Testing

@testable import LegatoFederated

/// A private file is written whole or not at all, whatever earlier runs have left beside it.
@Suite struct PrivateFileTests {
  @Test func behindAnEnd() throws {
    let folder = try TemporaryFolder()
    let path = folder("key.node")
    // The file that a run with this number would have left, killed while it wrote.
    try Data("half".utf8).write(to: URL(fileURLWithPath: "\(path).new-\(getpid())"))
    let whole = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0) }
    for bytes in [[], [1, 2, 3], whole] {
      #expect(PrivateFile.store(bytes, at: path, replaces: true) == nil)
      #expect(try Array(Data(contentsOf: URL(fileURLWithPath: path))) == bytes)
    }
    let files = FileManager.default
    #expect(try files.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
    #expect(PrivateFile.store([4], at: path, replaces: false)?.isEmpty == false)
    #expect(try Array(Data(contentsOf: URL(fileURLWithPath: path))) == whole)
    #expect(PrivateFile.store([4], at: folder("none/key"), replaces: true)?.isEmpty == false)
    #expect(try files.contentsOfDirectory(atPath: folder("")).count == 2)
  }
}
