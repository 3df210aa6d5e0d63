// SPDX-License-Identifier: Apache-2.0

import GraphIR
import RealtimeCore
import ReferenceInterpreter

/// A stimulus on its way through a context, block by block, and what came out of it.
///
/// What is not yet written holds a number that no graph computes, so that a row that is forgotten is found.
@safe final class Playback {
  private static let unwritten: Float = -12345.678

  private let stimulus: Stimulus
  private(set) var frame = 0
  private var pending: ArraySlice<ParameterEvent>
  private let sources: [UnsafeMutableBufferPointer<Float>]
  private let results: [UnsafeMutableBufferPointer<Float>]
  /// Numbers of one frame, or of one step, in each row.
  private let inputUnits: [Int]
  private let outputUnits: [Int]
  private let ownsResult: [Bool]

  init(_ stimulus: Stimulus, through program: Program, inPlace: Bool = false) {
    let layout = program.layout
    self.stimulus = stimulus
    pending = stimulus.changes[...]
    inputUnits = layout.inputs.flatMap { port in (0..<port.rows).map { _ in port.rowLength ?? 1 } }
    outputUnits = layout.outputs.flatMap { port in (0..<port.rows).map { _ in port.rowLength ?? 1 } }
    precondition(stimulus.inputs.count == inputUnits.count, "a stimulus for another graph")
    let rows = unsafe stimulus.inputs.map { row in
      let copy = unsafe Self.row(row.count)
      for index in row.indices { unsafe copy[index] = row[index] }
      return unsafe copy
    }
    let shared = inPlace ? Self.sharedRows(layout) : [:]
    unsafe sources = rows
    unsafe results = outputUnits.enumerated().map { row, unit in
      if let input = shared[row] { return unsafe rows[input] }
      return unsafe Self.row(stimulus.frames * unit)
    }
    ownsResult = outputUnits.indices.map { shared[$0] == nil }
  }

  deinit {
    for row in ownsResult.indices where ownsResult[row] { unsafe results[row].deallocate() }
    for row in unsafe sources.indices { unsafe sources[row].deallocate() }
  }

  private static func row(_ count: Int) -> UnsafeMutableBufferPointer<Float> {
    let row = UnsafeMutableBufferPointer<Float>.allocate(capacity: max(1, count))
    unsafe row.initialize(repeating: unwritten)
    return unsafe row
  }

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

  var isFinished: Bool { frame == stimulus.frames }

  /// Executes a block of at most so many frames; it ends before the next change of a parameter.
  func advance(_ context: inout Context, by most: Int) {
    let parameters = context.parameters
    while let change = pending.first, change.frame <= frame {
      parameters[change.parameter].set(change.value)
      pending.removeFirst()
    }
    // A step is executed by itself.
    let most = context.program.layout.executesStream ? most : 1
    let count = min(most, min(stimulus.frames, pending.first?.frame ?? stimulus.frames) - frame)
    let inputs = unsafe zip(sources, inputUnits).map { row, unit in
      unsafe Optional(UnsafePointer(row.baseAddress! + frame * unit))
    }
    let outputs = unsafe zip(results, outputUnits).map { row, unit in
      unsafe Optional(row.baseAddress! + frame * unit)
    }
    unsafe inputs.withUnsafeBufferPointer { inputs in
      unsafe outputs.withUnsafeBufferPointer { outputs in
        unsafe context.execute(frames: count, inputs: inputs.baseAddress, outputs: outputs.baseAddress)
      }
    }
    frame += count
  }

  /// Executes what is left, in blocks whose sizes are taken in turn.
  func finish(_ context: inout Context, _ blocks: [Int] = [128]) {
    var turn = 0
    while !isFinished {
      advance(&context, by: blocks[turn % blocks.count])
      turn += 1
    }
  }

  /// The rows of all outputs; of steps, one array for each output, step after step.
  var outputs: [[Float]] {
    unsafe zip(results, outputUnits).map { row, unit in
      (0..<stimulus.frames * unit).map { unsafe row[$0] }
    }
  }
}
