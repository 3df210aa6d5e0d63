// SPDX-License-Identifier: Apache-2.0

import RealtimeCore
import Testing

@Suite("Program")
struct ProgramTests {
  private static func error(_ change: (inout ProgramLayout) -> Void) -> String? {
    var layout = GainProgram.layout
    change(&layout)
    do {
      _ = try unsafe Program(name: "p", layout: layout, entry: { _, _, _, _, _ in })
      return nil
    } catch {
      return error.description
    }
  }

  @Test("A program of another version is refused")
  func version() {
    #expect(
      Self.error { $0.version = 7 }
        == "program 'p' has version 7, and this library runs version 6; compile it again")
  }

  @Test("A layout that contradicts itself is refused, and a sound one is not")
  func contradictions() {
    func reason(_ change: (inout ProgramLayout) -> Void) -> String? {
      Self.error(change).map {
        String($0.dropFirst("program 'p' has a damaged layout: ".count).dropLast("; compile it again".count))
      }
    }
    #expect(reason { _ in } == nil)
    #expect(
      reason { $0.positionOffset = 4092 }
        == "the position at byte 4092 lies outside a workspace of 4096 bytes")
    #expect(reason { $0.positionOffset = 4 } == "the position at byte 4 is not aligned to 8 bytes")
    #expect(
      reason { $0.blockStaleOffset = -4 }
        == "the flag of stepped parameters at byte -4 lies outside a workspace of 4096 bytes")
    #expect(
      reason { $0.settledStaleOffset = 10 }
        == "the flag of settled parameters at byte 10 is not aligned to 4 bytes")
    #expect(
      reason { $0.rampsOffset = 4068 } == "the ramps at byte 4068 lies outside a workspace of 4096 bytes")
    #expect(
      reason { $0.stateRange = 4000..<4097 }
        == "the state at byte 4000 lies outside a workspace of 4096 bytes")
    #expect(
      reason {
        ($0.signalDelays, $0.countsOffset) = ([.init(name: "wet", range: 0...9)], 4092)
      } == "the counts at byte 4092 lies outside a workspace of 4096 bytes")
    #expect(reason { $0.inputs[0].rows = -1 } == "port 'src' has a negative extent")
    #expect(
      reason { $0.parameters[0].minimum = 3 } == "parameter 'gain' has no range: minimum 3.0, maximum 2.0")
    #expect(
      reason { $0.parameters[1].maximum = .infinity }
        == "parameter 'echo' has no range: minimum 0.0, maximum inf")
    #expect(
      reason { $0.parameters[0].initial = .nan }
        == "parameter 'gain' starts at nan, outside its range -2.0 to 2.0")
    #expect(reason { $0.parameters[0].rampFrames = -1 } == "parameter 'gain' ramps over -1 frames")
  }

  @Test("Weights in place have to be aligned")
  func weightsInPlace() throws {
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 128, alignment: Weights.alignment)
    defer { unsafe memory.deallocate() }
    let aligned = UnsafeRawBufferPointer(memory)
    let shifted = unsafe UnsafeRawBufferPointer(rebasing: aligned[4...])
    let address = UInt(bitPattern: shifted.baseAddress)
    let weights = try unsafe Weights(unsafeStatic: aligned)
    #expect(unsafe weights.bytes.baseAddress == aligned.baseAddress)
    #expect(throws: ProgramError.weightsMisaligned(address: address)) {
      _ = try unsafe Weights(unsafeStatic: shifted)
    }
  }
}
