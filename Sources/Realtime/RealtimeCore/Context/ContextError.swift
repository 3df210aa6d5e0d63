// SPDX-License-Identifier: Apache-2.0

/// The reason why a context cannot be made.
public enum ContextError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The system has no such amount of memory.
  case outOfMemory(bytes: Int)
  /// Memory that the caller brought does not begin at a multiple of `Workspace.alignment`.
  case workspaceMisaligned(address: UInt)
  /// A workspace has fewer bytes than `Program.workspaceSize`.
  case workspaceTooSmall(bytes: Int, needed: Int)

  public var description: String {
    switch self {
    case .outOfMemory(let bytes):
      "\(bytes) bytes cannot be allocated; free memory, or use a smaller model or shorter blocks"
    case .workspaceMisaligned(let address):
      "a workspace begins at 0x\(String(address, radix: 16)), which is no multiple of "
        + "\(Workspace.alignment); align it to a page"
    case .workspaceTooSmall(let bytes, let needed):
      "a workspace has \(bytes) bytes, and the program needs \(needed); bring at least its workspaceSize"
    }
  }
}
