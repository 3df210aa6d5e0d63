// SPDX-License-Identifier: Apache-2.0

import Legato
import Testing

/// The notes of the compiler reach whoever asks for a program.
@Suite struct CompilationNoteTests {
  private static let text = """
    { "legato": 1, "name": "Ends", "inputs": { "x": { "shape": [4, "frames"] } },
      "graph": { "a": "tanh(x)", "y": "slice(a, axis: 0, start: 0) + slice(a, axis: 0, start: 3)" },
      "outputs": ["y"] }
    """

  @Test func notesAndWarningsReachTheCaller() throws {
    let model = try Model(Self.text, name: "m.json")
    var told: [CompilationNote] = []
    _ = try model.compile(report: { told.append($0) })
    #expect(try told == model.compilation().notes)
    #expect(
      told.map(\.description) == [
        "m.json:2:20: note: 'a': 4 positions are computed of which 2 are read: "
          + "what lies between its slices is computed, too"
      ])
    #expect(told.map(\.pass) == ["slice-hoisting"] && told.map(\.severity) == [.note])
    #expect(told.map(\.line) == [2] && told.map(\.column) == [20])
  }

  /// Whatever the passes are: it is seen in the model as it was written.
  @Test func aParameterThatChangesNothingIsAWarning() throws {
    let text = """
      { "legato": 1, "inputs": { "x": { "shape": ["frames"] } },
        "parameters": {
          "drive": { "default": 1, "minimum": 0, "maximum": 2 },
          "tone": { "default": 1, "minimum": 0, "maximum": 2 },
          "unread": { "default": 1, "minimum": 0, "maximum": 2 }
        },
        "graph": { "bright": "x * tone", "late": "drive * delay(late, 1) + x", "y": "late" }, "outputs": ["y"] }
      """
    let expected = [
      "m.json:4:5: warning: 'tone': no output depends on this parameter",
      "m.json:5:5: warning: 'unread': no output depends on this parameter",
    ]
    let model = try Model(text, name: "m.json")
    for disabled in [Set(), Set(CompilerOptions.optimizations)] {
      let notes = try model.compilation(options: CompilerOptions(disabled: disabled)).notes
      #expect(notes.map(\.description) == expected)
      #expect(notes.allSatisfy { $0.pass == nil && $0.severity == .warning })
    }
    let builder = GraphBuilder("Idle")
    _ = builder.parameter("tone", default: 1, in: 0...2)
    builder.output("y", builder.input("x", channels: 1))
    var told: [CompilationNote] = []
    _ = try builder.compile(report: { told.append($0) })
    #expect(told.map(\.description) == ["Idle: warning: 'tone': no output depends on this parameter"])
  }

  /// A loop grows where its parameter is set so; what is no parameter's name changes nothing.
  @Test(arguments: [
    ([:], []), (["gain": 1.5], ["with the parameters as set, "]), (["much": 0.5], []),
    (["gain": 1.5, "y": 0], ["with the parameters as set, "]), (["x": 1.5], []),
  ])
  func notesAreOfTheParametersAsTheyAreSet(values: [String: Float], beginnings: [String]) throws {
    let text = """
      { "legato": 1, "inputs": { "x": { "shape": ["frames"] } },
        "parameters": { "gain": { "default": 0.5, "minimum": 0, "maximum": 2 } },
        "graph": { "y": "x + gain * delay(y, 9)" }, "outputs": ["y"] }
      """
    let messages = try Model(text).compilation().notes(settingParameters: values).map(\.message)
    #expect(messages.count == beginnings.count)
    for (message, beginning) in zip(messages, beginnings) {
      #expect(message.hasPrefix("'y': \(beginning)this feeds back with a gain of 1.5 after 9 frames"))
    }
  }

  @Test func aLoopWithinAFunctionIsCalledAsTheFunction() throws {
    let text = """
      { "legato": 1, "inputs": { "x": { "shape": ["frames"] } },
        "graph": { "y": "0.5 * biquad(x, 1, 0, 0, 3, 0)" }, "outputs": ["y"] }
      """
    let message = try #require(try Model(text).compilation().notes.first?.message)
    #expect(message.hasPrefix("'biquad': this feeds back with a gain of 3 at 24000 Hz after a frame, "))
    #expect(message.hasSuffix("; choose other coefficients: its poles lie outside of the unit circle"))
  }

  @Test func aBuilderTellsThemByTheModelsName() throws {
    let builder = GraphBuilder("Ends")
    let a = tanh(builder.input("x", channels: 4)).named("a")
    let never = log(builder.weights("w", shape: [1], [0])).named("never")
    builder.output("y", a.slice(axis: 0, start: 0) + a.slice(axis: 0, start: 3) + never)
    var told: [CompilationNote] = []
    _ = try builder.compile(report: { told.append($0) })
    #expect(
      told.map(\.description) == [
        "Ends: warning: 'never': this is -inf, whatever comes in",
        "Ends: note: 'a': 4 positions are computed of which 2 are read: "
          + "what lies between its slices is computed, too",
      ])
  }
}
