// SPDX-License-Identifier: Apache-2.0

import GraphIR
import GraphPasses
import GraphPlanning
import NativeCode
import RealtimeCore

/// A parameter that is set before the block that begins at a frame.
struct ParameterChange {
  var frame: Int
  var parameter: Int
  var value: Float
}

/// Runs programs over whole signals, in blocks.
struct NativeRun {
  let program: Program

  init(_ program: Program) { self.program = program }

  init(_ graph: Graph, target: Target? = nil, pipeline: Pipeline = Pipeline(), fuses: Bool = true) throws {
    let target = try target ?? .host()
    let options = CompileOptions(target: target, pipeline: pipeline, fuses: fuses)
    program = try CompiledGraph(graph, options: options).program()
  }

  /// The rows of all outputs of a stream, executed in blocks whose sizes are taken in turn; a change of a parameter
  /// begins a block.
  func stream(
    _ inputs: [[Float]], frames: Int, blocks: [Int] = [128], changes: [ParameterChange] = [],
    inPlace: Bool = false
  ) throws -> [[Float]] {
    var context = try Context(program)
    return stream(&context, inputs, frames: frames, blocks: blocks, changes: changes, inPlace: inPlace)
  }

  func stream(
    _ context: inout Context, _ inputs: [[Float]], frames: Int, blocks: [Int] = [128],
    changes: [ParameterChange] = [], inPlace: Bool = false
  ) -> [[Float]] {
    let outputRows = program.layout.outputs.reduce(0) { $0 + $1.rows }
    let sources = inputs.map { row in
      let copy = UnsafeMutablePointer<Float>.allocate(capacity: max(1, frames))
      for frame in 0..<frames { unsafe copy[frame] = row[frame] }
      return unsafe copy
    }
    let shared = inPlace ? pairs() : [:]
    let results = (0..<outputRows).map { row in
      if let input = shared[row] { return unsafe sources[input] }
      let result = UnsafeMutablePointer<Float>.allocate(capacity: max(1, frames))
      unsafe result.initialize(repeating: -12345, count: max(1, frames))
      return unsafe result
    }
    let parameters = context.parameters
    var (frame, turn) = (0, 0)
    var changes = changes.sorted { $0.frame < $1.frame }[...]
    while frame < frames {
      while let change = changes.first, change.frame <= frame {
        parameters[change.parameter].set(change.value)
        changes.removeFirst()
      }
      var count = min(blocks[turn % blocks.count], frames - frame)
      if let next = changes.first { count = min(count, next.frame - frame) }
      turn += 1
      let inputTable = sources.map { unsafe Optional(UnsafePointer($0 + frame)) }
      let outputTable = results.map { unsafe Optional($0 + frame) }
      unsafe inputTable.withUnsafeBufferPointer { inputs in
        unsafe outputTable.withUnsafeBufferPointer { outputs in
          unsafe context.execute(frames: count, inputs: inputs.baseAddress, outputs: outputs.baseAddress)
        }
      }
      frame += count
    }
    let rows = results.map { row in (0..<frames).map { unsafe row[$0] } }
    for (row, result) in results.enumerated() where shared[row] == nil { unsafe result.deallocate() }
    for source in sources { unsafe source.deallocate() }
    return rows
  }

  /// Output rows and the input rows that may be the same memory.
  private func pairs() -> [Int: Int] {
    var pairs: [Int: Int] = [:]
    var (inputRow, outputRow) = (0, 0)
    for (index, output) in program.layout.outputs.enumerated() {
      if index < program.layout.inputs.count {
        for row in 0..<min(output.rows, program.layout.inputs[index].rows) {
          pairs[outputRow + row] = inputRow + row
        }
        inputRow += program.layout.inputs[index].rows
      }
      outputRow += output.rows
    }
    return pairs
  }

  /// The outputs of a program of steps, one after the other for each step.
  func steps(_ inputs: [[[Float]]]) throws -> [[[Float]]] {
    var context = try Context(program)
    return inputs.map { step in
      var results = program.layout.outputs.map { [Float](repeating: -12345, count: $0.rowLength!) }
      let sources = step.map { row in
        let copy = UnsafeMutablePointer<Float>.allocate(capacity: max(1, row.count))
        for index in row.indices { unsafe copy[index] = row[index] }
        return unsafe copy
      }
      let targets = results.map { unsafe UnsafeMutablePointer<Float>.allocate(capacity: max(1, $0.count)) }
      let inputTable = sources.map { unsafe Optional(UnsafePointer($0)) }
      let outputTable = targets.map { unsafe Optional($0) }
      unsafe inputTable.withUnsafeBufferPointer { inputs in
        unsafe outputTable.withUnsafeBufferPointer { outputs in
          unsafe context.execute(inputs: inputs.baseAddress, outputs: outputs.baseAddress)
        }
      }
      for (row, target) in targets.enumerated() {
        for index in results[row].indices { results[row][index] = unsafe target[index] }
        unsafe target.deallocate()
      }
      for source in sources { unsafe source.deallocate() }
      return results
    }
  }
}
