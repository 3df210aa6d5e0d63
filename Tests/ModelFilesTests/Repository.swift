// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Files of the repository that tests read.
enum Repository {
  private static let tests = URL(filePath: #filePath).deletingLastPathComponent()
  private static let root = tests.deletingLastPathComponent().deletingLastPathComponent()

  static let malformedModels = tests.appending(path: "malformed")
  static let models = root.appending(path: "models")

  /// The names of the models that the repository ships.
  static let shippedModels =
    (try? FileManager.default.contentsOfDirectory(atPath: models.path()))
    .map { $0.filter { $0.hasSuffix(".json") && !$0.hasSuffix(".schema.json") }.sorted() } ?? []

  static func bytes(ofModel name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: models.appending(path: name)))
  }
}
