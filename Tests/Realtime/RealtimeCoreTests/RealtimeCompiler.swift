// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestEquipment
import Testing

/// The Swift compiler with its checks for real time, on copies of RealtimeCore's sources.
///
/// It makes debug code, whatever these tests are: of optimised code the compiler does not look at callees without an
/// annotation.
final class RealtimeCompiler {
  /// Name and text of each file of RealtimeCore; a file that cannot be read is an error, and so is none at all.
  static func sources() throws -> [String: String] {
    let folder = PackageFiles.folder.appending(path: "Sources/Realtime/RealtimeCore")
    let all = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
    let files = (all?.compactMap { $0 as? URL } ?? []).filter { $0.pathExtension == "swift" }
    try #require(!files.isEmpty, "\(folder.path) is empty")
    return Dictionary(
      uniqueKeysWithValues: try files.map {
        ($0.lastPathComponent, try String(contentsOf: $0, encoding: .utf8))
      })
  }

  /// The header through which RealtimeCore calls C, and the one that it includes.
  static let shim = PackageFiles.folder.appending(path: "Sources/Realtime/CRealtime/include/CRealtime.h")
  static let ramps = PackageFiles.folder.appending(path: "Sources/Realtime/CRealtime/include/LegatoRamps.h")

  private let folder = FileManager.default.temporaryDirectory.appending(path: "legato-\(UUID().uuidString)")

  init() throws {
    let headers = folder.appending(path: "CRealtime")
    try FileManager.default.createDirectory(at: headers, withIntermediateDirectories: true)
    try "module CRealtime { header \"\(Self.shim.path)\" export * }".write(
      to: headers.appending(path: "module.modulemap"), atomically: true, encoding: .utf8)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// The compiler's complaints about files that make one module. A later module may import it.
  func errors(module: String, files: [String: String]) throws -> [Complaint] {
    let place = folder.appending(path: module)
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    for (name, text) in files {
      try text.write(to: place.appending(path: name), atomically: true, encoding: .utf8)
    }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.currentDirectoryURL = place
    process.arguments =
      [
        "swiftc", "-Onone", "-wmo", "-parse-as-library", "-swift-version", "6", "-package-name", "legato",
        "-module-name", module, "-emit-module-path", "../\(module).swiftmodule", "-emit-sil", "-o",
        // A file, as the compiler removes the one it was told when it fails.
        "../\(module).sil",
        "-I", "..", "-I", "../CRealtime",
      ] + files.keys.sorted()
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    let complaints = output.split(separator: "\n").compactMap { Complaint($0) }
    guard (process.terminationStatus == 0) == complaints.isEmpty else { throw Failure(output: output) }
    return complaints
  }

  /// An error with its place.
  struct Complaint: Hashable, CustomStringConvertible {
    let file: String
    let line: Int
    let message: String

    /// Reads `file:line:column: error: message`.
    init?(_ text: Substring) {
      let parts = text.split(separator: ":", maxSplits: 4).map { $0.trimmingCharacters(in: .whitespaces) }
      guard parts.count == 5, parts[3] == "error", let line = Int(parts[1]) else { return nil }
      (file, self.line, message) = (parts[0], line, parts[4])
    }

    var description: String { "\(file):\(line): \(message)" }
  }

  /// The compiler ended with an error that has no place.
  struct Failure: Error { let output: String }
}
