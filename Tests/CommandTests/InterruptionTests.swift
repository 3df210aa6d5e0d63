// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import TestEquipment
import Testing

@Suite("Command: interruptions")
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
