// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import TestEquipment

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

  /// What is in the folder, hidden files too.
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

  /// Waits for something that a run does; gives up after a while, and lets the test see what is missing.
  func waitUntil(_ condition: () throws -> Bool) rethrows {
    let deadline = Date(timeIntervalSinceNow: 20)
    while try !condition(), Date() < deadline { usleep(2000) }
  }

  func bytes(_ name: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: path(name))) }

  func make(_ name: String, _ text: String) throws { try owned.make(name, text) }

  /// Runs the program to its end.
  func run(_ arguments: String..., environment: [String: String] = [:]) throws -> ProgramRun {
    try run(arguments, environment: environment)
  }

  func run(_ arguments: [String], environment: [String: String] = [:]) throws -> ProgramRun {
    let running = try start(arguments, environment: environment)
    return try running.finish()
  }

  func start(_ arguments: [String], environment: [String: String] = [:]) throws -> RunningProgram {
    try RunningProgram(Self.program, arguments, in: folder, environment: environment)
  }

  /// A shell's line, in which `$LEGATO` is the program.
  func shell(_ line: String) throws -> ProgramRun {
    try RunningProgram("/bin/sh", ["-c", line], in: folder, environment: ["LEGATO": Self.program]).finish()
  }

  static let program = RunningProgram.built("legato")

  /// The folder of the package.
  static let package = PackageFiles.folder.path
  static let bitcrusher = package + "/models/bitcrusher.json"
  static let sound = package + "/models/audio/pluck-and-drums.wav"
}
