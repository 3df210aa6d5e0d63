// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import Legato
internal import RealtimeCore

/// A graph of steps with memory for what goes in and comes out, arrays one after the other.
///
/// Memory that several programs share, such as the weights that learn, is given to them.
@safe
struct LearningProgram: ~Copyable {
  private var runner: StepRunner
  private let own: LearnedMemory
  /// For each input and output where its numbers are.
  private let inputs: UnsafeMutablePointer<UnsafePointer<Float>?>
  private let outputs: UnsafeMutablePointer<UnsafeMutablePointer<Float>?>
  private let places: [String: Place]

  /// Where a port's numbers are.
  @safe struct Place {
    fileprivate let start: UnsafeMutablePointer<Float>
    let count: Int
  }

  /// Where arrays stand in a row of numbers, each from a cache line on.
  struct Layout {
    private(set) var starts: [Int] = []
    private(set) var count = 0

    init(_ counts: [Int]) {
      for own in counts {
        starts.append(count)
        count += (own + 15) / 16 * 16
      }
    }
  }

  /// - Parameter shared: where the numbers of some ports are, by name; an input and an output of one name share them.
  init(_ graph: Graph, shared: [String: UnsafeMutablePointer<Float>]) throws(TrainingError) {
    let (ins, outs) = (graph.inputs.map(\.name), graph.outputs.map(\.name))
    let counts =
      graph.inputs.map(\.type.shape.count) + graph.outputs.map { graph.shape(of: $0.value).count }
    let layout = Layout(zip(ins + outs, counts).map { unsafe shared[$0] == nil ? $1 : 0 })
    let runner = try Self.runner(of: graph)
    let own = try LearnedMemory(count: layout.count)
    unsafe inputs = .allocate(capacity: max(1, ins.count))
    unsafe outputs = .allocate(capacity: max(1, outs.count))
    var places: [String: Place] = [:]
    for (row, name) in (ins + outs).enumerated() {
      let start = unsafe shared[name] ?? own.start(layout.starts[row])
      places[name] = unsafe Place(start: start, count: counts[row])
      if row < ins.count {
        unsafe (inputs + row).initialize(to: UnsafePointer(start))
      } else {
        unsafe (outputs + row - ins.count).initialize(to: start)
      }
    }
    self.places = places
    self.runner = runner
    self.own = own
  }

  private static func runner(of graph: Graph) throws(TrainingError) -> StepRunner {
    do throws(ModelError) {
      return try StepRunner(Compilation(graph, CompilerOptions()))
    } catch {
      throw .program(error.description)
    }
  }

  deinit {
    unsafe inputs.deallocate()
    unsafe outputs.deallocate()
  }

  mutating func execute() { unsafe runner.execute(inputs: inputs, outputs: outputs) }

  /// Writes the numbers of a port from a place on.
  func write(_ numbers: ArraySlice<Float>, to name: String, at first: Int = 0) {
    guard let place = places[name] else { return }
    precondition(first + numbers.count <= place.count, "a port of fewer numbers")
    _ = unsafe UnsafeMutableBufferPointer(start: place.start + first, count: numbers.count)
      .update(fromContentsOf: numbers)
  }

  /// The numbers of a port.
  func read(_ name: String) -> [Float] {
    guard let place = places[name] else { return [] }
    return unsafe Array(UnsafeBufferPointer(start: place.start, count: place.count))
  }
}

/// Numbers of many arrays in one row, that programs share.
@safe
struct LearnedMemory: ~Copyable {
  private let memory: ReservedMemory
  let count: Int

  init(count: Int) throws(TrainingError) {
    do throws(ContextError) {
      memory = try ReservedMemory(numbers: count)
    } catch {
      throw .program(error.description)
    }
    self.count = count
  }

  /// Where the numbers from one on are; valid as long as the memory.
  func start(_ place: Int = 0) -> UnsafeMutablePointer<Float> { unsafe memory.numbers + place }

  func numbers(_ range: Range<Int>) -> [Float] {
    precondition(range.upperBound <= count, "there are fewer numbers")
    return unsafe Array(UnsafeBufferPointer(start: memory.numbers + range.lowerBound, count: range.count))
  }

  func write(_ numbers: some Collection<Float>, at place: Int) {
    precondition(place + numbers.count <= count, "there are fewer numbers")
    _ = unsafe UnsafeMutableBufferPointer(start: memory.numbers + place, count: numbers.count)
      .update(fromContentsOf: numbers)
  }

  func clear() { unsafe memory.numbers.update(repeating: 0, count: count) }

  func write(copyOf other: borrowing LearnedMemory) {
    unsafe memory.numbers.update(from: other.memory.numbers, count: count)
  }

  /// Adds numbers of as many arrays.
  func add(_ other: borrowing LearnedMemory) {
    for index in 0..<count { unsafe memory.numbers[index] += other.memory.numbers[index] }
  }
}
