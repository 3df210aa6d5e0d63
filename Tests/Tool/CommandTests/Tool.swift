// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import TestEquipment
import Testing
import VirtualCards

/// The command as users run it: the program beside the tests, in a folder of its own, which is deleted afterwards.
final class Tool {
  /// The folder in which the program runs.
  let folder: String
  private let owned: TemporaryFolder

  init() throws {
    owned = try TemporaryFolder()
    folder = owned.path
  }

  func path(_ name: String) -> String { folder + "/" + name }

  /// The names in the folder, hidden files too.
  var names: [String] { get throws { try owned.names } }

  func makeFolder(_ name: String) throws { try owned.makeFolder(name) }

  /// The files below a folder, hidden ones too; none where there is no folder.
  func files(in name: String) throws -> [String] {
    let found = FileManager.default.enumerator(atPath: path(name))?.compactMap { $0 as? String } ?? []
    return found.filter { file in
      var isFolder: ObjCBool = false
      _ = unsafe FileManager.default.fileExists(atPath: path(name) + "/" + file, isDirectory: &isFolder)
      return !isFolder.boolValue
    }.sorted()
  }

  func size(_ name: String) -> Int {
    (try? FileManager.default.attributesOfItem(atPath: path(name))[.size] as? Int) ?? 0
  }

  /// The files of a report that `--report` wrote.
  func report(_ name: String) throws -> [[String: Any]] {
    let whole = try JSONSerialization.jsonObject(with: bytes(name)) as? [String: Any]
    return whole?["files"] as? [[String: Any]] ?? []
  }

  /// Whether a report's run was interrupted; nil where it does not say.
  func isInterrupted(_ name: String) throws -> Bool? {
    (try JSONSerialization.jsonObject(with: bytes(name)) as? [String: Any])?["interrupted"] as? Bool
  }

  /// Waits for something that a run does. What never comes ends the test as failed.
  func waitUntil(_ what: String, _ condition: () throws -> Bool) throws {
    let deadline = Date(timeIntervalSinceNow: 120)
    while try !condition() {
      guard Date() < deadline else { throw NothingCame(what: what) }
      usleep(2000)
    }
  }

  /// Waits until a run has said something.
  func wait(for message: String, from running: RunningProgram) throws {
    try waitUntil("'\(message)'") { try running.said.contains(message) }
  }

  /// Waits until a card has played so many more frames.
  func wait(frames: Int, on card: VirtualCard) throws {
    func played() throws -> Int { try card.played.samples.first?.count ?? 0 }
    let before = try played()
    try waitUntil("\(frames) more frames at the card") { try played() >= before + frames }
  }

  struct NothingCame: Error {
    let what: String
  }

  /// Puts a pipe into the place of a file.
  func makePipe(_ name: String) throws {
    try #require(unsafe mkfifo(path(name), 0o600) == 0)
  }

  func bytes(_ name: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: path(name))) }

  func make(_ name: String, _ text: String) throws { try owned.make(name, text) }
  func make(_ name: String, _ bytes: [UInt8]) throws { try owned.make(name, bytes) }

  /// Runs the program to its end.
  func run(_ arguments: String..., environment: [String: String] = [:]) throws -> ProgramRun {
    try run(arguments, environment: environment)
  }

  func run(_ arguments: [String], environment: [String: String] = [:]) throws -> ProgramRun {
    let running = try start(arguments, environment: environment)
    return try running.finish()
  }

  func start(_ arguments: [String], environment: [String: String] = [:]) throws -> RunningProgram {
    try RunningProgram(
      Self.program, arguments, in: folder, environment: Self.environment.merging(environment) { $1 })
  }

  /// A shell's line, in which `$LEGATO` is the program.
  func shell(_ line: String) throws -> ProgramRun {
    try RunningProgram("/bin/sh", ["-c", line], in: folder, environment: Self.environment).finish()
  }

  /// Whether strace is there, and may look at programs.
  static let canTrace = (try? Tool().shell("strace -o trace true").code) == 0

  static let program = RunningProgram.built("legato")

  /// Code is kept only where a test names a folder, and never in the home of whoever tests.
  static let environment = ["LEGATO": program, "LEGATO_CACHE": ""].merging(noModels) { $1 }
  /// Models are found in the checkout only, whatever the machine has.
  private static let noModels = [
    "LEGATO_MODELS": "", "XDG_DATA_HOME": "/nonexistent", "XDG_DATA_DIRS": "/nonexistent",
  ]

  /// The folder of the package.
  static let package = PackageFiles.folder.path
  static let bitcrusher = package + "/models/bitcrusher.json"
  static let sound = package + "/models/audio/pluck-and-drums.wav"
}
