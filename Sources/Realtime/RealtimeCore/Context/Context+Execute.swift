// SPDX-License-Identifier: Apache-2.0

extension Context {
  /// Executes a block of a stream, with a table of rows.
  ///
  /// Reads `frames` samples of each input row and writes as many of each output row, float32. Any number of
  /// frames will do, 0 included, which does nothing; how a stream is cut into blocks changes no bit. Output i, row c
  /// may be exactly input i, row c (in place); any other overlap of an output is an error, which debug builds trap.
  /// - Parameters:
  ///   - frames: Samples of each row.
  ///   - inputs: A pointer for each row of each input, input 0's rows first; nil where there are no inputs.
  ///   - outputs: The same for the outputs.
  @_noLocks public mutating func execute(
    frames: Int, inputs: UnsafePointer<UnsafePointer<Float>?>?,
    outputs: UnsafePointer<UnsafeMutablePointer<Float>?>?
  ) {
    unsafe run(frames: frames, inputs: inputs, outputs: outputs)
  }

  /// Executes a block of a stream, with rows a constant distance apart in each port.
  ///
  /// - Parameters:
  ///   - frames: Samples of each row.
  ///   - stridedInputs: One description for each input; nil where there are no inputs.
  ///   - stridedOutputs: One description for each output; nil where there are no outputs.
  @_noLocks public mutating func execute(
    frames: Int, stridedInputs: UnsafePointer<InputRows>?, stridedOutputs: UnsafePointer<OutputRows>?
  ) {
    if let rows = unsafe stridedInputs { unsafe tables.fill(inputs: rows) }
    if let rows = unsafe stridedOutputs { unsafe tables.fill(outputs: rows) }
    runTables(frames: frames)
  }

  /// Executes one step of a program that executes steps, with a table of rows.
  ///
  /// Each input and output has one row of `rowLength` numbers.
  @_noLocks public mutating func execute(
    inputs: UnsafePointer<UnsafePointer<Float>?>?, outputs: UnsafePointer<UnsafeMutablePointer<Float>?>?
  ) {
    unsafe run(frames: 1, inputs: inputs, outputs: outputs)
  }

  /// Executes with the rows that the tables point at.
  @_noLocks mutating func runTables(frames: Int) {
    unsafe run(
      frames: frames, inputs: UnsafePointer(tables.inputs.baseAddress),
      outputs: UnsafePointer(tables.outputs.baseAddress))
  }
}
