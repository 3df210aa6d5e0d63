// SPDX-License-Identifier: Apache-2.0

import GraphIR
import ModelFiles
import Testing

/// Messages about extents, sample rates and weights that a graph cannot be made with.
@Suite struct ImporterShapeErrorTests {
  private func shapes(_ shapes: String, clock: String = "", extents: [String: Int]) -> [String] {
    let text = "{\"legato\": 1, \(clock) \"outputs\": [\"a\"],\n\"inputs\": {\(shapes)}}"
    do throws(Diagnostics) {
      let document = try ModelDocument.decode(Array(text.utf8), file: "m")
      _ = try Graph(importing: document, extents: extents, sampleRate: 44_100)
      return []
    } catch {
      return error.all.map(\.description)
    }
  }

  @Test(arguments: [
    (
      "[\"channels\", \"frames\"]",
      ["2:28: nothing says how long the axis 'channels' is; give it a number when the model is loaded"]
    ),
    ("[\"rooms\", \"frames\"]", ["2:28: nothing says how long the axis 'rooms' is; did you mean 'room'?"]),
    ("[\"frames\", 2]", ["2:28: 'frames' must be the last axis"]),
    ("[\"frames\", \"frames\"]", ["2:28: 'frames' must be the last axis"]),
    ("[\"pi\", \"frames\"]", ["2:28: 'pi' is no extent; write a whole number or a name"]),
    (
      "[\"none\", \"frames\"]",
      ["2:28: the axis 'none' must have a whole number from 1 to 16777216 as its extent, this is 0"]
    ),
    (
      "[\"many\", \"frames\"]",
      [
        "2:28: the axis 'many' must have a whole number from 1 to 16777216 as its extent, this is 9223372036854775807"
      ]
    ),
    (
      "[65536, 65536, 65536, 65536, 65536, \"frames\"]",
      [
        "2:12: input 'a' would have the shape [65536, 65536, 65536, 65536, 65536, frames]; 268435456 numbers are the most"
      ]
    ),
    ("[1,1,1,1,1,1,1,1,\"frames\"]", ["2:12: input 'a' would have 9 axes; 8 are the most"]),
    (
      "[\"sampleRate\", \"room\", \"frames\"]",
      [
        "1:28: the output 'a' has 132300 rows; 4096 are the most",
        "2:12: the input 'a' has 132300 rows; 4096 are the most",
      ]
    ),
    ("[\"room\", \"room\", \"frames\"]", []),
  ])
  func inputShapes(shape: String, expected: [String]) {
    let found = shapes("\"a\": {\"shape\": \(shape)}", extents: ["room": 3, "none": 0, "many": .max])
    #expect(found == expected.map { "m:\($0)" })
  }

  @Test func everyInputOfAStreamHasFrames() {
    #expect(
      shapes("\"a\": {\"shape\": [2, \"frames\"]}, \"b\": {\"shape\": [2]}", extents: [:])
        == [
          "m:2:43: the input 'b' of a stream needs 'frames' as the last axis of its shape; a model without frames says "
            + "\"clock\": \"step\""
        ])
    #expect(shapes("\"a\": {\"shape\": [2]}, \"b\": {\"shape\": [2]}", extents: [:]) == [])
    #expect(shapes("\"a\": {\"shape\": [2]}", clock: "\"clock\": \"stream\",", extents: [:]).count == 1)
  }

  @Test func theSampleRateIsSensible() throws {
    let text =
      "{\"legato\": 1, \"outputs\": [\"a\"], \"inputs\": {\"a\": {\"shape\": [\"sampleRate\", \"frames\"]}},\n"
      + "\"parameters\": {\"p\": {\"default\": 1, \"minimum\": 0, \"maximum\": 2, \"ramp\": 10}}}"
    let document = try ModelDocument.decode(Array(text.utf8), file: "m")
    func messages(_ sampleRate: Double) -> [String] {
      do throws(Diagnostics) {
        _ = try Graph(importing: document, sampleRate: sampleRate)
        return []
      } catch {
        return error.all.map(\.description)
      }
    }
    #expect(messages(4_096) == [])
    for (rate, text) in [(0, "0"), (-1, "-1"), (.nan, "nan"), (.infinity, "inf")] as [(Double, String)] {
      #expect(messages(rate) == ["m: the sample rate must be a number above 0; it is \(text)"])
    }
    #expect(
      messages(44_100.5) == [
        "m:1:60: the axis 'sampleRate' must have a whole number from 1 to 16777216 as its extent, this is 44100.5"
      ])
    #expect(
      messages(1e6) == [
        "m:1:27: the output 'a' has 1000000 rows; 4096 are the most",
        "m:1:44: the input 'a' has 1000000 rows; 4096 are the most",
        "m:2:16: the ramp of 'p' takes 10000000 frames at 1000000 Hz; 8388608 are the most",
      ])
    #expect(messages(1e300).count == 2)
  }

  @Test func weightsHaveLimitsToo() {
    let deep = String(repeating: "[", count: 9) + "1" + String(repeating: "]", count: 9)
    let text =
      "{\"legato\": 1, \"outputs\": [\"y\"], \"clock\": \"step\", \"graph\": {\"y\": \"'w' + 1\"},\n\"weights\": {\"w\": \(deep)}}"
    #expect(
      messages(about: Array(text.utf8), file: "m") == [
        "m:2:13: weights 'w' would have 9 axes; 8 are the most"
      ])
  }
}
