// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import TestEquipment
import Testing

@Suite("Command: interruptions", .waits)
struct InterruptionTests {
  private let tool = Result { try Tool() }

  /// A sound that never ends: what was written is what its reader gets, and then it waits.
  private final class Feed {
    private let descriptor: Int32

    init(_ path: String) throws {
      try #require(unsafe mkfifo(path, 0o600) == 0)
      // With both ends open, nothing here waits for a reader, and no reader comes to an end.
      descriptor = unsafe open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
      try #require(descriptor >= 0)
      var header = Array("RIFF".utf8) + [255, 255, 255, 255] + Array("WAVEfmt ".utf8) + [16, 0, 0, 0]
      // Floats, one channel, 48 kHz.
      header += [3, 0, 1, 0, 0x80, 0xBB, 0, 0, 0, 0xEE, 2, 0, 4, 0, 32, 0]
      try write(header + Array("data".utf8) + [255, 255, 255, 255])
    }

    deinit { close(descriptor) }

    /// Returns when all but the last bytes have been read, and fails where nobody reads for a minute.
    func write(_ bytes: [UInt8]) throws {
      var done = 0
      while done < bytes.count {
        var room = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        try #require(unsafe poll(&room, 1, 60_000) == 1)
        let count = unsafe bytes[done...].withUnsafeBytes {
          unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
        }
        guard count >= 0 || errno != EAGAIN else { continue }
        try #require(count > 0)
        done += count
      }
    }
  }

  @Test(
    "a signal in the middle leaves no file and what stood there",
    arguments: [
      SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGALRM, SIGVTALRM, SIGPROF, SIGUSR1, SIGUSR2, SIGXCPU,
    ])
  func signals(_ number: Int32) throws {
    let tool = try tool.get()
    try tool.make("out.wav", "precious")
    let feed = try Feed(tool.path("in"))
    let running = try tool.start(["process", Tool.bitcrusher, "in", "out.wav", "--force"])
    try feed.write([UInt8](repeating: 0, count: 1 << 20))
    // A pipe holds 64 KiB, and a block of frames is not written before it is whole.
    try tool.waitUntil("output") { try bytesWritten(tool) > 1 << 19 }
    kill(running.process.processIdentifier, number)
    let run = try running.finish()
    // A shell shows 128 + n.
    #expect(run.code == -number && run.messages.isEmpty)
    #expect(try tool.names == ["in", "out.wav"])
    #expect(try tool.bytes("out.wav") == Data("precious".utf8))
  }

  /// Of several signals, all are there when the run goes on, as where timeout(1) sends its own.
  @Test(
    "with a report, the first signal ends a run that waits for its input, and the report says so",
    arguments: [[SIGINT], [SIGTERM], [SIGHUP], [SIGSTOP, SIGTERM, SIGINT, SIGCONT]])
  func reported(_ numbers: [Int32]) throws {
    let tool = try tool.get()
    let feed = try Feed(tool.path("in"))
    let running = try tool.start(["process", Tool.bitcrusher, "in", "out.wav", "--report", "r.json"])
    try feed.write([UInt8](repeating: 0, count: 1 << 20))
    try tool.waitUntil("output") { try bytesWritten(tool) > 1 << 19 }
    for number in numbers { kill(running.process.processIdentifier, number) }
    let run = try running.finish()
    #expect(numbers.contains(-run.code) && run.messages.isEmpty)
    #expect(try tool.names == ["in", "r.json"])
    #expect(try tool.isInterrupted("r.json") == true && tool.report("r.json").isEmpty)
  }

  @Test("a signal while a report is written leaves it whole, and ends the run afterwards", arguments: [1, 2])
  func writing(_ files: Int) throws {
    let tool = try tool.get()
    try tool.makeFolder("in")
    for name in 0..<files { try Sound.waves(channels: 1, frames: 400).write(tool.path("in/\(name).wav")) }
    try tool.makePipe("r.json")
    let words =
      files == 1
      ? ["in/0.wav", "out.wav", "--report", "r.json"]
      : ["in", "--recursive", "--output-dir", "out", "--report", "r.json"]
    let running = try tool.start(["process", Tool.bitcrusher] + words + ["--quiet"])
    // Nobody reads the pipe, so that it is not even opened.
    let outputs = files == 1 ? ["out.wav"] : (0..<files).map { "out/\($0).wav" }
    // Whichever thread is the last one.
    try tool.waitUntil("all outputs") { outputs.allSatisfy { tool.size($0) > 0 } }
    kill(running.process.processIdentifier, SIGINT)
    let report = try tool.shell("cat r.json").output
    #expect(try running.finish().code == -SIGINT)
    let whole = try JSONSerialization.jsonObject(with: Data(report.utf8)) as? [String: Any]
    #expect((whole?["files"] as? [[String: Any]])?.count == files)
  }

  @Test(
    "a signal after a report got its name ends the run, too",
    .enabled(if: Tool.canTrace, "strace is missing, or may not look at programs"))
  func written() throws {
    let tool = try tool.get()
    try Sound.waves(channels: 1, frames: 400).write(tool.path("in.wav"))
    for words in ["in.wav out.wav", "in.wav --output-dir out"] {
      let run = try tool.shell(
        "strace -f -o trace -P r.json -e trace=link -e inject=link:signal=SIGINT "
          + "$LEGATO process \(Tool.bitcrusher) \(words) --report r.json --quiet")
      #expect(run.code == 130 || run.code == -SIGINT, "\(run.code), \(run.messages)")
      #expect(try tool.report("r.json").map { $0["frames"] as? Int } == [400])
      #expect(try tool.names.filter { $0.hasPrefix(".") } == [])
      try FileManager.default.removeItem(atPath: tool.path("r.json"))
    }
  }

  @Test(
    "a file that had its name when a signal came is in the report, however long its thread takes to say so",
    .enabled(if: Tool.canTrace, "strace is missing, or may not look at programs"))
  func named() throws {
    let tool = try tool.get()
    try Sound.waves(channels: 1, frames: 400).write(tool.path("in.wav"))
    // The first name is that of the output; its thread gets the signal, and deletes what is unfinished.
    let run = try tool.shell(
      "strace -f -o trace -e trace=link,unlink -e inject=link:signal=SIGINT:when=1 "
        + "-e inject=unlink:delay_exit=1000000:when=1 "
        + "$LEGATO process \(Tool.bitcrusher) in.wav out.wav --report r.json --quiet")
    #expect(run.code == 130 || run.code == -SIGINT, "\(run.code), \(run.messages)")
    #expect(try tool.names.contains("out.wav") && tool.isInterrupted("r.json") == true)
    #expect(try tool.report("r.json").map { $0["frames"] as? Int } == [400])
  }

  @Test(
    "what another thread was writing when a signal came is no failure, however long deleting it takes",
    .enabled(if: Tool.canTrace, "strace is missing, or may not look at programs"))
  func others() throws {
    let tool = try tool.get()
    try tool.makeFolder("in")
    for name in ["a", "b"] { try Sound.waves(channels: 1, frames: 400).write(tool.path("in/\(name).wav")) }
    // Hours, which nobody waits for.
    for name in ["c", "d"] { try SparseSound.wave(tool.path("in/\(name).wav"), seconds: 3 * 3600) }
    let run = try tool.shell(
      "strace -f -o trace -e trace=pwrite64,unlink -e inject=pwrite64:signal=SIGINT:when=20 "
        + "-e inject=unlink:delay_exit=300000 $LEGATO process \(Tool.bitcrusher) in --recursive "
        + "--output-dir out --jobs 2 --report r.json --quiet")
    #expect(run.code == 130 || run.code == -SIGINT, "\(run.code), \(run.messages)")
    #expect(try tool.isInterrupted("r.json") == true)
    #expect(try tool.report("r.json").map { $0["output"] as? String } == ["out/a.wav", "out/b.wav"])
    #expect(try tool.report("r.json").allSatisfy { $0["error"] == nil })
  }

  @Test(
    "a signal before the first file, while the record is written, ends the run, and the report says so",
    .enabled(if: Tool.canTrace, "strace is missing, or may not look at programs"))
  func record() throws {
    let tool = try tool.get()
    try Sound.waves(channels: 1, frames: 400).write(tool.path("in.wav"))
    // Nothing else is brought to the disk.
    let run = try tool.shell(
      "strace -f -o trace -e trace=fdatasync -e inject=fdatasync:signal=SIGTERM:when=1 "
        + "$LEGATO process \(Tool.bitcrusher) in.wav --output-dir out --report r.json --quiet")
    #expect(run.code == 143 || run.code == -SIGTERM, "\(run.code), \(run.messages)")
    // A shell has its own word for it.
    #expect(!run.messages.contains("legato"))
    #expect(try tool.isInterrupted("r.json") == true && tool.report("r.json").isEmpty)
  }

  @Test("a shell sees 128 + n, and may have the run ignore a signal")
  func shell() throws {
    let tool = try tool.get()
    // What feeds the run returns when all but the last 64 KiB were read: the run is at work then, and waits for more.
    let start = """
      mkfifo in; $LEGATO process \(Tool.bitcrusher) - /dev/null --raw 48000:1 --quiet < in & exec 3> in; \
      feed() { head -c 1000000 /dev/zero >&3; }; feed;
      """
    #expect(try tool.shell("\(start) kill -HUP $!; wait $!").code == 129)
    // A shell has what runs in the background ignore SIGINT: it goes on.
    #expect(try tool.shell("rm in; \(start) kill -INT $!; feed; kill -TERM $!; wait $!").code == 143)
  }

  private func bytesWritten(_ tool: Tool) throws -> Int {
    let hidden = try tool.names.filter { $0.hasPrefix(".out.wav.legato-") }
    return hidden.map { tool.size($0) }.reduce(0, +)
  }
}
