// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestEquipment
import Testing

@Suite("Command: verify", .waits)
struct VerifyTests {
  private let tool: Tool

  init() throws { tool = try Tool() }

  private static let steps = """
    { "legato": 1, "name": "Steps", "inputs": { "x": { "shape": [4] } },
      "graph": { "y": "softmax(x) + 0.5 * delay(y, 3)" }, "outputs": ["y"] }
    """

  @Test("a sound model, for every CPU that runs here", arguments: ["host", "x86-64", "x86-64-v3"])
  func sound(cpu: String) throws {
    let run = try tool.run("verify", Tool.bitcrusher, "--channels", "2", "--cpu", cpu, "--blocks", "100")
    #expect(run.code == 0 && run.messages.isEmpty, "\(run.messages)")
    let lines = run.output.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines[0].hasPrefix("Bitcrusher, 2 channels at 48000 Hz, on "))
    #expect(lines.filter { $0.hasPrefix("  ok  ") }.count == 16, "\(run.output)")
    #expect(!run.output.contains("BROKEN"))
  }

  /// The form of each line; numbers differ from one machine to the other.
  @Test("the table, line by line")
  func table() throws {
    try tool.make("m.json", TestModels.crushing)
    let run = try tool.run("verify", "m.json", "--blocks", "1000", "--block", "64", "--cpu", "x86-64")
    let time = #"\d+(\.\d+)? (ns|µs|ms|s), \d+(\.\d+)?(e-\d+)? % of its time"#
    let patterns = [
      #"Crushing, 1 channel at 48000 Hz, on x86-64"#,
      #""#,
      #"proved: read from the code and the plan, for any input"#,
      #"  ok  symbols          none undefined: the code cannot call anything outside of itself"#,
      #"  ok  calls            \d+, each direct; no recursion, no assembly by hand"#,
      #"  ok  loops end        \d+ counted, of at most \d+ rounds; 1 over tiles, at most a round for each frame"#,
      #"  ok  stack            at most \d+ bytes"#,
      #"  ok  data             none that changes: contexts share code and weights only"#,
      #"  ok  workspace        \d+ bytes, of them 0 state; what is in use together does not overlap"#,
      #"      code             \d+ bytes, and 0 of weights"#,
      #"      cost             \d+ FLOPs and \d+ bytes moved in each frame"#,
      #"      latency          0 frames"#,
      #""#,
      #"tried: on signals, which may miss something"#,
      #"      signal           3000 frames of noise, saws and clicks, 18 changes of parameters"#,
      #"  ok  law 1: blocks    11 ways to split the signal give the same bits"#,
      #"  ok  law 2: meaning   within \S+ of double precision, where \S+ is allowed; \S+ % on a jump, 0 % unbounded"#,
      #"  ok  law 3: reset     the same bits as a fresh context"#,
      #"  ok  law 3: contexts  two contexts do not touch"#,
      #"  ok  law 4: finite    peak \S+ for input up to ±16, parameters moving and at the ends of their ranges"#,
      #"  ok  law 5: latency   0 frames, as planned"#,
      #"  ok  law 6: text      print, parse, print is the identity"#,
      #"  ok  law 7: passes    the same bits without fusion, scheduling, any pass over kernels; \d+ others change nothing here"#,
      #"  ok  law 8: in place  the same bits in place"#,
      #"  ok  edges            nothing is written into inputs, nor beside outputs and the workspace"#,
      #""#,
      #"measured: on this machine, this once; it promises nothing"#,
      #"      timed            1000 blocks of 64 frames, one by one, each with 1.33 ms of time.*"#,
      #"      median           "# + time,
      #"      99.9 %           "# + time,
      #"      worst            "# + time + #": (block \d+|the first block, .*cold)(; \d+ blocks? too late)?"#,
      #"      machine          the thread lost its CPU \d+ times?, and met \d+ page faults?"#,
      #""#,
    ]
    let lines = run.output.components(separatedBy: "\n")
    #expect(lines.count == patterns.count, "\(run.output)")
    for (line, pattern) in zip(lines, patterns) {
      #expect(try Regex(pattern).wholeMatch(in: line) != nil, "\(line) is not \(pattern)")
    }
  }

  @Test("a broken promise is named and exits with 4; times are said all the same")
  func broken() throws {
    try tool.make(
      "loud.json",
      """
      { "legato": 1, "name": "Loud", "inputs": { "x": { "shape": [1, "frames"] } },
        "graph": { "y": "exp(x * x)" }, "outputs": ["y"] }
      """)
    let run = try tool.run("verify", "loud.json", "--blocks", "10")
    #expect(run.code == 4)
    #expect(run.lines == ["loud.json: law 4: finite failed"])
    #expect(run.output.contains("BROKEN  law 4: finite    "))
    #expect(run.output.contains("exp(x * x) is inf at frame"))
    #expect(run.output.contains("10 blocks of 128 frames"))
    let json = try tool.run("verify", "loud.json", "--blocks", "10", "--json")
    let passed = try Self.object(json.output)["passed"] as? Bool
    #expect(json.code == 4 && passed == false)
  }

  /// At this rate no machine is in time; and that is no defect of the code.
  @Test("what is too late breaks nothing")
  func late() throws {
    let run = try tool.run(
      "verify", Tool.bitcrusher, "--block", "1", "--rate", "16000000", "--blocks", "500", "--json")
    #expect(run.code == 0)
    let measured = try #require(try Self.object(run.output)["measured"] as? [String: Any])
    #expect(measured["deadlineNanoseconds"] as? Double == 62.5)
    #expect((measured["worstShareOfDeadline"] as? Double ?? 0) > 1)
    #expect((measured["lateBlocks"] as? Int ?? 0) > 0)
  }

  private static func object(_ text: String) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
  }

  @Test("the same as JSON, with numbers")
  func report() throws {
    try tool.make("m.json", TestModels.crushing)
    let run = try tool.run("verify", "m.json", "--json", "--blocks", "200")
    let report = try Self.object(run.output)
    #expect(
      Set(report.keys) == [
        "model", "cpu", "clock", "channels", "sampleRate", "passed", "proved", "tried", "measured", "lines",
      ])
    #expect(report["model"] as? String == "Crushing" && report["passed"] as? Bool == true)
    #expect(report["clock"] as? String == "stream" && report["sampleRate"] as? Int == 48_000)
    let proved = try #require(report["proved"] as? [String: Any])
    #expect(
      Set(proved.keys) == [
        "undefinedSymbols", "directCalls", "indirectCalls", "inlineAssembly", "recursiveFunctions",
        "countedLoops", "mostRounds", "tileLoops", "stackBytes", "writableDataBytes", "workspaceBytes",
        "stateBytes", "codeBytes", "weightsBytes", "flopsPerFrame", "bytesMovedPerFrame", "latencyFrames",
        "latencyMilliseconds",
      ])
    #expect(proved["undefinedSymbols"] as? [String] == [] && proved["indirectCalls"] as? Int == 0)
    #expect(proved["bytesMovedPerFrame"] as? Int == 8 && (proved["codeBytes"] as? Int ?? 0) > 500)
    let tried = try #require(report["tried"] as? [String: Any])
    #expect(
      Set(tried.keys) == [
        "frames", "noiseSeed", "parameterChanges", "parameterSeed", "splits", "largestDistance", "numbers",
        "shareOnJumps", "shareUnbounded", "peak", "largestInput", "measuredLatencyFrames",
        "optimizationsSwitchedOff", "optimizationsWithoutEffect", "optimizationsThatMayRound", "edgeBlocks",
      ])
    let measured = try #require(report["measured"] as? [String: Any])
    #expect(
      Set(measured.keys) == [
        "blocks", "blockFrames", "clockNanoseconds", "deadlineNanoseconds", "medianNanoseconds",
        "medianShareOfDeadline", "p999Nanoseconds", "p999ShareOfDeadline", "worstNanoseconds",
        "worstShareOfDeadline", "worstBlock", "lateBlocks", "contextSwitches", "pageFaults",
      ])
    #expect(measured["blocks"] as? Int == 200 && measured["blockFrames"] as? Int == 128)
    let lines = try #require(report["lines"] as? [[String: String]])
    #expect(lines.count == 25)
    #expect(lines.allSatisfy { Set($0.keys) == ["group", "name", "outcome", "text"] })
    #expect(lines.filter { $0["outcome"] == "holds" }.count == 16)
  }

  @Test("steps are timed one by one, and are due where a rate says so")
  func steps() throws {
    try tool.make("steps.json", Self.steps)
    let run = try tool.run("verify", "steps.json", "--blocks", "20")
    #expect(run.code == 0, "\(run.messages)")
    #expect(run.output.hasPrefix("Steps, single steps, on "))
    #expect(run.output.contains("\n  -   law 1: blocks    nothing to try: a step is executed whole\n"))
    #expect(run.output.contains("      timed            20 steps, one by one"))
    #expect(!run.output.contains("of its time"))
    let due = try tool.run("verify", "steps.json", "--blocks", "20", "--rate", "1000")
    #expect(due.output.contains("20 steps, one by one, each with 1 ms of time"))
    let wrong = try tool.run("verify", "steps.json", "--block", "64")
    #expect(wrong.code == 2 && wrong.output.isEmpty)
    #expect(
      wrong.lines == [
        "verify: --block is for models with frames; 'Steps' executes single steps (steps.json:1:45)"
      ])
  }

  @Test("no block is timed where none is asked for")
  func untimed() throws {
    let run = try tool.run("verify", Tool.bitcrusher, "--blocks", "0")
    #expect(run.code == 0 && !run.output.contains("measured"))
    let json = try tool.run("verify", Tool.bitcrusher, "--blocks", "0", "--json")
    #expect(try Self.object(json.output)["measured"] == nil)
    let both = try tool.run("verify", Tool.bitcrusher, "--blocks", "0", "--block", "64")
    #expect(both.code == 2)
    #expect(
      both.lines == [
        "verify: --block says which blocks are timed, and --blocks 0 times none; leave one of them out"
      ])
  }

  @Test(
    "impossible blocks are refused",
    arguments: [["--blocks", "-1"], ["--blocks", "x"], ["--block", "0"], ["--block", "1048577"]])
  func refused(options: [String]) throws {
    let run = try tool.run(["verify", Tool.bitcrusher] + options)
    #expect(run.code == 2 && run.output.isEmpty)
    #expect(run.messages.hasPrefix("verify: \(options[0]) takes a whole number from "))
  }

  @Test("blocks that no memory holds are refused before anything else is done")
  func huge() throws {
    let run = try tool.run("verify", Tool.bitcrusher, "--block", "1048576", "--channels", "512")
    #expect(run.code == 1 && run.output.isEmpty)
    #expect(
      run.lines == [
        "verify: a block of 1048576 frames takes more than 2147483648 bytes; time smaller ones"
      ])
  }

  @Test("a line on a terminal says what is being done, and is wiped")
  func progress() throws {
    let shown = try messagesOnTerminal("TERM=xterm $LEGATO verify \(Tool.bitcrusher) --blocks 10")
    #expect(shown.contains("compiling without optimisations") && shown.contains("trying laws 1 to 3"))
    #expect(shown.hasSuffix("\r\u{1B}[K"), "\(shown.debugDescription)")
    for silent in ["TERM=dumb $LEGATO verify", "TERM=xterm $LEGATO verify --quiet"] {
      #expect(try messagesOnTerminal("\(silent) \(Tool.bitcrusher) --blocks 10; echo end >&2") == "end\r\n")
    }
  }

  @Test("a delay that no trial waits for is said")
  func longDelay() throws {
    func signal(delay frames: Int) throws -> String {
      try tool.make(
        "m.json",
        """
        { "legato": 1, "name": "Late", "inputs": { "x": { "shape": ["frames"] } },
          "graph": { "y": "x + delay(x, \(frames))" }, "outputs": ["y"] }
        """)
      let run = try tool.run("verify", "m.json", "--blocks", "0")
      #expect(run.code == 0, "\(run.messages)")
      return run.output.split(separator: "\n").map(String.init).first { $0.contains("signal ") } ?? ""
    }
    #expect(try signal(delay: 4000).hasSuffix("7000 frames of noise, saws and clicks"))
    #expect(
      try signal(delay: 400_001).hasSuffix(
        "3000 frames of noise, saws and clicks; what a delay of 400001 frames gives back comes later"))
  }

  @Test("a line on a terminal is ended where a signal ends the run")
  func interruption() throws {
    let terminal = try Terminal()
    let line = "exec '\(Tool.program)' verify \(Tool.bitcrusher) --blocks 10000000 2>\(terminal.path)"
    let running = try RunningProgram(
      "/bin/sh", ["-c", line], in: tool.folder, environment: ["TERM": "xterm"])
    // Waits until there is something.
    #expect(!terminal.read().isEmpty)
    kill(running.process.processIdentifier, SIGTERM)
    #expect(try running.finish().code == -SIGTERM)
    #expect(terminal.read().last == UInt8(ascii: "\n"))
  }

  @Test("who reads only the first line of the result is not told of the rest")
  func brokenPipe() throws {
    let run = try tool.shell("{ $LEGATO verify \(Tool.bitcrusher) --blocks 0; echo $? >code; } | head -n 0")
    #expect(run.messages.isEmpty)
    #expect(try tool.bytes("code") == Data("141\n".utf8))
  }

  /// The output of a shell's line to a terminal at its standard error.
  private func messagesOnTerminal(_ line: String) throws -> String {
    let terminal = try Terminal()
    // Something stands there in any case, so that reading does not wait.
    _ = try tool.shell("{ \(line); } 2>\(terminal.path)")
    return String(decoding: terminal.read(), as: UTF8.self)
  }
}
