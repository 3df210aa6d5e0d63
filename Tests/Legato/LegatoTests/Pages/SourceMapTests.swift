// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestEquipment
import Testing

/// The table of modules in `Sources/README.md` is what the sources import.
///
/// `LEGATO_RECORD=1 swift test --filter SourceMapTests` writes what they import into its rows.
@Suite(.serialized) struct SourceMapTests {
  /// A row of the table: a link to a module's page, what the module is, and what it imports.
  struct Row {
    let line: String
    let module: String
    let folder: URL
    let imports: Set<String>
    /// Its page, below the package's folder.
    let page: String

    init?(_ line: String) {
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      guard cells.count == 3, let match = cells[0].wholeMatch(of: /\[(\w+)\]\((.+)\/README\.md\)/) else {
        return nil
      }
      self.line = line
      module = String(match.1)
      folder = SourceMapTests.sources.appending(path: String(match.2))
      page = "Sources/\(match.2)/README.md"
      imports = Set(cells[2].matches(of: /`(\w+)`/).map { String($0.1) })
    }
  }

  static let sources = PackageFiles.folder.appending(path: "Sources")
  static let rows = ((try? Page("Sources/README.md"))?.text ?? "")
    .components(separatedBy: "\n").compactMap(Row.init)

  /// The folders that are modules: those on each floor, and the public face.
  static let modules: [String] = {
    let floors = ["Compiler", "Realtime", "Devices", "Host", "Drawing", "Training", "Tool", "Examples"]
    let found = floors.flatMap { floor in
      (try? FileManager.default.contentsOfDirectory(atPath: sources.appending(path: floor).path())) ?? []
    }
    // An example may be models and scripts.
    let isModule = { (name: String) in
      let example = sources.appending(path: "Examples/\(name)")
      return !FileManager.default.fileExists(atPath: example.path())
        || (try? texts(in: example).isEmpty) == false
    }
    return (found.filter(isModule) + ["Legato"]).sorted()
  }()

  /// The text of the Swift files in a folder.
  static func texts(in folder: URL) throws -> [String] {
    let files = FileManager.default.enumerator(atPath: folder.path())?.compactMap { $0 as? String } ?? []
    return try files.filter { $0.hasSuffix(".swift") }.map {
      try String(contentsOf: folder.appending(path: $0), encoding: .utf8)
    }
  }

  /// The modules of the project that a module imports, and Foundation, which an audio thread must not need.
  static func imports(in folder: URL) throws -> Set<String> {
    let known = Set(modules + ["Foundation"])
    let found = try texts(in: folder).flatMap { text in
      text.matches(of: /(?m)^(?:@\w+ )*(?:(?:public|package|internal|private) )?import (\w+)/)
        .map { String($0.1) }
    }
    return known.intersection(found)
  }

  @Test(arguments: rows.map(\.module)) func theTableSaysWhatAModuleImports(module: String) throws {
    let row = try #require(Self.rows.first { $0.module == module })
    let imports = try Self.imports(in: row.folder)
    if GoldenFile.isRecording {
      try record(imports, in: row)
    } else {
      #expect(imports == row.imports)
    }
    #expect(FileManager.default.fileExists(atPath: row.folder.appending(path: "README.md").path()))
  }

  private func record(_ imports: Set<String>, in row: Row) throws {
    let page = try Page("Sources/README.md")
    let cells = row.line.components(separatedBy: " | ").dropLast()
    let list = imports.sorted().map { "`\($0)`" }.joined(separator: ", ")
    let line = (cells + [imports.isEmpty ? "nothing |" : list + " |"]).joined(separator: " | ")
    try page.text.replacing(row.line, with: line).write(to: page.url, atomically: true, encoding: .utf8)
  }

  @Test func everyModuleInSwiftStandsInTheTableBelowWhatItImports() throws {
    let listed = Self.rows.map(\.module)
    #expect(Self.rows.map(\.folder.lastPathComponent) == listed)
    // The names of shims and of the system's libraries begin with a C and another capital.
    let inSwift = Self.modules.filter { $0.prefixMatch(of: /C[A-Z]/) == nil }
    #expect(listed.sorted() == inSwift)
    for (index, row) in Self.rows.enumerated() {
      #expect(row.imports.intersection(inSwift).isSubset(of: listed[..<index]), "\(row.module)")
    }
  }

  /// Files that the map and the modules' pages name, as ends of paths.
  @Test func filesThatPagesNameAreThere() throws {
    let all = ["Sources", "Tests"].flatMap { folder in
      FileManager.default.enumerator(atPath: PackageFiles.folder.appending(path: folder).path())?
        .compactMap { "/\(folder)/\($0)" } ?? []
    }
    var count = 0
    for path in ["Sources/README.md"] + Self.rows.map(\.page) {
      for name in try Page(path).text.matches(of: /`([\w\/+]+\.swift)`/) {
        count += 1
        #expect(all.contains { $0.hasSuffix("/\(name.1)") }, "\(path): \(name.1)")
      }
    }
    #expect(count > 30)
  }

  /// A law that a test names by its number can be looked up.
  @Test func lawsThatTestsNameStandInTheirTable() throws {
    let rows = try Page("Sources/README.md").text.matches(of: /(?m)^\| (\d+) \|/).compactMap { Int($0.1) }
    #expect(rows == Array(1...rows.count))
    let tests = try Self.texts(in: PackageFiles.folder.appending(path: "Tests")).joined(separator: "\n")
    let named = Set(
      tests.matches(of: /\b[Ll]aws? (\d+)(?: and (\d+))?/).flatMap { match in
        [match.1, match.2 ?? match.1].compactMap { Int($0) }
      })
    #expect(named.count > 5 && named.isSubset(of: rows), "\(named.sorted())")
  }

  @Test func onlyLibrariesArePublic() throws {
    let page = try Page("Sources/README.md").text
    let sentence = try #require(page.firstMatch(of: /`public` stands only in the libraries: ([^.;]+)[.;]/))
    let libraries = Set(sentence.1.matches(of: /\w+/).map { String($0.0) }).subtracting(["and"])
    let open = try Self.rows.filter { row in
      try Self.texts(in: row.folder).contains { text in
        text.contains(/(?m)^ *(?:@\w+ )*public (?!import)/) && !text.contains("\n//     legato interface ")
      }
    }
    #expect(Set(open.map(\.module)) == libraries)
  }
}
