// SPDX-License-Identifier: Apache-2.0

internal import GraphGradients
internal import GraphIR

/// The graphs of a piece of a window whose numbers are not kept but computed again on the way back (gradient
/// checkpointing): a step takes the memory of a piece, and what the model remembers between pieces.
///
///     piece 0 ─ state ─▶ piece 1 ─ state ─▶ piece 2          forwards; states and y are kept
///        └─▶ y              └─▶ y              └─▶ y ──▶ loss
///     piece 0 ◀─ state̅ ─ piece 1 ◀─ state̅ ─ piece 2 ◀── ȳ    backwards, each from its state on
///
/// The gradient is that of the whole window, whatever the loss is.
struct RecomputedGraphs {
  /// Frames of a piece, and how many pieces there are.
  let frames, count: Int
  /// The piece forwards: weights that learn, examples and states to outputs and the states behind.
  let forward: Graph
  /// The piece back: the same and the cotangents of all that comes out, to the gradients of weights and of states.
  let backward: Graph

  /// - Parameters:
  ///   - piece: the model in so many frames, with states that go in and come out.
  ///   - learned: the names of what learns.
  init(piece: Graph, frames: Int, count: Int, learned: [String]) throws(TypingError) {
    (self.frames, self.count) = (frames, count)
    forward = piece.canonical()
    var source = forward
    source.outputs = []
    var assembler = GraphAssembler(continuing: source)
    // Its gradient by a value is what the cotangents of outputs become on the way back to it.
    var sum = Formula(0)
    for output in forward.outputs {
      let shape = forward.shape(of: output.value)
      let cotangent = assembler.input(Self.cotangentName(of: output.name), TensorType(shape))
      let product = try assembler.apply(.binary(.multiply), output.value, cotangent)
      let flat = try assembler.apply(.reshape([shape.count]), product)
      sum = sum + Formula(try assembler.apply(.sum(axis: 0), flat))
    }
    assembler.output("loss", try sum.value(in: &assembler))
    let states = forward.inputs.map(\.name).filter { $0.hasPrefix(LearningGraph.statePrefix) }
    var gradient = try assembler.finished().withGradient(of: "loss", withRespectTo: learned + states)
    gradient.outputs.removeAll { $0.name == "loss" }
    backward = gradient.canonical()
  }

  /// The names of the inputs for the cotangents of outputs.
  static func cotangentName(of output: String) -> String { "cotangent.\(output)" }

  /// The outputs of a model, without what it remembers, over a window: a graph that hands them on.
  func outputs(frames: Int) throws(TypingError) -> Graph {
    var assembler = GraphAssembler(name: forward.name, clock: .step, sampleRate: forward.sampleRate)
    for output in forward.outputs where !output.name.hasPrefix(LearningGraph.nextPrefix) {
      let shape = Shape(forward.shape(of: output.value).fixed.dropLast() + [frames])
      assembler.output(output.name, assembler.input(output.name, TensorType(shape)))
    }
    return assembler.finished()
  }
}
