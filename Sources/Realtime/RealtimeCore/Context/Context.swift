// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// One running instance of a program: its state, its place in the stream, and its parameters.
///
/// Making a context reserves all memory and may fail; executing it allocates nothing, locks nothing, never enters
/// the kernel and cannot fail. A context belongs to one thread at a time and can be moved to another, such as the
/// audio thread; parameters can be set from any thread. Contexts of one program do not touch each other.
///
///     var context = try Context(program)
///     let gain = context.parameter(named: "gain")!      // a handle for any thread
///     gain.set(0.5)
///     context.execute(frames: 128, input: samples, output: &crushed)   // spans; tables of pointers will do, too
@safe
public struct Context: ~Copyable, @unchecked Sendable {
  /// The program that runs.
  public let program: Program

  let bank: ParameterBank
  let tables: RowTables
  let wiring: Wiring
  let table: CarryTable
  private let workspace: Workspace
  private var seenChanges: UInt64 = 0

  /// Makes a context with a workspace of its own.
  ///
  /// - Throws: `ContextError.outOfMemory`.
  public init(_ program: Program) throws(ContextError) {
    try self.init(program, workspace: Workspace(size: program.workspaceSize))
  }

  /// Makes a context in a workspace, which it consumes.
  ///
  /// - Throws: `ContextError.workspaceTooSmall` where it has fewer bytes than `program.workspaceSize`.
  public init(_ program: Program, workspace: consuming Workspace) throws(ContextError) {
    guard workspace.size >= program.workspaceSize else {
      throw .workspaceTooSmall(bytes: workspace.size, needed: program.workspaceSize)
    }
    self.program = program
    bank = ParameterBank(program.layout.parameters)
    tables = RowTables(program.layout)
    // A program's layout has at least a position, so there is a first byte.
    unsafe wiring = Wiring(program, workspace.memory.baseAddress!, bank.cells)
    table = unsafe CarryTable(program.layout, in: wiring.workspace)
    self.workspace = workspace
    unsafe wiring.reset()
  }

  /// The number of frames that have been executed since the beginning or the last `reset`; of steps, in a
  /// program that executes steps.
  public var position: Int64 {
    @_noLocks get { unsafe wiring.position.pointee }
  }

  /// Begins anew: clears delay lines and histories, or returns them to what they were after the program had warmed up,
  /// and returns to position 0.
  ///
  /// Parameters keep the values that were last set, and hold them from frame 0. What follows has the same bits
  /// as in a fresh context with these values. It may be called on the audio thread, between executes; it takes as
  /// long as clearing, or copying, the state takes.
  @_noLocks public mutating func reset() {
    noticePresentParameters()
    unsafe wiring.reset()
  }

  /// Begins anew, as `reset` does, with array parameters that have the same numbers as in the execute before: in a program
  /// without other parameters what depends on them alone is not computed again.
  @_noLocks package mutating func rewind() {
    noticePresentParameters()
    unsafe wiring.rewind()
  }

  /// Begins at a position below 0, in silence: what comes before the first frame.
  mutating func begin(at position: Int64) {
    noticePresentParameters()
    unsafe wiring.begin(at: position)
  }

  /// Takes the present targets for seen; they have to be read afterwards.
  @_noLocks mutating func noticePresentParameters() {
    unsafe seenChanges = wiring.cells.changes.pointee.load(ordering: .acquiring)
  }

  /// Lets the next execute look at every parameter.
  @_noLocks mutating func noticeAllParameters() {
    unsafe seenChanges = wiring.cells.changes.pointee.load(ordering: .acquiring) &- 1
  }

  /// Notices parameters that were set, then runs native code.
  ///
  /// It stays out of line: inlined into a caller's loop, switching the floating-point mode took three times as long.
  @inline(never) @_noLocks mutating func run(
    frames: Int, inputs: UnsafePointer<UnsafePointer<Float>?>?,
    outputs: UnsafePointer<UnsafeMutablePointer<Float>?>?
  ) {
    assert(frames >= 0, "a context was asked to execute a negative number of frames")
    assert(
      unsafe frames <= 1 || wiring.executesStream,
      "a program that executes steps was asked for several frames; call execute once a step")
    // An empty block must not be heard, so it does not notice parameters either.
    guard frames > 0 else { return }
    assert(
      unsafe tables.isComplete(inputs: inputs, outputs: outputs),
      "a row of an input or output has no place in memory; the table needs a pointer for each row")
    assert(
      unsafe tables.overlapIsLegal(frames: frames, inputs: inputs, outputs: outputs),
      "an output overlaps other memory; output i, row c may be exactly input i, row c, and nothing else")
    let changes = unsafe wiring.cells.changes.pointee.load(ordering: .acquiring)
    if changes != seenChanges {
      seenChanges = changes
      unsafe wiring.retarget()
    }
    unsafe wiring.call(frames: frames, inputs: inputs, outputs: outputs)
  }
}
