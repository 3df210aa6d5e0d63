// SPDX-License-Identifier: Apache-2.0

import Foundation
import ModelFiles
import TensorFiles
import TestEquipment
import Testing

@testable import Legato

/// Files beside a model, between the moment in which they are found and that in which they are opened.
@Suite struct FolderChangesTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    for name in ["rig/sub", "outside"] { try folder.makeFolder(name) }
    for name in ["rig/sub/a", "outside/a"] { try folder.make(name, name) }
  }

  private func bytes() throws -> (found: ModelFile, read: () throws -> String, count: () throws -> Int) {
    let file = try ModelFolder.find("sub/a", usedBy: folder("rig/m.json")).get()
    return (
      file, { String(decoding: try #require(ModelFolder.read(file, most: 100).get().given), as: UTF8.self) },
      { try ModelFolder.open(file).get().count }
    )
  }

  @Test func whatWasFoundIsOpened() throws {
    let (file, read, count) = try bytes()
    #expect(file.file == folder("rig/sub/a"))
    #expect(try read() == "rig/sub/a" && count() == 9)
  }

  /// A folder on the way, or the file itself.
  @Test(arguments: [("rig/sub", "../outside"), ("rig/sub/a", "../../outside/a")])
  func aLinkThatCameMeanwhileIsNotFollowed(name: String, target: String) throws {
    let (_, read, count) = try bytes()
    #expect(unsafe rename(folder(name), folder("former")) == 0 && symlink(target, folder(name)) == 0)
    #expect(throws: ModelFile.Refusal.self) { _ = try read() }
    #expect(throws: ModelFile.Refusal.self) { _ = try count() }
  }
}
