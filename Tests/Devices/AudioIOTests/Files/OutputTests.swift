// SPDX-License-Identifier: Apache-2.0

import AudioIO
import Foundation
import TestEquipment
import Testing

@Suite("Audio files: the output and its place", .waits)
struct OutputTests {
  private let sound = Sound.waves(channels: 2, frames: 3000)

  private func open(
    _ path: String, force: Bool = false, like input: AudioFileDescription? = nil, type: AudioFileType? = nil
  ) throws -> AudioFileWriter {
    var options = AudioFileWriter.Options()
    options.replaceExisting = force
    options.expectedFrames = sound.frames
    options.type = type
    return try AudioFileWriter(path: path, channels: 2, sampleRate: 48000, like: input, options: options)
  }

  private func message(_ body: () throws -> Void) -> String {
    do {
      try body()
      return "no error"
    } catch {
      return "\(error)"
    }
  }

  @Test("the file appears when it is whole")
  func appears() throws {
    let folder = try TemporaryFolder()
    let writer = try open(folder("out.wav"))
    try sound.write(to: writer)
    let during = try folder.names
    #expect(during.count == 1)
    #expect(during[0].hasPrefix(".out.wav.legato-") && during[0].count == 22)
    try writer.finish()
    #expect(try folder.names == ["out.wav"])
    #expect(try Sound.read(folder("out.wav")) == sound)
    writer.abandon()
    #expect(try folder.names == ["out.wav"])
  }

  @Test("abandoned or let go: nothing stays, and what stood there stands")
  func abandoned() throws {
    let folder = try TemporaryFolder()
    try folder.make("out.wav")
    var one: AudioFileWriter? = try open(folder("out.wav"), force: true)
    try sound.write(to: one!)
    #expect(try folder.names.count == 2)
    one = nil
    #expect(try folder.names == ["out.wav"])
    let other = try open(folder("out.wav"), force: true)
    other.abandon()
    #expect(try folder.names == ["out.wav"])
    #expect(try folder.bytes("out.wav") == Array("something".utf8))
  }

  @Test("an existing file needs force, or is the input itself")
  func existing() throws {
    let folder = try TemporaryFolder()
    try sound.write(folder("in.wav"))
    try folder.make("other.wav")
    let input = try AudioFileReader(path: folder("in.wav")).description
    let refused = message { _ = try open(folder("other.wav"), like: input) }
    #expect(refused == "\(folder("other.wav")): the file exists")
    try FileManager.default.linkItem(atPath: folder("in.wav"), toPath: folder("hard.wav"))
    let hard = message { _ = try open(folder("hard.wav"), like: input) }
    #expect(hard == "\(folder("hard.wav")): the file exists")
    try FileManager.default.createSymbolicLink(
      atPath: folder("soft.wav"), withDestinationPath: "in.wav")
    for path in [folder("in.wav"), folder.path + "/./in.wav", folder("soft.wav")] {
      let writer = try open(path, like: input)
      writer.abandon()
    }
    let forced = try open(folder("other.wav"), force: true, like: input)
    try sound.write(to: forced)
    try forced.finish()
    #expect(try Sound.read(folder("other.wav")) == sound)
  }

  @Test("the input is read to its end while the output takes its place")
  func inPlace() throws {
    let folder = try TemporaryFolder()
    try sound.write(folder("a.wav"))
    let reader = try AudioFileReader(path: folder("a.wav"))
    let writer = try open(folder("a.wav"), like: reader.description)
    let buffer = PlanarBuffer(channels: 2, capacity: 100)
    while case let count = unsafe try reader.read(into: buffer.rows, frames: 100), count > 0 {
      for frame in 0..<count { buffer[0, frame] = 0.25 }
      unsafe try writer.write(buffer.rows, frames: count)
    }
    try writer.finish()
    let result = try Sound.read(folder("a.wav"))
    #expect(result.samples[0] == Array(repeating: 0.25, count: sound.frames))
    #expect(result.samples[1] == sound.samples[1])
    #expect(try folder.names == ["a.wav"])
  }

  @Test("a file that comes into the place meanwhile is not replaced")
  func meanwhile() throws {
    let folder = try TemporaryFolder()
    let writer = try open(folder("out.wav"))
    try sound.write(to: writer)
    try folder.make("out.wav")
    #expect(message { try writer.finish() } == "\(folder("out.wav")): the file exists")
    #expect(try folder.names == ["out.wav"])
    #expect(try folder.bytes("out.wav") == Array("something".utf8))
  }

  @Test("nothing unfinished stays in a folder that was moved meanwhile", arguments: [true, false])
  func moved(isFinished: Bool) throws {
    let folder = try TemporaryFolder()
    let files = FileManager.default
    try files.createDirectory(atPath: folder("here"), withIntermediateDirectories: false)
    let writer = try open(folder("here/out.wav"))
    try sound.write(to: writer)
    try files.moveItem(atPath: folder("here"), toPath: folder("there"))
    #expect(try files.contentsOfDirectory(atPath: folder("there")).count == 1)
    if isFinished {
      #expect(message { try writer.finish() } == "\(folder("here/out.wav")): no such file")
    } else {
      writer.abandon()
    }
    #expect(try files.contentsOfDirectory(atPath: folder("there")) == [])
  }

  @Test("an unfinished file that got a name from somebody is his")
  func renamed() throws {
    let folder = try TemporaryFolder()
    let files = FileManager.default
    let writer = try open(folder("out.wav"))
    try sound.write(to: writer)
    let hidden = try #require(files.contentsOfDirectory(atPath: folder("")).first)
    try files.moveItem(atPath: folder(hidden), toPath: folder("kept.wav"))
    writer.abandon()
    #expect(try files.contentsOfDirectory(atPath: folder("")) == ["kept.wav"])
  }

  @Test("a link is followed, also one that leads nowhere yet")
  func links() throws {
    let folder = try TemporaryFolder()
    let files = FileManager.default
    try files.createDirectory(atPath: folder("real"), withIntermediateDirectories: false)
    try folder.make("real/there.wav")
    try files.createSymbolicLink(atPath: folder("link.wav"), withDestinationPath: "real/there.wav")
    try files.createSymbolicLink(atPath: folder("again.wav"), withDestinationPath: folder("link.wav"))
    try files.createSymbolicLink(atPath: folder("empty.wav"), withDestinationPath: "real/new.wav")
    for name in ["again.wav", "empty.wav"] {
      let writer = try open(folder(name), force: true)
      try sound.write(to: writer)
      try writer.finish()
    }
    #expect(try folder.names == ["again.wav", "empty.wav", "link.wav", "real"])
    #expect(try files.contentsOfDirectory(atPath: folder("real")).sorted() == ["new.wav", "there.wav"])
    #expect(try files.destinationOfSymbolicLink(atPath: folder("again.wav")) == folder("link.wav"))
    #expect(try Sound.read(folder("real/there.wav")) == sound)
    #expect(try Sound.read(folder("real/new.wav")) == sound)
    try files.createSymbolicLink(atPath: folder("round.wav"), withDestinationPath: "round.wav")
    #expect(
      message { _ = try open(folder("round.wav")) }.hasPrefix("\(folder("round.wav")): too many levels"))
  }

  @Test("places where no file can be")
  func impossible() throws {
    let folder = try TemporaryFolder()
    try folder.make("file")
    #expect(message { _ = try open(folder("no/out.wav")) } == "\(folder("no")): no such folder")
    #expect(
      message { _ = try open(folder("file/out.wav")) } == "\(folder("file")): is a file, not a folder")
    #expect(
      message { _ = try open(folder.path, force: true, type: .wav) }
        == "\(folder.path): is a folder, not a file")
    let long = folder(String(repeating: "x", count: 300) + ".wav")
    #expect(message { _ = try open(long) } == "\(long): file name too long")
    let longest = folder(String(repeating: "ü", count: 125) + ".wav")
    let writer = try open(longest)
    try writer.finish()
    #expect(try folder.names.count == 2)
  }

  @Test("a replaced file keeps its permissions; one that is new takes the umask's", .endsProcesses)
  func permissions() async throws {
    let folder = try TemporaryFolder()
    for mode in [0o600, 0o640, 0o755] {
      try folder.make("old.wav")
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: folder("old.wav"))
      let writer = try open(folder("old.wav"), force: true)
      try writer.finish()
      #expect(try folder.permissions("old.wav") == mode)
    }
    await #expect(processExitsWith: .success) {
      let folder = try TemporaryFolder()
      for mask in [0o022, 0o077, 0o002] {
        umask(mode_t(mask))
        try Sound.waves(channels: 1, frames: 5).write(folder("new\(mask).wav"))
        #expect(try folder.permissions("new\(mask).wav") == 0o666 & ~mask)
      }
    }
  }

  @Test("folders and files that are closed to writing", .endsProcesses)
  func closed() async throws {
    await #expect(processExitsWith: .success) {
      let folder = try TemporaryFolder()
      let files = FileManager.default
      try files.createDirectory(atPath: folder("closed"), withIntermediateDirectories: false)
      try folder.make("closed.wav")
      try folder.make("secret.wav")
      try files.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder.path)
      try files.setAttributes([.posixPermissions: 0o555], ofItemAtPath: folder("closed"))
      try files.setAttributes([.posixPermissions: 0o444], ofItemAtPath: folder("closed.wav"))
      try files.setAttributes([.posixPermissions: 0o000], ofItemAtPath: folder("secret.wav"))
      // Root may write everywhere: the test runs as nobody then.
      if geteuid() == 0 { #expect(seteuid(65534) == 0) }
      #expect(throws: AudioFileError(folder("closed"), .noPermission)) {
        try Sound.waves(channels: 1, frames: 5).write(folder("closed/a.wav"))
      }
      #expect(throws: AudioFileError(folder("closed.wav"), .noPermission)) {
        var options = AudioFileWriter.Options()
        options.replaceExisting = true
        _ = try AudioFileWriter(path: folder("closed.wav"), channels: 1, sampleRate: 8000, options: options)
      }
      #expect(throws: AudioFileError(folder("secret.wav"), .noPermission)) {
        _ = try AudioFileReader(path: folder("secret.wav"))
      }
      if getuid() == 0 { #expect(seteuid(0) == 0) }
      #expect(try files.contentsOfDirectory(atPath: folder("closed")) == [])
    }
  }

  @Test("devices and pipes are written directly", arguments: [AudioFileType.wav, .flac, .ogg])
  func streams(_ type: AudioFileType) throws {
    signal(SIGPIPE, SIG_IGN)
    let null = try open("/dev/null", type: type)
    try sound.write(to: null)
    try null.finish()
    #expect(null.framesWritten == 3000)

    let folder = try TemporaryFolder()
    let pipe = folder("pipe")
    #expect(unsafe mkfifo(pipe, 0o600) == 0)
    let sound = self.sound
    // The reader stands on a thread of its own: each side waits for the other.
    let bytes = Received()
    let thread = Thread {
      bytes.set(try? FileHandle(forReadingFrom: URL(fileURLWithPath: pipe)).readToEnd())
    }
    thread.start()
    let writer = try open(pipe, type: type)
    try sound.write(to: writer)
    try writer.finish()
    let copy = folder("copy." + type.extensions[0])
    try #require(bytes.wait()).write(to: URL(fileURLWithPath: copy))
    let received = try Sound.read(copy)
    #expect(received.frames == sound.frames)
    if type == .wav { #expect(received == sound) }
    #expect(try folder.names.count == 2)
  }

  @Test("types that cannot be streamed are refused")
  func notStreamed() {
    for type in AudioFileType.allCases where ![.wav, .flac, .ogg].contains(type) {
      let text = "/dev/null: \(type.name) cannot be written to a device or a pipe; use WAV or FLAC"
      #expect(message { _ = try open("/dev/null", type: type) } == text)
    }
    #expect(message { _ = try open("/dev/null") } == "no error")
  }

  /// Bytes that another thread hands over once.
  private final class Received: @unchecked Sendable {
    private let condition = NSCondition()
    private var data: Data?
    private var isSet = false

    func set(_ data: Data?) {
      condition.withLock {
        self.data = data
        isSet = true
        condition.signal()
      }
    }

    func wait() -> Data? {
      condition.withLock {
        while !isSet { condition.wait() }
        return data
      }
    }
  }

  @Test("whoever removes leftovers never takes a file that is being made")
  func leftovers() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/a.txt"
    // Ends with the test.
    async let _: Void = { while !Task.isCancelled { Leftovers.remove(of: [path], in: [folder.path]) } }()
    for index in 0..<2000 {
      try TextFile.write("\(index)", to: path, replaceExisting: true)
      if index % 2 == 0 { try FileManager.default.removeItem(atPath: path) }
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["a.txt"])
  }
}
