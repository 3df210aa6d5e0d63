// SPDX-License-Identifier: Apache-2.0

import Legato
import Listening
import Testing

/// Answers to windows, against means that are taken by hand.
@Suite struct ListenerTests {
  /// Which of two columns has the larger mean.
  static let means = """
    { "legato": 1, "name": "Means", "clock": "step", "sampleRate": 10, "inputs": { "x": { "shape": [4, 2] } },
      "graph": { "means": "mean(x, axis: 0)", "p": "softmax(means)" },
      "outputs": [{ "name": "p", "labels": ["first", "second"] }, "means"] }
    """

  /// Readings whose numbers tell where they stand: 0 100, 1 101, …
  private func readings(_ count: Int) -> [Float] { (0..<count).flatMap { [Float($0), Float($0 + 100)] } }

  @Test(arguments: [(4, [0, 4, 8]), (2, [0, 2, 4, 6, 8]), (1, Array(0...8)), (6, [0, 6]), (9, [0])])
  func windowsLieAHopApart(hop: Int, begins: [Int]) throws {
    var options = Listener.Options()
    options.hop = hop
    // However the readings come, 12 of them and a rest.
    for part in [1, 3, 5, 12] {
      var listener = try Listener(Model(Self.means), options)
      var found: [Recognition] = []
      for begin in stride(from: 0, to: 12, by: part) {
        found += try listener.listen(Array(readings(12)[begin * 2..<min(12, begin + part) * 2]))
      }
      let places = found.map { Int(($0.begin * 10).rounded()) }
      #expect(places == begins, "in parts of \(part)")
      for (window, place) in begins.enumerated() where found.indices.contains(window) {
        let means = [Float(place) + 1.5, Float(place) + 101.5]
        #expect(found[window].outputs["means"]?.values == means)
        #expect(found[window].label == "second" && found[window].window == window)
        #expect(abs(found[window].end - found[window].begin - 0.4) < 1e-12)
      }
    }
  }

  @Test func theHopAndTheWindowAreThoseOfTheFile() throws {
    let text = """
      { "legato": 1, "name": "Named", "clock": "step", "inputs": { "x": { "shape": [2, "time"] } },
        "graph": { "p": "mean(x, axis: 1)" }, "outputs": [{ "name": "p", "labels": ["a", "b"] }],
        "listen": { "window": 8, "hop": 3, "columns": ["u", "v"] } }
      """
    var options = Listener.Options()
    options.rate = 50
    let listener = try Listener(Model(text), options)
    #expect(listener.form.window == 8 && listener.hop == 3 && listener.rate == 50)
    #expect(listener.form.columns == ["u", "v"] && listener.form.areNamed)
    options.window = 5
    let other = try Listener(Model(text), options)
    #expect(other.form.window == 5 && other.hop == 5)
  }

  /// Both ways to remember: an output that is an input of the next window, and a delay.
  private static let remembering = """
    { "legato": 1, "name": "Sums", "clock": "step", "sampleRate": 1,
      "inputs": { "x": { "shape": [2] }, "sumIn": { "shape": [1] } },
      "graph": { "all": "sum(x, axis: 0)", "sumOut": "sumIn + reshape(all, [1])", "kept": "all + 0.5 * delay(kept, 1)",
                 "p": "concatenate([sumOut, reshape(kept, [1])])" },
      "outputs": [{ "name": "p", "labels": ["sum", "kept"] }, "sumOut"] }
    """

  @Test func whatIsRememberedGoesFromWindowToWindow() throws {
    var listener = try Listener(Model(Self.remembering))
    #expect(listener.stateNames == ["sumIn", "kept"])
    #expect(listener.output == "p" && listener.labels == ["sum", "kept"])
    let found = try listener.listen([1, 2, 3, 4, 5, 6])
    #expect(found.map(\.probabilities) == [[3, 3], [10, 8.5], [21, 15.25]])
    let kept = listener.snapshot()
    #expect(kept == ["sumIn": try Tensor(shape: [1], values: [21]), "kept": Tensor([15.25])])
    // Going back comes to the same; so does another listener that is set.
    let next = try listener.listen([1, 1])[0].probabilities
    #expect(next == [23, 9.625])
    try listener.restore(kept)
    #expect(try listener.listen([1, 1])[0].probabilities == next)
    var other = try Listener(Model(Self.remembering))
    try other.restore(kept)
    #expect(try other.listen([1, 1])[0].probabilities == next)
    // A window that is not whole is forgotten, too.
    _ = try listener.listen([7])
    listener.reset()
    let again = try listener.listen([1, 2])
    #expect(again.map(\.probabilities) == [[3, 3]])
    #expect(again[0].begin == 0 && again[0].window == 0)
  }

  @Test func whatDoesNotFitIsNotRestored() throws {
    var listener = try Listener(Model(Self.remembering))
    _ = try listener.listen([1, 2])
    let before = listener.snapshot()
    for (tensors, message) in [
      (["sumin": Tensor([1])], "did you mean 'sumIn'?"),
      (["sumIn": Tensor([1, 2])], "the state 'sumIn' is [1], and is given [2]"),
      (["kept": Tensor([1, 2]), "sumIn": Tensor([5])], "the state 'kept' is [1], and is given [2]"),
    ] {
      let error = #expect(throws: RequestError.self) { try listener.restore(tensors) }
      #expect(error?.description.contains(message) == true, "\(error?.description ?? "")")
      #expect(listener.snapshot() == before)
    }
  }

  @Test func statesThatAreNamedOtherwiseAreTold() throws {
    let text = """
      { "legato": 1, "name": "Sums", "clock": "step", "sampleRate": 1,
        "inputs": { "x": { "shape": [2] }, "h": { "shape": [2] } }, "graph": { "g": "x + h" }, "outputs": ["g"],
        "listen": { "states": { "h": "g" } } }
      """
    var options = Listener.Options()
    options.labels = ["a", "b"]
    // The only output is the state.
    #expect(throws: RequestError.self) { _ = try Listener(Model(text), options) }
    let more = text.replacing("\"outputs\": [\"g\"]", with: "\"outputs\": [\"g\", \"p\"]").replacing(
      "\"g\": \"x + h\"", with: "\"g\": \"x + h\", \"p\": \"2 * g\"")
    var listener = try Listener(Model(more), options)
    #expect(try listener.listen([1, 2, 3, 4]).map(\.probabilities) == [[2, 4], [8, 12]])
  }

  @Test func gapsAndRecordingsBeginAnew() throws {
    let events: [ReadingEvent] = [
      .readings([1, 2, 3]), .gap(4), .readings([5, 6]), .recording("b"), .readings([7, 8, 9]), .nothing,
      .ended,
    ]
    final class Script: ReadingSource {
      var events: [ReadingEvent]
      init(_ events: [ReadingEvent]) { self.events = events }
      func next() -> ReadingEvent { events.removeFirst() }
    }
    var listener = try Listener(Model(Self.remembering))
    var found: [Recognition] = []
    try listener.listen(to: Script(events)) { found.append($0) }
    #expect(found.map(\.probabilities) == [[3, 3], [11, 11], [15, 15]])
    // The reading that was no window, and the four that are missing, take their time.
    #expect(found.map(\.begin) == [0, 7, 0])
    #expect(found.map(\.recording) == [nil, nil, "b"])
  }

  /// A source of somebody else may say any gap: windows come behind it, and time does not go back.
  @Test func oddGapsEndInNoTrap() throws {
    var listener = try Listener(Model(Self.remembering))
    var begins: [Double] = []
    for gap in [-1, 0, .min, .max, .max] {
      begins += try listener.hear(.readings([1, 2, 3, 4]))?.map(\.begin) ?? []
      _ = try listener.hear(.gap(gap))
    }
    begins += try listener.hear(.readings([1, 2, 3, 4]))?.map(\.begin) ?? []
    #expect(begins.count >= 6 && begins == begins.sorted() && begins.allSatisfy(\.isFinite), "\(begins)")
  }

  /// However readings come, an answer has the time of its first one, and that of its last one with a step.
  @Test(arguments: [(4, [0, 4, 8]), (3, [0, 3, 6]), (6, [0, 6])])
  func timesAreThoseOfTheSource(hop: Int, begins: [Int]) throws {
    // A clock that goes a percent faster and does not begin at 0.
    let times = (0..<12).map { 7 + Double($0) / 10.1 }
    var options = Listener.Options()
    options.hop = hop
    for part in [1, 5, 12] {
      var listener = try Listener(Model(Self.means), options)
      var found: [Recognition] = []
      for begin in stride(from: 0, to: 12, by: part) {
        let end = min(12, begin + part)
        let readings = Array(readings(12)[begin * 2..<end * 2])
        found += try listener.listen(readings, times: Array(times[begin..<end]))
      }
      #expect(found.map(\.place) == begins)
      #expect(found.map(\.begin) == begins.map { times[$0] })
      #expect(found.map(\.end) == begins.map { times[$0 + 3] + 0.1 })
      #expect(throws: ListeningError.self) { _ = try listener.listen([1, 2], times: [1, 2]) }
    }
    // A window of which only some have times has none.
    var listener = try Listener(Model(Self.means))
    _ = try listener.listen(readings(1), times: [5])
    #expect(try listener.listen(readings(7)).map(\.begin) == [0, 0.4])
  }

  @Test func allSourcesGiveTheSame() throws {
    let numbers = readings(9)
    func answers(_ source: any ReadingSource) throws -> [[Float]] {
      var listener = try Listener(Model(Self.means))
      var found: [[Float]] = []
      try listener.listen(to: source) { found.append($0.probabilities) }
      return found
    }
    let all = try answers(ArrayReadings(Tensor(shape: [9, 2], values: numbers)))
    #expect(all.count == 2)
    var place = 0
    let sensor = ClosureReadings {
      defer { place += 1 }
      return place < 9 ? Array(numbers[2 * place..<2 * place + 2]) : nil
    }
    #expect(try answers(sensor) == all)
    struct Off: Error {}
    #expect(throws: Off.self) { try answers(ClosureReadings { throw Off() }) }
    #expect(throws: ListeningError.self) { try answers(ClosureReadings { [1, 2, 3] }) }
  }

  @Test func nobodyHasToGoOn() throws {
    var listener = try Listener(Model(Self.means))
    var count = 0
    let source = ClosureReadings { [1, 2] }
    try listener.listen(to: source, while: { count < 3 }, { _ in count += 1 })
    #expect(count == 3)
  }

  @Test func whatIsNoNumberIsNoLabel() throws {
    var listener = try Listener(Model(Self.means))
    let found = try listener.listen([.nan, 1, 1, 1, 1, 1, 1, 1])
    #expect(found[0].label == nil && found[0].probability == 0)
  }

  @Test func whatCannotListenSaysWhatItTakes() throws {
    func refusal(_ text: String, _ change: (inout Listener.Options) -> Void = { _ in }) -> String {
      var options = Listener.Options()
      change(&options)
      do {
        _ = try Listener(Model(text), options)
        return "none"
      } catch { return "\(error)" }
    }
    func model(
      _ inputs: String, _ graph: String, outputs: String = #"[{ "name": "p", "labels": ["a", "b"] }]"#
    ) -> String {
      """
      { "legato": 1, "name": "M", "clock": "step", "sampleRate": 10, "inputs": { \(inputs) }, "graph": { \(graph) },
        "outputs": \(outputs) }
      """
    }
    let stream = """
      { "legato": 1, "name": "S", "inputs": { "src": { "shape": [1, "frames"] } }, "graph": { "dst": "src" },
        "outputs": ["dst"] }
      """
    #expect(refusal(stream).contains("works on frames of a stream"))
    let named = model(#""x": { "shape": ["t", 2] }"#, #""p": "mean(x, axis: 0)""#)
    #expect(refusal(named).contains("the axis 't' has no number; window N does"))
    #expect(
      refusal(Self.means) { $0.window = 5 }.contains(
        "a window of 5 readings does not fit 'x' [4, 2], which takes 4"))
    #expect(refusal(Self.means) { $0.rate = 20 }.contains("'Means' is for 10 readings in a second"))
    #expect(
      refusal(Self.means.replacing("\"sampleRate\": 10, ", with: "")).contains(
        "how many readings there are in a second"))
    #expect(refusal(Self.means) { $0.columns = ["a"] }.contains("1 column is named, and the model takes 2"))
    #expect(refusal(Self.means) { $0.hop = 0 }.contains("a hop has one reading or more"))
    #expect(
      refusal(Self.means) { $0.labels = ["a"] }.contains("the output 'p' is [2], and there are 1 label"))
    #expect(refusal(Self.means) { $0.output = "q" }.contains("'q'"))
    #expect(refusal(Self.means) { $0.states = ["x": "r"] }.contains("'r'"))
    let bare = model(#""x": { "shape": [4, 2] }"#, #""p": "mean(x, axis: 0)""#, outputs: #"["p"]"#)
    #expect(refusal(bare).contains("the output 'p' has no labels; labels FILE names them"))
    let two = model(
      #""x": { "shape": [4, 2] }"#, #""p": "mean(x, axis: 0)", "q": "2 * p""#, outputs: #"["p", "q"]"#)
    #expect(refusal(two).contains("none of the outputs 'p' and 'q' has labels"))
    let inputs = model(
      #""x": { "shape": [4] }, "y": { "shape": [5] }"#, #""p": "x * mean(y, axis: 0)""#)
    #expect(refusal(inputs).contains("'x' [4] and 'y' [5]"))
    let axes = model(#""x": { "shape": [4, 2, 3] }"#, #""p": "mean(mean(x, axis: 0), axis: 1)""#)
    #expect(refusal(axes).contains("more axes than readings and their columns"))
    let picture = model(
      #""x": { "shape": [3, 4, 4], "type": "image" }"#, #""p": "mean(mean(x, axis: 2), axis: 1)""#)
    #expect(refusal(picture).contains("takes pictures"))
    let shapes = model(
      #""x": { "shape": [2] }, "hIn": { "shape": [3] }"#, #""p": "x * mean(hIn, axis: 0)", "hOut": "p""#,
      outputs: #"[{ "name": "p", "labels": ["a", "b"] }, "hOut"]"#)
    #expect(refusal(shapes).contains("the state 'hIn' cannot be what 'hOut' was"))
  }
}
