// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestEquipment
import Testing

@testable import AudioIO

@Suite("Audio files: an interrupted run")
struct PendingFilesTests {
  private let sound = Sound.waves(channels: 1, frames: 2000)

  private func open(_ path: String, _ pending: PendingFiles) throws -> AudioFileWriter {
    try AudioFileWriter(path: path, channels: 1, sampleRate: 48000, pending: pending)
  }

  @Test("unfinished files go, finished ones stay, none is made afterwards")
  func removeAll() throws {
    let folder = try TemporaryFolder()
    let pending = PendingFiles(capacity: 3)
    // More than fit, one after the other: places are given back.
    for index in 0..<5 {
      let writer = try open(folder("done\(index).wav"), pending)
      try writer.finish()
    }
    let first = try open(folder("a.wav"), pending)
    let second = try open(folder("b.wav"), pending)
    try sound.write(to: first)
    #expect(try folder.names.count == 7)
    pending.removeAll()
    let left = try folder.names
    #expect(left == (0..<5).map { "done\($0).wav" })
    #expect(throws: AudioFileError(folder("a.wav"), .interrupted)) { try first.finish() }
    #expect(throws: AudioFileError(folder("c.wav"), .interrupted)) {
      _ = try open(folder("c.wav"), pending)
    }
    second.abandon()
    #expect(try folder.names == left)
  }

  @Test("a file that is just being made goes, too")
  func making() throws {
    let folder = try TemporaryFolder()
    let pending = PendingFiles(capacity: 3)
    let removed = DispatchSemaphore(value: 0)
    let made = pending.make(folder("a")) {
      Thread {
        pending.removeAll()
        removed.signal()
      }.start()
      while !pending.isClosed { sched_yield() }
      return unsafe creat(folder("a"), 0o600)
    }
    removed.wait()
    #expect(try folder.names == [])
    #expect(made.map { close($0.descriptor) } == 0)
    #expect(pending.make(folder("b")) { -1 } == nil)
  }

  @Test("in a signal handler", .endsProcesses)
  func signalHandler() async {
    await #expect(processExitsWith: .exitCode(42)) {
      let folder = try TemporaryFolder()
      let writer = try AudioFileWriter(
        path: folder("a.wav"), channels: 1, sampleRate: 48000, pending: interrupted)
      try Sound.waves(channels: 1, frames: 2000).write(to: writer)
      guard try folder.names.count == 1 else { exit(1) }
      signal(SIGINT) { _ in interrupted.removeAll() }
      // Tests run on threads that signals pass by.
      var signals = sigset_t()
      unsafe sigemptyset(&signals)
      unsafe sigaddset(&signals, SIGINT)
      unsafe pthread_sigmask(SIG_UNBLOCK, &signals, nil)
      raise(SIGINT)
      guard try folder.names == [] else { exit(2) }
      withExtendedLifetime(writer) {}
      try FileManager.default.removeItem(atPath: folder.path)
      exit(42)
    }
  }
}

private let interrupted = PendingFiles(capacity: 4)
