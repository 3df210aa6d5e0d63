// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import LegatoBench

@Suite("Benchmark: measuring")
struct MeasuringTests {
  @Test("quantiles, and ratios of neighbours")
  func samples() {
    let samples = Samples((1...10_000).reversed().map(Double.init))
    #expect(samples.median == 5000 && samples.p99 == 9900 && samples.p999 == 9990)
    #expect(samples.maximum == 10_000)
    let one = Samples([1, 10, 100])
    let other = Samples([2, 20, 1])
    #expect(one.ratio(to: other) == 0.5)
    #expect(one.excess(over: other, times: 1) == -1)
  }

  @Test("calls are timed as often as one asks, and never below nothing")
  func calls() throws {
    let instrument = try Instrument(Models.copy, frames: 1)
    let samples = SingleCalls(300, instrument).samples
    #expect(samples.nanoseconds.count == 300 && samples.nanoseconds.allSatisfy { $0 >= 0 })
    let cold = SingleCalls(3, instrument, after: try OtherProgram()).samples
    #expect(cold.nanoseconds.count == 3)
  }

  @Test("files are in memory where they fit, unless the user names a folder")
  func place() {
    let room = FilePlace.bytes
    #expect(FilePlace(chosen: nil, room: room) == .memory)
    // As containers have it, or nothing at all.
    for little in [nil, 64 << 20, room - 1] {
      #expect(FilePlace(chosen: nil, room: little) == .temporaryFolder)
    }
    #expect(FilePlace(chosen: "/tmp", room: room) == .temporaryFolder)
  }

  @Test("instructions are counted one by one: the same each time, and more for more frames")
  func steps() throws {
    func count(_ frames: Int) throws -> Int? {
      Steps.count(try Instrument(Models.bitcrusher(), frames: frames))
    }
    let (few, again, many) = (try count(16), try count(16), try count(1024))
    #expect(few == again)
    guard let few, let many else { return }
    // Some instructions of whatever width for each vector of at most 16 samples.
    #expect(few > 16 && many - few > 63 * 8)
  }

  @Test("callgrind's file is read")
  func callgrind() throws {
    let text = """
      # callgrind format
      pid: 7
      desc: Trigger: Client Request: instructions, a graph 128
      events: Ir
      fn=(1) f
      3 17

      totals: 70507

      """
    let found = try #require(Callgrind.count(in: text))
    #expect(found.0 == "instructions, a graph 128" && found.1 == 70_507)
    #expect(Callgrind.count(in: text.replacing("Client Request: ", with: "Program termination")) == nil)
    #expect(Callgrind.count(in: "") == nil)
  }

  /// A file of nothing but the names of its sections, and the header of the one that keeps them.
  private func program(withNames names: String) -> [UInt8] {
    func bytes(_ number: Int, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(number >> (8 * $0) & 0xFF) }
    }
    var file = [UInt8](repeating: 0, count: 64)
    file.replaceSubrange(0..<6, with: [0x7F, 0x45, 0x4C, 0x46, 2, 1])
    file.replaceSubrange(0x28..<0x30, with: bytes(64 + names.utf8.count, 8))
    file.replaceSubrange(0x3A..<0x3C, with: bytes(64, 2))
    var header = [UInt8](repeating: 0, count: 64)
    header.replaceSubrange(0x18..<0x20, with: bytes(64, 8))
    header.replaceSubrange(0x20..<0x28, with: bytes(names.utf8.count, 8))
    return file + Array(names.utf8) + header
  }

  @Test("names of debugging information are changed where they stand, and no other")
  func hiddenNames() {
    let names = "\0.debug_info\0.text\0.rela.debug_line\0.debug\0"
    let hidden = "\0.hiddeninfo\0.text\0.rela.hiddenline\0.debug\0"
    #expect(HiddenDebugInfo.hiding(program(withNames: names)) == program(withNames: hidden))
  }

  @Test("of a whole program nothing else is changed")
  func hiddenDebugInfo() throws {
    let path = try #require(CommandLine.arguments.first)
    let program = [UInt8](try Data(contentsOf: URL(filePath: path)))
    let hidden = HiddenDebugInfo.hiding(program)
    #expect(hidden.count == program.count)
    var changed: [Int] = []
    for index in program.indices where program[index] != hidden[index] { changed.append(index) }
    // All of them are letters of names, which lie close together.
    if let first = changed.first, let last = changed.last { #expect(last - first < 4096) }
    let isHidden = String(decoding: hidden.suffix(1 << 16), as: UTF8.self).contains(".debug_")
    #expect(!isHidden)
    for count in [0, 3, 40, 64, 4096] {
      let part = Array(program.prefix(count))
      let isSame = HiddenDebugInfo.hiding(part) == part
      #expect(isSame, "\(count) bytes")
    }
  }
}
