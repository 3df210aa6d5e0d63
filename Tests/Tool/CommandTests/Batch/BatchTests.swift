// SPDX-License-Identifier: Apache-2.0

import AudioIO
import Foundation
import TestEquipment
import Testing

@Suite("Command: many files", .waits)
struct BatchTests {
  private let tool: Tool

  init() throws {
    tool = try Tool()
    try tool.make("m.json", TestModels.double)
    try tool.makeFolder("in/deep/er")
  }

  private func write(_ name: String, channels: Int = 1, frames: Int = 500, rate: Int = 48_000) throws {
    var sound = Sound.waves(channels: channels, frames: frames)
    sound.sampleRate = rate
    try sound.write(tool.path(name))
  }

  @Test(
    "there are no more threads than files, however many may be",
    .enabled(if: Tool.canTrace, "strace is missing, or may not look at programs"))
  func threads() throws {
    try Sound.waves(channels: 1, frames: 400).write(tool.path("a.wav"))
    let run = try tool.shell(
      "strace -f -o trace -e trace=clone,clone3 $LEGATO process \(Tool.bitcrusher) a.wav --output-dir out "
        + "--jobs 200 --quiet")
    #expect(run.code == 0, "\(run.messages)")
    let calls = String(decoding: try tool.bytes("trace"), as: UTF8.self).split(separator: "\n")
    // One opens the compiler, and one renders.
    let begun = calls.count { $0.contains("clone") && !$0.contains("unfinished") }
    #expect((1...8).contains(begun), "\(begun)")
  }

  @Test("each file is what a run of its own makes, at any number of jobs", arguments: ["1", "3"])
  func same(_ jobs: String) throws {
    // Several channels and rates; the echo's delay depends on the rate.
    let echo = Tool.package + "/models/echo.json"
    for (index, name) in ["a.wav", "b.wav", "deep/c.wav", "deep/er/d.flac", "deep/er/e.wav"].enumerated() {
      var sound = Sound.waves(channels: 1 + index % 2, frames: 20_000 + index)
      sound.sampleRate = index < 3 ? 48_000 : 22_050
      try sound.write(tool.path("in/" + name), .int16)
    }
    let run = try tool.run("process", echo, "in", "--recursive", "--output-dir", "out", "--jobs", jobs)
    #expect(run.code == 0 && run.output.isEmpty)
    #expect(run.lines.last?.hasPrefix("out: 5 files (3.") == true, "\(run.messages)")
    #expect(
      try tool.files(in: "out") == [
        ".legato-run", "a.wav", "b.wav", "deep/c.wav", "deep/er/d.flac", "deep/er/e.wav",
      ])
    for name in ["a.wav", "b.wav", "deep/c.wav", "deep/er/d.flac", "deep/er/e.wav"] {
      let single = "single." + name.suffix(4).drop { $0 == "." }
      #expect(try tool.run("process", echo, "in/" + name, single, "--force").code == 0)
      #expect(try tool.bytes("out/" + name) == tool.bytes(single), "\(name)")
    }
  }

  @Test("a file is not heard in the next one, however parameters were left")
  func anew() throws {
    // Each ends in the middle of a line, and of the delay.
    try tool.make(
      "rest.json",
      """
      { "legato": 1, "name": "Rest", "inputs": { "x": { "shape": ["frames"] } },
        "parameters": { "p": { "default": 1, "minimum": -9, "maximum": 9 },
                        "q": { "default": 2, "minimum": -9, "maximum": 9 } },
        "graph": { "y": "x * p + delay(x, 300) * q" }, "outputs": ["y"] }
      """)
    try tool.make("lines.csv", "0.001,p,5,step\n0.002,q,-1\n1,q,9\n")
    let names = ["a.wav", "b.wav", "c.wav"]
    for (index, name) in names.enumerated() { try write("in/" + name, frames: 500 + 7 * index) }
    let options = ["--set", "q=3", "--automate", "lines.csv", "--quiet"]
    let words = ["process", "rest.json", "in", "--recursive", "--output-dir", "out", "--jobs", "1"]
    #expect(try tool.run(words + options).code == 0)
    for name in names {
      #expect(try tool.run(["process", "rest.json", "in/" + name, name] + options).code == 0)
      #expect(try tool.bytes("out/" + name) == tool.bytes(name), "\(name)")
    }
  }

  @Test("files and folders together, with a suffix that may be the type, too")
  func suffix() throws {
    try write("in/a.wav")
    try write("b.wav")
    let words = ["process", "m.json", "b.wav", "in", "--recursive", "--quiet", "--output-dir"]
    #expect(try tool.run(words + ["out", "--suffix", "-x"]).code == 0)
    #expect(try tool.files(in: "out") == [".legato-run", "a-x.wav", "b-x.wav"])
    #expect(try tool.run(words + ["flac", "--suffix", "-x.flac"]).code == 0)
    #expect(try tool.files(in: "flac") == [".legato-run", "a-x.flac", "b-x.flac"])
    #expect(try AudioFileReader(path: tool.path("flac/a-x.flac")).description.type == .flac)
    // Beside the inputs, where the names differ.
    #expect(try tool.run("process", "m.json", "b.wav", "--output-dir", ".", "--suffix", "-y").code == 0)
    #expect(try Sound.read(tool.path("b-y.wav")) == Sound.waves(channels: 1, frames: 500).map { 2 * $0 })
  }

  @Test("in folders, what is no audio, hidden, or a link to a folder is left out; the output folder, too")
  func leftOut() throws {
    for name in ["in/a.WAV", "in/.hidden.wav", "in/deep/b.wav", "elsewhere.wav"] { try write(name) }
    for name in ["in/notes.txt", "in/deep/more.TXT", "in/cover.jpg"] { try tool.make(name, "something") }
    try tool.makePipe("in/pipe.wav")
    let manager = FileManager.default
    try manager.createSymbolicLink(atPath: tool.path("in/c.wav"), withDestinationPath: "../elsewhere.wav")
    try manager.createSymbolicLink(atPath: tool.path("in/again"), withDestinationPath: ".")
    try tool.makeFolder("in/out")
    try write("in/out/old.wav")
    let words = ["process", "m.json", "in", "--recursive", "--output-dir", "in/out"]
    let run = try tool.run(words)
    #expect(run.code == 0)
    #expect(
      run.lines.dropLast() == [
        "in/out: is the output folder; not taken as input",
        "3 files left out: not audio by the name's extension (.jpg, .txt)",
        "1 link to folders left out",
        "1 device, pipe or link that leads nowhere left out",
      ])
    #expect(try tool.files(in: "in/out") == [".legato-run", "a.WAV", "c.wav", "deep/b.wav", "old.wav"])
    // A second time there are no more files than before.
    #expect(try tool.run(words + ["--resume"]).lines.last?.hasPrefix("in/out: 0 files (0.00 s) in ") == true)
  }

  @Test("mono and stereo files go through a stereo model together")
  func mixedChannels() throws {
    try tool.make("m.json", TestModels.stereo)
    for channels in 1...2 { try write("in/\(channels).wav", channels: channels) }
    let run = try tool.run("process", "m.json", "in", "--recursive", "--output-dir", "out")
    #expect(run.code == 0 && run.lines.count == 1, "\(run.messages)")
    for channels in 1...2 {
      let doubled = Sound.waves(channels: channels, frames: 500).samples.map { $0.map { 2 * $0 } }
      #expect(
        try Sound.read(tool.path("out/\(channels).wav")).samples == [doubled[0], doubled[channels - 1]])
    }
    let chosen = ["process", "m.json", "in", "--recursive", "--output-dir", "chosen", "--inputs"]
    #expect(try tool.run(chosen + ["1,1"]).code == 0, "of a stereo file the left channel only")
    let left = Sound.waves(channels: 2, frames: 500).samples[0].map { 2 * $0 }
    #expect(try Sound.read(tool.path("chosen/2.wav")).samples == [left, left])
    let swapped = try tool.run(chosen + ["2,1", "--force"])
    #expect(swapped.code == 1)
    #expect(
      swapped.lines.last == "in/1.wav: --inputs: there is no channel 2; the file has 1", "\(swapped.messages)"
    )
  }

  @Test("failures are said at the end, once, and the rest is done")
  func failures() throws {
    for index in 0..<6 { try write("in/\(index).wav", channels: index == 2 ? 1 : 3) }
    try tool.bytes("in/2.wav").dropLast(1000).write(to: URL(fileURLWithPath: tool.path("in/2.wav")))
    try tool.make("in/4.wav", "no sound")
    try tool.make("in/5.wav", "")
    try write("in/6.wav", channels: 5)
    try tool.make("m.json", TestModels.stereo)
    try write("in/7.wav", channels: 2)
    let run = try tool.run("process", "m.json", "in", "nix.wav", "--recursive", "--output-dir", "out")
    let misfit = "'Test' takes 2 channels (m.json:1:44), the file has "
    #expect(run.code == 1)
    #expect(run.lines.first?.hasPrefix("out: 1 file (0.01 s) in ") == true)
    #expect(run.lines.first?.hasSuffix(" s, 8 failed") == true, "\(run.messages)")
    let said = run.lines.dropFirst().map { $0.prefix { $0 != ";" } }.sorted()
    #expect(
      said == [
        "in/0.wav: \(misfit)3", "in/1.wav: \(misfit)3",
        "in/2.wav: damaged: it ends after 250 of 500 frames", "in/3.wav: \(misfit)3",
        "in/4.wav: not an audio file of a known type", "in/5.wav: the file is empty",
        "in/6.wav: \(misfit)5", "nix.wav: no such file",
      ])
    #expect(try tool.files(in: "out") == [".legato-run", "7.wav"])
  }

  @Test("what is said of a file is one line, whatever it is called")
  func brokenNames() throws {
    try write("in/a.wav")
    for name in ["b\nc.wav", "d\ne.wav"] { try tool.make("in/\(name)", "no sound") }
    let run = try tool.run("process", "m.json", "in", "gone\n.wav", "--recursive", "--output-dir", "out")
    #expect(run.code == 1)
    let problem = "not an audio file of a known type"
    #expect(
      run.lines.dropFirst().sorted() == [
        "gone\\n.wav: no such file", "in/b\\nc.wav: \(problem)", "in/d\\ne.wav: \(problem)",
      ], "\(run.messages)")
    let foreign = try tool.shell(
      "n=in/$(printf 'caf\\351.wav'); printf x > \"$n\"; "
        + "$LEGATO process m.json \"$n\" --output-dir other --report r.json")
    #expect(foreign.lines.last == "in/caf\\xE9.wav: \(problem)")
    #expect(try tool.report("r.json").map { $0["error"] as? String } == ["in/caf\\xE9.wav: \(problem)"])
  }

  @Test("a report has a line for each file")
  func report() throws {
    try Sound(samples: [[0.25, -0.75, 0.5]]).write(tool.path("in/a.wav"), .int16)
    try Sound(samples: [[0.25, 7, 7], [0, -0.5, 0]], sampleRate: 8000).write(tool.path("in/b.wav"))
    // A writer makes such numbers silent: they are put where the sevens stand.
    var bytes = try tool.bytes("in/b.wav")
    for (place, number) in [(16, Float.nan), (8, .infinity)] {
      let bits = number.bitPattern
      let sample = (0..<4).map { UInt8(truncatingIfNeeded: bits >> (8 * $0)) }
      bytes.replaceSubrange(bytes.count - place..<bytes.count - place + 4, with: sample)
    }
    try bytes.write(to: URL(fileURLWithPath: tool.path("in/b.wav")))
    try Sound(samples: [[]]).write(tool.path("in/c.wav"))
    try tool.make("in/d.wav", "no sound")
    let words = ["process", "m.json", "in", "--recursive", "--output-dir", "out", "--dither", "none"]
    let run = try tool.run(words + ["--report", "r.json"])
    #expect(run.code == 1)
    #expect(
      run.lines.dropLast(2) == [
        "out: 1 sample beyond full scale clipped, in 1 file",
        "out: 2 samples of inputs infinite or not a number, made silent, in 1 file; the first in in/b.wav at "
          + "0.00 s (frame 1), channel 1",
      ])
    var lines = try tool.report("r.json")
    #expect(lines.map { $0["input"] as? String } == ["in/a.wav", "in/b.wav", "in/c.wav", "in/d.wav"])
    #expect(lines.map { $0["frames"] as? Int } == [3, 3, 0, nil])
    #expect(lines.map { $0["channels"] as? Int } == [1, 2, 1, nil])
    #expect(lines.map { $0["rate"] as? Int } == [48_000, 8000, 48_000, nil])
    #expect(lines.map { $0["clipped"] as? Int } == [1, 0, 0, nil])
    #expect(lines.map { $0["nonFinite"] as? Int } == [0, 2, 0, nil])
    #expect(lines.map { $0["peak"] as? Double } == [1.5, 1, 0, nil])
    #expect(lines.allSatisfy { ($0["seconds"] as? Double ?? 0) >= 0 })
    #expect(lines[3]["error"] as? String == "in/d.wav: not an audio file of a known type")

    #expect(try tool.run(words + ["--report", "r.json"]).code == 1)
    #expect(try tool.run(words + ["--report", "r.json", "--resume"]).code == 1)
    lines = try tool.report("r.json")
    #expect(lines.map { $0["skipped"] as? Bool } == [true, true, true, nil])

    let single = try tool.run("process", "m.json", "in/a.wav", "a.wav", "--report", "s.json", "--quiet")
    #expect(single.code == 0 && single.messages.isEmpty)
    #expect(try tool.report("s.json").map { $0["peak"] as? Double } == [1.5])
    #expect(try tool.run("process", "m.json", "in/d.wav", "d.wav", "--report", "t.json").code == 1)
    #expect(
      try tool.report("t.json").first?["error"] as? String == "in/d.wav: not an audio file of a known type")
  }

  @Test("what is the same for many files is said once")
  func notices() throws {
    for index in 0..<3 { try write("in/\(index).wav") }
    let run = try tool.run(
      "process", "m.json", "in", "--recursive", "--output-dir", "out", "--suffix", ".flac")
    #expect(run.code == 0)
    #expect(run.lines.first == "out: FLAC cannot hold 32 bit float; writing 24 bit (3 files)")
    #expect(run.lines.count == 3, "\(run.messages)")
  }

  @Test("a line of progress on a terminal, and none elsewhere", arguments: [("", true), ("--quiet", false)])
  func progress(_ option: String, _ isShown: Bool) throws {
    for index in 0..<3 { try write("in/\(index).wav") }
    let terminal = try Terminal()
    let command = "$LEGATO process m.json in --recursive --output-dir out \(option)"
    #expect(try tool.shell("\(command) 2> \(terminal.path)").code == 0)
    let text = String(decoding: isShown ? terminal.read() : [], as: UTF8.self)
    #expect(text.contains("\r3 of 3 files, ") == isShown, "\(text)")
    #expect(!isShown || text.contains("\r\u{1B}[Kout: 3 files "), "\(text)")
    let elsewhere = try tool.shell("\(command) --force")
    #expect(!elsewhere.messages.contains(" of 3 files") && !elsewhere.messages.contains("\r"))
  }

  @Test(
    "names with spaces, newlines and any bytes",
    arguments: ["a b.wav", "a\\nb.wav", "caf\\351.wav", "\\314\\201.wav"])
  func names(_ name: String) throws {
    try write("x.wav")
    let setup = "n=$(printf '\(name)/'); n=${n%/}; mkdir s; mv x.wav \"s/$n\""
    for (input, folder) in [("s --recursive", "out"), ("\"s/$n\"", "other")] {
      let run = try tool.shell(
        "\(folder == "out" ? setup : "n=$(printf '\(name)/'); n=${n%/}"); "
          + "$LEGATO process m.json \(input) --output-dir \(folder) --report r.json --force "
          + "&& test -f \"\(folder)/$n\"")
      #expect(run.code == 0, "\(run.messages)")
      // What a report says leads back to the name.
      let line = try #require(try tool.report("r.json").first)
      let input = (line["input"] as? String).map { Array($0.utf8) }
      let bytes = (line["inputBytes"] as? String)?.removingPercentEncodingOfBytes
      let named = try tool.shell("printf 's/\(name)/'").output
      #expect(
        name.contains("351") ? bytes == Array("s/caf".utf8) + [0xE9] + Array(".wav".utf8) : bytes == nil)
      #expect(name.contains("351") || input == Array(named.utf8.dropLast()), "\(line)")
    }
    let single = try tool.shell(
      "n=$(printf '\(name)/'); n=${n%/}; $LEGATO process m.json \"s/$n\" \"1$n\" && test -f \"1$n\"")
    #expect(single.code == 0)
    let shown = name == "caf\\351.wav" ? "caf\\xE9.wav" : name == "\\314\\201.wav" ? "\u{301}.wav" : name
    #expect(single.messages.hasPrefix("1\(shown): 500 frames"), "\(single.messages)")
  }

  @Test("names that only look the same are different")
  func lookalikes() throws {
    // One character, and two that make it up.
    try write("in/\u{E9}.wav", frames: 10)
    try write("in/e\u{301}.wav", frames: 20)
    let run = try tool.run("process", "m.json", "in", "--recursive", "--output-dir", "out")
    #expect(run.code == 0 && run.lines.last?.hasPrefix("out: 2 files ") == true, "\(run.messages)")
  }
}

extension String {
  /// "caf%E9" → the bytes that it stands for.
  fileprivate var removingPercentEncodingOfBytes: [UInt8] {
    let parts = split(separator: "%", omittingEmptySubsequences: false)
    return parts.enumerated().flatMap { index, part in
      index == 0 ? Array(part.utf8) : [UInt8(part.prefix(2), radix: 16) ?? 0] + part.dropFirst(2).utf8
    }
  }
}
