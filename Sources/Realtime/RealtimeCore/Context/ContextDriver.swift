// SPDX-License-Identifier: Apache-2.0

/// Contexts of one program side by side, with the rows that they read and write.
///
///     inputs                 context 0                 outputs
///     ────▓▓▓▓────  ─────▶   its rows  ─────▶   ────▓▓▓▓────
///     ────▓▓▓▓────  ─────▶   context 1 ─────▶   ────▓▓▓▓────
///         └ frames from an offset on
///
///     var driver = try ContextDriver(program, contexts: 2, frames: 4096)
///     driver.inputs.fill(signals, from: 0, frames: 128)
///     driver.execute(128)
///     driver.outputs[0, 17]
///
/// It reserves everything beforehand: executing neither allocates nor counts references, and fits an audio thread.
@safe
package struct ContextDriver: ~Copyable, @unchecked Sendable {
  package let program: Program
  /// How many contexts there are.
  package let count: Int
  /// The rows that are read, and written where outputs share them.
  package var inputs: RowMemory
  /// The rows that are written, those of context 0 first.
  package var outputs: RowMemory
  /// For each input row of each context the row of `inputs` that it reads.
  private var read: ChosenRows
  private var written: ChosenRows
  /// Outputs of a step, and the inputs of the next one that they are.
  private var given, taken: ChosenRows
  private let contexts: UnsafeMutablePointer<Context>
  private let inputRows, outputRows: Int
  private let executesStream: Bool

  /// Reserves contexts and rows.
  ///
  /// - Parameters:
  ///   - frames: the most frames that the rows hold, or steps.
  ///   - outputFrames: the same for outputs; nil for as many.
  ///   - reading: for each input row of each context the row that it reads; nil for one row each.
  ///   - rows: of inputs, where `reading` chooses among them; nil for one for each input row.
  /// - Throws: `ContextError.outOfMemory`.
  package init(
    _ program: Program, contexts count: Int = 1, frames: Int, outputFrames: Int? = nil,
    reading: [Int]? = nil, of rows: Int? = nil
  ) throws(ContextError) {
    let (inputUnits, outputUnits) = (program.layout.inputs.rowUnits, program.layout.outputs.rowUnits)
    if let reading {
      precondition(program.layout.executesStream, "rows of a step are its own")
      precondition(reading.count == inputUnits.count * count, "each row of each context reads one")
    }
    let inputs = try RowMemory(
      units: rows.map { [Int](repeating: 1, count: $0) } ?? Self.repeated(inputUnits, count), frames: frames)
    let outputs = try RowMemory(units: Self.repeated(outputUnits, count), frames: outputFrames ?? frames)
    let made = try unsafe Self.contexts(program, count)
    unsafe self.init(made, count, reading: inputs, reading, writing: outputs)
  }

  /// Takes over a context.
  ///
  /// - Parameters:
  ///   - margin: numbers before, between and behind the rows, for fences.
  ///   - inPlace: whether output i, row c is input i, row c wherever both are there.
  ///   - value: what all rows are at first.
  /// - Throws: `ContextError.outOfMemory`.
  package init(
    _ context: consuming Context, frames: Int, margin: Int = 0, inPlace: Bool = false,
    repeating value: Float = 0
  ) throws(ContextError) {
    let layout = context.program.layout
    let inputs = try RowMemory(
      units: layout.inputs.rowUnits, frames: frames, margin: margin, repeating: value)
    let outputs = try RowMemory(
      units: layout.outputs.rowUnits, frames: frames, margin: margin, repeating: value)
    let contexts = UnsafeMutablePointer<Context>.allocate(capacity: 1)
    unsafe contexts.initialize(to: context)
    unsafe self.init(contexts, 1, reading: inputs, nil, writing: outputs)
    if inPlace {
      for (output, input) in Self.sharedRows(program.layout) { written.share(output, with: input, of: read) }
    }
  }

  private init(
    _ contexts: UnsafeMutablePointer<Context>, _ count: Int, reading inputs: consuming RowMemory,
    _ chosen: [Int]?, writing outputs: consuming RowMemory
  ) {
    unsafe self.contexts = contexts
    self.count = count
    program = unsafe contexts[0].program
    inputRows = program.layout.inputs.reduce(0) { $0 + $1.rows }
    outputRows = program.layout.outputs.reduce(0) { $0 + $1.rows }
    executesStream = program.layout.executesStream
    read = ChosenRows(inputs, chosen)
    written = ChosenRows(outputs)
    given = ChosenRows(outputs, [])
    taken = ChosenRows(inputs, [])
    self.inputs = inputs
    self.outputs = outputs
  }

  deinit {
    unsafe contexts.deinitialize(count: count)
    unsafe contexts.deallocate()
  }

  private static func contexts(
    _ program: Program, _ count: Int
  ) throws(ContextError) -> UnsafeMutablePointer<Context> {
    precondition(count > 0, "a driver has contexts")
    let contexts = UnsafeMutablePointer<Context>.allocate(capacity: count)
    var made = 0
    do throws(ContextError) {
      while made < count {
        unsafe (contexts + made).initialize(to: try Context(program))
        made += 1
      }
    } catch {
      unsafe contexts.deinitialize(count: made)
      unsafe contexts.deallocate()
      throw error
    }
    return unsafe contexts
  }

  private static func repeated(_ units: [Int], _ count: Int) -> [Int] {
    (0..<count).flatMap { _ in units }
  }

  /// One of the contexts.
  package subscript(index: Int) -> Context {
    @_noLocks unsafeAddress {
      precondition(index >= 0 && index < count, "there is no such context")
      return unsafe UnsafePointer(contexts + index)
    }
    @_noLocks unsafeMutableAddress {
      precondition(index >= 0 && index < count, "there is no such context")
      return unsafe contexts + index
    }
  }

  // MARK: Rows

  /// Output rows, and the input rows whose memory may be theirs.
  package static func sharedRows(_ layout: ProgramLayout) -> [Int: Int] {
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

  /// The numbers of an output row up to a frame, wherever it is.
  package func output(_ row: Int, frames: Int) -> [Float] { written.numbers(row, frames: frames) }

  /// Lets the contexts read from one frame of the rows on, and write from another one on.
  @_noLocks package mutating func point(from input: Int, to output: Int) {
    _ = unsafe read.at(input)
    _ = unsafe written.at(output)
  }

  /// Chooses output rows, and the input rows, as long as these, to which `carry` copies them.
  package mutating func choose(_ rows: [(output: Int, input: Int)]) {
    given = ChosenRows(outputs, rows.map(\.output))
    taken = ChosenRows(inputs, rows.map(\.input))
  }

  /// Copies the first frame of the outputs that were chosen to their inputs.
  @_noLocks package mutating func carry() { given.copy(to: taken) }

  // MARK: Executing

  /// Executes all contexts over frames, or steps, of the rows; outputs are written at the same ones.
  @_noLocks package mutating func execute(_ frames: Int, from frame: Int = 0) {
    guard !executesStream else {
      point(from: frame, to: frame)
      return run(frames)
    }
    for step in 0..<frames {
      point(from: frame + step, to: frame + step)
      run(1)
    }
  }

  /// Executes all contexts where the rows point at: frames of a stream, or one step.
  @_noLocks package mutating func run(_ frames: Int) {
    unsafe run(frames, reading: read.sources)
  }

  /// Executes all contexts over the caller's rows, a pointer for each input row of each context.
  @_noLocks package mutating func run(_ frames: Int, reading sources: UnsafePointer<UnsafePointer<Float>?>?) {
    let results = unsafe written.results
    for index in 0..<count {
      var (inputs, outputs) = unsafe (sources, results)
      if let first = unsafe sources { unsafe inputs = first + index * inputRows }
      if let first = unsafe results { unsafe outputs = first + index * outputRows }
      // Not by subscript: the thread sanitizer takes the program, which contexts share, for what is changed.
      unsafe (contexts + index).pointee.execute(frames: frames, inputs: inputs, outputs: outputs)
    }
  }
}
