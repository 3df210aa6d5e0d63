// SPDX-License-Identifier: Apache-2.0

internal import CRealtime
import Glibc

/// The memory in which one context runs: state, then scratch. It begins at a page and is all zeros at first.
///
/// Every page has been touched, so that the audio thread meets none for the first time. The memory is the workspace's
/// own, and given back with it, or the caller's.
@safe
public struct Workspace: ~Copyable, @unchecked Sendable {
  /// The alignment of the first byte, in bytes: a page.
  public static let alignment = 4096

  let memory: UnsafeMutableRawBufferPointer
  private let isOwned: Bool

  /// Allocates a workspace.
  ///
  /// - Parameter size: Bytes; see `Program.workspaceSize`.
  /// - Throws: `ContextError.outOfMemory`.
  public init(size: Int) throws(ContextError) {
    precondition(size >= 0, "a workspace has a negative size")
    // The kernel's fresh pages are zeros, and MAP_POPULATE has them in place before this returns.
    let address = unsafe mmap(
      nil, max(size, 1), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0)
    guard let address = unsafe address, unsafe address != MAP_FAILED else { throw .outOfMemory(bytes: size) }
    unsafe memory = UnsafeMutableRawBufferPointer(start: address, count: size)
    isOwned = true
  }

  /// Uses the caller's memory for a program, and zeroes as much of it as the program needs.
  ///
  /// The memory must outlive the workspace and the context that consumes it, and nothing else may touch it in the
  /// meantime. The caller frees it.
  /// - Throws: `ContextError.workspaceMisaligned`, `ContextError.workspaceTooSmall`.
  public init(unsafe memory: UnsafeMutableRawBufferPointer, for program: Program) throws(ContextError) {
    let needed = program.workspaceSize
    guard memory.count >= needed else {
      throw .workspaceTooSmall(bytes: memory.count, needed: needed)
    }
    let address = UInt(bitPattern: memory.baseAddress)
    guard address.isMultiple(of: UInt(Self.alignment)) else { throw .workspaceMisaligned(address: address) }
    unsafe self.memory = UnsafeMutableRawBufferPointer(rebasing: memory.prefix(needed))
    // A program's layout has at least a position, so there is a first byte.
    unsafe legato_clear(self.memory.baseAddress!, needed)
    isOwned = false
  }

  /// The number of bytes.
  public var size: Int { unsafe memory.count }

  deinit {
    if isOwned { unsafe munmap(memory.baseAddress!, max(size, 1)) }
  }
}
