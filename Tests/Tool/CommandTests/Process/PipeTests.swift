// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestEquipment
import Testing

@Suite("Command: pipes", .waits)
struct PipeTests {
  private let tool: Tool
  private let sound = Sound.waves(channels: 2, frames: 20_000)

  init() throws {
    tool = try Tool()
    try tool.make("m.json", TestModels.double)
    try Self.raw(sound).write(to: URL(fileURLWithPath: tool.path("in.raw")))
  }

  /// Writes the sound as a stream's WAV, whose sizes are open: ffmpeg writes FFFFFFFF there, sox 7FFFF000.
  private func writeStream(_ name: String, size: UInt32) throws {
    try sound.write(tool.path("whole.wav"))
    var bytes = try tool.bytes("whole.wav")
    let open = (0..<4).map { UInt8(truncatingIfNeeded: size >> (8 * $0)) }
    let data = try #require(bytes.range(of: Data("data".utf8)))
    bytes.replaceSubrange(4..<8, with: open)
    bytes.replaceSubrange(data.upperBound..<data.upperBound + 4, with: open)
    try bytes.write(to: URL(fileURLWithPath: tool.path(name)))
    try FileManager.default.removeItem(atPath: tool.path("whole.wav"))
  }

  @Test("streams of other programs end where they end", arguments: [0xFFFF_FFFF, 0x7FFF_F000] as [UInt32])
  func openSizes(_ size: UInt32) throws {
    try writeStream("in.wav", size: size)
    for command in [
      "cat in.wav | $LEGATO process m.json - a.wav", "$LEGATO process m.json - a.wav --force < in.wav",
    ] {
      let run = try tool.shell(command)
      #expect(run.code == 0 && run.lines.count == 1, "\(run.messages)")
      #expect(try Sound.read(tool.path("a.wav")) == sound.map { 2 * $0 })
    }
    // A size that is meant is a promise.
    try writeStream("in.wav", size: 320_000)
    let cut = try tool.shell("cat in.wav | $LEGATO process m.json - b.wav")
    #expect(cut.code == 1)
    #expect(cut.messages == "/dev/stdin: damaged: it ends after 20000 of 40000 frames\n")
  }

  /// Interleaved floats.
  private static func raw(_ sound: Sound) -> Data {
    var data = Data()
    for frame in 0..<sound.frames {
      for row in sound.samples {
        let bits = row[frame].bitPattern
        data += (0..<4).map { UInt8(truncatingIfNeeded: bits >> (8 * $0)) }
      }
    }
    return data
  }

  @Test(
    "floats without a header, however they come",
    arguments: [
      "cat in.raw | $LEGATO process m.json - - --raw 48000:2 | cat > out.raw",
      "$LEGATO process m.json - - --raw 48000:2 < in.raw > out.raw",
      // In parts that end within a sample, and from where the input stands.
      "(head -c 7 in.raw; sleep 0.1; tail -c +8 in.raw) | $LEGATO process m.json - - --raw 48000:2 > out.raw",
      "(echo 1234567; cat in.raw) > late.raw; "
        + "(dd bs=8 count=1 status=none > skipped; $LEGATO process m.json - - --raw 48000:2) < late.raw > out.raw",
      "$LEGATO process m.json - a.wav --raw 48000:2 < in.raw; $LEGATO process half.json a.wav - --raw 48000:2 > out.raw",
    ])
  func raw(_ command: String) throws {
    try tool.make("half.json", TestModels.model(shape: #"["frames"]"#, graph: #""y": "x""#))
    #expect(try tool.shell(command).code == 0)
    #expect(try tool.bytes("out.raw") == Self.raw(sound.map { 2 * $0 }))
  }

  @Test("sound that looks like a header is not taken for one")
  func lookalike() throws {
    // 12690.32, whose bytes are RIFF, at a place where a WAV file has its sizes.
    let riff = Float(bitPattern: 0x4646_4952)
    let sound = Sound(samples: [[Float](repeating: riff / 2, count: 5000)])
    try Self.raw(sound).write(to: URL(fileURLWithPath: tool.path("in.raw")))
    #expect(try tool.shell("$LEGATO process m.json - - --raw 8000:1 < in.raw > out.raw").code == 0)
    #expect(try tool.bytes("out.raw") == Self.raw(sound.map { 2 * $0 }))
  }

  @Test(
    "a stream without end flows, and its reader may leave without a word", arguments: ["--raw 48000:2", ""])
  func leaving(_ options: String) throws {
    let input = options.isEmpty ? "(cat in.wav; cat /dev/zero)" : "cat /dev/zero"
    // The sizes of a stream are open.
    try writeStream("in.wav", size: 0xFFFF_FFFF)
    let run = try tool.shell(
      "\(input) | ($LEGATO process m.json - - \(options); echo $? > code) | head -c 3000000 | wc -c")
    #expect(run.output.trimmingCharacters(in: .whitespacesAndNewlines) == "3000000")
    #expect(try tool.bytes("code") == Data("141\n".utf8))
    // What fed the stream may complain; this program does not.
    #expect(!run.messages.contains("legato") && !run.messages.contains("stdout"), "\(run.messages)")
  }

  @Test("an input that ends within a frame is said to be damaged, after all that was whole")
  func cut() throws {
    try tool.bytes("in.raw").dropLast(3).write(to: URL(fileURLWithPath: tool.path("cut.raw")))
    let run = try tool.shell("$LEGATO process m.json - - --raw 48000:2 < cut.raw > out.raw")
    #expect(run.code == 1)
    #expect(
      run.messages == "/dev/stdin: damaged: 159997 bytes are no whole number of frames of 2 floats\n")
    #expect(try tool.bytes("out.raw") == Self.raw(sound.map { 2 * $0 }).dropLast(8))
    #expect(try tool.shell("$LEGATO process m.json - a.wav --raw 48000:2 < cut.raw").code == 1)
    #expect(try !tool.names.contains("a.wav"))
    let empty = try tool.shell("$LEGATO process m.json - - --raw 48000:2 < /dev/null > out.raw")
    #expect(empty.code == 0 && empty.messages.hasPrefix("/dev/stdout: 0 frames "), "\(empty.messages)")
    #expect(try tool.bytes("out.raw").isEmpty)
  }

  @Test("where what feeds the pipe has failed, nothing came")
  func nothing() throws {
    let run = try tool.shell("false | $LEGATO process m.json - -")
    #expect(run.code == 1 && run.output.isEmpty)
    #expect(run.messages == "/dev/stdin: the file is empty\n")
  }

  @Test("what cannot be meant")
  func wrong() throws {
    try sound.write(tool.path("a.wav"))
    for (words, message) in [
      ("a.wav b.wav --raw 48000:2", "process: --raw says what - is; "),
      ("- - --raw 48000", "process: --raw takes RATE:CHANNELS, "),
      ("- - --raw 48000:0", "process: --raw takes RATE:CHANNELS, "),
      ("- - --raw 48000:2:1", "process: --raw takes RATE:CHANNELS, "),
      (
        "a.wav - --raw 44100:2",
        "process: --raw says 2 channels at 44100 Hz, but what is written has 2 channels at 48000 Hz\n"
      ),
      ("a.wav --output-dir d --raw 48000:2", "process: --raw says what - is; "),
    ] {
      let run = try tool.shell("$LEGATO process m.json \(words) < in.raw | cat > out.raw")
      #expect(run.lines.count == 1 && run.messages.hasPrefix(message), "\(run.messages)")
      #expect(try tool.bytes("out.raw").isEmpty && !tool.names.contains("b.wav") && !tool.names.contains("d"))
    }
    let terminal = try Terminal()
    let typed = try tool.shell("$LEGATO process m.json - a.raw < \(terminal.path)")
    #expect(typed.code == 2 && typed.messages.hasPrefix("process: the standard input is a terminal; "))
  }
}
