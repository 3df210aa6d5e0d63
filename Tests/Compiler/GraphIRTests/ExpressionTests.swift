// SPDX-License-Identifier: Apache-2.0

import GraphIR
import RealtimeWatch
import TestEquipment
import Testing

@Suite struct ExpressionTests {
  /// An expression with all its brackets, so that one sees what binds what.
  private func structure(_ text: String) throws -> String {
    let terms = try Expression(parsing: text).terms
    var written: [String] = []
    for term in terms {
      let text =
        switch term.kind {
        case .number(let number): "\(number)"
        case .name(let name): name
        case .string(let text): "\"\(text)\""
        case .list(let rows): "[" + rows.map { written[$0] }.joined(separator: " ") + "]"
        case .negation(let row): "-\(written[row])"
        case .binary(let op, let left, let right): "(\(written[left]) \(op.rawValue) \(written[right]))"
        case .call(let name, let arguments):
          "\(name)("
            + arguments.map { ($0.label.map { "\($0):" } ?? "") + written[$0.term] }.joined(separator: " ")
            + ")"
        }
      written.append(text)
    }
    return try #require(written.last)
  }

  private static let structures: [(String, String?)] = [
    ("1", "1.0"), (" a ", "a"), (".5", "0.5"), ("1.", "1.0"), ("1e3", "1000.0"), ("2E-1", "0.2"), ("1e", nil),
    ("a + b * c - d", "((a + (b * c)) - d)"),
    ("a * b + c / d % e", "((a * b) + ((c / d) % e))"),
    ("a - b - c", "((a - b) - c)"),
    ("a + b < c * d", "((a + b) < (c * d))"),
    ("(a < b) == (c >= d)", "((a < b) == (c >= d))"),
    ("a != b", "(a != b)"), ("a <= -b", "(a <= -b)"),
    ("-a * b", "(-a * b)"), ("a * -b", "(a * -b)"), ("--a", "--a"), ("-(a + b) * -c", "(-(a + b) * -c)"),
    ("a - -b - c", "((a - -b) - c)"), ("a * (b + c)", "(a * (b + c))"), ("((a))", "a"),
    ("-f(-a, b + 1) * 2", "(-f(-a (b + 1.0)) * 2.0)"),
    ("f()", "f()"), ("[]", "[]"), ("[a, [b, -1]]", "[a [b -1.0]]"), ("f(a)(b)", nil),
    ("f(x, axis: 1 + 1, w: \"conv 1\", 'b')", "f(x axis:(1.0 + 1.0) w:\"conv 1\" \"b\")"),
    ("größe * ñ_1", "(größe * ñ_1)"), ("名前", "名前"), ("a\u{301}", nil), ("a٣", nil), ("_a", nil),
    ("a\t+\nb\u{A0}+ c", "((a + b) + c)"),
    ("a < b < c", nil), ("a < b + c == d", nil), ("a == (b == c)", "(a == (b == c))"),
    ("a b", nil), ("a,", nil), ("(a, b)", nil), ("[a b]", nil), ("f(a", nil), ("f(a]", nil), ("[a)", nil),
    ("(a]", nil), ("()", nil), ("f(,)", nil), ("[a,]", nil), ("+a", nil), ("a +", nil), ("a: b", nil),
    ("(a: b)", nil), ("[a: b]", nil), ("f(a: b: c)", nil), ("f(1: a)", nil), ("a = b", nil), ("!a", nil),
    ("\"a", nil), ("2a", nil), ("1_000", nil), ("1..2", nil), ("1e39", nil), (")", nil), ("-", nil),
  ]

  @Test(arguments: structures)
  func operatorsBindAsWritten(text: String, expected: String?) throws {
    if let expected {
      #expect(try structure(text) == expected)
    } else {
      #expect(throws: ExpressionError.self) { try Expression(parsing: text) }
    }
  }

  @Test func offsetsCountScalars() throws {
    let expression = try Expression(parsing: "ä + \"e\u{301}😀\" * f(größe: c, d)")
    let offsets = expression.terms.map(\.offset)
    #expect(offsets == [0, 4, 21, 24, 12, 10, 2])
    guard case .call(_, let arguments) = expression.terms[4].kind else { throw Wrong() }
    #expect(arguments.map(\.offset) == [14, 24])
    let error = #expect(throws: ExpressionError.self) { try Expression(parsing: "\"e\u{301}😀\" +$") }
    #expect(error?.offset == 7)
    #expect(error?.message == "'$' has no meaning here")
  }

  private struct Wrong: Error {}

  @Test func aBracketIsLeftWithEverythingInIt() throws {
    let depth = 256
    let inner = String(repeating: "(1 + 2 * -", count: depth) + "x" + String(repeating: ")", count: depth)
    #expect(try Expression(parsing: inner).terms.count == depth * 5 + 1)
    #expect(throws: ExpressionError.self) { try Expression(parsing: "(\(inner))") }
    #expect(try Expression(parsing: "\(inner) + \(inner)").terms.count == 2 * (depth * 5 + 1) + 1)
  }

  @Test(.timeLimit(.minutes(30)), arguments: ["x+", "-", "f(x)*", "größe < 1 == 2 + "])
  func aMegabyteIsRead(part: String) throws {
    let text = String(repeating: part, count: 1_000_000 / part.utf8.count) + "x"
    let count = (try? Expression(parsing: text))?.terms.count ?? 0
    #expect((count > 100_000) != part.contains("<"))
  }

  @Test(arguments: ["x+", "-", "f(x)*", "größe < 1 == 2 + "])
  func twiceAsMuchAsksForTwiceTheMemory(part: String) {
    func bytes(_ parts: Int) -> Int {
      let text = String(repeating: part, count: parts) + "x"
      return HeapUse.bytes { _ = try? Expression(parsing: text) }
    }
    _ = bytes(100)
    #expect(Double(bytes(20_000)) < 2.5 * Double(bytes(10_000)))
  }

  @Test(.enabled(if: InstructionCount.isAvailable), arguments: ["x+", "-", "f(x)*", "größe < 1 == 2 + "])
  func twiceAsMuchTakesTwiceAsLong(part: String) {
    func instructions(_ parts: Int) -> UInt64 {
      let text = String(repeating: part, count: parts) + "x"
      return InstructionCount.count { _ = try? Expression(parsing: text) }
    }
    _ = instructions(100)
    #expect(Double(instructions(20_000)) < 2.5 * Double(instructions(10_000)))
  }
}
