// SPDX-License-Identifier: Apache-2.0

import GraphIR
import Testing

@Suite struct SuggestionTests {
  @Test(arguments: [
    ("saturatd", ["src", "saturated", "dst"], "saturated"),
    ("samplerate", ["sampleRate"], "sampleRate"),
    ("X", ["y", "x"], "x"),
    ("minimun", ["default", "minimum", "maximum"], "minimum"),
    ("defualt", ["default", "maximum"], "default"),
    ("gian", ["grain", "gain"], "gain"),
    ("gains", ["gain", "grains"], "gain"),
    ("tahn", ["tan", "tanh"], "tanh"),
    ("größse", ["größe"], "größe"),
  ])
  func aNearNameIsFound(name: String, among: [String], expected: String) {
    #expect(nearestName(to: name, among: among) == expected)
  }

  @Test(arguments: [
    ("x", ["y", "z"]), ("drive", ["tone", "level"]), ("", ["a"]), ("abc", []), ("abcde", [""]),
    ("saturated", ["sat", "saturatedAndQuantized"]),
  ])
  func aFarNameIsNot(name: String, among: [String]) {
    #expect(nearestName(to: name, among: among) == nil)
  }

  @Test func longNamesAreNotCompared() {
    let long = String(repeating: "a", count: 65)
    #expect(nearestName(to: long, among: [long]) == nil)
    #expect(nearestName(to: String(long.dropLast()), among: [String(long.dropLast(2))]) != nil)
  }
}
