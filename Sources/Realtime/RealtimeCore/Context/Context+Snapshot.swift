// SPDX-License-Identifier: Apache-2.0

/// Everything that a context remembers at one moment, to go back to.
package struct ContextSnapshot: Sendable {
  fileprivate let workspace: [UInt8]
  fileprivate let targets: [Float]
}

extension Context {
  /// A copy of the context's state, position in the stream and parameters.
  package borrowing func snapshot() -> ContextSnapshot {
    let memory = unsafe UnsafeRawBufferPointer(start: wiring.workspace, count: program.workspaceSize)
    let targets = bank.ranges.indices.map { unsafe wiring.cells.target($0) }
    return ContextSnapshot(workspace: unsafe Array(memory), targets: targets)
  }

  /// The bytes of its state, without its position in the stream and its parameters.
  package var state: [UInt8] {
    unsafe Array(UnsafeRawBufferPointer(start: wiring.state, count: wiring.stateBytes))
  }

  /// The steps of a value that it remembers, the oldest first.
  ///
  /// - Parameter history: of this context's program.
  package func past(of history: ProgramLayout.History) -> [Float] {
    unsafe ring(history).past(before: position)
  }

  /// Lets the steps of a value that it remembers be other ones, the oldest first.
  ///
  /// - Parameter history: of this context's program.
  package mutating func setPast(of history: ProgramLayout.History, to numbers: [Float]) {
    unsafe ring(history).setPast(before: position, to: numbers)
  }

  private func ring(_ history: ProgramLayout.History) -> HistoryRing {
    unsafe HistoryRing(history, of: program.layout, in: wiring.workspace).found(at: position)
  }

  /// Goes back to what a snapshot of this context remembers: what follows has the same bits as what followed then.
  package mutating func restore(_ snapshot: ContextSnapshot) {
    precondition(snapshot.workspace.count == program.workspaceSize, "a snapshot is of another program")
    for (index, target) in snapshot.targets.enumerated() { unsafe wiring.cells.set(index, to: target) }
    unsafe snapshot.workspace.withUnsafeBytes { bytes in
      guard let first = bytes.baseAddress else { return }
      unsafe wiring.workspace.copyMemory(from: first, byteCount: bytes.count)
    }
  }
}
