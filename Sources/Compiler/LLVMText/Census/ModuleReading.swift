// SPDX-License-Identifier: Apache-2.0

/// The text of a module, read again and independently of who wrote it.
///
///     define void @f(i64 %n) {          a function and its parameters
///     loop.1:                           a label, and the line it stands in
///       %x = and i64 %n, -16            a definition
///       call void @g(i64 %x)            a call
///       br i1 %c, label %a, label %b    a branch
///     }
///
/// It knows as much of the language as a census needs; what it does not understand a census must not rely on. It goes
/// over bytes: all that it looks for is ASCII.
package struct ModuleReading {
  private(set) var functions: [Function] = []
  /// Lines that put assembly beside the functions.
  private(set) var assembly: [String] = []

  struct Function {
    let name: String
    /// The names of its parameters, such as `%n`.
    let parameters: [String]
    /// The line in which each block begins.
    fileprivate(set) var labels: [String: Int] = [:]
    fileprivate(set) var calls: [Call] = []
    fileprivate(set) var branches: [Branch] = []
    /// Lines that go on in a way that is neither a branch nor a return.
    fileprivate(set) var otherJumps: [String] = []
    fileprivate var definitions: [String: (text: String, label: String, line: Int)] = [:]
  }

  struct Call {
    /// The name of what is called; nil where it is not written in the line.
    let callee: String?
    let isAssembly: Bool
    /// The names or numbers that are handed over.
    let arguments: [String]
    let text: String
  }

  struct Branch {
    /// The name of what decides; nil where nothing has to be decided.
    let condition: String?
    let targets: [String]
    let line: Int
    let text: String
  }

  /// An instruction that gives a result a name.
  struct Definition {
    /// The operation with its type, such as `icmp ult i64`.
    let operation: String
    let operands: [String]
    /// The block in which it stands.
    let label: String
    let line: Int
  }

  package init(_ text: String) {
    var label = ""
    for (number, line) in text.parts(between: "\n").enumerated() {
      if line.hasPrefix("  "), !functions.isEmpty {
        functions[functions.count - 1].read(line.drop { $0 == " " }, at: label, line: number)
      } else if line.hasPrefix("define ") {
        functions.append(Function(heading: line))
        label = ""
      } else if line.hasPrefix("module asm") {
        assembly.append(String(line))
      } else if line.hasSuffix(":"), !line.hasPrefix(" "), !functions.isEmpty {
        label = String(line.dropLast())
        functions[functions.count - 1].labels[label] = number
      }
    }
  }
}

extension ModuleReading.Function {
  fileprivate init(heading: Substring) {
    let call = ModuleReading.Call(heading)
    name = call.callee ?? ""
    parameters = call.arguments
  }

  fileprivate mutating func read(_ instruction: Substring, at label: String, line: Int) {
    var rest = instruction
    let words = instruction.parts(between: " ", maxSplits: 2)
    if words.count == 3, words[0].hasPrefix("%"), words[1] == "=" {
      rest = words[2]
      definitions[String(words[0])] = (String(rest), label, line)
    }
    switch rest.parts(between: " ", maxSplits: 1).first {
    case "br":
      let parts = rest.split { $0 == " " || $0 == "," }.map(String.init)
      let targets = zip(parts, parts.dropFirst()).filter { $0.0 == "label" }.map { String($0.1.dropFirst()) }
      branches.append(
        .init(
          condition: parts.count > 2 && parts[1] == "i1" ? parts[2] : nil, targets: targets, line: line,
          text: String(instruction)))
    case "call", "tail", "musttail", "notail":
      calls.append(.init(rest))
    case "invoke", "callbr", "indirectbr", "switch", "resume", "catchswitch", "catchret", "cleanupret":
      otherJumps.append(String(instruction))
    case _: break
    }
  }

  /// An instruction by the name of its result.
  func definition(_ name: String) -> ModuleReading.Definition? {
    guard let (text, label, line) = definitions[name] else { return nil }
    func definition(_ operation: String, _ operands: [String]) -> ModuleReading.Definition {
      .init(operation: operation, operands: operands, label: label, line: line)
    }
    if text.hasPrefix("phi ") {
      // phi i64 [ 0, %entry ], [ %next, %loop.1.next ]
      let values = text.parts(between: "[").dropFirst().compactMap { $0.parts(between: ",").first }
      return definition("phi i64", values.map { $0.trimmed })
    }
    if text.hasPrefix("call "), let open = text.firstIndex(of: "(") {
      return definition(String(text[..<open]), ModuleReading.Call(text[...]).arguments)
    }
    // zext i32 %a to i64
    if text.hasPrefix("zext i32 ") { return definition("zext i32", [String(text.parts(between: " ")[2])]) }
    // add i64 %a, 16
    let halves = text.parts(between: ",", maxSplits: 1)
    guard var words = halves.first?.parts(between: " ").map(String.init), let first = words.popLast() else {
      return nil
    }
    return definition(words.joined(separator: " "), [first] + halves.dropFirst().map { $0.trimmed })
  }
}

extension ModuleReading.Call {
  /// Reads `call i64 @f(i64 %a, i64 %b)`, or a function's heading.
  fileprivate init(_ line: Substring) {
    text = String(line)
    isAssembly = line.contains(" asm ")
    let open = line.firstIndex(of: "(") ?? line.endIndex
    let name = line[..<open].parts(between: " ").last ?? ""
    callee = !isAssembly && name.hasPrefix("@") ? String(name.dropFirst()) : nil
    let inside = line[open...].dropFirst().prefix { $0 != ")" }
    arguments = inside.parts(between: ",").map { String($0.parts(between: " ").last ?? "") }
  }

  /// Whether an instruction stands behind the name, rather than a function.
  var isIntrinsic: Bool { callee?.hasPrefix("llvm.") == true }
}

extension StringProtocol where SubSequence == Substring {
  /// The parts between separators, without the empty ones.
  fileprivate func parts(between separator: Unicode.Scalar, maxSplits: Int = .max) -> [Substring] {
    self[...].utf8.split(separator: UInt8(ascii: separator), maxSplits: maxSplits).map { Substring($0) }
  }
}

extension Substring {
  fileprivate var trimmed: String {
    String(drop { $0 == " " }.reversed().drop { $0 == " " || $0 == "]" }.reversed())
  }
}
