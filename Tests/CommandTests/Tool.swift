// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc

/// The command as users run it: the program beside the tests, in a folder of its own, which is deleted afterwards.
final class Tool {
  /// What a run left.
  struct Run {
    var output: String
    var messages: String
    /// The exit code, or the negative number of the signal that ended the run.
    var code: Int32

    /// Messages, one a line.
    var lines: [String] {
      messages.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
    }
  }

  /// The folder in which the program runs.
  let folder: String

  init() throws {
    folder = NSTemporaryDirectory() + "legato-command-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  func path(_ name: String) -> String { folder + "/" + name }

  /// What is in the folder, hidden files too.
  var names: [String] { get throws { try FileManager.default.contentsOfDirectory(atPath: folder).sorted() } }

  func makeFolder(_ name: String) throws {
    try FileManager.default.createDirectory(atPath: path(name), withIntermediateDirectories: true)
  }

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

  func make(_ name: String, _ text: String) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: path(name)))
  }

  /// Runs the program to its end.
  func run(_ arguments: String..., environment: [String: String] = [:]) throws -> Run {
    try run(arguments, environment: environment)
  }

  func run(_ arguments: [String], environment: [String: String] = [:]) throws -> Run {
    let running = try start(arguments, environment: environment)
    return try running.finish()
  }

  func start(_ arguments: [String], environment: [String: String] = [:]) throws -> Running {
    try Running(Self.program, arguments, in: folder, environment)
  }

  /// A shell's line, in which `$LEGATO` is the program.
  func shell(_ line: String) throws -> Run {
    try Running("/bin/sh", ["-c", line], in: folder, ["LEGATO": Self.program]).finish()
  }

  /// A run that goes on.
  final class Running {
    let process = Process()
    private let output = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    private let messages = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)

    init(_ program: String, _ arguments: [String], in folder: String, _ environment: [String: String]) throws
    {
      // Files rather than pipes: nobody has to read while the program runs.
      for file in [output, messages] { try Data().write(to: file) }
      process.executableURL = URL(fileURLWithPath: program)
      process.arguments = arguments
      process.currentDirectoryURL = URL(fileURLWithPath: folder)
      process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
      process.standardInput = FileHandle.nullDevice
      process.standardOutput = try FileHandle(forWritingTo: output)
      process.standardError = try FileHandle(forWritingTo: messages)
      try process.run()
    }

    func finish() throws -> Run {
      process.waitUntilExit()
      defer { for file in [output, messages] { try? FileManager.default.removeItem(at: file) } }
      let status = process.terminationStatus
      return Run(
        output: String(decoding: try Data(contentsOf: output), as: UTF8.self),
        messages: String(decoding: try Data(contentsOf: messages), as: UTF8.self),
        code: process.terminationReason == .exit ? status : -status)
    }
  }

  /// The tests' own program stands in the folder of all that the package builds.
  static let program: String = {
    let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    let candidates = [own, CommandLine.arguments[0]] + Bundle.allBundles.map(\.bundlePath)
    let folders = candidates.map { ($0 as NSString).deletingLastPathComponent }
    return folders.map { $0 + "/legato" }.first(where: FileManager.default.isExecutableFile)
      ?? "no program called legato beside the tests"
  }()

  /// The folder of the package.
  static let package = (0..<3).reduce(URL(fileURLWithPath: #filePath)) { url, _ in
    url.deletingLastPathComponent()
  }.path
  static let bitcrusher = package + "/models/bitcrusher.json"
  static let sound = package + "/models/audio/pluck-and-drums.wav"
}
