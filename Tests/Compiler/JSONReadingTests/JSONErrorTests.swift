// SPDX-License-Identifier: Apache-2.0

import JSONReading
import Testing

@Suite struct JSONErrorTests {
  @Test(arguments: [
    ("", "1:1: the file is empty; expected a value"),
    ("  // nothing\n", "2:1: the file is empty; expected a value"),
    ("{} {}", "1:4: expected the end of the file after the value, found '{'"),
    ("{\"a\" 1}", "1:6: expected ':' after the key 'a', found '1'"),
    ("{\"a\": 1 \"b\": 2}", "1:9: expected ',' or '}' after the value, found '\"'"),
    ("{\"a\": 1]", "1:8: expected ',' or '}' after the value, found ']'"),
    ("[1 2]", "1:4: expected ',' or ']' after the value, found '2'"),
    ("[true}", "1:6: expected ',' or ']' after the value, found '}'"),
    ("[1,,2]", "1:4: expected a value, found ','; there is one ',' too many"),
    ("[,]", "1:2: expected a value, found ','"),
    ("{,}", "1:2: expected a key, found ','; there is one ',' too many"),
    ("{\"a\":}", "1:6: expected a value, found '}'"),
    ("{1: 2}", "1:2: expected a key or '}', found '1'"),
    ("{a: 2}", "1:2: the key 'a' needs double quotes"),
    ("{'a': 2}", "1:2: a key is written in double quotes, not in single ones"),
    ("\n {", "2:3: expected a key or '}', but the file ends inside the object that begins at 2:2"),
    ("{\"a\"", "1:5: expected ':' after the key 'a', but the file ends inside the object that begins at 1:1"),
    ("{\"a\":", "1:6: expected a value, but the file ends here"),
    ("[", "1:2: expected a value or ']', but the file ends inside the array that begins at 1:1"),
    ("[1", "1:3: expected ',' or ']' after the value, but the file ends inside the array that begins at 1:1"),
    ("[1,", "1:4: expected a value or ']', but the file ends inside the array that begins at 1:1"),
  ])
  func structure(text: String, message: String) {
    #expect(syntaxError(text) == message)
  }

  @Test(arguments: [
    ("[yes]", "1:2: unknown word 'yes'; a string is written in double quotes"),
    ("True", "1:1: unknown word 'True'; did you mean 'true'?"),
    ("None", "1:1: unknown word 'None'; did you mean 'null'?"),
    ("FALSE", "1:1: unknown word 'FALSE'; did you mean 'false'?"),
    ("nullify", "1:1: unknown word 'nullify'; a string is written in double quotes"),
    ("'a'", "1:1: a string is written in double quotes, not in single ones"),
    ("# hello", "1:1: a comment begins with '//', not with '#'"),
    ("@", "1:1: expected a value, found '@'"),
    ("\u{A0}1", "1:1: expected a value, found U+00A0"),
    ("[ä]", "1:2: expected a value, found 'ä'"),
    ("/ 1", "1:1: expected '//' or '/*', found a single '/'"),
    ("1 /* a\n *", "1:3: the comment is not closed; expected '*/'"),
    ("/*/", "1:1: the comment is not closed; expected '*/'"),
  ])
  func wordsAndComments(text: String, message: String) {
    #expect(syntaxError(text) == message)
  }

  @Test(arguments: [
    ("[\"abc", "1:2: the string is not closed; expected '\"' before the file ends"),
    ("[\"abc\\", "1:2: the string is not closed; expected '\"' before the file ends"),
    ("[\"a\\n", "1:2: the string is not closed; expected '\"' before the file ends"),
    (
      "[\"abc\n\"]",
      "1:2: the string does not end on its line; close it with '\"', or write a line break as '\\n'"
    ),
    (
      "\"a\\\\\r\n\"",
      "1:1: the string does not end on its line; close it with '\"', or write a line break as '\\n'"
    ),
    ("\"ä\t\"", "1:3: the control character U+0009 stands in a string; write it as '\\u0009'"),
    ("\"\\n\u{1F}\"", "1:4: the control character U+001F stands in a string; write it as '\\u001F'"),
    (#""a\x""#, "1:3: unknown escape; a backslash itself is written '\\\\'"),
    (#""\u12G4""#, "1:2: '\\u' needs four hexadecimal digits"),
    (#""\u12"#, "1:2: '\\u' needs four hexadecimal digits"),
    (
      #""ab\uD800""#, "1:4: '\\uD800' is half of a surrogate pair; write both halves, or the character itself"
    ),
    (
      #""\uD834\u0041""#,
      "1:2: '\\uD834' is half of a surrogate pair; write both halves, or the character itself"
    ),
    (
      #""\uDD1E\uD834""#,
      "1:2: '\\uDD1E' is half of a surrogate pair; write both halves, or the character itself"
    ),
  ])
  func strings(text: String, message: String) {
    #expect(syntaxError(text) == message)
  }

  /// Each ill-formed sequence stands after two characters, in a string, a string with an escape, and a comment.
  @Test(
    arguments: [
      [0x80], [0xBF], [0xC0, 0x80], [0xC1, 0xBF], [0xC3], [0xC3, 0x28], [0xE0, 0x9F, 0xBF], [0xE2, 0x82],
      [0xE2, 0x28, 0x80], [0xED, 0xA0, 0x80], [0xF0, 0x8F, 0xBF, 0xBF], [0xF0, 0x9D, 0x84],
      [0xF0, 0x9D, 0x28, 0x80],
      [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFF],
    ] as [[UInt8]])
  func illFormedUTF8(sequence: [UInt8]) {
    let lead = String(sequence[0], radix: 16, uppercase: true)
    let message = "the byte 0x\(lead) does not belong here in UTF-8; save the file as UTF-8"
    #expect(syntaxError(Array("\"a".utf8) + sequence + Array("\"".utf8)) == "1:3: \(message)")
    #expect(syntaxError(Array("\"\\n".utf8) + sequence + Array("\"".utf8)) == "1:4: \(message)")
    #expect(syntaxError(Array("//".utf8) + sequence + Array("\n1".utf8)) == "1:3: \(message)")
    #expect(syntaxError(Array("/*".utf8) + sequence + Array("*/1".utf8)) == "1:3: \(message)")
    #expect(syntaxError(Array("[ ".utf8) + sequence) == "1:3: \(message)")
  }

  @Test func whatDoesNotPrintNeverReachesAMessage() {
    #expect(
      syntaxError("{\"a\\u001b[2J\u{202E}\" 1}").hasSuffix("after the key 'aU+001B[2JU+202E', found '1'"))
    let long = String(repeating: "k", count: 1000)
    #expect(syntaxError("{\"\(long)\" 1}").contains("'\(String(repeating: "k", count: 64))…'"))
  }
}
