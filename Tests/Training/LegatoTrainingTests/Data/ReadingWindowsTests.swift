// SPDX-License-Identifier: Apache-2.0

import Glibc
import Legato
import LegatoTraining
import Listening
import TestEquipment
import Testing

/// Windows of a table with a reading in each line.
@Suite struct ReadingWindowsTests {
  private let place: TemporaryFolder

  init() throws { place = try TemporaryFolder() }

  private static let text = """
    { "legato": 1, "name": "M", "clock": "step", "sampleRate": 10,
      "inputs": { "x": { "shape": [3, 2] }, "hIn": { "shape": [4] } },
      "graph": { "p": "mean(x, axis: 0)", "hOut": "hIn" }, "outputs": [{ "name": "p", "labels": ["u", "v"] }, "hOut"],
      "listen": { "columns": ["a", "b"], "hop": 2 } }
    """

  private func windows(
    _ table: String, text: String = Self.text, hop: Int? = nil, recording: String? = nil
  ) throws -> ReadingWindows {
    let model = try Model(text)
    let path = try place.make("r.csv", table)
    #expect(ReadingWindows.describes(path, for: model, extents: [:]))
    return try ReadingWindows(
      path, for: model, hop: hop, recording: recording, labels: model.labels(of: "p"))
  }

  @Test func windowsAreCutAsTheModelListens() throws {
    let found = try windows(
      "time,b,a,label\n0,10,1,v\n0.1,20,2,v\n0.2,30,3,u\n0.4,50,5,u\n0.5,60,6,u\n0.6,70,7,\n")
    #expect(found.count == 3 && found.labels == ["u", "v"])
    // Row by row a and b; what is missing lies between its neighbours.
    #expect(found.item(0) == ["x": [1, 10, 2, 20, 3, 30], "hIn": [0, 0, 0, 0], "target": [1]])
    #expect(found.item(1) == ["x": [3, 30, 4, 40, 5, 50], "hIn": [0, 0, 0, 0], "target": [0]])
    #expect(found.item(2)["x"] == [5, 50, 6, 60, 7, 70] && found.item(2)["target"] == [0])
    #expect((0..<3).map(found.whole) == [1, 2, 2])
    #expect(found.faults == "1 reading missing" && found.unlabelled == 0)
  }

  @Test func recordingsAndGapsAreApart() throws {
    let table =
      "who,label,a,b\nx,u,1,1\nx,u,2,2\nx,u,3,3\ny,u,4,4\ny,u,5,5\ny,u,6,6\ny,,7,7\ny,,8,8\ny,,9,9\n"
    let found = try windows(table, hop: 3, recording: "who")
    #expect(found.count == 2 && found.unlabelled == 1)
    #expect(found.item(1)["x"]?.first == 4)
    #expect(found.whole(of: 0) != found.whole(of: 1))
    let gap = try windows("time,label,a,b\n0,u,1,1\n0.1,u,2,2\n0.9,u,3,3\n1,u,4,4\n1.1,u,5,5\n")
    #expect(gap.count == 1 && gap.item(0)["x"]?.first == 3)
  }

  @Test func recordingsAreHeldBackWhole() throws {
    let rows = ["x", "y", "z"].flatMap { who in "uuuvvvuuu".map { "\(who),\($0),1,1\n" } }.joined()
    let found = try windows("who,label,a,b\n" + rows, hop: 3, recording: "who")
    #expect(Dictionary(grouping: 0..<found.count, by: found.whole).values.map(\.count) == [3, 3, 3])
    // Of one recording, stretches with one label.
    let one = try windows("label,a,b\n" + "uuuvvvuuu".map { "\($0),1,1\n" }.joined(), hop: 3)
    #expect(Set((0..<one.count).map(one.whole)).count == 3)
  }

  @Test func timesAreThoseOfTheColumn() throws {
    let model = try Model(Self.text)
    let path = try place.make("r.csv", "stamp,a,b,label\n0,1,1,u\n100,2,2,u\n300,4,4,u\n")
    let found = try ReadingWindows(path, for: model, time: .init("stamp", unit: .ms), labels: ["u"])
    #expect(found.count == 1 && found.item(0)["x"] == [1, 1, 2, 2, 3, 3])
  }

  @Test func labelsOfNoWindowAreCounted() throws {
    let table = "a,b,label\n" + "uuvwwuwwv".map { "1,1,\($0)\n" }.joined()
    let found = try ReadingWindows(place.make("r.csv", table), for: Model(Self.text), hop: 3)
    #expect(found.labels == ["u", "w"] && found.count == 3)
    #expect(found.outvoted.mapValues(\.count) == ["v": 2] && found.outvoted["v"]?.line == 4)
  }

  @Test func aHopAndATableThatCannotBeAreRefused() throws {
    let model = try Model(Self.text)
    let path = try place.make("r.csv", "a,b,label\n1,2,u\n")
    #expect(throws: RequestError.self) { try ReadingWindows(path, for: model, hop: 0) }
    let pipe = place("pipe.csv")
    try #require(unsafe mkfifo(pipe, 0o600) == 0)
    #expect(!ReadingWindows.describes(pipe, for: model, extents: [:]))
    let error = #expect(throws: TrainingError.self) { try ReadingWindows(pipe, for: model) }
    #expect("\(error!)" == "\(pipe): is no ordinary file; a table is read more than once")
  }

  @Test func whatIsNoTableOfReadingsSaysWhy() throws {
    func refusal(_ table: String, text: String = Self.text) -> String {
      do {
        _ = try windows(table, text: text)
        return "none"
      } catch { return "\(error)".replacing(place("r.csv"), with: "r.csv") }
    }
    #expect(refusal("a,b\n1,2\n") == "r.csv:1: no column is called 'target'; there are 'a', 'b'")
    #expect(refusal("a,b,label\n1,2,u\n") == "r.csv: no window of 3 readings with a label is in it")
    #expect(refusal("a,b,label\n1,2,w\n1,2,w\n1,2,w\n") == "r.csv:2: 'w' is no class; there are 'u', 'v'")
    // Also where its neighbours are more.
    #expect(refusal("a,b,label\n1,2,u\n1,2,u\n1,2,w\n") == "r.csv:4: 'w' is no class; there are 'u', 'v'")
    #expect(
      refusal("a,b,label\n1,2,u\n", text: Self.text.replacing("\"sampleRate\": 10,", with: ""))
        == "r.csv: nothing says how many readings there are in a second; \"sampleRate\" in the model's file does"
    )
    let model = try Model(Self.text)
    #expect(try !ReadingWindows.describes(place.make("x.csv", "x.0,x.1,label\n"), for: model, extents: [:]))
    #expect(!ReadingWindows.describes(place("none.csv"), for: model, extents: [:]))
  }
}
