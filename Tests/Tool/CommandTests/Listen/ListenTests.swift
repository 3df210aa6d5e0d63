// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import TestEquipment
import Testing
import VirtualCards

/// `legato listen`: readings in, labels out.
@Suite("Command: listen", .waits)
struct ListenTests {
  private let tool: Tool

  init() throws {
    tool = try Tool()
    try tool.make("m.json", Self.means)
    try tool.make("loud.json", Self.loudness)
    try tool.make("r.csv", Self.readings)
  }

  /// Which of two columns has the larger mean, over two readings.
  static let means = """
    { "legato": 1, "name": "Means", "clock": "step", "sampleRate": 2, "inputs": { "x": { "shape": [2, 2] } },
      "graph": { "p": "mean(x, axis: 1)" }, "outputs": [{ "name": "p", "labels": ["low", "high"] }],
      "listen": { "columns": ["a", "b"] } }
    """

  /// Whether a tenth of a second of sound has some power.
  static let loudness = """
    { "legato": 1, "name": "Loudness", "clock": "step", "sampleRate": 16000, "inputs": { "sound": { "shape": [1600] } },
      "graph": { "power": "reshape(mean(sound * sound, axis: 0), [1])",
                 "loud": "min(1000 * power, 1)", "p": "concatenate([1 - loud, loud])" },
      "outputs": [{ "name": "p", "labels": ["silence", "sound"] }] }
    """

  private static let readings = """
    time,b,a,is
    0,1,0,high
    0.5,0.5,0,high
    1,0,1,low
    1.5,0.25,0,high
    2,1,0,high
    2.5,1,0,
    3,0.5,0,low

    """

  @Test("a table, with what is said beside it")
  func table() throws {
    let run = try tool.run("listen", "m.json", "--csv", "r.csv")
    #expect(run.code == 0)
    #expect(
      run.output == """
           begin       end  label  probability    low   high
           0.000     1.000  high         0.750  0.000  0.750
           1.000     2.000  low          0.500  0.500  0.125
           2.000     3.000  high         1.000  0.000  1.000

        """)
    #expect(run.lines == ["m.json: windows of 2 readings (1 s) of 2 columns ('a', 'b')"])
  }

  @Test("lines, objects and tracks of labels say the same")
  func formats() throws {
    func output(_ options: String...) throws -> String {
      let run = try tool.run(["listen", "m.json", "--csv", "r.csv", "--quiet"] + options)
      #expect(run.code == 0 && run.messages.isEmpty, "\(run.messages)")
      return run.output
    }
    #expect(
      try output("--format", "lines")
        == "0.000\t1.000\thigh\t0.750\n1.000\t2.000\tlow\t0.500\n2.000\t3.000\thigh\t1.000\n")
    #expect(
      try output("--format", "labels", "--hop", "2")
        == "0.000000\t1.000000\thigh\n1.000000\t2.000000\tlow\n2.000000\t3.000000\thigh\n")
    let first =
      #"{"begin":0,"end":1,"label":"high","probabilities":{"high":0.75,"low":0},"probability":0.75,"window":0}"#
    for option in [["--json"], ["--format", "json"]] {
      let run = try tool.run(["listen", "m.json", "--csv", "r.csv", "--quiet"] + option)
      #expect(run.output.split(separator: "\n").first.map(String.init) == first)
    }
  }

  @Test("what was taken for what is counted")
  func truth() throws {
    let run = try tool.run("listen", "m.json", "--csv", "r.csv", "--truth", "is", "--hop", "1")
    #expect(run.code == 0)
    #expect(
      run.output.hasSuffix(
        """
        actual, by what it was taken for; right: 50.00 %
                low  high
          low   0    1
          high  2    3

        """), "\(run.output)")
    let object = try tool.run("listen", "m.json", "--csv", "r.csv", "--truth", "is", "--json", "--hop", "1")
    #expect(object.output.hasSuffix("\"counts\":[[0,1],[2,3]],\"labels\":[\"low\",\"high\"]}\n"))
    let lines = try tool.run("listen", "m.json", "--csv", "r.csv", "--truth", "is", "--format", "lines")
    #expect(lines.lines.contains("r.csv: 66.67 % of 3 windows are right"), "\(lines.messages)")
    // A label that is spelled otherwise is outvoted in its window, and told all the same.
    try tool.make("odd.csv", "a,b,is\n1,0,low\n1,0,low\n0,1,hihg\n0,1,high\n0,1,hop\n0,1,hop\n")
    let odd = try tool.run("listen", "m.json", "--csv", "odd.csv", "--truth", "is", "--format", "lines")
    #expect(
      odd.messages.split(separator: "\n").suffix(4) == [
        "odd.csv:4: 'hihg' is no label of the model, and windows that are mostly it are not judged; did you mean 'high'?",
        "odd.csv:6: 'hop' is no label of the model, and windows that are mostly it are not judged; there are 'low', 'high'",
        "odd.csv: 100.00 % of 2 windows are right",
        "odd.csv: 3 readings with labels that the model has not",
      ], "\(odd.messages)")
    // Of a stream that never ends no more than the first few are kept.
    let many = (0..<9).map { "1,0,low\n0,1,l\($0)\n" }.joined()
    try tool.make("many.csv", "a,b,is\n" + many)
    let counted = try tool.run("listen", "m.json", "--csv", "many.csv", "--truth", "is", "--format", "lines")
    let told = counted.messages.split(separator: "\n")
    #expect(told.filter { $0.contains("is no label of the model") }.count == 3, "\(counted.messages)")
    #expect(told.last == "many.csv: 9 readings with labels that the model has not", "\(counted.messages)")
  }

  @Test("a recording begins anew")
  func recordings() throws {
    try tool.make("two.csv", "who,a,b\nx,1,0\nx,1,0\nx,1,0\ny,0,1\ny,0,1\n")
    let run = try tool.run("listen", "m.json", "--csv", "two.csv", "--recording", "who", "--format", "lines")
    #expect(run.output == "0.000\t1.000\tlow\t1.000\tx\n0.000\t1.000\thigh\t1.000\ty\n")
    let table = try tool.run("listen", "m.json", "--csv", "two.csv", "--recording", "who")
    #expect(table.output.contains("\nx:\n") && table.output.contains("\ny:\n"))
  }

  @Test("the standard input is read to its end, and faults are told and counted")
  func standardInput() throws {
    let lines = #"time,a,b\n0,1,0\n0.5,1\n1,1,0\n1,1,0\n0.5,2,2\n1.5,0,1\n"#
    let run = try tool.shell("printf '\(lines)' | $LEGATO listen m.json - --format lines")
    #expect(run.code == 0)
    #expect(run.output == "0.000\t1.000\tlow\t1.000\n1.000\t2.000\tlow\t0.500\n")
    #expect(
      run.lines.dropFirst() == [
        "standard input:3: the line has 2 fields, and the first one 3",
        "standard input:5: the time 1 s is that of the reading before, at 2 Hz",
        "standard input:6: the time 0.5 s comes after later ones",
        "standard input: 3 readings taken; 1 line malformed, 1 line duplicate, 1 line late",
      ], "\(run.messages)")
  }

  @Test("a standard input that is closed is absent")
  func closedInput() throws {
    let run = try tool.shell("$LEGATO listen m.json - <&-")
    #expect(run.code == 3 && run.lines == ["standard input: is closed"], "\(run.messages)")
  }

  @Test("times in another unit are noticed")
  func unit() throws {
    let rows = (0..<40).map { "\($0 * 500),1,0" }.joined(separator: "\n")
    try tool.make("ms.csv", "t,a,b\n\(rows)\n")
    let run = try tool.run("listen", "m.json", "--csv", "ms.csv", "--time", "t")
    #expect(
      run.messages.contains(
        "its times say 0.002 readings in a second, and the rate is 2, as the model says; the unit of --time may be another one"
      ))
    let right = try tool.run("listen", "m.json", "--csv", "ms.csv", "--time", "t:ms")
    #expect(right.code == 0 && right.lines.count == 1, "\(right.messages)")
  }

  @Test("a file of sound, brought to the model's rate, goes to a track of labels in a file")
  func sound() throws {
    let half = (0..<24_000).map { Float(0.5 * sin(Double($0) / 10)) }
    try tool.make("s.wav", WaveBytes(rate: 48_000, [Array(repeating: 0, count: 24_000) + half]).bytes)
    let run = try tool.run("listen", "loud.json", "--input", "s.wav", "--format", "labels", "-o", "s.txt")
    #expect(run.code == 0 && run.output.isEmpty)
    #expect(
      String(decoding: try tool.bytes("s.txt"), as: UTF8.self)
        == "0.000000\t0.500000\tsilence\n0.500000\t1.000000\tsound\n")
    #expect(run.lines.last == "s.txt: 10 windows")
    let piped = try tool.shell("cat s.wav | $LEGATO listen loud.json --input - --format labels --quiet")
    #expect(piped.code == 0 && piped.output == "0.000000\t0.500000\tsilence\n0.500000\t1.000000\tsound\n")
    let again = try tool.run("listen", "loud.json", "--input", "s.wav", "-o", "s.txt")
    #expect(again.code == 1 && again.lines == ["s.txt: the file exists; --force replaces it"])
    let short = try tool.run(
      "listen", "loud.json", "--input", "s.wav", "--seconds", "0.3", "-o", "s.txt", "--force")
    #expect(short.lines.last == "s.txt: 3 windows")
  }

  @Test("a device is heard, and one that goes ends it with what was heard before")
  func device() throws {
    var settings = CardSettings {
      $0.rates = 48_000
      $0.formats = [.float]
    }
    settings.source = .samples([[Double](repeating: 0.5, count: 96_000)])
    let card = try VirtualCard(settings)
    let run = try tool.run(
      "listen", "loud.json", "--device", "cap", "--seconds", "0.5", "--format", "lines",
      environment: card.environment)
    #expect(run.code == 0, "\(run.messages)")
    #expect(run.output.split(separator: "\n").last == "0.400\t0.500\tsound\t1.000")
    settings.script = [.capture(at: 24_000, .unplug(absences: nil))]
    let other = try VirtualCard(settings)
    let lost = try tool.run(
      "listen", "loud.json", "--device", "cap", "-o", "t.txt", "--format", "labels",
      environment: other.environment)
    #expect(lost.code == 3)
    #expect(lost.lines.last?.contains("the device is gone") == true, "\(lost.messages)")
    #expect(try !tool.bytes("t.txt").isEmpty)
  }

  @Test("an interruption ends it in order: what was heard is written", arguments: [SIGINT, SIGTERM])
  func interruption(number: Int32) throws {
    try tool.makePipe("pipe")
    let running = try tool.start([
      "listen", "m.json", "--csv", "pipe", "--format", "lines", "-o", "out.txt",
    ])
    let writer = unsafe open(tool.path("pipe"), O_WRONLY)
    let text = "a,b\n1,0\n1,0\njunk\n"
    _ = unsafe write(writer, text, text.utf8.count)
    try tool.wait(for: "pipe:4", from: running)
    kill(running.process.processIdentifier, number)
    let run = try running.finish()
    close(writer)
    #expect(run.code == -number)
    #expect(String(decoding: try tool.bytes("out.txt"), as: UTF8.self) == "0.000\t1.000\tlow\t1.000\n")
    #expect(run.lines.contains("out.txt: 1 window"))
  }

  @Test("on a terminal what is live is a view with a bar for each label")
  func view() throws {
    try tool.makePipe("pipe")
    let run = try TerminalRun(
      ["listen", tool.path("m.json"), "--csv", tool.path("pipe"), "--truth", "is"], environment: [:],
      columns: 200,
      rows: 12)
    let writer = unsafe open(tool.path("pipe"), O_WRONLY)
    defer { close(writer) }
    func write(_ text: String) { _ = unsafe Glibc.write(writer, text, text.utf8.count) }
    write("a,b,is\n1,0,high\n0.5,0.25,high\n")
    try run.wait(for: "75 %")
    #expect(run.screen.text.contains("Means") && run.screen.text.contains("q ends it"))
    #expect(run.screen.text.contains("low  ██"), "\(run.screen.text)")
    write("x,y,low\n")
    try run.wait(for: "is no finite number")
    write("0,1,high\n0,1,high\n0,1,high\n")
    try run.wait(for: "100 %")
    try run.terminal.press("q")
    #expect(try run.finish() == 0)
    #expect(run.screen.complaints.isEmpty && run.terminal.isCooked)
    #expect(run.written.contains("1 line malformed"))
    // The table of what was taken for what stands on the terminal behind the view.
    #expect(run.written.contains("actual, by what it was taken for; right: 66.67 %"), "\(run.written)")
  }

  @Test("a table that is listened to is learned from, too")
  func learning() throws {
    try tool.make(
      "learn.json",
      """
      { "legato": 1, "name": "Learn", "clock": "step", "sampleRate": 2, "inputs": { "x": { "shape": [4, 2] } },
        "weights": { "w": [[0, 0], [0, 0]] },
        "graph": { "scores": "dense(mean(x, axis: 0), 'w')", "p": "softmax(scores)" },
        "outputs": [{ "name": "p", "labels": ["low", "high"] }, "scores"],
        "listen": { "columns": ["a", "b"] }, "train": { "loss": "crossEntropy(scores, target)" } }
      """)
    let rows = (0..<80).map { "\($0 / 8 % 2),\(1 - $0 / 8 % 2),\($0 / 8 % 2 == 1 ? "low" : "high")" }
    try tool.make("rows.csv", "a,b,label\n" + rows.joined(separator: "\n") + "\n")
    let run = try tool.run(
      "train", "learn.json", "--data", "rows.csv", "--learning-rate", "0.2", "--epochs", "10", "-o",
      "done.json")
    #expect(run.code == 0, "\(run.messages)")
    #expect(run.messages.contains("18 examples to learn from, 2 held back"), "\(run.messages)")
    let heard = try tool.run(
      "listen", "done.json", "--csv", "rows.csv", "--truth", "label", "--format", "lines")
    #expect(heard.lines.last == "rows.csv: 100.00 % of 20 windows are right", "\(heard.messages)")
    let every = try tool.run("evaluate", "done.json", "--data", "rows.csv", "--hop", "1")
    #expect(every.code == 0 && every.output.contains("actual, by what it was taken for"))
    let times = rows.enumerated().map { "\(500 * $0),\($1)\n" }.joined()
    try tool.make("times.csv", "stamp,a,b,label\n" + times)
    let timed = try tool.run(
      "evaluate", "done.json", "--data", "times.csv", "--hop", "1", "--time", "stamp:ms")
    #expect(timed.code == 0 && timed.output == every.output, "\(timed.messages)")
    let wrong = try tool.run("evaluate", "done.json", "--data", "x=r.csv", "--hop", "1")
    #expect(wrong.code != 0)
  }

  @Test("labels and columns that the model does not name are named")
  func names() throws {
    try tool.make(
      "bare.json",
      """
      { "legato": 1, "name": "Bare", "clock": "step", "inputs": { "x": { "shape": ["t", 2] } },
        "graph": { "p": "mean(x, axis: 0)" }, "outputs": ["p"] }
      """)
    try tool.make("names.txt", "left\nright\n")
    try tool.make("c.csv", "q,p\n1,0\n1,0\n1,0\n")
    let run = try tool.run(
      "listen", "bare.json", "--csv", "c.csv", "--columns", "p,q", "--labels", "names.txt", "--window", "3",
      "--rate", "10",
      "--format", "lines")
    #expect(run.output == "0.000\t0.300\tright\t1.000\n", "\(run.messages)")
  }

  private static let refusals: [(line: String, code: Int32, message: String)] = [
    ("", 2, "listen: MODEL is missing; see --help"),
    ("m.json r.csv", 2, "listen: 'r.csv' is one too many; expected MODEL, or MODEL and -"),
    ("m.json - more", 2, "listen: 'more' is one too many; expected MODEL, or MODEL and -"),
    ("m.json - --csv r.csv", 2, "listen: --csv and - are several sources; name one of them"),
    (
      "m.json --input a.wav --device hw:0", 2,
      "listen: --device and --input are several sources; name one of them"
    ),
    (
      "m.json", 2,
      "listen: the model takes 2 columns ('a', 'b'), and sound is one; --csv FILE, or - for the standard input, has several"
    ),
    ("m.json --csv none.csv", 3, "none.csv: cannot be read: No such file or directory"),
    ("loud.json --input none.wav", 3, "none.wav: no such file"),
    ("loud.json --input r.csv", 1, "r.csv: not an audio file of a known type"),
    ("loud.json --time t", 2, "listen: --time is about lines; --csv FILE or - has some"),
    ("m.json --csv r.csv --seconds 3", 2, "listen: --seconds is about sound; of lines head -n takes some"),
    (
      "m.json --csv r.csv --columns a,,b", 2,
      "listen: --columns takes names between commas, each once, not 'a,,b'"
    ),
    ("m.json --csv r.csv --format xml", 2, "listen: --format takes table, lines, json or labels, not 'xml'"),
    (
      "m.json --csv r.csv --format lines --json", 2,
      "listen: --json and --format lines are two forms; name one"
    ),
    (
      "m.json --csv r.csv --format labels --recording is", 2,
      "listen: --format labels is a track of one recording; --recording has several"
    ),
    (
      "m.json --csv r.csv --rate 3", 2,
      "listen: --rate 3: 'Means' is for 2 readings in a second; leave --rate out"
    ),
    (
      "m.json --csv r.csv --window 3", 2,
      "listen: a window of 3 readings does not fit 'x' [2, 2], which takes 2"
    ),
    ("m.json --csv r.csv --hop 0", 2, "listen: --hop takes a whole number from 1 to 16777216, not '0'"),
    ("m.json --csv r.csv --force", 2, "listen: --force is of use with --output FILE only"),
    (
      "m.json --csv r.csv -o r.csv --force", 2,
      "listen: 'r.csv' is what the result is made of; name another file"
    ),
    ("m.json --csv r.csv --truth as", 1, "r.csv:1: no column is called 'as'; did you mean 'is'?"),
    ("m.json --csv r.csv --time tim", 1, "r.csv:1: no column is called 'tim'; did you mean 'time'?"),
    ("m.json --csv short.csv", 1, "short.csv: no whole window of 2 readings came"),
    (
      "loud.json --csv r.csv --rate 2", 2,
      "listen: --rate 2: 'Loudness' is for 16000 readings in a second; leave --rate out"
    ),
    ("m.json --csv r.csv --bind t=3", 2, "listen: no axis is called 't'; all axes have numbers"),
    (
      "rateless.json --csv r.csv", 2,
      "listen: nothing says how many readings there are in a second; --rate does, or \"sampleRate\" in the model's file"
    ),
    (
      "twins.json --csv r.csv", 2,
      "listen: the output 'p' has two labels 'crane'; what is heard is told apart by them"
    ),
    ("rateless.json --rate 2 --csv r.csv --labels none.txt", 1, "none.txt: no such file"),
  ]

  @Test("what cannot be done is said in one line, and nothing is written", arguments: refusals)
  func refusal(line: String, code: Int32, message: String) throws {
    try tool.make("short.csv", "a,b\n1,2\n")
    try tool.make("twins.json", Self.means.replacing("\"low\", \"high\"", with: "\"crane\", \"crane\""))
    try tool.make("rateless.json", Self.means.replacing("\"sampleRate\": 2, ", with: ""))
    let before = try tool.names
    let run = try tool.run(["listen"] + line.split(separator: " ").map(String.init))
    #expect(run.code == code)
    #expect(run.output.isEmpty)
    #expect(run.lines.last?.hasPrefix(message) == true, "\(run.messages)")
    #expect(run.lines.filter { !$0.contains(": windows of ") }.count == 1, "\(run.messages)")
    #expect(try tool.names == before)
  }
}
