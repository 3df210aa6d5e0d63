// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import GraphIR
internal import Legato

extension Subject {
  /// Where the models lie that are shipped, seen from the repository's folder.
  static let folder = "models"

  /// Every model in the folder: with its own channels, or where it leaves them open, mono and stereo.
  ///
  /// - Throws: `BenchError` where one of them is wrong.
  static func shipped(in folder: String = folder) throws -> [Subject] {
    try FileManager.default.contentsOfDirectory(atPath: folder).filter {
      $0.hasSuffix(".json") && !$0.hasSuffix(".schema.json")
    }.sorted().flatMap {
      file in try subjects("\(folder)/\(file)")
    }
  }

  private static func subjects(_ path: String) throws -> [Subject] {
    do {
      let model = try Model(contentsOf: path)
      let name = "model " + URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent
      func graph(_ channels: Int) throws -> Graph {
        let extents = Dictionary(uniqueKeysWithValues: model.symbols.map { ($0, channels) })
        return try model.graph(extents: extents, sampleRate: 48_000)
      }
      guard !model.symbols.isEmpty else { return [Subject(shipped: name, try graph(1))] }
      return [
        Subject(shipped: "\(name) mono", try graph(1)), Subject(shipped: "\(name) stereo", try graph(2)),
      ]
    } catch let error as ModelError {
      throw BenchError("\(error)")
    }
  }
}
