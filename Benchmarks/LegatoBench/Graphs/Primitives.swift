// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import GraphPasses
internal import GraphPlanning
internal import NativeCode
internal import RealtimeCore

/// A graph run as calls into a library of primitives: each op a call over all rows of the block, into memory of
/// its own.
///
///     t1 ← multiply(src, gain)
///     t2 ← tanh(t1)
///     dst ← add(t2, src)
///
/// Arithmetic and tanh are C functions; what C has no function for (slices, delays, convolutions) is a program compiled
/// from a graph of this one op, called at its entry point. What a good programmer does to formulas is done: constants
/// are folded, sums take products along, what depends on parameters only is one number, worked out beforehand. What
/// takes a graph compiler is not: slices are copied, weights lie in their natural order, and nothing shares a loop or
/// memory. Cycles have no primitives.
@safe final class Primitives {
  private static let algebra = Pipeline(disabled: ["slice-hoisting"])
  private static let oneOp = Pipeline(disabled: ["weight-repacking"])

  let frames: Int
  private let graph: Graph
  private let calls = CallList()
  /// Where values lie: rows one behind the other.
  private var memories: [ValueID: Rows] = [:]
  /// The rows of results that are copies of such rows.
  private var copies: [ValueID: Rows] = [:]
  /// Values that depend on parameters only.
  private var numbers: [ValueID: Float] = [:]
  /// Where primitives read numbers.
  private var cells: [ValueID: Rows] = [:]
  private var programs: [String: Program] = [:]

  /// - Parameter inputs: The rows of all inputs, which are copied.
  init(_ text: String, frames: Int, inputs: [UnsafePointer<Float>]) throws {
    self.frames = frames
    graph = Self.algebra.run(try Graph(parsing: text)).graph
    for node in graph.nodes {
      if case .input(let port) = node.op {
        let first = graph.inputs[..<port].reduce(0) { $0 + Self.rowCount($1.type) }
        memories[node.result] = memory(for: node.result)
        for row in 0..<rowCount(node.result) {
          unsafe self.row(row, of: node.result).update(from: inputs[first + row], count: frames)
        }
      } else if case .parameter(let index) = node.op {
        numbers[node.result] = graph.parameters[index].initial
      } else if case .literal(let number) = node.op {
        numbers[node.result] = number
      } else if !node.op.isLeaf {
        try append(node)
      }
    }
    for output in graph.outputs { try finish(output.value) }
  }

  /// How many calls a block takes.
  var count: Int { calls.count }

  func run(_ times: Int) { calls.run(frames: frames, times: times) }

  /// The rows of all outputs.
  var outputs: [UnsafePointer<Float>] {
    unsafe graph.outputs.flatMap { output in
      let first = unsafe copies[output.value]?[0] ?? row(0, of: output.value)
      return unsafe (0..<rowCount(output.value)).map { unsafe UnsafePointer(first + $0 * frames) }
    }
  }

  // MARK: Memory

  private static func rowCount(_ type: TensorType) -> Int { type.shape.fixed.reduce(1, *) }

  private func rowCount(_ value: ValueID) -> Int { Self.rowCount(graph[value].type) }

  private func memory(for value: ValueID) -> Rows { Rows([rowCount(value) * frames]) }

  private func row(_ row: Int, of value: ValueID) -> UnsafeMutablePointer<Float> {
    guard let memory = memories[value] else {
      preconditionFailure("a primitive takes what is computed behind it: the graph has a cycle")
    }
    return unsafe memory[0] + row * frames
  }

  private func rows(of value: ValueID) -> [UnsafeMutablePointer<Float>] {
    unsafe (0..<rowCount(value)).map { unsafe row($0, of: value) }
  }

  /// Where a number stands.
  private func cell(_ value: ValueID, _ number: Float) -> UnsafePointer<Float> {
    let cell = cells[value] ?? Rows([1])
    cells[value] = cell
    unsafe cell[0][0] = number
    return unsafe UnsafePointer(cell[0])
  }

  // MARK: Calls

  private func append(_ node: Node) throws {
    if node.operands.allSatisfy({ numbers[$0] != nil }) {
      numbers[node.result] = try number(of: node)
      return
    }
    memories[node.result] = memory(for: node.result)
    let primitive = HandPrimitive(node.op, node.operands.map { numbers[$0] == nil ? .row : .number })
    if let primitive, node.op.isElementwise {
      call(primitive, for: node)
    } else {
      try call(try program(of: node), on: node.operands, into: node.result)
    }
  }

  /// All rows in one call, where no row is stretched; else row by row.
  private func call(_ primitive: HandPrimitive, for node: Node) {
    let count = rowCount(node.result)
    let isStretched = node.operands.contains { numbers[$0] == nil && rowCount($0) != count }
    for row in 0..<(isStretched ? count : 1) {
      let operands = unsafe node.operands.map { operand in
        if let number = numbers[operand] { return unsafe cell(operand, number) }
        precondition([1, count].contains(rowCount(operand)), "a primitive stretches one row to all")
        return unsafe UnsafePointer(self.row(min(row, rowCount(operand) - 1), of: operand))
      }
      unsafe calls.append(
        primitive.function, operands, self.row(row, of: node.result),
        count: isStretched ? frames : count * frames)
    }
  }

  /// The last primitive writes where the result is wanted; what no primitive made is copied there.
  private func finish(_ output: ValueID) throws {
    guard graph.definition(of: output).op.isLeaf else { return }
    guard let copy = HandPrimitive("copy", [.row]) else {
      throw BenchError("there is no primitive that copies")
    }
    let result = memory(for: output)
    copies[output] = result
    unsafe calls.append(
      copy.function, [UnsafePointer(row(0, of: output))], result[0], count: rowCount(output) * frames)
  }

  private func call(_ program: Program, on operands: [ValueID], into result: ValueID) throws {
    var seen: Set<ValueID> = []
    let varying = operands.filter { memories[$0] != nil && seen.insert($0).inserted }
    let inputs = unsafe varying.flatMap { unsafe rows(of: $0) }.map { unsafe UnsafePointer($0) }
    unsafe try calls.append(program, inputs: inputs, outputs: rows(of: result))
  }

  // MARK: Programs of one op

  /// A value of parameters, computed by the op itself.
  private func number(of node: Node) throws -> Float {
    let (list, result) = (CallList(), Rows([1]))
    unsafe try list.append(try program(of: node), inputs: [], outputs: [result[0]])
    list.run(frames: 1, times: 1)
    return unsafe result[0][0]
  }

  /// The op by itself: what varies is an input, each number a parameter that nobody turns.
  private func program(of node: Node) throws -> Program {
    var assembler = GraphAssembler(name: node.op.shortName, clock: .stream, sampleRate: graph.sampleRate)
    var operands: [ValueID: ValueID] = [:]
    for (index, operand) in node.operands.enumerated() where operands[operand] == nil {
      if case .literal(let number) = graph.definition(of: operand).op {
        operands[operand] = assembler.literal(number)
      } else if case .weights(let id) = graph.definition(of: operand).op {
        operands[operand] = assembler.weights(graph[id])
      } else if let number = numbers[operand] {
        operands[operand] = assembler.parameter(
          ParameterDeclaration(
            name: "p\(index)", initial: number, minimum: -1e6, maximum: 1e6, rampFrames: 960))
      } else {
        operands[operand] = assembler.input("x\(index)", graph[operand].type)
      }
    }
    assembler.output("result", try assembler.apply(node.op, node.operands.map { operands[$0]! }))
    return try program(assembler.finished())
  }

  private func program(_ graph: Graph) throws -> Program {
    let text = "\(graph)"
    if let known = programs[text] { return known }
    let options = CompileOptions(target: try .host(), pipeline: Self.oneOp)
    let program = try CompiledGraph(graph, options: options).program()
    programs[text] = program
    return program
  }
}
