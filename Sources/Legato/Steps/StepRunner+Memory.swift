// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import RealtimeCore
internal import TensorFiles

/// Steps on the runner's own memory, which is reserved once: numbers are written where the step reads them, and read
/// where it writes them.
///
///     let (x, y) = (runner.inputIndex(named: "x")!, runner.outputIndex(named: "y")!)
///     runner.withInput(x) { $0[0] = 0.5 }                  what is not written stays as it was
///     runner.execute()                                     neither allocates nor locks
///     let best = runner.withOutput(y) { $0[0] }
///
/// An index that there is not traps.
extension StepRunner {
  /// Lets the numbers of an input be written, row-major; they stay until they are written again, 0 at first.
  public mutating func withInput(_ index: Int, _ body: (inout MutableSpan<Float>) -> Void) {
    driver.inputs.withMutableRow(index, body)
  }

  /// Writes the numbers of an input, row-major.
  ///
  /// - Throws: `RequestError` where there are too few or too many; nothing has been written then.
  public mutating func setInput(_ index: Int, to numbers: [Float]) throws(RequestError) {
    let port = program.layout.inputs[index]
    let count = port.rowLength ?? 0
    guard numbers.count == count else {
      throw RequestError(
        "the input \(quoted(port.name)) takes \(port.shape), \(counted(count, "number")), and is given \(numbers.count)"
      )
    }
    driver.inputs.fill(row: index, numbers[...])
  }

  /// Writes the numbers of an input.
  ///
  /// - Throws: `RequestError` where the tensor has another shape; nothing has been written then.
  public mutating func setInput(_ index: Int, to tensor: Tensor) throws(RequestError) {
    let port = program.layout.inputs[index]
    guard tensor.shape == port.shape else {
      throw RequestError("the input \(quoted(port.name)) takes \(port.shape), and is given \(tensor.shape)")
    }
    driver.inputs.fill(row: index, tensor.values[...])
  }

  /// Executes one step, from what was written to the inputs; it neither allocates nor locks.
  @_noLocks public mutating func execute() {
    driver.execute(1)
    driver.carry()
  }

  /// Gives the numbers of an output, row-major, as the last step has left them.
  public func withOutput<Result>(_ index: Int, _ body: (borrowing Span<Float>) -> Result) -> Result {
    driver.outputs.withRow(index, frames: 0..<1, body)
  }

  /// An output, as the last step has left it.
  public func output(_ index: Int) -> Tensor {
    Tensor(
      FloatArray(
        shape: program.layout.outputs[index].shape, numbers: driver.output(index, frames: 1)))
  }

  /// The position of the largest number of a row along an output's last axis; of equal ones the first, and what is no
  /// number is never the largest.
  ///
  ///     scores [2, 3] = 1 5 2
  ///                     9 0 0        largest(ofOutput: 0, row: 0)  1        row: 1  0
  public func largest(ofOutput index: Int, row: Int = 0) -> Int {
    let length = rowLengths[index]
    var (best, place) = (-Float.infinity, 0)
    for position in 0..<length where driver.outputs[index, row * length + position] > best {
      (best, place) = (driver.outputs[index, row * length + position], position)
    }
    return place
  }
}
