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
