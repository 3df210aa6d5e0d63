// SPDX-License-Identifier: Apache-2.0

import Foundation
import Legato
import LegatoEquipment
import Testing

/// Which files the models of strangers may use: paths are bytes, and stay inside the folder.
@Suite struct ModelFolderTests {
  private static func gain(_ name: String) -> String {
    """
    { "legato": 1, "name": "\(name)", "inputs": { "x": { "shape": ["n", "frames"] } },
      "parameters": { "\(name)": { "default": 1, "minimum": 0, "maximum": 2 } },
      "graph": { "y": "x * \(name)" }, "outputs": ["y"] }
    """
  }

  private static func user(_ paths: String...) -> String {
    let definitions = paths.enumerated().map { "\"v\($0)\": \"model('\($1)', x)\"" }
    return """
      { "legato": 1, "name": "User", "inputs": { "x": { "shape": ["n", "frames"] } },
        "graph": { \(definitions.joined(separator: ", ")) }, "outputs": ["v0"] }
      """
  }

  /// Runs with a folder that has these files.
  private func with(_ files: [(path: String, text: String)], _ body: (String) throws -> Void) throws {
    let folder = NSTemporaryDirectory() + "legato-folder-" + UUID().uuidString
    defer { try? FileManager.default.removeItem(atPath: folder) }
    for (path, text) in files {
      let url = URL(fileURLWithPath: folder + "/" + path)
      try FileManager.default.createDirectory(
        at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: url)
    }
    try body(folder)
  }

  @Test func noNameOfAFolderIsTheCurrentOne() throws {
    try with([("gain.json", Self.gain("level"))]) { folder in
      let outside = String(folder.dropFirst()) + "/gain.json"
      let current = FileManager.default.currentDirectoryPath
      try #require(current != "/", "the root has every file in it")
      let found = reportedProblems { _ = try Model(Self.user(outside), folder: "") }
      #expect(found.count == 1 && found[0].contains("is not there: './"), "\(found)")
      #expect(reportedProblems { _ = try Model(Self.user(outside), folder: "/") } == [])
    }
  }

  /// To strings, the slash and the mark are one character.
  @Test func aMarkBehindASlashHidesNoWayOut() throws {
    let file = "\u{301}x.json"
    try with([(file, Self.gain("level")), ("rig/user.json", Self.user("../" + file))]) { folder in
      let found = reportedProblems { _ = try Model(contentsOf: folder + "/rig/user.json") }
      #expect(found.count == 1 && found[0].contains("lies outside the folder of"), "\(found)")
    }
    // Nor does it hide the folder of a user.
    try with([("rig/" + file, Self.user("gain.json")), ("rig/gain.json", Self.gain("level"))]) { folder in
      let model = try Model(contentsOf: folder + "/rig/" + file)
      #expect(model.parameters.map(\.name) == ["v0.level"])
    }
  }

  @Test func aFolderWhoseNameGoesOnIsAnotherOne() throws {
    try with([("rig/user.json", Self.user("link.json")), ("rig2/gain.json", Self.gain("level"))]) { folder in
      try FileManager.default.createSymbolicLink(
        atPath: folder + "/rig/link.json", withDestinationPath: "../rig2/gain.json")
      let found = reportedProblems { _ = try Model(contentsOf: folder + "/rig/user.json") }
      #expect(found.count == 1 && found[0].contains("is a link that leads out of the folder"), "\(found)")
    }
  }

  /// One character, and two that make it up: the names of two folders.
  @Test func foldersThatLookTheSameAreDifferent() throws {
    let (one, two) = ("caf\u{E9}", "cafe\u{301}")
    let files = [
      ("\(one)/user.json", Self.user("link/gain.json")), ("\(two)/gain.json", Self.gain("two")),
      ("user.json", Self.user("\(one)/gain.json", "\(two)/gain.json")),
      ("\(one)/gain.json", Self.gain("one")),
    ]
    try with(files) { folder in
      try FileManager.default.createSymbolicLink(
        atPath: "\(folder)/\(one)/link", withDestinationPath: "../\(two)")
      let found = reportedProblems { _ = try Model(contentsOf: "\(folder)/\(one)/user.json") }
      #expect(found.count == 1 && found[0].contains("is a link that leads out of the folder"), "\(found)")
      let model = try Model(contentsOf: folder + "/user.json")
      #expect(model.parameters.map(\.name) == ["v0.one", "v1.two"])
    }
  }
}
