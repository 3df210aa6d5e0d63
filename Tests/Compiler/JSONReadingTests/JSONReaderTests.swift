// SPDX-License-Identifier: Apache-2.0

import GraphIR
import JSONReading
import Testing

@Suite struct JSONReaderTests {
  @Test(arguments: [
    ("null", "null@1:1"),
    (" true ", "true@1:2"),
    ("false", "false@1:1"),
    ("\"\"", "\"\"@1:1"),
    ("[]", "[]@1:1"),
    ("{}", "{}@1:1"),
    ("[1, 2,\n 3]", "[1.0@1:2 2.0@1:5 3.0@2:2]@1:1"),
    ("[1, \"a\", 2]", "[1.0@1:2 \"a\"@1:5 2.0@1:10]@1:1"),
    ("[[1], [], [2, 3]]", "[[1.0@1:3]@1:2 []@1:7 [2.0@1:12 3.0@1:15]@1:11]@1:1"),
    ("{\"b\": 1, \"a\": {\"c\": null}}", "{b@1:2=1.0@1:7 a@1:10={c@1:16=null@1:21}@1:15}@1:1"),
  ])
  func valuesHaveTheirPlacesAndOrder(text: String, expected: String) throws {
    #expect(try outline(text) == expected)
  }

  @Test(arguments: [
    ("// one\n[1, // two\n2, /* three\n */ 3,]", "[1.0@2:2 2.0@3:1 3.0@4:5]@2:1"),
    ("{\"a\": 1,} // end", "{a@1:2=1.0@1:7}@1:1"),
    ("[\"a\",]", "[\"a\"@1:2]@1:1"),
    ("/**/ /***/ [/* [ */ true /* , */]", "[true@1:21]@1:12"),
    ("[1, /* ä𝄞 */ 2]", "[1.0@1:2 2.0@1:14]@1:1"),
  ])
  func commentsAndTrailingCommasAreWelcome(text: String, expected: String) throws {
    #expect(try outline(text) == expected)
  }

  @Test(arguments: [
    ("[1,\n2,\n\n 3]", "[1.0@1:2 2.0@2:1 3.0@4:2]@1:1"),
    ("[1,\r\n2,\r\n\r\n 3]", "[1.0@1:2 2.0@2:1 3.0@4:2]@1:1"),
    ("[1,\r2,\r\r 3]", "[1.0@1:2 2.0@2:1 3.0@4:2]@1:1"),
    ("// a\r\n/* b\r\n */ 3", "3.0@3:5"),
    ("\t\ttrue", "true@1:3"),
    ("\u{FEFF}true", "true@1:1"),
    ("\u{FEFF}\n true", "true@2:2"),
    ("[\"äöü\", \"𝄞\", 1]", "[\"äöü\"@1:2 \"𝄞\"@1:9 1.0@1:14]@1:1"),
  ])
  func linesAndColumnsCountCharacters(text: String, expected: String) throws {
    #expect(try outline(text) == expected)
  }

  @Test(arguments: [
    (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"),
    (#""\u0041\u00e9\u20AC\uD834\uDD1E\udbff\udfff""#, "Aé€𝄞\u{10FFFF}"),
    (#""\u0000ä\uFFFF""#, "\u{0}ä\u{FFFF}"),
    ("\"plain äöü 𝄞 \u{7F}\"", "plain äöü 𝄞 \u{7F}"),
  ])
  func stringsAreUnescaped(text: String, expected: String) throws {
    let root = try JSONDocument(Array(text.utf8)).root
    guard case .string(let string) = root.content else {
      Issue.record("not a string")
      return
    }
    #expect(Array(string.text.unicodeScalars) == Array(expected.unicodeScalars))
  }

  @Test(arguments: [
    ("\"tanh(x)\"", [2, 3, 4, 5, 6, 7, 8, 9, 9]),
    ("\"ä𝄞+\"", [2, 3, 4, 5, 5]),
    (#""a\n\u0020+\uD834\uDD1E+""#, [2, 3, 5, 11, 12, 24, 25, 25]),
    ("\"\"", [2, 2]),
  ])
  func charactersOfAStringHaveTheirPlaces(text: String, columns: [Int]) throws {
    let root = try JSONDocument(Array("\n\(text)".utf8)).root
    guard case .string(let string) = root.content else {
      Issue.record("not a string")
      return
    }
    #expect(
      columns.indices.map { string.place(atCharacter: $0) } == columns.map { Place(line: 2, column: $0) })
  }

  @Test func aKeyThatStandsTwiceKeepsItsFirstValue() throws {
    let document = try JSONDocument(Array("{\"a\": 1, \"b\": {\"c\": 2, \"c\": 3},\n\"a\": 4}".utf8))
    #expect(outline(document.root, in: document) == "{a@1:2=1.0@1:7 b@1:10={c@1:16=2.0@1:21}@1:15}@1:1")
    #expect(
      document.duplicates.map(\.message) == [
        "the key 'c' stands twice; it stands first at 1:16",
        "the key 'a' stands twice; it stands first at 1:2",
      ])
    #expect(document.duplicates.map(\.place) == [Place(line: 1, column: 24), Place(line: 2, column: 1)])
  }

  @Test func duplicatesAreFoundInLargeObjects() throws {
    let keys = (0..<20).map { "\"k\($0)\": 0" } + ["\"k3\": 1", "\"k19\": 1", "\"k3\": 2"]
    let document = try JSONDocument(Array("{\(keys.joined(separator: ",\n"))}".utf8))
    #expect(document.duplicates.map(\.place.line) == [21, 22, 23])
    #expect(document.duplicates[2].message == "the key 'k3' stands twice; it stands first at 4:1")
  }
}
