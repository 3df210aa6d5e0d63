// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import Legato
internal import RealtimeCore

/// A graph of steps with memory for what goes in and comes out, arrays one after the other.
///
/// Memory that several programs share, such as the weights that learn, is given to them.
@safe
struct LearningProgram: ~Copyable {
  private var context: Context
  private let memory: ProgramMemory
  /// The size of its part of that.
  let size: ProgramMemory.Size
  /// For each input and output where its numbers are.
  private let inputs: UnsafeMutablePointer<UnsafePointer<Float>?>
  private let outputs: UnsafeMutablePointer<UnsafeMutablePointer<Float>?>
  /// The same by the names of ports: an input and an output may have one name.
  private let inputPlaces, outputPlaces: [String: Place]

  /// Where a port's numbers are.
  @safe struct Place {
    let start: UnsafeMutablePointer<Float>
    let count: Int
  }

  /// Where arrays stand in a row of numbers, each from a cache line on.
  struct Layout {
    private(set) var starts: [Int] = []
    private(set) var count = 0

    /// - Parameter least: the numbers of a row that would have fewer.
    init(_ counts: [Int], atLeast least: Int = 0) {
      for own in counts {
        starts.append(count)
        count += (own + 15) / 16 * 16
      }
      count = max(count, least)
    }
  }

  /// - Parameters:
  ///   - program: the code of the graph.
  ///   - shared: where the numbers of some ports are, by name; an input and an output of one name share them.
  ///   - memory: where the program lies with its other ports; nil for memory of its own.
  ///   - first: the first of these ports.
  /// - Throws: `TrainingError.program` also where such a port has another number of them.
  init(
    _ graph: Graph, _ program: Program, shared: [String: Place], in memory: ProgramMemory? = nil,
    from first: Int = 0
  ) throws(TrainingError) {
    let (ins, outs) = (graph.inputs.map(\.name), graph.outputs.map(\.name))
    let counts =
      graph.inputs.map(\.type.shape.count) + graph.outputs.map { graph.shape(of: $0.value).count }
    for (name, count) in zip(ins + outs, counts) {
      guard let place = shared[name], place.count != count else { continue }
      throw .program(
        "\(graph.name): the port \(quoted(name)) has \(count) numbers, and memory of \(place.count) is shared with it"
      )
    }
    let layout = Layout(zip(ins + outs, counts).map { shared[$0] == nil ? $1 : 0 })
    let size = ProgramMemory.Size(workspace: program.workspaceSize, ports: layout.count)
    let memory = if let memory { memory } else { try ProgramMemory(size) }
    let context = try memory.context(of: program)
    unsafe inputs = .allocate(capacity: max(1, ins.count))
    unsafe outputs = .allocate(capacity: max(1, outs.count))
    var (inputPlaces, outputPlaces) = ([String: Place](), [String: Place]())
    for (row, name) in (ins + outs).enumerated() {
      let place = shared[name] ?? memory.port(first + layout.starts[row], count: counts[row])
      if row < ins.count {
        inputPlaces[name] = place
        unsafe (inputs + row).initialize(to: UnsafePointer(place.start))
      } else {
        outputPlaces[name] = place
        unsafe (outputs + row - ins.count).initialize(to: place.start)
      }
    }
    (self.inputPlaces, self.outputPlaces) = (inputPlaces, outputPlaces)
    (self.memory, self.size) = (memory, size)
    self.context = context
  }

  /// The size of a program's memory, beside the numbers that are shared.
  static func size(_ graph: Graph, _ program: Program, shared: Set<String>) -> ProgramMemory.Size {
    let ports =
      graph.inputs.map { ($0.name, $0.type.shape.count) }
      + graph.outputs.map { ($0.name, graph.shape(of: $0.value).count) }
    let own = Layout(ports.filter { !shared.contains($0.0) }.map(\.1)).count
    return ProgramMemory.Size(workspace: program.workspaceSize, ports: own)
  }

  /// The code of a graph.
  ///
  /// - Parameters:
  ///   - lasting: the names of inputs, such as weights, whose numbers are the same in many steps: array parameters.
  ///   - isKept: whether it is kept in the user's cache.
  static func compile(
    _ graph: Graph, lasting: [String] = [], isKept: Bool = false
  ) throws(TrainingError) -> Program {
    var graph = graph
    for port in graph.inputs.indices {
      graph.inputs[port].isArrayParameter = lasting.contains(graph.inputs[port].name)
    }
    var options = CompilerOptions()
    options.keepsCode = isKept
    do throws(ModelError) {
      return try Compilation(graph, options).program()
    } catch {
      throw .program(error.description)
    }
  }

  deinit {
    unsafe inputs.deallocate()
    unsafe outputs.deallocate()
  }

  /// Whether it has an input of a name.
  func has(_ input: String) -> Bool { inputPlaces[input] != nil }

  /// Computes from what was written; a model that remembers begins anew.
  ///
  /// - Parameter isAgain: whether the array parameters have the numbers of the execute before; no other program may have used
  ///   the memory since.
  mutating func execute(isAgain: Bool = false) {
    let own = unsafe UnsafeRawPointer(inputs)
    precondition(unsafe !isAgain || memory.lastProgram == own, "another program has used the memory")
    unsafe memory.lastProgram = own
    if isAgain { context.rewind() } else { context.reset() }
    unsafe context.execute(inputs: inputs, outputs: outputs)
  }

  /// Writes some frames of each row of an example.
  ///
  ///     numbers   ──────┤ frames ├────      a row
  ///               ──────┤        ├────      the next one
  func write(
    _ numbers: ArraySlice<Float>, rows: Int, frames: Range<Int>, to name: String, at first: Int
  ) {
    let length = numbers.count / rows
    for row in 0..<rows {
      let start = numbers.startIndex + row * length
      write(
        numbers[start + frames.lowerBound..<start + frames.upperBound], to: name,
        at: first + row * frames.count)
    }
  }

  /// Writes the numbers of an input from a place on.
  func write(_ numbers: ArraySlice<Float>, to name: String, at first: Int = 0) {
    guard let place = inputPlaces[name] else { return }
    precondition(first + numbers.count <= place.count, "a port of fewer numbers")
    _ = unsafe UnsafeMutableBufferPointer(start: place.start + first, count: numbers.count)
      .update(fromContentsOf: numbers)
  }

  /// The numbers of an output.
  func read(_ name: String) -> [Float] {
    guard let place = outputPlaces[name] else { return [] }
    return unsafe Array(UnsafeBufferPointer(start: place.start, count: place.count))
  }

  /// Clears the numbers of an input.
  func clear(_ name: String) {
    guard let place = inputPlaces[name] else { return }
    unsafe place.start.update(repeating: 0, count: place.count)
  }

  /// Hands some frames of each row of an output to an input of another program.
  ///
  ///     output    ──────┤ frames ├────      a row
  ///     input        ───┤        ├───       from a frame on, in rows of a length
  func hand(
    _ output: String, rows: Int, frames: Range<Int>, to other: borrowing LearningProgram, _ input: String,
    at first: Int, of length: Int
  ) {
    guard let from = outputPlaces[output], let place = other.inputPlaces[input] else { return }
    let own = from.count / rows
    precondition(frames.upperBound <= own && first + frames.count <= length, "a row of fewer frames")
    precondition(rows * length <= place.count, "a port of fewer numbers")
    for row in 0..<rows {
      unsafe (place.start + row * length + first)
        .update(from: from.start + row * own + frames.lowerBound, count: frames.count)
    }
  }
}
