// SPDX-License-Identifier: Apache-2.0

import Legato
import Listening
import Testing

/// How inputs of several shapes take the same window.
@Suite struct WindowFormTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let inputs: String
    /// The two means of its columns.
    let means: String
    var window: Int?
    var columns: [String]?
    let names: [String]
    let count: Int
    var testDescription: String { inputs }
  }

  private static let cases = [
    Case(inputs: #""x": { "shape": [5, 2] }"#, means: "mean(x, axis: 0)", names: ["x.0", "x.1"], count: 5),
    Case(inputs: #""x": { "shape": [2, 5] }"#, means: "mean(x, axis: 1)", names: ["x.0", "x.1"], count: 5),
    Case(
      inputs: #""x": { "shape": [1, 5, 2] }"#, means: "mean(reshape(x, [5, 2]), axis: 0)",
      names: ["x.0", "x.1"],
      count: 5),
    Case(
      inputs: #""x": { "shape": ["time", 2] }"#, means: "mean(x, axis: 0)", window: 5, names: ["x.0", "x.1"],
      count: 5),
    Case(
      inputs: #""a": { "shape": [5] }, "b": { "shape": [1, 5] }"#,
      means: "concatenate([reshape(mean(a, axis: 0), [1]), reshape(mean(reshape(b, [5]), axis: 0), [1])])",
      names: ["a", "b"], count: 5),
    // The shorter axis is the window's where that is said, or where as many columns are named as the other has.
    Case(
      inputs: #""x": { "shape": [2, 5] }"#, means: "slice", window: 2, names: (0..<5).map { "x.\($0)" },
      count: 2),
    Case(
      inputs: #""x": { "shape": [5, 2] }"#, means: "columns", columns: ["a", "b", "c", "d", "e"],
      names: ["a", "b", "c", "d", "e"], count: 2),
    Case(inputs: #""x": { "shape": [5] }"#, means: "one", names: ["x"], count: 5),
    Case(
      inputs: #""x": { "shape": [5] }"#, means: "reading", window: 1, names: (0..<5).map { "x.\($0)" },
      count: 1),
  ]

  @Test(arguments: cases) func inputsTakeIt(form: Case) throws {
    let graph =
      switch form.means {
      case "slice":
        "concatenate([slice(mean(x, axis: 0), axis: 0, start: 0), slice(mean(x, axis: 0), axis: 0, start: 1)])"
      case "columns":
        "concatenate([slice(mean(x, axis: 1), axis: 0, start: 0), slice(mean(x, axis: 1), axis: 0, start: 1)])"
      case "one": "concatenate([slice(x, axis: 0, start: 0), slice(x, axis: 0, start: 1)])"
      case "reading": "concatenate([slice(x, axis: 0, start: 0), slice(x, axis: 0, start: 1)])"
      case let means: means
      }
    let text = """
      { "legato": 1, "name": "M", "clock": "step", "sampleRate": 10, "inputs": { \(form.inputs) },
        "graph": { "p": "\(graph)" }, "outputs": [{ "name": "p", "labels": ["a", "b"] }] }
      """
    var options = Listener.Options()
    (options.window, options.columns) = (form.window, form.columns)
    var listener = try Listener(Model(text), options)
    #expect(listener.form.window == form.count)
    #expect(listener.form.columns == form.names)
    // Column k of reading n is 10 n + k.
    let readings = (0..<form.count).flatMap { n in form.names.indices.map { Float(10 * n + $0) } }
    let middle = Float(10 * (form.count - 1)) / 2
    let expected: [Float] = form.means == "one" ? [0, 10] : [middle, middle + 1]
    #expect(try listener.listen(readings).first?.probabilities == expected)
  }

  @Test(arguments: [
    (
      #""x": { "shape": [1048576, "n"] }"#, 4_000_000, "the input 'x' would have the shape [1048576, 4000000]"
    ),
    (
      #""x": { "shape": ["n", 4] }, "hIn": { "shape": ["n", "n", "n", "n"] }"#, 4_000_000,
      "the input 'hIn' would have the shape [4000000, 4000000, 4000000, 4000000]"
    ),
    (
      #""x": { "shape": ["n", 131072] }"#, 100,
      "'x' [n, 131072] has 131072 columns; a reading has 65536 at most"
    ),
  ]) func shapesAreLookedAtFirst(inputs: String, window: Int, message: String) throws {
    let state = inputs.contains("hIn")
    let text = """
      { "legato": 1, "name": "M", "clock": "step", "sampleRate": 10, "inputs": { \(inputs) },
        "graph": { "p": "reshape(mean(mean(x, axis: 1), axis: 0), [1])"\(state ? ", \"hOut\": \"1 * hIn\"" : "") },
        "outputs": [{ "name": "p", "labels": ["a"] }\(state ? ", \"hOut\"" : "")] }
      """
    var options = Listener.Options()
    options.window = window
    let error = #expect(throws: RequestError.self) { _ = try Listener(Model(text), options) }
    #expect(error?.description.hasPrefix(message) == true, "\(String(describing: error))")
  }
}
