// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// The input and the output of a pass in a file: the text before, a line `----`, the text after.
package struct GoldenFile {
  package let before: String
  package let after: String
  private let url: URL

  /// Whether `LEGATO_RECORD=1` asks for what is found to be written into the files, instead of compared.
  package static let isRecording = ProcessInfo.processInfo.environment["LEGATO_RECORD"] == "1"

  package static func names(in folder: URL) -> [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: folder.path))?.sorted() ?? []
  }

  package struct LacksItsLine: Error {
    let name: String
  }

  package init(_ name: String, in folder: URL) throws {
    url = folder.appendingPathComponent(name)
    let parts = try String(contentsOf: url, encoding: .utf8).components(separatedBy: "----\n")
    guard parts.count == 2 else { throw LacksItsLine(name: name) }
    (before, after) = (parts[0], parts[1])
  }

  /// Writes what a pass made behind the line, where that is asked for.
  package func record(_ made: String) throws {
    guard Self.isRecording else { return }
    try (before + "----\n" + made).write(to: url, atomically: true, encoding: .utf8)
  }
}
