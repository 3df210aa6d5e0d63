// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A run of the benchmark that stands beside the tests, in a folder of its own, which is deleted afterwards.
struct BenchRun {
  let output: String
  /// What it said of errors, one a line.
  let messages: [Substring]
  let code: Int32

  /// - Parameters:
  ///   - folder: where it runs.
  ///   - environment: what is added to that of the tests.
  init(_ arguments: [String], in folder: URL, environment: [String: String] = [:]) throws {
    let files = (0..<2).map { _ in FileManager.default.temporaryDirectory.appending(path: UUID().uuidString) }
    defer { for file in files { try? FileManager.default.removeItem(at: file) } }
    // Files rather than pipes: nobody has to read while the program runs.
    for file in files { try Data().write(to: file) }
    let process = Process()
    process.executableURL = Self.program
    process.arguments = arguments
    process.currentDirectoryURL = folder
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = try FileHandle(forWritingTo: files[0])
    process.standardError = try FileHandle(forWritingTo: files[1])
    try process.run()
    process.waitUntilExit()
    let texts = try files.map { String(decoding: try Data(contentsOf: $0), as: UTF8.self) }
    output = texts[0]
    messages = texts[1].split(whereSeparator: \.isNewline)
    code = process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
  }

  /// The tests' own program stands in the folder of all that the package builds.
  private static let program: URL = {
    let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    let candidates = [own, CommandLine.arguments[0]] + Bundle.allBundles.map(\.bundlePath)
    let programs = candidates.map {
      URL(filePath: $0).deletingLastPathComponent().appending(path: "legato-bench")
    }
    return programs.first { FileManager.default.isExecutableFile(atPath: $0.path()) }
      ?? URL(filePath: "no program called legato-bench beside the tests")
  }()

  /// The folder of the package.
  static let package = (0..<3).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }
}

/// A folder that is deleted with its owner.
final class TemporaryFolder {
  let url = FileManager.default.temporaryDirectory.appending(path: "legato-bench-tests-\(UUID().uuidString)")

  init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }

  deinit { try? FileManager.default.removeItem(at: url) }

  func write(_ name: String, _ text: String) throws {
    try Data(text.utf8).write(to: url.appending(path: name))
  }

  func text(_ name: String) throws -> String {
    String(decoding: try Data(contentsOf: url.appending(path: name)), as: UTF8.self)
  }
}
