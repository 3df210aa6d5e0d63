// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Legato
import Listening
import TestEquipment
import Testing

/// Lines that are as they should be, and lines that are not.
@Suite struct LineReadingsTests {
  private let place: TemporaryFolder

  init() throws { place = try TemporaryFolder() }

  /// A model of windows of four readings of the columns a and b.
  private static let model = """
    { "legato": 1, "name": "M", "clock": "step", "sampleRate": 10, "inputs": { "x": { "shape": [4, 2] } },
      "graph": { "p": "mean(x, axis: 0)" }, "outputs": [{ "name": "p", "labels": ["u", "v"] }],
      "listen": { "columns": ["a", "b"] } }
    """

  struct Come {
    var events: [ReadingEvent] = []
    var messages: [String] = []
    var faults = ReadingFaults()
    /// All numbers, without what parts them.
    var numbers: [Float] {
      events.flatMap { if case .readings(let numbers, _) = $0 { numbers } else { [Float]() } }
    }
    /// All times, without what parts them.
    var times: [Double] {
      events.flatMap { if case .readings(_, let times?) = $0 { times } else { [Double]() } }
    }
  }

  private func read(
    _ text: String, model: String = Self.model, time: LineReadings.TimeColumn? = nil, recording: String? = nil
  ) throws -> Come {
    let path = try place.make("r.csv", Array(text.utf8))
    let form = try Listener(Model(model)).form
    let source = try LineReadings(path, for: form, rate: 10, time: time, recording: recording)
    final class Lines { var all: [String] = [] }
    let lines = Lines()
    source.onFault = { lines.all.append($0.replacing(path, with: "r.csv")) }
    var come = Come()
    while true {
      let event = try source.next()
      if event == .ended { break }
      come.events.append(event)
    }
    (come.messages, come.faults) = (lines.all, source.faults)
    return come
  }

  private func refusal(_ text: String, time: LineReadings.TimeColumn? = nil, recording: String? = nil) throws
    -> String
  {
    let error = #expect(throws: ListeningError.self) { try read(text, time: time, recording: recording) }
    return error?.description.replacing(place("r.csv"), with: "r.csv") ?? ""
  }

  @Test(arguments: [
    "a,b\n1,2\n3,4\n", "a,b\n1,2\n3,4", "\u{FEFF}a,b\r\n1,2\r\n\r\n3,4\r\n", "b;a;c\n2;1;x\n4;3;y\n",
    "a\tb\n1\t2\n3\t4\n", "c,b,\"a\"\n\"x, \"\"y\"\"\",2,\"1\"\n,4,3\n", "1,2\n3,4\n",
    " a , b \n 1 , 2 \n 3 , 4 \n",
    "time,b,a\n0,2,1\n0.1,4,3\n",
  ])
  func columnsAreFoundByTheirNames(text: String) throws {
    let come = try read(text)
    #expect(come.numbers == [1, 2, 3, 4])
    #expect(come.faults.isEmpty && come.faults.taken == 2 && come.messages.isEmpty)
  }

  @Test func columnsWithoutNamesAreTakenInOrder() throws {
    let model = Self.model.replacing(", \n  \"listen\": { \"columns\": [\"a\", \"b\"] }", with: "")
      .replacing(#""listen": { "columns": ["a", "b"] }"#, with: #""listen": { "window": 4 }"#)
    #expect(try read("time,p,q\n0,1,2\n", model: model).numbers == [1, 2])
    #expect(try read("x.1,x.0,more\n2,1,5\n", model: model).numbers == [1, 2])
    #expect(throws: ListeningError.self) { try read("time,p,q,r\n0,1,2,3\n", model: model) }
  }

  @Test func malformedLinesAreMadeOfTheirNeighbours() throws {
    let come = try read("a,b\n1,2\n1\n3,x\n4,5\n\"4,5\nnan,1\n1e99,3\n")
    #expect(come.numbers == [1, 2, 2, 3, 3, 4, 4, 5])
    #expect(come.faults.count(.malformed) == 5)
    #expect(
      come.messages == [
        "r.csv:3: the line has 1 field, and the first one 2",
        "r.csv:4: column 'b': 'x' is no finite number",
        "r.csv:6: a quote is not closed; more of this kind are only counted",
      ])
    #expect(come.faults.summary == "5 lines malformed")
  }

  @Test func aReadingIsMalformedOrMissing() throws {
    // Of the places 1 to 3 one has a line, with a time or without one, and at the end it is the only one.
    for line in ["0.2,x,1", "0.2,1"] {
      let come = try read("time,a,b\n0,0,0\n\(line)\n0.4,4,4\n0.5,y,1\n")
      #expect(come.numbers == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4])
      #expect(come.faults.summary == "2 lines malformed, 2 readings missing")
    }
    // What is malformed beside the readings takes nothing away from what is missing later.
    let come = try read("time,a,b\n?\n0,0,0\n?\n0.1,1,1\n0.3,3,3\n")
    #expect(come.faults.summary == "2 lines malformed, 1 reading missing")
  }

  @Test func linesThatAreNoTextAreMalformed() throws {
    let text = Array("a,b\n1,2\n1,?\n3,4\n".utf8).map { $0 == UInt8(ascii: "?") ? 0xFF : $0 }
    let path = try place.make("r.csv", text)
    let source = try LineReadings(path, for: Listener(Model(Self.model)).form, rate: 10)
    var messages: [String] = []
    source.onFault = { messages.append($0.replacing(path, with: "r.csv")) }
    #expect(try source.next() == .readings([1, 2, 2, 3, 3, 4]))
    #expect(messages.first == "r.csv:3: the line is no text of UTF-8")
  }

  @Test func timesGiveEachReadingAPlace() throws {
    let come = try read(
      """
      time,a,b
      10.0,0,0
      10.12,1,10
      10.12,9,9
      10.4,4,40
      10.3,9,9
      10.5,,9
      10.6,6,60

      """)
    #expect(come.numbers == [0, 0, 1, 10, 2, 20, 3, 30, 4, 40, 5, 50, 6, 60])
    // What is missing lies between its neighbours in time, too.
    let times = [10, 10.12, 10.12 + 0.28 / 3, 10.12 + 0.56 / 3, 10.4, 10.5, 10.6]
    #expect(zip(come.times, times).allSatisfy { abs($0 - $1) < 1e-12 } && come.times.count == times.count)
    #expect(come.faults.count(.duplicate) == 1 && come.faults.count(.late) == 1)
    #expect(come.faults.count(.missing) == 2 && come.faults.count(.malformed) == 1)
    #expect(
      come.messages == [
        "r.csv:4: the time 10.12 s is that of the reading before, at 10 Hz",
        "r.csv:5: 2 readings are missing before this one",
        "r.csv:6: the time 10.3 s comes after later ones",
        "r.csv:7: column 'a': '' is no finite number",
      ])
  }

  @Test(arguments: [
    ("t", LineReadings.TimeColumn.Unit.s, 0.1), ("t", .ms, 100), ("t", .us, 1e5), ("t", .ns, 1e8),
  ])
  func timesHaveUnits(name: String, unit: LineReadings.TimeColumn.Unit, step: Double) throws {
    let lines = [0, 1, 3].map { "\(1_700_000_000_0.0 * step + Double($0) * step),\($0),0" }
    let come = try read((["t,a,b"] + lines).joined(separator: "\n"), time: .init(name, unit: unit))
    #expect(come.numbers == [0, 0, 1, 0, 2, 0, 3, 0])
    #expect(zip(come.times, 0...3).allSatisfy { abs($0 - 1_700_000_000 - Double($1) / 10) < 1e-6 })
    #expect(come.times.count == 4)
  }

  @Test func clocksMayBeAPercentOff() throws {
    // 9.9 Hz, and each time wavers by a seventh of a step.
    let lines = (0..<2000).map { n in
      "\(Double(n) / 9.9 + (n % 3 == 0 ? 0.014 : n % 3 == 1 ? -0.014 : 0)),1,2"
    }
    let come = try read("time,a,b\n" + lines.joined(separator: "\n"))
    #expect(come.faults.isEmpty, "\(come.faults.summary)")
    #expect(come.numbers.count == 4000)
    #expect(abs((come.faults.seenRate ?? 0) - 9.9) < 0.05)
  }

  @Test func aPauseIsNoOtherRate() throws {
    func rate(_ times: [Double]) throws -> Double {
      try read("time,a,b\n" + times.map { "\($0),1,2\n" }.joined()).faults.seenRate ?? 0
    }
    let times = (0..<60).map { Double($0) / 10 }
    #expect(abs(try rate(times.map { $0 < 2 ? $0 : $0 + 3.5 }) - 10) < 0.01)
    // Where each step is one, the rate is another.
    #expect(abs(try rate(times.map { $0 * 10 }) - 1) < 0.01)
  }

  @Test func whatIsMissingIsCountedWithoutEnd() throws {
    let lines = (0..<10_000).map { "\(Double($0) * 1e14),1,2\n" }.joined()
    let come = try read("time,a,b\n" + lines)
    #expect(come.faults.taken == 10_000 && come.faults.count(.missing) == 9999 * 1_000_000_000)
    let malformed = try read("time,a,b\n" + lines.replacing(",1,", with: ",x,") + "1e20,1,2\n")
    #expect(malformed.faults.taken == 1 && malformed.faults.count(.malformed) == 10_000)
  }

  @Test func truthIsKnownAcrossGaps() throws {
    let times = (0..<4).map { Double($0) / 10 }
    let rows =
      times.map { "\($0),1,2,u\n" } + times.map { "\($0 + 1),1,2,v\n" } + times.map { "\($0 + 1e12),1,2,w\n" }
    let path = try place.make("r.csv", Array(("time,a,b,is\n" + rows.joined()).utf8))
    var listener = try Listener(Model(Self.model))
    let source = try LineReadings(path, for: listener.form, rate: 10, truth: "is")
    var truths: [String?] = []
    try listener.listen(to: source) { truths.append(source.truth(of: $0)) }
    #expect(truths == ["u", "v", "w"])
    #expect(source.truth(from: 0, to: 4) == nil, "what has passed is let go")
  }

  @Test func behindALongGapAllBeginsAnew() throws {
    let come = try read("time,a,b\n0,1,2\n0.4,3,4\n0.9,5,6\n")
    // Three are made, four are not: that is a window.
    #expect(come.events.count == 3)
    #expect(come.events[1] == .gap(4))
    #expect(come.events[2] == .readings([5, 6], times: [0.9]))
    #expect(come.numbers.count == 12)
  }

  @Test func timesThatBeginAnewAreTakenForWhatTheyAre() throws {
    let times = [5.0, 5.1, 0.0, 0.1, 0.2, 0.3, 0.4, 0.5]
    let come = try read("time,a,b\n" + times.map { "\($0),\($0),0\n" }.joined())
    #expect(come.faults.count(.late) == 5)
    #expect(
      come.events == [
        .readings([5, 0, 5.1, 0], times: [5, 5.1]), .gap(0), .readings([0.4, 0, 0.5, 0], times: [0.4, 0.5]),
      ])
    #expect(come.messages.last == "r.csv:8: times begin anew here")
  }

  @Test func recordingsAreTold() throws {
    let come = try read("who,time,a,b\nx,0,1,2\nx,0.1,3,4\ny,0,5,6\n", recording: "who")
    #expect(
      come.events == [
        .recording("x"), .readings([1, 2, 3, 4], times: [0, 0.1]), .recording("y"),
        .readings([5, 6], times: [0]),
      ])
    #expect(come.faults.isEmpty)
  }

  @Test func whatCannotBeReadSaysWhy() throws {
    let cases = [
      ("", "r.csv: is empty; a first line names the columns"),
      ("a,b\n", "r.csv: has no lines below the names of its columns"),
      ("a,b\nx,y\n1\n", "r.csv: no line is a reading: 2 lines malformed"),
      ("a,c\n1,2\n", "r.csv:1: no column is called 'b'; there are 'a', 'c'"),
      ("a,b,a\n1,2,3\n", "r.csv:1: two columns are called 'a'"),
      (
        "1,2,3\n",
        "r.csv:1: 3 numbers without names, and the model takes 2 columns ('a', 'b'); a first line names the columns"
      ),
      ("\"a,b\n", "r.csv:1: a quote is not closed"),
      ("a,\u{0}b\n", "r.csv:1: is no text of UTF-8; readings come one a line"),
    ]
    for (text, message) in cases { #expect(try refusal(text) == message) }
    #expect(try refusal("tme,a,b\n0,1,2\n", time: .init("time")).contains("did you mean 'tme'?"))
    #expect(try refusal("a,b\n1,2\n", recording: "id").contains("no column is called 'id'"))
    let form = try Listener(Model(Self.model)).form
    let error = #expect(throws: ListeningError.self) {
      _ = try LineReadings(place("none.csv"), for: form, rate: 10)
    }
    guard case .absent(let text)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(text == "\(place("none.csv")): cannot be read: No such file or directory")
  }

  @Test func aFolderAndWhatIsNoTextAreNoReadings() throws {
    let form = try Listener(Model(Self.model)).form
    let folder = try LineReadings(place.path, for: form, rate: 10)
    let error = #expect(throws: ListeningError.self) { try folder.next() }
    #expect(error?.description.hasSuffix("Is a directory") == true)
    let path = try place.make("noise", (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 % 251 + 200) })
    let noise = try LineReadings(path, for: form, rate: 10)
    #expect(throws: ListeningError.self) { while try noise.next() != .ended {} }
  }

  /// A serial line that goes is no end of a file; one that is typed on a terminal is, and so is that of a pipe.
  @Test(arguments: ["", "3,4"]) func aLineThatHangsUpIsAbsent(rest: String) throws {
    let form = try Listener(Model(Self.model)).form
    for isEnded in [false, true] {
      let line = unsafe open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
      // TIOCSPTLCK and TIOCGPTN, which Swift does not see.
      var (isLocked, number) = (Int32(0), Int32(0))
      unsafe try #require(ioctl(line, 0x4004_5431, &isLocked) == 0)
      unsafe try #require(ioctl(line, 0x8004_5430, &number) == 0)
      func write(_ text: String) { _ = unsafe Glibc.write(line, text, text.utf8.count) }
      let path = "/dev/pts/\(number)"
      let source = try LineReadings(path, for: form, rate: 10)
      write("a,b\n1,2\n" + rest)
      var event = try source.next()
      while event == .nothing { event = try source.next() }
      #expect(event == .readings([1, 2]))
      // Behind the rest of a line the end has to be said twice.
      if isEnded { write("\u{4}\u{4}") } else { close(line) }
      var found: ListeningError?
      do { while try source.next() != .ended {} } catch { found = error }
      #expect(found == (isEnded ? nil : .absent("\(path): the line has hung up")))
      if isEnded { close(line) }
    }
  }

  /// A line that is there comes at once: nobody waits for a thousand of them.
  @Test func aPipeIsReadAsItComes() throws {
    let path = place("pipe")
    try #require(unsafe mkfifo(path, 0o600) == 0)
    // Both ends, so that neither waits for the other.
    let writer = unsafe open(path, O_RDWR)
    defer { close(writer) }
    func write(_ text: String) { _ = unsafe Glibc.write(writer, text, text.utf8.count) }
    let source = try LineReadings(path, for: Listener(Model(Self.model)).form, rate: 10)
    #expect(try source.next() == .nothing)
    write("a,b\n1,2\n3,")
    #expect(try source.next() == .readings([1, 2]))
    #expect(try source.next() == .nothing)
    write("4\n5,6\n")
    #expect(try source.next() == .readings([3, 4, 5, 6]))
  }
}
