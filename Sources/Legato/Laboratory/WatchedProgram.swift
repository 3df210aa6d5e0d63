// SPDX-License-Identifier: Apache-2.0

internal import RealtimeCore

/// A program with memory for what goes in and what comes out of a few frames, or steps, in which numbers that are not
/// finite are found fast.
@safe final class WatchedProgram {
  /// The most frames that run at a time.
  let capacity: Int
  private var context: Context
  private let inputs: NumberRows
  private let outputs: NumberRows
  /// Frames that the rows hold.
  private var frames = 0

  /// Numbers of all rows together, roughly.
  private static let numbers = 1 << 22
  private static let mostFrames = 4096

  init(_ program: Program) throws(ContextError) {
    let layout = program.layout
    let (sources, results) = (layout.inputs.rowUnits, layout.outputs.rowUnits)
    capacity = max(1, min(Self.mostFrames, Self.numbers / max(1, (sources + results).reduce(0, +))))
    context = try Context(program)
    inputs = NumberRows(sources, frames: capacity)
    outputs = NumberRows(results, frames: capacity)
  }

  var program: Program { context.program }
  var layout: ProgramLayout { program.layout }

  func parameter(named name: String) -> Parameter? { context.parameter(named: name) }

  func reset() { context.reset() }

  func glide(_ parameter: Int, to value: Float, over frames: Int) {
    context.glide(parameter, to: value, over: frames)
  }

  /// Runs the frames from `begin` on of signals that are laid out as the program's inputs are.
  func run(_ signals: [[Float]], from begin: Int, frames count: Int) {
    precondition(count <= capacity, "more frames than there is memory for")
    frames = count
    inputs.fill(signals, from: begin, frames: count)
    let steps = layout.executesStream ? 1 : count
    for step in 0..<steps {
      context.execute(frames: layout.executesStream ? count : 1, inputs, outputs, from: step)
    }
  }

  /// The first frame in which an output has a number that is not finite.
  var firstFrame: Int? { outputs.firstFrame(of: frames) }

  /// A number of an output's row, counted over all its frames.
  subscript(row: Int, index: Int) -> Float { outputs[row, index] }
}
