// SPDX-License-Identifier: Apache-2.0

import Testing

/// Messages about the entries of a graph together, around cycles and by their names, and about what a model makes of
/// them.
@Suite struct ImporterErrorTests {
  @Test(arguments: [
    (["y=delay(y, 1)"], ["7:1: the shape of 'y' cannot be inferred: nothing around its cycle says it"]),
    (["y=y"], ["7:1: 'y' is defined as itself"]),
    (["y=a", "a=y"], ["7:1: 'y' is defined as itself"]),
    (["y=x + y"], ["7:1: 'y' makes a cycle without a delay; put delay(…, 1) into it"]),
    (
      ["y=x + 0.5 * delay(y, by: 200, maximum: 400)"],
      [
        "7:1: 'y' makes a cycle whose delay may read the present frame; give it a minimum of 1 or more, of 2 or more "
          + "with allpass interpolation"
      ]
    ),
    (
      ["y=x + 0.5 * delay(y, by: 200, minimum: 1, maximum: 400, interpolation: 'allpass')"],
      [
        "7:1: 'y' makes a cycle whose delay may read the present frame; give it a minimum of 1 or more, of 2 or more "
          + "with allpass interpolation"
      ]
    ),
    // It waits for itself to say how late it is.
    (
      ["y=delay(x, by: mono * sum(y, axis: 0), minimum: 1, maximum: 400)"],
      ["7:1: 'y' makes a cycle without a delay; put delay(…, 1) into it"]
    ),
    (
      ["y=x + b", "a=tanh(y)", "b=a * 2"],
      ["7:1: 'y', 'a', 'b' make a cycle without a delay; put delay(…, 1) into it"]
    ),
    (
      ["y=x + y", "a=mono * a", "b=x + delay(b, 1)"],
      [
        "7:1: 'y' makes a cycle without a delay; put delay(…, 1) into it",
        "8:1: 'a' makes a cycle without a delay; put delay(…, 1) into it",
      ]
    ),
    (
      ["y=slice(x, 0, 0) + pad(delay(y, 1), 0, after: 1)"],
      ["7:1: the shape of 'y' grows each time around its cycle and has no end"]
    ),
    (
      ["y=x + pad(delay(y, 1), 0, after: 1)"],
      [
        "7:8: the shapes [4, frames] and [5, frames] do not broadcast; [5, frames] comes around a cycle that reads 'x'"
      ]
    ),
    (
      ["y=mono * gain + delay(dense(y, 'matrix'), 1)"],
      [
        "7:26: dense needs a fixed axis, and [frames] has none; broadcast(…, [4]) gives it one of 4; [frames] comes "
          + "around a cycle that reads 'mono'"
      ]
    ),
    (
      ["y=mono + delay(a, 1)", "a=sum(y * b, axis: 0)", "b=mono * mono"],
      [
        "8:6: axis 0 of [frames] is the frames; this works along fixed axes only; reshape(…, [1]) gives it one; "
          + "[frames] comes around a cycle that reads 'mono', 'b'"
      ]
    ),
    // The fault is none of shapes.
    (["y=mono + limit(delay(y, 1), -1)"], ["7:13: limit needs a level above 0; it is -1"]),
    (["y=x", "tanh=x"], ["8:1: 'tanh' is a function; choose another name"]),
    (["y=x", "conv1d=2"], ["8:1: 'conv1d' is a function; choose another name"]),
    (["y=x", "a=1 +"], ["8:9: expected a number, a name or '(', found the end"]),
    (["y=a * 2", "a=b + 1", "b=tanh("], ["9:11: expected a number, a name or '(', found the end"]),
    (["y=slice(a, 3, 0)", "a=a + nothing"], ["8:10: no value is called 'nothing'"]),
    (
      ["y=b +", "a=nothing", "sin=tanh(x, x)", "c=y + d", "d=d * d", "e=a + 'w'"],
      [
        "7:9: expected a number, a name or '(', found the end",
        "8:6: no value is called 'nothing'",
        "9:1: 'sin' is a function; choose another name",
        "9:16: one argument too many; the function is tanh(x)",
        "11:1: 'd' makes a cycle without a delay; put delay(…, 1) into it",
        "12:8: there are no weights called 'w'",
      ]
    ),
  ])
  func entries(graph: [String], expected: [String]) {
    #expect(messages(aboutGraph: graph) == expected.map { "m:\($0)" }, "\(graph)")
  }

  @Test(arguments: [
    ("\"z\"", "5:13: no value is called 'z'"),
    ("\"gian\"", "5:13: no value is called 'gian'; did you mean 'gain'?"),
    ("\"sampleRate\"", "5:13: no value is called 'sampleRate'"),
    (
      "\"y\", \"level\"",
      "5:18: the output 'level' of a stream needs the axis 'frames', it is []; compute it from an input, or write "
        + "\"clock\": \"step\""
    ),
    (
      "\"half\"",
      "5:13: the output 'half' of a stream needs the axis 'frames', it is []; compute it from an input, or write "
        + "\"clock\": \"step\""
    ),
    ("\"endless\"", "5:13: the output 'endless' is inf, which no float holds"),
  ])
  func outputs(outputs: String, expected: String) {
    let found = messages(aboutGraph: ["y=x", "half=0.5", "endless=1 / 0"], outputs: outputs)
    #expect(found == ["m:\(expected)"])
  }

  @Test func aStepModelHasNoFrames() {
    #expect(
      messages(aboutGraph: ["y=x"], head: "\"clock\": \"step\",") == [
        "m:2:31: a model of steps has no 'frames'; write a number, or another name",
        "m:2:62: a model of steps has no 'frames'; write a number, or another name",
      ])
  }
}
