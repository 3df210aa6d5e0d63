// SPDX-License-Identifier: Apache-2.0

import Legato
import NativeCode
import RealtimeCore
import Testing

/// A place in the state of the programs below.
private let stateOffset = 128

/// Code that breaks a law, written by hand, does not pass a verification.
@Suite struct HandWrittenCodeTests {
  /// The verification of a program whose code is replaced.
  private func broken(_ entry: EntryPoint) throws -> Verification {
    var verification = try VerificationTests.verification()
    let layout = verification.program.layout
    try #require(layout.stateRange.contains(stateOffset))
    verification.program = try unsafe Program(name: "Broken", layout: layout, entry: entry)
    return verification
  }

  @Test func codeThatCountsBlocksIsSeen() throws {
    let verification = try unsafe broken { _, outputs, workspace, _, frames in
      let blocks = unsafe workspace.load(fromByteOffset: stateOffset, as: Float.self)
      unsafe workspace.storeBytes(of: blocks + 1, toByteOffset: stateOffset, as: Float.self)
      for frame in 0..<frames { unsafe outputs![0]![frame] = blocks }
    }
    #expect(try VerificationTests.failed(verification).contains("law 1: blocks"))
  }

  @Test func codeThatRemembersOutsideOfItsWorkspaceIsSeen() throws {
    let verification = try unsafe broken { _, outputs, _, _, frames in
      for frame in 0..<frames {
        unsafe Shared.count += 1
        unsafe outputs![0]![frame] = Float(Shared.count)
      }
    }
    let names = try VerificationTests.failed(verification)
    #expect(names.contains("law 3: reset"))
    #expect(names.contains("law 3: contexts"))
  }

  private enum Shared {
    nonisolated(unsafe) static var count = 0
    nonisolated(unsafe) static var size = 0
  }

  @Test func codeThatLooksAheadIsSeen() throws {
    let verification = try unsafe broken { inputs, outputs, _, _, frames in
      for frame in 0..<frames { unsafe outputs![0]![frame] = inputs![0]![frames - 1] }
    }
    #expect(try VerificationTests.failed(verification).contains("law 5: latency"))
  }

  @Test func codeThatReadsWhatItHasOverwrittenIsSeen() throws {
    let verification = try unsafe broken { inputs, outputs, _, _, frames in
      for frame in 0..<frames { unsafe outputs![0]![frame] = inputs![0]![frame] + inputs![0]![0] + 1 }
    }
    #expect(try VerificationTests.failed(verification).contains("law 8: in place"))
  }

  @Test func codeThatWritesBesideARowIsSeen() throws {
    let verification = try unsafe broken { _, outputs, _, _, frames in
      for frame in 0...frames { unsafe outputs![0]![frame] = 1 }
    }
    let edges = try #require(verification.findings().first { $0.name == "edges" })
    #expect(
      edges.outcome == .broken && edges.sentence == "a block of 1 frame writes into memory beside a row")
  }

  @Test func codeThatWritesIntoAnInputIsSeen() throws {
    let verification = try unsafe broken { inputs, outputs, _, _, frames in
      for frame in 0..<frames { unsafe outputs![0]![frame] = 1 }
      unsafe UnsafeMutablePointer(mutating: inputs![0]!)[frames - 1] = 2
    }
    let edges = try #require(verification.findings().first { $0.name == "edges" })
    #expect(edges.outcome == .broken && edges.sentence == "a block of 1 frame writes into an input")
  }

  @Test func codeThatWritesBesideItsWorkspaceIsSeen() throws {
    unsafe Shared.size = try VerificationTests.verification().program.workspaceSize
    let verification = try unsafe broken { _, outputs, workspace, _, frames in
      for frame in 0..<frames { unsafe outputs![0]![frame] = 1 }
      if frames == 17 { unsafe workspace.storeBytes(of: 0, toByteOffset: Shared.size, as: Float.self) }
    }
    let edges = try #require(verification.findings().first { $0.name == "edges" })
    #expect(
      edges.outcome == .broken
        && edges.sentence == "a block of 17 frames writes into memory beside the workspace")
  }
}
