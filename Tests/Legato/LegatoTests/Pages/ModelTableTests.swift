// SPDX-License-Identifier: Apache-2.0

import Foundation
import GraphIR
import Legato
import TestEquipment
import Testing

/// The article on models says of those that are shipped what stands in their files.
///
/// `LEGATO_RECORD=1 swift test --filter ModelTableTests` writes the table afresh.
@Suite struct ModelTableTests {
  private static let head = "| model | what it does | parameters | channels | late by | presets |"

  static func model(_ file: String) throws -> Model {
    try Model(contentsOf: PackageFiles.models.appending(path: file).path())
  }

  @Test func theArticleListsThem() throws {
    let path = PackageFiles.folder.appending(path: "Sources/Legato/Legato.docc/ShippedModels.md")
    var lines = try String(contentsOf: path, encoding: .utf8).components(separatedBy: "\n")
    let start = try #require(lines.firstIndex(of: Self.head))
    let end = lines[start...].firstIndex { !$0.hasPrefix("|") } ?? lines.endIndex
    let table = try [Self.head, "|---|---|---|---|---|---|"] + PackageFiles.shippedModels.map(Self.row)
    if GoldenFile.isRecording {
      lines.replaceSubrange(start..<end, with: table)
      try lines.joined(separator: "\n").write(to: path, atomically: true, encoding: .utf8)
    } else {
      #expect(Array(lines[start..<end]) == table)
    }
  }

  @Test(arguments: PackageFiles.shippedModels) func eachSaysWhatItIs(file: String) throws {
    let model = try Self.model(file)
    #expect(!model.summary.isEmpty && model.presets.count >= 2)
    for parameter in model.parameters {
      #expect(parameter.summary.hasSuffix("."), "\(parameter.name)")
      // What counts nothing is a share, a factor or a shape.
      #expect(!parameter.unit.isEmpty || parameter.range.upperBound <= 100, "\(parameter.name)")
    }
  }

  private static func row(_ file: String) throws -> String {
    let model = try model(file)
    let late = try model.compilation(extents: Dictionary(uniqueKeysWithValues: model.symbols.map { ($0, 1) }))
      .layout.latency
    let cells = [
      "`\(file.dropLast(".json".count))`", model.summary, parameters(of: model), channels(of: model),
      late == 0 ? "–" : "\(late) frames", model.presets.map(\.name).joined(separator: ", "),
    ]
    return "| " + cells.joined(separator: " | ") + " |"
  }

  /// `time 10 to 2000 ms`; what has one range and one unit is said together.
  private static func parameters(of model: Model) -> String {
    var groups: [(range: String, names: [String])] = []
    for parameter in model.parameters {
      let unit = parameter.unit.isEmpty ? "" : " \(parameter.unit)"
      let (least, most) = (written(parameter.range.lowerBound), written(parameter.range.upperBound))
      let range = "\(least) to \(most)\(unit)"
      if let same = groups.firstIndex(where: { $0.range == range }) {
        groups[same].names.append(parameter.name)
      } else {
        groups.append((range, [parameter.name]))
      }
    }
    return groups.map { "\($0.names.joined(separator: ", ")) \($0.range)" }.joined(separator: "; ")
  }

  private static func channels(of model: Model) -> String {
    if model.inputs.isEmpty { return "no input" }
    return Set(
      model.inputs.map { input in
        input.shape.dropLast().map { extent in
          switch extent {
          case .number(let number): "\(number)"
          case .symbol: "any"
          }
        }.first ?? "1"
      }
    ).sorted().joined(separator: ", ")
  }
}
