// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import RealtimeCore
internal import TensorFiles

/// Tensors for the inputs of a program, step after step.
///
///     input x [4]    is given [10, 4]    its row k goes into step k
///     input h [8]    is given [8]        the same goes into every step
package struct StepSequence: Sendable {
  /// How many steps there are.
  package let steps: Int
  /// Whether they are many by what was given, or by what was asked for: outputs have an axis for them then.
  package let isStacked: Bool
  /// The numbers of each input, and whether each step has its own.
  private let inputs: [(numbers: [Float], count: Int, moves: Bool)]

  /// - Parameters:
  ///   - tensors: By the names of the inputs.
  ///   - steps: How many steps there shall be; nil for as many as the tensors have, or one.
  /// - Throws: `RequestError` where an input is missing or unknown, a shape is another one, or there are too few steps.
  package init(
    _ tensors: [String: Tensor], for layout: ProgramLayout, steps asked: Int? = nil
  ) throws(RequestError) {
    let stacked = try Self.steps(of: tensors.mapValues(\.shape), for: layout, asked: asked)
    (steps, isStacked) = (stacked ?? 1, stacked != nil)
    inputs = layout.inputs.map { port in
      let tensor = tensors[port.name]!
      return (tensor.values, FloatArray.count(of: port.shape) ?? 0, tensor.shape.count > port.shape.count)
    }
  }

  /// How many steps tensors of some shapes are; nil for one that has no axis for steps.
  ///
  /// - Throws: `RequestError` as making the sequence does, before any number is read.
  package static func steps(
    of shapes: [String: [Int]], for layout: ProgramLayout, asked: Int?
  ) throws(RequestError) -> Int? {
    if let asked, asked < 1 { throw RequestError("\(asked) steps are asked for; there is one at least") }
    if let name = shapes.keys.sorted().first(where: { name in !layout.inputs.contains { $0.name == name } }) {
      throw RequestError(no: "input", called: name, among: layout.inputs.map(\.name))
    }
    var known = (steps: Int?.none, name: "")
    for port in layout.inputs {
      guard let shape = shapes[port.name] else {
        throw RequestError("the input \(quoted(port.name)) is missing, which takes \(port.shape)")
      }
      let moves = shape.count == port.shape.count + 1
      guard shape.suffix(port.shape.count) == port.shape[...], moves || shape.count == port.shape.count
      else {
        throw RequestError("the input \(quoted(port.name)) takes \(port.shape), and is given \(shape)")
      }
      guard moves else { continue }
      let steps = shape[0]
      if let other = known.steps, other != steps {
        throw RequestError(
          "the input \(quoted(port.name)) is given \(counted(steps, "step")), and \(quoted(known.name)) \(other)"
        )
      }
      guard steps >= asked ?? 1 else {
        let wanted = counted(asked ?? 1, "step")
        throw RequestError(
          "the input \(quoted(port.name)) is given \(counted(steps, "step")), where \(wanted) should be")
      }
      known = (steps, port.name)
    }
    let steps = asked ?? known.steps ?? 1
    for port in layout.outputs {
      let (count, overflow) = steps.multipliedReportingOverflow(by: FloatArray.count(of: port.shape) ?? 0)
      guard !overflow, count <= FloatArray.mostNumbers else {
        let most = FloatArray.mostNumbers
        throw RequestError(
          "\(steps) steps of the output \(quoted(port.name)) are more than \(most) numbers; run fewer at a time"
        )
      }
    }
    return asked ?? known.steps
  }

  /// The numbers of an input in a step.
  package func numbers(_ input: Int, step: Int) -> ArraySlice<Float> {
    let (numbers, count, moves) = inputs[input]
    return moves ? numbers[step * count..<(step + 1) * count] : numbers[...]
  }

  /// Whether an input has something else in each step.
  package func changes(_ input: Int) -> Bool { inputs[input].moves }
}

extension RequestError {
  /// A name that nothing of its kind has, such as none of the inputs.
  package init(
    no kind: String, called name: String, among names: [String], none: String = "the model has none"
  ) {
    let list = alternatives(names.map(quoted), "and")
    let known = names.isEmpty ? none : "there \(names.count == 1 ? "is" : "are") \(list)"
    let hint = nearestName(to: name, among: names).map { "did you mean \(quoted($0))?" }
    self.init("no \(kind) is called \(quoted(name)); \(hint ?? known)")
  }
}
