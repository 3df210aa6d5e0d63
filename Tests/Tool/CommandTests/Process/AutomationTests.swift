// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestEquipment
import Testing

@Suite("Command: --automate", .waits)
struct AutomationTests {
  private let tool: Tool
  private static let frames = 600

  init() throws {
    tool = try Tool()
    try tool.make("m.json", TestModels.unit("dB"))
    try Sound.waves(channels: 1, frames: Self.frames).write(tool.path("in.wav"))
  }

  /// The value of the model's parameter in each frame; sounds of the tests have 48,000 of them in a second.
  private func values(_ points: String, _ options: String...) throws -> [Float] {
    try tool.make("auto.csv", points)
    let run = try tool.run(
      ["process", "m.json", "in.wav", "out.wav", "--force", "--bits", "float", "--automate", "auto.csv"]
        + options)
    #expect(run.code == 0, "\(run.messages)")
    return try Sound.read(tool.path("out.wav")).samples[0]
  }

  /// A line from one frame to another, without the first.
  private func line(_ first: Float, _ last: Float, _ frames: Int) -> [Float] {
    let step = (last - first) / Float(frames)
    return (1..<frames).map { first.addingProduct(Float($0), step) } + [last]
  }

  private func hold(_ value: Float, _ frames: Int) -> [Float] { Array(repeating: value, count: frames) }

  @Test(
    "lines and steps are exact in each frame, whatever the block",
    arguments: ["1", "7", "64", "1000", "4096"])
  func exact(block: String) throws {
    // Frames 48, 148, 150, 200, 300, 500.
    let points = """
      time, parameter, value
      0.001, p, 3dB      # holds from the beginning
      148e-6 ,p,3
      """.replacing("148e-6 ,p,3", with: "0.003083333333,p,-7\n3.125ms,p,2,step\n\n0.004166666667,p,4,step")
        + """

        0.00625,p,1
        0.010416666667,p,1
        """
    let expected =
      hold(3, 49) + line(3, -7, 100) + hold(-7, 1) + hold(2, 50) + hold(4, 1) + line(4, 1, 100) + hold(1, 299)
    #expect(try values(points, "--block", block) == expected)
  }

  @Test("a first point that is a step leaves the parameter what it was; points of one frame jump")
  func beginnings() throws {
    #expect(try values("0.001,p,2,step", "--set", "p=5") == hold(5, 48) + hold(2, 552))
    #expect(try values("0,p,1\n0.001,p,1\n0.001,p,9", "--set", "p=5") == hold(1, 48) + hold(9, 552))
    #expect(
      try values("\u{FEFF}time,parameter,value\r\n0,p,1\r\n0.001,p,2,step\r\n") == hold(1, 48) + hold(2, 552))
  }

  @Test(
    "columns may have titles, as the article words them",
    arguments: ["seconds,parameter,value", "# a comment\nTime (s), name, value, way", "time,parameter,value"])
  func titles(row: String) throws {
    #expect(try values("\(row)\n0,p,1\n0.001,p,2,step") == hold(1, 48) + hold(2, 552))
  }

  @Test("curves follow their formulas in each frame, whatever the block", arguments: ["7", "4096"])
  func curves(block: String) throws {
    let points = "0,p,200\n0.005,p,8000,exponential\n0.01,p,300,smooth"
    let found = try values(points, "--block", block)
    for frame in 0..<Self.frames {
      let share = Double(frame % 240) / 240
      let exact =
        switch frame {
        case 0..<240: 200 * pow(40, share)
        case 240..<480: 8000 - 7700 * share * share * (3 - 2 * share)
        default: 300.0
        }
      #expect(abs(Double(found[frame]) - exact) < 2e-3, "frame \(frame)")
    }
  }

  @Test("without a word a parameter moves as its scale is")
  func ownScale() throws {
    try tool.make(
      "m.json",
      TestModels.unit("dB").replacing("\"minimum\": -100", with: "\"minimum\": 1, \"scale\": \"logarithmic\"")
        .replacing("\"default\": 0", with: "\"default\": 1"))
    let found = try values("0,p,200\n0.01,p,8000")
    #expect(abs(found[240] - 1264.911) < 0.01)
    #expect(abs(try values("0,p,200\n0.01,p,8000,linear")[240] - 4100) < 0.01)
  }

  @Test("a search for numbers that are not finite moves parameters as well")
  func check() throws {
    try tool.make(
      "m.json",
      """
      { "legato": 1, "name": "Test", "inputs": { "x": { "shape": ["frames"] } },
        "parameters": { "p": { "default": 1, "minimum": -1, "maximum": 1 } },
        "graph": { "y": "x * 0 + 1 / p" }, "outputs": ["y"] }
      """)
    try tool.make("auto.csv", "0,p,1\n0.002,p,0,step\n0.003,p,1,step")
    let run = try tool.run(
      "process", "m.json", "in.wav", "out.wav", "--automate", "auto.csv", "--check", "non-finite")
    #expect(run.code == 4 && run.messages.contains("frame 96"), "\(run.messages)")
  }

  @Test("all that is wrong with a file is said at once, each with its line")
  func wrong() throws {
    try tool.make(
      "auto.csv",
      """
      time,parameter,value
      0,p,1
      0,q,1
      nan,p,1
      1,p,nan
      1,p,1e9
      -1,p,1
      1,p,2
      0.5,p,2
      2,p
      2,p,1,stp
      2,p,1Hz
      2,p,0,exponential
      """)
    let before = try tool.names
    let run = try tool.run("process", "m.json", "in.wav", "out.wav", "--automate", "auto.csv")
    #expect(
      run.lines == [
        "auto.csv:3: 'Test' has no parameter 'q'; it has p, bypass and mix",
        "auto.csv:4: 'nan' is no time; write seconds, such as 2.5 or 250ms",
        "auto.csv:5: not a number; p takes -100 to 20000 dB",
        "auto.csv:6: out of range; p takes -100 to 20000 dB",
        "auto.csv:7: the time '-1' does not lie within 0 to 1000000000 s",
        "auto.csv:9: 0.5 s comes after 1 s of p in line 8; the points of a parameter follow one another",
        "auto.csv:10: a row has a time, a parameter, a value and perhaps a way; this has 2 columns",
        "auto.csv:11: the fourth column is linear, exponential, smooth, step or empty, not 'stp'",
        "auto.csv:12: p counts dB, not 'Hz'; write the number alone",
        "auto.csv:13: p goes from 2 to 0, and an exponential way neither to 0 nor through it; write linear, or end it "
          + "beside 0",
      ])
    #expect(try run.code == 1 && tool.names == before)
  }

  @Test(
    "a file that is none",
    arguments: [
      ("no.csv", "no.csv: no such file"), (".", ".: is a folder, not a file of points"),
      ("in.wav", "in.wav: is not UTF-8 text"),
      ("empty.csv", "empty.csv: there are no points; a row is a time in seconds, a parameter and a value"),
    ])
  func noFile(_ path: String, _ message: String) throws {
    try tool.make("empty.csv", "# nothing\n\ntime,parameter,value\n")
    let run = try tool.run("process", "m.json", "in.wav", "out.wav", "--automate", path)
    #expect(run.code == 1 && run.lines == [message], "\(run.messages)")
  }

  @Test(
    "names with any bytes",
    arguments: [
      ("a\\351.csv", "a\\xE9.csv"), ("e\\314\\201.csv", "e\u{301}.csv"),
      ("\\356\\276\\251", "\\xEE\\xBE\\xA9"),
    ])
  func names(_ name: String, _ shown: String) throws {
    func run(_ value: String) throws -> ProgramRun {
      try tool.shell(
        "n=$(printf '\(name)'); printf '0,p,\(value)' > \"$n\"; "
          + "$LEGATO process m.json in.wav out.wav --force --bits float --automate \"$n\"")
    }
    #expect(try run("3").code == 0)
    #expect(try Sound.read(tool.path("out.wav")).samples[0] == hold(3, Self.frames))
    #expect(try run("x").lines == ["\(shown):1: not a number; p takes -100 to 20000 dB"])
    let missing = try tool.shell(
      "$LEGATO process m.json in.wav no.wav --automate \"$(printf 'no\(name)')\"")
    #expect(missing.lines == ["no\(shown): no such file"], "\(missing.messages)")
  }

  @Test("points may come from a pipe")
  func pipe() throws {
    let run = try tool.shell(
      "printf '0,p,3' | $LEGATO process m.json in.wav out.wav --bits float --automate /dev/stdin")
    #expect(run.code == 0, "\(run.messages)")
    #expect(try Sound.read(tool.path("out.wav")).samples[0] == hold(3, Self.frames))
  }

  @Test("a parameter that steps moves in steps only")
  func stepped() throws {
    try tool.make(
      "m.json", TestModels.unit("dB").replacing("\"default\": 0,", with: "\"default\": 0, \"ramp\": 0,"))
    #expect(try values("0,p,1\n0.001,p,2,step\n0.002,p,2") == hold(1, 48) + hold(2, 552))
    try tool.make("auto.csv", "0,p,1\n0.001,p,2")
    let run = try tool.run("process", "m.json", "in.wav", "x.wav", "--automate", "auto.csv")
    #expect(
      run.lines == ["auto.csv:2: p steps and cannot move on a line; write step in the fourth column"])
  }
}
