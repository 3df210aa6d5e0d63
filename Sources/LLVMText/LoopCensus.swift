// SPDX-License-Identifier: Apache-2.0

/// Reads the text of a module again and counts its loops and calls, independently of who wrote them.
///
/// A back edge is a branch to a label that stands above it. Each must be the branch of a counted loop: an index that
/// begins at a number, grows by a fixed step, and is compared with a limit:
///
///     %next = add i64 %i, 16
///     %more = icmp ult i64 %next, %limit
///     br i1 %more, label %loop.1, label %loop.1.done
///
/// The one loop over the tiles of a block grows by the tile's own length, which is at least 1. Calls must be direct,
/// and no function may come back to itself. Together: code that ends.
package struct LoopCensus: Sendable {
  package private(set) var countedLoops = 0
  package private(set) var tileLoops = 0
  package private(set) var directCalls = 0
  /// What is not of this form, one sentence each.
  package private(set) var violations: [String] = []

  private var function = ""
  private var labels: Set<String> = []
  private var definitions: [String: String] = [:]
  private var calls: [String: Set<String>] = [:]

  package init(_ text: String) {
    for line in text.split(separator: "\n") { read(String(line)) }
    for name in calls.keys.sorted() where reaches(name, from: name) {
      violations.append("@\(name) can come back to itself")
    }
  }

  private mutating func read(_ line: String) {
    if line.hasPrefix("define ") {
      function = Self.symbol(in: line) ?? ""
      (labels, definitions) = ([], [:])
    } else if line.hasSuffix(":"), !line.hasPrefix(" ") {
      labels.insert(String(line.dropLast()))
    } else if line.hasPrefix("  ") {
      let words = line.split(separator: " ").map(String.init)
      if words.count > 2, words[1] == "=" { definitions[words[0]] = words[2...].joined(separator: " ") }
      if words.contains("call") { readCall(line) }
      if words.contains("invoke") || words.contains("indirectbr") || words.contains("switch") {
        violations.append("@\(function) branches in a way that is not counted: \(line)")
      }
      if words[0] == "br" { readBranch(words, line) }
    }
  }

  private mutating func readCall(_ line: String) {
    guard !line.contains(" asm "), let callee = Self.symbol(in: line) else {
      violations.append("@\(function) makes an indirect call: \(line)")
      return
    }
    guard !callee.hasPrefix("llvm.") else { return }
    directCalls += 1
    calls[function, default: []].insert(callee)
  }

  private mutating func readBranch(_ words: [String], _ line: String) {
    let targets = words.filter { $0.hasPrefix("%") && words[0] == "br" }.map {
      String($0.dropFirst().prefix { $0 != "," })
    }
    for target in targets where labels.contains(target) {
      guard words[1] == "i1", target == targets.dropFirst().first, let step = step(of: targets[0]) else {
        violations.append("@\(function) has a back edge that is not counted: \(line)")
        continue
      }
      if Int(step).map({ $0 > 0 }) == true {
        countedLoops += 1
      } else if target.hasPrefix("tile.") {
        tileLoops += 1
      } else {
        violations.append("@\(function) has a loop that grows by \(step): \(line)")
      }
    }
  }

  /// What the index grows by before a comparison of the form `icmp ult i64 %next, limit`.
  private func step(of condition: String) -> String? {
    guard let comparison = definitions["%" + condition], comparison.hasPrefix("icmp ult i64 ") else {
      return nil
    }
    let next = String(comparison.dropFirst("icmp ult i64 ".count).prefix { $0 != "," })
    guard let addition = definitions[next], addition.hasPrefix("add i64 ") else { return nil }
    return addition.split(separator: " ").last.map(String.init)
  }

  private func reaches(_ goal: String, from start: String) -> Bool {
    var seen: Set<String> = []
    var open = Array(calls[start] ?? [])
    while let name = open.popLast() {
      if name == goal { return true }
      if seen.insert(name).inserted { open += calls[name] ?? [] }
    }
    return false
  }

  private static func symbol(in line: String) -> String? {
    guard let at = line.firstIndex(of: "@") else { return nil }
    return String(line[line.index(after: at)...].prefix { $0 != "(" })
  }
}
