// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import InterfaceWriting

@Suite struct SwiftNameTests {
  @Test(arguments: [
    ("walking", "walking"), ("getting up", "gettingUp"), ("Getting-Up", "gettingUp"), ("RGB", "rgb"),
    ("3 wheels", "_3Wheels"), ("3", "_3"), ("lstm.h", "lstmH"), ("größe", "größe"), ("日本 語", "日本語"),
    ("a_b", "aB"), ("class", "`class`"), ("default", "`default`"), ("self", "self_"), ("Type", "type_"),
    ("init", "init_"), ("", "label"), ("!?", "label"), ("\u{1B}[2J", "_2J"), ("it's \"x\"", "itSX"),
  ])
  func textsBecomeNames(text: String, name: String) {
    #expect(SwiftName(text, or: "label").written == name)
  }

  @Test func noTwoNamesAreEqual() {
    var scope = NameScope(["all"])
    let names = ["a-b", "a b", "A_B", "aB2", "x3", "x 3", "X3", "all", "", "?"].map {
      scope.name($0, or: "label").plain
    }
    #expect(names == ["aB", "aB2", "aB3", "aB2_2", "x3", "x3_2", "x3_3", "all2", "label", "label2"])
    #expect(Set(names).count == names.count)
  }

  @Test func textsAreLiteralsThatEndWhereTheyShould() {
    #expect(SwiftText.literal("a \"b\" \\(c)\n\u{2028}é") == #""a \"b\" \\(c)\u{a}\u{2028}é""#)
    #expect(SwiftText.sentence("one\ntwo  three") == "one two three.")
    #expect(SwiftText.sentence("Done!") == "Done!" && SwiftText.sentence("").isEmpty)
  }
}
