// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Legato
import Synchronization
import TestEquipment
import Testing

@testable import LiveHost

/// Every way in which a model's files become others is noticed, once.
@Suite("A watched model", .waits)
struct ModelWatchTests {
  private struct Broken: Error, CustomStringConvertible {
    let description: String
  }

  /// A model that is its own text, and that of a second file where there is one; `broken…` is none.
  private final class Watched {
    let folder: TemporaryFolder
    private var watch: ModelWatch<String>?

    init(_ folder: TemporaryFolder, _ names: String...) throws {
      self.folder = folder
      let files = names.map { folder($0) }
      watch = ModelWatch(files, FileContents(of: files)) {
        let text = try files.map { try String(contentsOfFile: $0, encoding: .utf8) }.joined(separator: "+")
        if text.contains("broken") { throw Broken(description: text) }
        return (text, files)
      }
      try #require(watch != nil)
    }

    /// The next news, in one word each; waits for it.
    func news() throws -> [String] {
      let watch = try #require(watch)
      try #require(isTold(within: 60_000), "nothing is told")
      return watch.take().map { news in
        switch news {
        case .made(let text): "made \(text)"
        case .broken(let error): error.description
        case .missing: "missing"
        case .restored: "restored"
        }
      }
    }

    /// Whether something is told, waiting at most so many milliseconds for it.
    func isTold(within milliseconds: Int32) -> Bool {
      guard let watch else { return false }
      var descriptors = [pollfd(fd: watch.descriptor, events: Int16(POLLIN), revents: 0)]
      return unsafe poll(&descriptors, 1, milliseconds) == 1
    }

    func end() { watch = nil }
  }

  /// How editors and other programs write.
  enum Way: String, CaseIterable {
    case inPlace, inParts, renamedOver, deletedBefore, linkTurned, folderReplaced, folderLinkTurned
  }

  @Test("whatever way a file is written", arguments: Way.allCases)
  func isNoticed(way: Way) throws {
    let folder = try TemporaryFolder()
    for name in ["one", "two"] { try folder.makeFolder(name) }
    try folder.make("one/m", "1")
    try folder.make("two/m", "2")
    switch way {
    case .inPlace, .inParts, .renamedOver, .deletedBefore, .folderReplaced:
      try folder.makeFolder("models")
      try folder.make("models/m", "1")
    case .linkTurned:
      try folder.makeFolder("models")
      try link("../one/m", folder("models/m"))
    case .folderLinkTurned: try link("one", folder("models"))
    }
    let watched = try Watched(folder, "models/m")
    switch way {
    case .inPlace: try folder.make("models/m", "2")
    case .inParts:
      let file = try FileHandle(forWritingTo: URL(fileURLWithPath: folder("models/m")))
      try file.truncate(atOffset: 0)
      usleep(10_000)
      try file.write(contentsOf: Data("2".utf8))
      try file.close()
    case .renamedOver:
      try folder.make("models/m~", "2")
      try move(folder("models/m~"), folder("models/m"))
    case .deletedBefore:
      try folder.remove("models/m")
      // As an editor that takes a while; on a slow machine so long that it is missing.
      #expect(try !watched.isTold(within: 200) || watched.news() == ["missing"])
      try folder.make("models/m", "2")
    case .linkTurned:
      try link("../two/m", folder("models/n"))
      try move(folder("models/n"), folder("models/m"))
    case .folderReplaced:
      try move(folder("models"), folder("former"))
      try move(folder("two"), folder("models"))
    case .folderLinkTurned:
      try link("two", folder("n"))
      try move(folder("n"), folder("models"))
    }
    #expect(try watched.news() == ["made 2"])
    // Whatever it is now, it is watched.
    try folder.make("models/m", "3")
    #expect(try watched.news() == ["made 3"])
    watched.end()
  }

  private func link(_ target: String, _ path: String) throws {
    try #require(unsafe symlink(target, path) == 0)
  }
  private func move(_ path: String, _ other: String) throws { try #require(unsafe rename(path, other) == 0) }

  @Test("many events are one change, and a file with the same text is none")
  func isNoticedOnce() throws {
    let folder = try TemporaryFolder()
    try folder.make("m", "0")
    let watched = try Watched(folder, "m")
    for number in 1...200 { try folder.make("m", "\(number)") }
    var told: [String] = []
    // A machine that is slow may rest between two of them.
    while told.last != "made 200" { told += try watched.news() }
    #expect(told.count < 100, "\(told)")
    try folder.make("m", "200")
    try folder.make("n", "another")
    #expect(!watched.isTold(within: 300))
    try folder.make("m", "201")
    #expect(try watched.news() == ["made 201"])
  }

  @Test("what is broken is told once, and tried again when a file comes")
  func broken() throws {
    let folder = try TemporaryFolder()
    try folder.make("m", "1")
    try folder.make("used", "2")
    let watched = try Watched(folder, "m", "used")
    try folder.make("m", "broken")
    #expect(try watched.news() == ["broken+2"])
    try folder.make("other")
    try folder.make("m", "broken")
    #expect(!watched.isTold(within: 300))
    try folder.make("m", "broken again")
    #expect(try watched.news() == ["broken again+2"])
    try folder.make("m", "1")
    #expect(try watched.news() == ["restored"])
    try folder.remove("used")
    #expect(try watched.news().first?.contains("used") == true)
    // Whole at once: while it is missing, an empty one would do.
    try move(try folder.make("other", "3"), folder("used"))
    #expect(try watched.news() == ["made 1+3"])
  }

  @Test("a file in another folder is awaited, and mended", arguments: [nil, "damaged"])
  func weightsElsewhere(first: String?) throws {
    let folder = try TemporaryFolder()
    try folder.makeFolder("models")
    func text(_ weights: String) -> String {
      """
      { "legato": 1, "inputs": { "x": { "shape": [1, "frames"] } }, "weights": { \(weights) },
        "graph": { "y": "x * 'w'" }, "outputs": ["y"] }
      """
    }
    let file = try folder.make("models/m.json", text("\"w\": [1]"))
    let watch = try #require(
      ModelWatch<[String]>([file], FileContents(of: [file])) {
        let model = try Model(contentsOf: file)
        return (model.files, model.files)
      })
    func news() throws -> ModelNews<[String]> {
      var told = pollfd(fd: watch.descriptor, events: Int16(POLLIN), revents: 0)
      try #require(unsafe poll(&told, 1, 60_000) == 1)
      return try #require(watch.take().first)
    }
    if let first {
      try folder.makeFolder("models/deep/sub")
      try folder.make("models/deep/sub/w.safetensors", first)
    }
    try folder.make("models/m.json", text("\"w\": \"deep/sub/w.safetensors:w\""))
    guard case .broken = try news() else {
      Issue.record("it was made without weights")
      return
    }
    try folder.makeFolder("models/deep/sub")
    let tensors = #"{"w":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}"#
    // Whole at once: one that is being written is damaged as well.
    let whole = try folder.make(
      "whole", [UInt8(tensors.utf8.count), 0, 0, 0, 0, 0, 0, 0] + tensors.utf8 + [0, 0, 0, 0])
    try move(whole, folder("models/deep/sub/w.safetensors"))
    guard case .made(let files) = try news() else {
      Issue.record("it was not made")
      return
    }
    #expect(files == [file, folder("models/deep/sub/w.safetensors")])
  }

  /// A gate between two threads.
  private final class Gate: Sendable {
    let makes = Atomic(0)
    let isOpen = Atomic(false)
    let isOut = Atomic(false)
  }

  private func wait(_ condition: () -> Bool) {
    for _ in 0..<10_000 where !condition() { usleep(1000) }
  }

  @Test("what is broken is made once for an edit")
  func brokenOnce() throws {
    let folder = try TemporaryFolder()
    try folder.make("m", "1")
    let gate = Gate()
    let file = folder("m")
    let watch = ModelWatch<Int>([file], FileContents(of: [file])) {
      gate.makes.add(1, ordering: .relaxed)
      throw Broken(description: "broken")
    }
    let watched = try #require(watch)
    for edit in 1...3 {
      try folder.make("m", "edit \(edit)")
      var told = pollfd(fd: watched.descriptor, events: Int16(POLLIN), revents: 0)
      try #require(unsafe poll(&told, 1, 60_000) == 1)
      // One that was made twice would be counted before the next one.
      let makes = gate.makes.load(ordering: .relaxed)
      #expect(makes == edit && watched.take().count == 1)
    }
  }

  @Test(
    "a file that is being written beside a model, such as a recording, matters when it comes and is closed")
  func growing() throws {
    let folder = try TemporaryFolder()
    try folder.make("m", "1")
    let watch = try #require(FileWatch())
    watch.watch([folder("m")], neighbours: true)
    try folder.make("take.wav", "RIFF")
    #expect(watch.takeChange() && watch.takeNeighbour())
    let take = try FileHandle(forWritingTo: URL(fileURLWithPath: folder("take.wav")))
    for _ in 0..<3 {
      try take.write(contentsOf: Data("sound".utf8))
      #expect(!watch.takeChange() && !watch.takeNeighbour())
    }
    try take.close()
    #expect(watch.takeChange() && watch.takeNeighbour())
  }

  @Test("names that are written alike in Unicode are those of two files, and of two folders")
  func alike() throws {
    let folder = try TemporaryFolder()
    let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")
    for name in [composed, decomposed] {
      try #require(unsafe mkdir(folder(name), 0o700) == 0)
      for file in [composed, decomposed] { try write("1", "\(name)/\(file)", in: folder) }
    }
    let names = [composed, decomposed].flatMap { [$0 + "/" + composed, $0 + "/" + decomposed] }
    let watched = try Watched(folder, names[0], names[1], names[2], names[3])
    var texts = ["1", "1", "1", "1"]
    for index in 0..<4 {
      texts[index] = "2"
      try write("2", names[index], in: folder)
      #expect(try watched.news() == ["made " + texts.joined(separator: "+")])
    }
    watched.end()
  }

  /// As the system has it, whatever Foundation makes of names.
  private func write(_ text: String, _ name: String, in folder: TemporaryFolder) throws {
    let descriptor = unsafe open(folder(name), O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    try #require(descriptor >= 0)
    defer { close(descriptor) }
    let bytes = Array(text.utf8)
    try #require(
      unsafe bytes.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) } == bytes.count
    )
  }

  @Test("the end waits for nothing that is being made")
  func endsAtOnce() throws {
    let folder = try TemporaryFolder()
    try folder.make("m", "1")
    let gate = Gate()
    let file = folder("m")
    var watch = ModelWatch<Int>([file], FileContents(of: [file])) {
      gate.makes.add(1, ordering: .relaxed)
      // 10 s at most.
      for _ in 0..<10_000 where !gate.isOpen.load(ordering: .relaxed) { usleep(1000) }
      gate.isOut.store(true, ordering: .relaxed)
      return (1, [file])
    }
    try #require(watch != nil)
    try folder.make("m", "2")
    wait { gate.makes.load(ordering: .relaxed) > 0 }
    watch = nil
    let hasWaited = gate.isOut.load(ordering: .relaxed)
    #expect(!hasWaited)
    gate.isOpen.store(true, ordering: .relaxed)
    wait { gate.isOut.load(ordering: .relaxed) }
  }

  @Test("what is edited after somebody has begun to read it is made at once")
  func editedMeanwhile() throws {
    let folder = try TemporaryFolder()
    for name in ["m", "old"] { try folder.make(name, "1") }
    let files = ["m", "old"].map { folder($0) }
    wait { files.allSatisfy(FileMoment().isAfterLastChange) }
    let moment = FileMoment()
    #expect(FileContents(of: files, readSince: moment) == FileContents(of: files))
    // Here it was read, before this.
    try folder.make("m", "2")
    let contents = FileContents(of: files, readSince: moment)
    #expect(contents == FileContents(of: [files[1]]))
    let watch = try #require(ModelWatch<String>(files, contents) { ("made", files) })
    var told = pollfd(fd: watch.descriptor, events: Int16(POLLIN), revents: 0)
    #expect(unsafe poll(&told, 1, 60_000) == 1)
    guard case .made = watch.take().first else {
      Issue.record("nothing was made")
      return
    }
  }

  @Test("a file that goes for good is told, and that it is back")
  func missing() throws {
    let folder = try TemporaryFolder()
    try folder.make("m", "1")
    let watched = try Watched(folder, "m")
    try folder.remove("m")
    // Whatever else is written in the folder meanwhile.
    for _ in 0..<300 where !watched.isTold(within: 100) { try folder.make("log") }
    #expect(watched.isTold(within: 0))
    #expect(try watched.news() == ["missing"])
    try folder.make("m", "1")
    #expect(try watched.news() == ["restored"])
    try folder.make("m", "")
    #expect(try watched.news() == ["missing"])
    try folder.make("m", "2")
    #expect(try watched.news() == ["made 2"])
  }

  @Test("a pipe is not watched")
  func pipe() throws {
    let folder = try TemporaryFolder()
    try #require(unsafe mkfifo(folder("m"), 0o600) == 0)
    let contents = FileContents(of: [folder("m")])
    #expect(ModelWatch<Int>([folder("m")], contents) { (1, []) } == nil)
  }

  @Test("a file of gigabytes in the model's place is looked at, and not read")
  func tooLarge() throws {
    let folder = try TemporaryFolder()
    try folder.make("m", "1")
    let files = [folder("m"), folder("none"), folder(".")]
    let small = FileContents(of: files)
    #expect(small.has(folder("m")) && !small.has(folder("none")) && !small.has(folder(".")))
    let grown = unsafe truncate(folder("m"), 3 << 30)
    try #require(grown == 0)
    var large: FileContents?
    // A file with holes takes as long to read as any: the memory for it would be gigabytes.
    let before = ProcessInfo.processInfo.residentBytes
    large = FileContents(of: files)
    #expect(ProcessInfo.processInfo.residentBytes - before < 256 << 20)
    #expect(large?.has(folder("m")) == true && large != small && large == FileContents(of: files))
    let again = unsafe truncate(folder("m"), (3 << 30) + 1)
    try #require(again == 0)
    #expect(large != FileContents(of: files))
  }
}

extension ProcessInfo {
  /// The bytes of this process that are in memory.
  fileprivate var residentBytes: Int {
    let pages = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ")
    return (pages.flatMap { $0.count > 1 ? Int($0[1]) : nil } ?? 0) * 4096
  }
}
