// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestEquipment
import Testing

@Suite("Command: interruptions")
struct InterruptionTests {
  private let tool: Tool

  init() throws {
    tool = try Tool()
    try SparseSound.wave(tool.path("in.wav"), seconds: 3600)
  }

  @Test(
    "a signal in the middle leaves no file and what stood there",
    arguments: [
      SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGALRM, SIGVTALRM, SIGPROF, SIGUSR1, SIGUSR2, SIGXCPU,
    ])
  func signals(_ number: Int32) throws {
    try tool.make("out.wav", "precious")
    let running = try tool.start(["process", Tool.bitcrusher, "in.wav", "out.wav", "--force"])
    let deadline = Date(timeIntervalSinceNow: 20)
    while try bytesWritten() < 1_000_000, Date() < deadline { usleep(2000) }
    kill(running.process.processIdentifier, number)
    let run = try running.finish()
    // A shell shows 128 + n.
    #expect(run.code == -number && run.messages.isEmpty)
    #expect(try tool.names == ["in.wav", "out.wav"])
    #expect(try tool.bytes("out.wav") == Data("precious".utf8))
  }

  @Test("a shell sees 128 + n, and may have the run ignore a signal")
  func shell() throws {
    let start = "$LEGATO process \(Tool.bitcrusher) in.wav /dev/null --quiet & sleep 0.5;"
    #expect(try tool.shell("\(start) kill -HUP $!; wait $!").code == 129)
    // A shell has what runs in the background ignore SIGINT.
    #expect(try tool.shell("\(start) kill -INT $!; sleep 0.1; kill -TERM $!; wait $!").code == 143)
  }

  private func bytesWritten() throws -> Int {
    let hidden = try tool.names.filter { $0.hasPrefix(".out.wav.legato-") }
    let sizes = hidden.map { try? FileManager.default.attributesOfItem(atPath: tool.path($0))[.size] as? Int }
    return sizes.compactMap(\.self).reduce(0, +)
  }
}
