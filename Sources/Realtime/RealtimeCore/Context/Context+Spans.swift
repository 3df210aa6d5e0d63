// SPDX-License-Identifier: Apache-2.0

/// The safe doors, for programs with one output and at most one input.
///
/// A span holds a port's rows one after the other, without gaps: row r begins at `r * frames`, and in a step program,
/// where `frames` is 1, the one row fills the span. A count that does not fit traps, in release builds, too.
///
/// The pointers here outlive their closures, but not the access to the spans, which lasts until `execute` returns;
/// closures that capture the context would be allocated, as far as the checks for real time can tell.
extension Context {
  /// Executes a block, from one input to one output.
  ///
  /// - Parameters:
  ///   - frames: Samples of each row; 1 for a step.
  ///   - input: `rows * frames` samples.
  ///   - output: `rows * frames` samples of the output's rows; it is overwritten.
  @_noLocks public mutating func execute(
    frames: Int, input: borrowing Span<Float>, output: inout MutableSpan<Float>
  ) {
    let fits = tables.fits(frames: frames, input: input.count, output: output.count)
    precondition(fits, "spans do not fit: one input and one output, each of rows times frames samples")
    let source = unsafe input.withUnsafeBufferPointer { $0.baseAddress }
    let destination = unsafe output.withUnsafeMutableBufferPointer { $0.baseAddress }
    unsafe run(frames: frames, input: source, output: destination)
  }

  /// Executes a block in place, from one input to one output with as many rows.
  ///
  /// - Parameters:
  ///   - frames: Samples of each row; 1 for a step.
  ///   - samples: `rows * frames` samples of the input's rows, overwritten with the output's.
  @_noLocks public mutating func execute(frames: Int, inPlace samples: inout MutableSpan<Float>) {
    let count = samples.count
    let fits = tables.fits(frames: frames, input: count, output: count)
    precondition(fits, "a span does not fit: one input and one output, each of rows times frames samples")
    let rows = unsafe samples.withUnsafeMutableBufferPointer { $0.baseAddress }
    unsafe run(frames: frames, input: UnsafePointer(rows), output: rows)
  }

  /// Executes a block of a program without inputs.
  ///
  /// - Parameters:
  ///   - frames: Samples of each row; 1 for a step.
  ///   - output: `rows * frames` samples of the output's rows; it is overwritten.
  @_noLocks public mutating func execute(frames: Int, output: inout MutableSpan<Float>) {
    let fits = tables.fits(frames: frames, input: nil, output: output.count)
    precondition(fits, "a span does not fit: no input and one output of rows times frames samples")
    let destination = unsafe output.withUnsafeMutableBufferPointer { $0.baseAddress }
    unsafe run(frames: frames, input: nil, output: destination)
  }

  /// Executes with rows that follow one another without gaps.
  @_noLocks private mutating func run(
    frames: Int, input: UnsafePointer<Float>?, output: UnsafeMutablePointer<Float>?
  ) {
    if let base = unsafe input {
      var rows = unsafe InputRows(base: base, stride: frames)
      unsafe tables.fill(inputs: &rows)
    }
    if let base = unsafe output {
      var rows = unsafe OutputRows(base: base, stride: frames)
      unsafe tables.fill(outputs: &rows)
    }
    runTables(frames: frames)
  }
}
