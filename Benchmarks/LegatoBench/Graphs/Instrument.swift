// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import GraphPasses
internal import GraphPlanning
internal import NativeCode
internal import RealtimeCore

/// A program with a context, rows of input and output, and parameters to turn.
@safe final class Instrument {
  let frames: Int
  /// Behind a pointer, as the language's checks of access to an object would be part of every call.
  private let context: UnsafeMutablePointer<Context>
  private let parameters: [Parameter]
  /// A quarter and three quarters of each parameter's range.
  private let quarters: [(Float, Float)]
  private let inputs: UnsafeMutableBufferPointer<UnsafePointer<Float>?>
  private let outputs: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>?>
  private let memory: Rows
  private var isHigh = false
  private var blocksUntilChange = 0

  /// - Parameter target: the machine that code is made for; nil for this one.
  /// - Throws: errors of the compiler; a model of this program that does not compile is a defect.
  convenience init(
    _ text: String, frames: Int, target: Target? = nil, pipeline: Pipeline = Pipeline()
  ) throws {
    try self.init(try Graph(parsing: text), frames: frames, target: target, pipeline: pipeline)
  }

  convenience init(
    _ graph: Graph, frames: Int, target: Target? = nil, pipeline: Pipeline = Pipeline()
  ) throws {
    let options = CompileOptions(target: try target ?? .host(), pipeline: pipeline)
    try self.init(try CompiledGraph(graph, options: options).program(), frames: frames)
  }

  init(_ program: Program, frames: Int) throws {
    let layout = program.layout
    self.frames = frames
    unsafe context = .allocate(capacity: 1)
    do {
      unsafe context.initialize(to: try Context(program))
    } catch {
      unsafe context.deallocate()
      throw error
    }
    parameters = unsafe context.pointee.parameters
    quarters = parameters.map { parameter in
      let (low, high) = (parameter.range.minimum, parameter.range.maximum)
      return (low + (high - low) * 0.25, low + (high - low) * 0.75)
    }
    let lengths = (layout.inputs + layout.outputs).flatMap { port in
      (0..<port.rows).map { _ in port.rowLength ?? frames }
    }
    memory = Rows(lengths)
    let inputRows = layout.inputs.reduce(0) { $0 + $1.rows }
    unsafe inputs = .allocate(capacity: inputRows)
    unsafe outputs = .allocate(capacity: lengths.count - inputRows)
    for row in 0..<inputRows {
      memory.fill(row)
      unsafe inputs.initializeElement(at: row, to: UnsafePointer(memory[row]))
    }
    for row in inputRows..<lengths.count {
      unsafe outputs.initializeElement(at: row - inputRows, to: memory[row])
    }
  }

  deinit {
    unsafe context.deinitialize(count: 1)
    unsafe context.deallocate()
    unsafe inputs.deallocate()
    unsafe outputs.deallocate()
  }

  var inputRows: Int { unsafe inputs.count }
  var outputRows: Int { unsafe outputs.count }

  func input(_ row: Int) -> UnsafePointer<Float> { unsafe inputs[row]! }
  func output(_ row: Int) -> UnsafeMutablePointer<Float> { unsafe outputs[row]! }

  func silenceInputs() {
    for row in unsafe inputs.indices { unsafe memory[row].update(repeating: 0, count: frames) }
  }

  func reset() { unsafe context.pointee.reset() }

  func set(_ values: [Float]) {
    for (parameter, value) in zip(parameters, values) { parameter.set(value) }
  }

  /// Sets parameters by their names.
  func set(_ values: [String: Float]) {
    for parameter in parameters { if let value = values[parameter.name] { parameter.set(value) } }
  }

  /// Sends all parameters to a quarter or to three quarters of their ranges.
  func turnAll(isHigh: Bool) {
    for index in parameters.indices { parameters[index].set(isHigh ? quarters[index].1 : quarters[index].0) }
  }

  /// Executes one block after the other.
  func run(_ times: Int) {
    for _ in 0..<times {
      unsafe context.pointee.execute(
        frames: frames, inputs: UnsafePointer(inputs.baseAddress), outputs: UnsafePointer(outputs.baseAddress)
      )
    }
  }

  /// Executes one block after the other, and sends all parameters elsewhere before every so many.
  func runMoving(_ times: Int, between low: [Float], and high: [Float], every blocks: Int) {
    var left = times
    while left > 0 {
      if blocksUntilChange == 0 {
        isHigh.toggle()
        set(isHigh ? high : low)
        blocksUntilChange = blocks
      }
      let count = min(left, blocksUntilChange)
      run(count)
      left -= count
      blocksUntilChange -= count
    }
  }
}
