// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// A page for readers: the README, or an article of a library's catalogue.
package struct Page: Sendable {
  /// A block between fences, such as a program.
  package struct Block: Sendable {
    /// The language behind the first fence, such as `swift`.
    package let language: String
    package let text: String
    /// The block behind it, where nothing else stands between.
    package let next: (language: String, text: String)?
  }

  package let url: URL
  package let text: String

  package var name: String { url.lastPathComponent }

  package init(_ path: String) throws {
    url = PackageFiles.folder.appending(path: path)
    text = try String(contentsOf: url, encoding: .utf8)
  }

  /// The README and all articles, in order.
  package static let all: [Page] = {
    let files = FileManager.default.enumerator(atPath: PackageFiles.folder.appending(path: "Sources").path())
    let articles = (files?.compactMap { $0 as? String } ?? [])
      .filter { $0.contains(".docc/") && $0.hasSuffix(".md") }.sorted()
    return (["README.md"] + articles.map { "Sources/\($0)" }).compactMap { try? Page($0) }
  }()

  /// The blocks between fences, in order.
  package var blocks: [Block] {
    // Every second part stands between fences.
    let parts = text.components(separatedBy: "```")
    let inside = stride(from: 1, to: parts.count - 1, by: 2).map { index in
      let end = parts[index].firstIndex(of: "\n") ?? parts[index].endIndex
      return (
        language: String(parts[index][..<end]), text: String(parts[index][end...].dropFirst()),
        isNext: parts[index + 1].allSatisfy(\.isNewline)
      )
    }
    return inside.indices.map { index in
      let block = inside[index]
      let next = block.isNext && index + 1 < inside.count ? inside[index + 1] : nil
      return Block(
        language: block.language, text: block.text, next: next.map { ($0.language, $0.text) })
    }
  }

  /// The lines of indented blocks, without their indentation.
  package var indentedLines: [String] {
    text.split(separator: "\n").filter { $0.hasPrefix("    ") }.map { String($0.dropFirst(4)) }
  }
}
