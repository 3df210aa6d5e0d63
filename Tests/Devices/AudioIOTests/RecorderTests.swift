// SPDX-License-Identifier: Apache-2.0

import AudioIO
import Foundation
import RealtimeCore
import Synchronization
import TestEquipment
import Testing

@Suite("Recording beside an audio thread", .waits)
struct RecorderTests {
  /// Hands a sound over, a period at a time, no faster than there is room.
  private static func play(_ sound: Sound, to recorder: Recorder, period: Int = 512) {
    let buffer = PlanarBuffer(channels: sound.samples.count, capacity: period)
    var start = 0
    while start < sound.frames {
      let count = min(period, sound.frames - start)
      for channel in sound.samples.indices {
        for frame in 0..<count { buffer[channel, frame] = sound.samples[channel][start + frame] }
      }
      while recorder.writer.room < count && recorder.failure == nil { usleep(1000) }
      unsafe recorder.writer.write(buffer.rows, from: 0, frames: count)
      start += count
    }
  }

  @Test(
    "every frame, in its place when the recording ends and not before", arguments: ["wav", "flac", "caf"])
  func whole(_ type: String) throws {
    let folder = try TemporaryFolder()
    let path = folder("out." + type)
    var options = AudioFileWriter.Options()
    options.dither = .none
    let recorder = try Recorder(path: path, channels: 2, sampleRate: 48000, period: 512, options: options)
    // 16 bits, which each type holds.
    let sound = Sound.waves(channels: 2, frames: 250_007).map { ($0 * 32768).rounded() / 32768 }
    Self.play(sound, to: recorder)
    #expect(!FileManager.default.fileExists(atPath: path))
    let summary = recorder.finish()
    #expect(summary.isKept && summary.frames == 250_007 && summary.framesLost == 0 && summary.failure == nil)
    #expect(recorder.notices.isEmpty == (type != "flac"))
    let isEqual = try Sound.read(path) == sound
    #expect(isEqual)
  }

  @Test("what the ring cannot hold is lost, and counted")
  func lost() throws {
    let folder = try TemporaryFolder()
    let recorder = try Recorder(path: folder("out.wav"), channels: 1, sampleRate: 8000, period: 64)
    let rows = PlanarBuffer(channels: 1, capacity: 100_000)
    withExtendedLifetime(rows) {
      _ = unsafe recorder.writer.write(rows.rows, from: 0, frames: 100_000)
    }
    let summary = recorder.finish()
    #expect(summary.frames == 16_000 && summary.framesLost == 84_000 && summary.isKept)
    #expect(try Sound.read(folder("out.wav")).frames == 16_000)
  }

  @Test("a file that is there already, and a folder that is not")
  func refused() throws {
    let folder = try TemporaryFolder()
    try folder.make("out.wav")
    for (name, problem) in [("out.wav", AudioFileError.Problem.exists), ("x/out.wav", .noFolder)] {
      do {
        _ = try Recorder(path: folder(name), channels: 1, sampleRate: 8000, period: 64)
        Issue.record("\(name) was begun")
      } catch {
        #expect(error.problem == problem)
      }
    }
  }

  @Test("ended at once: nothing stays")
  func interrupted() throws {
    let folder = try TemporaryFolder()
    let pending = PendingFiles(capacity: 1)
    let recorder = try Recorder(
      path: folder("out.wav"), channels: 1, sampleRate: 48000, period: 512, pending: pending)
    Self.play(Sound.waves(channels: 1, frames: 50_000), to: recorder)
    pending.removeAll()
    #expect(try folder.names == [])
    let summary = recorder.finish()
    #expect(!summary.isKept && summary.failure?.problem == .interrupted)
    #expect(try folder.names == [])
  }

  /// The limit on the size of files stands for the disk.
  @Test("a full disk: said, while the sound goes on; what fitted is kept", .endsProcesses)
  func full() async {
    await #expect(processExitsWith: .success) {
      signal(SIGXFSZ, SIG_IGN)
      let sound = Sound.waves(channels: 2, frames: 200_000)
      for type in ["wav", "aiff", "caf", "flac", "ogg"] {
        let folder = try TemporaryFolder()
        var old = rlimit()
        unsafe getrlimit(__rlimit_resource_t(UInt32(RLIMIT_FSIZE.rawValue)), &old)
        var new = old
        new.rlim_cur = type == "ogg" ? 40_001 : 150_001
        unsafe setrlimit(__rlimit_resource_t(UInt32(RLIMIT_FSIZE.rawValue)), &new)
        let path = folder("out." + type)
        let recorder = try Recorder(path: path, channels: 2, sampleRate: 48000, period: 512)
        Self.play(sound, to: recorder)
        let summary = recorder.finish()
        unsafe setrlimit(__rlimit_resource_t(UInt32(RLIMIT_FSIZE.rawValue)), &old)
        #expect(summary.failure == AudioFileError(path, .system("file too large")), "\(type)")
        #expect(summary.isKept && summary.frames > 4000, "\(type): \(summary)")
        #expect(summary.frames + summary.framesLost == sound.frames, "\(type): \(summary)")
        let kept = try Sound.read(path)
        #expect(kept.frames == summary.frames, "\(type): \(kept.frames), \(summary)")
        guard type == "wav" else { continue }
        let isEqual = kept.samples == sound.samples.map { Array($0.prefix(kept.frames)) }
        #expect(isEqual)
      }
    }
  }

  /// Notes of threads.
  private final class Notes: Sendable {
    let isFinished = Atomic(false)
    let isKept = Atomic(false)
    let isAnswered = Atomic(false)
  }

  /// Waits until something is so, for a minute at most.
  private static func wait(_ condition: () -> Bool) {
    for _ in 0..<60_000 {
      if condition() { return }
      usleep(1000)
    }
  }

  /// A kept recording is read again through a link, which leads to a pipe meanwhile that nobody writes to.
  @Test("who asks how a recording stands does not wait until what was kept is read", .endsProcesses)
  func askedMeanwhile() async {
    await #expect(processExitsWith: .success) {
      signal(SIGXFSZ, SIG_IGN)
      let folder = try TemporaryFolder()
      let path = folder("out.wav")
      try #require(unsafe symlink("kept.wav", path) == 0)
      var limit = rlimit(rlim_cur: 150_001, rlim_max: .max)
      unsafe setrlimit(__rlimit_resource_t(UInt32(RLIMIT_FSIZE.rawValue)), &limit)
      let recorder = try Recorder(path: path, channels: 2, sampleRate: 48000, period: 512)
      Self.play(Sound.waves(channels: 2, frames: 200_000), to: recorder)
      try #require(unsafe mkfifo(folder("pipe.wav"), 0o600) == 0)
      try #require(unsafe unlink(path) == 0)
      try #require(unsafe symlink("pipe.wav", path) == 0)
      let notes = Notes()
      Thread.detachNewThread {
        notes.isKept.store(recorder.finish().isKept, ordering: .relaxed)
        notes.isFinished.store(true, ordering: .releasing)
      }
      // Succeeds when it is being read.
      var reader: Int32 = -1
      Self.wait {
        reader = unsafe open(folder("pipe.wav"), O_WRONLY | O_NONBLOCK | O_CLOEXEC)
        return reader >= 0
      }
      try #require(reader >= 0)
      Thread.detachNewThread {
        if recorder.failure != nil { notes.isAnswered.store(true, ordering: .releasing) }
      }
      Self.wait { notes.isAnswered.load(ordering: .acquiring) }
      let isAnswered = notes.isAnswered.load(ordering: .acquiring)
      #expect(isAnswered, "it waits")
      // Nor does the end: the file is in its place.
      Self.wait { notes.isFinished.load(ordering: .acquiring) }
      let (isFinished, isKept) = (
        notes.isFinished.load(ordering: .acquiring), notes.isKept.load(ordering: .relaxed)
      )
      #expect(isFinished && isKept, "finished: \(isFinished), kept: \(isKept)")
      close(reader)
      #expect(try folder.names.contains("kept.wav"))
    }
  }
}
