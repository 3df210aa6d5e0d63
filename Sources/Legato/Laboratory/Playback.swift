// SPDX-License-Identifier: Apache-2.0

package import RealtimeCore
internal import ReferenceInterpreter

/// A stimulus on its way through a context, block by block, and what came out of it.
package final class Playback {
  private let stimulus: Stimulus
  package private(set) var frame = 0
  private var pending: ArraySlice<ParameterEvent>
  private let sources: [Row]
  private let results: [Row]

  package init(_ stimulus: Stimulus, through program: Program, inPlace: Bool = false) {
    let layout = program.layout
    self.stimulus = stimulus
    pending = stimulus.changes[...]
    let (inputUnits, outputUnits) = (layout.inputs.rowUnits, layout.outputs.rowUnits)
    precondition(stimulus.inputs.count == inputUnits.count, "a stimulus for another graph")
    let sources = zip(stimulus.inputs, inputUnits).map { Row($0, unit: $1) }
    let shared = inPlace ? Self.sharedRows(layout) : [:]
    self.sources = sources
    results = outputUnits.enumerated().map { row, unit in
      shared[row].map { sources[$0] } ?? Row(count: stimulus.frames * unit, unit: unit)
    }
  }

  /// Whether an output may have the memory of an input.
  static func canRunInPlace(_ program: Program) -> Bool { !sharedRows(program.layout).isEmpty }

  /// Output rows, and the input rows whose memory may be theirs.
  private static func sharedRows(_ layout: ProgramLayout) -> [Int: Int] {
    var shared: [Int: Int] = [:]
    var (inputRow, outputRow) = (0, 0)
    for (input, output) in zip(layout.inputs, layout.outputs) {
      if input.rowLength == output.rowLength {
        for row in 0..<min(input.rows, output.rows) { shared[outputRow + row] = inputRow + row }
      }
      inputRow += input.rows
      outputRow += output.rows
    }
    return shared
  }

  package var isFinished: Bool { frame == stimulus.frames }

  /// Executes a block of at most so many frames; it ends before the next change of a parameter.
  package func advance(_ context: inout Context, by most: Int) {
    let parameters = context.parameters
    while let change = pending.first, change.frame <= frame {
      parameters[change.parameter].set(change.value)
      pending.removeFirst()
    }
    // A step is executed by itself.
    let most = context.program.layout.executesStream ? most : 1
    let count = min(most, min(stimulus.frames, pending.first?.frame ?? stimulus.frames) - frame)
    let inputs = unsafe sources.map { row in unsafe Optional(UnsafePointer(row.pointer(to: frame))) }
    let outputs = unsafe results.map { row in unsafe Optional(row.pointer(to: frame)) }
    unsafe inputs.withUnsafeBufferPointer { inputs in
      unsafe outputs.withUnsafeBufferPointer { outputs in
        unsafe context.execute(frames: count, inputs: inputs.baseAddress, outputs: outputs.baseAddress)
      }
    }
    frame += count
  }

  /// Executes what is left, in blocks whose sizes are taken in turn.
  package func finish(_ context: inout Context, _ blocks: [Int] = [128]) {
    var turn = 0
    while !isFinished {
      advance(&context, by: blocks[turn % blocks.count])
      turn += 1
    }
  }

  /// The rows of all outputs; of steps, one array for each output, step after step.
  package var outputs: [[Float]] { results.map(\.numbers) }
}

/// Memory of one row of a port, which stays where it is.
@safe private final class Row {
  /// What stands where nothing was written yet: a number that no graph computes, so that gaps are found.
  private static let unwritten: Float = -12345.678

  private let memory: UnsafeMutableBufferPointer<Float>
  private let count: Int
  /// Numbers of one frame, or of one step.
  private let unit: Int

  init(count: Int, unit: Int) {
    unsafe memory = .allocate(capacity: max(1, count))
    unsafe memory.initialize(repeating: Self.unwritten)
    self.count = count
    self.unit = unit
  }

  convenience init(_ numbers: [Float], unit: Int) {
    self.init(count: numbers.count, unit: unit)
    _ = unsafe memory.update(fromContentsOf: numbers)
  }

  deinit { unsafe memory.deallocate() }

  func pointer(to frame: Int) -> UnsafeMutablePointer<Float> { unsafe memory.baseAddress! + frame * unit }

  var numbers: [Float] { unsafe Array(memory[..<count]) }
}
