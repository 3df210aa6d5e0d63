// SPDX-License-Identifier: Apache-2.0

import RealtimeCore
import Testing

@Suite("Workspace")
struct WorkspaceTests {
  @Test("A context runs in the caller's memory, whatever it held, and gives the same bits")
  func callersMemory() throws {
    let program = try GainProgram.make()
    let input = signal(frames: 40)
    var own = try Context(program)
    let expected = own.render(input, block: 40, changes: RampTests.changes)

    let memory = UnsafeMutableRawBufferPointer.allocate(
      byteCount: program.workspaceSize + 8, alignment: Workspace.alignment)
    defer { unsafe memory.deallocate() }
    for index in memory.indices { unsafe memory[index] = 0xff }
    do {
      var context = try unsafe Context(program, workspace: Workspace(unsafe: memory, for: program))
      #expect(bits(context.render(input, block: 3, changes: RampTests.changes)) == bits(expected))
    }
    #expect(unsafe memory.load(as: Int64.self) == 40, "the position stands in the caller's memory")
    #expect(unsafe memory.suffix(8).allSatisfy { $0 == 0xff }, "what the program does not need is left alone")
  }

  @Test("The caller's memory is zeroed when it becomes a workspace")
  func zeroed() throws {
    let program = try GainProgram.make()
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 4096, alignment: Workspace.alignment)
    defer { unsafe memory.deallocate() }
    for index in memory.indices { unsafe memory[index] = 0xff }
    let workspace = try unsafe Workspace(unsafe: memory, for: program)
    #expect(unsafe memory.allSatisfy { $0 == 0 })
    let size = workspace.size
    #expect(size == 4096)
  }

  @Test("Memory that does not begin at a page is refused")
  func misaligned() throws {
    let program = try GainProgram.make()
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 8192, alignment: Workspace.alignment)
    defer { unsafe memory.deallocate() }
    let shifted = unsafe UnsafeMutableRawBufferPointer(rebasing: memory[64...])
    let address = UInt(bitPattern: shifted.baseAddress)
    #expect(throws: ContextError.workspaceMisaligned(address: address)) {
      _ = try unsafe Workspace(unsafe: shifted, for: program)
    }
  }

  @Test("Memory that is too small is refused")
  func tooSmall() throws {
    let program = try GainProgram.make()
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 4095, alignment: Workspace.alignment)
    defer { unsafe memory.deallocate() }
    let error = ContextError.workspaceTooSmall(bytes: 4095, needed: 4096)
    #expect(throws: error) { _ = try unsafe Workspace(unsafe: memory, for: program) }
    #expect(throws: error) { _ = try Context(program, workspace: Workspace(size: 4095)) }
    #expect(
      error.description
        == "a workspace has 4095 bytes, and the program needs 4096; bring at least its workspaceSize")
  }

  @Test("Memory that no system has is an error, not a crash")
  func outOfMemory() throws {
    #expect(throws: ContextError.outOfMemory(bytes: Int.max / 2)) { _ = try Workspace(size: Int.max / 2) }
    let bytes = 1 << 56
    #expect(throws: ContextError.outOfMemory(bytes: bytes)) {
      _ = try RowMemory(units: [1], frames: bytes / 4)
    }
    #expect(throws: ContextError.outOfMemory(bytes: bytes)) {
      _ = try ContextDriver(GainProgram.make(), frames: 4, outputFrames: bytes / 8)
    }
  }
}
