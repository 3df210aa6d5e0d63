// SPDX-License-Identifier: Apache-2.0

import AudioIO
import Foundation
import Glibc
import Synchronization
import TestEquipment
import Testing

@testable import LegatoTool

@Suite("Command: the memory of very many files", .waits)
struct ManyNamesTests {
  /// Bytes of memory that the process has.
  private static func memory() throws -> Int {
    let text = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
    let pages = try #require(text.split(separator: " ").dropFirst().first.flatMap { Int($0) })
    return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
  }

  /// Names that are in no order, and of different lengths.
  private static func name(_ index: Int) -> String {
    let number = UInt32(truncatingIfNeeded: index) &* 2_654_435_761
    return "\(number)" + String(repeating: "x", count: Int(number % 7)) + ".wav"
  }

  @Test("names are kept and brought into order, and memory does not grow with them", .endsProcesses)
  func names() async {
    await #expect(processExitsWith: .success) { try ManyNamesTests.check(hasPlace: true) }
  }

  @Test("without a place for temporary files, all stays in memory", .endsProcesses)
  func noPlace() async {
    await #expect(processExitsWith: .success) {
      unsafe setenv("TMPDIR", "/nonexistent", 1)
      try ManyNamesTests.check(hasPlace: false)
    }
  }

  private static func check(hasPlace: Bool) throws {
    #expect((ScratchFile() != nil) == hasPlace)
    let (count, tail) = (12_000, String(repeating: "x", count: 1500))
    let before = try ManyNamesTests.memory()
    var sorter = NameSorter()
    var writer = NameWriter()
    for index in 0..<count { sorter.append(ManyNamesTests.name(index) + tail, to: &writer) }
    sorter.hand(to: &writer)
    let list = writer.finish()
    // The names take 18 MB.
    let grown = try ManyNamesTests.memory() - before
    #expect(list.count == count && (grown < 8 << 20) == hasPlace, "\(grown)")

    // Each name is there once, and at its position; only the beginning of a part comes before its predecessor.
    var (position, steps, last) = (0, 0, "")
    var known: Set<Substring> = []
    for name in list {
      known.insert(name.dropLast(tail.count))
      if position % 997 == 0 { #expect(list[position] == name) }
      if !last.utf8.lexicographicallyPrecedes(name.utf8) { steps += 1 }
      (position, last) = (position + 1, name)
    }
    #expect(position == count && known == Set((0..<count).map { Substring(ManyNamesTests.name($0)) }))
    #expect(steps == 17, "a megabyte holds 692 of them: \(steps)")
  }

  @Test("a temporary file that cannot be read ends the run with one line, and code 1", .endsProcesses)
  func unreadable() async throws {
    let result = await #expect(
      processExitsWith: .exitCode(1), observing: [\.standardErrorContent]
    ) {
      try ManyNamesTests.readUnreadable()
    }
    let said = try String(decoding: #require(result).standardErrorContent, as: UTF8.self)
    #expect(said == "/scratch: a temporary file in it cannot be read: bad file descriptor\n")
  }

  @Test("where a signal asked for the end, the run ends by it, without a word", .endsProcesses)
  func unreadableAfterSignal() async throws {
    let result = await #expect(processExitsWith: .signal(SIGTERM), observing: [\.standardErrorContent]) {
      // The thread that runs this may keep signals from itself.
      Interruption.begin()
      Interruption.request.store(SIGTERM, ordering: .relaxed)
      try ManyNamesTests.readUnreadable()
    }
    let said = try String(decoding: #require(result).standardErrorContent, as: UTF8.self)
    // The testing library has a few bytes of its own there.
    #expect(!said.contains("/scratch"))
  }

  private static func readUnreadable() throws {
    // Opened for writing only, as a device that fails: it takes names, and gives none back.
    let folder = try TemporaryFolder()
    let descriptor = unsafe open(folder("names"), O_WRONLY | O_CREAT, 0o600)
    let file = ScratchFile(taking: descriptor, in: "/scratch")
    let bytes: [UInt8] = [5, 0] + Array("a.wav".utf8)
    #expect(unsafe bytes.withUnsafeBytes { unsafe file.write($0, at: 0) })
    let list = NameList(count: 1, marks: [0], file: file, stored: bytes.count, recent: [])
    _ = list[0]
  }

  @Test("what came of files and cannot be read again is an error with a place")
  func unreadableOutcome() throws {
    // Opened for writing only, as a device that fails.
    let folder = try TemporaryFolder()
    let descriptor = unsafe open(folder("outcomes"), O_WRONLY | O_CREAT, 0o600)
    let table = OutcomeTable(measures: ScratchFile(taking: descriptor, in: "/scratch"))
    table.note(0, .rendered(FileRun.Result(), seconds: 1))
    let error = #expect(throws: AudioFileError.self) { try table.outcome(of: 0) }
    #expect(error?.description == "/scratch: a temporary file in it cannot be read: bad file descriptor")
  }

  @Test("states of very many files, and which of them are left to do")
  func states() {
    var (list, plain) = (StateList(), [StateList.State]())
    for index in 0..<20_000 {
      let state: StateList.State =
        (3000..<9000).contains(index) ? .whole : [.free, .whole, .replaced][(index * 7 + index / 5) % 3]
      list.append(state)
      plain.append(state)
    }
    #expect(plain.indices.allSatisfy { list[$0] == plain[$0] })
    let left = plain.indices.filter { plain[$0] != .whole }
    #expect(list.count - list.wholeCount == left.count)
    #expect(left.indices.allSatisfy { list.item(ofTask: $0) == left[$0] })
  }

  @Test(
    "what came of files comes back, whatever the order, with and without a place for temporary files",
    .endsProcesses)
  func outcomes() async {
    await #expect(processExitsWith: .success) { try ManyNamesTests.checkOutcomes() }
    await #expect(processExitsWith: .success) {
      unsafe setenv("TMPDIR", "/nonexistent", 1)
      try ManyNamesTests.checkOutcomes()
    }
  }

  private static func checkOutcomes() throws {
    let table = OutcomeTable()
    let measures = FileReport.Measures(
      frames: 7, clipped: 1, nonFinite: 2, peak: 0.5, seconds: 0.25, rate: 48_000, channels: 2,
      outsideDelays: 1 << 40)
    table.note(100_000, .rendered(measures))
    table.note(3, .failed("in/a.wav: the file is empty"))
    guard case .rendered(let found)? = try table.outcome(of: 100_000),
      case .failed("in/a.wav: the file is empty")? = try table.outcome(of: 3)
    else {
      Issue.record("nothing came back")
      return
    }
    #expect(found.frames == 7 && found.clipped == 1 && found.nonFinite == 2 && found.peak == 0.5)
    #expect(found.seconds == 0.25 && found.rate == 48_000 && found.channels == 2)
    #expect(found.outsideDelays == 1 << 40)
    for item in [4, 200_000] where try table.outcome(of: item) != nil {
      Issue.record("nobody came to \(item)")
    }
  }
}
