// SPDX-License-Identifier: Apache-2.0

package import RealtimeCore

/// Runs a context over whole signals in memory, block by block.
package struct Rendering: Sendable {
  /// A parameter that is set before the frame is executed.
  package struct Change: Hashable, Sendable {
    package var frame: Int
    package var parameter: Int
    package var value: Float

    package init(frame: Int, parameter: Int, value: Float) {
      self.frame = frame
      self.parameter = parameter
      self.value = value
    }
  }

  /// Frames of the blocks, taken in turn. A change begins a block of its own.
  package var blocks: [Int]
  package var changes: [Change]
  /// Whether outputs lie in the memory of the inputs that they may overwrite.
  package var inPlace: Bool

  package init(blocks: [Int], changes: [Change] = [], inPlace: Bool = false) {
    precondition(blocks.contains { $0 > 0 }, "blocks without a frame")
    self.blocks = blocks
    self.changes = changes.sorted { $0.frame < $1.frame }
    self.inPlace = inPlace
  }

  /// The rows of all outputs for the rows of all inputs; of a stream.
  package func run(_ context: inout Context, _ inputs: [[Float]], frames: Int) -> [[Float]] {
    let layout = context.program.layout
    precondition(
      inputs.count == layout.inputs.reduce(0) { $0 + $1.rows }, "not a row for each input's channel")
    let inputRows = inputs.map { RowMemory($0, count: frames) }
    let shared = inPlace ? Self.sharedRows(layout) : [:]
    let outputRows = (0..<layout.outputs.reduce(0) { $0 + $1.rows }).map { row in
      shared[row].map { inputRows[$0] } ?? RowMemory([], count: frames)
    }
    let parameters = context.parameters
    var (frame, turn, next) = (0, 0, 0)
    while frame < frames {
      while next < changes.count, changes[next].frame <= frame {
        parameters[changes[next].parameter].set(changes[next].value)
        next += 1
      }
      var count = min(blocks[turn % blocks.count], frames - frame)
      if next < changes.count { count = min(count, changes[next].frame - frame) }
      turn += 1
      RowMemory.withTables(inputRows, outputRows, from: frame) { inputs, outputs in
        unsafe context.execute(frames: count, inputs: inputs, outputs: outputs)
      }
      frame += count
    }
    return outputRows.map { $0.values(frames) }
  }

  /// The elements of each output for the elements of each input, one step after the other; of a program of steps.
  package func runSteps(_ context: inout Context, _ inputs: [[Float]], steps: Int) -> [[Float]] {
    let layout = context.program.layout
    let parameters = context.parameters
    var outputs = layout.outputs.map { _ in [Float]() }
    var next = 0
    for step in 0..<steps {
      while next < changes.count, changes[next].frame <= step {
        parameters[changes[next].parameter].set(changes[next].value)
        next += 1
      }
      let sources = zip(inputs, layout.inputs).map { values, port in
        let count = port.rowLength ?? 0
        return RowMemory(Array(values[step * count..<(step + 1) * count]), count: count)
      }
      let targets = layout.outputs.enumerated().map { index, port in
        let fits = inPlace && index < sources.count && layout.inputs[index].rowLength == port.rowLength
        return fits ? sources[index] : RowMemory([], count: port.rowLength ?? 0)
      }
      RowMemory.withTables(sources, targets, from: 0) { inputs, outputs in
        unsafe context.execute(inputs: inputs, outputs: outputs)
      }
      for index in outputs.indices {
        outputs[index] += targets[index].values(layout.outputs[index].rowLength ?? 0)
      }
    }
    return outputs
  }

  /// Each output row that may be the same memory as an input row: output i, row r and input i, row r.
  private static func sharedRows(_ layout: ProgramLayout) -> [Int: Int] {
    var shared: [Int: Int] = [:]
    var (inputRow, outputRow) = (0, 0)
    for (input, output) in zip(layout.inputs, layout.outputs) {
      for row in 0..<min(input.rows, output.rows) { shared[outputRow + row] = inputRow + row }
      inputRow += input.rows
      outputRow += output.rows
    }
    return shared
  }
}

/// The samples of one row.
@safe private final class RowMemory {
  private let base: UnsafeMutablePointer<Float>

  init(_ values: [Float], count: Int) {
    unsafe base = .allocate(capacity: Swift.max(1, count))
    // What nothing writes must not look like a result.
    unsafe base.initialize(repeating: .nan, count: Swift.max(1, count))
    for index in 0..<Swift.min(values.count, count) { unsafe base[index] = values[index] }
  }

  deinit { unsafe base.deallocate() }

  func values(_ count: Int) -> [Float] { (0..<count).map { unsafe base[$0] } }

  /// Gives the tables that native code takes, with the rows alive for as long as it runs.
  static func withTables(
    _ inputs: [RowMemory], _ outputs: [RowMemory], from frame: Int,
    _ body: (UnsafePointer<UnsafePointer<Float>?>?, UnsafePointer<UnsafeMutablePointer<Float>?>?) -> Void
  ) {
    withExtendedLifetime((inputs, outputs)) {
      let sources = unsafe inputs.map { unsafe Optional(UnsafePointer($0.base + frame)) }
      let targets = unsafe outputs.map { unsafe Optional($0.base + frame) }
      unsafe sources.withUnsafeBufferPointer { sources in
        unsafe targets.withUnsafeBufferPointer { targets in
          unsafe body(sources.baseAddress, targets.baseAddress)
        }
      }
    }
  }
}
