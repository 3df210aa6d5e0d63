// SPDX-License-Identifier: Apache-2.0

/// Reads the text of a module again and counts its loops and calls, independently of who wrote them.
///
/// A back edge is a branch to a label that stands above it. Each must be the branch of a counted loop: an index that
/// the loop's first block takes over from its last one, that grows, and that is compared with a limit:
///
///     loop.1:
///       %i = phi i64 [ 0, %entry ], [ %next, %loop.1.next ]
///       …
///       %same = call i64 @llvm.expect.i64(i64 %i, i64 %i)
///       %next = add i64 %same, 16
///       %more = icmp ult i64 %next, %limit
///       br i1 %more, label %loop.1, label %loop.1.done
///
/// It grows by a number above 0; the one loop over the tiles of a block grows by a tile's length, which is followed
/// back to values that are above 0. Calls must be direct, and no function may come back to itself. Together: code
/// that ends.
package struct LoopCensus: Sendable {
  package private(set) var countedLoops = 0
  package private(set) var tileLoops = 0
  package private(set) var directCalls = 0
  /// What is not of this form, one sentence each.
  package private(set) var violations: [String] = []

  private var function = ""
  private var labels: Set<String> = []
  private var label = ""
  private var definitions: [String: (text: String, label: String)] = [:]
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
      (label, labels, definitions) = ("", [], [:])
    } else if line.hasSuffix(":"), !line.hasPrefix(" ") {
      label = String(line.dropLast())
      labels.insert(label)
    } else if line.hasPrefix("  ") {
      let words = line.split(separator: " ").map(String.init)
      if words.count > 2, words[1] == "=" {
        definitions[words[0]] = (words[2...].joined(separator: " "), label)
      }
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
      guard words[1] == "i1", target == targets.dropFirst().first,
        let loop = counting(until: targets[0], at: target)
      else {
        violations.append("@\(function) has a back edge that is not counted: \(line)")
        continue
      }
      if Int(loop.step).map({ $0 > 0 }) == true {
        countedLoops += 1
      } else if isPositive(loop.step, index: loop.index) {
        tileLoops += 1
      } else {
        violations.append("@\(function) has a loop that may not grow: \(line)")
      }
    }
  }

  /// The index of the loop at a label and what it grows by, where `condition` compares it with a limit.
  private func counting(until condition: String, at label: String) -> (index: String, step: String)? {
    guard let comparison = definition("%" + condition), comparison.operation == "icmp ult i64",
      let addition = definition(comparison.operands[0]), addition.operation == "add i64",
      let same = definition(addition.operands[0]), same.operation == "call i64 @llvm.expect.i64",
      let start = definition(same.operands[0]), start.operation == "phi i64", start.label == label,
      start.operands.contains(comparison.operands[0])
    else { return nil }
    return (same.operands[0], addition.operands[1])
  }

  /// Whether a length is above 0 wherever the loop with this index goes on.
  private func isPositive(_ name: String, index: String) -> Bool {
    if let number = Int(name) { return number > 0 }
    guard let definition = definition(name) else { return false }
    let operands = definition.operands
    switch definition.operation {
    case "phi i64", "call i64 @llvm.umin.i64":
      return operands.allSatisfy { isPositive($0, index: index) }
    case "add i64":
      return self.definition(operands[0])?.operation == "zext i32" && isPositive(operands[1], index: index)
    case "sub i64":
      // What is left of the block; the loop ends where nothing is.
      if operands == ["%frames", index] { return true }
      // A power of two less what lies behind the last multiple of it.
      guard let whole = Int(operands[0]), let rest = self.definition(operands[1]) else { return false }
      return rest.operation == "and i64" && rest.operands.last == String(whole - 1)
    default:
      return false
    }
  }

  /// An instruction by the name of its result: what it does, to what, and in which block.
  private func definition(_ name: String) -> (operation: String, operands: [String], label: String)? {
    guard let (text, label) = definitions[name] else { return nil }
    if text.hasPrefix("phi ") {
      // phi i64 [ 0, %entry ], [ %next, %loop.1.next ]
      let parts = text.split(separator: "[").dropFirst().compactMap { $0.split(separator: ",").first }
      return ("phi i64", parts.map { $0.trimmed }, label)
    }
    if text.hasPrefix("call "), let open = text.firstIndex(of: "("), text.hasSuffix(")") {
      // call i64 @f(i64 %a, i64 %b)
      let arguments = text[text.index(after: open)...].dropLast().split(separator: ",")
      return (String(text[..<open]), arguments.map { String($0.split(separator: " ").last ?? "") }, label)
    }
    // zext i32 %a to i64
    if text.hasPrefix("zext i32 ") { return ("zext i32", [String(text.split(separator: " ")[2])], label) }
    // add i64 %a, 16
    let halves = text.split(separator: ",", maxSplits: 1)
    var words = halves[0].split(separator: " ").map(String.init)
    let first = words.removeLast()
    return (words.joined(separator: " "), [first] + halves.dropFirst().map { $0.trimmed }, label)
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

extension Substring {
  fileprivate var trimmed: String {
    String(drop { $0 == " " }.reversed().drop { $0 == " " || $0 == "]" }.reversed())
  }
}
