// SPDX-License-Identifier: Apache-2.0

import CommandLineInterface
import Foundation
import TestEquipment
import Testing

@testable import LegatoTool

/// The README and the articles say of the command what it understands.
@Suite("Command: pages", .waits)
struct PageTests {
  let tool: Tool

  init() throws { tool = try Tool() }

  /// The words behind `legato` in each example, up to a pipe.
  static let examples: [(page: String, words: [String])] = Page.all.flatMap { page in
    page.indentedLines.flatMap { line in
      line.components(separatedBy: "legato ").dropFirst().map { rest in
        (page.name, rest.prefix { $0 != "|" && $0 != "'" }.split(separator: " ").map(String.init))
      }
    }
  }

  @Test("examples name commands, their options, and models that there are")
  func examples() {
    let subcommands = Dictionary(uniqueKeysWithValues: Subcommand.all.map { ($0.name, $0) })
    var count = 0
    for (page, words) in Self.examples {
      guard let name = words.first, let subcommand = subcommands[name] else { continue }
      count += 1
      let known = (subcommand.options + Subcommand.commonOptions).flatMap { option in
        ["--" + option.name] + (option.letter.map { ["-\($0)"] } ?? [])
      }
      for word in words.dropFirst() {
        if word.hasPrefix("-"), word.count > 1 {
          #expect(known.contains(word), "\(page): legato \(words.joined(separator: " "))")
        } else if word.hasPrefix("models/") {
          let path = PackageFiles.folder.appending(path: word).path()
          #expect(FileManager.default.fileExists(atPath: path), "\(page): \(word)")
        }
      }
    }
    #expect(count > 20)
  }

  @Test("the help's examples set parameters that their models have")
  func settingsOfHelp() throws {
    var count = 0
    for line in Subcommand.all.flatMap({ $0.example.split(separator: "\n") }) {
      let words = line.split(separator: " ").map(String.init)
      guard let model = words.first(where: { $0.hasSuffix(".json") }), words.contains("--set") else {
        continue
      }
      count += 1
      let file = PackageFiles.folder.appending(path: "models").appending(
        path: model.split(separator: "/").last.map(String.init) ?? model)
      let settings = zip(words, words.dropFirst()).filter { $0.0 == "--set" }.flatMap { ["--set", $0.1] }
      let run = try tool.run(["inspect", file.path()] + settings)
      #expect(run.code == 0, "\(line): \(run.messages)")
    }
    #expect(count > 2)
  }

  /// `LEGATO_RECORD=1 swift test --filter PageTests` writes the article afresh.
  @Test("the article of functions is what ops prints")
  func functions() throws {
    let page = try Page("Sources/Legato/Legato.docc/Functions.md")
    let printed = try tool.run("ops", "--markdown").output
    if GoldenFile.isRecording {
      try printed.write(to: page.url, atomically: true, encoding: .utf8)
    } else {
      #expect(page.text == printed)
    }
  }

  @Test("the README leads to files that there are")
  func links() throws {
    let parts = try Page("README.md").text.components(separatedBy: "](").dropFirst()
    let paths = parts.map { String($0.prefix { $0 != ")" }) }
    #expect(paths.count > 10)
    for path in paths {
      #expect(
        FileManager.default.fileExists(atPath: PackageFiles.folder.appending(path: path).path()), "\(path)")
    }
  }
}
