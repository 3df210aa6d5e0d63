// SPDX-License-Identifier: Apache-2.0

internal import RealtimeCore

/// A program with memory for what goes in and what comes out of a few frames, or steps, in which numbers that are not
/// finite are found fast.
@safe final class WatchedProgram {
  /// The most frames that run at a time.
  let capacity: Int
  private var driver: ContextDriver
  /// Frames that the rows hold.
  private var frames = 0

  /// Numbers of all rows together, roughly.
  private static let numbers = 1 << 22
  private static let mostFrames = 4096

  init(_ program: Program) throws(ContextError) {
    let layout = program.layout
    let (sources, results) = (layout.inputs.rowUnits, layout.outputs.rowUnits)
    capacity = max(1, min(Self.mostFrames, Self.numbers / max(1, (sources + results).reduce(0, +))))
    driver = try ContextDriver(program, frames: capacity)
  }

  var program: Program { driver.program }
  var layout: ProgramLayout { program.layout }

  func parameter(named name: String) -> Parameter? { driver[0].parameter(named: name) }

  func reset() { driver[0].reset() }

  func glide(_ parameter: Int, to value: Float, over frames: Int) {
    driver[0].glide(parameter, to: value, over: frames)
  }

  /// Runs the frames from `begin` on of signals that are laid out as the program's inputs are.
  func run(_ signals: [[Float]], from begin: Int, frames count: Int) {
    frames = count
    driver.inputs.fill(signals, from: begin, frames: count)
    driver.execute(count)
  }

  /// The first frame in which an output has a number that is not finite.
  var firstFrame: Int? {
    (0..<driver.outputs.count).compactMap { row in
      driver.outputs.withRow(row, frames: 0..<frames) { numbers in
        // The exponents of infinities and not-a-numbers are the largest: a maximum of integers finds whether there are.
        var largest: UInt32 = 0
        for index in numbers.indices { largest = max(largest, numbers[index].bitPattern & 0x7FFF_FFFF) }
        guard largest >= Float.infinity.bitPattern else { return nil }
        return numbers.indices.first { !numbers[$0].isFinite }.map { $0 / (numbers.count / frames) }
      }
    }.min()
  }

  /// A number of an output's row, counted over all its frames.
  subscript(row: Int, index: Int) -> Float { driver.outputs[row, index] }
}
