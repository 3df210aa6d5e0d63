// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// A node made ready for the interpreter: which rows it reads, found once instead of at every frame.
enum Kernel {
  /// The first row of a stream's input, or the input of a step.
  case input(first: Int)
  case parameter(Int)
  case fixed([Estimate])
  /// Element by element; a row of each operand for each row of the result.
  case unary(UnaryOp)
  case binary(BinaryOp, rows: [[Int]], ofItself: Bool)
  case select(rows: [[Int]], whereNumber: Bool)
  case fma(rows: [[Int]])
  /// Moves: the row of the one operand, or -1 for zero.
  case move([Int])
  case join([(operand: Int, row: Int)])
  /// Of each row of the result the row of x at position 0, and the row of the index.
  case pick(rows: [(x: Int, index: Int)], count: Int, stride: Int)
  case reduce(Op.Reduction, outer: Int, extent: Int, inner: Int)
  case dense(outer: Int, inputs: Int, outputs: Int, inner: Int)
  case convolution(ConvolutionWalk)
  /// For each row of the result where a row of x, and one of y, begins; both go on for so many numbers.
  case contraction(rows: [(x: Int, y: Int)], terms: Int)
  case delay(Int)
  case lookahead(Int)
  case tap(Tap, rows: [[Int]])
  case control
  case source(Op.Source)

  init(_ node: Node, in graph: Graph) {
    let shapes = node.operands.map { graph.shape(of: $0).fixed }
    let result = graph.shape(of: node.result).fixed
    func rows() -> [[Int]] { shapes.map { RowMap.broadcast($0, to: result) } }
    switch node.op.kind {
    case .given(.input(let port)):
      switch graph.clock {
      case .stream: self = .input(first: graph.inputs[..<port].reduce(0) { $0 + $1.type.shape.count })
      case .step: self = .input(first: port)
      }
    case .given(.parameter(let index)): self = .parameter(index)
    case .given(.literal(let number)): self = .fixed([Estimate(number)])
    case .given(.weights(let id)): self = .fixed(graph[id].values.map { Estimate($0) })
    case .elementwise(.unary(let op)): self = .unary(op)
    case .elementwise(.binary(let op)):
      self = .binary(op, rows: rows(), ofItself: node.operands[0] == node.operands[1])
    case .elementwise(.select):
      let condition = graph.definition(of: node.operands[0])
      self = .select(
        rows: rows(),
        whereNumber: condition.op == .binary(.equal) && condition.operands[0] == condition.operands[1])
    case .elementwise(.fma): self = .fma(rows: rows())
    case .movement(let movement): self = Self.movement(movement, shapes, result)
    case .reduction(let reduction, let axis): self = Self.reduction(reduction, shapes[0], axis: axis)
    case .layer(.dense(let axis, _)):
      let shape = shapes[0]
      self = .dense(
        outer: shape[..<axis].reduce(1, *), inputs: shape[axis], outputs: result[axis],
        inner: shape[(axis + 1)...].reduce(1, *))
    case .layer(.convolution(let convolution)):
      self = .convolution(
        ConvolutionWalk(convolution, of: graph.shape(of: node.operands[0]), to: graph.shape(of: node.result)))
    case .contraction:
      self = .contraction(rows: RowMap.contracted(shapes[0], shapes[1], to: result), terms: shapes[0].last!)
    case .time(.delay(let count)): self = .delay(count)
    case .time(.lookahead(let count)): self = .lookahead(count)
    case .time(.tap(let tap)): self = .tap(tap, rows: rows())
    case .time(.control): self = .control
    case .source(let source): self = .source(source)
    }
  }

  private static func movement(_ movement: Op.Movement, _ shapes: [[Int]], _ result: [Int]) -> Kernel {
    switch movement {
    case .slice(let axis, let start, let count):
      .move(RowMap.slice(shapes[0], axis: axis, start: start, count: count))
    case .concatenate(let axis): .join(RowMap.concatenate(shapes, axis: axis))
    case .reshape: .move(Array(0..<result.reduce(1, *)))
    case .transpose(let order): .move(RowMap.transpose(shapes[0], order: order))
    case .pad(let axis, let before, let after):
      .move(RowMap.pad(shapes[0], axis: axis, before: before, after: after))
    case .broadcast: .move(RowMap.broadcast(shapes[0], to: result))
    case .gather(let axis):
      .pick(
        rows: RowMap.picked(shapes[0], shapes[1], axis: axis), count: shapes[0][axis],
        stride: shapes[0].rowMajorStrides[axis])
    case .shift(let axis, let by): .move(RowMap.shift(shapes[0], axis: axis, by: by))
    case .window(let window): .move(RowMap.window(shapes[0], window, to: result))
    }
  }

  private static func reduction(_ kind: Op.Reduction, _ shape: [Int], axis: Int) -> Kernel {
    .reduce(
      kind, outer: shape[..<axis].reduce(1, *), extent: shape[axis],
      inner: shape[(axis + 1)...].reduce(1, *))
  }
}
