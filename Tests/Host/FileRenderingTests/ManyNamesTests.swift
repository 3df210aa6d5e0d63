// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Legato
import TestEquipment
import Testing

@testable import FileRendering

@Suite("Batches: very many files", .waits)
struct ManyNamesTests {
  /// Names that are in no order, and of different lengths.
  private static func name(_ index: Int) -> String {
    let number = UInt32(truncatingIfNeeded: index) &* 2_654_435_761
    return "\(number)" + String(repeating: "x", count: Int(number % 7)) + ".wav"
  }

  @Test("each file is there once, in the order of the names' bytes, files of a folder before its folders")
  func order() throws {
    let folder = try TemporaryFolder()
    try folder.makeFolder("in")
    try folder.makeFolder("in/B")
    let names = (0..<3000).map(Self.name)
    for name in names { try folder.make("in/" + name, "") }
    for name in names.prefix(10) { try folder.make("in/B/" + name, "") }
    var batch = Batch([folder("in")], into: folder("out"))
    batch.isRecursive = true
    var found = 0
    let plan = try BatchPlan(batch, for: FileRenderer(SmallModel.double)) { found = $0 }
    #expect(plan.count == 3010 && found == 3010)
    func inOrder(_ names: some Sequence<String>) -> [String] {
      names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }
    let paths = inOrder(names).map { "/" + $0 } + inOrder(names.prefix(10)).map { "/B/" + $0 }
    #expect(plan.items.map(\.input) == paths.map { folder("in") + $0 })
    #expect(plan.items.map(\.output) == paths.map { folder("out") + $0 })
    for index in stride(from: 0, to: plan.count, by: 271) {
      #expect(plan[index].input == folder("in") + paths[index])
    }
  }

  @Test("a name takes some hundred bytes of memory, with all that is noted of its file", .endsProcesses)
  func memory() async {
    await #expect(processExitsWith: .success) { try ManyNamesTests.checkMemory() }
  }

  private static func checkMemory() throws {
    let folder = try TemporaryFolder()
    try folder.makeFolder("in")
    let (count, tail) = (10_000, String(repeating: "y", count: 20))
    for index in 0..<count {
      close(unsafe open(folder("in/" + tail + ManyNamesTests.name(index)), O_WRONLY | O_CREAT, 0o600))
    }
    var batch = Batch([folder("in")], into: folder("out"))
    (batch.isRecursive, batch.jobs) = (true, 1)
    let renderer = try FileRenderer(SmallModel.double)
    // The compiler's library is open before, and all code has run once.
    _ = try HostCompiler.found()
    _ = try BatchRun(BatchPlan(Batch([folder("in/none.wav")], into: folder("out")), for: renderer))
    let before = try ManyNamesTests.memory()
    let run = try BatchRun(BatchPlan(batch, for: renderer))
    let grown = try ManyNamesTests.memory() - before
    // A million files may take 300 MB, most of which the process has anyway.
    #expect(run.count == count && grown < 300 * count, "\(grown)")
  }

  /// Bytes of memory that the process has, without those of its files: code that runs for the first time is none of it.
  private static func memory() throws -> Int {
    let text = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
    let pages = text.split(separator: " ").compactMap { Int($0) }
    return (try #require(pages.dropFirst().first) - pages[2]) * Int(sysconf(Int32(_SC_PAGESIZE)))
  }
}
