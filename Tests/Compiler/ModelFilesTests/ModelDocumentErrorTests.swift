// SPDX-License-Identifier: Apache-2.0

import ModelFiles
import Testing

/// Each case is the members that stand, on a line of their own, between `{"legato": 1,` and `"outputs": ["y"]}`.
@Suite struct ModelDocumentErrorTests {
  private func check(_ members: String, _ expected: [String]) {
    let text = "{\"legato\": 1,\n\(members),\n\"outputs\": [\"y\"]}"
    #expect(messages(decoding: Array(text.utf8), file: "m.json") == expected.map { "m.json:2:\($0)" })
  }

  @Test(arguments: [
    ("\"name\": 1", ["9: 'name' must be a string, this is a number"]),
    ("\"name\": \"\"", ["9: a name cannot be empty"]),
    ("\"clock\": \"frames\"", ["10: 'clock' must be 'stream' or 'step', this is 'frames'"]),
    ("\"clock\": true", ["10: 'clock' must be a string, this is 'true'"]),
    ("\"author\": null", ["11: 'author' must be a string, this is null"]),
    ("\"license\": {}", ["12: 'license' must be a string, this is an object"]),
    ("\"description\": []", ["16: 'description' must be a string, this is an array"]),
    ("\"$schema\": [1]", ["12: '$schema' must be a string, this is an array"]),
    ("\"input\": {}", ["1: unknown key 'input'; did you mean 'inputs'?"]),
    (
      "\"zzz\": {}",
      [
        "1: unknown key 'zzz'; known are '$schema', 'legato', 'name', 'description', 'author', 'license', 'clock', "
          + "'sampleRate', 'prewarm', 'inputs', 'parameters', 'levels', 'graph', 'weights', 'outputs', 'presets', 'train', 'listen', 'functions'"
      ]
    ),
    (
      "\"name\": \"a\", \"name\": \"b\"", ["14: the key 'name' stands twice; it stands first at 2:1"]
    ),
  ])
  func model(members: String, expected: [String]) { check(members, expected) }

  private static let noSampleRates: [(String, String)] = [
    ("\"48 kHz\"", "'sampleRate' must be a number, this is a string"),
    ("[48000]", "'sampleRate' must be a number, this is an array"),
    ("null", "'sampleRate' must be a number, this is null"),
    ("1e300", "'sampleRate' is 1e+300, which is too large for a 32-bit float"),
  ]

  private static let wrongSampleRates: [(String, String)] = ["0", "-48000", "44100.5", "768001", "1e30"].map {
    let rate = $0 == "1e30" ? "1e+30" : $0
    let right = "a whole number of hertz from 1 to 768000, such as 48000"
    return ($0, "'sampleRate' must be \(right), this is \(rate); a model for any rate leaves it out")
  }

  @Test(arguments: noSampleRates + wrongSampleRates)
  func sampleRate(value: String, expected: String) {
    check("\"sampleRate\": \(value)", ["15: \(expected)"])
  }

  @Test(arguments: [
    ("[]", "1:1: a model must be an object, this is an array"),
    ("3", "1:1: a model must be an object, this is a number"),
    ("{\"outputs\": [\"y\"]}", "1:1: the version is missing; write \"legato\": 1"),
    (
      "{\"legato\": \"1\", \"outputs\": [\"y\"]}",
      "1:12: 'legato' must be the number of a version, this is a string"
    ),
    ("{\"legato\": 2, \"colours\": []}", "1:12: version 2 of the format is not supported, only 1"),
    ("{\"legato\": 1.5}", "1:12: version 1.5 of the format is not supported, only 1"),
    ("{\"legato\": 1}", "1:1: 'outputs' is missing; it lists the names of the values that leave the model"),
    (
      "{\"legato\": 1, \"outputs\": []}",
      "1:26: 'outputs' is empty; it lists the names of the values that leave the model"
    ),
    ("{\"legato\": 1, \"outputs\": \"y\"}", "1:26: 'outputs' must be a list of names, this is a string"),
    ("{\"legato\": 1, \"outputs\": [1]}", "1:26: 'outputs' must be a list of names, this has numbers"),
    ("{\"legato\": 1, \"outputs\": [null]}", "1:27: an output must be a string, this is null"),
    (
      "{\"legato\": 1, \"outputs\": [\"a b\"]}",
      "1:27: 'a b' is no name; a name is a letter, then letters, digits or '_'"
    ),
    (
      "{\"legato\": 1, \"outputs\": [\"y\", \"y\"]}",
      "1:32: the output 'y' stands twice; it stands first at 1:27"
    ),
  ])
  func wholeModel(text: String, expected: String) {
    #expect(messages(decoding: Array(text.utf8), file: "m.json") == ["m.json:\(expected)"])
  }

  @Test(arguments: [
    ("\"inputs\": []", ["11: 'inputs' must be an object, this is an array"]),
    ("\"inputs\": {\"x\": []}", ["17: the input 'x' must be an object, this is an array"]),
    ("\"inputs\": {\"x\": {}}", ["12: the input 'x' has no 'shape'"]),
    (
      "\"inputs\": {\"x\": {\"shapes\": []}}",
      ["18: unknown key 'shapes'; did you mean 'shape'?"]
    ),
    ("\"inputs\": {\"x\": {\"shape\": 2}}", ["27: 'shape' must be a list of extents, this is a number"]),
    (
      "\"inputs\": {\"x\": {\"shape\": [0, 2.5, 1073741825]}}",
      [
        "28: an extent must be a whole number from 1 to 1073741824, this is 0",
        "31: an extent must be a whole number from 1 to 1073741824, this is 2.5",
        "36: an extent must be a whole number from 1 to 1073741824, this is 1073741825",
      ]
    ),
    (
      "\"inputs\": {\"x\": {\"shape\": [-1, \"\", \"a+b\", null]}}",
      [
        "28: an extent must be a whole number from 1 to 1073741824, this is -1",
        "32: a name cannot be empty",
        "36: 'a+b' is no name; a name is a letter, then letters, digits or '_'",
        "43: an extent must be a number or a name, this is null",
      ]
    ),
    (
      "\"inputs\": {\"2x\": {\"shape\": []}}",
      ["12: '2x' is no name; a name is a letter, then letters, digits or '_'"]
    ),
    (
      "\"inputs\": {\"frames\": {\"shape\": []}, \"pi\": {\"shape\": []}}",
      ["12: 'frames' is reserved; choose another name", "37: 'pi' is reserved; choose another name"]
    ),
    ("\"inputs\": {\"sampleRate\": {\"shape\": []}}", ["12: 'sampleRate' is reserved; choose another name"]),
    (
      "\"inputs\": {\"x\": {\"shape\": [], \"description\": 1}}",
      ["46: 'description' must be a string, this is a number"]
    ),
  ])
  func inputs(members: String, expected: [String]) { check(members, expected) }

  @Test(arguments: [
    ("\"graph\": \"y\"", ["10: 'graph' must be an object, this is a string"]),
    ("\"graph\": {\"y\": 1}", ["16: the expression of 'y' must be a string, this is a number"]),
    ("\"graph\": {\"y\": \"1\", \"y\": \"2\"}", ["21: the key 'y' stands twice; it stands first at 2:11"]),
    (
      "\"inputs\": {\"y\": {\"shape\": []}}, \"graph\": {\"y\": \"1\"}",
      ["43: 'y' is already an input, at 2:12; choose another name"]
    ),
  ])
  func graph(members: String, expected: [String]) { check(members, expected) }

  @Test(arguments: [
    ("1", ["22: the parameter 'g' must be an object, this is a number"]),
    (
      "{}",
      [
        "17: the parameter 'g' has no 'default'", "17: the parameter 'g' has no 'minimum'",
        "17: the parameter 'g' has no 'maximum'",
      ]
    ),
    (
      "{\"default\": \"1\", \"minimum\": 0, \"maximum\": 1}",
      ["34: 'default' must be a number, this is a string"]
    ),
    (
      "{\"defualt\": 1, \"minimum\": 0, \"maximum\": 1}",
      ["23: unknown key 'defualt'; did you mean 'default'?"]
    ),
    (
      "{\"default\": 2, \"minimum\": 0, \"maximum\": 1}",
      ["34: 'default' must lie within 0 to 1, this is 2"]
    ),
    (
      "{\"default\": 2, \"minimum\": 3, \"maximum\": 1}",
      ["48: 'minimum' must be below 'maximum', but 3 is not below 1"]
    ),
    (
      "{\"default\": 1, \"minimum\": 1, \"maximum\": 1.00000000001}",
      ["48: 'minimum' must be below 'maximum', but 1 is not below 1.00000000001"]
    ),
    (
      "{\"default\": 1, \"minimum\": 0, \"maximum\": 1e39}",
      ["62: 'maximum' is 1e+39, which is too large for a 32-bit float"]
    ),
    (
      "{\"default\": 1, \"minimum\": 0, \"maximum\": 2, \"scale\": \"logarithmic\"}",
      ["48: a logarithmic scale needs a 'minimum' above 0, this is 0"]
    ),
    (
      "{\"default\": 1, \"minimum\": 1e-40, \"maximum\": 2, \"scale\": \"logarithmic\"}",
      ["48: a logarithmic scale needs a 'minimum' above 0, this is 1e-40"]
    ),
    (
      "{\"default\": 1, \"minimum\": 0, \"maximum\": 2, \"scale\": \"log\"}",
      ["74: 'scale' must be 'linear' or 'logarithmic', this is 'log'"]
    ),
    (
      "{\"default\": 1, \"minimum\": 0, \"maximum\": 2, \"midi\": 120}",
      ["73: 'midi' must be the whole number of a controller from 0 to 119, this is 120"]
    ),
    (
      "{\"default\": 1, \"minimum\": 0, \"maximum\": 2, \"midi\": 1.5}",
      ["73: 'midi' must be the whole number of a controller from 0 to 119, this is 1.5"]
    ),
    (
      "{\"default\": 1, \"minimum\": 0, \"maximum\": 2, \"midi\": \"21\"}",
      ["73: 'midi' must be a number, this is a string"]
    ),
    (
      "{\"default\": 1, \"minimum\": 0, \"maximum\": 2, \"ramp\": 10.5}",
      ["73: 'ramp' must lie within 0 to 10 seconds, this is 10.5"]
    ),
    (
      "{\"default\": 1, \"minimum\": 0, \"maximum\": 2, \"ramp\": -1, \"unit\": 2}",
      [
        "73: 'ramp' must lie within 0 to 10 seconds, this is -1",
        "85: 'unit' must be a string, this is a number",
      ]
    ),
  ])
  func parameter(value: String, expected: [String]) { check("\"parameters\": { \"g\": \(value)}", expected) }

  @Test(arguments: [
    ("[]", ["12: 'presets' must be an object, this is an array"]),
    ("{\"a\": 1}", ["18: the preset 'a' must be an object, this is a number"]),
    ("{\"\": {}}", ["13: a name cannot be empty"]),
    ("{\"a\": {\"gian\": 1}}", ["19: unknown parameter 'gian'; did you mean 'gain'?"]),
    ("{\"a\": {\"tone\": 1}}", ["19: unknown parameter 'tone'; known are 'gain', 'bad'"]),
    ("{\"a\": {\"gain\": 3}}", ["27: 'gain' must lie within 0 to 2, this is 3"]),
    ("{\"a\": {\"gain\": \"3\"}}", ["27: 'gain' must be a number, this is a string"]),
    ("{\"a\": {\"bad\": 7}}", []),
  ])
  func presets(value: String, expected: [String]) {
    let parameters = "{\"gain\": {\"default\": 1, \"minimum\": 0, \"maximum\": 2}, \"bad\": 1}"
    let text =
      "{\"legato\": 1,\n\"presets\": \(value), \"outputs\": [\"y\"],\n\"parameters\": \(parameters)}"
    #expect(
      messages(decoding: Array(text.utf8), file: "m.json")
        == expected.map { "m.json:2:\($0)" }
        + ["m.json:3:75: the parameter 'bad' must be an object, this is a number"])
  }

  @Test func aModelWithoutParametersHasNoneToSet() {
    check("\"presets\": {\"a\": {}}", [])
    check(
      "\"presets\": {\"a\": {\"gain\": 1, \"tone\": 2}}",
      ["12: 'presets' set parameters, but the model has none"])
  }

  @Test(arguments: [
    (
      "\"a\"",
      [
        "18: a weight of a file is written as the file, a colon and the name of the tensor, such as "
          + "\"amp.safetensors:layer.weight\"; this is 'a'"
      ]
    ),
    ("[\"a\"]", ["19: a weight must be a number or nested arrays of numbers, this is a string"]),
    ("[1, null]", ["22: a weight must be a number or nested arrays of numbers, this is null"]),
    ("[]", ["18: an array of a weight cannot be empty"]),
    ("[[1], []]", ["24: the rows of a weight must be equally long; this one has 0, the first one 1"]),
    ("[[1, 2], [3]]", ["27: the rows of a weight must be equally long; this one has 1, the first one 2"]),
    (
      "[[[1], [2]], [[3]]]",
      ["31: the rows of a weight must be equally long; this one has 1, the first one 2"]
    ),
    ("[1, [2]]", ["22: the rows of a weight must be equally deep; here are numbers and arrays side by side"]),
    ("[[1], 2]", ["24: the rows of a weight must be equally deep; here are numbers and arrays side by side"]),
    (
      "[[1], [[2]]]",
      ["25: the rows of a weight must be equally deep; here are numbers and arrays side by side"]
    ),
    (
      "[[[1]], [2]]",
      ["26: the rows of a weight must be equally deep; here are numbers and arrays side by side"]
    ),
    ("1e39", ["18: the number 1e+39 is too large for a 32-bit float"]),
    ("[[1, 2], [3, -1e39]]", ["31: the number -1e+39 is too large for a 32-bit float"]),
  ])
  func weights(value: String, expected: [String]) { check("\"weights\": {\"w\": \(value)}", expected) }

  @Test func aWeightNeedsAName() {
    check("\"weights\": {\"\": 1}", ["13: a name cannot be empty"])
  }
}
