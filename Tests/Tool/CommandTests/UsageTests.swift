// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestEquipment
import Testing

@Suite("Command: usage", .waits)
struct UsageTests {
  private let tool: Tool
  /// No libLLVM: whatever works with it does not load one.
  private let noLLVM = ["LEGATO_LLVM": "/nonexistent"]

  init() throws { tool = try Tool() }

  @Test(
    "help needs no libLLVM",
    arguments: [
      ["--help"], ["help"], ["help", "process"], ["process", "--help"], ["inspect", "-h"], ["ops", "--help"],
    ])
  func help(_ words: [String]) throws {
    let run = try tool.run(words, environment: noLLVM)
    #expect(run.code == 0 && run.messages.isEmpty)
    #expect(run.output.contains("usage\n") && run.output.contains("example\n"))
    #expect(!run.output.contains("\u{1B}") && !run.output.contains(" \n"))
  }

  @Test(
    "help fits on a page",
    arguments: ["process", "run", "plot", "inspect", "verify", "compile", "live", "devices", "models", "ops"])
  func width(_ name: String) throws {
    let lines = try tool.run("help", name, environment: noLLVM).output.split(separator: "\n")
    #expect(lines.allSatisfy { $0.count <= 120 } && lines.count > 5)
  }

  @Test("the version tells of LLVM and the CPU")
  func version() throws {
    let run = try tool.run("--version")
    #expect(run.code == 0)
    #expect(run.output.contains("LLVM 19.") && run.output.contains("CPU "))
    let without = try tool.run("--version", environment: noLLVM)
    #expect(without.code == 0 && without.output.contains("LLVM not found"))
  }

  @Test("the dynamic linker sees libLLVM only where code is made")
  func libraries() throws {
    func libraries(_ words: [String]) throws -> String {
      try tool.run(words, environment: ["LD_DEBUG": "files"]).messages
    }
    let graph = ["inspect", Tool.bitcrusher, "--stage", "graph"]
    let process = ["process", Tool.bitcrusher, Tool.sound, "/dev/null"]
    for words in [
      ["--help"], ["ops"], ["devices"], ["proces"], graph,
      // What is wrong is said before the library is opened.
      process + ["more"], process + ["--set", "dryWet=2"], process + ["--report", Tool.sound],
      ["process", "missing.json", Tool.sound, "/dev/null"],
      ["process", "missing.json", Tool.sound, "--output-dir", "out"],
    ] {
      let seen = try libraries(words)
      #expect(seen.contains("libsndfile") && !seen.contains("LLVM"), "\(words)")
    }
    for words in [["--version"], process] { #expect(try libraries(words).contains("libLLVM"), "\(words)") }
  }

  @Test(
    "wrong usage: one line that says what is right, and exit code 2",
    arguments: [
      ([], "legato: what to do is missing: "),
      (["proces"], "legato: no subcommand is called 'proces'; did you mean process?"),
      (["--blok"], "legato: no option is called '--blok'; see --help"),
      (["help", "proces"], "legato: no subcommand is called 'proces'; did you mean process?"),
      (["process"], "process: MODEL, INPUT and OUTPUT are missing; see --help"),
      (["process", "a", "b"], "process: OUTPUT is missing; see --help"),
      (["process", "a", "b", "c", "d"], "process: 'd' is one too many; expected MODEL INPUT OUTPUT"),
      (
        ["plot", "a.wav", "b.wav", "-o", "x.PNG"],
        "plot: --output: pictures are SVG, not .PNG; name a file that ends in .svg"
      ),
      (["ops", "d"], "ops: 'd' is one too many; expected options only"),
      (["process", "--blok", "3"], "process: no option is called '--blok'; did you mean --block?"),
      (["process", "--blok=3"], "process: no option is called '--blok=3'; did you mean --block?"),
      (["process", "-z"], "process: no option is called '-z'; see --help"),
      (["process", "--b", "3"], "process: --b is the beginning of --bits and --block; write more of it"),
      (["process", "a", "b", "c.wav", "--set"], "process: --set NAME=VALUE lacks its value; see --help"),
      (["compile", "m", "-o"], "compile: --output FILE lacks its value; see --help"),
      (
        ["compile", "m", "-o", "m.c"],
        "compile: --output takes a file whose name ends in .o, such as model.o, not 'm.c'"
      ),
      (
        ["compile", "m", "--target", "riscv64-linux"],
        "compile: --target takes x86_64 or aarch64 with linux or none, such as aarch64-linux-gnu, not 'riscv64-linux'"
      ),
      (
        ["compile", "m", "--target", "aarch64-linux", "--cpu", "x86-64"],
        "compile: --cpu takes aarch64 with --target aarch64-linux, not 'x86-64'"
      ),
      (
        ["compile", "m", "--symbol", "3d"],
        "compile: --symbol takes letters, digits and single underscores, such as my_crusher, not '3d'"
      ),
      (
        ["inspect", "m", "--optimize", "space"], "inspect: --optimize takes speed or size, not 'space'"
      ),
      (
        ["process", "-o", "x.o"],
        "process: --output is an option of run, live, listen, capture, train, federate, inspect, plot, compile, import, export and interface, not of process"
      ),
      (["process", "--force=yes"], "process: --force takes no value"),
      (["train", "m", "-o", "a.json", "--output=b.json"], "train: --output is given twice; "),
      (["listen", "m", "--labels", "a", "--labels", "b"], "listen: --labels is given twice; "),
      (["process", "--stage", "plan"], "process: --stage is an option of inspect, not of process"),
      (
        ["train", "m.json", "--rate", "0.01"],
        "train: --rate is an option of process, live, listen, capture, inspect, plot, compile, export and verify, not of train, which has --learning-rate"
      ),
      (["--stage", "plan", "ops"], "ops: --stage is an option of inspect, not of ops"),
      (
        ["process", "a", "b", "c.wav", "--block", "0"],
        "process: --block takes a whole number from 1 to 65536, not '0'"
      ),
      (
        ["process", "a", "b", "c.wav", "--bits", "20"],
        "process: --bits takes 8, 16, 24, 32, float or double, not '20'"
      ),
      (
        ["process", "a", "b", "c.wav", "--dither", "x"], "process: --dither takes triangular or none, not 'x'"
      ),
      (["process", "a", "b", "c.wav", "--inputs", "0"], "process: --inputs takes channels counted from 1, "),
      (
        ["process", "a", "b", "c.wav", "--cpu", "z80"],
        "process: --cpu takes host, x86-64, x86-64-v3, x86-64-v4 or aarch64, not 'z80'"
      ),
      (
        ["process", "a", "b", "c.wav", "--passes", "-fusoin"],
        "process: --passes: no optimisation is called 'fusoin'; did you mean -fusion?"
      ),
      (["process", "a", "b", "c.mp3"], "process: OUTPUT takes a file whose name ends in .wav, "),
      (["process", "a", "b", "c.wav", "--jobs", "2"], "process: --jobs goes with --output-dir DIR"),
      (["process", "a", "b", "c.wav", "--report", ""], "process: --report is empty; "),
      (["process", "--output-dir", "d"], "process: MODEL is missing; "),
      (["process", "a", "--output-dir", "d"], "process: INPUT is missing; "),
      (["process", "a", "b", "--output-dir", ""], "process: --output-dir is empty; "),
      (["process", "a", "-", "--output-dir", "d"], "process: - is no file "),
      (
        ["process", "a", "b", "--output-dir", "d", "--jobs", "0"],
        "process: --jobs takes a whole number from 1 "
      ),
      (
        ["process", "a", "b", "--output-dir", "d", "--suffix", "x/y"],
        "process: --suffix takes a part of a name, "
      ),
      (
        ["process", "a", "b", "--output-dir", "d", "--suffix", "-x.MP3"],
        "process: --suffix -x.MP3: files of that type are not written; use .wav, "
      ),
      (
        ["process", "a", "b", "--output-dir", "d", "--check", "non-finite"],
        "process: --check looks at one file; "
      ),
      (["process", "", "b", "c"], "process: MODEL is empty; "),
      (["process", "a", "b", ""], "process: OUTPUT is empty; "),
      (["inspect", ""], "inspect: MODEL is empty; "),
      (
        ["inspect", "a", "--stage", "plann"],
        "inspect: --stage takes document, graph, gradient, passes, plan, llvm, assembly or svg, not 'plann'"
      ),
      (
        ["inspect", "a", "--rate", "1e3"],
        "inspect: --rate takes a whole number from 1 to 16000000, not '1e3'"
      ),
    ] as [([String], String)])
  func wrong(_ words: [String], _ message: String) throws {
    let run = try tool.run(words, environment: noLLVM)
    #expect(run.code == 2 && run.output.isEmpty)
    #expect(run.lines.count == 1)
    #expect(run.messages.hasPrefix(message), "\(run.messages)")
    #expect(try tool.names == [])
  }

  /// Those that mean something of their own in `run` are left out.
  @Test("an option that takes one value is refused twice, one that is repeatable is not")
  func twice() throws {
    for command in ["process", "run", "live", "listen", "train", "federate", "inspect", "plot", "capture"] {
      var options: [(name: String, text: String)] = []
      for line in try tool.run("help", command, environment: noLLVM).output.split(separator: "\n") {
        if let found = line.firstMatch(of: #/^  (?:-[a-z], )?--([a-z-]+) ([^ a-z]\S*) /#) {
          options.append((String(found.1), String(line)))
        } else if line.contains(/^  (-[a-z], )?--/) {
          options.append(("", ""))
        } else if line.hasPrefix("     "), !options.isEmpty {
          options[options.count - 1].text += " " + line.drop { $0 == " " }
        }
      }
      options.removeAll { ["", "input", "labels", "output", "expect"].contains($0.name) }
      #expect(options.count > 5, "\(command)")
      for (name, text) in options {
        let run = try tool.run(command, "--\(name)", "a", "--\(name)", "b", environment: noLLVM)
        let isRefused = run.messages.contains("--\(name) is given twice")
        #expect(isRefused != text.contains("(repeatable"), "\(command) --\(name): \(run.messages)")
      }
    }
  }

  @Test("a name that is not UTF-8 is refused where it is not a sound's, not changed")
  func foreignBytes() throws {
    for command in ["inspect", "compile", "verify"] {
      let run = try tool.shell(#"exec $LEGATO \#(command) "$(printf 'caf\351.json')""#)
      #expect(run.code == 2 && run.lines.count == 1)
      #expect(
        run.messages.hasPrefix(#"\#(command): the argument 'caf\xE9.json' is not UTF-8; "#), "\(run.messages)"
      )
    }
    let model = try tool.shell(#"exec $LEGATO process "$(printf 'caf\351.json')" a b.wav"#)
    #expect(model.code == 2)
    #expect(model.messages.hasPrefix(#"process: the model's name caf\xE9.json is not UTF-8; "#))
  }

  @Test("options may stand anywhere, be shortened, and end at --")
  func placement() throws {
    try Sound.waves(channels: 1, frames: 10).write(tool.path("--in.wav"))
    let run = try tool.run(
      "--qui", "process", "--bi=24", Tool.bitcrusher, "--set", "dryWet=0", "--", "--in.wav", "--out.wav")
    #expect(run.code == 0 && run.messages.isEmpty, "\(run.messages)")
    #expect(try tool.names == ["--in.wav", "--out.wav"])
  }

  @Test("a heading is bold on a terminal, unless NO_COLOR is set", arguments: [(nil, true), ("1", false)])
  func color(_ noColor: String?, _ isBold: Bool) throws {
    let terminal = try Terminal()
    let line =
      "\(noColor.map { "NO_COLOR=\($0)" } ?? "unset NO_COLOR;") TERM=xterm $LEGATO ops --help > \(terminal.path)"
    #expect(try tool.shell(line).code == 0)
    let bytes = terminal.read()
    #expect(bytes.count > 100)
    #expect(bytes.contains(0x1B) == isBold)
  }

  @Test("results that cannot be written are an error; a reader that leaves is none")
  func fullOutput() throws {
    let full = try tool.shell("$LEGATO ops > /dev/full")
    #expect(full.code == 1)
    #expect(full.messages == "ops: the standard output cannot be written: No space left on device\n")
    let left = try tool.shell(
      "for i in 1 2 3 4 5 6 7 8 9; do env --default-signal=PIPE $LEGATO inspect \(Tool.bitcrusher) --stage llvm; done | true"
    )
    #expect(left.messages.isEmpty)
  }
}
