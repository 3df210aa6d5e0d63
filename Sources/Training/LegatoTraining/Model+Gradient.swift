// SPDX-License-Identifier: Apache-2.0

internal import GraphGradients
package import GraphIR
package import Legato
internal import ModelFiles

extension Model {
  /// The graph of a training step of one example, to look at: the model, its loss, and the gradient of that by all that
  /// learns, as the section "train" of its file says; where it says nothing of them, the mean square of the distance of the
  /// first output from a target, and all weights. Of a stream the window has 64 frames, unless the file says how many. Of a
  /// window in pieces it is what a piece hands back: from the cotangents of what comes out and of the states behind it to
  /// the gradients of all that learns and of the states before; where the file states no window, one piece is all of it.
  ///
  /// - Parameter recompute: the frames of a piece, in place of those that the file states.
  /// - Throws: `ModelError` for a model that is none, `TrainingError.task` for one that cannot learn.
  package func gradientGraph(
    extents: [String: Int], sampleRate: Double?, recompute: Int? = nil
  ) throws -> Graph {
    let (graph, own) = try learningGraph(extents: extents, sampleRate: sampleRate)
    let piece = recompute ?? training?.counts[.recompute]
    let window = training?.counts[.window] ?? piece ?? 64
    var task = try TrainingTask(of: self, extents: extents, window: window)
    if training?.counts[.warmup] == nil { task.warmup = 0 }
    (task.batch, task.chunk, task.recompute) = (1, nil, piece)
    if task.targets.isEmpty, let output = graph.outputs.first {
      task.targets = [
        "target": graph.shape(of: output.value).fixed + (graph.clock == .stream ? [task.window] : [])
      ]
    }
    let learning = try LearningGraph(
      graph, task, examples: 1, among: own.map(\.name), knobs: ownParameters)
    return learning.recomputed?.backward ?? learning.gradient
  }

  /// The graph as it learns, and the weights in it that are the model's own, as its file has them.
  func learningGraph(
    extents: [String: Int], sampleRate: Double?
  ) throws -> (graph: Graph, own: [GraphIR.Weights]) {
    let graph = try graph(extents: extents, sampleRate: sampleRate)
    let names = try ownWeights(in: graph, extents: extents)
    let known = Set(names)
    let own = graph.weights.filter { known.contains($0.name) }
    do throws(TypingError) { return (try graph.withStatedTaps(of: names), own) } catch {
      throw TrainingError.task("\(graph.name): \(error.description)")
    }
  }
}
