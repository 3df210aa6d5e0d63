// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import GraphPlanning
internal import NativeCode

/// The cost of a primitive alone, and of a graph of this one op at its entry point.
struct PrimitiveRows {
  let options: Options
  let race: Race
  let table: Table

  private static let primitives: [(name: String, operands: [HandPrimitive.Operand], formula: String)] = [
    ("add", [.row, .row], "x0 + x1"), ("multiply", [.row, .row], "x0 * x1"), ("tanh", [.row], "tanh(x0)"),
  ]

  func run() throws {
    let wanted = Self.primitives.flatMap { primitive in
      [0, 128, 512].map { (name: "primitive \(primitive.name) \($0)", primitive: primitive, frames: $0) }
    }.filter { options.wants($0.name) }
    guard !wanted.isEmpty else { return }
    table.section("primitives in C, beside the entry point of a graph of this one op")
    for (name, primitive, frames) in wanted {
      guard let hand = HandPrimitive(primitive.name, primitive.operands) else {
        return table.note("primitives: left out, as the C kernels need SSE4.1")
      }
      let rows = Rows([Int](repeating: max(1, frames), count: primitive.operands.count + 2))
      let operands = unsafe primitive.operands.indices.map { row in
        rows.fill(row)
        return unsafe UnsafePointer(rows[row])
      }
      let (result, entryResult) = unsafe (rows[operands.count], rows[operands.count + 1])
      let (calls, entry) = (CallList(), CallList())
      unsafe calls.append(hand.function, operands, result, count: frames)
      let text = Self.text(primitive.operands.count, primitive.formula)
      let program = try CompiledGraph(
        try Graph(parsing: text), options: CompileOptions(target: try .host())
      ).program()
      unsafe try entry.append(program, inputs: operands, outputs: [entryResult])
      calls.run(frames: frames, times: 1)
      entry.run(frames: frames, times: 1)
      for frame in 0..<frames where unsafe result[frame].bitPattern != entryResult[frame].bitPattern {
        throw BenchError("\(name): the C primitive gives other bits at frame \(frame)")
      }
      let samples = race.run([
        Contender(name: name) { calls.run(frames: frames, times: $0) },
        Contender(name: "entry") { entry.run(frames: frames, times: $0) },
      ])
      table.add(Figure(name, samples[0]).compared(to: samples[1], of: samples[0], "entry point"))
    }
  }

  private static func text(_ inputs: Int, _ formula: String) -> String {
    let head = ["graph \"Primitive\" stream 48000"] + (0..<inputs).map { "input x\($0) [1, frames]" }
    return (head + ["dst = \(formula)", "output dst = dst"]).joined(separator: "\n")
  }
}
