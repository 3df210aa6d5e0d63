// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestEquipment
import Testing

/// Walks the folder of malformed models: `name.json` is refused with exactly the lines of `name.expected`.
///
/// `LEGATO_RECORD=1 swift test --filter MalformedModelTests` writes the expected files afresh; read the difference
/// before you commit it.
@Suite struct MalformedModelTests {
  static let names =
    (try? FileManager.default.contentsOfDirectory(atPath: malformedModels.path()))
    .map { $0.filter { $0.hasSuffix(".json") }.sorted() } ?? []

  @Test func theFolderIsFound() { #expect(Self.names.count >= 20) }

  @Test(arguments: names)
  func isRefusedWithTheExpectedMessages(name: String) throws {
    let model = malformedModels.appending(path: name)
    let expected = model.deletingPathExtension().appendingPathExtension("expected")
    let found = messages(about: [UInt8](try Data(contentsOf: model)), file: name)
    #expect(!found.isEmpty, "\(name) is accepted")
    let text = found.map { $0 + "\n" }.joined()
    if GoldenFile.isRecording {
      try text.write(to: expected, atomically: true, encoding: .utf8)
    } else {
      #expect(text == (try String(contentsOf: expected, encoding: .utf8)))
    }
  }
}
